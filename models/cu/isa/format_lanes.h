// SPDX-License-Identifier: Apache-2.0
// Converts elements of bit fields to registers and back, for 64 lanes at once. One table per host
// level, as for the vector ALU; all levels give the same bits. This is the rule for the formats of
// typed buffers, and for images when whole waves access them. Lanes that are not selected may hold
// anything. Needs the default floating-point environment. Private to models/cu/isa.
#pragma once

#include <cstdint>

#include "models/cu/isa/number_format.h"
#include "models/cu/isa/wave_state.h"

namespace archipelago::isa {

// A format of bit fields, none of them across two dwords.
struct LaneFormat {
    bool usable = false;
    bool moves_dwords = false;  // every component is a dword that does not change
    bool saturates = false;     // integers that do not fit are stored as the nearest that does
    NumFormat num = NumFormat::Unorm;
    uint8_t bytes = 0, dwords = 0, components = 0;
    struct Field {
        uint8_t dword, shift, bits;
    } field[4] = {};
    uint32_t one = 0;             // what a lacking w is
    const float* srgb = nullptr;  // by code

    // Components of these widths, lowest bits first.
    constexpr void set_up(unsigned element_bytes, unsigned count, const uint8_t* bits,
                          NumFormat number) {
        usable = true;
        num = number;
        moves_dwords = num == NumFormat::Uint || num == NumFormat::Sint || num == NumFormat::Float;
        bytes = static_cast<uint8_t>(element_bytes);
        dwords = static_cast<uint8_t>((element_bytes + 3) / 4);
        components = static_cast<uint8_t>(count);
        one = format_one(num);
        unsigned bit = 0;
        for (unsigned c = 0; c < count; ++c) {
            field[c] = {static_cast<uint8_t>(bit / 32), static_cast<uint8_t>(bit % 32), bits[c]};
            usable = usable && bit % 32 + bits[c] <= 32;
            moves_dwords = moves_dwords && bits[c] == 32;
            bit += bits[c];
        }
    }
};

struct FormatLanes {
    // Components in `needed` of the elements in raw[dword][lane], before DST_SEL. Components that
    // the format lacks are 0, w then is one.
    void (*unpack)(const LaneFormat&, const VReg* raw, unsigned needed, VReg* out);
    // The reverse, of as many components as the format has; null: 0 in every lane. Not for formats
    // that can only be read.
    void (*pack)(const LaneFormat&, const uint32_t* const* in, VReg* raw);
};

// The level this process uses, and for tests: see lane_memory.h.
const FormatLanes& format_lanes();
const FormatLanes* format_lanes(const char* level);

}  // namespace archipelago::isa
