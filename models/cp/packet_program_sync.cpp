// SPDX-License-Identifier: Apache-2.0
// Waiting and telling: 2.8 of "Radeon Southern Islands Acceleration".
#include <algorithm>

#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"

namespace archipelago::cp {

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

namespace {

constexpr uint32_t kLoopUnit = 64;  // clocks of a LOOP_INTERVAL of 1, 2.8.1
// Codes of TC_OP_ATOMIC_*_RTN (gfx_7_2_enum.h; SI's header has no names for them).
constexpr uint32_t kTcOpWide = 0x20, kTcOpNoReturn = 0x40;
struct TcOp {
    uint32_t code;
    AtomicOp op;
    bool flushes = false;  // denormals
};
constexpr TcOp kTcOps[] = {
    {0x01, AtomicOp::FCmpSwap},   {0x02, AtomicOp::FMin},       {0x03, AtomicOp::FMax},
    {0x07, AtomicOp::Swap},       {0x08, AtomicOp::CmpSwap},    {0x09, AtomicOp::FCmpSwap, true},
    {0x0A, AtomicOp::FMin, true}, {0x0B, AtomicOp::FMax, true}, {0x0F, AtomicOp::Add},
    {0x10, AtomicOp::Sub},        {0x11, AtomicOp::SMin},       {0x12, AtomicOp::UMin},
    {0x13, AtomicOp::SMax},       {0x14, AtomicOp::UMax},       {0x15, AtomicOp::And},
    {0x16, AtomicOp::Or},         {0x17, AtomicOp::Xor},        {0x18, AtomicOp::Inc},
    {0x19, AtomicOp::Dec},
};
const TcOp* find_tc_op(uint32_t code) {
    for (const TcOp& op : kTcOps)
        if (op.code == code)
            return &op;
    return nullptr;
}

}  // namespace

// ---- synchronisation ---------------------------------------------------------------------------

// A surface that a context in the pipe draws to is waited for first; a match of the current context
// ends it. With destination bases PFP leaves the packet to ME and waits for it, because the
// contexts are ME's.
bool PacketProgram::surface_sync(MicroOp& op) {
    namespace f = fields::surface_sync;
    const uint32_t* body = body_.data();
    const uint32_t control = f::kControl.in(body);
    const uint32_t size = f::kSize.in(body);
    const uint32_t base = f::kBase.in(body);
    enum : uint32_t { kWrites, kMatch, kStart, kPoll, kLook, kTellPfp, kEnd };
    const auto wait = [&](uint32_t next) {
        op.kind = OpKind::Delay;
        op.cycles = poll_cycles(f::kInterval.in(body));
        step_ = next;
        return true;
    };
    switch (step_) {
        case kWrites:
            op.kind = OpKind::WaitWrites;
            step_ = engine_ == ProgramEngine::Me && (control & DestinationBases::kEnables) != 0
                        ? kMatch
                        : kStart;
            return true;
        case kMatch:
            if (state_->contexts.drew_to(control, size, base)) {
                op.kind = OpKind::ContextsIdle;
                return true;
            }
            if (state_->contexts.draws_to(control, size, base))
                return wait(kMatch);
            [[fallthrough]];
        case kStart:
            step_ = kTellPfp;
            if (!coherency_action(control, size, base, op.action))
                return surface_sync(op);
            op.kind = OpKind::CacheStart;
            step_ = kPoll;
            return true;
        case kPoll:
            op.kind = OpKind::CachePoll;
            step_ = kLook;
            return true;
        case kLook:
            if (result.value == 0)
                return wait(kPoll);
            [[fallthrough]];
        case kTellPfp:
            if (engine_ == ProgramEngine::Pfp || f::kEngine.in(body) != 0)
                return false;
            op.kind = OpKind::SyncPfp;
            step_ = kEnd;
            return true;
        default:
            return false;
    }
}

// Memory as the loop of 2.8.1 sees it: an atomic through L2, until the value found is the one
// compared with.
bool PacketProgram::atomic(MicroOp& op) {
    namespace f = fields::atomic;
    const uint32_t* body = body_.data();
    const uint32_t code = f::kOp.in(body);
    const uint32_t command = f::kCommand.in(body);
    const bool wide = (code & kTcOpWide) != 0;
    const uint64_t mask = wide ? ~uint64_t{0} : 0xFFFFFFFF;
    const uint64_t compare =
        (uint64_t{f::kCompareHi.in(body)} << 32 | f::kCompareLo.in(body)) & mask;
    enum : uint32_t { kStart, kAtomic, kLow, kHigh, kDecide };
    if (step_ == kStart) {
        const TcOp* known = find_tc_op(code & ~kTcOpWide);
        if ((code & kTcOpNoReturn) != 0)
            bad("OP " + hex(code) + " returns no value");
        if (known == nullptr)
            bad("OP " + hex(code) + " is not an atomic");
        if (known->flushes)
            missing("with OP " + hex(code) + " (denormals flushed)");
        if (command > 1)
            bad("reserved CMD " + std::to_string(command));
        if (command == 1 && known->op != AtomicOp::CmpSwap)
            bad("OP " + hex(code) + " does not loop, only a compare-and-swap does");
        address_ = uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body);
        if (address_ % (wide ? 8 : 4) != 0)
            bad("address " + hex(address_) + " is not " + (wide ? "qword" : "dword") + " aligned");
        step_ = kAtomic;
    }
    uint64_t& found = state_->rings[location_.ring].atomic_return;
    switch (step_) {
        case kAtomic:
            op.kind = OpKind::Atomic;
            op.atomic = find_tc_op(code & ~kTcOpWide)->op;
            op.address = address_;
            op.dwords = wide ? 2 : 1;
            op.operand = uint64_t{f::kSourceHi.in(body)} << 32 | f::kSourceLo.in(body);
            op.compare = compare;
            step_ = kLow;
            return true;
        case kLow:
            found = result.value & mask;
            op.kind = OpKind::RegWrite;
            op.offset = regs::si::CP_ATOMIC_PREOP_LO;
            op.value = static_cast<uint32_t>(found);
            step_ = wide ? kHigh : kDecide;
            return true;
        case kHigh:
            op.kind = OpKind::RegWrite;
            op.offset = regs::si::CP_ATOMIC_PREOP_HI;
            op.value = static_cast<uint32_t>(found >> 32);
            step_ = kDecide;
            return true;
        default:
            if (command == 0 || found == compare)
                return false;
            op.kind = OpKind::Delay;
            op.cycles = kLoopUnit * f::kInterval.in(body);
            step_ = kAtomic;
            return true;
    }
}

// A semaphore is a qword in memory. A wait takes 1 from it once it is not 0; ME does that, reading
// and swapping through L2. A signal adds 1 or writes 1 at the end of the pipe, when the client (CP:
// everything; CB, DB: and their caches) is done. It holds up the end of the pipe with USE_MAILBOX
// only. The registers show the last semaphore of each kind.
bool PacketProgram::mem_semaphore(MicroOp& op) {
    namespace f = fields::mem_semaphore;
    const uint32_t* body = body_.data();
    constexpr uint32_t kSignal = 6, kWait = 7;
    static constexpr uint8_t kEvents[] = {40, 45, 43};  // *_TS: bottom of pipe, CB data, DB data
    const uint32_t select = f::kSelect.in(body);
    const uint32_t client = f::kClient.in(body);
    const bool one = f::kSignalType.in(body) != 0;
    enum : uint32_t { kStart, kHigh, kGo, kLook, kSwapped, kEnd };
    switch (step_) {
        case kStart:
            if (select != kSignal && select != kWait)
                bad("reserved SEM_SEL " + std::to_string(select));
            if (client == 3)
                bad("reserved CLIENT_CODE 3");
            if (select == kWait && one)
                bad("SIGNAL_TYPE 1 with SEM_SEL Wait");
            if (f::kWaitOnSignal.in(body) != 0)
                bad("WAIT_ON_SIGNAL, which is Evergreen's");
            address_ = uint64_t{f::kAddressHi.in(body)} << 32 | body[f::kAddressLo.dword - 1];
            if (address_ % 8 != 0)
                bad("address " + hex(address_) + " is not qword aligned");
            op.kind = OpKind::RegWrite;
            op.offset =
                select == kSignal ? regs::si::CP_SIG_SEM_ADDR_LO : regs::si::CP_WAIT_SEM_ADDR_LO;
            op.value = body[0];
            step_ = kHigh;
            return true;
        case kHigh:
            op.kind = OpKind::RegWrite;
            op.offset =
                select == kSignal ? regs::si::CP_SIG_SEM_ADDR_HI : regs::si::CP_WAIT_SEM_ADDR_HI;
            op.value = body[1];
            step_ = kGo;
            return true;
        case kGo:
            if (select == kSignal) {
                end_of_pipe(op, kEvents[client]);
                op.eop.data_sel = one ? EopData::One : EopData::Increment;
                op.eop.address = address_;
                op.eop.posted = f::kMailbox.in(body) == 0;
                step_ = kEnd;
                return true;
            }
            op.kind = OpKind::MemRead;
            op.path = MemPath::L2;
            op.address = address_;
            op.dwords = 2;
            step_ = kLook;
            return true;
        case kLook:
            if (result.value == 0) {
                op.kind = OpKind::Delay;
                op.cycles = poll_cycles(0);
                op.limit = PollLimit::Semaphore;
                step_ = kGo;
                return true;
            }
            sum_ = result.value;
            op.kind = OpKind::Atomic;
            op.atomic = AtomicOp::CmpSwap;
            op.address = address_;
            op.dwords = 2;
            op.operand = sum_ - 1;
            op.compare = sum_;
            step_ = kSwapped;
            return true;
        case kSwapped:
            if (result.value == sum_)
                return false;
            step_ = kLook;  // someone was faster; this is what is left
            return mem_semaphore(op);
        default:
            return false;
    }
}

// VGT has the registers; its buffers lie 16 bytes apart among the context registers.
bool PacketProgram::strmout_buffer_update(MicroOp& op) {
    namespace f = fields::strmout_buffer_update;
    const uint32_t* body = body_.data();
    const uint32_t buffer = f::kBuffer.in(body);
    const uint32_t source = f::kSource.in(body);
    const bool update = f::kUpdate.in(body) != 0;
    constexpr uint32_t kPacket = 0, kFilled = 1, kMemory = 2;
    enum : uint32_t { kStart, kFilledRead, kStored, kSourceRead, kEnd };
    const auto filled = [&] {
        op.kind = OpKind::RegRead;
        op.offset = regs::si::VGT_STRMOUT_BUFFER_FILLED_SIZE_0 + 4 * buffer;
    };
    const auto swap_of = [this](const PacketField& field) {
        if (field.in(body_.data()) > kMaxDwordSwap)
            bad("reserved swap code 3");
        return static_cast<uint8_t>(field.in(body_.data()));
    };
    if (step_ == kStart) {
        if (source == kMemory)
            swap_of(f::kSourceSwap);
        step_ = kStored;
        if (update) {
            swap_of(f::kDestinationSwap);
            filled();
            step_ = kFilledRead;
            return true;
        }
    }
    if (step_ == kFilledRead) {
        words_[0] = static_cast<uint32_t>(result.value);
        op.kind = OpKind::MemWrite;
        op.address =
            uint64_t{f::kDestinationHi.in(body)} << 32 | uint64_t{f::kDestinationLo.in(body)} << 2;
        op.swap = swap_of(f::kDestinationSwap);
        op.data[0] = words_[0];
        step_ = kStored;
        return true;
    }
    if (step_ == kStored) {
        step_ = kSourceRead;
        if (source == kFilled && !update) {
            filled();
            return true;
        }
        if (source == kMemory) {
            op.kind = OpKind::MemRead;
            op.address = uint64_t{f::kSourceHi.in(body)} << 32 | uint64_t{f::kSourceLo.in(body)}
                                                                     << 2;
            op.swap = swap_of(f::kSourceSwap);
            return true;
        }
        result.value = source == kPacket ? f::kOffset.in(body) : words_[0];
    }
    if (step_ == kEnd || source > kMemory)
        return false;
    op.kind = OpKind::RegWrite;
    op.offset =
        regs::si::VGT_STRMOUT_BUFFER_OFFSET_0 +
        buffer * (regs::si::VGT_STRMOUT_BUFFER_OFFSET_1 - regs::si::VGT_STRMOUT_BUFFER_OFFSET_0);
    op.value = static_cast<uint32_t>(result.value);
    step_ = kEnd;
    return true;
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
    op.limit = PollLimit::WaitRegMem;
    step_ = 1;
    return true;
}

std::string describe_wait(const PacketProgram& program, uint32_t last_read) {
    static const char* const kFunctions[] = {"always", "<", "<=", "==", "!=", ">=", ">", "?"};
    const uint32_t* body = program.body();
    std::string text = program.info().name;
    if (program.info().id == PacketId::EventWrite)
        text += " " + event_name(static_cast<uint8_t>(fields::event_write::kType.in(body)));
    if (program.info().id == PacketId::AtomicGds)
        return text + describe_gds_wait(body, last_read);
    if (program.info().id == PacketId::MemSemaphore) {
        namespace f = fields::mem_semaphore;
        const uint64_t semaphore =
            uint64_t{f::kAddressHi.in(body)} << 32 | body[f::kAddressLo.dword - 1];
        return text + ": semaphore " + PacketProgram::hex(semaphore) + " to be signalled";
    }
    if (program.info().id != PacketId::WaitRegMem)
        return text;
    namespace f = fields::wait_reg_mem;
    const bool memory = f::kMemSpace.in(body) != 0;
    const uint64_t address =
        memory ? uint64_t{f::kAddressHi.in(body)} << 32 | (f::kAddressLo.in(body) & ~3u)
               : 4 * (f::kAddressLo.in(body)&0xFFFF);
    text += (memory ? " memory " : " register ") + PacketProgram::hex(address);
    if (f::kMask.in(body) != ~0u)
        text += " & " + PacketProgram::hex(f::kMask.in(body));
    return text + " " + kFunctions[f::kFunction.in(body)] + " " +
           PacketProgram::hex(f::kReference.in(body)) + " (last " + PacketProgram::hex(last_read) +
           ")";
}

}  // namespace archipelago::cp
