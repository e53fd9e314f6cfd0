// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/functional.h"

#include <string>
#include <utility>

#include "models/asic/gcn/shader_interrupts.h"
#include "models/asic/gcn/soft_reset_bits.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/gcn/vgt_event.h"
#include "registers/si_names.h"

namespace archipelago::gcn {
namespace {

uint64_t instructions(const cu::WorkCounters& work) {
    uint64_t n = 0;
    for (const uint64_t c : work.instructions)
        n += c;
    return n;
}

}  // namespace

// ---- machine ----------------------------------------------------------------------------------

FunctionalMachine::FunctionalMachine(const ChipConfig& config, const asic::ChipOptions& options,
                                     srbm::SrbmCore& srbm, grbm::GrbmCore& grbm, cp::CpCore& cp,
                                     spi::SpiCore& spi, vgt::VgtCore& vgt,
                                     const raster::RasterCore& raster, gds::GdsCore* gds,
                                     const std::vector<std::unique_ptr<dma::DmaCore>>& async_dma,
                                     tlm::tlm_initiator_socket<>& socket)
    : asic::FunctionalMachine(socket, options.address_spaces),
      config_(config),
      srbm_(srbm),
      grbm_(grbm),
      spi_(spi),
      vgt_(vgt),
      dma_(async_dma, memory()),
      functional_(config.cp, cp.register_file(), cp.de_state(), *this),
      cu_(config.cu, memory(), {"functional", {}, 0, 0}),
      gds_(gds != nullptr ? std::make_unique<gds::FunctionalGds>(config.gds, gds->contents())
                          : nullptr),
      caches_(options.warm_caches ? std::make_unique<WarmCaches>(config, options.address_spaces)
                                  : nullptr),
      graphics_(spi, cu_, stats_),
      raster_(config, raster, graphics_, memory()) {
    cu_.connect({gds_.get(), &graphics_, this, this, caches_.get(), options.while_busy});
    vgt_ports_.message = [this](const VgtMessage& message) { run_graphics(message); };
    vgt_ports_.primitive = [this](const PrimitiveMessage& p) { raster_.take(p); };
    // As many as a wave takes, whether they come to one or not.
    vgt_ports_.indices = [this](uint32_t draw) { count_waves(1, "draw " + std::to_string(draw)); };
    vgt_ports_.sample = [this](const SampleCounts& counts) { sample_ = counts; };
    vgt_ports_.read = [this](uint64_t line, uint64_t, uint8_t vmid, Line& data) {
        return memory().read(line, data.data(), kLineBytes, vmid) ? MemStatus::Ok
                                                                  : MemStatus::Unmapped;
    };
    dma_.read = [this](const RegRequest& r) { return srbm_.read(r); };
    dma_.write = [this](const RegRequest& r) {
        srbm_.write(r);
        hold_in_reset();
        run_work();
    };
    dma_.on_interrupt = [this](const Interrupt& i) { on_interrupt(i); };
    dma_.on_clock = [this] { return gpu_clock(); };
    functional_.attach();
    cu_.set_instruction_limit(options.wave_limit());
    work_limit_ = options.work_limit;
    cu_.set_log(options.log);
    cu_.use_retire(options.retire);
    functional_.observe({options.trace, options.log, config.identity.clock_period_fs}, "cp");
}

std::optional<uint32_t> FunctionalMachine::access(const RegRequest& request) {
    std::optional<uint32_t> value = 0;
    reads_ = waves_run_ = 0;
    const uint64_t packets = functional_.packets();
    if (request.write) {
        srbm_.write(request);
        hold_in_reset();
        run_work();
        run_rings();
    } else {
        // A ring that waits may go on by what others have written since.
        run_rings();
        value = srbm_.find(request);
    }
    if (functional_.packets() != packets && functional_.waiting_for().empty())
        on_idle();
    return value;
}

// Memory has been flushed, and code is decoded again.
void FunctionalMachine::archive(Archive& a) {
    a(dma_, functional_, cu_, stats_, graphics_, raster_, sample_, soft_reset_, system_soft_reset_);
}

void FunctionalMachine::archive_caches(Archive& a) {
    if (!caches_)
        return;
    if (!a.has(kWarmCaches))
        throw ArchiveError("the checkpoint was written by a run that did not follow its caches");
    caches_->archive(a, memory());
}

void FunctionalMachine::report(asic::HangReport& report) const {
    report.cp = functional_.report();
    if (const std::string waits = functional_.waiting_for(); !waits.empty())
        report.units.emplace_back("cp", waits);
    dma_.report(report);
}

// Until none can go on.
void FunctionalMachine::run_rings() {
    uint64_t before = 0;
    do {
        before = functional_.packets();
        functional_.run_all();
    } while (dma_.run() || functional_.packets() != before);
}

// After every write of the host while a bit of a reset register is set, the one that clears it
// included: what was written to a block in reset is lost.
void FunctionalMachine::hold_in_reset() {
    const auto held_by = [](const Wire<uint32_t>& bits, uint32_t& before) {
        const uint32_t level = bits.latest();
        return level | std::exchange(before, level);
    };
    if (const uint32_t held = held_by(srbm_.soft_reset, system_soft_reset_); held != 0)
        reset_system_blocks(held);
    if (const uint32_t held = held_by(grbm_.soft_reset, soft_reset_); held != 0)
        reset_blocks(held);
}

void FunctionalMachine::reset_system_blocks(uint32_t bits) {
    on_system_reset(bits);
    for (unsigned i = 0; i < config_.async_dma.engines.size(); ++i)
        if ((bits & SystemResetBits::dma(i)) != 0)
            dma_.reset(i);
}

void FunctionalMachine::reset_blocks(uint32_t bits) {
    on_reset(bits);
    if ((bits & SoftResetBits::kCp) != 0)
        functional_.reset();
    if ((bits & (SoftResetBits::kSpi | SoftResetBits::kVgt)) != 0)
        graphics_.reset();
    if ((bits & SoftResetBits::kAssembler) != 0)
        raster_.reset();
}

bool FunctionalMachine::reset() {
    reset_system_blocks(~uint32_t{0});
    reset_blocks(~uint32_t{0});
    cu_.drop_groups();
    return true;
}

uint32_t FunctionalMachine::reg_read(const RegRequest& request) {
    return grbm_.read(request);
}

void FunctionalMachine::reg_write(const RegRequest& request) {
    if (grbm_.write(request))
        run_work();
}

// What only keeps its value leaves run_work() nothing to do.
bool FunctionalMachine::reg_store(const RegRequest& request, const uint32_t* values,
                                  uint32_t count) {
    return grbm_.store(request, values, count);
}

// Packets come through here: a stream that keeps its own write pointer moving has no end.
inline void FunctionalMachine::count_read(uint64_t address) {
    if (++reads_ > work_limit_)
        stop_endless(address);
}

void FunctionalMachine::stop_endless(uint64_t address) const {
    throw MachineStop(StopKind::Hang, "cp",
                      std::to_string(work_limit_) +
                          " reads since the host's last register access, and the rings do not "
                          "run empty; the last was of address " +
                          hex(address));
}

bool FunctionalMachine::mem_read(uint64_t address, void* to, size_t bytes, uint8_t vmid) {
    count_read(address);
    return memory().read(address, to, bytes, vmid);
}
const uint8_t* FunctionalMachine::mem_view(uint64_t address, size_t& bytes, uint8_t vmid) {
    count_read(address);
    return memory().view(address, bytes, vmid);
}
bool FunctionalMachine::mem_write(uint64_t address, const void* from, size_t bytes, uint8_t vmid) {
    return memory().write(address, from, bytes, vmid);
}

// Dispatches and draws ran to their end when they were written, so every event has passed already;
// the vertex grouper does what it does at one.
void FunctionalMachine::event(uint8_t ring, uint8_t type) {
    if (is_counter_event(type) && on_perf_event)
        on_perf_event(type);
    RegRequest request;
    request.offset = regs::si::VGT_EVENT_INITIATOR;
    request.value = type;
    request.write = true;
    request.ring = ring;
    vgt_.write_register(request);
    vgt_.run(vgt_ports_);
    raster_.event(type);
    spi_.note_event(ring, type);
}

SampleCounts FunctionalMachine::samples(uint8_t event_type) {
    SampleCounts counts = sample_;
    if (event_type == vgt_event::kZpassDone)
        counts = {event_type, {}};  // VGT counts nothing for it
    if (event_type == vgt_event::kSamplePipelinestat) {
        counts.counts[SampleCounts::kCsInvocations] = spi_.cs_invocations();
        counts.counts[SampleCounts::kPsInvocations] = spi_.ps_invocations();
    }
    raster_.sample(counts);
    return counts;
}

// Programs that are written again must be decoded again.
void FunctionalMachine::cache_action(const CacheAction& action) {
    if (caches_)
        caches_->cache_action(action);
    if (action.invalidate_inst)
        cu_.new_dispatch();
}
void FunctionalMachine::interrupt(const Interrupt& interrupt) {
    on_interrupt(interrupt);
}
void FunctionalMachine::take(const ShaderMessage& message) {
    if (message.kind == ShaderMessage::Kind::Gs || message.kind == ShaderMessage::Kind::GsDone)
        vgt_.take_message(message);
    else
        on_interrupt(shader_interrupt(message));
}
// Without time the counter counts what was done: packets and instructions.
uint64_t FunctionalMachine::gpu_clock() {
    return functional_.packets() + instructions(stats_.work);
}

// Called after nearly every register write; there is rarely anything to do.
void FunctionalMachine::run_work() {
    if (spi_.queued())
        run_dispatches();
    if (vgt_.queued())
        vgt_.run(vgt_ports_);
}

// The compute units take the waves of draws in turn.
void FunctionalMachine::run_graphics(const VgtMessage& message) {
    const uint64_t before = graphics_.waves();
    if (caches_)
        caches_->run_on(static_cast<unsigned>(before % config_.cus()));
    graphics_.run(message);
    count_waves(graphics_.waves() - before, "draw " + std::to_string(message.draw));
}

// Bounds a draw, which can name more vertices than a run can execute.
void FunctionalMachine::count_waves(uint64_t waves, const std::string& where) {
    waves_run_ += waves;
    if (waves_run_ > work_limit_)
        throw MachineStop(StopKind::Hang, where,
                          "more than " + std::to_string(work_limit_) +
                              " waves since the host's last register access");
}

void FunctionalMachine::run_dispatches() {
    for (const spi::Dispatch& d : spi_.take_dispatches())
        run_dispatch(d);
}

void FunctionalMachine::run_dispatch(const spi::Dispatch& d) {
    cu_.new_dispatch();
    for (spi::GroupWalk walk(d); !walk.done(); walk.next(d)) {
        const spi::Group group = walk.current(d);
        waves_run_ += group.waves;
        if (waves_run_ > work_limit_)
            throw MachineStop(StopKind::Hang, "dispatch " + std::to_string(d.number),
                              "more than " + std::to_string(work_limit_) +
                                  " waves since the host's last register access, at group " +
                                  std::to_string(group.number) + " of " +
                                  std::to_string(d.groups()));
        waves_.clear();
        if (caches_)
            caches_->run_on(spi_.unit_when_idle(d, group));
        const uint32_t ordered = spi_.ordered_numbers().take(d, group);
        spi_.count_group(d.ring, group.waves);
        for (unsigned w = 0; w < group.waves; ++w) {
            WaveLaunch launch = spi::make_wave(d, group, w, w, ordered);
            launch.simd = static_cast<uint8_t>(w % config_.cu.simds);
            launch.slot = static_cast<uint8_t>(w / config_.cu.simds);
            waves_.push_back(launch);
        }
        cu_.start_group(waves_.data(), group.waves, stats_);
    }
    cu_.finish_groups(stats_);
}

}  // namespace archipelago::gcn
