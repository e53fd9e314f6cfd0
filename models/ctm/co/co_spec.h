// SPDX-License-Identifier: Apache-2.0
// Parameters of CTM's conditional operation unit.
#pragma once

#include <stdexcept>
#include <string>

#include "models/common/channel.h"

namespace archipelago::ctm {

struct CoSpec {
    unsigned arrays = 4;
    unsigned in_flight = 16;  // tests at once, at most
    unsigned latency = 2;     // cycles, from a test's last value to its result
    ChannelSpec commands{2, 1};
    ChannelSpec requests{4, 1};  // from the PE, and from each array of the DPP
    ChannelSpec values{4, 1};    // from the memory controller (MC)

    static constexpr unsigned kMaxArrays = 16;
    // Throws std::invalid_argument.
    void validate() const {
        const auto in_range = [](const char* key, unsigned value, unsigned most) {
            if (value < 1 || value > most)
                throw std::invalid_argument("ctm.co." + std::string(key) + ": " +
                                            std::to_string(value) + " not in 1.." +
                                            std::to_string(most));
        };
        in_range("arrays", arrays, kMaxArrays);
        in_range("in_flight", in_flight, 256);
        in_range("latency", latency, 64);
    }
};

}  // namespace archipelago::ctm
