// SPDX-License-Identifier: Apache-2.0
// Image instructions that read texels, from issue to return. What belongs to a lane's texels is in a
// store of the model's (cu_image_model_pkg), which this module alone writes and reads.
`include "cu_image_model_pkg.sv"

// Some members of operations have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_images
  import cu_pkg::*;
  import cu_image_model_pkg::*;
(
  input  logic              clk,
  input  logic              rst,
  input  logic              held,             // nothing moves in this cycle
  input  spec_t             spec,
  input  queues_t           queues,
  input  vmem_ops_t         vmem_ops,
  input  vmem_states_t      vmem_states,
  // an instruction issues
  input  logic              issued,
  input  logic [5:0]        issued_index,
  input  vmem_op_t          issued_op,
  input  image_issue_t      issue,
  input  tiling_t           tiling,
  // requests of the instruction that the address unit has started, or starts next
  output logic              current,          // it is one that reads texels
  output logic [3:0]        shown_valid,
  output logic [3:0][57:0]  shown_line,
  output logic [3:0][63:0]  shown_lanes,      // 0: no request
  output logic [3:0][63:0]  shown_mask,       // bytes of the line
  output logic [3:0][12:0]  shown_cycle,
  output logic [3:0]        shown_last,
  output logic [3:0][13:0]  shown_busy,
  // answers arrive
  input  logic [3:0]        answers_taken,
  input  logic [3:0][31:0]  answers_tag,
  input  logic [3:0][511:0] answers_data,
  // an instruction returns
  input  logic              returns,
  input  logic [5:0]        returned_index,
  output logic [8191:0]     rows              // data registers
);

  chandle store;
  initial store = cu_images_new();
  final cu_images_delete(store);

  // ---- what changes the store
  logic [31:0] version;  // counts the cycles in which it has changed
  logic        issues;
  logic [3:0]  answers;
  assign issues = issued && issued_op.texels;
  always_comb begin : answers_to_images
    integer n;
    for (n = 0; n < 4; n = n + 1) answers[n] = answers_taken[n] && vmem_ops[answers_tag[n][21:16]].texels;
  end
  initial version = 32'd0;
  always_ff @(posedge clk) begin : write_store
    integer n;
    if (!rst && !held) begin
      for (n = 0; n < 4; n = n + 1)
        if (answers[n])
          cu_image_answer(store, {26'd0, answers_tag[n][21:16]}, {16'd0, answers_tag[n][15:0]}, answers_data[n]);
      if (issues) cu_image_issue(store, {26'd0, issued_index}, issue.words, issue.wave, tiling, issue.rows);
      if (issues || answers != 4'd0) version <= version + 32'd1;
    end
  end

  // ---- requests: one may leave when the address unit has passed the quads before the last one that
  // reads of its line
  logic [5:0]       op;
  logic [11:0]      first;
  logic [3:0][63:0] addresses;
  logic [3:0][31:0] footprints;
  assign op      = queues.ta_active ? queues.ta_op : queues.ta_queue.items[queues.ta_queue.head].what;
  assign first   = queues.ta_active ? vmem_states[op].next : 12'd0;
  assign current = (queues.ta_active || queues.ta_queue.count != 7'd0) && vmem_ops[op].texels;
  always_comb begin : show
    integer n;
    shown_lanes = '0;
    shown_mask  = '0;
    shown_last  = 4'd0;
    addresses   = '0;
    footprints  = '0;
    if (current)
      cu_image_requests(store, version, {26'd0, op}, {20'd0, first}, shown_lanes, addresses, shown_mask, footprints, shown_last);
    for (n = 0; n < 4; n = n + 1) begin
      shown_valid[n] = current && (n == 0 || shown_lanes[n] != 64'd0);
      shown_line[n]  = addresses[n][63:6];
      shown_cycle[n] = footprints[n][6:0] * {6'd0, spec.ta_image_quad_cycles};
      shown_busy[n]  = image_address_cycles(vmem_ops[op], spec);
    end
  end

  // ---- return
  always_comb begin : filter
    rows = '0;
    if (returns && vmem_ops[returned_index].texels) cu_image_result(store, version, {26'd0, returned_index}, rows);
  end

endmodule
