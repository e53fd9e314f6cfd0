// SPDX-License-Identifier: Apache-2.0
// What packets of DE and PFP have to do with the constant engine: 2.2.3, 2.3.3, 2.5.8, 2.5.15,
// 2.5.16 of "Radeon Southern Islands Acceleration".
#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"

namespace archipelago::cp {

namespace {
constexpr uint8_t kEndOfPipeIncrementDe = 11;  // VGT_EVENT_TYPE
}  // namespace

CeCommand constant_buffer(const PacketInfo& info, const uint32_t* body, const Location& location) {
    const IndirectBuffer buffer = decode_indirect_buffer(info, body, location);
    CeCommand command;
    command.base = buffer.base;
    command.dwords = buffer.dwords;
    command.vmid = buffer.vmid;
    command.swap = buffer.swap;
    command.location = location;
    command.location.level = kConstantLevel;
    command.location.vmid = buffer.vmid;
    command.location.base = buffer.base;
    command.location.dword = 0;
    return command;
}

bool ce_partition(const PacketInfo& info, const uint32_t* body, CeCommand& command) {
    namespace f = fields::set_base;
    if (info.id != PacketId::SetBase || f::kBaseIndex.in(body) != 3)
        return false;
    command.partition = true;
    command.cs1 = f::kAddress0.in(body)&0xFFFF;
    command.cs2 = f::kAddress1.in(body);
    // Others are ME's to refuse.
    return command.cs1 % 64 == 0 && command.cs2 % 64 == 0 && command.cs1 <= command.cs2;
}

bool PacketProgram::increment_de_counter(MicroOp& op) {
    if (step_++ != 0)
        return false;
    DeState::Ring& ring = state_->rings[location_.ring];
    op.kind = OpKind::DeIncrement;
    op.event_type = kEndOfPipeIncrementDe;
    op.ce = {location_.ring, DeKind::Increment, ring.ce_buffer, 0};
    ++ring.increments[ring.ce_buffer];
    return true;
}

bool PacketProgram::wait_on_ce_counter(MicroOp& op) {
    if (step_++ != 0 && result.value != 0)
        return false;
    op.kind = OpKind::CeWait;
    op.ce = {location_.ring, DeKind::WaitCounter, 0, 0};
    return true;
}

bool PacketProgram::wait_on_avail_buffer(MicroOp& op) {
    DeState::Ring& ring = state_->rings[location_.ring];
    if (step_ == 2)
        return false;
    if (step_ == 0 || result.value == 0) {
        step_ = 1;
        op.kind = OpKind::CeWait;
        op.ce = {location_.ring, DeKind::WaitBuffer, 0, ring.ce_buffers};
        return true;
    }
    step_ = 2;
    const uint8_t before = ring.ce_buffer;
    ring.ce_buffer = static_cast<uint8_t>(result.value - 1);
    ring.ce_buffers |= static_cast<uint8_t>(1u << ring.ce_buffer);
    if (!ring.leave(before))
        return false;
    op.kind = OpKind::CeTell;
    op.ce = {location_.ring, DeKind::Release, before, 0};
    return true;
}

}  // namespace archipelago::cp
