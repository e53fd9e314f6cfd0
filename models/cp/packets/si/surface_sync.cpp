// SPDX-License-Identifier: Apache-2.0
// SURFACE_SYNC and PFP_SYNC_ME: "Radeon Southern Islands Acceleration" 2.8.10, 2.8.8.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/cp/registers/si/coherency.h"

namespace archipelago::cp::si {

constexpr ValueName kPfpOrMeNames[] = {{0, "PFP"}, {1, "ME"}};
constexpr FieldMeaning kPfpOrMe = value_names(kPfpOrMeNames);
namespace surface_sync {
constexpr FieldMeaning kCoherControlValue = value_of_register("CP_COHER_CNTL");
enum f : uint8_t { kEngine, kControl, kSize, kBase, kInterval };
constexpr PacketField kFields[] = {
    {"ENGINE", 1, 31, 31, &kPfpOrMe}, {"COHER_CNTL", 1, 0, 30, &kCoherControlValue},
    {"COHER_SIZE", 2, 0, 31},         {"COHER_BASE", 3, 0, 31},
    {"POLL_INTERVAL", 4, 0, 15},
};

Route route(const PacketInfo& info, const uint32_t* body, const Location&) {
    if (info.fields[f::kEngine].in(body) != 0)
        return Route::Me;
    return (info.fields[f::kControl].in(body)&kDestinationEnables) != 0 ? Route::MeAndSync
                                                                        : Route::Pfp;
}
constexpr Routing kRouting{kRuleSurfaceSync, Route::Me, route, 1};

// A surface that a context in the pipe draws to is waited for first; a match of the current context
// ends it. With destination bases PFP leaves the packet to ME and waits for it, because the
// contexts are ME's.
bool run(ProgramState& p, MicroOp& op) {
    const uint32_t control = p[f::kControl];
    const uint32_t size = p[f::kSize];
    const uint32_t base = p[f::kBase];
    enum : uint32_t { kWrites, kMatch, kStart, kPoll, kLook, kTellPfp, kEnd };
    const auto wait = [&](uint32_t next) {
        p.step = next;
        return delay(op, p.poll_cycles(p[f::kInterval]));
    };
    switch (p.step) {
        case kWrites:
            p.step = p.engine == ProgramEngine::Me && (control & kDestinationEnables) != 0 ? kMatch
                                                                                           : kStart;
            return issue(op, OpKind::WaitWrites);
        case kMatch:
            if (p.de->contexts.drew_to(control, size, base))
                return issue(op, OpKind::ContextsIdle);
            if (p.de->contexts.draws_to(control, size, base))
                return wait(kMatch);
            [[fallthrough]];
        case kStart:
            p.step = kTellPfp;
            if (!coherency_action(control, size, base, op.action))
                return run(p, op);
            p.step = kPoll;
            return issue(op, OpKind::CacheStart);
        case kPoll:
            p.step = kLook;
            return issue(op, OpKind::CachePoll);
        case kLook:
            if (p.result.value == 0)
                return wait(kPoll);
            [[fallthrough]];
        case kTellPfp:
            if (p.engine == ProgramEngine::Pfp || p[f::kEngine] != 0)
                return false;
            p.step = kEnd;
            return issue(op, OpKind::SyncPfp);
        default:
            return false;
    }
}
}  // namespace surface_sync
constexpr PacketInfo kSurfaceSync = packet("SURFACE_SYNC", 0x43, PacketClass::Sync)
                                        .body(4)
                                        .routed(surface_sync::kRouting)
                                        .program(surface_sync::kFields, surface_sync::run);

namespace pfp_sync_me {
bool run(ProgramState& p, MicroOp& op) {
    op.kind = OpKind::SyncPfp;
    return p.step++ == 0;
}
}  // namespace pfp_sync_me
constexpr PacketInfo kPfpSyncMe = packet("PFP_SYNC_ME", 0x42, PacketClass::Sync)
                                      .body(1)
                                      .fields(kDummy)
                                      .routed(kToMeAndSync)
                                      .runs(pfp_sync_me::run);

}  // namespace archipelago::cp::si
