// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tc_l2_bank_core.h"

#include <algorithm>

#include "models/common/memory_log.h"
#include "models/common/pins/twin_limits.h"
#include "models/common/text.h"
#include "models/tc/tc_l2_bank_ports.h"

namespace archipelago::tc {
namespace {

using L2Pins = rtl::TcL2BankPins;

unsigned log2_of(unsigned power) {
    unsigned bits = 0;
    while ((power >> bits) > 1)
        ++bits;
    return bits;
}

static_assert(static_cast<uint8_t>(TccFault::ForeignTag) == L2Pins::kForeignTag);

}  // namespace

template class CachePinCore<TcL2BankParts>;
template class CacheOnPins<TcL2BankParts>;

// ---- configuration -----------------------------------------------------------------------------

L2Pins::Config config_to_pins(const TccSpec& spec, const mc::ChannelMapSpec& map,
                              unsigned channel) {
    const auto fit = [](unsigned value, unsigned most, const char* key) {
        return static_cast<uint8_t>(rtl::in_range<L2Pins>(1, most, key, value));
    };
    rtl::in_range<L2Pins>(L2Pins::kWays, L2Pins::kWays, "tcc.ways", spec.geometry.ways);
    constexpr unsigned kSetBytes = L2Pins::kWays * kLineBytes;
    rtl::in_range<L2Pins>(kSetBytes, L2Pins::kSets * kSetBytes, "tcc.size",
                          spec.geometry.sets * kSetBytes);
    L2Pins::Config c;
    c.channel = static_cast<uint16_t>(channel);
    c.tahiti = mc::ChannelMap(map).kind() == mc::ChannelMapKind::Tahiti ? 1 : 0;
    c.channel_bits = static_cast<uint8_t>(c.tahiti != 0 ? 0 : log2_of(map.channels));
    c.block_shift = static_cast<uint8_t>(log2_of(map.interleave_bytes / kLineBytes));
    c.set_mask = static_cast<uint8_t>(spec.geometry.sets - 1);
    c.set_hash = static_cast<uint8_t>(spec.geometry.set_hash);
    c.mshrs = fit(spec.mshrs, L2Pins::kMshrs, "tcc.mshrs");
    c.waiting = fit(spec.waiting_requests, L2Pins::kWaiting, "tcc.waiting_requests");
    c.answers = fit(spec.response_entries, L2Pins::kAnswers, "tcc.response_entries");
    c.memory = fit(spec.memory_entries, L2Pins::kMemory, "tcc.memory_entries");
    c.throughs = fit(spec.write_through_entries, L2Pins::kThroughs, "tcc.write_through_entries");
    c.walk = fit(spec.walk_lines_per_cycle, L2Pins::kWalk, "tcc.walk_lines_per_cycle");
    c.hit = fit(spec.hit_latency, L2Pins::kMaxCycles, "tcc.hit_latency");
    c.fill = fit(spec.fill_latency, L2Pins::kMaxCycles, "tcc.fill_latency");
    c.ack = fit(spec.ack_latency, L2Pins::kMaxCycles, "tcc.ack_latency");
    c.atomic = fit(spec.atomic_cycles, L2Pins::kMaxCycles, "tcc.atomic_cycles");
    return c;
}

TccSpec spec_from_pins(const L2Pins::Config& c) {
    TccSpec s;
    s.geometry = {c.set_mask + 1u, L2Pins::kWays, c.set_hash};
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

mc::ChannelMapSpec map_from_pins(const L2Pins::Config& c) {
    mc::ChannelMapSpec m;
    m.kind = c.tahiti != 0 ? mc::ChannelMapKind::Tahiti : mc::ChannelMapKind::Bits;
    m.channels = c.tahiti != 0 ? 12 : 1u << c.channel_bits;
    m.interleave_bytes = kLineBytes << c.block_shift;
    return m;
}

// ---- the core at its pins ----------------------------------------------------------------------

TcL2BankCore::TcL2BankCore() {
    take(config_, TcL2BankCore::make(config_));
}

std::unique_ptr<TccCore> TcL2BankCore::make(const L2Pins::Config& config) {
    auto core = std::make_unique<TccCore>(
        spec_from_pins(config), mc::ChannelMap(map_from_pins(config)), &page_, config.channel);
    core->to_fabric.connect(to_fabric_);
    core->to_memory.connect(to_memory_);
    return core;
}

void TcL2BankCore::apply_levels(const In& in) {
    page_.mapped = in.fabric_mapped != 0;
}

void TcL2BankCore::present_events(const Events& before, const Events& after, Out& out) {
    if (after.fetches == before.fetches)
        return;
    out.fetch_valid = 1;
    out.fetch_miss = static_cast<uint8_t>(after.fetched);
}

// ---- in a chip ---------------------------------------------------------------------------------

namespace {
constexpr size_t kPages = 64;  // remembered as mapped
}

L2OnPins::L2OnPins(rtl::PinBlock<L2Pins>& block, const TccSpec& spec, const mc::ChannelMapSpec& map,
                   const PageCheck* pages, unsigned channel, const std::string& name)
    : CacheOnPins(block, config_to_pins(spec, map, channel), 1, spec, name),
      pages_(pages),
      mapped_(kPages, ~uint64_t{0}),
      fills_(spec.mshrs) {
    L2OnPins::reset();
}

void L2OnPins::reset() {
    CacheOnPins::reset();
    std::fill(mapped_.begin(), mapped_.end(), ~uint64_t{0});
    std::fill(fills_.begin(), fills_.end(), Fill{});
}

void L2OnPins::drive_levels() {
    if (in_.fabric_valid != 0 && in_.fabric.through == 0 &&
        in_.fabric.command == static_cast<uint8_t>(MemCommand::Write))
        in_.fabric_mapped = page_mapped(pages_, mapped_, from_fabric.front().line);
}

void L2OnPins::stop() const {
    throw TccStop(static_cast<TccFault>(out_.error), name_, from_memory.front().line);
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

void L2OnPins::follow(Cycle now) {
    tap(now);
    owed_ += out_.fabric_ready - out_.answer_valid;
    if (out_.memory_ready != 0) {
        const MemResponse& response = from_memory.front();
        const bool fill = (response.tag & kTccTagKind) == kTccFillTag;
        below_.answered(fill);
        if (fill)
            below_.arrived(response.tag, now, response);
    }
    if (out_.fabric_ready != 0 && log_ != nullptr)
        log_request(*log_, now, name_, "fabric", from_fabric.front());
    if (out_.fetch_valid != 0)
        below_.asked(out_.fetch_miss, now);
    if (out_.down_valid != 0)
        below_.sent(out_.down.command == static_cast<uint8_t>(MemCommand::Read));
}

// ---- control, statistics -----------------------------------------------------------------------

void L2OnPins::register_stats(StatsRegistry& registry, const std::string& path) const {
    register_tcc_stats(registry, path, count_, stall_);
}

void L2OnPins::observe(const Observers& observers, const std::string& path) {
    log_ = memory_log(observers);
    CacheOnPins::observe(observers, path);
}

}  // namespace archipelago::tc
