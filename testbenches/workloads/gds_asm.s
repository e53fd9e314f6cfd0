; SPDX-License-Identifier: Apache-2.0
; The global data share: tickets by atomics, an append counter, and ordered counts. Groups of 64.
; s[0:1] kernarg segment, s2 work-group number, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl gds_asm
.p2align 8
.type gds_asm,@function
gds_asm:
  s_load_dwordx4 s[4:7], s[0:1], 0x0     ; tickets, appended
  s_load_dwordx2 s[8:9], s[0:1], 0x4     ; ordered
  s_mov_b32 s14, -1
  s_mov_b32 s15, 0xf000
  ; every work-item takes a ticket from the dword at 0 and marks it
  s_mov_b32 m0, 0x100                    ; base 0, 256 bytes
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v2, 1
  ds_add_rtn_u32 v3, v1, v2 gds
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32_e32 v3, 2, v3
  v_mov_b32_e32 v4, 7
  s_mov_b64 s[12:13], s[4:5]
  buffer_store_dword v4, v3, s[12:15], 0 offen
  ; every wave reserves 64 places
  ds_append v5 offset:16 gds
  v_add_i32_e32 v6, vcc, 3, v0
  s_waitcnt lgkmcnt(0)
  v_add_i32_e32 v5, vcc, v5, v0
  v_lshlrev_b32_e32 v5, 2, v5
  s_mov_b64 s[12:13], s[6:7]
  buffer_store_dword v6, v5, s[12:15], 0 offen
  ; groups pass the counter at 256 in the order of their numbers
  s_or_b32 m0, s2, 0x1000000
  v_mov_b32_e32 v7, 64
  ds_ordered_count v8, v7 offset:768 gds ; counter 0, release and done
  s_lshl_b32 s3, s2, 6
  v_add_i32_e32 v9, vcc, s3, v0
  v_lshlrev_b32_e32 v9, 2, v9
  s_waitcnt lgkmcnt(0)
  v_add_i32_e32 v8, vcc, v8, v0
  s_mov_b64 s[12:13], s[8:9]
  buffer_store_dword v8, v9, s[12:15], 0 offen
  s_endpgm
.Lend:
.size gds_asm, .Lend-gds_asm

.rodata
.p2align 6
.amdhsa_kernel gds_asm
  .amdhsa_kernarg_size 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 10
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: gds_asm
    .symbol: gds_asm.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 10
    .max_flat_workgroup_size: 64
    .args:
      - .name: tickets
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
      - .name: appended
        .value_kind: global_buffer
        .address_space: global
        .offset: 8
        .size: 8
      - .name: ordered
        .value_kind: global_buffer
        .address_space: global
        .offset: 16
        .size: 8
.end_amdgpu_metadata
