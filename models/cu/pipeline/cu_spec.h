// SPDX-License-Identifier: Apache-2.0
// Parameters of a compute unit. Every size and latency of the model is a field here; README.md
// lists where the values come from. Cycles are those of the shader clock.
#pragma once

#include <array>

#include "models/common/channel.h"
#include "models/cu/pipeline/decoded.h"

namespace archipelago::cu {

constexpr unsigned kMaxLdsQueue = 8;

struct CuSpec {
    // ---- organisation ---------------------------------------------------------------------------
    unsigned simds = 4;        // 1..4; SIMD n issues in cycles where cycle % simds == n
    unsigned wave_slots = 10;  // per SIMD, at most 16
    unsigned vgprs = 256;      // per lane and SIMD
    unsigned sgprs = 512;      // per SIMD
    unsigned lds_bytes = 65536;
    unsigned lds_granule = 256;  // of a group's part, as SPI allocates it
    unsigned group_slots = 40;   // resource slots for groups (barrier and LDS)

    // ---- instruction fetch ----------------------------------------------------------------------
    unsigned fetch_blocks = 2;  // instruction buffer per wave, in blocks of 32 bytes; 2, 4 or 8
    // A lone wave on its SIMD waits this long before a two-dword instruction that starts at dword
    // `fetch_free_dwords` of its block or later. One that issues for several turns of the SIMD may
    // start at as many dwords at the end, and one after a two-dword instruction of four turns or
    // more in the first half or right after it.
    unsigned fetch_two_dword_penalty = 4;
    unsigned fetch_free_dwords = 3;
    // A lone wave waits this long per dword beyond `fetch_free_dwords` after a branch not taken at
    // dword 4..7.
    unsigned fetch_not_taken_penalty = 4;
    // A forward jump to dword `fetch_jump_free_dwords` of a block or later: for each dword, counted
    // from the one before.
    unsigned fetch_jump_penalty = 4;
    unsigned fetch_jump_free_dwords = 5;

    // ---- issue ----------------------------------------------------------------------------------
    unsigned issue_width = 5;  // instructions per cycle; class Internal is not counted
    // Cycles a VALU instruction occupies its SIMD, and until the wave's next instruction issues.
    std::array<unsigned, kRates> rate_cycles = {
        4,   // Full
        16,  // Trans
        16,  // MulLo
        8,   // F64Add
        16,  // F64Mul
        4,   // Fma32
        4,   // Cvt
        16,  // DivF32
        8,   // DivF64
        4,   // Scalar
        8,   // ScalarLong
        4,   // Other
    };
    unsigned salu_cycles = 4;
    unsigned salu_long_cycles = 8;  // saveexec, s_setreg
    // Extra wait of a SALU or branch instruction that reads what a VALU instruction of the same
    // wave wrote to a scalar register: carries and read lanes, and comparisons.
    unsigned valu_to_salu_stall = 16;
    unsigned compare_to_salu_stall = 0;
    // Extra wait of a branch right after the instruction that changed what it tests.
    unsigned branch_status_stall = 4;
    unsigned branch_not_taken_cycles = 4;
    unsigned branch_taken_cycles = 16;
    unsigned internal_cycles = 4;     // s_waitcnt, s_setprio, ...
    unsigned nop_cycles = 4;          // per wait state of s_nop
    unsigned sleep_unit_cycles = 64;  // per unit of s_sleep
    unsigned barrier_cycles = 4;      // last arrival to the next instruction of every wave

    // ---- counters: the largest value, at which instructions that would count on are held --------
    unsigned vm_max = 15;
    unsigned lgkm_max = 15;
    unsigned exp_max = 7;

    // ---- scalar memory --------------------------------------------------------------------------
    std::array<unsigned, 5> smem_issue_cycles = {4, 4, 4, 8, 16};  // x1 x2 x4 x8 x16
    unsigned smem_other_issue_cycles = 4;                          // s_memtime, s_dcache_inv
    unsigned smem_queue = 2;         // of a SIMD: issued, not yet sent to the cache
    unsigned smem_outstanding = 32;  // at most 64
    unsigned memtime_cycles = 41;    // s_memtime: issue to result

    // ---- local data share -----------------------------------------------------------------------
    unsigned lds_operand_cycles = 2;  // to read one VGPR of a wave as an operand
    unsigned lds_banks = 32;          // of a dword; a power of two, 2 to isa::kMaxLdsBanks
    unsigned lds_bank_cycles = 1;     // per bank cycle; 64 / banks without conflicts for each dword
    unsigned lds_issue_factor = 2;    // wave's next instruction: factor * cycles without conflicts
    unsigned lds_latency = 16;        // end of service to counter decrement
    unsigned lds_queue = 2;           // DS instructions of a SIMD not yet served; at most 8
    bool lds_load_offset = true;      // the offset of a load to LDS counts in LDS, too

    // ---- exports, global data share, messages, interpolation ------------------------------------
    unsigned export_issue_cycles = 4;  // until the wave's next instruction
    unsigned export_cycles = 16;       // the path out of the registers is busy, per instruction
    unsigned gds_outstanding = 16;     // GDS instructions in flight per compute unit; at most 64
    unsigned message_cycles = 16;      // s_sendmsg: issue to the counter decrement
    unsigned interpolate_cycles = 4;   // VINTRP: LDS busy, and until the wave's next instruction

    // ---- vector memory --------------------------------------------------------------------------
    // Cycles until the wave's next instruction issues.
    unsigned load_issue_cycles = 8;        // one dword per lane
    unsigned load_wide_issue_cycles = 16;  // more
    unsigned store_issue_cycles = 16;
    unsigned atomic_issue_cycles = 16;
    unsigned cmpswap_issue_cycles = 32;
    unsigned vmem_queue = 3;  // instructions of a SIMD on the way to the address unit or waiting
    unsigned vmem_outstanding = 64;       // instructions in flight per compute unit; at most 64
    unsigned ta_latency = 4;              // issue to the first line request
    unsigned ta_load_quad_cycles = 1;     // address rate of loads: four lanes ...
    unsigned ta_load_quarter_cycles = 1;  // ... or sixteen, when these read consecutive dwords
    // Beyond that, for loads of two dwords per lane, ...
    unsigned ta_load_pair_cycles = 2;
    // ... and of 16 and of 12 bytes, when quads of lanes lie in more than `linear_lines` lines.
    unsigned ta_load_scattered_cycles = 2;
    unsigned ta_load_scattered_triple_cycles = 16;
    unsigned ta_store_quarter_cycles = 2;  // stores: sixteen lanes
    unsigned ta_atomic_quad_cycles = 1;    // atomics: four lanes
    unsigned ta_requests_per_cycle = 4;    // line requests handed to the L1 per cycle
    unsigned td_responses_per_cycle = 4;   // line responses taken from the L1 per cycle
    unsigned td_bytes_per_cycle = 64;      // returned to the registers
    unsigned td_latency = 4;               // return of the last byte to the counter decrement
    // Images: address rate of a quad of lanes, for each footprint of up to four texels.
    unsigned ta_image_quad_cycles = 1;
    // Return path, cycles for a whole wave, by texels of up to 4, 8, 16 bytes: one texel for each
    // lane, the same when the texels of a quad lie in more than `linear_lines` lines, and
    // each filtered footprint.
    std::array<unsigned, 3> image_load_cycles = {16, 16, 24};
    std::array<unsigned, 3> image_scattered_cycles = {16, 32, 32};
    std::array<unsigned, 3> image_filter_cycles = {16, 32, 64};
    unsigned linear_lines = 2;

    // ---- links ----------------------------------------------------------------------------------
    ChannelSpec launch_in{4, 1};
    ChannelSpec fetch_in{8, 1};
    ChannelSpec scalar_in{8, 1};
    ChannelSpec mem_in{16, 1};
    ChannelSpec l1_action_done_in{2, 1};
    ChannelSpec gds_in{4, 1};

    // Throws std::invalid_argument naming the field that is out of range.
    void validate() const;
};

}  // namespace archipelago::cu
