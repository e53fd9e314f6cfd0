// SPDX-License-Identifier: Apache-2.0
// Parameters and names of tests that run in both modes.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "models/asic/chip_options.h"

namespace archipelago::test {

inline const auto kBothModes = ::testing::Values(asic::Mode::Cycle, asic::Mode::Functional);

inline std::string mode_name(const ::testing::TestParamInfo<asic::Mode>& info) {
    return info.param == asic::Mode::Cycle ? "cycle" : "functional";
}

}  // namespace archipelago::test
