// SPDX-License-Identifier: Apache-2.0
// What SRBM of Southern Islands leads to, and what registers of blocks that have no model answer to
// drivers that wait for them. Ranges: those of configs/registers/si.yaml.
#include "models/gcn/si/front_end.h"
#include "registers/si_mc.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"
#include "registers/si_smc.h"
#include "registers/si_vm.h"

namespace archipelago::gcn::si {

namespace {

namespace reg = regs::si;
namespace typed = regs::si::typed;
using namespace srbm;

// MM_INDEX and PCIE_INDEX pairs (below 0x200), display, UVD and VCE are in no range: their
// registers are unknown.
std::vector<Range> ranges() {
    return {
        {"smc", 0x00200, 0x00BFF, kSelf},
        {"display memory interface", 0x00C00, 0x00DFF, kSelf},
        {"srbm", 0x00E00, 0x00E97, kSelf},
        // Read errors and interrupts of both buses are the interrupt handler's, which is at GRBM.
        {"srbm: read error", 0x00E98, 0x00E9B, kGrbm},
        {"srbm", 0x00E9C, 0x00E9F, kSelf},
        {"srbm: interrupts", 0x00EA0, 0x00EAB, kGrbm},
        {"srbm", 0x00EAC, 0x00FFF, kSelf},
        {"vm", 0x01400, 0x016FF, kSelf},
        {"bios scratch", 0x01700, 0x017FF, kSelf},
        {"srbm: counters", 0x01C00, 0x01FFF, kSelf},
        {"mc, hdp", 0x02000, 0x03DFF, kSelf},
        {"ih", 0x03E00, 0x03E3F, kGrbm},
        {"sem", 0x03E40, 0x03FFF, kSelf},
        {"bif", 0x05300, 0x05467, kSelf},
        {"bif: interrupt control", 0x05468, 0x0546F, kGrbm},
        {"bif, hdp", 0x05470, 0x057FF, kSelf},
        {"graphics", 0x08000, 0x0CFFF, kGrbm},
        {"dma0", 0x0D000, 0x0D7FF, kDma0},
        {"dma1", 0x0D800, 0x0DFFF, kDma1},
        {"graphics contexts", 0x28000, 0x2FFFF, kGrbm},
    };
}

std::vector<Rule> rules() {
    return {
        // Linux radeon si.c (si_gpu_check_soft_reset) and evergreen.c (evergreen_mc_wait_for_idle)
        // wait until bits are 0. The first looks for the second register at another offset.
        {reg::SRBM_STATUS, Answer::Levels, 0, reg::SRBM_STATUS},
        {reg::SRBM_STATUS2, Answer::Levels, 0, reg::SRBM_STATUS2},
        {reg::SRBM_STATUS2_EC4, Answer::Levels, 0, reg::SRBM_STATUS2},
        {reg::SRBM_SOFT_RESET, Answer::SoftReset},
        // It holds for VMIDs 1 to 15.
        {reg::VM_CONTEXT1_CNTL, Answer::Translate,
         typed::VM_CONTEXT1_CNTL{}.set_ENABLE_CONTEXT(1).raw},
        // si_dma.c (si_dma_vm_flush) polls the request for 0. There are no translations to forget.
        {reg::VM_INVALIDATE_REQUEST, Answer::AtOnce, 0, reg::VM_INVALIDATE_RESPONSE},
        // si.c (si_pcie_gart_tlb_flush): 1 flushes. Writes of the host are in memory at once.
        {reg::HDP_MEM_COHERENCY_FLUSH_CNTL, Answer::AtOnce},
        {reg::HDP_REG_COHERENCY_FLUSH_CNTL, Answer::AtOnce},
        // si.c (si_mc_load_microcode) waits for both. Memory works from reset on.
        {reg::MC_SEQ_TRAIN_WAKEUP_CNTL, Answer::Ready,
         typed::MC_SEQ_TRAIN_WAKEUP_CNTL{}.set_TRAIN_DONE_D0(1).set_TRAIN_DONE_D1(1).raw},
        // si.c (si_set_clk_bypass_mode) waits for the clock to have changed.
        {reg::SPLL_STATUS, Answer::Ready, typed::SPLL_STATUS{}.set_SPLL_CHG_STATUS(1).raw},
    };
}

}  // namespace

srbm::Spec srbm_spec() {
    srbm::Spec spec;
    spec.ranges = ranges();
    spec.rules = rules();
    spec.database = &reg::database();
    return spec;
}

}  // namespace archipelago::gcn::si
