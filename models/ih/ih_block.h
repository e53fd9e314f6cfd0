// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have an interrupt handler.
#pragma once

#include "models/ih/ih_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::ih {

struct IhBlock {
    static constexpr const char* kKey = "interrupts";  // of a chip description

    static void read(config::Reader& root, IhSpec& spec);
};

}  // namespace archipelago::ih
