; SPDX-License-Identifier: Apache-2.0
; Local data share: cycles until a wave's next instruction, and instructions per cycle of a compute unit.
; p: bytes between the addresses of neighbouring lanes.
.include "harness.s"

.macro address
  v_mul_lo_u32 v1, v2, s22
  v_mov_b32_e32 v48, 0
  v_mov_b32_e32 v49, 0
  v_mov_b32_e32 v50, 0
  v_mov_b32_e32 v51, 0
.endm

.macro ds name, op:vararg
.macro eight_\name
.rept 8
  \op
.endr
.endm
.macro sixteen_\name
.rept 16
  \op
.endr
.endm
issue_kernel \name, address, eight_\name
throughput_kernel tp_\name, address, sixteen_\name
.endm

ds ds_read_b32, ds_read_b32 v32, v1
ds ds_read_b64, ds_read_b64 v[32:33], v1
ds ds_read_u8, ds_read_u8 v32, v1
ds ds_read_i16, ds_read_i16 v32, v1
ds ds_read2_b32, ds_read2_b32 v[32:33], v1 offset1:64
ds ds_read2_b64, ds_read2_b64 v[32:35], v1 offset1:64
ds ds_read2st64_b32, ds_read2st64_b32 v[32:33], v1 offset1:1
ds ds_write_b8, ds_write_b8 v1, v48
ds ds_write_b16, ds_write_b16 v1, v48
ds ds_write_b32, ds_write_b32 v1, v48
ds ds_write_b64, ds_write_b64 v1, v[48:49]
ds ds_write2_b32, ds_write2_b32 v1, v48, v49 offset1:64
ds ds_write2_b64, ds_write2_b64 v1, v[48:49], v[50:51] offset1:64
ds ds_add_u32, ds_add_u32 v1, v48
ds ds_add_rtn_u32, ds_add_rtn_u32 v32, v1, v48
ds ds_add_u64, ds_add_u64 v1, v[48:49]
ds ds_cmpst_b32, ds_cmpst_b32 v1, v48, v49
ds ds_wrxchg_rtn_b32, ds_wrxchg_rtn_b32 v32, v1, v48
ds ds_wrxchg2_rtn_b32, ds_wrxchg2_rtn_b32 v[32:33], v1, v48, v49 offset1:64
