// SPDX-License-Identifier: Apache-2.0
// Parameters of the vertex grouper (VGT) and its input assembler (IA).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/vgt/index_dma_spec.h"
#include "models/vgt/register_map.h"

namespace archipelago::vgt {

struct VgtSpec {
    RegisterMap map;  // of the chip's family

    unsigned shader_engines = 2;
    unsigned draw_queue = 8;            // draws and events waiting, the one at work included
    unsigned immediate_queue = 64;      // dwords of VGT_IMMED_DATA not yet used
    unsigned reuse_most = 16;           // vertices the reuse buffer holds at most
    unsigned wave_primitives = 256;     // of a wave at most; they wait for it to end
    unsigned draw_cycles = 4;           // a draw at the head of the queue to its first index
    unsigned event_cycles = 1;          // an event at the head of the queue to its departure
    unsigned indices_per_cycle = 2;     // given to the primitive decoder
    unsigned primitives_per_cycle = 1;  // leaving it
    unsigned wave_cycles = 16;          // sending a wave occupies the link to SPI
    unsigned ring_waves = 256;          // waves in the ESGS ring and in the GSVS ring at most
    unsigned gs_waves = 16;             // GS waves, and ES waves, made and not yet through
    uint32_t gs_threads_per_es = 256;   // GS threads on the vertices of one ES wave at most
    unsigned patch_groups = 4;          // groups of patches made and not yet through
    ChannelSpec registers{4, 1};        // from GRBM
    unsigned stage_done_latency = 1;    // from SPI
    ChannelSpec gs_messages{8, 1};      // from the compute units
    IndexDmaSpec dma;

    // What is wrong, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::vgt
