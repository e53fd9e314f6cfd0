// SPDX-License-Identifier: Apache-2.0
// out[i] = table[i & 3] + weights[i & 15] for every item of a range of two dimensions, with pointers of
// 64 bits. s[0:1] table of constant buffers (0: the range, 1: the arguments, 2: the program's constants,
// 3: weights), s[4:7] out, s8 and s9 the group; v0 and v1 the item.
  s_load_dwordx4 s[12:15], s[0:1], 0x0
  s_load_dwordx4 s[16:19], s[0:1], 0x4
  s_load_dwordx4 s[20:23], s[0:1], 0x8
  s_load_dwordx4 s[24:27], s[0:1], 0xc
  s_waitcnt lgkmcnt(0)
  s_buffer_load_dword s28, s[12:15], 0x0     // global size x
  s_buffer_load_dwordx2 s[30:31], s[12:15], 0x4  // local size
  s_buffer_load_dword s29, s[12:15], 0x20    // offset of the program's constants
  s_buffer_load_dwordx2 s[34:35], s[16:19], 0x0  // offset of out
  s_buffer_load_dword s33, s[16:19], 0x4     // of weights
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s8, s8, s30
  s_mul_i32 s9, s9, s31
  v_add_i32 v0, vcc, s8, v0
  v_add_i32 v1, vcc, s9, v1
  v_mul_lo_u32 v1, v1, s28 src2:0x80
  v_add_i32 v0, vcc, v1, v0                  // number of the item
  v_and_b32 v1, 3, v0
  v_lshlrev_b32 v1, 2, v1
  v_add_i32 v1, vcc, s29, v1
  buffer_load_dword v2, v1, s[20:23], 0 offen
  v_and_b32 v1, 15, v0
  v_lshlrev_b32 v1, 2, v1
  v_add_i32 v1, vcc, s33, v1
  buffer_load_dword v3, v1, s[24:27], 0 offen
  v_lshlrev_b32 v0, 2, v0
  v_add_i32 v0, vcc, s34, v0
  s_waitcnt vmcnt(0)
  v_add_i32 v2, vcc, v2, v3
  buffer_store_dword v2, v0, s[4:7], 0 offen
  s_endpgm
