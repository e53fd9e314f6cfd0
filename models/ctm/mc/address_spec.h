// SPDX-License-Identifier: Apache-2.0
// Parameters of the CTM memory controller's address translation.
#pragma once

#include <stdexcept>
#include <string>

#include "models/common/channel.h"

namespace archipelago::ctm {

struct AddressSpec {
    // Cycles from the one that takes a request to the one its addresses leave in; as many requests
    // are inside at most.
    unsigned latency = 4;
    ChannelSpec requests{4, 1};
    ChannelSpec commands{2, 1};

    static constexpr unsigned kMaxLatency = 64;

    // Throws std::invalid_argument.
    void validate() const {
        if (latency < 1 || latency > kMaxLatency)
            throw std::invalid_argument("ctm.mc.address.latency: " + std::to_string(latency) +
                                        " not in 1.." + std::to_string(kMaxLatency));
    }
};

}  // namespace archipelago::ctm
