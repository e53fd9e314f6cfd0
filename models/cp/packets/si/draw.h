// SPDX-License-Identifier: Apache-2.0
// What the draw packets share: each is register writes that end with VGT_DRAW_INITIATOR, or with
// the indices it carries. "Radeon Southern Islands Acceleration" section 2.5.
#pragma once

#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

// VGT_DRAW_INITIATOR.SOURCE_SELECT
constexpr uint32_t kFetched = 0, kImmediate = 1, kAutomatic = 2;
constexpr uint32_t kNoLimit = ~0u;  // VGT_DMA_MAX_SIZE

// Issues the writes that `prepare` queues, and its own operations; `prepare` is called when
// none is left, until it returns false.
bool issue_writes(ProgramState& p, MicroOp& op, bool (*prepare)(ProgramState&, MicroOp&));
// The program of a row whose packet does nothing else.
template <bool (*prepare)(ProgramState&, MicroOp&)>
bool issue_writes(ProgramState& p, MicroOp& op) {
    return issue_writes(p, op, prepare);
}
// The same where `queue` queues them all at once.
template <void (*queue)(ProgramState&)>
bool issue_all(ProgramState& p, MicroOp& op) {
    return issue_writes(p, op, [](ProgramState& program, MicroOp&) {
        if (program.step++ != 0)
            return false;
        queue(program);
        return true;
    });
}

// The row of a packet that starts draws.
constexpr PacketRow draw_packet(const char* name, uint8_t opcode) {
    return packet(name, opcode, PacketClass::Draw)
        .rings(kRingGfx)
        .flags(kStartsDraw | kOwnRegisters);
}

void queue_write(ProgramState& p, uint32_t offset, uint32_t value);
// A packet whose indices come from elsewhere than the initiator says would leave VGT waiting: stops
// the machine.
void queue_draw(ProgramState& p, uint32_t initiator, uint32_t source);
// Fetched indices: `max` of them are in the buffer from `base` on.
void queue_fetch(ProgramState& p, uint64_t base, uint32_t max, uint32_t count);
// The address that INDEX_BASE_LO and _HI give, fields `lo` and `hi` of the packet.
uint64_t index_address(const ProgramState& p, unsigned lo, unsigned hi);
// The address of index `first` of the buffer INDEX_BASE gives.
uint64_t index_buffer(const ProgramState& p, uint64_t first);
// Indices from `first` on, of those INDEX_BUFFER_SIZE gives.
uint32_t indices_behind(const ProgramState& p, uint32_t first);

}  // namespace archipelago::cp::si
