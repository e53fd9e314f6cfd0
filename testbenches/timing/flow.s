; SPDX-License-Identifier: Apache-2.0
; Control flow and instruction fetch of one wave. The number at the end of a name is the dword of its fetch block
; (eight dwords) the instruction in question starts at.
.include "harness.s"

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

; a branch right behind the instruction that changed what it tests, and one instruction later; not taken
.macro branch_status name, branch, producer:vararg
.macro behind_\name
  \producer
  \branch 1
  v_mov_b32_e32 v36, v34
.endm
.macro later_\name
  \producer
  v_mov_b32_e32 v36, v34
  \branch 0
.endm
alone_kernel behind_\name, operands, behind_\name
alone_kernel later_\name, operands, later_\name
.endm
branch_status scc, s_cbranch_scc0, s_cmp_eq_u32 s40, s40
branch_status vccz, s_cbranch_vccz, s_mov_b64 vcc, exec
branch_status vccz_compare, s_cbranch_vccz, v_cmp_eq_f32_e32 vcc, v34, v34
branch_status execz, s_cbranch_execz, s_mov_b64 exec, exec

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

; sixteen branches to the next instruction
.macro to_next
.rept 16
  s_branch 0
.endr
.endm
issue_kernel branch_to_next, operands, to_next

; a jump forward to a dword of a fetch block, and one back to it
.macro forward_to at
  s_branch .Lforward_\at
.p2align 5
.rept \at
  s_nop 0
.endr
.Lforward_\at:
.endm
.macro back_to at
  s_branch .Lover_\at
.p2align 5
.rept \at
  s_nop 0
.endr
.Lback_\at:
  s_branch .Lend_back_\at
.p2align 5
.Lover_\at:
  s_branch .Lback_\at
.p2align 5
.Lend_back_\at:
.endm
.irp at, 0, 3, 4, 5, 6, 7
.macro forward_to_\at
  forward_to \at
.endm
.macro back_to_\at
  back_to \at
.endm
alone_kernel jump_forward_\at, operands, forward_to_\at
alone_kernel jump_back_\at, operands, back_to_\at
.endr

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

; the same of longer instructions, and streams of them from dwords 1 and 2 on
.macro two_dwords_of name, op:vararg
.macro one_\name
  \op
.endm
.macro sixteen_\name
.rept 16
  \op
.endr
.endm
.irp at, 2, 3, 4, 5, 6
alone_kernel two_dwords_\name\()_\at, operands, one_\name, \at
.endr
alone_kernel stream_\name, operands, sixteen_\name, 2
alone_kernel stream_odd_\name, operands, sixteen_\name, 1
.endm
two_dwords_of add_f64, v_add_f64 v[40:41], v[40:41], v[42:43]
two_dwords_of fma_f64, v_fma_f64 v[40:41], v[40:41], v[42:43], v[42:43]
two_dwords_of mul_lo_u32, v_mul_lo_u32 v36, v36, v37

; a short one at dword 4, behind a long one
.macro long_and_short
  v_mul_lo_u32 v36, v36, v37
  v_mad_f32 v32, v32, v34, v35
.endm
alone_kernel long_and_short_2, operands, long_and_short, 2
alone_kernel long_and_short_3, operands, long_and_short, 3

; The first p of the waves on SIMD 0 (waves 0, 4, 8 of a group of sixteen) run vector instructions, reads of the
; local data share, branches not taken; with q = 1 all of them vector instructions. The other
; waves wait. The older wave comes first, so the one with the branches loops need is the youngest, and everyone is at
; its code before anyone begins.
.macro class_loop name, op:vararg
.Lclass_\name:
  s_barrier
  s_memtime s[24:25]
.Lclass_loop_\name:
.rept 1024
  \op
.endr
  s_sub_i32 s19, s19, 1
  s_cmp_lg_u32 s19, 0
  s_cbranch_scc1 .Lclass_loop_\name
  s_memtime s[26:27]
  s_branch .Lclass_end
.endm
bench_begin issue_width
  v_mov_b32_e32 v32, 0
  v_mov_b32_e32 v33, 0
  s_mov_b64 s[24:25], 0
  s_mov_b64 s[26:27], 0
  s_movk_i32 s18, 2
  s_movk_i32 s19, 1
  s_lshr_b32 s42, s3, 2                   ; class
  s_and_b32 s43, s3, 3
  s_lshl_b32 s43, s43, 4
  s_add_i32 s44, s42, s43                 ; 16 and more on the other SIMDs
.Lclass_pass:
  wait_all
  s_cmp_ge_u32 s44, s22
  s_cbranch_scc1 .Lclass_rest
  s_cmp_eq_u32 s23, 1
  s_cbranch_scc1 .Lclass_valu
  s_cmp_eq_u32 s42, 1
  s_cbranch_scc1 .Lclass_lds
  s_cmp_eq_u32 s42, 2
  s_cbranch_scc1 .Lclass_branch
  class_loop valu, v_mac_f32_e32 v32, v33, v33
  class_loop lds, ds_read_b32 v34, v33
  class_loop branch, s_cbranch_execz 0
.Lclass_rest:
  s_barrier
.Lclass_end:
  wait_all
  s_mov_b32 s19, s20
  s_sub_i32 s18, s18, 1
  s_cmp_lg_u32 s18, 0
  s_cbranch_scc1 .Lclass_pass
  s_barrier
  bench_store
bench_end issue_width
