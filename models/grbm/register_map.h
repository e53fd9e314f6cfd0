// SPDX-License-Identifier: Apache-2.0
// The registers that GRBM keeps or acts on. Linux radeon sid.h; fields: public register headers.
#pragma once

#include <cstdint>

#include "models/common/context_registers.h"
#include "models/common/named_register.h"

namespace archipelago::grbm {

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    ContextWindow context;

    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField GUI_ACTIVE{*this, "GUI_ACTIVE"};
    } GRBM_STATUS{database, "GRBM_STATUS"};
    regs::NamedRegister GRBM_STATUS2{database, "GRBM_STATUS2"};
    regs::NamedRegister GRBM_STATUS_SE0{database, "GRBM_STATUS_SE0"};
    regs::NamedRegister GRBM_STATUS_SE1{database, "GRBM_STATUS_SE1"};
    regs::NamedRegister GRBM_SOFT_RESET{database, "GRBM_SOFT_RESET"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField SE_INDEX{*this, "SE_INDEX"}, SH_INDEX{*this, "SH_INDEX"},
            INSTANCE_INDEX{*this, "INSTANCE_INDEX"},
            SE_BROADCAST_WRITES{*this, "SE_BROADCAST_WRITES"},
            SH_BROADCAST_WRITES{*this, "SH_BROADCAST_WRITES"},
            INSTANCE_BROADCAST_WRITES{*this, "INSTANCE_BROADCAST_WRITES"};
        // The bits of a value that steers to all units.
        uint32_t all() const {
            return regs::word({{SE_BROADCAST_WRITES, 1},
                               {SH_BROADCAST_WRITES, 1},
                               {INSTANCE_BROADCAST_WRITES, 1}});
        }
    } GRBM_GFX_INDEX{database, "GRBM_GFX_INDEX"};
    regs::NamedRegister GFX_COPY_STATE{database, "GFX_COPY_STATE"};
};

}  // namespace archipelago::grbm
