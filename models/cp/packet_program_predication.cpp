// SPDX-License-Identifier: Apache-2.0
// Predication: 2.7 of "Radeon Southern Islands Acceleration".
#include "models/common/error.h"
#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"

namespace archipelago::cp {

namespace {
constexpr uint64_t kPairBytes = 16;
constexpr unsigned kDepthPairs = 8;           // 2.8.7: the set has eight
constexpr uint32_t kCounterValid = 1u << 31;  // of the upper dword
constexpr uint64_t kCounterMask = ~uint64_t{0} >> 1;
}  // namespace

// ---- conditional execution ----------------------------------------------------------------------

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

// The command of COND_EXEC for a Boolean of 0 is to discard; the others are reserved. The fence
// value, which drivers leave out, tells nothing.
bool PacketProgram::cond_exec(MicroOp& op) {
    namespace f = fields::cond_exec;
    const uint32_t* body = body_.data();
    enum : uint32_t { kStart, kRead, kLook };
    if (step_ == kStart) {
        if (f::kCommand.in(body) != 0)
            bad("reserved COMMAND " + std::to_string(f::kCommand.in(body)));
        address_ = dword_address(body[f::kAddressLo.dword - 1], f::kAddressHi.in(body));
        step_ = kRead;
        if (body_dwords() > info_->fixed) {
            op.kind = OpKind::Take;
            op.stream = true;
            return true;
        }
    }
    if (step_ == kRead) {
        op.kind = OpKind::MemRead;
        op.address = address_;
        step_ = kLook;
        return true;
    }
    if (result.value == 0)
        skip_ = f::kCount.in(body);
    return false;
}

bool PacketProgram::pred_exec() {
    namespace f = fields::pred_exec;
    if ((f::kDevices.in(body_.data()) & state_->pfp_device_id) == 0)
        skip_ = f::kCount.in(body_.data());
    return false;
}

void note_for_pfp(const PacketInfo& info, const uint32_t* body, DeState& state) {
    if (info.id == PacketId::MeInitialize)
        state.pfp_device_id = static_cast<uint8_t>(fields::me_initialize::kDevice.in(body));
}

void SkipWalk::take(uint32_t dword, const PacketTable& table, const PacketInfo& skipper,
                    const Location& location) {
    --left_;
    if (in_packet_ != 0) {
        --in_packet_;
        return;
    }
    const unsigned type = header_type(dword);
    if (type == 1 || type == 2)
        return;
    in_packet_ = header_body_dwords(dword);
    if (in_packet_ <= left_)
        return;
    const PacketInfo* info = type == 0 ? &table.type0() : table.find(header_opcode(dword));
    throw MachineStop(StopKind::BadInput, to_string(location),
                      std::string("packet ") + skipper.name + ": EXEC_COUNT ends inside packet " +
                          (info != nullptr ? info->name : "of unknown opcode") + ", which has " +
                          std::to_string(in_packet_ - left_) + " dwords behind it");
}

// ---- queries ------------------------------------------------------------------------------------
// Counters lie in pairs of qwords: at the begin and at the end of a query. Bit 63 of a counter says
// that it has been written; depth blocks that do not exist have it set by the driver.

bool PacketProgram::read_pair(MicroOp& op, uint64_t start) {
    op.kind = OpKind::MemRead;
    op.address = start + kPairBytes * index_;
    op.dwords = 4;
    return true;
}

bool PacketProgram::pair_is_there() const {
    return (result.data[1] & result.data[3] & kCounterValid) != 0;
}

// Second minus first counter of the pair.
uint64_t PacketProgram::pair_difference() const {
    const auto counter = [this](unsigned i) {
        return uint64_t{result.data[i + 1] & ~kCounterValid} << 32 | result.data[i];
    };
    return counter(2) - counter(0);
}

// PFP reads the counters, which is why it waits for them: those of events before the packet may
// not be written yet. With HINT it looks once, and draws when one is not there. PRIMCOUNT (which
// HINT is not for) has two pairs of counters, needed and written primitives, at the begin of the
// query and at its end.
bool PacketProgram::set_predication(MicroOp& op) {
    namespace f = fields::set_predication;
    const uint32_t* body = body_.data();
    const uint32_t operation = f::kOperation.in(body);
    DeState::Predication& predicate = state_->rings[location_.ring].predication;
    constexpr uint32_t kClear = 0, kZpass = 1, kPrimcount = 2;
    enum : uint32_t { kStart, kRead, kLook };
    if (step_ == kStart) {
        if (operation > kPrimcount)
            bad("reserved PRED_OP " + std::to_string(operation));
        if (operation == kClear) {
            predicate = {};
            return false;
        }
        if (f::kContinue.in(body) != 0 && predicate.operation != operation)
            bad("CONTINUE, but no SET_PREDICATION of PRED_OP " + std::to_string(operation) +
                " is before it");
        if (f::kContinue.in(body) == 0)
            predicate = {};
        const uint32_t low = body[f::kAddressLo.dword - 1];
        address_ = uint64_t{f::kAddressHi.in(body)} << 32 | low;
        if (address_ % kPairBytes != 0)
            bad("address " + hex(address_) + " is not a multiple of 16");
        step_ = kRead;
    }
    const unsigned pairs = operation == kZpass ? kDepthPairs : 2;
    for (;;) {
        if (step_ == kRead) {
            step_ = kLook;
            return read_pair(op, address_);
        }
        if (!pair_is_there() && operation == kZpass && f::kHint.in(body) != 0) {
            predicate.undecided = true;
        } else if (!pair_is_there()) {
            op.kind = OpKind::Delay;
            op.cycles = poll_cycles(0);
            step_ = kRead;
            return true;
        } else if (operation == kZpass) {
            sum_ += pair_difference();
        } else {
            // Of one pair: written minus needed.
            sum_ = pair_difference() - sum_;
        }
        if (++index_ == pairs)
            break;
        step_ = kRead;
    }
    predicate.operation = static_cast<uint8_t>(operation);
    predicate.zpass += operation == kZpass ? sum_ : 0;
    predicate.overflow |= operation == kPrimcount && (sum_ & kCounterMask) != 0;
    const bool drawn = operation == kZpass ? predicate.zpass != 0 : !predicate.overflow;
    predicate.skip = !predicate.undecided && drawn != (f::kBoolean.in(body) != 0);
    return false;
}

bool PacketProgram::occlusion_query(MicroOp& op) {
    namespace f = fields::occlusion_query;
    const uint32_t* body = body_.data();
    const uint64_t query =
        uint64_t{f::kQueryHi.in(body)} << 32 | (body[f::kQueryLo.dword - 1] & ~3u);
    enum : uint32_t { kStart, kRead, kLook, kOld, kWriteLow, kWriteHigh, kConfirm, kEnd };
    switch (step_) {
        case kStart:
            address_ = uint64_t{f::kStartHi.in(body)} << 32 | body[f::kStartLo.dword - 1];
            if (address_ % kPairBytes != 0)
                bad("START_ADDR " + hex(address_) + " is not a multiple of 16");
            dword_address(body[f::kQueryLo.dword - 1], f::kQueryHi.in(body));
            if (body[f::kQueryHi.dword - 1] >> 16 != 0)
                bad("reserved bits of QUERY_ADDR_HI " + hex(body[f::kQueryHi.dword - 1]));
            step_ = kRead;
            [[fallthrough]];
        case kRead:
            step_ = kLook;
            return read_pair(op, address_);
        case kLook:
            if (!pair_is_there()) {
                op.kind = OpKind::Delay;
                op.cycles = poll_cycles(0);
                step_ = kRead;
                return true;
            }
            sum_ += pair_difference();
            if (++index_ != kDepthPairs) {
                step_ = kLook;
                return read_pair(op, address_);
            }
            op.kind = OpKind::MemRead;
            op.address = query;
            op.dwords = 2;
            step_ = kOld;
            return true;
        case kOld:
            sum_ += result.value;
            step_ = kWriteLow;
            [[fallthrough]];
        case kWriteLow:
        case kWriteHigh:
            // Dword by dword: the sum is dword aligned and may lie in two lines.
            op.kind = OpKind::MemWrite;
            op.address = query + (step_ == kWriteLow ? 0 : 4);
            op.data[0] = static_cast<uint32_t>(step_ == kWriteLow ? sum_ : sum_ >> 32);
            ++step_;
            return true;
        case kConfirm:
            op.kind = OpKind::WaitWrites;
            step_ = kEnd;
            return true;
        default:
            return false;
    }
}

}  // namespace archipelago::cp
