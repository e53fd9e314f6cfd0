// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/rings/interrupt_ring.h"

#include "models/common/page.h"
#include "registers/si_ih.h"
#include "registers/si_names.h"
#include "testbenches/host/machine.h"

namespace archipelago::host {

// The order is that of Linux's r600_irq_init and si_irq_init; the registers are the same in all
// generations.
void start_interrupt_ring(Machine& machine, uint64_t address, uint64_t bytes) {
    namespace r = regs::si;
    uint32_t dwords_log2 = 0;
    while (uint64_t{4} << dwords_log2 < bytes)
        ++dwords_log2;
    const uint64_t mirror = machine.allocate(kPageBytes);
    auto control = r::typed::IH_RB_CNTL{}
                       .set_WPTR_OVERFLOW_CLEAR(1)
                       .set_WPTR_OVERFLOW_ENABLE(1)
                       .set_WPTR_WRITEBACK_ENABLE(1)
                       .set_RB_SIZE(dwords_log2);
    machine.write_register(r::IH_RB_CNTL, control.raw);
    machine.write_register(r::IH_RB_BASE, static_cast<uint32_t>(address >> 8));
    machine.write_register(r::IH_RB_WPTR_ADDR_LO, static_cast<uint32_t>(mirror) & ~3u);
    machine.write_register(r::IH_RB_WPTR_ADDR_HI, static_cast<uint32_t>(mirror >> 32) & 0xFF);
    machine.write_register(r::IH_RB_RPTR, 0);
    machine.write_register(r::IH_RB_WPTR, 0);
    machine.write_register(r::IH_CNTL, r::typed::IH_CNTL{}.set_ENABLE_INTR(1).raw);
    control.set_WPTR_OVERFLOW_CLEAR(0).set_RB_ENABLE(1);
    machine.write_register(r::IH_RB_CNTL, control.raw);
}

}  // namespace archipelago::host
