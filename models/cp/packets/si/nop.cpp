// SPDX-License-Identifier: Apache-2.0
// NOP: skipped by the prefetch parser, and by the constant engine in its buffers. "Radeon Southern
// Islands Acceleration" 2.2.4.
#include "models/cp/ce_instruction.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

namespace nop {
void start(CeStep& s) {
    s.to().phase = CePhase::Drop;
}
constexpr CeInstruction kInCe{CePacket::Nop, nullptr, start, nullptr};
}  // namespace nop
constexpr PacketInfo kNop = packet("NOP", 0x10, PacketClass::Filler)
                                .engine(PacketEngine::Both)
                                .body(1, kMaxBodyDwords, 0)
                                .routed(kSkipped)
                                .fields(kPayload)
                                .in_ce(nop::kInCe);

}  // namespace archipelago::cp::si
