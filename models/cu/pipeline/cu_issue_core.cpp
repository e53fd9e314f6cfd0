// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/cu_issue_core.h"

#include <algorithm>

#include "models/common/error.h"

namespace archipelago::cu {
namespace {

using rtl::CuIssuePins;
using Query = CuIssuePins::Query;

uint64_t time_of(uint16_t pins) {
    return pins == CuIssuePins::kNoTime ? kNoRetry : pins;
}
uint16_t retry_cycles(uint64_t time) {
    return static_cast<uint16_t>(std::min<uint64_t>(time, CuIssuePins::kNoTime));
}
bool bit(uint16_t mask, unsigned slot) {
    return (mask >> slot & 1) != 0;
}
IssueCounts counts(const Query& q, unsigned slot) {
    return {q.vm[slot], q.exp[slot], q.lgkm[slot]};
}
IssueCounts limits(const Query& q, unsigned slot) {
    return {q.limit_vm[slot], q.limit_exp[slot], q.limit_lgkm[slot]};
}

struct PinView {
    const Query& q;

    // A slot named twice counts where it is named first.
    uint16_t ready() const {
        uint16_t left = q.slots;
        uint16_t places = 0;
        for (unsigned i = 0; i < kIssueSlots; ++i) {
            const auto here = static_cast<uint16_t>(1u << order(i));
            places |= static_cast<uint16_t>((left & here) != 0 ? 1u << i : 0);
            left &= static_cast<uint16_t>(~here);
        }
        return places;
    }
    unsigned order(unsigned i) const { return q.order[i] & 15u; }
    unsigned width() const { return q.width; }
    unsigned turn() const { return q.turn; }
    uint64_t wait(unsigned slot) const { return q.wait[slot]; }
    isa::Class cls(unsigned slot) const { return static_cast<isa::Class>(q.cls[slot] & 15u); }
    IssueCheck check(unsigned slot) const {
        const auto held = [&](uint16_t needs, uint8_t count, uint8_t most) {
            return (bit(needs, slot) && count >= most) || (bit(q.drains, slot) && count != 0);
        };
        if (held(q.needs_vm, q.vm[slot], q.max_vm))
            return {IssueReason::HoldVm, kNoRetry};
        if (held(q.needs_lgkm, q.lgkm[slot], q.max_lgkm))
            return {IssueReason::HoldLgkm, kNoRetry};
        if (held(q.needs_exp, q.exp[slot], q.max_exp))
            return {IssueReason::HoldExp, kNoRetry};
        if (const uint64_t wait = time_of(q.unit_wait[q.unit[slot] & 15u]); wait != 0)
            return unit_check(wait);
        const isa::Class c = cls(slot);
        const bool scalar = c == isa::Class::Salu || c == isa::Class::Branch;
        const bool pending = (q.reads[2 * slot] & q.pending[2 * slot]) != 0 ||
                             (q.reads[2 * slot + 1] & q.pending[2 * slot + 1]) != 0;
        if (scalar && pending && q.hazard_wait[slot] != 0)
            return {IssueReason::Hazard, q.hazard_wait[slot]};
        return {};
    }
};

}  // namespace

IssueDecision decide_on_pins(const Query& query) {
    return arbitrate(PinView{query});
}

void decision_to_pins(const Query& query, const IssueDecision& decision, CuIssuePins::Out& out) {
    out.out_grant = decision.granted;
    out.out_classes = decision.classes;
    out.out_full = decision.full;
    out.out_retry = retry_cycles(decision.retry);
    out.out_released = 0;
    for (unsigned slot = 0; slot < CuIssuePins::kSlots; ++slot) {
        IssueReason reason = decision.reason[slot];
        if (bit(query.waiting, slot) && !bit(query.slots, slot)) {
            reason = wait_reason(counts(query, slot), limits(query, slot));
            if (reason == IssueReason::None)
                out.out_released |= static_cast<uint16_t>(1u << slot);
        }
        out.out_reason[slot] = static_cast<uint8_t>(reason);
    }
}

IssueDecision decision_from_pins(const Query& query, const CuIssuePins::Out& out) {
    IssueDecision d;
    d.granted = out.out_grant;
    d.classes = out.out_classes;
    d.full = out.out_full;
    d.retry = time_of(out.out_retry);
    uint16_t left = query.slots;
    for (const uint8_t code : query.order) {
        const unsigned slot = code & 15u;
        if (!bit(left, slot))
            continue;
        left &= static_cast<uint16_t>(~(1u << slot));
        d.reason[slot] = static_cast<IssueReason>(out.out_reason[slot]);
        if (d.reason[slot] != IssueReason::NotDue)
            d.due[d.due_count++] = static_cast<uint8_t>(slot);
    }
    return d;
}

void CuIssueCore::step(const In& in, Out& out) {
    out = state_.valid ? state_.decision : Out{};
    out.out_valid = state_.valid ? 1 : 0;
    out.in_ready = !state_.valid || in.out_ready != 0 ? 1 : 0;
    if (out.in_ready != 0) {
        state_.valid = in.in_valid != 0;
        if (state_.valid)
            decision_to_pins(in.in, decide_on_pins(in.in), state_.decision);
    }
    if (in.rst != 0)
        state_.valid = false;
}

PinIssueUnit::PinIssueUnit(rtl::PinBlock<CuIssuePins>& arbiter) : arbiter_(arbiter) {
    rtl::reset_block(arbiter_);
    in_.out_ready = 1;
}

IssueDecision PinIssueUnit::decide(const Query& query) {
    // The twin takes a query at once and decides in the next cycle; another block may take longer.
    constexpr unsigned kTimeout = 10'000;  // cycles
    CuIssuePins::Out out;
    in_.in = query;
    in_.in_valid = 1;
    bool taken = false;
    for (unsigned waited = 0; !taken || out.out_valid == 0; ++waited) {
        if (waited == kTimeout)
            throw MachineStop(
                StopKind::Hang, CuIssuePins::kName,
                taken ? "the arbiter gives no decision" : "the arbiter takes no query");
        arbiter_.step(in_, out);
        if (taken || out.in_ready == 0)
            continue;
        taken = true;
        in_.in_valid = 0;
        arbiter_.step(in_, out);
    }
    // The compute unit lets a wave go on in the cycle its counters come down, so none is left here.
    if (out.out_released != 0)
        throw MachineStop(StopKind::Protocol, CuIssuePins::kName,
                          "the arbiter releases a wave the compute unit lets wait");
    return decision_from_pins(query, out);
}

}  // namespace archipelago::cu
