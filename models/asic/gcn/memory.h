// SPDX-License-Identifier: Apache-2.0
// L2 channels, memory controllers, the hub of the clients that bypass the L2, and the path to the
// memory's contents. Cycle mode.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/gcn/build.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/gcn/front_end.h"
#include "models/mc/address_map.h"
#include "models/mc/mc_core.h"
#include "models/tc/l2_channel.h"
#include "models/tc/page_check.h"
#include "tlm/crossbar_core.h"
#include "tlm/memory_arbiter.h"

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
           tlm::tlm_initiator_socket<>& out, FrontEnd& front, Compute& compute);

    SocketPages pages;
    std::vector<std::unique_ptr<tc::L2Channel>> tccs;
    std::vector<std::unique_ptr<mc::McCore>> mcs;
    crossbar::CrossbarCore hub;
    tlm_shell::MemoryArbiter arbiter;

  private:
    struct HubClient {
        std::string name;  // of its link
        asic::Netlist::From<tlm_shell::MemoryCodec> end;
    };
    static std::vector<HubClient> hub_clients(const Build& build, FrontEnd& front);
    void link_hub(const Build& build, const HubClient& client, unsigned source);
    void add_channel(const Build& build, const mc::ChannelMap& map, FrontEnd& front,
                     Compute& compute, unsigned i);
    void link_channel(const Build& build, unsigned i);
};

}  // namespace archipelago::gcn
