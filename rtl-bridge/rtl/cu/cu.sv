// SPDX-License-Identifier: Apache-2.0
// A compute unit: up to four SIMDs of sixteen wave slots, one scalar ALU and branch unit, the local data
// share and the path to the vector L1. SIMD n issues and fetches in cycles n modulo cfg_simds.
//
// Within one cycle, in this order: a block of instructions and answers of memory arrive, and what was
// given its time ends; waves whose counters have come down go on or end; a wave is launched (cu_arrive).
// The SIMD whose turn it is issues (cu_ask, cu_proceed). The address unit lets requests leave; returned
// data are given their time; a scalar request, a fetch and the end of a wave leave (cu_leave). Each sees
// what those before it did in the cycle. An instruction reads and writes registers and LDS in the cycle
// it issues in; loads write theirs when their counter comes down. Of a vector instruction that is the
// first of four steps: each SIMD has sixteen lanes, which write the registers of as many lanes of the
// wave in each, and scalar registers in the last one (cu_lanes). Nothing of the wave issues before that,
// and what returns to the same registers meanwhile stays.
//
// Here: the pins, the state and its edge, and how the parts are joined. Signals of the state end in _a
// after what arrives, in _i after the issue, in _n after the cycle. Parts of a cycle:
//   cu_fetched    a block of instructions, decoded     cu_vector     the vector ALU: operands
//   cu_launch     a wave as it begins                  cu_addresses  vector memory: addresses and data
//   cu_arrive     what comes in                        cu_share      LDS and its instructions
//   cu_returned   registers and LDS that loads leave   cu_coalesce   requests of the address unit
//   cu_ask        what the arbiter sees and decides    cu_leave      what goes out
//   cu_scalar     the scalar ALU and branches          cu_gather     bytes of requests
//   cu_gds        the global data share's requests     cu_registers  memories of waves
//   cu_export     what exports send                    cu_vmem_data  memories of vector memory
//   cu_proceed    what instructions do to their waves  cu_init       rows of the wave launched next
//   cu_tiling     registers of image addresses         cu_images     texels, from issue to return
//   cu_lanes      the vector ALU: a SIMD's lanes       cu_retire     what retires
// cu_waves, cu_events, cu_entries and cu_rows are functions that several of these include; cu_pkg has
// the types. Blocks of their own: cu_decode, cu_issue (which waves issue), salu, cu_valu with valu_lane,
// lds, ta_buffer (addresses), ta_coalescer (requests), ta_format (data). Double precision, transcendental
// functions, conversions, packing, fma and division are the model's, by cu_model_pkg, for all 64 lanes in
// one call, and so are addresses, texels and filtering of images, by cu_image_model_pkg.
//
// Ports: `valid` of an input says that a message is there, `ready` that it is taken in this cycle.
// `ready` of an output says that there is room, `valid` that a message is sent in this cycle. Outputs
// that are not valid are zero. After a cycle with stop_valid the unit must be reset. The cfg_ pins hold
// still between resets; cfg_rate_cycles of vector instructions, the first nine, are four at least.
// control_cycle passes over cycles only while no wave is there. A cycle with control_hold is none of the
// chip's: it brings rows of registers and of LDS and registers of image addresses, and all else stands, with
// outputs of the other ports 0. So the rows of a wave take no time of waves that run.
`include "cu_decode_pkg.sv"
`include "cu_gds_pkg.sv"
`include "cu_image_model_pkg.sv"
`include "cu_lds_load_pkg.sv"
`include "cu_message_pkg.sv"
`include "cu_pkg.sv"
`include "cu_retire_pkg.sv"
`include "cu_vector_pkg.sv"
`include "salu_pkg.sv"

// The four ports to the L1, from and to arrays.
`define CU_ANSWER(N) \
  assign requests_ready[N]     = request``N``_ready; \
  assign answers_valid[N]      = answer``N``_valid; \
  assign answers_tag[N]        = answer``N``_tag; \
  assign answers_status[N]     = answer``N``_status; \
  assign answers_data[N]       = answer``N``_data; \
  assign answer``N``_ready     = on && answers_taken[N];
`define CU_REQUEST(N) \
  assign request``N``_valid    = on && requests_valid[N]; \
  assign request``N``_line     = request``N``_valid ? shown_line[N] : 58'd0; \
  assign request``N``_mask     = request``N``_valid ? requests_data[N].mask : 64'd0; \
  assign request``N``_command  = request``N``_valid ? request_op.kind : 2'd0; \
  assign request``N``_atomic   = request``N``_valid ? request_atomic : 5'd0; \
  assign request``N``_bytes    = request``N``_valid ? request_bytes : 8'd0; \
  assign request``N``_vmid     = request``N``_valid ? request_op.vmid : 8'd0; \
  assign request``N``_glc      = request``N``_valid && request_op.glc; \
  assign request``N``_slc      = request``N``_valid && request_op.slc; \
  assign request``N``_returns  = request``N``_valid && request_returns; \
  assign request``N``_tag      = request``N``_valid ? requests_tag[N] : 32'd0; \
  assign request``N``_compare  = request``N``_valid ? requests_data[N].compare : 64'd0; \
  assign request``N``_data     = request``N``_valid ? requests_data[N].data : 512'd0;

// Vectors of whole registers and queues; some pins have no reader.
/* verilator lint_off WIDTHCONCAT */
/* verilator lint_off UNUSEDSIGNAL */
module cu
  import cu_decode_pkg::*;
  import cu_image_model_pkg::*;
  import cu_lds_load_pkg::*;
  import cu_pkg::*;
  import cu_retire_pkg::record_t;
  import cu_gds_pkg::gds_request_t;
  import cu_message_pkg::message_t;
  import cu_vector_pkg::vector_steps_t;
(
  `include "cu_ports.svh"
);

  // ---- the pins in groups
  spec_t   spec;
  launch_t launch;
  assign spec = '{
    simds: cfg_simds, slots: cfg_slots, vgprs: cfg_vgprs, sgprs: cfg_sgprs, lds: cfg_lds, groups: cfg_groups,
    engine: cfg_engine, shader_array: cfg_array, unit: cfg_unit, fetch_blocks: cfg_fetch_blocks,
    fetch_two_dword_penalty: cfg_fetch_two_dword_penalty, fetch_free_dwords: cfg_fetch_free_dwords,
    fetch_not_taken_penalty: cfg_fetch_not_taken_penalty, fetch_jump_penalty: cfg_fetch_jump_penalty,
    fetch_jump_free_dwords: cfg_fetch_jump_free_dwords, issue_width: cfg_issue_width, rate_cycles: cfg_rate_cycles,
    salu_cycles: cfg_salu_cycles, salu_long_cycles: cfg_salu_long_cycles, valu_to_salu_stall: cfg_valu_to_salu_stall,
    compare_to_salu_stall: cfg_compare_to_salu_stall, branch_status_stall: cfg_branch_status_stall,
    branch_not_taken_cycles: cfg_branch_not_taken_cycles, branch_taken_cycles: cfg_branch_taken_cycles,
    internal_cycles: cfg_internal_cycles, nop_cycles: cfg_nop_cycles, sleep_unit_cycles: cfg_sleep_unit_cycles,
    barrier_cycles: cfg_barrier_cycles, vm_max: cfg_vm_max, lgkm_max: cfg_lgkm_max, exp_max: cfg_exp_max,
    smem_issue_cycles: cfg_smem_issue_cycles, smem_other_issue_cycles: cfg_smem_other_issue_cycles,
    smem_queue: cfg_smem_queue, smem_outstanding: cfg_smem_outstanding, memtime_cycles: cfg_memtime_cycles,
    lds_operand_cycles: cfg_lds_operand_cycles, lds_banks: cfg_lds_banks, lds_bank_cycles: cfg_lds_bank_cycles,
    lds_issue_factor: cfg_lds_issue_factor, lds_latency: cfg_lds_latency, lds_queue: cfg_lds_queue,
    lds_load_offset: cfg_lds_load_offset,
    export_issue_cycles: cfg_export_issue_cycles, export_cycles: cfg_export_cycles,
    gds_outstanding: cfg_gds_outstanding, message_cycles: cfg_message_cycles,
    interpolate_cycles: cfg_interpolate_cycles, load_issue_cycles: cfg_load_issue_cycles,
    load_wide_issue_cycles: cfg_load_wide_issue_cycles, store_issue_cycles: cfg_store_issue_cycles,
    atomic_issue_cycles: cfg_atomic_issue_cycles, cmpswap_issue_cycles: cfg_cmpswap_issue_cycles,
    vmem_queue: cfg_vmem_queue, vmem_outstanding: cfg_vmem_outstanding, ta_latency: cfg_ta_latency,
    ta_load_quad_cycles: cfg_ta_load_quad_cycles, ta_load_quarter_cycles: cfg_ta_load_quarter_cycles,
    ta_load_pair_cycles: cfg_ta_load_pair_cycles, ta_load_scattered_cycles: cfg_ta_load_scattered_cycles,
    ta_load_scattered_triple_cycles: cfg_ta_load_scattered_triple_cycles,
    ta_store_quarter_cycles: cfg_ta_store_quarter_cycles, ta_atomic_quad_cycles: cfg_ta_atomic_quad_cycles,
    ta_requests_per_cycle: cfg_ta_requests_per_cycle, td_responses_per_cycle: cfg_td_responses_per_cycle,
    td_bytes_per_cycle: cfg_td_bytes_per_cycle, td_latency: cfg_td_latency,
    ta_image_quad_cycles: cfg_ta_image_quad_cycles, image_load_cycles: cfg_image_load_cycles,
    image_scattered_cycles: cfg_image_scattered_cycles, image_filter_cycles: cfg_image_filter_cycles,
    linear_lines: cfg_linear_lines};
  assign launch = '{
    wave: launch_wave, group_slot: launch_group_slot, waves_in_group: launch_waves_in_group, vmid: launch_vmid,
    prio: launch_priority, pc: launch_pc, exec: launch_exec, vgpr_base: launch_vgpr_base, vgprs: launch_vgprs,
    sgpr_base: launch_sgpr_base, sgprs: launch_sgprs, lds_base: launch_lds_base, lds_bytes: launch_lds_bytes,
    keeps_lds: launch_keeps_lds, float_mode: launch_float_mode, dx10_clamp: launch_dx10_clamp, ieee: launch_ieee,
    privileged: launch_privileged, trap: launch_trap, exceptions: launch_exceptions, tba: launch_tba, tma: launch_tma,
    sgpr_count: launch_sgpr_count, sgpr: launch_sgpr, ids: launch_ids};

  // ---- time
  cycle_t     last_cycle, now;
  logic [1:0] turn;  // SIMD that issues and fetches
  assign now  = last_cycle + 64'd1 > control_cycle ? last_cycle + 64'd1 : control_cycle;
  assign turn = cfg_simds == 3'd4 ? now[1:0] : 2'(now % {61'd0, cfg_simds});

  // ---- state
  waves_t        waves;
  simds_t        simds;
  groups_t       groups;
  queues_t       queues;
  vmem_states_t  vmem_states;
  smem_ops_t     smem_ops;
  vmem_ops_t     vmem_ops;
  lds_ring_t     lds_ring;
  message_ring_t message_ring;
  gds_ops_t      gds_ops;
  // by cu_registers and cu_vmem_data
  buffers_t      buffers;
  sregs_t        sregs;
  vgprs_t        vgprs;
  vmem_addresses_t vmem_addresses;
  vmem_values_t  vmem_values;
  vmem_failed_t  vmem_failed;
  request_lanes_t request_lanes;
  texels_open_t  texels_open;

  // ---- what comes in
  logic              on;  // nothing stops or holds the unit
  logic [3:0]        requests_ready, answers_valid, answers_taken;
  logic [3:0][31:0]  answers_tag;
  logic [3:0][1:0]   answers_status;
  logic [3:0][511:0] answers_data;
  `CU_ANSWER(0)
  `CU_ANSWER(1)
  `CU_ANSWER(2)
  `CU_ANSWER(3)

  block_t block;
  block_entries_t entries_in;
  entry_t entry_before;
  cu_fetched fetched (.spec, .valid(fetched_valid), .wave(fetched_wave), .address(fetched_address), .words(fetched_words), .buffers,
    .block, .entries_in, .entry_before);

  logic          launch_wrong;
  wave_t         new_wave;
  logic [4095:0] new_scalars;
  cu_launch begin_wave (.spec, .now, .age(queues.age), .waves, .launch, .wrong(launch_wrong), .new_wave, .new_scalars);

  waves_t      waves_a;
  simds_t      simds_a;
  groups_t     groups_a;
  queues_t     queues_a;
  vmem_states_t vmem_states_a;
  logic        stop_a;
  logic [2:0]  reason_a;
  stop_place_t stop_place_a;
  logic        block_taken, smem_loaded, smem_timed, gdsdata_taken, launched, group_begins;
  smem_op_t    loaded_op, timed_op;
  returned_t   returned;
  logic [5:0]  returned_index;
  cu_arrive arrive (.spec, .now, .waves_before(waves), .simds_before(simds), .groups_before(groups), .queues_before(queues),
    .vmem_states_before(vmem_states), .buffers, .smem_ops, .vmem_ops, .request_lanes, .texels_open, .lds_ring, .message_ring,
    .gds_ops, .fetched_valid, .fetched_tag, .fetched_address, .fetched_fault, .block, .entries_in, .entry_before, .loaded_valid,
    .loaded_tag, .loaded_fault, .invalidated_valid, .invalidated_tag, .answers_valid, .answers_tag, .answers_status,
    .gdsdata_valid, .gdsdata_tag,
    .launch_valid(launch_valid && !control_pause && !control_hold), .launch, .launch_wrong, .new_wave, .waves(waves_a), .simds(simds_a),
    .groups(groups_a), .queues(queues_a), .vmem_states(vmem_states_a), .stop(stop_a), .reason(reason_a), .stop_place(stop_place_a), .block_taken,
    .smem_loaded, .loaded_op, .smem_timed, .timed_op, .taken_answers(answers_taken), .returned, .returned_index, .gdsdata_taken,
    .launched, .group_begins);

  logic [15:0][31:0] timed_data;  // of s_memtime; loads with no dword in range leave zeros
  assign timed_data = timed_op.kind == kScalarTime ? {448'd0, now} : 512'd0;
  returned_rows_t returned_rows;
  logic [8191:0]  image_rows;
  lds_load_t      lds_load;
  cu_returned return_path (.waves, .vgprs, .vmem_ops, .vmem_values, .vmem_failed, .returned, .index(returned_index),
    .image_rows, .gds_data(gdsdata_data), .returned_rows, .lds_load);

  init_t init;
  assign init.valid = init_valid;
  assign init.lds   = init_lds;
  assign init.row   = init_row;
  assign init.lanes = init_lanes;
  assign init.data  = init_data;
  cu_init rows_of_next_wave (.clk, .rst, .valid(init_valid), .wave(init_wave), .launched, .launch_wave, .first(init.first),
    .taken(init.taken));

  // ---- issue
  logic             hold;
  slot_entries_t    entries;
  logic [15:0]      granted;
  logic [15:0][3:0] reasons;
  logic [15:0][4:0] issued;
  assign hold = control_pause || stop_a;
  cu_ask ask (.spec, .now, .turn, .hold, .waves(waves_a), .simds(simds_a), .queues(queues_a), .buffers, .block_taken, .block,
    .entries_in, .entry_before, .gds_ready, .export_ready, .message_ready, .icache_ready, .entries, .granted, .reasons, .issued);

  slot_scalars_t      scalars;
  salu_pkg::results_t salu_out, branch_out;
  cu_scalar scalar_unit (.turn, .granted, .salu_issued(issued[kClassSalu]), .branch_issued(issued[kClassBranch]), .entries,
    .waves(waves_a), .sregs, .smem_loaded, .loaded_op, .loaded_data, .smem_timed, .timed_op, .timed_data, .scalars, .salu_out,
    .branch_out);

  vector_steps_t valu_steps;
  logic [4095:0] valu_scalars, valu_values;
  logic [9:0]    valu_row;
  logic [1:0]    valu_written;
  logic [7:0]    valu_destination;
  logic          valu_exists;
  logic [13:0]   direct_number;
  logic [31:0]   direct_dword;
  cu_vector vector_unit (.clk, .rst, .held(control_hold), .turn, .issued(issued[kClassValu]), .entries, .waves(waves_a), .scalars, .vgprs, .returned,
    .returned_rows, .smem_loaded, .loaded_op, .smem_timed, .timed_op, .direct_number, .direct_dword, .steps(valu_steps),
    .destination(valu_destination), .exists(valu_exists), .scalars_after(valu_scalars), .first_row(valu_row),
    .written(valu_written), .values(valu_values));

  tiling_t        tiling;
  cu_tiling address_registers (.clk, .rst, .valid(tiling_valid), .index(tiling_index), .value(tiling_value), .tiling);

  logic [2:0]     vmem_refused;
  image_issue_t   image_issue;
  vmem_op_t       vmem_new;
  logic [16383:0] vmem_new_addresses;
  logic [8191:0]  vmem_new_values;
  cu_addresses addressing (.spec, .turn, .issued(issued[kClassVmem]), .entries, .waves(waves_a), .scalars, .vgprs, .returned,
    .returned_rows, .tiling, .refused(vmem_refused), .image_issue, .operation(vmem_new), .addresses(vmem_new_addresses),
    .values(vmem_new_values));

  logic          ds_executes, ds_counts;
  logic [7:0]    ds_passes;
  logic [3:0]    ds_rows;
  logic [8191:0] ds_result;
  logic [63:0]   ds_lanes;
  cu_share share (.clk, .rst, .held(control_hold), .spec, .turn, .issued(issued[kClassLds]), .entries, .waves(waves_a), .scalars, .vgprs, .returned,
    .returned_rows, .lds_load, .simd(simds_a[turn]), .direct_slot(issued[kClassValu][3:0]), .direct_number, .direct_dword,
    .executes(ds_executes), .init, .group_begins, .launch, .passes(ds_passes), .result_rows(ds_rows), .result(ds_result),
    .result_lanes(ds_lanes));

  gds_op_t       gds_new;
  gds_request_t  gds_request;
  logic [2047:0] gds_new_address0, gds_new_address1;
  logic [8191:0] gds_new_data;
  cu_gds global_share (.turn, .issued(issued[kClassGds]), .entries, .waves(waves_a), .scalars, .vgprs, .returned, .returned_rows,
    .operation(gds_new), .request(gds_request), .address0(gds_new_address0), .address1(gds_new_address1), .data(gds_new_data));

  export_t       export_new;
  logic [8191:0] export_new_data;
  cu_export exports (.turn, .issued(issued[kClassExport]), .entries, .waves(waves_a), .scalars, .vgprs, .returned, .returned_rows,
    .message(export_new), .data(export_new_data));

  waves_t           waves_i;
  simds_t           simds_i;
  groups_t          groups_i;
  queues_t          queues_i;
  logic             stop_i;
  logic [2:0]       reason_i;
  stop_place_t      stop_place_i;
  marked_t          marked;
  logic [7:0]       marks;
  logic [63:0]      prepare, prepare_alone, released;
  logic [63:0][3:0] alone;
  logic [15:0]      alu_valid;
  slot_scalars_t    alu_scalars;
  logic             valu_executes, smem_issued, vmem_issued, icache_now, gds_issued, export_issued, message_issued;
  message_t         message_new;
  timed_t           message_end;
  logic [10:0]      message_end_at;
  logic [9:0]       ds_row, ds_end_at;
  timed_t           ds_end;
  logic [5:0]       smem_index, vmem_index, gds_index;
  smem_op_t         smem_new;
  cu_proceed proceed (.spec, .now, .turn, .hold, .reasons, .entries, .waves_before(waves_a), .simds_before(simds_a),
    .groups_before(groups_a), .queues_before(queues_a), .stop_before(stop_a), .reason_before(reason_a),
    .stop_place_before(stop_place_a), .scalars, .salu_out, .branch_out, .valu_scalars, .ds_passes, .vmem_refused,
    .vmem_kind(vmem_new.kind), .waves(waves_i), .simds(simds_i), .groups(groups_i), .queues(queues_i), .stop(stop_i),
    .reason(reason_i), .stop_place(stop_place_i), .prepare, .prepare_alone, .marked, .marks, .released, .alone,
    .alu_valid, .alu_scalars, .valu_executes, .ds_executes, .ds_row, .ds_counts, .ds_end, .ds_end_at, .smem_issued, .smem_index, .smem_new,
    .vmem_issued, .vmem_index, .icache_invalidate(icache_now), .gds_issued, .gds_index, .export_issued, .message_issued,
    .message(message_new), .message_end, .message_end_at);

  // ---- what goes out
  logic             handed, first_misaligned;
  logic [3:0]       shown_valid, shown_taken, shown_last;
  logic [3:0][57:0] shown_line;
  logic [3:0][63:0] shown_lanes;
  logic [3:0][12:0] shown_cycle, image_cycle;
  logic [3:0][13:0] shown_busy, image_busy;
  logic             image_current;
  logic [3:0]       image_valid, image_last;
  logic [3:0][57:0] image_line;
  logic [3:0][63:0] image_lanes, image_mask;
  cu_images images (.clk, .rst, .held(control_hold), .spec, .queues, .vmem_ops, .vmem_states, .issued(vmem_issued), .issued_index(vmem_index),
    .issued_op(vmem_new), .issue(image_issue), .tiling, .current(image_current), .shown_valid(image_valid),
    .shown_line(image_line), .shown_lanes(image_lanes), .shown_mask(image_mask), .shown_cycle(image_cycle),
    .shown_last(image_last), .shown_busy(image_busy), .answers_taken, .answers_tag, .answers_data, .returns(returned.memory.valid),
    .returned_index, .rows(image_rows));
  cu_coalesce coalesce (.clk, .rst, .held(control_hold), .spec, .queues, .vmem_ops, .vmem_addresses, .handed, .shown_valid, .shown_taken, .shown_line,
    .shown_lanes, .shown_cycle, .shown_last, .shown_busy, .image_current, .image_valid, .image_line, .image_lanes, .image_cycle,
    .image_last, .image_busy, .first_misaligned);

  waves_t           waves_n;
  simds_t           simds_n;
  groups_t          groups_n;
  queues_t          queues_n;
  vmem_states_t     vmem_states_n;
  logic             stop_n;
  logic [2:0]       reason_n;
  stop_place_t      stop_place_n;
  logic [3:0]       requests_valid;
  logic [3:0][31:0] requests_tag;
  vmem_op_t         request_op;
  logic [5:0]       request_index;
  logic             invalidate_now, scalar_now, fetch_now, done_now;
  smem_op_t         scalar_op;
  logic [5:0]       scalar_index, fetch_number;
  logic [63:0]      fetch_block;
  logic [37:0]      done_item;
  cu_leave leave (.spec, .now, .turn, .waves_before(waves_i), .simds_before(simds_i), .groups_before(groups_i),
    .queues_before(queues_i), .vmem_states_before(vmem_states_a), .stop_before(stop_i), .reason_before(reason_i), .stop_place_before(stop_place_i),
    .prepare_before(prepare), .prepare_alone_before(prepare_alone), .marked_before(marked), .marks_before(marks), .released_before(released), .alone_before(alone), .buffers,
    .block_taken, .block, .entries_in, .entry_before, .smem_ops, .smem_issued, .smem_index, .smem_new, .vmem_ops, .vmem_issued,
    .vmem_index, .handed, .first_misaligned, .shown_valid, .shown_line, .shown_lanes, .shown_cycle, .shown_last, .shown_busy,
    .shown_taken, .requests_ready, .invalidate_ready, .scalar_ready, .fetch_ready(fetch_ready && !control_pause), .done_ready,
    .waves(waves_n), .simds(simds_n), .groups(groups_n), .queues(queues_n), .vmem_states(vmem_states_n), .stop(stop_n),
    .reason(reason_n), .stop_place(stop_place_n), .requests_valid, .requests_tag, .request_op, .request_index, .invalidate_now, .scalar_now, .scalar_op,
    .scalar_index, .fetch_now, .fetch_number, .fetch_block, .done_now, .done_item);

  requests_data_t requests_data;
  cu_gather gather (.valid(requests_valid), .operation(request_op), .index(request_index), .line(shown_line), .lanes(shown_lanes),
    .vmem_addresses, .vmem_values, .vmem_failed, .image_mask, .line_data(requests_data));

  // ---- what retires
  logic          retire_busy;
  record_t       beat_of;
  cu_retire retire (.clk, .rst, .held(control_hold), .on, .wanted(control_retire), .fetch_sent(fetch_now), .fetch_taken(fetched_valid), .simds, .queues,
    .queues_a, .waves_a, .simds_a, .waves_i, .scalar_loaded(loaded_valid), .loaded_index(loaded_tag[5:0]), .loaded_op, .loaded_data,
    .scalar_timed(smem_timed), .timed_op, .timed_data, .gds_loaded(gdsdata_taken), .gds_loaded_index(gdsdata_tag[5:0]),
    .returned_rows, .turn, .granted, .entries, .scalars, .alu_valid, .alu_scalars, .salu_out, .branch_out,
    .valu_destination, .valu_exists, .valu_values, .steps(valu_steps), .ds_rows, .ds_result, .smem_index, .smem_new, .vmem_index, .vmem_new, .gds_index,
    .gds_new, .done(done_now), .done_wave(done_item[5:0]), .busy(retire_busy), .beat_valid(retire_valid), .beat_of,
    .beat_last(retire_last), .beat_scalar(retire_scalar), .beat_code(retire_code), .beat_value(retire_value),
    .beat_vector(retire_vector), .beat_vgpr(retire_vgpr), .beat_data(retire_data));

  // ---- at the edge
  cu_registers registers (.clk, .rst, .held(control_hold), .turn, .block_taken, .block, .entries_in, .entry_before, .smem_loaded, .loaded_op,
    .loaded_data, .smem_timed, .timed_op, .timed_data, .returned, .returned_rows, .launched, .launch, .init, .new_scalars,
    .ids({launch_v2, launch_v1, launch_v0}), .steps(valu_steps), .alu_valid, .alu_scalars, .valu_executes, .valu_row,
    .valu_written, .valu_values, .ds_executes, .ds_row, .ds_rows, .ds_result, .ds_lanes, .buffers, .sregs, .vgprs);
  cu_vmem_data vmem_data (.clk, .rst, .held(control_hold), .vmem_ops, .issued(vmem_issued), .index(vmem_index), .addresses(vmem_new_addresses),
    .values(vmem_new_values), .requests_valid, .requests_tag, .requests_line(shown_line), .requests_lanes(shown_lanes),
    .answers_taken, .answers_tag, .answers_status, .answers_data, .vmem_addresses, .vmem_values, .vmem_failed, .request_lanes,
    .texels_open);

  always_ff @(posedge clk) begin : edge_of
    if (rst || !control_hold) last_cycle <= rst ? control_cycle : now;
    if (rst) begin
      queues           <= '0;
      queues.smem_free <= cfg_smem_outstanding == 7'd64 ? ~64'd0 : (64'd1 << cfg_smem_outstanding) - 64'd1;
      queues.gds_free  <= cfg_gds_outstanding == 7'd64 ? ~64'd0 : (64'd1 << cfg_gds_outstanding) - 64'd1;
      queues.vmem_free <= cfg_vmem_outstanding == 7'd64 ? ~64'd0 : (64'd1 << cfg_vmem_outstanding) - 64'd1;
      waves            <= '{default: '0};
      groups           <= '{default: '0};
      vmem_states      <= '{default: '0};
      simds            <= '{default: '0};
    end else if (!control_hold) begin
      queues      <= queues_n;
      waves       <= waves_n;
      groups      <= groups_n;
      simds       <= simds_n;
      vmem_states <= vmem_states_n;
      if (launched) queues.age <= queues.age + 64'd1;
      if (smem_issued) smem_ops[smem_index] <= smem_new;
      if (ds_counts) lds_ring[ds_end_at] <= ds_end;
      if (vmem_issued) vmem_ops[vmem_index] <= vmem_new;
      if (gds_issued) gds_ops[gds_index] <= gds_new;
      if (message_issued) message_ring[message_end_at] <= message_end;
    end
  end

  // ---- outputs
  assign on                = !rst && !control_hold && !stop_n;
  assign init_ready        = !rst && (control_hold || !stop_n) && init_valid;
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
  logic [4:0] request_atomic;
  logic [7:0] request_bytes;
  logic       request_returns;
  assign request_atomic    = request_op.kind == kAtomic ? request_op.atomic : kNoAtomic;
  assign request_bytes     = request_op.kind == kAtomic ? {3'd0, request_op.bytes} : 8'd4;
  assign request_returns   = request_op.kind != kAtomic || request_op.returns;
  `CU_REQUEST(0)
  `CU_REQUEST(1)
  `CU_REQUEST(2)
  `CU_REQUEST(3)
  assign invalidate_valid  = on && invalidate_now;
  assign invalidate_tag    = invalidate_valid ? {26'd0, request_index} : 32'd0;
  assign invalidated_ready = on && invalidated_valid;
  assign icache_valid      = on && icache_now;
  assign stop_valid        = !rst && !control_hold && stop_n;
  assign stop_wave         = stop_valid ? stop_place_n.wave : 6'd0;
  assign stop_pc           = stop_valid ? stop_place_n.pc : 64'd0;
  assign stop_words        = stop_valid ? stop_place_n.words : 64'd0;
  assign stop_reason       = stop_valid ? reason_n : 3'd0;
  assign state_retires     = 1'b1;
  assign state_busy        = !rst && !control_hold && retire_busy;
  assign gdsdata_ready     = on && gdsdata_taken;
  assign gds_valid         = on && gds_issued;
  assign gds_command       = gds_valid ? gds_request.command : 4'd0;
  assign gds_atomic        = gds_valid ? gds_request.atomic : 5'd0;
  assign gds_bytes         = gds_valid ? gds_request.bytes : 4'd0;
  assign gds_elements      = gds_valid ? gds_request.elements : 2'd0;
  assign gds_sign_extend   = gds_valid && gds_request.sign_extend;
  assign gds_returns       = gds_valid && gds_request.returns;
  assign gds_vmid          = gds_valid ? waves[gds_new.wave].vmid : 8'd0;
  assign gds_tag           = gds_valid ? {26'd0, gds_index} : 32'd0;
  assign gds_value         = gds_valid ? gds_request.value : 32'd0;
  assign gds_resource      = gds_valid ? gds_request.resource : 8'd0;
  assign gds_order         = gds_valid ? gds_request.order : 16'd0;
  assign gds_counter       = gds_valid ? gds_request.counter : 8'd0;
  assign gds_stage         = gds_valid ? gds_request.stage : 8'd0;
  assign gds_swap          = gds_valid && gds_request.swaps;
  assign gds_release       = gds_valid && gds_request.lets_next;
  assign gds_done          = gds_valid && gds_request.lets_all;
  assign gds_lanes0        = gds_valid ? gds_request.lanes0 : 64'd0;
  assign gds_lanes1        = gds_valid ? gds_request.lanes1 : 64'd0;
  assign gds_address0      = gds_valid ? gds_new_address0 : 2048'd0;
  assign gds_address1      = gds_valid ? gds_new_address1 : 2048'd0;
  assign gds_data          = gds_valid ? gds_new_data : 8192'd0;
  assign export_valid      = on && export_issued;
  assign export_wave       = export_valid ? export_new.wave : 6'd0;
  assign export_pc         = export_valid ? export_new.pc : 64'd0;
  assign export_target     = export_valid ? export_new.target : 6'd0;
  assign export_enabled    = export_valid ? export_new.enabled : 4'd0;
  assign export_compressed = export_valid && export_new.compressed;
  assign export_done       = export_valid && export_new.last;
  assign export_valid_mask = export_valid && export_new.valid_mask;
  assign export_exec       = export_valid ? export_new.exec : 64'd0;
  assign export_data       = export_valid ? export_new_data : 8192'd0;
  assign message_valid     = on && message_issued;
  assign message_wave      = message_valid ? message_new.wave : 6'd0;
  assign message_pc        = message_valid ? message_new.pc : 64'd0;
  assign message_kind      = message_valid ? message_new.kind : 4'd0;
  assign message_operation = message_valid ? message_new.operation : 4'd0;
  assign message_stream    = message_valid ? message_new.stream : 2'd0;
  assign message_m0        = message_valid ? message_new.m0 : 32'd0;
  assign message_exec      = message_valid ? message_new.exec : 64'd0;
  assign retire_wave       = beat_of.wave;
  assign retire_end        = beat_of.last_of_wave;
  assign retire_pc         = beat_of.pc;
  assign retire_words      = beat_of.words;
  assign retire_scc        = beat_of.scc;
  assign {retire_m0, retire_exec, retire_vcc} = beat_of.status;
  assign retire_lanes      = retire_vector ? beat_of.to.lanes : 64'd0;
  // ---- what this unit does not send
  assign gds_flush_denormals = 1'b0;
  assign gds_atom            = '0;

endmodule
