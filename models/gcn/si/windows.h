// SPDX-License-Identifier: Apache-2.0
// Windows of the register aperture of Southern Islands that several blocks keep registers of.
#pragma once

#include "models/common/context_registers.h"

namespace archipelago::gcn::si {

ContextWindow context_window();

}  // namespace archipelago::gcn::si
