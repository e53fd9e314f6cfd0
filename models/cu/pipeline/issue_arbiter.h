// SPDX-License-Identifier: Apache-2.0
// Issue arbitration: which waves of a SIMD issue in its turn, apart from the effects of issue.
// Pure; the compute unit, the pin-level core (cu_issue_core) and its Verilog twin
// (rtl-bridge/rtl/cu_issue) all decide by these rules:
//
// Waves are considered in the order given (highest priority first, oldest first). A wave whose
// last instruction still runs is not due. Of each class one instruction issues, and of all classes
// but Internal no more than the width. An instruction whose counter is at its limit, or one that
// drains while a counter is not zero, holds its wave; one whose unit is busy or full, or (scalar
// ALU, branch) that reads a scalar register a vector instruction of the wave has just written,
// waits. Exports and GDS instructions leave by one path: of both classes together one issues. A
// wave that may not issue leaves its class to the next. What is decided for one wave depends on the
// others by classes and width only.
#pragma once

#include <array>
#include <cstdint>

#include "models/cu/isa/isa.h"

namespace archipelago::cu {

constexpr unsigned kIssueSlots = 16;

// What instructions wait for: the unit numbered as their class, but for messages other than
// interrupts, and for those that need nothing.
constexpr unsigned kGraphicsUnit = 10;
constexpr unsigned kNoUnit = 15;
static_assert(static_cast<unsigned>(isa::Class::kCount) == kGraphicsUnit);

// The classes that share the path out of the registers.
constexpr uint16_t kPathClasses =
    1u << static_cast<unsigned>(isa::Class::Gds) | 1u << static_cast<unsigned>(isa::Class::Export);

enum class IssueReason : uint8_t {
    None,  // the wave has no instruction to issue
    Granted,
    NotDue,       // its last instruction still runs
    Arbitration,  // another wave has the class, or the width is used up
    UnitLater,    // the unit is busy for a known time
    UnitFull,     // a queue is full until something leaves it
    Hazard,       // reads a scalar register that is not ready
    HoldVm,       // a counter at its limit, not drained, or (waiting) above the limit of s_waitcnt
    HoldExp,
    HoldLgkm,
};

constexpr uint64_t kNoRetry = ~uint64_t{0};  // until something happens

// What stands against an instruction apart from the other waves.
struct IssueCheck {
    IssueReason reason = IssueReason::Granted;
    uint64_t wait = kNoRetry;  // cycles, of UnitLater and Hazard
};
inline IssueCheck unit_check(uint64_t wait) {
    return wait == 0          ? IssueCheck{}
           : wait == kNoRetry ? IssueCheck{IssueReason::UnitFull, kNoRetry}
                              : IssueCheck{IssueReason::UnitLater, wait};
}

struct IssueDecision {
    uint16_t granted = 0;  // bit per slot
    uint16_t classes = 0;  // bit per issue class: granted
    uint16_t full = 0;     // bit per issue class: refused because of a full queue
    // Cycles until a wave refused for a known time may issue, at least 1.
    uint64_t retry = kNoRetry;
    std::array<IssueReason, kIssueSlots> reason{};
    // The slots that were due, in the order they were considered.
    std::array<uint8_t, kIssueSlots> due;
    uint8_t due_count = 0;
    bool width_used = false;  // of arbitrate() only: no further class but Internal could issue

    // Lowers `retry`.
    void retry_in(uint64_t cycles) { retry = cycles < retry ? cycles : retry; }
};

// The three counters of a wave, and what their values are compared with.
struct IssueCounts {
    uint8_t vm = 0, exp = 0, lgkm = 0;
};

// Which counter keeps an s_waitcnt from finishing; None: none does.
inline IssueReason wait_reason(const IssueCounts& counts, const IssueCounts& limits) {
    return counts.vm > limits.vm       ? IssueReason::HoldVm
           : counts.lgkm > limits.lgkm ? IssueReason::HoldLgkm
           : counts.exp > limits.exp   ? IssueReason::HoldExp
                                       : IssueReason::None;
}

// `View` gives, by value and for ready slots only except ready():
//   uint16_t ready()            bit per place in the order: its wave has an instruction
//   unsigned order(i)           slot to consider as number i, 0 .. kIssueSlots - 1
//   unsigned width(), turn()    instructions per cycle; cycles between two turns of the SIMD
//   uint64_t wait(slot)         cycles until the wave's last instruction is done, 0: it is
//   isa::Class cls(slot)        of the next instruction
//   IssueCheck check(slot)      Granted, or the first that stands against it of: HoldVm, HoldLgkm,
//                               HoldExp; UnitFull or UnitLater; Hazard
template <class View>
inline IssueDecision arbitrate(const View& view) {
    IssueDecision d;
    unsigned issued = 0;
    for (unsigned left = view.ready(); left != 0; left &= left - 1) {
        const unsigned slot = view.order(static_cast<unsigned>(__builtin_ctz(left)));
        const auto bit = static_cast<uint16_t>(1u << slot);
        IssueReason& reason = d.reason[slot];
        if (const uint64_t wait = view.wait(slot); wait != 0) {
            reason = IssueReason::NotDue;
            d.retry_in(wait);
            continue;
        }
        d.due[d.due_count++] = static_cast<uint8_t>(slot);
        const isa::Class cls = view.cls(slot);
        const auto class_bit = static_cast<uint16_t>(1u << static_cast<unsigned>(cls));
        const bool counted = cls != isa::Class::Internal;
        if ((d.classes & class_bit) != 0 || (counted && issued == view.width())) {
            reason = IssueReason::Arbitration;
            d.retry_in(view.turn());
            continue;
        }
        IssueCheck check = view.check(slot);
        if ((class_bit & kPathClasses) != 0 && (d.classes & kPathClasses) != 0 &&
            check.reason == IssueReason::Granted)
            check = unit_check(view.turn());
        reason = check.reason;
        if (reason != IssueReason::Granted) {
            if (reason == IssueReason::UnitFull)
                d.full |= class_bit;
            else
                d.retry_in(check.wait);
            continue;
        }
        d.granted |= bit;
        d.classes |= class_bit;
        issued += counted ? 1 : 0;
    }
    d.width_used = issued == view.width();
    return d;
}

}  // namespace archipelago::cu
