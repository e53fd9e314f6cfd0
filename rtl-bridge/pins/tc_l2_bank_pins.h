// SPDX-License-Identifier: Apache-2.0
// Pins of one channel of the L2 cache; documented in rtl-bridge/rtl/tc_l2_bank/tc_l2_bank.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct TcL2BankPins {
    static constexpr const char* kName = "tc_l2_bank";

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

    using Data = std::array<uint32_t, 16>;
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
    struct Request {
        uint64_t line = 0;  // byte address / 64
        uint64_t mask = 0;
        uint8_t command = 0;  // MemCommand
        uint8_t atomic = 0;   // AtomicOp
        uint8_t bytes = 0;    // of an atomic operand
        uint8_t client = 0;
        uint8_t vmid = 0;
        uint8_t glc = 0, slc = 0, through = 0, returns = 0;
        uint16_t source = 0, port = 0;
        uint32_t tag = 0;
        uint64_t uid = 0;
        uint64_t compare = 0;
        Data data{};
    };
    struct Action {
        uint8_t writeback = 0, invalidate = 0;
        uint64_t base = 0, size = 0;
        uint32_t tag = 0;
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
        uint8_t answer_status = 0, answer_command = 0;
        uint16_t answer_port = 0;
        uint32_t answer_tag = 0;
        uint64_t answer_line = 0, answer_uid = 0;
        Data answer_data{};
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
        ARCHIPELAGO_PIN(cfg, channel, cfg.channel, 16);
        ARCHIPELAGO_PIN(cfg, tahiti, cfg.tahiti, 1);
        ARCHIPELAGO_PIN(cfg, channel_bits, cfg.channel_bits, 3);
        ARCHIPELAGO_PIN(cfg, block_shift, cfg.block_shift, 4);
        ARCHIPELAGO_PIN(cfg, set_mask, cfg.set_mask, 7);
        ARCHIPELAGO_PIN(cfg, mshrs, cfg.mshrs, 8);
        ARCHIPELAGO_PIN(cfg, waiting, cfg.waiting, 8);
        ARCHIPELAGO_PIN(cfg, answers, cfg.answers, 8);
        ARCHIPELAGO_PIN(cfg, memory, cfg.memory, 6);
        ARCHIPELAGO_PIN(cfg, throughs, cfg.throughs, 5);
        ARCHIPELAGO_PIN(cfg, walk, cfg.walk, 5);
        ARCHIPELAGO_PIN(cfg, hit, cfg.hit, 8);
        ARCHIPELAGO_PIN(cfg, fill, cfg.fill, 8);
        ARCHIPELAGO_PIN(cfg, ack, cfg.ack, 8);
        ARCHIPELAGO_PIN(cfg, atomic, cfg.atomic, 8);
        ARCHIPELAGO_PIN(control, pause, pause, 1);
        ARCHIPELAGO_PIN(fabric, valid, fabric_valid, 1);
        ARCHIPELAGO_PIN(fabric, mapped, fabric_mapped, 1);
        ARCHIPELAGO_PIN(fabric, line, fabric.line, 58);
        ARCHIPELAGO_PIN(fabric, mask, fabric.mask, 64);
        ARCHIPELAGO_PIN(fabric, command, fabric.command, 2);
        ARCHIPELAGO_PIN(fabric, atomic, fabric.atomic, 5);
        ARCHIPELAGO_PIN(fabric, bytes, fabric.bytes, 8);
        ARCHIPELAGO_PIN(fabric, client, fabric.client, 4);
        ARCHIPELAGO_PIN(fabric, vmid, fabric.vmid, 8);
        ARCHIPELAGO_PIN(fabric, glc, fabric.glc, 1);
        ARCHIPELAGO_PIN(fabric, slc, fabric.slc, 1);
        ARCHIPELAGO_PIN(fabric, through, fabric.through, 1);
        ARCHIPELAGO_PIN(fabric, returns, fabric.returns, 1);
        ARCHIPELAGO_PIN(fabric, source, fabric.source, 16);
        ARCHIPELAGO_PIN(fabric, port, fabric.port, 16);
        ARCHIPELAGO_PIN(fabric, tag, fabric.tag, 32);
        ARCHIPELAGO_PIN(fabric, uid, fabric.uid, 64);
        ARCHIPELAGO_PIN(fabric, compare, fabric.compare, 64);
        ARCHIPELAGO_PIN(fabric, data, fabric.data, 32);
        ARCHIPELAGO_PIN(memory, valid, memory_valid, 1);
        ARCHIPELAGO_PIN(memory, tag, memory_tag, 32);
        ARCHIPELAGO_PIN(memory, status, memory_status, 2);
        ARCHIPELAGO_PIN(memory, data, memory_data, 32);
        ARCHIPELAGO_PIN(action, valid, action_valid, 1);
        ARCHIPELAGO_PIN(action, writeback, action.writeback, 1);
        ARCHIPELAGO_PIN(action, invalidate, action.invalidate, 1);
        ARCHIPELAGO_PIN(action, base, action.base, 64);
        ARCHIPELAGO_PIN(action, size, action.size, 64);
        ARCHIPELAGO_PIN(action, tag, action.tag, 32);
        ARCHIPELAGO_PIN(done, ready, done_ready, 1);
        ARCHIPELAGO_PIN(answer, ready, answer_ready, 1);
        ARCHIPELAGO_PIN(down, ready, down_ready, 1);
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(fabric, ready, fabric_ready, 1);
        ARCHIPELAGO_PIN(memory, ready, memory_ready, 1);
        ARCHIPELAGO_PIN(action, ready, action_ready, 1);
        ARCHIPELAGO_PIN(done, valid, done_valid, 1);
        ARCHIPELAGO_PIN(done, tag, done_tag, 32);
        ARCHIPELAGO_PIN(answer, valid, answer_valid, 1);
        ARCHIPELAGO_PIN(answer, tag, answer_tag, 32);
        ARCHIPELAGO_PIN(answer, port, answer_port, 16);
        ARCHIPELAGO_PIN(answer, status, answer_status, 2);
        ARCHIPELAGO_PIN(answer, command, answer_command, 2);
        ARCHIPELAGO_PIN(answer, line, answer_line, 58);
        ARCHIPELAGO_PIN(answer, uid, answer_uid, 64);
        ARCHIPELAGO_PIN(answer, data, answer_data, 32);
        ARCHIPELAGO_PIN(down, valid, down_valid, 1);
        ARCHIPELAGO_PIN(down, line, down.line, 58);
        ARCHIPELAGO_PIN(down, mask, down.mask, 64);
        ARCHIPELAGO_PIN(down, command, down.command, 2);
        ARCHIPELAGO_PIN(down, atomic, down.atomic, 5);
        ARCHIPELAGO_PIN(down, bytes, down.bytes, 8);
        ARCHIPELAGO_PIN(down, client, down.client, 4);
        ARCHIPELAGO_PIN(down, vmid, down.vmid, 8);
        ARCHIPELAGO_PIN(down, glc, down.glc, 1);
        ARCHIPELAGO_PIN(down, slc, down.slc, 1);
        ARCHIPELAGO_PIN(down, through, down.through, 1);
        ARCHIPELAGO_PIN(down, returns, down.returns, 1);
        ARCHIPELAGO_PIN(down, source, down.source, 16);
        ARCHIPELAGO_PIN(down, port, down.port, 16);
        ARCHIPELAGO_PIN(down, tag, down.tag, 32);
        ARCHIPELAGO_PIN(down, uid, down.uid, 64);
        ARCHIPELAGO_PIN(down, compare, down.compare, 64);
        ARCHIPELAGO_PIN(down, data, down.data, 32);
        ARCHIPELAGO_PIN(event, reads, event.reads, 2);
        ARCHIPELAGO_PIN(event, read_hits, event.read_hits, 1);
        ARCHIPELAGO_PIN(event, read_misses, event.read_misses, 1);
        ARCHIPELAGO_PIN(event, read_merged, event.read_merged, 1);
        ARCHIPELAGO_PIN(event, partial_fills, event.partial_fills, 1);
        ARCHIPELAGO_PIN(event, writes, event.writes, 1);
        ARCHIPELAGO_PIN(event, write_hits, event.write_hits, 1);
        ARCHIPELAGO_PIN(event, write_allocates, event.write_allocates, 1);
        ARCHIPELAGO_PIN(event, write_throughs, event.write_throughs, 1);
        ARCHIPELAGO_PIN(event, atomics, event.atomics, 1);
        ARCHIPELAGO_PIN(event, atomic_operands, event.atomic_operands, 5);
        ARCHIPELAGO_PIN(event, waited, event.waited, 1);
        ARCHIPELAGO_PIN(event, fills, event.fills, 1);
        ARCHIPELAGO_PIN(event, failed_fills, event.failed_fills, 1);
        ARCHIPELAGO_PIN(event, evictions, event.evictions, 1);
        ARCHIPELAGO_PIN(event, writebacks, event.writebacks, 2);
        ARCHIPELAGO_PIN(event, writeback_bytes, event.writeback_bytes, 8);
        ARCHIPELAGO_PIN(event, invalidated_lines, event.invalidated_lines, 5);
        ARCHIPELAGO_PIN(event, cache_actions, event.cache_actions, 1);
        ARCHIPELAGO_PIN(event, unmapped_writes, event.unmapped_writes, 1);
        ARCHIPELAGO_PIN(event, bytes_read, event.bytes_read, 8);
        ARCHIPELAGO_PIN(event, bytes_written, event.bytes_written, 7);
        ARCHIPELAGO_PIN(event, busy_cycles, event.busy_cycles, 9);
        ARCHIPELAGO_PIN(fetch, valid, fetch_valid, 1);
        ARCHIPELAGO_PIN(fetch, miss, fetch_miss, 7);
        ARCHIPELAGO_PIN(state, stall, stall, 3);
        ARCHIPELAGO_PIN(state, idle, idle, 1);
        ARCHIPELAGO_PIN(state, waits, waits, 1);
        ARCHIPELAGO_PIN(state, error, error, 3);
    }
};

}  // namespace archipelago::rtl
