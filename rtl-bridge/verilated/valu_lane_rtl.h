// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rtl-bridge/pins/valu_lane_pins.h"

namespace archipelago::rtl {

// The Verilog of rtl-bridge/rtl/valu_lane.
std::unique_ptr<Twin<ValuLanePins>> make_valu_lane_rtl(const TwinOptions& options);

}  // namespace archipelago::rtl
