; SPDX-License-Identifier: Apache-2.0
; Instructions whose timing keys other workloads leave alone: quarter-rate ALU, branches, sleep, wide and repeated
; scalar loads, compare-and-swap, L1 invalidation, scattered loads, and image loads and samples of 4, 8 and 16-byte
; texels, linear and scattered. Two waves, each alone on its SIMD. p: width of the image - 1.
.include "../harness.s"

; a row of texels, linear aligned (tile mode 8); \format: DATA_FORMAT << 20 | NUM_FORMAT << 26
.macro texels format
  s_lshr_b64 s[36:37], s[8:9], 8
  s_or_b32 s37, s37, \format
  s_mov_b32 s38, s22
  s_mov_b32 s39, 0x80800fac
  s_lshl_b32 s40, s22, 13
  s_mov_b32 s41, 0
  s_mov_b64 s[42:43], 0
  image_load v[32:35], v2, s[36:43] dmask:0xf unorm
  image_load v[32:35], v3, s[36:43] dmask:0xf unorm
  wait_all
  image_sample_lz v[32:35], v4, s[36:43], s[44:47] dmask:0xf
  wait_all
.endm

bench_begin instructions
  v_exp_f32_e32 v4, v2
  v_div_fixup_f32 v5, v4, v4, v4
  v_readfirstlane_b32 s17, v5
  s_add_i32 s17, s17, s17                 ; the scalar ALU reads what the vector ALU wrote
  s_sleep 1
  s_cmp_eq_u32 s3, 77
  s_cbranch_scc1 .Lnever
  s_cmp_lg_u32 s3, 77
  s_cbranch_scc1 .Lalways
.Lnever:
  s_nop 0
.Lalways:
  s_branch .Llate                         ; to the last dword of a fetch block
  .p2align 5
  .rept 7
  s_nop 0
  .endr
.Llate:
  s_nop 0
  s_load_dwordx16 s[48:63], s[8:9], 0x0
  s_load_dwordx8 s[64:71], s[8:9], 0x0
  wait_all
  s_load_dword s48, s[8:9], 0x0           ; hits
  wait_all
  s_dcache_inv
  s_memtime s[24:25]
  wait_all
  s_barrier
  v_lshlrev_b32_e32 v1, 2, v0
  buffer_atomic_cmpswap v[32:33], v1, s[8:11], 0 offen
  buffer_atomic_cmpswap v[32:33], v1, s[8:11], 0 offen
  buffer_wbinvl1
  wait_all
  v_lshlrev_b32_e32 v3, 6, v2             ; texels 64 apart
  tbuffer_load_format_xyz v[32:34], v3, s[8:11], dfmt:13, nfmt:7, 0 offen
  wait_all
  buffer_load_dwordx4 v[32:35], v3, s[8:11], 0 offen
  wait_all
  v_mov_b32_e32 v4, 0.5
  s_mov_b32 s44, 0x8                      ; clamp to the edge
  s_mov_b32 s45, 0xfff000
  s_mov_b32 s46, 0x500000                 ; bilinear
  s_mov_b32 s47, 0
  texels 0x1c400000
  texels 0x1cc00000
  texels 0x1ce00000
  s_memtime s[26:27]
  wait_all
  bench_store
bench_end instructions
