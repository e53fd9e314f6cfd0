// SPDX-License-Identifier: Apache-2.0
// The blocks of GCN chips, for the conformance test of the Control contract.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/families.h"
#include "models/asic/gcn/chip_config.h"
#include "models/asic/gcn/message_mux.h"
#include "models/asic/gcn/shader_interrupts.h"
#include "models/cb/cb_core.h"
#include "models/cp/ce_unit.h"
#include "models/cp/cp_core.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cu/pins/cu_on_pins.h"
#include "models/cu/pins/cu_pin_core.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/db/db_core.h"
#include "models/dma/dma_core.h"
#include "models/gb/gb_core.h"
#include "models/gcn/si/front_end.h"
#include "models/gcn/si/grbm_pin_core.h"
#include "models/gcn/si/windows.h"
#include "models/gds/gds_core.h"
#include "models/grbm/command_fifo_core.h"
#include "models/grbm/grbm_core.h"
#include "models/grbm/grbm_pins.h"
#include "models/ih/ih_core.h"
#include "models/mc/mc_core.h"
#include "models/mc/mc_schedule_pins.h"
#include "models/pa/pa_core.h"
#include "models/perf/perf_core.h"
#include "models/raster/raster_core.h"
#include "models/sc/sc_core.h"
#include "models/sem/sem_core.h"
#include "models/spi/dispatch_pins.h"
#include "models/spi/spi_core.h"
#include "models/srbm/srbm_core.h"
#include "models/tc/cache_action_broadcaster.h"
#include "models/tc/sqc_data_core.h"
#include "models/tc/sqc_inst_core.h"
#include "models/tc/tc_l1_core.h"
#include "models/tc/tc_l2_bank_core.h"
#include "models/tc/tcc_core.h"
#include "models/tc/tcp_core.h"
#include "models/vgt/index_dma_unit.h"
#include "models/vgt/vgt_core.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"
#include "testbenches/contract/control_subject.h"
#include "testbenches/support/wait_until_registers.h"
#include "tlm/crossbar_core.h"

namespace archipelago::control_test {
namespace {

const gcn::ChipConfig& chip() {
    static const auto loaded = asic::load_chip("tahiti", {});
    return *loaded->spec<gcn::ChipConfig>();
}

MemRequest read_of(uint64_t line) {
    MemRequest r;
    r.line = line;
    r.byte_mask = ~uint64_t{0};
    return r;
}

// A request that waits for a block which takes none.
template <class All>
Subject grbm_subject(const char* name, const std::shared_ptr<All>& all) {
    all->core.to_port[gcn::si::bus::kCp].connect(all->cp);
    all->core.to_port[gcn::si::bus::kSpi].connect(all->spi);
    all->core.to_source[kRegFromHost].connect(all->host);
    all->core.to_source[kRegFromCp].connect(all->me);
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        r.offset = regs::si::CP_RB0_BASE;
        all->core.request[kRegFromHost].push(now, r);
    };
    return one_core(name, all, all->core.request[kRegFromHost], give);
}

Subject make_grbm() {
    struct All {
        grbm::GrbmCore core{chip().grbm};
        Channel<RegRequest> cp{{1, 1}}, spi{{1, 1}};
        Channel<RegResponse> host{{1, 1}}, me{{1, 1}};
    };
    return grbm_subject("grbm", std::make_shared<All>());
}

// The same bus on pins.
Subject make_grbm_on_pins() {
    struct All {
        gcn::si::GrbmPinCore block;
        grbm::GrbmOnPins core{block, chip().grbm, gcn::si::grbm_spec()};
        Channel<RegRequest> cp{{1, 1}}, spi{{1, 1}};
        Channel<RegResponse> host{{1, 1}}, me{{1, 1}};
    };
    return grbm_subject("grbm on pins", std::make_shared<All>());
}

// A wait for a unit that works for ever.
Subject make_command_fifo() {
    struct All {
        WaitUntilRegisters family;
        grbm::CommandFifoCore core{family.fifo()};
        Channel<RegRequest> bus{{1, 1}};
        Wire<bool> busy{true};
    };
    auto all = std::make_shared<All>();
    all->core.to_bus.connect(all->bus);
    all->core.add_busy("vgt", &all->busy);
    return one_core(
        "command_fifo", all, all->core.requests,
        WaitUntilRegisters::write(WaitUntilRegisters::kWaitUntil, WaitUntilRegisters::k3dIdle));
}

Subject make_srbm() {
    struct All {
        srbm::SrbmCore core{chip().srbm};
        Channel<RegRequest> grbm{{1, 1}};
        Channel<RegResponse> host{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_port[srbm::kGrbm].connect(all->grbm);
    all->core.to_source[srbm::kHost].connect(all->host);
    RegRequest read;
    read.offset = regs::si::CP_RB0_BASE;
    return one_core("srbm", all, all->core.request[srbm::kHost], read);
}

Subject make_gb() {
    struct All {
        gb::GbCore core{chip().spec<gb::GbBlock>()};
        Channel<RegResponse> back{{1, 1}};
        EventLink<surface::TilingWrite>* unit = nullptr;
    };
    auto all = std::make_shared<All>();
    all->core.to_registers.connect(all->back);
    all->unit = &all->core.add_unit();
    // A write that no unit takes.
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        r.offset = regs::si::GB_TILE_MODE0;
        r.write = true;
        all->core.registers.push(now, r);
    };
    return one_core("gb", all, all->core.registers, give);
}

Subject make_raster() {
    struct All {
        raster::RasterCore core{chip().spec<raster::RasterBlock>()};
        Channel<RegResponse> back{{4, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_registers.connect(all->back);
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        r.offset = regs::si::PA_SC_MODE_CNTL_1;
        all->core.registers.push(now, r);
    };
    return {"raster",
            {&all->core},
            &all->core,
            give,
            [all = all.get()] { return all->core.registers.empty() && !all->back.empty(); },
            all,
            true};
}

sc::ScSpec sc_spec() {
    sc::ScSpec spec;
    spec.map = sc::RegisterMap{&regs::si::database(), gcn::si::context_window()};
    return spec;
}

// Events for render back ends that take one.
Subject make_sc() {
    struct All {
        sc::ScCore core{sc_spec()};
        std::array<Channel<raster::QuadBatch>, sc::ScSpec::kRbs> rbs{
            Channel<raster::QuadBatch>{{1, 1}}, Channel<raster::QuadBatch>{{1, 1}},
            Channel<raster::QuadBatch>{{1, 1}}, Channel<raster::QuadBatch>{{1, 1}}};
    };
    auto all = std::make_shared<All>();
    for (unsigned rb = 0; rb < sc::ScSpec::kRbs; ++rb)
        all->core.to_rb[rb].connect(all->rbs[rb]);
    const auto give = [all = all.get()](Cycle now) {
        raster::Primitive event;
        event.kind = raster::Primitive::Kind::Event;
        all->core.primitives.push(now, event);
        all->core.primitives.push(now, event);
    };
    return one_core("sc", all, all->core.primitives, give);
}

db::DbSpec db_spec() {
    db::DbSpec spec;
    spec.map = db::RegisterMap{&regs::si::database(), gcn::si::context_window()};
    spec.data.lines = 1024;
    return spec;
}

// Events for an SPI that takes one.
Subject make_db() {
    struct All {
        db::DbCore core{db_spec()};
        Channel<raster::QuadBatch> to_spi{{1, 1}};
        Channel<raster::ShadedBatch> to_cb{{1, 1}};
        Channel<MemRequest> to_memory{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_spi.connect(all->to_spi);
    all->core.to_cb.connect(all->to_cb);
    all->core.to_memory.connect(all->to_memory);
    const auto give = [all = all.get()](Cycle now) {
        raster::QuadBatch event;
        event.primitive.kind = raster::Primitive::Kind::Event;
        all->core.early.push(now, event);
        all->core.early.push(now, event);
    };
    return one_core("db", all, all->core.early, give);
}

// A blended quad, whose destination memory does not give.
void give_blended_quad(cb::CbCore& core, Cycle now) {
    namespace si = regs::si;
    const std::pair<uint32_t, uint32_t> registers[] = {
        {si::CB_COLOR_CONTROL, 0x00CC0010}, {si::CB_TARGET_MASK, 0xF},
        {si::CB_SHADER_MASK, 0xF},          {si::SPI_SHADER_COL_FORMAT, 9},
        {si::CB_COLOR0_INFO, 0x280A8},      {si::CB_COLOR0_PITCH, 7},
        {si::CB_COLOR0_SLICE, 63},          {si::CB_BLEND0_CONTROL, 0x40000101}};
    for (const auto& [offset, value] : registers) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        core.write_register(r);
    }
    raster::ShadedBatch batch;
    batch.quads.quads = 1;
    batch.quads.coverage.fill(1);
    batch.exports.colours = 1;
    batch.exports.colour.resize(1);
    core.batches.push(now, batch);
}

Subject make_cb() {
    struct All {
        cb::CbCore core{[] {
            cb::CbSpec spec;
            spec.map = cb::RegisterMap{&regs::si::database(), gcn::si::context_window()};
            return spec;
        }()};
        Channel<MemRequest> memory{{1, 1}};
        EventLink<raster::BackEndDone> done{1};
        EventLink<raster::FlushDone> flushed{1};
    };
    auto all = std::make_shared<All>();
    all->core.to_memory.connect(all->memory);
    all->core.done.connect(all->done);
    all->core.flush_done.connect(all->flushed);
    return one_core("cb", all, all->core.batches,
                    [all = all.get()](Cycle now) { give_blended_quad(all->core, now); });
}

Subject make_spi_with(bool pins) {
    struct All {
        spi::SpiDispatchCore block;
        spi::PinDispatchUnit dispatcher{block};
        spi::SpiCore core{chip().spi};
        Channel<RegResponse> back{{4, 1}};
        Channel<EventDone> events{{4, 1}};
        std::vector<std::unique_ptr<Channel<WaveLaunch>>> cus;
    };
    auto all = std::make_shared<All>();
    if (pins)
        all->core.use_dispatcher(&all->dispatcher);
    all->core.to_registers.connect(all->back);
    all->core.to_events.connect(all->events);
    for (unsigned i = 0; i < chip().cus(); ++i) {
        all->cus.push_back(std::make_unique<Channel<WaveLaunch>>(ChannelSpec{1, 1}));
        all->core.to_cu[i].connect(*all->cus.back());
    }
    // A dispatch whose waves no compute unit accepts.
    const auto give = [all = all.get()](Cycle now) {
        const auto write = [&](uint32_t offset, uint32_t value) {
            RegRequest r;
            r.offset = offset;
            r.value = value;
            r.write = true;
            if (offset == regs::si::COMPUTE_DISPATCH_INITIATOR)
                all->core.registers.push(now, r);
            else
                all->core.write_register(r);
        };
        for (const uint32_t offset :
             {regs::si::COMPUTE_DIM_X, regs::si::COMPUTE_DIM_Y, regs::si::COMPUTE_DIM_Z,
              regs::si::COMPUTE_NUM_THREAD_X, regs::si::COMPUTE_NUM_THREAD_Y,
              regs::si::COMPUTE_NUM_THREAD_Z})
            write(offset, 1);
        write(regs::si::COMPUTE_STATIC_THREAD_MGMT_SE0, ~0u);
        write(regs::si::COMPUTE_DISPATCH_INITIATOR, 1);
    };
    return one_core("spi", all, all->core.registers, give);
}
Subject make_spi() {
    return make_spi_with(false);
}
// The same with its dispatcher on pins.
Subject make_spi_on_pins() {
    return make_spi_with(true);
}

Subject make_cp() {
    struct All {
        cp::CpCore core{chip().cp};
        Channel<RegResponse> own{{4, 1}};
        Channel<RegRequest> bus{{1, 1}};
        Channel<MemRequest> hub{{1, 1}}, l2{{1, 1}};
        Channel<CacheAction> caches{{1, 1}};
        EventLink<Interrupt> interrupts;
    };
    auto all = std::make_shared<All>();
    all->core.to_register_response().connect(all->own);
    all->core.to_register_bus().connect(all->bus);
    all->core.to_hub().connect(all->hub);
    all->core.to_l2().connect(all->l2);
    all->core.to_caches().connect(all->caches);
    all->core.to_interrupt().connect(all->interrupts);
    // A ring whose first line never comes.
    const auto give = [all = all.get()](Cycle now) {
        const auto write = [&](uint32_t offset, uint32_t value, bool timed) {
            RegRequest r;
            r.offset = offset;
            r.value = value;
            r.write = true;
            if (timed)
                all->core.register_request().push(now, r);
            else
                all->core.register_file().write_register(r);
        };
        write(regs::si::CP_RB0_CNTL, 9, false);
        write(regs::si::CP_RB0_BASE, 0x10, false);
        write(regs::si::CP_RB0_WPTR, 16, true);
    };
    return {"cp",
            all->core.units(),
            &all->core,
            give,
            [all = all.get()] { return all->core.register_request().empty(); },
            all};
}

Subject make_dma() {
    struct All {
        dma::DmaCore core{chip().async_dma.engines.at(0)};
        Channel<RegResponse> own{{4, 1}};
        Channel<RegRequest> bus{{1, 1}};
        Channel<MemRequest> hub{{1, 1}}, semaphores{{1, 1}};
        EventLink<Interrupt> interrupts;
    };
    auto all = std::make_shared<All>();
    all->core.to_register_response().connect(all->own);
    all->core.to_register_bus().connect(all->bus);
    all->core.to_hub().connect(all->hub);
    all->core.to_semaphores().connect(all->semaphores);
    all->core.to_interrupt().connect(all->interrupts);
    // A ring whose first line never comes.
    const auto give = [all = all.get()](Cycle now) {
        const auto write = [&](uint32_t offset, uint32_t value, bool timed) {
            RegRequest r;
            r.offset = offset;
            r.value = value;
            r.write = true;
            if (timed)
                all->core.register_request().push(now, r);
            else
                all->core.registers().write_register(r);
        };
        write(regs::si::DMA0_RB_BASE, 0x10, false);
        write(regs::si::DMA0_RB_CNTL, 10 << 1 | 1, false);
        write(regs::si::DMA0_RB_WPTR, 64, true);
    };
    return {"dma",
            all->core.units(),
            &all->core,
            give,
            [all = all.get()] { return all->core.register_request().empty(); },
            all};
}

Subject make_sem() {
    struct All {
        sem::SemCore core{{}};
        Channel<MemRequest> memory{{1, 1}};
        Channel<MemResponse> back{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_memory.connect(all->memory);
    all->core.to_client[0].connect(all->back);
    return one_core("sem", all, all->core.request[0], read_of(0));
}

Subject make_ce() {
    struct All {
        cp::CeUnit core{chip().cp};
        Channel<MemRequest> l2{{4, 1}};
        Channel<cp::CeGrant> grant{{4, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_l2.connect(all->l2);
    all->core.to_me.connect(all->grant);
    // Waits for a DE that does not move.
    const auto give = [all = all.get()](Cycle now) {
        const uint32_t words[] = {cp::make_header(cp::si_opcode("WAIT_ON_DE_COUNTER"), 2), 1, 0};
        for (const uint32_t word : words) {
            cp::MeqEntry entry;
            entry.dword = word;
            entry.first = word == words[0];
            all->core.stream[0].push(now, entry);
        }
    };
    return one_core("ce", all, all->core.stream[0], give);
}

template <class Owner>
Subject vector_l1(const char* name) {
    struct All : Owner {
        Channel<MemResponse> cu{{4, 1}};
        Channel<MemRequest> l2{{4, 1}};
        Channel<CacheActionDone> done{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_cu.connect(all->cu);
    all->core.to_l2.connect(all->l2);
    all->core.to_action_done.connect(all->done);
    return one_core(name, all, all->core.from_cu, read_of(64));
}

Subject make_tcp() {
    struct Owner {
        tc::TcpCore core{chip().tcp};
    };
    return vector_l1<Owner>("tcp");
}

// The same cache on pins.
Subject make_l1_on_pins() {
    struct Owner {
        tc::TcL1Core block;
        tc::L1OnPins core{block, chip().tcp, "tcp"};
    };
    return vector_l1<Owner>("tcp on pins");
}

Subject make_sqc_inst() {
    struct All {
        tc::SqcInstCore core{chip().sqc_inst};
        std::vector<std::unique_ptr<Channel<FetchResponse>>> cus;
        Channel<MemRequest> l2{{4, 1}};
        Channel<CacheActionDone> done{{1, 1}};
    };
    auto all = std::make_shared<All>();
    for (unsigned i = 0; i < chip().sqc_inst.cus; ++i) {
        all->cus.push_back(std::make_unique<Channel<FetchResponse>>(ChannelSpec{4, 1}));
        all->core.to_cu[i].connect(*all->cus.back());
    }
    all->core.to_l2.connect(all->l2);
    all->core.to_action_done.connect(all->done);
    return one_core("sqc.inst", all, all->core.from_cu(0), FetchRequest{});
}

Subject make_sqc_data() {
    struct All {
        tc::SqcDataCore core{chip().sqc_data};
        std::vector<std::unique_ptr<Channel<ScalarResponse>>> cus;
        Channel<MemRequest> l2{{4, 1}};
        Channel<CacheActionDone> done{{1, 1}};
    };
    auto all = std::make_shared<All>();
    for (unsigned i = 0; i < chip().sqc_data.cus; ++i) {
        all->cus.push_back(std::make_unique<Channel<ScalarResponse>>(ChannelSpec{4, 1}));
        all->core.to_cu[i].connect(*all->cus.back());
    }
    all->core.to_l2.connect(all->l2);
    all->core.to_action_done.connect(all->done);
    return one_core("sqc.data", all, all->core.from_cu(0), ScalarRequest{});
}

Subject make_tcc() {
    struct All {
        mc::ChannelMap map{chip().channel_map};
        tc::TccCore core{chip().tcc, map, nullptr};
        Channel<MemResponse> fabric{{4, 1}};
        Channel<MemRequest> memory{{4, 1}};
        Channel<CacheActionDone> done{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_fabric.connect(all->fabric);
    all->core.to_memory.connect(all->memory);
    all->core.to_action_done.connect(all->done);
    return one_core("tcc", all, all->core.from_fabric, read_of(0));
}

// The same channel on pins.
Subject make_l2_on_pins() {
    struct All {
        tc::TcL2BankCore block;
        tc::L2OnPins core{block, chip().tcc, chip().channel_map, nullptr, 0, "tcc"};
        Channel<MemResponse> fabric{{4, 1}};
        Channel<MemRequest> memory{{4, 1}};
        Channel<CacheActionDone> done{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_fabric.connect(all->fabric);
    all->core.to_memory.connect(all->memory);
    all->core.to_action_done.connect(all->done);
    return one_core("tcc on pins", all, all->core.from_fabric, read_of(0));
}

Subject make_mc() {
    struct All {
        mc::ChannelMap map{chip().channel_map};
        mc::McCore core{chip().mc, map};
        Channel<MemResponse> l2{{4, 1}}, hub{{4, 1}};
        Channel<MemRequest> store{{4, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_l2.connect(all->l2);
    all->core.to_hub.connect(all->hub);
    all->core.to_store.connect(all->store);
    return one_core("mc", all, all->core.from_l2, read_of(0));
}

// The same channel with its scheduler on pins.
Subject make_mc_on_pins() {
    struct All {
        mc::McScheduleCore block;
        mc::ChannelMap map{chip().channel_map};
        mc::McOnPins core{block, chip().mc, map};
        Channel<MemResponse> l2{{4, 1}}, hub{{4, 1}};
        Channel<MemRequest> store{{4, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_l2.connect(all->l2);
    all->core.to_hub.connect(all->hub);
    all->core.to_store.connect(all->store);
    return one_core("mc on pins", all, all->core.from_l2, read_of(0));
}

Subject make_gds() {
    struct All {
        gds::GdsCore core{chip().gds};
        Channel<GdsResponse> cu{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_unit[0].connect(all->cu);
    // A semaphore that is never signalled.
    const auto give = [all = all.get()](Cycle now) {
        GdsRequest r;
        r.command = GdsCommand::SemaphoreDown;
        all->core.from_unit(0).push(now, r);
    };
    return one_core("gds", all, all->core.from_unit(0), give);
}

Subject make_cache_action_broadcaster() {
    struct All {
        tc::CacheActionBroadcaster core{{}};
        Channel<CacheAction> l1{{2, 1}}, inst{{2, 1}}, data{{2, 1}}, l2{{2, 1}};
        Channel<CacheActionDone> cp{{2, 1}}, cu{{2, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_l1(0).connect(all->l1);
    all->core.to_inst(0).connect(all->inst);
    all->core.to_data(0).connect(all->data);
    all->core.to_l2(0).connect(all->l2);
    all->core.to_cp.connect(all->cp);
    all->core.to_cu[0].connect(all->cu);
    return one_core("cache_action_broadcaster", all, all->core.from_cp,
                    [all = all.get()](Cycle now) {
                        CacheAction a;
                        a.invalidate_l1 = a.writeback_l2 = true;
                        all->core.from_cp.push(now, a);
                    });
}

struct CuInPlace {
    cu::CuCore core{chip().cu, {}};
};
struct CuBehindPins {
    cu::CuPinCore block{chip().cu};
    cu::CuOnPins core{block, chip().cu, {}, std::make_shared<cu::DecodeCache>()};
};
template <class Unit>
Subject cu_subject(const char* name) {
    struct All : Unit {
        Channel<WaveDone> done{{4, 1}};
        Channel<FetchRequest> fetch{{4, 1}};
        Channel<ScalarRequest> scalar{{4, 1}};
        Channel<MemRequest> memory{{4, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_wave_done.connect(all->done);
    all->core.to_fetch.connect(all->fetch);
    all->core.to_scalar.connect(all->scalar);
    all->core.to_memory.connect(all->memory);
    return one_core(name, all, all->core.launch_in, [all = all.get()](Cycle now) {
        WaveLaunch w;
        w.waves_in_group = 1;
        w.vgpr_count = 4;
        w.sgpr_count = 8;
        w.exec = 1;
        w.group_dim = {1, 1, 1};
        all->core.launch_in.push(now, w);
    });
}

Subject make_cu() {
    return cu_subject<CuInPlace>("cu");
}
Subject make_cu_on_pins() {
    return cu_subject<CuBehindPins>("cu on pins");
}

// Memory does not answer.
Subject make_vgt_index_dma() {
    struct All {
        vgt::IndexDmaUnit unit{{}};
        Channel<MemRequest> memory{{8, 1}};
        Channel<vgt::IndexGroup> group{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->unit.to_memory.connect(all->memory);
    all->unit.to_group.connect(all->group);
    return {"vgt_index_dma",
            {&all->unit},
            &all->unit,
            [all = all.get()](Cycle now) {
                vgt::IndexCommand c;
                c.count = c.max_size = 5;
                all->unit.command.push(now, c);
            },
            [all = all.get()] { return all->unit.command.empty(); },
            all};
}

// SPI takes one message and no more.
Subject make_vgt() {
    struct All {
        vgt::VgtCore core{chip().vgt};
        Channel<VgtMessage> spi{{1, 1}};
        Channel<MemRequest> memory{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_spi.connect(all->spi);
    all->core.index_dma().to_memory.connect(all->memory);
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        r.write = true;
        for (const auto& [offset, value] :
             {std::pair<uint32_t, uint32_t>{regs::si::VGT_PRIMITIVE_TYPE, 4},
              {regs::si::VGT_NUM_INDICES, 3}}) {
            r.offset = offset;
            r.value = value;
            all->core.write_register(r);
        }
        r.offset = regs::si::VGT_DRAW_INITIATOR;
        r.value = 2;
        all->core.registers.push(now, r);
    };
    return {"vgt",
            {&all->core, &all->core.index_dma()},
            &all->core,
            give,
            [all = all.get()] { return all->core.registers.empty(); },
            all};
}

// Its output takes nothing, so a request stays inside.
Subject make_crossbar() {
    struct All {
        crossbar::CrossbarSpec spec;
        crossbar::CrossbarCore core;
        Channel<MemRequest> to{{1, 1}};
        Channel<MemResponse> back{{1, 1}};
        All() : spec(), core(spec, {[](const void*, uint64_t) { return 0u; }, nullptr}) {
            core.request_out[0].connect(to);
            core.response_out[0].connect(back);
            to.push(0, MemRequest{});
        }
    };
    auto all = std::make_shared<All>();
    return {"crossbar",
            {&all->core},
            &all->core,
            [all = all.get()](Cycle now) { all->core.request_in(0).push(now, read_of(0)); },
            [] { return false; },
            all};
}

Subject make_ih() {
    struct All {
        ih::IhCore core{chip().ih};
        Channel<RegResponse> back{{1, 1}};
        Channel<MemRequest> memory{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_registers.connect(all->back);
    all->core.to_memory.connect(all->memory);
    // An entry of the ring that memory does not acknowledge.
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        r.offset = regs::si::IH_RB_CNTL;
        r.value = 8 << 1 | 1;  // 256 dwords, enabled
        r.write = true;
        all->core.write_register(r);
        all->core.in.send(now, Interrupt{181, 0, 0, 0});
    };
    return {
        "ih", {&all->core}, &all->core, give, [all = all.get()] { return all->core.in.empty(); },
        all};
}

Subject make_pa() {
    struct All {
        pa::PaCore core{gcn::si::pa_spec()};
        std::vector<Channel<raster::Primitive>> scan;
        Channel<ExportFree> free{{1, 1}};
        All() : scan(2) {
            for (unsigned engine = 0; engine < scan.size(); ++engine)
                core.to_scan[engine].connect(scan[engine]);
            core.to_free.connect(free);
        }
    };
    auto all = std::make_shared<All>();
    // A primitive whose positions do not come.
    const auto give = [all = all.get()](Cycle now) {
        PrimitiveMessage p;
        p.vertices = 1;
        p.draw = 1;
        all->core.primitives.push(now, p);
    };
    return {"pa", {&all->core}, &all->core, give, [] { return false; }, all};
}

Subject make_gs_messages() {
    struct All {
        Channel<ShaderMessage> out{{1, 1}};
        gcn::MessageMux core{2, {1, 1}, "gs_messages"};
        All() {
            core.to_block.connect(out);
            out.push(0, ShaderMessage{});
        }
    };
    auto all = std::make_shared<All>();
    return {"gs_messages",
            {&all->core},
            &all->core,
            [all = all.get()](Cycle now) { all->core.from_cu(1).push(now, ShaderMessage{}); },
            [] { return false; },
            all};
}

Subject make_shader_interrupts() {
    struct All {
        EventLink<Interrupt> out{1};
        gcn::ShaderInterrupts core{2, {1, 1}};
        All() { core.to_interrupts.connect(out); }
    };
    auto all = std::make_shared<All>();
    return {"shader_interrupts",
            {&all->core},
            &all->core,
            [all = all.get()](Cycle now) { all->core.from_cu(1).push(now, ShaderMessage{}); },
            [all = all.get()] { return all->core.from_cu(1).empty() && !all->out.empty(); },
            all,
            true};
}

Subject make_perf() {
    struct All {
        perf::PerfCore core{chip().spec<perf::PerfBlock>()};
        Channel<RegResponse> back{{4, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_registers.connect(all->back);
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        r.offset = regs::si::CP_PERFMON_CNTL;
        all->core.registers.push(now, r);
    };
    return {"perf",
            {&all->core},
            &all->core,
            give,
            [all = all.get()] { return all->core.registers.empty() && !all->back.empty(); },
            all,
            true};
}

}  // namespace

std::vector<Block> gcn_blocks() {
    return {{"grbm", make_grbm},
            {"command_fifo", make_command_fifo},
            {"srbm", make_srbm},
            {"gb", make_gb},
            {"raster", make_raster},
            {"sc", make_sc},
            {"db", make_db},
            {"cb", make_cb},
            {"spi", make_spi},
            {"cp", make_cp},
            {"ce", make_ce},
            {"tcp", make_tcp},
            {"sqc_inst", make_sqc_inst},
            {"sqc_data", make_sqc_data},
            {"tcc", make_tcc},
            {"mc", make_mc},
            {"gds", make_gds},
            {"cache_action_broadcaster", make_cache_action_broadcaster},
            {"vgt_index_dma", make_vgt_index_dma},
            {"vgt", make_vgt},
            {"cu", make_cu},
            {"crossbar", make_crossbar},
            {"ih", make_ih},
            {"pa", make_pa},
            {"gs_messages", make_gs_messages},
            {"shader_interrupts", make_shader_interrupts},
            {"perf", make_perf},
            {"dma", make_dma},
            {"sem", make_sem}};
}

std::vector<Block> gcn_blocks_on_pins() {
    return {{"grbm_on_pins", make_grbm_on_pins}, {"l1_on_pins", make_l1_on_pins},
            {"l2_on_pins", make_l2_on_pins},     {"mc_on_pins", make_mc_on_pins},
            {"spi_on_pins", make_spi_on_pins},   {"cu_on_pins", make_cu_on_pins}};
}

}  // namespace archipelago::control_test
