// SPDX-License-Identifier: Apache-2.0
// The layout of a microcode image. Document "Adreno Five Microcode", "NOPs" and "Packet
// Table".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

inline constexpr uint32_t kTableWords = 128;  // of the packet table: an entry for each opcode
inline constexpr uint32_t kSectionWords = 8;  // a section begins at a multiple of it
inline constexpr uint32_t kPayloadBits = 24;  // of a NOP
inline constexpr uint32_t kPayloadMask = (1u << kPayloadBits) - 1;

constexpr uint32_t nop(Encoding encoding) {
    return encoding == Encoding::A5 ? 0 : 0x01000000;
}
// A NOP; its low bits may hold data, as those of an image's first words do.
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

// The sections of an image; `words` are without the zero dword that begins a file. The last section
// extends to the end of the image, since code of more packets may follow its packet table.
std::vector<Section> sections(const Generation& generation, const uint32_t* words, uint32_t count);

// Why an image lacks section `number`, from 0: "its section 1 names a packet table at word
// 984 + 128, but the image has 750 words". `number` is at least sections().size().
std::string missing_section(const Generation& generation, const std::vector<uint32_t>& words,
                            uint32_t number);

// The generation whose images have this ID word; null: the ID is not known.
const Generation* generation_of_id(uint32_t word);

// Whether the words are a microcode file: a zero dword, then an ID word.
bool is_file(const Generation& generation, const std::vector<uint32_t>& words);
// Whether a word has the form of the ID word that an image begins with.
bool is_id(const Generation& generation, uint32_t word);

}  // namespace archipelago::afuc
