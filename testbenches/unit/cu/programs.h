// SPDX-License-Identifier: Apache-2.0
// Test programs: words of the comment beside them (llvm-mc -arch=amdgcn -mcpu=tahiti).
// Convention: s[0:3] buffer descriptor, s4.. user data, v0 local id.
#pragma once

// clang-format off
#include <cstdint>
#include <vector>

namespace archipelago::cu::test {

// out[1024 + 4*i] = in[4*i] + 5
inline const std::vector<uint32_t> kLoadAddStore = {
    0x34020082,  // v_lshlrev_b32 v1, 2, v0
    0xe0301000, 0x80000201,  // buffer_load_dword v2, v1, s[0:3], 0 offen
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x4a040485,  // v_add_i32 v2, vcc, 5, v2
    0xe0701400, 0x80000201,  // buffer_store_dword v2, v1, s[0:3], 0 offen offset:1024
    0xbf810000,  // s_endpgm
};

// every lane another line
inline const std::vector<uint32_t> kLoadStride64 = {
    0x34020086,  // v_lshlrev_b32 v1, 6, v0
    0xe0301000, 0x80000201,  // buffer_load_dword v2, v1, s[0:3], 0 offen
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xbf810000,  // s_endpgm
};

// every lane the same dword
inline const std::vector<uint32_t> kLoadUniform = {
    0x7e0202c0,  // v_mov_b32 v1, 64
    0xe0301000, 0x80000201,  // buffer_load_dword v2, v1, s[0:3], 0 offen
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xbf810000,  // s_endpgm
};

// four consecutive dwords per lane, 20 bytes off a line
inline const std::vector<uint32_t> kLoadWide = {
    0x34020084,  // v_lshlrev_b32 v1, 4, v0
    0xe0381014, 0x80000401,  // buffer_load_dwordx4 v[4:7], v1, s[0:3], 0 offen offset:20
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xe0781800, 0x80000401,  // buffer_store_dwordx4 v[4:7], v1, s[0:3], 0 offen offset:2048
    0xbf810000,  // s_endpgm
};

// two independent loads, then both are used
inline const std::vector<uint32_t> kLoadTwo = {
    0x34020082,  // v_lshlrev_b32 v1, 2, v0
    0xe0301000, 0x80000201,  // buffer_load_dword v2, v1, s[0:3], 0 offen
    0xe0301100, 0x80000301,  // buffer_load_dword v3, v1, s[0:3], 0 offen offset:256
    0xbf8c0f71,  // s_waitcnt vmcnt(1)
    0x4a040481,  // v_add_i32 v2, vcc, 1, v2
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x4a040702,  // v_add_i32 v2, vcc, v2, v3
    0xe0701400, 0x80000201,  // buffer_store_dword v2, v1, s[0:3], 0 offen offset:1024
    0xbf810000,  // s_endpgm
};

// sub-dword loads and stores
inline const std::vector<uint32_t> kBytes = {
    0xe0201000, 0x80000200,  // buffer_load_ubyte v2, v0, s[0:3], 0 offen
    0xe0241000, 0x80000300,  // buffer_load_sbyte v3, v0, s[0:3], 0 offen
    0x34020081,  // v_lshlrev_b32 v1, 1, v0
    0xe02c1000, 0x80000401,  // buffer_load_sshort v4, v1, s[0:3], 0 offen
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x340a0082,  // v_lshlrev_b32 v5, 2, v0
    0xe0601400, 0x80000200,  // buffer_store_byte v2, v0, s[0:3], 0 offen offset:1024
    0xe0681800, 0x80000301,  // buffer_store_short v3, v1, s[0:3], 0 offen offset:2048
    0xe0701c00, 0x80000405,  // buffer_store_dword v4, v5, s[0:3], 0 offen offset:3072
    0xbf810000,  // s_endpgm
};

// all lanes add 1 to one location; each stores what it found
inline const std::vector<uint32_t> kAtomicSame = {
    0x7e020280,  // v_mov_b32 v1, 0
    0x7e040281,  // v_mov_b32 v2, 1
    0xe0c85000, 0x80000201,  // buffer_atomic_add v2, v1, s[0:3], 0 offen glc
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x34060082,  // v_lshlrev_b32 v3, 2, v0
    0xe0701400, 0x80000203,  // buffer_store_dword v2, v3, s[0:3], 0 offen offset:1024
    0xbf810000,  // s_endpgm
};

// lanes i and i+16, ... add to the same dword, without return
inline const std::vector<uint32_t> kAtomicSpread = {
    0x3602008f,  // v_and_b32 v1, 15, v0
    0x34020282,  // v_lshlrev_b32 v1, 2, v1
    0xe0e01000, 0x80000001,  // buffer_atomic_umax v0, v1, s[0:3], 0 offen
    0xbf810000,  // s_endpgm
};

// lane i replaces i by i + 100 in location i % 4 where it matches
inline const std::vector<uint32_t> kAtomicCompare = {
    0x36020083,  // v_and_b32 v1, 3, v0
    0x34020282,  // v_lshlrev_b32 v1, 2, v1
    0x7e0a0300,  // v_mov_b32 v5, v0
    0x4a0800ff, 0x00000064,  // v_add_i32 v4, vcc, 0x64, v0
    0xe0c45000, 0x80000401,  // buffer_atomic_cmpswap v[4:5], v1, s[0:3], 0 offen glc
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x34060082,  // v_lshlrev_b32 v3, 2, v0
    0xe0701400, 0x80000403,  // buffer_store_dword v4, v3, s[0:3], 0 offen offset:1024
    0xbf810000,  // s_endpgm
};

// 64-bit add
inline const std::vector<uint32_t> kAtomicWide = {
    0x2c020081,  // v_lshrrev_b32 v1, 1, v0
    0x34020283,  // v_lshlrev_b32 v1, 3, v1
    0x7e0802c1,  // v_mov_b32 v4, -1
    0x7e0a0281,  // v_mov_b32 v5, 1
    0xe1485000, 0x80000401,  // buffer_atomic_add_x2 v[4:5], v1, s[0:3], 0 offen glc
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x34060083,  // v_lshlrev_b32 v3, 3, v0
    0xe0741400, 0x80000403,  // buffer_store_dwordx2 v[4:5], v3, s[0:3], 0 offen offset:1024
    0xbf810000,  // s_endpgm
};

// lanes below 32 store 1, the others 2
inline const std::vector<uint32_t> kDivergence = {
    0x7e040280,  // v_mov_b32 v2, 0
    0x7d8800a0,  // v_cmp_gt_u32 vcc, 32, v0
    0xbe88246a,  // s_and_saveexec_b64 s[8:9], vcc
    0x7e040281,  // v_mov_b32 v2, 1
    0x89fe087e,  // s_xor_b64 exec, exec, s[8:9]
    0x7e040282,  // v_mov_b32 v2, 2
    0xbefe0408,  // s_mov_b64 exec, s[8:9]
    0x34020082,  // v_lshlrev_b32 v1, 2, v0
    0xe0701000, 0x80000201,  // buffer_store_dword v2, v1, s[0:3], 0 offen
    0xbf810000,  // s_endpgm
};

// wave pairs exchange through LDS across a barrier: out[i] = 3 * (i ^ 64)
inline const std::vector<uint32_t> kExchange = {
    0xbefc03c1,  // s_mov_b32 m0, -1
    0x34020082,  // v_lshlrev_b32 v1, 2, v0
    0x16040083,  // v_mul_u32_u24 v2, 3, v0
    0xd8340000, 0x00000201,  // ds_write_b32 v1, v2
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf8a0000,  // s_barrier
    0x3a0602ff, 0x00000100,  // v_xor_b32 v3, 0x100, v1
    0xd8d80000, 0x04000003,  // ds_read_b32 v4, v3
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xe0701000, 0x80000401,  // buffer_store_dword v4, v1, s[0:3], 0 offen
    0xbf810000,  // s_endpgm
};

// the first wave runs a long loop before the barrier, then all store s_memtime
inline const std::vector<uint32_t> kUnevenBarrier = {
    0xbf078005,  // s_cmp_lg_u32 s5, 0
    0xbf850004,  // s_cbranch_scc1 skip
    0xbe8603b2,  // s_mov_b32 s6, 50
    // loop:
    0x80868106,  // s_sub_u32 s6, s6, 1
    0xbf078006,  // s_cmp_lg_u32 s6, 0
    0xbf85fffd,  // s_cbranch_scc1 loop
    // skip:
    0xbf8a0000,  // s_barrier
    0xc7840000,  // s_memtime s[8:9]
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x34020082,  // v_lshlrev_b32 v1, 2, v0
    0x7e040208,  // v_mov_b32 v2, s8
    0xe0701000, 0x80000201,  // buffer_store_dword v2, v1, s[0:3], 0 offen
    0xbf810000,  // s_endpgm
};

// eight reads with lane stride s4 bytes
inline const std::vector<uint32_t> kLdsStride = {
    0xbefc03c1,  // s_mov_b32 m0, -1
    0xd2d20001, 0x00000900,  // v_mul_lo_u32 v1, v0, s4
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xd8d80000, 0x02000001,  // ds_read_b32 v2, v1
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf810000,  // s_endpgm
};

// one-dword vector instructions, each needs the one before
inline const std::vector<uint32_t> kValuChain = {
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0x06020301,  // v_add_f32 v1, v1, v1
    0xbf810000,  // s_endpgm
};

inline const std::vector<uint32_t> kTransChain = {
    0x7e025501,  // v_rcp_f32 v1, v1
    0x7e025501,  // v_rcp_f32 v1, v1
    0x7e025501,  // v_rcp_f32 v1, v1
    0x7e025501,  // v_rcp_f32 v1, v1
    0x7e025501,  // v_rcp_f32 v1, v1
    0x7e025501,  // v_rcp_f32 v1, v1
    0x7e025501,  // v_rcp_f32 v1, v1
    0x7e025501,  // v_rcp_f32 v1, v1
    0xbf810000,  // s_endpgm
};

// time between two s_memtime around s_nop 0 (s4 = low half of the difference)
inline const std::vector<uint32_t> kTimed64 = {
    0xc7820000,  // s_memtime s[4:5]
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf800000,  // s_nop 0
    0xc7830000,  // s_memtime s[6:7]
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x80840406,  // s_sub_u32 s4, s6, s4
    0xbf810000,  // s_endpgm
};

// branches that are not taken: two right after what they test, one after something else
inline const std::vector<uint32_t> kBranchStatus = {
    0xbf060404,  // s_cmp_eq_u32 s4, s4
    0xbf840000,  // s_cbranch_scc0 0
    0xbeea047e,  // s_mov_b64 vcc, exec
    0xbf860000,  // s_cbranch_vccz 0
    0xbefe047e,  // s_mov_b64 exec, exec
    0x7e020300,  // v_mov_b32 v1, v0
    0xbf880000,  // s_cbranch_execz 0
    0xbf810000,  // s_endpgm
};

// s4 = number of turns
inline const std::vector<uint32_t> kLoop = {
    // loop:
    0x80848104,  // s_sub_u32 s4, s4, 1
    0xbf078004,  // s_cmp_lg_u32 s4, 0
    0xbf85fffd,  // s_cbranch_scc1 loop
    0xbf810000,  // s_endpgm
};

inline const std::vector<uint32_t> kEndless = {
    // loop:
    0xbf82ffff,  // s_branch loop
    0xbf810000,  // s_endpgm
};

// v_add writes VCC, the scalar ALU reads it
inline const std::vector<uint32_t> kCarryToScalar = {
    0x4a020100,  // v_add_i32 v1, vcc, v0, v0
    0xbe84046a,  // s_mov_b64 s[4:5], vcc
    0xbf810000,  // s_endpgm
};

inline const std::vector<uint32_t> kCompareToScalar = {
    0x7d820300,  // v_cmp_lt_u32 vcc, v0, v1
    0xbe84046a,  // s_mov_b64 s[4:5], vcc
    0xbf810000,  // s_endpgm
};

// the scalar instruction reads something else
inline const std::vector<uint32_t> kCarryToOther = {
    0x4a020100,  // v_add_i32 v1, vcc, v0, v0
    0xbe840406,  // s_mov_b64 s[4:5], s[6:7]
    0xbf810000,  // s_endpgm
};

// out = sum of scalar data read in several widths
inline const std::vector<uint32_t> kScalarLoads = {
    0xc0040500,  // s_load_dword s8, s[4:5], 0x0
    0xc0450501,  // s_load_dwordx2 s[10:11], s[4:5], 0x1
    0xc0860503,  // s_load_dwordx4 s[12:15], s[4:5], 0x3
    0xc2c80108,  // s_buffer_load_dwordx8 s[16:23], s[0:3], 0x8
    0xc7c00000,  // s_dcache_inv
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x80080a08,  // s_add_u32 s8, s8, s10
    0x80080b08,  // s_add_u32 s8, s8, s11
    0x80080c08,  // s_add_u32 s8, s8, s12
    0x80080f08,  // s_add_u32 s8, s8, s15
    0x80081008,  // s_add_u32 s8, s8, s16
    0x80081708,  // s_add_u32 s8, s8, s23
    0x34020082,  // v_lshlrev_b32 v1, 2, v0
    0x4a040008,  // v_add_i32 v2, vcc, s8, v0
    0xe0701400, 0x80000201,  // buffer_store_dword v2, v1, s[0:3], 0 offen offset:1024
    0xbf810000,  // s_endpgm
};

inline const std::vector<uint32_t> kInvalidate = {
    0xe1c40000, 0x00000000,  // buffer_wbinvl1
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xbf810000,  // s_endpgm
};

inline const std::vector<uint32_t> kExport = {
    0xf800180f, 0x00000000,  // exp mrt0 v0, v0, v0, v0 done vm
    0xbf810000,  // s_endpgm
};

// uses v40 and s90
inline const std::vector<uint32_t> kManyRegisters = {
    0x7e500280,  // v_mov_b32 v40, 0
    0xbf810000,  // s_endpgm
};

inline const std::vector<uint32_t> kManyScalars = {
    0xbeda0380,  // s_mov_b32 s90, 0
    0xbf810000,  // s_endpgm
};

// scalar instructions of twice the time
inline const std::vector<uint32_t> kLongScalar = {
    0xbe88247e,  // s_and_saveexec_b64 s[8:9], exec
    0xb9841801,  // s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s4
    0xba801801, 0x00000000,  // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
    0xbf810000,  // s_endpgm
};

inline const std::vector<uint32_t> kSetPriority = {
    0xbf8f0003,  // s_setprio 3
    0xbf800007,  // s_nop 7
    0xbf8e0002,  // s_sleep 2
    0xbf810000,  // s_endpgm
};

// two-dword vector instructions
inline const std::vector<uint32_t> kTwoDwordChain = {
    0x060202ff, 0x3f900000,  // v_add_f32 v1, 0x3f900000, v1
    0x060202ff, 0x3f900000,  // v_add_f32 v1, 0x3f900000, v1
    0x060202ff, 0x3f900000,  // v_add_f32 v1, 0x3f900000, v1
    0x060202ff, 0x3f900000,  // v_add_f32 v1, 0x3f900000, v1
    0xbf810000,  // s_endpgm
};

// a loop with LDS, scalar loads, divergence and atomics: groups add their sums to out[s6]
inline const std::vector<uint32_t> kReduce = {
    0xbefc03c1,  // s_mov_b32 m0, -1
    0x34020082,  // v_lshlrev_b32 v1, 2, v0
    0x8f078a04,  // s_lshl_b32 s7, s4, 10
    0x4a040207,  // v_add_i32 v2, vcc, s7, v1
    0xe0301000, 0x80000302,  // buffer_load_dword v3, v2, s[0:3], 0 offen
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xd8340000, 0x00000301,  // ds_write_b32 v1, v3
    0xbe8803ff, 0x00000080,  // s_mov_b32 s8, 0x80
    // loop:
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf8a0000,  // s_barrier
    0x7d880008,  // v_cmp_gt_u32 vcc, s8, v0
    0xbe8a246a,  // s_and_saveexec_b64 s[10:11], vcc
    0xbf88000a,  // s_cbranch_execz skip
    0x8f098208,  // s_lshl_b32 s9, s8, 2
    0x4a080209,  // v_add_i32 v4, vcc, s9, v1
    0xd8d80000, 0x05000004,  // ds_read_b32 v5, v4
    0xd8d80000, 0x06000001,  // ds_read_b32 v6, v1
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x4a0c0d05,  // v_add_i32 v6, vcc, v5, v6
    0xd8340000, 0x00000601,  // ds_write_b32 v1, v6
    // skip:
    0xbefe040a,  // s_mov_b64 exec, s[10:11]
    0x90088108,  // s_lshr_b32 s8, s8, 1
    0xbf078008,  // s_cmp_lg_u32 s8, 0
    0xbf85ffed,  // s_cbranch_scc1 loop
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf8a0000,  // s_barrier
    0x7d840080,  // v_cmp_eq_u32 vcc, 0, v0
    0xbe8a246a,  // s_and_saveexec_b64 s[10:11], vcc
    0xbf880006,  // s_cbranch_execz end
    0xd8d80000, 0x06000001,  // ds_read_b32 v6, v1
    0x7e0e0206,  // v_mov_b32 v7, s6
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xe0c81000, 0x80000607,  // buffer_atomic_add v6, v7, s[0:3], 0 offen
    // end:
    0xbf810000,  // s_endpgm
};

// if (x > y) c += d; else c -= d;
inline const std::vector<uint32_t> kIfElse = {
    0x7d880300,  // v_cmp_gt_u32 vcc, v0, v1
    0xbe8a047e,  // s_mov_b64 s[10:11], exec
    0x87fe7e6a,  // s_and_b64 exec, vcc, exec
    0xbf860001,  // s_cbranch_vccz else
    0x06040702,  // v_add_f32 v2, v2, v3
    // else:
    0x8afe7e0a,  // s_andn2_b64 exec, s[10:11], exec
    0xbf880001,  // s_cbranch_execz after
    0x08040702,  // v_sub_f32 v2, v2, v3
    // after:
    0xbefe040a,  // s_mov_b64 exec, s[10:11]
    0xbf810000,  // s_endpgm
};

}  // namespace archipelago::cu::test
// clang-format on
