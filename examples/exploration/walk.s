; SPDX-License-Identifier: Apache-2.0
; Each work-group walks along one line of an image of 512 by 512 texels of 32 bits, 64 texels at a time: down column s2, or
; along row s2. The sums keep the loads alive.
; s[0:1] kernarg segment, s2 work-group number, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl walk
.p2align 8
.type walk,@function
walk:
  s_load_dwordx4 s[4:7], s[0:1], 0x0     ; sums, image
  s_load_dwordx2 s[8:9], s[0:1], 0x4     ; word 3 of the resource (tiling), whether down a column
  v_mov_b32_e32 v5, 0                    ; sum
  s_mov_b32 s18, 0x7fc1ff                ; WIDTH, HEIGHT: 512 - 1
  s_mov_b32 s20, 0x3fe000                ; PITCH: 512 - 1
  s_mov_b32 s21, 0
  s_mov_b64 s[22:23], 0
  s_mov_b32 s10, 0                       ; texels walked
  s_waitcnt lgkmcnt(0)
  s_lshr_b64 s[16:17], s[6:7], 8
  s_or_b32 s17, s17, 0x10400000          ; 32 UINT
  s_mov_b32 s19, s8
.Lnext:
  v_add_i32_e32 v1, vcc, s10, v0         ; along the line
  v_mov_b32_e32 v2, s2                   ; the line
  v_mov_b32_e32 v3, v1
  s_cmp_eq_u32 s9, 0
  s_cbranch_scc1 .Lload
  v_mov_b32_e32 v1, s2
  v_mov_b32_e32 v2, v3
.Lload:
  image_load v4, v[1:2], s[16:23] dmask:0x1 unorm
  s_add_i32 s10, s10, 64
  s_cmp_lt_u32 s10, 0x200
  s_waitcnt vmcnt(0)
  v_add_i32_e32 v5, vcc, v4, v5
  s_cbranch_scc1 .Lnext
  s_lshl_b32 s2, s2, 8
  v_lshlrev_b32_e32 v0, 2, v0
  v_add_i32_e32 v0, vcc, s2, v0
  s_mov_b32 s6, -1                       ; no range limit
  s_mov_b32 s7, 0xf000
  buffer_store_dword v5, v0, s[4:7], 0 offen
  s_endpgm
.Lend:
.size walk, .Lend-walk

.rodata
.p2align 6
.amdhsa_kernel walk
  .amdhsa_kernarg_size 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: walk
    .symbol: walk.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 26
    .vgpr_count: 6
    .max_flat_workgroup_size: 64
    .args:
      - {.name: sums, .value_kind: global_buffer, .address_space: global, .offset: 0, .size: 8}
      - {.name: image, .value_kind: by_value, .offset: 8, .size: 8}
      - {.name: tiling, .value_kind: by_value, .offset: 16, .size: 4}
      - {.name: column, .value_kind: by_value, .offset: 20, .size: 4}
.end_amdgpu_metadata
