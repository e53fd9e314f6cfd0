// SPDX-License-Identifier: Apache-2.0
// Instructions that need more than a wave's registers and memory: the global data share, exports,
// messages, parameters and operands in the local data share, halting and traps.
#pragma once

#include "models/common/gds_message.h"
#include "models/cu/isa/isa.h"
#include "models/gcn/export_message.h"

namespace archipelago::isa {

// ---- global data share (gds.cpp) ----------------------------------------------------------------
// A DS instruction of class Gds as the GDS sees it; source, tag, vmid and uid are the caller's.
// Addresses: M0[31:16] + VGPR + offset, in range while VGPR + offset < M0[15:0].
void gds_request(const Inst& inst, const WaveState& w, GdsRequest& request);
// Writes the destination registers of the lanes that were active at issue.
void gds_complete(const Inst& inst, uint64_t lanes, const GdsResponse& response, WaveState& w);

// ---- parameters and operands in LDS (interpolate.cpp) -------------------------------------------
// VINTRP. `lds` is the whole CU's; parameters lie at M0[15:0] within the wave's part.
void execute_interpolation(const Inst& inst, WaveState& w, const uint8_t* lds, unsigned lds_bytes);
// A vector ALU instruction whose first source is LDS_DIRECT: M0[15:0] is the byte address of the
// one value all lanes get, M0[18:16] its type.
void execute_lds_direct(const Inst& inst, WaveState& w, const uint8_t* lds, unsigned lds_bytes);

// ---- exports and messages (messages.cpp) --------------------------------------------------------
// All of the message except `wave`.
void export_message(const Inst& inst, const WaveState& w, ExportMessage& message);
// Null when the message exists on Southern Islands, else what is wrong with it.
const char* shader_message(const Inst& inst, const WaveState& w, ShaderMessage& message);

// ---- halt, kill, traps (messages.cpp) -----------------------------------------------------------
// Executes s_sethalt, s_setkill, s_setvskip, s_rfe_b64, s_setreg* and s_trap; w.pc is the address
// of the next instruction and is changed by s_trap and s_rfe_b64. Before s_trap everything the
// wave has started must have come back; before s_getreg of IB_STS w.ib_sts must be set.
void execute_control(const Inst& inst, WaveState& w);
// Whether the instruction is one of these: s_setreg only when it may write VSKIP or HALT, s_getreg
// only of IB_STS.
bool is_control(const Inst& inst);

}  // namespace archipelago::isa
