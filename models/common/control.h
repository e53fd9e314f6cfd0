// SPDX-License-Identifier: Apache-2.0
// The contract every block keeps towards those who reset, drain or inspect it. DESIGN section 2.
#pragma once

#include <string>

namespace archipelago {

class Control {
  public:
    virtual ~Control() = default;
    // Back to the state after construction: State, queues and counters.
    virtual void reset() = 0;
    // No work inside and none on the way out. Incoming channels belong to the block.
    virtual bool idle() const = 0;
    // Paused, a block accepts nothing new and starts nothing; what left it may still come back.
    virtual void pause() = 0;
    virtual void resume() = 0;
    // Draining, a block takes no new work from outside but finishes what it has; done when idle().
    virtual void drain() = 0;
    // What the block waits for, for the watchdog's report; empty when idle.
    virtual std::string waiting_for() const = 0;
};

// The state machine behind pause/resume/drain, for blocks to hold.
enum class RunState : unsigned char { Running, Paused, Draining };

}  // namespace archipelago
