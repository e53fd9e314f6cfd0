// SPDX-License-Identifier: Apache-2.0
// Where a debugger looks into the engines of a command processor, in both modes. The machine stands
// still while it is called.
#pragma once

#include <cstdint>
#include <functional>

#include "models/afuc/cp/processor.h"

namespace archipelago::afuc {

class DebugHook {
  public:
    virtual ~DebugHook() = default;
    // Once for each engine of the model, in their order.
    virtual void attach(Processor& engine, std::function<uint32_t(uint32_t)> read_register) = 0;
    // Before an engine inspects its next instruction, and after it has executed one. `packet`:
    // after it a packet's handler begins.
    virtual void before_beat(Processor& engine, Cycle now) = 0;
    virtual void after_beat(Processor& engine, Cycle now, bool packet) = 0;
};

}  // namespace archipelago::afuc
