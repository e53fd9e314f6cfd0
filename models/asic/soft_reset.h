// SPDX-License-Identifier: Apache-2.0
// A chip's soft reset register (GRBM_SOFT_RESET; ResetRegister, where one register resets the whole
// chip): the fan-out of its bits to the blocks. A block is held in reset while one of its bits is
// set: it is as after construction, does nothing, drops what arrives (responses to its earlier
// requests), and answers register accesses with 0. What arrives after the bits are cleared is taken
// as new, so a driver keeps them set for as long as a memory access takes.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "models/common/channel.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "models/common/wire.h"
#include "tlm/clock_domain.h"

namespace archipelago::asic {

// Of a block at the register bus.
struct RegisterPort {
    Channel<RegRequest>* requests = nullptr;  // null: it has no registers
    Channel<RegResponse>* answers = nullptr;
};

class SoftReset : public sc_core::sc_module, public Clocked {
  public:
    SoftReset(const sc_core::sc_module_name& name, tlm_shell::ClockDomain& clock,
              const Wire<uint32_t>& bits);

    // `units`: what the clock ticks of the block.
    void add(uint32_t bits, Control& block, const std::vector<Clocked*>& units,
             RegisterPort registers = {});
    // A block that is its only unit.
    template <class UnitBlock>
    void add(uint32_t bits, UnitBlock& block, RegisterPort registers = {}) {
        add(bits, block, {&block}, registers);
    }

    bool tick(Cycle now) override;
    void archive(Archive& a) const {
        a.at_rest(level_ == 0 && stopped_ == 0, "a bit of it is set");
    }
    // Without time: resets the blocks of these bits at once.
    void reset(uint32_t bits);
    // Holds every block in reset from now on, between two cycles, until its bit has been set and
    // cleared: those of a chip that has halted.
    void hold();

  private:
    struct Block;
    // Ticked in the place of a unit in reset, when something has come for it.
    struct StandIn : Clocked {
        SoftReset* owner = nullptr;
        Block* block = nullptr;
        bool tick(Cycle now) override;
    };
    struct Block {
        uint32_t bits = 0;
        Control* control = nullptr;
        std::vector<Clocked*> units;
        std::vector<std::unique_ptr<StandIn>> stand_ins;
        RegisterPort registers;
        bool held = false;
        bool dirty = false;  // something has come since it was reset
    };
    void apply();
    void exchange(Block& block, bool hold);
    static bool answer_registers(const Block& block, Cycle now);

    tlm_shell::ClockDomain& clock_;
    const Wire<uint32_t>& bits_;
    uint32_t level_ = 0;       // of `bits_`, that apply() has seen
    uint32_t stopped_ = 0;     // bits of hold() that have not been set since
    sc_core::sc_event apply_;  // between two cycles: the order of ticks must not matter
    std::deque<Block> blocks_;
};

}  // namespace archipelago::asic
