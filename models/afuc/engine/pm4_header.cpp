// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/engine/pm4_header.h"

#include "models/afuc/isa/names.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

struct Field {
    unsigned lsb, bits, parity;
    uint32_t in(uint32_t word) const { return word >> lsb & ((1u << bits) - 1); }
    bool odd(uint32_t word) const {
        return ((static_cast<unsigned>(__builtin_parity(in(word))) ^ (word >> parity)) & 1) != 0;
    }
    uint32_t with_parity(uint32_t value) const {
        const uint32_t word = value << lsb;
        return odd(word) ? word : word | 1u << parity;
    }
};
constexpr Field kRegister{8, 18, 27}, kCount4{0, 7, 7};
constexpr Field kOpcode{16, 7, 23}, kCount7{0, 14, 15};
constexpr uint32_t kReserved4 = 1u << 26, kReserved7 = 0x0F004000;

}  // namespace

Pm4Header take_header(uint32_t header) {
    Pm4Header h;
    const bool four = header >> 28 == 4;
    if (!four && header >> 28 != 7) {
        h.error = "neither type 4 nor type 7";
        return h;
    }
    const Field &what = four ? kRegister : kOpcode, &count = four ? kCount4 : kCount7;
    h.type4 = four;
    h.entry = four ? kType4Entry : kOpcode.in(header);
    h.words = count.in(header);
    h.first = four ? kRegister.in(header) : 0;
    if ((header & (four ? kReserved4 : kReserved7)) != 0)
        h.error = "reserved bits are set";
    else if (!what.odd(header))
        h.error = four ? "wrong parity of the register" : "wrong parity of the opcode";
    else if (!count.odd(header))
        h.error = "wrong parity of the count";
    return h;
}

uint32_t make_type4_header(uint32_t first, uint32_t count) {
    return 0x40000000 | kRegister.with_parity(first) | kCount4.with_parity(count);
}

uint32_t make_type7_header(unsigned opcode, uint32_t count) {
    return 0x70000000 | kOpcode.with_parity(opcode) | kCount7.with_parity(count);
}

std::string packet_text(Names names, uint32_t header) {
    const Pm4Header h = take_header(header);
    return (h.error != nullptr ? std::string("unknown") : packet_name(names, h.entry)) +
           ", header " + hex(header);
}

}  // namespace archipelago::afuc
