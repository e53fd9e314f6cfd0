// SPDX-License-Identifier: Apache-2.0
// A whole chip: an sc_module with a register target socket, a memory initiator socket and
// interrupts. Instantiate it in any SystemC platform:
//
//   auto loaded = archipelago::asic::load_chip("tahiti", {});
//   archipelago::asic::Chip chip("gpu", loaded.config);
//   my_bus.bind(chip.registers);       // byte offsets of the register aperture
//   chip.memory.bind(my_memory);       // TLM-2.0 base protocol, the GPU's address space
//   chip.on_interrupt([&](const archipelago::Interrupt& i) { ... });
//
// The time resolution must be 1 fs. DESIGN sections 2, 4.
#pragma once

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/asic/chip_config.h"
#include "models/asic/hang_report.h"
#include "models/common/compute_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"

namespace archipelago::cu {
class IssueUnit;
class LdsUnit;
class ValuUnit;
}  // namespace archipelago::cu
namespace archipelago::tc {
class L2Factory;
}
namespace archipelago::spi {
class AllocatorUnit;
}  // namespace archipelago::spi
namespace archipelago::cp {
class PinPfp;
}  // namespace archipelago::cp
namespace archipelago::grbm {
class PinGrbm;
}  // namespace archipelago::grbm

namespace archipelago::rtl {
struct CpCePins;
struct VgtIndexDmaPins;
template <class P>
class PinBlock;
}  // namespace archipelago::rtl

namespace archipelago::asic {

enum class Mode : unsigned char {
    Cycle,       // every block in time
    Functional,  // register writes take effect at once, dispatches run without a pipeline
};

struct ChipOptions {
    Mode mode = Mode::Cycle;
    // Sits a protocol checker on every socket inside the chip.
    bool check_protocol = false;
    // The chip runs on by itself while nothing else in the simulation is due (RunControl::
    // run_ahead()): for a host that starts the simulation without an end and whose memory asks for
    // no time. Direct memory access that the memory grants is used then, in cycle mode, too.
    bool run_ahead = false;
    // PFP and ME work out packets that only set registers for many cycles at once (cycle mode, not
    // while anything is traced or logged); no cycle and no counter shows it.
    bool work_ahead = true;
    // Test modes: order of ticks within a cycle drawn from a seed; channels refuse at random.
    uint64_t shuffle_seed = 0;
    uint64_t stall_seed = 0;
    unsigned stall_percent = 0;
    // Functional mode: instructions one wave may execute, and reads CP may make and waves it may
    // start within one register access, before the machine stops as hung.
    uint64_t instruction_limit = uint64_t{1} << 30;
    TraceSink* trace = nullptr;  // all may be null and must outlive the chip
    LogSink* log = nullptr;
    // Works out vector instructions of every compute unit in its place (cycle mode only).
    cu::ValuUnit* valu = nullptr;
    // Takes the issue decisions of every compute unit (cycle mode only).
    cu::IssueUnit* issue = nullptr;
    // Makes the L2 channels (cycle mode only).
    tc::L2Factory* l2 = nullptr;
    // Executes the DS instructions of every compute unit (cycle mode only).
    cu::LdsUnit* lds = nullptr;
    // Finds the room for the work-groups of SPI (cycle mode only).
    spi::AllocatorUnit* allocator = nullptr;
    // Takes the register bus manager's place (cycle mode only).
    grbm::PinGrbm* grbm = nullptr;
    // Parses packets in the place of the prefetch parser (cycle mode only).
    cp::PinPfp* pfp = nullptr;
    // The constant engine of the command processor at its pins (cycle mode only).
    rtl::PinBlock<rtl::CpCePins>* ce = nullptr;
    // The index DMA unit of VGT at its pins (cycle mode only).
    rtl::PinBlock<rtl::VgtIndexDmaPins>* index_dma = nullptr;
};

// Instructions executed, by issue class; the same in both modes.
struct WorkDone {
    uint64_t waves = 0;
    uint64_t instructions = 0;
    std::vector<std::pair<std::string, uint64_t>> by_class;
};

class Chip : public sc_core::sc_module {
  public:
    tlm::tlm_target_socket<> registers{"registers"};
    tlm::tlm_initiator_socket<> memory{"memory"};

    Chip(const sc_core::sc_module_name& name, const ChipConfig& config,
         const ChipOptions& options = {});
    ~Chip() override;

    using InterruptHandler = std::function<void(const Interrupt&)>;
    void on_interrupt(InterruptHandler handler);
    // Notified after the handler was called.
    const sc_core::sc_event& interrupt_event() const;

    // Engine clock cycles passed.
    uint64_t cycles() const;
    bool idle() const;
    // What each busy block waits for, one line each.
    std::string waiting_for() const;
    // The same, apart: the rings, every wave, every unit that waits.
    HangReport hang_report() const;
    // A number that changes whenever a packet, wave or instruction completes.
    uint64_t progress() const;
    WorkDone work() const;
    // The counters are those of the moment it is called: what CP works out ahead is not in them
    // before it is called again.
    const StatsRegistry& stats() const;
    // Why the chip stopped the simulation, if it did.
    std::exception_ptr error() const;
    // Stops the simulation as a block would.
    void fail(std::exception_ptr error);

    const ChipConfig& config() const;
    const ChipOptions& options() const;
    // Cycles the clocks were really stepped, and ticks of blocks: the cost of a run.
    uint64_t engine_steps() const;
    uint64_t engine_ticks() const;

    struct Parts;

  private:
    std::unique_ptr<Parts> parts_;
};

}  // namespace archipelago::asic
