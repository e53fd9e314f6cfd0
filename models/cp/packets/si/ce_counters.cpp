// SPDX-License-Identifier: Apache-2.0
// Counters and buffers that the drawing engine and the constant engine share. "Radeon Southern
// Islands Acceleration" 2.5.8, 2.5.15, 2.5.16.
#include "models/cp/ce_instruction.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"
#include "models/gcn/vgt_event.h"

namespace archipelago::cp::si {

namespace {
constexpr PacketField kCounterFields[] = {
    {"COUNTER_LO", 1, 0, 31},
    {"COUNTER_HI", 2, 0, 31},
};

// A 64-bit number in the first two dwords of a packet.
uint64_t wide(const CeState::Ring& r) {
    return uint64_t{r.body[1]} << 32 | r.body[0];
}
}  // namespace

namespace increment_de_counter {
bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0)
        return false;
    DeState::Ring& ring = p.ring();
    op.kind = OpKind::DeIncrement;
    op.event_type = vgt_event::kEndOfPipeIncrDe;
    op.ce = {p.location.ring, DeKind::Increment, ring.ce_buffer, 0};
    ++ring.increments[ring.ce_buffer];
    return true;
}
}  // namespace increment_de_counter
constexpr PacketInfo kIncrementDeCounter = packet("INCREMENT_DE_COUNTER", 0x85, PacketClass::Sync)
                                               .body(1)
                                               .program(kDummy, increment_de_counter::run);

namespace wait_on_ce_counter {
bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0 && p.result.value != 0)
        return false;
    op.kind = OpKind::CeWait;
    op.ce = {p.location.ring, DeKind::WaitCounter, 0, 0};
    return true;
}
}  // namespace wait_on_ce_counter
constexpr PacketInfo kWaitOnCeCounter = packet("WAIT_ON_CE_COUNTER", 0x86, PacketClass::Sync)
                                            .body(1)
                                            .program(kDummy, wait_on_ce_counter::run);

namespace wait_on_avail_buffer {
bool run(ProgramState& p, MicroOp& op) {
    DeState::Ring& ring = p.ring();
    if (p.step == 2)
        return false;
    if (p.step == 0 || p.result.value == 0) {
        p.step = 1;
        op.kind = OpKind::CeWait;
        op.ce = {p.location.ring, DeKind::WaitBuffer, 0, ring.ce_buffers};
        return true;
    }
    p.step = 2;
    const uint8_t before = ring.ce_buffer;
    ring.ce_buffer = static_cast<uint8_t>(p.result.value - 1);
    ring.ce_buffers |= static_cast<uint8_t>(1u << ring.ce_buffer);
    if (!ring.leave(before))
        return false;
    op.kind = OpKind::CeTell;
    op.ce = {p.location.ring, DeKind::Release, before, 0};
    return true;
}
}  // namespace wait_on_avail_buffer
constexpr PacketInfo kWaitOnAvailBuffer = packet("WAIT_ON_AVAIL_BUFFER", 0x8A, PacketClass::Sync)
                                              .body(1)
                                              .program(kDummy, wait_on_avail_buffer::run);

// It says nothing that is modelled: both engines count buffers by themselves.
constexpr PacketInfo kSwitchBuffer = packet("SWITCH_BUFFER", 0x8B, PacketClass::Sync)
                                         .engine(PacketEngine::Both)
                                         .body(1)
                                         .flags(kCeFetch)
                                         .fields(kDummy);

namespace increment_ce_counter {
CeReason blocked(const rtl::CpCePins::In& in, const CeState& state, unsigned ring) {
    return state.rings[ring].closed + 1 < in.config.sets ? CeReason::None : CeReason::Sets;
}
bool execute(CeStep& s) {
    ++s.to().closed;
    s.to().set = static_cast<uint8_t>(s.was().set + 1 == s.in.config.sets ? 0 : s.was().set + 1);
    ++s.to().ce_compare[s.was().buffer];
    return true;
}
constexpr CeInstruction kInCe{CePacket::IncrementCeCounter, blocked, nullptr, execute};
}  // namespace increment_ce_counter
constexpr PacketInfo kIncrementCeCounter = packet("INCREMENT_CE_COUNTER", 0x84, PacketClass::Sync)
                                               .body(1)
                                               .ce_program(kDummy, increment_ce_counter::kInCe);

namespace set_ce_de_counters {
CeReason blocked(const rtl::CpCePins::In&, const CeState& state, unsigned ring) {
    const CeState::Ring& r = state.rings[ring];
    return (r.ce_flags >> r.next_buffer & 1) == 0 ? CeReason::None : CeReason::BufferFlag;
}
bool execute(CeStep& s) {
    CeState::Ring& r = s.to();
    const CeState::Ring& was = s.was();
    r.buffer = was.next_buffer;
    r.next_buffer = was.next_buffer ^ 1;
    r.ce_flags |= static_cast<uint8_t>(1u << was.next_buffer);
    r.de_count[was.next_buffer] = r.ce_compare[was.next_buffer] = wide(was);
    return true;
}
constexpr CeInstruction kInCe{CePacket::SetCeDeCounters, blocked, nullptr, execute};
}  // namespace set_ce_de_counters
constexpr PacketInfo kSetCeDeCounters = packet("SET_CE_DE_COUNTERS", 0x89, PacketClass::Sync)
                                            .body(2)
                                            .ce_program(kCounterFields, set_ce_de_counters::kInCe);

namespace wait_on_de_counter {
CeReason blocked(const rtl::CpCePins::In&, const CeState& state, unsigned ring) {
    const CeState::Ring& r = state.rings[ring];
    return r.de_count[r.buffer] >= wide(r) ? CeReason::None : CeReason::DeCounter;
}
constexpr CeInstruction kInCe{CePacket::WaitOnDeCounter, blocked, nullptr, nullptr};
}  // namespace wait_on_de_counter
constexpr PacketInfo kWaitOnDeCounter = packet("WAIT_ON_DE_COUNTER", 0x87, PacketClass::Sync)
                                            .body(2)
                                            .ce_program(kCounterFields, wait_on_de_counter::kInCe);

namespace wait_on_de_counter_diff {
constexpr PacketField kFields[] = {
    {"DIFF", 1, 0, 31},
};

// A DE that is ahead makes the difference wrap, so the CE waits.
CeReason blocked(const rtl::CpCePins::In&, const CeState& state, unsigned ring) {
    const CeState::Ring& r = state.rings[ring];
    return r.ce_compare[r.buffer] - r.de_count[r.buffer] < r.body[0] ? CeReason::None
                                                                     : CeReason::Difference;
}
constexpr CeInstruction kInCe{CePacket::WaitOnDeCounterDiff, blocked, nullptr, nullptr};
}  // namespace wait_on_de_counter_diff
constexpr PacketInfo kWaitOnDeCounterDiff =
    packet("WAIT_ON_DE_COUNTER_DIFF", 0x88, PacketClass::Sync)
        .body(1)
        .ce_program(wait_on_de_counter_diff::kFields, wait_on_de_counter_diff::kInCe);

}  // namespace archipelago::cp::si
