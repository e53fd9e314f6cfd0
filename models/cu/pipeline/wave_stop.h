// SPDX-License-Identifier: Apache-2.0
// A machine stop at an instruction of a wave.
#pragma once

#include <cstdint>

#include "models/common/error.h"

namespace archipelago::cu {

class WaveStop : public MachineStop {
  public:
    struct Place {
        unsigned simd = 0, slot = 0;
        uint64_t pc = 0;     // bytes
        uint64_t words = 0;  // the first one low, 0 after a lone one; 0: it is not known
    };
    WaveStop(const MachineStop& stop, const Place& place) : MachineStop(stop), place_(place) {}
    const Place& at() const { return place_; }

  private:
    Place place_;
};

}  // namespace archipelago::cu
