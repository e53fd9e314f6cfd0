// SPDX-License-Identifier: Apache-2.0
// Parameters of the constant engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"

namespace archipelago::cp {

constexpr uint32_t kCeRamBytes = 0x10000;  // 1.3.3 of "Radeon Southern Islands Acceleration"

struct CeSpec {
    unsigned packet_cycles = 1;     // microcode between the fixed dwords and the first operation
    unsigned loads_in_flight = 8;   // lines of LOAD_CONST_RAM, all rings
    unsigned dumps_in_flight = 32;  // lines of DUMP_CONST_RAM not yet confirmed, all rings
    // INCREMENT_CE_COUNTER waits for the writes before it. So many sets of writes are tracked
    // per ring, the one being written among them.
    unsigned sets_in_flight = 4;
    // Partitions until SET_BASE says otherwise; bytes. Ring 0 has 32 KiB (1.3.3).
    uint32_t cs1_base = 0x8000;
    uint32_t cs2_base = 0xC000;
    // ---- fetch of constant buffers
    unsigned fetch_lines = 8;   // per ring, requested and not yet parsed
    ChannelSpec command{2, 1};  // PFP -> fetch, per ring
    ChannelSpec stream{64, 1};  // fetch -> engine, dwords per ring
    // ---- synchronisation with ME
    ChannelSpec message{4, 1};  // ME -> engine
    ChannelSpec grant{4, 1};    // engine -> ME

    // What is wrong with the values, one sentence each; empty when they can be built.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::cp
