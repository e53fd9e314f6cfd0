// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/ta_coalescer_core.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/common/text.h"

namespace archipelago::cu {
namespace {

using isa::VectorMemOp;
using rtl::TaCoalescerPins;
using Request = TaCoalescerPins::Request;

// Cycles of its clock, more than any instruction takes.
constexpr unsigned kMaxInstructionCycles = 10'000;

CoalesceRates rates_of_pins(const TaCoalescerPins::Config& cfg) {
    return {cfg.load_quad, cfg.load_quarter,   cfg.store_quarter,         cfg.atomic_quad,
            cfg.load_pair, cfg.load_scattered, cfg.load_scattered_triple, cfg.linear_lines};
}

// Lanes that touch a line.
uint64_t touching(const VectorMemOp& op) {
    if (op.contiguous)
        return op.lanes;
    uint64_t lanes = 0;
    for (unsigned k = 0; k < (op.bytes + 3u) / 4; ++k)
        lanes |= op.dword_lanes[k];
    return lanes & op.lanes;
}

// Steps of an instruction and what each makes: one request, or none when a group only touches the
// line of the request before. A request is made by the group of its first lane.
void plan_steps(const VectorMemOp& op, const std::vector<LineAccess>& accesses, uint64_t lanes,
                std::vector<uint16_t>& made) {
    made.clear();
    size_t next = 0;
    while (lanes != 0) {
        const auto lead = static_cast<unsigned>(__builtin_ctzll(lanes));
        const unsigned quarter = lead / 16 * 16;
        const bool whole = is_one_group(op, op.lanes & uint64_t{0xFFFF} << quarter);
        const unsigned end = whole ? quarter + 16 : lead / 4 * 4 + 4;
        const auto begins = [&](const LineAccess& access) {
            return static_cast<unsigned>(__builtin_ctzll(access.lanes)) < end;
        };
        const size_t before = next;
        for (; next < accesses.size() && begins(accesses[next]); ++next)
            made.push_back(static_cast<uint16_t>(next + 1));
        if (next == before)
            made.push_back(static_cast<uint16_t>(next));
        lanes = end < isa::kLanes ? lanes >> end << end : 0;
    }
}

// The lanes have bytes in the line; of an atomic, the whole operand.
bool is_of(const LineAccess& access, const VectorMemOp& op) {
    if ((access.lanes & ~op.lanes) != 0)
        return false;
    for (uint64_t m = access.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        if (op.kind == VectorMemOp::Kind::Atomic) {
            if (op.addr[0][lane] - access.line > kLineBytes - op.bytes)
                return false;
            continue;
        }
        bool found = false;
        visit_bytes(op, lane, access.line,
                    [&](unsigned, unsigned, unsigned, unsigned) { found = true; });
        if (!found)
            return false;
    }
    return true;
}

}  // namespace

void operation_of_pins(const TaCoalescerPins::Operation& pins, VectorMemOp& op) {
    op.kind = static_cast<VectorMemOp::Kind>(pins.kind);
    const bool atomic = op.kind == VectorMemOp::Kind::Atomic;
    op.atomic = !atomic ? AtomicOp::None : pins.compares != 0 ? AtomicOp::CmpSwap : AtomicOp::Add;
    op.bytes = pins.bytes;
    if (atomic)
        op.bytes = (pins.bytes & 8) != 0 ? 8 : 4;
    op.dwords = pins.dwords;
    op.contiguous = atomic || pins.contiguous != 0;
    op.lanes = op.kind == VectorMemOp::Kind::CacheInvalidate ? 0 : pins.lanes;
    std::copy(pins.dword_lanes.begin(), pins.dword_lanes.end(), op.dword_lanes);
    for (unsigned k = 0; k < TaCoalescerPins::kDwords; ++k)
        std::copy(pins.address[k].begin(), pins.address[k].end(), op.addr[k]);
}

void TaCoalescerCore::take(const In& in) {
    operation_of_pins(in.op, op_);
    bool aligned = true;
    unsigned busy = 1;
    accesses_.clear();
    if (op_.kind != VectorMemOp::Kind::CacheInvalidate)
        busy = coalesce(op_, rates_of_pins(in.cfg), accesses_, aligned);
    // An operand that is not aligned ends an atomic.
    uint64_t lanes = touching(op_);
    if (!aligned)
        lanes &= 2 * accesses_.back().lanes - 1;
    plan_steps(op_, accesses_, lanes, state_.made);

    state_.requests.clear();
    for (const LineAccess& access : accesses_)
        state_.requests.push_back(
            {access.line / kLineBytes, access.lanes, static_cast<uint16_t>(access.cycle), 0, 0, 0});
    if (state_.requests.empty())
        state_.requests.emplace_back();
    state_.requests.back().last = 1;
    state_.requests.back().busy = static_cast<uint16_t>(busy);
    state_.requests.back().misaligned = aligned ? 0 : 1;
    state_.working = true;
    state_.steps = state_.queued = 0;
}

bool TaCoalescerCore::work() {
    state_.steps = std::min(state_.steps + TaCoalescerState::kSteps, state_.made.size());
    const bool ends = state_.steps == state_.made.size();
    // The request made last may still get lanes.
    const size_t made = ends ? state_.requests.size() : state_.made[state_.steps - 1] - size_t{1};
    for (; state_.queued < made; ++state_.queued)
        state_.queue.push_back(state_.requests[state_.queued]);
    return ends;
}

void TaCoalescerCore::step(const In& in, Out& out) {
    out = Out{};
    unsigned taken = 0;
    for (unsigned n = 0; n < TaCoalescerPins::kRequests && n < state_.queue.size(); ++n) {
        out.out_valid[n] = 1;
        out.out[n] = state_.queue[n];
        taken += taken == n && in.out_ready[n] != 0 ? 1 : 0;
        if (state_.queue[n].last != 0)
            break;
    }
    // For what a cycle's steps and the end of an instruction bring.
    const bool room =
        state_.queue.size() + TaCoalescerState::kSteps + 1 <= TaCoalescerState::kQueue;
    const bool ends = state_.working && room && work();
    out.op_ready = !state_.working || ends ? 1 : 0;
    if (in.rst != 0) {
        state_.working = false;
        state_.queue.clear();
        return;
    }
    state_.queue.erase(state_.queue.begin(), state_.queue.begin() + taken);
    if (ends)
        state_.working = false;
    if (in.op_valid != 0 && out.op_ready != 0)
        take(in);
}

void operation_to_pins(const VectorMemOp& op, TaCoalescerPins::Operation& pins) {
    pins.kind = static_cast<uint8_t>(op.kind);
    pins.compares = compares(op.atomic) ? 1 : 0;
    pins.bytes = op.bytes;
    pins.dwords = op.dwords;
    pins.contiguous = op.contiguous ? 1 : 0;
    pins.lanes = op.lanes;
    // Lanes that access nothing have no address.
    const unsigned pieces = op.contiguous ? 1 : (op.bytes + 3u) / 4;
    for (unsigned k = 0; k < TaCoalescerPins::kDwords; ++k) {
        const uint64_t lanes = k >= pieces ? 0 : op.contiguous ? op.lanes : op.dword_lanes[k];
        pins.dword_lanes[k] = op.contiguous ? 0 : lanes;
        for (unsigned lane = 0; lane < TaCoalescerPins::kLanes; ++lane)
            pins.address[k][lane] = (lanes >> lane & 1) != 0 ? op.addr[k][lane] : 0;
    }
}

TaCoalescerPins::Config rates_to_pins(const CoalesceRates& rates) {
    TaCoalescerPins::Config cfg;
    cfg.load_quad = static_cast<uint8_t>(rates.load_quad);
    cfg.load_quarter = static_cast<uint8_t>(rates.load_quarter);
    cfg.store_quarter = static_cast<uint16_t>(rates.store_quarter);
    cfg.atomic_quad = static_cast<uint8_t>(rates.atomic_quad);
    cfg.load_pair = static_cast<uint8_t>(rates.load_pair);
    cfg.load_scattered = static_cast<uint8_t>(rates.load_scattered);
    cfg.load_scattered_triple = static_cast<uint8_t>(rates.load_scattered_triple);
    cfg.linear_lines = static_cast<uint8_t>(rates.linear_lines);
    return cfg;
}

PinCoalesceUnit::PinCoalesceUnit(rtl::PinBlock<TaCoalescerPins>& block) : block_(block) {
    reset_block(block_);
    in_.out_ready.fill(1);
}

unsigned PinCoalesceUnit::coalesce(const VectorMemOp& op, const CoalesceRates& rates,
                                   std::vector<LineAccess>& out, bool& aligned) {
    out.clear();
    operation_to_pins(op, in_.op);
    in_.cfg = rates_to_pins(rates);
    in_.op_valid = 1;
    if (!rtl::step_until(block_, in_, out_, &TaCoalescerPins::Out::op_ready, kMaxInstructionCycles))
        throw MachineStop(StopKind::Hang, TaCoalescerPins::kName,
                          "the coalescer takes no instruction");
    in_.op_valid = 0;
    for (unsigned waited = 0; waited < kMaxInstructionCycles; ++waited) {
        block_.step(in_, out_);
        for (unsigned n = 0; n < TaCoalescerPins::kRequests && out_.out_valid[n] != 0; ++n) {
            const Request& r = out_.out[n];
            if (r.lanes != 0)
                out.push_back({r.line * kLineBytes, r.lanes, r.cycle});
            aligned = r.misaligned == 0;
            if (r.lanes != 0 && aligned && !is_of(out.back(), op))
                throw MachineStop(StopKind::Protocol, TaCoalescerPins::kName,
                                  "the coalescer requests line " + hex(out.back().line) +
                                      " for lanes " + hex(r.lanes) + ", which do not access it");
            if (r.last != 0)
                return r.busy;
        }
    }
    throw MachineStop(StopKind::Hang, TaCoalescerPins::kName, "the coalescer comes to no end");
}

}  // namespace archipelago::cu
