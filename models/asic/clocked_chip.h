// SPDX-License-Identifier: Apache-2.0
// What chips of all families share: blocks on an engine clock, memory controllers on a clock
// of their own, counters and their readings, checkpoints of both modes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/board_memory.h"
#include "models/asic/functional_machine.h"
#include "models/asic/identity.h"
#include "models/asic/memory_channels.h"
#include "models/asic/netlist.h"
#include "models/asic/overview_trace.h"
#include "models/asic/place_trace.h"
#include "models/asic/register_inspect.h"
#include "models/asic/reset_register.h"
#include "models/asic/sampler.h"
#include "models/asic/soft_reset.h"

namespace archipelago::asic {

// A family's constructor adds its blocks to the netlist, in functional mode a machine that does
// their work (run_without_time()), in cycle mode the memory (add_memory()), and then calls
// complete().
class ClockedChip : public Asic {
  public:
    ~ClockedChip() override;

    uint64_t cycles() const final;
    bool idle() const final { return net_.idle(); }
    void archive(Archive& a) final;
    void watch() final;
    HangReport hang_report() const override;
    uint64_t cycles_of_every_clock(uint64_t count) const final;
    uint64_t progress() const final;
    const StatsRegistry& stats() const final { return registry_; }
    std::optional<Attribution> attribution() const final;
    void finish_trace() final;
    uint64_t steps() const final { return engine_.scheduler().steps(); }
    uint64_t ticks() const final { return engine_.scheduler().ticks(); }

  protected:
    // All must outlive the chip. The engine clock is that of `identity`.
    ClockedChip(const sc_core::sc_module_name& name, const ChipDescription& description,
                const Identity& identity, const BoardMemory& board, const ChipOptions& options);

    // ---- for the family's constructor
    MemoryBuild build() { return {board_, options(), net_, engine_, memory_clock_}; }
    const mc::ChannelMap& map() const { return map_; }
    // A chip that is reset as a whole, both modes: this register at `host` resets every block that
    // has been added so far, in functional mode the machine. `front` is the block that answers the
    // host, at `registers`. Before the functions below: the memory is not reset.
    void reset_all_by(const ResetRegisterSpec& spec, tlm_shell::RegisterTargetPort& host,
                      const Control& front, RegisterPort registers);
    // Functional mode: accesses at `host` are the machine's.
    void run_without_time(FunctionalMachine& machine, tlm_shell::RegisterTargetPort& host);
    // Cycle mode: transport_dbg() at `host` has the values of registers from here.
    void allow_inspection(Inspect inspect, tlm_shell::RegisterTargetPort& host);
    // Cycle mode: a memory controller for each channel, downstream of the hub. See MemoryChannels.
    MemoryChannels& add_memory(const std::vector<HubClient>& clients, unsigned others = 0);
    // Cycle mode: the family's own.
    void use_memory(MemoryChannels& channels) { channels_ = &channels; }
    // Cycle mode: what holds the blocks of a halted chip (Asic::resume()); of a chip that is not
    // reset as a whole.
    void reset_by(SoftReset& reset) { resets_.push_back(&reset); }
    // Orders in which timelines and statistics show the blocks (Netlist::observe). `engines`: see
    // OverviewTrace.
    void complete(const Netlist::Names& trace_order, const Netlist::Names& stats_order,
                  std::vector<const Control*> engines = {});
    // Shows the places of memory transactions in the timeline, if there is one.
    void trace_places();

    // ---- while the chip runs
    const tlm_shell::ClockDomain& engine() const { return engine_; }
    Sampler& sampler() { return *sampler_; }  // cycle mode
    const Sampler& sampler() const { return *sampler_; }

    // ---- what a family adds
    // Functional mode, before the blocks are saved: their state, as the machine has it.
    virtual void copy_state_to_blocks() {}
    // Functional mode, after the blocks and the machine: further blocks of the archive.
    virtual void archive_functional(Archive&) {}
    // Cycle mode, after the blocks as functional mode wrote them: what else it wrote.
    virtual void take_over(Archive&) {}
    // Cycle mode: what the attribution is made of, besides the sampler's readings; before those.
    virtual void archive_attribution(Archive&) {}
    // Cycle mode, with what every chip has in it.
    virtual void attribute(Attribution&) const {}

  private:
    bool hold_in_reset() final;

    const BoardMemory& board_;
    Netlist net_;
    tlm_shell::ClockDomain engine_;
    tlm_shell::ClockDomain memory_clock_;
    mc::ChannelMap map_;
    StatsRegistry registry_;
    FunctionalMachine* functional_ = nullptr;                // functional mode
    std::unique_ptr<RegisterInspector> register_inspector_;  // cycle mode
    std::unique_ptr<ResetRegister> reset_register_;          // of reset_all_by()
    std::unique_ptr<SoftReset> soft_reset_;                  // the same
    std::unique_ptr<MemoryChannels> memory_channels_;        // of add_memory()
    MemoryChannels* channels_ = nullptr;                     // cycle mode
    std::unique_ptr<Sampler> sampler_;                       // cycle mode
    std::vector<SoftReset*> resets_;                         // cycle mode
    uint64_t watched_since_ = 0;                             // cycle; of watch()
    std::unique_ptr<OverviewTrace> overview_;                // cycle mode, with a timeline
    std::unique_ptr<PlaceTrace> places_;                     // the same
};

}  // namespace archipelago::asic
