// SPDX-License-Identifier: Apache-2.0
// What is left out: SET_PREDICATION, COND_EXEC, PRED_EXEC. "Radeon Southern Islands Acceleration"
// 2.7.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/query.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"

namespace archipelago::cp::si {

constexpr uint64_t kCounterMask = ~uint64_t{0} >> 1;

constexpr ValueName kCondCommandsNames[] = {{0, "DISCARD"}};
constexpr FieldMeaning kCondCommands = value_names(kCondCommandsNames);
constexpr ValueName kPredicatesNames[] = {{0, "CLEAR"}, {1, "ZPASS"}, {2, "PRIMCOUNT"}};
constexpr FieldMeaning kPredicates = value_names(kPredicatesNames);
namespace set_predication {
// The document gives START_ADDR_HI bits 15:0 beside flags in bits 8 and 12; the drivers have 7:0.
enum f : uint8_t { kAddressLo, kAddressHi, kBoolean, kHint, kOperation, kContinue };
constexpr PacketField kFields[] = {
    {"START_ADDR_LO", 1, 4, 31, &kAddress}, {"START_ADDR_HI", 2, 0, 7},
    {"PREDICATION_BOOLEAN", 2, 8, 8},       {"HINT", 2, 12, 12},
    {"PRED_OP", 2, 16, 18, &kPredicates},   {"CONTINUE", 2, 31, 31},
};

// PFP reads the counters, which is why it waits for them: those of events before the packet may
// not be written yet. With HINT it looks once, and draws when one is not there. PRIMCOUNT (which
// HINT is not for) has two pairs of counters, needed and written primitives, at the begin of the
// query and at its end.
bool run(ProgramState& p, MicroOp& op) {
    const uint32_t operation = p[f::kOperation];
    DeState::Predication& predicate = p.ring().predication;
    constexpr uint32_t kClear = 0, kZpass = 1, kPrimcount = 2;
    enum : uint32_t { kStart, kRead, kLook };
    if (p.step == kStart) {
        if (operation > kPrimcount)
            p.bad("reserved PRED_OP " + std::to_string(operation));
        if (operation == kClear) {
            predicate = {};
            return false;
        }
        if (p[f::kContinue] != 0 && predicate.operation != operation)
            p.bad("CONTINUE, but no SET_PREDICATION of PRED_OP " + std::to_string(operation) +
                  " is before it");
        if (p[f::kContinue] == 0)
            predicate = {};
        const uint32_t low = p.dword(f::kAddressLo);
        p.address = uint64_t{p[f::kAddressHi]} << 32 | low;
        if (p.address % kPairBytes != 0)
            p.bad("address " + hex(p.address) + " is not a multiple of 16");
        p.step = kRead;
    }
    const unsigned pairs = operation == kZpass ? kDepthPairs : 2;
    for (;;) {
        if (p.step == kRead) {
            p.step = kLook;
            p.address_in(f::kAddressLo, op);
            return read_pair(p, op, p.address);
        }
        if (!pair_is_there(p) && operation == kZpass && p[f::kHint] != 0) {
            predicate.undecided = true;
        } else if (!pair_is_there(p)) {
            p.step = kRead;
            return delay(op, p.poll_cycles(0));
        } else if (operation == kZpass) {
            p.sum += pair_difference(p);
        } else {
            // Of one pair: written minus needed.
            p.sum = pair_difference(p) - p.sum;
        }
        if (++p.index == pairs)
            break;
        p.step = kRead;
    }
    predicate.operation = static_cast<uint8_t>(operation);
    predicate.zpass += operation == kZpass ? p.sum : 0;
    predicate.overflow |= operation == kPrimcount && (p.sum & kCounterMask) != 0;
    const bool drawn = operation == kZpass ? predicate.zpass != 0 : !predicate.overflow;
    predicate.skip = !predicate.undecided && drawn != (p[f::kBoolean] != 0);
    return false;
}
}  // namespace set_predication
constexpr PacketInfo kSetPredication = packet("SET_PREDICATION", 0x20, PacketClass::State)
                                           .body(2)
                                           .routed(kToPfp)
                                           .flags(kPolls)
                                           .waits(describe_pairs)
                                           .program(set_predication::kFields, set_predication::run);

namespace cond_exec {
// The document's packet ends with a fence value that the driver's does not have.
enum f : uint8_t { kAddressLo, kCommand, kAddressHi, kCount, kFence };
constexpr PacketField kFields[] = {
    {"BOOL_ADDR_LO", 1, 2, 31, &kAddress},
    {"COMMAND", 2, 28, 31, &kCondCommands},
    {"BOOL_ADDR_HI", 2, 0, 15},
    {"EXEC_COUNT", 3, 0, 13},
    {"FENCE", 4, 0, 30},
};

// The command of COND_EXEC for a Boolean of 0 is to discard; the others are reserved. The fence
// value, which drivers leave out, tells nothing.
bool run(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kStart, kRead, kLook };
    if (p.step == kStart) {
        if (p[f::kCommand] != 0)
            p.bad("reserved COMMAND " + std::to_string(p[f::kCommand]));
        p.address = p.dword_address(p.dword(f::kAddressLo), p[f::kAddressHi]);
        p.step = kRead;
        if (p.body_dwords() > p.info->fixed)
            return take(op);
    }
    if (p.step == kRead) {
        p.step = kLook;
        p.address_in(f::kAddressLo, op);
        return read_memory(op, p.address);
    }
    if (p.result.value == 0)
        p.skip = p[f::kCount];
    return false;
}
}  // namespace cond_exec
constexpr PacketInfo kCondExec = packet("COND_EXEC", 0x22, PacketClass::Sync)
                                     .body(3, 4, 3)
                                     .routed(kToPfp)
                                     .program(cond_exec::kFields, cond_exec::run);

namespace pred_exec {
enum f : uint8_t { kDevices, kCount };
constexpr PacketField kFields[] = {
    {"DEVICE_SELECT", 1, 24, 31},
    {"EXEC_COUNT", 1, 0, 13},
};

bool run(ProgramState& p, MicroOp&) {
    if ((p[f::kDevices] & p.de->pfp_device_id) == 0)
        p.skip = p[f::kCount];
    return false;
}
}  // namespace pred_exec
constexpr PacketInfo kPredExec = packet("PRED_EXEC", 0x23, PacketClass::Sync)
                                     .body(1)
                                     .routed(kToPfp)
                                     .program(pred_exec::kFields, pred_exec::run);

}  // namespace archipelago::cp::si
