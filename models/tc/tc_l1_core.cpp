// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tc_l1_core.h"

#include <type_traits>

#include "models/common/pins/twin_limits.h"

namespace archipelago::tc {
namespace {

using Pins = rtl::TcL1Pins;

// Calls visit(event of the pins, its counter in `c`).
template <class Events, class Counters, class V>
void each_event(Events& e, Counters& c, V&& visit) {
    visit(e.reads, c.reads);
    visit(e.read_hits, c.read_hits);
    visit(e.read_misses, c.read_misses);
    visit(e.read_merged, c.read_merged);
    visit(e.glc_reads, c.glc_reads);
    visit(e.writes, c.writes);
    visit(e.write_hits, c.write_hits);
    visit(e.atomics, c.atomics);
    visit(e.fills, c.fills);
    visit(e.dropped_fills, c.dropped_fills);
    visit(e.evictions, c.evictions);
    visit(e.invalidated_lines, c.invalidated_lines);
    visit(e.cache_actions, c.cache_actions);
    visit(e.failed_accesses, c.failed_accesses);
    visit(e.bytes_returned, c.bytes_returned);
    visit(e.bytes_written, c.bytes_written);
}

static_assert(static_cast<uint8_t>(TcpFault::UnknownAnswer) == Pins::kUnknownAnswer);

}  // namespace

// ---- configuration -----------------------------------------------------------------------------

Pins::Config config_to_pins(const TcpSpec& spec) {
    const auto fit = [](unsigned value, unsigned most, const char* key) {
        return static_cast<uint8_t>(rtl::in_range<Pins>(1, most, key, value));
    };
    rtl::in_range<Pins>(Pins::kWays, Pins::kWays, "tcp.ways", spec.geometry.ways);
    constexpr unsigned kSetBytes = Pins::kWays * kLineBytes;
    rtl::in_range<Pins>(kSetBytes, Pins::kSets * kSetBytes, "tcp.size",
                        spec.geometry.sets * kSetBytes);
    Pins::Config c;
    c.set_mask = static_cast<uint8_t>(spec.geometry.sets - 1);
    c.lookups = fit(spec.lookups_per_cycle, Pins::kLanes, "tcp.lookups_per_cycle");
    c.mshrs = fit(spec.mshrs, Pins::kMshrs, "tcp.mshrs");
    c.order = static_cast<uint16_t>(
        rtl::in_range<Pins>(1, Pins::kOrder, "tcp.order_entries", spec.order_entries));
    c.hit = fit(spec.hit_latency, Pins::kMostCycles, "tcp.hit_latency");
    c.fill = fit(spec.fill_latency, Pins::kMostCycles, "tcp.fill_latency");
    c.ack = fit(spec.ack_latency, Pins::kMostCycles, "tcp.ack_latency");
    c.invalidate = fit(spec.invalidate_cycles, Pins::kMostCycles, "tcp.invalidate_cycles");
    return c;
}

TcpSpec spec_from_pins(const Pins::Config& c) {
    TcpSpec s;
    s.geometry = {c.set_mask + 1u, Pins::kWays};
    s.mshrs = c.mshrs;
    s.order_entries = c.order;
    s.lookups_per_cycle = c.lookups;
    s.hit_latency = c.hit;
    s.fill_latency = c.fill;
    s.ack_latency = c.ack;
    s.invalidate_cycles = c.invalidate;
    s.from_cu.capacity = Pins::kLanes;
    return s;
}

// ---- the core on pins --------------------------------------------------------------------------

TcL1Core::TcL1Core() {
    take(config_, TcL1Core::make(config_));
}

std::unique_ptr<TcpCore> TcL1Core::make(const Pins::Config& config) {
    auto core = std::make_unique<TcpCore>(spec_from_pins(config));
    core->to_cu.connect(to_cu_);
    core->to_l2.connect(to_l2_);
    return core;
}

void TcL1Core::offer(const In& in) {
    core_->from_cu.clear();
    for (offered_ = 0; offered_ < Pins::kLanes && in.cu_valid[offered_] != 0; ++offered_) {
        MemRequest request;
        from_pins(in.cu[offered_], request);
        give(core_->from_cu, request);
    }
    core_->from_l2.clear();
    if (in.l2_valid != 0)
        give(core_->from_l2, answer_of(in.l2_tag, in.l2_status, in.l2_data));
    to_cu_.clear();
    unsigned room = 0;
    while (room < Pins::kLanes && in.answer_ready[room] != 0)
        ++room;
    for (blocked_ = 0; blocked_ < Pins::kLanes - room; ++blocked_)
        to_cu_.push(now_ - 1, MemResponse{});
    open(to_l2_, in.down_ready != 0);
}

void TcL1Core::sample(const In& in, Out& out) {
    const size_t taken = offered_ - core_->from_cu.size();
    for (unsigned lane = 0; lane < taken; ++lane)
        out.cu_ready[lane] = 1;
    out.l2_ready = in.l2_valid != 0 && core_->from_l2.empty();
    for (; blocked_ != 0; --blocked_)
        to_cu_.drop(now_);
    for (unsigned lane = 0; !to_cu_.empty(); ++lane) {
        out.answer_valid[lane] = 1;
        to_pins(to_cu_.front(), out.answer[lane]);
        to_cu_.drop(now_);
    }
    if (in.down_ready != 0 && !to_l2_.empty()) {
        out.down_valid = 1;
        to_pins(to_l2_.front(), out.down);
    }
    each_event(out.event, events_.count, [](auto& event, uint64_t count) {
        event = static_cast<std::decay_t<decltype(event)>>(count);
    });
    out.event.released = static_cast<uint16_t>(events_.released);
}

// ---- pins in a chip ----------------------------------------------------------------------------

L1OnPins::L1OnPins(rtl::PinBlock<Pins>& block, const TcpSpec& spec, const std::string& name)
    : VectorL1(spec, name), block_(block), name_(name), since_(spec.mshrs, kNever) {
    add_inputs(from_cu, from_l2, actions);
    in_.cfg = config_to_pins(spec);
    reset();
}

void L1OnPins::reset() {
    Unit::reset();
    reset_on_pins(block_, in_, out_);
    out_.waits = 1;
    holds_nothing_ = true;
    owed_ = 0;
    requests_seen_ = 0;
    l2_.reset();
    action_.reset();
    fills_open_ = answers_open_ = 0;
    count_ = {};
    stall_ = {};
}

void L1OnPins::put_requests(Cycle now) {
    unsigned lane = 0;
    for (; lane < in_.cfg.lookups; ++lane) {
        const MemRequest* request = from_cu.peek(now, lane);
        if (request == nullptr)
            break;
        in_.cu_valid[lane] = 1;
        if (lane >= requests_seen_) {
            to_pins(*request, in_.cu[lane]);
            requests_seen_ = lane + 1;
        }
    }
    for (; lane < in_.cfg.lookups; ++lane)
        in_.cu_valid[lane] = 0;
}

void L1OnPins::put_inputs(Cycle now) {
    in_.pause = run_ == RunState::Paused ? 1 : 0;
    put_requests(now);
    in_.l2_valid = l2_.offer(now, [&](const MemResponse& response) {
        in_.l2_tag = response.tag;
        in_.l2_status = static_cast<uint8_t>(response.status);
        to_pins(response.command == MemCommand::Write ? Line{} : response.data, in_.l2_data);
    });
    in_.action_valid = action_.offer(
        now, [&](const CacheAction& action) { to_pins(action, CacheLevel::L1, in_.action); });
    const unsigned room = to_cu->space(now);
    for (unsigned lane = 0; lane < Pins::kLanes; ++lane)
        in_.answer_ready[lane] = lane < room;
    in_.down_ready = to_l2->can_push(now);
    in_.done_ready = to_action_done && to_action_done->can_push(now);
}

bool L1OnPins::has_input() const {
    return (in_.cu_valid[0] | in_.l2_valid | in_.action_valid) != 0;
}

bool L1OnPins::tick(Cycle now) {
    put_inputs(now);
    if (!has_input() && out_.waits != 0)
        return false;
    block_.step(in_, out_);
    if (out_.error != Pins::kNoError)
        throw TcpStop(static_cast<TcpFault>(out_.error), name_);
    tap(now);
    const bool taken = take_inputs(now);
    const bool given = take_outputs(now);
    return taken || given || out_.waits == 0;
}

void L1OnPins::tap(Cycle now) {
    for (unsigned i = 0; i < out_.event.released; ++i)
        waits_.out.pass(now);
    const unsigned waiting = out_.event.read_merged + out_.down_valid;
    for (unsigned i = 0; i < waiting; ++i)
        waits_.in.pass(now);
    each_event(out_.event, count_, [](uint64_t event, uint64_t& counter) { counter += event; });
    stall_.stalled(now, static_cast<TcpStall>(out_.stall));
    holds_nothing_ = out_.idle != 0;
}

bool L1OnPins::take_inputs(Cycle now) {
    bool moved = false;
    if (out_.l2_ready != 0) {
        const MemResponse& response = from_l2.front();
        if ((response.tag & kTcpSlotTag) != 0) {
            --answers_open_;
        } else {
            --fills_open_;
            rows_.arrived(response.tag, since_[response.tag], now, response.uid);
            since_[response.tag] = kNever;
        }
        l2_.take(now);
        moved = true;
    }
    for (unsigned lane = 0; lane < Pins::kLanes && out_.cu_ready[lane] != 0; ++lane) {
        from_cu.drop(now);
        requests_seen_ = 0;
        ++owed_;
        moved = true;
    }
    if (out_.action_ready != 0) {
        require_completion(static_cast<bool>(to_action_done), name_);
        action_.take(now);
        moved = true;
    }
    return moved;
}

bool L1OnPins::take_outputs(Cycle now) {
    bool moved = false;
    if (out_.down_valid != 0) {
        MemRequest request;
        from_pins(out_.down, request);
        const bool fill = (request.tag & kTcpSlotTag) == 0;
        ++(fill ? fills_open_ : answers_open_);
        if (fill)
            since_[request.tag] = now;
        to_l2->push(now, request);
        moved = true;
    }
    if (out_.done_valid != 0) {
        to_action_done->push(now, CacheActionDone{out_.done_tag});
        moved = true;
    }
    for (unsigned lane = 0; lane < Pins::kLanes && out_.answer_valid[lane] != 0; ++lane) {
        MemResponse response;
        from_pins(out_.answer[lane], response);
        to_cu->push(now, response);
        --owed_;
        moved = true;
    }
    return moved;
}

// ---- control, statistics -----------------------------------------------------------------------

bool L1OnPins::idle() const {
    return inputs_empty() && holds_nothing_;
}

std::string L1OnPins::waiting_for() const {
    PinsWait wait{run_ == RunState::Paused, inputs_empty(), holds_nothing_, owed_, {}};
    if (fills_open_ != 0 || answers_open_ != 0)
        wait.below = std::to_string(fills_open_) + " fills and " + std::to_string(answers_open_) +
                     " writes and atomics in L2";
    return text_of(wait);
}

void L1OnPins::register_stats(StatsRegistry& registry, const std::string& path) const {
    register_tcp_stats(registry, path, count_, stall_);
}

void L1OnPins::observe(const Observers& observers, const std::string& path) {
    rows_.observe(observers, path, since_.size());
}

void L1OnPins::finish_trace(Cycle now) const {
    rows_.finish(now, [this](uint32_t miss) { return since_[miss]; });
}

}  // namespace archipelago::tc
