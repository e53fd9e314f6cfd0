; SPDX-License-Identifier: Apache-2.0
; What kernels that hit L1 read. p: mask of the byte addresses; sixteen addresses a lane, in v[16:31], linear (all waves
; read the same kilobytes), random or uniform.
.include "harness.s"

.set slot, 0
.macro linear size
.set slot, 0
.rept 16
  v_mul_u32_u24_e32 v[16 + slot], \size, v2
  v_add_i32_e32 v[16 + slot], vcc, 64 * \size * slot, v[16 + slot]
  v_and_b32_e32 v[16 + slot], s22, v[16 + slot]
  .set slot, slot + 1
.endr
.endm
.macro linear1
  linear 1
.endm
.macro linear2
  linear 2
.endm
.macro linear4
  linear 4
.endm
.macro linear8
  linear 8
.endm
.macro linear16
  linear 16
.endm

; xorshift-multiply hash of lane, wave and slot
.macro random
.set slot, 0
.rept 16
  v_lshlrev_b32_e32 v3, 4, v0
  v_add_i32_e32 v3, vcc, slot, v3
  s_mov_b32 s17, 0x7feb352d
  v_mul_lo_u32 v3, v3, s17
  v_lshrrev_b32_e32 v4, 15, v3
  v_xor_b32_e32 v3, v3, v4
  s_mov_b32 s17, 0x846ca68b
  v_mul_lo_u32 v3, v3, s17
  v_lshrrev_b32_e32 v4, 16, v3
  v_xor_b32_e32 v3, v3, v4
  v_and_b32_e32 v[16 + slot], s22, v3
  .set slot, slot + 1
.endr
.endm
; four bytes off the alignment of the mask
.macro random_unaligned
  random
.set slot, 0
.rept 16
  v_add_i32_e32 v[16 + slot], vcc, 4, v[16 + slot]
  .set slot, slot + 1
.endr
.endm
.macro uniform
.set slot, 0
.rept 16
  v_mov_b32_e32 v[16 + slot], 64 * slot
  .set slot, slot + 1
.endr
.endm

; A resource for image loads: a row of texels, linear aligned (tile mode 8), components as they are; p: mask of the texels.
; \format: DATA_FORMAT << 20 | NUM_FORMAT << 26
.macro image_resource format
  s_lshr_b64 s[36:37], s[8:9], 8
  s_or_b32 s37, s37, \format
  s_mov_b32 s38, s22                      ; width - 1, one row
  s_mov_b32 s39, 0x80800fac               ; 1D
  s_lshl_b32 s40, s22, 13                 ; pitch - 1
  s_mov_b32 s41, 0
  s_mov_b64 s[42:43], 0
.endm
