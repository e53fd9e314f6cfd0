// SPDX-License-Identifier: Apache-2.0
#include "tlm/clock_domain.h"

#include <stdexcept>
#include <string>
#include <tlm>
#include <utility>

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::tlm_shell {

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, uint64_t period_fs,
                         RunControl& control)
    : sc_core::sc_module(name), period_fs_(period_fs), control_(control) {
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_FS))
        throw std::logic_error(
            "archipelago needs a time resolution of 1 fs: call "
            "sc_core::sc_set_time_resolution(1, sc_core::SC_FS) first in sc_main");
    SC_HAS_PROCESS(ClockDomain);
    SC_METHOD(on_edge);
    sensitive << edge_;
    dont_initialize();
    control_.clocks_.push_back(this);
    scheduler_.on_earlier_wake(
        [](void* self, Cycle at) { static_cast<ClockDomain*>(self)->schedule(at); }, this);
}

void ClockDomain::schedule(Cycle at) {
    if (control_.ahead_) {
        consider(at, control_.time_);
        control_.until_ = std::min(control_.until_, next_time_);
        return;
    }
    const uint64_t t = sc_core::sc_time_stamp().value();
    const uint64_t now = std::max(t, control_.time_);
    const Cycle next_edge = (now + period_fs_ - 1) / period_fs_;
    const uint64_t target = (at > next_edge ? at : next_edge) * period_fs_;
    edge_.notify(sc_core::sc_time::from_value(target - t));  // replaces a later notification
}

void ClockDomain::archive(Archive& a) {
    const uint64_t now = sc_core::sc_time_stamp().value();
    uint64_t time = now;
    a(time);
    if (time != now)
        throw ArchiveError(std::string(name()) + ": the checkpoint was written at " +
                           std::to_string(time) + " fs, and is read at " + std::to_string(now) +
                           " fs");
    a(scheduler_);
    if (!a.saving() && scheduler_.next_wake() != kNever)
        schedule(scheduler_.next_wake());
}

// Something is due in cycle `at`, or at the next edge when that has passed.
void ClockDomain::consider(Cycle at, uint64_t now) {
    if (at >= next_cycle_)
        return;
    next_cycle_ = at;
    next_time_ = at * period_fs_;
    if (next_time_ < now) {
        passed_ = true;
        next_cycle_ = (now + period_fs_ - 1) / period_fs_;
        next_time_ = next_cycle_ * period_fs_;
    }
}

void ClockDomain::find_next(uint64_t now) {
    next_cycle_ = next_time_ = kNever;
    const Cycle at = scheduler_.next_wake();
    if (at != kNever)
        consider(at, now);
}

bool ClockDomain::step(Cycle cycle) {
    time_fs_ = cycle * period_fs_;
    cycle_ = cycle;
    try {
        scheduler_.step(cycle);
    } catch (...) {
        control_.fail(std::current_exception());
        return false;
    }
    return true;
}

// All edges of this clock from next_time_ on that come before control_.until_.
bool ClockDomain::step_until() {
    Cycle cycle = next_cycle_;
    uint64_t time = next_time_;
    next_cycle_ = next_time_ = kNever;
    try {
        do {
            control_.time_ = time_fs_ = time;
            cycle_ = cycle;
            if (std::exchange(passed_, false))
                scheduler_.step(cycle);
            else
                scheduler_.step_on(cycle);
            cycle = scheduler_.next_wake();
            if (cycle == kNever)
                return true;
            time = cycle * period_fs_;
        } while (time < control_.until_);
    } catch (...) {
        control_.fail(std::current_exception());
        return false;
    }
    next_cycle_ = cycle;
    next_time_ = time;
    return true;
}

std::exception_ptr RunControl::with_suspicion(const std::exception_ptr& error) const {
    try {
        std::rethrow_exception(error);
    } catch (const MachineStop& stop) {
        return std::make_exception_ptr(MachineStop(stop, "; " + suspicion_));
    } catch (...) {
        return error;
    }
}

// The cycle that failed did not tick all members that were due in it.
void RunControl::resume() {
    error_ = nullptr;
    suspicion_.clear();
    for (ClockDomain* clock : clocks_) {
        clock->scheduler_.wake_all();
        clock->schedule(clock->scheduler_.next_wake());
    }
}

void RunControl::notify(sc_core::sc_event& event, const sc_core::sc_time& delay) {
    event.notify(lead() + delay);
    called_another();
}

void RunControl::find_horizon() {
    horizon_is_old_ = false;
    const uint64_t now = sc_core::sc_time_stamp().value();
    horizon_ = now;
    if (!sc_core::sc_pending_activity_at_current_time()) {
        const uint64_t quantum = tlm::tlm_global_quantum::instance().get().value();
        const uint64_t left = std::min<uint64_t>(sc_core::sc_time_to_pending_activity().value(),
                                                 quantum != 0 ? quantum : kQuantum);
        horizon_ = left < kNever - now ? now + left : kNever;
    }
}

// The clocks' edges in turn, those of one time in the order of the clocks, while nothing else is
// due.
void RunControl::run_clocks() {
    while (!error_ && decoupled_) {
        ClockDomain* next = clocks_.front();
        for (ClockDomain* clock : clocks_)
            if (clock->next_time_ < next->next_time_)
                next = clock;
        if (next->next_time_ == kNever || someone_due(next->next_time_))
            return;
        until_ = horizon_;
        for (ClockDomain* clock : clocks_)
            if (clock != next)
                until_ = std::min(until_, clock->next_time_);
        if (!next->step_until())
            return;
    }
}

// One edge of `first`, and when the clocks are decoupled, as many of all as come before the rest of
// the simulation is due.
void RunControl::run(ClockDomain& first) {
    if (halted())
        return;
    time_ = sc_core::sc_time_stamp().value();
    if (!first.step(first.now()))
        return;
    if (decoupled_ && !sc_core::sc_pending_activity_at_current_time()) {
        for (ClockDomain* clock : clocks_)
            clock->edge_.cancel();
        horizon_is_old_ = true;
        ahead_ = true;
        for (ClockDomain* clock : clocks_)
            clock->find_next(time_);
        run_clocks();
        ahead_ = false;
        if (error_)
            return;
        for (ClockDomain* clock : clocks_)
            if (clock->scheduler_.next_wake() != kNever)
                clock->schedule(clock->scheduler_.next_wake());
        return;
    }
    const Cycle next = first.scheduler_.next_wake();
    if (next != kNever)
        first.schedule(next);
}

}  // namespace archipelago::tlm_shell
