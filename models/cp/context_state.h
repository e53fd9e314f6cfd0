// SPDX-License-Identifier: Apache-2.0
// The render contexts as ME hands them out: "Radeon Southern Islands Acceleration" 1.2.1.6, 2.2.1,
// 2.4.2, 2.4.4. How they reach other blocks: models/common/context_registers.h.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/context_registers.h"
#include "models/cp/destination_bases.h"
#include "models/cp/register_map.h"

namespace archipelago::cp {

// What has to happen before a register is written.
enum class RollStep : uint8_t {
    None,   // write it, to target()
    Close,  // post CONTEXT_DONE for the current context, then close()
    Wait,   // the next context is still in the pipe
    Take,   // copy the current context to next() if they differ, then take()
};

// Draws use contexts 1..max in turn; 0 is the clear state's. A context that has been drawn with is
// not written any more: the first write after the draw takes the next one, which starts as its
// copy, and tells the pipe to give the old one back.
class Contexts {
  public:
    explicit Contexts(const RegisterMap& registers)
        : max(static_cast<uint8_t>(registers.contexts - 1)),
          bases(registers),
          registers_(&registers) {}
    const RegisterMap& registers() const { return *registers_; }

    uint8_t max;  // MAX_CONTEXT
    uint8_t current = 1;
    bool drawn = false;     // with the current one
    bool closed = false;    // CONTEXT_DONE of the current one is on its way
    bool preamble = false;  // between PREAMBLE_CNTL 2 and 3: writes go to context 0
    std::array<bool, kContexts> in_pipe{};
    uint64_t draws = 0;  // started so far: the number of the newest, as VGT and SPI count
    DestinationBases bases;

    template <class Archive>
    void archive(Archive& a) {
        a(max, current, drawn, closed, preamble, in_pipe, draws, bases);
    }
    uint8_t next() const { return current >= max ? 1 : static_cast<uint8_t>(current + 1); }
    // The context a write is for; reads are for the current one.
    uint8_t target(uint32_t offset) const {
        return preamble && registers_->of_context(offset) ? 0 : current;
    }
    RollStep step(uint32_t offset) const {
        const bool writes =
            registers_->of_context(offset) ? !preamble : offset == registers_->copy_state;
        const bool draws = offset == registers_->draw_initiator;
        if (!(writes && drawn) && !((writes || draws) && closed))
            return RollStep::None;
        if (!closed)
            return RollStep::Close;
        return in_pipe[next()] ? RollStep::Wait : RollStep::Take;
    }
    // step() is None and target() the current context, regardless of the register.
    bool steady() const { return !drawn && !closed && !preamble; }
    void close() {
        closed = true;
        in_pipe[current] = true;
    }
    void take() {
        bases.copy(current, next());
        current = next();
        drawn = closed = false;
    }
    // A register has been written.
    void wrote(uint32_t offset, uint32_t value) {
        if (offset == registers_->draw_initiator) {
            drawn = true;
            ++draws;
        } else {
            bases.wrote(target(offset), offset, value);
        }
    }
    // Whether the current context has drawn to the surface of a SURFACE_SYNC, and whether one that
    // is still in the pipe has.
    bool drew_to(uint32_t control, uint32_t size, uint32_t base) const {
        return drawn && !closed && bases.match(current, control, size, base);
    }
    bool draws_to(uint32_t control, uint32_t size, uint32_t base) const {
        for (unsigned i = 0; i < kContexts; ++i)
            if (in_pipe[i] && bases.match(i, control, size, base))
                return true;
        return false;
    }
    void done(unsigned context) { in_pipe[context] = false; }
    bool idle() const {
        for (const bool busy : in_pipe)
            if (busy)
                return false;
        return !drawn;
    }
    unsigned in_flight() const {
        unsigned count = drawn && !closed ? 1 : 0;
        for (const bool busy : in_pipe)
            count += busy ? 1 : 0;
        return count;
    }

  private:
    const RegisterMap* registers_;
};

}  // namespace archipelago::cp
