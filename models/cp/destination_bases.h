// SPDX-License-Identifier: Apache-2.0
// Where the render contexts draw to, as far as SURFACE_SYNC names it.
// "Radeon Southern Islands Acceleration" 2.8.10.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/context_registers.h"
#include "models/cp/register_map.h"

namespace archipelago::cp {

class DestinationBases {
  public:
    explicit DestinationBases(const RegisterMap& registers) : registers_(&registers) {}

    // A register, any one: all bases are context registers.
    void wrote(unsigned context, uint32_t offset, uint32_t value) {
        const int slot = registers_->destination(offset);
        if (slot < 0)
            return;
        bases_[context][static_cast<unsigned>(slot)] = value;
        known_[context] |= 1u << slot;
    }
    void copy(unsigned from, unsigned to) {
        bases_[to] = bases_[from];
        known_[to] = known_[from];
    }
    template <class Archive>
    void archive(Archive& a) {
        a(bases_, known_);
    }
    // Whether a base that `control` enables lies in the surface; both in units of 256 bytes.
    bool match(unsigned context, uint32_t control, uint32_t size, uint32_t base) const {
        for (unsigned slot = 0; slot < registers_->destinations.size(); ++slot)
            if ((known_[context] >> slot & 1) != 0 &&
                (control >> registers_->destinations[slot].enable & 1) != 0 &&
                bases_[context][slot] >= base && bases_[context][slot] - base < size)
                return true;
        return false;
    }

  private:
    const RegisterMap* registers_;
    std::array<std::array<uint32_t, RegisterMap::kMaxDestinations>, kContexts> bases_{};
    std::array<uint32_t, kContexts> known_{};
};

}  // namespace archipelago::cp
