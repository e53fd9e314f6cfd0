// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/functional_chip.h"

#include "models/common/memory_log.h"

namespace archipelago::gcn {

FunctionalChip::FunctionalChip(const Build& build, FrontEnd& front,
                               tlm::tlm_initiator_socket<>& socket)
    : machine(build.config, build.options, front.srbm, front.grbm_model, front.cp, front.spi,
              front.vgt, front.block<raster::RasterBlock>(), front.gds.get(), front.async_dma,
              socket),
      interrupt_memory_(machine.memory()) {
    if (front.gds)
        build.net.add(build.engine, *front.gds, "gds");
    machine.set_tiling(front.block<gb::GbBlock>().tiling());
    front.block<gb::GbBlock>().on_write = [this](const surface::TilingWrite& w) {
        machine.write_tiling(w);
    };
    machine.on_reset = [&front](uint32_t bits) { front.soft_reset.reset(bits); };
    machine.on_system_reset = [&front](uint32_t bits) { front.system_soft_reset.reset(bits); };
    connect_interrupts(front);
    connect_counters(front);
    const Observers observers{build.options.trace, build.options.log, build.engine.period_fs()};
    if (LogSink* log = memory_log(observers))
        log->line(LogCategory::Mem, 0, "functional",
                  "memory is reached without transactions, cycle mode has some");
    machine.observe_dma(observers);
    front.srbm.observe(observers, "srbm");
    front.grbm.observe(observers, "grbm");
    const Observers log_only{nullptr, build.options.log, build.engine.period_fs()};
    front.spi.observe(log_only, "spi");
    front.vgt.observe(log_only, "vgt");
}

void FunctionalChip::connect_interrupts(FrontEnd& front) {
    if (!front.ih) {
        machine.on_interrupt = [](const Interrupt& i) { NoInterruptHandler::stop(i); };
        machine.on_idle = [] {};
        front.srbm.on_read_error = front.grbm.on_read_error = [](const ReadError& error) {
            NoInterruptHandler::stop(error);
        };
        return;
    }
    ih::IhCore& ih = *front.ih;
    machine.on_interrupt = [&ih](const Interrupt& i) { ih.take(i); };
    machine.on_idle = [&ih] { ih.engine_idle(); };
    front.srbm.on_read_error =
        front.grbm.on_read_error = [&ih](const ReadError& error) { ih.read_error(error); };
    ih.attach(interrupt_memory_);
}

void FunctionalChip::connect_counters(FrontEnd& front) {
    machine.use_perfcounter(front.cp_count);
    front.perf().use_clock([this] { return machine.gpu_clock(); });
    machine.on_perf_event = [&front](uint8_t type) { front.perf().take_event(0, type); };
    // Waves export into counters of their own.
    StatsRegistry exports;
    spi::register_exports(UnitStats(exports, "spi"), machine.exports());
    front.perf().connect_counters(exports);
}

}  // namespace archipelago::gcn
