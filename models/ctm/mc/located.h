// SPDX-License-Identifier: Apache-2.0
// A request of a client once its addresses are known, of both modes: which elements lie in which
// lines, in the order in which caches are asked for them, and the bytes each of them is.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/common/memory_message.h"
#include "models/ctm/mc/element_format.h"
#include "models/ctm/mc/mc_registers.h"

namespace archipelago::ctm {

constexpr unsigned kInstructionBytes = 24;
constexpr unsigned kMaxPieces = 16;  // of a request

constexpr uint32_t line_number(uint32_t address) {
    return address / kLineBytes;
}

// Pieces of memory, none across a line: piece 4 * lane + c is channel c of a lane's 2x2 read, else
// piece 4 * lane the lane's element; of words pieces 0 and 1.
struct Pieces {
    std::array<uint32_t, kMaxPieces> address{};
    uint16_t left = 0;  // bit p: piece p is wanted yet

    bool done() const { return left == 0; }
    unsigned first() const { return static_cast<unsigned>(__builtin_ctz(left)); }
    uint32_t line() const { return line_number(address[first()]); }
    // Those left in the line of the first.
    uint16_t in_line() const { return in_line(left, line()); }
    // Of `these` those in a line.
    uint16_t in_line(unsigned these, uint32_t line) const {
        unsigned found = 0;
        for (unsigned rest = these; rest != 0; rest &= rest - 1) {
            const auto p = static_cast<unsigned>(__builtin_ctz(rest));
            found |= line_number(address[p]) == line ? 1u << p : 0;
        }
        return static_cast<uint16_t>(found);
    }
};

// Bits that are set, of 16: hosts that the build is for have no instruction of their own for it.
constexpr unsigned count_bits(unsigned bits) {
    bits -= bits >> 1 & 0x5555;
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0f0f;
    return (bits + (bits >> 8)) & 0x1f;
}

// Calls visit(p) for each bit p.
template <class Visit>
void for_each_bit(unsigned bits, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1)
        visit(static_cast<unsigned>(__builtin_ctz(bits)));
}

// The lanes of a request that need an address.
inline unsigned lanes_asked(const ElementRequest& request) {
    if (!request.write)
        return request.lanes & 0xfu;
    unsigned lanes = 0;
    for_each_bit(request.lanes & 0xfu,
                 [&](unsigned lane) { lanes |= request.channels[lane] != 0 ? 1u << lane : 0; });
    return lanes;
}

// A quad's elements.
struct LocatedQuad {
    Pieces pieces;
    Format format = Format::Uint16x1;
    uint8_t log2_bytes = 0;
    bool superfine = false;

    void add(unsigned lane, const AddressResponse& found, Format its) {
        format = its;
        log2_bytes = found.log2_bytes;
        superfine = found.superfine;
        if (!superfine) {
            pieces.address[4 * lane] = found.address[0];
            pieces.left = static_cast<uint16_t>(pieces.left | 1u << 4 * lane);
            return;
        }
        std::memcpy(&pieces.address[size_t{4} * lane], found.address.data(), sizeof found.address);
        pieces.left = static_cast<uint16_t>(pieces.left | 0xfu << 4 * lane);
    }
    uint64_t bytes_of(unsigned piece) const {
        return bytes_in_line(pieces.address[piece], 1u << log2_bytes);
    }
    uint64_t bytes_of_all(unsigned these) const {
        uint64_t mask = 0;
        for_each_bit(these, [&](unsigned p) { mask |= bytes_of(p); });
        return mask;
    }
    // Of pieces in the line.
    void take(unsigned these, const Line& line, ElementResponse& to) const {
        const auto element = [&](unsigned p) { return &line[pieces.address[p] % kLineBytes]; };
        if (superfine)
            return for_each_bit(these, [&](unsigned p) {
                to.value[p / 4][p % 4] = unpack_first(format, element(p));
            });
        with_format(format, [&](auto known) {
            for_each_bit(these, [&](unsigned p) {
                const FourChannels value = unpack_as<decltype(known)::value>(element(p));
                std::memcpy(to.value[p / 4].data(), &value, sizeof value);
            });
        });
    }
    // Of a write: the bytes of these pieces, all of one line; returns which they are.
    uint64_t put(unsigned these, const ElementRequest& from, const McRegisters& registers,
                 Line& line) const {
        uint64_t mask = 0;
        for_each_bit(these, [&](unsigned p) {
            const uint32_t place = pieces.address[p] % kLineBytes;
            const unsigned lane = p / 4;
            const unsigned which = registers.written(from.client, from.channels[lane]);
            mask |= uint64_t{pack(format, from.value[lane], which, &line[place])} << place;
        });
        return mask;
    }
};

// The words of an instruction or a constant.
struct LocatedWords {
    Pieces pieces;
    std::array<uint8_t, 2> bytes{};  // of each piece

    // The index of the request that asks for the address: instructions lie 24 bytes apart, which
    // the tables have no row for.
    static Point index_of(const WordsRequest& r) {
        return {static_cast<uint16_t>(r.client == kInstructions ? 0 : r.index), 0};
    }
    void set(const WordsRequest& r, const AddressResponse& found) {
        uint32_t first = found.address[0];
        unsigned count = 1u << found.log2_bytes;
        if (r.client == kInstructions) {
            first += r.index * kInstructionBytes;
            count = kInstructionBytes;
        }
        const unsigned room = kLineBytes - first % kLineBytes;
        const unsigned here = count < room ? count : room;
        pieces.address = {first, first + here};
        bytes = {static_cast<uint8_t>(here), static_cast<uint8_t>(count - here)};
        pieces.left = here < count ? 3 : 1;
    }
    uint64_t bytes_of_all(unsigned these) const {
        uint64_t mask = 0;
        for_each_bit(these,
                     [&](unsigned p) { mask |= bytes_in_line(pieces.address[p], bytes[p]); });
        return mask;
    }
    void take(unsigned these, const Line& line, WordsResponse& to) const {
        auto* words = reinterpret_cast<uint8_t*>(to.words.data());
        for_each_bit(these, [&](unsigned p) {
            const uint8_t* from = &line[pieces.address[p] % kLineBytes];
            std::memcpy(words + (p == 0 ? 0 : bytes[0]), from, bytes[p]);
        });
    }
};

}  // namespace archipelago::ctm
