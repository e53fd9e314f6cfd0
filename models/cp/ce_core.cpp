// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_core.h"

#include <algorithm>

#include "models/cp/ce_instruction.h"

namespace archipelago::cp {

namespace {

constexpr uint32_t kNoRing = kCeRings;

uint32_t partition_base(const CeState& s, unsigned ring) {
    return ring == 0 ? 0 : ring == 1 ? s.cs1 : s.cs2;
}
uint32_t partition_size(const CeState& s, unsigned ring) {
    return ring == 0 ? s.cs1 : ring == 1 ? s.cs2 - s.cs1 : kCeRamBytes - s.cs2;
}

using Out = rtl::CpCePins::Out;
void stop_with(Out& out, unsigned ring, CeStop code, uint32_t info) {
    out.stop_valid = 1;
    out.stop_ring = static_cast<uint8_t>(ring);
    out.stop_code = static_cast<uint8_t>(code);
    out.stop_info = info;
}

}  // namespace

void CeStep::stop(CeStop code, uint32_t info) const {
    stop_with(out, ring, code, info);
}
uint32_t CeStep::partition() const {
    return partition_base(state, ring);
}
uint32_t CeStep::gds_partition() const {
    return ring == 0 ? 0 : ring == 1 ? state.gds_cs1 : state.gds_cs2;
}
void CeStep::use_ram(uint32_t offset, uint32_t dwords) const {
    to().ram = partition() + offset;
    if (offset + 4 * dwords > partition_size(state, ring))
        stop(CeStop::Bounds, offset + 4 * dwords);
}

BufferAction buffer_action(unsigned ce, unsigned de, unsigned older) {
    if ((de & ~ce) != 0)
        return BufferAction::Invalid;
    const unsigned fresh = ce & ~de;  // set by the CE, not yet taken
    if (fresh == 0)
        return BufferAction::Wait;
    const unsigned buffer = fresh == 3 ? older : fresh >> 1;
    return buffer == 0 ? BufferAction::Take0 : BufferAction::Take1;
}

const PacketInfo* ce_packet(const PacketTable& packets, CePacket number) {
    const auto row = std::find_if(packets.begin(), packets.end(), [number](const PacketInfo& info) {
        return info.ce != nullptr && info.ce->number == number;
    });
    return row == packets.end() ? nullptr : &*row;
}

rtl::CpCePins::Config ce_config_pins(const CeSpec& spec, const PacketTable& packets) {
    rtl::CpCePins::Config c;
    c.packet_cycles = static_cast<uint8_t>(spec.packet_cycles);
    c.reads = static_cast<uint8_t>(spec.loads_in_flight);
    c.writes = static_cast<uint8_t>(spec.dumps_in_flight);
    c.sets = static_cast<uint8_t>(spec.sets_in_flight);
    c.cs1 = static_cast<uint16_t>(spec.cs1_base);
    c.cs2 = static_cast<uint16_t>(spec.cs2_base);
    for (size_t i = 0; i < c.opcodes.size(); ++i)
        if (const PacketInfo* info = ce_packet(packets, static_cast<CePacket>(i)))
            c.opcodes[i] = info->opcodes[0];
    return c;
}

CeCore::CeCore(const PacketTable& packets) : ram_(std::make_unique<CeRam>()) {
    for (size_t i = 0; i < instructions_.size(); ++i)
        instructions_[i] = ce_packet(packets, static_cast<CePacket>(i));
}

bool CeCore::idle() const {
    const auto quiet = [](const CeState::Ring& r) {
        return r.phase == CePhase::Header && r.closed == 0 && r.wait == 0;
    };
    return state_.loads == 0 && state_.writes == 0 &&
           std::all_of(state_.rings.begin(), state_.rings.end(), quiet);
}

// Why the ring cannot move in this cycle; None when it can.
CeReason CeCore::blocked(const In& in, unsigned ring) const {
    const CeState::Ring& r = state_.rings[ring];
    const CeReason dword = in.stream[ring].valid != 0 ? CeReason::None : CeReason::Stream;
    switch (r.phase) {
        case CePhase::Header:
        case CePhase::Collect:
        case CePhase::Drop:
            return dword;
        case CePhase::Microcode:
            return CeReason::None;
        case CePhase::Execute:
            break;
    }
    const CeInstruction* instruction = instructions_[static_cast<size_t>(r.packet)]->ce;
    return instruction->blocked == nullptr ? CeReason::None
                                           : instruction->blocked(in, state_, ring);
}

void CeCore::parse(const In& in, unsigned ring, CeState& next, Out& stop) const {
    const uint32_t header = in.stream[ring].dword;
    CeState::Ring& r = next.rings[ring];
    if (header_type(header) == 2) {
        next.in_packet = false;
        next.turn = static_cast<uint8_t>((ring + 1) % kCeRings);
        return;
    }
    if (header_type(header) != 3)
        return stop_with(stop, ring, CeStop::Header, header);
    const auto& opcodes = in.config.opcodes;
    const auto opcode = std::find(opcodes.begin(), opcodes.end(), header_opcode(header));
    if (opcode == opcodes.end() || *opcode == 0)
        return stop_with(stop, ring, CeStop::Packet, header);
    const PacketInfo* info = instructions_[static_cast<size_t>(opcode - opcodes.begin())];
    const uint32_t body = header_body_dwords(header);
    if (body < info->min_dwords || body > info->max_dwords)
        return stop_with(stop, ring, CeStop::Size, header);
    r.left = static_cast<uint16_t>(body);
    r.have = 0;
    r.packet = info->ce->number;
    r.phase = info->fixed != 0 ? CePhase::Collect : CePhase::Microcode;
}

// What `ring`, which can move, does in this cycle.
void CeCore::execute(const In& in, Out& out, unsigned ring, CeState& next) {
    const PacketInfo* info = instructions_[static_cast<size_t>(state_.rings[ring].packet)];
    CeStep s{in, out, state_, next, *ram_, ring, info};
    const CeState::Ring& was = s.was();
    CeState::Ring& r = s.to();
    next.in_packet = true;
    next.current = static_cast<uint8_t>(ring);
    bool finished = false;
    switch (was.phase) {
        case CePhase::Header:
            out.stream_ready[ring] = 1;
            r.vmid = in.stream[ring].vmid;
            r.timer = in.config.packet_cycles;
            parse(in, ring, next, out);
            break;
        case CePhase::Collect:
            s.take();
            r.body[was.have] = s.dword();
            r.have = static_cast<uint8_t>(was.have + 1);
            if (r.have == info->fixed)
                r.phase = CePhase::Microcode;
            break;
        case CePhase::Microcode:
            if (was.timer > 1) {
                r.timer = static_cast<uint8_t>(was.timer - 1);
                break;
            }
            r.phase = CePhase::Execute;
            if (info->ce->start != nullptr)
                info->ce->start(s);
            break;
        case CePhase::Drop:
            s.take();
            finished = r.left == 0;
            break;
        case CePhase::Execute:
            finished = info->ce->execute == nullptr || info->ce->execute(s);
            break;
    }
    if (!finished)
        return;
    r.phase = CePhase::Header;
    next.in_packet = false;
    next.turn = static_cast<uint8_t>((ring + 1) % kCeRings);
    out.done_valid = 1;
    out.done_ring = static_cast<uint8_t>(ring);
    out.done_packet = static_cast<uint8_t>(was.packet);
}

// The counters' part of a response; write_loaded() has that of the data.
void CeCore::take_response(const In& in, CeState& next, Out& out, Out& stop) {
    out.rsp_ready = 1;
    const unsigned ring = in.rsp.tag & 3;
    const bool write = (in.rsp.tag & 4) != 0;
    const unsigned set = in.rsp.tag >> 3 & 7;
    const bool bent = !write && (in.rsp.tag >> 14) == 3;
    if (ring == kNoRing || bent ||
        (write ? state_.rings[ring].writes[set] : state_.rings[ring].loads) == 0)
        return stop_with(stop, ring, CeStop::Response, in.rsp.tag);
    if (in.rsp.status != 0)
        return stop_with(stop, ring, CeStop::Fault, in.rsp.tag);
    CeState::Ring& r = next.rings[ring];
    if (write) {
        --r.writes[set];
        --next.writes;
    } else {
        --r.loads;
        --next.loads;
    }
}

void CeCore::take_message(const In& in, CeState& next, Out& stop) const {
    const rtl::CpCePins::Message& m = in.de;
    const auto kind = static_cast<DeKind>(m.kind);
    const bool wait = kind == DeKind::WaitCounter || kind == DeKind::WaitBuffer;
    if (m.ring == kNoRing || kind > DeKind::Release || (wait && state_.rings[m.ring].wait != 0))
        return stop_with(
            stop, m.ring, CeStop::Message,
            uint32_t{m.ring} << 24 | uint32_t{m.kind} << 16 | uint32_t{m.buffer} << 8 | m.flags);
    CeState::Ring& r = next.rings[m.ring];
    if (wait) {
        r.wait = static_cast<uint8_t>(m.kind + 1);
        r.de_flags = m.flags;
    }
    if (kind == DeKind::Increment && r.ce_counter != 0)
        --r.ce_counter;
    if (kind == DeKind::IncrementDone)
        ++r.de_count[m.buffer];
    if (kind == DeKind::Release || (kind == DeKind::IncrementDone && (m.flags & 1) != 0)) {
        r.ce_flags &= static_cast<uint8_t>(~(1u << m.buffer));
        r.de_flags &= static_cast<uint8_t>(~(1u << m.buffer));
    }
}

// Sets whose writes are all confirmed count, in order; false: there is none.
bool CeCore::count_sets(const In& in, CeState& next) const {
    bool counted = false;
    for (unsigned i = 0; i < kCeRings; ++i) {
        const CeState::Ring& was = state_.rings[i];
        CeState::Ring& r = next.rings[i];
        if (was.closed == 0 || was.writes[was.oldest] != 0)
            continue;
        --r.closed;
        r.oldest = static_cast<uint8_t>(was.oldest + 1 == in.config.sets ? 0 : was.oldest + 1);
        ++r.ce_counter;
        counted = true;
    }
    return counted;
}

// Rings of DE that need not wait any longer, the lowest first.
void CeCore::grant(const In& in, CeState& next, Out& out, Out& stop) const {
    for (unsigned i = 0; i < kCeRings; ++i) {
        const CeState::Ring& was = state_.rings[i];
        bool granted =
            was.wait == 1 + static_cast<unsigned>(DeKind::WaitCounter) && was.ce_counter != 0;
        BufferAction action = BufferAction::Wait;
        if (was.wait == 1 + static_cast<unsigned>(DeKind::WaitBuffer)) {
            action = buffer_action(was.ce_flags, was.de_flags, was.buffer ^ 1u);
            if (action == BufferAction::Invalid && stop.stop_valid == 0)
                stop_with(stop, i, CeStop::Flags, uint32_t{was.ce_flags} << 2 | was.de_flags);
            granted = action == BufferAction::Take0 || action == BufferAction::Take1;
        }
        if (!granted || out.grant_valid != 0 || in.grant_ready == 0)
            continue;
        out.grant_valid = 1;
        out.grant_ring = static_cast<uint8_t>(i);
        out.grant_kind = static_cast<uint8_t>(was.wait - 1);
        out.grant_buffer = action == BufferAction::Take1 ? 1 : 0;
        next.rings[i].wait = 0;
    }
}

// The engine: its ring goes on as long as it can, then the next one that can has its turn.
unsigned CeCore::pick(const In& in, Out& out) const {
    std::array<CeReason, kCeRings> why{};
    for (unsigned i = 0; i < kCeRings; ++i)
        why[i] = blocked(in, i);
    unsigned picked = kNoRing;
    if (state_.in_packet && why[state_.current] == CeReason::None)
        picked = state_.current;
    for (unsigned i = 0; i < kCeRings && picked == kNoRing; ++i) {
        const unsigned ring = (state_.turn + i) % kCeRings;
        if (why[ring] == CeReason::None)
            picked = ring;
    }
    for (unsigned i = 0; i < kCeRings; ++i) {
        const CePhase phase = state_.rings[i].phase;
        CeReason reason = why[i];
        if (phase == CePhase::Header)
            reason = CeReason::None;
        else if (i == picked)
            reason = phase == CePhase::Microcode ? CeReason::Microcode : CeReason::None;
        else if (reason == CeReason::None)
            reason = CeReason::Turn;
        out.reason[i] = static_cast<uint8_t>(reason);
    }
    return picked;
}

void CeCore::write_loaded(const rtl::CpCePins::Response& rsp) {
    const unsigned unit = rsp.tag >> 3 & 0x7FF;
    const unsigned half = rsp.tag >> 14 & 1;
    const bool two = (rsp.tag >> 15 & 1) != 0;
    for (unsigned i = 0; i < (two ? 16u : 8u); ++i)
        (*ram_)[(8 * unit + i) % ram_->size()] = rsp.data[8 * half + i];
}

void CeCore::step(const In& in, Out& out) {
    out = {};
    if (in.rst != 0) {
        state_ = {};
        state_.cs1 = in.config.cs1;
        state_.cs2 = in.config.cs2;
        ram_->fill(0);
        return;
    }
    if (state_.halted)
        return;
    CeState next = state_;
    Out refused{}, broken{}, flags{};
    if (in.rsp_valid != 0)
        take_response(in, next, out, refused);
    const bool counted = count_sets(in, next);
    if (in.de_valid != 0) {
        out.de_ready = 1;
        take_message(in, next, broken);
    }
    grant(in, next, out, flags);
    const unsigned picked = pick(in, out);
    if (picked != kNoRing)
        execute(in, out, picked, next);
    // A dump of this cycle has read what was there before.
    if (in.rsp_valid != 0 && (in.rsp.tag & 4) == 0 && refused.stop_valid == 0)
        write_loaded(in.rsp);

    for (const Out* stop : {&flags, &broken, &refused})
        if (stop->stop_valid != 0)
            stop_with(out, stop->stop_ring, static_cast<CeStop>(stop->stop_code), stop->stop_info);
    if (out.stop_valid != 0)
        next.halted = true;
    out.active = in.rsp_valid != 0 || in.de_valid != 0 || counted || out.grant_valid != 0 ||
                         picked != kNoRing || out.stop_valid != 0
                     ? 1
                     : 0;
    state_ = next;
}

}  // namespace archipelago::cp
