// SPDX-License-Identifier: Apache-2.0
#include "models/mc/mc_unit.h"

#include <fmt/format.h>

#include "models/common/error.h"
#include "models/common/memory_log.h"

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
    require(t.refi == 0 || t.refi >= t.least_refi(),
            "refi must be longer than closing all banks, refreshing them and opening a row");
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

McUnit::McUnit(const McSpec& spec, const ChannelMap& map, const std::string& name)
    : from_l2(spec.from_l2, name + ".from_l2"),
      from_hub(spec.from_hub, name + ".from_hub"),
      from_store(spec.from_store, name + ".from_store"),
      spec_((check(spec, name), spec)),
      state_(spec),
      map_(map),
      dram_(spec.geometry),
      name_(name) {
    add_input(from_l2, state_.from_l2);
    add_input(from_hub, state_.from_hub);
    add_input(from_store, state_.from_store);
}

bool McUnit::take_store_answer(Cycle now) {
    if (!from_store.can_pop(now))
        return false;
    const uint32_t tag = from_store.front().tag;
    if (tag >= state_.entries.size() || state_.in_store == 0)
        throw MachineStop(StopKind::Protocol, name_, "unsolicited response of the store");
    const McState::Entry& entry = state_.entries[tag];
    const OutputChannel<MemResponse>& to = entry.port == Port::L2 ? to_l2 : to_hub;
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
    --state_.in_store;
    state_.free.push_back(static_cast<uint16_t>(tag));
    return true;
}

bool McUnit::send_to_store(Cycle now) {
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

bool McUnit::Ports::is_write(Port port) const {
    const MemCommand command = mc_.from(port).front().command;
    if (command == MemCommand::Atomic)
        throw MachineStop(StopKind::Protocol, mc_.name_,
                          "an atomic came to memory; atomics are executed in L2");
    return command == MemCommand::Write;
}

void McUnit::refuse(Cycle now, Port port) {
    Cycle& since = state_.blocked_since[static_cast<size_t>(port)];
    if (since == kNever)
        since = now;
    state_.l2_blocked |= port == Port::L2;
}

ScheduleRequest McUnit::take(Cycle now, Port port) {
    Cycle& since = state_.blocked_since[static_cast<size_t>(port)];
    if (since != kNever) {
        (port == Port::L2 ? state_.count.l2_blocked_cycles : state_.count.hub_blocked_cycles) +=
            now - since;
        since = kNever;
    }
    const uint16_t index = state_.free.back();
    state_.free.pop_back();
    const ScheduleRequest r = head(port, index);
    McState::Entry& entry = state_.entries[index];
    MemRequest& request = state_.requests[index];
    copy_payload(request, from(port).front());
    from(port).drop(now);
    if (log_ != nullptr)
        log_request(*log_, now, name_, port == Port::L2 ? "L2" : "hub", request);
    entry = {request.tag, port, 0};
    request.tag = index;
    if (port == Port::Hub)
        ++state_.count.hub_requests;
    else if (r.write)
        carry_write_data(now);
    return r;
}

// The request at a port as the scheduler has it.
ScheduleRequest McUnit::head(Port port, uint16_t id) {
    const MemRequest& request = from(port).front();
    const DramAddress where = dram_.decode(map_.local_address(request.line));
    return {id, static_cast<uint8_t>(where.bank), request.command == MemCommand::Write, where.row,
            request.line};
}

// What L2 sends after a write waits for the write's data.
void McUnit::carry_write_data(Cycle now) {
    state_.l2_link_free = now + spec_.l2_write_cycles;
    state_.count.write_data_cycles += spec_.l2_write_cycles;
    if (spec_.l2_write_cycles > 1)
        wake_at(state_.l2_link_free);
}

// ---- data -----------------------------------------------------------------------------------

// The column command of a request has been given.
void McUnit::start_data(Cycle now, uint16_t index, bool write) {
    const DramTiming& t = spec_.timing;
    const MemRequest& request = state_.requests[index];
    McCounters& count = state_.count;
    const Cycle data = now + (write ? t.wl : t.cl);
    const Cycle end = data + t.burst;
    state_.entries[index].data_end = end;
    if (write) {
        ++count.writes;
        count.bytes_written += static_cast<uint64_t>(__builtin_popcountll(request.byte_mask));
    } else {
        ++count.reads;
        count.bytes_read += kLineBytes;
    }
    count.data_bus_cycles += t.burst;
    commands_.pass(now);
    if (trace_ != nullptr)
        trace_burst(request, data, end);
    state_.l2_blocked = false;
    if (state_.moving.empty())
        state_.data_moved = end;
    state_.moving.push_back(index);
    wake_at(end);
}

void McUnit::trace_burst(const MemRequest& request, Cycle begin, Cycle end) const {
    const DramAddress at = dram_.decode(map_.local_address(request.line));
    trace_->slice(bus_track_, begin, end, request.command == MemCommand::Write ? "write" : "read",
                  request.uid,
                  fmt::format("address {:#x}, bank {} row {:#x}, client {} {}", request.line,
                              at.bank, at.row, to_string(request.client), request.source));
}

// ---- control, statistics -----------------------------------------------------------------------

void McUnit::reset() {
    Unit::reset();
    state_ = McState(spec_);
}

bool McUnit::idle() const {
    return inputs_empty() && state_.moving.empty() && state_.in_store == 0;
}

std::string McUnit::waiting_for() const {
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
    const Waiting waiting = waiting_requests();
    return std::to_string(waiting.reads) + " reads and " + std::to_string(waiting.writes) +
           " writes to be scheduled";
}

void McUnit::register_stats(StatsRegistry& registry, const std::string& path) const {
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
    add("data_bus_cycles", "memory cycles", "the data bus carried data", &c.data_bus_cycles);
    add("queue_cycles", "memory cycles", "sum of all waits from acceptance to column command",
        &c.queue_cycles);
    add("write_data_cycles", "memory cycles", "the link from L2 carried write data",
        &c.write_data_cycles);
    add("l2_blocked_cycles", "memory cycles", "a request of L2 found its queue full",
        &c.l2_blocked_cycles);
    add("hub_blocked_cycles", "memory cycles", "a request of the hub found its queue full",
        &c.hub_blocked_cycles);
}

void McUnit::observe(const Observers& observers, const std::string& path) {
    trace_ = observers.trace;
    log_ = memory_log(observers);
    bus_track_ = observers.track(path + ".data");
}

}  // namespace archipelago::mc
