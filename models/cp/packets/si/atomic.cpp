// SPDX-License-Identifier: Apache-2.0
// ATOMIC: an atomic operation on memory through L2. "Radeon Southern Islands Acceleration" 2.8.1.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

constexpr ValueName kAtomicCommandsNames[] = {{0, "SINGLE"}, {1, "LOOP"}};
constexpr FieldMeaning kAtomicCommands = value_names(kAtomicCommandsNames);
namespace atomic {
enum f : uint8_t {
    kOp,
    kCommand,
    kAddressLo,
    kAddressHi,
    kSourceLo,
    kSourceHi,
    kCompareLo,
    kCompareHi,
    kInterval
};
constexpr PacketField kFields[] = {
    {"OP", 1, 0, 6},           {"CMD", 1, 8, 11, &kAtomicCommands}, {"ADDR_LO", 2, 0, 31},
    {"ADDR_HI", 3, 0, 31},     {"SRC_DATA_LO", 4, 0, 31},           {"SRC_DATA_HI", 5, 0, 31},
    {"CMP_DATA_LO", 6, 0, 31}, {"CMP_DATA_HI", 7, 0, 31},           {"LOOP_INTERVAL", 8, 0, 12},
};

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

// Memory as the loop of 2.8.1 sees it: an atomic through L2, until the value found is the one
// compared with.
bool run(ProgramState& p, MicroOp& op) {
    const uint32_t code = p[f::kOp];
    const uint32_t command = p[f::kCommand];
    const bool wide = (code & kTcOpWide) != 0;
    const uint64_t mask = wide ? ~uint64_t{0} : 0xFFFFFFFF;
    const uint64_t compare = (p.wide(f::kCompareLo, f::kCompareHi)) & mask;
    enum : uint32_t { kStart, kAtomic, kLow, kHigh, kDecide };
    if (p.step == kStart) {
        const TcOp* known = find_tc_op(code & ~kTcOpWide);
        if ((code & kTcOpNoReturn) != 0)
            p.bad("OP " + hex(code) + " returns no value");
        if (known == nullptr)
            p.bad("OP " + hex(code) + " is not an atomic");
        if (known->flushes)
            p.missing("with OP " + hex(code) + " (denormals flushed)");
        if (command > 1)
            p.bad("reserved CMD " + std::to_string(command));
        if (command == 1 && known->op != AtomicOp::CmpSwap)
            p.bad("OP " + hex(code) + " does not loop, only a compare-and-swap does");
        p.address = p.wide(f::kAddressLo, f::kAddressHi);
        if (p.address % (wide ? 8 : 4) != 0)
            p.bad("address " + hex(p.address) + " is not " + (wide ? "qword" : "dword") +
                  " aligned");
        p.step = kAtomic;
    }
    uint64_t& found = p.ring().atomic_return;
    switch (p.step) {
        case kAtomic:
            op.kind = OpKind::Atomic;
            p.address_in(f::kAddressLo, op);
            op.atomic = find_tc_op(code & ~kTcOpWide)->op;
            op.address = p.address;
            op.dwords = wide ? 2 : 1;
            op.operand = p.wide(f::kSourceLo, f::kSourceHi);
            op.compare = compare;
            p.step = kLow;
            return true;
        case kLow:
            found = p.result.value & mask;
            p.step = wide ? kHigh : kDecide;
            return write_register(op, regs::si::CP_ATOMIC_PREOP_LO, static_cast<uint32_t>(found));
        case kHigh:
            p.step = kDecide;
            return write_register(op, regs::si::CP_ATOMIC_PREOP_HI,
                                  static_cast<uint32_t>(found >> 32));
        default:
            if (command == 0 || found == compare)
                return false;
            p.step = kAtomic;
            return delay(op, kLoopUnit * p[f::kInterval]);
    }
}
}  // namespace atomic
constexpr PacketInfo kAtomic = packet("ATOMIC", 0x1E, PacketClass::Sync)
                                   .body(8)
                                   .flags(kOwnRegisters)
                                   .fields(atomic::kFields)
                                   .runs(atomic::run);

}  // namespace archipelago::cp::si
