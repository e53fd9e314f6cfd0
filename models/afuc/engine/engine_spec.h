// SPDX-License-Identifier: Apache-2.0
// What sets one micro engine apart from another.
#pragma once

#include <string>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

struct EngineSpec {
    const Generation* generation = &kGenerations[1];
    std::string path = "cp.sqe";  // in errors, logs and statistics
};

}  // namespace archipelago::afuc
