// SPDX-License-Identifier: Apache-2.0
// The benches by block; private to rtl-bridge/compare. A block that has a twin adds its row here
// and in benches.cpp.
#pragma once

#include <memory>

#include "rtl-bridge/compare/cosim.h"

namespace archipelago::rtl {

const CosimBench& cu_issue_bench();
std::unique_ptr<BlockSwap> swap_cu_issue(const TwinOptions& options);

const CosimBench& valu_lane_bench();
std::unique_ptr<BlockSwap> swap_valu_lane(const TwinOptions& options);

}  // namespace archipelago::rtl
