// SPDX-License-Identifier: Apache-2.0
// Interrupt::source_id: the source of an interrupt, as drivers read it in the interrupt ring.
#pragma once

#include <cstdint>

namespace archipelago::interrupt_source {

// Linux radeon si_irq_process.
constexpr uint8_t kSystemReadError = 96;
constexpr uint8_t kCommandProcessor = 176;  // CP_INT of ring 0; the other rings' follow
constexpr uint8_t kEndOfPipe = 181;
constexpr uint8_t kEngineIdle = 233;
// Linux radeon cik_irq_process, and as Linux amdgpu has it.
constexpr uint8_t kPrivilegedRegister = 184;
// Linux amdgpu irqsrcs_gfx_9_0.h, whose 181, 184 and 233 are those above.
constexpr uint8_t kGraphicsReadError = 232;
// Shader sequencer. Linux amdkfd, CIK_INTSRC_SQ_INTERRUPT_MSG; taken to be the same on Southern
// Islands, whose drivers enable none.
constexpr uint8_t kShader = 239;

}  // namespace archipelago::interrupt_source
