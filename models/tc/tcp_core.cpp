// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tcp_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::tc {
namespace {

uint64_t key_of(const MemRequest& r) {
    return r.line | (r.vmid & 63u);
}

void check(const TcpSpec& s, const std::string& name) {
    const auto require = [&](bool ok, const char* what) {
        if (!ok)
            throw MachineStop(StopKind::BadInput, name, what);
    };
    require(s.mshrs >= 1, "mshrs must be at least 1");
    require(s.order_entries >= 1, "order_entries must be at least 1");
    require(s.lookups_per_cycle >= 1, "lookups_per_cycle must be at least 1");
    require(s.hit_latency >= 1, "hit_latency must be at least 1 cycle");
}

}  // namespace

TcpStop::TcpStop(TcpFault fault, const std::string& where)
    : MachineStop(StopKind::Protocol, where,
                  fault == TcpFault::UnknownFill
                      ? "L2 returned an unsolicited fill"
                      : "L2 answered a write or atomic that was not sent"),
      fault_(fault) {}

TcpCore::TcpCore(const TcpSpec& spec, const std::string& name)
    : VectorL1(spec, name), spec_((check(spec, name), spec)), name_(name), state_(spec) {
    add_input(from_cu, state_.from_cu);
    add_input(from_l2, state_.from_l2);
    add_input(actions, state_.actions);
}

bool TcpCore::tick(Cycle now) {
    // Most ticks have work for one or two of the steps: only those are called.
    bool progress = state_.from_l2 <= now && take_answer(now);
    if (run_ != RunState::Paused) {
        if (state_.actions <= now)
            progress |= start_action(now);
        if (state_.from_cu <= now)
            progress |= accept(now);
    }
    if (state_.action.active)
        progress |= finish_action(now);
    if (progress)
        state_.answer = first_ready(state_.order);
    if (state_.answer <= now)
        progress |= respond(now);
    if (state_.answer > now && state_.answer != kNever)
        wake_at(state_.answer);
    return progress && due(now + 1);
}

// Whether anything may move in cycle `at`, after progress in the cycle before. Anything due later
// has scheduled its tick.
bool TcpCore::due(Cycle at) const {
    return state_.from_cu <= at || state_.from_l2 <= at || state_.actions <= at ||
           state_.action.active || state_.answer <= at;
}

bool TcpCore::waits_for_inputs(Cycle at) const {
    if (state_.action.active && (state_.action.old_fills == 0 || state_.action.ready > at))
        return false;
    // The answer of one after those that L2 still owes is ready in a certain cycle.
    for (size_t i = 0; i < state_.order.size(); ++i) {
        const Cycle ready = state_.order[i].ready;
        if (ready != kNever && (i == 0 || ready > at))
            return false;
    }
    return true;
}

// ---- from L2 -----------------------------------------------------------------------------------

bool TcpCore::take_answer(Cycle now) {
    if (!from_l2.can_pop(now))
        return false;
    accept_answer(now, from_l2.front());
    from_l2.drop(now);
    return true;
}

// Why an answer of L2 stops the machine.
TcpFault TcpCore::fault_of(const MemResponse& answer) {
    const uint32_t index = answer.tag & ~kTcpSlotTag;
    if ((answer.tag & kTcpSlotTag) == 0)
        return index < state_.misses.capacity() && state_.misses.in_use(index)
                   ? TcpFault::None
                   : TcpFault::UnknownFill;
    if (index >= spec_.order_entries)
        return TcpFault::UnknownAnswer;
    const TcpState::Slot& slot = state_.order.at_slot(index);
    return slot.ready == kNever && slot.response.command != MemCommand::Read
               ? TcpFault::None
               : TcpFault::UnknownAnswer;
}

void TcpCore::release(Cycle now) {
    waits_.out.pass(now);
    ++state_.events.released;
}

void TcpCore::accept_answer(Cycle now, const MemResponse& answer) {
    if (const TcpFault fault = fault_of(answer); fault != TcpFault::None)
        throw TcpStop(fault, name_);
    if (answer.status != MemStatus::Ok)
        ++state_.events.count.failed_accesses;
    if ((answer.tag & kTcpSlotTag) != 0) {
        TcpState::Slot& slot = state_.order.at_slot(answer.tag & ~kTcpSlotTag);
        release(now);
        slot.ready = now + spec_.ack_latency;
        slot.response.status = answer.status;
        if (slot.response.command == MemCommand::Atomic)
            slot.response.data = answer.data;
        return;
    }
    const uint32_t miss = answer.tag;
    uint64_t requests = 0;
    for (; state_.misses.has_waiter(miss); ++requests) {
        TcpState::Slot& slot = state_.order.at_slot(state_.misses.first_waiter(miss));
        slot.ready = now + spec_.fill_latency;
        slot.response.status = answer.status;
        slot.response.data = answer.data;
        state_.misses.drop_first_waiter(miss);
        release(now);
    }
    const uint64_t key = state_.misses.key(miss);
    if (state_.misses.joinable(miss) && answer.status == MemStatus::Ok)
        install(answer.data, key);
    else
        ++state_.events.count.dropped_fills;
    if (rows_.shown())
        rows_.arrived(miss, state_.miss_since[miss], now, answer.uid,
                      MissRows::detail(line_of(key), to_string(Client::Vector), requests));
    if (state_.misses.release(miss))
        --state_.action.old_fills;
}

void TcpCore::install(const Line& data, uint64_t key) {
    CacheArray& array = state_.array;
    const uint32_t entry = array.victim(array.set_of(line_of(key) / kLineBytes));
    if (array.in_use(entry))
        ++state_.events.count.evictions;
    array.replace(entry, key, data);
    array.touch(entry);
    ++state_.events.count.fills;
}

// A read that hits.
void TcpCore::use(const MemRequest& request, uint32_t entry) {
    if (!request.slc)
        state_.array.touch(entry);
}

// A write or an atomic to a line held here.
void TcpCore::change(const MemRequest& request, uint32_t entry) {
    if (request.command == MemCommand::Write) {
        merge_bytes(state_.array.data(entry), request.data, request.byte_mask);
        ++state_.events.count.write_hits;
    } else {
        state_.array.remove(entry);
    }
}

// ---- from the CU -------------------------------------------------------------------------------

TcpCore::Lookup TcpCore::stall(Cycle now, TcpStall reason) {
    state_.stall.stalled(now, reason);
    return Lookup::Stalled;
}

uint32_t TcpCore::open_slot(const MemRequest& request) {
    uint32_t index = 0;
    TcpState::Slot& slot = state_.order.extend(index);
    slot.ready = kNever;
    slot.response.tag = request.tag;
    slot.response.port = request.port;
    slot.response.status = MemStatus::Ok;
    slot.response.command = request.command;
    slot.response.line = request.line;
    slot.response.uid = request.uid;
    if (request.command == MemCommand::Atomic)  // a read gets the line
        slot.response.data = Line{};
    return index;
}

bool TcpCore::accept(Cycle now) {
    // A request that found no MSHR or no room towards L2 still needs it: no other request brings
    // its line or takes a place in the order meanwhile.
    if ((state_.stall.reason == TcpStall::Mshr && state_.misses.full()) ||
        (state_.stall.reason == TcpStall::Downstream && !to_l2->can_push(now)))
        return false;
    bool progress = false;
    for (unsigned n = 0; n < spec_.lookups_per_cycle && from_cu.can_pop(now); ++n) {
        MemRequest& request = from_cu.front();
        if (state_.order.full()) {
            stall(now, TcpStall::Order);
            break;
        }
        const uint64_t key = key_of(request);
        const uint32_t set = state_.array.set_of(request.line / kLineBytes);
        const Lookup done = request.command == MemCommand::Read ? read(now, request, key, set)
                                                                : pass_on(now, request, key, set);
        if (done == Lookup::Stalled)
            break;
        state_.stall.moved(now);
        from_cu.drop(now);
        progress = true;
        if (done == Lookup::Sent)
            break;
    }
    return progress;
}

// What goes on to L2 is the request itself, the caller's no longer.
TcpCore::Lookup TcpCore::read(Cycle now, MemRequest& request, uint64_t key, uint32_t set) {
    CacheArray& array = state_.array;
    const uint32_t entry = array.find(set, key);
    if (entry != CacheArray::kNone && !request.glc) {
        TcpState::Slot& slot = state_.order.at_slot(open_slot(request));
        slot.ready = now + spec_.hit_latency;
        slot.response.data = array.data(entry);
        use(request, entry);
        ++state_.events.count.reads;
        ++state_.events.count.read_hits;
        return Lookup::Kept;
    }
    uint32_t miss = state_.misses.find(key);
    if (miss != MissTable<uint32_t>::kNone && !request.glc) {
        state_.misses.add_waiter(miss, open_slot(request));
        waits_.in.pass(now);
        ++state_.events.count.reads;
        ++state_.events.count.read_merged;
        return Lookup::Kept;
    }
    if (state_.misses.full())
        return stall(now, TcpStall::Mshr);
    if (!to_l2->can_push(now))
        return stall(now, TcpStall::Downstream);
    if (request.glc) {
        if (entry != CacheArray::kNone)
            array.remove(entry);
        if (miss != MissTable<uint32_t>::kNone)
            state_.misses.detach(miss);
        ++state_.events.count.glc_reads;
    } else {
        ++state_.events.count.read_misses;
    }
    ++state_.events.count.reads;
    miss = state_.misses.allocate(key, !request.glc);
    state_.misses.add_waiter(miss, open_slot(request));
    waits_.in.pass(now);
    if (rows_.shown())
        state_.miss_since[miss] = now;
    if (!request.glc)
        request.byte_mask = ~uint64_t{0};  // what is kept must be whole
    request.tag = miss;
    to_l2->push(now, request);
    return Lookup::Sent;
}

TcpCore::Lookup TcpCore::pass_on(Cycle now, MemRequest& request, uint64_t key, uint32_t set) {
    if (!to_l2->can_push(now))
        return stall(now, TcpStall::Downstream);
    const uint32_t entry = state_.array.find(set, key);
    if (entry != CacheArray::kNone) {
        change(request, entry);
    } else if (const uint32_t miss = state_.misses.find(key); miss != MissTable<uint32_t>::kNone) {
        state_.misses.detach(miss);
    }
    if (request.command == MemCommand::Write) {
        ++state_.events.count.writes;
        state_.events.count.bytes_written +=
            static_cast<uint64_t>(__builtin_popcountll(request.byte_mask));
    } else {
        ++state_.events.count.atomics;
    }
    request.tag = kTcpSlotTag | open_slot(request);
    waits_.in.pass(now);
    to_l2->push(now, request);
    return Lookup::Sent;
}

bool TcpCore::respond(Cycle now) {
    bool progress = false;
    for (unsigned n = 0; n < spec_.lookups_per_cycle && !state_.order.empty(); ++n) {
        const TcpState::Slot& slot = state_.order.front();
        if (slot.ready > now || !to_cu->can_push(now))
            break;
        if (slot.response.command != MemCommand::Write)
            state_.events.count.bytes_returned += kLineBytes;
        to_cu->push(now, slot.response);
        state_.order.drop();
        progress = true;
    }
    state_.answer = first_ready(state_.order);
    return progress;
}

// ---- cache control -----------------------------------------------------------------------------

bool TcpCore::start_action(Cycle now) {
    return start_invalidation(state_.action, now, actions, &CacheAction::invalidate_l1,
                              spec_.invalidate_cycles, state_.array, state_.misses,
                              state_.events.count);
}

bool TcpCore::finish_action(Cycle now) {
    return finish_invalidation(state_.action, now, *this, to_action_done, name_);
}

// ---- outside time ------------------------------------------------------------------------------

bool TcpCore::warm(const MemRequest& request) {
    const uint64_t key = key_of(request);
    CacheArray& array = state_.array;
    const uint32_t entry = array.find(array.set_of(request.line / kLineBytes), key);
    const bool here = entry != CacheArray::kNone;
    if (request.command != MemCommand::Read) {
        if (here)
            change(request, entry);
        return true;
    }
    if (here && !request.glc) {
        use(request, entry);
        return false;
    }
    if (!request.glc)
        install(Line{}, key);
    else if (here)
        array.remove(entry);
    return true;
}

void TcpCore::warm(const CacheAction& action) {
    if (action.invalidate_l1)
        drop_covered(state_.array, action);
}

void TcpCore::archive_lines(Archive& a) {
    a(state_.array);
}

// ---- control, statistics -----------------------------------------------------------------------

void TcpCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, waits_);
}

void TcpCore::reset() {
    Unit::reset();
    state_ = TcpState(spec_);
}

bool TcpCore::idle() const {
    return inputs_empty() && holds_nothing();
}

std::string TcpCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return "paused";
    if (state_.misses.used() != 0)
        return std::to_string(state_.misses.used()) + " fills from L2";
    if (!state_.order.empty()) {
        if (state_.order.front().ready == kNever)
            return "an answer from L2 to a write or atomic";
        return "the CU to take a response";
    }
    if (state_.action.active)
        return "the end of a cache action";
    return "a request to be looked up";
}

void TcpCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    register_tcp_stats(registry, path, state_.events.count, state_.stall);
}

void register_tcp_stats(StatsRegistry& registry, const std::string& path, const TcpCounters& c,
                        const StallClock<TcpStall>& stalls) {
    const UnitStats add(registry, path);
    add("reads", "requests", "line reads taken, glc included", &c.reads);
    add("read_hits", "requests", "reads answered from the cache", &c.read_hits);
    add("read_misses", "requests", "reads that fetched a line to keep", &c.read_misses);
    add("read_merged", "requests", "reads that joined a fill in flight", &c.read_merged);
    add("glc_reads", "requests", "reads passed to L2 and not kept", &c.glc_reads);
    add("writes", "requests", "line writes passed to L2", &c.writes);
    add("write_hits", "requests", "writes that updated a line held here, too", &c.write_hits);
    add("atomics", "requests", "atomics passed to L2", &c.atomics);
    add("fills", "lines", "lines installed", &c.fills);
    add("dropped_fills", "lines", "lines fetched but not kept", &c.dropped_fills);
    add("evictions", "lines", "lines replaced by others", &c.evictions);
    add("invalidated_lines", "lines", "lines dropped by cache actions", &c.invalidated_lines);
    add("cache_actions", "actions", "invalidations requested", &c.cache_actions);
    add("failed_accesses", "requests", "answers from L2 that were faults", &c.failed_accesses);
    add("bytes_returned", "bytes", "data returned to the CU, whole lines", &c.bytes_returned);
    add("bytes_written", "bytes", "bytes written through", &c.bytes_written);
    add("mshr_full_cycles", "cycles", "a miss waited for a free MSHR",
        stalls.counter(TcpStall::Mshr));
    add("order_full_cycles", "cycles", "a request waited for a place in the return order",
        stalls.counter(TcpStall::Order));
    add("downstream_full_cycles", "cycles", "a request waited for the link to L2",
        stalls.counter(TcpStall::Downstream));
}

void TcpCore::observe(const Observers& observers, const std::string& path) {
    rows_.observe(observers, path, spec_.mshrs);
}

void TcpCore::finish_trace(Cycle now) const {
    rows_.finish(now, [this](uint32_t miss) {
        const bool open = state_.misses.in_use(miss);
        return open ? MissRows::Open{state_.miss_since[miss], line_of(state_.misses.key(miss))}
                    : MissRows::Open{};
    });
}

}  // namespace archipelago::tc
