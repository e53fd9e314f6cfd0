// SPDX-License-Identifier: Apache-2.0
// y = a * x + y. s[0:3] constant buffer 0 (the range), s[4:7] y, s[8:11] x, s[12:15] constant buffer 1
// (the arguments), s16 the group; v0 the item.
  s_buffer_load_dword s17, s[0:3], 0x4    // local size
  s_buffer_load_dword s18, s[0:3], 0x18   // global offset
  s_buffer_load_dword s19, s[12:15], 0x0  // offset of y in its buffer
  s_buffer_load_dword s20, s[12:15], 0x4  // of x
  s_buffer_load_dword s21, s[12:15], 0x8  // a
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s17, s16, s17
  s_add_u32 s17, s17, s18
  v_add_i32 v0, vcc, s17, v0
  v_lshlrev_b32 v0, 2, v0
  v_add_i32 v1, vcc, s19, v0
  v_add_i32 v2, vcc, s20, v0
  tbuffer_load_format_x v3, v1, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen
  tbuffer_load_format_x v4, v2, s[8:11], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen
  s_waitcnt vmcnt(0)
  v_mul_f32_e64 v4, v4, s21 src2:0x80     // constant 0 in the field it does not read
  v_add_f32 v3, v3, v4
  tbuffer_store_format_x v3, v1, s[4:7], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen
  s_endpgm
