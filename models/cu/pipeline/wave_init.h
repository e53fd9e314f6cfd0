// SPDX-License-Identifier: Apache-2.0
// Architectural state of a wave as SPI leaves it for the first instruction. Knows no time; the
// cycle and the functional mode both start waves here. SI document 1.2.1.5 (shader initialisation).
#pragma once

#include <string>

#include "models/cu/isa/wave_state.h"
#include "models/gcn/compute_message.h"
#include "models/gcn/export_message.h"

namespace archipelago::cu {

// Position of a compute unit in the chip, as waves see it in HW_ID.
struct CuPosition {
    uint8_t se = 0;  // shader engine
    uint8_t sh = 0;  // shader array of the engine
    uint8_t cu = 0;  // compute unit of the array
};

// Sets `wave` and clears and fills its registers. `registers` is v0 of the wave's allocation
// (launch.vgpr_count registers, 64-byte aligned).
//
// - s0.. hold launch.sgpr_init, all other SGPRs and VCC 0.
// - v0..v2 hold local ids, where there is launch.data v0.. what it has; the other VGPRs 0. The
// hardware leaves what was there before; zeros
//   make a program that reads them behave alike in every mode and run.
// - M0 holds the LDS allocation in bytes, which is also the limit DS instructions check against.
void init_wave(const WaveLaunch& launch, const CuPosition& position, isa::VReg* registers,
               isa::WaveState& wave);

// Clears the wave's LDS, or keeps what it holds, and writes what the launch has for it. `lds` is
// the whole unit's; for the first wave of a group.
void init_lds(const WaveLaunch& launch, uint8_t* lds);

// HW_ID hardware register: WAVE_ID [3:0] SIMD_ID [5:4] CU_ID [11:8] SH_ID [12] SE_ID [13]
// TG_ID [19:16] VM_ID [23:20].
uint32_t hw_id(const WaveLaunch& launch, const CuPosition& position);

// The wave as its exports and messages name it. `source`: the compute unit; `pc`: of the
// instruction, bytes.
WaveIdentity wave_identity(const WaveLaunch& launch, const isa::WaveState& wave, uint16_t source,
                           uint64_t pc);

}  // namespace archipelago::cu
