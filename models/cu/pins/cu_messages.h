// SPDX-License-Identifier: Apache-2.0
// What a compute unit says and is told, as its pins have it: each message to pins and back. What
// belongs to the unit's place in the chip (its number, transaction ids) is not on pins.
#pragma once

#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/common/pins/pin_ports.h"
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

// The other messages, read in both directions (common/pins/pin_ports.h).
template <class Message>
struct MessageMap;
template <class Message, class Pins>
void to_pins(const Message& message, Pins& to) {
    MessageMap<Message>::map(pins::ToPins{}, message, to);
}
template <class Message, class Pins>
void from_pins(const Pins& from, Message& message) {
    MessageMap<Message>::map(pins::FromPins{}, message, from);
}

using InLines = pins::InUnits<kLineBytes>;
using InHardwareId = pins::LowBits<6>;  // the number of a wave

// ---- to the compute unit

template <>
struct MessageMap<FetchResponse> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
        m(r.wave, p.wave);
        m(r.fault, p.fault);
        m(r.generation, p.tag);
        m(r.address, p.address);
        m(r.words, p.words);
    }
};
template <>
struct MessageMap<ScalarResponse> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
        m(r.wave, p.wave);
        m(r.fault, p.fault);
        m(r.tag, p.tag);
        m.when(r.fault, r.fault_address, p.address);
        m(r.data, p.data);
    }
};
template <>
struct MessageMap<MemResponse> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
        m(r.status, p.status);
        m(r.command, p.command);
        m(r.tag, p.tag);
        m.as(InLines{}, r.line, p.line);
        m.when(r.command != MemCommand::Write, r.data, p.data);
    }
};
template <>
struct MessageMap<GdsResponse> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
        m(r.data, p);
    }
};

// ---- from the compute unit

template <>
struct MessageMap<FetchRequest> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
        m(r.address, p.fetch_address);
        m(r.wave, p.fetch_wave);
        m(r.vmid, p.fetch_vmid);
        m(r.generation, p.fetch_tag);
    }
};
template <>
struct MessageMap<ScalarRequest> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
        m(r.address, p.scalar_address);
        m(r.dwords, p.scalar_dwords);
        m(r.invalidate, p.scalar_invalidate);
        m(r.wave, p.scalar_wave);
        m(r.vmid, p.scalar_vmid);
        m(r.tag, p.scalar_tag);
    }
};
template <>
struct MessageMap<MemRequest> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
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
};
template <>
struct MessageMap<GdsRequest> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
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
};
template <>
struct MessageMap<ExportMessage> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
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
};
template <>
struct MessageMap<ShaderMessage> {
    template <class M, class Message, class P>
    static void map(M m, Message& r, P& p) {
        m.as(InHardwareId{}, r.wave.hw_id, p.wave);
        m(r.wave.pc, p.pc);
        m(r.kind, p.kind);
        m(r.operation, p.operation);
        m(r.stream, p.stream);
        m(r.m0, p.m0);
        m(r.exec, p.exec);
    }
};

}  // namespace archipelago::cu
