// SPDX-License-Identifier: Apache-2.0
// What the command processor and SPI were at while no wave ran: before each dispatch, from the end
// of the last wave of those before it to its own first wave. And, where dispatches overlap, from
// the first wave of one to that of the next.
#pragma once

#include "models/asic/attribution.h"
#include "models/cp/work_log.h"
#include "models/gcn/launch_log.h"

namespace archipelago::gcn {

// Fills in the gaps between the dispatches that `to` has, up to cycle `now`, and the intervals.
// Each cycle has one reason: the unit at work that is nearest to the launch, from SPI over the
// register bus, ME and PFP back to the host. An interval in which SPI held up CP has CP's own work
// for the dispatch, which would limit their rate without SPI, and SPI has the rest.
void attribute_gaps(const cp::WorkLog& log, const LaunchLog& launches, Cycle now,
                    asic::Attribution& to);

}  // namespace archipelago::gcn
