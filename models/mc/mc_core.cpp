// SPDX-License-Identifier: Apache-2.0
// Queues and the path to and from the store. Command scheduling is in mc_schedule.cpp.
#include "models/mc/mc_core.h"

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::mc {
namespace {

void check(const McSpec& s, const std::string& name) {
    const auto require = [&](bool ok, const char* what) {
        if (!ok)
            throw MachineStop(StopKind::BadInput, name, what);
    };
    const DramTiming& t = s.timing;
    require(t.burst >= 1, "burst must be at least 1 cycle");
    require(t.ccd_long >= t.burst, "ccd_long must not be less than burst");
    require(t.rc >= t.ras, "rc must not be less than ras");
    require(t.rrd >= 1, "rrd must be at least 1 cycle");
    require(t.cl >= 1 && t.wl >= 1, "cl and wl must be at least 1 cycle");
    require(t.refi == 0 || t.refi > t.rfc + t.rp + t.ras + t.wl + t.burst + t.wr,
            "refi must be longer than closing all banks and rfc");
    require(s.read_entries >= 1 && s.read_entries <= 4096, "read_entries is not in 1..4096");
    require(s.write_entries >= 1 && s.write_entries <= 4096, "write_entries is not in 1..4096");
    require(s.store_entries >= 1 && s.store_entries <= 4096, "store_entries is not in 1..4096");
    require(s.lookahead >= 1 && s.lookahead <= WaitQueue::kWindow, "lookahead is not in 1..64");
    require(s.starvation_cycles >= 1, "starvation_cycles must be at least 1");
    require(s.write_high >= 1 && s.write_high <= s.write_entries,
            "write_high is not in 1..write_entries");
    require(s.write_low < s.write_high, "write_low must be less than write_high");
    require(s.l2_write_cycles >= 1, "l2_write_cycles must be at least 1");
}

}  // namespace

McCore::McCore(const McSpec& spec, const ChannelMap& map, const std::string& name)
    : from_l2(spec.from_l2, name + ".from_l2"),
      from_hub(spec.from_hub, name + ".from_hub"),
      from_store(spec.from_store, name + ".from_store"),
      spec_((check(spec, name), spec)),
      window_(~uint64_t{0} >> (WaitQueue::kWindow - spec.lookahead)),
      map_(map),
      dram_(spec.geometry),
      name_(name),
      state_(spec) {
    add_input(from_l2, state_.from_l2);
    add_input(from_hub, state_.from_hub);
    add_input(from_store, state_.from_store);
}

bool McCore::tick(Cycle now) {
    // Most ticks have work for one or two of the steps.
    bool progress = state_.from_store <= now && take_store_answer(now);
    if (state_.data_moved <= now)
        progress |= send_to_store(now);
    if (run_ != RunState::Paused) {
        if (has_request(now))
            progress |= accept(now);
        if (now >= state_.skip_until && state_.waiting != 0)
            progress |= schedule(now);
    }
    return progress && due(now + 1);
}

// Whether anything may move in cycle `at`, after progress in the cycle before.
bool McCore::due(Cycle at) const {
    return has_request(at) || state_.from_store <= at ||
           (state_.skip_until <= at && state_.waiting != 0) || state_.data_moved <= at;
}

bool McCore::take_store_answer(Cycle now) {
    if (!from_store.can_pop(now))
        return false;
    const uint32_t tag = from_store.front().tag;
    if (tag >= state_.entries.size() || state_.in_store == 0)
        throw MachineStop(StopKind::Protocol, name_, "unsolicited response of the store");
    const McState::Entry& entry = state_.entries[tag];
    const OutputChannel<MemResponse>& to = entry.port == McState::Port::L2 ? to_l2 : to_hub;
    if (!to->can_push(now))
        return false;
    MemResponse& response = from_store.front();
    const MemRequest& request = state_.requests[tag];
    response.tag = entry.tag;
    response.port = request.port;
    response.command = request.command;
    response.line = request.line;
    response.uid = request.uid;
    if (response.status != MemStatus::Ok)
        ++state_.count.failed_accesses;
    to->push(now, response);
    from_store.drop(now);
    if (!room())  // until now
        state_.skip_until = 0;
    --state_.in_store;
    state_.free.push_back(static_cast<uint16_t>(tag));
    return true;
}

bool McCore::send_to_store(Cycle now) {
    if (!to_store->can_push(now))
        return false;
    const uint16_t index = state_.moving.front();
    to_store->push(now, state_.requests[index]);
    state_.moving.erase(state_.moving.begin());
    state_.data_moved =
        state_.moving.empty() ? kNever : state_.entries[state_.moving.front()].data_end;
    ++state_.in_store;
    return true;
}

// ---- acceptance --------------------------------------------------------------------------------

bool McCore::accept(Cycle now) {
    const bool l2 = l2_request(now) && from_l2.can_pop(now);
    const bool hub = from_hub.can_pop(now);
    if (!l2 && !hub)
        return false;
    if (state_.reads.empty() && state_.writes.empty())
        catch_up_refreshes(now);
    // Both may be accepted; for the last free entry they alternate.
    const McState::Port first = state_.hub_first ? McState::Port::Hub : McState::Port::L2;
    bool progress = false;
    for (const McState::Port port :
         {first, first == McState::Port::L2 ? McState::Port::Hub : McState::Port::L2}) {
        if (!(port == McState::Port::L2 ? l2 : hub))
            continue;
        if (accept_from(now, port)) {
            state_.hub_first = port == McState::Port::L2;
            progress = true;
        }
    }
    return progress;
}

bool McCore::accept_from(Cycle now, McState::Port port) {
    Channel<MemRequest>& in = port == McState::Port::L2 ? from_l2 : from_hub;
    const auto which = static_cast<size_t>(port);
    const MemCommand command = in.front().command;
    if (command == MemCommand::Atomic)
        throw MachineStop(StopKind::Protocol, name_,
                          "an atomic came to memory; atomics are executed in L2");
    const bool write = command == MemCommand::Write;
    WaitQueue& queue = write ? state_.writes : state_.reads;
    if (full(write)) {
        if (state_.blocked_since[which] == kNever)
            state_.blocked_since[which] = now;
        state_.l2_blocked |= port == McState::Port::L2;
        return false;
    }
    if (state_.blocked_since[which] != kNever) {
        (port == McState::Port::L2 ? state_.count.l2_blocked_cycles
                                   : state_.count.hub_blocked_cycles) +=
            now - state_.blocked_since[which];
        state_.blocked_since[which] = kNever;
    }
    const uint16_t after = youngest_of_line(in.front().line);
    const uint16_t index = state_.free.back();
    state_.free.pop_back();
    McState::Entry& entry = state_.entries[index];
    entry = McState::Entry{};
    MemRequest& request = state_.requests[index];
    copy_payload(request, in.front());
    in.drop(now);
    entry.line = request.line;
    entry.tag = request.tag;
    request.tag = index;
    entry.port = port;
    entry.write = write;
    const DramAddress where = dram_.decode(map_.local_address(entry.line));
    entry.row = where.row;
    entry.bank = static_cast<uint8_t>(where.bank);
    entry.order = ++state_.accepted;
    entry.accepted = now;
    entry.after = after;
    if (after != McState::kNone) {
        ++state_.count.order_waits;
        ++state_.behind;
        if (!write && state_.entries[after].write)
            ++state_.reads_behind_writes;
    }
    ++waiting_lines(entry.line);
    queue.push(index);
    ++state_.waiting;
    if (queue.size() <= WaitQueue::kWindow)
        add_to_masks(queue, queue.size() - 1);
    reconsider(now, entry);
    if (port == McState::Port::Hub)
        ++state_.count.hub_requests;
    else if (write)
        carry_write_data(now);
    return true;
}

// What L2 sends behind a write waits for the write's data.
void McCore::carry_write_data(Cycle now) {
    state_.l2_link_free = now + spec_.l2_write_cycles;
    state_.count.write_data_cycles += spec_.l2_write_cycles;
    if (spec_.l2_write_cycles > 1)
        wake_at(state_.l2_link_free);
}

uint16_t McCore::youngest_of_line(uint64_t line) {
    uint16_t youngest = McState::kNone;
    if (waiting_lines(line) == 0)
        return youngest;
    for (const auto* queue : {&state_.reads, &state_.writes}) {
        for (size_t i = queue->size(); i > 0; --i) {
            const uint16_t index = (*queue)[i - 1];
            if (state_.entries[index].line != line)
                continue;
            if (youngest == McState::kNone ||
                state_.entries[index].order > state_.entries[youngest].order)
                youngest = index;
            break;
        }
    }
    return youngest;
}

// ---- control, statistics -----------------------------------------------------------------------

void McCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, commands_);
}

void McCore::reset() {
    Unit::reset();
    state_ = McState(spec_);
}

bool McCore::idle() const {
    return inputs_empty() && state_.reads.empty() && state_.writes.empty() &&
           state_.moving.empty() && state_.in_store == 0;
}

std::string McCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return "paused";
    if (!from_store.empty())
        return "L2 or the hub to take a response";
    if (state_.in_store != 0)
        return std::to_string(state_.in_store) + " accesses in the store";
    if (!state_.moving.empty())
        return "the store to take an access";
    return std::to_string(state_.reads.size()) + " reads and " +
           std::to_string(state_.writes.size()) + " writes to be scheduled";
}

void McCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    const McCounters& c = state_.count;
    const UnitStats add(registry, path);
    add("reads", "requests", "line reads given to the devices", &c.reads);
    add("writes", "requests", "line writes given to the devices", &c.writes);
    add("hub_requests", "requests", "requests that came from the hub", &c.hub_requests);
    add("row_hits", "requests", "accesses that found their row open", &c.row_hits);
    add("row_misses", "requests", "accesses whose bank was closed", &c.row_misses);
    add("row_conflicts", "requests", "accesses for which another row was closed", &c.row_conflicts);
    add("activates", "commands", "rows opened", &c.activates);
    add("precharges", "commands", "rows closed, refreshes included", &c.precharges);
    add("refreshes", "commands", "refreshes of all banks", &c.refreshes);
    add("turnarounds", "times", "the data bus changed direction", &c.turnarounds);
    add("write_drains", "times", "the scheduler turned from reads to writes", &c.write_drains);
    add("starved", "requests", "accesses that had waited starvation_cycles", &c.starved);
    add("order_waits", "requests", "requests behind another of the same line", &c.order_waits);
    add("failed_accesses", "requests", "accesses the store refused", &c.failed_accesses);
    add("bytes_read", "bytes", "bytes read, whole lines", &c.bytes_read);
    add("bytes_written", "bytes", "bytes written", &c.bytes_written);
    add("data_bus_cycles", "cycles", "the data bus carried data", &c.data_bus_cycles);
    add("queue_cycles", "cycles", "sum of all waits from acceptance to column command",
        &c.queue_cycles);
    add("write_data_cycles", "cycles", "the link from L2 carried write data", &c.write_data_cycles);
    add("l2_blocked_cycles", "cycles", "a request of L2 found its queue full",
        &c.l2_blocked_cycles);
    add("hub_blocked_cycles", "cycles", "a request of the hub found its queue full",
        &c.hub_blocked_cycles);
}

void McCore::observe(const Observers& observers, const std::string& path) {
    trace_ = observers.trace;
    bus_track_ = observers.track(path + ".data");
    bank_tracks_ = observers.tracks(path + ".bank", spec_.geometry.banks);
}

}  // namespace archipelago::mc
