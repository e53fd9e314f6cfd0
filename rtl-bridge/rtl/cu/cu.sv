// SPDX-License-Identifier: Apache-2.0
// A compute unit: up to four SIMDs of sixteen wave slots, one scalar ALU and branch unit, the local data
// share and the path to the vector L1. SIMD n issues and fetches in cycles n modulo cfg_simds.
//
// Within one cycle, in this order: a block of instructions and answers of memory arrive, and what was
// given its time ends; waves whose counters have come down go on or end; a wave is launched; the SIMD
// whose turn it is issues; the address unit lets requests leave; returned data are given their time; a
// scalar request, a fetch and the end of a wave leave. Each sees what those before it did in the cycle.
// An instruction reads and writes registers and LDS in the cycle it issues in; loads write theirs when
// their counter comes down.
//
// Parts, each a block of its own: cu_decode (a block of instructions is decoded as it arrives),
// cu_issue (which waves issue), salu, cu_valu with valu_lane, lds, ta_buffer (addresses), ta_coalescer
// (requests), ta_format (data). Double precision, transcendental functions, conversions, packing, fma
// and division are the model's, by cu_model_pkg. Not built, and refused by stop: images, GDS, exports,
// messages, interpolation, operands from LDS, loads to LDS. It does not say what retires.
//
// Ports: `valid` of an input says that a message is there, `ready` that it is taken in this cycle.
// `ready` of an output says that there is room, `valid` that a message is sent in this cycle. Outputs
// that are not valid are zero. After a cycle with stop_valid the unit must be reset. The cfg_ pins hold
// still between resets.
`include "cu_decode_word_pkg.sv"
`include "cu_pkg.sv"
`include "cu_model_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_rules.sv"

// Vectors of whole registers; some outputs of parts and some members have no reader here.
/* verilator lint_off WIDTHCONCAT */
/* verilator lint_off PINCONNECTEMPTY */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
module cu
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;
  import cu_model_pkg::*;
(
  input  logic clk,
  input  logic rst,
  input  logic [2:0] cfg_simds,  // SIMDs, 1 to 4
  input  logic [4:0] cfg_slots,  // wave slots of a SIMD, 1 to 16
  input  logic [8:0] cfg_vgprs,  // VGPRs of a SIMD, per lane
  input  logic [9:0] cfg_sgprs,  // SGPRs of a SIMD
  input  logic [16:0] cfg_lds,  // bytes of LDS
  input  logic [6:0] cfg_groups,  // slots of groups
  input  logic [1:0] cfg_engine,  // shader engine the unit is in, for HW_ID
  input  logic [1:0] cfg_array,  // shader array of the engine
  input  logic [3:0] cfg_unit,  // number in the shader array
  input  logic [3:0] cfg_fetch_blocks,  // blocks of 32 bytes in a wave's instruction buffer: 2, 4 or 8
  input  logic [11:0] cfg_fetch_two_dword_penalty,  // a lone wave waits so long in front of a two-dword instruction late in its block
  input  logic [3:0] cfg_fetch_free_dwords,  // first dword of a block that is late
  input  logic [11:0] cfg_fetch_not_taken_penalty,  // a lone wave waits so long for each late dword behind a branch not taken
  input  logic [11:0] cfg_fetch_jump_penalty,  // ... for each late dword of a forward jump's target
  input  logic [3:0] cfg_fetch_jump_free_dwords,  // first dword of a block that is late behind a jump
  input  logic [3:0] cfg_issue_width,  // instructions in a cycle, those of class Internal not counted
  input  logic [11:0][11:0] cfg_rate_cycles,  // until a wave's next instruction, by rate: full, transcendental, mul_lo, f64 add, f64 mul, fma, conversion, f32 division, f64 division, scalar, long scalar, other
  input  logic [11:0] cfg_salu_cycles,  // ... behind a scalar instruction
  input  logic [11:0] cfg_salu_long_cycles,  // ... behind s_*_saveexec and s_setreg
  input  logic [11:0] cfg_valu_to_salu_stall,  // further wait of a scalar instruction for a carry or a lane that was read
  input  logic [11:0] cfg_compare_to_salu_stall,  // ... for the result of a vector comparison
  input  logic [11:0] cfg_branch_status_stall,  // ... of a branch for SCC, VCC or EXEC
  input  logic [11:0] cfg_branch_not_taken_cycles,  // until the next instruction, branch not taken
  input  logic [11:0] cfg_branch_taken_cycles,  // ... taken
  input  logic [11:0] cfg_internal_cycles,  // ... behind s_waitcnt, s_setprio and the like
  input  logic [11:0] cfg_nop_cycles,  // for each wait state of s_nop
  input  logic [11:0] cfg_sleep_unit_cycles,  // for each unit of s_sleep
  input  logic [11:0] cfg_barrier_cycles,  // last arrival at a barrier until all waves go on
  input  logic [3:0] cfg_vm_max,  // largest vmcnt; an instruction that would count on is held
  input  logic [4:0] cfg_lgkm_max,  // largest lgkmcnt
  input  logic [2:0] cfg_exp_max,  // largest expcnt
  input  logic [4:0][11:0] cfg_smem_issue_cycles,  // behind a scalar load of 1, 2, 4, 8, 16 dwords
  input  logic [11:0] cfg_smem_other_issue_cycles,  // behind s_memtime and s_dcache_inv
  input  logic [4:0] cfg_smem_queue,  // scalar loads of a SIMD that have not left
  input  logic [6:0] cfg_smem_outstanding,  // ... of the unit that are not done, at most 64
  input  logic [11:0] cfg_memtime_cycles,  // s_memtime, issue to result
  input  logic [11:0] cfg_lds_operand_cycles,  // to read a VGPR of a wave for LDS
  input  logic [6:0] cfg_lds_banks,  // banks of a dword: a power of two, 2 to 64
  input  logic [11:0] cfg_lds_bank_cycles,  // for each pass of the banks
  input  logic [11:0] cfg_lds_issue_factor,  // a wave's next instruction behind one of DS: times its cycles without conflicts
  input  logic [11:0] cfg_lds_latency,  // end of service to the counter
  input  logic [3:0] cfg_lds_queue,  // DS instructions of a SIMD that are not served, at most 8
  input  logic [11:0] cfg_export_issue_cycles,  // behind an export or an instruction of the GDS
  input  logic [11:0] cfg_export_cycles,  // their path out of the registers is busy for one
  input  logic [6:0] cfg_gds_outstanding,  // instructions of the GDS on their way, at most 64
  input  logic [11:0] cfg_message_cycles,  // s_sendmsg, issue to the counter
  input  logic [11:0] cfg_interpolate_cycles,  // LDS is busy with an interpolation
  input  logic [11:0] cfg_load_issue_cycles,  // behind a vector load of a dword a lane
  input  logic [11:0] cfg_load_wide_issue_cycles,  // ... of more
  input  logic [11:0] cfg_store_issue_cycles,  // behind a store
  input  logic [11:0] cfg_atomic_issue_cycles,  // behind an atomic
  input  logic [11:0] cfg_cmpswap_issue_cycles,  // behind a compare-and-swap
  input  logic [4:0] cfg_vmem_queue,  // vector memory instructions of a SIMD before the address unit
  input  logic [6:0] cfg_vmem_outstanding,  // ... of the unit that are not done, at most 64
  input  logic [11:0] cfg_ta_latency,  // issue to the first request of a line
  input  logic [6:0] cfg_ta_load_quad_cycles,  // address unit, loads: four lanes
  input  logic [6:0] cfg_ta_load_quarter_cycles,  // ... sixteen that read dwords beside each other
  input  logic [6:0] cfg_ta_load_pair_cycles,  // ... further cycles, two dwords a lane
  input  logic [6:0] cfg_ta_load_scattered_cycles,  // ... of 16 bytes a lane, in more lines than linear ones
  input  logic [6:0] cfg_ta_load_scattered_triple_cycles,  // ... of 12 bytes
  input  logic [6:0] cfg_ta_store_quarter_cycles,  // stores: sixteen lanes
  input  logic [6:0] cfg_ta_atomic_quad_cycles,  // atomics: four lanes
  input  logic [2:0] cfg_ta_requests_per_cycle,  // requests of a line to the L1, at most 4
  input  logic [2:0] cfg_td_responses_per_cycle,  // answers of the L1, at most 4
  input  logic [12:0] cfg_td_bytes_per_cycle,  // returned to the registers
  input  logic [11:0] cfg_td_latency,  // last byte returned to the counter
  input  logic [6:0] cfg_ta_image_quad_cycles,  // address unit, images: four lanes and a footprint
  input  logic [2:0][11:0] cfg_image_load_cycles,  // return path, texels of 4, 8, 16 bytes: one a lane
  input  logic [2:0][11:0] cfg_image_scattered_cycles,  // ... in more lines than linear ones
  input  logic [2:0][11:0] cfg_image_filter_cycles,  // ... each filtered footprint
  input  logic [2:0] cfg_linear_lines,  // lines of a quad that count as beside each other
  input  logic [63:0] control_cycle,  // the chip's cycle, which passes over those without a clock: for s_memtime
  input  logic control_pause,  // nothing issues and nothing is fetched
  input  logic control_retire,  // somebody wants what retires; changes only while no wave is there
  input  logic tiling_valid,  // a register of address calculation of images is written
  input  logic [5:0] tiling_index,  // 0 GB_ADDR_CONFIG, 1 to 32 GB_TILE_MODE0 to 31, 33 TA_CS_BC_BASE_ADDR
  input  logic [31:0] tiling_value,  // its value
  input  logic init_valid,  // a row of what the wave that is launched next finds: graphics stages
  input  logic [5:0] init_wave,  // its number
  input  logic init_lds,  // of the group's part of LDS; 0: of a VGPR
  input  logic [7:0] init_row,  // number of the VGPR; in LDS of the 256 bytes
  input  logic [63:0] init_lanes,  // lanes, or dwords of LDS, it sets
  input  logic [63:0][31:0] init_data,  // their values
  input  logic launch_valid,  // a wave is launched
  input  logic [5:0] launch_wave,  // its number until it is done: 16 * SIMD + slot
  input  logic [31:0] launch_dispatch,  // dispatch or draw, from 1
  input  logic [31:0] launch_group,  // work-group of the dispatch, wave of the draw's stage
  input  logic [5:0] launch_group_slot,  // the group's slot for barrier and LDS, the same for all its waves
  input  logic [4:0] launch_wave_in_group,  // wave of the group
  input  logic [4:0] launch_waves_in_group,  // waves a barrier waits for, less those that have ended
  input  logic [7:0] launch_vmid,  // VMID of all its accesses
  input  logic [1:0] launch_priority,  // priority in issue
  input  logic [2:0] launch_stage,  // ShaderStage: 0 LS, 1 HS, 2 ES, 3 GS, 4 VS, 5 PS, 6 CS
  input  logic [63:0] launch_pc,  // byte address of the first instruction
  input  logic [63:0] launch_exec,  // EXEC
  input  logic [7:0] launch_vgpr_base,  // v0 in the SIMD's register file
  input  logic [8:0] launch_vgprs,  // VGPRs of the wave, all 0 but those set
  input  logic [8:0] launch_sgpr_base,  // s0 in the SIMD's register file
  input  logic [7:0] launch_sgprs,  // SGPRs of the wave, VCC included, all 0 but those set
  input  logic [16:0] launch_lds_base,  // the group's part of LDS, bytes
  input  logic [16:0] launch_lds_bytes,  // its size; M0 begins as this
  input  logic launch_keeps_lds,  // LDS is as it is; else the group's first wave finds zeros
  input  logic [7:0] launch_float_mode,  // MODE[7:0]: FP_ROUND, FP_DENORM
  input  logic launch_dx10_clamp,  // MODE.DX10_CLAMP
  input  logic launch_ieee,  // MODE.IEEE
  input  logic launch_privileged,  // STATUS.PRIV
  input  logic launch_trap,  // there is a trap handler
  input  logic [7:0] launch_exceptions,  // MODE.EXCP_EN
  input  logic [63:0] launch_tba,  // address of the trap handler, bytes
  input  logic [63:0] launch_tma,  // its memory, bytes
  input  logic [4:0] launch_sgpr_count,  // SGPRs that are set, from s0 on
  input  logic [23:0][31:0] launch_sgpr,  // their values
  input  logic [1:0] launch_ids,  // of a compute wave: VGPRs that are set to local ids, from v0 on
  input  logic [63:0][31:0] launch_v0,  // v0 of each lane
  input  logic [63:0][31:0] launch_v1,  // v1 of each lane
  input  logic [63:0][31:0] launch_v2,  // v2 of each lane
  input  logic done_ready,  // room for the end of a wave
  input  logic fetch_ready,  // room for a fetch
  input  logic fetched_valid,  // the instruction cache answers
  input  logic [5:0] fetched_wave,  // that of the fetch
  input  logic [31:0] fetched_tag,  // that of the fetch
  input  logic [63:0] fetched_address,  // that of the fetch
  input  logic fetched_fault,  // nothing is mapped there
  input  logic [7:0][31:0] fetched_words,  // the block's 32 bytes
  input  logic scalar_ready,  // room for a scalar load
  input  logic loaded_valid,  // the scalar cache answers, in any order
  input  logic [5:0] loaded_wave,  // that of the load
  input  logic [31:0] loaded_tag,  // that of the load
  input  logic loaded_fault,  // nothing is mapped there
  input  logic [63:0] loaded_address,  // of a fault: the address
  input  logic [15:0][31:0] loaded_data,  // the dwords, from element 0 on
  input  logic request0_ready,  // room for a request
  input  logic answer0_valid,  // an answer of the L1 is there, in any order; taken only if those of lower numbers are
  input  logic [31:0] answer0_tag,  // that of the request
  input  logic [1:0] answer0_status,  // MemStatus: 0 good, 1 unmapped, 2 refused
  input  logic [1:0] answer0_command,  // that of the request
  input  logic [57:0] answer0_line,  // that of the request
  input  logic [15:0][31:0] answer0_data,  // the line of a read, old values of an atomic at their places
  input  logic request1_ready,  // room for a request
  input  logic answer1_valid,  // an answer of the L1 is there, in any order; taken only if those of lower numbers are
  input  logic [31:0] answer1_tag,  // that of the request
  input  logic [1:0] answer1_status,  // MemStatus: 0 good, 1 unmapped, 2 refused
  input  logic [1:0] answer1_command,  // that of the request
  input  logic [57:0] answer1_line,  // that of the request
  input  logic [15:0][31:0] answer1_data,  // the line of a read, old values of an atomic at their places
  input  logic request2_ready,  // room for a request
  input  logic answer2_valid,  // an answer of the L1 is there, in any order; taken only if those of lower numbers are
  input  logic [31:0] answer2_tag,  // that of the request
  input  logic [1:0] answer2_status,  // MemStatus: 0 good, 1 unmapped, 2 refused
  input  logic [1:0] answer2_command,  // that of the request
  input  logic [57:0] answer2_line,  // that of the request
  input  logic [15:0][31:0] answer2_data,  // the line of a read, old values of an atomic at their places
  input  logic request3_ready,  // room for a request
  input  logic answer3_valid,  // an answer of the L1 is there, in any order; taken only if those of lower numbers are
  input  logic [31:0] answer3_tag,  // that of the request
  input  logic [1:0] answer3_status,  // MemStatus: 0 good, 1 unmapped, 2 refused
  input  logic [1:0] answer3_command,  // that of the request
  input  logic [57:0] answer3_line,  // that of the request
  input  logic [15:0][31:0] answer3_data,  // the line of a read, old values of an atomic at their places
  input  logic invalidate_ready,  // room for an L1 invalidation
  input  logic invalidated_valid,  // the L1 is invalidated
  input  logic [31:0] invalidated_tag,  // that of the invalidation
  input  logic icache_ready,  // room for an invalidation
  input  logic gds_ready,  // room for a GDS instruction
  input  logic gdsdata_valid,  // the GDS has carried one out
  input  logic [31:0] gdsdata_tag,  // that of the instruction
  input  logic [255:0][31:0] gdsdata_data,  // dwords for the destination: element 64 * dword + lane
  input  logic export_ready,  // room for an export
  input  logic message_ready,  // room for a message
  output logic init_ready,  // the row is taken
  output logic launch_ready,  // the wave is taken
  output logic done_valid,  // a wave has ended, its accesses are complete and its stores acknowledged
  output logic [5:0] done_wave,  // its number, which is free now
  output logic [31:0] done_exports,  // exports it has sent
  output logic fetch_valid,  // a block of 32 bytes is fetched
  output logic [63:0] fetch_address,  // bytes, a multiple of 32
  output logic [5:0] fetch_wave,  // wave it is for
  output logic [7:0] fetch_vmid,  // launch_vmid of the wave
  output logic [31:0] fetch_tag,  // returned with the answer
  output logic fetched_ready,  // the answer is taken
  output logic scalar_valid,  // dwords are read through the scalar cache
  output logic [63:0] scalar_address,  // bytes, a multiple of 4
  output logic [4:0] scalar_dwords,  // 1 to 16
  output logic scalar_invalidate,  // s_dcache_inv instead, answered without data; then dwords is 1
  output logic [5:0] scalar_wave,  // wave it is for
  output logic [7:0] scalar_vmid,  // launch_vmid of the wave
  output logic [31:0] scalar_tag,  // returned with the answer
  output logic loaded_ready,  // the answer is taken
  output logic answer0_ready,  // the answer is taken
  output logic request0_valid,  // a vector memory request for one line; only if there is one of each lower number
  output logic [57:0] request0_line,  // byte address / 64
  output logic [63:0] request0_mask,  // bytes of the line
  output logic [1:0] request0_command,  // MemCommand: 0 read, 1 write, 2 atomic
  output logic [4:0] request0_atomic,  // AtomicOp of an atomic, else none
  output logic [7:0] request0_bytes,  // of an atomic operand, 4 or 8
  output logic [7:0] request0_vmid,  // launch_vmid of the wave
  output logic request0_glc,  // GLC bit of the instruction
  output logic request0_slc,  // SLC bit of the instruction
  output logic request0_returns,  // the old values of an atomic are wanted; 1 of reads and writes
  output logic [31:0] request0_tag,  // returned with the answer
  output logic [63:0] request0_compare,  // value a compare-and-swap compares with
  output logic [15:0][31:0] request0_data,  // the line's bytes of a write, operands of an atomic at their places
  output logic answer1_ready,  // the answer is taken
  output logic request1_valid,  // a vector memory request for one line; only if there is one of each lower number
  output logic [57:0] request1_line,  // byte address / 64
  output logic [63:0] request1_mask,  // bytes of the line
  output logic [1:0] request1_command,  // MemCommand: 0 read, 1 write, 2 atomic
  output logic [4:0] request1_atomic,  // AtomicOp of an atomic, else none
  output logic [7:0] request1_bytes,  // of an atomic operand, 4 or 8
  output logic [7:0] request1_vmid,  // launch_vmid of the wave
  output logic request1_glc,  // GLC bit of the instruction
  output logic request1_slc,  // SLC bit of the instruction
  output logic request1_returns,  // the old values of an atomic are wanted; 1 of reads and writes
  output logic [31:0] request1_tag,  // returned with the answer
  output logic [63:0] request1_compare,  // value a compare-and-swap compares with
  output logic [15:0][31:0] request1_data,  // the line's bytes of a write, operands of an atomic at their places
  output logic answer2_ready,  // the answer is taken
  output logic request2_valid,  // a vector memory request for one line; only if there is one of each lower number
  output logic [57:0] request2_line,  // byte address / 64
  output logic [63:0] request2_mask,  // bytes of the line
  output logic [1:0] request2_command,  // MemCommand: 0 read, 1 write, 2 atomic
  output logic [4:0] request2_atomic,  // AtomicOp of an atomic, else none
  output logic [7:0] request2_bytes,  // of an atomic operand, 4 or 8
  output logic [7:0] request2_vmid,  // launch_vmid of the wave
  output logic request2_glc,  // GLC bit of the instruction
  output logic request2_slc,  // SLC bit of the instruction
  output logic request2_returns,  // the old values of an atomic are wanted; 1 of reads and writes
  output logic [31:0] request2_tag,  // returned with the answer
  output logic [63:0] request2_compare,  // value a compare-and-swap compares with
  output logic [15:0][31:0] request2_data,  // the line's bytes of a write, operands of an atomic at their places
  output logic answer3_ready,  // the answer is taken
  output logic request3_valid,  // a vector memory request for one line; only if there is one of each lower number
  output logic [57:0] request3_line,  // byte address / 64
  output logic [63:0] request3_mask,  // bytes of the line
  output logic [1:0] request3_command,  // MemCommand: 0 read, 1 write, 2 atomic
  output logic [4:0] request3_atomic,  // AtomicOp of an atomic, else none
  output logic [7:0] request3_bytes,  // of an atomic operand, 4 or 8
  output logic [7:0] request3_vmid,  // launch_vmid of the wave
  output logic request3_glc,  // GLC bit of the instruction
  output logic request3_slc,  // SLC bit of the instruction
  output logic request3_returns,  // the old values of an atomic are wanted; 1 of reads and writes
  output logic [31:0] request3_tag,  // returned with the answer
  output logic [63:0] request3_compare,  // value a compare-and-swap compares with
  output logic [15:0][31:0] request3_data,  // the line's bytes of a write, operands of an atomic at their places
  output logic invalidate_valid,  // buffer_wbinvl1: the L1 is to be invalidated
  output logic [31:0] invalidate_tag,  // returned when it is
  output logic invalidated_ready,  // the report is taken
  output logic icache_valid,  // s_icache_inv; chips do not carry it out and stop by name
  output logic gds_valid,  // an instruction of the global data share
  output logic [3:0] gds_command,  // GdsCommand
  output logic [4:0] gds_atomic,  // AtomicOp
  output logic [3:0] gds_bytes,  // of an element: 1, 2, 4, 8
  output logic [1:0] gds_elements,  // of a lane, 1 or 2
  output logic gds_sign_extend,  // elements of 1 and 2 bytes
  output logic gds_returns,  // the old value is wanted
  output logic [7:0] gds_vmid,  // launch_vmid of the wave
  output logic [31:0] gds_tag,  // returned with the answer
  output logic [31:0] gds_value,  // append, consume: active lanes; ordered count: operand; synchronisation: count of waves
  output logic [7:0] gds_resource,  // synchronisation: M0[21:16] + offset
  output logic [15:0] gds_order,  // ordered count: number of the wave
  output logic [7:0] gds_counter,  // ordered count: the counter
  output logic [7:0] gds_stage,  // ordered count: shader stage
  output logic gds_swap,  // ordered count: the operand is stored
  output logic gds_release,  // the next wave may pass at this counter
  output logic gds_done,  // the next wave may pass at every counter
  output logic gds_flush_denormals,  // denormal operands are 0
  output logic [63:0] gds_lanes0,  // lanes of the first element in range
  output logic [63:0] gds_lanes1,  // lanes of the second element in range
  output logic [63:0][31:0] gds_address0,  // bytes, of the first element
  output logic [63:0][31:0] gds_address1,  // bytes, of the second element
  output logic [255:0][31:0] gds_data,  // dwords of data0, then of data1: element 64 * dword + lane
  output logic [10:0][31:0] gds_atom,  // register atomics: op, cntl, base, size, offset0, offset1, dst, src0, src0_u, src1, src1_u
  output logic export_valid,  // an export
  output logic [5:0] export_wave,  // wave that exports
  output logic [63:0] export_pc,  // of the instruction, bytes
  output logic [5:0] export_target,  // 0 to 7 colour, 8 depth, 9 null, 12 to 15 position, 32 to 63 parameter
  output logic [3:0] export_enabled,  // components
  output logic export_compressed,  // two of 16 bits in a dword
  output logic export_done,  // the wave's last of its kind of target
  output logic export_valid_mask,  // EXEC says which pixels live
  output logic [63:0] export_exec,  // EXEC
  output logic [255:0][31:0] export_data,  // element 64 * component + lane
  output logic message_valid,  // s_sendmsg
  output logic [5:0] message_wave,  // wave that sends it
  output logic [63:0] message_pc,  // of the instruction, bytes
  output logic [3:0] message_kind,  // 1 interrupt, 2 GS, 3 GS done, 15 system
  output logic [3:0] message_operation,  // GS: 0 nop, 1 cut, 2 emit, 3 emit and cut; system: its number
  output logic [1:0] message_stream,  // GS: stream
  output logic [31:0] message_m0,  // M0
  output logic [63:0] message_exec,  // EXEC
  output logic retire_valid,  // a beat of what an instruction has left: its n-th beat has the n-th scalar and the n-th vector register it wrote, ascending; instructions of a wave in program order
  output logic [5:0] retire_wave,  // wave
  output logic retire_last,  // the instruction's last beat
  output logic retire_end,  // instead, behind the wave's last instruction: nothing more comes of it. All else is 0
  output logic [63:0] retire_pc,  // of the instruction, bytes
  output logic [63:0] retire_words,  // the first one low, 0 behind a lone one
  output logic [63:0] retire_exec,  // EXEC behind the instruction
  output logic [63:0] retire_vcc,  // VCC behind it
  output logic retire_scc,  // SCC behind it
  output logic [31:0] retire_m0,  // M0 behind it
  output logic retire_scalar,  // a scalar register was written, other than VCC, EXEC, M0
  output logic [6:0] retire_code,  // its operand code, s0: 0
  output logic [31:0] retire_value,  // its value
  output logic retire_vector,  // a VGPR was written
  output logic [7:0] retire_vgpr,  // its number
  output logic [63:0] retire_lanes,  // lanes that were written
  output logic [63:0][31:0] retire_data,  // their values; of other lanes anything
  output logic stop_valid,  // the unit cannot go on: the machine stops
  output logic [5:0] stop_wave,  // wave it is about
  output logic [63:0] stop_pc,  // its program counter
  output logic [63:0] stop_words,  // the instruction, the first word low
  output logic [2:0] stop_reason,  // 0 no such instruction, 1 not implemented, 2 memory fault, 3 wrong use, 4 protocol broken
  output logic state_retires,  // the unit says what retires: always high, or always low
  output logic state_busy  // the clock must go on, though no wave is there: beats of retire
);

  localparam logic [3:0] kGraphicsUnit = 4'd10;
  localparam logic [3:0] kNoUnit = 4'd15;
  localparam logic [3:0] kGranted = 4'd1;
  localparam logic [3:0] kHoldVm = 4'd7;
  localparam logic [3:0] kHoldExp = 4'd8;
  localparam logic [3:0] kHoldLgkm = 4'd9;
  localparam logic [8:0] kSetKill = 9'd11;
  localparam logic [8:0] kSetHalt = 9'd13;

  localparam logic [4:0] kCmpSwap = 5'd1;
  localparam logic [4:0] kFCmpSwap = 5'd14;
  localparam logic [4:0] kNoAtomic = 5'd17;

  spec_t spec;
  assign spec.simds = cfg_simds;
  assign spec.slots = cfg_slots;
  assign spec.fetch_blocks = cfg_fetch_blocks;
  assign spec.fetch_two_dword_penalty = cfg_fetch_two_dword_penalty;
  assign spec.fetch_free_dwords = cfg_fetch_free_dwords;
  assign spec.fetch_not_taken_penalty = cfg_fetch_not_taken_penalty;
  assign spec.fetch_jump_penalty = cfg_fetch_jump_penalty;
  assign spec.fetch_jump_free_dwords = cfg_fetch_jump_free_dwords;
  assign spec.issue_width = cfg_issue_width;
  assign spec.rate_cycles = cfg_rate_cycles;
  assign spec.salu_cycles = cfg_salu_cycles;
  assign spec.salu_long_cycles = cfg_salu_long_cycles;
  assign spec.valu_to_salu_stall = cfg_valu_to_salu_stall;
  assign spec.compare_to_salu_stall = cfg_compare_to_salu_stall;
  assign spec.branch_status_stall = cfg_branch_status_stall;
  assign spec.branch_not_taken_cycles = cfg_branch_not_taken_cycles;
  assign spec.branch_taken_cycles = cfg_branch_taken_cycles;
  assign spec.internal_cycles = cfg_internal_cycles;
  assign spec.nop_cycles = cfg_nop_cycles;
  assign spec.sleep_unit_cycles = cfg_sleep_unit_cycles;
  assign spec.barrier_cycles = cfg_barrier_cycles;
  assign spec.vm_max = cfg_vm_max;
  assign spec.lgkm_max = cfg_lgkm_max;
  assign spec.exp_max = cfg_exp_max;
  assign spec.smem_issue_cycles = cfg_smem_issue_cycles;
  assign spec.smem_other_issue_cycles = cfg_smem_other_issue_cycles;
  assign spec.smem_queue = cfg_smem_queue;
  assign spec.smem_outstanding = cfg_smem_outstanding;
  assign spec.memtime_cycles = cfg_memtime_cycles;
  assign spec.lds_operand_cycles = cfg_lds_operand_cycles;
  assign spec.lds_banks = cfg_lds_banks;
  assign spec.lds_bank_cycles = cfg_lds_bank_cycles;
  assign spec.lds_issue_factor = cfg_lds_issue_factor;
  assign spec.lds_latency = cfg_lds_latency;
  assign spec.lds_queue = cfg_lds_queue;
  assign spec.export_issue_cycles = cfg_export_issue_cycles;
  assign spec.export_cycles = cfg_export_cycles;
  assign spec.message_cycles = cfg_message_cycles;
  assign spec.interpolate_cycles = cfg_interpolate_cycles;
  assign spec.load_issue_cycles = cfg_load_issue_cycles;
  assign spec.load_wide_issue_cycles = cfg_load_wide_issue_cycles;
  assign spec.store_issue_cycles = cfg_store_issue_cycles;
  assign spec.atomic_issue_cycles = cfg_atomic_issue_cycles;
  assign spec.cmpswap_issue_cycles = cfg_cmpswap_issue_cycles;
  assign spec.vmem_queue = cfg_vmem_queue;
  assign spec.vmem_outstanding = cfg_vmem_outstanding;
  assign spec.ta_latency = cfg_ta_latency;
  assign spec.ta_requests_per_cycle = cfg_ta_requests_per_cycle;
  assign spec.td_responses_per_cycle = cfg_td_responses_per_cycle;
  assign spec.td_bytes_per_cycle = cfg_td_bytes_per_cycle;
  assign spec.td_latency = cfg_td_latency;

  // What this unit does not do.
  function automatic logic not_built(input decoded_t d);
    not_built = d.action == kLdsDirect || d.action == kInterpolate || d.action == kGds || d.action == kExport
             || d.action == kMessage || d.format == kMimg;
  endfunction

  // ALU instructions change what branches test.
  function automatic wave_t changed(input wave_t w, input decoded_t d, input cycle_t at, input spec_t sp);
    changed = w;
    if (d.status_changed != 3'd0) begin
      changed.status_pending = d.status_changed | (w.status_until > at ? w.status_pending : 3'd0);
      changed.status_until   = w.ready_at + {52'd0, sp.branch_status_stall};
    end
  endfunction

  function automatic cycle_t jump_penalty(input logic [63:0] from, input logic [63:0] target, input spec_t sp);
    jump_penalty = 64'd0;
    if (target >= from && {1'b0, target[4:2]} >= sp.fetch_jump_free_dwords)
      jump_penalty = {52'd0, sp.fetch_jump_penalty} * {60'd0, {1'b0, target[4:2]} - sp.fetch_jump_free_dwords + 4'd1};
  endfunction

  // Two VGPRs from a number on; negative: none.
  function automatic logic [4095:0] rows(input logic [5:0] number, input int first);
    rows = first < 0 ? 4096'd0 : {row(number, first[7:0] + 8'd1), row(number, first[7:0])};
  endfunction

  // ---- scalar memory: the immediate offset counts dwords, a register's bytes
  function automatic logic [11:0] smem_cycles(input decoded_t d);
    case (dwords_of(d))
      5'd1:    smem_cycles = cfg_smem_issue_cycles[0];
      5'd2:    smem_cycles = cfg_smem_issue_cycles[1];
      5'd4:    smem_cycles = cfg_smem_issue_cycles[2];
      5'd8:    smem_cycles = cfg_smem_issue_cycles[3];
      5'd16:   smem_cycles = cfg_smem_issue_cycles[4];
      default: smem_cycles = 12'd0;
    endcase
    if (d.op >= 9'd16) smem_cycles = cfg_smem_other_issue_cycles;
  endfunction

  // s_load is 0 to 4, s_buffer_load 8 to 12, s_memtime 30, s_dcache_inv 31.
  function automatic logic [4:0] dwords_of(input decoded_t d);
    dwords_of = d.op == 9'd30 ? 5'd2 : d.op == 9'd31 ? 5'd0 : 5'd1 << d.op[2:0];
  endfunction

  function automatic smem_op_t scalar_operation(input decoded_t d, input logic [4095:0] s, input logic [5:0] number, input logic [7:0] vmid);
    logic [31:0] offset;
    logic [127:0] resource;
    logic [63:0] size, left;
    offset                   = (d.imm ? {22'd0, d.offset[7:0], 2'd0} : source32(d.soffset, d.literal, 1'b0, s)) & ~32'd3;
    resource                 = s[32*d.srsrc+:128];
    scalar_operation         = '0;
    scalar_operation.dwords  = dwords_of(d);
    scalar_operation.valid   = scalar_operation.dwords;
    scalar_operation.sdst    = d.sdst;
    scalar_operation.wave    = number;
    scalar_operation.vmid    = vmid;
    size                     = resource[61:48] == 14'd0 ? {32'd0, resource[95:64]} : {50'd0, resource[61:48]} * {32'd0, resource[95:64]};
    left                     = size > {32'd0, offset} ? (size - {32'd0, offset} + 64'd3) >> 2 : 64'd0;
    if (d.op == 9'd30) scalar_operation.kind = kScalarTime;
    else if (d.op == 9'd31) scalar_operation.kind = kScalarInvalidate;
    else if (d.op[3]) begin
      scalar_operation.kind    = kScalarBuffer;
      scalar_operation.address = {16'd0, resource[47:2], 2'd0} + {32'd0, offset};
      if (left < {59'd0, scalar_operation.dwords}) scalar_operation.valid = left[4:0];
    end else begin
      scalar_operation.kind    = kScalarLoad;
      scalar_operation.address = {resource[63:2], 2'd0} + {32'd0, offset};
    end
  endfunction

  // ---- a request of the lanes' bytes in a line
  typedef struct packed {
    logic [63:0]  mask;
    logic [511:0] data;
    logic [63:0]  compare;
  } line_data_t;

  function automatic line_data_t gathered(input vmem_op_t o, input logic [5:0] op, input logic [57:0] line, input logic [63:0] lanes);
    integer      l, k, b;
    logic [63:0] at;
    logic [31:0] value;
    gathered = '0;
    at       = 64'd0;
    value    = 32'd0;
    for (l = 0; l < 64; l = l + 1) begin
      if (lanes[l]) begin
        for (k = 0; k < 4; k = k + 1) begin
          value = vmem_values[{op, k[1:0]}][32*l+:32];
          for (b = 0; b < 4; b = b + 1) begin
            at = (o.contiguous ? vmem_addresses[{op, 2'd0}][64*l+:64] + {60'd0, k[1:0], 2'd0}
                               : vmem_addresses[{op, k[1:0]}][64*l+:64]) + {62'd0, b[1:0]};
            if ({k[2:0], b[1:0]} < o.bytes && at[63:6] == line
                && (o.contiguous || (o.dword_lanes[k][l] && !vmem_failed[op][l]))) begin
              gathered.mask[at[5:0]] = 1'b1;
              if (o.kind != kLoad) gathered.data[8*at[5:0]+:8] = value[8*b+:8];
            end
          end
        end
        if (o.kind == kAtomic && (o.atomic == kCmpSwap || o.atomic == kFCmpSwap))
          gathered.compare = o.bytes == 5'd8
            ? {vmem_values[{op, 2'd3}][32*l+:32], vmem_values[{op, 2'd2}][32*l+:32]}
            : {32'd0, vmem_values[{op, 2'd1}][32*l+:32]};
      end
    end
  endfunction

  // ---- four requests and answers
  logic [3:0]       requests_ready, answers_valid;
  logic [3:0][31:0] answers_tag;
  logic [3:0][1:0]  answers_status;
  logic [3:0][511:0] answers_data;
  assign requests_ready = {request3_ready, request2_ready, request1_ready, request0_ready};
  assign answers_valid  = {answer3_valid, answer2_valid, answer1_valid, answer0_valid};
  assign answers_tag    = {answer3_tag, answer2_tag, answer1_tag, answer0_tag};
  assign answers_status = {answer3_status, answer2_status, answer1_status, answer0_status};
  assign answers_data   = {answer3_data, answer2_data, answer1_data, answer0_data};
  // ---- a wave as it begins
  wave_t         new_wave;
  logic [4095:0] new_scalars;
  logic          wrong_launch;
  assign wrong_launch = {1'b0, launch_wave[5:4]} >= cfg_simds || {1'b0, launch_wave[3:0]} >= cfg_slots
                     || {1'b0, launch_group_slot} >= cfg_groups
                     || {2'd0, launch_vgpr_base} + {1'b0, launch_vgprs} > {1'b0, cfg_vgprs}
                     || {2'd0, launch_sgpr_base} + {3'd0, launch_sgprs} > {1'b0, cfg_sgprs}
                     || {1'b0, launch_lds_base} + {1'b0, launch_lds_bytes} > {1'b0, cfg_lds}
                     || launch_pc[1:0] != 2'd0 || waves[launch_wave].status != kFree;
  always_comb begin : begin_wave
    integer i;
    new_wave              = '0;
    new_wave.status       = kNeedsFetch;
    new_wave.generation   = waves_free_generation;
    new_wave.pc           = launch_pc;
    new_wave.ready_at     = now;
    new_wave.age          = queues.age;
    new_wave.group_slot   = launch_group_slot;
    new_wave.vmid         = launch_vmid;
    new_wave.vgpr_base    = launch_vgpr_base;
    new_wave.vgprs        = launch_vgprs;
    new_wave.sgpr_base    = launch_sgpr_base;
    new_wave.sgprs        = launch_sgprs;
    new_wave.lds_base     = launch_lds_base;
    new_wave.lds_size     = launch_lds_bytes;
    new_wave.spi_priority = launch_priority;
    new_wave.trap_en      = launch_trap;
    new_wave.in_group     = launch_waves_in_group > 5'd1;
    new_wave.hw_id        = {8'd0, launch_vmid[3:0], launch_group_slot[3:0], 2'd0, cfg_engine[0], cfg_array[0], cfg_unit, 2'd0, launch_wave};
    new_wave.float_mode   = launch_float_mode;
    new_wave.dx10         = launch_dx10_clamp;
    new_wave.ieee         = launch_ieee;
    new_wave.exceptions   = launch_exceptions;
    new_wave.prio         = launch_priority;
    new_wave.privileged   = launch_privileged;
    new_scalars           = '0;
    new_scalars[32*kTba+:64] = launch_tba;
    new_scalars[32*kTma+:64] = launch_tma;
    new_scalars[32*kExec+:64] = launch_exec;
    new_scalars[32*kM0+:32] = {15'd0, launch_lds_bytes};
    for (i = 0; i < 24; i = i + 1) if (i[4:0] < launch_sgpr_count) new_scalars[32*i+:32] = launch_sgpr[i];
  end
  logic [31:0] waves_free_generation;
  assign waves_free_generation = waves[launch_wave].generation;
  // ---- time
  cycle_t     last_cycle, now;
  logic [1:0] turn;  // SIMD that issues and fetches
  assign now  = last_cycle + 64'd1 > control_cycle ? last_cycle + 64'd1 : control_cycle;
  assign turn = cfg_simds == 3'd4 ? now[1:0] : 2'(now % {61'd0, cfg_simds});

  // ---- state
  wave_t         waves [0:63];
  simd_t         simds [0:3];
  group_t        groups [0:63];
  queues_t       queues;
  vmem_state_t   vmem_states [0:63];
  logic [4095:0] sregs [0:63];      // by operand code
  logic [2047:0] vgprs [0:1023];    // 256 of each SIMD
  int            lds [0:16383];
  entry_t        buffers [0:4095];  // instruction buffers: wave, block, dword
  smem_op_t      smem_ops [0:63];
  vmem_op_t      vmem_ops [0:63];
  logic [4095:0] vmem_addresses [0:255];  // of each instruction four registers of 64 lanes
  logic [2047:0] vmem_values [0:255];
  logic [63:0]   vmem_failed [0:63];
  logic [57:0]   request_lines [0:32767];  // of each instruction 512 requests
  logic [63:0]   request_lanes [0:32767];
  timed_t        lds_ring [0:1023];

  // ---- stages: what comes in has arrived, and what leaves the cycle
  wave_t       waves_a [0:63], waves_n [0:63];
  simd_t       simds_a [0:3], simds_n [0:3];
  group_t      groups_a [0:63], groups_n [0:63];
  queues_t     queues_a, queues_n;
  vmem_state_t vmem_states_a [0:63], vmem_states_n [0:63];
  logic        stop_a, stop_n;
  logic [2:0]  reason_a, reason_n;

  // ---- the instruction that is fetched: both blocks beside the new one may end in it
  logic        block_taken;
  logic [2:0]  block_in, block_before, block_after;
  entry_t      entries_in [0:7];
  entry_t      entry_before;
  assign block_in     = block_index(fetched_address, cfg_fetch_blocks);
  assign block_before = block_index(fetched_address - 64'd32, cfg_fetch_blocks);
  assign block_after  = block_index(fetched_address + 64'd32, cfg_fetch_blocks);
  always_comb begin : decode_block
    integer           i;
    logic [9:0][31:0] words;  // from the last one of the block before to the first of the block after
    decoded_t         d;
    entry_t           e;
    logic [2:0]       place;
    place        = 3'd0;
    words[0]     = buffers[{fetched_wave, block_before, 3'd7}].words[31:0];
    words[8:1]   = fetched_words;
    words[9]     = buffers[{fetched_wave, block_after, 3'd0}].words[31:0];
    entries_in   = '{default: '0};
    entry_before = '0;
    d            = '0;
    e            = '0;
    if (fetched_valid) begin
      for (i = 0; i < 9; i = i + 1) begin
        d = cu_decode_word_pkg::decode(words[i], words[i+1], 1'b0);
        e = {d.two ? words[i+1] : 32'd0, words[i], d};
        place = i[2:0] - 3'd1;
        if (i == 0) entry_before = e;
        else entries_in[place] = e;
      end
    end
  end

  function automatic entry_t entry_at(input logic [5:0] number, input logic [63:0] pc);
    logic [2:0] block;
    block = block_index(pc, cfg_fetch_blocks);
    if (block_taken && number == fetched_wave && block == block_in) entry_at = entries_in[pc[4:2]];
    else if (block_taken && number == fetched_wave && block == block_before && pc[4:2] == 3'd7) entry_at = entry_before;
    else entry_at = buffers[{number, block, pc[4:2]}];
  endfunction

  // {a fault, found} of the instruction at the program counter.
  function automatic logic [1:0] lookup(input wave_t w, input entry_t e);
    logic [1:0] here, there;
    here  = w.blocks[block_index(w.pc, cfg_fetch_blocks)];
    there = w.blocks[block_index(w.pc + 64'd4, cfg_fetch_blocks)];
    if (here != kValid) lookup = {here == kFaulted, 1'b0};
    else if (!e.d.two || w.pc[4:2] != 3'd7) lookup = 2'b01;
    else lookup = {there == kFaulted, there == kValid};
  endfunction

  // ---- what arrives: answers, ends of timed work, launches; in this order
  logic        smem_loaded, smem_timed;  // scalar registers are written
  smem_op_t    loaded_op, timed_op;
  logic [3:0]  taken_answers;
  logic        row_valid;                // VGPRs are written by an instruction that returns
  vmem_op_t    row_op;
  logic [5:0]  row_number;
  logic [10239:0] row_values;
  int          row_count;
  logic        launched, group_begins;
  logic [63:0] released_a;               // groups whose barrier opens
  logic [63:0][3:0] alone_a;             // SIMDs with one wave then

  always_comb begin : arrive
    integer          i, j;
    logic [5:0]      w;
    logic [1:0]      found;
    entry_t          e;
    decoded_t        d;
    logic [6:0]      events;
    logic [71:0][7:0] event_of;  // counter: 0 lgkm, 1 vm, 2 exp; wave
    logic [63:0]     prepare, prepare_alone;
    logic [5:0]      op, head;
    logic [4:0]      place;
    logic [63:0]     from;
    logic            more;
    waves_a       = waves;
    simds_a       = simds;
    groups_a      = groups;
    queues_a      = queues;
    vmem_states_a = vmem_states;
    stop_a        = 1'b0;
    reason_a      = 3'd0;
    block_taken   = 1'b0;
    smem_loaded   = 1'b0;
    smem_timed    = 1'b0;
    loaded_op     = smem_ops[loaded_tag[5:0]];
    timed_op      = smem_ops[queues.memtimes.items[queues.memtimes.head].what];
    taken_answers = 4'd0;
    row_valid     = 1'b0;
    row_op        = vmem_ops[0];
    row_number    = 6'd0;
    row_count     = 0;
    launched      = 1'b0;
    group_begins  = 1'b0;
    released_a    = '0;
    alone_a       = '0;
    prepare       = '0;
    prepare_alone = '0;
    events        = 7'd0;
    event_of      = '0;
    w             = 6'd0;
    found         = 2'd0;
    e             = '0;
    d             = '0;
    op            = 6'd0;
    head          = 6'd0;
    place         = 5'd0;
    from          = 64'd0;
    more          = 1'b0;

    // a block of instructions
    if (fetched_valid) begin
      w = fetched_wave;
      if ({1'b0, w[5:4]} >= cfg_simds || {1'b0, w[3:0]} >= cfg_slots) begin
        stop_a   = 1'b1;
        reason_a = kStopProtocol;
      end else if (waves_a[w].status != kFree && waves_a[w].generation == fetched_tag) begin
        if (waves_a[w].blocks[block_in] != kRequested
            || fetched_address - {waves_a[w].pc[63:5], 5'd0} >= waves_a[w].fetch_next - {waves_a[w].pc[63:5], 5'd0}) begin
          stop_a   = 1'b1;
          reason_a = kStopProtocol;
        end else begin
          block_taken                 = !fetched_fault;
          waves_a[w].blocks[block_in] = fetched_fault ? kFaulted : kValid;
          if (waves_a[w].status == kNeedsFetch) begin
            e     = entry_at(w, waves_a[w].pc);
            found = lookup(waves_a[w], e);
            if (found[1]) begin
              stop_a   = 1'b1;
              reason_a = kStopFault;
            end
            if (found[0]) begin
              if (now > waves_a[w].ready_at) waves_a[w].ready_at = now;
              prepare[w]       = 1'b1;
              prepare_alone[w] = simds_a[w[5:4]].waves == 5'd1;
            end
          end
        end
      end
    end

    // scalar memory
    if (loaded_valid && !stop_a) begin
      op = loaded_tag[5:0];
      if (loaded_tag >= {25'd0, cfg_smem_outstanding} || queues_a.smem_free[op] || !queues_a.smem_sent[op]) begin
        stop_a   = 1'b1;
        reason_a = kStopProtocol;
      end else if (loaded_fault) begin
        stop_a   = 1'b1;
        reason_a = kStopFault;
      end else begin
        smem_loaded            = loaded_op.kind != kScalarInvalidate;
        queues_a.smem_free[op] = 1'b1;
        event_of[events]       = {2'd0, loaded_op.wave};
        events                 = events + 7'd1;
      end
    end

    // vector memory
    if (invalidated_valid && !stop_a) begin
      op = invalidated_tag[5:0];
      if (invalidated_tag >= {25'd0, cfg_vmem_outstanding} || !vmem_states_a[op].l1_action) begin
        stop_a   = 1'b1;
        reason_a = kStopProtocol;
      end else begin
        vmem_states_a[op].l1_action = 1'b0;
        w = vmem_ops[op].wave;
        `CU_RETURN(_a, w)
      end
    end
    more = 1'b1;
    for (i = 0; i < 4; i = i + 1) begin
      more = more && answers_valid[i];
      if (more && i[2:0] < cfg_td_responses_per_cycle && !stop_a) begin
        op = answers_tag[i][21:16];
        if (answers_tag[i][31:16] >= {9'd0, cfg_vmem_outstanding} || queues_a.vmem_free[op]
            || answers_tag[i][15:0] >= {6'd0, vmem_states_a[op].next}
            || request_lanes[{op, answers_tag[i][8:0]}] == 64'd0) begin
          stop_a   = 1'b1;
          reason_a = kStopProtocol;
        end else if (answers_status[i] != 2'd0 && !(answers_status[i] == 2'd1 && vmem_ops[op].tfe)) begin
          stop_a   = 1'b1;
          reason_a = kStopFault;
        end else begin
          taken_answers[i]            = 1'b1;
          vmem_states_a[op].responses = vmem_states_a[op].responses - 10'd1;
          w = vmem_ops[op].wave;
        `CU_RETURN(_a, w)
        end
      end
    end

    // what ends at a known time
    if (queues_a.lds_count != 11'd0 && lds_ring[queues_a.lds_head].at <= now) begin
      event_of[events]   = {2'd0, lds_ring[queues_a.lds_head].what};
      events             = events + 7'd1;
      queues_a.lds_head  = queues_a.lds_head + 10'd1;
      queues_a.lds_count = queues_a.lds_count - 11'd1;
    end
    if (queues_a.memtimes.count != 7'd0 && queues_a.memtimes.items[queues_a.memtimes.head].at <= now) begin
      smem_timed             = 1'b1;
      op                     = queues_a.memtimes.items[queues_a.memtimes.head].what;
      queues_a.smem_free[op] = 1'b1;
      queues_a.memtimes      = popped(queues_a.memtimes);
      event_of[events]       = {2'd0, timed_op.wave};
      events                 = events + 7'd1;
    end
    for (i = 0; i < 64; i = i + 1) begin
      if (queues_a.td_done.count != 7'd0 && queues_a.td_done.items[queues_a.td_done.head].at <= now) begin
        op                     = queues_a.td_done.items[queues_a.td_done.head].what;
        queues_a.td_done       = popped(queues_a.td_done);
        queues_a.vmem_free[op] = 1'b1;
        event_of[events]       = {2'd1, vmem_ops[op].wave};
        events                 = events + 7'd1;
        if (vmem_ops[op].returns && (vmem_ops[op].lanes | vmem_ops[op].zero_lanes) != 64'd0) begin
          row_valid  = 1'b1;
          row_op     = vmem_ops[op];
          row_number = op;
        end
      end
    end
    row_count = {29'd0, row_op.dwords} + (row_op.tfe ? 32'd1 : 32'd0);
    if (queues_a.exports.count != 7'd0 && queues_a.exports.items[queues_a.exports.head].at <= now) begin
      event_of[events] = {2'd2, queues_a.exports.items[queues_a.exports.head].what};
      events           = events + 7'd1;
      queues_a.exports = popped(queues_a.exports);
    end
    if (queues_a.messages.count != 7'd0 && queues_a.messages.items[queues_a.messages.head].at <= now) begin
      event_of[events]  = {2'd0, queues_a.messages.items[queues_a.messages.head].what};
      events            = events + 7'd1;
      queues_a.messages = popped(queues_a.messages);
    end

    // a counter has come down: the wave may go on, or end
    for (i = 0; i < 72; i = i + 1) begin
      if (i[6:0] < events) begin
        w = event_of[i][5:0];
        case (event_of[i][7:6])
          2'd0:    waves_a[w].lgkm = waves_a[w].lgkm - 5'd1;
          2'd1:    waves_a[w].vm = waves_a[w].vm - 4'd1;
          default: waves_a[w].exp = waves_a[w].exp - 3'd1;
        endcase
        `CU_COUNTED(_a, w)
      end
    end
    `CU_RELEASE(_a)
    `CU_PREPARE(_a)

    // a wave
    if (launch_valid && !control_pause && !stop_a) begin
      w = launch_wave;
      if (wrong_launch) begin
        stop_a   = 1'b1;
        reason_a = kStopProtocol;
      end else begin
        launched   = 1'b1;
        waves_a[w] = jumped(new_wave);
        for (i = 0; i < 16; i = i + 1)
          if (i[4:0] < simds_a[w[5:4]].waves && waves_a[{w[5:4], simds_a[w[5:4]].order[i]}].prio >= launch_priority)
            place = place + 5'd1;
        simds_a[w[5:4]] = inserted(simds_a[w[5:4]], w[3:0], place);
        group_begins    = groups_a[launch_group_slot].waves == 5'd0;
        if (group_begins) begin
          groups_a[launch_group_slot]       = '0;
          groups_a[launch_group_slot].waves = launch_waves_in_group == 5'd0 ? 5'd1 : launch_waves_in_group;
        end
        groups_a[launch_group_slot].members[w] = 1'b1;
      end
    end
  end

  // ---- what a load or atomic leaves: registers from its destination on, behind the data one that
  // says which lanes found no memory
  logic [63:0]   row_missing, row_written;
  logic [255:0]  row_lanes;
  logic [8191:0] row_data;
  assign row_missing = vmem_failed[row_number];
  assign row_written = row_valid ? row_op.lanes | row_op.zero_lanes : 64'd0;
  assign row_lanes   = row_op.dword_lanes & {4{~row_missing}};
  ta_format_wave loads (.store(1'b0), .typed(row_op.typed), .bytes(row_op.bytes), .sign_extend(row_op.sign_extend),
    .dwords(row_op.dwords), .dfmt(row_op.dfmt), .nfmt(row_op.nfmt), .dst_sel(row_op.dst_sel), .written(row_written),
    .dword_lanes(row_lanes), .data({vmem_values[{row_number, 2'd3}], vmem_values[{row_number, 2'd2}],
    vmem_values[{row_number, 2'd1}], vmem_values[{row_number, 2'd0}]}), .result(row_data));
  always_comb begin : returned_rows
    integer l, k;
    row_values = '0;
    if (row_valid) begin
      for (k = 0; k < 5; k = k + 1) begin
        row_values[2048*k+:2048] = vgpr(row_op.wave, row_op.vdst + k[7:0]);
        for (l = 0; l < 64; l = l + 1)
          if (row_written[l]) row_values[2048*k+32*l+:32] = k[2:0] == row_op.dwords ? {31'd0, row_missing[l]} : row_data[2048*k[1:0]+32*l+:32];
      end
    end
  end

  // ---- issue: what the arbiter of the SIMD whose turn it is sees
  logic [15:0]   q_slots, q_needs_vm, q_needs_exp, q_needs_lgkm, q_drains;
  logic [63:0]   q_order, q_class, q_unit;
  logic [255:0]  q_wait, q_hazard_wait, q_unit_wait;
  logic [2047:0] q_reads, q_pending;
  logic [127:0]  q_vm, q_exp, q_lgkm;
  logic [15:0]   granted;
  logic [63:0]   reasons;

  function automatic logic [15:0] until_pins(input cycle_t at);
    until_pins = at <= now ? 16'd0 : at - now > 64'hfffe ? 16'hfffe : 16'(at - now);
  endfunction

  // Messages: what they need by their kind, SIMM16[3:0].
  function automatic logic [3:0] unit_of(input decoded_t d);
    unit_of = d.cls;
    if (d.cls == kClassMessage) begin
      unit_of = kNoUnit;
      if (d.action == kMessage) begin
        case (d.simm16[3:0])
          4'd1:    unit_of = kClassMessage;
          4'd2:    unit_of = d.simm16[5:4] == 2'd0 ? kNoUnit : kGraphicsUnit;
          4'd3:    unit_of = kGraphicsUnit;
          4'd15:   unit_of = d.simm16[6:4] < 3'd1 || d.simm16[6:4] > 3'd4 ? kNoUnit : kGraphicsUnit;
          default: unit_of = kNoUnit;
        endcase
      end
    end
  endfunction

  always_comb begin : ask
    integer      i;
    logic [5:0]  w;
    decoded_t    d;
    entry_t      e;
    simd_t       s;
    logic [15:0] looks_again;
    s             = simds_a[turn];
    looks_again   = {13'd0, cfg_simds};
    q_slots       = '0;
    q_needs_vm    = '0;
    q_needs_exp   = '0;
    q_needs_lgkm  = '0;
    q_drains      = '0;
    q_order       = s.order;
    q_class       = '0;
    q_unit        = '0;
    q_wait        = '0;
    q_hazard_wait = '0;
    q_unit_wait   = '0;
    q_reads       = '0;
    q_pending     = '0;
    q_vm          = '0;
    q_exp         = '0;
    q_lgkm        = '0;
    e             = '0;
    d             = '0;
    w             = 6'd0;
    q_unit_wait[16*kClassValu+:16]  = until_pins(s.valu_free);
    q_unit_wait[16*kClassSmem+:16]  = queues_a.smem_free == 64'd0 || s.smem_waiting >= cfg_smem_queue ? 16'hffff : 16'd0;
    q_unit_wait[16*kClassVmem+:16]  = queues_a.vmem_free == 64'd0 || s.ta_waiting >= cfg_vmem_queue ? 16'hffff : 16'd0;
    q_unit_wait[16*kClassLds+:16]   = until_pins(s.lds_ends[s.lds_next]);
    q_unit_wait[16*kClassGds+:16]   = queues_a.export_free > now || !gds_ready ? looks_again : 16'd0;
    q_unit_wait[16*kClassExport+:16] = queues_a.export_free > now || !export_ready ? looks_again : 16'd0;
    q_unit_wait[16*kClassMessage+:16] = !message_ready ? looks_again : 16'd0;
    q_unit_wait[16*kGraphicsUnit+:16] = !message_ready ? looks_again : 16'd0;
    for (i = 0; i < 16; i = i + 1) begin
      w = {turn, i[3:0]};
      if (waves_a[w].status == kReady) begin
        e                      = entry_at(w, waves_a[w].pc);
        d                      = skipped(e.d, waves_a[w].vskip);
        q_slots[i]             = 1'b1;
        q_class[4*i+:4]        = d.cls;
        q_unit[4*i+:4]         = unit_of(d);
        q_wait[16*i+:16]       = until_pins(waves_a[w].ready_at);
        if (d.action == kInvalidateInst && !icache_ready && waves_a[w].ready_at <= now) q_wait[16*i+:16] = looks_again;
        q_needs_vm[i]          = d.cls == kClassVmem;
        q_needs_exp[i]         = d.cls == kClassVmem || d.cls == kClassGds || d.cls == kClassExport;
        q_needs_lgkm[i]        = d.cls == kClassSmem || d.cls == kClassMessage || d.cls == kClassGds
                              || (d.cls == kClassLds && d.action != kInterpolate);
        q_drains[i]            = d.drains && waves_a[w].trap_en;
        q_hazard_wait[16*i+:16] = until_pins(waves_a[w].hazard_until);
        q_reads[128*i+:128]    = d.cls == kClassSalu || d.cls == kClassBranch ? d.sgprs : 128'd0;
        q_pending[128*i+:128]  = waves_a[w].hazard_sgprs;
        q_vm[8*i+:8]           = {4'd0, waves_a[w].vm};
        q_exp[8*i+:8]          = {5'd0, waves_a[w].exp};
        q_lgkm[8*i+:8]         = {3'd0, waves_a[w].lgkm};
      end
    end
  end

  cu_issue_decide arbiter (
    .in_width(cfg_issue_width), .in_turn({1'b0, cfg_simds}), .in_slots(q_slots), .in_order(q_order), .in_class(q_class),
    .in_unit(q_unit), .in_wait(q_wait), .in_hazard_wait(q_hazard_wait), .in_reads(q_reads), .in_pending(q_pending),
    .in_needs_vm(q_needs_vm), .in_needs_exp(q_needs_exp), .in_needs_lgkm(q_needs_lgkm), .in_drains(q_drains), .in_vm(q_vm),
    .in_exp(q_exp), .in_lgkm(q_lgkm), .in_max_vm({4'd0, cfg_vm_max}), .in_max_exp({5'd0, cfg_exp_max}),
    .in_max_lgkm({3'd0, cfg_lgkm_max}), .in_unit_wait(q_unit_wait), .in_waiting(16'd0), .in_limit_vm(128'd0),
    .in_limit_exp(128'd0), .in_limit_lgkm(128'd0),
    .grant(granted), .classes(), .full(), .retry(), .released(), .reason(reasons));

  // ---- registers as instructions find them
  // A scalar load that answers in the same cycle has written its registers.
  function automatic logic [4095:0] loaded(input logic [4095:0] s, input smem_op_t op, input logic [15:0][31:0] data);
    integer k;
    loaded = s;
    for (k = 0; k < 16; k = k + 1)
      if (k[4:0] < op.dwords) loaded[32*(op.sdst+k[6:0])+:32] = k[4:0] < op.valid ? data[k[3:0]] : 32'd0;
  endfunction
  logic [15:0][31:0] timed_data;
  assign timed_data = timed_op.kind == kScalarTime ? {448'd0, now} : 512'd0;
  function automatic logic [4095:0] scalars(input logic [5:0] number);
    scalars = sregs[number];
    if (smem_loaded && loaded_op.wave == number) scalars = loaded(scalars, loaded_op, loaded_data);
    if (smem_timed && timed_op.wave == number) scalars = loaded(scalars, timed_op, timed_data);
  endfunction

  function automatic logic [2047:0] vgpr(input logic [5:0] number, input logic [7:0] register);
    vgpr = vgprs[{number[5:4], waves[number].vgpr_base + register}];
  endfunction
  // The same behind what returns in this cycle.
  function automatic logic [2047:0] row(input logic [5:0] number, input logic [7:0] register);
    logic [7:0] k;
    k   = register - row_op.vdst;
    row = vgpr(number, register);
    if (row_valid && row_op.wave == number && {24'd0, k} < row_count) row = row_values[2048*k+:2048];
  endfunction

  // ---- the scalar ALU and the branch unit: an instruction each
  // {there is one, its slot} of the instruction of a class that issues.
  function automatic logic [4:0] issued(input logic [3:0] cls);
    integer k;
    issued = 5'd0;
    for (k = 0; k < 16; k = k + 1)
      if (granted[k] && q_class[4*k+:4] == cls) issued = {1'b1, k[3:0]};
  endfunction

  // The wave as an instruction finds it: the program counter is behind it.
  function automatic wave_t issuing(input wave_t w, input decoded_t d);
    issuing    = w;
    issuing.pc = w.pc + (d.two ? 64'd8 : 64'd4);
    if (d.action == kControl) issuing.ib_sts = {19'd0, w.lgkm, 1'b0, w.exp, w.vm};
  endfunction

  salu_pkg::operands_t salu_in, branch_in;
  salu_pkg::results_t  salu_out, branch_out;
  always_comb begin : scalar_units
    logic [4:0] one;
    entry_t     e;
    salu_in   = '0;
    branch_in = '0;
    e         = '0;
    one       = issued(kClassSalu);
    if (one[4]) begin
      e       = entry_at({turn, one[3:0]}, waves_a[{turn, one[3:0]}].pc);
      salu_in = scalar_operands(e, issuing(waves_a[{turn, one[3:0]}], e.d), scalars({turn, one[3:0]}));
    end
    one       = issued(kClassBranch);
    if (one[4]) begin
      e         = entry_at({turn, one[3:0]}, waves_a[{turn, one[3:0]}].pc);
      branch_in = scalar_operands(e, issuing(waves_a[{turn, one[3:0]}], e.d), scalars({turn, one[3:0]}));
    end
  end
  salu_execute scalar_unit (.in(salu_in), .out(salu_out));
  salu_execute branch_unit (.in(branch_in), .out(branch_out));

  // ---- the vector ALU of the SIMD whose turn it is
  logic          valu_issues;
  logic [5:0]    valu_wave;
  decoded_t      valu_inst;
  logic [4095:0] valu_scalars;
  always_comb begin : vector_unit
    logic [4:0] one;
    entry_t     e;
    one          = issued(kClassValu);
    valu_issues  = one[4];
    valu_wave    = {turn, one[3:0]};
    e            = entry_at(valu_wave, waves_a[valu_wave].pc);
    valu_inst    = one[4] ? e.d : '0;
    valu_scalars = one[4] ? scalars(valu_wave) : 4096'd0;
  end

  logic [7:0]    valu_source, valu_destination;
  logic          valu_exists;
  cu_valu_registers vector_registers (.inst(valu_inst), .m0(m0_of(valu_scalars)), .vgprs(waves_a[valu_wave].vgprs),
    .source(valu_source), .destination(valu_destination), .exists(valu_exists));

  logic [2047:0] valu_v0, valu_v1, valu_v2, valu_old;
  logic [31:0]   valu_s0, valu_s1, valu_s2;
  logic [63:0]   valu_mask_in;
  always_comb begin : vector_operands
    logic scc;
    scc      = waves_a[valu_wave].scc;
    valu_v0  = 2048'd0;
    valu_v1  = 2048'd0;
    valu_v2  = 2048'd0;
    valu_old = 2048'd0;
    if (valu_issues) begin
      if (valu_inst.src0[8]) valu_v0 = row(valu_wave, valu_source);
      if (valu_inst.src1[8]) valu_v1 = row(valu_wave, valu_inst.src1[7:0]);
      if (valu_inst.src2[8]) valu_v2 = row(valu_wave, valu_inst.src2[7:0]);
      if (valu_exists) valu_old = row(valu_wave, valu_destination);
    end
    valu_s0      = source32(valu_inst.src0, valu_inst.literal, scc, valu_scalars);
    valu_s1      = source32(valu_inst.src1, valu_inst.literal, scc, valu_scalars);
    valu_s2      = source32(valu_inst.src2, valu_inst.literal, scc, valu_scalars);
    valu_mask_in = valu_inst.format == kVop3 ? source64(valu_inst.src2, valu_inst.literal, scc, valu_scalars) : vcc_of(valu_scalars);
  end

  logic          valu_known, valu_row_write, valu_mask_write, valu_exec_write, valu_scalar_write;
  logic [2047:0] valu_result;
  logic [63:0]   valu_mask;
  logic [31:0]   valu_scalar;
  cu_valu_execute vector_unit_lanes (.inst(valu_inst), .valid(valu_issues), .s0(valu_s0), .s1(valu_s1), .s2(valu_s2), .v0(valu_v0), .v1(valu_v1),
    .v2(valu_v2), .old(valu_old), .exists(valu_exists), .mask(valu_mask_in), .exec(exec_of(valu_scalars)),
    .round(waves_a[valu_wave].float_mode[1:0]), .denorm(waves_a[valu_wave].float_mode[5:4]), .dx10(waves_a[valu_wave].dx10),
    .ieee(waves_a[valu_wave].ieee), .known(valu_known), .row_write(valu_row_write), .row(valu_result),
    .mask_write(valu_mask_write), .exec_write(valu_exec_write), .mask_next(valu_mask), .scalar_write(valu_scalar_write),
    .scalar(valu_scalar));

  // Where a lane mask goes: to VCC, or to the pair that VOP3 names.
  function automatic logic [4095:0] scalars_behind_lanes(input logic [4095:0] s, input decoded_t d);
    logic [6:0] code;
    code                 = d.format == kVop3 ? d.sdst : 7'd106;
    scalars_behind_lanes = s;
    if (valu_mask_write && code == 7'd127) scalars_behind_lanes[32*127+:32] = valu_mask[31:0];
    else if (valu_mask_write) scalars_behind_lanes[{code, 5'd0}+:64] = valu_mask;
    if (valu_exec_write) scalars_behind_lanes[32*kExec+:64] = valu_mask;
    if (valu_scalar_write) scalars_behind_lanes[{d.sdst, 5'd0}+:32] = valu_scalar;
  endfunction

  // ---- addresses of a buffer instruction
  logic [5:0]    buffer_wave;
  decoded_t      buffer_inst;
  logic [4095:0] buffer_scalars;
  logic [2047:0] buffer_vaddr, buffer_vaddr_next;
  logic [3:0]    buffer_unsupported;
  vmem_op_t      buffer_op;
  logic [16383:0] buffer_addresses;
  always_comb begin : buffer_operands
    logic [4:0] one;
    entry_t     e;
    one               = issued(kClassVmem);
    buffer_wave       = {turn, one[3:0]};
    e                 = entry_at(buffer_wave, waves_a[buffer_wave].pc);
    buffer_inst       = one[4] && e.d.format != kMimg ? e.d : '0;
    buffer_scalars    = 4096'd0;
    buffer_vaddr      = 2048'd0;
    buffer_vaddr_next = 2048'd0;
    if (one[4]) begin
      buffer_scalars    = scalars(buffer_wave);
      buffer_vaddr      = row(buffer_wave, e.d.vaddr);
      buffer_vaddr_next = row(buffer_wave, e.d.vaddr + 8'd1);
    end
  end
  assign buffer_op.words = 64'd0;
  assign buffer_op.pc    = 64'd0;
  assign buffer_op.wave  = buffer_wave;
  assign buffer_op.vmid  = waves_a[buffer_wave].vmid;
  assign buffer_op.vdst  = buffer_inst.vdst;
  ta_buffer_wave buffer_addressing (.format(buffer_inst.format), .op(buffer_inst.op), .offen(buffer_inst.offen),
    .idxen(buffer_inst.idxen), .addr64(buffer_inst.addr64), .glc(buffer_inst.glc), .slc(buffer_inst.slc), .tfe(buffer_inst.tfe),
    .lds(buffer_inst.lds), .offset(buffer_inst.offset[11:0]), .inst_dfmt(buffer_inst.dfmt), .inst_nfmt(buffer_inst.nfmt),
    .resource(buffer_scalars[{buffer_inst.srsrc, 5'd0}+:128]),
    .soffset(source32(buffer_inst.soffset, buffer_inst.literal, waves_a[buffer_wave].scc, buffer_scalars)),
    .m0(buffer_scalars[32*kM0+:16]), .lds_base({15'd0, waves_a[buffer_wave].lds_base}),
    .lds_size({15'd0, waves_a[buffer_wave].lds_size}), .exec(exec_of(buffer_scalars)), .vaddr(buffer_vaddr),
    .vaddr_next(buffer_vaddr_next), .unsupported(buffer_unsupported), .kind(buffer_op.kind), .atomic(buffer_op.atomic),
    .bytes(buffer_op.bytes), .dwords(buffer_op.dwords), .data_dwords(), .sign_extend(buffer_op.sign_extend),
    .returns(buffer_op.returns), .out_glc(buffer_op.glc), .out_slc(buffer_op.slc), .contiguous(buffer_op.contiguous),
    .to_lds(buffer_op.to_lds), .status(buffer_op.tfe), .typed(buffer_op.typed), .dfmt(buffer_op.dfmt), .nfmt(buffer_op.nfmt),
    .dst_sel(buffer_op.dst_sel), .lanes(buffer_op.lanes), .zero_lanes(buffer_op.zero_lanes), .lds_addr(buffer_op.lds_addr),
    .lds_lanes(), .dword_lanes(buffer_op.dword_lanes), .addr(buffer_addresses));

  // ---- the DS instruction that issues, one at most: as all others, it acts in the cycle it issues in
  logic           ds_issues;
  decoded_t       ds;
  logic [5:0]     ds_wave;
  logic [63:0]    ds_exec;
  logic [31:0]    ds_m0;
  logic [2047:0]  ds_address;
  logic [4095:0]  ds_first, ds_second;
  always_comb begin : select_ds
    integer        i;
    entry_t        e;
    logic [4095:0] s;
    ds_issues  = 1'b0;
    ds         = '0;
    ds_wave    = 6'd0;
    ds_exec    = 64'd0;
    ds_m0      = 32'd0;
    ds_address = '0;
    ds_first   = '0;
    ds_second  = '0;
    e          = '0;
    s          = '0;
    for (i = 0; i < 16; i = i + 1) begin
      if (granted[i] && q_class[4*i+:4] == kClassLds && !control_pause && !stop_a) begin
        ds_wave   = {turn, i[3:0]};
        e         = entry_at(ds_wave, waves_a[ds_wave].pc);
        ds        = skipped(e.d, waves_a[ds_wave].vskip);
        ds_issues = ds.action == kLds;
      end
    end
    if (ds_issues) begin
      s          = scalars(ds_wave);
      ds_exec    = s[32*126+:64];
      ds_m0      = s[32*kM0+:32];
      ds_address = row(ds_wave, ds.vaddr);
      ds_first   = rows(ds_wave, {24'd0, ds.data0});
      ds_second  = rows(ds_wave, {24'd0, ds.data1});
    end
  end

  logic [127:0]  ds_read;                 // elements, with the number of their first dword
  logic [1791:0] ds_read_at, ds_at;
  logic [8191:0] ds_read_data, ds_values, ds_written;
  logic [3:0]    ds_rows;
  logic [7:0]    ds_passes, ds_writes;
  logic          ds_wide;
  always_comb begin : read_lds
    integer i;
    ds_read_data = '0;
    if (ds_issues)
      for (i = 0; i < 128; i = i + 1)
        if (ds_read[i]) ds_read_data[64*i+:64] = {lds[{ds_read_at[14*i+1+:13], 1'b1}], lds[ds_read_at[14*i+:14]]};
  end
  lds_execute local_share (
    .valid(ds_issues), .in_code(ds.op[7:0]), .in_offset(ds.offset), .in_m0(ds_m0), .in_base(waves_a[ds_wave].lds_base[15:3]),
    .in_size(waves_a[ds_wave].lds_size), .in_exec(ds_exec), .in_banks(cfg_lds_banks), .in_address(ds_address),
    .in_first(ds_first), .in_second(ds_second), .read(ds_read), .read_at(ds_read_at), .read_data(ds_read_data),
    .out_rows(ds_rows), .out_data(ds_values), .out_passes(ds_passes), .out_writes(ds_writes), .out_wide(ds_wide),
    .out_at(ds_at), .out_written(ds_written));

  // A register of which the active lanes are written.
  function automatic logic [2047:0] in_lanes(input logic [2047:0] old, input logic [2047:0] values, input logic [63:0] active);
    integer lane;
    in_lanes = old;
    for (lane = 0; lane < 64; lane = lane + 1) if (active[lane]) in_lanes[32*lane+:32] = values[32*lane+:32];
  endfunction

  // ---- data of a store or atomic, as they go to memory
  logic          stores;
  logic [8191:0] store_rows, store_data;
  assign stores = buffer_inst.cls == kClassVmem && (buffer_op.kind == kStore || buffer_op.kind == kAtomic);
  always_comb begin : store_operands
    store_rows = 8192'd0;
    if (stores)
      store_rows = {row(buffer_wave, buffer_inst.vdst + 8'd3), row(buffer_wave, buffer_inst.vdst + 8'd2),
                    row(buffer_wave, buffer_inst.vdst + 8'd1), row(buffer_wave, buffer_inst.vdst)};
  end
  ta_format_wave stored (.store(stores), .typed(buffer_op.typed), .bytes(buffer_op.bytes), .sign_extend(1'b0),
    .dwords(buffer_op.kind == kAtomic ? 3'd4 : buffer_op.dwords), .dfmt(buffer_op.dfmt), .nfmt(buffer_op.nfmt), .dst_sel(buffer_op.dst_sel),
    .written(64'd0), .dword_lanes(256'd0), .data(store_rows), .result(store_data));

  // ---- the coalescer: it is given instructions as they come to the address unit's queue, and shows
  // the requests of the one that the address unit has started, or starts next
  logic              handing, hand_ready;
  logic [5:0]        hand_place, hand_op;
  vmem_op_t          hand;
  logic [3:0]        shown_valid, shown_taken, shown_last;
  logic [3:0][57:0]  shown_line;
  logic [3:0][63:0]  shown_lanes;
  logic [3:0][10:0]  shown_cycle;
  logic [3:0][11:0]  shown_busy;
  assign handing    = queues.ta_handed < queues.ta_queue.count;
  assign hand_place = queues.ta_queue.head + queues.ta_handed[5:0];
  assign hand_op    = queues.ta_queue.items[hand_place].what;
  assign hand       = vmem_ops[hand_op];
  ta_coalescer coalescer (.clk(clk), .rst(rst), .cfg_load_quad(cfg_ta_load_quad_cycles),
    .cfg_load_quarter(cfg_ta_load_quarter_cycles), .cfg_store_quarter({2'd0, cfg_ta_store_quarter_cycles}),
    .cfg_atomic_quad(cfg_ta_atomic_quad_cycles), .cfg_load_pair(cfg_ta_load_pair_cycles),
    .cfg_load_scattered(cfg_ta_load_scattered_cycles), .cfg_load_scattered_triple(cfg_ta_load_scattered_triple_cycles),
    .cfg_linear_lines(cfg_linear_lines), .op_valid(handing), .op_ready(hand_ready), .op_kind(hand.kind),
    .op_compares(hand.kind == kAtomic && (hand.atomic == kCmpSwap || hand.atomic == kFCmpSwap)), .op_bytes(hand.bytes),
    .op_dwords(hand.dwords), .op_contiguous(hand.contiguous), .op_lanes(hand.lanes), .op_dword_lanes(hand.dword_lanes),
    .op_address0(vmem_addresses[{hand_op, 2'd0}]), .op_address1(vmem_addresses[{hand_op, 2'd1}]),
    .op_address2(vmem_addresses[{hand_op, 2'd2}]), .op_address3(vmem_addresses[{hand_op, 2'd3}]),
    .out0_valid(shown_valid[0]), .out0_ready(shown_taken[0]), .out0_line(shown_line[0]), .out0_lanes(shown_lanes[0]),
    .out0_cycle(shown_cycle[0]), .out0_last(shown_last[0]), .out0_busy(shown_busy[0]), .out0_misaligned(),
    .out1_valid(shown_valid[1]), .out1_ready(shown_taken[1]), .out1_line(shown_line[1]), .out1_lanes(shown_lanes[1]),
    .out1_cycle(shown_cycle[1]), .out1_last(shown_last[1]), .out1_busy(shown_busy[1]), .out1_misaligned(),
    .out2_valid(shown_valid[2]), .out2_ready(shown_taken[2]), .out2_line(shown_line[2]), .out2_lanes(shown_lanes[2]),
    .out2_cycle(shown_cycle[2]), .out2_last(shown_last[2]), .out2_busy(shown_busy[2]), .out2_misaligned(),
    .out3_valid(shown_valid[3]), .out3_ready(shown_taken[3]), .out3_line(shown_line[3]), .out3_lanes(shown_lanes[3]),
    .out3_cycle(shown_cycle[3]), .out3_last(shown_last[3]), .out3_busy(shown_busy[3]), .out3_misaligned());

  // An atomic whose operands are not aligned stops the unit when the address unit takes it.
  logic [5:0]   first_op;
  logic [191:0] first_low;
  logic         first_misaligned;
  assign first_op = queues.ta_queue.items[queues.ta_queue.head].what;
  always_comb begin : low_bits
    integer k;
    for (k = 0; k < 64; k = k + 1) first_low[3*k+:3] = vmem_addresses[{first_op, 2'd0}][64*k+:3];
  end
  ta_coalescer_align alignment (.wide(vmem_ops[first_op].bytes == 5'd8), .lanes(vmem_ops[first_op].lanes), .low(first_low),
    .misaligned(first_misaligned), .lane(), .taken());

  // ---- issue and what leaves
  logic           alu_valid [0:63];       // the wave's scalar registers are replaced
  logic [4095:0]  alu_scalars [0:63];
  logic           valu_valid;             // VGPRs of a vector instruction
  logic [9:0]     valu_row;               // in the register files
  logic [1:0]     valu_rows;
  logic [4095:0]  valu_values;
  logic           lds_valid;
  logic [9:0]     lds_row;
  logic           lds_pushed;
  timed_t         lds_push;
  logic [9:0]     lds_push_at;
  logic           smem_issued, vmem_issued;
  logic [5:0]     smem_index, vmem_index;
  smem_op_t       smem_new;
  vmem_op_t       vmem_new;
  logic [16383:0] vmem_new_addresses;
  logic [8191:0]  vmem_new_values;
  logic [3:0]     requests_valid;
  logic [3:0][57:0] requests_line;
  logic [3:0][63:0] requests_lanes;
  line_data_t     requests_data [0:3];
  logic [3:0][31:0] requests_tag;
  vmem_op_t       request_op;
  logic [63:0]    released_n;
  logic [63:0][3:0] alone_n;
  logic           fetch_now;
  logic [5:0]     fetch_number;
  logic           scalar_now;
  smem_op_t       scalar_op;
  logic           done_now, invalidate_now, icache_now;
  logic [2:0]     room;
  logic [63:0]    fetch_block;
  logic [5:0]     scalar_index, invalidate_index;
  logic [37:0]    done_item;

  always_comb begin : proceed
    integer         i, j;
    logic [5:0]     w, head, op;
    logic [3:0]     slot;
    logic [1:0]     found;
    entry_t         e;
    decoded_t       d;
    logic [63:0]    from, next;
    logic [31:0]    cycles;
    logic           alone, leaves, later;
    logic [63:0]    prepare, prepare_alone;
    context_t       wave_before, wave_after;
    logic [4095:0]  s;
    salu_pkg::results_t scalar_result;
    int             a_row, b_row, c_row, d_row;
    logic [4095:0]  result;
    logic [31:0]    service, stall;
    logic [4:0]     place;
    logic [1:0]     priority_before;
    logic           blocked, over;
    logic [11:0]    bytes;
    logic [3:0]     vmem_place;

    waves_n       = waves_a;
    simds_n       = simds_a;
    groups_n      = groups_a;
    queues_n      = queues_a;
    vmem_states_n = vmem_states_a;
    stop_n        = stop_a;
    reason_n      = reason_a;
    prepare              = '0;
    prepare_alone        = '0;
    alu_valid            = '{default: 1'b0};
    alu_scalars          = '{default: 4096'd0};
    valu_valid           = 1'b0;
    valu_row             = 10'd0;
    valu_rows            = 2'd0;
    valu_values          = '0;
    lds_valid            = 1'b0;
    lds_row              = 10'd0;
    lds_pushed           = 1'b0;
    lds_push             = '0;
    lds_push_at          = 10'd0;
    smem_issued          = 1'b0;
    smem_index           = 6'd0;
    smem_new             = '0;
    vmem_issued          = 1'b0;
    vmem_index           = 6'd0;
    vmem_new             = '0;
    vmem_new_addresses   = '0;
    vmem_new_values      = '0;
    requests_valid       = 4'd0;
    requests_lanes       = '0;
    shown_taken          = 4'd0;
    over                 = 1'b0;
    requests_line        = '0;
    requests_data        = '{default: '0};
    requests_tag         = '0;
    request_op           = '0;
    released_n           = '0;
    alone_n              = '0;
    fetch_now            = 1'b0;
    fetch_number         = 6'd0;
    fetch_block          = 64'd0;
    scalar_now           = 1'b0;
    scalar_op            = '0;
    scalar_index         = 6'd0;
    done_now             = 1'b0;
    done_item            = 38'd0;
    invalidate_now       = 1'b0;
    invalidate_index     = 6'd0;
    icache_now           = 1'b0;
    room                 = !requests_ready[0] ? 3'd0 : !requests_ready[1] ? 3'd1 : !requests_ready[2] ? 3'd2 : !requests_ready[3] ? 3'd3 : 3'd4;
    w = 6'd0; head = 6'd0; op = 6'd0; slot = 4'd0; found = 2'd0; e = '0; d = '0; from = 64'd0; next = 64'd0; cycles = 32'd0;
    alone = 1'b0; leaves = 1'b0; later = 1'b0; wave_before = '0; wave_after = '0; a_row = -1; b_row = -1; c_row = -1; d_row = -1;
    result = '0; service = 32'd0; stall = 32'd0; place = 5'd0; priority_before = 2'd0; 
    blocked = 1'b0; bytes = 12'd0; vmem_place = 4'd0; scalar_result = '0;
    if (!control_pause && !stop_a) begin
      for (i = 0; i < 16; i = i + 1) begin
        slot = simds_a[turn].order[i];
        w    = {turn, slot};
        if (i[4:0] < simds_a[turn].waves && waves_a[w].status == kReady && !stop_n) begin
          case (reasons[4*slot+:4])
            kHoldVm, kHoldExp, kHoldLgkm: waves_n[w].status = kWaiting;
            kGranted: begin

              e     = entry_at(w, waves_n[w].pc);
              d     = skipped(e.d, waves_n[w].vskip);
              from  = waves_n[w].pc;
              next  = from + (d.two ? 64'd8 : 64'd4);
              alone = simds_n[turn].waves == 5'd1;
              if (d.action == kUnimplemented || not_built(d)) begin
                stop_n   = 1'b1;
                reason_n = kStopNotImplemented;
              end else if (d.action == kIllegal || d.vgprs_used > waves_n[w].vgprs || {1'b0, d.sgprs_used} > waves_n[w].sgprs) begin
                stop_n   = 1'b1;
                reason_n = kStopBadInput;
              end else begin
                cycles = issue_cycles(d, spec);
                case (d.action)
                  kScalarMem: cycles = {20'd0, smem_cycles(d)};
                  kNop:       cycles = {20'd0, cfg_nop_cycles} * {28'd0, {1'b0, d.simm16[2:0]} + 4'd1};
                  kSleep: begin
                    cycles = {20'd0, cfg_sleep_unit_cycles} * {29'd0, d.simm16[2:0]};
                    if (cycles < {20'd0, cfg_internal_cycles}) cycles = {20'd0, cfg_internal_cycles};
                  end
                  default: ;
                endcase
                waves_n[w]                 = issuing(waves_n[w], d);
                waves_n[w].ready_at        = now + {32'd0, cycles};
                waves_n[w].after_long_pair = d.two && cycles >= {27'd0, cfg_simds, 2'd0};
                prepare[w]                 = 1'b1;
                prepare_alone[w]           = alone;
                leaves                     = 1'b0;  // by a jump
                s               = scalars(w);
                wave_before          = context_of(waves_n[w], s);
                priority_before = waves_n[w].prio;

                case (d.action)
                  kValu: begin
                    alu_valid[w] = 1'b1;
                    if (valu_known) begin
                      alu_scalars[w] = scalars_behind_lanes(s, d);
                      valu_valid     = valu_row_write;
                      valu_row       = {turn, waves_n[w].vgpr_base + valu_destination};
                      valu_rows      = 2'd1;
                      valu_values    = {2048'd0, valu_result};
                    end else begin
                      a_row = d.src0[8] ? {24'd0, d.src0[7:0]} : -1;
                      b_row = d.src1[8] ? {24'd0, d.src1[7:0]} : -1;
                      c_row = d.src2[8] ? {24'd0, d.src2[7:0]} : -1;
                      d_row = {24'd0, d.vdst};
                      cu_model_valu(e.words, wave_before, a_row, b_row, c_row, d_row, rows(w, a_row), rows(w, b_row),
                                    rows(w, c_row), rows(w, d_row), wave_after, result, valu_rows);
                      alu_scalars[w] = wave_after.s;
                      valu_valid     = 1'b1;
                      valu_row       = {turn, waves_n[w].vgpr_base + d.vdst};
                      valu_values    = result;
                    end
                  end
                  kScalar, kBranch, kControl: begin
                    alu_valid[w]   = 1'b1;
                    alu_scalars[w] = s;
                    if (d.cls == kClassInternal) begin
                      case (d.op)
                        kSetKill: waves_n[w].killed = d.simm16[0];
                        kSetHalt: waves_n[w].halt = d.simm16[0];
                        default:
                          // s_trap: TTMP0 and 1 have its address and number.
                          if (waves_n[w].trap_en) begin
                            alu_scalars[w][32*kTtmp+:64] = {8'd0, d.simm16[7:0], 48'(next - 64'd4)};
                            waves_n[w].pc                = {16'd0, s[32*kTba+:48]};
                            waves_n[w].privileged        = 1'b1;
                          end
                      endcase
                    end else begin
                      scalar_result  = d.cls == kClassBranch ? branch_out : salu_out;
                      alu_scalars[w] = scalars_behind(s, waves_n[w].csp, scalar_result);
                      waves_n[w]     = wave_behind(waves_n[w], d.simm16[5:0], scalar_result);
                    end
                  end
                  default: ;
                endcase

                case (d.action)
                  kValu: begin
                    simds_n[turn].valu_free = now + {32'd0, cycles};
                    stall                   = {20'd0, d.compares ? cfg_compare_to_salu_stall : cfg_valu_to_salu_stall};
                    if (d.sgprs != 128'd0 && stall != 32'd0) begin
                      waves_n[w].hazard_sgprs = d.sgprs | (waves_n[w].hazard_until > now ? waves_n[w].hazard_sgprs : 128'd0);
                      waves_n[w].hazard_until = now + {32'd0, cycles} + {32'd0, stall};
                    end
                    waves_n[w] = changed(waves_n[w], d, now, spec);
                  end
                  kScalar: waves_n[w] = changed(waves_n[w], d, now, spec);
                  kBranch: begin
                    waves_n[w] = changed(waves_n[w], d, now, spec);
                    if (scalar_result.jump) begin
                      leaves = 1'b1;
                      if (waves_n[w].pc[1:0] != 2'd0) begin
                        stop_n   = 1'b1;
                        reason_n = kStopBadInput;
                      end
                      waves_n[w].ready_at = now + {52'd0, cfg_branch_taken_cycles}
                                          + (alone ? jump_penalty(from, waves_n[w].pc, spec) : 64'd0);
                      waves_n[w] = jumped(waves_n[w]);
                    end else if (alone && {1'b0, from[4:2]} > cfg_fetch_free_dwords) begin
                      waves_n[w].ready_at = waves_n[w].ready_at
                                          + {52'd0, cfg_fetch_not_taken_penalty} * {60'd0, {1'b0, from[4:2]} - cfg_fetch_free_dwords};
                    end
                  end
                  kControl: begin
                    if (waves_n[w].prio != priority_before) begin
                      place = 5'd0;
                      simds_n[turn] = without(simds_n[turn], slot);
                      for (j = 0; j < 15; j = j + 1)
                        if (j[4:0] < simds_n[turn].waves
                            && (waves_n[{turn, simds_n[turn].order[j]}].prio > waves_n[w].prio
                                || (waves_n[{turn, simds_n[turn].order[j]}].prio == waves_n[w].prio
                                    && waves_n[{turn, simds_n[turn].order[j]}].age < waves_n[w].age)))
                          place = place + 5'd1;
                      simds_n[turn] = inserted(simds_n[turn], slot, place);
                    end
                    if (waves_n[w].pc != next) begin
                      leaves = 1'b1;
                      if (waves_n[w].pc[1:0] != 2'd0) begin
                        stop_n   = 1'b1;
                        reason_n = kStopBadInput;
                      end
                      waves_n[w].ready_at = now + {52'd0, cfg_branch_taken_cycles};
                      waves_n[w]          = jumped(waves_n[w]);
                    end
                  end
                  kScalarMem: begin
                    smem_issued                = 1'b1;
                    smem_index                 = lowest(queues_n.smem_free);
                    smem_new                   = scalar_operation(d, s, w, waves_n[w].vmid);
                    queues_n.smem_free         = queues_n.smem_free & (queues_n.smem_free - 64'd1);
                    queues_n.smem_sent[smem_index] = 1'b0;
                    waves_n[w].lgkm            = waves_n[w].lgkm + 5'd1;
                    // The clock, and loads with no dword in range, need no memory.
                    if (smem_new.kind == kScalarTime || (smem_new.kind != kScalarInvalidate && smem_new.valid == 5'd0))
                      queues_n.memtimes = timed(queues_n.memtimes, now + {52'd0, cfg_memtime_cycles}, smem_index);
                    else begin
                      queues_n.smem_queue          = pushed(queues_n.smem_queue, smem_index);
                      simds_n[turn].smem_waiting   = simds_n[turn].smem_waiting + 5'd1;
                    end
                  end
                  kLds: begin
                    lds_valid = 1'b1;
                    lds_row   = {turn, waves_n[w].vgpr_base + d.vdst};
                    service = {28'd0, d.lds_operands} * {20'd0, cfg_lds_operand_cycles};
                    if (service < {24'd0, ds_passes} * {20'd0, cfg_lds_bank_cycles}) service = {24'd0, ds_passes} * {20'd0, cfg_lds_bank_cycles};
                    if (service == 32'd0) service = 32'd1;
                    queues_n.lds_free = (now > queues_n.lds_free ? now : queues_n.lds_free) + {32'd0, service};
                    simds_n[turn].lds_ends[simds_n[turn].lds_next] = queues_n.lds_free;
                    simds_n[turn].lds_next = {1'b0, simds_n[turn].lds_next} + 4'd1 == cfg_lds_queue ? 3'd0 : simds_n[turn].lds_next + 3'd1;
                    lds_pushed         = 1'b1;
                    lds_push           = {queues_n.lds_free + {52'd0, cfg_lds_latency}, w};
                    lds_push_at        = queues_n.lds_head + queues_n.lds_count[9:0];
                    queues_n.lds_count = queues_n.lds_count + 11'd1;
                    waves_n[w].lgkm    = waves_n[w].lgkm + 5'd1;
                  end
                  kVectorMem: begin
                    vmem_issued = 1'b1;
                    vmem_index  = lowest(queues_n.vmem_free);
                    vmem_new           = buffer_op;
                    vmem_new.words     = e.words;
                    vmem_new.pc        = from;
                    vmem_new_addresses = buffer_addresses;
                    vmem_new_values    = store_data;
                    if (vmem_new.kind == kInvalidate) vmem_new.lanes = 64'd0;
                    if (buffer_unsupported != 4'd0 || vmem_new.to_lds) begin
                      stop_n   = 1'b1;
                      reason_n = kStopNotImplemented;
                    end
                    queues_n.vmem_free        = queues_n.vmem_free & (queues_n.vmem_free - 64'd1);
                    vmem_states_n[vmem_index] = '0;
                    vmem_place        = waves_n[w].vmem_head + waves_n[w].vmem_count[3:0];
                    waves_n[w].vmem[vmem_place] = vmem_index;
                    waves_n[w].vmem_count     = waves_n[w].vmem_count + 5'd1;
                    waves_n[w].vm             = waves_n[w].vm + 4'd1;
                    if (vmem_new.kind == kStore || vmem_new.kind == kAtomic) waves_n[w].exp = waves_n[w].exp + 3'd1;
                    simds_n[turn].ta_waiting  = simds_n[turn].ta_waiting + 5'd1;
                    queues_n.ta_queue         = timed(queues_n.ta_queue, now + {52'd0, cfg_ta_latency}, vmem_index);
                  end
                  kWait: begin
                    waves_n[w].pc     = from;
                    waves_n[w].status = kWaiting;
                    prepare[w]        = 1'b0;
                    if (low_enough(waves_n[w], d)) begin
                      `CU_GO_ON(_n, w, now)
                    end
                  end
                  kBarrier:
                    if (groups_n[waves_n[w].group_slot].waves > 5'd1) begin
                      waves_n[w].pc     = from;
                      waves_n[w].status = kAtBarrier;
                      prepare[w]        = 1'b0;
                      groups_n[waves_n[w].group_slot].arrived = groups_n[waves_n[w].group_slot].arrived + 5'd1;
                      `CU_ARRIVED(_n, waves_n[w].group_slot)
                    end
                  kEnd: begin
                    waves_n[w].pc     = from;
                    waves_n[w].status = kEnding;
                    prepare[w]        = 1'b0;
                    if (drained(waves_n[w])) begin
                      `CU_END(_n, w)
                    end
                  end
                  kSetPriority: begin
                    waves_n[w].prio = d.simm16[1:0];
                    place = 5'd0;
                      simds_n[turn] = without(simds_n[turn], slot);
                      for (j = 0; j < 15; j = j + 1)
                        if (j[4:0] < simds_n[turn].waves
                            && (waves_n[{turn, simds_n[turn].order[j]}].prio > waves_n[w].prio
                                || (waves_n[{turn, simds_n[turn].order[j]}].prio == waves_n[w].prio
                                    && waves_n[{turn, simds_n[turn].order[j]}].age < waves_n[w].age)))
                          place = place + 5'd1;
                      simds_n[turn] = inserted(simds_n[turn], slot, place);
                  end
                  kInvalidateInst: begin
                    icache_now = 1'b1;
                    leaves     = 1'b1;
                    waves_n[w] = jumped(waves_n[w]);
                  end
                  default: ;
                endcase
                if (prepare[w] && !leaves && waves_n[w].pc == next) waves_n[w] = advanced(waves_n[w], from, cfg_fetch_blocks);
                if (d.action == kControl && !waves_n[w].privileged) begin
                  if (waves_n[w].killed) begin
                    prepare[w]        = 1'b0;
                    waves_n[w].status = kEnding;
                    if (drained(waves_n[w])) begin
                      `CU_END(_n, w)
                    end
                  end else if (waves_n[w].halt) begin
                    prepare[w]        = 1'b0;
                    waves_n[w].status = kHalted;
                  end
                end
              end
            end
            default: ;
          endcase
        end
      end
    end

    if (handing && hand_ready) queues_n.ta_handed = queues_n.ta_handed + 7'd1;
    // ---- address unit: one instruction at a time; its requests leave as its groups of lanes are coalesced
    if (!queues_n.ta_active && queues_n.ta_queue.count != 7'd0 && queues_n.ta_queue.items[queues_n.ta_queue.head].at <= now
        && queues_n.ta_free <= now && !stop_n) begin
      op                  = queues_n.ta_queue.items[queues_n.ta_queue.head].what;
      queues_n.ta_queue   = popped(queues_n.ta_queue);
      queues_n.ta_active  = 1'b1;
      queues_n.ta_op      = op;
      queues_n.ta_start   = now;
      request_op          = vmem_ops[op];
      w                   = request_op.wave;
      simds_n[w[5:4]].ta_waiting = simds_n[w[5:4]].ta_waiting - 5'd1;
      queues_n.ta_handed  = queues_n.ta_handed - 7'd1;
      vmem_states_n[op]   = '0;
      if (request_op.kind == kAtomic && first_misaligned) begin
        stop_n   = 1'b1;
        reason_n = kStopFault;
      end
    end
    if (queues_n.ta_active) begin
      op         = queues_n.ta_op;
      request_op = vmem_ops[op];
      blocked    = 1'b0;
      if (request_op.kind == kInvalidate && !vmem_states_n[op].l1_action) begin
        blocked          = !invalidate_ready;
        invalidate_now   = invalidate_ready;
        invalidate_index = op;
        vmem_states_n[op].l1_action = invalidate_ready;
      end
      for (i = 0; i < 4; i = i + 1) begin
        if (shown_valid[i] && !over && shown_lanes[i] == 64'd0) begin
          // Nothing is requested.
          shown_taken[i]  = !blocked;
          over            = !blocked;
          queues_n.ta_end = queues_n.ta_start + {52'd0, shown_busy[i]};
        end else if (shown_valid[i] && !over && i[2:0] < room && i[2:0] < cfg_ta_requests_per_cycle
                     && queues_n.ta_start + {53'd0, shown_cycle[i]} <= now) begin
          shown_taken[i]              = 1'b1;
          requests_valid[i]           = 1'b1;
          requests_line[i]            = shown_line[i];
          requests_lanes[i]           = shown_lanes[i];
          requests_data[i]            = gathered(request_op, op, shown_line[i], shown_lanes[i]);
          requests_tag[i]             = {10'd0, op, 6'd0, vmem_states_n[op].next};
          vmem_states_n[op].next      = vmem_states_n[op].next + 10'd1;
          vmem_states_n[op].responses = vmem_states_n[op].responses + 10'd1;
          over                        = shown_last[i];
          if (over) queues_n.ta_end = queues_n.ta_start + {52'd0, shown_busy[i]};
        end
      end
      if (over) begin
        vmem_states_n[op].sent = 1'b1;
        queues_n.ta_active     = 1'b0;
        queues_n.ta_free       = queues_n.ta_end > now + 64'd1 ? queues_n.ta_end : now + 64'd1;
        w                      = request_op.wave;
        if (request_op.kind == kStore || request_op.kind == kAtomic) begin
          // The data have been read.
          waves_n[w].exp = waves_n[w].exp - 3'd1;
          `CU_COUNTED(_n, w)
        end
        `CU_RETURN(_n, w)
      end
    end

    // ---- return path
    for (i = 0; i < 64; i = i + 1) begin
      if (queues_n.td_queue.count != 7'd0 && queues_n.td_free <= now) begin
        op                = queues_n.td_queue.items[queues_n.td_queue.head];
        queues_n.td_queue = dropped(queues_n.td_queue);
        bytes             = 12'd0;
        if (vmem_ops[op].returns || vmem_ops[op].kind == kLoad)
          bytes = {3'd0, ones(vmem_ops[op].lanes | vmem_ops[op].zero_lanes), 2'd0} * {9'd0, vmem_ops[op].dwords};
        queues_n.td_free  = now + ({52'd0, bytes} + {51'd0, cfg_td_bytes_per_cycle} - 64'd1) / {51'd0, cfg_td_bytes_per_cycle};
        queues_n.td_done  = timed(queues_n.td_done, queues_n.td_free + {52'd0, cfg_td_latency}, op);
      end
    end
    // scalar requests
    if (queues_n.smem_queue.count != 7'd0 && scalar_ready) begin
      op                                       = queues_n.smem_queue.items[queues_n.smem_queue.head];
      scalar_now                               = 1'b1;
      scalar_op                                = smem_issued && op == smem_index ? smem_new : smem_ops[op];
      scalar_index                             = op;
      queues_n.smem_queue                      = dropped(queues_n.smem_queue);
      queues_n.smem_sent[op]                   = 1'b1;
      simds_n[scalar_op.wave[5:4]].smem_waiting = simds_n[scalar_op.wave[5:4]].smem_waiting - 5'd1;
    end
    `CU_RELEASE(_n)
    `CU_PREPARE(_n)
    // fetch: a wave without an instruction comes before one that fetches ahead
    if (!control_pause && fetch_ready) begin
      later = 1'b0;
      for (i = 0; i < 16; i = i + 1) begin
        w = {turn, simds_n[turn].order[i]};
        if (i[4:0] < simds_n[turn].waves && wants_fetch(waves_n[w], cfg_fetch_blocks) && !later) begin
          if (!fetch_now) fetch_number = w;
          if (waves_n[w].status == kNeedsFetch) begin
            fetch_number = w;
            later        = 1'b1;
          end
          fetch_now = 1'b1;
        end
      end
      if (fetch_now) begin
        fetch_block = waves_n[fetch_number].fetch_next;
        waves_n[fetch_number].blocks[block_index(fetch_block, cfg_fetch_blocks)] = kRequested;
        waves_n[fetch_number].fetch_next = fetch_block + 64'd32;
      end
    end
    // ends
    if (queues_n.done.count != 7'd0 && done_ready) begin
      done_now            = 1'b1;
      done_item           = queues_n.done.items[queues_n.done.head];
      queues_n.done.head  = queues_n.done.head + 6'd1;
      queues_n.done.count = queues_n.done.count - 7'd1;
    end
  end

  // ---- at the edge
  logic stops;
  assign stops = stop_n;
  integer n, l, k, b;
  logic [9:0] first_row;
  assign first_row = {launch_wave[5:4], launch_vgpr_base};
  always_ff @(posedge clk) begin : edge_of
    last_cycle <= rst ? control_cycle : now;
    if (rst) begin
      queues           <= '0;
      queues.smem_free <= cfg_smem_outstanding == 7'd64 ? ~64'd0 : (64'd1 << cfg_smem_outstanding) - 64'd1;
      queues.vmem_free <= cfg_vmem_outstanding == 7'd64 ? ~64'd0 : (64'd1 << cfg_vmem_outstanding) - 64'd1;
      waves            <= '{default: '0};
      groups           <= '{default: '0};
      vmem_states      <= '{default: '0};
      simds            <= '{default: '0};
    end else begin
      queues      <= queues_n;
      waves       <= waves_n;
      groups      <= groups_n;
      simds       <= simds_n;
      vmem_states <= vmem_states_n;
      if (launched) queues.age <= queues.age + 64'd1;

      if (smem_issued) smem_ops[smem_index] <= smem_new;

      if (lds_pushed) lds_ring[lds_push_at] <= lds_push;
      if (vmem_issued) vmem_ops[vmem_index] <= vmem_new;
    end
  end

  // ---- memories: written by loops, read by no other block at the edge
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk) begin : memories
    logic [63:0] at;
    at = 64'd0;
    if (!rst) begin
      // instruction buffers
      if (block_taken) begin
        for (n = 0; n < 8; n = n + 1) buffers[{fetched_wave, block_in, n[2:0]}] = entries_in[n];
        if (block_before != block_in) buffers[{fetched_wave, block_before, 3'd7}] = entry_before;
      end

      // scalar registers
      if (smem_loaded) sregs[loaded_op.wave] = scalars(loaded_op.wave);
      if (smem_timed) sregs[timed_op.wave] = scalars(timed_op.wave);
      if (launched) sregs[launch_wave] = new_scalars;
      for (n = 0; n < 64; n = n + 1) if (alu_valid[n]) sregs[n] = alu_scalars[n];
      // vector registers
      if (row_valid)
        for (n = 0; n < 5; n = n + 1)
          if (n < row_count) vgprs[{row_op.wave[5:4], waves[row_op.wave].vgpr_base + row_op.vdst + n[7:0]}] = row_values[2048*n+:2048];
      if (launched)
        for (n = 0; n < 256; n = n + 1)
          if (n[8:0] < launch_vgprs)
            vgprs[first_row+n[9:0]] = n == 0 && launch_ids > 2'd0 ? launch_v0
                                     : n == 1 && launch_ids > 2'd1 ? launch_v1
                                     : n == 2 && launch_ids > 2'd2 ? launch_v2 : 2048'd0;
      if (valu_valid) begin
        if (valu_rows[0]) vgprs[valu_row] = valu_values[2047:0];
        if (valu_rows[1]) vgprs[valu_row+10'd1] = valu_values[4095:2048];
      end
      if (lds_valid)
        for (n = 0; n < 4; n = n + 1)
          if (ds_rows[n]) vgprs[lds_row+n[9:0]] = in_lanes(vgprs[lds_row+n[9:0]], ds_values[2048*n+:2048], ds_exec);

      // LDS
      if (group_begins && !launch_keeps_lds)
        for (n = 0; n < 16384; n = n + 1)
          if (n[14:0] >= launch_lds_base[16:2] && {n[14:0], 2'd0} < launch_lds_base + launch_lds_bytes) lds[n] = 32'd0;
      if (lds_valid)
        for (n = 0; n < 128; n = n + 1)
          if (n[7:0] < ds_writes) begin
            lds[ds_at[14*n+:14]] = ds_written[64*n+:32];
            if (ds_wide) lds[{ds_at[14*n+1+:13], 1'b1}] = ds_written[64*n+32+:32];
          end

      // vector memory
      if (vmem_issued) begin
        vmem_failed[vmem_index] = 64'd0;
        for (n = 0; n < 4; n = n + 1) begin
          vmem_addresses[{vmem_index, n[1:0]}] = vmem_new_addresses[4096*n+:4096];
          vmem_values[{vmem_index, n[1:0]}]    = vmem_new_values[2048*n+:2048];
        end
      end
      // answers bring their bytes to the lanes that wait for them
      for (n = 0; n < 4; n = n + 1)
        if (taken_answers[n]) begin
          if (answers_status[n] == 2'd1) vmem_failed[answers_tag[n][21:16]] = vmem_failed[answers_tag[n][21:16]]
                                            | request_lanes[{answers_tag[n][21:16], answers_tag[n][8:0]}];
          if (vmem_ops[answers_tag[n][21:16]].kind != kStore)
            for (l = 0; l < 64; l = l + 1)
              if (request_lanes[{answers_tag[n][21:16], answers_tag[n][8:0]}][l])
                for (k = 0; k < 4; k = k + 1)
                  for (b = 0; b < 4; b = b + 1) begin
                    at = (vmem_ops[answers_tag[n][21:16]].contiguous
                          ? vmem_addresses[{answers_tag[n][21:16], 2'd0}][64*l+:64] + {60'd0, k[1:0], 2'd0}
                          : vmem_addresses[{answers_tag[n][21:16], k[1:0]}][64*l+:64]) + {62'd0, b[1:0]};
                    if ({k[2:0], b[1:0]} < vmem_ops[answers_tag[n][21:16]].bytes
                        && at[63:6] == request_lines[{answers_tag[n][21:16], answers_tag[n][8:0]}]
                        && (vmem_ops[answers_tag[n][21:16]].contiguous || vmem_ops[answers_tag[n][21:16]].dword_lanes[k][l]))
                      vmem_values[{answers_tag[n][21:16], k[1:0]}][32*l+8*b+:8] = answers_data[n][8*at[5:0]+:8];
                  end
          request_lanes[{answers_tag[n][21:16], answers_tag[n][8:0]}] = 64'd0;
        end
      for (n = 0; n < 4; n = n + 1)
        if (requests_valid[n]) begin
          request_lines[{requests_tag[n][21:16], requests_tag[n][8:0]}] = requests_line[n];
          request_lanes[{requests_tag[n][21:16], requests_tag[n][8:0]}] = requests_lanes[n];
        end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- outputs
  logic on;
  assign on                = !rst && !stops;
  assign init_ready        = on && init_valid;
  assign launch_ready      = on && launched;
  assign done_valid        = on && done_now;
  assign done_wave         = done_valid ? done_item[5:0] : 6'd0;
  assign done_exports      = done_valid ? done_item[37:6] : 32'd0;
  assign fetch_valid       = on && fetch_now;
  assign fetch_address     = fetch_valid ? fetch_block : 64'd0;
  assign fetch_wave        = fetch_valid ? fetch_number : 6'd0;
  assign fetch_vmid        = fetch_valid ? waves_n[fetch_number].vmid : 8'd0;
  assign fetch_tag         = fetch_valid ? waves_n[fetch_number].generation : 32'd0;
  assign fetched_ready     = on && fetched_valid;
  assign scalar_valid      = on && scalar_now;
  assign scalar_address    = scalar_valid ? scalar_op.address : 64'd0;
  assign scalar_invalidate = scalar_valid && scalar_op.kind == kScalarInvalidate;
  assign scalar_dwords     = !scalar_valid ? 5'd0 : scalar_invalidate ? 5'd1 : scalar_op.valid;
  assign scalar_wave       = scalar_valid ? scalar_op.wave : 6'd0;
  assign scalar_vmid       = scalar_valid ? scalar_op.vmid : 8'd0;
  assign scalar_tag        = scalar_valid ? {26'd0, scalar_index} : 32'd0;
  assign loaded_ready      = on && loaded_valid;
  assign answer0_ready     = on && taken_answers[0];
  assign request0_valid    = on && requests_valid[0];
  assign request0_line     = request0_valid ? requests_line[0] : 58'd0;
  assign request0_mask     = request0_valid ? requests_data[0].mask : 64'd0;
  assign request0_command  = !request0_valid ? 2'd0 : request_op.kind;
  assign request0_atomic   = !request0_valid ? 5'd0 : request_op.kind == kAtomic ? request_op.atomic : kNoAtomic;
  assign request0_bytes    = !request0_valid ? 8'd0 : request_op.kind == kAtomic ? {3'd0, request_op.bytes} : 8'd4;
  assign request0_vmid     = request0_valid ? request_op.vmid : 8'd0;
  assign request0_glc      = request0_valid && request_op.glc;
  assign request0_slc      = request0_valid && request_op.slc;
  assign request0_returns  = request0_valid && (request_op.kind != kAtomic || request_op.returns);
  assign request0_tag      = request0_valid ? requests_tag[0] : 32'd0;
  assign request0_compare  = request0_valid ? requests_data[0].compare : 64'd0;
  assign request0_data     = request0_valid ? requests_data[0].data : 512'd0;
  assign answer1_ready     = on && taken_answers[1];
  assign request1_valid    = on && requests_valid[1];
  assign request1_line     = request1_valid ? requests_line[1] : 58'd0;
  assign request1_mask     = request1_valid ? requests_data[1].mask : 64'd0;
  assign request1_command  = !request1_valid ? 2'd0 : request_op.kind;
  assign request1_atomic   = !request1_valid ? 5'd0 : request_op.kind == kAtomic ? request_op.atomic : kNoAtomic;
  assign request1_bytes    = !request1_valid ? 8'd0 : request_op.kind == kAtomic ? {3'd0, request_op.bytes} : 8'd4;
  assign request1_vmid     = request1_valid ? request_op.vmid : 8'd0;
  assign request1_glc      = request1_valid && request_op.glc;
  assign request1_slc      = request1_valid && request_op.slc;
  assign request1_returns  = request1_valid && (request_op.kind != kAtomic || request_op.returns);
  assign request1_tag      = request1_valid ? requests_tag[1] : 32'd0;
  assign request1_compare  = request1_valid ? requests_data[1].compare : 64'd0;
  assign request1_data     = request1_valid ? requests_data[1].data : 512'd0;
  assign answer2_ready     = on && taken_answers[2];
  assign request2_valid    = on && requests_valid[2];
  assign request2_line     = request2_valid ? requests_line[2] : 58'd0;
  assign request2_mask     = request2_valid ? requests_data[2].mask : 64'd0;
  assign request2_command  = !request2_valid ? 2'd0 : request_op.kind;
  assign request2_atomic   = !request2_valid ? 5'd0 : request_op.kind == kAtomic ? request_op.atomic : kNoAtomic;
  assign request2_bytes    = !request2_valid ? 8'd0 : request_op.kind == kAtomic ? {3'd0, request_op.bytes} : 8'd4;
  assign request2_vmid     = request2_valid ? request_op.vmid : 8'd0;
  assign request2_glc      = request2_valid && request_op.glc;
  assign request2_slc      = request2_valid && request_op.slc;
  assign request2_returns  = request2_valid && (request_op.kind != kAtomic || request_op.returns);
  assign request2_tag      = request2_valid ? requests_tag[2] : 32'd0;
  assign request2_compare  = request2_valid ? requests_data[2].compare : 64'd0;
  assign request2_data     = request2_valid ? requests_data[2].data : 512'd0;
  assign answer3_ready     = on && taken_answers[3];
  assign request3_valid    = on && requests_valid[3];
  assign request3_line     = request3_valid ? requests_line[3] : 58'd0;
  assign request3_mask     = request3_valid ? requests_data[3].mask : 64'd0;
  assign request3_command  = !request3_valid ? 2'd0 : request_op.kind;
  assign request3_atomic   = !request3_valid ? 5'd0 : request_op.kind == kAtomic ? request_op.atomic : kNoAtomic;
  assign request3_bytes    = !request3_valid ? 8'd0 : request_op.kind == kAtomic ? {3'd0, request_op.bytes} : 8'd4;
  assign request3_vmid     = request3_valid ? request_op.vmid : 8'd0;
  assign request3_glc      = request3_valid && request_op.glc;
  assign request3_slc      = request3_valid && request_op.slc;
  assign request3_returns  = request3_valid && (request_op.kind != kAtomic || request_op.returns);
  assign request3_tag      = request3_valid ? requests_tag[3] : 32'd0;
  assign request3_compare  = request3_valid ? requests_data[3].compare : 64'd0;
  assign request3_data     = request3_valid ? requests_data[3].data : 512'd0;
  assign invalidate_valid  = on && invalidate_now;
  assign invalidate_tag    = invalidate_valid ? {26'd0, invalidate_index} : 32'd0;
  assign invalidated_ready = on && invalidated_valid;
  assign icache_valid      = on && icache_now;
  assign stop_valid        = !rst && stops;
  assign stop_wave         = 6'd0;
  assign stop_pc           = 64'd0;
  assign stop_words        = 64'd0;
  assign stop_reason       = stop_valid ? reason_n : 3'd0;
  assign state_retires     = 1'b0;
  assign state_busy        = 1'b0;
  // ---- what this unit does not send
  assign gds_valid = '0;
  assign gds_command = '0;
  assign gds_atomic = '0;
  assign gds_bytes = '0;
  assign gds_elements = '0;
  assign gds_sign_extend = '0;
  assign gds_returns = '0;
  assign gds_vmid = '0;
  assign gds_tag = '0;
  assign gds_value = '0;
  assign gds_resource = '0;
  assign gds_order = '0;
  assign gds_counter = '0;
  assign gds_stage = '0;
  assign gds_swap = '0;
  assign gds_release = '0;
  assign gds_done = '0;
  assign gds_flush_denormals = '0;
  assign gds_lanes0 = '0;
  assign gds_lanes1 = '0;
  assign gds_address0 = '0;
  assign gds_address1 = '0;
  assign gds_data = '0;
  assign gds_atom = '0;
  assign export_valid = '0;
  assign export_wave = '0;
  assign export_pc = '0;
  assign export_target = '0;
  assign export_enabled = '0;
  assign export_compressed = '0;
  assign export_done = '0;
  assign export_valid_mask = '0;
  assign export_exec = '0;
  assign export_data = '0;
  assign message_valid = '0;
  assign message_wave = '0;
  assign message_pc = '0;
  assign message_kind = '0;
  assign message_operation = '0;
  assign message_stream = '0;
  assign message_m0 = '0;
  assign message_exec = '0;
  assign retire_valid = '0;
  assign retire_wave = '0;
  assign retire_last = '0;
  assign retire_end = '0;
  assign retire_pc = '0;
  assign retire_words = '0;
  assign retire_exec = '0;
  assign retire_vcc = '0;
  assign retire_scc = '0;
  assign retire_m0 = '0;
  assign retire_scalar = '0;
  assign retire_code = '0;
  assign retire_value = '0;
  assign retire_vector = '0;
  assign retire_vgpr = '0;
  assign retire_lanes = '0;
  assign retire_data = '0;

endmodule
