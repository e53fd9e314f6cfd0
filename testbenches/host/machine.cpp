// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/page.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/stopped_by_user.h"

namespace archipelago::host {
namespace {

// Between two checks of what the user wants: cycles of a fast chip, and the host's time in which
// one that is slow (Verilog, much traced) is checked the sooner.
constexpr uint64_t kListenCycles = 10000;
constexpr std::chrono::milliseconds kListenTime{200};
constexpr unsigned kListenTurns = 64;  // of waves in functional mode

// The host's view of a Verilog memory: its back door.
class BackDoorView : public MemoryImage::Elsewhere {
  public:
    BackDoorView(adapters::VerilogBlock& block, unsigned port) : block_(block), port_(port) {}
    void read(uint64_t address, uint8_t* to, size_t size) override {
        if (!block_.read(port_, address, to, size))
            refuse(address);
    }
    void write(uint64_t address, const uint8_t* from, size_t size) override {
        if (!block_.write(port_, address, from, size))
            refuse(address);
    }

  private:
    [[noreturn]] void refuse(uint64_t address) const {
        throw std::runtime_error(
            fmt::format("{}.{}: no memory behind address {:#x} for the host to load or look at "
                        "(memory: in its description)",
                        block_.name(), block_.ports()[port_].name, address));
    }
    adapters::VerilogBlock& block_;
    unsigned port_;
};

// Other people's Verilog has a clock and a sense of time of its own.
asic::ChipOptions chip_options(const MachineOptions& options) {
    asic::ChipOptions chip = options.chip;
    chip.temporal_decoupling = options.verilog.empty();
    // Memory and adapters of Verilog take what BEGIN_RESP returns.
    chip.memory_phases = asic::MemoryPhases::Early;
    return chip;
}

}  // namespace

Machine::Machine(const sc_core::sc_module_name& name, const asic::ChipDescription& chip,
                 const MachineOptions& options)
    : sc_core::sc_module(name),
      options_(options),
      chip_(chip.build(chip.identity().name.c_str(), with_listener(chip_options(options)))),
      memory_target_("memory", image_),
      limit_(options.max_cycles),
      progress_(options.progress),
      listen_cycles_(kListenCycles),
      host_memory_(chip.host_memory()),
      next_free_(host_memory_.first) {
    SC_HAS_PROCESS(Machine);
    SC_THREAD(host_thread);
    SC_METHOD(look_after_access);
    sensitive << access_timer_;
    dont_initialize();
    socket_.bind(*this);
    socket_.bind(chip_->registers);
    if (options.verilog.empty())
        chip_->memory.bind(memory_target_.socket);
    else
        add_verilog();
    chip_->on_interrupt([this](const Interrupt& i) { take_interrupt(i); });
    if (options.recovers)
        chip_->halt_on_error();
}

void Machine::add_verilog() {
    std::vector<std::unique_ptr<adapters::VerilogModule>> modules;
    for (const std::string& file : options_.verilog)
        modules.push_back(adapters::load_verilog_module(file, options_.verilog_seed));
    verilog_ = std::make_unique<adapters::VerilogPlatform>(
        "verilog", std::move(modules), chip_->description().identity().clock_period_fs);
    chip_->memory.bind(verilog_->from_chip());
    verilog_->to_memory().bind(memory_target_.socket);
    for (const auto& r : verilog_->ranges()) {
        const adapters::VerilogPort& port = r.block->ports()[r.port];
        if (options_.chip.mode == asic::Mode::Functional && port.back_doors.empty())
            throw std::invalid_argument(
                fmt::format("--verilog {}: port {} has no memory: in its description and needs "
                            "time: cycle mode only",
                            r.block->module().name(), port.name));
        behind_verilog_.push_back(std::make_unique<BackDoorView>(*r.block, r.port));
        image_.put_elsewhere(r.first, r.last, *behind_verilog_.back());
        zero_behind(r);
    }
    reserve({});
}

// As memory the host maps: zero, not what registers start with.
void Machine::zero_behind(const adapters::VerilogPlatform::Range& range) {
    const std::vector<uint8_t> zeros(kPageBytes);
    for (const adapters::BackDoorRange& part : range.block->ports()[range.port].back_doors) {
        const uint64_t first = range.first + part.first;
        for (uint64_t done = 0; done < part.size; done += zeros.size())
            range.block->write(range.port, first + done, zeros.data(),
                               std::min<uint64_t>(zeros.size(), part.size - done));
    }
}

void Machine::reserve(const std::vector<AddressRange>& ranges) {
    reserved_ = ranges;
    if (verilog_)
        for (const auto& r : verilog_->ranges())
            reserve_registers(r);
}

// What of a range no back door reaches: register apertures are no place for rings and buffers.
void Machine::reserve_registers(const adapters::VerilogPlatform::Range& range) {
    std::vector<adapters::BackDoorRange> parts = range.block->ports()[range.port].back_doors;
    std::sort(parts.begin(), parts.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    uint64_t from = range.first;
    for (const adapters::BackDoorRange& part : parts) {
        if (range.first + part.first > from)
            reserved_.push_back({from, range.first + part.first - 1});
        from = range.first + part.first + part.size;
    }
    if (from <= range.last)
        reserved_.push_back({from, range.last});
}

StatsRegistry Machine::stats() {
    StatsRegistry all;
    for (const Counter& c : chip_->stats().counters())
        all.add(c.unit_path, c.name.c_str(), c.unit.c_str(), c.meaning.c_str(), c.value);
    if (verilog_)
        verilog_->add_stats(all);
    return all;
}

std::string Machine::waiting_for() const {
    return chip_->waiting_for() + (verilog_ ? "\n" + verilog_->waiting_for() : "");
}

void Machine::hang(const std::string& what) const {
    const std::string waiting = waiting_for();
    throw MachineStop(StopKind::Hang, "host", waiting.empty() ? what : what + "\n" + waiting);
}

void Machine::run(std::function<void()> program) {
    if (ended_)
        throw std::logic_error(
            "the machine has stopped for good: SystemC cannot start again (see "
            "MachineOptions::recovers)");
    program_ = std::move(program);
    error_ = nullptr;
    finished_ = false;
    if (std::exchange(started_, true))
        next_program_.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start();
    ended_ = !finished_ || stopped_for_good();
    if (error_ && options_.recovers)  // perhaps of a reset that failed
        std::rethrow_exception(error_);
    rethrow_stop();
    if (error_)
        std::rethrow_exception(error_);
    if (!finished_)
        hang("the simulation ended while the host was waiting");
}

bool Machine::stopped_for_good() const {
    return (chip_->error() && !options_.recovers) || (verilog_ && verilog_->error());
}

void Machine::rethrow_stop() const {
    if (chip_->error())
        std::rethrow_exception(chip_->error());
    if (verilog_ && verilog_->error())
        std::rethrow_exception(verilog_->error());
}

void Machine::host_thread() {
    // Never returns: when a thread ends, SystemC 2.3.4 leaves AddressSanitizer with the bounds of
    // its stack, and the next exception thrown in main() then looks like an overflow.
    for (;;) {
        try {
            program_();
        } catch (const sc_core::sc_unwind_exception&) {
            throw;  // the kernel ends the thread
        } catch (const std::exception&) {
            error_ = std::current_exception();
        }
        finished_ = true;
        if (!stopped_for_good())
            sc_core::sc_pause();
        sc_core::wait(next_program_);
    }
}

namespace {

// An access of a register, whose four bytes are at `data`.
void describe_access(tlm::tlm_generic_payload& gp, uint32_t offset, bool write, uint8_t* data) {
    gp.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    gp.set_address(offset);
    gp.set_data_ptr(data);
    gp.set_data_length(4);
    gp.set_streaming_width(4);
    gp.set_byte_enable_ptr(nullptr);
    gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

std::optional<uint32_t> Machine::inspect_register(uint32_t offset) {
    tlm::tlm_generic_payload gp;
    uint8_t data[4] = {};
    describe_access(gp, offset, false, data);
    if (socket_->transport_dbg(gp) != sizeof data)
        return {};
    return static_cast<uint32_t>(load_le(data, 4));
}

void Machine::access_register(uint32_t offset, bool write, uint32_t& value) {
    rethrow_stop();  // of a chip that has halted: nothing would answer
    tlm::tlm_generic_payload gp;
    uint8_t data[4];
    store_le(data, value, 4);
    describe_access(gp, offset, write, data);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    {
        // A unit that takes no more keeps the access waiting: the host must not wait with it for
        // ever.
        const auto cancel = [](sc_core::sc_event* timer) { timer->cancel(); };
        const std::unique_ptr<sc_core::sc_event, decltype(cancel)> timer(&access_timer_, cancel);
        if (options_.chip.mode == asic::Mode::Cycle) {
            access_offset_ = offset;
            access_watch_ = watch();
            access_timer_.notify(until_next_look());
        }
        socket_->b_transport(gp, delay);
    }
    rethrow_stop();  // nothing the program does from here on would come to pass
    value = static_cast<uint32_t>(load_le(data, 4));
}

uint32_t Machine::read_register(uint32_t offset) {
    uint32_t value = 0;
    access_register(offset, false, value);
    return value;
}

void Machine::write_register(uint32_t offset, uint32_t value) {
    access_register(offset, true, value);
}

void Machine::take_interrupt(const Interrupt& interrupt) {
    ++interrupt_counts_[interrupt.source_id][interrupt.ring];
    if (interrupts_.size() == kInterruptsKept)
        interrupts_.pop_front();
    interrupts_.push_back(interrupt);
}

uint64_t Machine::interrupt_count(uint8_t source_id, std::optional<uint8_t> ring) const {
    uint64_t count = 0;
    for (const auto& [of, n] : interrupt_counts_[source_id])
        if (!ring || of == *ring)
            count += n;
    return count;
}

void Machine::wait_until(const std::function<bool()>& done, const std::string& what,
                         uint64_t poll) {
    if (done())
        return;
    if (options_.chip.mode == asic::Mode::Functional)
        stop_waiting(what);
    Watch moving = watch();
    while (!done())
        wait_for_change(moving, what, poll);
}

void Machine::wait_for_change(Watch& moving, const std::string& what, uint64_t poll) {
    check_limit(what);  // first: the report says what has moved until then
    check_progress(moving, what);
    sc_core::sc_time look = until_next_look();
    if (poll != 0)
        look = std::min(look, sc_core::sc_time::from_value(
                                  poll * chip_->description().identity().clock_period_fs));
    wait_and_listen(look, true);
    rethrow_stop();
}

// The chip's cycles are the same however often it is asked.
void Machine::wait_and_listen(const sc_core::sc_time& longest, bool interrupts) {
    const sc_core::sc_time end = sc_core::sc_time_stamp() + longest;
    const uint64_t period_fs = chip_->description().identity().clock_period_fs;
    for (;;) {
        const auto began = std::chrono::steady_clock::now();
        const sc_core::sc_time slice =
            std::min(end - sc_core::sc_time_stamp(),
                     sc_core::sc_time::from_value(listen_cycles_ * period_fs));
        if (interrupts)
            sc_core::wait(slice, chip_->interrupt_event() | chip_->stopped_event());
        else
            sc_core::wait(slice, chip_->stopped_event());
        if (sc_core::sc_time_stamp() == end || chip_->stopped_event().triggered() ||
            (interrupts && chip_->interrupt_event().triggered()))
            break;
        listen_to_user();
        if (std::chrono::steady_clock::now() - began > kListenTime)
            listen_cycles_ = std::max<uint64_t>(listen_cycles_ / 2, 1);
        else
            listen_cycles_ = std::min(listen_cycles_ * 2, kListenCycles);
    }
    listen_to_user();
}

void Machine::wait_for_outside(const OutsideWork& work, const std::function<bool()>& busy,
                               const std::string& what) {
    constexpr uint64_t kOutsidePoll = 1000;  // cycles
    Watch moving = watch();
    while (!work.arrived()) {
        if (!busy()) {
            work.sleep();
            moving = watch();
        } else if (options_.chip.mode == asic::Mode::Functional) {
            stop_waiting(what);
        } else {
            wait_for_change(moving, what, kOutsidePoll);
        }
    }
}

void Machine::stop_waiting(const std::string& what) const {
    hang("waits for " + what + ", which nothing will bring about");
}

void Machine::restart_limit() {
    if (options_.max_cycles != 0)
        limit_ = chip_->cycles() + options_.max_cycles;
}

void Machine::wait_at_most(uint64_t cycles, const std::function<bool()>& done) {
    const uint64_t end = chip_->cycles() + cycles;
    while (!done() && chip_->cycles() < end && options_.chip.mode == asic::Mode::Cycle) {
        wait_and_listen(
            sc_core::sc_time::from_value((end - chip_->cycles()) *
                                         chip_->description().identity().clock_period_fs),
            true);
        rethrow_stop();
    }
}

void Machine::settle() {
    constexpr uint64_t kLook = 500;  // cycles; more than any message is on its way
    if (options_.chip.mode == asic::Mode::Functional) {
        // All that can be done in functional mode has been done: what waits now waits for ever.
        if (!chip_->hang_report().units.empty())
            stop_waiting("the chip to be at rest");
        return;
    }
    const sc_core::sc_time look =
        sc_core::sc_time::from_value(kLook * chip_->description().identity().clock_period_fs);
    Watch moving = watch();
    for (unsigned quiet = 0; quiet < 2; quiet = chip_->idle() ? quiet + 1 : 0) {
        check_limit("the chip to be at rest");
        wait_and_listen(look, false);
        rethrow_stop();
        check_progress(moving, "the chip to be at rest");
    }
}

void Machine::archive(Archive& a) {
    uint64_t time = sc_core::sc_time_stamp().value();
    a.block("host", [&] {
        a(time, interrupts_, interrupt_counts_, next_free_);
        a.at_rest(verilog_ == nullptr, "other people's Verilog is in the machine");
    });
    a.block("memory", [&] { a(image_); });
    const uint64_t now = sc_core::sc_time_stamp().value();
    if (time > now)
        sc_core::wait(sc_core::sc_time::from_value(time - now));
    chip_->archive(a);
}

sc_core::sc_time Machine::until_next_look() const {
    uint64_t cycles = chip_->cycles_of_every_clock(options_.hang_cycles) / 4 + 1;
    if (limit_ > chip_->cycles())
        cycles = std::min(cycles, limit_ - chip_->cycles());
    return sc_core::sc_time::from_value(cycles * chip_->description().identity().clock_period_fs);
}

void Machine::check_limit(const std::string& what) const {
    if (limit_ != 0 && chip_->cycles() >= limit_)
        hang(fmt::format("waits for {} at the limit of {} cycles", what, options_.max_cycles));
}

void Machine::check_progress(Watch& watch, const std::string& what) const {
    const uint64_t now = chip_->progress();
    if (now != watch.seen) {
        watch = this->watch();
    } else if (chip_->cycles() - watch.since >=
               chip_->cycles_of_every_clock(options_.hang_cycles)) {
        hang(fmt::format("waits for {} and nothing has moved for {} cycles", what,
                         chip_->cycles() - watch.since));
    }
}

void Machine::look_after_access() {
    const std::string what = fmt::format("an access to register 0x{:05x}", access_offset_);
    try {
        check_limit(what);
        check_progress(access_watch_, what);
        listen_to_user();
    } catch (...) {
        chip_->fail(std::current_exception());
        return;
    }
    access_timer_.notify(until_next_look());
}

// ---- the user ---------------------------------------------------------------------------------

asic::ChipOptions Machine::with_listener(asic::ChipOptions chip) {
    if (chip.mode == asic::Mode::Functional)
        chip.while_busy = [this] { listen_between_turns(); };
    return chip;
}

void Machine::begin_progress(const std::string& workload, std::optional<uint64_t> waves) {
    progress_.begin(workload, waves, done());
}

Progress::Done Machine::done() const {
    if (options_.chip.mode == asic::Mode::Functional)
        return {0, chip_->work().waves};
    if (waves_ended_.empty())
        for (const Counter& counter : chip_->stats().counters())
            if (counter.name == "waves_ended")
                waves_ended_.push_back(counter.value);
    Progress::Done done{chip_->cycles(), 0};
    for (const uint64_t* waves : waves_ended_)
        done.waves += *waves;
    return done;
}

void Machine::listen_to_user() {
    if (progress_.due())
        progress_.show(done());
    if (!options_.stop_wanted || !options_.stop_wanted())
        return;
    if (options_.chip.mode == asic::Mode::Cycle)
        throw StoppedByUser(fmt::format("stopped by the user at cycle {}", chip_->cycles()));
    throw StoppedByUser(
        fmt::format("stopped by the user after {} waves (functional mode counts no cycles)",
                    chip_->work().waves));
}

// Turns are short: most look for no more than a signal.
void Machine::listen_between_turns() {
    if (++turns_ < kListenTurns && !(options_.stop_wanted && options_.stop_wanted()))
        return;
    turns_ = 0;
    listen_to_user();
}

uint64_t Machine::allocate(uint64_t size, uint64_t align) {
    align = std::max<uint64_t>(align, kPageBytes);
    const auto no_room = [&] {
        return std::length_error(fmt::format("no room left for the host's own {} bytes", size));
    };
    const uint64_t end = host_memory_.end;
    if (size > end - host_memory_.first || align > end)
        throw no_room();
    // Whole pages: none is shared with what the workload maps.
    const uint64_t pages = (size + kPageBytes - 1) & ~(kPageBytes - 1);
    uint64_t address = (next_free_ + align - 1) / align * align;
    for (bool moved = true; moved;) {
        moved = false;
        for (const AddressRange& r : reserved_)
            if (address <= r.last && address + pages > r.first) {
                if (r.last >= end)
                    throw no_room();
                address = (r.last + align) / align * align;
                moved = true;
            }
    }
    if (address + pages > end)
        throw no_room();
    image_.map(address, size);
    // An unmapped page after each allocation catches what runs over its end.
    next_free_ = address + pages + kPageBytes;
    return address;
}

}  // namespace archipelago::host
