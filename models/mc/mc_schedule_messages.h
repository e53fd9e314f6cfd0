// SPDX-License-Identifier: Apache-2.0
// Messages of the memory scheduler on its pins, read in both directions: by the shell of a chip and
// by the model in lockstep (mc_schedule_pins.cpp).
#pragma once

#include "models/common/memory_message.h"
#include "models/common/pins/pin_ports.h"
#include "pins/mc_schedule_pins.h"

namespace archipelago::mc::schedule_messages {

template <class M, class Counters, class Events>
void map_events(M m, Counters& c, Events& e) {
    m(c.row_hits, e.row_hits);
    m(c.row_misses, e.row_misses);
    m(c.row_conflicts, e.row_conflicts);
    m(c.activates, e.activates);
    m(c.precharges, e.precharges);
    m(c.refreshes, e.refreshes);
    m(c.turnarounds, e.turnarounds);
    m(c.write_drains, e.write_drains);
    m(c.starved, e.starved);
    m(c.order_waits, e.order_waits);
    m(c.queue_cycles, e.queue_cycles);
}

template <class M, class Request, class P>
void map_request(M m, Request& r, P& p) {
    m(r.id, p.id);
    m(r.bank, p.bank);
    m(r.write, p.write);
    m(r.row, p.row);
    m.as(pins::InUnits<kLineBytes>{}, r.line, p.line);
}

template <class M, class Command, class Out>
void map_command(M m, Command& c, Out& out) {
    m(c.kind, out.cmd_kind);
    m(c.bank, out.cmd_bank);
    m(c.id, out.cmd_id);
    m(c.row, out.cmd_row);
}

}  // namespace archipelago::mc::schedule_messages
