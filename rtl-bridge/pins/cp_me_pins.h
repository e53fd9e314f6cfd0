// SPDX-License-Identifier: Apache-2.0
// Pins of the micro engine of the command processor; documented in rtl-bridge/rtl/cp_me/cp_me.sv.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CpMePins {
    static constexpr const char* kName = "cp_me";
    static constexpr Elastic kElastic{
        "", "", "", "",
        "the programs of packets stand outside and give their next operation within the cycle "
        "(ask_valid)"};
    static constexpr unsigned kRings = 3;
    static constexpr unsigned kWords = 16;     // of a line
    static constexpr unsigned kContexts = 8;   // render contexts
    static constexpr unsigned kPackets = 257;  // entries of the packet table; 256: type 0
    static constexpr unsigned kTypeZero = 256;

    template <class T>
    using PerRing = std::array<T, kRings>;
    using Words = std::array<uint32_t, kWords>;
    struct Config {
        uint16_t packet_cycles = 1;
        uint8_t events = 1;
        uint8_t max_context = kContexts - 1;
        uint8_t context_done = 0;
        uint32_t event_initiator = 0, copy_state = 0, draw_initiator = 0;
    };
    struct Contexts {
        uint8_t current = 0, drawn = 0, closed = 0, preamble = 0, in_pipe = 0;
    };
    // Operations of programs, by ring.
    struct Operations {
        PerRing<uint8_t> valid{}, end{}, kind{}, path{}, stream{}, kernel{}, wait{}, dwords{},
            swap{}, event_type{}, limit{}, buffer{}, gds{}, privileged{}, of_context{}, preamble{};
        PerRing<uint32_t> offset{}, value{}, cycles{};
        PerRing<uint64_t> operand{}, address{};
        std::array<uint32_t, kRings * kWords> data{};
    };
    struct Answer {
        uint8_t valid = 0;
        uint8_t tag = 0;
        uint64_t line = 0;
        Words data{};
    };

    struct In {
        uint8_t rst = 0;
        Config cfg;
        uint64_t now = 0;
        uint8_t run = 0;
        uint8_t table_valid = 0, table_fixed = 0;
        uint16_t table_index = 0;
        uint8_t ctx_valid = 0;
        Contexts ctx;
        uint8_t halt_valid = 0, halt_level = 0;
        uint8_t limit_valid = 0;
        uint32_t limit_wait_reg_mem = 0, limit_semaphore = 0;
        PerRing<uint8_t> meq_valid{}, meq_vmid{};
        PerRing<uint32_t> meq_dword{};
        Operations op;
        Answer hub, l2;
        uint8_t read_valid = 0, read_ring = 0;
        uint32_t read_value = 0;
        uint8_t cache_valid = 0, cache_ring = 0;
        uint8_t dma_valid = 0, dma_ring = 0, dma_written = 0, dma_done = 0;
        uint8_t grant_valid = 0, grant_ring = 0, grant_buffer = 0;
        uint8_t gds_valid = 0, gds_tag = 0;
        std::array<uint32_t, 4> gds_row{}, gds_column{};
        uint8_t stored_valid = 0, stored_ring = 0;
        uint8_t pipe_valid = 0, pipe_ring = 0;
        uint8_t hub_ready = 0, l2_ready = 0, bus_ready = 0, cache_ready = 0, dma_ready = 0,
                eop_ready = 0, trigger_ready = 0, gds_ready = 0, ce_room = 0;
    };
    struct Out {
        uint8_t ask_valid = 0, ask_ring = 0, ask_start = 0;
        uint64_t ask_value = 0;
        Words ask_data{};
        PerRing<uint8_t> op_ready{}, meq_ready{};
        uint8_t take_kind = 0;
        uint8_t hub_valid = 0, l2_valid = 0, mem_command = 0, mem_vmid = 0;
        uint16_t mem_tag = 0;
        uint64_t mem_line = 0, mem_mask = 0;
        Words mem_data{};
        uint8_t bus_valid = 0, bus_write = 0, bus_ring = 0, bus_context = 0, bus_vmid = 0;
        uint32_t bus_offset = 0, bus_value = 0;
        uint8_t cache_valid = 0, dma_valid = 0, eop_valid = 0, ce_valid = 0, gds_valid = 0,
                gds_tag = 0;
        uint8_t pipe_ready = 0, pipe_purpose = 0, pipe_buffer = 0;
        uint8_t act_valid = 0, act_ring = 0, act_kind = 0;
        uint8_t event_privilege = 0, event_timeout = 0;
        uint8_t done_valid = 0, done_ring = 0;
        uint8_t ctx_current = 0, ctx_drawn = 0, ctx_closed = 0, ctx_in_pipe = 0;
        uint8_t stall = 0, moved = 0, rest = 0, busy = 0;
        PerRing<uint8_t> phase{}, wait{}, no_context{};
        uint8_t stop_valid = 0, stop_ring = 0;
    };

    template <class V>
    static void inputs(V&& visit) {
        control_inputs(visit);
        operation_inputs(visit);
        answer_inputs(visit);
        room_inputs(visit);
    }
    template <class V>
    static void outputs(V&& visit) {
        program_outputs(visit);
        request_outputs(visit);
        state_outputs(visit);
    }

  private:
    template <class V>
    static void control_inputs(V&& visit) {
        ARCHIPELAGO_PIN(cfg, packet_cycles, cfg.packet_cycles, 16,
                        "cycles of microcode from a packet's fixed dwords to its first operation, "
                        "at least 1");
        ARCHIPELAGO_PIN(cfg, events, cfg.events, 6,
                        "events of a ring in the pipe at most, 1 to 32");
        ARCHIPELAGO_PIN(cfg, max_context, cfg.max_context, 3, "the last render context");
        ARCHIPELAGO_PIN(cfg, context_done, cfg.context_done, 6,
                        "the event behind a render context's draws");
        ARCHIPELAGO_PIN(cfg, event_initiator, cfg.event_initiator, 32,
                        "byte offset of the register that posts events to the pipe");
        ARCHIPELAGO_PIN(cfg, copy_state, cfg.copy_state, 32,
                        "of the register that copies a render context");
        ARCHIPELAGO_PIN(cfg, draw_initiator, cfg.draw_initiator, 32,
                        "of the register that starts a draw");
        ARCHIPELAGO_PIN(ctl, now, now, 48, "number of the cycle");
        ARCHIPELAGO_PIN(ctl, run, run, 1, "low: answers are taken, packets rest");
        ARCHIPELAGO_PIN(table, valid, table_valid, 1, "an entry of the packet table is written");
        ARCHIPELAGO_PIN(table, index, table_index, 9, "of this opcode; 256: type 0");
        ARCHIPELAGO_PIN(table, fixed, table_fixed, 4,
                        "dwords of the body that are collected before the packet starts, at most "
                        "12");
        ARCHIPELAGO_PIN(ctx, valid, ctx_valid, 1,
                        "the render contexts are set, before anything else in the cycle and even "
                        "if it does not take place");
        ARCHIPELAGO_PIN(ctx, current, ctx.current, 3, "the context of the next draw");
        ARCHIPELAGO_PIN(ctx, drawn, ctx.drawn, 1, "it has been drawn with");
        ARCHIPELAGO_PIN(ctx, closed, ctx.closed, 1, "and its end has been posted");
        ARCHIPELAGO_PIN(ctx, preamble, ctx.preamble, 1, "context registers are those of context 0");
        ARCHIPELAGO_PIN(ctx, in_pipe, ctx.in_pipe, 8, "contexts whose end is on its way, by bit");
        ARCHIPELAGO_PIN(halt, valid, halt_valid, 1, "the micro engine is halted or released");
        ARCHIPELAGO_PIN(halt, level, halt_level, 1, "1: halted");
        ARCHIPELAGO_PIN(limit, valid, limit_valid, 1, "polls get other limits");
        ARCHIPELAGO_PIN(limit, wait_reg_mem, limit_wait_reg_mem, 32,
                        "cycles that WAIT_REG_MEM may poll; 0: for ever");
        ARCHIPELAGO_PIN(limit, semaphore, limit_semaphore, 32, "cycles that a semaphore may");
        ARCHIPELAGO_PIN(meq, valid, meq_valid, 1, "the micro engine queue of ring n has a dword");
        ARCHIPELAGO_PIN(meq, dword, meq_dword, 32, "the dword");
        ARCHIPELAGO_PIN(meq, vmid, meq_vmid, 8, "with a header: VMID of the packet");
    }
    template <class V>
    static void operation_inputs(V&& visit) {
        ARCHIPELAGO_PIN(op, valid, op.valid, 1,
                        "the program of ring n's packet has its next operation");
        ARCHIPELAGO_PIN(op, end, op.end, 1, "there is none: the packet is done");
        ARCHIPELAGO_PIN(op, kind, op.kind, 5, "cp::OpKind");
        ARCHIPELAGO_PIN(op, path, op.path, 1, "of memory: 0 hub, 1 L2");
        ARCHIPELAGO_PIN(op, stream, op.stream, 1, "its data are the next dwords of the packet");
        ARCHIPELAGO_PIN(op, kernel, op.kernel, 1, "writes address space 0");
        ARCHIPELAGO_PIN(op, wait, op.wait, 1, "also waits for what it starts");
        ARCHIPELAGO_PIN(op, dwords, op.dwords, 5, "1 to 16");
        ARCHIPELAGO_PIN(op, swap, op.swap, 2, "byte swap of memory's dwords: 0, 1 in 16, 2 in 32");
        ARCHIPELAGO_PIN(op, event_type, op.event_type, 8, "that is posted");
        ARCHIPELAGO_PIN(op, limit, op.limit, 2, "cp::PollLimit of a delay");
        ARCHIPELAGO_PIN(op, buffer, op.buffer, 1, "of the constant engine");
        ARCHIPELAGO_PIN(op, gds, op.gds, 1, "another unit uses the GDS for it");
        ARCHIPELAGO_PIN(op, privileged, op.privileged, 1,
                        "the packet may not write the register, and does not");
        ARCHIPELAGO_PIN(op, of_context, op.of_context, 1, "the register is one of each context");
        ARCHIPELAGO_PIN(op, preamble, op.preamble, 1,
                        "context registers are those of context 0 from now on");
        ARCHIPELAGO_PIN(op, offset, op.offset, 32, "byte offset of the register");
        ARCHIPELAGO_PIN(op, value, op.value, 32, "to be written");
        ARCHIPELAGO_PIN(op, cycles, op.cycles, 32, "of a delay");
        ARCHIPELAGO_PIN(op, operand, op.operand, 64, "of an atomic");
        ARCHIPELAGO_PIN(op, address, op.address, 64, "byte address");
        ARCHIPELAGO_PIN(op, data, op.data, 32, "to be written, 16 dwords of each ring");
    }
    template <class V>
    static void answer_inputs(V&& visit) {
        ARCHIPELAGO_PIN(hub_rsp, valid, hub.valid, 1, "the memory hub answers");
        ARCHIPELAGO_PIN(hub_rsp, tag, hub.tag, 7, "with the tag of the request, its low bits");
        ARCHIPELAGO_PIN(hub_rsp, line, hub.line, 58, "byte address / 64");
        ARCHIPELAGO_PIN(hub_rsp, data, hub.data, 32, "the line");
        ARCHIPELAGO_PIN(l2_rsp, valid, l2.valid, 1, "L2 answers");
        ARCHIPELAGO_PIN(l2_rsp, tag, l2.tag, 7, "with the tag of the request, its low bits");
        ARCHIPELAGO_PIN(l2_rsp, line, l2.line, 58, "byte address / 64");
        ARCHIPELAGO_PIN(l2_rsp, data, l2.data, 32, "the line");
        ARCHIPELAGO_PIN(read, valid, read_valid, 1, "the register bus answers a read");
        ARCHIPELAGO_PIN(read, ring, read_ring, 2, "of this ring");
        ARCHIPELAGO_PIN(read, value, read_value, 32, "of the register");
        ARCHIPELAGO_PIN(cache_rsp, valid, cache_valid, 1, "a cache action is complete");
        ARCHIPELAGO_PIN(cache_rsp, ring, cache_ring, 2, "of this ring");
        ARCHIPELAGO_PIN(dma_rsp, valid, dma_valid, 1, "the DMA engine reports");
        ARCHIPELAGO_PIN(dma_rsp, ring, dma_ring, 2, "to this ring");
        ARCHIPELAGO_PIN(dma_rsp, written, dma_written, 1, "a command's writes are on their way");
        ARCHIPELAGO_PIN(dma_rsp, done, dma_done, 1, "a command's writes are there");
        ARCHIPELAGO_PIN(grant, valid, grant_valid, 1, "the constant engine lets a ring go on");
        ARCHIPELAGO_PIN(grant, ring, grant_ring, 2, "this one");
        ARCHIPELAGO_PIN(grant, buffer, grant_buffer, 1, "with this buffer");
        ARCHIPELAGO_PIN(gds_rsp, valid, gds_valid, 1, "the GDS answers");
        ARCHIPELAGO_PIN(gds_rsp, tag, gds_tag, 4, "with the tag of the request");
        ARCHIPELAGO_PIN(gds_rsp, row, gds_row, 32, "the first dword of lanes 0 to 3");
        ARCHIPELAGO_PIN(gds_rsp, column, gds_column, 32, "the dwords of lane 0");
        ARCHIPELAGO_PIN(stored, valid, stored_valid, 1, "GDS data of an event are in memory");
        ARCHIPELAGO_PIN(stored, ring, stored_ring, 2, "of this ring");
        ARCHIPELAGO_PIN(pipe, valid, pipe_valid, 1, "an event has left the pipe");
        ARCHIPELAGO_PIN(pipe, ring, pipe_ring, 2, "of this ring");
    }
    template <class V>
    static void room_inputs(V&& visit) {
        ARCHIPELAGO_PIN(hub, ready, hub_ready, 1, "the memory hub takes a request");
        ARCHIPELAGO_PIN(l2, ready, l2_ready, 1, "L2 takes a request");
        ARCHIPELAGO_PIN(bus, ready, bus_ready, 1, "the register bus takes a request");
        ARCHIPELAGO_PIN(cache, ready, cache_ready, 1, "the coherency unit takes an action");
        ARCHIPELAGO_PIN(dma, ready, dma_ready, 1, "the DMA engine takes a command");
        ARCHIPELAGO_PIN(eop, ready, eop_ready, 1, "the end-of-pipe unit takes a command");
        ARCHIPELAGO_PIN(trigger, ready, trigger_ready, 1, "and that an event has left the pipe");
        ARCHIPELAGO_PIN(gds, ready, gds_ready, 1, "the GDS takes a request");
        ARCHIPELAGO_PIN(ce, room, ce_room, 2,
                        "messages that the constant engine takes: 0, 1, 2 or more");
    }
    template <class V>
    static void program_outputs(V&& visit) {
        ARCHIPELAGO_PIN(ask, valid, ask_valid, 1,
                        "a program's operation is needed and not there: the cycle does not take "
                        "place, and but for ask and pipe all is 0");
        ARCHIPELAGO_PIN(ask, ring, ask_ring, 2, "of this ring");
        ARCHIPELAGO_PIN(ask, start, ask_start, 1, "the first of its packet");
        ARCHIPELAGO_PIN(ask, value, ask_value, 64, "what the operation before has brought");
        ARCHIPELAGO_PIN(ask, data, ask_data, 32, "dwords it has brought");
        ARCHIPELAGO_PIN(op, ready, op_ready, 1, "the operation of ring n is taken");
        ARCHIPELAGO_PIN(meq, ready, meq_ready, 1, "the dword of ring n is taken");
        ARCHIPELAGO_PIN(take, kind, take_kind, 2,
                        "0 header, 1 collected, 2 for an operation, 3 passed over");
        ARCHIPELAGO_PIN(act, valid, act_valid, 1, "an operation has been carried out");
        ARCHIPELAGO_PIN(act, ring, act_ring, 2, "of this ring");
        ARCHIPELAGO_PIN(act, kind, act_kind, 5, "its cp::OpKind");
        ARCHIPELAGO_PIN(done, valid, done_valid, 1, "a packet ends");
        ARCHIPELAGO_PIN(done, ring, done_ring, 2, "its ring");
    }
    template <class V>
    static void request_outputs(V&& visit) {
        ARCHIPELAGO_PIN(hub, valid, hub_valid, 1, "a request to the memory hub, on mem");
        ARCHIPELAGO_PIN(l2, valid, l2_valid, 1, "a request to L2, on mem");
        ARCHIPELAGO_PIN(mem, command, mem_command, 2, "0 read, 1 write, 2 atomic");
        ARCHIPELAGO_PIN(mem, vmid, mem_vmid, 8, "address space");
        ARCHIPELAGO_PIN(mem, tag, mem_tag, 15, "{number of the write, write, ring}");
        ARCHIPELAGO_PIN(mem, line, mem_line, 58, "byte address / 64");
        ARCHIPELAGO_PIN(mem, mask, mem_mask, 64, "bytes of the line");
        ARCHIPELAGO_PIN(mem, data, mem_data, 32, "the line to be written");
        ARCHIPELAGO_PIN(bus, valid, bus_valid, 1, "a request to the register bus");
        ARCHIPELAGO_PIN(bus, write, bus_write, 1, "a write, else a read");
        ARCHIPELAGO_PIN(bus, ring, bus_ring, 2, "of this ring");
        ARCHIPELAGO_PIN(bus, context, bus_context, 3, "render context");
        ARCHIPELAGO_PIN(bus, vmid, bus_vmid, 8, "of the packet, for a write of its own");
        ARCHIPELAGO_PIN(bus, offset, bus_offset, 32, "byte offset of the register");
        ARCHIPELAGO_PIN(bus, value, bus_value, 32, "to be written");
        ARCHIPELAGO_PIN(cache, valid, cache_valid, 1, "the operation's action starts");
        ARCHIPELAGO_PIN(dma, valid, dma_valid, 1, "the operation's command goes to the DMA engine");
        ARCHIPELAGO_PIN(eop, valid, eop_valid, 1,
                        "the operation's command goes to the end-of-pipe unit");
        ARCHIPELAGO_PIN(ce, valid, ce_valid, 1,
                        "the operation's message goes to the constant engine");
        ARCHIPELAGO_PIN(gds, valid, gds_valid, 1, "the operation's request goes to the GDS");
        ARCHIPELAGO_PIN(gds, tag, gds_tag, 4, "{atomic, data are wanted, ring}");
        ARCHIPELAGO_PIN(pipe, ready, pipe_ready, 1, "the event that has left the pipe is taken");
        ARCHIPELAGO_PIN(pipe, purpose, pipe_purpose, 3,
                        "cp::EventPurpose: what it was for; 2: a trigger goes to the end-of-pipe "
                        "unit, 3: a message to the constant engine");
        ARCHIPELAGO_PIN(pipe, buffer, pipe_buffer, 3, "buffer, or render context");
        ARCHIPELAGO_PIN(event, privilege, event_privilege, 1,
                        "the operation has been refused as privileged");
        ARCHIPELAGO_PIN(event, timeout, event_timeout, 1, "a WAIT_REG_MEM polls for too long");
    }
    template <class V>
    static void state_outputs(V&& visit) {
        ARCHIPELAGO_PIN(context, current, ctx_current, 3, "render context behind this cycle");
        ARCHIPELAGO_PIN(context, drawn, ctx_drawn, 1, "it has been drawn with");
        ARCHIPELAGO_PIN(context, closed, ctx_closed, 1, "its end has been posted");
        ARCHIPELAGO_PIN(context, in_pipe, ctx_in_pipe, 8, "contexts whose end is on its way");
        ARCHIPELAGO_PIN(state, stall, stall, 5, "cp::StallReason: why nothing moves");
        ARCHIPELAGO_PIN(state, moved, moved, 1, "a ring has moved");
        ARCHIPELAGO_PIN(state, rest, rest, 1, "it has, and microcode keeps it in the next cycle");
        ARCHIPELAGO_PIN(state, busy, busy, 1, "a packet is at work, or what one has begun");
        ARCHIPELAGO_PIN(state, phase, phase, 3, "cp::MePhase of ring n");
        ARCHIPELAGO_PIN(state, wait, wait, 5, "cp::StallReason: what ring n's operation waits for");
        ARCHIPELAGO_PIN(state, no_context, no_context, 1, "ring n lacks a render context");
        ARCHIPELAGO_PIN(stop, valid, stop_valid, 1,
                        "a semaphore has not come in time; silence until reset");
        ARCHIPELAGO_PIN(stop, ring, stop_ring, 2, "the ring that waits for it");
    }
};

}  // namespace archipelago::rtl
