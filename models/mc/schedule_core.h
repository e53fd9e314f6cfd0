// SPDX-License-Identifier: Apache-2.0
// The scheduler of a memory controller channel: takes the requests that wait, and gives the devices
// at most one command per cycle. Timing rules: JEDEC JESD212.
//
// Open rows; row hits first, else oldest first, among the oldest `lookahead` entries; an entry that
// has waited starvation_cycles goes before row hits of its bank. Writes are drained from write_high
// on, while no read waits, or when a read depends on one of them. At both ends of a drain that
// write_high began, the bus serves row hits of the direction that leaves while rows open for the
// one that comes. Accesses to one line get their column commands in the order of acceptance. A
// 64-byte access is one column command; the second burst of the real device finds a free command
// slot by construction.
//
// Refresh: every refi cycles all banks are precharged and refreshed. Those due in idle time are
// applied, at their due cycles, when the next request arrives, so that an idle channel sleeps.
//
// At pins: mc_schedule_pins.h. Its Verilog twin is rtl-bridge/rtl/mc_schedule.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/common/trace_sink.h"
#include "models/mc/schedule_state.h"

namespace archipelago::mc {

struct ScheduleRequest {
    uint16_t id = 0;  // of the entry, which no other waiting request has
    uint8_t bank = 0;
    bool write = false;
    uint64_t row = 0;
    uint64_t line = 0;
};

struct DramCommand {
    enum class Kind : uint8_t { Precharge, Activate, Read, Write, PrechargeAll, Refresh, None };
    Kind kind = Kind::None;
    uint8_t bank = 0;
    uint16_t id = 0;  // of a column command: the request whose data it moves
    uint64_t row = 0;

    bool column() const { return kind == Kind::Read || kind == Kind::Write; }
};

class ScheduleCore {
  public:
    // `unit` is woken when a command may be possible. What it does is added to `counters`; both
    // outlive this. The fields of the Spec are in range; ids are below `ids`.
    ScheduleCore(const McSpec& spec, unsigned ids, Clocked& unit, McCounters& counters);

    // Takes requests of both ports as there is room, in turns for the last free entry.
    //   offered(Port)         it has one in this cycle
    //   is_write(Port)        its direction
    //   take(Port)            accepts it; returns a ScheduleRequest
    //   refuse(Port)          its queue is full
    template <class Ports>
    bool accept(Cycle now, Ports&& ports);
    // At most one command, of those that wait; false: none.
    bool run(Cycle now, DramCommand& command) { return may_run(now) && schedule(now, command); }
    bool may_run(Cycle at) const { return state_.skip_until <= at && state_.waiting != 0; }
    // An access has left after its column command: another has room.
    void release() {
        if (state_.room++ == 0)
            state_.skip_until = 0;
    }
    bool empty() const { return state_.waiting == 0; }

    void reset() { state_ = ScheduleState(spec_, ids_); }
    template <class Archive>
    void archive(Archive& a) {
        a(state_);
    }
    // A timeline row per bank: the time a row is open.
    void observe(TraceSink* trace, std::vector<TrackId> bank_tracks) {
        trace_ = trace;
        bank_tracks_ = std::move(bank_tracks);
    }
    // Reports the rows that are still open as if they were closed now.
    void finish_trace(Cycle now) const;
    const ScheduleState& state() const { return state_; }

  private:
    bool full(bool write) const {
        return write ? state_.writes.size() == spec_.write_entries
                     : state_.reads.size() == spec_.read_entries;
    }
    void add(Cycle now, const ScheduleRequest& request);
    uint16_t youngest_of_line(uint64_t line);
    uint16_t& waiting_lines(uint64_t line) {
        // Lines of one channel share the address bits that choose it: all bits take part.
        return state_.waiting_lines[line * 0x9e3779b97f4a7c15u >> 54];
    }

    bool schedule(Cycle now, DramCommand& command);
    bool refresh(Cycle now, DramCommand& command);
    void catch_up_refreshes(Cycle now);
    bool writes_next(Cycle now) const;
    bool starved(uint16_t index, Cycle now) const {
        return now - state_.entries[index].accepted >= spec_.starvation_cycles;
    }
    Cycle starves_at(uint16_t index, Cycle now) const;
    bool issue_from(Cycle now, WaitQueue& queue, bool write, Cycle& next, bool& all_wait,
                    DramCommand& command);
    Cycle column_ready(unsigned bank, bool write) const;
    Cycle row_ready(unsigned bank) const;
    Cycle activate_ready(unsigned bank) const;
    bool row_open(const ScheduleState::Entry& entry) const {
        const ScheduleState::Bank& bank = state_.banks[entry.bank];
        return bank.open && bank.row == entry.row;
    }
    unsigned group_of(unsigned bank) const { return bank & group_mask_; }
    bool turning() const;
    Cycle turn_time(bool from_write) const;
    struct Opening {
        uint16_t entry;
        Cycle column;  // first cycle for its column command
    };
    Opening first_to_open(Cycle now, const WaitQueue& queue) const;
    Cycle bank_ready(Cycle now, const ScheduleState::Entry& entry) const;
    bool serve_until_turn(Cycle now, WaitQueue& coming, WaitQueue& leaving, Cycle& next,
                          DramCommand& command);
    void issue_row(Cycle now, ScheduleState::Entry& entry, DramCommand& command);
    void issue_column(Cycle now, WaitQueue& queue, size_t position, bool write,
                      DramCommand& command);
    void release_followers(uint16_t id, bool write);
    void skip_while_bus_busy(Cycle now, const WaitQueue& queue, bool write);
    void add_to_masks(WaitQueue& queue, size_t position);
    void reconsider(Cycle now, const ScheduleState::Entry& entry);
    void activate(Cycle now, ScheduleState::Entry& entry);
    void precharge(Cycle now, unsigned bank);
    void trace_row(Cycle end, unsigned bank) const;

    const McSpec spec_;
    const unsigned ids_;
    Clocked& unit_;
    McCounters& count_;
    const uint64_t window_;  // of a queue's masks: the oldest `lookahead` entries
    const unsigned group_mask_;
    ScheduleState state_;
    TraceSink* trace_ = nullptr;
    std::vector<TrackId> bank_tracks_;
};

template <class Ports>
bool ScheduleCore::accept(Cycle now, Ports&& ports) {
    if (state_.waiting == 0)
        catch_up_refreshes(now);
    const Port first = state_.hub_first ? Port::Hub : Port::L2;
    const Port second = first == Port::L2 ? Port::Hub : Port::L2;
    bool progress = false;
    for (const Port port : {first, second}) {
        if (!ports.offered(port))
            continue;
        if (full(ports.is_write(port))) {
            ports.refuse(port);
            continue;
        }
        add(now, ports.take(port));
        state_.hub_first = port == Port::L2;
        progress = true;
    }
    return progress;
}

}  // namespace archipelago::mc
