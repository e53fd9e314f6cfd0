// SPDX-License-Identifier: Apache-2.0
// Pins of the issue arbiter of a compute unit; documented in rtl-bridge/rtl/cu_issue.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CuIssuePins {
    static constexpr const char* kName = "cu_issue";
    static constexpr Elastic kElastic{"in", "out"};
    static constexpr unsigned kSlots = 16;
    static constexpr unsigned kUnits = 16;       // codes of the unit field
    static constexpr uint16_t kNoTime = 0xffff;  // a wait that ends by an event only

    template <class T>
    using PerSlot = std::array<T, kSlots>;
    // Of a SIMD in its turn.
    struct Query {
        uint8_t width = 0, turn = 0;
        uint16_t slots = 0;  // ready
        PerSlot<uint8_t> order{}, cls{}, unit{};
        PerSlot<uint16_t> wait{}, hazard_wait{};
        // 128 bits per slot, two words each: scalar registers read, and not ready yet.
        std::array<uint64_t, 2 * kSlots> reads{}, pending{};
        uint16_t needs_vm = 0, needs_exp = 0, needs_lgkm = 0;
        uint16_t drains = 0;  // needs every counter at zero
        PerSlot<uint8_t> vm{}, exp{}, lgkm{};
        uint8_t max_vm = 0, max_exp = 0, max_lgkm = 0;
        std::array<uint16_t, kUnits> unit_wait{};
        uint16_t waiting = 0;  // at an s_waitcnt, with these limits:
        PerSlot<uint8_t> limit_vm{}, limit_exp{}, limit_lgkm{};
    };
    struct In {
        uint8_t rst = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Query in;
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        uint16_t out_grant = 0;
        uint16_t out_classes = 0;
        uint16_t out_full = 0;
        uint16_t out_retry = 0;
        uint16_t out_released = 0;
        PerSlot<uint8_t> out_reason{};
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "a SIMD in its turn");
        ARCHIPELAGO_PIN(in, width, in.width, 4, "instructions a turn");
        ARCHIPELAGO_PIN(in, turn, in.turn, 4, "cycles until the SIMD's next turn");
        ARCHIPELAGO_PIN(in, slots, in.slots, 16, "slots with a wave that has an instruction");
        ARCHIPELAGO_PIN(in, order, in.order, 4, "slot to look at first, second, ...");
        ARCHIPELAGO_PIN(in, class, in.cls, 4, "isa::Class of slot n's next instruction");
        ARCHIPELAGO_PIN(in, unit, in.unit, 4, "unit it needs");
        ARCHIPELAGO_PIN(in, wait, in.wait, 16,
                        "cycles until slot n may issue; all ones: until an event");
        ARCHIPELAGO_PIN(in, hazard_wait, in.hazard_wait, 16,
                        "cycles until slot n's pending registers are ready");
        ARCHIPELAGO_PIN(in, reads, in.reads, 64,
                        "scalar registers that slot n's instruction reads, 128 bits a slot");
        ARCHIPELAGO_PIN(in, pending, in.pending, 64,
                        "scalar registers of slot n that are not ready, 128 bits a slot");
        ARCHIPELAGO_PIN(in, needs_vm, in.needs_vm, 16, "slots whose instruction counts in VM_CNT");
        ARCHIPELAGO_PIN(in, needs_exp, in.needs_exp, 16,
                        "slots whose instruction counts in EXP_CNT");
        ARCHIPELAGO_PIN(in, needs_lgkm, in.needs_lgkm, 16,
                        "slots whose instruction counts in LGKM_CNT");
        ARCHIPELAGO_PIN(in, drains, in.drains, 16,
                        "slots whose instruction needs every counter at zero");
        ARCHIPELAGO_PIN(in, vm, in.vm, 8, "VM_CNT of slot n");
        ARCHIPELAGO_PIN(in, exp, in.exp, 8, "EXP_CNT of slot n");
        ARCHIPELAGO_PIN(in, lgkm, in.lgkm, 8, "LGKM_CNT of slot n");
        ARCHIPELAGO_PIN(in, max_vm, in.max_vm, 8, "most VM_CNT can be");
        ARCHIPELAGO_PIN(in, max_exp, in.max_exp, 8, "most EXP_CNT can be");
        ARCHIPELAGO_PIN(in, max_lgkm, in.max_lgkm, 8, "most LGKM_CNT can be");
        ARCHIPELAGO_PIN(in, unit_wait, in.unit_wait, 16,
                        "cycles until unit n is free; all ones: until an event");
        ARCHIPELAGO_PIN(in, waiting, in.waiting, 16, "slots at an s_waitcnt");
        ARCHIPELAGO_PIN(in, limit_vm, in.limit_vm, 8, "VM_CNT it waits for");
        ARCHIPELAGO_PIN(in, limit_exp, in.limit_exp, 8, "EXP_CNT it waits for");
        ARCHIPELAGO_PIN(in, limit_lgkm, in.limit_lgkm, 8, "LGKM_CNT it waits for");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the decision is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the query is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1, "a decision, in the order of the queries");
        ARCHIPELAGO_PIN(out, grant, out_grant, 16, "slots that issue");
        ARCHIPELAGO_PIN(out, classes, out_classes, 16, "classes granted, by bit");
        ARCHIPELAGO_PIN(out, full, out_full, 16, "classes refused until an event, by bit");
        ARCHIPELAGO_PIN(out, retry, out_retry, 16,
                        "cycles until a refused wave may issue; all ones: none");
        ARCHIPELAGO_PIN(out, released, out_released, 16, "slots whose s_waitcnt has ended");
        ARCHIPELAGO_PIN(out, reason, out_reason, 4, "cu::IssueReason of slot n");
    }
};

}  // namespace archipelago::rtl
