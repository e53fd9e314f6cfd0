// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "models/common/error.h"

namespace archipelago::host {
namespace {

// The host's own things lie here unless the workload does: the upper part of the 40-bit space
// that ring base registers can name.
constexpr uint64_t kHostBase = 0xE0'0000'0000;
constexpr uint64_t kHostEnd = 0x100'0000'0000;

}  // namespace

Machine::Machine(const sc_core::sc_module_name& name, const asic::ChipConfig& config,
                 const MachineOptions& options)
    : sc_core::sc_module(name),
      options_(options),
      chip_(std::make_unique<asic::Chip>(config.name.c_str(), config, options.chip)),
      memory_target_("memory", image_),
      next_free_(kHostBase) {
    SC_HAS_PROCESS(Machine);
    SC_THREAD(host_thread);
    socket_.bind(*this);
    socket_.bind(chip_->registers);
    chip_->memory.bind(memory_target_.socket);
    chip_->on_interrupt([this](const Interrupt& i) { interrupts_.push_back(i); });
}

void Machine::run(std::function<void()> program) {
    program_ = std::move(program);
    sc_core::sc_start();
    if (chip_->error())
        std::rethrow_exception(chip_->error());
    if (error_)
        std::rethrow_exception(error_);
    if (!finished_)
        throw MachineStop(
            StopKind::Hang, "host",
            "the simulation ended while the host was waiting\n" + chip_->waiting_for());
}

void Machine::host_thread() {
    try {
        program_();
        finished_ = true;
    } catch (const std::exception&) {
        error_ = std::current_exception();
    }
    if (!chip_->error())      // the chip has stopped the simulation itself
        if (!chip_->error())  // else the chip has stopped the simulation already
            sc_core::sc_stop();
}

void Machine::access_register(uint32_t offset, bool write, uint32_t& value) {
    tlm::tlm_generic_payload gp;
    uint8_t data[4];
    for (unsigned i = 0; i < 4; ++i)
        data[i] = static_cast<uint8_t>(value >> (8 * i));
    gp.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    gp.set_address(offset);
    gp.set_data_ptr(data);
    gp.set_data_length(4);
    gp.set_streaming_width(4);
    gp.set_byte_enable_ptr(nullptr);
    gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket_->b_transport(gp, delay);
    if (chip_->error())  // nothing the program does from here on would come to pass
        std::rethrow_exception(chip_->error());
    value = 0;
    for (unsigned i = 0; i < 4; ++i)
        value |= static_cast<uint32_t>(data[i]) << (8 * i);
}

uint32_t Machine::read_register(uint32_t offset) {
    uint32_t value = 0;
    access_register(offset, false, value);
    return value;
}

void Machine::write_register(uint32_t offset, uint32_t value) {
    access_register(offset, true, value);
}

uint64_t Machine::interrupt_count(uint8_t source_id) const {
    return static_cast<uint64_t>(
        std::count_if(interrupts_.begin(), interrupts_.end(),
                      [&](const Interrupt& i) { return i.source_id == source_id; }));
}

void Machine::wait_until(const std::function<bool()>& done, const std::string& what) {
    if (done())
        return;
    if (options_.chip.mode == asic::Mode::Functional)
        throw MachineStop(
            StopKind::Hang, "host",
            "waits for " + what + ", which nothing will bring about\n" + chip_->waiting_for());
    const uint64_t period = chip_->config().engine_period_fs;
    uint64_t seen = chip_->progress();
    uint64_t since = chip_->cycles();
    while (!done()) {
        uint64_t step = options_.hang_cycles / 4 + 1;
        if (options_.max_cycles != 0) {
            if (chip_->cycles() >= options_.max_cycles)
                throw MachineStop(StopKind::Hang, "host",
                                  "waits for " + what + " at the limit of " +
                                      std::to_string(options_.max_cycles) + " cycles\n" +
                                      chip_->waiting_for());
            step = std::min(step, options_.max_cycles - chip_->cycles());
        }
        sc_core::wait(sc_core::sc_time::from_value(step * period), chip_->interrupt_event());
        const uint64_t now = chip_->progress();
        if (now != seen) {
            seen = now;
            since = chip_->cycles();
        } else if (chip_->cycles() - since >= options_.hang_cycles) {
            throw MachineStop(StopKind::Hang, "host",
                              "waits for " + what + " and nothing has moved for " +
                                  std::to_string(chip_->cycles() - since) + " cycles\n" +
                                  chip_->waiting_for());
        }
        report_progress();
    }
}

void Machine::report_progress() {
    if (!options_.show_progress)
        return;
    const asic::WorkDone work = chip_->work();
    std::fprintf(stderr, "\r%llu cycles, %llu waves, %llu instructions",
                 static_cast<unsigned long long>(chip_->cycles()),
                 static_cast<unsigned long long>(work.waves),
                 static_cast<unsigned long long>(work.instructions));
    std::fflush(stderr);
}

uint64_t Machine::allocate(uint64_t size, uint64_t align) {
    align = std::max<uint64_t>(align, MemoryImage::kPageBytes);
    uint64_t address = (next_free_ + align - 1) / align * align;
    for (bool moved = true; moved;) {
        moved = false;
        for (const AddressRange& r : reserved_)
            if (address <= r.last && address + size > r.first) {
                address = (r.last + align) / align * align;
                moved = true;
            }
    }
    if (address + size > kHostEnd)
        throw std::length_error("no room left for the host's own " + std::to_string(size) +
                                " bytes");
    image_.map(address, size);
    // An unmapped page behind each allocation catches what runs over its end.
    next_free_ = address + size + MemoryImage::kPageBytes;
    return address;
}

}  // namespace archipelago::host
