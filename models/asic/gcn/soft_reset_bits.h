// SPDX-License-Identifier: Apache-2.0
// Which bits of GRBM_SOFT_RESET and SRBM_SOFT_RESET hold which blocks. SI has none for the compute
// units, which are reset with what launches their waves; BCI, SX, TA and RLC have no block here.
#pragma once

#include <cstdint>

#include "registers/si_grbm.h"
#include "registers/si_srbm.h"

namespace archipelago::gcn {

struct SoftResetBits {
    using Bits = regs::si::typed::GRBM_SOFT_RESET;
    static constexpr uint32_t kCp = Bits{}.set_SOFT_RESET_CP(1).raw;
    static constexpr uint32_t kGds = Bits{}.set_SOFT_RESET_GDS(1).raw;
    static constexpr uint32_t kAssembler = Bits{}.set_SOFT_RESET_PA(1).raw;
    static constexpr uint32_t kVgt = Bits{}.set_SOFT_RESET_VGT(1).set_SOFT_RESET_IA(1).raw;
    static constexpr uint32_t kSpi = Bits{}.set_SOFT_RESET_SPI(1).raw;  // and compute units
    static constexpr uint32_t kScan = Bits{}.set_SOFT_RESET_SC(1).raw;
    static constexpr uint32_t kDepth = Bits{}.set_SOFT_RESET_DB(1).raw;
    static constexpr uint32_t kColour = Bits{}.set_SOFT_RESET_CB(1).raw;
    static constexpr uint32_t kCaches = Bits{}.set_SOFT_RESET_TC(1).raw;
};

struct SystemResetBits {
    using Bits = regs::si::typed::SRBM_SOFT_RESET;
    static constexpr uint32_t kIh = Bits{}.set_SOFT_RESET_IH(1).raw;
    // And the bit of SRBM_STATUS that shows it busy.
    static constexpr uint32_t kSem = Bits{}.set_SOFT_RESET_SEM(1).raw;
    static constexpr unsigned kSemBusy = 14;
    // By the engine; and where SRBM_STATUS2 shows it busy.
    static constexpr uint32_t dma(unsigned engine) {
        return engine == 0 ? Bits{}.set_SOFT_RESET_DMA(1).raw : Bits{}.set_SOFT_RESET_DMA1(1).raw;
    }
    static constexpr unsigned dma_busy(unsigned engine) { return 5 + engine; }
};

}  // namespace archipelago::gcn
