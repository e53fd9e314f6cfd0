; SPDX-License-Identifier: Apache-2.0
; Vector and scalar memory.
.include "addresses.s"

.macro buffer_raw op, registers, tail
.set slot, 0
.rept 16
.if \registers == 1
  \op v32, v[16 + slot], s[8:11], \tail 0 offen
.else
  \op v[32:32 + \registers - 1], v[16 + slot], s[8:11], \tail 0 offen
.endif
  .set slot, slot + 1
.endr
.endm

.macro l1 name, addresses, op, registers, tail
.macro sixteen_\name
  buffer_raw \op, \registers, "\tail"
.endm
throughput_kernel tp_\name, \addresses, sixteen_\name
.endm

; raw loads
.irp shape, linear4, random, uniform
l1 raw1_\shape, \shape, buffer_load_dword, 1
.endr
l1 raw2_linear, linear8, buffer_load_dwordx2, 2
l1 raw2_random, random, buffer_load_dwordx2, 2
l1 raw4_linear, linear16, buffer_load_dwordx4, 4
l1 raw4_random, random, buffer_load_dwordx4, 4
l1 raw4_unaligned_random, random_unaligned, buffer_load_dwordx4, 4
l1 u8_linear, linear1, buffer_load_ubyte, 1
l1 u16_linear, linear2, buffer_load_ushort, 1

; typed loads: dfmt 1: 8, 2: 16, 3: 8_8, 4: 32, 5: 16_16, 10: 8_8_8_8, 11: 32_32, 12: 16_16_16_16, 14: 32_32_32_32;
; nfmt 0: unorm, 7: float
l1 r8_linear, linear1, tbuffer_load_format_x, 1, "dfmt:1, nfmt:0,"
l1 r8_random, random, tbuffer_load_format_x, 1, "dfmt:1, nfmt:0,"
l1 r16f_linear, linear2, tbuffer_load_format_x, 1, "dfmt:2, nfmt:7,"
l1 r32f_linear, linear4, tbuffer_load_format_x, 1, "dfmt:4, nfmt:7,"
l1 r32f_random, random, tbuffer_load_format_x, 1, "dfmt:4, nfmt:7,"
l1 r32f_uniform, uniform, tbuffer_load_format_x, 1, "dfmt:4, nfmt:7,"
l1 rgba8_linear, linear4, tbuffer_load_format_xyzw, 4, "dfmt:10, nfmt:0,"
l1 rgba8_random, random, tbuffer_load_format_xyzw, 4, "dfmt:10, nfmt:0,"
l1 rgba8_uniform, uniform, tbuffer_load_format_xyzw, 4, "dfmt:10, nfmt:0,"
l1 rgba16f_random, random, tbuffer_load_format_xyzw, 4, "dfmt:12, nfmt:7,"
l1 rg8_linear, linear2, tbuffer_load_format_xy, 2, "dfmt:3, nfmt:0,"
l1 rg16f_linear, linear4, tbuffer_load_format_xy, 2, "dfmt:5, nfmt:7,"
l1 rg32f_linear, linear8, tbuffer_load_format_xy, 2, "dfmt:11, nfmt:7,"
l1 rg32f_random, random, tbuffer_load_format_xy, 2, "dfmt:11, nfmt:7,"
l1 rgba32f_linear, linear16, tbuffer_load_format_xyzw, 4, "dfmt:14, nfmt:7,"
l1 rgba32f_random, random, tbuffer_load_format_xyzw, 4, "dfmt:14, nfmt:7,"

; image loads, components as they are
.macro image_loads
.set slot, 0
.rept 16
  image_load v[32:35], v[16 + slot], s[36:43] dmask:0xf unorm
  .set slot, slot + 1
.endr
.endm
.macro rgba32f_texels
  image_resource 0x1ce00000
  linear1
.endm
.macro rgba32f_texels_random
  image_resource 0x1ce00000
  random
.endm
.macro rgba16f_texels
  image_resource 0x1cc00000
  random
.endm
throughput_kernel tp_image_rgba32f_linear, rgba32f_texels, image_loads
throughput_kernel tp_image_rgba32f_random, rgba32f_texels_random, image_loads
throughput_kernel tp_image_rgba16f_random, rgba16f_texels, image_loads

; Past the L1, for the bandwidth of the L2: a kilobyte an instruction, one after another, in a footprint of p + 1 bytes.
; Every wave begins q bytes behind the one before.
.macro l2_begin
  v_lshlrev_b32_e32 v1, 4, v2
  s_mul_i32 s17, s2, s21
  s_add_i32 s17, s17, s3
  s_mul_i32 s17, s17, s23
  v_add_i32_e32 v1, vcc, s17, v1
  v_and_b32_e32 v1, s22, v1
.endm
.macro l2
.rept 16
  buffer_load_dwordx4 v[32:35], v1, s[8:11], 0 offen glc
  v_add_i32_e32 v1, vcc, 0x400, v1
  v_and_b32_e32 v1, s22, v1
.endr
.endm
throughput_kernel tp_l2, l2_begin, l2

; Streams as clpeak reads them: groups of 256, every lane loads sixteen elements of 1, 2 or 4 floats, adds them
; up and writes one float, 64 MiB behind the beginning. p: bytes from an element of a lane to its next, q: bytes
; from a group's first to the next group's. No pass warms anything; a wave ends when it is done.
.macro clpeak name, dwords, shift, vgprs
bench_begin \name
  s_memtime s[24:25]
  s_mul_i32 s17, s2, s23
  v_lshlrev_b32_e32 v1, \shift, v0
  v_add_i32_e32 v1, vcc, s17, v1
.set slot, 0
.rept 16
.if \dwords == 1
  buffer_load_dword v[8 + slot], v1, s[8:11], 0 offen
.else
  buffer_load_dwordx\dwords v[8 + slot:7 + slot + \dwords], v1, s[8:11], 0 offen
.endif
  v_add_i32_e32 v1, vcc, s22, v1
  .set slot, slot + \dwords
.endr
  s_waitcnt vmcnt(0)
.set slot, 1
.rept 16 * \dwords - 1
  v_add_f32_e32 v8, v8, v[8 + slot]
  .set slot, slot + 1
.endr
  s_lshl_b32 s17, s2, 8
  v_add_i32_e32 v1, vcc, s17, v0
  v_lshlrev_b32_e32 v1, 2, v1
  v_add_i32_e32 v1, vcc, 0x4000000, v1
  buffer_store_dword v8, v1, s[8:11], 0 offen
  s_memtime s[26:27]
  wait_all
  bench_store
bench_end \name, 0, \vgprs
.endm
clpeak clpeak_x1, 1, 2, 24
clpeak clpeak_x2, 2, 3, 40
clpeak clpeak_x4, 4, 4, 72

; Streams of stores in the same shape: every lane stores sixteen elements of 1 or 4 dwords. A wave ends when L2 has
; acknowledged them.
.macro store_stream name, dwords, shift
bench_begin \name
  s_memtime s[24:25]
  s_mul_i32 s17, s2, s23
  v_lshlrev_b32_e32 v1, \shift, v0
  v_add_i32_e32 v1, vcc, s17, v1
.rept 16
.if \dwords == 1
  buffer_store_dword v8, v1, s[8:11], 0 offen
.else
  buffer_store_dwordx\dwords v[8:7 + \dwords], v1, s[8:11], 0 offen
.endif
  v_add_i32_e32 v1, vcc, s22, v1
.endr
  wait_all
  s_memtime s[26:27]
  wait_all
  bench_store
bench_end \name, 0, 24
.endm
store_stream stream_store_x1, 1, 2
store_stream stream_store_x4, 4, 4

; scalar loads that hit
.macro scalar_setup
  s_mov_b64 s[40:41], s[8:9]
  s_movk_i32 s42, 0x4000
  s_mov_b32 s43, 0x27fac
.endm
.macro scalar size
.if \size == 1
.rept 16
  s_buffer_load_dword s44, s[40:43], 0x10
.endr
.else
.rept 16
  s_buffer_load_dwordx\size s[44:44 + \size - 1], s[40:43], 0x10
.endr
.endif
.endm
.irp size, 1, 2, 4, 8, 16
.macro scalar_x\size
  scalar \size
.endm
throughput_kernel tp_scalar_x\size, scalar_setup, scalar_x\size
.endr
.irp size, 1, 2, 4, 8, 16
.macro scalar_issue_x\size
.if \size == 1
.rept 4
  s_load_dword s44, s[40:41], 0x10
.endr
.else
.rept 4
  s_load_dwordx\size s[44:44 + \size - 1], s[40:41], 0x10
.endr
.endif
.endm
issue_kernel s_load_x\size, scalar_setup, scalar_issue_x\size
.endr

; the same as a program uses them: eight loads, then every dword added up
.irp size, 1, 2, 4
.macro uniform_x\size
.rept 2
.set slot, 0
.rept 8
.if \size == 1
  s_buffer_load_dword s[44 + slot], s[40:43], 4 * slot
.else
  s_buffer_load_dwordx\size s[44 + \size * slot:43 + \size * (slot + 1)], s[40:43], 4 * slot
.endif
  .set slot, slot + 1
.endr
  s_waitcnt lgkmcnt(0)
.set slot, 0
.rept 8 * \size
  v_add_f32_e32 v[32 + slot % 4], s[44 + slot], v[32 + slot % 4]
  .set slot, slot + 1
.endr
.endr
.endm
throughput_kernel tp_uniform_x\size, scalar_setup, uniform_x\size
.endr

; issue cycles of vector memory instructions: two, so that no queue is full
.macro two name, registers, op:vararg
.macro pair_\name
  \op
  \op
.endm
issue_kernel \name, linear4, pair_\name
.endm
two load_x1, 1, buffer_load_dword v32, v16, s[8:11], 0 offen
two load_x2, 2, buffer_load_dwordx2 v[32:33], v16, s[8:11], 0 offen
two load_x3, 3, buffer_load_dwordx3 v[32:34], v16, s[8:11], 0 offen
two load_x4, 4, buffer_load_dwordx4 v[32:35], v16, s[8:11], 0 offen
two store_x1, 1, buffer_store_dword v32, v16, s[8:11], 0 offen
two store_x4, 4, buffer_store_dwordx4 v[32:35], v16, s[8:11], 0 offen
two atomic_add, 1, buffer_atomic_add v32, v16, s[8:11], 0 offen
two atomic_swap, 1, buffer_atomic_swap v32, v16, s[8:11], 0 offen
two atomic_umax, 1, buffer_atomic_umax v32, v16, s[8:11], 0 offen
two atomic_cmpswap, 2, buffer_atomic_cmpswap v[32:33], v16, s[8:11], 0 offen

; s_memtime to use
.macro wait_for_time
  s_waitcnt lgkmcnt(0)
.endm
issue_kernel memtime, scalar_setup, wait_for_time

; a stream of loads of one wave, as long as its counter lasts
.macro fifteen_loads
.rept 15
  buffer_load_dword v32, v16, s[8:11], 0 offen
.endr
.endm
issue_kernel load_stream, linear4, fifteen_loads

; Which L2 channel 13 addresses 2048 bytes apart are in: address i is read 2^i times, past the L1, so that the channels'
; counts of reads say it in binary. p: first address; loops: 1, or 0 for what the program itself reads.
bench_begin channels
  v_mov_b32_e32 v1, s22
  s_mov_b64 exec, 1
  s_movk_i32 s40, 1
  s_movk_i32 s41, 13
  s_cmp_eq_u32 s20, 0
  s_cbranch_scc1 .Lchannels_end
.Lchannels_address:
  s_mov_b32 s42, s40
.Lchannels_read:
  buffer_load_dword v32, v1, s[8:11], 0 offen glc
  s_sub_i32 s42, s42, 1
  s_cmp_lg_u32 s42, 0
  s_cbranch_scc1 .Lchannels_read
  wait_all                                ; a read that joins another in flight is counted, too
  v_add_i32_e32 v1, vcc, 0x800, v1
  s_lshl_b32 s40, s40, 1
  s_sub_i32 s41, s41, 1
  s_cmp_lg_u32 s41, 0
  s_cbranch_scc1 .Lchannels_address
.Lchannels_end:
bench_end channels
