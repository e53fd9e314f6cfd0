// SPDX-License-Identifier: Apache-2.0
// Messages, ports and counted events of a vector L1 on its pins, read in both directions: by the
// shell of a chip and by the model in lockstep (tc_l1_core.cpp).
#pragma once

#include "models/tc/tc_l1_core.h"

namespace archipelago::tc {

template <class Pass>
void TcL1Parts::each_port(Pass& pass, VectorL1& l1, unsigned lanes) {
    auto& in = pass.in;
    auto& out = pass.out;
    pass.lanes(l1.from_cu, lanes, in.cu_valid, out.cu_ready,
               [&](auto m, auto& r, unsigned lane) { map_request(m, r, in.cu[lane]); });
    pass.input(l1.from_l2, in.l2_valid, out.l2_ready, [&](auto m, auto& r) {
        map_answer_below(m, r, in.l2_tag, in.l2_status, in.l2_data);
    });
    pass.input(l1.actions, in.action_valid, out.action_ready,
               [&](auto m, auto& a) { map_action(m, CacheLevel::L1, a, in.action); });
    pass.output_lanes(l1.to_cu, Pins::kLanes, in.answer_ready, out.answer_valid,
                      [&](auto m, auto& r, unsigned lane) { map_answer(m, r, out.answer[lane]); });
    pass.output(l1.to_l2, in.down_ready, out.down_valid,
                [&](auto m, auto& r) { map_request(m, r, out.down); });
    pass.output(l1.to_action_done, in.done_ready, out.done_valid,
                [&](auto m, auto& done) { m(done.tag, out.done_tag); });
}

template <class M, class C, class E>
void TcL1Parts::map_events(M m, C& c, E& e) {
    m(c.reads, e.reads);
    m(c.read_hits, e.read_hits);
    m(c.read_misses, e.read_misses);
    m(c.read_merged, e.read_merged);
    m(c.glc_reads, e.glc_reads);
    m(c.writes, e.writes);
    m(c.write_hits, e.write_hits);
    m(c.atomics, e.atomics);
    m(c.fills, e.fills);
    m(c.dropped_fills, e.dropped_fills);
    m(c.evictions, e.evictions);
    m(c.invalidated_lines, e.invalidated_lines);
    m(c.cache_actions, e.cache_actions);
    m(c.failed_accesses, e.failed_accesses);
    m(c.bytes_returned, e.bytes_returned);
    m(c.bytes_written, e.bytes_written);
}

}  // namespace archipelago::tc
