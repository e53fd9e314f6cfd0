// SPDX-License-Identifier: Apache-2.0
// Image loads, stores and samples of a whole wave straight on host memory, for functional mode.
// What is not done here (see image.md) is left to image_mem() and image_complete(), lane by lane;
// where both do it, registers and memory end alike.
//
//   ImageWave wave;                                     // one per compute unit
//   if (wave.prepare(inst, w, tiling, unit)) ...        // at issue
//       ... memory = the piece of host memory around wave.address() ...
//       if (wave.execute(memory)) ... done: wave.lanes() ...
#pragma once

#include <cstdint>
#include <memory>

#include "models/cu/isa/image_op.h"
#include "models/cu/isa/isa.h"
#include "models/cu/isa/lane_memory.h"

namespace archipelago::isa {

struct FormatLanes;
struct ImageLanes;

class ImageWave {
  public:
    ImageWave();
    // Of a host level: for tests.
    ImageWave(const LaneMemory& memory, const FormatLanes& formats, const ImageLanes& lanes);
    ~ImageWave();

    // False: not an instruction, resource or sampler for this. What is passed must live until
    // execute() is over, and `unit` be used for nothing else.
    bool prepare(const Inst& inst, WaveState& w, const surface::TilingRegisters& tiling,
                 ImageUnit& unit);
    // First byte of the image's level that is used, or used first.
    uint64_t address() const;
    // False: nothing was done. The usual reason is a texel outside the piece of memory.
    bool execute(const HostWindow& memory);
    // Lanes that accessed memory.
    uint64_t lanes() const;

  private:
    class Access;
    std::unique_ptr<Access> access_;
};

}  // namespace archipelago::isa
