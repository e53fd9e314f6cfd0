// SPDX-License-Identifier: Apache-2.0
// How an image of a micro engine is laid out. Document "Adreno Five Microcode", "NOPs" and "Packet
// Table".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

inline constexpr uint32_t kTableWords = 128;  // of the packet table: an entry for each opcode
inline constexpr uint32_t kSectionWords = 8;  // sections begin at multiples
inline constexpr uint32_t kPayloadBits = 24;  // of a NOP
inline constexpr uint32_t kPayloadMask = (1u << kPayloadBits) - 1;

constexpr uint32_t nop(Encoding encoding) {
    return encoding == Encoding::A5 ? 0 : 0x01000000;
}
// A word that does nothing, regardless of its low bits: an image's first words are, and hold data.
constexpr bool is_payload(Encoding encoding, uint32_t word) {
    return (word & ~kPayloadMask) == nop(encoding);
}

// An engine's part of an image: code, and perhaps its packet table after or in it.
struct Section {
    uint32_t begin = 0, end = 0;  // words
    uint32_t table = 0;           // where the packet table begins; 0: there is none
    bool in_table(uint32_t word) const {
        return table != 0 && word >= table && word < table + kTableWords;
    }
};

// The sections of an image without its file's zero dword. The last one has what is after its
// packet table, too: code of packets that a source adds after another.
std::vector<Section> sections(const Generation& generation, const uint32_t* words, uint32_t count);

// Why an image has no section of this number, from 0: "its section 1 names a packet table at word
// 984 + 128, but the image has 750 words". sections() has no more than that.
std::string missing_section(const Generation& generation, const std::vector<uint32_t>& words,
                            uint32_t number);

// The generation whose chips' images have an ID; null: it is not known.
const Generation* generation_of_id(uint32_t word);

// Whether words are a file: a zero dword, then an ID word.
bool is_file(const Generation& generation, const std::vector<uint32_t>& words);
// Whether a word is like the ID that an image begins with.
bool is_id(const Generation& generation, uint32_t word);

}  // namespace archipelago::afuc
