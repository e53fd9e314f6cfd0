// SPDX-License-Identifier: Apache-2.0
// The control interface of every block: reset, pause, drain, checkpoint, and what it waits for.
#pragma once

#include <string>

namespace archipelago {

enum class RunState : unsigned char {
    Running,
    Paused,    // accepts nothing new and starts nothing; responses may still arrive
    Draining,  // takes no new work from outside, finishes what it has; done when idle()
};

class Archive;

class Control {
  public:
    virtual ~Control() = default;
    // Back to the state after construction: State, queues and counters.
    virtual void reset() = 0;
    // Visits all that the block holds, for a checkpoint (archive.h). Throws MachineStop with the
    // block's name when it is not at rest.
    virtual void archive(Archive& a) = 0;
    // No work inside and no output pending. Incoming channels belong to the block.
    virtual bool idle() const = 0;
    void pause() { set_run_state(RunState::Paused); }
    void resume() { set_run_state(RunState::Running); }
    void drain() { set_run_state(RunState::Draining); }
    // Also wakes the block, in any state.
    virtual void set_run_state(RunState run) = 0;
    // What the block waits for, for the watchdog's report; empty when idle.
    virtual std::string waiting_for() const = 0;
};

}  // namespace archipelago
