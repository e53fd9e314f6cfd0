// SPDX-License-Identifier: Apache-2.0
// Messages and ports of the micro engine on its pins, read in both directions: by the shell of a
// chip (me_pins.cpp) and by the model in lockstep (me_pin_core.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "models/common/pins/pin_ports.h"
#include "models/cp/me_unit.h"
#include "pins/cp_me_pins.h"

namespace archipelago::cp::me_ports {

using MePins = rtl::CpMePins;
constexpr unsigned kMeRings = MePins::kRings, kMeWords = MePins::kWords;
constexpr unsigned kMaxCeMessages = 2;  // messages to the constant engine a cycle
static_assert(kContexts == MePins::kContexts);

// What a dword of the micro engine queue is to its packet.
enum class Dword : uint8_t { Header, Collected, Operand, PassedOver };

inline uint8_t level(bool value) {
    return value ? 1 : 0;
}

// ---- messages and ports -------------------------------------------------------------------------

using InLines = pins::InUnits<kLineBytes>;

template <class M, class C, class P>
void map_contexts(M m, C& c, P& p) {
    m(c.current, p.current);
    m(c.drawn, p.drawn);
    m(c.closed, p.closed);
    m(c.preamble, p.preamble);
    m.bits(p.in_pipe, c.in_pipe);
}
inline MePins::Contexts context_pins(const Contexts& contexts) {
    MePins::Contexts pins;
    map_contexts(pins::ToPins{}, contexts, pins);
    return pins;
}
inline bool same(const MePins::Contexts& a, const MePins::Contexts& b) {
    return a.current == b.current && a.drawn == b.drawn && a.closed == b.closed &&
           a.preamble == b.preamble && a.in_pipe == b.in_pipe;
}

template <class M, class L, class In>
void map_limits(M m, L& limits, In& in) {
    m(limits.wait_reg_mem, in.limit_wait_reg_mem);
    m(limits.semaphore, in.limit_semaphore);
}

// ME's port of L2 carries the requests to the semaphore block, too.
struct PastHub {
    static void to_pin(uint8_t& pin, MemPath path) { pin = level(path != MemPath::Hub); }
    static void from_pin(MemPath& path, uint8_t pin) {
        path = pin != 0 ? MemPath::L2 : MemPath::Hub;
    }
};

// Another unit uses the GDS for the operation.
inline bool uses_gds(const MicroOp& op) {
    return (op.kind == OpKind::Eop && op.eop.gds_dwords != 0) ||
           (op.kind == OpKind::Dma && (op.dma.from_gds || op.dma.to_gds));
}
struct UsesGds {
    static void to_pin(uint8_t& pin, const MicroOp& op) { pin = level(uses_gds(op)); }
    static void from_pin(MicroOp& op, uint8_t pin) {
        op.eop.gds_dwords = pin;
        op.dma.from_gds = pin != 0;
    }
};

// An operation of a ring's program. Contents of EOP, DMA and GDS commands, cache actions and
// messages to the constant engine are not on the pins.
template <class M, class Op, class P>
void map_operation(M m, Op& op, P& p, unsigned ring) {
    m(op.kind, p.kind[ring]);
    m.as(PastHub{}, op.path, p.path[ring]);
    m(op.stream, p.stream[ring]);
    m(op.kernel, p.kernel[ring]);
    m(op.wait, p.wait[ring]);
    m(op.dwords, p.dwords[ring]);
    m(op.swap, p.swap[ring]);
    m(op.event_type, p.event_type[ring]);
    m(op.limit, p.limit[ring]);
    m(op.ce.buffer, p.buffer[ring]);
    if (op.kind == OpKind::Eop)
        m(op.eop.event_type, p.event_type[ring]);
    m.as(UsesGds{}, op, p.gds[ring]);
    m(op.offset, p.offset[ring]);
    m(op.value, p.value[ring]);
    m(op.cycles, p.cycles[ring]);
    m(op.operand, p.operand[ring]);
    m(op.address, p.address[ring]);
    m.part(op.data, p.data, ring * kMeWords);
}

template <class M, class Response, class P>
void map_memory_answer(M m, Response& r, P& p) {
    m.as(pins::LowBits<7>{}, r.tag, p.tag);
    m.as(InLines{}, r.line, p.line);
    m(r.data, p.data);
}
template <class M, class Response, class In>
void map_gds_answer(M m, Response& r, In& in) {
    m(r.tag, in.gds_tag);
    for (unsigned i = 0; i < 4; ++i) {
        m(r.data[i][0], in.gds_column[i]);
        m(r.data[0][i], in.gds_row[i]);
    }
}
template <class M, class Request, class Out>
void map_memory(M m, Request& r, Out& out) {
    m(r.command, out.mem_command);
    m(r.vmid, out.mem_vmid);
    m(r.tag, out.mem_tag);
    m.as(InLines{}, r.line, out.mem_line);
    m(r.byte_mask, out.mem_mask);
    m.when(r.command != MemCommand::Read, r.data, out.mem_data);
}
template <class M, class Request, class Out>
void map_register(M m, Request& r, Out& out) {
    m(r.offset, out.bus_offset);
    m(r.value, out.bus_value);
    m(r.write, out.bus_write);
    m(r.ring, out.bus_ring);
    m(r.context, out.bus_context);
    m(r.vmid, out.bus_vmid);
    m.implied(r.tag, out.bus_ring);
}

// The oldest event of the ring in the pipe.
inline uint8_t oldest_event(const MeState& state, unsigned ring) {
    const OpState& op = state.rings[ring % kMeRings].op;
    return op.events_count != 0 ? op.events[op.events_head].type : uint8_t{0};
}

template <class Pass>
void each_answer(Pass& pass, MeUnit& me) {
    auto& in = pass.in;
    pass.taken_input(me.hub_response, in.hub.valid,
                     [&](auto m, auto& r) { map_memory_answer(m, r, in.hub); });
    pass.taken_input(me.l2_response, in.l2.valid,
                     [&](auto m, auto& r) { map_memory_answer(m, r, in.l2); });
    pass.taken_input(me.register_response, in.read_valid, [&](auto m, auto& r) {
        m(r.tag, in.read_ring);
        m(r.value, in.read_value);
    });
    pass.taken_input(me.cache_done, in.cache_valid,
                     [&](auto m, auto& done) { m(done.tag, in.cache_ring); });
    pass.taken_input(me.gds_response, in.gds_valid,
                     [&](auto m, auto& r) { map_gds_answer(m, r, in); });
    pass.taken_input(me.dma_done, in.dma_valid, [&](auto m, auto& done) {
        m(done.ring, in.dma_ring);
        m(done.written, in.dma_written);
        m(done.done, in.dma_done);
    });
    pass.taken_input(me.ce_grant, in.grant_valid, [&](auto m, auto& grant) {
        m(grant.ring, in.grant_ring);
        m(grant.buffer, in.grant_buffer);
    });
    pass.taken_input(me.gds_stored, in.stored_valid,
                     [&](auto m, auto& stored) { m(stored.ring, in.stored_ring); });
    pass.input(me.event_done, in.pipe_valid, pass.out.pipe_ready, [&](auto m, auto& done) {
        m(done.ring, in.pipe_ring);
        m.implied(done.event_type, oldest_event(me.state(), in.pipe_ring));
    });
}

template <class Pass>
void each_queue(Pass& pass, MeUnit& me) {
    for (unsigned ring = 0; ring < kMeRings; ++ring)
        pass.input_no_wake(me.meq[ring], pass.in.meq_valid[ring], pass.out.meq_ready[ring],
                           [&](auto m, auto& entry) {
                               m(entry.dword, pass.in.meq_dword[ring]);
                               m.implied(entry.location.ring, ring);
                               m(entry.location.vmid, pass.in.meq_vmid[ring]);
                           });
}

template <class Pass>
void each_output(Pass& pass, MeUnit& me) {
    auto& in = pass.in;
    auto& out = pass.out;
    const auto nothing = [](auto, auto&) {};  // but that there is one
    const auto memory = [&](auto m, auto& r) { map_memory(m, r, out); };
    pass.output(me.to_hub, in.hub_ready, out.hub_valid, memory);
    pass.output(me.to_l2, in.l2_ready, out.l2_valid, memory);
    pass.output(me.to_bus, in.bus_ready, out.bus_valid,
                [&](auto m, auto& r) { map_register(m, r, out); });
    pass.output(me.to_coherency, in.cache_ready, out.cache_valid, nothing);
    pass.output(me.to_dma, in.dma_ready, out.dma_valid, nothing);
    pass.output(me.to_eop, in.eop_ready, out.eop_valid, nothing);
    pass.output(me.to_gds, in.gds_ready, out.gds_valid,
                [&](auto m, auto& r) { m(r.tag, out.gds_tag); });
    pass.room(me.to_eop_trigger, in.trigger_ready, 1);
    pass.room(me.to_ce, in.ce_room, kMaxCeMessages);
}

}  // namespace archipelago::cp::me_ports
