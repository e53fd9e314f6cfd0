// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tc_l1_core.h"

#include "models/common/pins/twin_limits.h"
#include "models/tc/tc_l1_ports.h"

namespace archipelago::tc {
namespace {

using L1Pins = rtl::TcL1Pins;

static_assert(static_cast<uint8_t>(TcpFault::UnknownAnswer) == L1Pins::kUnknownAnswer);

}  // namespace

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
    c.set_hash = static_cast<uint8_t>(spec.geometry.set_hash);
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
    s.geometry = {c.set_mask + 1u, L1Pins::kWays, c.set_hash};
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
            below_.arrived(response.tag, now, response);
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
