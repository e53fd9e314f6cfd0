// SPDX-License-Identifier: Apache-2.0
// How a chip is built, apart from its description.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <typeindex>

#include "models/common/address_spaces.h"
#include "models/common/trace_sink.h"
#include "tlm/memory_phases.h"

namespace archipelago::cu {
class RetireSink;
}

namespace archipelago::asic {

using tlm_shell::MemoryPhases;

enum class Mode : unsigned char {
    Cycle,       // every block in cycle mode
    Functional,  // register writes take effect at once, dispatches run without a pipeline
};

// Units that take the place of a chip's own, by the interface the chip uses them through: Verilog
// on pins, another model. They must outlive the chip. Cycle mode only.
class Substitutes {
  public:
    template <class Unit>
    void use(Unit& unit) {
        units_[typeid(Unit)] = &unit;
    }
    // The substitute for a unit of this type; null: the chip uses its own.
    template <class Unit>
    Unit* find() const {
        asked_->insert(typeid(Unit));
        const auto found = units_.find(typeid(Unit));
        return found != units_.end() ? static_cast<Unit*>(found->second) : nullptr;
    }
    // Whether a chip that was made with them has a place for each of `others`.
    bool have_places_for(const Substitutes& others) const {
        return std::all_of(others.units_.begin(), others.units_.end(),
                           [this](const auto& unit) { return asked_->count(unit.first) != 0; });
    }

  private:
    std::map<std::type_index, void*> units_;
    // Types that chips have looked for; copies share it.
    std::shared_ptr<std::set<std::type_index>> asked_ =
        std::make_shared<std::set<std::type_index>>();
};

struct ChipOptions {
    Mode mode = Mode::Cycle;
    // Puts a protocol checker on every socket inside the chip.
    bool check_protocol = false;
    // Temporal decoupling in cycle mode: the chip runs ahead while nothing else in the simulation
    // is due, by no more than tlm_global_quantum where that is set, or 1 ms. Cycles are the same,
    // and interrupts come at their times. Where the memory grants DMI without latencies, the chip
    // uses it: a memory that takes time grants none, or states its latencies. The chip ceases to
    // run ahead at the first request that such a memory does not complete at once and without
    // delay; up to there an annotated delay may be as long as the chip is ahead.
    bool temporal_decoupling = false;
    // How responses of the memory after the chip's socket end; Early: for one that minds what
    // BEGIN_RESP returns. Cycle mode.
    MemoryPhases memory_phases = MemoryPhases::Four;
    // Test modes: order of ticks within a cycle drawn from a seed; channels refuse at random.
    uint64_t shuffle_seed = 0;
    uint64_t stall_seed = 0;
    unsigned stall_percent = 0;
    // Instructions one wave may execute before the machine stops as hung. 0: what a lone wave
    // executes within half a minute or so. Of an Adreno: instructions of a micro engine while no
    // engine takes a word of the ring; 0: 2^26.
    uint64_t instruction_limit = 0;
    uint64_t wave_limit() const {
        return instruction_limit != 0 ? instruction_limit
                                      : uint64_t{1} << (mode == Mode::Cycle ? 26 : 30);
    }
    // Functional mode: reads CP may make, and waves it may start, within one register access before
    // the machine stops as hung.
    uint64_t work_limit = uint64_t{1} << 30;
    // Functional mode, GCN chips: called now and then while an access of the host makes waves run;
    // what it throws stops the chip.
    std::function<void()> while_busy;
    // Tells the instructions of programs apart (Attribution::instructions). Cycle mode.
    bool profile = false;
    // Cycles between two readings of the series of an Attribution; 0: no series. Cycle mode.
    uint64_t series_interval = 0;
    // Follows what the caches would hold, for a chip in cycle mode that takes over from what
    // Asic::archive() wrote. Functional mode.
    bool warm_caches = false;
    // Address spaces of VMIDs, for all clients of memory; must outlive the chip. Null: addresses
    // are those of the memory socket, whose payloads name the VMID.
    const AddressSpaces* address_spaces = nullptr;
    TraceSink* trace = nullptr;  // this and the next two may be null, and must outlive the chip
    LogSink* log = nullptr;
    cu::RetireSink* retire = nullptr;  // of chips with GCN compute units
    Substitutes substitutes;
};

}  // namespace archipelago::asic
