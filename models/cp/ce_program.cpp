// SPDX-License-Identifier: Apache-2.0
// What packets of DE and PFP have to do with the constant engine: 2.2.3, 2.3.3, 2.5.8, 2.5.15,
// 2.5.16 of "Radeon Southern Islands Acceleration".
#include <algorithm>

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

bool ce_data_packet(PacketId id) {
    switch (id) {
        case PacketId::WriteData:
        case PacketId::CopyData:
        case PacketId::CeWrite:
        case PacketId::MeInitialize:
        case PacketId::SwitchBuffer:
            return true;
        default:
            return false;
    }
}

// What WRITE_DATA and COPY_DATA may do in a constant buffer: the tables of 2.9.2 and 2.9.4.
void PacketProgram::check_constant_engine() const {
    const bool copies = info_->id == PacketId::CopyData;
    if (copies || info_->id == PacketId::WriteData) {
        // Both have these fields in the same places.
        namespace f = fields::copy_data;
        const uint32_t destination = f::kDestination.in(body_.data());
        if (f::kEngine.in(body_.data()) != 2)
            bad("ENGINE_SEL " + std::to_string(f::kEngine.in(body_.data())) +
                " in a constant buffer, must be CE");
        const bool fits = copies ? destination <= 2 : destination <= 1 || destination == 5;
        if (!fits && destination <= 5 && destination != 4)
            bad("DST_SEL " + std::to_string(destination) + " is not for the constant engine");
        if (copies && destination == 1 && f::kConfirm.in(body_.data()) != 0)
            bad("WR_CONFIRM does not go with DST_SEL 1 in the constant engine");
        const uint32_t source = copies ? f::kSource.in(body_.data()) : 5;
        if (source == 3 || (source >= 6 && source <= 8))
            bad("SRC_SEL " + std::to_string(source) + " is not for the constant engine");
    }
}

// No public source lays it out: taken to be an address and the dwords for it, as ME_WRITE.
bool PacketProgram::ce_write(MicroOp& op) {
    namespace f = fields::ce_write;
    if (step_ == 0) {
        step_ = 1;
        count_ = body_dwords() - 2;
        if (body_[0] % 4 != 0)
            bad("address " + hex(body_[0]) + " is not dword aligned");
        if (body_[1] >> 16 != 0)
            bad("reserved bits of ADDR_HI " + hex(body_[1]));
        address_ = uint64_t{f::kAddressHi.in(body_.data())} << 32 | body_[0];
    }
    if (index_ == count_)
        return false;
    op.kind = OpKind::MemWrite;
    op.stream = true;
    op.address = address_ + 4 * uint64_t{index_};
    op.dwords = static_cast<uint8_t>(
        std::min(count_ - index_, static_cast<uint32_t>(kLineBytes - op.address % kLineBytes) / 4));
    index_ += op.dwords;
    return true;
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
