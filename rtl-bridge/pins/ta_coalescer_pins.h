// SPDX-License-Identifier: Apache-2.0
// Pins of the coalescer of a compute unit's address unit; documented in
// rtl-bridge/rtl/ta_coalescer/ta_coalescer.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct TaCoalescerPins {
    static constexpr const char* kName = "ta_coalescer";
    static constexpr Elastic kElastic{"cfg op", "out0=out1=out2=out3"};

    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kDwords = 4;    // of a lane at most
    static constexpr unsigned kRequests = 4;  // that leave in a cycle
    static constexpr unsigned kMostCycles = 127;
    static constexpr unsigned kMostStoreCycles = 511;
    static constexpr unsigned kMostLinearLines = 7;
    enum Kind : uint8_t { kLoad, kStore, kAtomic, kNothing };

    using PerLane = std::array<uint64_t, kLanes>;
    // Cycles of the address unit; those that are there with an instruction are its own.
    struct Config {
        uint8_t load_quad = 1, load_quarter = 1;
        uint16_t store_quarter = 2;
        uint8_t atomic_quad = 1;
        uint8_t load_pair = 0, load_scattered = 0, load_scattered_triple = 0;
        uint8_t linear_lines = 2;
    };
    struct Operation {
        uint8_t kind = kLoad;
        uint8_t compares = 0;
        uint8_t bytes = 4;
        uint8_t dwords = 1;
        uint8_t contiguous = 1;
        uint64_t lanes = 0;
        std::array<uint64_t, kDwords> dword_lanes{};
        std::array<PerLane, kDwords> address{};
    };
    struct Request {
        uint64_t line = 0;
        uint64_t lanes = 0;
        uint16_t cycle = 0;
        uint8_t last = 0;
        uint16_t busy = 0;
        uint8_t misaligned = 0;
    };
    struct In {
        uint8_t rst = 0;
        Config cfg;
        uint8_t op_valid = 0;
        Operation op;
        std::array<uint8_t, kRequests> out_ready{};
    };
    struct Out {
        uint8_t op_ready = 0;
        std::array<uint8_t, kRequests> out_valid{};
        std::array<Request, kRequests> out{};
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, load_quad, cfg.load_quad, 7,
                        "cycles of four lanes of a load; this and the others are those of the "
                        "instruction that is taken");
        ARCHIPELAGO_PIN(cfg, load_quarter, cfg.load_quarter, 7,
                        "of sixteen lanes of a load that are one group");
        ARCHIPELAGO_PIN(cfg, store_quarter, cfg.store_quarter, 9, "of sixteen lanes of a store");
        ARCHIPELAGO_PIN(cfg, atomic_quad, cfg.atomic_quad, 7, "of four lanes of an atomic");
        ARCHIPELAGO_PIN(cfg, load_pair, cfg.load_pair, 7,
                        "of a load of two registers beyond its groups");
        ARCHIPELAGO_PIN(cfg, load_scattered, cfg.load_scattered, 7,
                        "of a scattered load of 16 bytes beyond its groups");
        ARCHIPELAGO_PIN(cfg, load_scattered_triple, cfg.load_scattered_triple, 7,
                        "of one of 12 bytes");
        ARCHIPELAGO_PIN(cfg, linear_lines, cfg.linear_lines, 3,
                        "scattered: more requests than this for each quad that has lanes");
        ARCHIPELAGO_PIN(op, valid, op_valid, 1, "a vector memory instruction is there");
        ARCHIPELAGO_PIN(op, kind, op.kind, 2,
                        "0 load, 1 store, 2 atomic, 3 accesses nothing (cache invalidation)");
        ARCHIPELAGO_PIN(op, compares, op.compares, 1,
                        "an atomic compares: each operation in a request of its own");
        ARCHIPELAGO_PIN(op, bytes, op.bytes, 5,
                        "bytes of a lane, 1 to 16; of an atomic's operand, 4 or 8");
        ARCHIPELAGO_PIN(op, dwords, op.dwords, 3, "registers of a lane, 1 to 4");
        ARCHIPELAGO_PIN(op, contiguous, op.contiguous, 1,
                        "a lane's bytes lie beside each other, at op_address0");
        ARCHIPELAGO_PIN(op, lanes, op.lanes, 64, "lanes that access memory");
        ARCHIPELAGO_PIN(op, dword_lanes, op.dword_lanes, 64,
                        "not contiguous: which of them access dword n");
        ARCHIPELAGO_PIN(op, address0, op.address[0], 64, "byte address of lane n");
        ARCHIPELAGO_PIN(op, address1, op.address[1], 64, "not contiguous: that of its dword 1");
        ARCHIPELAGO_PIN(op, address2, op.address[2], 64, "dword 2");
        ARCHIPELAGO_PIN(op, address3, op.address[3], 64, "dword 3");
        ARCHIPELAGO_PIN(out0, ready, out_ready[0], 1, "the oldest request is taken");
        ARCHIPELAGO_PIN(out1, ready, out_ready[1], 1, "the one behind it, only with out0_ready");
        ARCHIPELAGO_PIN(out2, ready, out_ready[2], 1, "the next one, only with out1_ready");
        ARCHIPELAGO_PIN(out3, ready, out_ready[3], 1, "the next one, only with out2_ready");
    }

#define ARCHIPELAGO_LINE_REQUEST_PINS(port, where)                                                 \
    ARCHIPELAGO_PIN(port, line, where.line, 58, "the line, address / 64");                         \
    ARCHIPELAGO_PIN(port, lanes, where.lanes, 64,                                                  \
                    "lanes with bytes, of an atomic with their operation, in this request; 0: no " \
                    "request, the instruction has none");                                          \
    ARCHIPELAGO_PIN(port, cycle, where.cycle, 11,                                                  \
                    "cycles behind the start of the instruction when it may leave");               \
    ARCHIPELAGO_PIN(port, last, where.last, 1, "the instruction has no other");                    \
    ARCHIPELAGO_PIN(port, busy, where.busy, 12,                                                    \
                    "with the last: cycles the address unit works on the instruction; else 0");    \
    ARCHIPELAGO_PIN(port, misaligned, where.misaligned, 1,                                         \
                    "with the last: its lane's operand is not naturally aligned")

    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(op, ready, op_ready, 1, "the instruction is taken");
        ARCHIPELAGO_PIN(out0, valid, out_valid[0], 1, "a request, the oldest");
        ARCHIPELAGO_LINE_REQUEST_PINS(out0, out[0]);
        ARCHIPELAGO_PIN(out1, valid, out_valid[1], 1,
                        "the one behind it, of the same instruction; only with out0_valid");
        ARCHIPELAGO_LINE_REQUEST_PINS(out1, out[1]);
        ARCHIPELAGO_PIN(out2, valid, out_valid[2], 1, "the next one, only with out1_valid");
        ARCHIPELAGO_LINE_REQUEST_PINS(out2, out[2]);
        ARCHIPELAGO_PIN(out3, valid, out_valid[3], 1, "the next one, only with out2_valid");
        ARCHIPELAGO_LINE_REQUEST_PINS(out3, out[3]);
    }
#undef ARCHIPELAGO_LINE_REQUEST_PINS
};

}  // namespace archipelago::rtl
