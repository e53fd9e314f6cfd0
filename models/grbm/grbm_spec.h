// SPDX-License-Identifier: Apache-2.0
// Parameters of the graphics register bus manager (GRBM).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/register_info.h"

namespace archipelago::grbm {

// Byte offsets `first`..`last` (inclusive) belong to the block on `port`.
struct PortRange {
    uint32_t first = 0;
    uint32_t last = 0;
    unsigned port = 0;
};

// A register whose write would start a block that is not built: the machine stops with its name.
struct UnbuiltRegister {
    uint32_t offset = 0;
    std::string block;
};

struct GrbmSpec {
    unsigned sources = 2;  // RegSource: host, CP
    unsigned ports = 2;
    std::vector<PortRange> ranges;  // disjoint; what none covers is state GRBM keeps itself
    std::vector<UnbuiltRegister> unbuilt;
    unsigned requests_per_cycle = 1;
    uint32_t aperture_bytes = 0x40000;  // offsets from here on are errors: 256 KiB, SI 2.1.1
    ChannelSpec from_source{8, 1};
    ChannelSpec from_port{8, 1};
    // Names registers in logs and errors; may be null.
    const regs::RegisterDatabase* registers = nullptr;
    // Registers with a value after reset that software reads (GB_ADDR_CONFIG, ...).
    std::vector<std::pair<uint32_t, uint32_t>> reset_values;
};

}  // namespace archipelago::grbm
