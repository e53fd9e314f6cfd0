; SPDX-License-Identifier: Apache-2.0
; y = a * x + y in GFX6 assembly: the smallest hand-written code object. Needs groups of 64.
; s[0:1] kernarg segment, s2 work-group number, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl saxpy_asm
.p2align 8
.type saxpy_asm,@function
saxpy_asm:
  s_load_dwordx4 s[4:7], s[0:1], 0x0     ; y, x (offsets count dwords)
  s_load_dword s3, s[0:1], 0x4           ; a
  s_lshl_b32 s2, s2, 6
  v_add_i32_e32 v0, vcc, s2, v0          ; element number
  v_lshlrev_b32_e32 v0, 2, v0
  s_mov_b32 s10, -1                      ; no range limit
  s_mov_b32 s11, 0xf000
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[6:7]
  buffer_load_dword v1, v0, s[8:11], 0 offen
  s_mov_b64 s[8:9], s[4:5]
  buffer_load_dword v2, v0, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
  v_mac_f32_e32 v2, s3, v1
  buffer_store_dword v2, v0, s[8:11], 0 offen
  s_endpgm
.Lend:
.size saxpy_asm, .Lend-saxpy_asm

.rodata
.p2align 6
.amdhsa_kernel saxpy_asm
  .amdhsa_kernarg_size 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 3
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: saxpy_asm
    .symbol: saxpy_asm.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 3
    .max_flat_workgroup_size: 64
    .args:
      - .name: !str y  # a bare y is a boolean in YAML
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
      - .name: x
        .value_kind: global_buffer
        .address_space: global
        .offset: 8
        .size: 8
      - .name: a
        .value_kind: by_value
        .offset: 16
        .size: 4
.end_amdgpu_metadata
