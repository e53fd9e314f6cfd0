// SPDX-License-Identifier: Apache-2.0
// What an instruction changes, for those who watch waves: registers and places in LDS. What it
// makes of them is not here.
#pragma once

#include <string>

#include "models/cu/isa/isa.h"

namespace archipelago::isa {

// Registers an instruction writes. SCC and EXEC when it is not named by an operand are left out.
struct Destinations {
    uint16_t sgpr = 0;  // operand code of the first scalar register
    uint8_t sgprs = 0;
    uint16_t vgpr = 0;
    uint8_t vgprs = 0;
    uint64_t lanes = 0;  // of the vector registers
};
// `w` is the wave's state in front of the instruction. Image and buffer instructions say in their
// VectorMemOp and ImageOp which registers they write, and get none here.
Destinations destinations(const Inst& inst, const WaveState& w);

// "s5", "vcc_lo", "ttmp3", "m0": a scalar register by its operand code.
std::string scalar_register_name(unsigned code);

// The elements of LDS a DS instruction accesses, up to two for each lane.
struct LdsPlaces {
    enum class Kind : uint8_t { Load, Store, Atomic };
    struct Element {
        Kind kind = Kind::Load;
        uint64_t lanes = 0;          // of which the element is in range
        uint8_t operand_dwords = 0;  // stores and atomics: of `operand`
        uint32_t address[kLanes];    // bytes within the group's part
        uint32_t operand[4][kLanes];
    };
    uint8_t bytes = 4;  // of an element
    unsigned count = 0;
    Element element[2];
};
// As execute_lds() would access them; the arguments are the same, and nothing changes.
void lds_places(const Inst& inst, WaveState& w, uint8_t* lds, unsigned lds_bytes,
                LdsPlaces& places);

}  // namespace archipelago::isa
