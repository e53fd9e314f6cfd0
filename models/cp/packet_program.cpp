// SPDX-License-Identifier: Apache-2.0
#include "models/cp/packet_program.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "models/common/error.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"

namespace archipelago::cp {

namespace {

constexpr uint32_t kRegisterSpace = 0x40000;  // bytes; a packet names registers with 16 bits

constexpr uint8_t kSampleEvents[] = {1, 2, 3, 21, 30, 32};
constexpr uint8_t kPartialFlushEvents[] = {7, 15, 16};
constexpr uint8_t kCacheFlushEvents[] = {6, 22};
constexpr uint8_t kEndOfPipeEvents[] = {4, 20, 40, 43, 45};
constexpr uint8_t kEndOfShaderEvents[] = {47, 48};

template <size_t N>
bool one_of(uint8_t type, const uint8_t (&list)[N]) {
    return std::find(list, list + N, type) != list + N;
}

std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
    return text;
}

}  // namespace

bool coherency_action(uint32_t control, uint32_t size, uint32_t base, CacheAction& action) {
    const regs::si::typed::CP_COHER_CNTL bits{control};
    action = {};
    action.invalidate_l1 = bits.TCL1_ACTION_ENA() != 0 || bits.TCL1_VOL_ACTION_ENA() != 0;
    action.invalidate_scalar =
        bits.SH_KCACHE_ACTION_ENA() != 0 || bits.SH_KCACHE_VOL_ACTION_ENA() != 0;
    action.invalidate_inst = bits.SH_ICACHE_ACTION_ENA() != 0;
    action.invalidate_l2 = bits.TC_ACTION_ENA() != 0 || bits.TC_VOL_ACTION_ENA() != 0;
    action.writeback_l2 = action.invalidate_l2 || bits.TC_WB_ACTION_ENA() != 0;
    action.base = uint64_t{base} << 8;
    action.size = size == ~0u ? ~uint64_t{0} : uint64_t{size} << 8;
    return action.invalidate_l1 || action.invalidate_scalar || action.invalidate_inst ||
           action.writeback_l2;
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
        case PacketId::SetPredication: {
            const uint32_t operation = fields::set_predication::kOperation.in(body_.data());
            if (operation == 1)
                missing("with PRED_OP ZPASS");
            if (operation == 2)
                missing("with PRED_OP PRIMCOUNT");
            if (operation > 2)
                bad("reserved PRED_OP " + std::to_string(operation));
            return false;
        }
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
        case PacketId::Unimplemented:
        case PacketId::kCount:
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

bool PacketProgram::one_reg_write(MicroOp& op) {
    op.kind = OpKind::RegWrite;
    op.offset = 4 * fields::one_reg_write::kOffset.in(body_.data());
    op.value = fields::one_reg_write::kData.in(body_.data());
    return step_++ == 0;
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

// ---- events ------------------------------------------------------------------------------------

bool PacketProgram::event_write(MicroOp& op) {
    namespace f = fields::event_write;
    const auto type = static_cast<uint8_t>(f::kType.in(body_.data()));
    const uint32_t index = f::kIndex.in(body_.data());
    if (step_ == 0) {
        const bool sample = one_of(type, kSampleEvents);
        if (!event_is_defined(type))
            bad("reserved EVENT_TYPE " + std::to_string(type));
        if (index == 5 || index == 6 || index > 7)
            bad("EVENT_INDEX " + std::to_string(index) + " is not one of EVENT_WRITE");
        if (body_dwords() != (sample ? 3u : 1u))
            bad(event_name(type) + " has " + std::to_string(body_dwords()) +
                " body dwords, must have " + (sample ? "3" : "1"));
        const bool fits = index == 0 || (index <= 3 && sample) ||
                          (index == 4 && one_of(type, kPartialFlushEvents)) ||
                          (index == 7 && one_of(type, kCacheFlushEvents));
        if (!fits)
            bad("EVENT_INDEX " + std::to_string(index) + " does not go with " + event_name(type));
        if (sample)
            missing("with " + event_name(type));
        const bool write_back = index == 7 && f::kInvalidateL2.in(body_.data()) != 0;
        op.kind = OpKind::Event;
        op.event_type = type;
        op.wait = index == 4 || write_back;
        step_ = write_back ? 1 : 4;
        return true;
    }
    switch (step_) {
        case 1:
            op.kind = OpKind::CacheStart;
            op.action = {};
            op.action.writeback_l2 = op.action.invalidate_l2 = true;
            step_ = 2;
            return true;
        case 2:
            op.kind = OpKind::CachePoll;
            step_ = 3;
            return true;
        case 3:
            if (result.value != 0)
                return false;
            op.kind = OpKind::Delay;
            op.cycles = poll_cycles(0);
            step_ = 2;
            return true;
        default:
            return false;
    }
}

bool PacketProgram::event_write_eop(MicroOp& op) {
    namespace f = fields::event_write_eop;
    if (step_++ != 0)
        return false;
    const auto type = static_cast<uint8_t>(fields::event_write::kType.in(body_.data()));
    const uint32_t index = fields::event_write::kIndex.in(body_.data());
    const uint32_t data_sel = f::kDataSel.in(body_.data());
    const uint32_t int_sel = f::kIntSel.in(body_.data());
    if (index != 5)
        bad("EVENT_INDEX " + std::to_string(index) + ", must be 5");
    if (!one_of(type, kEndOfPipeEvents))
        bad(event_name(type) + " is not an end-of-pipe event");
    if (data_sel == 4)
        missing("with DATA_SEL 4 (CP_PERFCOUNTER)");
    if (data_sel > 4)
        bad("reserved DATA_SEL " + std::to_string(data_sel));
    if (int_sel == 3)
        bad("reserved INT_SEL 3");
    if (int_sel == 1 && data_sel != 0)
        bad("INT_SEL 1 (interrupt only) with DATA_SEL " + std::to_string(data_sel));
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = location_;
    op.eop.event_type = type;
    op.eop.data_sel = static_cast<EopData>(data_sel);
    op.eop.interrupt = static_cast<EopInterrupt>(int_sel);
    op.eop.invalidate_l2 = fields::event_write::kInvalidateL2.in(body_.data()) != 0;
    op.eop.address =
        uint64_t{f::kAddressHi.in(body_.data())} << 32 | f::kAddressLo.in(body_.data());
    op.eop.data = uint64_t{f::kDataHi.in(body_.data())} << 32 | f::kDataLo.in(body_.data());
    if (data_sel == 1 && op.eop.address % 4 != 0)
        bad("address " + hex(op.eop.address) + " is not dword aligned");
    if (data_sel > 1 && op.eop.address % 8 != 0)
        bad("address " + hex(op.eop.address) + " is not qword aligned");
    return true;
}

bool PacketProgram::event_write_eos(MicroOp& op) {
    namespace f = fields::event_write_eos;
    if (step_++ != 0)
        return false;
    const auto type = static_cast<uint8_t>(fields::event_write::kType.in(body_.data()));
    const uint32_t index = fields::event_write::kIndex.in(body_.data());
    const uint32_t command = f::kCommand.in(body_.data());
    if (index != 6)
        bad("EVENT_INDEX " + std::to_string(index) + ", must be 6");
    if (!one_of(type, kEndOfShaderEvents))
        bad(event_name(type) + " is not an end-of-shader event");
    if (command == 1)
        missing("with CMD 1 (store GDS data)");
    if (command != 2)
        bad("reserved CMD " + std::to_string(command));
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = location_;
    op.eop.event_type = type;
    op.eop.data_sel = EopData::Low32;
    op.eop.address = dword_address(f::kAddressLo.in(body_.data()), f::kAddressHi.in(body_.data()));
    op.eop.data = f::kData.in(body_.data());
    return true;
}

// ---- synchronisation ---------------------------------------------------------------------------

bool PacketProgram::surface_sync(MicroOp& op) {
    namespace f = fields::surface_sync;
    switch (step_) {
        case 0:
            op.kind = OpKind::WaitWrites;
            step_ = 1;
            return true;
        case 1:
            if (!coherency_action(f::kControl.in(body_.data()), f::kSize.in(body_.data()),
                                  f::kBase.in(body_.data()), op.action))
                return false;
            op.kind = OpKind::CacheStart;
            step_ = 2;
            return true;
        case 2:
            op.kind = OpKind::CachePoll;
            step_ = 3;
            return true;
        default:
            if (result.value != 0)
                return false;
            op.kind = OpKind::Delay;
            op.cycles = poll_cycles(f::kInterval.in(body_.data()));
            step_ = 2;
            return true;
    }
}

void PacketProgram::poll_op(MicroOp& op, bool memory, const PacketField& lo,
                            const PacketField& hi) const {
    const uint32_t low = lo.in(body_.data());
    if (!memory) {
        op.kind = OpKind::RegRead;
        op.offset = 4 * (low & 0xFFFF);
        return;
    }
    op.kind = OpKind::MemRead;
    op.address = uint64_t{hi.in(body_.data())} << 32 | (low & ~3u);
    op.swap = static_cast<uint8_t>(low & 3);
    if (op.swap > kMaxDwordSwap)
        bad("reserved swap code 3");
}

bool PacketProgram::wait_reg_mem(MicroOp& op) {
    namespace f = fields::wait_reg_mem;
    const uint32_t* body = body_.data();
    const uint32_t function = f::kFunction.in(body);
    const bool memory = f::kMemSpace.in(body) != 0;
    if (step_ == 0) {
        if (function == 7)
            bad("reserved FUNCTION 7");
        if (engine_ == ProgramEngine::Pfp && !memory)
            bad("ENGINE PFP polls memory only");
        if (engine_ == ProgramEngine::Pfp && function != 5)
            bad("ENGINE PFP knows only FUNCTION 5 (>=), not " + std::to_string(function));
        step_ = 1;
    }
    if (step_ == 1) {
        poll_op(op, memory, f::kAddressLo, f::kAddressHi);
        step_ = 2;
        return true;
    }
    if (compare(function, static_cast<uint32_t>(result.value), f::kMask.in(body),
                f::kReference.in(body)))
        return false;
    op.kind = OpKind::Delay;
    op.cycles = poll_cycles(f::kInterval.in(body));
    step_ = 1;
    return true;
}

bool PacketProgram::cond_write(MicroOp& op) {
    namespace f = fields::cond_write;
    const uint32_t* body = body_.data();
    if (step_ == 0) {
        if (f::kFunction.in(body) == 7)
            bad("reserved FUNCTION 7");
        poll_op(op, f::kPollSpace.in(body) != 0, f::kPollLo, f::kPollHi);
        step_ = 1;
        return true;
    }
    if (step_ == 2 || !compare(f::kFunction.in(body), static_cast<uint32_t>(result.value),
                               f::kMask.in(body), f::kReference.in(body)))
        return false;
    step_ = 2;
    const uint32_t low = f::kWriteLo.in(body);
    if (f::kWriteSpace.in(body) == 0) {
        op.kind = OpKind::RegWrite;
        op.offset = 4 * (low & 0xFFFF);
        op.value = f::kData.in(body);
        return true;
    }
    op.kind = OpKind::MemWrite;
    op.address = uint64_t{f::kWriteHi.in(body)} << 32 | (low & ~3u);
    op.swap = static_cast<uint8_t>(low & 3);
    if (op.swap > kMaxDwordSwap)
        bad("reserved swap code 3");
    op.data[0] = f::kData.in(body);
    return true;
}

// ---- data --------------------------------------------------------------------------------------

bool PacketProgram::write_data(MicroOp& op) {
    namespace f = fields::write_data;
    const uint32_t* body = body_.data();
    const uint32_t destination = f::kDestination.in(body);
    const bool one_address = f::kOneAddress.in(body) != 0;
    if (step_ == 0) {
        count_ = body_dwords() - 3;
        if (destination == 3)
            missing("with DST_SEL GDS");
        if (destination == 4 || destination > 5)
            bad("reserved DST_SEL " + std::to_string(destination));
        if (engine_ == ProgramEngine::Pfp && destination > 1)
            bad("ENGINE_SEL PFP writes registers and memory (sync) only, not DST_SEL " +
                std::to_string(destination));
        if (destination == 0) {
            address_ = 4 * (f::kAddressLo.in(body)&0xFFFF);
            check_register_end(address_ + (one_address ? 4 : 4 * uint64_t{count_}));
            const uint64_t event = regs::si::VGT_EVENT_INITIATOR;
            if (engine_ == ProgramEngine::Pfp && address_ <= event &&
                event < address_ + (one_address ? 4 : 4 * uint64_t{count_}))
                bad("events are posted by ME, not by ENGINE_SEL PFP");
        } else {
            address_ = dword_address(f::kAddressLo.in(body), f::kAddressHi.in(body));
        }
        step_ = 1;
    }
    if (index_ < count_) {
        if (destination == 0) {
            op.kind = OpKind::RegWrite;
            op.offset = static_cast<uint32_t>(address_) + (one_address ? 0 : 4 * index_);
            ++index_;
        } else {
            op.kind = OpKind::MemWrite;
            op.path = destination == 2 ? MemPath::L2 : MemPath::Hub;
            op.address = address_ + (one_address ? 0 : 4 * uint64_t{index_});
            const auto to_line_end =
                static_cast<uint32_t>((kLineBytes - op.address % kLineBytes) / 4);
            op.dwords =
                static_cast<uint8_t>(one_address ? 1 : std::min(count_ - index_, to_line_end));
            index_ += op.dwords;
        }
        op.stream = true;
        return true;
    }
    if (step_ == 2 || f::kConfirm.in(body) == 0)
        return false;
    step_ = 2;
    // A register write is confirmed by reading the register.
    op.kind = destination == 0 ? OpKind::RegRead : OpKind::WaitWrites;
    op.offset = static_cast<uint32_t>(address_) + (one_address ? 0 : 4 * (count_ - 1));
    return true;
}

bool PacketProgram::copy_data(MicroOp& op) {
    namespace f = fields::copy_data;
    const uint32_t* body = body_.data();
    const uint32_t source = f::kSource.in(body);
    const uint32_t destination = f::kDestination.in(body);
    const uint32_t dwords = f::kCount.in(body) + 1;
    const auto check_alignment = [&](uint64_t address) {
        if (address % (4 * dwords) != 0)
            bad("address " + hex(address) +
                (dwords == 1 ? " is not dword aligned" : " is not qword aligned"));
        return address;
    };
    enum : uint32_t { kStart, kSecondRead, kRead, kSecondWrite, kConfirm, kEnd };
    if (step_ == kStart) {
        static const char* const kGds[] = {"Atomic Return Data", "GDS Atomic Return Data0",
                                           "GDS Atomic Return Data1"};
        if (destination == 3 || source == 3)
            missing(source == 3 ? "with SRC_SEL GDS" : "with DST_SEL GDS");
        if (destination == 4 || destination > 5)
            bad("reserved DST_SEL " + std::to_string(destination));
        if (source >= 6 && source <= 8)
            missing(std::string("with SRC_SEL ") + kGds[source - 6]);
        if (source == 4 || source > 9)
            bad("reserved SRC_SEL " + std::to_string(source));
        const uint64_t from =
            uint64_t{f::kSourceHi.in(body)} << 32 | uint64_t{f::kSourceLo.in(body)};
        if (destination == 0)
            check_register_end(4 * (f::kAddressLo.in(body)&0xFFFF) + 4 * uint64_t{dwords});
        else
            check_alignment(uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body));
        step_ = kRead;
        switch (source) {
            case 0:
                op.kind = OpKind::RegRead;
                op.offset = 4 * (f::kSourceLo.in(body)&0xFFFF);
                check_register_end(op.offset + 4 * uint64_t{dwords});
                step_ = dwords == 2 ? kSecondRead : kRead;
                return true;
            case 1:
            case 2:
                op.kind = OpKind::MemRead;
                op.path = source == 2 ? MemPath::L2 : MemPath::Hub;
                op.address = check_alignment(from);
                op.dwords = static_cast<uint8_t>(dwords);
                return true;
            case 9:  // as the public drivers use it; the document ends at 8
                op.kind = OpKind::Clock;
                return true;
            default:
                result.value = from;
                break;
        }
    }
    if (step_ == kSecondRead) {
        words_[0] = static_cast<uint32_t>(result.value);
        op.kind = OpKind::RegRead;
        op.offset = 4 * (f::kSourceLo.in(body)&0xFFFF) + 4;
        step_ = kRead;
        return true;
    }
    if (step_ == kRead) {
        if (source == 0 && dwords == 2) {
            words_[1] = static_cast<uint32_t>(result.value);
        } else {
            words_[0] = static_cast<uint32_t>(result.value);
            words_[1] = static_cast<uint32_t>(result.value >> 32);
        }
        const bool confirm = f::kConfirm.in(body) != 0;
        if (destination == 0) {
            op.kind = OpKind::RegWrite;
            op.offset = 4 * (f::kAddressLo.in(body)&0xFFFF);
            op.value = words_[0];
            step_ = dwords == 2 ? kSecondWrite : confirm ? kConfirm : kEnd;
        } else {
            op.kind = OpKind::MemWrite;
            op.path = destination == 2 ? MemPath::L2 : MemPath::Hub;
            op.address = uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body);
            op.dwords = static_cast<uint8_t>(dwords);
            op.data[0] = words_[0];
            op.data[1] = words_[1];
            step_ = confirm ? kConfirm : kEnd;
        }
        return true;
    }
    if (step_ == kSecondWrite) {
        op.kind = OpKind::RegWrite;
        op.offset = 4 * (f::kAddressLo.in(body)&0xFFFF) + 4;
        op.value = words_[1];
        step_ = f::kConfirm.in(body) != 0 ? kConfirm : kEnd;
        return true;
    }
    if (step_ == kConfirm) {
        op.kind = destination == 0 ? OpKind::RegRead : OpKind::WaitWrites;
        op.offset = 4 * (f::kAddressLo.in(body)&0xFFFF) + 4 * (dwords - 1);
        step_ = kEnd;
        return true;
    }
    return false;
}

bool PacketProgram::mem_write(MicroOp& op) {
    namespace f = fields::mem_write;
    const uint32_t* body = body_.data();
    const bool data32 = f::kData32.in(body) != 0;
    if (step_ == 0) {
        address_ = uint64_t{f::kAddressHi.in(body)} << 32 | uint64_t{f::kAddressLo.in(body)} << 2;
        if (!data32 && address_ % 8 != 0)
            bad("address " + hex(address_) + " is not qword aligned");
        if (f::kSwap.in(body) > kMaxDwordSwap)
            bad("reserved swap code 3");
        result.value = uint64_t{f::kDataHi.in(body)} << 32 | f::kDataLo.in(body);
        step_ = 1;
        if (f::kCounter.in(body) != 0) {
            op.kind = OpKind::Clock;
            return true;
        }
    }
    if (step_ == 1) {
        op.kind = OpKind::MemWrite;
        op.address = address_;
        op.dwords = data32 ? 1 : 2;
        op.swap = static_cast<uint8_t>(f::kSwap.in(body));
        op.data[0] = static_cast<uint32_t>(result.value);
        op.data[1] = static_cast<uint32_t>(result.value >> 32);
        step_ = f::kConfirm.in(body) != 0 ? 2 : 3;
        return true;
    }
    op.kind = OpKind::WaitWrites;
    return step_++ == 2;
}

bool PacketProgram::cp_dma(MicroOp& op) {
    namespace f = fields::cp_dma;
    const uint32_t* body = body_.data();
    const uint32_t source = f::kSource.in(body);
    const uint32_t bytes = f::kBytes.in(body);
    if (step_ == 0) {
        if (source == 1)
            missing("with SRC_SEL GDS");
        if (source == 3)
            bad("reserved SRC_SEL 3");
        if (f::kDestination.in(body) == 1)
            missing("with DST_SEL GDS");
        if (f::kDestination.in(body) > 1)
            bad("reserved DST_SEL " + std::to_string(f::kDestination.in(body)));
        if (f::kSas.in(body) != 0 && source == 0)
            missing("with SAS (register source)");
        if (f::kDas.in(body) != 0)
            missing("with DAS (register destination)");
        if (f::kSaic.in(body) != 0 && source == 0)
            missing("with SAIC (source not incremented)");
        if (f::kDaic.in(body) != 0)
            missing("with DAIC (destination not incremented)");
        step_ = f::kSync.in(body) != 0 ? 1 : 2;
        DmaCommand& dma = op.dma;
        dma = {};
        dma.location = location_;
        dma.fill = source == 2;
        dma.raw_wait = f::kRawWait.in(body) != 0;
        dma.bytes = bytes;
        dma.destination = uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body);
        if (dma.fill)
            dma.fill_data = f::kSourceLo.in(body);
        else
            dma.source = uint64_t{f::kSourceHi.in(body)} << 32 | f::kSourceLo.in(body);
        const unsigned source_swap = f::kSourceSwap.in(body);
        const unsigned destination_swap = f::kDestinationSwap.in(body);
        dma.swap_mask = static_cast<uint8_t>(swap_mask(source_swap) ^ swap_mask(destination_swap));
        const uint64_t unit = std::max(source_swap, destination_swap) == 3 ? 8 : 4;
        if (dma.swap_mask != 0 &&
            (dma.source % unit != 0 || dma.destination % unit != 0 || bytes % unit != 0))
            bad("byte swap needs addresses and size in multiples of " + std::to_string(unit));
        if (bytes != 0) {
            op.kind = OpKind::Dma;
            return true;
        }
    }
    op.kind = OpKind::WaitDma;
    return step_++ == 1;
}

std::string describe_wait(const PacketProgram& program, uint32_t last_read) {
    static const char* const kFunctions[] = {"always", "<", "<=", "==", "!=", ">=", ">", "?"};
    const uint32_t* body = program.body();
    std::string text = program.info().name;
    if (program.info().id == PacketId::EventWrite)
        text += " " + event_name(static_cast<uint8_t>(fields::event_write::kType.in(body)));
    if (program.info().id != PacketId::WaitRegMem)
        return text;
    namespace f = fields::wait_reg_mem;
    const bool memory = f::kMemSpace.in(body) != 0;
    const uint64_t address =
        memory ? uint64_t{f::kAddressHi.in(body)} << 32 | (f::kAddressLo.in(body) & ~3u)
               : 4 * (f::kAddressLo.in(body)&0xFFFF);
    text += (memory ? " memory " : " register ") + hex(address);
    if (f::kMask.in(body) != ~0u)
        text += " & " + hex(f::kMask.in(body));
    return text + " " + kFunctions[f::kFunction.in(body)] + " " + hex(f::kReference.in(body)) +
           " (last " + hex(last_read) + ")";
}

}  // namespace archipelago::cp
