// SPDX-License-Identifier: Apache-2.0
// What the constant engine does with a packet of a constant buffer, as the packet's row holds it.
#pragma once

#include <cstdint>

#include "models/cp/ce_state.h"
#include "models/cp/pm4/packet_table.h"
#include "pins/cp_ce_pins.h"

namespace archipelago::cp {

// ---- tags of memory requests -------------------------------------------------------------------
// Bits 1:0 ring, 2 write. Write: 5:3 set. Read: 13:3 CE RAM address / 32, 14 first half of the line
// wanted, 15 two halves.
constexpr uint16_t ce_write_tag(unsigned ring, unsigned set) {
    return static_cast<uint16_t>(ring | 4u | set << 3);
}
constexpr uint16_t ce_read_tag(unsigned ring, unsigned ram_unit, unsigned half, bool two) {
    return static_cast<uint16_t>(ring | ram_unit << 3 | half << 14 | (two ? 1u << 15 : 0u));
}

// ---- packets ---------------------------------------------------------------------------------
// One cycle of one ring: its packet's functions read the state before the cycle and write the next.
struct CeStep {
    const rtl::CpCePins::In& in;
    rtl::CpCePins::Out& out;
    const CeState& state;
    CeState& next;
    CeRam& ram;
    unsigned ring;
    const PacketInfo* info;  // of the packet the ring is in

    const CeState::Ring& was() const { return state.rings[ring]; }
    CeState::Ring& to() const { return next.rings[ring]; }
    // A field of the packet's first dwords, by its place in the row's list.
    uint32_t operator[](unsigned field) const { return info->fields[field].in(was().body.data()); }
    // The dword the stream offers; take() removes it.
    uint32_t dword() const { return in.stream[ring].dword; }
    void take() const {
        out.stream_ready[ring] = 1;
        to().left = static_cast<uint16_t>(was().left - 1);
    }
    void stop(CeStop code, uint32_t info) const;
    // The ring's partition of the RAM begins here; bytes.
    uint32_t partition() const;
    // The same of its partition of the GDS.
    uint32_t gds_partition() const;
    // The packet uses `dwords` dwords from `offset` of the partition on; stops when they reach
    // beyond it.
    void use_ram(uint32_t offset, uint32_t dwords) const;
};

struct CeInstruction {
    CePacket number;  // on the pins
    // Why the packet, whose fixed dwords are taken, cannot go on in this cycle. Null: it can.
    CeReason (*blocked)(const rtl::CpCePins::In& in, const CeState& state, unsigned ring);
    // Checks the fixed dwords and sets out. Null: nothing to do.
    void (*start)(CeStep& s);
    // Works for a cycle; true: the packet is done. Null: done at once.
    bool (*execute)(CeStep& s);
};

// The row of a packet of the constant engine; null: the family has none.
const PacketInfo* ce_packet(const PacketTable& packets, CePacket number);

}  // namespace archipelago::cp
