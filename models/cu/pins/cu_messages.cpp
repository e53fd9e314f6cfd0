// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pins/cu_messages.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace archipelago::cu {
namespace {

using rtl::CuPins;

// Arrays of the same size that hold the same bits.
template <class From, class To>
void copy_bits(const From& from, To& to) {
    static_assert(sizeof from == sizeof to);
    std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
}

// Calls copy(field here, field there) for what both have under other types.
template <class A, class B, class F>
void each_launch_field(A& a, B& b, F&& copy) {
    copy(a.dispatch, b.dispatch);
    copy(a.group, b.group);
    copy(a.group_slot, b.group_slot);
    copy(a.wave_in_group, b.wave_in_group);
    copy(a.waves_in_group, b.waves_in_group);
    copy(a.vmid, b.vmid);
    copy(a.priority, b.priority);
    copy(a.pc, b.pc);
    copy(a.exec, b.exec);
    copy(a.vgpr_base, b.vgpr_base);
    copy(a.vgpr_count, b.vgprs);
    copy(a.sgpr_base, b.sgpr_base);
    copy(a.sgpr_count, b.sgprs);
    copy(a.lds_base, b.lds_base);
    copy(a.lds_bytes, b.lds_bytes);
    copy(a.keeps_lds, b.keeps_lds);
    copy(a.float_mode, b.float_mode);
    copy(a.dx10_clamp, b.dx10_clamp);
    copy(a.ieee, b.ieee);
    copy(a.privileged, b.privileged);
    copy(a.trap_present, b.trap);
    copy(a.exceptions, b.exceptions);
    copy(a.tba, b.tba);
    copy(a.tma, b.tma);
    copy(a.sgpr_init_count, b.sgpr_count);
}

template <class A, class B, class F>
void each_gds_field(A& a, B& b, F&& copy) {
    copy(a.bytes, b.bytes);
    copy(a.elements, b.elements);
    copy(a.sign_extend, b.sign_extend);
    copy(a.returns, b.returns);
    copy(a.vmid, b.vmid);
    copy(a.tag, b.tag);
    copy(a.value, b.value);
    copy(a.resource, b.resource);
    copy(a.order, b.order);
    copy(a.counter, b.counter);
    copy(a.stage, b.stage);
    copy(a.swap, b.swap);
    copy(a.release, b.release);
    copy(a.done, b.done);
    copy(a.flush_denormals, b.flush_denormals);
    copy(a.lanes[0], b.lanes0);
    copy(a.lanes[1], b.lanes1);
}

const auto kThere = [](const auto& here, auto& there) {
    there = static_cast<std::decay_t<decltype(there)>>(here);
};
const auto kBack = [](auto& here, const auto& there) {
    here = static_cast<std::decay_t<decltype(here)>>(there);
};

// Local ids of the lanes, x fastest.
void local_ids(const WaveLaunch& launch, CuPins::Launch& to) {
    const uint32_t x = std::max<uint32_t>(launch.group_dim[0], 1);
    const uint32_t y = std::max<uint32_t>(launch.group_dim[1], 1);
    CuPins::Lanes* const rows[3] = {&to.v0, &to.v1, &to.v2};
    for (uint32_t lane = 0; lane < CuPins::kLanes; ++lane) {
        const uint32_t thread = launch.first_thread + lane;
        const uint32_t id[3] = {thread % x, thread / x % y, thread / x / y};
        for (unsigned c = 0; c < to.ids; ++c)
            (*rows[c])[lane] = id[c];
    }
}

}  // namespace

// ---- in ----------------------------------------------------------------------------------------

void to_pins(const WaveLaunch& from, CuPins::Launch& to) {
    to = {};
    to.wave = wave_number(from.simd, from.slot);
    to.stage = static_cast<uint8_t>(from.stage);
    each_launch_field(from, to, kThere);
    static_assert(WaveLaunch::kMaxSgprInit == CuPins::kSgprs);
    to.sgpr = from.sgpr_init;
    if (from.stage != ShaderStage::Cs)
        return;
    to.ids = static_cast<uint8_t>(std::min<unsigned>({from.id_components, 3u, from.vgpr_count}));
    local_ids(from, to);
}

void from_pins(const CuPins::Launch& from, WaveLaunch& to, LaunchData& data) {
    to = {};
    to.simd = from.wave / 16;
    to.slot = from.wave % 16;
    to.stage = static_cast<ShaderStage>(from.stage);
    each_launch_field(to, from, kBack);
    to.sgpr_init = from.sgpr;
    const std::array<const CuPins::Lanes*, 3> rows = {&from.v0, &from.v1, &from.v2};
    for (unsigned c = 0; c < rows.size() && c < from.ids; ++c) {
        data.written |= 1u << c;
        data.vgpr[c] = *rows[c];
    }
    to.data = &data;
}

void to_pins(const FetchResponse& from, CuPins::Fetched& to) {
    to = {static_cast<uint8_t>(from.wave), from.generation, from.address, from.fault, from.words};
}
void from_pins(const CuPins::Fetched& from, FetchResponse& to) {
    to = {from.address, from.wave, from.tag, from.fault != 0, from.words};
}

void to_pins(const ScalarResponse& from, CuPins::Loaded& to) {
    to = {static_cast<uint8_t>(from.wave), from.tag, from.fault,
          from.fault ? from.fault_address : 0, from.data};
}
void from_pins(const CuPins::Loaded& from, ScalarResponse& to) {
    to = {from.wave, from.tag, from.fault != 0, from.address, from.data};
}

void to_pins(const MemResponse& from, CuPins::Answer& to) {
    to.status = static_cast<uint8_t>(from.status);
    to.command = static_cast<uint8_t>(from.command);
    to.tag = from.tag;
    to.line = from.line / kLineBytes;
    copy_bits(from.command == MemCommand::Write ? Line{} : from.data, to.data);
}
void from_pins(const CuPins::Answer& from, MemResponse& to) {
    to.status = static_cast<MemStatus>(from.status);
    to.command = static_cast<MemCommand>(from.command);
    to.tag = from.tag;
    to.line = from.line * kLineBytes;
    copy_bits(from.data, to.data);
}

void to_pins(const GdsResponse& from, CuPins::Quad& to) {
    copy_bits(from.data, to);
}
void from_pins(const CuPins::Quad& from, GdsResponse& to) {
    copy_bits(from, to.data);
}

// ---- out ---------------------------------------------------------------------------------------

void to_pins(const FetchRequest& from, CuPins::Out& to) {
    to.fetch_address = from.address;
    to.fetch_wave = static_cast<uint8_t>(from.wave);
    to.fetch_vmid = from.vmid;
    to.fetch_tag = from.generation;
}
void from_pins(const CuPins::Out& from, FetchRequest& to) {
    to.address = from.fetch_address;
    to.wave = from.fetch_wave;
    to.vmid = from.fetch_vmid;
    to.generation = from.fetch_tag;
}

void to_pins(const ScalarRequest& from, CuPins::Out& to) {
    to.scalar_address = from.address;
    to.scalar_dwords = from.dwords;
    to.scalar_invalidate = from.invalidate;
    to.scalar_wave = static_cast<uint8_t>(from.wave);
    to.scalar_vmid = from.vmid;
    to.scalar_tag = from.tag;
}
void from_pins(const CuPins::Out& from, ScalarRequest& to) {
    to.address = from.scalar_address;
    to.dwords = from.scalar_dwords;
    to.invalidate = from.scalar_invalidate != 0;
    to.wave = from.scalar_wave;
    to.vmid = from.scalar_vmid;
    to.tag = from.scalar_tag;
}

void to_pins(const MemRequest& from, CuPins::Request& to) {
    to.line = from.line / kLineBytes;
    to.mask = from.byte_mask;
    to.command = static_cast<uint8_t>(from.command);
    to.atomic = static_cast<uint8_t>(from.atomic);
    to.bytes = from.atomic_bytes;
    to.vmid = from.vmid;
    to.glc = from.glc;
    to.slc = from.slc;
    to.returns = from.returns;
    to.tag = from.tag;
    const bool read = from.command == MemCommand::Read;
    to.compare = read ? 0 : from.compare;
    copy_bits(read ? Line{} : from.data, to.data);
}
void from_pins(const CuPins::Request& from, MemRequest& to) {
    to = {};
    to.line = from.line * kLineBytes;
    to.byte_mask = from.mask;
    to.command = static_cast<MemCommand>(from.command);
    to.atomic = static_cast<AtomicOp>(from.atomic);
    to.atomic_bytes = from.bytes;
    to.client = Client::Vector;
    to.vmid = from.vmid;
    to.glc = from.glc != 0;
    to.slc = from.slc != 0;
    to.returns = from.returns != 0;
    to.tag = from.tag;
    to.compare = from.compare;
    copy_bits(from.data, to.data);
}

void to_pins(const GdsRequest& from, CuPins::Gds& to) {
    to.command = static_cast<uint8_t>(from.command);
    to.atomic = static_cast<uint8_t>(from.atomic);
    each_gds_field(from, to, kThere);
    to.address0 = from.address[0];
    to.address1 = from.address[1];
    copy_bits(from.data, to.data);
    copy_bits(from.atom, to.atom);
}
void from_pins(const CuPins::Gds& from, GdsRequest& to) {
    to.command = static_cast<GdsCommand>(from.command);
    to.atomic = static_cast<AtomicOp>(from.atomic);
    each_gds_field(to, from, kBack);
    to.address = {from.address0, from.address1};
    copy_bits(from.data, to.data);
    copy_bits(from.atom, to.atom);
}

void to_pins(const ExportMessage& from, CuPins::Export& to) {
    to.wave = from.wave.hw_id & 0x3f;
    to.pc = from.wave.pc;
    to.target = from.target;
    to.enabled = from.enabled;
    to.compressed = from.compressed;
    to.done = from.done;
    to.valid_mask = from.valid_mask;
    to.exec = from.exec;
    copy_bits(from.data, to.data);
}
void from_pins(const CuPins::Export& from, ExportMessage& to) {
    to.wave.pc = from.pc;
    to.target = from.target;
    to.enabled = from.enabled;
    to.compressed = from.compressed != 0;
    to.done = from.done != 0;
    to.valid_mask = from.valid_mask != 0;
    to.exec = from.exec;
    copy_bits(from.data, to.data);
}

void to_pins(const ShaderMessage& from, CuPins::Message& to) {
    to.wave = from.wave.hw_id & 0x3f;
    to.pc = from.wave.pc;
    to.kind = static_cast<uint8_t>(from.kind);
    to.operation = from.operation;
    to.stream = from.stream;
    to.m0 = from.m0;
    to.exec = from.exec;
}
void from_pins(const CuPins::Message& from, ShaderMessage& to) {
    to.wave.pc = from.pc;
    to.kind = static_cast<ShaderMessage::Kind>(from.kind);
    to.operation = from.operation;
    to.stream = from.stream;
    to.m0 = from.m0;
    to.exec = from.exec;
}

}  // namespace archipelago::cu
