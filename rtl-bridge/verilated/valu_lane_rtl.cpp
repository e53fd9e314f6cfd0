// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/valu_lane_rtl.h"

#include "Vvalu_lane.h"
#include "Vvalu_lane_faults.h"
#include "rtl-bridge/verilated/valu_lane_model.h"
#include "rtl-bridge/verilated/verilated_twin.h"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace archipelago::rtl {

std::unique_ptr<Twin<ValuLanePins>> make_valu_lane_rtl(const TwinOptions& options) {
    return make_twin<ValuLaneModel<Vvalu_lane>, ValuLaneModel<Vvalu_lane_faults>, VerilatedContext,
                     VerilatedFstC>(options);
}

}  // namespace archipelago::rtl
