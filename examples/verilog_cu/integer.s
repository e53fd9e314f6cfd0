; SPDX-License-Identifier: Apache-2.0
; out[i] = f(3 * a[i] + b[i]) for i < count, where f complements odd sums and subtracts i from even ones, and
; then takes 1 off for each of `rounds` rounds in which the sum's next bit is set. Groups of 64.
; s[0:1] kernarg segment, s2 work-group number, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl integer
.p2align 8
.type integer,@function
integer:
  s_load_dwordx4 s[4:7], s[0:1], 0x0     ; a, b
  s_load_dwordx4 s[8:11], s[0:1], 0x4    ; out, count, rounds
  s_lshl_b32 s3, s2, 6
  v_add_i32_e32 v1, vcc, s3, v0          ; i
  s_mov_b32 s14, -1
  s_mov_b32 s15, 0xf000
  s_waitcnt lgkmcnt(0)
  v_cmp_gt_u32_e32 vcc, s10, v1
  s_and_saveexec_b64 s[16:17], vcc
  s_cbranch_execz .Lend
  v_lshlrev_b32_e32 v2, 2, v1
  s_mov_b64 s[12:13], s[4:5]
  buffer_load_dword v3, v2, s[12:15], 0 offen
  s_mov_b64 s[12:13], s[6:7]
  buffer_load_dword v4, v2, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  v_mul_lo_i32 v5, v3, 3
  v_add_i32_e32 v5, vcc, v5, v4
  ; lanes with an odd sum, then the others
  v_and_b32_e32 v6, 1, v5
  v_cmp_eq_u32_e32 vcc, 1, v6
  v_mov_b32_e32 v7, v5
  s_and_saveexec_b64 s[18:19], vcc
  v_not_b32_e32 v7, v5
  s_xor_b64 exec, exec, s[18:19]
  v_sub_i32_e64 v7, s[20:21], v5, v1
  s_mov_b64 exec, s[18:19]
  ; rounds
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 .Lstore
.Lround:
  v_lshrrev_b32_e32 v5, 1, v5
  v_and_b32_e32 v6, 1, v5
  v_cmp_ne_u32_e64 s[20:21], 0, v6
  v_cndmask_b32_e64 v8, 0, -1, s[20:21]
  v_add_i32_e32 v7, vcc, v7, v8
  s_sub_u32 s11, s11, 1
  s_cmp_lg_u32 s11, 0
  s_cbranch_scc1 .Lround
.Lstore:
  s_mov_b64 s[12:13], s[8:9]
  buffer_store_dword v7, v2, s[12:15], 0 offen
.Lend:
  s_endpgm
.Lend_of_code:
.size integer, .Lend_of_code-integer

.rodata
.p2align 6
.amdhsa_kernel integer
  .amdhsa_kernarg_size 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 9
  .amdhsa_next_free_sgpr 22
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: integer
    .symbol: integer.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 24
    .vgpr_count: 9
    .max_flat_workgroup_size: 64
    .args:
      - .name: a
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
      - .name: b
        .value_kind: global_buffer
        .address_space: global
        .offset: 8
        .size: 8
      - .name: out
        .value_kind: global_buffer
        .address_space: global
        .offset: 16
        .size: 8
      - .name: count
        .value_kind: by_value
        .offset: 24
        .size: 4
      - .name: rounds
        .value_kind: by_value
        .offset: 28
        .size: 4
.end_amdgpu_metadata
