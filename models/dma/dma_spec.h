// SPDX-License-Identifier: Apache-2.0
// Parameters of an async DMA engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/common/channel.h"
#include "models/common/memory_message.h"
#include "models/common/register_info.h"
#include "models/dma/packet_table.h"
#include "models/front/ring_fetch_core.h"

namespace archipelago::dma {

struct Spec {
    const Generation* generation = nullptr;
    std::shared_ptr<const PacketTable> packets;        // of the generation, or the document's forms
    const regs::RegisterDatabase* database = nullptr;  // names of registers, for logs
    unsigned instance = 0;
    uint32_t register_base = 0xD000;  // bytes; R6xx to CIK, and 0x800 further for the second
    uint32_t tiling_reset = 0;        // of its copy of GB_ADDR_CONFIG
    uint8_t trap_source = 224;        // Interrupt::source_id of a TRAP

    unsigned ring_lines = 8, buffer_lines = 8;  // reorder queue, lines of memory
    unsigned fetch_outstanding = 8;             // lines
    unsigned fetch_burst = 4;
    unsigned packet_cycles = 4;        // a packet's last dword to its first operation
    unsigned transfers = 4;            // packets in the copy engine, at most kMaxTransfers
    unsigned read_lines = 192;         // requested and not written yet
    unsigned write_lines = 64;         // written and not acknowledged
    unsigned open_lines = 16;          // being put together
    unsigned burst_lines = 4;          // of one direction before the other has its turn
    unsigned addresses_per_cycle = 4;  // places in memory that each side can work out
    unsigned poll_unit = 1;            // cycles of a poll interval of 1
    unsigned semaphore_retry = 64;     // cycles between two looks
    unsigned timer_unit = 1;           // cycles of a step of the semaphore and mirror timers
    unsigned strobe_latency = 1;
    ChannelSpec registers{4, 1};
    ChannelSpec memory_client{8, 1};  // a unit of the engine -> its port
    ChannelSpec memory_return{8, 1};
    ChannelSpec memory_in{16, 1};  // hub -> engine
    ChannelSpec hub_in{10, 2};     // its requests in the hub
    ChannelSpec register_in{4, 1};
    ChannelSpec command{2, 1};

    static constexpr unsigned kMaxTransfers = 16;
    static constexpr unsigned kMaxAddresses = 8;

    std::string name() const { return "dma" + std::to_string(instance); }
    front::RingNames names() const { return {{name()}, {"", "IB"}}; }
    RegSource source() const { return static_cast<RegSource>(kRegFromDma0 + instance); }
    // Interrupt::ring: engines of CIK share a source.
    uint8_t interrupt_ring() const { return static_cast<uint8_t>(generation->sdma ? instance : 0); }
    front::FetchSpec fetch() const;
    // What is wrong, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::dma
