// SPDX-License-Identifier: Apache-2.0
#include "models/cp/registers/si/coherency.h"

#include "registers/si_cp.h"

namespace archipelago::cp {

bool coherency_action(uint32_t control, uint32_t size, uint32_t base, CacheAction& action) {
    const regs::si::typed::CP_COHER_CNTL bits{control};
    action = {};
    action.invalidate_l1 = bits.TCL1_ACTION_ENA() != 0 || bits.TCL1_VOL_ACTION_ENA() != 0;
    action.invalidate_scalar =
        bits.SH_KCACHE_ACTION_ENA() != 0 || bits.SH_KCACHE_VOL_ACTION_ENA() != 0;
    action.invalidate_inst = bits.SH_ICACHE_ACTION_ENA() != 0;
    action.invalidate_l2 = bits.TC_ACTION_ENA() != 0 || bits.TC_VOL_ACTION_ENA() != 0;
    action.writeback_l2 = action.invalidate_l2 || bits.TC_WB_ACTION_ENA() != 0;
    action.flush_colour = bits.CB_ACTION_ENA() != 0;
    action.flush_depth = bits.DB_ACTION_ENA() != 0;
    action.base = uint64_t{base} << 8;
    action.size = size == ~0u ? ~uint64_t{0} : uint64_t{size} << 8;
    return action.invalidate_l1 || action.invalidate_scalar || action.invalidate_inst ||
           action.writeback_l2 || action.flush_colour || action.flush_depth;
}

}  // namespace archipelago::cp
