// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/memory.h"

#include "models/asic/gcn/soft_reset_bits.h"
#include "models/tc/tcc_core.h"

namespace archipelago::gcn {

using asic::Place;
using tlm_shell::MemoryCodec;

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
               tlm::tlm_initiator_socket<>& out, FrontEnd& front, Compute& compute, Raster& raster)
    : pages(out),
      channels({build.config, build.options, build.net, build.engine, build.memory_clock}, map,
               control, hub_clients(build, front, raster)) {
    for (unsigned i = 0; i < build.config.channel_map.channels; ++i)
        add_channel(build, map, front, compute, i);
    channels.finish(out);
}

// The clients that reach the memory controllers without the L2.
std::vector<asic::HubClient> Memory::hub_clients(const Build& build, FrontEnd& front,
                                                 Raster& raster) {
    std::vector<asic::HubClient> clients;
    clients.push_back({"cp_hub", {build.engine, front.cp.hub_response(), front.cp.to_hub()}});
    if (front.ih)
        clients.push_back({"ih_hub", {build.engine, front.ih->from_memory, front.ih->to_memory}});
    vgt::IndexDmaUnit& index_dma = front.vgt.index_dma();
    clients.push_back({"index_hub", {build.engine, index_dma.response, index_dma.to_memory}});
    for (const auto& dma : front.async_dma)
        clients.push_back({dma->spec().name() + "_hub",
                           {build.engine, dma->hub_response(), dma->to_hub()},
                           dma->spec().hub_in});
    clients.push_back({"sem_hub", {build.engine, front.sem.from_memory, front.sem.to_memory}});
    for (asic::HubClient& client : raster.hub_clients(build))
        clients.push_back(std::move(client));
    return clients;
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
    tc::L2Channel& l2 = *tccs.back();
    build.net.add(build.engine, l2, name);
    front.soft_reset.add(SoftResetBits::kCaches, l2);
    mc::McUnit& mc = channels.add();
    auto& from_fabric = build.net.link<MemoryCodec>(
        indexed("tcc_", i),
        {build.engine, compute.fabric.response_in(i), compute.fabric.request_out[i]},
        {build.engine, l2.from_fabric, l2.to_fabric}, config.link_l2);
    from_fabric.allow_direct_link();
    from_fabric.knows_answers_by_tag();  // and by the port, which L2 repeats
    compute.actions.to_l2(i).connect(l2.actions);
    l2.to_action_done.connect(compute.actions.l2_done(i));
    auto& from_l2 = build.net.link<MemoryCodec>(
        indexed("mc_l2_", i), {build.engine, l2.from_memory, l2.to_memory},
        {build.memory_clock, mc.from_l2, mc.to_l2}, config.link_mc, config.synchroniser);
    from_l2.allow_direct_link();
    from_l2.knows_answers_by_tag();
    record_transactions(build, compute.fabric.request_out[i]->pushed(), l2, mc);
}

// `fabric`: where requests leave it for the channel.
void Memory::record_transactions(const Build& build, const CycleTap& fabric,
                                 const tc::L2Channel& l2, const mc::McUnit& mc) {
    asic::TransactionLedger& transactions = build.net.transactions();
    const uint64_t period = build.engine.period_fs();
    const tc::L2Taps& taps = l2.taps();
    transactions.move(Place::FabricRequest, Place::L2Queue, fabric, period);
    transactions.move(Place::L2Queue, Place::L2, l2.from_fabric.popped(), period);
    transactions.stay(Place::L2, Place::L2Wait, taps.waits, period);
    transactions.move(Place::L2Wait, Place::DramQueue, taps.below.in, period);
    transactions.begin("l2_writeback", Place::DramQueue, taps.write_backs.in, period);
    transactions.move(Place::Dram, Place::DramReturn, mc.to_l2->pushed(),
                      build.memory_clock.period_fs());
    transactions.end("l2_writeback", Place::DramReturn, taps.write_backs.out, period);
    transactions.move(Place::DramReturn, Place::L2Wait, taps.below.out, period);
    transactions.move(Place::L2, Place::FabricResponse, l2.to_fabric->pushed(), period);
}

}  // namespace archipelago::gcn
