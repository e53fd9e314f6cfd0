// SPDX-License-Identifier: Apache-2.0
// Pins of the issue arbiter of a compute unit; meanings stand in rtl-bridge/rtl/cu_issue.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CuIssuePins {
    static constexpr const char* kName = "cu_issue";
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
        visit(
            "reset", "rst", [](auto& p) -> auto& { return p.rst; }, 1);
        visit(
            "in", "valid", [](auto& p) -> auto& { return p.in_valid; }, 1);
        visit(
            "in", "width", [](auto& p) -> auto& { return p.in.width; }, 4);
        visit(
            "in", "turn", [](auto& p) -> auto& { return p.in.turn; }, 4);
        visit(
            "in", "slots", [](auto& p) -> auto& { return p.in.slots; }, 16);
        visit(
            "in", "order", [](auto& p) -> auto& { return p.in.order; }, 4);
        visit(
            "in", "class", [](auto& p) -> auto& { return p.in.cls; }, 4);
        visit(
            "in", "unit", [](auto& p) -> auto& { return p.in.unit; }, 4);
        visit(
            "in", "wait", [](auto& p) -> auto& { return p.in.wait; }, 16);
        visit(
            "in", "hazard_wait", [](auto& p) -> auto& { return p.in.hazard_wait; }, 16);
        visit(
            "in", "reads", [](auto& p) -> auto& { return p.in.reads; }, 64);
        visit(
            "in", "pending", [](auto& p) -> auto& { return p.in.pending; }, 64);
        visit(
            "in", "needs_vm", [](auto& p) -> auto& { return p.in.needs_vm; }, 16);
        visit(
            "in", "needs_exp", [](auto& p) -> auto& { return p.in.needs_exp; }, 16);
        visit(
            "in", "needs_lgkm", [](auto& p) -> auto& { return p.in.needs_lgkm; }, 16);
        visit(
            "in", "drains", [](auto& p) -> auto& { return p.in.drains; }, 16);
        visit(
            "in", "vm", [](auto& p) -> auto& { return p.in.vm; }, 8);
        visit(
            "in", "exp", [](auto& p) -> auto& { return p.in.exp; }, 8);
        visit(
            "in", "lgkm", [](auto& p) -> auto& { return p.in.lgkm; }, 8);
        visit(
            "in", "max_vm", [](auto& p) -> auto& { return p.in.max_vm; }, 8);
        visit(
            "in", "max_exp", [](auto& p) -> auto& { return p.in.max_exp; }, 8);
        visit(
            "in", "max_lgkm", [](auto& p) -> auto& { return p.in.max_lgkm; }, 8);
        visit(
            "in", "unit_wait", [](auto& p) -> auto& { return p.in.unit_wait; }, 16);
        visit(
            "in", "waiting", [](auto& p) -> auto& { return p.in.waiting; }, 16);
        visit(
            "in", "limit_vm", [](auto& p) -> auto& { return p.in.limit_vm; }, 8);
        visit(
            "in", "limit_exp", [](auto& p) -> auto& { return p.in.limit_exp; }, 8);
        visit(
            "in", "limit_lgkm", [](auto& p) -> auto& { return p.in.limit_lgkm; }, 8);
        visit(
            "out", "ready", [](auto& p) -> auto& { return p.out_ready; }, 1);
    }
    template <class V>
    static void outputs(V&& visit) {
        visit(
            "in", "ready", [](auto& p) -> auto& { return p.in_ready; }, 1);
        visit(
            "out", "valid", [](auto& p) -> auto& { return p.out_valid; }, 1);
        visit(
            "out", "grant", [](auto& p) -> auto& { return p.out_grant; }, 16);
        visit(
            "out", "classes", [](auto& p) -> auto& { return p.out_classes; }, 16);
        visit(
            "out", "full", [](auto& p) -> auto& { return p.out_full; }, 16);
        visit(
            "out", "retry", [](auto& p) -> auto& { return p.out_retry; }, 16);
        visit(
            "out", "released", [](auto& p) -> auto& { return p.out_released; }, 16);
        visit(
            "out", "reason", [](auto& p) -> auto& { return p.out_reason; }, 4);
    }
    template <class V>
    static void transfers(const In& in, const Out& out, V&& visit) {
        visit("reset", in.rst != 0);
        visit("in", in.in_valid != 0 && out.in_ready != 0);
        visit("out", out.out_valid != 0 && in.out_ready != 0);
    }
};

}  // namespace archipelago::rtl
