; SPDX-License-Identifier: Apache-2.0
; Control flow and instruction fetch of one wave. The number at the end of a name is the dword of its fetch block
; (eight dwords) the instruction in question starts at.
.include "harness.inc"

.macro operands
  v_cvt_f32_u32_e32 v32, v2
  v_mov_b32_e32 v33, 0x41f00000           ; 30.0: lanes diverge
  v_mov_b32_e32 v34, 1.0
  v_mov_b32_e32 v35, 2.0
.endm

; if (a > b) c += d; else c -= d; lanes disagree
.macro ifelse
  v_cmp_gt_f32_e32 vcc, v32, v33
  s_mov_b64 s[40:41], exec
  s_and_b64 exec, vcc, exec
  s_cbranch_vccz .Lelse
  v_add_f32_e32 v34, v34, v35
.Lelse:
  s_andn2_b64 exec, s[40:41], exec
  s_cbranch_execz .Lafter
  v_sub_f32_e32 v34, v34, v35
.Lafter:
  s_mov_b64 exec, s[40:41]
.endm
alone_kernel ifelse, operands, ifelse, 5

; c += (a > b ? 1 : -1) * d
.macro cmov
  v_cmp_gt_f32_e32 vcc, v32, v33
  v_cndmask_b32_e32 v36, v34, v35, vcc
  v_mac_f32_e32 v34, v36, v35
.endm
alone_kernel cmov, operands, cmov

; carry out of a vector addition, then a scalar read of it
.macro carry
  v_add_i32_e32 v36, vcc, v36, v36
  s_mov_b64 s[40:41], vcc
.endm
alone_kernel valu_to_salu, operands, carry

; sixteen branches to the next instruction but one / sixteen that are not taken
.macro taken
.rept 16
  s_branch 1
  s_nop 0
.endr
.endm
issue_kernel branch_taken, operands, taken
.macro not_taken
.rept 16
  s_cbranch_execz 1
.endr
.endm
issue_kernel branch_not_taken, operands, not_taken

.macro branch_and_nop
  s_cbranch_execz 1
  v_mov_b32_e32 v36, v34
.endm
.irp at, 1, 2, 3, 4, 5, 6, 7
alone_kernel branch_not_taken_\at, operands, branch_and_nop, \at
.endr

; a two-dword vector instruction behind a one-dword one
.macro two_dwords
  v_mad_f32 v32, v32, v34, v35
.endm
.irp at, 0, 1, 2, 3, 4, 5, 6, 7
alone_kernel two_dwords_\at, operands, two_dwords, \at
.endr

; the same behind an instruction of sixteen cycles, in whose shadow the fetch is
.macro behind_long
  v_rcp_f32_e32 v36, v34
  v_mad_f32 v32, v32, v34, v35
.endm
alone_kernel two_dwords_behind_rcp, operands, behind_long, 5
