// SPDX-License-Identifier: Apache-2.0
// Constant buffers and tables of a kernel of Catalyst's compiler. Source: CLRX's doc/AmdAbi.
#pragma once

#include <vector>

#include "testbenches/host/code_object/dispatch.h"

namespace archipelago::host {

// Puts constant buffer 0 (the range) in front of the arguments, which are constant buffer 1, and
// the tables of constant buffers and UAVs after them; adds what the user SGPRs and the tables
// hold.
void place_catalyst_buffers(DispatchPlan& plan, const Kernel& kernel,
                            const std::vector<ArgValue>& args);

}  // namespace archipelago::host
