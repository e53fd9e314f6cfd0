; SPDX-License-Identifier: Apache-2.0
; What every micro-kernel of this folder shares. Kernel arguments: buffers data and out, u32 loops, waves
; (per work-group), p (stride or mask of the kernel), q. Every wave measures itself and leaves {t0, t1, t2, t3} in
; out[16 * wave]: engine clocks of s_memtime, low halves.
;   issue      t0..t1 around `count` instructions, t2..t3 around none; wave 0 of the group measures, the others wait
;              at a barrier, so that the one on its SIMD is not alone (fetch penalties are a lone wave's)
;   alone      as issue, in a group of one wave
;   throughput t0..t1 around loops times the body of every wave; t2 = t3 = 0
; Registers: s[8:11] descriptor of data, s[12:15] of out, s3 wave of the group, s20..s23 the u32 arguments,
; v0 local id, v1 free for an address, v2 lane, v[16:31] sixteen addresses, v[32:63] data. s16 upwards is the harness's.
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"

.macro bench_begin name
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx4 s[20:23], s[0:1], 0x4
  s_mov_b32 m0, -1
  v_and_b32_e32 v2, 63, v0
  v_lshrrev_b32_e32 v3, 6, v0
  v_readfirstlane_b32 s3, v3
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[4:5]
  s_mov_b32 s10, -1                       ; no range limit
  s_mov_b32 s11, 0x27fac                  ; components as they are, 32-bit floats
  s_mov_b64 s[12:13], s[6:7]
  s_mov_b64 s[14:15], s[10:11]
  s_mov_b64 s[28:29], 0
  s_mov_b64 s[30:31], 0
.endm

.macro bench_store
  v_mov_b32_e32 v3, s24
  v_mov_b32_e32 v4, s26
  v_mov_b32_e32 v5, s28
  v_mov_b32_e32 v6, s30
  s_mul_i32 s17, s2, s21
  s_add_i32 s17, s17, s3
  s_lshl_b32 s17, s17, 4
  v_mov_b32_e32 v1, s17
  s_mov_b64 exec, 1
  buffer_store_dwordx4 v[3:6], v1, s[12:15], 0 offen
.endm

.macro bench_end name, lds=32768, vgprs=64
  s_endpgm
.Lend_\name:
.size \name, .Lend_\name-\name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_group_segment_fixed_size \lds
  .amdhsa_kernarg_size 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr \vgprs
  .amdhsa_next_free_sgpr 80
.end_amdhsa_kernel
.endm

.macro wait_all
  s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
.endm

; The second pass counts: the first brings the code into the instruction cache. `code` starts at dword `skew` of a
; fetch block.
.macro bench_measure name, code, skew
  s_movk_i32 s18, 2
.Lpass_\name:
  wait_all
  s_branch .Lstart_\name
.p2align 5
.if \skew != 1
.rept (\skew + 7) % 8
  s_nop 0
.endr
.endif
.Lstart_\name:
  s_memtime s[24:25]
  \code
  s_memtime s[26:27]
  wait_all
  s_memtime s[28:29]
  s_memtime s[30:31]
  wait_all
  s_sub_i32 s18, s18, 1
  s_cmp_lg_u32 s18, 0
  s_cbranch_scc1 .Lpass_\name
.endm

.macro issue_kernel name, setup, code
bench_begin \name
  \setup
  s_cmp_lg_u32 s3, 0
  s_cbranch_scc1 .Lidle_\name
  bench_measure \name, \code, 1
  bench_store
.Lidle_\name:
  s_barrier
bench_end \name
.endm

.macro alone_kernel name, setup, code, skew=1
bench_begin \name
  \setup
  bench_measure \name, \code, \skew
  bench_store
bench_end \name
.endm

; `body` is sixteen instructions (or as many as the row says). The first pass, one loop, warms the caches. Nothing waits
; for the first time: it is read as late behind its instruction as the second.
.macro throughput_kernel name, setup, body
bench_begin \name
  \setup
  s_movk_i32 s18, 2
  s_movk_i32 s19, 1
.Lpass_\name:
  wait_all
  s_barrier
  s_memtime s[24:25]
.p2align 5
.Lloop_\name:
  \body
  s_sub_i32 s19, s19, 1
  s_cmp_lg_u32 s19, 0
  s_cbranch_scc1 .Lloop_\name
  wait_all
  s_memtime s[26:27]
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s19, s20
  s_sub_i32 s18, s18, 1
  s_cmp_lg_u32 s18, 0
  s_cbranch_scc1 .Lpass_\name
  s_barrier                               ; no wave ends while others measure: none of them is alone on its SIMD
  bench_store
bench_end \name
.endm
