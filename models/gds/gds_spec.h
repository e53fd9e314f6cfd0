// SPDX-License-Identifier: Apache-2.0
// Parameters of the global data share.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "models/common/channel.h"
#include "models/gds/register_map.h"

namespace archipelago::gds {

struct GdsSpec {
    RegisterMap map;  // of the chip's family

    unsigned units = 1;            // compute units, each with a channel of its own; CP has one more
    unsigned bytes = 65536;        // Linux radeon si.c, Mesa ac_gpu_info.c: 64 KiB
    unsigned lanes_per_cycle = 4;  // elements read, written or modified per cycle
    unsigned banks = 32;           // a dword wide each; as many as the LDS of SI has
    unsigned request_cycles = 4;   // at least, per request or register access to the memory
    unsigned latency = 32;         // end of the work to the answer's departure
    ChannelSpec request_in{2, 16};  // from each unit
    ChannelSpec registers{4, 1};    // from the register bus

    // Throws std::invalid_argument naming the field that is out of range.
    void validate() const {
        const auto check = [](const char* name, uint64_t value, uint64_t low, uint64_t high) {
            if (value < low || value > high)
                throw std::invalid_argument("gds." + std::string(name) + ": " +
                                            std::to_string(value) + " not in " +
                                            std::to_string(low) + ".." + std::to_string(high));
        };
        if (!map.GDS_CNTL_STATUS.exists())
            throw std::invalid_argument("gds.map: expected the registers of a family");
        check("units", units, 1, 63);
        check("bytes", bytes, 8, 1u << 20);
        check("lanes_per_cycle", lanes_per_cycle, 1, 64);
        check("banks", banks, 1, 64);
        check("request_cycles", request_cycles, 1, 1u << 20);
        check("latency", latency, 1, 1u << 20);
    }
};

}  // namespace archipelago::gds
