// SPDX-License-Identifier: Apache-2.0
// The one header a SystemC platform includes to instantiate a chip:
//
//   find_package(archipelago REQUIRED)
//   target_link_libraries(my_platform PRIVATE archipelago::archipelago)
//
// models/asic/asic.h says how a chip is bound; examples/own_platform is a whole platform.
// rtl-bridge/adapters/verilog_platform.h puts Verilog of archipelago_verilog() beside it.
#pragma once

#include "models/asic/asic.h"      // asic::Asic, ChipOptions
#include "models/asic/families.h"  // asic::load_chip
#include "models/gb/gb_spec.h"     // gb::GbSpec
