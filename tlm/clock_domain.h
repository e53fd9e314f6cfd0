// SPDX-License-Identifier: Apache-2.0
// One clock of the chip: owns the one SC_METHOD that ticks everything driven by it.
// Rules of time: models/README.md.
#pragma once

#include <algorithm>
#include <exception>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago::tlm_shell {

class ClockDomain;

// How much `delay` is longer than `other`.
inline sc_core::sc_time beyond(const sc_core::sc_time& delay, const sc_core::sc_time& other) {
    return delay > other ? delay - other : sc_core::SC_ZERO_TIME;
}

// The clocks of one machine. Collects the first reason for stopping, which ends the simulation or
// halts the clocks (halt_on_error()): the host reads it after sc_start returned.
class RunControl {
  public:
    void fail(std::exception_ptr error) {
        if (error_)
            return;
        error_ = suspicion_.empty() ? std::move(error) : with_suspicion(error);
        until_ = 0;
        if (on_halt_ != nullptr)
            notify(*on_halt_, sc_core::SC_ZERO_TIME);
        else
            sc_core::sc_stop();
    }
    const std::exception_ptr& error() const { return error_; }
    // What another party has done that an error may come from: the message of the next MachineStop
    // says so. The first counts.
    void suspect(const std::string& what) {
        if (suspicion_.empty())
            suspicion_ = what;
    }
    // From now on an error does not end the simulation: the clocks halt, and the event is notified
    // at the machine's time.
    void halt_on_error(sc_core::sc_event& event) { on_halt_ = &event; }
    // The clocks of a halted machine run again, without an error.
    void resume();

    // From now on the clocks step on by themselves while nothing else in the simulation is due: the
    // kernel, which takes longer for an edge than most edges have work, sees only the last of them.
    // Meanwhile the machine's time is time(), ahead of sc_time_stamp(): what lies between the
    // machine and the rest of the simulation must not ask the kernel for the time, and events for
    // the rest go through notify(). Only for a host that keeps to this. The machine's time is ahead
    // by no more than tlm_global_quantum where that is set, or kQuantum: sc_start() returns.
    void decouple() { decoupled_ = true; }
    // From now on no clock runs ahead.
    void couple() {
        decoupled_ = false;
        until_ = 0;
    }
    static constexpr uint64_t kQuantum = 1'000'000'000'000;  // 1 ms, in fs
    uint64_t time() const {
        if (ahead_)
            return time_;
        return std::max<uint64_t>(time_, sc_core::sc_time_stamp().value());
    }
    sc_core::sc_time time_stamp() const { return sc_core::sc_time::from_value(time()); }
    // How far time() is ahead. A delay that is annotated on a call to another party is longer by
    // it, and one that such a party annotates is shorter by it for the machine.
    sc_core::sc_time lead() const { return time_stamp() - sc_core::sc_time_stamp(); }
    // Another party was called, which may have notified events of its own.
    void called_another() {
        horizon_is_old_ = true;
        until_ = 0;
    }
    // Notifies an event of the rest of the simulation `delay` from time() on.
    void notify(sc_core::sc_event& event, const sc_core::sc_time& delay);

  private:
    friend class ClockDomain;
    bool halted() const { return on_halt_ != nullptr && error_ != nullptr; }
    void run(ClockDomain& first);
    void run_clocks();
    // Whether an event of the simulation other than the clocks is due before or at `until`.
    bool someone_due(uint64_t until) {
        if (horizon_is_old_)
            find_horizon();
        return horizon_ <= until;
    }
    void find_horizon();

    std::exception_ptr with_suspicion(const std::exception_ptr& error) const;

    std::exception_ptr error_;
    std::string suspicion_;
    sc_core::sc_event* on_halt_ = nullptr;
    std::vector<ClockDomain*> clocks_;
    bool decoupled_ = false;
    bool ahead_ = false;  // in run(), past sc_time_stamp()
    bool horizon_is_old_ = true;
    uint64_t time_ = 0;     // of the last edge that was stepped
    uint64_t horizon_ = 0;  // when the rest of the simulation is due
    uint64_t until_ = 0;    // before this the stepping clock checks no other
};

class ClockDomain : public sc_core::sc_module {
  public:
    // Period in femtoseconds. The time resolution of the simulation must be 1 fs
    // (sc_set_time_resolution before anything else): periods are whole femtoseconds.
    ClockDomain(const sc_core::sc_module_name& name, uint64_t period_fs, RunControl& control);

    void add(Clocked& clocked) { scheduler_.add(clocked); }
    Scheduler& scheduler() { return scheduler_; }
    const Scheduler& scheduler() const { return scheduler_; }
    uint64_t period_fs() const { return period_fs_; }
    // In which cycles members are due. It has to be read at the simulation time of its writing.
    void archive(Archive& a);

    // Number of the last edge at or before the current time.
    Cycle now() const {
        const uint64_t t = control_.time();
        if (t != time_fs_) {
            time_fs_ = t;
            cycle_ = t / period_fs_;
        }
        return cycle_;
    }
    // First edge at or after `delay` from now, and later than now.
    Cycle edge_after(const sc_core::sc_time& delay) const {
        const Cycle cycle = now();
        const uint64_t past = time_fs_ - cycle * period_fs_;  // since that edge
        // Nearly all crossings start at an edge and take one of a few delays.
        if (past != 0)
            return cycle + std::max<Cycle>((past + delay.value() + period_fs_ - 1) / period_fs_, 1);
        if (delay.value() != asked_delay_) {
            asked_delay_ = delay.value();
            cycles_found_ = std::max<Cycle>((asked_delay_ + period_fs_ - 1) / period_fs_, 1);
        }
        return cycle + cycles_found_;
    }
    const RunControl& control() const { return control_; }
    RunControl& control() { return control_; }
    sc_core::sc_time cycles(Cycle n) const { return sc_core::sc_time::from_value(n * period_fs_); }

  private:
    friend class RunControl;
    void on_edge() { control_.run(*this); }
    void schedule(Cycle at);
    // False when the step failed.
    bool step(Cycle cycle);
    bool step_until();
    void find_next(uint64_t now);
    void consider(Cycle at, uint64_t now);

    Scheduler scheduler_;
    uint64_t period_fs_;
    RunControl& control_;
    sc_core::sc_event edge_{"edge"};
    // While the clocks are decoupled: the next edge in which something is due, and when; kNever
    // when all sleep.
    Cycle next_cycle_ = kNever;
    uint64_t next_time_ = kNever;
    // The next step is the first one, or something was due at an edge that has passed.
    bool passed_ = true;
    mutable uint64_t time_fs_ = 0;
    mutable Cycle cycle_ = 0;
    mutable uint64_t asked_delay_ = 0;
    mutable Cycle cycles_found_ = 1;
};

}  // namespace archipelago::tlm_shell
