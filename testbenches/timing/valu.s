; SPDX-License-Identifier: Apache-2.0
; Rates of the vector and scalar ALU: sixteen dependent instructions of a wave, and throughput of many waves.
.include "harness.s"

.macro floats
  v_cvt_f32_u32_e32 v32, v0
  v_mov_b32_e32 v33, 1.0
  v_mov_b32_e32 v34, 0.5
  v_cvt_f64_u32_e32 v[40:41], v0
  v_cvt_f64_u32_e32 v[42:43], v2
  v_mov_b32_e32 v36, 3
  v_mov_b32_e32 v37, 5
  s_movk_i32 s40, 1
  s_movk_i32 s41, 3
.endm

.macro rates name, op:vararg
.macro code_\name
.rept 16
  \op
.endr
.endm
.macro long_\name
.rept 128
  \op
.endr
.endm
issue_kernel \name, floats, code_\name
throughput_kernel tp_\name, floats, long_\name
.endm

rates add_f32,     v_add_f32_e32 v32, v32, v33
rates add_i32,     v_add_i32_e32 v36, vcc, v36, v37
rates mac_f32,     v_mac_f32_e32 v32, v33, v34
rates mad_f32,     v_mad_f32 v32, v32, v33, v34
rates mad_u24,     v_mad_u32_u24 v36, v36, v37, v36
rates fma_f32,     v_fma_f32 v32, v32, v33, v34
rates cvt_f32_i32, v_cvt_f32_i32_e32 v32, v32
rates cvt_i32_f32, v_cvt_i32_f32_e32 v32, v32
rates rcp_f32,     v_rcp_f32_e32 v32, v32
rates rsq_f32,     v_rsq_f32_e32 v32, v32
rates sqrt_f32,    v_sqrt_f32_e32 v32, v32
rates exp_f32,     v_exp_f32_e32 v32, v32
rates log_f32,     v_log_f32_e32 v32, v32
rates sin_f32,     v_sin_f32_e32 v32, v32
rates cos_f32,     v_cos_f32_e32 v32, v32
rates mul_lo_i32,  v_mul_lo_i32 v36, v36, v37
rates mul_lo_u32,  v_mul_lo_u32 v36, v36, v37
rates mul_hi_u32,  v_mul_hi_u32 v36, v36, v37
rates mul_hi_i32,  v_mul_hi_i32 v36, v36, v37
rates sad_u32,     v_sad_u32 v36, v36, v37, v36
rates msad_u8,     v_msad_u8 v36, v36, v37, v36
rates lshl_b32,    v_lshlrev_b32_e32 v36, 1, v36
rates add_f64,     v_add_f64 v[40:41], v[40:41], v[42:43]
rates min_f64,     v_min_f64 v[40:41], v[40:41], v[42:43]
rates max_f64,     v_max_f64 v[40:41], v[40:41], v[42:43]
rates ldexp_f64,   v_ldexp_f64 v[40:41], v[40:41], v37
rates cvt_f64_f32, v_cvt_f64_f32_e32 v[40:41], v33
rates cvt_f32_f64, v_cvt_f32_f64_e32 v44, v[40:41]
rates lshl_b64,    v_lshl_b64 v[40:41], v[40:41], v37
rates lshr_b64,    v_lshr_b64 v[40:41], v[40:41], v37
rates ashr_i64,    v_ashr_i64 v[40:41], v[40:41], v37
rates mul_f64,     v_mul_f64 v[40:41], v[40:41], v[42:43]
rates fma_f64,     v_fma_f64 v[40:41], v[40:41], v[42:43], v[42:43]
rates rcp_f64,     v_rcp_f64_e32 v[40:41], v[40:41]
rates rsq_f64,     v_rsq_f64_e32 v[40:41], v[40:41]
rates sqrt_f64,    v_sqrt_f64_e32 v[40:41], v[40:41]
rates div_fixup_f32, v_div_fixup_f32 v32, v32, v33, v34
rates div_scale_f32, v_div_scale_f32 v32, vcc, v32, v32, v33
rates div_fmas_f32, v_div_fmas_f32 v32, v32, v33, v34
rates div_fixup_f64, v_div_fixup_f64 v[40:41], v[40:41], v[42:43], v[42:43]
rates div_fmas_f64, v_div_fmas_f64 v[40:41], v[40:41], v[42:43], v[42:43]
rates salu,        s_add_i32 s40, s40, s41
rates salu_b64,    s_and_b64 s[42:43], s[42:43], s[44:45]
rates saveexec,    s_and_saveexec_b64 s[42:43], exec
rates setreg,      s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s40
rates setreg_imm,  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1

; Loops of 16 and 256 instructions of four and of eight bytes, for the instruction cache.
.macro loop_of name, count, op:vararg
.macro loop_\name
.rept \count
  \op
.endr
.endm
throughput_kernel tp_\name, floats, loop_\name
.endm
loop_of mac16, 16, v_mac_f32_e32 v32, v33, v34
loop_of mac256, 256, v_mac_f32_e32 v32, v33, v34
loop_of mad16, 16, v_mad_f32 v32, v32, v33, v34
loop_of mad256, 256, v_mad_f32 v32, v32, v33, v34

; mad on 32-bit integers as a compiler makes it: multiply and add.
.macro code_mad_i32
.rept 64
  v_mul_lo_i32 v36, v36, v37
  v_add_i32_e32 v36, vcc, v36, v37
.endr
.endm
throughput_kernel tp_mad_i32, floats, code_mad_i32

; Full vector rate with few waves: independent one-dword instructions.
.macro code_independent                  ; 512 instructions: the branch back is not to count
.rept 128
  v_mac_f32_e32 v32, v33, v34
  v_mac_f32_e32 v35, v33, v34
  v_mac_f32_e32 v38, v33, v34
  v_mac_f32_e32 v39, v33, v34
.endr
.endm
throughput_kernel tp_independent, floats, code_independent
