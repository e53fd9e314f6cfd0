// SPDX-License-Identifier: Apache-2.0
// Per work-group: the sum of integers and the maximum of floats, halving in LDS; sums in the kernel's own
// LDS, maxima in that of the last argument. s[2:3] table of UAVs, s[4:7] constant buffer 0 (the range),
// s[8:11] constant buffer 1 (the arguments), s12 the group; v0 the item.
  s_mov_b32 m0, 0x8000
  s_buffer_load_dword s0, s[4:7], 0x4      // local size
  s_buffer_load_dword s1, s[4:7], 0x18     // global offset
  s_load_dwordx4 s[16:19], s[2:3], 0x60    // UAV 12: sums
  s_load_dwordx4 s[20:23], s[2:3], 0x68    // 13: maxima
  s_load_dwordx4 s[24:27], s[2:3], 0x70    // 14: numbers
  s_load_dwordx4 s[28:31], s[2:3], 0x78    // 15: values
  s_buffer_load_dword s13, s[8:11], 0x10   // LDS of the last argument
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s0, s12, s0
  s_add_u32 s0, s0, s1
  v_add_i32 v1, vcc, s0, v0
  v_lshlrev_b32 v1, 2, v1
  buffer_load_dword v2, v1, s[24:27], 0 offen
  buffer_load_dword v3, v1, s[28:31], 0 offen
  v_lshlrev_b32 v4, 2, v0
  v_add_i32 v5, vcc, s13, v4
  s_waitcnt vmcnt(0)
  ds_write_b32 v4, v2
  ds_write_b32 v5, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_movk_i32 s15, 0x80
halve:
  v_cmp_gt_u32 vcc, s15, v0
  s_and_saveexec_b64 s[32:33], vcc
  s_lshl_b32 s34, s15, 2
  v_add_i32 v6, vcc, s34, v4
  v_add_i32 v7, vcc, s34, v5
  ds_read_b32 v8, v6
  ds_read_b32 v9, v7
  ds_read_b32 v10, v4
  ds_read_b32 v11, v5
  s_waitcnt lgkmcnt(0)
  v_add_i32 v8, vcc, v8, v10
  v_max_f32 v9, v9, v11
  ds_write_b32 v4, v8
  ds_write_b32 v5, v9
  s_mov_b64 exec, s[32:33]
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_lshr_b32 s15, s15, 1
  s_cmp_lg_u32 s15, 0
  s_cbranch_scc1 halve
  v_cmp_eq_u32 vcc, 0, v0
  s_and_saveexec_b64 s[32:33], vcc
  s_cbranch_execz end
  ds_read_b32 v8, v4
  ds_read_b32 v9, v5
  s_lshl_b32 s12, s12, 2
  v_mov_b32 v1, s12
  s_waitcnt lgkmcnt(0)
  buffer_store_dword v8, v1, s[16:19], 0 offen
  buffer_store_dword v9, v1, s[20:23], 0 offen
end:
  s_endpgm
