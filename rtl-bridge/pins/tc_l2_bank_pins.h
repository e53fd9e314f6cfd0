// SPDX-License-Identifier: Apache-2.0
// Pins of one channel of the L2 cache; documented in rtl-bridge/rtl/tc_l2_bank/tc_l2_bank.sv.
#pragma once

#include <cstdint>

#include "rtl-bridge/pins/memory_pins.h"

namespace archipelago::rtl {

struct TcL2BankPins {
    static constexpr const char* kName = "tc_l2_bank";
    static constexpr Elastic kElastic{"action fabric", "answer/uid,line,port,tag done",
                                      "state_error", "memory down"};

    // What the Verilog's parameters provide; Config stays within.
    static constexpr unsigned kSets = 128;
    static constexpr unsigned kWays = 16;
    static constexpr unsigned kMshrs = 128;
    static constexpr unsigned kWaiting = 128;
    static constexpr unsigned kAnswers = 128;
    static constexpr unsigned kMemory = 32;
    static constexpr unsigned kThroughs = 16;
    static constexpr unsigned kWalk = 16;
    static constexpr unsigned kMostCycles = 255;

    using Data = LineData;
    using Request = MemoryRequestPins;
    using Action = CacheActionPins;
    // Still between resets.
    struct Config {
        uint16_t channel = 0;
        uint8_t tahiti = 0;
        uint8_t channel_bits = 0;
        uint8_t block_shift = 2;  // log2 of lines
        uint8_t set_mask = 63;
        uint8_t mshrs = 77;
        uint8_t waiting = 128;
        uint8_t answers = 128;
        uint8_t memory = 32;
        uint8_t throughs = 16;
        uint8_t walk = 16;
        uint8_t hit = 38, fill = 10, ack = 4, atomic = 1;  // cycles

        bool operator==(const Config& o) const {
            return channel == o.channel && tahiti == o.tahiti && channel_bits == o.channel_bits &&
                   block_shift == o.block_shift && set_mask == o.set_mask && mshrs == o.mshrs &&
                   waiting == o.waiting && answers == o.answers && memory == o.memory &&
                   throughs == o.throughs && walk == o.walk && hit == o.hit && fill == o.fill &&
                   ack == o.ack && atomic == o.atomic;
        }
    };
    // The counters of these names count up by so much.
    struct Events {
        uint8_t reads = 0, read_hits = 0, read_misses = 0, read_merged = 0, partial_fills = 0;
        uint8_t writes = 0, write_hits = 0, write_allocates = 0, write_throughs = 0;
        uint8_t atomics = 0, atomic_operands = 0;
        uint8_t waited = 0, fills = 0, failed_fills = 0;
        uint8_t evictions = 0, writebacks = 0, writeback_bytes = 0, invalidated_lines = 0;
        uint8_t cache_actions = 0, unmapped_writes = 0;
        uint8_t bytes_read = 0, bytes_written = 0;
        uint16_t busy_cycles = 0;
    };
    struct In {
        uint8_t rst = 0;
        Config cfg;
        uint8_t pause = 0;
        uint8_t fabric_valid = 0;
        uint8_t fabric_mapped = 0;
        Request fabric;
        uint8_t memory_valid = 0;
        uint8_t memory_status = 0;  // MemStatus
        uint32_t memory_tag = 0;
        Data memory_data{};
        uint8_t action_valid = 0;
        Action action;
        uint8_t done_ready = 0;
        uint8_t answer_ready = 0;
        uint8_t down_ready = 0;
    };
    struct Out {
        uint8_t fabric_ready = 0;
        uint8_t memory_ready = 0;
        uint8_t action_ready = 0;
        uint8_t done_valid = 0;
        uint32_t done_tag = 0;
        uint8_t answer_valid = 0;
        MemoryAnswerPins answer;
        uint8_t down_valid = 0;
        Request down;
        Events event;
        uint8_t fetch_valid = 0, fetch_miss = 0;
        uint8_t stall = 0;  // TccStall
        uint8_t idle = 0, waits = 0;
        uint8_t error = 0;
    };
    enum Error : uint8_t {
        kNoError,
        kRefusedWriteBack,
        kUnknownWriteBack,
        kUnknownWriteThrough,
        kUnknownFill,
        kForeignTag,
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, channel, cfg.channel, 16,
                        "number of the channel, which its messages to memory have as source");
        ARCHIPELAGO_PIN(cfg, tahiti, cfg.tahiti, 1, "twelve channels; else 2^cfg_channel_bits");
        ARCHIPELAGO_PIN(cfg, channel_bits, cfg.channel_bits, 3, "log2 of the channels");
        ARCHIPELAGO_PIN(cfg, block_shift, cfg.block_shift, 4,
                        "log2 of the lines one channel has in a row");
        ARCHIPELAGO_PIN(cfg, set_mask, cfg.set_mask, 7, "sets - 1");
        ARCHIPELAGO_PIN(cfg, mshrs, cfg.mshrs, 8, "lines sent for at most");
        ARCHIPELAGO_PIN(cfg, waiting, cfg.waiting, 8, "requests that wait for a fill at most");
        ARCHIPELAGO_PIN(cfg, answers, cfg.answers, 8, "answers queued towards the fabric at most");
        ARCHIPELAGO_PIN(cfg, memory, cfg.memory, 6, "messages queued towards memory at most");
        ARCHIPELAGO_PIN(cfg, throughs, cfg.throughs, 5,
                        "write-throughs memory has not answered at most");
        ARCHIPELAGO_PIN(cfg, walk, cfg.walk, 5, "tags a cache action looks at in a cycle");
        ARCHIPELAGO_PIN(cfg, hit, cfg.hit, 8, "cycles from lookup to answer");
        ARCHIPELAGO_PIN(cfg, fill, cfg.fill, 8, "cycles from a fill to answer");
        ARCHIPELAGO_PIN(cfg, ack, cfg.ack, 8, "cycles from the end of a write-through to answer");
        ARCHIPELAGO_PIN(cfg, atomic, cfg.atomic, 8, "cycles an atomic keeps the pipeline");
        ARCHIPELAGO_PIN(control, pause, pause, 1, "nothing new is taken or begun");
        ARCHIPELAGO_PIN(fabric, valid, fabric_valid, 1, "a request for one line is there");
        ARCHIPELAGO_PIN(fabric, mapped, fabric_mapped, 1,
                        "of a write into the cache: the page of the line exists; else anything");
        ARCHIPELAGO_REQUEST_PINS(fabric, fabric);
        ARCHIPELAGO_PIN(memory, valid, memory_valid, 1,
                        "an answer of memory is there; each message has one, in any order");
        ARCHIPELAGO_PIN(memory, tag, memory_tag, 32, "that of the message");
        ARCHIPELAGO_PIN(memory, status, memory_status, 2,
                        "MemStatus: 0 good, 1 unmapped, 2 refused");
        ARCHIPELAGO_PIN(memory, data, memory_data, 32, "the line of a read");
        ARCHIPELAGO_PIN(action, valid, action_valid, 1, "a cache action is there");
        ARCHIPELAGO_PIN(action, writeback, action.writeback, 1, "dirty bytes go to memory");
        ARCHIPELAGO_PIN(action, invalidate, action.invalidate, 1, "clean bytes are dropped");
        ARCHIPELAGO_PIN(action, base, action.base, 64, "first byte it is about");
        ARCHIPELAGO_PIN(action, size, action.size, 64, "bytes; all ones: everything");
        ARCHIPELAGO_PIN(action, tag, action.tag, 32, "returned when it is done");
        ARCHIPELAGO_PIN(done, ready, done_ready, 1, "room for the end of an action");
        ARCHIPELAGO_PIN(answer, ready, answer_ready, 1, "room for an answer");
        ARCHIPELAGO_PIN(down, ready, down_ready, 1, "room for a message to memory");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(fabric, ready, fabric_ready, 1, "the request is taken");
        ARCHIPELAGO_PIN(memory, ready, memory_ready, 1, "the answer of memory is taken");
        ARCHIPELAGO_PIN(action, ready, action_ready, 1, "the action is taken");
        ARCHIPELAGO_PIN(done, valid, done_valid, 1,
                        "the action has ended: what it wrote back is in memory");
        ARCHIPELAGO_PIN(done, tag, done_tag, 32, "that of the action");
        ARCHIPELAGO_PIN(answer, valid, answer_valid, 1,
                        "an answer leaves; only when answer_ready is high");
        ARCHIPELAGO_ANSWER_PINS(answer, answer);
        ARCHIPELAGO_PIN(down, valid, down_valid, 1,
                        "a message leaves to memory; only when down_ready is high");
        ARCHIPELAGO_PIN(down, line, down.line, 58, "byte address / 64");
        ARCHIPELAGO_PIN(down, mask, down.mask, 64, "bytes of the line");
        ARCHIPELAGO_PIN(down, command, down.command, 2, "MemCommand");
        ARCHIPELAGO_PIN(down, atomic, down.atomic, 5, "AtomicOp, none");
        ARCHIPELAGO_PIN(down, bytes, down.bytes, 8, "of an atomic operand");
        ARCHIPELAGO_PIN(down, client, down.client, 4, "Client");
        ARCHIPELAGO_PIN(down, vmid, down.vmid, 8, "VMID");
        ARCHIPELAGO_PIN(down, glc, down.glc, 1, "GLC bit");
        ARCHIPELAGO_PIN(down, slc, down.slc, 1, "SLC bit");
        ARCHIPELAGO_PIN(down, through, down.through, 1, "a write-through");
        ARCHIPELAGO_PIN(down, returns, down.returns, 1, "an answer is wanted");
        ARCHIPELAGO_PIN(down, source, down.source, 16, "cfg_channel, or that of the write-through");
        ARCHIPELAGO_PIN(down, port, down.port, 16, "that of the write-through");
        ARCHIPELAGO_PIN(down, tag, down.tag, 32,
                        "bits 31:30: 0 fill, 1 write-back, 2 write-through; else its number, of a "
                        "fill below cfg_mshrs");
        ARCHIPELAGO_PIN(down, uid, down.uid, 64, "that of the request it is for");
        ARCHIPELAGO_PIN(down, compare, down.compare, 64, "unused by memory");
        ARCHIPELAGO_PIN(down, data, down.data, 32, "the line of a write");
        ARCHIPELAGO_PIN(event, reads, event.reads, 2,
                        "reads answered in this cycle; this and the others count up the counters "
                        "of their names");
        ARCHIPELAGO_PIN(event, read_hits, event.read_hits, 1,
                        "a read finds its bytes in a line that is not sent for");
        ARCHIPELAGO_PIN(event, read_misses, event.read_misses, 1, "a read sends for its line");
        ARCHIPELAGO_PIN(event, read_merged, event.read_merged, 1, "a read joins a line sent for");
        ARCHIPELAGO_PIN(event, partial_fills, event.partial_fills, 1,
                        "a line that is here is sent for, some bytes lack");
        ARCHIPELAGO_PIN(event, writes, event.writes, 1, "a write is served");
        ARCHIPELAGO_PIN(event, write_hits, event.write_hits, 1, "its line is here");
        ARCHIPELAGO_PIN(event, write_allocates, event.write_allocates, 1, "it takes an entry");
        ARCHIPELAGO_PIN(event, write_throughs, event.write_throughs, 1,
                        "it goes through to memory");
        ARCHIPELAGO_PIN(event, atomics, event.atomics, 1, "an atomic is served");
        ARCHIPELAGO_PIN(event, atomic_operands, event.atomic_operands, 5, "operands of it");
        ARCHIPELAGO_PIN(event, waited, event.waited, 1, "a request joins a line sent for");
        ARCHIPELAGO_PIN(event, fills, event.fills, 1, "memory has brought a line");
        ARCHIPELAGO_PIN(event, failed_fills, event.failed_fills, 1, "memory has refused a line");
        ARCHIPELAGO_PIN(event, evictions, event.evictions, 1, "a line is replaced");
        ARCHIPELAGO_PIN(event, writebacks, event.writebacks, 2, "write-backs begun");
        ARCHIPELAGO_PIN(event, writeback_bytes, event.writeback_bytes, 8, "bytes of them");
        ARCHIPELAGO_PIN(event, invalidated_lines, event.invalidated_lines, 5,
                        "lines dropped by a cache action");
        ARCHIPELAGO_PIN(event, cache_actions, event.cache_actions, 1, "a cache action begins");
        ARCHIPELAGO_PIN(event, unmapped_writes, event.unmapped_writes, 1,
                        "a write is to a page that does not exist");
        ARCHIPELAGO_PIN(event, bytes_read, event.bytes_read, 8, "bytes answered");
        ARCHIPELAGO_PIN(event, bytes_written, event.bytes_written, 7, "bytes written");
        ARCHIPELAGO_PIN(event, busy_cycles, event.busy_cycles, 9,
                        "cycles the pipeline is kept by what is served");
        ARCHIPELAGO_PIN(fetch, valid, fetch_valid, 1, "the request taken sends for its line");
        ARCHIPELAGO_PIN(fetch, miss, fetch_miss, 7,
                        "by this MSHR, as in the tag of the fill; below cfg_mshrs");
        ARCHIPELAGO_PIN(state, stall, stall, 3,
                        "TccStall: why the request at the head waits; 6: it does not");
        ARCHIPELAGO_PIN(state, idle, idle, 1, "nothing is inside");
        ARCHIPELAGO_PIN(state, waits, waits, 1,
                        "nothing moves until memory answers or an input comes: the clock may stop");
        ARCHIPELAGO_PIN(state, error, error, 3,
                        "TcL2BankPins::Error: memory answered what it must not");
    }
};

}  // namespace archipelago::rtl
