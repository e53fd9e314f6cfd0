// SPDX-License-Identifier: Apache-2.0
// Packets as text: rings and indirect buffers field by field, and back. A family of packets has a
// language for each of its generations; assembler, disassembler and logs use this interface alone.
//
// disassemble() takes any words, and assemble() makes the same words of its text: bits that no
// field names, sizes no packet has, packets cut off and garbage included. The grammar that the
// families share is in models/front/README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/text_error.h"

namespace archipelago::front {

struct PacketAssembly {
    std::vector<uint8_t> bytes;     // little-endian words; refused statements left out
    std::vector<TextError> errors;  // in order of the text
};

// The most bytes one text may make, and the errors after which reading stops.
constexpr size_t kMaxTextBytes = size_t{64} << 20;
constexpr size_t kMaxTextErrors = 100;

// Where families write the same thing in different ways.
struct TextRules {
    // A number in place of a register's name is its index, else its byte offset.
    bool register_indices = false;
    // Each group of repeated fields begins with the first of them, and what is 0 may be left out of
    // it. Otherwise a field that is given for the nth time belongs to the nth group.
    bool groups = false;
    // Of fields of one name that hang on values of another field, the one that is there is meant,
    // else the first. The family calls choose_fields() then.
    bool alternatives = false;
};

struct PacketListing {
    bool offsets = true;  // a comment with the byte offset and header of each packet
};

// A packet of a stream, as its first dwords tell it.
struct PacketExtent {
    std::string name;
    uint64_t dwords = 0;    // in all, its header among them
    bool at_least = false;  // how many data dwords follow is in one that is not there yet
};

class PacketLanguage {
  public:
    virtual ~PacketLanguage() = default;

    // Assembles any text; never fails otherwise than by `errors`.
    virtual PacketAssembly assemble(std::string_view text) const = 0;
    // One packet per line, or over several when it has many registers or a long payload.
    virtual std::string disassemble(const uint32_t* words, size_t count,
                                    const PacketListing& listing = {}) const = 0;
    // The packet that begins with words[0]; `count`, at least 1, of its words are there. Null: none
    // does, or what is submitted at once is a whole, which nothing goes on with.
    virtual std::optional<PacketExtent> extent(const uint32_t* /*words*/, size_t /*count*/) const {
        return {};
    }

  protected:
    PacketLanguage() = default;
    PacketLanguage(const PacketLanguage&) = default;
    PacketLanguage& operator=(const PacketLanguage&) = default;
};

}  // namespace archipelago::front
