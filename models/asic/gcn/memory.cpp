// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/memory.h"

#include "models/asic/gcn/soft_reset_bits.h"
#include "models/tc/tcc_core.h"

namespace archipelago::gcn {

using tlm_shell::MemoryCodec;

namespace {

// The hub has a source for each of its clients.
crossbar::CrossbarSpec hub_spec(const ChipConfig& config, size_t clients) {
    crossbar::CrossbarSpec spec = config.hub;
    spec.sources = static_cast<unsigned>(clients);
    return spec;
}

}  // namespace

bool SocketPages::is_mapped(uint64_t address) const {
    tlm::tlm_generic_payload gp;
    uint8_t byte = 0;
    gp.set_command(tlm::TLM_READ_COMMAND);
    gp.set_address(address);
    gp.set_data_ptr(&byte);
    gp.set_data_length(1);
    gp.set_streaming_width(1);
    if (socket_->transport_dbg(gp) == 1)
        return true;
    // A memory without debug transport leaves the status as it was: it will say what is not there
    // when it is accessed.
    return gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE;
}

Memory::Memory(const Build& build, const mc::ChannelMap& map, tlm_shell::RunControl& control,
               tlm::tlm_initiator_socket<>& out, FrontEnd& front, Compute& compute)
    : pages(out),
      hub(hub_spec(build.config, hub_clients(build, front).size()), {&mc::ChannelMap::route, &map},
          "hub"),
      arbiter("arbiter", build.config.channel_map.channels, tlm_shell::ArbiterPayloads::Pool,
              &control) {
    unsigned source = 0;
    for (const HubClient& client : hub_clients(build, front))
        link_hub(build, client, source++);
    for (unsigned i = 0; i < build.config.channel_map.channels; ++i) {
        add_channel(build, map, front, compute, i);
        link_channel(build, i);
    }
    build.net.add(build.engine, hub, "hub");
    build.net.bind("memory", arbiter.out, out);
}

// The clients that reach the memory controllers without the L2.
std::vector<Memory::HubClient> Memory::hub_clients(const Build& build, FrontEnd& front) {
    std::vector<HubClient> clients;
    clients.push_back({"cp_hub", {build.engine, front.cp.hub_response(), front.cp.to_hub()}});
    if (front.ih)
        clients.push_back({"ih_hub", {build.engine, front.ih->from_memory, front.ih->to_memory}});
    vgt::IndexDmaUnit& index_dma = front.vgt.index_dma();
    clients.push_back({"index_hub", {build.engine, index_dma.response, index_dma.to_memory}});
    return clients;
}

void Memory::link_hub(const Build& build, const HubClient& client, unsigned source) {
    build.net
        .link<MemoryCodec>(client.name, client.end,
                           {build.engine, hub.request_in(source), hub.response_out[source]},
                           build.config.link_hub)
        .allow_direct_link();
}

// An L2 channel and its memory controller.
void Memory::add_channel(const Build& build, const mc::ChannelMap& map, FrontEnd& front,
                         Compute& compute, unsigned i) {
    const ChipConfig& config = build.config;
    const std::string name = indexed("tcc", i);
    if (auto* l2 = build.options.substitutes.find<tc::L2Factory>())
        tccs.push_back(l2->make(config.tcc, config.channel_map, &pages, i, name));
    else
        tccs.push_back(std::make_unique<tc::TccCore>(config.tcc, map, &pages, i, name));
    mcs.push_back(std::make_unique<mc::McCore>(config.mc, map, indexed("mc", i)));
    tc::L2Channel& l2 = *tccs.back();
    build.net.add(build.engine, l2, name);
    front.soft_reset.add(SoftResetBits::kCaches, l2);
    build.net.add(build.memory_clock, *mcs.back(), indexed("mc", i));
    auto& from_fabric = build.net.link<MemoryCodec>(
        indexed("tcc_", i),
        {build.engine, compute.fabric.response_in(i), compute.fabric.request_out[i]},
        {build.engine, l2.from_fabric, l2.to_fabric}, config.link_l2);
    from_fabric.allow_direct_link();
    from_fabric.knows_answers_by_tag();  // and by the port, which L2 repeats
    compute.actions.to_l2(i).connect(l2.actions);
    l2.to_action_done.connect(compute.actions.l2_done(i));
}

// L2 channel and hub -> memory controller -> memory.
void Memory::link_channel(const Build& build, unsigned i) {
    const ChipConfig& config = build.config;
    asic::Netlist& net = build.net;
    tc::L2Channel& l2 = *tccs[i];
    mc::McCore& mc = *mcs[i];
    auto& from_l2 = net.link<MemoryCodec>(
        indexed("mc_l2_", i), {build.engine, l2.from_memory, l2.to_memory},
        {build.memory_clock, mc.from_l2, mc.to_l2}, config.link_mc, config.synchroniser);
    from_l2.allow_direct_link();
    from_l2.knows_answers_by_tag();
    auto& from_hub = net.link<MemoryCodec>(
        indexed("mc_hub_", i), {build.engine, hub.response_in(i), hub.request_out[i]},
        {build.memory_clock, mc.from_hub, mc.to_hub}, config.link_hub, config.synchroniser);
    from_hub.allow_direct_link();
    from_hub.knows_answers_by_tag();
    auto& store = net.initiator<MemoryCodec>(
        indexed("store_", i), {build.memory_clock, mc.from_store, mc.to_store}, config.link_store);
    store.allow_direct_link();
    if (build.options.temporal_decoupling && !build.options.check_protocol)
        store.use_direct_memory();
    store.socket.bind(arbiter.input(i));
}

}  // namespace archipelago::gcn
