// SPDX-License-Identifier: Apache-2.0
// Programs of cu_special_test.cpp: words of the comment beside them (llvm-mc -arch=amdgcn
// -mcpu=tahiti). Convention: s[0:3] buffer descriptor, s4.. user data, v0 local id.
#pragma once

// clang-format off
#include <cstdint>
#include <vector>

namespace archipelago::cu::test {

// every lane adds its number to one GDS dword; the old values to memory
inline const std::vector<uint32_t> kGdsAdd = {
    0xbefc03ff, 0x00400100,  // s_mov_b32 m0, 0x400100
    0x7e020290,  // v_mov_b32_e32 v1, 16
    0xd8820000, 0x02000001,  // ds_add_rtn_u32 v2, v1, v0 gds
    0x34060082,  // v_lshlrev_b32_e32 v3, 2, v0
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xe0701000, 0x80000203,  // buffer_store_dword v2, v3, s[0:3], 0 offen
    0xbf8c0f0f,  // s_waitcnt expcnt(0)
    0xd8da0000, 0x04000001,  // ds_read_b32 v4, v1 gds
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xe0701100, 0x80000403,  // buffer_store_dword v4, v3, s[0:3], 0 offen offset:256
    0xbf810000,  // s_endpgm
};

// appends and consumes
inline const std::vector<uint32_t> kGdsAppend = {
    0xbefc03ff, 0x00400100,  // s_mov_b32 m0, 0x400100
    0xd8fa0020, 0x01000000,  // ds_append v1 offset:32 gds
    0xd8fa0020, 0x02000000,  // ds_append v2 offset:32 gds
    0xd8f60020, 0x03000000,  // ds_consume v3 offset:32 gds
    0x34080082,  // v_lshlrev_b32_e32 v4, 2, v0
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xe0701000, 0x80000104,  // buffer_store_dword v1, v4, s[0:3], 0 offen
    0xe0701100, 0x80000204,  // buffer_store_dword v2, v4, s[0:3], 0 offen offset:256
    0xe0701200, 0x80000304,  // buffer_store_dword v3, v4, s[0:3], 0 offen offset:512
    0xbf810000,  // s_endpgm
};

// s4 selects: 0 initialises for two waves and waits, 1 waits
inline const std::vector<uint32_t> kGwsBarrier = {
    0xbefc03ff, 0x00050000,  // s_mov_b32 m0, 0x50000
    0x7e020281,  // v_mov_b32_e32 v1, 1
    0xbf068004,  // s_cmp_eq_u32 s4, 0
    0xbf840005,  // s_cbranch_scc0 L
    0xd8660002, 0x00000001,  // ds_gws_init v1 offset:2 gds
    0xbf8c000f,  // s_waitcnt expcnt(0) lgkmcnt(0)
    0xbf8a0000,  // s_barrier
    0xbf820001,  // s_branch M
    0xbf8a0000,  // s_barrier
    0xd8760002, 0x00000001,  // ds_gws_barrier v1 offset:2 gds
    0xbf8c000f,  // s_waitcnt expcnt(0) lgkmcnt(0)
    0xbe850387,  // s_mov_b32 s5, 7
    0xbf810000,  // s_endpgm
};

// keeps s4 in a register and in LDS, takes (s5 0) or gives to a semaphore, adds up what it kept
inline const std::vector<uint32_t> kGwsKeep = {
    0x34060082,  // v_lshlrev_b32_e32 v3, 2, v0
    0x7e020204,  // v_mov_b32_e32 v1, s4
    0xbefc03c1,  // s_mov_b32 m0, -1
    0xd8340000, 0x00000103,  // ds_write_b32 v3, v1
    0xbefc0380,  // s_mov_b32 m0, 0
    0xbf068005,  // s_cmp_eq_u32 s5, 0
    0xbf840003,  // s_cbranch_scc0 L
    0xd8720000, 0x00000000,  // ds_gws_sema_p gds
    0xbf820002,  // s_branch M
    0xd86a0000, 0x00000000,  // ds_gws_sema_v gds
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbefc03c1,  // s_mov_b32 m0, -1
    0xd8d80000, 0x02000003,  // ds_read_b32 v2, v3
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x4a040302,  // v_add_i32_e32 v2, vcc, v2, v1
    0xe0701000, 0x80000203,  // buffer_store_dword v2, v3, s[0:3], 0 offen
    0xbf810000,  // s_endpgm
};

// waits for a semaphore that is never signalled
inline const std::vector<uint32_t> kGwsLonely = {
    0xbefc0380,  // s_mov_b32 m0, 0
    0xd8720000, 0x00000000,  // ds_gws_sema_p gds
    0xbf8c000f,  // s_waitcnt expcnt(0) lgkmcnt(0)
    0xbf810000,  // s_endpgm
};

// wave 0 takes what wave 1 gives
inline const std::vector<uint32_t> kGwsSemaphore = {
    0xbefc0380,  // s_mov_b32 m0, 0
    0x7e020282,  // v_mov_b32_e32 v1, 2
    0xbf068004,  // s_cmp_eq_u32 s4, 0
    0xbf840008,  // s_cbranch_scc0 L
    0xd8720001, 0x00000000,  // ds_gws_sema_p offset:1 gds
    0xd8720001, 0x00000000,  // ds_gws_sema_p offset:1 gds
    0xd8720001, 0x00000000,  // ds_gws_sema_p offset:1 gds
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf810000,  // s_endpgm
    0xd86e0001, 0x00000001,  // ds_gws_sema_br v1 offset:1 gds
    0xd86a0001, 0x00000000,  // ds_gws_sema_v offset:1 gds
    0xbf810000,  // s_endpgm
};

// waves pass in the order of s4 regardless of their order of issue
inline const std::vector<uint32_t> kOrdered = {
    0xbefc0304,  // s_mov_b32 m0, s4
    0x7e02028a,  // v_mov_b32_e32 v1, 10
    0xd8fe0304, 0x02000001,  // ds_ordered_count v2, v1 offset:772 gds
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x7e0a0502,  // v_readfirstlane_b32 s5, v2
    0xbf810000,  // s_endpgm
};

// one plain, one compressed export
inline const std::vector<uint32_t> kExports = {
    0x7e0202f2,  // v_mov_b32_e32 v1, 1.0
    0x7e0402f4,  // v_mov_b32_e32 v2, 2.0
    0x7e0602f6,  // v_mov_b32_e32 v3, 4.0
    0xf800023b, 0x03000100,  // exp param3 v0, v1, off, v3
    0xf8001c1f, 0x00000201,  // exp mrt1 v1, v1, v2, v2 done compr vm
    0xbf8c0f0f,  // s_waitcnt expcnt(0)
    0xbe850383,  // s_mov_b32 s5, 3
    0xbf810000,  // s_endpgm
};

// a single export
inline const std::vector<uint32_t> kExportNull = {
    0xf8000090, 0x00000000,  // exp null off, off, off, off
    0xbf810000,  // s_endpgm
};

// an interrupt with user data
inline const std::vector<uint32_t> kInterrupt = {
    0xbefc03ff, 0x000001a5,  // s_mov_b32 m0, 0x1a5
    0xbf900001,  // s_sendmsg sendmsg(MSG_INTERRUPT)
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbe850383,  // s_mov_b32 s5, 3
    0xbf810000,  // s_endpgm
};

// emit and cut on stream 2
inline const std::vector<uint32_t> kGsMessage = {
    0xbefc0389,  // s_mov_b32 m0, 9
    0xbf900232,  // s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT_CUT, 2)
    0xbf810000,  // s_endpgm
};

// a message, then nothing more
inline const std::vector<uint32_t> kSendHalt = {
    0xbf910001,  // s_sendmsghalt sendmsg(MSG_INTERRUPT)
    0xbe850383,  // s_mov_b32 s5, 3
    0xbf810000,  // s_endpgm
};

//
inline const std::vector<uint32_t> kHalt = {
    0xbf8d0001,  // s_sethalt 1
    0xbe850383,  // s_mov_b32 s5, 3
    0xbf810000,  // s_endpgm
};

//
inline const std::vector<uint32_t> kKill = {
    0xbe850381,  // s_mov_b32 s5, 1
    0xbf8b0001,  // s_setkill 1
    0xbe850383,  // s_mov_b32 s5, 3
    0xbf810000,  // s_endpgm
};

// the handler is 0x100 further on
inline const std::vector<uint32_t> kTrap = {
    0xc0030900,  // s_load_dword s6, s[8:9], 0x0
    0x7e020283,  // v_mov_b32_e32 v1, 3
    0xbf92002a,  // s_trap 42
    0xbe850383,  // s_mov_b32 s5, 3
    0xbf810000,  // s_endpgm
};

// keeps what it finds, sets halt, which waits for the return
inline const std::vector<uint32_t> kTrapHandler = {
    0xb90af802,  // s_getreg_b32 s10, hwreg(HW_REG_STATUS)
    0xbf8d0001,  // s_sethalt 1
    0xbf8d0000,  // s_sethalt 0
    0xbe8b0370,  // s_mov_b32 s11, ttmp0
    0xbe8c0371,  // s_mov_b32 s12, ttmp1
    0xbe8d036e,  // s_mov_b32 s13, tma_lo
    0x80708470,  // s_add_u32 ttmp0, ttmp0, 4
    0x8771ff71, 0x0000ffff,  // s_and_b32 ttmp1, ttmp1, 0xffff
    0xbe802270,  // s_rfe_b64 ttmp[0:1]
};

// returns halted
inline const std::vector<uint32_t> kTrapHaltHandler = {
    0xbf8d0001,  // s_sethalt 1
    0x80708470,  // s_add_u32 ttmp0, ttmp0, 4
    0x8771ff71, 0x0000ffff,  // s_and_b32 ttmp1, ttmp1, 0xffff
    0xbe802270,  // s_rfe_b64 ttmp[0:1]
};

// vector instructions have no effect while skipped
inline const std::vector<uint32_t> kSkip = {
    0x7e020281,  // v_mov_b32_e32 v1, 1
    0xbe840384,  // s_mov_b32 s4, 4
    0xbf108204,  // s_setvskip s4, 2
    0x7e020282,  // v_mov_b32_e32 v1, 2
    0x06039101,  // v_add_f32_e32 v1, v1, v200
    0xd8340000, 0x00000100,  // ds_write_b32 v0, v1
    0xe0701000, 0x80000100,  // buffer_store_dword v1, v0, s[0:3], 0 offen
    0xf800023b, 0x03000100,  // exp param3 v0, v1, off, v3
    0xb9050701,  // s_getreg_b32 s5, hwreg(HW_REG_MODE, 28, 1)
    0xbf8a0000,  // s_barrier
    0xbf108004,  // s_setvskip s4, 0
    0x7e040301,  // v_mov_b32_e32 v2, v1
    0xbf810000,  // s_endpgm
};

// levels 3 and 5, and two words for the timeline, one of them while vector instructions are skipped
inline const std::vector<uint32_t> kMarks = {
    0xbefc03ff, 0xcafe0001,  // s_mov_b32 m0, 0xcafe0001
    0xbf940003,  // s_incperflevel 3
    0xbf940003,  // s_incperflevel 3
    0xbf950005,  // s_decperflevel 5
    0xbf960000,  // s_ttracedata
    0xbe840381,  // s_mov_b32 s4, 1
    0xbf108004,  // s_setvskip s4, 0
    0xbf960000,  // s_ttracedata
    0xbf950003,  // s_decperflevel 3
    0xbf108104,  // s_setvskip s4, 1
    0xbf810000,  // s_endpgm
};

// one LDS dword, and its second byte sign extended, to all lanes
inline const std::vector<uint32_t> kLdsDirect = {
    0xbefc03c1,  // s_mov_b32 m0, -1
    0x7e0202ff, 0x1234f678,  // v_mov_b32_e32 v1, 0x1234f678
    0x7e0402c0,  // v_mov_b32_e32 v2, 64
    0xd8340000, 0x00000102,  // ds_write_b32 v2, v1
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbefc03ff, 0x00020040,  // s_mov_b32 m0, 0x20040
    0x7e0602fe,  // v_mov_b32_e32 v3, src_lds_direct
    0x4a0800fe,  // v_add_i32_e32 v4, vcc, src_lds_direct, v0
    0xbefc03ff, 0x00040041,  // s_mov_b32 m0, 0x40041
    0x7e0a02fe,  // v_mov_b32_e32 v5, src_lds_direct
    0xbefc03ff, 0x00050040,  // s_mov_b32 m0, 0x50040
    0x7e0c02fe,  // v_mov_b32_e32 v6, src_lds_direct
    0xbefc03ff, 0x00021000,  // s_mov_b32 m0, 0x21000
    0x7e0e02fe,  // v_mov_b32_e32 v7, src_lds_direct
    0xbf810000,  // s_endpgm
};

// parameters of attribute 1 of two primitives at 64
inline const std::vector<uint32_t> kInterpolate = {
    0x34020082,  // v_lshlrev_b32_e32 v1, 2, v0
    0xbefc03c1,  // s_mov_b32 m0, -1
    0x7e040d00,  // v_cvt_f32_u32_e32 v2, v0
    0xd8340040, 0x00000201,  // ds_write_b32 v1, v2 offset:64
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbefc03ff, 0x00020040,  // s_mov_b32 m0, 0x20040
    0x7e0602f0,  // v_mov_b32_e32 v3, 0.5
    0x7e0802f4,  // v_mov_b32_e32 v4, 2.0
    0xc8140503,  // v_interp_p1_f32 v5, v3, attr1.y
    0x7e0c0305,  // v_mov_b32_e32 v6, v5
    0xc8190504,  // v_interp_p2_f32 v6, v4, attr1.y
    0xc81e0702,  // v_interp_mov_f32 v7, p0, attr1.w
    0xc8220400,  // v_interp_mov_f32 v8, p10, attr1.x
    0xc8260601,  // v_interp_mov_f32 v9, p20, attr1.z
    0xbf810000,  // s_endpgm
};

// reads at s[8:9] with status
inline const std::vector<uint32_t> kTfe = {
    0x34020082,  // v_lshlrev_b32_e32 v1, 2, v0
    0x7e040285,  // v_mov_b32_e32 v2, 5
    0x7e060286,  // v_mov_b32_e32 v3, 6
    0x7e080287,  // v_mov_b32_e32 v4, 7
    0xe0341000, 0x80820201,  // buffer_load_dwordx2 v[2:3], v1, s[8:11], 0 offen tfe
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xbf810000,  // s_endpgm
};

// sign extended bytes straight to LDS
inline const std::vector<uint32_t> kLdsLoad = {
    0xbefc03ff, 0x00000080,  // s_mov_b32 m0, 0x80
    0xe0251000, 0x80000000,  // buffer_load_sbyte v0, s[0:3], 0 offen lds
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x34020082,  // v_lshlrev_b32_e32 v1, 2, v0
    0xbefc03c1,  // s_mov_b32 m0, -1
    0xd8d80080, 0x02000001,  // ds_read_b32 v2, v1 offset:128
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf810000,  // s_endpgm
};

// IB_STS counts what is outstanding
inline const std::vector<uint32_t> kCounters = {
    0xb905f807,  // s_getreg_b32 s5, hwreg(HW_REG_IB_STS)
    0xc0030900,  // s_load_dword s6, s[8:9], 0x0
    0xb9072207,  // s_getreg_b32 s7, hwreg(HW_REG_IB_STS, 8, 5)
    0xb908f802,  // s_getreg_b32 s8, hwreg(HW_REG_STATUS)
    0xb909f805,  // s_getreg_b32 s9, hwreg(HW_REG_GPR_ALLOC)
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf810000,  // s_endpgm
};

}  // namespace archipelago::cu::test
// clang-format on
