// SPDX-License-Identifier: Apache-2.0
#include "models/perf/perf_core.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/register_service.h"

namespace archipelago::perf {

namespace {

enum State : uint32_t { kDisableAndReset = 0, kStartCounting = 1, kStopCounting = 2 };

[[noreturn]] void stop(StopKind kind, const std::string& text) {
    throw MachineStop(kind, "perf", text);
}

// Of a block's counters, those GRBM_GFX_INDEX names; a read is of the first.
std::vector<unsigned> chosen_copies(const RegRequest& request, const Copies& copies) {
    const auto covers = [](bool broadcast, unsigned index, unsigned at, unsigned count) {
        return count == 1 || broadcast || index == at;
    };
    std::vector<unsigned> chosen;
    for (unsigned se = 0; se < copies.se; ++se)
        for (unsigned sh = 0; sh < copies.sh; ++sh)
            for (unsigned i = 0; i < copies.instance; ++i)
                if (covers(request.se_broadcast, request.se, se, copies.se) &&
                    covers(request.sh_broadcast, request.sh, sh, copies.sh) &&
                    covers(request.instance_broadcast, request.instance, i, copies.instance))
                    chosen.push_back(copies.number(se, sh, i));
    return chosen;
}

}  // namespace

PerfCore::PerfCore(const PerfSpec& spec)
    : registers(spec.registers, "perf.registers"),
      events(spec.events),
      spec_(spec),
      counters_(m_.counters.size()) {
    if (m_.events == nullptr || !m_.CP_PERFMON_CNTL.exists())
        throw std::invalid_argument("perf: expected the registers and events of a family");
    add_inputs(registers, events);
    for (const EventRow& row : *m_.events)
        counted_[{row.block, row.event}].resize(m_.copies_of(row.block).count(),
                                                {*row.counter == '\0', {}});
    for (size_t i = 0; i < counters_.size(); ++i)
        counters_[i].resize(m_.copies_of(m_.counters[i].block).count());
    PerfCore::reset();
}

void PerfCore::connect_counters(const StatsRegistry& registry) {
    // A chip has thousands of counters, with a few hundred names.
    std::unordered_map<std::string_view, std::vector<const archipelago::Counter*>> by_name;
    for (const archipelago::Counter& counter : registry.counters())
        by_name[counter.name].push_back(&counter);
    for (const EventRow& row : *m_.events) {
        if (*row.counter == '\0')
            continue;
        std::vector<PerfEvent>& events_of = counted_[{row.block, row.event}];
        for (const archipelago::Counter* counter : by_name[row.counter])
            if (unit_matches(counter->unit_path, row.unit))
                events_of.at(m_.copy_of(row.block, counter->unit_path))
                    .counters.push_back(counter->value);
    }
}

void PerfCore::add_busy(Block block, uint16_t event, const Wire<bool>* wire) {
    busy_[{block, event}].push_back(wire);
}

void PerfCore::archive(Archive& a) {
    Unit::archive(a);
    a(now_, cp_, control_, window_, latched_);
    for (unsigned i = 0; i < counters_.size(); ++i) {
        for (unsigned copy = 0; copy < counters_[i].size(); ++copy) {
            Counter& c = counters_[i][copy];
            a(c.counter, c.select, c.latched);
            c.counter.recall(event_of(i, c.select, copy));
            c.busy = busy_of(i, c.select);
        }
    }
    find_watched();
}

const PerfEvent* PerfCore::event_of(unsigned index, uint32_t select, unsigned copy) const {
    const CounterRegisters& r = m_.counters[index];
    const auto found = counted_.find({r.block, static_cast<uint16_t>(select & r.event_mask)});
    return found != counted_.end() ? &found->second[copy] : nullptr;
}

const std::vector<const Wire<bool>*>* PerfCore::busy_of(unsigned index, uint32_t select) const {
    const CounterRegisters& r = m_.counters[index];
    const auto found = busy_.find({r.block, static_cast<uint16_t>(select & r.event_mask)});
    return found != busy_.end() ? &found->second : nullptr;
}

void PerfCore::reset() {
    Unit::reset();
    control_ = 0;
    window_ = true;
    latched_ = false;
    now_ = 0;
    cp_ = {};
    cp_.select(0, &cycles_);
    for (size_t i = 0; i < counters_.size(); ++i) {
        // Event 0, which need not be one that can be counted.
        const auto found = counted_.find({m_.counters[i].block, 0});
        for (size_t copy = 0; copy < counters_[i].size(); ++copy) {
            counters_[i][copy] = {};
            if (found != counted_.end())
                counters_[i][copy].counter.select(0, &found->second[copy]);
        }
    }
    watched_.clear();
}

// ---- control -----------------------------------------------------------------------------------

void PerfCore::update() {
    const bool counting = m_.CP_PERFMON_CNTL.PERFMON_STATE(control_) == kStartCounting;
    for (size_t i = 0; i < counters_.size(); ++i) {
        const bool run = counting && (window_ || !windowed(m_.counters[i].block));
        for (Counter& c : counters_[i])
            if (run)
                c.counter.start(now_);
            else
                c.counter.stop(now_);
    }
    if (counting)
        cp_.start(now_);
    else
        cp_.stop(now_);
    wake_at(now_ + 1);
}

void PerfCore::control(uint32_t value) {
    const auto& control = m_.CP_PERFMON_CNTL;
    if (control.SPM_PERFMON_STATE(value) != 0)
        stop(StopKind::Unimplemented, "CP_PERFMON_CNTL: SPM_PERFMON_STATE " +
                                          std::to_string(control.SPM_PERFMON_STATE(value)) +
                                          " (streaming counters) is not implemented");
    if (control.PERFMON_STATE(value) == 3 || control.PERFMON_STATE(value) > 5)
        stop(StopKind::BadInput, "CP_PERFMON_CNTL: reserved PERFMON_STATE " +
                                     std::to_string(control.PERFMON_STATE(value)));
    if (control.PERFMON_STATE(value) > kStopCounting)
        stop(StopKind::Unimplemented, "CP_PERFMON_CNTL: PERFMON_STATE " +
                                          std::to_string(control.PERFMON_STATE(value)) +
                                          " (phantom) is not implemented");
    if (control.PERFMON_ENABLE_MODE(value) == 1)
        stop(StopKind::BadInput, "CP_PERFMON_CNTL: reserved PERFMON_ENABLE_MODE 1");
    if (control.PERFMON_ENABLE_MODE(value) != 0)
        stop(StopKind::Unimplemented, "CP_PERFMON_CNTL: counting by context (PERFMON_ENABLE_MODE " +
                                          std::to_string(control.PERFMON_ENABLE_MODE(value)) +
                                          ") is not implemented");
    control_ = value;
    if (control.PERFMON_STATE(value) == kDisableAndReset) {
        latched_ = false;
        each_counter([](Counter& c) { c.counter.reset(); });
        cp_.reset();
    }
    update();
}

void PerfCore::take_event(Cycle now, uint8_t type) {
    now_ = std::max(now_, now);
    if (clock_)
        now_ = clock_();
    if (type == m_.VGT_EVENT_INITIATOR.EVENT_TYPE.PERFCOUNTER_SAMPLE) {
        if (m_.CP_PERFMON_CNTL.PERFMON_SAMPLE_ENABLE(control_) == 0)
            return;
        latched_ = true;
        each_counter([this](Counter& c) { c.latched = c.counter.value(now_); });
        return;
    }
    window_ = type == m_.VGT_EVENT_INITIATOR.EVENT_TYPE.PERFCOUNTER_START;
    update();
}

void PerfCore::select(unsigned index, const RegRequest& request) {
    const CounterRegisters& r = m_.counters[index];
    const auto event = static_cast<uint16_t>(request.value & r.event_mask);
    if ((request.value & r.mode_mask) != 0)
        stop(StopKind::Unimplemented, r.select_name +
                                          ": modes other than accumulation are not "
                                          "implemented");
    const auto* busy = busy_of(index, event);
    // Selecting nothing is what drivers do with the counters they leave alone.
    if (counted_.count({r.block, event}) == 0 && busy == nullptr && event != 0)
        stop(StopKind::Unimplemented,
             r.select_name + ": event " + std::to_string(event) + " is not counted");
    for (const unsigned copy : chosen_copies(request, m_.copies_of(r.block))) {
        Counter& c = counters_[index][copy];
        c.select = request.value;
        c.counter.select(now_, event_of(index, event, copy));
        c.busy = busy;
    }
    find_watched();
    wake_at(now_ + 1);
}

void PerfCore::find_watched() {
    watched_.clear();
    each_counter([this](Counter& c) {
        if (c.busy != nullptr)
            watched_.push_back(&c);
    });
}

// ---- registers ---------------------------------------------------------------------------------

bool PerfCore::write_register(const RegRequest& request) {
    if (clock_)
        now_ = clock_();
    if (request.offset == m_.CP_PERFMON_CNTL) {
        control(request.value);
        return true;
    }
    const auto& all = m_.counters;
    for (unsigned i = 0; i < all.size(); ++i) {
        if (request.offset == all[i].select) {
            select(i, request);
            return true;
        }
        if (request.offset == all[i].lo || request.offset == all[i].hi)
            return true;  // read only
    }
    return false;
}

bool PerfCore::read_register(const RegRequest& request, uint32_t& value) {
    if (clock_)
        now_ = clock_();
    const auto& all = m_.counters;
    for (unsigned i = 0; i < all.size(); ++i) {
        if (request.offset != all[i].select && request.offset != all[i].lo &&
            request.offset != all[i].hi)
            continue;
        const std::vector<unsigned> chosen = chosen_copies(request, m_.copies_of(all[i].block));
        value = 0;
        if (chosen.empty())
            return true;  // of a unit that is not there
        const Counter& c = counters_[i][chosen.front()];
        const uint64_t count = latched_ ? c.latched : c.counter.value(now_);
        value = request.offset == all[i].select ? c.select
                : request.offset == all[i].lo   ? static_cast<uint32_t>(count)
                                                : static_cast<uint32_t>(count >> 32);
        return true;
    }
    return false;
}

// ---- time --------------------------------------------------------------------------------------

bool PerfCore::watches_wires() const {
    return std::any_of(watched_.begin(), watched_.end(),
                       [](const Counter* c) { return c->counter.running(); });
}

bool PerfCore::tick(Cycle now) {
    // Wires are sampled once a cycle while a counter selects them, and only then.
    if (now > now_) {
        for (Counter* c : watched_) {
            if (!c->counter.running())
                continue;
            c->counter.add(std::any_of(c->busy->begin(), c->busy->end(),
                                       [&](const Wire<bool>* wire) { return wire->get(now); })
                               ? 1
                               : 0);
        }
    }
    now_ = now;
    bool progress = false;
    while (run_ == RunState::Running && events.ready(now)) {
        take_event(now, events.take());
        progress = true;
    }
    if (run_ == RunState::Running)
        progress |= serve_register(now, registers, to_registers.get(), *this);
    if (watches_wires())
        wake_at(now + 1);
    return progress;
}

bool PerfCore::idle() const {
    return run_ == RunState::Draining || inputs_empty();
}

std::string PerfCore::waiting_for() const {
    return idle() ? std::string() : "performance counters: registers are on their way";
}

}  // namespace archipelago::perf
