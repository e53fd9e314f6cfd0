// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/twin_module.h"

#include "rtl-bridge/compare/ctm_mc_address.h"
#include "rtl-bridge/compare/tile_address.h"
#include "rtl/source_stamp.h"

extern "C" const archipelago::rtl::TwinModule archipelago_twin_module;
const archipelago::rtl::TwinModule archipelago_twin_module = {
    archipelago::rtl::kSourceStamp,
    archipelago::rtl::cosim_benches,
    archipelago::rtl::make_ctm_mc_address,
    archipelago::rtl::make_si_tile_address,
};
