// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/functional.h"

#include <algorithm>
#include <cstring>
#include <string>

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

// ---- memory -----------------------------------------------------------------------------------

uint8_t* SocketMemory::page(uint64_t address) {
    if (uint8_t* host = in_range(address))
        return host;
    const uint64_t number = address / kPage;
    if (const auto it = shadow_.find(number); it != shadow_.end())
        return it->second.data() + address % kPage;
    tlm::tlm_generic_payload gp;
    tlm::tlm_dmi dmi;
    gp.set_command(tlm::TLM_READ_COMMAND);
    gp.set_address(address);
    if (socket_->get_direct_mem_ptr(gp, dmi) && dmi.is_read_write_allowed()) {
        const Range range{dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr()};
        if (range.covers(address)) {
            add(range);
            return in_range(address);
        }
    }
    std::vector<uint8_t> bytes(kPage);
    if (!transfer(tlm::TLM_READ_COMMAND, number, bytes.data()))
        return nullptr;
    return shadow_.emplace(number, std::move(bytes)).first->second.data() + address % kPage;
}

cu::HostWindow SocketMemory::window(uint64_t address) {
    const uint64_t start = address / kPage * kPage;
    uint8_t* host = page(start);
    if (host == nullptr)
        return {};
    if (in_range(start) == nullptr)
        return {start, kPage, host};
    // Whole pages of what was granted.
    const Range& range = ranges_[last_];
    const uint64_t first = (range.first + kPage - 1) / kPage * kPage;
    const uint64_t bytes = (range.last - first + 1) / kPage * kPage;
    return {first, bytes, range.host + (first - range.first)};
}

uint8_t* SocketMemory::in_range(uint64_t address) {
    if (last_ < ranges_.size() && ranges_[last_].covers(address))
        return ranges_[last_].host + (address - ranges_[last_].first);
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), address,
                         [](uint64_t value, const Range& r) { return value < r.first; });
    if (after == ranges_.begin() || !(after - 1)->covers(address))
        return nullptr;
    last_ = static_cast<size_t>(after - 1 - ranges_.begin());
    return ranges_[last_].host + (address - ranges_[last_].first);
}

// A memory may say otherwise than before: the newest word replaces what it overlaps.
void SocketMemory::add(const Range& range) {
    ranges_.erase(std::remove_if(ranges_.begin(), ranges_.end(),
                                 [&](const Range& r) {
                                     return r.first <= range.last && range.first <= r.last;
                                 }),
                  ranges_.end());
    ranges_.insert(
        std::upper_bound(ranges_.begin(), ranges_.end(), range,
                         [](const Range& a, const Range& b) { return a.first < b.first; }),
        range);
}

// A page, through debug accesses; through blocking ones when the memory has none.
bool SocketMemory::transfer(tlm::tlm_command command, uint64_t page, uint8_t* bytes) {
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(page * kPage);
    gp.set_data_ptr(bytes);
    gp.set_data_length(kPage);
    gp.set_streaming_width(kPage);
    if (socket_->transport_dbg(gp) == kPage)
        return true;
    if (gp.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
        return false;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket_->b_transport(gp, delay);
    return gp.is_response_ok();
}

bool SocketMemory::read(uint64_t address, void* to, size_t bytes) {
    auto* out = static_cast<uint8_t*>(to);
    while (bytes != 0) {
        const size_t n = std::min<size_t>(bytes, kPage - address % kPage);
        const uint8_t* from = page(address);
        if (from == nullptr)
            return false;
        std::memcpy(out, from, n);
        out += n;
        address += n;
        bytes -= n;
    }
    return true;
}

const uint8_t* SocketMemory::view(uint64_t address, size_t& bytes) {
    if (last_ < ranges_.size()) {
        const Range& range = ranges_[last_];
        if (range.covers(address)) {
            // Whole pages only: the rest of one that was granted in part is in shadow_.
            bytes = std::min<uint64_t>(bytes, (range.last + 1) / kPage * kPage - address);
            return range.host + (address - range.first);
        }
    }
    bytes = std::min<size_t>(bytes, kPage - address % kPage);
    return page(address);
}

bool SocketMemory::write(uint64_t address, const void* from, size_t bytes) {
    const auto* in = static_cast<const uint8_t*>(from);
    while (bytes != 0) {
        const size_t n = std::min<size_t>(bytes, kPage - address % kPage);
        uint8_t* to = page(address);
        if (to == nullptr)
            return false;
        std::memcpy(to, in, n);
        in += n;
        address += n;
        bytes -= n;
    }
    return true;
}

void SocketMemory::flush() {
    std::map<uint64_t, std::vector<uint8_t>> pages;
    pages.swap(shadow_);
    for (auto& [number, bytes] : pages)
        if (!transfer(tlm::TLM_WRITE_COMMAND, number, bytes.data()))
            throw MachineStop(StopKind::Fault, "memory",
                              "refuses to be written at " + hex(number * kPage));
}

void SocketMemory::forget(uint64_t first, uint64_t last) {
    ranges_.erase(
        std::remove_if(ranges_.begin(), ranges_.end(),
                       [&](const Range& r) { return r.first <= last && first <= r.last; }),
        ranges_.end());
}

// ---- machine ----------------------------------------------------------------------------------

FunctionalMachine::FunctionalMachine(const ChipConfig& config, const asic::ChipOptions& options,
                                     grbm::GrbmCore& grbm, cp::CpCore& cp, spi::SpiCore& spi,
                                     vgt::VgtCore& vgt, gds::GdsCore* gds,
                                     tlm::tlm_initiator_socket<>& memory)
    : config_(config),
      grbm_(grbm),
      spi_(spi),
      vgt_(vgt),
      memory_(memory),
      functional_(config.cp, cp.register_file(), cp.de_state(), *this),
      cu_(config.cu, memory_, {"functional", {}, 0, 0}),
      gds_(gds != nullptr ? std::make_unique<gds::FunctionalGds>(config.gds, gds->contents())
                          : nullptr),
      graphics_(spi, cu_, stats_) {
    cu_.connect({gds_.get(), &graphics_, this, this});
    vgt_ports_.message = [this](const VgtMessage& message) {
        const uint64_t before = graphics_.waves();
        graphics_.run(message);
        count_waves(graphics_.waves() - before, "draw " + std::to_string(message.draw));
    };
    // As many as a wave takes, whether they come to one or not.
    vgt_ports_.indices = [this](uint32_t draw) { count_waves(1, "draw " + std::to_string(draw)); };
    vgt_ports_.sample = [this](const SampleCounts& counts) { sample_ = counts; };
    vgt_ports_.read = [this](uint64_t line, uint64_t, uint8_t, Line& data) {
        return memory_.read(line, data.data(), kLineBytes) ? MemStatus::Ok : MemStatus::Unmapped;
    };
    functional_.attach();
    cu_.set_instruction_limit(options.wave_limit());
    work_limit_ = options.wave_limit();
    cu_.set_log(options.log);
    functional_.observe({options.trace, options.log, config.identity.clock_period_fs}, "cp");
}

bool FunctionalMachine::transport(tlm::tlm_generic_payload& gp) {
    RegRequest request;
    const tlm::tlm_response_status shape = tlm_shell::RegisterCodec::from_payload(gp, request);
    if (shape != tlm::TLM_OK_RESPONSE) {
        gp.set_response_status(shape);
        return true;
    }
    try {
        uint32_t value = 0;
        reads_ = waves_run_ = 0;
        const uint64_t packets = functional_.packets();
        if (request.write) {
            grbm_.write(request);
            hold_in_reset();
            run_work();
            functional_.run_all();
        } else {
            // A ring that waits may go on by what others have written since.
            functional_.run_all();
            value = grbm_.read(request.offset);
        }
        if (functional_.packets() != packets && functional_.waiting_for().empty())
            on_idle();
        memory_.flush();
        RegResponse response;
        response.write = request.write;
        response.value = value;
        tlm_shell::RegisterCodec::from_response(response, gp);
    } catch (...) {
        const std::exception_ptr reason = std::current_exception();
        try {
            memory_.flush();
        } catch (const std::exception&) {
            // The first reason is the one to report.
        }
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        on_error(reason);
    }
    return true;
}

// After every write of the host while a bit of GRBM_SOFT_RESET is set, the one that clears it
// included: what was written to a block in reset is lost.
void FunctionalMachine::hold_in_reset() {
    const uint32_t level = grbm_.soft_reset.latest();
    const uint32_t held = level | soft_reset_;
    soft_reset_ = level;
    if (held == 0)
        return;
    on_reset(held);
    if ((held & SoftResetBits::kCp) != 0)
        functional_.reset();
    if ((held & (SoftResetBits::kSpi | SoftResetBits::kVgt)) != 0)
        graphics_.reset();
}

unsigned FunctionalMachine::debug(tlm::tlm_generic_payload& gp) {
    RegRequest request;
    if (!gp.is_read() ||
        tlm_shell::RegisterCodec::from_payload(gp, request) != tlm::TLM_OK_RESPONSE)
        return 0;
    RegResponse response;
    response.value = grbm_.read(request.offset);
    tlm_shell::RegisterCodec::from_response(response, gp);
    return 4;
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

bool FunctionalMachine::mem_read(uint64_t address, void* to, size_t bytes, uint8_t) {
    count_read(address);
    return memory_.read(address, to, bytes);
}
const uint8_t* FunctionalMachine::mem_view(uint64_t address, size_t& bytes, uint8_t) {
    count_read(address);
    return memory_.view(address, bytes);
}
bool FunctionalMachine::mem_write(uint64_t address, const void* from, size_t bytes, uint8_t) {
    return memory_.write(address, from, bytes);
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
    spi_.note_event(ring, type);
    if (type == vgt_event::kSamplePipelinestat)
        sample_.counts[SampleCounts::kCsInvocations] = spi_.cs_invocations();
}
// There are no caches, but programs that are written again must be decoded again.
void FunctionalMachine::cache_action(const CacheAction& action) {
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
