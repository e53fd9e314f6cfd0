// SPDX-License-Identifier: Apache-2.0
// Where a debugger looks into the engines of a command processor, in both modes. Simulated time
// does not advance during a call. `now`: cycle; in functional mode, instructions executed.
#pragma once

#include <cstdint>
#include <functional>

#include "models/afuc/cp/processor.h"

namespace archipelago::afuc {

class DebugHook {
  public:
    virtual ~DebugHook() = default;
    // Called once for each engine, in their order. read_register(index) has no side effects.
    virtual void attach(Processor& engine, std::function<uint32_t(uint32_t)> read_register) = 0;
    // Before an engine inspects its next instruction, and after an issue cycle in which it
    // executed one. `packet`: the next instruction is the first of a packet's handler.
    virtual void before_issue(Processor& engine, Cycle now) = 0;
    virtual void after_issue(Processor& engine, Cycle now, bool packet) = 0;
};

}  // namespace archipelago::afuc
