// SPDX-License-Identifier: Apache-2.0
// First part of a cycle: a block of instructions and answers of memory arrive, what was given its time
// ends, waves whose counters have come down go on or end, and a wave is launched; in this order.
`include "cu_pkg.sv"

// Some members of operations have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_arrive
  import cu_decode_pkg::*;
  import cu_pkg::*;
(
  input  spec_t            spec,
  input  cycle_t           now,
  // state
  input  waves_t           waves_before,
  input  simds_t           simds_before,
  input  groups_t          groups_before,
  input  queues_t          queues_before,
  input  vmem_states_t     vmem_states_before,
  input  buffers_t         buffers,
  input  smem_ops_t        smem_ops,
  input  vmem_ops_t        vmem_ops,
  input  request_lanes_t   request_lanes,
  input  texels_open_t     texels_open,
  input  lds_ring_t        lds_ring,
  input  message_ring_t    message_ring,
  input  gds_ops_t         gds_ops,
  // a block of instructions
  input  logic             fetched_valid,
  input  logic [31:0]      fetched_tag,
  input  logic [63:0]      fetched_address,
  input  logic             fetched_fault,
  input  block_t           block,
  input  block_entries_t   entries_in,
  input  entry_t           entry_before,
  // answers of memory
  input  logic             loaded_valid,
  input  logic [31:0]      loaded_tag,
  input  logic             loaded_fault,
  input  logic             invalidated_valid,
  input  logic [31:0]      invalidated_tag,
  input  logic [3:0]       answers_valid,
  input  logic [3:0][31:0] answers_tag,
  input  logic [3:0][1:0]  answers_status,
  input  logic             gdsdata_valid,
  input  logic [31:0]      gdsdata_tag,
  // a launch
  input  logic             launch_valid,  // not while the unit pauses
  input  launch_t          launch,
  input  logic             launch_wrong,
  input  wave_t            new_wave,
  // the state after all that
  output waves_t           waves,
  output simds_t           simds,
  output groups_t          groups,
  output queues_t          queues,
  output vmem_states_t     vmem_states,
  output logic             stop,
  output logic [2:0]       reason,
  output stop_place_t      stop_place,
  // what is written to registers and memories
  output logic             block_taken,
  output logic             smem_loaded,   // scalar registers, by an answer
  output smem_op_t         loaded_op,
  output logic             smem_timed,    // ... by what needs no memory
  output smem_op_t         timed_op,
  output logic [3:0]       taken_answers,
  output returned_t        returned,      // VGPRs
  output logic [5:0]       returned_index, // of the vector memory instruction
  output logic             gdsdata_taken,
  output logic             launched,
  output logic             group_begins
);

  logic [63:0]      prepare, prepare_alone, released;
  logic [63:0][3:0] alone;
  marked_t          marked;
  logic [7:0]       marks;
  logic [6:0]       events;
  logic [71:0][7:0] event_of;  // a counter that comes down, and its wave
  localparam logic [1:0] kCountLgkm = 2'd0;
  localparam logic [1:0] kCountVm = 2'd1;
  localparam logic [1:0] kCountExp = 2'd2;

`include "cu_entries.sv"
`include "cu_waves.sv"
`include "cu_events.sv"

  function automatic void comes_down(input logic [1:0] counter, input logic [5:0] w);
    event_of[events] = {counter, w};
    events           = events + 7'd1;
  endfunction

  // ---- a block of instructions
  // Of a wave that has jumped since, it is dropped.
  function automatic void take_block();
    logic [5:0] w;
    w = block.wave;
    if ({1'b0, w[5:4]} >= spec.simds || {1'b0, w[3:0]} >= spec.slots) stops(kStopProtocol);
    else if (waves[w].status != kFree && waves[w].generation == fetched_tag) begin
      if (waves[w].blocks[block.place] != kRequested
          || fetched_address - {waves[w].pc[63:5], 5'd0} >= waves[w].fetch_next - {waves[w].pc[63:5], 5'd0}) stops(kStopProtocol);
      else begin
        block_taken                  = !fetched_fault;
        waves[w].blocks[block.place] = fetched_fault ? kFaulted : kValid;
        if (waves[w].status == kNeedsFetch) find_instruction(w);
      end
    end
  endfunction

  function automatic void find_instruction(input logic [5:0] w);
    logic [1:0] found;
    found = lookup(waves[w], entry_at(w, waves[w].pc));
    if (found[1]) stops_at(kStopFault, w, waves[w].pc, 64'd0);
    if (found[0]) begin
      waves[w] = delayed(waves[w], now);
      mark(w, simds[w[5:4]].waves == 5'd1);
    end
  endfunction

  // ---- answers of memory
  function automatic void take_scalar_load();
    logic [5:0] op;
    op = loaded_tag[5:0];
    if (loaded_tag >= {25'd0, spec.smem_outstanding} || queues.smem_free[op] || !queues.smem_sent[op]) stops(kStopProtocol);
    else if (loaded_fault) stops_at(kStopFault, loaded_op.wave, loaded_op.pc, loaded_op.words);
    else begin
      smem_loaded          = loaded_op.kind != kScalarInvalidate;
      queues.smem_free[op] = 1'b1;
      comes_down(kCountLgkm, loaded_op.wave);
    end
  endfunction

  function automatic void take_invalidation();
    logic [5:0] op;
    op = invalidated_tag[5:0];
    if (invalidated_tag >= {25'd0, spec.vmem_outstanding} || !vmem_states[op].l1_action) stops(kStopProtocol);
    else begin
      vmem_states[op].l1_action = 1'b0;
      return_in_order(vmem_ops[op].wave);
    end
  endfunction

  function automatic logic is_open(input logic [5:0] op, input logic [10:0] request);
    is_open = vmem_ops[op].texels ? texels_open[op][request] : request_lanes[{op, request[8:0]}] != 64'd0;
  endfunction

  // Answers of the L1 in the order of their ports, as many as the return path takes.
  function automatic void take_answers();
    integer     k;
    logic [5:0] op;
    logic       more;
    more = 1'b1;
    for (k = 0; k < 4; k = k + 1) begin
      more = more && answers_valid[k];
      if (more && k[2:0] < spec.td_responses_per_cycle && !stop) begin
        op = answers_tag[k][21:16];
        if (answers_tag[k][31:16] >= {9'd0, spec.vmem_outstanding} || queues.vmem_free[op]
            || answers_tag[k][15:0] >= {4'd0, vmem_states[op].next}
            || !is_open(op, answers_tag[k][10:0])) stops(kStopProtocol);
        else if (answers_status[k] != 2'd0 && !(answers_status[k] == 2'd1 && vmem_ops[op].tfe))
          stops_at(kStopFault, vmem_ops[op].wave, vmem_ops[op].pc, vmem_ops[op].words);
        else begin
          taken_answers[k]          = 1'b1;
          vmem_states[op].responses = vmem_states[op].responses - 12'd1;
          return_in_order(vmem_ops[op].wave);
        end
      end
    end
  endfunction

  // Of a wave, from its VGPR `vdst` on.
  function automatic rows_t rows_of(input logic [5:0] w, input logic [7:0] vdst, input logic [2:0] count, input logic [63:0] lanes);
    rows_of = {1'b1, w, vdst, count, w[5:4], waves[w].vgpr_base + vdst, lanes};
  endfunction

  function automatic void take_gds();
    logic [5:0] op;
    op = gdsdata_tag[5:0];
    if (gdsdata_tag >= {25'd0, spec.gds_outstanding} || queues.gds_free[op]) stops(kStopProtocol);
    else begin
      gdsdata_taken       = 1'b1;
      queues.gds_free[op] = 1'b1;
      returned.gds        = rows_of(gds_ops[op].wave, gds_ops[op].vdst, gds_ops[op].dwords, gds_ops[op].lanes);
      returned.gds.valid  = gds_ops[op].dwords != 3'd0;
      comes_down(kCountLgkm, gds_ops[op].wave);
    end
  endfunction

  // ---- what ends at a known time
  // By the count of a queue and its first item.
  function automatic logic due(input logic [6:0] count, input timed_t first);
    due = count != 7'd0 && first.at <= now;
  endfunction

  function automatic void end_timed();
    logic [5:0] op;
    if (queues.lds_count != 11'd0 && lds_ring[queues.lds_head].at <= now) begin
      comes_down(kCountLgkm, lds_ring[queues.lds_head].what);
      queues.lds_head  = queues.lds_head + 10'd1;
      queues.lds_count = queues.lds_count - 11'd1;
    end
    if (due(queues.memtimes.count, queues.memtimes.items[queues.memtimes.head])) begin
      smem_timed           = 1'b1;
      op                   = queues.memtimes.items[queues.memtimes.head].what;
      queues.smem_free[op] = 1'b1;
      queues.memtimes      = popped(queues.memtimes);
      comes_down(kCountLgkm, timed_op.wave);
    end
    end_vector_memory();
    if (queues.export_active && queues.export_free <= now) begin
      comes_down(kCountExp, queues.export_wave);
      queues.export_active = 1'b0;
    end
    if (queues.message_count != 12'd0 && message_ring[queues.message_head].at <= now) begin
      comes_down(kCountLgkm, message_ring[queues.message_head].what);
      queues.message_head  = queues.message_head + 11'd1;
      queues.message_count = queues.message_count - 12'd1;
    end
  endfunction

  function automatic void end_vector_memory();
    integer     k;
    logic [5:0] op;
    for (k = 0; k < 64 && due(queues.td_done.count, queues.td_done.items[queues.td_done.head]); k = k + 1) begin
      op                   = queues.td_done.items[queues.td_done.head].what;
      queues.td_done       = popped(queues.td_done);
      queues.vmem_free[op] = 1'b1;
      comes_down(kCountVm, vmem_ops[op].wave);
      if ((vmem_ops[op].returns || vmem_ops[op].to_lds) && (vmem_ops[op].lanes | vmem_ops[op].zero_lanes) != 64'd0) begin
        returned.memory = rows_of(vmem_ops[op].wave, vmem_ops[op].vdst, vmem_ops[op].dwords + {2'd0, vmem_ops[op].tfe},
                                  vmem_ops[op].lanes | vmem_ops[op].zero_lanes);
        returned_index  = op;
        if (vmem_ops[op].to_lds) returned.memory.count = 3'd0;
      end
    end
  endfunction

  function automatic void count_down();
    integer     k;
    logic [5:0] w;
    for (k = 0; k < 72 && k[6:0] < events; k = k + 1) begin
      w = event_of[k][5:0];
      case (event_of[k][7:6])
        kCountLgkm: waves[w].lgkm = waves[w].lgkm - 5'd1;
        kCountVm:   waves[w].vm = waves[w].vm - 4'd1;
        default:    waves[w].exp = waves[w].exp - 3'd1;
      endcase
      counted(w);
    end
  endfunction

  // ---- a wave
  function automatic void begin_wave();
    logic [5:0] w, g;
    w = launch.wave;
    g = launch.group_slot;
    if (launch_wrong) stops(kStopProtocol);
    else begin
      launched        = 1'b1;
      waves[w]        = new_wave;
      simds[w[5:4]]   = inserted(simds[w[5:4]], w[3:0], place_of(w));
      group_begins    = groups[g].waves == 5'd0;
      if (group_begins) begin
        groups[g]       = '0;
        groups[g].waves = launch.waves_in_group == 5'd0 ? 5'd1 : launch.waves_in_group;
      end
      groups[g].members[w] = 1'b1;
    end
  endfunction

  always_comb begin : arrive
    waves          = waves_before;
    simds          = simds_before;
    groups         = groups_before;
    queues         = queues_before;
    vmem_states    = vmem_states_before;
    stop           = 1'b0;
    reason         = 3'd0;
    stop_place     = '0;
    marked         = '0;
    marks          = 8'd0;
    block_taken    = 1'b0;
    smem_loaded    = 1'b0;
    smem_timed     = 1'b0;
    loaded_op      = smem_ops[loaded_tag[5:0]];
    timed_op       = smem_ops[queues_before.memtimes.items[queues_before.memtimes.head].what];
    taken_answers  = 4'd0;
    returned       = '0;
    returned_index = 6'd0;
    gdsdata_taken  = 1'b0;
    launched       = 1'b0;
    group_begins   = 1'b0;
    released       = '0;
    alone          = '0;
    prepare        = '0;
    prepare_alone  = '0;
    events         = 7'd0;
    event_of       = '0;

    if (fetched_valid) take_block();
    if (loaded_valid && !stop) take_scalar_load();
    if (invalidated_valid && !stop) take_invalidation();
    take_answers();
    if (gdsdata_valid && !stop) take_gds();
    end_timed();
    count_down();
    release_groups();
    prepare_waves();
    if (launch_valid && !stop) begin_wave();
  end

endmodule
