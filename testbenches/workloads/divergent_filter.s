; SPDX-License-Identifier: Apache-2.0
; 2-D convolution with a condition on each tap, through typed buffer accesses and masks of lanes as AMD's OpenCL compiler makes them:
; loops whose bounds differ between lanes (the border of the image), and a branch within. Groups of 8 by 8.
;   for (i = max(x - r, 0); i <= min(x + r, w - 1); ++i)
;     for (j = max(y - r, 0); j <= min(y + r, h - 1); ++j)
;       if (|in[j][i] - in[y][x]| <= limit)
;         sum += in[j][i] * taps[j - y + r][i - x + r];
;   out[y][x] = sum
; s[0:1] kernarg segment, s[2:3] work-group numbers, v0 and v1 work-item numbers.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl divergent_filter
.p2align 8
.type divergent_filter,@function
divergent_filter:
  s_load_dwordx2 s[4:5], s[0:1], 0x0     ; out
  s_load_dwordx2 s[8:9], s[0:1], 0x2     ; in
  s_load_dwordx2 s[12:13], s[0:1], 0x4   ; taps
  s_load_dwordx4 s[16:19], s[0:1], 0x6   ; width, height, radius, limit
  s_lshl_b32 s2, s2, 3
  s_lshl_b32 s3, s3, 3
  v_add_i32_e32 v0, vcc, s2, v0          ; x
  v_add_i32_e32 v1, vcc, s3, v1          ; y
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s6, s16, s17
  s_lshl_b32 s6, s6, 2                   ; bytes of an image
  s_mov_b32 s7, 0x27fac                  ; 32, FLOAT; formats of the instructions count
  s_mov_b32 s10, s6
  s_mov_b32 s11, s7
  s_lshl_b32 s20, s18, 1
  s_add_u32 s20, s20, 1                  ; taps in a row
  s_mul_i32 s14, s20, s20
  s_lshl_b32 s14, s14, 2
  s_mov_b32 s15, s7
  s_sub_u32 s21, s16, 1
  s_sub_u32 s22, s17, 1
  v_mul_lo_u32 v2, v1, s16
  v_add_i32_e32 v2, vcc, v2, v0
  v_lshlrev_b32_e32 v2, 2, v2            ; bytes to the pixel
  tbuffer_load_format_x v3, v2, s[8:11], dfmt:4, nfmt:7, 0 offen
  v_subrev_i32_e32 v4, vcc, s18, v0
  v_max_i32_e32 v4, 0, v4                ; i
  v_add_i32_e32 v5, vcc, s18, v0
  v_min_i32_e32 v5, s21, v5              ; its last
  v_subrev_i32_e32 v6, vcc, s18, v1
  v_max_i32_e32 v6, 0, v6                ; j begins
  v_add_i32_e32 v7, vcc, s18, v1
  v_min_i32_e32 v7, s22, v7              ; and its last
  v_mov_b32_e32 v8, 0                    ; sum
  s_waitcnt vmcnt(0)
  s_mov_b64 s[24:25], exec
.Lcolumn:
  v_cmp_le_i32_e32 vcc, v4, v5
  s_and_b64 exec, exec, vcc
  s_cbranch_execz .Lcolumns_done
  v_mov_b32_e32 v9, v6                   ; j
  s_mov_b64 s[26:27], exec
.Lrow:
  v_cmp_le_i32_e32 vcc, v9, v7
  s_and_b64 exec, exec, vcc
  s_cbranch_execz .Lrows_done
  v_mul_lo_u32 v10, v9, s16
  v_add_i32_e32 v10, vcc, v10, v4
  v_lshlrev_b32_e32 v10, 2, v10
  tbuffer_load_format_x v11, v10, s[8:11], dfmt:4, nfmt:7, 0 offen
  s_waitcnt vmcnt(0)
  v_sub_f32_e32 v12, v11, v3
  v_cmp_le_f32_e64 vcc, |v12|, s19
  s_and_saveexec_b64 s[28:29], vcc
  s_cbranch_execz .Lnext
  v_sub_i32_e32 v12, vcc, v9, v1
  v_add_i32_e32 v12, vcc, s18, v12
  v_mul_lo_u32 v12, v12, s20
  v_sub_i32_e32 v13, vcc, v4, v0
  v_add_i32_e32 v13, vcc, s18, v13
  v_add_i32_e32 v12, vcc, v12, v13
  v_lshlrev_b32_e32 v12, 2, v12
  tbuffer_load_format_x v12, v12, s[12:15], dfmt:4, nfmt:7, 0 offen
  s_waitcnt vmcnt(0)
  v_mac_f32_e32 v8, v11, v12
.Lnext:
  s_mov_b64 exec, s[28:29]
  v_add_i32_e32 v9, vcc, 1, v9
  s_branch .Lrow
.Lrows_done:
  s_mov_b64 exec, s[26:27]
  v_add_i32_e32 v4, vcc, 1, v4
  s_branch .Lcolumn
.Lcolumns_done:
  s_mov_b64 exec, s[24:25]
  tbuffer_store_format_x v8, v2, s[4:7], dfmt:4, nfmt:7, 0 offen
  s_endpgm
.Lend:
.size divergent_filter, .Lend-divergent_filter

.rodata
.p2align 6
.amdhsa_kernel divergent_filter
  .amdhsa_kernarg_size 40
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_vgpr_workitem_id 1
  .amdhsa_next_free_vgpr 14
  .amdhsa_next_free_sgpr 30
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: divergent_filter
    .symbol: divergent_filter.kd
    .kernarg_segment_size: 40
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 14
    .max_flat_workgroup_size: 64
    .args:
      - .name: out
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
      - .name: in
        .value_kind: global_buffer
        .address_space: global
        .offset: 8
        .size: 8
      - .name: taps
        .value_kind: global_buffer
        .address_space: global
        .offset: 16
        .size: 8
      - .name: width
        .value_kind: by_value
        .offset: 24
        .size: 4
      - .name: height
        .value_kind: by_value
        .offset: 28
        .size: 4
      - .name: radius
        .value_kind: by_value
        .offset: 32
        .size: 4
      - .name: limit
        .value_kind: by_value
        .offset: 36
        .size: 4
.end_amdgpu_metadata
