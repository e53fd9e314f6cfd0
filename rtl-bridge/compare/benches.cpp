// SPDX-License-Identifier: Apache-2.0
// The benches of this build's twins, linked in: for the module and for tests.
#include "models/ctm/mc/mc_address_pins.h"
#include "models/mc/tile_address/tile_address_core.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/ctm_mc_address.h"
#include "rtl-bridge/compare/tile_address.h"

namespace archipelago::rtl {

#define ARCHIPELAGO_TWIN(block, Pins) \
    struct Pins;                      \
    template <>                       \
    const CosimBench& cosim_bench<Pins>();
#define ARCHIPELAGO_TWINLESS(block, Pins) ARCHIPELAGO_TWIN(block, Pins)
#include "rtl/blocks.inc"

const std::vector<const CosimBench*>& cosim_benches() {
    static const std::vector<const CosimBench*> benches = {
#define ARCHIPELAGO_TWIN(block, Pins) &cosim_bench<Pins>(),
#define ARCHIPELAGO_TWINLESS(block, Pins) ARCHIPELAGO_TWIN(block, Pins)
#include "rtl/blocks.inc"
    };
    return benches;
}

std::unique_ptr<Twin<CtmMcAddressPins>> make_ctm_mc_address(const TwinOptions& options) {
    return make_in_chip<CtmMcAddressPins, ctm::McAddressPins>(options);
}

std::unique_ptr<Twin<SiTileAddressPins>> make_si_tile_address(const TwinOptions& options) {
    return make_in_chip<SiTileAddressPins, tile_address::TileAddressCore>(options);
}

}  // namespace archipelago::rtl
