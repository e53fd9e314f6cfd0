// SPDX-License-Identifier: Apache-2.0
#include "models/asic/chip.h"

#include <utility>

#include "models/asic/functional.h"
#include "models/asic/message_funnel.h"
#include "models/asic/shader_interrupts.h"
#include "models/common/error.h"
#include "models/cp/cp_core.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/gb/gb_core.h"
#include "models/gds/gds_core.h"
#include "models/grbm/grbm_core.h"
#include "models/ih/ih_core.h"
#include "models/mc/mc_core.h"
#include "models/perf/perf_core.h"
#include "models/spi/primitive_sink.h"
#include "models/spi/spi_core.h"
#include "models/tc/action_hub.h"
#include "models/tc/sqc_data_core.h"
#include "models/tc/sqc_inst_core.h"
#include "models/tc/tcc_core.h"
#include "models/tc/tcp_core.h"
#include "models/vgt/vgt_core.h"
#include "registers/si_grbm.h"
#include "registers/si_names.h"
#include "tlm/clock_domain.h"
#include "tlm/crossbar_core.h"
#include "tlm/funnel.h"
#include "tlm/port.h"
#include "tlm/protocol_checker.h"

namespace archipelago::asic {
namespace {

using tlm_shell::ClockDomain;
using tlm_shell::MemoryInitiator;
using tlm_shell::MemoryTarget;
using tlm_shell::RegisterInitiator;
using tlm_shell::RegisterTargetPort;

std::string indexed(const char* name, unsigned index) {
    return name + std::to_string(index);
}

// Whether a page exists, asked of the memory itself.
class SocketPages : public tc::PageCheck {
  public:
    explicit SocketPages(tlm::tlm_initiator_socket<>& socket) : socket_(socket) {}
    bool is_mapped(uint64_t address) const override {
        tlm::tlm_generic_payload gp;
        uint8_t byte = 0;
        gp.set_command(tlm::TLM_READ_COMMAND);
        gp.set_address(address);
        gp.set_data_ptr(&byte);
        gp.set_data_length(1);
        gp.set_streaming_width(1);
        if (socket_->transport_dbg(gp) == 1)
            return true;
        // A memory without debug transport leaves the status as it was: it will say what is not
        // there when it is accessed.
        return gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE;
    }

  private:
    tlm::tlm_initiator_socket<>& socket_;
};

// Interrupts leave the chip here.
class InterruptOut : public ih::InterruptLine {
  public:
    explicit InterruptOut(tlm_shell::RunControl& run) : control(run) {}
    Chip::InterruptHandler handler;
    sc_core::sc_event event{"interrupt"};
    tlm_shell::RunControl& control;
    void raise(const Interrupt& interrupt) override {
        if (handler)
            handler(interrupt);
        control.notify(event, sc_core::SC_ZERO_TIME);
    }
};

// CP_PERFCOUNTER_HI/LO for CP's end-of-pipe events.
class CpCount : public cp::PerfCounterSource {
  public:
    CpCount(const perf::PerfCore& perf, const ClockDomain& clock) : perf_(perf), clock_(clock) {}
    uint64_t cp_perfcounter() const override { return perf_.cp_count(clock_.now()); }

  private:
    const perf::PerfCore& perf_;
    const ClockDomain& clock_;
};

// Where the interrupt ring lies in functional mode.
class InterruptMemory : public ih::IhMemory {
  public:
    explicit InterruptMemory(SocketMemory& memory) : memory_(memory) {}
    bool write(uint64_t address, const void* from, unsigned bytes, uint8_t) override {
        return memory_.write(address, from, bytes);
    }

  private:
    SocketMemory& memory_;
};

}  // namespace

// Builds every block and every link between them. The only place that knows them all.
struct Chip::Parts {
    Parts(Chip& chip, const ChipConfig& c, const ChipOptions& o);

    // ---- building
    void add(ClockDomain& clock, Clocked& unit) { clock.add(unit); }
    template <class Channel>
    void stall(Channel& channel) {
        if (options.stall_percent != 0)
            channel.random_stall(options.stall_seed * 7919 + ++stalled_channels,
                                 options.stall_percent);
    }
    template <class Initiator, class Target>
    void join(const std::string& name, Initiator& from, Target& to) {
        if (!options.check_protocol) {
            from.socket.bind(to.socket);
            return;
        }
        auto checker = std::make_unique<tlm_shell::ProtocolChecker>((name + "_check").c_str());
        from.socket.bind(checker->in);
        checker->out.bind(to.socket);
        modules.push_back(std::move(checker));
    }
    MemoryInitiator& initiator(const std::string& name, ClockDomain& clock, const LinkSpec& link,
                               Channel<MemResponse>& back, unsigned synchroniser = 0);
    MemoryTarget& target(const std::string& name, ClockDomain& clock, const LinkSpec& link,
                         Channel<MemRequest>& requests, unsigned synchroniser = 0);
    void build_registers();
    void build_compute();
    void build_memory();
    void observe();
    void count();
    void settle();

    Chip& chip;
    const ChipConfig config;
    const ChipOptions options;
    tlm_shell::RunControl control;
    tlm_shell::PayloadPool pool;
    ClockDomain engine;
    ClockDomain memory_clock;
    mc::ChannelMap map;
    SocketPages pages;

    grbm::GrbmCore grbm;
    cp::CpCore cp;
    spi::SpiCore spi;
    vgt::VgtCore vgt;
    spi::PrimitiveSink assembler;  // until there is a primitive assembler
    gb::GbCore gb;
    std::vector<std::unique_ptr<cu::CuCore>> cus;
    std::vector<std::unique_ptr<tc::TcpCore>> tcps;
    std::vector<std::unique_ptr<tc::SqcInstCore>> sqc_inst;
    std::vector<std::unique_ptr<tc::SqcDataCore>> sqc_data;
    std::vector<std::unique_ptr<tc::L2Channel>> tccs;
    std::vector<std::unique_ptr<mc::McCore>> mcs;
    crossbar::CrossbarCore fabric;
    crossbar::CrossbarCore hub;
    tc::ActionHub actions;
    InterruptOut interrupts;
    ih::IhCore ih;
    perf::PerfCore perf;
    CpCount cp_count;
    std::unique_ptr<InterruptMemory> interrupt_memory;
    gds::GdsCore gds;
    ShaderInterrupts shader_interrupts;
    MessageFunnel gs_messages;
    tlm_shell::Funnel funnel;
    RegisterTargetPort* host_registers_ = nullptr;
    std::vector<std::unique_ptr<sc_core::sc_module>> modules;
    std::vector<Control*> controls;  // every block, in the order of a reader's walk
    std::vector<std::string> names;
    std::unique_ptr<FunctionalMachine> functional;
    StatsRegistry registry;
    std::vector<const uint64_t*> cp_progress;
    uint64_t stalled_channels = 0;
    uint64_t functional_instructions = 0;
};

namespace {

crossbar::Route route_of(const mc::ChannelMap& map) {
    return {&mc::ChannelMap::route, &map};
}

// It takes what the channels of SPI's Spec for it say; nobody draws pixels.
spi::PrimitiveSinkSpec sink_spec(const ChipConfig& c) {
    return {c.spi.assembler, c.spi.assembler, false};
}

tc::ActionHubSpec action_spec(const ChipConfig& c) {
    return {c.cus(), c.sqcs(), c.channel_map.channels, c.action_latency};
}

}  // namespace

Chip::Parts::Parts(Chip& owner, const ChipConfig& c, const ChipOptions& o)
    : chip(owner),
      config(c),
      options(o),
      engine("engine", c.engine_period_fs, control),
      memory_clock("memory_clock", c.memory_period_fs, control),
      map(c.channel_map),
      pages(owner.memory),
      grbm(c.grbm),
      cp(c.cp, o.ce),
      spi(c.spi),
      vgt(c.vgt, o.index_dma),
      assembler(sink_spec(c)),
      gb(c.gb),
      fabric(c.fabric, route_of(map), "fabric"),
      hub(c.hub, route_of(map), "hub"),
      actions(action_spec(c)),
      interrupts(control),
      ih(c.ih, c.cp.strobe_latency),
      perf(c.perf),
      cp_count(perf, engine),
      gds(c.gds),
      shader_interrupts(c.gds.units, c.link_message, ih.in),
      gs_messages(c.gds.units, c.link_message, vgt.gs_messages, "gs_messages"),
      funnel("funnel", c.channel_map.channels, tlm_shell::FunnelPayloads::Pool, &control) {
    if (o.shuffle_seed != 0) {
        engine.scheduler().shuffle(o.shuffle_seed);
        memory_clock.scheduler().shuffle(o.shuffle_seed * 31 + 7);
    }
    if (o.run_ahead)
        control.run_ahead();
    build_registers();
    build_compute();
    build_memory();
    observe();
    count();
    if (o.mode == Mode::Functional) {
        functional = std::make_unique<FunctionalMachine>(config, options, grbm, cp, spi, vgt, gds,
                                                         owner.memory);
        functional->set_tiling(gb.tiling());
        gb.on_write = [this](const surface::TilingWrite& w) { functional->write_tiling(w); };
        functional->on_interrupt = [this](const Interrupt& i) { ih.take(i); };
        functional->on_idle = [this] { ih.engine_idle(); };
        grbm.on_read_error = [this](const ReadError& error) { ih.read_error(error); };
        interrupt_memory = std::make_unique<InterruptMemory>(functional->memory());
        ih.attach(*interrupt_memory);
        functional->use_perfcounter(cp_count);
        perf.use_clock([this] { return functional->gpu_clock(); });
        // Waves export into a book of their own.
        StatsRegistry exports;
        spi::register_exports(exports, "spi", functional->exports());
        perf.connect_counters(exports);
        functional->on_perf_event = [this](uint8_t type) { perf.take_event(0, type); };
        functional->on_error = [this](std::exception_ptr e) { control.fail(std::move(e)); };
        funnel.on_invalidate = [this](uint64_t first, uint64_t last) {
            functional->memory().forget(first, last);
        };
    }
}

MemoryInitiator& Chip::Parts::initiator(const std::string& name, ClockDomain& clock,
                                        const LinkSpec& link, Channel<MemResponse>& back,
                                        unsigned synchroniser) {
    auto port = std::make_unique<MemoryInitiator>(name.c_str(), clock, pool, link.depth,
                                                  link.latency, synchroniser);
    MemoryInitiator& p = *port;
    p.connect(back);
    p.allow_direct_link();
    stall(p.requests);
    stall(back);
    modules.push_back(std::move(port));
    return p;
}

MemoryTarget& Chip::Parts::target(const std::string& name, ClockDomain& clock, const LinkSpec& link,
                                  Channel<MemRequest>& requests, unsigned synchroniser) {
    auto port =
        std::make_unique<MemoryTarget>(name.c_str(), clock, link.depth, link.latency, synchroniser);
    MemoryTarget& p = *port;
    p.connect(requests);
    stall(p.responses);
    stall(requests);
    modules.push_back(std::move(port));
    return p;
}

// Host -> GRBM -> CP, SPI; CP -> GRBM.
void Chip::Parts::build_registers() {
    const LinkSpec& link = config.link_register;
    engine.add(grbm);
    controls.push_back(&grbm);
    names.emplace_back("grbm");
    for (Clocked* unit : cp.units())
        engine.add(*unit);
    controls.push_back(&cp);
    names.emplace_back("cp");
    engine.add(spi);
    controls.push_back(&spi);
    names.emplace_back("spi");
    engine.add(vgt);
    controls.push_back(&vgt);
    names.emplace_back("vgt");
    engine.add(vgt.index_dma());
    controls.push_back(&vgt.index_dma());
    names.emplace_back("vgt.index_dma");
    engine.add(assembler);
    controls.push_back(&assembler);
    names.emplace_back("assembler");
    engine.add(gb);
    controls.push_back(&gb);
    names.emplace_back("gb");
    engine.add(ih);
    controls.push_back(&ih);
    names.emplace_back("ih");
    ih.connect_line(interrupts);
    engine.add(perf);
    controls.push_back(&perf);
    names.emplace_back("perf");
    cp.connect_perf_events(&perf.events);
    cp.use_perfcounter(cp_count);

    const auto source = [&](unsigned index, const char* name) -> RegisterTargetPort& {
        auto port = std::make_unique<RegisterTargetPort>(name, engine, link.depth, link.latency);
        RegisterTargetPort& p = *port;
        p.connect(grbm.request[index]);
        grbm.connect_response(static_cast<RegSource>(index), &p.responses);
        stall(p.responses);
        modules.push_back(std::move(port));
        return p;
    };
    const auto port = [&](unsigned index, const std::string& name, Channel<RegRequest>& requests,
                          auto connect_back) {
        auto from = std::make_unique<RegisterInitiator>((name + "_out").c_str(), engine, pool,
                                                        link.depth, link.latency);
        auto to = std::make_unique<RegisterTargetPort>((name + "_in").c_str(), engine, link.depth,
                                                       link.latency);
        // Status registers of the others show whether a request is on its way.
        if (index == grbm::kSpi || index == grbm::kVgt) {
            from->allow_direct_link();
            from->on_direct_link = [this, index](AheadSink<RegRequest>& sink) {
                if (index == grbm::kSpi)
                    grbm.hold_for(index, sink, [this](Cycle now) { return spi.rests(now); });
                else
                    grbm.hold_for(index, sink, [this](Cycle now) { return vgt.rests(now); });
            };
        }
        grbm.connect_port(index, &from->requests);
        from->connect(grbm.response[index]);
        to->connect(requests);
        connect_back(to->responses);
        stall(from->requests);
        stall(to->responses);
        join(name, *from, *to);
        modules.push_back(std::move(from));
        modules.push_back(std::move(to));
    };
    RegisterTargetPort& host = source(kRegFromHost, "grbm_host");
    chip.registers.bind(host.socket);
    host_registers_ = &host;

    RegisterTargetPort& from_cp = source(kRegFromCp, "grbm_cp");
    auto cp_bus =
        std::make_unique<RegisterInitiator>("cp_bus", engine, pool, link.depth, link.latency);
    cp.connect_register_bus(&cp_bus->requests);
    cp_bus->connect(cp.register_bus_response());
    cp_bus->allow_direct_link();
    cp_bus->on_direct_link = [this](AheadSink<RegRequest>& sink) { cp.pass_registers_ahead(sink); };
    stall(cp_bus->requests);
    join("cp_bus", *cp_bus, from_cp);
    modules.push_back(std::move(cp_bus));

    port(grbm::kCp, "grbm_to_cp", cp.register_request(),
         [&](Channel<RegResponse>& back) { cp.connect_register_response(&back); });
    port(grbm::kSpi, "grbm_to_spi", spi.registers,
         [&](Channel<RegResponse>& back) { spi.connect_registers(back); });
    port(grbm::kVgt, "grbm_to_vgt", vgt.registers,
         [&](Channel<RegResponse>& back) { vgt.connect_registers(back); });
    port(grbm::kGb, "grbm_to_gb", gb.registers,
         [&](Channel<RegResponse>& back) { gb.connect_registers(back); });
    port(grbm::kIh, "grbm_to_ih", ih.registers,
         [&](Channel<RegResponse>& back) { ih.connect_registers(back); });
    port(grbm::kPerf, "grbm_to_perf", perf.registers,
         [&](Channel<RegResponse>& back) { perf.connect_registers(back); });
    grbm.attach(grbm::kCp, &cp.register_file());
    grbm.attach(grbm::kSpi, &spi);
    grbm.attach(grbm::kVgt, &vgt);
    port(grbm::kGds, "grbm_to_gds", gds.registers,
         [&](Channel<RegResponse>& back) { gds.connect_registers(back); });
    grbm.attach(grbm::kGb, &gb);
    grbm.attach(grbm::kGds, &gds);
    grbm.attach(grbm::kIh, &ih);
    grbm.attach(grbm::kPerf, &perf);
    if (options.grbm != nullptr)
        grbm.use_pins(*options.grbm);
    if (options.pfp != nullptr)
        cp.use_pfp_pins(*options.pfp);
    else if (options.work_ahead)
        cp.work_ahead(&grbm);

    spi.connect_events(cp.event_done());
    vgt.connect_spi(spi.from_vgt());
    spi.connect_stage_done(vgt.stage_done);
    vgt.connect_primitives(assembler.primitives);
    vgt.connect_samples(cp.expect_samples());
    spi.connect_vertices(assembler.vertices);
    assembler.connect_free(spi.from_assembler());
    stall(spi.from_vgt());
    stall(assembler.primitives);
    stall(assembler.vertices);
    stall(spi.from_assembler());
    if (options.allocator != nullptr)
        spi.use_allocator(options.allocator);
    cp.connect_interrupt(&ih.in);
    grbm.connect_read_errors(ih.read_errors);

    using grbm::Status;
    namespace typed = regs::si::typed;
    const auto bit = [](auto field) { return static_cast<unsigned>(__builtin_ctz(field.raw)); };
    // A bit of a status register, and the event of its block's counters (GRBM_PERF_SEL,
    // GRBM_SE0_PERF_SEL) that counts it.
    using perf::Block;
    constexpr uint16_t kGuiActive = 2;
    std::vector<const Wire<bool>*> gui;
    const auto signal = [&](auto field, uint16_t event, const Wire<bool>* wire) {
        gui.push_back(wire);
        grbm.add_busy(Status::Status, bit(field), wire);
        perf.add_busy(Block::Grbm, event, wire);
        perf.add_busy(Block::Grbm, kGuiActive, wire);
    };
    for (const Wire<bool>* wire : cp.busy_wires())
        signal(typed::GRBM_STATUS{}.set_CP_BUSY(1), 0x03, wire);
    signal(typed::GRBM_STATUS{}.set_CP_COHERENCY_BUSY(1), 0x04, cp.coherency_busy_wire());
    signal(typed::GRBM_STATUS{}.set_SPI_BUSY(1), 0x0B, &spi.busy);
    signal(typed::GRBM_STATUS{}.set_GDS_BUSY(1), 0x19, &gds.busy);
    signal(typed::GRBM_STATUS{}.set_SX_BUSY(1), 0x0C, &spi.sx_busy);
    signal(typed::GRBM_STATUS{}.set_VGT_BUSY(1), 0x11, &vgt.busy);
    signal(typed::GRBM_STATUS{}.set_IA_BUSY(1), 0x17, &vgt.ia_busy);
    signal(typed::GRBM_STATUS{}.set_IA_BUSY(1), 0x17, &vgt.index_dma().busy);
    signal(typed::GRBM_STATUS{}.set_IA_BUSY_NO_DMA(1), 0x18, &vgt.ia_busy_no_dma);
    // From CP over the register bus to the block that gets busy.
    ih.watch_engine(gui, config.cp.strobe_latency + 2 * config.link_register.latency +
                             config.grbm.request.latency + config.vgt.registers.latency +
                             config.spi.registers.latency + 2);
    for (unsigned se = 0; se < config.shader_engines; ++se) {
        const Status status = se == 0 ? Status::Se0 : Status::Se1;
        const Block block = se == 0 ? Block::GrbmSe0 : Block::GrbmSe1;
        const auto of_engine = [&](auto field, uint16_t event, const Wire<bool>* wire) {
            grbm.add_busy(status, bit(field), wire);
            perf.add_busy(block, event, wire);
        };
        of_engine(typed::GRBM_STATUS_SE0{}.set_SPI_BUSY(1), 0x06, &spi.se_busy[se]);
        of_engine(typed::GRBM_STATUS_SE0{}.set_SX_BUSY(1), 0x07, &spi.se_sx_busy[se]);
        of_engine(typed::GRBM_STATUS_SE0{}.set_VGT_BUSY(1), 0x0D, &vgt.busy);
    }
    // VGT_PERFCOUNT_SELECT, IA_PERFCOUNT_SELECT, SPI_PERFCNT_SEL (in the order of kind_of).
    perf.add_busy(Block::Ia, 0x09, &vgt.ia_busy);
    perf.add_busy(Block::Ia, 0x09, &vgt.index_dma().busy);
    perf.add_busy(Block::Vgt, 0x40, &vgt.busy);
    perf.add_busy(Block::Vgt, 0x41, &vgt.gs_busy);
    perf.add_busy(Block::Vgt, 0x7C, &vgt.hs_busy);
    constexpr uint16_t kKindBusy[spi::kWaveKinds] = {0x46, 0x01, 0x11, 0x1A,
                                                     0x26, 0x30, 0x3A, 0x40};
    for (unsigned kind = 0; kind < spi::kWaveKinds; ++kind)
        perf.add_busy(Block::Spi, kKindBusy[kind], &spi.kind_busy[kind]);
}

// SPI -> CUs; CUs -> L1, instruction cache, scalar cache; these -> fabric.
void Chip::Parts::build_compute() {
    const LinkSpec& link = config.link_l1;
    engine.add(fabric);
    engine.add(actions);
    unsigned source = 0;
    // A cache below a client: its requests enter the fabric at the next port.
    const auto to_fabric = [&](const std::string& name, Channel<MemResponse>& back,
                               auto connect_requests) -> MemoryInitiator& {
        MemoryInitiator& from = initiator(name + "_out", engine, link, back);
        connect_requests(from.requests);
        MemoryTarget& to = target(name + "_in", engine, link, fabric.request_in(source));
        fabric.connect_response_out(source, to.responses);
        ++source;
        join(name, from, to);
        return from;
    };
    const auto decode_cache = std::make_shared<cu::DecodeCache>();
    for (unsigned i = 0; i < config.cus(); ++i) {
        cu::CuIdentity id;
        id.name = config.cu_name(i);
        const unsigned per_se = config.sh_per_se * config.cu_per_sh;
        const unsigned in_sh = i % config.cu_per_sh;
        id.position = {static_cast<uint8_t>(i / per_se),
                       static_cast<uint8_t>(i % per_se / config.cu_per_sh),
                       static_cast<uint8_t>(in_sh)};
        id.source = static_cast<uint16_t>(i);
        id.cache_port = static_cast<uint16_t>(in_sh % config.cus_per_sqc);
        cus.push_back(std::make_unique<cu::CuCore>(config.cu, id, decode_cache));
        cus.back()->use_valu(options.valu);
        cus.back()->use_issue(options.issue);
        cus.back()->use_lds(options.lds);
        tcps.push_back(std::make_unique<tc::TcpCore>(config.tcp, id.name + ".l1"));
    }
    for (unsigned i = 0; i < config.sqcs(); ++i) {
        sqc_inst.push_back(
            std::make_unique<tc::SqcInstCore>(config.sqc_inst, i, indexed("sqc.inst", i)));
        sqc_data.push_back(
            std::make_unique<tc::SqcDataCore>(config.sqc_data, i, indexed("sqc.data", i)));
    }
    for (unsigned i = 0; i < config.cus(); ++i) {
        cu::CuCore& cu = *cus[i];
        tc::TcpCore& l1 = *tcps[i];
        engine.add(cu);
        engine.add(l1);
        controls.push_back(&cu);
        names.push_back(config.cu_name(i));
        controls.push_back(&l1);
        names.push_back(config.cu_name(i) + ".l1");
        spi.connect_cu(i, cu.launch_in);
        cu.set_tiling(gb.tiling());
        cu.connect_tiling(gb.add_unit());
        cu.connect_done(spi.wave_done(i));
        cu.connect_memory(l1.from_cu);
        l1.connect_cu(cu.mem_in);
        to_fabric(indexed("l1_", i), l1.from_l2, [&](Channel<MemRequest>& out) {
            l1.connect_l2(out);
        }).knows_answers_by_tag();
        const unsigned sh = i / config.cu_per_sh;
        const unsigned group =
            sh * config.sqcs_per_sh() + i % config.cu_per_sh / config.cus_per_sqc;
        const unsigned member = i % config.cu_per_sh % config.cus_per_sqc;
        cu.connect_fetch(sqc_inst[group]->from_cu(member));
        sqc_inst[group]->connect_cu(member, cu.fetch_in);
        cu.connect_scalar(sqc_data[group]->from_cu(member));
        sqc_data[group]->connect_cu(member, cu.scalar_in);
        cu.connect_gds(gds.from_unit(i));
        gds.connect_unit(i, cu.gds_in);
        cu.connect_interrupt_messages(shader_interrupts.from_cu(i));
        cu.connect_graphics_messages(gs_messages.from_cu(i));
        cu.connect_export(spi.from_exports(i));
        stall(gs_messages.from_cu(i));
        stall(spi.from_exports(i));
        stall(gds.from_unit(i));
        stall(cu.gds_in);
        stall(shader_interrupts.from_cu(i));
        cu.connect_l1_action(actions.from_cu(i));
        actions.connect_cu(i, cu.l1_action_done_in);
        actions.connect_l1(i, l1.actions);
        l1.connect_action_done(actions.l1_done(i));
        stall(cu.launch_in);
        stall(cu.mem_in);
        stall(cu.fetch_in);
        stall(cu.scalar_in);
        stall(l1.from_cu);
    }
    for (unsigned i = 0; i < config.sqcs(); ++i) {
        tc::SqcInstCore& inst = *sqc_inst[i];
        tc::SqcDataCore& data = *sqc_data[i];
        engine.add(inst);
        engine.add(data);
        controls.push_back(&inst);
        names.push_back(indexed("sqc.inst", i));
        controls.push_back(&data);
        names.push_back(indexed("sqc.data", i));
        to_fabric(indexed("sqc_inst_", i), inst.from_l2, [&](Channel<MemRequest>& out) {
            inst.connect_l2(out);
        }).knows_answers_by_tag();
        to_fabric(indexed("sqc_data_", i), data.from_l2, [&](Channel<MemRequest>& out) {
            data.connect_l2(out);
        }).knows_answers_by_tag();
        actions.connect_inst(i, inst.actions);
        inst.connect_action_done(actions.inst_done(i));
        actions.connect_data(i, data.actions);
        data.connect_action_done(actions.data_done(i));
    }
    to_fabric("cp_l2", cp.l2_response(), [&](Channel<MemRequest>& out) { cp.connect_l2(&out); });
    cp.connect_caches(&actions.from_cp);
    actions.connect_cp(cp.cache_done());
    cp.connect_gds(&gds.from_cp());
    gds.connect_cp(cp.gds_response());
    stall(gds.from_cp());
    stall(cp.gds_response());
    engine.add(gds);
    controls.push_back(&gds);
    names.emplace_back("gds");
    engine.add(shader_interrupts);
    controls.push_back(&shader_interrupts);
    names.emplace_back("shader_interrupts");
    engine.add(gs_messages);
    controls.push_back(&gs_messages);
    names.emplace_back("gs_messages");
    controls.push_back(&fabric);
    names.emplace_back("fabric");
    controls.push_back(&actions);
    names.emplace_back("cache_actions");
}

// Fabric -> L2 channels -> memory controllers; CP -> hub -> memory controllers; these -> memory.
void Chip::Parts::build_memory() {
    engine.add(hub);
    const unsigned sync = config.synchroniser;
    MemoryInitiator& cp_out = initiator("cp_hub_out", engine, config.link_hub, cp.hub_response());
    cp.connect_hub(&cp_out.requests);
    MemoryTarget& hub_in = target("cp_hub_in", engine, config.link_hub, hub.request_in(0));
    hub.connect_response_out(0, hub_in.responses);
    join("cp_hub", cp_out, hub_in);
    MemoryInitiator& ih_out = initiator("ih_hub_out", engine, config.link_hub, ih.from_memory);
    ih.connect_memory(ih_out.requests);
    MemoryTarget& ih_in = target("ih_hub_in", engine, config.link_hub, hub.request_in(1));
    hub.connect_response_out(1, ih_in.responses);
    join("ih_hub", ih_out, ih_in);
    MemoryInitiator& index_out =
        initiator("index_hub_out", engine, config.link_hub, vgt.index_dma().response);
    vgt.index_dma().connect_memory(&index_out.requests);
    MemoryTarget& index_in = target("index_hub_in", engine, config.link_hub, hub.request_in(2));
    hub.connect_response_out(2, index_in.responses);
    join("index_hub", index_out, index_in);
    for (unsigned i = 0; i < config.channel_map.channels; ++i) {
        const std::string name = indexed("tcc", i);
        if (options.l2 != nullptr)
            tccs.push_back(options.l2->make(config.tcc, config.channel_map, &pages, i, name));
        else
            tccs.push_back(std::make_unique<tc::TccCore>(config.tcc, map, &pages, i, name));
        mcs.push_back(std::make_unique<mc::McCore>(config.mc, map, indexed("mc", i)));
        tc::L2Channel& l2 = *tccs.back();
        mc::McCore& mc = *mcs.back();
        engine.add(l2);
        memory_clock.add(mc);
        controls.push_back(&l2);
        names.push_back(name);
        controls.push_back(&mc);
        names.push_back(indexed("mc", i));

        const std::string l2_name = indexed("tcc_", i);
        MemoryInitiator& to_l2 =
            initiator(l2_name + "_out", engine, config.link_l2, fabric.response_in(i));
        fabric.connect_request_out(i, to_l2.requests);
        to_l2.knows_answers_by_tag();  // and by the port, which L2 repeats
        MemoryTarget& at_l2 = target(l2_name + "_in", engine, config.link_l2, l2.from_fabric);
        l2.connect_fabric(at_l2.responses);
        join(l2_name, to_l2, at_l2);
        actions.connect_l2(i, l2.actions);
        l2.connect_action_done(actions.l2_done(i));

        const std::string mc_name = indexed("mc_l2_", i);
        MemoryInitiator& to_mc =
            initiator(mc_name + "_out", engine, config.link_mc, l2.from_memory, sync);
        l2.connect_memory(to_mc.requests);
        to_mc.knows_answers_by_tag();
        MemoryTarget& at_mc =
            target(mc_name + "_in", memory_clock, config.link_mc, mc.from_l2, sync);
        mc.connect_l2(at_mc.responses);
        join(mc_name, to_mc, at_mc);

        const std::string hub_name = indexed("mc_hub_", i);
        MemoryInitiator& hub_out =
            initiator(hub_name + "_out", engine, config.link_hub, hub.response_in(i), sync);
        hub.connect_request_out(i, hub_out.requests);
        hub_out.knows_answers_by_tag();
        MemoryTarget& at_hub =
            target(hub_name + "_in", memory_clock, config.link_hub, mc.from_hub, sync);
        mc.connect_hub(at_hub.responses);
        join(hub_name, hub_out, at_hub);

        MemoryInitiator& store =
            initiator(indexed("store_", i), memory_clock, config.link_store, mc.from_store);
        mc.connect_store(store.requests);
        if (options.run_ahead && !options.check_protocol)
            store.use_direct_memory();
        store.socket.bind(funnel.input(i));
    }
    controls.push_back(&hub);
    names.emplace_back("hub");
    if (options.check_protocol) {
        auto checker = std::make_unique<tlm_shell::ProtocolChecker>("memory_check");
        funnel.out.bind(checker->in);
        checker->out.bind(chip.memory);
        modules.push_back(std::move(checker));
    } else {
        funnel.out.bind(chip.memory);
    }
}

void Chip::Parts::observe() {
    const Observers e{options.trace, options.log, config.engine_period_fs};
    const Observers m{options.trace, options.log, config.memory_period_fs};
    grbm.observe(e, "grbm");
    if (options.mode == Mode::Functional) {
        spi.observe({nullptr, options.log, config.engine_period_fs}, "spi");
        vgt.observe({nullptr, options.log, config.engine_period_fs}, "vgt");
        return;
    }
    cp.observe(e, "cp");
    ih.observe(e, "ih");
    spi.observe(e, "spi");
    vgt.observe(e, "vgt");
    for (unsigned i = 0; i < cus.size(); ++i) {
        cus[i]->observe(e, config.cu_name(i));
        tcps[i]->observe(e, config.cu_name(i) + ".l1");
    }
    for (unsigned i = 0; i < sqc_inst.size(); ++i) {
        sqc_inst[i]->observe(e, indexed("sqc.inst", i));
        sqc_data[i]->observe(e, indexed("sqc.data", i));
    }
    for (unsigned i = 0; i < tccs.size(); ++i) {
        tccs[i]->observe(e, indexed("tcc", i));
        mcs[i]->observe(m, indexed("mc", i));
    }
    fabric.observe(e, "fabric");
    hub.observe(e, "hub");
}

// What CP has worked out ahead goes no further than the present. The clock is a method, which the
// kernel runs before the threads that look: the edge of this moment is over.
void Chip::Parts::settle() {
    if (options.mode == Mode::Cycle)
        cp.settle(engine.now() + 1);
}

void Chip::Parts::count() {
    grbm.register_stats(registry, "grbm");
    cp.register_stats(registry, "cp");
    spi.register_stats(registry, "spi");
    vgt.register_stats(registry, "vgt");
    assembler.register_stats(registry, "assembler");
    gb.register_stats(registry, "gb");
    ih.register_stats(registry, "ih");
    for (unsigned i = 0; i < cus.size(); ++i) {
        cus[i]->register_stats(registry, config.cu_name(i));
        tcps[i]->register_stats(registry, config.cu_name(i) + ".l1");
    }
    for (unsigned i = 0; i < sqc_inst.size(); ++i) {
        sqc_inst[i]->register_stats(registry, indexed("sqc.inst", i));
        sqc_data[i]->register_stats(registry, indexed("sqc.data", i));
    }
    gds.register_stats(registry, "gds");
    fabric.register_stats(registry, "fabric");
    for (unsigned i = 0; i < tccs.size(); ++i)
        tccs[i]->register_stats(registry, indexed("tcc", i));
    hub.register_stats(registry, "hub");
    for (unsigned i = 0; i < mcs.size(); ++i)
        mcs[i]->register_stats(registry, indexed("mc", i));
    actions.register_stats(registry, "cache_actions");
    perf.connect_counters(registry);
    // What CP moves; polls that fail move nothing.
    for (const Counter& counter : registry.counters())
        if (counter.unit_path.rfind("cp", 0) == 0 &&
            (counter.name == "dwords" || counter.name == "bytes"))
            cp_progress.push_back(counter.value);
}

// ---- the module ---------------------------------------------------------------------------------

Chip::Chip(const sc_core::sc_module_name& name, const ChipConfig& config,
           const ChipOptions& options)
    : sc_core::sc_module(name), parts_(std::make_unique<Parts>(*this, config, options)) {
    if (parts_->functional)
        parts_->host_registers_->set_direct(parts_->functional.get());
}

Chip::~Chip() = default;

void Chip::on_interrupt(InterruptHandler handler) {
    parts_->interrupts.handler = std::move(handler);
}
const sc_core::sc_event& Chip::interrupt_event() const {
    return parts_->interrupts.event;
}

uint64_t Chip::cycles() const {
    return parts_->options.mode == Mode::Cycle ? parts_->engine.now() : 0;
}

bool Chip::idle() const {
    for (const Control* block : parts_->controls)
        if (!block->idle())
            return false;
    return true;
}

std::string Chip::waiting_for() const {
    return to_text(hang_report());
}

HangReport Chip::hang_report() const {
    HangReport report;
    const Parts& p = *parts_;
    parts_->settle();
    if (p.functional) {
        report.cp = p.functional->report();
        const std::string waits = p.functional->waiting_for();
        if (!waits.empty())
            report.units.emplace_back("cp", waits);
        return report;
    }
    report.cp = p.cp.report();
    for (size_t i = 0; i < p.controls.size(); ++i) {
        const std::string waits = p.controls[i]->waiting_for();
        if (!waits.empty())
            report.units.emplace_back(p.names[i], waits);
    }
    for (size_t i = 0; i < p.cus.size(); ++i)
        report_waves(p.config.cu_name(static_cast<unsigned>(i)), p.cus[i]->spec(),
                     p.cus[i]->state(), report);
    return report;
}

uint64_t Chip::progress() const {
    const Parts& p = *parts_;
    parts_->settle();
    if (p.functional)
        return p.functional->packets();
    uint64_t n = p.spi.state().counters.waves_done + p.spi.state().counters.register_writes +
                 p.vgt.state().counters.indices + p.vgt.state().counters.primitives_out +
                 p.vgt.state().counters.register_writes;
    for (const uint64_t* counter : p.cp_progress)
        n += *counter;
    for (const auto& cu : p.cus)
        for (const uint64_t c : cu->state().counters.work.instructions)
            n += c;
    return n;
}

WorkDone Chip::work() const {
    const Parts& p = *parts_;
    cu::WorkCounters sum;
    const auto take = [&](const cu::WorkCounters& w) {
        sum.waves += w.waves;
        for (unsigned i = 0; i < cu::kClasses; ++i)
            sum.instructions[i] += w.instructions[i];
    };
    if (p.functional)
        take(p.functional->stats().work);
    else
        for (const auto& cu : p.cus)
            take(cu->state().counters.work);
    WorkDone done;
    done.waves = sum.waves;
    for (unsigned i = 0; i < cu::kClasses; ++i) {
        done.instructions += sum.instructions[i];
        done.by_class.emplace_back(cu::class_name(static_cast<isa::Class>(i)), sum.instructions[i]);
    }
    return done;
}

const StatsRegistry& Chip::stats() const {
    parts_->settle();
    return parts_->registry;
}
std::exception_ptr Chip::error() const {
    return parts_->control.error();
}
void Chip::fail(std::exception_ptr error) {
    parts_->control.fail(std::move(error));
}
const ChipConfig& Chip::config() const {
    return parts_->config;
}
const ChipOptions& Chip::options() const {
    return parts_->options;
}
uint64_t Chip::engine_steps() const {
    return parts_->engine.scheduler().steps();
}
uint64_t Chip::engine_ticks() const {
    return parts_->engine.scheduler().ticks();
}

}  // namespace archipelago::asic
