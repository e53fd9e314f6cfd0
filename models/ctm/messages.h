// SPDX-License-Identifier: Apache-2.0
// What the units of a CTM machine say to each other: PE, CO, MC and the DPP array. ATI CTM Guide
// 1.01, section 2.1 and its figure 2-1.
#pragma once

#include <array>
#include <cstdint>

#include "models/ctm/isa/quad.h"
#include "models/ctm/isa/semantics.h"
#include "models/ctm/isa/thread.h"
#include "models/ctm/mc/address.h"
#include "models/ctm/mc/address_message.h"

namespace archipelago::ctm {

// A command of the buffer as the PE passes it to the unit that it is for; `parameters` as in the
// command buffer, `opcode` bits 15:8 of the header.
using UnitCommand = AddressCommand;
// Answer of the unit, an event: the command has its whole effect (a flush: memory has the data), so
// that what clients ask for from now on sees it. The PE launches nothing before.
struct UnitCommandDone {
    uint8_t opcode = 0;
};

// ---- PE and DPP
struct ThreadLaunch {
    std::array<Point, isa::kMaxQuads> origin{};
    uint8_t quads = 0;
    isa::LaneMask covered = 0;
    uint32_t conditional = 0;         // set_cond_val's
    uint32_t number = 0;              // counts from 0 in each start_program
    uint32_t program = 0;             // counts start_program: no two at work have the same
    bool conditional_output = false;  // ask the CO; else it would pass all and write none
    isa::ProgramMode mode;            // PROGINFO's
    // That the program uses, PROGINFO's: what the thread takes of the register file.
    uint8_t temporaries = isa::kTemporaries;
};
struct ThreadDone {
    uint32_t number = 0;
};

// ---- CO: a test of up to a quad, for the PE or an array of the DPP
struct ConditionRequest {
    Point origin;
    uint8_t lanes = 0;                // bit l: as in isa::Thread
    std::array<uint32_t, 4> value{};  // bits of floats
    uint32_t tag = 0;
};
struct ConditionResult {
    uint8_t lanes = 0;  // those that passed
    uint32_t tag = 0;
};

// ---- MC: reads and writes of one client, an element for each lane of a quad
struct ElementRequest {
    uint8_t client = 0;  // ctm::Client
    bool write = false;
    bool uncached = false;  // a write past the output cache
    uint8_t lanes = 0;      // bits 0 to 3: which of the four
    std::array<Point, 4> index{};
    // Of a write, by lane and channel c0 to c3: bits of floats. `channels`: those written, by lane.
    std::array<std::array<uint32_t, 4>, 4> value{};
    std::array<uint8_t, 4> channels{};
    uint32_t tag = 0;
};
// Of a read: bits of floats of c0 to c3 (a format's missing channels: DECISIONS.md of the MC).
// A write is answered when its place is taken in the cache, an uncached one when memory has it.
struct ElementResponse {
    uint8_t lanes = 0;
    std::array<std::array<uint32_t, 4>, 4> value{};
    uint32_t tag = 0;
};

// Instructions and constants: index pair (index, 0).
struct WordsRequest {
    uint8_t client = 0;  // kInstructions, kFloatConstants, kIntegerConstants, kBooleanConstants
    uint16_t index = 0;
    uint32_t tag = 0;
};
struct WordsResponse {
    std::array<uint32_t, 6> words{};  // instructions 6, float constants 4, the others 1
    uint32_t tag = 0;
};

}  // namespace archipelago::ctm
