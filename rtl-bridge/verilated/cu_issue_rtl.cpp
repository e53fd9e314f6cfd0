// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/cu_issue_rtl.h"

#include "Vcu_issue.h"
#include "Vcu_issue_faults.h"
#include "rtl-bridge/verilated/cu_issue_model.h"
#include "rtl-bridge/verilated/verilated_twin.h"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace archipelago::rtl {

std::unique_ptr<Twin<CuIssuePins>> make_cu_issue_rtl(const TwinOptions& options) {
    return make_twin<CuIssueModel<Vcu_issue>, CuIssueModel<Vcu_issue_faults>, VerilatedContext,
                     VerilatedFstC>(options);
}

}  // namespace archipelago::rtl
