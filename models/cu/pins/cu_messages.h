// SPDX-License-Identifier: Apache-2.0
// Messages and ports of a compute unit on its pins. What belongs to the unit's position in the chip
// (its number, transaction ids) is not on pins.
#pragma once

#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/common/pins/pin_ports.h"
#include "models/cu/pipeline/compute_unit.h"
#include "models/gcn/compute_message.h"
#include "models/gcn/export_message.h"
#include "models/gcn/sqc_message.h"
#include "pins/cu_pins.h"

namespace archipelago::cu {

using CuPins = rtl::CuPins;

// Numbers of waves on pins.
constexpr uint8_t wave_number(unsigned simd, unsigned slot) {
    return static_cast<uint8_t>(16 * simd + slot);
}

void to_pins(const WaveLaunch& from, CuPins::Launch& to);
// Sets the rows v0 to v2 of `data` of a compute wave, and has the launch name it.
void from_pins(const CuPins::Launch& from, WaveLaunch& to, LaunchData& data);

// The other messages and their ports, read in both directions (common/pins/pin_ports.h).
using InLines = pins::InUnits<kLineBytes>;
// The number of a wave in its hardware id, whose other fields its launch has.
struct InHardwareId {
    static void to_pin(uint8_t& pin, uint32_t hw_id) { pins::LowBits<6>::to_pin(pin, hw_id); }
    static void from_pin(uint32_t&, uint8_t) {}
};

// ---- to the compute unit

template <class M, class Launch, class P>
void map_launch(M m, Launch& w, P& p) {
    m(w.dispatch, p.dispatch);
    m(w.group, p.group);
    m(w.group_slot, p.group_slot);
    m(w.wave_in_group, p.wave_in_group);
    m(w.waves_in_group, p.waves_in_group);
    m(w.vmid, p.vmid);
    m(w.priority, p.priority);
    m(w.pc, p.pc);
    m(w.exec, p.exec);
    m(w.vgpr_base, p.vgpr_base);
    m(w.vgpr_count, p.vgprs);
    m(w.sgpr_base, p.sgpr_base);
    m(w.sgpr_count, p.sgprs);
    m(w.lds_base, p.lds_base);
    m(w.lds_bytes, p.lds_bytes);
    m(w.keeps_lds, p.keeps_lds);
    m(w.float_mode, p.float_mode);
    m(w.dx10_clamp, p.dx10_clamp);
    m(w.ieee, p.ieee);
    m(w.privileged, p.privileged);
    m(w.trap_present, p.trap);
    m(w.exceptions, p.exceptions);
    m(w.tba, p.tba);
    m(w.tma, p.tma);
    m(w.sgpr_init_count, p.sgpr_count);
    m(w.stage, p.stage);
    m(w.sgpr_init, p.sgpr);
}

template <class M, class Message, class P>
void map_fetched(M m, Message& r, P& p) {
    m(r.wave, p.wave);
    m(r.fault, p.fault);
    m(r.generation, p.tag);
    m(r.address, p.address);
    m(r.words, p.words);
}
template <class M, class Message, class P>
void map_loaded(M m, Message& r, P& p) {
    m(r.wave, p.wave);
    m(r.fault, p.fault);
    m(r.tag, p.tag);
    m.when(r.fault, r.fault_address, p.address);
    m(r.data, p.data);
}
template <class M, class Message, class P>
void map_answer(M m, Message& r, P& p) {
    m(r.status, p.status);
    m(r.command, p.command);
    m(r.tag, p.tag);
    m.as(InLines{}, r.line, p.line);
    m.when(r.command != MemCommand::Write, r.data, p.data);
}
template <class M, class Message, class In>
void map_gds_answer(M m, Message& r, In& in) {
    m(r.tag, in.gdsdata_tag);
    m(r.data, in.gdsdata);
}

// ---- from the compute unit

template <class M, class Message, class P>
void map_fetch(M m, Message& r, P& p) {
    m(r.address, p.fetch_address);
    m(r.wave, p.fetch_wave);
    m(r.vmid, p.fetch_vmid);
    m(r.generation, p.fetch_tag);
}
template <class M, class Message, class P>
void map_scalar(M m, Message& r, P& p) {
    m(r.address, p.scalar_address);
    m(r.dwords, p.scalar_dwords);
    m(r.invalidate, p.scalar_invalidate);
    m(r.wave, p.scalar_wave);
    m(r.vmid, p.scalar_vmid);
    m(r.tag, p.scalar_tag);
}
template <class M, class Message, class P>
void map_request(M m, Message& r, P& p) {
    m.as(InLines{}, r.line, p.line);
    m(r.byte_mask, p.mask);
    m(r.command, p.command);
    m(r.atomic, p.atomic);
    m(r.atomic_bytes, p.bytes);
    m.implied(r.client, Client::Vector);
    m(r.vmid, p.vmid);
    m(r.glc, p.glc);
    m(r.slc, p.slc);
    m(r.returns, p.returns);
    m(r.tag, p.tag);
    m.when(r.command != MemCommand::Read, r.compare, p.compare);
    m.when(r.command != MemCommand::Read, r.data, p.data);
}
template <class M, class Message, class P>
void map_gds(M m, Message& r, P& p) {
    m(r.command, p.command);
    m(r.atomic, p.atomic);
    m(r.bytes, p.bytes);
    m(r.elements, p.elements);
    m(r.sign_extend, p.sign_extend);
    m(r.returns, p.returns);
    m(r.vmid, p.vmid);
    m(r.tag, p.tag);
    m(r.value, p.value);
    m(r.resource, p.resource);
    m(r.order, p.order);
    m(r.counter, p.counter);
    m(r.stage, p.stage);
    m(r.swap, p.swap);
    m(r.release, p.release);
    m(r.done, p.done);
    m(r.flush_denormals, p.flush_denormals);
    m(r.lanes[0], p.lanes0);
    m(r.lanes[1], p.lanes1);
    m(r.address[0], p.address0);
    m(r.address[1], p.address1);
    m(r.data, p.data);
    m(r.atom, p.atom);
}
template <class M, class Message, class P>
void map_export(M m, Message& r, P& p) {
    m.as(InHardwareId{}, r.wave.hw_id, p.wave);
    m(r.wave.pc, p.pc);
    m(r.target, p.target);
    m(r.enabled, p.enabled);
    m(r.compressed, p.compressed);
    m(r.done, p.done);
    m(r.valid_mask, p.valid_mask);
    m(r.exec, p.exec);
    m(r.data, p.data);
}
template <class M, class Message, class P>
void map_message(M m, Message& r, P& p) {
    m.as(InHardwareId{}, r.wave.hw_id, p.wave);
    m(r.wave.pc, p.pc);
    m(r.kind, p.kind);
    m(r.operation, p.operation);
    m(r.stream, p.stream);
    m(r.m0, p.m0);
    m(r.exec, p.exec);
}

// ---- ports

// Those of one message and one handshake. Launches, ends of waves, shader messages and what retires
// have more to them than that. `answers` and `requests`: how many lines a cycle.
template <class Pass>
void each_port(Pass& pass, ComputeUnit& cu, unsigned answers, unsigned requests) {
    auto& in = pass.in;
    auto& out = pass.out;
    pass.input(cu.fetch_in, in.fetched_valid, out.fetched_ready,
               [&](auto m, auto& r) { map_fetched(m, r, in.fetched); });
    pass.input(cu.scalar_in, in.loaded_valid, out.loaded_ready,
               [&](auto m, auto& r) { map_loaded(m, r, in.loaded); });
    pass.lanes(cu.mem_in, answers, in.answer_valid, out.answer_ready,
               [&](auto m, auto& r, unsigned lane) { map_answer(m, r, in.answer[lane]); });
    pass.input(cu.l1_action_done_in, in.invalidated_valid, out.invalidated_ready,
               [&](auto m, auto& done) { m(done.tag, in.invalidated_tag); });
    pass.input(cu.gds_in, in.gdsdata_valid, out.gdsdata_ready,
               [&](auto m, auto& r) { map_gds_answer(m, r, in); });
    pass.output(cu.to_fetch, in.fetch_ready, out.fetch_valid,
                [&](auto m, auto& r) { map_fetch(m, r, out); });
    pass.output(cu.to_scalar, in.scalar_ready, out.scalar_valid,
                [&](auto m, auto& r) { map_scalar(m, r, out); });
    pass.output_lanes(
        cu.to_memory, requests, in.request_ready, out.request_valid,
        [&](auto m, auto& r, unsigned lane) { map_request(m, r, out.request[lane]); });
    pass.output(cu.to_l1_action, in.invalidate_ready, out.invalidate_valid,
                [&](auto m, auto& action) {
                    m(action.tag, out.invalidate_tag);
                    m.implied(action.invalidate_l1, true);
                });
    pass.optional_output(cu.to_inst_action, in.icache_ready, out.icache_valid,
                         [&](auto m, auto& action) { m.implied(action.invalidate_inst, true); });
    pass.optional_output(cu.to_gds, in.gds_ready, out.gds_valid,
                         [&](auto m, auto& r) { map_gds(m, r, out.gds); });
    pass.optional_output(cu.to_export, in.export_ready, out.export_valid,
                         [&](auto m, auto& r) { map_export(m, r, out.exp); });
}

}  // namespace archipelago::cu
