// SPDX-License-Identifier: Apache-2.0
// Pins of cu_issue to and from its Verilated class `T`; for the .cpp files of this folder.
#pragma once

#include "rtl-bridge/pins/cu_issue_pins.h"
#include "rtl-bridge/verilated/wide_pins.h"

namespace archipelago::rtl {

template <class T>
struct CuIssueModel {
    using Pins = CuIssuePins;
    using Top = T;

    static void drive(Top& top, const CuIssuePins::In& p) {
        const CuIssuePins::Query& q = p.in;
        top.rst = p.rst;
        top.in_valid = p.in_valid;
        top.out_ready = p.out_ready;
        top.in_width = q.width;
        top.in_turn = q.turn;
        top.in_slots = q.slots;
        top.in_order = pack_nibbles(q.order);
        top.in_class = pack_nibbles(q.cls);
        top.in_unit = pack_nibbles(q.unit);
        pack_wide(q.wait, top.in_wait);
        pack_wide(q.hazard_wait, top.in_hazard_wait);
        pack_wide(q.reads, top.in_reads);
        pack_wide(q.pending, top.in_pending);
        top.in_needs_vm = q.needs_vm;
        top.in_needs_exp = q.needs_exp;
        top.in_needs_lgkm = q.needs_lgkm;
        top.in_drains = q.drains;
        pack_wide(q.vm, top.in_vm);
        pack_wide(q.exp, top.in_exp);
        pack_wide(q.lgkm, top.in_lgkm);
        top.in_max_vm = q.max_vm;
        top.in_max_exp = q.max_exp;
        top.in_max_lgkm = q.max_lgkm;
        pack_wide(q.unit_wait, top.in_unit_wait);
        top.in_waiting = q.waiting;
        pack_wide(q.limit_vm, top.in_limit_vm);
        pack_wide(q.limit_exp, top.in_limit_exp);
        pack_wide(q.limit_lgkm, top.in_limit_lgkm);
    }
    static void sample(const Top& top, CuIssuePins::Out& p) {
        p.in_ready = top.in_ready;
        p.out_valid = top.out_valid;
        p.out_grant = top.out_grant;
        p.out_classes = top.out_classes;
        p.out_full = top.out_full;
        p.out_retry = top.out_retry;
        p.out_released = top.out_released;
        unpack_nibbles(top.out_reason, p.out_reason);
    }
};

}  // namespace archipelago::rtl
