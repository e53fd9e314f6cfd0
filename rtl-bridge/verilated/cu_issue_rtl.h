// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rtl-bridge/pins/cu_issue_pins.h"

namespace archipelago::rtl {

// The Verilog of rtl-bridge/rtl/cu_issue.
std::unique_ptr<Twin<CuIssuePins>> make_cu_issue_rtl(const TwinOptions& options);

}  // namespace archipelago::rtl
