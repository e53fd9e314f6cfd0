// SPDX-License-Identifier: Apache-2.0
// Times and queues of a compute unit (CuSpec) as its pins have them: each field of the Spec once,
// with its width and its meaning for users. Cycles are those of the unit's clock.
#pragma once

// NUMBER(field, bits, meaning), LIST(field, elements, bits, meaning)
#define ARCHIPELAGO_CU_TIMES(NUMBER, LIST)                                                        \
    NUMBER(fetch_blocks, 4, "blocks of 32 bytes in a wave's instruction buffer: 2, 4 or 8")       \
    NUMBER(fetch_two_dword_penalty, 12,                                                           \
           "a lone wave waits so long in front of a two-dword instruction late in its block")     \
    NUMBER(fetch_free_dwords, 4, "first dword of a block that is late")                           \
    NUMBER(fetch_not_taken_penalty, 12,                                                           \
           "a lone wave waits so long for each late dword behind a branch not taken")             \
    NUMBER(fetch_jump_penalty, 12, "... for each late dword of a forward jump's target")          \
    NUMBER(fetch_jump_free_dwords, 4, "first dword of a block that is late behind a jump")        \
    NUMBER(issue_width, 4, "instructions in a cycle, those of class Internal not counted")        \
    LIST(rate_cycles, 12, 12,                                                                     \
         "until a wave's next instruction, by rate: full, transcendental, mul_lo, f64 add, f64 "  \
         "mul, fma, conversion, f32 division, f64 division, scalar, long scalar, other")          \
    NUMBER(salu_cycles, 12, "... behind a scalar instruction")                                    \
    NUMBER(salu_long_cycles, 12, "... behind s_*_saveexec and s_setreg")                          \
    NUMBER(valu_to_salu_stall, 12,                                                                \
           "further wait of a scalar instruction for a carry or a lane that was read")            \
    NUMBER(compare_to_salu_stall, 12, "... for the result of a vector comparison")                \
    NUMBER(branch_status_stall, 12, "... of a branch for SCC, VCC or EXEC")                       \
    NUMBER(branch_not_taken_cycles, 12, "until the next instruction, branch not taken")           \
    NUMBER(branch_taken_cycles, 12, "... taken")                                                  \
    NUMBER(internal_cycles, 12, "... behind s_waitcnt, s_setprio and the like")                   \
    NUMBER(nop_cycles, 12, "for each wait state of s_nop")                                        \
    NUMBER(sleep_unit_cycles, 12, "for each unit of s_sleep")                                     \
    NUMBER(barrier_cycles, 12, "last arrival at a barrier until all waves go on")                 \
    NUMBER(vm_max, 4, "largest vmcnt; an instruction that would count on is held")                \
    NUMBER(lgkm_max, 5, "largest lgkmcnt")                                                        \
    NUMBER(exp_max, 3, "largest expcnt")                                                          \
    LIST(smem_issue_cycles, 5, 12, "behind a scalar load of 1, 2, 4, 8, 16 dwords")               \
    NUMBER(smem_other_issue_cycles, 12, "behind s_memtime and s_dcache_inv")                      \
    NUMBER(smem_queue, 5, "scalar loads of a SIMD that have not left")                            \
    NUMBER(smem_outstanding, 7, "... of the unit that are not done, at most 64")                  \
    NUMBER(memtime_cycles, 12, "s_memtime, issue to result")                                      \
    NUMBER(lds_operand_cycles, 12, "to read a VGPR of a wave for LDS")                            \
    NUMBER(lds_banks, 7, "banks of a dword: a power of two, 2 to 64")                             \
    NUMBER(lds_bank_cycles, 12, "for each pass of the banks")                                     \
    NUMBER(lds_issue_factor, 12,                                                                  \
           "a wave's next instruction behind one of DS: times its cycles without conflicts")      \
    NUMBER(lds_latency, 12, "end of service to the counter")                                      \
    NUMBER(lds_queue, 4, "DS instructions of a SIMD that are not served, at most 8")              \
    NUMBER(export_issue_cycles, 12, "behind an export or an instruction of the GDS")              \
    NUMBER(export_cycles, 12, "their path out of the registers is busy for one")                  \
    NUMBER(gds_outstanding, 7, "instructions of the GDS on their way, at most 64")                \
    NUMBER(message_cycles, 12, "s_sendmsg, issue to the counter")                                 \
    NUMBER(interpolate_cycles, 12, "LDS is busy with an interpolation")                           \
    NUMBER(load_issue_cycles, 12, "behind a vector load of a dword a lane")                       \
    NUMBER(load_wide_issue_cycles, 12, "... of more")                                             \
    NUMBER(store_issue_cycles, 12, "behind a store")                                              \
    NUMBER(atomic_issue_cycles, 12, "behind an atomic")                                           \
    NUMBER(cmpswap_issue_cycles, 12, "behind a compare-and-swap")                                 \
    NUMBER(vmem_queue, 5, "vector memory instructions of a SIMD before the address unit")         \
    NUMBER(vmem_outstanding, 7, "... of the unit that are not done, at most 64")                  \
    NUMBER(ta_latency, 12, "issue to the first request of a line, 3 at least")                    \
    NUMBER(ta_load_quad_cycles, 7, "address unit, loads: four lanes")                             \
    NUMBER(ta_load_quarter_cycles, 7, "... sixteen that read dwords beside each other")           \
    NUMBER(ta_load_pair_cycles, 7, "... further cycles, two dwords a lane")                       \
    NUMBER(ta_load_scattered_cycles, 7, "... of 16 bytes a lane, in more lines than linear ones") \
    NUMBER(ta_load_scattered_triple_cycles, 7, "... of 12 bytes")                                 \
    NUMBER(ta_store_quarter_cycles, 7, "stores: sixteen lanes")                                   \
    NUMBER(ta_atomic_quad_cycles, 7, "atomics: four lanes")                                       \
    NUMBER(ta_requests_per_cycle, 3, "requests of a line to the L1, at most 4")                   \
    NUMBER(td_responses_per_cycle, 3, "answers of the L1, at most 4")                             \
    NUMBER(td_bytes_per_cycle, 13, "returned to the registers")                                   \
    NUMBER(td_latency, 12, "last byte returned to the counter")                                   \
    NUMBER(ta_image_quad_cycles, 7, "address unit, images: four lanes and a footprint")           \
    LIST(image_load_cycles, 3, 12, "return path, texels of 4, 8, 16 bytes: one a lane")           \
    LIST(image_scattered_cycles, 3, 12, "... in more lines than linear ones")                     \
    LIST(image_filter_cycles, 3, 12, "... each filtered footprint")                               \
    NUMBER(linear_lines, 3, "lines of a quad that count as beside each other")
