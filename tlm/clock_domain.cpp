// SPDX-License-Identifier: Apache-2.0
#include "tlm/clock_domain.h"

#include <stdexcept>

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
    scheduler_.on_earlier_wake(
        [](void* self, Cycle at) { static_cast<ClockDomain*>(self)->schedule(at); }, this);
}

void ClockDomain::schedule(Cycle at) {
    const uint64_t t = sc_core::sc_time_stamp().value();
    const Cycle next_edge = (t + period_fs_ - 1) / period_fs_;
    const uint64_t target = (at > next_edge ? at : next_edge) * period_fs_;
    edge_.notify(sc_core::sc_time::from_value(target - t));  // replaces a later notification
}

void ClockDomain::on_edge() {
    const Cycle cycle = now();
    try {
        scheduler_.step(cycle);
    } catch (...) {
        control_.fail(std::current_exception());
        return;
    }
    const Cycle next = scheduler_.next_wake();
    if (next != kNever)
        schedule(next);
}

}  // namespace archipelago::tlm_shell
