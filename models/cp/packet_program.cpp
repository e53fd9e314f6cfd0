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
    step_ = index_ = count_ = 0;
    address_ = 0;
    result = {};
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

bool PacketProgram::next(MicroOp& op) {
    op.stream = op.wait = false;
    op.dwords = 1;
    op.swap = 0;
    op.path = MemPath::Hub;
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
            return me_initialize();
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
            return load_registers(fields::context_control::kConfig);
        case PacketId::LoadContextReg:
            return load_registers(fields::context_control::kContext);
        case PacketId::LoadShReg:
            return load_registers(header_is_compute(header_) ? fields::context_control::kComputeSh
                                                             : fields::context_control::kGfxSh);
        case PacketId::SetConfigReg:
            return set_registers(op, kConfigWindow);
        case PacketId::SetContextReg:
            return set_context_registers(op);
        case PacketId::SetShReg:
            return set_registers(op, kShWindow);
        case PacketId::SetPredication:
            return set_predication();
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

// ---- registers ---------------------------------------------------------------------------------

bool PacketProgram::set_registers(MicroOp& op, const RegisterWindow& window) {
    if (step_ == 0) {
        step_ = 1;
        count_ = body_dwords() - 1;
        address_ = window.start + 4 * fields::set_reg::kOffset.in(body_.data());
        if (address_ + 4 * uint64_t{count_} > window.end)
            bad("registers " + hex(address_) + ".." + hex(address_ + 4 * (count_ - 1)) +
                " are outside the window " + hex(window.start) + ".." + hex(window.end - 1));
        if (info_->id == PacketId::SetShReg && location_.ring != 0 && address_ < kComputeShStart)
            bad("register " + hex(address_) + " of a graphics stage on a compute ring");
    }
    if (index_ == count_)
        return false;
    op.kind = OpKind::RegWrite;
    op.stream = true;
    op.offset = static_cast<uint32_t>(address_) + 4 * index_++;
    return true;
}

bool PacketProgram::set_context_registers(MicroOp& op) {
    if (index_ > 0 && state_->clear_state_open && location_.ring == 0) {
        const uint64_t slot = (address_ - kContextWindow.start) / 4 + index_ - 1;
        if (slot < DeState::kContextRegs) {
            state_->clear_state[slot] = static_cast<uint32_t>(result.value);
            state_->clear_state_valid.set(slot);
        }
    }
    return set_registers(op, kContextWindow);
}

// Only the registers whose clear state the driver's preamble defined are known, and only those go
// back. Compute state (SHADER_TYPE 1) has no hardware context to clear.
bool PacketProgram::clear_state(MicroOp& op) {
    if (header_is_compute(header_))
        return false;
    while (index_ < DeState::kContextRegs && !state_->clear_state_valid.test(index_))
        ++index_;
    if (index_ == DeState::kContextRegs)
        return false;
    op.kind = OpKind::RegWrite;
    op.offset = kContextWindow.start + 4 * index_;
    op.value = state_->clear_state[index_++];
    return true;
}

bool PacketProgram::type0(MicroOp& op) {
    if (step_ == 0) {
        step_ = 1;
        count_ = body_dwords();
        address_ = uint64_t{header_ & 0xFFFF} * 4;
        check_register_end(address_ + 4 * uint64_t{count_});
    }
    if (index_ == count_)
        return false;
    op.kind = OpKind::RegWrite;
    op.stream = true;
    op.offset = static_cast<uint32_t>(address_) + 4 * index_++;
    return true;
}

// A LOAD_* packet is discarded unless CONTEXT_CONTROL enabled its kind (2.4.1).
bool PacketProgram::load_registers(uint32_t enable_bit) {
    if ((state_->rings[location_.ring].load_enable & enable_bit) != 0)
        missing("with loading enabled by CONTEXT_CONTROL");
    return false;
}

// ---- state -------------------------------------------------------------------------------------

bool PacketProgram::set_base() {
    namespace f = fields::set_base;
    DeState::Ring& ring = state_->rings[location_.ring];
    const uint32_t index = f::kBaseIndex.in(body_.data());
    const uint32_t word0 = f::kAddress0.in(body_.data());
    const uint32_t word1 = f::kAddress1.in(body_.data());
    if (index < 2) {
        if (word0 % 8 != 0)
            bad("address " + hex(uint64_t{word1} << 32 | word0) + " is not qword aligned");
        ring.base[index] = uint64_t{word1} << 32 | word0;
    } else if (index < 4) {
        if (word0 % 64 != 0 || word1 % 64 != 0)
            bad("partition index is not a multiple of 64");
        if (index == 3 && (word0 & 0xFFFF) > word1)
            bad("partitions of the constant engine are not in order");
        (index == 2 ? ring.gds_partition : ring.ce_partition) = {word0 & 0xFFFF, word1};
    } else {
        bad("reserved BASE_INDEX " + std::to_string(index));
    }
    return false;
}

bool PacketProgram::context_control() {
    namespace f = fields::context_control;
    constexpr uint32_t kKinds = f::kConfig | f::kContext | f::kGfxSh | f::kComputeSh;
    const uint32_t load = f::kLoadControl.in(body_.data());
    const uint32_t shadow = f::kShadowEnable.in(body_.data());
    if (f::kShadowUpdate.of(shadow) != 0 && (shadow & kKinds) != 0)
        missing("with register shadowing");
    if (f::kLoadUpdate.of(load) != 0)
        state_->rings[location_.ring].load_enable = load & kKinds;
    return false;
}

bool PacketProgram::me_initialize() {
    namespace f = fields::me_initialize;
    const uint32_t contexts = f::kMaxContext.in(body_.data());
    if (contexts == 0)
        bad("MAX_CONTEXT 0");
    if (f::kSwap.in(body_.data()) != 0)
        missing("with EXTERNAL_MEM_SWAP");
    if (f::kHeaderDump.in(body_.data()) != 0)
        missing("with HEADER_DUMP_ENABLE");
    state_->initialized = true;
    state_->max_context = static_cast<uint8_t>(contexts);
    state_->device_id = static_cast<uint8_t>(f::kDevice.in(body_.data()));
    return false;
}

bool PacketProgram::preamble_control() {
    const uint32_t command = fields::preamble_cntl::kCommand.in(body_.data());
    if (command > 3)
        bad("reserved COMMAND " + std::to_string(command));
    if (command == 2) {
        state_->clear_state_open = true;
        state_->clear_state_valid.reset();
    } else if (command == 3) {
        state_->clear_state_open = false;
    }
    return false;
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
