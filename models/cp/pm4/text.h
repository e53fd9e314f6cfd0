// SPDX-License-Identifier: Apache-2.0
// PM4 as text: rings and indirect buffers field by field, and back. The grammar is in README.md.
//
// disassemble_pm4() takes any words, and assemble_pm4() makes the same words of its text: bits that
// no field names, sizes no packet has, packets cut off and garbage included.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/register_info.h"
#include "models/cp/pm4/packet_table.h"

namespace archipelago::cp {

// A generation's packets and registers.
struct Pm4Language {
    const PacketTable& packets;
    const regs::RegisterDatabase& registers;
};

// One refused statement. Lines and columns count from 1, columns in bytes.
struct Pm4Error {
    unsigned line = 0;
    unsigned column = 0;
    std::string message;
    // When a name is unknown: the name, and the names valid in its place.
    std::string unknown;
    std::vector<std::string> known;
};

struct Pm4Assembly {
    std::vector<uint8_t> bytes;    // little-endian words; refused statements left out
    std::vector<Pm4Error> errors;  // in order of the text
};

// The most bytes one text may make, and the errors after which reading stops.
constexpr size_t kMaxPm4Bytes = size_t{64} << 20;
constexpr size_t kMaxPm4Errors = 100;

// Assembles any text; never fails otherwise than by `errors`.
Pm4Assembly assemble_pm4(const Pm4Language& language, std::string_view text);

struct Pm4Listing {
    bool offsets = true;  // a comment with the byte offset and header of each packet
};

// One packet per line, or over several when it has many registers or a long payload.
std::string disassemble_pm4(const Pm4Language& language, const uint32_t* words, size_t count,
                            const Pm4Listing& listing = {});

}  // namespace archipelago::cp
