// SPDX-License-Identifier: Apache-2.0
// Parameters of the address calculation of tiled surfaces.
#pragma once

#include <stdexcept>
#include <string>

namespace archipelago::tile_address {

struct TileAddressSpec {
    // Cycles from the one that takes a request to the one its address leaves in; as many requests
    // are inside at most.
    unsigned latency = 5;

    static constexpr unsigned kMaxLatency = 64;

    // Throws std::invalid_argument.
    void validate() const {
        if (latency < 1 || latency > kMaxLatency)
            throw std::invalid_argument("tile_address.latency: " + std::to_string(latency) +
                                        " not in 1.." + std::to_string(kMaxLatency));
    }
};

}  // namespace archipelago::tile_address
