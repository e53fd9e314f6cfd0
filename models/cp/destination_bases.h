// SPDX-License-Identifier: Apache-2.0
// Where the render contexts draw to, as far as SURFACE_SYNC asks: the registers that the
// DEST_BASE_ENA bits of CP_COHER_CNTL stand for. "Radeon Southern Islands Acceleration" 2.8.10.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/context_registers.h"

namespace archipelago::cp {

class DestinationBases {
  public:
    // DEST_BASE_0..3_ENA, CB0..7_DEST_BASE_ENA and DB_DEST_BASE_ENA of CP_COHER_CNTL.
    static constexpr uint32_t kEnables = 0x00287FC3;

    // A register, any one: all bases are context registers.
    void wrote(unsigned context, uint32_t offset, uint32_t value) {
        const int slot = slot_of(offset);
        if (slot < 0)
            return;
        bases_[context][static_cast<unsigned>(slot)] = value;
        known_[context] |= 1u << slot;
    }
    void copy(unsigned from, unsigned to) {
        bases_[to] = bases_[from];
        known_[to] = known_[from];
    }
    // Whether a base that `control` enables lies in the surface; both in units of 256 bytes.
    bool match(unsigned context, uint32_t control, uint32_t size, uint32_t base) const {
        for (unsigned slot = 0; slot < kSlots; ++slot)
            if ((known_[context] >> slot & 1) != 0 && (control >> kEnableBit[slot] & 1) != 0 &&
                bases_[context][slot] >= base && bases_[context][slot] - base < size)
                return true;
        return false;
    }

    static constexpr bool has(uint32_t offset) {
        return is_context_register(offset) && slot(offset) >= 0;
    }

  private:
    static constexpr unsigned kSlots = 14;
    static constexpr uint8_t kEnableBit[kSlots] = {0, 1,  19, 21, 6,  7,  8,
                                                   9, 10, 11, 12, 13, 14, 14};
    static constexpr int slot(uint32_t offset) {
        constexpr uint32_t kColor0 = 0x28C60, kColorStride = 0x3C;  // CB_COLORn_BASE
        switch (offset) {
            case 0x28248:  // COHER_DEST_BASE_0..3
                return 0;
            case 0x2824C:
                return 1;
            case 0x281F8:
                return 2;
            case 0x281FC:
                return 3;
            case 0x28050:  // DB_Z_WRITE_BASE
                return 12;
            case 0x28054:  // DB_STENCIL_WRITE_BASE
                return 13;
            default:
                break;
        }
        const uint32_t color = offset - kColor0;
        return offset >= kColor0 && color % kColorStride == 0 && color / kColorStride < 8
                   ? static_cast<int>(4 + color / kColorStride)
                   : -1;
    }
    // Asked for every register a packet writes: worked out beforehand.
    static constexpr uint32_t kFirst = kContextRegistersStart, kDwords = 0x400;
    static constexpr std::array<int8_t, kDwords> all_slots() {
        std::array<int8_t, kDwords> slots{};
        for (uint32_t i = 0; i < kDwords; ++i)
            slots[i] = static_cast<int8_t>(has(kFirst + 4 * i) ? slot(kFirst + 4 * i) : -1);
        return slots;
    }
    static int slot_of(uint32_t offset);

    std::array<std::array<uint32_t, kSlots>, kContexts> bases_{};
    std::array<uint32_t, kContexts> known_{};
};

inline int DestinationBases::slot_of(uint32_t offset) {
    static constexpr std::array<int8_t, kDwords> kSlots = all_slots();
    const uint32_t at = (offset - kFirst) / 4;
    return at < kDwords ? kSlots[at] : -1;
}

}  // namespace archipelago::cp
