// SPDX-License-Identifier: Apache-2.0
// Pins of the vector L1 cache of a compute unit; documented in rtl-bridge/rtl/tc_l1/tc_l1.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/memory_pins.h"

namespace archipelago::rtl {

struct TcL1Pins {
    static constexpr const char* kName = "tc_l1";
    static constexpr Elastic kElastic{
        "action cu0=cu1=cu2=cu3", "answer0=answer1=answer2=answer3 done", "state_error", "l2 down"};

    // What the Verilog's parameters provide; Config stays within.
    static constexpr unsigned kSets = 64;
    static constexpr unsigned kWays = 4;
    static constexpr unsigned kMshrs = 128;
    static constexpr unsigned kOrder = 256;
    static constexpr unsigned kLanes = 4;  // requests taken in a cycle, and answers
    static constexpr unsigned kMostCycles = 255;

    using Data = LineData;
    using Request = MemoryRequestPins;
    using Action = CacheActionPins;
    // Still between resets.
    struct Config {
        uint8_t set_mask = 63;
        uint8_t lookups = 4;
        uint8_t mshrs = 128;
        uint16_t order = 256;
        uint8_t hit = 36, fill = 6, ack = 2, invalidate = 4;  // cycles

        bool operator==(const Config& o) const {
            return set_mask == o.set_mask && lookups == o.lookups && mshrs == o.mshrs &&
                   order == o.order && hit == o.hit && fill == o.fill && ack == o.ack &&
                   invalidate == o.invalidate;
        }
    };
    // The counters of these names count up by so much; `released` is none.
    struct Events {
        uint8_t reads = 0, read_hits = 0, read_misses = 0, read_merged = 0, glc_reads = 0;
        uint8_t writes = 0, write_hits = 0, atomics = 0;
        uint8_t fills = 0, dropped_fills = 0, evictions = 0;
        uint16_t invalidated_lines = 0;
        uint8_t cache_actions = 0, failed_accesses = 0;
        uint16_t bytes_returned = 0;
        uint8_t bytes_written = 0;
        uint16_t released = 0;
    };
    struct In {
        uint8_t rst = 0;
        Config cfg;
        uint8_t pause = 0;
        std::array<uint8_t, kLanes> cu_valid{};
        std::array<Request, kLanes> cu{};
        uint8_t l2_valid = 0;
        uint8_t l2_status = 0;  // MemStatus
        uint32_t l2_tag = 0;
        Data l2_data{};
        uint8_t action_valid = 0;
        Action action;
        uint8_t done_ready = 0;
        std::array<uint8_t, kLanes> answer_ready{};
        uint8_t down_ready = 0;
    };
    struct Out {
        std::array<uint8_t, kLanes> cu_ready{};
        uint8_t l2_ready = 0;
        uint8_t action_ready = 0;
        uint8_t done_valid = 0;
        uint32_t done_tag = 0;
        std::array<uint8_t, kLanes> answer_valid{};
        std::array<MemoryAnswerPins, kLanes> answer{};
        uint8_t down_valid = 0;
        Request down;
        Events event;
        uint8_t stall = 0;  // TcpStall
        uint8_t idle = 0, waits = 0;
        uint8_t error = 0;
    };
    enum Error : uint8_t { kNoError, kUnknownFill, kUnknownAnswer };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, set_mask, cfg.set_mask, 6, "sets - 1");
        ARCHIPELAGO_PIN(cfg, lookups, cfg.lookups, 3,
                        "requests taken in a cycle at most, and answers given, 1 to 4");
        ARCHIPELAGO_PIN(cfg, mshrs, cfg.mshrs, 8, "lines sent for at most");
        ARCHIPELAGO_PIN(cfg, order, cfg.order, 9, "requests not yet answered at most");
        ARCHIPELAGO_PIN(cfg, hit, cfg.hit, 8, "cycles from lookup to answer");
        ARCHIPELAGO_PIN(cfg, fill, cfg.fill, 8, "cycles from a fill to answer");
        ARCHIPELAGO_PIN(cfg, ack, cfg.ack, 8,
                        "cycles from the end of a write or atomic in L2 to answer");
        ARCHIPELAGO_PIN(cfg, invalidate, cfg.invalidate, 8,
                        "cycles from the beginning of an invalidation to its end at least");
        ARCHIPELAGO_PIN(control, pause, pause, 1, "nothing new is taken or begun");
        ARCHIPELAGO_PIN(cu0, valid, cu_valid[0], 1,
                        "a request for one line is there, the oldest; it stays until it is taken");
        ARCHIPELAGO_REQUEST_PINS(cu0, cu[0]);
        ARCHIPELAGO_PIN(cu1, valid, cu_valid[1], 1, "the one behind cu0, only beside it");
        ARCHIPELAGO_REQUEST_PINS(cu1, cu[1]);
        ARCHIPELAGO_PIN(cu2, valid, cu_valid[2], 1, "the one behind cu1, only beside it");
        ARCHIPELAGO_REQUEST_PINS(cu2, cu[2]);
        ARCHIPELAGO_PIN(cu3, valid, cu_valid[3], 1, "the one behind cu2, only beside it");
        ARCHIPELAGO_REQUEST_PINS(cu3, cu[3]);
        ARCHIPELAGO_PIN(l2, valid, l2_valid, 1, "an answer of L2 is there");
        ARCHIPELAGO_PIN(l2, tag, l2_tag, 32, "that of the message");
        ARCHIPELAGO_PIN(l2, status, l2_status, 2, "MemStatus: 0 good, 1 unmapped, 2 refused");
        ARCHIPELAGO_PIN(l2, data, l2_data, 32, "the line of a read, old values of an atomic");
        ARCHIPELAGO_PIN(action, valid, action_valid, 1, "a cache action is there");
        ARCHIPELAGO_PIN(action, invalidate, action.invalidate, 1,
                        "lines are dropped; without it the action only ends");
        ARCHIPELAGO_PIN(action, base, action.base, 64, "first byte it is about");
        ARCHIPELAGO_PIN(action, size, action.size, 64, "bytes; all ones: everything");
        ARCHIPELAGO_PIN(action, tag, action.tag, 32, "returned when it is done");
        ARCHIPELAGO_PIN(done, ready, done_ready, 1, "room for the end of an action");
        ARCHIPELAGO_PIN(answer0, ready, answer_ready[0], 1, "room for an answer");
        ARCHIPELAGO_PIN(answer1, ready, answer_ready[1], 1, "room for a second one");
        ARCHIPELAGO_PIN(answer2, ready, answer_ready[2], 1, "room for a third one");
        ARCHIPELAGO_PIN(answer3, ready, answer_ready[3], 1, "room for a fourth one");
        ARCHIPELAGO_PIN(down, ready, down_ready, 1, "room for a message to L2");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(cu0, ready, cu_ready[0], 1, "the request is taken");
        ARCHIPELAGO_PIN(cu1, ready, cu_ready[1], 1, "it is taken, only with that of cu0");
        ARCHIPELAGO_PIN(cu2, ready, cu_ready[2], 1, "it is taken, only with that of cu1");
        ARCHIPELAGO_PIN(cu3, ready, cu_ready[3], 1, "it is taken, only with that of cu2");
        ARCHIPELAGO_PIN(l2, ready, l2_ready, 1, "the answer of L2 is taken");
        ARCHIPELAGO_PIN(action, ready, action_ready, 1, "the action is taken");
        ARCHIPELAGO_PIN(done, valid, done_valid, 1,
                        "the action has ended: lines sent for before it are here");
        ARCHIPELAGO_PIN(done, tag, done_tag, 32, "that of the action");
        ARCHIPELAGO_PIN(answer0, valid, answer_valid[0], 1,
                        "the answer to the oldest request leaves; only when answer0_ready is high");
        ARCHIPELAGO_ANSWER_PINS(answer0, answer[0]);
        ARCHIPELAGO_PIN(answer1, valid, answer_valid[1], 1,
                        "the next one leaves, only with that of answer0");
        ARCHIPELAGO_ANSWER_PINS(answer1, answer[1]);
        ARCHIPELAGO_PIN(answer2, valid, answer_valid[2], 1,
                        "the next one leaves, only with that of answer1");
        ARCHIPELAGO_ANSWER_PINS(answer2, answer[2]);
        ARCHIPELAGO_PIN(answer3, valid, answer_valid[3], 1,
                        "the next one leaves, only with that of answer2");
        ARCHIPELAGO_ANSWER_PINS(answer3, answer[3]);
        ARCHIPELAGO_PIN(down, valid, down_valid, 1,
                        "a request leaves to L2, the last one taken; only when down_ready is high");
        ARCHIPELAGO_PIN(down, line, down.line, 58, "that of the request");
        ARCHIPELAGO_PIN(down, mask, down.mask, 64,
                        "that of the request; all bytes of a line that is kept");
        ARCHIPELAGO_PIN(down, command, down.command, 2, "that of the request");
        ARCHIPELAGO_PIN(down, atomic, down.atomic, 5, "that of the request");
        ARCHIPELAGO_PIN(down, bytes, down.bytes, 8, "that of the request");
        ARCHIPELAGO_PIN(down, client, down.client, 4, "that of the request");
        ARCHIPELAGO_PIN(down, vmid, down.vmid, 8, "that of the request");
        ARCHIPELAGO_PIN(down, glc, down.glc, 1, "that of the request");
        ARCHIPELAGO_PIN(down, slc, down.slc, 1, "that of the request");
        ARCHIPELAGO_PIN(down, through, down.through, 1, "that of the request");
        ARCHIPELAGO_PIN(down, returns, down.returns, 1, "that of the request");
        ARCHIPELAGO_PIN(down, source, down.source, 16, "that of the request");
        ARCHIPELAGO_PIN(down, port, down.port, 16, "that of the request");
        ARCHIPELAGO_PIN(down, tag, down.tag, 32,
                        "of a read its MSHR, below cfg_mshrs; else bit 31 and its slot of the "
                        "order, below cfg_order");
        ARCHIPELAGO_PIN(down, uid, down.uid, 64, "that of the request");
        ARCHIPELAGO_PIN(down, compare, down.compare, 64, "that of the request");
        ARCHIPELAGO_PIN(down, data, down.data, 32, "that of the request");
        ARCHIPELAGO_PIN(event, reads, event.reads, 3,
                        "reads taken in this cycle; this and the others count up the counters of "
                        "their names");
        ARCHIPELAGO_PIN(event, read_hits, event.read_hits, 3, "they find their line");
        ARCHIPELAGO_PIN(event, read_misses, event.read_misses, 1,
                        "a read sends for its line, which is kept");
        ARCHIPELAGO_PIN(event, read_merged, event.read_merged, 3, "reads join a line sent for");
        ARCHIPELAGO_PIN(event, glc_reads, event.glc_reads, 1, "a read is passed on to L2");
        ARCHIPELAGO_PIN(event, writes, event.writes, 1, "a write is passed on");
        ARCHIPELAGO_PIN(event, write_hits, event.write_hits, 1, "its line is here");
        ARCHIPELAGO_PIN(event, atomics, event.atomics, 1, "an atomic is passed on");
        ARCHIPELAGO_PIN(event, fills, event.fills, 1, "a line from L2 is kept");
        ARCHIPELAGO_PIN(event, dropped_fills, event.dropped_fills, 1,
                        "one is not: it was not to be, L2 refused it, or it is out of date");
        ARCHIPELAGO_PIN(event, evictions, event.evictions, 1, "a line is replaced");
        ARCHIPELAGO_PIN(event, invalidated_lines, event.invalidated_lines, 9,
                        "lines dropped by a cache action");
        ARCHIPELAGO_PIN(event, cache_actions, event.cache_actions, 1, "an invalidation begins");
        ARCHIPELAGO_PIN(event, failed_accesses, event.failed_accesses, 1,
                        "L2 answers with a fault");
        ARCHIPELAGO_PIN(event, bytes_returned, event.bytes_returned, 9,
                        "bytes of the answers that leave");
        ARCHIPELAGO_PIN(event, bytes_written, event.bytes_written, 7, "bytes of a write");
        ARCHIPELAGO_PIN(event, released, event.released, 9,
                        "requests that no longer wait for L2; not a counter");
        ARCHIPELAGO_PIN(state, stall, stall, 2,
                        "TcpStall: why the oldest request waits; 3: it does not");
        ARCHIPELAGO_PIN(state, idle, idle, 1, "nothing is inside");
        ARCHIPELAGO_PIN(state, waits, waits, 1,
                        "nothing moves until L2 answers or an input comes: the clock may stop");
        ARCHIPELAGO_PIN(state, error, error, 2, "TcL1Pins::Error: L2 answered what it must not");
    }
};

}  // namespace archipelago::rtl
