; SPDX-License-Identifier: Apache-2.0
; Copies an image of rows into a tiled one and a tiled one into rows, 64 by 64 texels of 8_8_8_8
; UINT each; one work-item for each texel, one group for each row. The second copy inverts red.
; s[0:1] kernarg segment, s2 work-group number, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl image_tiles
.p2align 8
.type image_tiles,@function
image_tiles:
  s_load_dwordx8 s[4:11], s[0:1], 0x0    ; rows_in, tiled_in, tiled_out, rows_out
  v_mov_b32_e32 v1, s2                   ; y; x is v0
  ; Resources: s[16:23] is read, s[24:31] written. Words 0 and 1 start with the address / 256.
  s_mov_b32 s18, 0xfc03f                 ; WIDTH, HEIGHT: 64 - 1
  s_mov_b32 s26, 0xfc03f
  s_mov_b32 s19, 0x90800fac              ; 2D, tile mode 8 (rows), x y z w
  s_mov_b32 s27, 0x91000fac              ; 2D, tile mode 16 (2D thin)
  s_mov_b32 s20, 0x7e000                 ; PITCH: 64 - 1
  s_mov_b32 s28, 0x7e000
  s_mov_b64 s[22:23], 0
  s_mov_b64 s[30:31], 0
  s_mov_b32 s21, 0
  s_mov_b32 s29, 0
  s_waitcnt lgkmcnt(0)
  s_lshr_b64 s[16:17], s[4:5], 8
  s_lshr_b64 s[24:25], s[8:9], 8
  s_or_b32 s17, s17, 0x10a00000          ; 8_8_8_8 UINT
  s_or_b32 s25, s25, 0x10a00000
  image_load v[2:5], v[0:1], s[16:23] dmask:0xf unorm
  s_waitcnt vmcnt(0)
  image_store v[2:5], v[0:1], s[24:31] dmask:0xf unorm
  s_waitcnt vmcnt(0) expcnt(0)

  s_lshr_b64 s[16:17], s[6:7], 8
  s_lshr_b64 s[24:25], s[10:11], 8
  s_or_b32 s17, s17, 0x10a00000
  s_or_b32 s25, s25, 0x10a00000
  s_mov_b32 s19, 0x91000fac
  s_mov_b32 s27, 0x90800fac
  image_load v[2:5], v[0:1], s[16:23] dmask:0xf unorm
  s_waitcnt vmcnt(0)
  v_xor_b32_e32 v2, 0xff, v2
  image_store v[2:5], v[0:1], s[24:31] dmask:0xf unorm
  s_endpgm
.Lend:
.size image_tiles, .Lend-image_tiles

.rodata
.p2align 6
.amdhsa_kernel image_tiles
  .amdhsa_kernarg_size 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: image_tiles
    .symbol: image_tiles.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 34
    .vgpr_count: 6
    .max_flat_workgroup_size: 64
    .args:
      - {.name: rows_in, .value_kind: global_buffer, .address_space: global, .offset: 0, .size: 8}
      - {.name: tiled_in, .value_kind: by_value, .offset: 8, .size: 8}
      - {.name: tiled_out, .value_kind: by_value, .offset: 16, .size: 8}
      - {.name: rows_out, .value_kind: global_buffer, .address_space: global, .offset: 24, .size: 8}
.end_amdgpu_metadata
