; SPDX-License-Identifier: Apache-2.0
; Samples a micro tiled texture of 32 by 32 texels of 8_8_8_8 UNORM at given places, bilinear,
; repeated along x and mirrored along y. Needs groups of 64.
; s[0:1] kernarg segment, s2 work-group number, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl image_sample
.p2align 8
.type image_sample,@function
image_sample:
  s_load_dwordx8 s[4:11], s[0:1], 0x0    ; u, v, texture, out
  s_lshl_b32 s2, s2, 6
  v_add_i32_e32 v0, vcc, s2, v0          ; work-item
  v_lshlrev_b32_e32 v1, 2, v0
  v_lshlrev_b32_e32 v8, 4, v0
  s_mov_b32 s14, -1                      ; no range limit
  s_mov_b32 s15, 0xf000
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[12:13], s[4:5]
  buffer_load_dword v2, v1, s[12:15], 0 offen
  s_mov_b64 s[12:13], s[6:7]
  buffer_load_dword v3, v1, s[12:15], 0 offen
  ; The texture: 2D, tile mode 13 (1D thin), x y z w, pitch 32.
  s_lshr_b64 s[16:17], s[8:9], 8
  s_or_b32 s17, s17, 0xa00000            ; 8_8_8_8 UNORM
  s_mov_b32 s18, 0x7c01f
  s_mov_b32 s19, 0x90d00fac
  s_mov_b32 s20, 0x3e000
  s_mov_b32 s21, 0
  s_mov_b64 s[22:23], 0
  ; The sampler: wrap and mirror, any LOD, bilinear both ways.
  s_mov_b32 s24, 0x8
  s_mov_b32 s25, 0xfff000
  s_mov_b32 s26, 0x500000
  s_mov_b32 s27, 0
  s_waitcnt vmcnt(0)
  v_mul_f32_e32 v2, 4.0, v2              ; from -1.5 to 2.5
  v_mul_f32_e32 v3, 4.0, v3
  v_add_f32_e32 v2, 0xbfc00000, v2
  v_add_f32_e32 v3, 0xbfc00000, v3
  image_sample_lz v[4:7], v[2:3], s[16:23], s[24:27] dmask:0xf
  s_mov_b64 s[12:13], s[10:11]
  s_waitcnt vmcnt(0)
  buffer_store_dwordx4 v[4:7], v8, s[12:15], 0 offen
  s_endpgm
.Lend:
.size image_sample, .Lend-image_sample

.rodata
.p2align 6
.amdhsa_kernel image_sample
  .amdhsa_kernarg_size 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 9
  .amdhsa_next_free_sgpr 28
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: image_sample
    .symbol: image_sample.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 30
    .vgpr_count: 9
    .max_flat_workgroup_size: 64
    .args:
      - {.name: u, .value_kind: global_buffer, .address_space: global, .offset: 0, .size: 8}
      - {.name: v, .value_kind: global_buffer, .address_space: global, .offset: 8, .size: 8}
      - {.name: texture, .value_kind: global_buffer, .address_space: global, .offset: 16, .size: 8}
      - {.name: out, .value_kind: global_buffer, .address_space: global, .offset: 24, .size: 8}
.end_amdgpu_metadata
