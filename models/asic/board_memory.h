// SPDX-License-Identifier: Apache-2.0
// Memory of a chip and its board, regardless of the family: `memory` of a description, and the
// links of the hub.
#pragma once

#include <cstdint>
#include <string>

#include "models/asic/identity.h"
#include "models/asic/spec_readers.h"
#include "models/config/reader.h"
#include "models/mc/mc_spec.h"
#include "tlm/crossbar_spec.h"

namespace archipelago::asic {

struct BoardMemory {
    uint64_t memory_hz = 0;  // DRAM command clock
    uint64_t memory_period_fs = 0;
    unsigned bus_bits = 0;  // as registers tell drivers
    uint64_t vram_bytes = 0;
    mc::ChannelMapSpec channel_map;
    mc::McSpec mc;
    crossbar::CrossbarSpec hub;  // its clients, a source each -> memory controllers
    LinkSpec link_hub;           // clients <-> hub, hub <-> memory controller
    LinkSpec link_store;         // memory controller <-> memory contents
    unsigned synchroniser = 2;   // depth between engine and memory clock, cycles of the receiver

    // Peak of all channels together, bytes/s: each moves a line in the command clocks of a burst.
    double dram_bytes_per_second() const;
};

// Rates a clock may have, Hz.
constexpr auto kClockRates = config::range(1'000'000u, 10'000'000'000u);
// Reads `clocks` of the root: the engine clock, of which `engine` is the text for `describe
// --fields`, and the memory clock.
void read_clocks(config::Reader& clocks, const char* engine, Identity& identity,
                 BoardMemory& board);
void read_board_memory(config::Reader& root, BoardMemory& board);
// "12 channels, 16 banks each, 264 GB/s", as diagrams have it.
std::string channels_text(const BoardMemory& board);
// Reads `links` of the root.
void read_hub_links(config::Reader& links, BoardMemory& board);
void read_crossbar(config::Reader& links, const char* key, crossbar::CrossbarSpec& spec);

}  // namespace archipelago::asic
