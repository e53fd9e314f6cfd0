; SPDX-License-Identifier: Apache-2.0
; Loads of three dwords: typed 32_32_32 as floats (dfmt 13, nfmt 7), which stand in for buffer_load_dwordx3. p: mask of the
; byte addresses where they are linear, of the numbers of elements where they are random.
.include "addresses.s"

.macro triples_linear
  linear 12
.endm
.macro triples_random
  random
.set slot, 0
.rept 16
  v_mul_u32_u24_e32 v[16 + slot], 12, v[16 + slot]
  .set slot, slot + 1
.endr
.endm
.macro triples
.set slot, 0
.rept 16
  tbuffer_load_format_xyz v[32:34], v[16 + slot], s[8:11], dfmt:13, nfmt:7, 0 offen
  .set slot, slot + 1
.endr
.endm
throughput_kernel tp_rgb32f_linear, triples_linear, triples
throughput_kernel tp_rgb32f_random, triples_random, triples
