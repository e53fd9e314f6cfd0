; SPDX-License-Identifier: Apache-2.0
; C = A * B, square, 32-bit floats, through typed buffer accesses as AMD's OpenCL compiler makes them of global pointers: a work-item
; loads rows of four elements of A and of B and adds their products to 4 by 4 elements of C. Groups of 8 by 8.
; s[0:1] kernarg segment, s[2:3] work-group numbers, v0 and v1 work-item numbers.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl typed_matmul
.p2align 8
.type typed_matmul,@function

; Four products of an element of A and a row of B to a row of C.
.macro add_products c, a, b
  v_mac_f32_e32 v[\c], v[\a], v[\b]
  v_mac_f32_e32 v[\c+1], v[\a], v[\b+1]
  v_mac_f32_e32 v[\c+2], v[\a], v[\b+2]
  v_mac_f32_e32 v[\c+3], v[\a], v[\b+3]
.endm

typed_matmul:
  s_load_dwordx2 s[4:5], s[0:1], 0x0     ; c
  s_load_dwordx2 s[8:9], s[0:1], 0x2     ; a
  s_load_dwordx2 s[12:13], s[0:1], 0x4   ; b
  s_load_dword s16, s[0:1], 0x6          ; n, a multiple of 32
  s_lshl_b32 s2, s2, 3
  s_lshl_b32 s3, s3, 3
  v_add_i32_e32 v0, vcc, s2, v0          ; columns 4 * v0 and up
  v_add_i32_e32 v1, vcc, s3, v1          ; rows 4 * v1 and up
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s17, s16, 2                 ; bytes of a row
  s_mul_i32 s6, s16, s17                 ; bytes of a matrix
  s_mov_b32 s7, 0x27fac                  ; 32, FLOAT; formats of the instructions count
  s_mov_b32 s10, s6
  s_mov_b32 s11, s7
  s_mov_b32 s14, s6
  s_mov_b32 s15, s7
  v_lshlrev_b32_e32 v1, 2, v1
  v_mul_lo_u32 v2, v1, s17               ; v[2:5]: rows of A, from column 0
  v_add_i32_e32 v3, vcc, s17, v2
  v_add_i32_e32 v4, vcc, s17, v3
  v_add_i32_e32 v5, vcc, s17, v4
  v_lshlrev_b32_e32 v6, 4, v0            ; v[6:9]: rows 0 to 3 of B
  v_add_i32_e32 v7, vcc, s17, v6
  v_add_i32_e32 v8, vcc, s17, v7
  v_add_i32_e32 v9, vcc, s17, v8
  v_add_i32_e32 v10, vcc, v2, v6         ; the first row of C
.set row, 16
.rept 16
  v_mov_b32_e32 v[row], 0                ; v[16:31]: C
  .set row, row+1
.endr
  s_lshr_b32 s18, s16, 2
  s_mov_b32 s19, s17
  s_lshl_b32 s19, s19, 2                 ; bytes of four rows
.Lstep:
  tbuffer_load_format_xyzw v[32:35], v2, s[8:11], dfmt:14, nfmt:7, 0 offen
  tbuffer_load_format_xyzw v[48:51], v6, s[12:15], dfmt:14, nfmt:7, 0 offen
  tbuffer_load_format_xyzw v[52:55], v7, s[12:15], dfmt:14, nfmt:7, 0 offen
  tbuffer_load_format_xyzw v[56:59], v8, s[12:15], dfmt:14, nfmt:7, 0 offen
  tbuffer_load_format_xyzw v[60:63], v9, s[12:15], dfmt:14, nfmt:7, 0 offen
  tbuffer_load_format_xyzw v[36:39], v3, s[8:11], dfmt:14, nfmt:7, 0 offen
  tbuffer_load_format_xyzw v[40:43], v4, s[8:11], dfmt:14, nfmt:7, 0 offen
  tbuffer_load_format_xyzw v[44:47], v5, s[8:11], dfmt:14, nfmt:7, 0 offen
  v_add_i32_e32 v2, vcc, 16, v2
  v_add_i32_e32 v3, vcc, 16, v3
  v_add_i32_e32 v4, vcc, 16, v4
  v_add_i32_e32 v5, vcc, 16, v5
  v_add_i32_e32 v6, vcc, s19, v6
  v_add_i32_e32 v7, vcc, s19, v7
  v_add_i32_e32 v8, vcc, s19, v8
  v_add_i32_e32 v9, vcc, s19, v9
  s_waitcnt vmcnt(0)
.set row, 0
.rept 4
  add_products 16+4*row, 32+4*row, 48
  add_products 16+4*row, 33+4*row, 52
  add_products 16+4*row, 34+4*row, 56
  add_products 16+4*row, 35+4*row, 60
  .set row, row+1
.endr
  s_sub_u32 s18, s18, 1
  s_cmp_lg_u32 s18, 0
  s_cbranch_scc1 .Lstep
  tbuffer_store_format_xyzw v[16:19], v10, s[4:7], dfmt:14, nfmt:7, 0 offen
  v_add_i32_e32 v10, vcc, s17, v10
  tbuffer_store_format_xyzw v[20:23], v10, s[4:7], dfmt:14, nfmt:7, 0 offen
  v_add_i32_e32 v10, vcc, s17, v10
  tbuffer_store_format_xyzw v[24:27], v10, s[4:7], dfmt:14, nfmt:7, 0 offen
  v_add_i32_e32 v10, vcc, s17, v10
  tbuffer_store_format_xyzw v[28:31], v10, s[4:7], dfmt:14, nfmt:7, 0 offen
  s_endpgm
.Lend:
.size typed_matmul, .Lend-typed_matmul

.rodata
.p2align 6
.amdhsa_kernel typed_matmul
  .amdhsa_kernarg_size 28
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_vgpr_workitem_id 1
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 20
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: typed_matmul
    .symbol: typed_matmul.kd
    .kernarg_segment_size: 28
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 64
    .max_flat_workgroup_size: 64
    .args:
      - .name: c
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
      - .name: a
        .value_kind: global_buffer
        .address_space: global
        .offset: 8
        .size: 8
      - .name: b
        .value_kind: global_buffer
        .address_space: global
        .offset: 16
        .size: 8
      - .name: !str n  # a bare n is a boolean in YAML
        .value_kind: by_value
        .offset: 24
        .size: 4
.end_amdgpu_metadata
