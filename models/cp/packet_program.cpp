// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packet_program.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "models/common/error.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_names.h"

namespace archipelago::cp {

namespace {

constexpr uint32_t kRegisterSpace = 0x40000;  // bytes; a packet names registers with 16 bits

}  // namespace

std::string PacketProgram::hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

void PacketProgram::start(const PacketInfo& info, uint32_t header, const uint32_t* body,
                          const Location& location, ProgramEngine engine, const PollTiming& poll,
                          DeState& state) {
    info_ = &info;
    state_ = &state;
    header_ = header;
    location_ = location;
    engine_ = engine;
    poll_ = poll;
    std::copy_n(body, info.fixed, body_.begin());
    in_run_ = false;
    step_ = index_ = count_ = skip_ = 0;
    write_count_ = write_next_ = 0;
    address_ = sum_ = 0;
    result = {};
    dump_header_ = engine == ProgramEngine::Me && state.header_dump.enabled;
    if (engine == ProgramEngine::Ce)
        check_constant_engine();
    if (engine == ProgramEngine::Me)
        begun();
}

// 2.1.5: EVENT_WRITE_EOS must know what it follows; NOPs do not come here.
void PacketProgram::begun() {
    DeState::Ring& ring = state_->rings[location_.ring];
    previous_ = ring.previous;
    ring.began(info_->id);
}

void PacketProgram::bad(const std::string& reason) const {
    throw MachineStop(StopKind::BadInput, to_string(location_),
                      std::string("packet ") + info_->name + ": " + reason);
}

void PacketProgram::missing(const std::string& what) const {
    throw MachineStop(StopKind::Unimplemented, to_string(location_),
                      std::string("packet ") + info_->name + " " + what + " is not implemented");
}

uint32_t PacketProgram::poll_cycles(uint32_t interval) const {
    return poll_.unit_cycles * std::max(interval, poll_.minimum);
}

uint64_t PacketProgram::dword_address(uint32_t lo, uint64_t hi) const {
    const uint64_t address = hi << 32 | lo;
    if (address % 4 != 0)
        bad("address " + hex(address) + " is not dword aligned");
    return address;
}

void PacketProgram::check_register_end(uint64_t end) const {
    if (end > kRegisterSpace)
        bad("writes registers up to " + hex(end - 4) + ", beyond the register space");
}

bool PacketProgram::compare(uint32_t function, uint32_t value, uint32_t mask,
                            uint32_t reference) const {
    value &= mask;
    switch (function) {
        case 0:
            return true;
        case 1:
            return value < reference;
        case 2:
            return value <= reference;
        case 3:
            return value == reference;
        case 4:
            return value != reference;
        case 5:
            return value >= reference;
        case 6:
            return value > reference;
        default:
            bad("reserved compare function 7");
    }
}

bool PacketProgram::next_step(MicroOp& op) {
    op.stream = op.wait = false;
    op.dwords = 1;
    op.swap = 0;
    op.path = MemPath::Hub;
    op.limit = PollLimit::None;
    op.kernel = false;
    if (dump_header_)
        return dump_header(op);
    switch (info_->id) {
        case PacketId::Type0:
            return type0(op);
        case PacketId::Nop:
        case PacketId::IndirectBuffer:
        case PacketId::IndirectBufferConst:
            return false;
        case PacketId::SetBase:
            return set_base();
        case PacketId::ClearState:
            return clear_state(op);
        case PacketId::DispatchDirect:
            return dispatch_direct(op);
        case PacketId::DispatchIndirect:
            return dispatch_indirect(op);
        case PacketId::DrawIndex:
        case PacketId::DrawIndex2:
        case PacketId::DrawIndexAuto:
        case PacketId::DrawIndexImmed:
        case PacketId::DrawIndexIndirect:
        case PacketId::DrawIndexIndirectMulti:
        case PacketId::DrawIndirectMulti:
        case PacketId::DrawIndexMultiAuto:
        case PacketId::DrawIndexOffset:
        case PacketId::DrawIndexOffset2:
        case PacketId::DrawIndirect:
        case PacketId::IndexBase:
        case PacketId::IndexBufferSize:
        case PacketId::IndexType:
        case PacketId::MpegIndex:
        case PacketId::NumInstances:
            return draw(op);
        case PacketId::ContextControl:
            return context_control();
        case PacketId::WriteData:
            return write_data(op);
        case PacketId::WaitRegMem:
            return wait_reg_mem(op);
        case PacketId::MemWrite:
            return mem_write(op);
        case PacketId::CopyData:
            return copy_data(op);
        case PacketId::CpDma:
            return cp_dma(op);
        case PacketId::PfpSyncMe:
            op.kind = OpKind::SyncPfp;
            return step_++ == 0;
        case PacketId::SurfaceSync:
            return surface_sync(op);
        case PacketId::MeInitialize:
            // The constant engine keeps nothing that it sets.
            return engine_ == ProgramEngine::Me && me_initialize(op);
        case PacketId::CeWrite:
            return ce_write(op);
        case PacketId::SwitchBuffer:
            return false;
        case PacketId::CondWrite:
            return cond_write(op);
        case PacketId::EventWrite:
            return event_write(op);
        case PacketId::EventWriteEop:
            return event_write_eop(op);
        case PacketId::EventWriteEos:
            return event_write_eos(op);
        case PacketId::PreambleCntl:
            return preamble_control();
        case PacketId::OneRegWrite:
            return one_reg_write(op);
        case PacketId::LoadConfigReg:
        case PacketId::LoadContextReg:
        case PacketId::LoadShReg:
            return load_registers(op);
        case PacketId::SetConfigReg:
        case PacketId::SetContextReg:
        case PacketId::SetShReg:
            return set_registers(op);
        case PacketId::SetContextRegIndirect:
            return set_context_indirect(op);
        case PacketId::SetShRegOffset:
            return set_sh_offset(op);
        case PacketId::SetPredication:
            return set_predication(op);
        case PacketId::AllocGds:
            return alloc_gds(op);
        case PacketId::WriteGdsRam:
            return write_gds_ram(op);
        case PacketId::AtomicGds:
            return atomic_gds(op);
        case PacketId::CondExec:
            return cond_exec(op);
        case PacketId::PredExec:
            return pred_exec();
        case PacketId::OcclusionQuery:
            return occlusion_query(op);
        case PacketId::Atomic:
            return atomic(op);
        case PacketId::MemSemaphore:
            return mem_semaphore(op);
        case PacketId::StrmoutBufferUpdate:
            return strmout_buffer_update(op);
        case PacketId::CopyDw:
            return copy_dw(op);
        case PacketId::MeWrite:
            return me_write(op);
        case PacketId::ScratchRamWrite:
            return scratch_ram_write(op);
        case PacketId::RegRmw:
            return reg_rmw(op);
        case PacketId::IncrementDeCounter:
            return increment_de_counter(op);
        case PacketId::WaitOnCeCounter:
            return wait_on_ce_counter(op);
        case PacketId::WaitOnAvailBuffer:
            return wait_on_avail_buffer(op);
        case PacketId::LoadConstRam:
        case PacketId::WriteConstRam:
        case PacketId::WriteConstRamOffset:
        case PacketId::DumpConstRam:
        case PacketId::IncrementCeCounter:
        case PacketId::WaitOnDeCounter:
        case PacketId::WaitOnDeCounterDiff:
        case PacketId::SetCeDeCounters:
            bad("is for the constant engine");
        default:  // check_header stops what is not executed
            break;
    }
    missing("as a program");
}

// ---- dispatch ----------------------------------------------------------------------------------

bool PacketProgram::dispatch_direct(MicroOp& op) {
    static constexpr uint32_t kOffsets[] = {regs::si::COMPUTE_DIM_X, regs::si::COMPUTE_DIM_Y,
                                            regs::si::COMPUTE_DIM_Z,
                                            regs::si::COMPUTE_DISPATCH_INITIATOR};
    if (step_ == 4)
        return false;
    op.kind = OpKind::RegWrite;
    op.offset = kOffsets[step_];
    op.value = body_[step_++];
    return true;
}

bool PacketProgram::dispatch_indirect(MicroOp& op) {
    namespace f = fields::dispatch_indirect;
    static constexpr uint32_t kOffsets[] = {regs::si::COMPUTE_DIM_X, regs::si::COMPUTE_DIM_Y,
                                            regs::si::COMPUTE_DIM_Z};
    if (step_ == 0) {
        const uint32_t offset = f::kDataOffset.in(body_.data());
        if (offset % 4 != 0)
            bad("DATA_OFFSET " + hex(offset) + " is not dword aligned");
        op.kind = OpKind::MemRead;
        op.address = state_->rings[location_.ring].base[1] + offset;
        op.dwords = 3;
        step_ = 1;
        return true;
    }
    if (step_ == 1)
        std::copy_n(result.data.begin(), 3, words_.begin());
    if (step_ == 5)
        return false;
    op.kind = OpKind::RegWrite;
    op.offset = step_ < 4 ? kOffsets[step_ - 1] : regs::si::COMPUTE_DISPATCH_INITIATOR;
    op.value = step_ < 4 ? words_[step_ - 1] : f::kInitiator.in(body_.data());
    ++step_;
    return true;
}

}  // namespace archipelago::cp
