// SPDX-License-Identifier: Apache-2.0
// Pins of the prefetch parser; documented in rtl-bridge/rtl/cp_pfp_parser/cp_pfp_parser.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CpPfpParserPins {
    static constexpr const char* kName = "cp_pfp_parser";
    static constexpr unsigned kRings = 3;
    static constexpr unsigned kStreams = 9;      // 3 * ring + level
    static constexpr unsigned kLineDwords = 16;  // of the reorder queue
    static constexpr unsigned kPackets = 256;    // entries of the packet table

    template <class T>
    using PerRing = std::array<T, kRings>;
    template <class T>
    using PerStream = std::array<T, kStreams>;
    struct In {
        uint8_t rst = 0;
        uint32_t now = 0;
        uint8_t hold = 0, accept = 0, parse = 0;
        uint16_t packet_cycles = 0;
        uint8_t table_valid = 0, table_opcode = 0;
        uint64_t table_entry = 0;
        PerRing<uint8_t> upd_valid{}, upd_reset{}, upd_enabled{}, upd_vmid{};
        PerRing<uint32_t> upd_read_pointer{}, upd_write_pointer{}, upd_dwords{};
        PerRing<uint64_t> upd_base{};
        uint8_t halt_valid = 0, halt_level = 0;
        PerRing<uint8_t> sync{}, pred_skip{};
        PerStream<uint8_t> roq_valid{}, roq_first{}, roq_count{};
        std::array<uint32_t, kStreams * kLineDwords> roq_dwords{};
        uint8_t fetch_ready = 0;
        PerRing<uint8_t> meq_ready{}, ce_ready{};
        PerRing<uint8_t> exec_result{}, exec_reason{}, exec_again{}, exec_again_reason{};
        PerRing<uint16_t> exec_skip{};
    };
    struct Out {
        PerStream<uint8_t> roq_ready{};
        uint8_t fetch_valid = 0, fetch_ring = 0, fetch_level = 0, fetch_vmid = 0, fetch_swap = 0;
        uint64_t fetch_base = 0;
        uint32_t fetch_dwords = 0;
        PerRing<uint8_t> meq_valid{};
        uint32_t meq_dword = 0;
        uint8_t meq_first = 0;
        PerRing<uint8_t> ce_valid{};
        uint8_t ce_partition = 0, ce_vmid = 0, ce_swap = 0;
        uint16_t ce_cs1 = 0;
        uint32_t ce_dwords = 0, ce_cs2 = 0;
        uint64_t ce_base = 0;
        uint8_t exec_give = 0;
        uint8_t take_valid = 0, take_ring = 0, take_kind = 0, take_level = 0;
        uint32_t take_dword = 0, take_place = 0;
        PerRing<uint8_t> event_skip{}, event_begin{}, event_exec{};
        uint8_t event_sync = 0;
        uint8_t done_valid = 0, done_ring = 0, done_top = 0;
        uint32_t done_place = 0;
        uint8_t stall = 0;
        PerRing<uint8_t> runnable{}, phase{};
        uint8_t error_code = 0, error_ring = 0, error_level = 0;
        uint32_t error_place = 0, error_header = 0, error_left = 0;
        std::array<uint32_t, 3> error_body{};
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(ctl, now, now, 32);
        ARCHIPELAGO_PIN(ctl, hold, hold, 1);
        ARCHIPELAGO_PIN(ctl, accept, accept, 1);
        ARCHIPELAGO_PIN(ctl, parse, parse, 1);
        ARCHIPELAGO_PIN(cfg, packet_cycles, packet_cycles, 16);
        ARCHIPELAGO_PIN(table, valid, table_valid, 1);
        ARCHIPELAGO_PIN(table, opcode, table_opcode, 8);
        ARCHIPELAGO_PIN(table, entry, table_entry, 48);
        ARCHIPELAGO_PIN(upd, valid, upd_valid, 1);
        ARCHIPELAGO_PIN(upd, reset, upd_reset, 1);
        ARCHIPELAGO_PIN(upd, enabled, upd_enabled, 1);
        ARCHIPELAGO_PIN(upd, read_pointer, upd_read_pointer, 32);
        ARCHIPELAGO_PIN(upd, write_pointer, upd_write_pointer, 32);
        ARCHIPELAGO_PIN(upd, base, upd_base, 64);
        ARCHIPELAGO_PIN(upd, dwords, upd_dwords, 32);
        ARCHIPELAGO_PIN(upd, vmid, upd_vmid, 8);
        ARCHIPELAGO_PIN(halt, valid, halt_valid, 1);
        ARCHIPELAGO_PIN(halt, level, halt_level, 1);
        ARCHIPELAGO_PIN(sync, valid, sync, 1);
        ARCHIPELAGO_PIN(pred, skip, pred_skip, 1);
        ARCHIPELAGO_PIN(roq, valid, roq_valid, 1);
        ARCHIPELAGO_PIN(roq, first, roq_first, 4);
        ARCHIPELAGO_PIN(roq, count, roq_count, 5);
        ARCHIPELAGO_PIN(roq, dwords, roq_dwords, 32);
        ARCHIPELAGO_PIN(fetch, ready, fetch_ready, 1);
        ARCHIPELAGO_PIN(meq, ready, meq_ready, 1);
        ARCHIPELAGO_PIN(ce, ready, ce_ready, 1);
        ARCHIPELAGO_PIN(exec, result, exec_result, 3);
        ARCHIPELAGO_PIN(exec, reason, exec_reason, 4);
        ARCHIPELAGO_PIN(exec, again, exec_again, 3);
        ARCHIPELAGO_PIN(exec, again_reason, exec_again_reason, 4);
        ARCHIPELAGO_PIN(exec, skip, exec_skip, 14);
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(roq, ready, roq_ready, 1);
        ARCHIPELAGO_PIN(fetch, valid, fetch_valid, 1);
        ARCHIPELAGO_PIN(fetch, ring, fetch_ring, 2);
        ARCHIPELAGO_PIN(fetch, level, fetch_level, 2);
        ARCHIPELAGO_PIN(fetch, vmid, fetch_vmid, 8);
        ARCHIPELAGO_PIN(fetch, swap, fetch_swap, 2);
        ARCHIPELAGO_PIN(fetch, base, fetch_base, 64);
        ARCHIPELAGO_PIN(fetch, dwords, fetch_dwords, 32);
        ARCHIPELAGO_PIN(meq, valid, meq_valid, 1);
        ARCHIPELAGO_PIN(meq, dword, meq_dword, 32);
        ARCHIPELAGO_PIN(meq, first, meq_first, 1);
        ARCHIPELAGO_PIN(ce, valid, ce_valid, 1);
        ARCHIPELAGO_PIN(ce, partition, ce_partition, 2);
        ARCHIPELAGO_PIN(ce, vmid, ce_vmid, 8);
        ARCHIPELAGO_PIN(ce, swap, ce_swap, 2);
        ARCHIPELAGO_PIN(ce, cs1, ce_cs1, 16);
        ARCHIPELAGO_PIN(ce, cs2, ce_cs2, 32);
        ARCHIPELAGO_PIN(ce, dwords, ce_dwords, 32);
        ARCHIPELAGO_PIN(ce, base, ce_base, 64);
        ARCHIPELAGO_PIN(exec, give, exec_give, 1);
        ARCHIPELAGO_PIN(take, valid, take_valid, 1);
        ARCHIPELAGO_PIN(take, ring, take_ring, 2);
        ARCHIPELAGO_PIN(take, kind, take_kind, 2);
        ARCHIPELAGO_PIN(take, dword, take_dword, 32);
        ARCHIPELAGO_PIN(take, level, take_level, 2);
        ARCHIPELAGO_PIN(take, place, take_place, 32);
        ARCHIPELAGO_PIN(event, skip, event_skip, 1);
        ARCHIPELAGO_PIN(event, begin, event_begin, 1);
        ARCHIPELAGO_PIN(event, exec, event_exec, 1);
        ARCHIPELAGO_PIN(event, sync, event_sync, 1);
        ARCHIPELAGO_PIN(done, valid, done_valid, 1);
        ARCHIPELAGO_PIN(done, ring, done_ring, 2);
        ARCHIPELAGO_PIN(done, top, done_top, 1);
        ARCHIPELAGO_PIN(done, place, done_place, 32);
        ARCHIPELAGO_PIN(state, stall, stall, 4);
        ARCHIPELAGO_PIN(state, runnable, runnable, 1);
        ARCHIPELAGO_PIN(state, phase, phase, 3);
        ARCHIPELAGO_PIN(error, code, error_code, 5);
        ARCHIPELAGO_PIN(error, ring, error_ring, 2);
        ARCHIPELAGO_PIN(error, level, error_level, 2);
        ARCHIPELAGO_PIN(error, place, error_place, 32);
        ARCHIPELAGO_PIN(error, header, error_header, 32);
        ARCHIPELAGO_PIN(error, left, error_left, 32);
        ARCHIPELAGO_PIN(error, body, error_body, 32);
    }
};

}  // namespace archipelago::rtl
