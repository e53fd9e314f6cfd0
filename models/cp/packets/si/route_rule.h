// SPDX-License-Identifier: Apache-2.0
// How a prefetch parser finds the route of a packet: the numbers in the table entries on the pins
// of rtl-bridge/rtl/cp_pfp_parser, whose Verilog decodes the engine field of each.
#pragma once

#include "models/cp/pm4/packet.h"

namespace archipelago::cp::si {

enum RouteRule : uint8_t {
    kRuleMe = cp::kRuleMe,
    kRuleSkip,
    kRuleFetch,
    kRuleMeAndSync,
    kRuleWaitRegMem,
    kRuleSurfaceSync,
    kRuleWriteData,
    kRuleCopyData,
    kRuleCpDma,
    kRuleFetchConst,
    kRuleSetBase,
    kRulePfp,
};

constexpr Routing kSkipped{kRuleSkip, Route::Skip};
constexpr Routing kToPfp{kRulePfp, Route::Pfp};
constexpr Routing kToMeAndSync{kRuleMeAndSync, Route::MeAndSync};

}  // namespace archipelago::cp::si
