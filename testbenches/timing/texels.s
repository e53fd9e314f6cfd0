; SPDX-License-Identifier: Apache-2.0
; Image loads of one and of two components, linear.
.include "addresses.s"

.macro texels name, format, registers, dmask
.macro resource_\name
  image_resource \format
  linear1
.endm
.macro loads_\name
.set slot, 0
.rept 16
.if \registers == 1
  image_load v32, v[16 + slot], s[36:43] dmask:\dmask unorm
.else
  image_load v[32:32 + \registers - 1], v[16 + slot], s[36:43] dmask:\dmask unorm
.endif
  .set slot, slot + 1
.endr
.endm
throughput_kernel tp_image_\name\()_linear, resource_\name, loads_\name
.endm

; data formats 1: 8, 3: 8_8, 5: 16_16, 11: 32_32; number formats 0: unorm, 7: float
texels r8, 0x00100000, 1, 0x1
texels rg8, 0x00300000, 2, 0x3
texels rg16f, 0x1c500000, 2, 0x3
texels rg32f, 0x1cb00000, 2, 0x3
