// SPDX-License-Identifier: Apache-2.0
// What `archipelago new --asm` writes: the smallest kernel that reads, computes and writes.
#pragma once

namespace archipelago::host {

// NAME stands for the kernel's name.
inline constexpr char kAssemblySkeleton[] =
    R"(; out[i] = in[i] + 1 in GFX6 assembly, in work-groups of 64 work-items.
; Initial registers: s[0:1] address of the arguments, s2 work-group number, v0 work-item number.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl NAME
.p2align 8
.type NAME,@function
NAME:
  s_load_dwordx4 s[4:7], s[0:1], 0x0     ; out, in (the offset counts dwords)
  s_lshl_b32 s2, s2, 6
  v_add_i32_e32 v0, vcc, s2, v0          ; i = 64 * group + item
  v_lshlrev_b32_e32 v0, 2, v0            ; in bytes
  s_mov_b32 s10, -1                      ; buffer descriptor: no limit of its range
  s_mov_b32 s11, 0xf000
  s_waitcnt lgkmcnt(0)                   ; the arguments have come
  s_mov_b64 s[8:9], s[6:7]
  buffer_load_dword v1, v0, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
  v_add_i32_e32 v1, vcc, 1, v1
  s_mov_b64 s[8:9], s[4:5]
  buffer_store_dword v1, v0, s[8:11], 0 offen
  s_endpgm
.Lend:
.size NAME, .Lend-NAME

.rodata
.p2align 6
.amdhsa_kernel NAME
  .amdhsa_kernarg_size 16                ; bytes of the arguments
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 2               ; v0 and v1
  .amdhsa_next_free_sgpr 12              ; s0 to s11
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: NAME
    .symbol: NAME.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0         # bytes of LDS
    .private_segment_fixed_size: 0       # bytes of scratch a work-item
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 2
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .value_kind: global_buffer, .address_space: global, .offset: 0, .size: 8}
      - {.name: in, .value_kind: global_buffer, .address_space: global, .offset: 8, .size: 8}
.end_amdgpu_metadata
)";

// The workload of it: its code, its name.
inline constexpr char kAssemblyWorkload[] = R"(kernel:
  code: {0}
  name: {1}
  global_size: [256]      # work-items
  local_size: [64]        # of a work-group
  args:
    # out
    - buffer: {{zeros: 1024}}
      expect: {{series: {{count: 256, first: 1}}}}      # contents afterwards
    # in
    - buffer: {{series: {{count: 256}}}}
)";

}  // namespace archipelago::host
