// SPDX-License-Identifier: Apache-2.0
#include "models/cp/ce_core.h"

#include <algorithm>

#include "models/cp/si_packet_fields.h"

namespace archipelago::cp {

namespace {

constexpr uint32_t kNoRing = kRings;

bool kind_of(PacketId id, CePacket& kind) {
    switch (id) {
        case PacketId::Nop:
            kind = CePacket::Nop;
            return true;
        case PacketId::SetBase:
            kind = CePacket::SetBase;
            return true;
        case PacketId::WriteConstRam:
            kind = CePacket::WriteConstRam;
            return true;
        case PacketId::WriteConstRamOffset:
            kind = CePacket::WriteConstRamOffset;
            return true;
        case PacketId::DumpConstRam:
            kind = CePacket::DumpConstRam;
            return true;
        case PacketId::LoadConstRam:
            kind = CePacket::LoadConstRam;
            return true;
        case PacketId::IncrementCeCounter:
            kind = CePacket::IncrementCeCounter;
            return true;
        case PacketId::SetCeDeCounters:
            kind = CePacket::SetCeDeCounters;
            return true;
        case PacketId::WaitOnDeCounter:
            kind = CePacket::WaitOnDeCounter;
            return true;
        case PacketId::WaitOnDeCounterDiff:
            kind = CePacket::WaitOnDeCounterDiff;
            return true;
        default:
            return false;
    }
}

unsigned fixed_dwords(CePacket kind) {
    static constexpr uint8_t kFixed[] = {0, 3, 1, 1, 4, 4, 1, 2, 2, 1};
    return kFixed[static_cast<size_t>(kind)];
}

uint32_t partition_base(const CeState& s, unsigned ring) {
    return ring == 0 ? 0 : ring == 1 ? s.cs1 : s.cs2;
}
uint32_t partition_size(const CeState& s, unsigned ring) {
    return ring == 0 ? s.cs1 : ring == 1 ? s.cs2 - s.cs1 : kCeRamBytes - s.cs2;
}

uint64_t wide(uint32_t lo, uint32_t hi) {
    return uint64_t{hi} << 32 | lo;
}

using Out = rtl::CpCePins::Out;
void stop_with(Out& out, unsigned ring, CeStop code, uint32_t info) {
    out.stop_valid = 1;
    out.stop_ring = static_cast<uint8_t>(ring);
    out.stop_code = static_cast<uint8_t>(code);
    out.stop_info = info;
}

}  // namespace

BufferAction buffer_action(unsigned ce, unsigned de, unsigned older) {
    if ((de & ~ce) != 0)
        return BufferAction::Invalid;
    const unsigned fresh = ce & ~de;  // set by the CE, not yet taken
    if (fresh == 0)
        return BufferAction::Wait;
    const unsigned buffer = fresh == 3 ? older : fresh >> 1;
    return buffer == 0 ? BufferAction::Take0 : BufferAction::Take1;
}

rtl::CpCePins::Config ce_config_pins(const CeSpec& spec) {
    rtl::CpCePins::Config c;
    c.packet_cycles = static_cast<uint8_t>(spec.packet_cycles);
    c.reads = static_cast<uint8_t>(spec.loads_in_flight);
    c.writes = static_cast<uint8_t>(spec.dumps_in_flight);
    c.sets = static_cast<uint8_t>(spec.sets_in_flight);
    c.cs1 = static_cast<uint16_t>(spec.cs1_base);
    c.cs2 = static_cast<uint16_t>(spec.cs2_base);
    return c;
}

CeCore::CeCore(const PacketTable& packets) : packets_(&packets), ram_(std::make_unique<CeRam>()) {}

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
    switch (r.packet) {
        case CePacket::WriteConstRam:
        case CePacket::WriteConstRamOffset:
            if (in.rsp_valid != 0 && (in.rsp.tag & 4) == 0)
                return CeReason::RamPort;
            return dword;
        case CePacket::DumpConstRam:
            if (r.remaining == 0)
                return CeReason::None;
            if (state_.writes >= in.config.writes)
                return CeReason::Dumps;
            return in.req_ready != 0 ? CeReason::None : CeReason::MemPort;
        case CePacket::LoadConstRam:
            // What the ring dumped before is in memory when it is loaded.
            for (const uint16_t writes : r.writes)
                if (writes != 0)
                    return CeReason::Dumps;
            if (r.remaining == 0)
                return r.loads == 0 ? CeReason::None : CeReason::Loads;
            if (state_.loads >= in.config.reads)
                return CeReason::Loads;
            return in.req_ready != 0 ? CeReason::None : CeReason::MemPort;
        case CePacket::IncrementCeCounter:
            return r.closed + 1 < in.config.sets ? CeReason::None : CeReason::Sets;
        case CePacket::SetCeDeCounters:
            return (r.ce_flags >> r.next_buffer & 1) == 0 ? CeReason::None : CeReason::BufferFlag;
        case CePacket::WaitOnDeCounter:
            return r.de_count[r.buffer] >= wide(r.body[0], r.body[1]) ? CeReason::None
                                                                      : CeReason::DeCounter;
        case CePacket::WaitOnDeCounterDiff:
            // A DE that is ahead makes the difference wrap, so the CE waits.
            return r.ce_compare[r.buffer] - r.de_count[r.buffer] < r.body[0] ? CeReason::None
                                                                             : CeReason::Difference;
        case CePacket::Nop:
        case CePacket::SetBase:
        case CePacket::kCount:
            break;
    }
    return CeReason::None;
}

void CeCore::parse(uint32_t header, unsigned ring, CeState& next, Out& stop) const {
    CeState::Ring& r = next.rings[ring];
    if (header_type(header) == 2) {
        next.in_packet = false;
        next.turn = static_cast<uint8_t>((ring + 1) % kRings);
        return;
    }
    if (header_type(header) != 3)
        return stop_with(stop, ring, CeStop::Header, header);
    const PacketInfo* info = packets_->find(header_opcode(header));
    if (info == nullptr || !kind_of(info->id, r.packet))
        return stop_with(stop, ring, CeStop::Packet, header);
    const uint32_t body = header_body_dwords(header);
    if (body < info->min_body || body > info->max_body)
        return stop_with(stop, ring, CeStop::Size, header);
    r.left = static_cast<uint16_t>(body);
    r.have = 0;
    r.phase = fixed_dwords(r.packet) != 0 ? CePhase::Collect : CePhase::Microcode;
}

// The fixed dwords are here: checks them and sets out.
void CeCore::start(unsigned ring, CeState& next, Out& stop) const {
    CeState::Ring& r = next.rings[ring];
    const uint32_t* body = r.body.data();
    const uint32_t base = partition_base(state_, ring);
    const uint32_t size = partition_size(state_, ring);
    const auto bounds = [&](uint32_t offset, uint32_t dwords) {
        r.ram = base + offset;
        if (offset + 4 * dwords > size)
            stop_with(stop, ring, CeStop::Bounds, offset + 4 * dwords);
    };
    r.phase = CePhase::Execute;
    switch (r.packet) {
        case CePacket::Nop:
            r.phase = CePhase::Drop;
            break;
        case CePacket::SetBase: {
            namespace f = fields::set_base;
            const uint32_t cs1 = f::kAddress0.in(body)&0xFFFF;
            const uint32_t cs2 = f::kAddress1.in(body);
            if (f::kBaseIndex.in(body) != 3)
                stop_with(stop, ring, CeStop::BaseIndex, f::kBaseIndex.in(body));
            else if (cs1 % 64 != 0 || cs2 % 64 != 0 || cs1 > cs2)
                stop_with(stop, ring, CeStop::Partition, cs2 << 16 | cs1);
            break;
        }
        case CePacket::WriteConstRam:
        case CePacket::WriteConstRamOffset: {
            const uint32_t offset = fields::write_const_ram::kOffset.in(body);
            if (offset % 4 != 0)
                stop_with(stop, ring, CeStop::Alignment, body[0]);
            else
                bounds(offset, r.left);
            break;
        }
        case CePacket::DumpConstRam: {
            namespace f = fields::dump_const_ram;
            const uint32_t offset = f::kOffset.in(body);
            r.remaining = static_cast<uint16_t>(f::kCount.in(body));
            r.address = wide(f::kAddressLo.in(body), f::kAddressHi.in(body));
            if (offset % 4 != 0)
                stop_with(stop, ring, CeStop::Alignment, body[0]);
            else if (r.address % 4 != 0)
                stop_with(stop, ring, CeStop::Alignment, body[2]);
            else
                bounds(offset, r.remaining);
            break;
        }
        case CePacket::LoadConstRam: {
            namespace f = fields::load_const_ram;
            const uint32_t offset = f::kOffset.in(body);
            r.remaining = static_cast<uint16_t>(f::kCount.in(body));
            r.address = wide(f::kAddressLo.in(body), f::kAddressHi.in(body));
            if (r.address % 32 != 0)
                stop_with(stop, ring, CeStop::Alignment, body[0]);
            else if (r.remaining % 8 != 0)
                stop_with(stop, ring, CeStop::Alignment, body[2]);
            else if (offset % 32 != 0)
                stop_with(stop, ring, CeStop::Alignment, body[3]);
            else
                bounds(offset, r.remaining);
            break;
        }
        default:
            break;
    }
}

// What `ring`, which can move, does in this cycle.
void CeCore::execute(const In& in, Out& out, unsigned ring, CeState& next) {
    const CeState::Ring& was = state_.rings[ring];
    CeState::Ring& r = next.rings[ring];
    const uint32_t dword = in.stream[ring].dword;
    next.in_packet = true;
    next.current = static_cast<uint8_t>(ring);
    Out stop{};
    bool finished = false;
    const auto take = [&] {
        out.stream_ready[ring] = 1;
        r.left = static_cast<uint16_t>(was.left - 1);
    };
    switch (was.phase) {
        case CePhase::Header:
            out.stream_ready[ring] = 1;
            r.vmid = in.stream[ring].vmid;
            r.timer = in.config.packet_cycles;
            parse(dword, ring, next, stop);
            break;
        case CePhase::Collect:
            take();
            r.body[was.have] = dword;
            r.have = static_cast<uint8_t>(was.have + 1);
            if (r.have == fixed_dwords(was.packet))
                r.phase = CePhase::Microcode;
            break;
        case CePhase::Microcode:
            if (was.timer > 1)
                r.timer = static_cast<uint8_t>(was.timer - 1);
            else
                start(ring, next, stop);
            break;
        case CePhase::Drop:
            take();
            finished = r.left == 0;
            break;
        case CePhase::Execute:
            finished = true;
            switch (was.packet) {
                case CePacket::SetBase:
                    next.cs1 = was.body[1] & 0xFFFF;
                    next.cs2 = was.body[2] & 0xFFFF;
                    break;
                case CePacket::WriteConstRam:
                case CePacket::WriteConstRamOffset:
                    take();
                    (*ram_)[was.ram / 4] = dword + (was.packet == CePacket::WriteConstRamOffset
                                                        ? partition_base(state_, ring)
                                                        : 0);
                    r.ram = was.ram + 4;
                    finished = r.left == 0;
                    break;
                case CePacket::DumpConstRam: {
                    if (was.remaining == 0)
                        break;
                    const auto first = static_cast<unsigned>(was.address % 64 / 4);
                    const unsigned count = std::min<unsigned>(16 - first, was.remaining);
                    out.req_valid = out.req.write = 1;
                    out.req.line = was.address / 64;
                    out.req.mask = static_cast<uint16_t>(((1u << count) - 1) << first);
                    out.req.vmid = was.vmid;
                    out.req.tag = ce_write_tag(ring, was.set);
                    for (unsigned i = 0; i < count; ++i)
                        out.req.data[first + i] = (*ram_)[was.ram / 4 + i];
                    ++next.writes;
                    ++r.writes[was.set];
                    r.ram = was.ram + 4 * count;
                    r.address = was.address + 4 * count;
                    r.remaining = static_cast<uint16_t>(was.remaining - count);
                    finished = r.remaining == 0;
                    break;
                }
                case CePacket::LoadConstRam: {
                    if (was.remaining == 0)
                        break;
                    const auto half = static_cast<unsigned>(was.address % 64 / 32);
                    const bool two = half == 0 && was.remaining > 8;
                    out.req_valid = 1;
                    out.req.line = was.address / 64;
                    out.req.mask = two ? 0xFFFF : half != 0 ? 0xFF00 : 0x00FF;
                    out.req.vmid = was.vmid;
                    out.req.tag = ce_read_tag(ring, was.ram / 32, half, two);
                    ++next.loads;
                    ++r.loads;
                    const unsigned count = two ? 16 : 8;
                    r.ram = was.ram + 4 * count;
                    r.address = was.address + 4 * count;
                    r.remaining = static_cast<uint16_t>(was.remaining - count);
                    finished = false;
                    break;
                }
                case CePacket::IncrementCeCounter:
                    ++r.closed;
                    r.set = static_cast<uint8_t>(was.set + 1 == in.config.sets ? 0 : was.set + 1);
                    ++r.ce_compare[was.buffer];
                    break;
                case CePacket::SetCeDeCounters:
                    r.buffer = was.next_buffer;
                    r.next_buffer = was.next_buffer ^ 1;
                    r.ce_flags |= static_cast<uint8_t>(1u << was.next_buffer);
                    r.de_count[was.next_buffer] = r.ce_compare[was.next_buffer] =
                        wide(was.body[0], was.body[1]);
                    break;
                default:
                    break;
            }
            break;
    }
    if (finished) {
        r.phase = CePhase::Header;
        next.in_packet = false;
        next.turn = static_cast<uint8_t>((ring + 1) % kRings);
        out.done_valid = 1;
        out.done_ring = static_cast<uint8_t>(ring);
        out.done_packet = static_cast<uint8_t>(was.packet);
    }
    if (stop.stop_valid != 0)
        stop_with(out, ring, static_cast<CeStop>(stop.stop_code), stop.stop_info);
}

// The counters' part; loaded data are written by step().
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

    // Sets whose writes are all confirmed count, in order.
    bool counted = false;
    for (unsigned i = 0; i < kRings; ++i) {
        const CeState::Ring& was = state_.rings[i];
        CeState::Ring& r = next.rings[i];
        if (was.closed == 0 || was.writes[was.oldest] != 0)
            continue;
        --r.closed;
        r.oldest = static_cast<uint8_t>(was.oldest + 1 == in.config.sets ? 0 : was.oldest + 1);
        ++r.ce_counter;
        counted = true;
    }

    if (in.de_valid != 0) {
        out.de_ready = 1;
        take_message(in, next, broken);
    }

    // Rings of DE that need not wait any longer, the lowest first.
    for (unsigned i = 0; i < kRings; ++i) {
        const CeState::Ring& was = state_.rings[i];
        bool grant =
            was.wait == 1 + static_cast<unsigned>(DeKind::WaitCounter) && was.ce_counter != 0;
        BufferAction action = BufferAction::Wait;
        if (was.wait == 1 + static_cast<unsigned>(DeKind::WaitBuffer)) {
            action = buffer_action(was.ce_flags, was.de_flags, was.buffer ^ 1u);
            if (action == BufferAction::Invalid && flags.stop_valid == 0)
                stop_with(flags, i, CeStop::Flags, uint32_t{was.ce_flags} << 2 | was.de_flags);
            grant = action == BufferAction::Take0 || action == BufferAction::Take1;
        }
        if (!grant || out.grant_valid != 0 || in.grant_ready == 0)
            continue;
        out.grant_valid = 1;
        out.grant_ring = static_cast<uint8_t>(i);
        out.grant_kind = static_cast<uint8_t>(was.wait - 1);
        out.grant_buffer = action == BufferAction::Take1 ? 1 : 0;
        next.rings[i].wait = 0;
    }

    // The engine: its ring goes on as long as it can, then the next one that can has its turn.
    std::array<CeReason, kRings> why{};
    for (unsigned i = 0; i < kRings; ++i)
        why[i] = blocked(in, i);
    unsigned picked = kNoRing;
    if (state_.in_packet && why[state_.current] == CeReason::None)
        picked = state_.current;
    for (unsigned i = 0; i < kRings && picked == kNoRing; ++i) {
        const unsigned ring = (state_.turn + i) % kRings;
        if (why[ring] == CeReason::None)
            picked = ring;
    }
    for (unsigned i = 0; i < kRings; ++i) {
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
    if (picked != kNoRing)
        execute(in, out, picked, next);

    // Loaded data; a dump of this cycle has read what was there before.
    if (in.rsp_valid != 0 && (in.rsp.tag & 4) == 0 && refused.stop_valid == 0) {
        const unsigned unit = in.rsp.tag >> 3 & 0x7FF;
        const unsigned half = in.rsp.tag >> 14 & 1;
        const bool two = (in.rsp.tag >> 15 & 1) != 0;
        for (unsigned i = 0; i < (two ? 16u : 8u); ++i)
            (*ram_)[(8 * unit + i) % ram_->size()] = in.rsp.data[8 * half + i];
    }

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
