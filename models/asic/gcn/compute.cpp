// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/compute.h"

#include "models/asic/gcn/soft_reset_bits.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/tc/tcp_core.h"

namespace archipelago::gcn {

using asic::Place;

namespace {

tc::CacheActionBroadcasterSpec action_spec(const Build& build) {
    tc::CacheActionBroadcasterSpec spec = build.config.cache_actions;
    spec.whole_l2 = build.options.address_spaces != nullptr;
    return spec;
}

}  // namespace

Compute::Compute(const Build& build, const mc::ChannelMap& map, FrontEnd& front)
    : fabric(build.config.fabric, {&mc::ChannelMap::route, &map, build.options.address_spaces},
             "fabric"),
      actions(action_spec(build)),
      shader_interrupts(build.config.cus(), build.config.link_message),
      gs_messages(build.config.cus(), build.config.link_message, "gs_messages") {
    asic::Netlist& net = build.net;
    make_units(build);
    for (unsigned i = 0; i < build.config.cus(); ++i)
        add_cu(build, front, i);
    for (unsigned i = 0; i < build.config.sqcs(); ++i)
        add_sqc(build, front, i);
    cp::CpCore& cp = front.cp;
    client_of_l2(build, "cp_l2", {build.engine, cp.l2_response(), cp.to_l2()});
    cp.to_caches().connect(actions.from_cp);
    actions.to_cp.connect(cp.cache_done());
    if (front.gds) {
        cp.connect_gds(net.channel(front.gds->from_cp()));
        front.gds->to_cp().connect(net.channel(cp.gds_response()));
        net.add(build.engine, *front.gds, "gds");
    }
    shader_interrupts.to_interrupts.connect(front.interrupt_in());
    gs_messages.to_block.connect(front.vgt.gs_messages);
    if (front.ih)
        shader_interrupts.connect_hold(front.ih->hold_shaders);
    net.add(build.engine, shader_interrupts, "shader_interrupts");
    front.soft_reset.add(SoftResetBits::kSpi, shader_interrupts);
    net.add(build.engine, gs_messages, "gs_messages");
    front.soft_reset.add(SoftResetBits::kSpi, gs_messages);
    net.add(build.engine, fabric, "fabric");
    net.transactions().move(Place::FabricRequest, Place::FabricResponse, fabric.refused(),
                            build.engine.period_fs());
    net.add(build.engine, actions, "cache_actions");
    front.soft_reset.add(SoftResetBits::kCaches, actions);
}

void Compute::make_units(const Build& build) {
    const ChipConfig& config = build.config;
    const auto decode_cache =
        std::make_shared<cu::DecodeCache>(false, build.options.substitutes.find<cu::DecodeUnit>());
    ledger = std::make_shared<cu::WaveLedger>();
    if (build.options.profile)
        ledger->profile();
    for (unsigned i = 0; i < config.cus(); ++i) {
        cus.push_back(make_cu(build, i, decode_cache));
        cus.back()->use_ledger(ledger);
        cus.back()->set_instruction_limit(build.options.wave_limit());
        cus.back()->use_retire(build.options.retire);
        tcps.push_back(make_l1(build, i));
    }
    for (unsigned i = 0; i < config.sqcs(); ++i) {
        sqc_inst.push_back(
            std::make_unique<tc::SqcInstCore>(config.sqc_inst, i, indexed("sqc.inst", i)));
        sqc_data.push_back(
            std::make_unique<tc::SqcDataCore>(config.sqc_data, i, indexed("sqc.data", i)));
    }
}

std::unique_ptr<cu::ComputeUnit> Compute::make_cu(
    const Build& build, unsigned i, const std::shared_ptr<cu::DecodeCache>& decode_cache) const {
    const ChipConfig& config = build.config;
    const asic::Substitutes& substitutes = build.options.substitutes;
    cu::CuIdentity id;
    id.name = config.cu_name(i);
    const unsigned per_se = config.sh_per_se * config.cu_per_sh;
    const unsigned in_sh = i % config.cu_per_sh;
    id.position = {static_cast<uint8_t>(i / per_se),
                   static_cast<uint8_t>(i % per_se / config.cu_per_sh),
                   static_cast<uint8_t>(in_sh)};
    id.source = static_cast<uint16_t>(i);
    id.cache_port = static_cast<uint16_t>(in_sh % config.cus_per_sqc);
    // First: a chip whose compute units are all exchanged has the place of their parts, too.
    auto core = std::make_unique<cu::CuCore>(config.cu, id, decode_cache);
    core->use(substitutes.find<cu::ValuUnit>());
    core->use(substitutes.find<cu::WaveValuUnit>());
    core->use(substitutes.find<cu::SaluUnit>());
    core->use(substitutes.find<cu::IssueUnit>());
    core->use(substitutes.find<cu::LdsUnit>());
    core->use(substitutes.find<cu::BufferUnit>());
    core->use(substitutes.find<cu::FormatUnit>());
    core->use(substitutes.find<cu::CoalesceUnit>());
    if (auto* factory = substitutes.find<cu::CuFactory>())
        if (auto unit = factory->make(config.cu, id, decode_cache, i))
            return unit;
    return core;
}

std::unique_ptr<tc::VectorL1> Compute::make_l1(const Build& build, unsigned i) {
    const std::string name = build.config.cu_name(i) + ".l1";
    if (auto* factory = build.options.substitutes.find<tc::L1Factory>())
        return factory->make(build.config.tcp, i, name);
    return std::make_unique<tc::TcpCore>(build.config.tcp, name);
}

void Compute::add_cu(const Build& build, FrontEnd& front, unsigned i) {
    cu::ComputeUnit& cu = *cus[i];
    const std::string name = build.config.cu_name(i);
    build.net.add(build.engine, cu, name, {"*_instructions"});
    front.soft_reset.add(SoftResetBits::kSpi, cu);
    build.net.add(build.engine, *tcps[i], name + ".l1");
    front.soft_reset.add(SoftResetBits::kCaches, *tcps[i]);
    front.spi.to_cu[i].connect(build.net.channel(cu.launch_in));
    cu.to_wave_done.connect(front.spi.wave_done(i));
    cu.set_tiling(front.block<gb::GbBlock>().tiling());
    cu.connect_tiling(front.block<gb::GbBlock>().add_unit());
    link_caches(build, i);
    link_messages(build, front, i);
}

// A CU's L1, instruction cache and scalar cache.
void Compute::link_caches(const Build& build, unsigned i) {
    const ChipConfig& config = build.config;
    asic::Netlist& net = build.net;
    cu::ComputeUnit& cu = *cus[i];
    tc::VectorL1& l1 = *tcps[i];
    cu.to_memory.connect(net.channel(l1.from_cu));
    l1.to_cu.connect(net.channel(cu.mem_in));
    to_fabric(build, indexed("l1_", i), {build.engine, l1.from_l2, l1.to_l2})
        .knows_answers_by_tag();
    const unsigned in_sh = i % config.cu_per_sh;
    const unsigned group = config.sqc_of(i);
    const unsigned member = in_sh % config.cus_per_sqc;
    cu.to_fetch.connect(sqc_inst[group]->from_cu(member));
    sqc_inst[group]->to_cu[member].connect(net.channel(cu.fetch_in));
    cu.to_scalar.connect(sqc_data[group]->from_cu(member));
    sqc_data[group]->to_cu[member].connect(net.channel(cu.scalar_in));
    cu.to_l1_action.connect(actions.from_cu(i));
    actions.to_cu[i].connect(cu.l1_action_done_in);
    actions.to_l1(i).connect(l1.actions);
    l1.to_action_done.connect(actions.l1_done(i));

    asic::TransactionLedger& transactions = net.transactions();
    const uint64_t period = build.engine.period_fs();
    const auto client = [&](const char* name, Place at, const CycleTap& request,
                            const CycleTap& answer) {
        transactions.begin(name, at, request, period);
        transactions.end(name, at, answer, period);
    };
    client("vector", Place::L1, l1.from_cu.pushed(), cu.mem_in.popped());
    client("instruction", Place::InstructionCache, sqc_inst[group]->from_cu(member).pushed(),
           cu.fetch_in.popped());
    client("scalar", Place::ScalarCache, sqc_data[group]->from_cu(member).pushed(),
           cu.scalar_in.popped());
    record_misses(build, Place::L1, l1);
}

// The way of a cache's misses to the fabric and back.
template <class Cache>
void Compute::record_misses(const Build& build, asic::Place at, const Cache& cache) {
    asic::TransactionLedger& transactions = build.net.transactions();
    const uint64_t period = build.engine.period_fs();
    transactions.stay(at, Place::Merged, cache.waits(), period);
    transactions.move(Place::Merged, Place::FabricRequest, cache.to_l2->pushed(), period);
    transactions.move(Place::FabricResponse, Place::Merged, cache.from_l2.popped(), period);
}

// A CU's exports, messages and global data share.
void Compute::link_messages(const Build& build, FrontEnd& front, unsigned i) {
    asic::Netlist& net = build.net;
    cu::ComputeUnit& cu = *cus[i];
    if (front.gds) {
        cu.to_gds.connect(net.channel(front.gds->from_unit(i)));
        front.gds->to_unit[i].connect(net.channel(cu.gds_in));
    }
    cu.to_interrupts.connect(net.channel(shader_interrupts.from_cu(i)));
    cu.to_graphics.connect(net.channel(gs_messages.from_cu(i)));
    cu.to_export.connect(net.channel(front.spi.from_exports(i)));
}

void Compute::add_sqc(const Build& build, FrontEnd& front, unsigned i) {
    tc::SqcInstCore& inst = *sqc_inst[i];
    tc::SqcDataCore& data = *sqc_data[i];
    build.net.add(build.engine, inst, indexed("sqc.inst", i));
    build.net.add(build.engine, data, indexed("sqc.data", i));
    front.soft_reset.add(SoftResetBits::kCaches, inst);
    front.soft_reset.add(SoftResetBits::kCaches, data);
    to_fabric(build, indexed("sqc_inst_", i), {build.engine, inst.from_l2, inst.to_l2})
        .knows_answers_by_tag();
    to_fabric(build, indexed("sqc_data_", i), {build.engine, data.from_l2, data.to_l2})
        .knows_answers_by_tag();
    actions.to_inst(i).connect(inst.actions);
    inst.to_action_done.connect(actions.inst_done(i));
    actions.to_data(i).connect(data.actions);
    data.to_action_done.connect(actions.data_done(i));
    record_misses(build, Place::InstructionCache, inst);
    record_misses(build, Place::ScalarCache, data);
    const uint64_t period = build.engine.period_fs();
    const Stay& second = data.second_line_waits();
    build.net.transactions().begin("scalar_line", Place::Merged, second.in, period);
    build.net.transactions().end("scalar_line", Place::Merged, second.out, period);
}

// A block whose requests need no first-level cache.
void Compute::client_of_l2(const Build& build, const std::string& name,
                           const asic::Netlist::From<tlm_shell::MemoryCodec>& client) {
    to_fabric(build, name, client);
    const uint64_t period = build.engine.period_fs();
    build.net.transactions().begin(name, Place::FabricRequest, client.out->pushed(), period);
    build.net.transactions().end(name, Place::FabricResponse, client.in.popped(), period);
}

// The requests of a cache or CP enter the fabric at its next port.
tlm_shell::MemoryInitiator& Compute::to_fabric(
    const Build& build, const std::string& name,
    const asic::Netlist::From<tlm_shell::MemoryCodec>& client) {
    const unsigned source = sources_++;
    auto& from = build.net.link<tlm_shell::MemoryCodec>(
        name, client, {build.engine, fabric.request_in(source), fabric.response_out[source]},
        build.config.link_l1);
    from.allow_direct_link();
    return from;
}

}  // namespace archipelago::gcn
