// SPDX-License-Identifier: Apache-2.0
// Memory controllers of a chip, the hub of the clients that reach them without an L2, and the path
// to the memory's contents. Cycle mode.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/asic/board_memory.h"
#include "models/asic/netlist.h"
#include "models/mc/address_map.h"
#include "models/mc/mc_unit.h"
#include "tlm/crossbar_core.h"
#include "tlm/memory_arbiter.h"

namespace archipelago::asic {

// What the parts of a chip are built from; all of it must outlive them.
struct MemoryBuild {
    const BoardMemory& config;
    const ChipOptions& options;
    Netlist& net;
    tlm_shell::ClockDomain& engine;
    tlm_shell::ClockDomain& memory_clock;
};

struct HubClient {
    std::string name;  // of its link
    Netlist::From<tlm_shell::MemoryCodec> end;
    std::optional<ChannelSpec> request_in = {};  // where its queue in the hub is not as others are
};

class MemoryChannels {
  public:
    // `others`: ways to the memory's contents past the channels.
    MemoryChannels(const MemoryBuild& build, const mc::ChannelMap& map,
                   tlm_shell::RunControl& control, const std::vector<HubClient>& clients,
                   unsigned others = 0);

    // The next channel's memory controller, with its links to the hub and to the contents.
    mc::McUnit& add();
    tlm::tlm_target_socket<>& other(unsigned i) {
        return arbiter_.input(build_.config.channel_map.channels + i);
    }
    // Call it when all channels have been added. `out`: the chip's memory socket.
    void finish(tlm::tlm_initiator_socket<>& out);
    // Transactions of the memory socket that are open: of those begun before watch(), or after.
    void watch() { arbiter_.watch(); }
    std::string waiting_for(tlm_shell::OpenSince since) const {
        return arbiter_.waiting_for(build_.net.pool(), since);
    }
    // Of the way to the contents; controllers and hub are blocks of the netlist.
    void archive(Archive& a) const { arbiter_.archive(a); }

    std::vector<std::unique_ptr<mc::McUnit>> mcs;
    crossbar::CrossbarCore hub;

  private:
    const MemoryBuild build_;
    const mc::ChannelMap& map_;
    tlm_shell::RunControl& control_;
    tlm_shell::MemoryArbiter arbiter_;
};

}  // namespace archipelago::asic
