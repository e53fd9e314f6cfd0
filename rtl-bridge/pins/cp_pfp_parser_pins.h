// SPDX-License-Identifier: Apache-2.0
// Pins of the prefetch parser; documented in rtl-bridge/rtl/cp_pfp_parser/cp_pfp_parser.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CpPfpParserPins {
    static constexpr const char* kName = "cp_pfp_parser";
    static constexpr Elastic kElastic{
        "", "", "", "",
        "the programs of packets stand outside and answer within the cycle (exec_result)"};
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
        ARCHIPELAGO_PIN(ctl, now, now, 32, "number of the cycle");
        ARCHIPELAGO_PIN(ctl, hold, hold, 1,
                        "nothing changes in this cycle: outputs are those of the next without it");
        ARCHIPELAGO_PIN(ctl, accept, accept, 1, "updates of rings are taken");
        ARCHIPELAGO_PIN(ctl, parse, parse, 1, "packets are taken up");
        ARCHIPELAGO_PIN(cfg, packet_cycles, packet_cycles, 16,
                        "cycles from a header to the decision, at least 1");
        ARCHIPELAGO_PIN(table, valid, table_valid, 1, "an entry of the packet table is written");
        ARCHIPELAGO_PIN(table, opcode, table_opcode, 8, "of this packet");
        ARCHIPELAGO_PIN(
            table, entry, table_entry, 48,
            "{max_body, min_body, fixed, routed_by, rule, for_ce, implemented, rings, known}");
        ARCHIPELAGO_PIN(upd, valid, upd_valid, 1, "registers of ring n change");
        ARCHIPELAGO_PIN(upd, reset, upd_reset, 1, "ring n begins anew");
        ARCHIPELAGO_PIN(upd, enabled, upd_enabled, 1, "ring n may be read");
        ARCHIPELAGO_PIN(upd, read_pointer, upd_read_pointer, 32, "dword of ring n to be read next");
        ARCHIPELAGO_PIN(upd, write_pointer, upd_write_pointer, 32, "dword behind the last written");
        ARCHIPELAGO_PIN(upd, base, upd_base, 64, "byte address of ring n");
        ARCHIPELAGO_PIN(upd, dwords, upd_dwords, 32, "size of ring n");
        ARCHIPELAGO_PIN(upd, vmid, upd_vmid, 8, "VMID of ring n");
        ARCHIPELAGO_PIN(halt, valid, halt_valid, 1, "the parser is halted or released");
        ARCHIPELAGO_PIN(halt, level, halt_level, 1, "1: halted");
        ARCHIPELAGO_PIN(
            sync, valid, sync, 1,
            "the micro engine has reached the point that ring n's PFP_SYNC_ME waits for");
        ARCHIPELAGO_PIN(pred, skip, pred_skip, 1,
                        "ring n's predicate says that packets are skipped");
        ARCHIPELAGO_PIN(roq, valid, roq_valid, 1,
                        "the reorder queue has a line for stream n (3 * ring + level)");
        ARCHIPELAGO_PIN(roq, first, roq_first, 4,
                        "first dword of the line that belongs to the stream");
        ARCHIPELAGO_PIN(roq, count, roq_count, 5, "dwords of it that do");
        ARCHIPELAGO_PIN(roq, dwords, roq_dwords, 32, "the lines, 16 dwords of each stream");
        ARCHIPELAGO_PIN(fetch, ready, fetch_ready, 1, "the fetcher takes a buffer");
        ARCHIPELAGO_PIN(meq, ready, meq_ready, 1,
                        "the queue of the micro engine has room for ring n");
        ARCHIPELAGO_PIN(ce, ready, ce_ready, 1, "the constant engine takes a buffer of ring n");
        ARCHIPELAGO_PIN(exec, result, exec_result, 3,
                        "cp::OpStep: what ring n's program did in this cycle");
        ARCHIPELAGO_PIN(exec, reason, exec_reason, 4,
                        "cp::StallReason: why ring n's program waits");
        ARCHIPELAGO_PIN(exec, again, exec_again, 3,
                        "cp::OpStep behind a dword that exec_give gives it");
        ARCHIPELAGO_PIN(exec, again_reason, exec_again_reason, 4, "cp::StallReason then");
        ARCHIPELAGO_PIN(exec, skip, exec_skip, 14,
                        "dwords that are skipped behind a program that ends");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(roq, ready, roq_ready, 1, "the line of stream n is used up");
        ARCHIPELAGO_PIN(fetch, valid, fetch_valid, 1, "an indirect buffer goes to the fetcher");
        ARCHIPELAGO_PIN(fetch, ring, fetch_ring, 2, "its ring");
        ARCHIPELAGO_PIN(fetch, level, fetch_level, 2, "its level, 1 or 2");
        ARCHIPELAGO_PIN(fetch, vmid, fetch_vmid, 8, "its VMID");
        ARCHIPELAGO_PIN(fetch, swap, fetch_swap, 2, "its byte swap");
        ARCHIPELAGO_PIN(fetch, base, fetch_base, 64, "its byte address");
        ARCHIPELAGO_PIN(fetch, dwords, fetch_dwords, 32, "its length");
        ARCHIPELAGO_PIN(meq, valid, meq_valid, 1, "a dword for the micro engine, of ring n");
        ARCHIPELAGO_PIN(meq, dword, meq_dword, 32, "the dword");
        ARCHIPELAGO_PIN(meq, first, meq_first, 1, "it is a header");
        ARCHIPELAGO_PIN(ce, valid, ce_valid, 1,
                        "the constant engine gets a buffer or its partitions, of ring n");
        ARCHIPELAGO_PIN(ce, partition, ce_partition, 2, "BASE_INDEX of the SET_BASE; 0: a buffer");
        ARCHIPELAGO_PIN(ce, vmid, ce_vmid, 8, "VMID of the buffer");
        ARCHIPELAGO_PIN(ce, swap, ce_swap, 2, "byte swap of the buffer");
        ARCHIPELAGO_PIN(ce, cs1, ce_cs1, 16, "partition of ring 1");
        ARCHIPELAGO_PIN(ce, cs2, ce_cs2, 32, "partition of ring 2");
        ARCHIPELAGO_PIN(ce, dwords, ce_dwords, 32, "length of the buffer");
        ARCHIPELAGO_PIN(ce, base, ce_base, 64, "byte address of the buffer");
        ARCHIPELAGO_PIN(exec, give, exec_give, 1, "a program gets the dword that is taken");
        ARCHIPELAGO_PIN(take, valid, take_valid, 1, "a dword of the stream is taken");
        ARCHIPELAGO_PIN(take, ring, take_ring, 2, "of this ring");
        ARCHIPELAGO_PIN(take, kind, take_kind, 2,
                        "0 header, 1 one of the first dwords of the body, 2 another");
        ARCHIPELAGO_PIN(take, dword, take_dword, 32, "the dword");
        ARCHIPELAGO_PIN(take, level, take_level, 2, "level of the packet");
        ARCHIPELAGO_PIN(take, place, take_place, 32, "dword of its header");
        ARCHIPELAGO_PIN(event, skip, event_skip, 1, "ring n will skip a packet");
        ARCHIPELAGO_PIN(event, begin, event_begin, 1, "a packet of this engine begins in ring n");
        ARCHIPELAGO_PIN(event, exec, event_exec, 1, "a program of ring n ran a step");
        ARCHIPELAGO_PIN(event, sync, event_sync, 1, "a PFP_SYNC_ME waits");
        ARCHIPELAGO_PIN(done, valid, done_valid, 1, "a packet ends");
        ARCHIPELAGO_PIN(done, ring, done_ring, 2, "its ring");
        ARCHIPELAGO_PIN(done, top, done_top, 1,
                        "it was in the ring itself, which is read up to done_place");
        ARCHIPELAGO_PIN(done, place, done_place, 32, "dword behind it");
        ARCHIPELAGO_PIN(state, stall, stall, 4, "cp::StallReason: why nothing moves");
        ARCHIPELAGO_PIN(state, runnable, runnable, 1, "ring n could move");
        ARCHIPELAGO_PIN(state, phase, phase, 3, "cp::PfpPhase of ring n");
        ARCHIPELAGO_PIN(error, code, error_code, 5,
                        "cp::ParseFault: why the parser has stopped, until reset");
        ARCHIPELAGO_PIN(error, ring, error_ring, 2, "the ring");
        ARCHIPELAGO_PIN(error, level, error_level, 2, "level of the buffer");
        ARCHIPELAGO_PIN(error, place, error_place, 32, "dword of the header");
        ARCHIPELAGO_PIN(error, header, error_header, 32, "header of the packet");
        ARCHIPELAGO_PIN(error, left, error_left, 32, "dwords behind the header");
        ARCHIPELAGO_PIN(error, body, error_body, 32, "first dwords of the packet");
    }
};

}  // namespace archipelago::rtl
