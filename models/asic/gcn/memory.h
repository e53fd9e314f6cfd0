// SPDX-License-Identifier: Apache-2.0
// L2 channels and what is after them (models/asic/memory_channels.h). Cycle mode.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/gcn/build.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/gcn/raster.h"
#include "models/asic/memory_channels.h"
#include "models/mc/address_map.h"
#include "models/tc/l2_channel.h"
#include "models/tc/page_check.h"

namespace archipelago::gcn {

// Whether a page exists, by a debug access to the memory.
class SocketPages : public tc::PageCheck {
  public:
    explicit SocketPages(tlm::tlm_initiator_socket<>& socket) : socket_(socket) {}
    bool is_mapped(uint64_t address) const override;

  private:
    tlm::tlm_initiator_socket<>& socket_;
};

struct Memory {
    // `out`: the chip's socket.
    Memory(const Build& build, const mc::ChannelMap& map, tlm_shell::RunControl& control,
           tlm::tlm_initiator_socket<>& out, FrontEnd& front, Compute& compute, Raster& raster);

    SocketPages pages;
    std::vector<std::unique_ptr<tc::L2Channel>> tccs;
    asic::MemoryChannels channels;

  private:
    static std::vector<asic::HubClient> hub_clients(const Build& build, FrontEnd& front,
                                                    Raster& raster);
    void add_channel(const Build& build, const mc::ChannelMap& map, FrontEnd& front,
                     Compute& compute, unsigned i);
    static void record_transactions(const Build& build, const CycleTap& fabric,
                                    const tc::L2Channel& l2, const mc::McUnit& mc);
};

}  // namespace archipelago::gcn
