// SPDX-License-Identifier: Apache-2.0
// What the instruction and scalar data caches have in common: read-only lines shared by up to four
// compute units, their fills, cache actions and statistics. Who shares them: GCN whitepaper, AMD
// OpenCL guide 2.1 to 2.4; what actions invalidate: "Radeon Southern Islands Acceleration" 2.8.10.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/tc/miss_rows.h"
#include "models/tc/sqc_state.h"
#include "models/tc/warming.h"

namespace archipelago::tc {

// `State` has of each compute unit a queue of answers, has_open() and a stall clock; `Request` and
// `Response` are what passes between it and the cache.
template <class Spec, class State, class Request, class Response>
class SqcCore : public Unit {
  public:
    Channel<Request>& from_cu(unsigned cu) { return from_cu_[cu]; }
    Channel<MemResponse> from_l2;
    Channel<CacheAction> actions;
    std::vector<OutputChannel<Response>> to_cu;
    OutputChannel<MemRequest> to_l2{this};
    OutputChannel<CacheActionDone> to_action_done{this};

    void archive(Archive& a) override {
        Unit::archive(a);
        a(state_, waits_, second_line_waits_);
    }
    void reset() override {
        Unit::reset();
        state_ = State(spec_);
    }
    bool idle() const override {
        return inputs_empty() && state_.store.misses.used() == 0 && !state_.store.action.active &&
               std::none_of(state_.cus.begin(), state_.cus.end(),
                            [](const auto& cu) { return cu.has_open(); });
    }
    std::string waiting_for() const override {
        if (idle())
            return {};
        if (run_ == RunState::Paused)
            return "paused";
        if (state_.store.misses.used() != 0)
            return std::to_string(state_.store.misses.used()) + " fills from L2";
        for (unsigned i = 0; i < spec_.cus; ++i)
            if (!state_.cus[i].answers.empty())
                return "CU " + std::to_string(i) + " of the group to take " + kind_.request;
        if (state_.store.action.active)
            return "the end of a cache action";
        return std::string(kind_.request) + " to be looked up";
    }

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path) {
        rows_.observe(observers, path, spec_.mshrs);
    }
    void finish_trace(Cycle now) const {
        rows_.finish(now, [this](uint32_t miss) {
            const auto& misses = state_.store.misses;
            return misses.in_use(miss)
                       ? MissRows::Open{state_.store.miss_since[miss], line_of(misses.key(miss))}
                       : MissRows::Open{};
        });
    }

    void invalidate_all() { state_.store.array.clear(); }
    // Outside time: warming.h. Requests are read-only lines.
    bool warm(uint64_t line, uint8_t vmid) {
        CacheArray& array = state_.store.array;
        const uint64_t key = key_of(line, vmid);
        const uint32_t entry = array.find(array.set_of(line / kLineBytes), key);
        if (entry == CacheArray::kNone)
            keep(key, Line{});
        else
            array.touch(entry);
        return entry == CacheArray::kNone;
    }
    void warm(const CacheAction& action) {
        if (action.*kind_.invalidate)
            drop_covered(state_.store.array, action);
    }
    template <class Read>
    void fill(const Read& read) {
        fill_lines(state_.store.array, read);
    }
    void archive_lines(Archive& a) { a(state_.store.array); }
    const State& state() const { return state_; }
    // Requests that wait for a line of L2, or for two: then the second line is a wait of its own.
    const Stay& waits() const { return waits_; }
    const Stay& second_line_waits() const { return second_line_waits_; }
    const Spec& spec() const { return spec_; }

  protected:
    struct Kind {
        Client client;  // of fills
        bool CacheAction::*invalidate;
        const char* request;  // what a CU requests, with its article
    };

    SqcCore(const Spec& spec, const Kind& kind, unsigned group, const std::string& name)
        : from_l2(spec.from_l2, name + ".from_l2"),
          actions(spec.actions, name + ".actions"),
          to_cu(spec.cus, OutputChannel<Response>(this)),
          spec_((check(spec, name), spec)),
          name_(name),
          state_(spec),
          kind_(kind),
          group_(static_cast<uint16_t>(group)) {
        from_cu_.reserve(spec.cus);
        for (unsigned i = 0; i < spec.cus; ++i) {
            from_cu_.emplace_back(spec.from_cu, name + ".from_cu" + std::to_string(i));
            add_input(from_cu_.back(), state_.agenda.asking, i);
            from_cu_.back().set_consumer(this, state_.agenda.from_cu[i]);
        }
        add_input(from_l2, state_.agenda.from_l2);
        add_input(actions, state_.agenda.actions);
    }

    static uint64_t key_of(uint64_t line, uint8_t vmid) { return line | (vmid & 63u); }

    // The lookups of one cycle: at most `most`, of the CUs in `asking` whose turn it is.
    // look_up(cu) returns whether it took effect. Whether any did.
    template <class LookUp>
    static bool look_up_in_turn(RoundRobin& turn, unsigned most, uint64_t asking,
                                const LookUp& look_up) {
        unsigned done = 0;
        while (done < most && asking != 0) {
            const int cu = turn.pick(asking);
            asking &= ~(uint64_t{1} << cu);
            if (!look_up(static_cast<unsigned>(cu)))
                continue;
            turn.grant(cu);
            ++done;
        }
        return done != 0;
    }

    // Whether a line can be fetched for a CU, which else stalls.
    bool can_fetch(Cycle now, StallClock<SqcStall>& stall) {
        if (state_.store.misses.full()) {
            stall.stalled(now, SqcStall::Mshr);
            return false;
        }
        if (!to_l2->can_push(now)) {
            stall.stalled(now, SqcStall::Downstream);
            return false;
        }
        return true;
    }
    // Only after can_fetch(): fetches the line. Returns the miss, for its waiters.
    uint32_t fetch(Cycle now, uint64_t line, uint8_t vmid) {
        const uint32_t miss = state_.store.misses.allocate(key_of(line, vmid), true);
        state_.store.miss_since[miss] = now;
        MemRequest fill;
        fill.line = line;
        fill.byte_mask = ~uint64_t{0};
        fill.client = kind_.client;
        fill.source = group_;
        fill.vmid = vmid;
        fill.tag = miss;
        to_l2->push(now, fill);
        ++state_.count.misses;
        return miss;
    }

    // A fill from L2 goes to those that wait for it, by deliver(waiter, line, fill), and into the
    // cache. detail() ends the text of its slice in the timeline.
    template <class Deliver, class Detail>
    bool take_fill(Cycle now, const Deliver& deliver, const Detail& detail) {
        if (!from_l2.can_pop(now))
            return false;
        const MemResponse fill = from_l2.pop(now);
        auto& misses = state_.store.misses;
        if (fill.tag >= misses.capacity() || !misses.in_use(fill.tag))
            throw MachineStop(StopKind::Protocol, name_, "L2 returned an unsolicited fill");
        const uint64_t line = line_of(misses.key(fill.tag));
        uint64_t requests = 0;
        for (; misses.has_waiter(fill.tag); misses.drop_first_waiter(fill.tag), ++requests)
            deliver(misses.first_waiter(fill.tag), line, fill);
        install(fill);
        if (rows_.shown())
            rows_.arrived(fill.tag, state_.store.miss_since[fill.tag], now, 0,
                          MissRows::detail(line, to_string(kind_.client), requests) + detail());
        if (misses.release(fill.tag))
            --state_.store.action.old_fills;
        return true;
    }

    // Each CU's first answer that is due leaves by send(cu), which returns whether it could.
    template <class Send>
    bool respond(Cycle now, const Send& send) {
        if (state_.agenda.first_answer > now) {
            if (state_.agenda.first_answer != kNever)
                wake_at(state_.agenda.first_answer);
            return false;
        }
        Cycle later = kNever;
        const bool progress = state_.agenda.send_answers(now, later, send);
        if (later != kNever)
            wake_at(later);
        return progress;
    }

    bool start_action(Cycle now) {
        return start_invalidation(state_.store.action, now, actions, kind_.invalidate,
                                  spec_.invalidate_cycles, state_.store.array, state_.store.misses,
                                  state_.count);
    }
    bool finish_action(Cycle now) {
        return finish_invalidation(state_.store.action, now, *this, to_action_done, name_);
    }

    const Spec spec_;
    const std::string name_;
    State state_;
    Stay waits_;
    Stay second_line_waits_;
    std::vector<Channel<Request>> from_cu_;
    MissRows rows_;

  private:
    static void check(const Spec& s, const std::string& name) {
        const auto require = [&](bool ok, const char* what) {
            if (!ok)
                throw MachineStop(StopKind::BadInput, name, what);
        };
        require(s.cus >= 1 && s.cus <= kMaxSqcCus, "cus must be between 1 and 16");
        require(s.mshrs >= 1, "mshrs must be at least 1");
        require(s.outstanding >= 1, "outstanding must be at least 1");
        require(s.hit_latency >= 1, "hit_latency must be at least 1 cycle");
    }

    // Keeps the line unless its fill was overtaken by an invalidation or failed.
    void install(const MemResponse& fill) {
        if (!state_.store.misses.joinable(fill.tag) || fill.status != MemStatus::Ok) {
            ++state_.count.dropped_fills;
            return;
        }
        keep(state_.store.misses.key(fill.tag), fill.data);
    }
    void keep(uint64_t key, const Line& data) {
        CacheArray& array = state_.store.array;
        const uint32_t entry = array.victim(array.set_of(line_of(key) / kLineBytes));
        if (array.in_use(entry))
            ++state_.count.evictions;
        array.replace(entry, key, data);
        array.touch(entry);
    }

    const Kind kind_;
    const uint16_t group_;
};

template <class Spec, class State, class Request, class Response>
void SqcCore<Spec, State, Request, Response>::register_stats(StatsRegistry& registry,
                                                             const std::string& path) const {
    const SqcCounters& c = state_.count;
    const UnitStats add(registry, path);
    add("requests", "requests", "requests of the compute units taken", &c.requests);
    add("lookups", "lookups", "tag lookups that took effect", &c.lookups);
    add("hits", "lookups", "lookups that found the line", &c.hits);
    add("misses", "lookups", "lookups that fetched the line from L2", &c.misses);
    add("merged", "lookups", "lookups that joined a fill in flight", &c.merged);
    add("evictions", "lines", "lines replaced by others", &c.evictions);
    add("dropped_fills", "lines", "lines fetched but not kept", &c.dropped_fills);
    add("invalidated_lines", "lines", "lines dropped by invalidations", &c.invalidated_lines);
    add("cache_actions", "actions", "invalidations requested", &c.cache_actions);
    add("faults", "requests", "requests answered with a fault", &c.faults);
    add("bytes_returned", "bytes", "data returned to the compute units", &c.bytes_returned);
    for (unsigned i = 0; i < spec_.cus; ++i) {
        const StallClock<SqcStall>& stall = state_.cus[i].stall;
        const UnitStats of_port(registry, path + ".port" + std::to_string(i));
        of_port("mshr_full_cycles", "cycles", "a miss waited for a free MSHR",
                stall.counter(SqcStall::Mshr));
        of_port("outstanding_full_cycles", "cycles",
                "a request waited because too many of its CU were open",
                stall.counter(SqcStall::Outstanding));
        of_port("downstream_full_cycles", "cycles", "a miss waited for the link to L2",
                stall.counter(SqcStall::Downstream));
    }
}

}  // namespace archipelago::tc
