// SPDX-License-Identifier: Apache-2.0
// The colours and depths that pixel waves export, kept until the wave has ended, and given to the
// quads they belong to. Untimed: the timed SPI and the functional mode share it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/gcn/export_message.h"
#include "models/raster/quad_batch.h"
#include "models/spi/graphics.h"
#include "models/spi/packed_wave.h"

namespace archipelago::spi {

// Targets of EXP: colours (MRT0..7), MRTZ, NULL; vertices have theirs from kPosition on.
namespace export_target {
constexpr unsigned kColours = 8, kDepth = 8, kNull = 9;
constexpr unsigned kPosition = 12, kPositionEnd = 16, kParameter = 32;
}  // namespace export_target

// Throws MachineStop(BadInput) naming the wave and the instruction.
[[noreturn]] void refuse_export(const ExportMessage& message, const std::string& why);

// Colour buffer of one shader engine. Waves leave in the order in which they were packed, so that
// primitives stay in order for each pixel.
class PixelExportBuffer {
  public:
    // A wave is launched: `packed` becomes another, which is empty.
    void open(std::unique_ptr<PackedWave>& packed, const StageProgram& program);
    bool has(uint32_t draw, uint32_t wave) const { return find(draw, wave) != nullptr; }
    // Throws MachineStop(BadInput), naming wave and target, for an export a pixel wave may not do.
    void take(const ExportMessage& message);
    // The wave has ended and all its exports have been taken. Throws MachineStop(BadInput) when it
    // has not exported, or not marked its last export.
    void ended(uint32_t draw, uint32_t wave);

    bool empty() const { return entries_.empty(); }
    // Space that is taken: four components of 64 lanes for each target of a wave.
    unsigned vectors() const { return vectors_; }
    // The oldest wave has ended.
    bool ready() const { return !entries_.empty() && entries_.front()->ended; }
    // Fills `batch` with the next quads of the oldest wave: a run of one primitive, of one RB,
    // which the depth block has treated alike. True: they were its last, and the wave has left.
    // The memory of `batch` is reused, so pass the same one again.
    bool next(raster::ShadedBatch& batch);
    // RB of the next batch.
    unsigned next_rb() const { return entries_.front()->packed->rb[first_]; }
    void reset();

    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(entries_.empty(), "pixel waves have exports in the colour buffer");
    }

  private:
    struct Entry {
        std::unique_ptr<PackedWave> packed = std::make_unique<PackedWave>();
        raster::PixelExports exports;
        unsigned vectors = 0;  // targets with a format
        bool exported = false, done = false, ended = false;
    };
    Entry* find(uint32_t draw, uint32_t wave) const;

    std::deque<std::unique_ptr<Entry>> entries_;  // in the order of launch
    std::vector<std::unique_ptr<Entry>> free_;    // whose memory serves again
    unsigned vectors_ = 0;
    unsigned first_ = 0;  // quad of the oldest wave that has not left
};

}  // namespace archipelago::spi
