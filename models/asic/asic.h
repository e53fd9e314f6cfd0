// SPDX-License-Identifier: Apache-2.0
// What every chip is: an sc_module with a register target socket, a memory initiator socket and
// interrupts. Instantiate one in any SystemC platform:
//
//   const auto description = archipelago::asic::load_chip("tahiti", {});
//   const auto chip = description->build("gpu");
//   my_bus.bind(chip->registers);      // byte offsets of the register aperture
//   chip->memory.bind(my_memory);      // TLM-2.0 base protocol, the GPU's address space
//   chip->on_interrupt([&](const archipelago::Interrupt& i) { ... });
//
// The time resolution must be 1 fs.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/asic/attribution.h"
#include "models/asic/chip_options.h"
#include "models/asic/description.h"
#include "models/asic/hang_report.h"
#include "models/common/archive.h"
#include "models/common/group_selection.h"
#include "models/common/interrupt.h"
#include "models/common/stats.h"
#include "tlm/clock_domain.h"

namespace archipelago::asic {

// Instructions executed, by issue class; the same in both modes.
struct WorkDone {
    uint64_t waves = 0;
    uint64_t instructions = 0;
    std::vector<std::pair<std::string, uint64_t>> by_class;
    // Compute units that executed waves and do not say which instructions: these are not counted.
    std::vector<std::string> silent;
};

class Asic : public sc_core::sc_module {
  public:
    tlm::tlm_target_socket<> registers{"registers"};
    tlm::tlm_initiator_socket<> memory{"memory"};

    // `description` must outlive the chip.
    Asic(const sc_core::sc_module_name& name, const ChipDescription& description,
         const ChipOptions& options);
    ~Asic() override;

    const ChipDescription& description() const { return description_; }
    const ChipOptions& options() const { return options_; }

    // Called in a method process: it must not wait. What it throws stops the chip.
    using InterruptHandler = std::function<void(const Interrupt&)>;
    void on_interrupt(InterruptHandler handler) { interrupt_handler_ = std::move(handler); }
    // Notified after the handler was called.
    const sc_core::sc_event& interrupt_event() const { return interrupt_event_; }

    // False in functional mode: cycles() and every counter of `cycles` are 0 then because nothing
    // takes time, not because nothing was done, and attribution() is none. Statistics files of such
    // runs have the same zeros and `mode: functional`.
    bool has_time() const { return options_.mode == Mode::Cycle; }
    // Cycles passed of the clock that Identity::clock_hz gives; 0 where has_time() is false.
    virtual uint64_t cycles() const = 0;
    virtual bool idle() const = 0;
    // All the chip holds, from and into a chip of the same description, but for its delays; an
    // archive holds one chip. It is read once the
    // simulation has begun (sc_start(SC_ZERO_TIME)), before anything has accessed the chip; in
    // cycle mode at the time at which it was written. A chip in cycle mode also takes what one in
    // functional mode wrote: its caches are empty then, unless that one followed them
    // (ChipOptions::warm_caches). Throws ArchiveError, which names both chips or the first key that
    // differs when the archive is of another one, and MachineStop(Unimplemented) when a block is
    // not at rest.
    virtual void archive(Archive& a) = 0;
    // The next dispatch runs only these of its groups. A chip without compute stops by name.
    virtual void choose_groups(const GroupSelection& groups);
    // Whether the work that no fence on a ring waits for has ended: that of the constant engine,
    // the reports of compute units on retired instructions, and the read pointers that async DMA
    // engines write to memory.
    virtual bool background_idle() const { return true; }
    // From now on the hang report tells units that move, if only by the polls of others, from those
    // that wait all the time.
    virtual void watch() {}
    // State of the rings, every wave, and every unit that waits.
    virtual HangReport hang_report() const = 0;
    // hang_report() as text, cut to a screen.
    std::string waiting_for() const { return to_text(hang_report()); }
    // What the command streams did but hardly meant: a line for each kind, with the number of times
    // and the first place.
    virtual std::vector<std::string> warnings() const { return {}; }
    // Cycles, in the clock of cycles(), in which every clock of the chip has at least `count`
    // cycles.
    virtual uint64_t cycles_of_every_clock(uint64_t count) const { return count; }
    // A number that changes whenever a packet, wave or instruction completes.
    virtual uint64_t progress() const = 0;
    virtual WorkDone work() const = 0;
    // The counters as they are when it is called; those of `cycles` say nothing where has_time() is
    // false.
    virtual const StatsRegistry& stats() const = 0;
    // Where the cycles have gone so far; none in functional mode.
    virtual std::optional<Attribution> attribution() const { return {}; }
    // Tells the timeline what it has not been told yet, slices that are still open among it;
    // nothing may run afterwards.
    virtual void finish_trace() {}
    // Cycles the clocks were stepped in, and ticks of blocks: the cost of a run.
    virtual uint64_t steps() const = 0;
    virtual uint64_t ticks() const = 0;

    // Why the chip stopped the simulation, or halted; null while it runs.
    std::exception_ptr error() const { return control_.error(); }
    // Fails as a block would: ends the simulation, or halts the chip.
    void fail(std::exception_ptr error) { control_.fail(std::move(error)); }

    // ---- for a host that continues with other work after an error
    // From now on an error does not end the simulation, it halts the chip: its clocks stand still
    // and stopped_event() is notified. Accesses of registers that wait for an answer then end with
    // an error. The host may read memory, counters, reports and, by debug accesses, registers.
    void halt_on_error();
    const sc_core::sc_event& stopped_event() const { return stopped_event_; }
    // Lets a halted chip run again. Every block that a soft reset reaches is held in reset, because
    // the failed unit stopped in mid-operation; in cycle mode until the driver has set the bits of
    // the reset registers and cleared them again. False, and the chip stays halted, where the
    // family has no reset: a user's own, for all of this library have one.
    bool resume();

  protected:
    tlm_shell::RunControl& control() { return control_; }
    const tlm_shell::RunControl& control() const { return control_; }
    // Calls the handler, then notifies the event: when the simulation has come to the chip's time.
    void raise(const Interrupt& interrupt);
    // Whether interrupts wait for that.
    bool raises() const { return !raised_.empty(); }

    // The family's part of resume().
    virtual bool hold_in_reset() { return false; }

  private:
    void deliver();
    void deliver_late();
    void end_accesses();

    const ChipDescription& description_;
    const ChipOptions options_;
    tlm_shell::RunControl control_;
    InterruptHandler interrupt_handler_;
    std::deque<Interrupt> raised_;  // while the chip runs ahead
    sc_core::sc_event raised_event_{"raised"};
    sc_core::sc_event interrupt_event_{"interrupt"};
    sc_core::sc_event stopped_event_{"stopped"};
};

}  // namespace archipelago::asic
