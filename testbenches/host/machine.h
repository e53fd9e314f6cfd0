// SPDX-License-Identifier: Apache-2.0
// A chip on a bench: its memory, a host processor that reads and writes registers, and a thread in
// which the host's programs run, one after the other. One per process (SystemC keeps one
// simulation).
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "models/asic/asic.h"
#include "models/common/memory_image.h"
#include "models/common/page.h"
#include "rtl-bridge/adapters/verilog_platform.h"
#include "testbenches/host/progress.h"
#include "testbenches/host/workload.h"
#include "tlm/memory_target.h"
#include "tlm/payload.h"

namespace archipelago::host {

struct MachineOptions {
    asic::ChipOptions chip;
    uint64_t max_cycles = 0;  // engine clock; 0: no limit
    // Cycles of every clock without any packet, wave or instruction completing after which the
    // machine hangs.
    uint64_t hang_cycles = 2'000'000;
    // A stop ends the program that runs and halts the chip, which GpuDriver::reset() makes ready
    // for the next; without this it ends the simulation.
    bool recovers = false;
    bool show_printed = false;  // what kernels print, on standard output
    ProgressForm progress = ProgressForm::None;
    // Asked now and then; true: the program that runs ends with StoppedByUser. Empty: never.
    std::function<bool()> stop_wanted;
    // Other people's Verilog between the chip and its memory: libraries of archipelago_verilog().
    std::vector<std::string> verilog;
    uint64_t verilog_seed = 1;
};

// Work that comes from outside the simulation: from another thread or process.
struct OutsideWork {
    std::function<bool()> arrived;  // whether there is some
    std::function<void()> sleep;    // blocks the calling thread until there may be some
};

class Machine : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    // `chip` must outlive the machine.
    Machine(const sc_core::sc_module_name& name, const asic::ChipDescription& chip,
            const MachineOptions& options);

    bool show_printed() const { return options_.show_printed; }

    // Runs `program` in the host's thread until it returns or the machine stops; rethrows what
    // either threw (MachineStop, ...). May be called again: simulated time stands still between two
    // programs, and runs on with the next. After a stop of the chip that needs
    // MachineOptions::recovers.
    void run(std::function<void()> program);

    // ---- for the program, in the host's thread
    uint32_t read_register(uint32_t offset);
    void write_register(uint32_t offset, uint32_t value);
    // A register in functional mode, also when the machine has stopped; none when the chip does not
    // show it (a twin in the register bus keeps it).
    std::optional<uint32_t> inspect_register(uint32_t offset);
    // Waits until `done` holds, checked after each interrupt. Throws MachineStop(Hang) with what
    // every block waits for when nothing moves, or at max_cycles.
    // `poll`: cycles between checks without an interrupt; 0: the event raises an interrupt.
    void wait_until(const std::function<bool()>& done, const std::string& what, uint64_t poll = 0);
    // As wait_until(), but gives up after `cycles` and stops nothing.
    void wait_at_most(uint64_t cycles, const std::function<bool()>& done);
    // Waits until work arrives from outside. While `busy` the chip runs on, and hangs as in
    // wait_until(). Otherwise nothing is expected of it: simulated time stands still, and the
    // thread sleeps.
    void wait_for_outside(const OutsideWork& work, const std::function<bool()>& busy,
                          const std::string& what);
    // MachineOptions::max_cycles count from now on.
    void restart_limit();
    // What the progress from now on is of; `waves`: of all of it, where that is known.
    void begin_progress(const std::string& workload, std::optional<uint64_t> waves);
    // Before anything else is printed.
    void clear_progress() { progress_.clear(); }

    // Waits until all of the chip is at rest; no ring may have work left. Throws MachineStop(Hang)
    // when something never stops moving, and in functional mode when something waits.
    void settle();
    // Chip, memory and what the machine itself knows, once it has settled; read into a machine that
    // has done nothing yet, it waits until the time at which it was written.
    void archive(Archive& a);

    // ---- memory, by the back door
    MemoryImage& memory() { return image_; }
    // Keeps the host's own allocations away from these addresses, and from no others.
    void reserve(const std::vector<AddressRange>& ranges);
    // Also keeps allocations away from these.
    void reserve_more(const std::vector<AddressRange>& ranges) {
        reserved_.insert(reserved_.end(), ranges.begin(), ranges.end());
    }
    // Maps `size` bytes at an address of the host's choice, where the chip's description says.
    // Throws std::length_error when there is no room.
    uint64_t allocate(uint64_t size, uint64_t align = kPageBytes);

    asic::Asic& chip() { return *chip_; }
    // Counters of the chip and of the Verilog around it, as they are when it is called.
    StatsRegistry stats();
    // Null without MachineOptions::verilog.
    adapters::VerilogPlatform* verilog() { return verilog_.get(); }
    // The last kInterruptsKept of them, and how many of a source there were in all.
    static constexpr size_t kInterruptsKept = 64;
    const std::deque<Interrupt>& interrupts() const { return interrupts_; }
    // Of all rings, or of one.
    uint64_t interrupt_count(uint8_t source_id, std::optional<uint8_t> ring = {}) const;

    // tlm_bw_transport_if: the host's socket is blocking only.
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  private:
    void host_thread();
    void take_interrupt(const Interrupt& interrupt);
    // Whether anything moves; shared by all ways of waiting.
    struct Watch {
        uint64_t seen = 0;   // Asic::progress()
        uint64_t since = 0;  // cycle it last changed
    };
    Watch watch() const {
        chip_->watch();
        return {chip_->progress(), chip_->cycles()};
    }
    sc_core::sc_time until_next_look() const;
    // Waits that long, or until the chip stops or, with `interrupts`, raises one; listens to the
    // user meanwhile.
    void wait_and_listen(const sc_core::sc_time& longest, bool interrupts);
    // Shows the progress when it is due, and throws StoppedByUser when that is wanted.
    void listen_to_user();
    void listen_between_turns();
    Progress::Done done() const;
    // Waits until there may be something new to see for a program that waits.
    void wait_for_change(Watch& moving, const std::string& what, uint64_t poll);
    // Whether the simulation has ended with an error.
    bool stopped_for_good() const;
    void rethrow_stop() const;
    // Stops the machine as hung, with a report of what it waits for.
    [[noreturn]] void hang(const std::string& what) const;
    [[noreturn]] void stop_waiting(const std::string& what) const;
    void check_limit(const std::string& what) const;
    void check_progress(Watch& watch, const std::string& what) const;
    void look_after_access();
    void access_register(uint32_t offset, bool write, uint32_t& value);
    asic::ChipOptions with_listener(asic::ChipOptions chip);
    void add_verilog();
    static void zero_behind(const adapters::VerilogPlatform::Range& range);
    void reserve_registers(const adapters::VerilogPlatform::Range& range);
    std::string waiting_for() const;

    MachineOptions options_;
    MemoryImage image_;
    std::unique_ptr<asic::Asic> chip_;
    tlm_shell::MemoryTargetModule memory_target_;
    std::unique_ptr<adapters::VerilogPlatform> verilog_;
    std::vector<std::unique_ptr<MemoryImage::Elsewhere>> behind_verilog_;
    tlm::tlm_initiator_socket<> socket_{"host_socket"};
    std::function<void()> program_;
    std::exception_ptr error_;
    bool started_ = false;
    bool finished_ = false;  // the program has returned or thrown
    bool ended_ = false;     // the simulation has: nothing runs after it
    uint64_t limit_;         // cycle at which a wait ends as hung; 0: none
    sc_core::sc_event next_program_{"next_program"};
    sc_core::sc_event access_timer_{"access_timer"};
    Watch access_watch_;
    Progress progress_;
    mutable std::vector<const uint64_t*> waves_ended_;  // counters; empty: not looked up yet
    uint64_t listen_cycles_;                            // of the engine clock, between two checks
    unsigned turns_ = 0;                                // since progress was checked last
    uint32_t access_offset_ = 0;                        // of the register access under way
    std::deque<Interrupt> interrupts_;
    std::array<std::map<uint8_t, uint64_t>, 256> interrupt_counts_;  // by source and ring
    std::vector<AddressRange> reserved_;
    const asic::HostMemory host_memory_;
    uint64_t next_free_;
};

}  // namespace archipelago::host
