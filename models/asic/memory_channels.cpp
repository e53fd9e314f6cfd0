// SPDX-License-Identifier: Apache-2.0
#include "models/asic/memory_channels.h"

#include "models/mc/mc_core.h"
#include "models/mc/mc_schedule_pins.h"

namespace archipelago::asic {

using tlm_shell::MemoryCodec;

namespace {

// The hub has a source for each of its clients.
crossbar::CrossbarSpec hub_spec(const BoardMemory& config, const std::vector<HubClient>& clients) {
    crossbar::CrossbarSpec spec = config.hub;
    spec.sources = 0;
    for (const HubClient& client : clients) {
        if (client.request_in)
            spec.own_request_in[spec.sources] = *client.request_in;
        ++spec.sources;
    }
    return spec;
}

}  // namespace

MemoryChannels::MemoryChannels(const MemoryBuild& build, const mc::ChannelMap& map,
                               tlm_shell::RunControl& control,
                               const std::vector<HubClient>& clients, unsigned others)
    : hub(hub_spec(build.config, clients),
          {&mc::ChannelMap::route, &map, build.options.address_spaces}, "hub"),
      build_(build),
      map_(map),
      control_(control),
      arbiter_("arbiter", build.config.channel_map.channels + others,
               tlm_shell::ArbiterPayloads::Pool, &control, build.options.memory_phases) {
    unsigned source = 0;
    for (const HubClient& client : clients) {
        build_.net
            .link<MemoryCodec>(client.name, client.end,
                               {build_.engine, hub.request_in(source), hub.response_out[source]},
                               build_.config.link_hub)
            .allow_direct_link();
        const uint64_t period = build_.engine.period_fs();
        build_.net.transactions().begin(client.name, Place::HubRequest, client.end.out->pushed(),
                                        period);
        build_.net.transactions().end(client.name, Place::HubResponse, client.end.in.popped(),
                                      period);
        ++source;
    }
}

mc::McUnit& MemoryChannels::add() {
    const auto i = static_cast<unsigned>(mcs.size());
    const std::string number = std::to_string(i);
    auto* const schedulers = build_.options.substitutes.find<mc::ScheduleFactory>();
    if (schedulers != nullptr)
        mcs.push_back(std::make_unique<mc::McOnPins>(schedulers->block(i), build_.config.mc, map_,
                                                     "mc" + number));
    else
        mcs.push_back(std::make_unique<mc::McCore>(build_.config.mc, map_, "mc" + number));
    mc::McUnit& mc = *mcs.back();
    build_.net.add(build_.memory_clock, mc, "mc" + number);
    auto& from_hub = build_.net.link<MemoryCodec>(
        "mc_hub_" + number, {build_.engine, hub.response_in(i), hub.request_out[i]},
        {build_.memory_clock, mc.from_hub, mc.to_hub}, build_.config.link_hub,
        build_.config.synchroniser);
    from_hub.allow_direct_link();
    from_hub.knows_answers_by_tag();
    auto& store = build_.net.initiator<MemoryCodec>(
        "store_" + number, {build_.memory_clock, mc.from_store, mc.to_store},
        build_.config.link_store);
    store.allow_direct_link();
    if (build_.options.temporal_decoupling && !build_.options.check_protocol)
        store.use_direct_memory();
    store.socket.bind(arbiter_.input(i));
    TransactionLedger& transactions = build_.net.transactions();
    transactions.move(Place::HubRequest, Place::DramQueue, hub.request_out[i]->pushed(),
                      build_.engine.period_fs());
    transactions.move(Place::DramQueue, Place::Dram, mc.commands(),
                      build_.memory_clock.period_fs());
    transactions.move(Place::Dram, Place::HubResponse, mc.to_hub->pushed(),
                      build_.memory_clock.period_fs());
    return mc;
}

void MemoryChannels::finish(tlm::tlm_initiator_socket<>& out) {
    build_.net.add(build_.engine, hub, "hub");
    build_.net.transactions().move(Place::HubRequest, Place::HubResponse, hub.refused(),
                                   build_.engine.period_fs());
    build_.net.bind("memory", arbiter_.out, out, &control_);
}

}  // namespace archipelago::asic
