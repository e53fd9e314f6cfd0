// SPDX-License-Identifier: Apache-2.0
// All that changes in the CTM memory controller's address translation. Plain and serialisable.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/clocked.h"
#include "models/common/ring.h"
#include "models/ctm/mc/address.h"
#include "models/ctm/mc/address_message.h"

namespace archipelago::ctm {

struct AddressState {
    struct InFlight {
        Cycle ready = 0;  // first cycle it may leave in
        AddressResponse response;
    };
    struct Counters {
        uint64_t requests = 0;
        uint64_t addresses = 0;
        uint64_t superfine = 0;
        uint64_t undefined = 0;
        uint64_t refused = 0;
        uint64_t commands = 0;
        uint64_t refused_commands = 0;
        uint64_t stall_cycles = 0;
    };
    std::array<Surface, kClients> surfaces{};
    Ring<InFlight> pipeline{1};  // oldest first; as many as the latency has cycles
    Cycle free_from = 0;         // a response may leave from here on, one a cycle
    Counters counters;
};

}  // namespace archipelago::ctm
