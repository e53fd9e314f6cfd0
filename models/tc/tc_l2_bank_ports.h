// SPDX-License-Identifier: Apache-2.0
// Messages, ports and counted events of an L2 channel on its pins, read in both directions: by the
// shell of a chip and by the model in lockstep (tc_l2_bank_core.cpp).
#pragma once

#include "models/tc/tc_l2_bank_core.h"

namespace archipelago::tc {

template <class Pass>
void TcL2BankParts::each_port(Pass& pass, L2Channel& l2, unsigned) {
    auto& in = pass.in;
    auto& out = pass.out;
    pass.input(l2.from_fabric, in.fabric_valid, out.fabric_ready,
               [&](auto m, auto& r) { map_request(m, r, in.fabric); });
    pass.input(l2.from_memory, in.memory_valid, out.memory_ready, [&](auto m, auto& r) {
        map_answer_below(m, r, in.memory_tag, in.memory_status, in.memory_data);
    });
    pass.input(l2.actions, in.action_valid, out.action_ready,
               [&](auto m, auto& a) { map_action(m, CacheLevel::L2, a, in.action); });
    pass.output(l2.to_fabric, in.answer_ready, out.answer_valid,
                [&](auto m, auto& r) { map_answer(m, r, out.answer); });
    pass.output(l2.to_memory, in.down_ready, out.down_valid,
                [&](auto m, auto& r) { map_request(m, r, out.down); });
    pass.output(l2.to_action_done, in.done_ready, out.done_valid,
                [&](auto m, auto& done) { m(done.tag, out.done_tag); });
}

template <class M, class C, class E>
void TcL2BankParts::map_events(M m, C& c, E& e) {
    m(c.reads, e.reads);
    m(c.read_hits, e.read_hits);
    m(c.read_misses, e.read_misses);
    m(c.read_merged, e.read_merged);
    m(c.partial_fills, e.partial_fills);
    m(c.writes, e.writes);
    m(c.write_hits, e.write_hits);
    m(c.write_allocates, e.write_allocates);
    m(c.write_throughs, e.write_throughs);
    m(c.atomics, e.atomics);
    m(c.atomic_operands, e.atomic_operands);
    m(c.waited, e.waited);
    m(c.fills, e.fills);
    m(c.failed_fills, e.failed_fills);
    m(c.evictions, e.evictions);
    m(c.writebacks, e.writebacks);
    m(c.writeback_bytes, e.writeback_bytes);
    m(c.invalidated_lines, e.invalidated_lines);
    m(c.cache_actions, e.cache_actions);
    m(c.unmapped_writes, e.unmapped_writes);
    m(c.bytes_read, e.bytes_read);
    m(c.bytes_written, e.bytes_written);
    m(c.busy_cycles, e.busy_cycles);
}

}  // namespace archipelago::tc
