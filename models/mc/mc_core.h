// SPDX-License-Identifier: Apache-2.0
// One memory controller channel: queues, scheduler and GDDR5 bank timing, in the clock domain of
// the memory. Timing rules: JEDEC JESD212. Row size and burst: si_gpu_init of the Linux driver.
#pragma once

#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/mc/mc_state.h"

namespace archipelago::mc {

// Accepts line reads and writes from its L2 channel and from the hub (CP and host), schedules them
// on the banks, and sends each to the store, which holds the bytes, when its data burst ends; the
// store's response returns to the port of the request.
//
// Scheduling: open rows; row hits first, else oldest first, among the oldest `lookahead` entries;
// an entry that has waited starvation_cycles goes before row hits of its bank. Writes are drained
// from write_high on, while no read waits, or when a read depends on one of them. At both
// ends of a drain that write_high began, the bus serves row hits of the direction that leaves while
// rows open for the one that comes. Accesses to one line take effect in the order of acceptance.
// Behind a write, L2's link is busy with its data for l2_write_cycles. One command per cycle. A
// 64-byte access is one column command; the second burst of the real device finds a free command
// slot by construction.
//
// Refresh: every refi cycles all banks are precharged and refreshed. Those due in idle time
// are applied, at their due cycles, when the next request arrives, so that an idle channel sleeps.
class McCore final : public Unit {
  public:
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    McCore(const McSpec& spec, const ChannelMap& map, const std::string& name = "mc");

    Channel<MemRequest> from_l2;
    Channel<MemRequest> from_hub;
    Channel<MemResponse> from_store;
    OutputChannel<MemResponse> to_l2{this};
    OutputChannel<MemResponse> to_hub{this};
    OutputChannel<MemRequest> to_store{this};

    // Throws MachineStop(Protocol) for an atomic: those are executed in L2.
    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    // Timeline rows: the data bus, and per bank the time a row is open.
    void observe(const Observers& observers, const std::string& path);

    // Column commands.
    const CycleTap& commands() const { return commands_; }
    const McState& state() const { return state_; }
    const McSpec& spec() const { return spec_; }

  private:
    bool due(Cycle at) const;
    bool take_store_answer(Cycle now);
    bool send_to_store(Cycle now);
    bool full(bool write) const {
        return write ? state_.writes.size() == spec_.write_entries
                     : state_.reads.size() == spec_.read_entries;
    }
    bool l2_request(Cycle at) const {
        return state_.from_l2 <= at && state_.l2_link_free <= at && !state_.l2_blocked;
    }
    bool has_request(Cycle at) const { return l2_request(at) || state_.from_hub <= at; }
    bool accept(Cycle now);
    bool accept_from(Cycle now, McState::Port port);
    void carry_write_data(Cycle now);
    uint16_t youngest_of_line(uint64_t line);
    uint16_t& waiting_lines(uint64_t line) {
        // Lines of one channel share the address bits that choose it: all bits take part.
        return state_.waiting_lines[line * 0x9e3779b97f4a7c15u >> 54];
    }

    // mc_schedule.cpp: at most one command per cycle, of those that wait.
    bool schedule(Cycle now);
    bool refresh(Cycle now);
    void catch_up_refreshes(Cycle now);
    bool writes_next(Cycle now) const;
    bool starved(uint16_t index, Cycle now) const {
        return now - state_.entries[index].accepted >= spec_.starvation_cycles;
    }
    Cycle starves_at(uint16_t index, Cycle now) const;
    bool issue_from(Cycle now, WaitQueue& queue, bool write, Cycle& next, bool& all_wait);
    Cycle column_ready(unsigned bank, bool write) const;
    Cycle row_ready(unsigned bank) const;
    Cycle activate_ready(unsigned bank) const;
    bool row_open(const McState::Entry& entry) const {
        const McState::Bank& bank = state_.banks[entry.bank];
        return bank.open && bank.row == entry.row;
    }
    bool turning() const;
    Cycle turn_time(bool from_write) const;
    struct Opening {
        uint16_t entry;
        Cycle column;  // first cycle for its column command
    };
    Opening first_to_open(Cycle now, const WaitQueue& queue) const;
    Cycle bank_ready(Cycle now, const McState::Entry& entry) const;
    bool serve_until_turn(Cycle now, WaitQueue& coming, WaitQueue& leaving, Cycle& next);
    void issue_row(Cycle now, McState::Entry& entry);
    void issue_column(Cycle now, WaitQueue& queue, size_t position, bool write);
    void skip_while_bus_busy(Cycle now, const WaitQueue& queue, bool write);
    void add_to_masks(WaitQueue& queue, size_t position);
    void reconsider(Cycle now, const McState::Entry& entry);
    bool room() const { return state_.moving.size() + state_.in_store < spec_.store_entries; }
    void activate(Cycle now, McState::Entry& entry);
    void precharge(Cycle now, unsigned bank);

    const McSpec spec_;
    const uint64_t window_;  // of a queue's masks: the oldest `lookahead` entries
    const ChannelMap map_;
    const DramMap dram_;
    const std::string name_;
    McState state_;
    CycleTap commands_;
    TraceSink* trace_ = nullptr;
    TrackId bus_track_ = 0;
    std::vector<TrackId> bank_tracks_;
};

}  // namespace archipelago::mc
