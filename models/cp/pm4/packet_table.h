// SPDX-License-Identifier: Apache-2.0
// The packets of a generation by opcode, and the fields of packet headers.
// "Radeon Southern Islands Acceleration" section 2.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/cp/pm4/packet.h"
#include "models/front/packet_table.h"

namespace archipelago::cp {

// What a header of the generation may be.
struct HeaderRules {
    uint8_t types = 1 << 0 | 1 << 2 | 1 << 3;  // a bit each
    uint32_t zero_bits = 0;                    // of a type-3 header; others without a name may be 1

    constexpr bool has_type(unsigned type) const { return (types >> type & 1) != 0; }
};

class PacketTable : public front::PacketTable<PacketInfo> {
  public:
    // Two packets with one opcode break an invariant.
    PacketTable(const char* generation, std::vector<PacketInfo> packets, const PacketInfo& type0,
                const HeaderRules& headers = {});

    const PacketInfo* find(uint8_t opcode) const {
        return index_[opcode] != 0 ? begin() + (index_[opcode] - 1u) : nullptr;
    }
    const PacketInfo& type0() const { return type0_; }
    const HeaderRules& headers() const { return headers_; }

  private:
    PacketInfo type0_;
    HeaderRules headers_;
    uint8_t index_[256] = {};
};

// Other opcode numbers, one or two, for a packet.
struct OpcodeChoice {
    std::string packet;
    std::vector<uint8_t> opcodes;
};
// `base` with other numbers. Null when a choice is wrong: `problems` then has a sentence for each,
// after the name of its packet.
std::shared_ptr<const PacketTable> renumber(
    const PacketTable& base, const std::vector<OpcodeChoice>& choices,
    std::vector<std::pair<std::string, std::string>>& problems);

// ---- headers -----------------------------------------------------------------------------------
constexpr unsigned header_type(uint32_t header) {
    return header >> 30;
}
constexpr uint8_t header_opcode(uint32_t header) {
    return static_cast<uint8_t>(header >> 8);
}
constexpr uint32_t header_body_dwords(uint32_t header) {
    return (header >> 16 & 0x3FFF) + 1;
}
constexpr bool header_is_compute(uint32_t header) {
    return (header & 2) != 0;
}
constexpr uint32_t make_header(uint8_t opcode, uint32_t body_dwords, bool compute = false) {
    return 0xC0000000u | ((body_dwords - 1) & 0x3FFF) << 16 | uint32_t{opcode} << 8 |
           (compute ? 2u : 0u);
}
constexpr uint32_t make_type0_header(uint32_t register_offset, uint32_t body_dwords) {
    return ((body_dwords - 1) & 0x3FFF) << 16 | (register_offset / 4 & 0xFFFF);
}

// Checks a type-0 or type-3 header: type, opcode, ring, engine, implemented, size, and that
// `dwords_left` (after the header, in the ring or indirect buffer) hold the body. The constant
// engine knows no type 0. Throws MachineStop.
const PacketInfo& check_any_header(const PacketTable& table, uint32_t header,
                                   const Location& location, uint32_t dwords_left,
                                   PacketEngine engine);
inline const PacketInfo& check_header(const PacketTable& table, uint32_t header,
                                      const Location& location, uint32_t dwords_left,
                                      PacketEngine engine = PacketEngine::De) {
    // Nearly every header is in order, and needs no text.
    if (header_type(header) == 3) {
        const PacketInfo* fine = table.find(header_opcode(header));
        const uint32_t size = header_body_dwords(header);
        if (fine != nullptr && (fine->rings >> location.ring & 1) != 0 && fine->implemented() &&
            (fine->engine == PacketEngine::Both || fine->engine == engine) &&
            size >= fine->min_dwords && size <= fine->max_dwords && size <= dwords_left &&
            (header & table.headers().zero_bits) == 0)
            return *fine;
    }
    return check_any_header(table, header, location, dwords_left, engine);
}

// ---- text --------------------------------------------------------------------------------------
// "COMPUTE_PGM_LO = 0x00008001" for the log; null: hexadecimal offsets.
using RegisterNamer = std::string (*)(uint32_t byte_offset, uint32_t value);

// One line: name and fields, or name and registers for the SET_* packets. `available` dwords of the
// body are shown, which may be fewer than the header says.
std::string describe_packet(const PacketTable& table, uint32_t header, const uint32_t* body,
                            uint32_t available, RegisterNamer namer = nullptr);
std::string describe_register(uint32_t byte_offset, uint32_t value, RegisterNamer namer);
}  // namespace archipelago::cp
