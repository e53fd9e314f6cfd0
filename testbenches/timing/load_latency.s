; SPDX-License-Identifier: Apache-2.0
; Load-to-use latency of one wave: 512 dependent dword loads, the next address computed from the data
; of the one before (all zero) plus a stride. out[0] receives the cycles s_memtime counted, out[1] their number.
; Lane 0 only. s[0:1] kernarg: buffer, out, stride (bytes), mask (bytes, power of two minus 1).
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"

.macro kernel name, flags:vararg
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[2:3], s[0:1], 0x4     ; stride, mask
  s_mov_b64 exec, 1
  v_mov_b32_e32 v1, 0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[4:5]
  s_mov_b32 s10, -1                      ; no range limit
  s_mov_b32 s11, 0xf000
  s_movk_i32 s16, 32                     ; warm up: one pass of the loop is not counted
  s_mov_b32 s17, 2
.Lpass_\name:
  s_memtime s[12:13]
  s_waitcnt lgkmcnt(0)
.Lloop_\name:
.rept 16
  buffer_load_dword v2, v1, s[8:11], 0 offen \flags
  s_waitcnt vmcnt(0)
  v_add_i32_e32 v1, vcc, v1, v2
  v_add_i32_e32 v1, vcc, s2, v1
  v_and_b32_e32 v1, s3, v1
.endr
  s_sub_i32 s16, s16, 1
  s_cmp_lg_u32 s16, 0
  s_cbranch_scc1 .Lloop_\name
  s_memtime s[14:15]
  s_movk_i32 s16, 32
  s_sub_i32 s17, s17, 1
  s_cmp_lg_u32 s17, 0
  s_waitcnt lgkmcnt(0)
  s_cbranch_scc1 .Lpass_\name
  s_sub_u32 s14, s14, s12
  v_mov_b32_e32 v3, s14
  v_mov_b32_e32 v4, 0x200
  s_mov_b64 s[8:9], s[6:7]
  v_mov_b32_e32 v1, 0
  buffer_store_dwordx2 v[3:4], v1, s[8:11], 0 offen
  s_endpgm
.Lend_\name:
.size \name, .Lend_\name-\name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_kernarg_size 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 0
  .amdhsa_next_free_vgpr 5
  .amdhsa_next_free_sgpr 18
.end_amdhsa_kernel
.endm

kernel load_latency
kernel load_latency_glc, glc
