// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/ctm_mc_address.h"

#include <stdexcept>

#include "rtl-bridge/verilated/twin.h"

namespace archipelago::rtl {

std::unique_ptr<Twin<CtmMcAddressPins>> make_ctm_mc_address(
    [[maybe_unused]] const TwinOptions& options) {
#if defined(ARCHIPELAGO_HAVE_TWINS)
    return make_twin<CtmMcAddressPins>(options);
#else
    throw std::invalid_argument(
        "--rtl ctm_mc_address: this build has no Verilog twins; install the package verilator and "
        "configure again");
#endif
}

}  // namespace archipelago::rtl
