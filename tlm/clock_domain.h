// SPDX-License-Identifier: Apache-2.0
// One clock of the chip: owns the one SC_METHOD that ticks everything driven by it. DESIGN
// section 3.
#pragma once

#include <algorithm>
#include <exception>
#include <systemc>

#include "models/common/clocked.h"

namespace archipelago::tlm_shell {

// Collects the first reason for stopping; the host reads it after sc_start returned.
class RunControl {
  public:
    void fail(std::exception_ptr error) {
        if (error_)
            return;
        error_ = std::move(error);
        sc_core::sc_stop();
    }
    const std::exception_ptr& error() const { return error_; }

  private:
    std::exception_ptr error_;
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

    // Number of the last edge at or before the current time.
    Cycle now() const {
        const uint64_t t = sc_core::sc_time_stamp().value();
        if (t != time_fs_) {
            time_fs_ = t;
            cycle_ = t / period_fs_;
        }
        return cycle_;
    }
    // First edge at or after `delay` from now, and later than now.
    Cycle edge_after(const sc_core::sc_time& delay) const {
        // Most crossings of one cycle ask for the same delay: the division is done once.
        const uint64_t t = sc_core::sc_time_stamp().value();
        if (t != asked_at_ || delay.value() != asked_delay_) {
            asked_at_ = t;
            asked_delay_ = delay.value();
            edge_found_ =
                std::max((t + asked_delay_ + period_fs_ - 1) / period_fs_, t / period_fs_ + 1);
        }
        return edge_found_;
    }
    sc_core::sc_time cycles(Cycle n) const { return sc_core::sc_time::from_value(n * period_fs_); }

  private:
    void on_edge();
    void schedule(Cycle at);

    Scheduler scheduler_;
    uint64_t period_fs_;
    RunControl& control_;
    sc_core::sc_event edge_{"edge"};
    mutable uint64_t time_fs_ = 0;
    mutable Cycle cycle_ = 0;
    mutable uint64_t asked_at_ = ~uint64_t{0};
    mutable uint64_t asked_delay_ = 0;
    mutable Cycle edge_found_ = 0;
};

}  // namespace archipelago::tlm_shell
