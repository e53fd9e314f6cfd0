// SPDX-License-Identifier: Apache-2.0
// The module of the Verilog twins: a shared library with all benches, opened when a twin is
// selected. Building it takes Verilator and longer than building the command.
#pragma once

#include <memory>
#include <vector>

#include "pins/ctm_mc_address_pins.h"
#include "pins/si_tile_address_pins.h"
#include "rtl-bridge/compare/cosim.h"

namespace archipelago::rtl {

constexpr const char* kTwinModuleTarget = "archipelago_twins";  // of the build
constexpr const char* kTwinModuleFile = "archipelago_twins.so";

struct TwinModule {
    const char* source_stamp;  // kSourceStamp of its build
    const std::vector<const CosimBench*>& (*benches)();
    std::unique_ptr<Twin<CtmMcAddressPins>> (*make_ctm_mc_address)(const TwinOptions& options);
    std::unique_ptr<Twin<SiTileAddressPins>> (*make_si_tile_address)(const TwinOptions& options);
};
// What the shared library exports under this name. `source_stamp` stays its first member: it is
// read before anything is known to agree.
constexpr const char* kTwinModuleSymbol = "archipelago_twin_module";

}  // namespace archipelago::rtl
