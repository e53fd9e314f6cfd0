// SPDX-License-Identifier: Apache-2.0
// OCCLUSION_QUERY: "Radeon Southern Islands Acceleration" 2.8.7.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/query.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"

namespace archipelago::cp::si {

namespace occlusion_query {
enum f : uint8_t { kStartLo, kStartHi, kQueryLo, kQueryHi };
constexpr PacketField kFields[] = {
    {"START_ADDR_LO", 1, 4, 31, &kAddress},
    {"START_ADDR_HI", 2, 0, 15},
    {"QUERY_ADDR_LO", 3, 2, 31, &kAddress},
    {"QUERY_ADDR_HI", 4, 0, 15},
};

bool run(ProgramState& p, MicroOp& op) {
    const uint64_t query = uint64_t{p[f::kQueryHi]} << 32 | (p.dword(f::kQueryLo) & ~3u);
    enum : uint32_t { kStart, kRead, kLook, kOld, kWriteLow, kWriteHigh, kConfirm, kEnd };
    p.address_in(p.step < kOld ? f::kStartLo : f::kQueryLo, op);
    switch (p.step) {
        case kStart:
            p.address = uint64_t{p[f::kStartHi]} << 32 | p.dword(f::kStartLo);
            if (p.address % kPairBytes != 0)
                p.bad("START_ADDR " + hex(p.address) + " is not a multiple of 16");
            p.dword_address(p.dword(f::kQueryLo), p[f::kQueryHi]);
            if (p.dword(f::kQueryHi) >> 16 != 0)
                p.bad("reserved bits of QUERY_ADDR_HI " + hex(p.dword(f::kQueryHi)));
            p.step = kRead;
            [[fallthrough]];
        case kRead:
            p.step = kLook;
            return read_pair(p, op, p.address);
        case kLook:
            if (!pair_is_there(p)) {
                p.step = kRead;
                return delay(op, p.poll_cycles(0));
            }
            p.sum += pair_difference(p);
            if (++p.index != kDepthPairs) {
                p.step = kLook;
                return read_pair(p, op, p.address);
            }
            p.step = kOld;
            p.address_in(f::kQueryLo, op);
            return read_memory(op, query, 2);
        case kOld:
            p.sum += p.result.value;
            p.step = kWriteLow;
            [[fallthrough]];
        case kWriteLow:
        case kWriteHigh:
            // Dword by dword: the sum is dword aligned and may lie in two lines.
            write_dword(op, query + (p.step == kWriteLow ? 0 : 4),
                        static_cast<uint32_t>(p.step == kWriteLow ? p.sum : p.sum >> 32));

            ++p.step;
            return true;
        case kConfirm:
            p.step = kEnd;
            return issue(op, OpKind::WaitWrites);
        default:
            return false;
    }
}
}  // namespace occlusion_query
constexpr PacketInfo kOcclusionQuery = packet("OCCLUSION_QUERY", 0x1F, PacketClass::Sync)
                                           .body(4)
                                           .flags(kPolls)
                                           .waits(describe_pairs)
                                           .program(occlusion_query::kFields, occlusion_query::run);

}  // namespace archipelago::cp::si
