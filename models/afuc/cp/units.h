// SPDX-License-Identifier: Apache-2.0
// Verilog that may replace parts of Adreno's command processor in cycle mode.
#pragma once

#include "models/afuc/cp/cp_spec.h"
#include "pins/afuc_engine_pins.h"

namespace archipelago::afuc {

// Gives each micro engine of a command processor a block on pins.
class EngineFactory {
  public:
    virtual ~EngineFactory() = default;
    // Of engine `number`, which counts from 0 in the order of CpSpec::processors. Throws
    // std::invalid_argument for a spec that it does not take. What it returns outlives the command
    // processor.
    virtual rtl::PinBlock<rtl::AfucEnginePins>& engine(const ProcessorSpec& spec,
                                                       unsigned number) = 0;
};

// Null: the command processor's own.
struct Units {
    EngineFactory* engines = nullptr;
};

// Throws std::invalid_argument for what the Verilog twin does not take.
void check_twin(const ProcessorSpec& spec);

}  // namespace archipelago::afuc
