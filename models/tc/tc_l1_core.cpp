// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tc_l1_core.h"

#include "models/common/pins/twin_limits.h"

namespace archipelago::tc {
namespace {

using L1Pins = rtl::TcL1Pins;

static_assert(static_cast<uint8_t>(TcpFault::UnknownAnswer) == L1Pins::kUnknownAnswer);

}  // namespace

// ---- messages and ports ------------------------------------------------------------------------

template <class Pass>
void TcL1Parts::each_port(Pass& pass, VectorL1& l1, unsigned lanes) {
    auto& in = pass.in;
    auto& out = pass.out;
    pass.lanes(l1.from_cu, lanes, in.cu_valid, out.cu_ready,
               [&](auto m, auto& r, unsigned lane) { map_request(m, r, in.cu[lane]); });
    pass.input(l1.from_l2, in.l2_valid, out.l2_ready, [&](auto m, auto& r) {
        map_answer_below(m, r, in.l2_tag, in.l2_status, in.l2_data);
    });
    pass.input(l1.actions, in.action_valid, out.action_ready,
               [&](auto m, auto& a) { map_action(m, CacheLevel::L1, a, in.action); });
    pass.output_lanes(l1.to_cu, L1Pins::kLanes, in.answer_ready, out.answer_valid,
                      [&](auto m, auto& r, unsigned lane) { map_answer(m, r, out.answer[lane]); });
    pass.output(l1.to_l2, in.down_ready, out.down_valid,
                [&](auto m, auto& r) { map_request(m, r, out.down); });
    pass.output(l1.to_action_done, in.done_ready, out.done_valid,
                [&](auto m, auto& done) { m(done.tag, out.done_tag); });
}

template <class M, class C, class E>
void TcL1Parts::map_events(M m, C& c, E& e) {
    m(c.reads, e.reads);
    m(c.read_hits, e.read_hits);
    m(c.read_misses, e.read_misses);
    m(c.read_merged, e.read_merged);
    m(c.glc_reads, e.glc_reads);
    m(c.writes, e.writes);
    m(c.write_hits, e.write_hits);
    m(c.atomics, e.atomics);
    m(c.fills, e.fills);
    m(c.dropped_fills, e.dropped_fills);
    m(c.evictions, e.evictions);
    m(c.invalidated_lines, e.invalidated_lines);
    m(c.cache_actions, e.cache_actions);
    m(c.failed_accesses, e.failed_accesses);
    m(c.bytes_returned, e.bytes_returned);
    m(c.bytes_written, e.bytes_written);
}

template class CachePinCore<TcL1Parts>;
template class CacheOnPins<TcL1Parts>;

// ---- configuration -----------------------------------------------------------------------------

L1Pins::Config config_to_pins(const TcpSpec& spec) {
    const auto fit = [](unsigned value, unsigned most, const char* key) {
        return static_cast<uint8_t>(rtl::in_range<L1Pins>(1, most, key, value));
    };
    rtl::in_range<L1Pins>(L1Pins::kWays, L1Pins::kWays, "tcp.ways", spec.geometry.ways);
    constexpr unsigned kSetBytes = L1Pins::kWays * kLineBytes;
    rtl::in_range<L1Pins>(kSetBytes, L1Pins::kSets * kSetBytes, "tcp.size",
                          spec.geometry.sets * kSetBytes);
    L1Pins::Config c;
    c.set_mask = static_cast<uint8_t>(spec.geometry.sets - 1);
    c.lookups = fit(spec.lookups_per_cycle, L1Pins::kLanes, "tcp.lookups_per_cycle");
    c.mshrs = fit(spec.mshrs, L1Pins::kMshrs, "tcp.mshrs");
    c.order = static_cast<uint16_t>(
        rtl::in_range<L1Pins>(1, L1Pins::kOrder, "tcp.order_entries", spec.order_entries));
    c.hit = fit(spec.hit_latency, L1Pins::kMaxCycles, "tcp.hit_latency");
    c.fill = fit(spec.fill_latency, L1Pins::kMaxCycles, "tcp.fill_latency");
    c.ack = fit(spec.ack_latency, L1Pins::kMaxCycles, "tcp.ack_latency");
    c.invalidate = fit(spec.invalidate_cycles, L1Pins::kMaxCycles, "tcp.invalidate_cycles");
    return c;
}

TcpSpec spec_from_pins(const L1Pins::Config& c) {
    TcpSpec s;
    s.geometry = {c.set_mask + 1u, L1Pins::kWays};
    s.mshrs = c.mshrs;
    s.order_entries = c.order;
    s.lookups_per_cycle = c.lookups;
    s.hit_latency = c.hit;
    s.fill_latency = c.fill;
    s.ack_latency = c.ack;
    s.invalidate_cycles = c.invalidate;
    s.from_cu.capacity = L1Pins::kLanes;
    return s;
}

// ---- the core at its pins ----------------------------------------------------------------------

TcL1Core::TcL1Core() {
    take(config_, TcL1Core::make(config_));
}

std::unique_ptr<TcpCore> TcL1Core::make(const L1Pins::Config& config) {
    auto core = std::make_unique<TcpCore>(spec_from_pins(config));
    core->to_cu.connect(to_cu_);
    core->to_l2.connect(to_l2_);
    return core;
}

void TcL1Core::present_events(const Events& before, const Events& after, Out& out) {
    out.event.released = static_cast<uint16_t>(after.released - before.released);
}

// ---- in a chip ---------------------------------------------------------------------------------

L1OnPins::L1OnPins(rtl::PinBlock<L1Pins>& block, const TcpSpec& spec, const std::string& name)
    : CacheOnPins(block, config_to_pins(spec), spec.lookups_per_cycle, spec, name) {
    add_inputs(from_cu, from_l2, actions);
    L1OnPins::reset();
}

void L1OnPins::reset() {
    CacheOnPins::reset();
    out_.waits = 1;
}

void L1OnPins::stop() const {
    throw TcpStop(static_cast<TcpFault>(out_.error), name_);
}

void L1OnPins::follow(Cycle now) {
    for (unsigned i = 0; i < out_.event.released; ++i)
        waits_.out.pass(now);
    const unsigned waiting = out_.event.read_merged + out_.down_valid;
    for (unsigned i = 0; i < waiting; ++i)
        waits_.in.pass(now);
    for (unsigned lane = 0; lane < L1Pins::kLanes; ++lane)
        owed_ += out_.cu_ready[lane] - out_.answer_valid[lane];
    if (out_.l2_ready != 0) {
        const MemResponse& response = from_l2.front();
        const bool fill = (response.tag & kTcpSlotTag) == 0;
        below_.answered(fill);
        if (fill)
            below_.arrived(response.tag, now, response.uid);
    }
    if (out_.down_valid == 0)
        return;
    const bool fill = (out_.down.tag & kTcpSlotTag) == 0;
    below_.sent(fill);
    if (fill)
        below_.asked(out_.down.tag, now);
}

void L1OnPins::register_stats(StatsRegistry& registry, const std::string& path) const {
    register_tcp_stats(registry, path, count_, stall_);
}

}  // namespace archipelago::tc
