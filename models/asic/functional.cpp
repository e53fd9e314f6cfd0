// SPDX-License-Identifier: Apache-2.0
#include "models/asic/functional.h"

#include <algorithm>
#include <cstring>

namespace archipelago::asic {
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
    for (const Range& r : ranges_)
        if (address >= r.first && (address | (kPage - 1)) <= r.last)
            return r.host + (address - r.first);
    const uint64_t number = address / kPage;
    if (const auto it = shadow_.find(number); it != shadow_.end())
        return it->second.data() + address % kPage;
    tlm::tlm_generic_payload gp;
    tlm::tlm_dmi dmi;
    gp.set_command(tlm::TLM_READ_COMMAND);
    gp.set_address(address);
    if (socket_->get_direct_mem_ptr(gp, dmi) && dmi.is_read_write_allowed()) {
        ranges_.push_back({dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr()});
        const Range& r = ranges_.back();
        if (address >= r.first && (address | (kPage - 1)) <= r.last)
            return r.host + (address - r.first);
        ranges_.pop_back();
    }
    std::vector<uint8_t> bytes(kPage);
    gp.set_address(number * kPage);
    gp.set_data_ptr(bytes.data());
    gp.set_data_length(kPage);
    gp.set_streaming_width(kPage);
    if (socket_->transport_dbg(gp) != kPage)
        return nullptr;
    return shadow_.emplace(number, std::move(bytes)).first->second.data() + address % kPage;
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
    ranges_.clear();
    for (auto& [number, bytes] : shadow_) {
        tlm::tlm_generic_payload gp;
        gp.set_command(tlm::TLM_WRITE_COMMAND);
        gp.set_address(number * kPage);
        gp.set_data_ptr(bytes.data());
        gp.set_data_length(kPage);
        gp.set_streaming_width(kPage);
        socket_->transport_dbg(gp);
    }
    shadow_.clear();
}

// ---- machine ----------------------------------------------------------------------------------

FunctionalMachine::FunctionalMachine(const ChipConfig& config, const ChipOptions& options,
                                     grbm::GrbmCore& grbm, cp::CpCore& cp, spi::SpiCore& spi,
                                     tlm::tlm_initiator_socket<>& memory)
    : config_(config),
      grbm_(grbm),
      spi_(spi),
      memory_(memory),
      functional_(config.cp, cp.register_file(), cp.de_state(), *this),
      cu_(config.cu, memory_, {"functional", {}, 0, 0}) {
    functional_.attach();
    cu_.set_instruction_limit(options.instruction_limit);
    cu_.set_log(options.log);
    functional_.observe({options.trace, options.log, config.engine_period_fs}, "cp");
}

bool FunctionalMachine::transport(tlm::tlm_generic_payload& gp) {
    RegRequest request;
    if (!tlm_shell::RegisterCodec::from_payload(gp, request)) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return true;
    }
    try {
        uint32_t value = 0;
        if (request.write) {
            grbm_.write(request);
            run_dispatches();
            functional_.run_all();
        } else {
            // A ring that waits may go on by what others have written since.
            functional_.run_all();
            value = grbm_.read(request.offset);
        }
        memory_.flush();
        RegResponse response;
        response.write = request.write;
        response.value = value;
        tlm_shell::RegisterCodec::from_response(response, gp);
    } catch (...) {
        memory_.flush();
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        on_error(std::current_exception());
    }
    return true;
}

unsigned FunctionalMachine::debug(tlm::tlm_generic_payload& gp) {
    RegRequest request;
    if (!gp.is_read() || !tlm_shell::RegisterCodec::from_payload(gp, request))
        return 0;
    RegResponse response;
    response.value = grbm_.read(request.offset);
    tlm_shell::RegisterCodec::from_response(response, gp);
    return 4;
}

uint32_t FunctionalMachine::reg_read(uint32_t offset) {
    return grbm_.read(offset, kRegFromCp);
}

void FunctionalMachine::reg_write(const RegRequest& request) {
    grbm_.write(request);
    run_dispatches();
}

bool FunctionalMachine::mem_read(uint64_t address, void* to, size_t bytes, uint8_t) {
    return memory_.read(address, to, bytes);
}
bool FunctionalMachine::mem_write(uint64_t address, const void* from, size_t bytes, uint8_t) {
    return memory_.write(address, from, bytes);
}

// Dispatches ran to their end when they were written, so every event has passed already.
void FunctionalMachine::event(uint8_t, uint8_t) {}
// There are no caches, but programs that are written again must be decoded again.
void FunctionalMachine::cache_action(const CacheAction& action) {
    if (action.invalidate_inst)
        cu_.new_dispatch();
}
void FunctionalMachine::interrupt(const Interrupt& interrupt) {
    on_interrupt(interrupt);
}
// Without time the counter counts what was done: packets and instructions.
uint64_t FunctionalMachine::gpu_clock() {
    return functional_.packets() + instructions(stats_.work);
}

void FunctionalMachine::run_dispatches() {
    for (const spi::Dispatch& d : spi_.take_dispatches())
        run_dispatch(d);
}

void FunctionalMachine::run_dispatch(const spi::Dispatch& d) {
    cu_.new_dispatch();
    for (spi::GroupWalk walk(d); !walk.done(); walk.next(d)) {
        const spi::Group group = walk.current(d);
        waves_.clear();
        for (unsigned w = 0; w < group.waves; ++w) {
            WaveLaunch launch = spi::make_wave(d, group, w, w);
            launch.simd = static_cast<uint8_t>(w % config_.cu.simds);
            launch.slot = static_cast<uint8_t>(w / config_.cu.simds);
            waves_.push_back(launch);
        }
        cu_.run_group(waves_.data(), group.waves, stats_);
    }
}

}  // namespace archipelago::asic
