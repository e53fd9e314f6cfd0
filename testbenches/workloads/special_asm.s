; SPDX-License-Identifier: Apache-2.0
; Instructions compilers do not use in kernels: LDS_DIRECT, interpolation, vector skip mode, packed
; float formats, TFE, hardware registers, an interrupt. One group of 64; out: eight rows of 64.
; s[0:1] kernarg segment, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl special_asm
.p2align 8
.type special_asm,@function
special_asm:
  s_load_dwordx2 s[4:5], s[0:1], 0x0     ; out
  s_mov_b32 s6, 2048
  s_mov_b32 s7, 0x27fac                  ; raw 32-bit
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b32 m0, -1
  v_cvt_f32_u32_e32 v2, v0
  ds_write_b32 v1, v2                    ; LDS dword n: (float)n
  s_waitcnt lgkmcnt(0)
  ; row 0: 5.0 from LDS to all lanes
  s_mov_b32 m0, 0x20014
  v_mov_b32_e32 v3, src_lds_direct
  buffer_store_dword v3, v1, s[4:7], 0 offen
  ; row 1: p0 + i p10 + j p20 of attribute 1, component z; one primitive
  s_mov_b32 m0, 0
  v_mul_f32_e32 v4, 0.5, v2
  v_interp_p1_f32 v5, v4, attr1.z
  v_interp_p2_f32 v5, v2, attr1.z
  buffer_store_dword v5, v1, s[4:7], 0 offen offset:256
  ; row 2: nothing happens to vector registers and memory while they are skipped
  v_mov_b32_e32 v6, 11
  s_mov_b32 s8, 1
  s_setvskip s8, 0
  v_mov_b32_e32 v6, 22
  buffer_store_dword v6, v1, s[4:7], 0 offen offset:768
  s_getreg_b32 s9, hwreg(HW_REG_MODE, 28, 1)
  s_setvskip s8, 1
  v_add_i32_e32 v6, vcc, s9, v6
  buffer_store_dword v6, v1, s[4:7], 0 offen offset:512
  ; row 4: 10_11_11 floats, packed by the store; row 5: unpacked by a load with TFE
  v_mov_b32_e32 v8, v2
  v_mul_f32_e32 v9, 0.5, v2
  v_mov_b32_e32 v10, 2.0
  tbuffer_store_format_xyz v[8:10], v1, s[4:7], dfmt:6, nfmt:7, 0 offen offset:1024
  s_waitcnt vmcnt(0) expcnt(0)
  v_mov_b32_e32 v13, 77
  tbuffer_load_format_xy v[11:12], v1, s[4:7], dfmt:6, nfmt:7, 0 offen offset:1024 glc tfe
  s_waitcnt vmcnt(0)
  v_add_f32_e32 v11, v11, v12
  buffer_store_dword v11, v1, s[4:7], 0 offen offset:1280
  ; row 6: the status of that load
  buffer_store_dword v13, v1, s[4:7], 0 offen offset:1536
  ; row 7: lanes of the swizzle, and an interrupt with 0x5a
  ds_swizzle_b32 v14, v0 offset:swizzle(REVERSE,32)
  s_waitcnt lgkmcnt(0)
  buffer_store_dword v14, v1, s[4:7], 0 offen offset:1792
  s_mov_b32 m0, 0x5a
  s_sendmsg sendmsg(MSG_INTERRUPT)
  s_trap 3                               ; no handler: nothing happens
  s_endpgm
.Lend:
.size special_asm, .Lend-special_asm

.rodata
.p2align 6
.amdhsa_kernel special_asm
  .amdhsa_group_segment_fixed_size 256
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 15
  .amdhsa_next_free_sgpr 10
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: special_asm
    .symbol: special_asm.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 15
    .max_flat_workgroup_size: 64
    .args:
      - .name: out
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
.end_amdgpu_metadata
