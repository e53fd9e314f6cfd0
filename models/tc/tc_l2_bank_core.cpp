// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tc_l2_bank_core.h"

#include <algorithm>
#include <type_traits>

#include "models/common/memory_log.h"
#include "models/common/pins/twin_limits.h"
#include "models/common/text.h"

namespace archipelago::tc {
namespace {

using Pins = rtl::TcL2BankPins;

unsigned log2_of(unsigned power) {
    unsigned bits = 0;
    while ((power >> bits) > 1)
        ++bits;
    return bits;
}

// Calls visit(event of the pins, its counter in `c`).
template <class Events, class Counters, class V>
void each_event(Events& e, Counters& c, V&& visit) {
    visit(e.reads, c.reads);
    visit(e.read_hits, c.read_hits);
    visit(e.read_misses, c.read_misses);
    visit(e.read_merged, c.read_merged);
    visit(e.partial_fills, c.partial_fills);
    visit(e.writes, c.writes);
    visit(e.write_hits, c.write_hits);
    visit(e.write_allocates, c.write_allocates);
    visit(e.write_throughs, c.write_throughs);
    visit(e.atomics, c.atomics);
    visit(e.atomic_operands, c.atomic_operands);
    visit(e.waited, c.waited);
    visit(e.fills, c.fills);
    visit(e.failed_fills, c.failed_fills);
    visit(e.evictions, c.evictions);
    visit(e.writebacks, c.writebacks);
    visit(e.writeback_bytes, c.writeback_bytes);
    visit(e.invalidated_lines, c.invalidated_lines);
    visit(e.cache_actions, c.cache_actions);
    visit(e.unmapped_writes, c.unmapped_writes);
    visit(e.bytes_read, c.bytes_read);
    visit(e.bytes_written, c.bytes_written);
    visit(e.busy_cycles, c.busy_cycles);
}

static_assert(static_cast<uint8_t>(TccFault::ForeignTag) == Pins::kForeignTag);

}  // namespace

// ---- configuration -----------------------------------------------------------------------------

Pins::Config config_to_pins(const TccSpec& spec, const mc::ChannelMapSpec& map, unsigned channel) {
    const auto fit = [](unsigned value, unsigned most, const char* key) {
        return static_cast<uint8_t>(rtl::in_range<Pins>(1, most, key, value));
    };
    rtl::in_range<Pins>(Pins::kWays, Pins::kWays, "tcc.ways", spec.geometry.ways);
    constexpr unsigned kSetBytes = Pins::kWays * kLineBytes;
    rtl::in_range<Pins>(kSetBytes, Pins::kSets * kSetBytes, "tcc.size",
                        spec.geometry.sets * kSetBytes);
    Pins::Config c;
    c.channel = static_cast<uint16_t>(channel);
    c.tahiti = mc::ChannelMap(map).kind() == mc::ChannelMapKind::Tahiti ? 1 : 0;
    c.channel_bits = static_cast<uint8_t>(c.tahiti != 0 ? 0 : log2_of(map.channels));
    c.block_shift = static_cast<uint8_t>(log2_of(map.interleave_bytes / kLineBytes));
    c.set_mask = static_cast<uint8_t>(spec.geometry.sets - 1);
    c.mshrs = fit(spec.mshrs, Pins::kMshrs, "tcc.mshrs");
    c.waiting = fit(spec.waiting_requests, Pins::kWaiting, "tcc.waiting_requests");
    c.answers = fit(spec.response_entries, Pins::kAnswers, "tcc.response_entries");
    c.memory = fit(spec.memory_entries, Pins::kMemory, "tcc.memory_entries");
    c.throughs = fit(spec.write_through_entries, Pins::kThroughs, "tcc.write_through_entries");
    c.walk = fit(spec.walk_lines_per_cycle, Pins::kWalk, "tcc.walk_lines_per_cycle");
    c.hit = fit(spec.hit_latency, Pins::kMostCycles, "tcc.hit_latency");
    c.fill = fit(spec.fill_latency, Pins::kMostCycles, "tcc.fill_latency");
    c.ack = fit(spec.ack_latency, Pins::kMostCycles, "tcc.ack_latency");
    c.atomic = fit(spec.atomic_cycles, Pins::kMostCycles, "tcc.atomic_cycles");
    return c;
}

TccSpec spec_from_pins(const Pins::Config& c) {
    TccSpec s;
    s.geometry = {c.set_mask + 1u, Pins::kWays};
    s.mshrs = c.mshrs;
    s.waiting_requests = c.waiting;
    s.response_entries = c.answers;
    s.memory_entries = c.memory;
    s.write_through_entries = c.throughs;
    s.walk_lines_per_cycle = c.walk;
    s.hit_latency = c.hit;
    s.fill_latency = c.fill;
    s.ack_latency = c.ack;
    s.atomic_cycles = c.atomic;
    return s;
}

mc::ChannelMapSpec map_from_pins(const Pins::Config& c) {
    mc::ChannelMapSpec m;
    m.kind = c.tahiti != 0 ? mc::ChannelMapKind::Tahiti : mc::ChannelMapKind::Bits;
    m.channels = c.tahiti != 0 ? 12 : 1u << c.channel_bits;
    m.interleave_bytes = kLineBytes << c.block_shift;
    return m;
}

// ---- the core on pins --------------------------------------------------------------------------

TcL2BankCore::TcL2BankCore() {
    take(config_, TcL2BankCore::make(config_));
}

std::unique_ptr<TccCore> TcL2BankCore::make(const Pins::Config& config) {
    auto core = std::make_unique<TccCore>(
        spec_from_pins(config), mc::ChannelMap(map_from_pins(config)), &page_, config.channel);
    core->to_fabric.connect(to_fabric_);
    core->to_memory.connect(to_memory_);
    return core;
}

void TcL2BankCore::offer(const In& in) {
    core_->from_fabric.clear();
    if (in.fabric_valid != 0) {
        MemRequest request;
        from_pins(in.fabric, request);
        give(core_->from_fabric, request);
    }
    page_.mapped = in.fabric_mapped != 0;
    core_->from_memory.clear();
    if (in.memory_valid != 0)
        give(core_->from_memory, answer_of(in.memory_tag, in.memory_status, in.memory_data));
    open(to_fabric_, in.answer_ready != 0);
    open(to_memory_, in.down_ready != 0);
}

void TcL2BankCore::sample(const In& in, Out& out) {
    out.fabric_ready = in.fabric_valid != 0 && core_->from_fabric.empty();
    out.memory_ready = in.memory_valid != 0 && core_->from_memory.empty();
    if (in.answer_ready != 0 && !to_fabric_.empty()) {
        out.answer_valid = 1;
        to_pins(to_fabric_.front(), out.answer);
    }
    if (in.down_ready != 0 && !to_memory_.empty()) {
        out.down_valid = 1;
        to_pins(to_memory_.front(), out.down);
    }
    each_event(out.event, events_.count, [](auto& event, uint64_t count) {
        event = static_cast<std::decay_t<decltype(event)>>(count);
    });
    if (events_.fetches != 0) {
        out.fetch_valid = 1;
        out.fetch_miss = static_cast<uint8_t>(events_.fetched);
    }
}

// ---- pins in a chip ----------------------------------------------------------------------------

namespace {
constexpr size_t kPages = 64;  // remembered as mapped
}

L2OnPins::L2OnPins(rtl::PinBlock<Pins>& block, const TccSpec& spec, const mc::ChannelMapSpec& map,
                   const PageCheck* pages, unsigned channel, const std::string& name)
    : L2Channel(spec, name),
      block_(block),
      pages_(pages),
      name_(name),
      mapped_(kPages, ~uint64_t{0}),
      since_(spec.mshrs, kNever),
      fills_(spec.mshrs) {
    in_.cfg = config_to_pins(spec, map, channel);
    reset();
}

void L2OnPins::reset() {
    Unit::reset();
    reset_on_pins(block_, in_, out_);
    holds_nothing_ = true;
    owed_ = 0;
    fabric_.reset();
    memory_.reset();
    action_.reset();
    std::fill(mapped_.begin(), mapped_.end(), ~uint64_t{0});
    std::fill(fills_.begin(), fills_.end(), Fill{});
    fills_open_ = writes_open_ = 0;
    count_ = {};
    stall_ = {};
}

void L2OnPins::put_inputs(Cycle now) {
    in_.pause = run_ == RunState::Paused ? 1 : 0;
    in_.fabric_valid =
        fabric_.offer(now, [&](const MemRequest& request) { to_pins(request, in_.fabric); });
    if (in_.fabric_valid != 0 && in_.fabric.through == 0 &&
        in_.fabric.command == static_cast<uint8_t>(MemCommand::Write))
        in_.fabric_mapped = page_mapped(pages_, mapped_, from_fabric.front().line);
    in_.memory_valid = memory_.offer(now, [&](const MemResponse& response) {
        in_.memory_tag = response.tag;
        in_.memory_status = static_cast<uint8_t>(response.status);
        to_pins(response.command == MemCommand::Write ? Line{} : response.data, in_.memory_data);
    });
    in_.action_valid = action_.offer(
        now, [&](const CacheAction& action) { to_pins(action, CacheLevel::L2, in_.action); });
    in_.answer_ready = to_fabric->can_push(now);
    in_.down_ready = to_memory->can_push(now);
    in_.done_ready = to_action_done && to_action_done->can_push(now);
}

bool L2OnPins::tick(Cycle now) {
    put_inputs(now);
    if ((in_.fabric_valid | in_.memory_valid | in_.action_valid) == 0 && out_.waits != 0)
        return false;
    block_.step(in_, out_);
    if (out_.error != Pins::kNoError)
        throw TccStop(static_cast<TccFault>(out_.error), name_, from_memory.front().line);
    return take_outputs(now);
}

// As TccCore does, in its order: memory's answer, then the request.
void L2OnPins::tap(Cycle now) {
    if (out_.memory_ready != 0) {
        const uint32_t tag = from_memory.front().tag;
        const uint32_t kind = tag & kTccTagKind;
        (kind == kTccWriteBackTag ? taps_.write_backs : taps_.below).out.pass(now);
        if (kind == kTccFillTag)
            for (unsigned& waiting = fills_[tag & ~kTccTagKind].waiting; waiting != 0; --waiting)
                taps_.waits.out.pass(now);
        else if (kind == kTccWriteThroughTag)
            taps_.waits.out.pass(now);
    }
    for (unsigned i = 0; i < out_.event.writebacks; ++i)
        taps_.write_backs.in.pass(now);
    if (out_.fetch_valid != 0 || out_.event.write_throughs != 0) {
        taps_.waits.in.pass(now);
        taps_.below.in.pass(now);
    }
    if (out_.fetch_valid != 0)
        fills_[out_.fetch_miss] = {from_fabric.front().line, 1};
    if (out_.event.waited == 0)
        return;
    const auto fill = std::find_if(fills_.begin(), fills_.end(), [&](const Fill& f) {
        return f.line == from_fabric.front().line && f.waiting != 0;
    });
    if (fill == fills_.end())
        return;  // it is here
    ++fill->waiting;
    taps_.waits.in.pass(now);
}

bool L2OnPins::take_outputs(Cycle now) {
    bool moved = false;
    tap(now);
    if (out_.memory_ready != 0) {
        const MemResponse& response = from_memory.front();
        if ((response.tag & kTccTagKind) == kTccFillTag) {
            --fills_open_;
            if (since_[response.tag] != kNever)  // fetch has told of it
                rows_.arrived(response.tag, since_[response.tag], now, response.uid);
            since_[response.tag] = kNever;
        } else {
            --writes_open_;
        }
        memory_.take(now);
        moved = true;
    }
    if (out_.fabric_ready != 0) {
        if (log_ != nullptr)
            log_request(*log_, now, name_, "fabric", from_fabric.front());
        fabric_.take(now);
        ++owed_;
        moved = true;
    }
    if (out_.action_ready != 0) {
        require_completion(static_cast<bool>(to_action_done), name_);
        action_.take(now);
        moved = true;
    }
    if (out_.fetch_valid != 0)
        since_[out_.fetch_miss] = now;
    if (out_.down_valid != 0) {
        MemRequest request;
        from_pins(out_.down, request);
        to_memory->push(now, request);
        ++(request.command == MemCommand::Read ? fills_open_ : writes_open_);
        moved = true;
    }
    if (out_.answer_valid != 0) {
        MemResponse response;
        from_pins(out_.answer, response);
        to_fabric->push(now, response);
        --owed_;
        moved = true;
    }
    if (out_.done_valid != 0) {
        to_action_done->push(now, CacheActionDone{out_.done_tag});
        moved = true;
    }
    each_event(out_.event, count_, [](uint64_t event, uint64_t& counter) { counter += event; });
    stall_.stalled(now, static_cast<TccStall>(out_.stall));
    holds_nothing_ = out_.idle != 0;
    return moved || out_.waits == 0;
}

// ---- control, statistics -----------------------------------------------------------------------

bool L2OnPins::idle() const {
    return inputs_empty() && holds_nothing_;
}

std::string L2OnPins::waiting_for() const {
    PinsWait wait{run_ == RunState::Paused, inputs_empty(), holds_nothing_, owed_, {}};
    if (fills_open_ != 0 || writes_open_ != 0)
        wait.below = std::to_string(fills_open_) + " fills and " + std::to_string(writes_open_) +
                     " writes in memory";
    return text_of(wait);
}

void L2OnPins::register_stats(StatsRegistry& registry, const std::string& path) const {
    register_tcc_stats(registry, path, count_, stall_);
}

void L2OnPins::observe(const Observers& observers, const std::string& path) {
    log_ = memory_log(observers);
    rows_.observe(observers, path, since_.size());
}

void L2OnPins::finish_trace(Cycle now) const {
    rows_.finish(now, [this](uint32_t miss) { return since_[miss]; });
}

}  // namespace archipelago::tc
