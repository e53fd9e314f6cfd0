// SPDX-License-Identifier: Apache-2.0
// Third part of a cycle: the address unit lets requests leave, returned data are given their time, and
// a scalar request, a fetch and the end of a wave leave; in this order.
`include "cu_pkg.sv"

// Some members of operations have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_leave
  import cu_decode_pkg::*;
  import cu_pkg::*;
(
  input  spec_t            spec,
  input  cycle_t           now,
  input  logic [1:0]       turn,              // SIMD that fetches
  // state after the issue
  input  waves_t           waves_before,
  input  simds_t           simds_before,
  input  groups_t          groups_before,
  input  queues_t          queues_before,
  input  vmem_states_t     vmem_states_before,
  input  logic             stop_before,
  input  logic [2:0]       reason_before,
  input  stop_place_t      stop_place_before,
  input  logic [63:0]      prepare_before,
  input  logic [63:0]      prepare_alone_before,
  input  marked_t          marked_before,
  input  logic [7:0]       marks_before,
  input  logic [63:0]      released_before,
  input  logic [63:0][3:0] alone_before,
  // instructions
  input  buffers_t         buffers,
  input  logic             block_taken,
  input  block_t           block,
  input  block_entries_t   entries_in,
  input  entry_t           entry_before,
  // memory instructions, and those that have issued in this cycle
  input  smem_ops_t        smem_ops,
  input  logic             smem_issued,
  input  logic [5:0]       smem_index,
  input  smem_op_t         smem_new,
  input  vmem_ops_t        vmem_ops,
  input  logic             vmem_issued,
  input  logic [5:0]       vmem_index,
  // the coalescer
  input  logic             handed,
  input  logic             first_misaligned,
  input  logic [3:0]       shown_valid,
  input  logic [3:0][57:0] shown_line,
  input  logic [3:0][63:0] shown_lanes,
  input  logic [3:0][12:0] shown_cycle,
  input  logic [3:0]       shown_last,
  input  logic [3:0][13:0] shown_busy,
  output logic [3:0]       shown_taken,
  // room on the ports
  input  logic [3:0]       requests_ready,
  input  logic             invalidate_ready,
  input  logic             scalar_ready,
  input  logic             fetch_ready,       // not while the unit pauses
  input  logic             done_ready,
  // the state after the cycle
  output waves_t           waves,
  output simds_t           simds,
  output groups_t          groups,
  output queues_t          queues,
  output vmem_states_t     vmem_states,
  output logic             stop,
  output logic [2:0]       reason,
  output stop_place_t      stop_place,
  // what leaves
  output logic [3:0]       requests_valid,
  output logic [3:0][31:0] requests_tag,
  output vmem_op_t         request_op,
  output logic [5:0]       request_index,     // of the operation
  output logic             invalidate_now,
  output logic             scalar_now,
  output smem_op_t         scalar_op,
  output logic [5:0]       scalar_index,
  output logic             fetch_now,
  output logic [5:0]       fetch_number,
  output logic [63:0]      fetch_block,
  output logic             done_now,
  output logic [37:0]      done_item          // exports, wave
);

  logic [63:0]      prepare, prepare_alone, released;
  logic [63:0][3:0] alone;
  marked_t          marked;
  logic [7:0]       marks;
  logic [2:0]       room;  // requests that the ports take, in order of their numbers
  assign room = !requests_ready[0] ? 3'd0 : !requests_ready[1] ? 3'd1 : !requests_ready[2] ? 3'd2 : !requests_ready[3] ? 3'd3 : 3'd4;

`include "cu_entries.sv"
`include "cu_waves.sv"
`include "cu_events.sv"

  // ---- address unit: one instruction at a time; its requests leave as its groups of lanes are coalesced
  function automatic void start_addresses();
    logic [5:0] op, w;
    if (!queues.ta_active && queues.ta_queue.count != 7'd0 && queues.ta_queue.items[queues.ta_queue.head].at <= now
        && queues.ta_free <= now && !stop) begin
      op                     = queues.ta_queue.items[queues.ta_queue.head].what;
      w                      = vmem_ops[op].wave;
      queues.ta_queue        = popped(queues.ta_queue);
      queues.ta_handed       = queues.ta_handed - 7'd1;
      queues.ta_active       = 1'b1;
      queues.ta_op           = op;
      queues.ta_start        = now;
      simds[w[5:4]].ta_waiting = simds[w[5:4]].ta_waiting - 5'd1;
      vmem_states[op]        = '0;
      if (first_misaligned) stops_at(kStopFault, w, vmem_ops[op].pc, vmem_ops[op].words);
    end
  endfunction

  // Requests of a cycle, and whether the instruction has no further one.
  function automatic logic send_requests(input logic [5:0] op, input logic blocked);
    integer k;
    logic   over;
    over = 1'b0;
    for (k = 0; k < 4; k = k + 1) begin
      if (shown_valid[k] && !over && shown_lanes[k] == 64'd0) begin
        // Nothing is requested.
        shown_taken[k] = !blocked;
        over           = !blocked;
        queues.ta_end  = queues.ta_start + {50'd0, shown_busy[k]};
      end else if (shown_valid[k] && !over && k[2:0] < room && k[2:0] < spec.ta_requests_per_cycle
                   && queues.ta_start + {51'd0, shown_cycle[k]} <= now) begin
        shown_taken[k]            = 1'b1;
        requests_valid[k]         = 1'b1;
        requests_tag[k]           = {10'd0, op, 4'd0, vmem_states[op].next};
        vmem_states[op].next      = vmem_states[op].next + 12'd1;
        vmem_states[op].responses = vmem_states[op].responses + 12'd1;
        over                      = shown_last[k];
        if (over) queues.ta_end = queues.ta_start + {50'd0, shown_busy[k]};
      end
    end
    send_requests = over;
  endfunction

  function automatic void run_addresses();
    logic [5:0] op;
    logic       blocked;
    op            = queues.ta_op;
    request_index = op;
    request_op    = vmem_ops[op];
    blocked       = 1'b0;
    if (request_op.kind == kInvalidate && !vmem_states[op].l1_action) begin
      blocked                   = !invalidate_ready;
      invalidate_now            = invalidate_ready;
      vmem_states[op].l1_action = invalidate_ready;
    end
    if (send_requests(op, blocked)) begin
      vmem_states[op].sent = 1'b1;
      queues.ta_active     = 1'b0;
      queues.ta_free       = queues.ta_end > now + 64'd1 ? queues.ta_end : now + 64'd1;
      if (request_op.kind == kStore || request_op.kind == kAtomic) begin
        // The data have been read.
        waves[request_op.wave].exp = waves[request_op.wave].exp - 3'd1;
        counted(request_op.wave);
      end
      return_in_order(request_op.wave);
    end
  endfunction

  // ---- return path: as many cycles as its width takes for the bytes of all lanes, or its texels take
  function automatic cycle_t return_cycles(input vmem_op_t o);
    logic [11:0] bytes;
    bytes = 12'd0;
    if (o.returns || o.kind == kLoad) bytes = {3'd0, ones(o.lanes | o.zero_lanes), 2'd0} * {9'd0, o.dwords};
    return_cycles = ({52'd0, bytes} + {51'd0, spec.td_bytes_per_cycle} - 64'd1) / {51'd0, spec.td_bytes_per_cycle};
    if (image_return_cycles(o, spec) > return_cycles) return_cycles = image_return_cycles(o, spec);
  endfunction

  function automatic void return_data();
    integer     k;
    logic [5:0] op;
    for (k = 0; k < 64 && queues.td_queue.count != 7'd0 && queues.td_free <= now; k = k + 1) begin
      op              = queues.td_queue.items[queues.td_queue.head];
      queues.td_queue = dropped(queues.td_queue);
      queues.td_free  = now + return_cycles(vmem_ops[op]);
      queues.td_done  = timed(queues.td_done, queues.td_free + {52'd0, spec.td_latency}, op);
    end
  endfunction

  // ---- scalar requests
  function automatic void send_scalar();
    logic [5:0] op;
    if (queues.smem_queue.count != 7'd0 && scalar_ready) begin
      op                   = queues.smem_queue.items[queues.smem_queue.head];
      scalar_now           = 1'b1;
      scalar_op            = smem_issued && op == smem_index ? smem_new : smem_ops[op];
      scalar_index         = op;
      queues.smem_queue    = dropped(queues.smem_queue);
      queues.smem_sent[op] = 1'b1;
      simds[scalar_op.wave[5:4]].smem_waiting = simds[scalar_op.wave[5:4]].smem_waiting - 5'd1;
    end
  endfunction

  // ---- fetch: a wave without an instruction comes before one that fetches ahead
  function automatic void fetch();
    integer     k;
    logic [5:0] w;
    logic       found;
    found = 1'b0;
    for (k = 0; k < 16; k = k + 1) begin
      w = {turn, simds[turn].order[k]};
      if (k[4:0] < simds[turn].waves && wants_fetch(waves[w], spec.fetch_blocks) && !found) begin
        if (!fetch_now) fetch_number = w;
        if (waves[w].status == kNeedsFetch) begin
          fetch_number = w;
          found        = 1'b1;
        end
        fetch_now = 1'b1;
      end
    end
    if (fetch_now) begin
      fetch_block = waves[fetch_number].fetch_next;
      waves[fetch_number].blocks[block_index(fetch_block, spec.fetch_blocks)] = kRequested;
      waves[fetch_number].fetch_next = fetch_block + 64'd32;
    end
  endfunction

  // ---- ends
  function automatic void send_done();
    if (queues.done.count != 7'd0 && done_ready) begin
      done_now          = 1'b1;
      done_item         = queues.done.items[queues.done.head];
      queues.done.head  = queues.done.head + 6'd1;
      queues.done.count = queues.done.count - 7'd1;
    end
  endfunction

  always_comb begin : leave
    waves          = waves_before;
    simds          = simds_before;
    groups         = groups_before;
    queues         = queues_before;
    vmem_states    = vmem_states_before;
    stop           = stop_before;
    reason         = reason_before;
    stop_place     = stop_place_before;
    marked         = marked_before;
    marks          = marks_before;
    prepare        = prepare_before;
    prepare_alone  = prepare_alone_before;
    released       = released_before;
    alone          = alone_before;
    shown_taken    = 4'd0;
    requests_valid = 4'd0;
    requests_tag   = '0;
    request_op     = '0;
    request_index  = 6'd0;
    invalidate_now = 1'b0;
    scalar_now     = 1'b0;
    scalar_op      = '0;
    scalar_index   = 6'd0;
    fetch_now      = 1'b0;
    fetch_number   = 6'd0;
    fetch_block    = 64'd0;
    done_now       = 1'b0;
    done_item      = 38'd0;

    if (vmem_issued) vmem_states[vmem_index] = '0;
    if (handed) queues.ta_handed = queues.ta_handed + 7'd1;
    start_addresses();
    if (queues.ta_active) run_addresses();
    return_data();
    send_scalar();
    release_groups();
    prepare_waves();
    if (fetch_ready) fetch();
    send_done();
  end

endmodule
