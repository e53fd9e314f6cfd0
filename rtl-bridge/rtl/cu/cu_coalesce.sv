// SPDX-License-Identifier: Apache-2.0
// The coalescer of the address unit. It is given instructions as they come to the address unit's queue,
// and shows the requests of the one that the address unit has started, or starts next. Of one that
// reads texels cu_images does.
`include "cu_pkg.sv"

// Some members of the operations and queues, and outputs of the parts, have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off PINCONNECTEMPTY */
module cu_coalesce
  import cu_pkg::*;
(
  input  logic             clk,
  input  logic             rst,
  input  logic             held,              // no instruction and no request passes in this cycle
  input  spec_t            spec,
  input  queues_t          queues,
  input  vmem_ops_t        vmem_ops,
  input  vmem_addresses_t  vmem_addresses,
  output logic             handed,            // it takes an instruction of the queue
  output logic [3:0]       shown_valid,       // requests
  input  logic [3:0]       shown_taken,
  output logic [3:0][57:0] shown_line,
  output logic [3:0][63:0] shown_lanes,
  output logic [3:0][12:0] shown_cycle,       // it may leave in, from the start on
  output logic [3:0]       shown_last,        // of the instruction
  output logic [3:0][13:0] shown_busy,        // cycles the address unit needs for it
  // those of cu_images, when the instruction reads texels
  input  logic             image_current,
  input  logic [3:0]       image_valid,
  input  logic [3:0][57:0] image_line,
  input  logic [3:0][63:0] image_lanes,
  input  logic [3:0][12:0] image_cycle,
  input  logic [3:0]       image_last,
  input  logic [3:0][13:0] image_busy,
  output logic             first_misaligned   // the first of the queue is an atomic whose operands are not aligned
);

  logic [3:0]       out_valid, out_taken, out_last;
  logic [3:0][57:0] out_line;
  logic [3:0][63:0] out_lanes;
  logic [3:0][10:0] out_cycle;
  logic [3:0][11:0] out_busy;
  logic       hand_valid, hand_ready;
  logic [5:0] place, index;
  vmem_op_t   hand;
  assign hand_valid = queues.ta_handed < queues.ta_queue.count;
  assign place      = queues.ta_queue.head + queues.ta_handed[5:0];
  assign index      = queues.ta_queue.items[place].what;
  assign hand       = vmem_ops[index];
  assign handed     = hand_valid && (hand.texels || hand_ready);
  assign out_taken  = image_current || held ? 4'd0 : shown_taken;

  // An image store takes a quad's cycles for each quad of its groups of sixteen lanes.
  logic [8:0] store_cycles;
  assign store_cycles = hand.image ? {spec.ta_image_quad_cycles, 2'd0} : {2'd0, spec.ta_store_quarter_cycles};
  ta_coalescer coalescer (.clk(clk), .rst(rst), .cfg_load_quad(spec.ta_load_quad_cycles),
    .cfg_load_quarter(spec.ta_load_quarter_cycles), .cfg_store_quarter(store_cycles),
    .cfg_atomic_quad(spec.ta_atomic_quad_cycles), .cfg_load_pair(spec.ta_load_pair_cycles),
    .cfg_load_scattered(spec.ta_load_scattered_cycles), .cfg_load_scattered_triple(spec.ta_load_scattered_triple_cycles),
    .cfg_linear_lines(spec.linear_lines), .op_valid(hand_valid && !hand.texels && !held), .op_ready(hand_ready), .op_kind(hand.kind),
    .op_compares(hand.kind == kAtomic && (hand.atomic == kCmpSwap || hand.atomic == kFCmpSwap)), .op_bytes(hand.bytes),
    .op_dwords(hand.dwords), .op_contiguous(hand.contiguous), .op_lanes(hand.lanes), .op_dword_lanes(hand.dword_lanes),
    .op_address0(vmem_addresses[{index, 2'd0}]), .op_address1(vmem_addresses[{index, 2'd1}]),
    .op_address2(vmem_addresses[{index, 2'd2}]), .op_address3(vmem_addresses[{index, 2'd3}]),
    .out0_valid(out_valid[0]), .out0_ready(out_taken[0]), .out0_line(out_line[0]), .out0_lanes(out_lanes[0]),
    .out0_cycle(out_cycle[0]), .out0_last(out_last[0]), .out0_busy(out_busy[0]), .out0_misaligned(),
    .out1_valid(out_valid[1]), .out1_ready(out_taken[1]), .out1_line(out_line[1]), .out1_lanes(out_lanes[1]),
    .out1_cycle(out_cycle[1]), .out1_last(out_last[1]), .out1_busy(out_busy[1]), .out1_misaligned(),
    .out2_valid(out_valid[2]), .out2_ready(out_taken[2]), .out2_line(out_line[2]), .out2_lanes(out_lanes[2]),
    .out2_cycle(out_cycle[2]), .out2_last(out_last[2]), .out2_busy(out_busy[2]), .out2_misaligned(),
    .out3_valid(out_valid[3]), .out3_ready(out_taken[3]), .out3_line(out_line[3]), .out3_lanes(out_lanes[3]),
    .out3_cycle(out_cycle[3]), .out3_last(out_last[3]), .out3_busy(out_busy[3]), .out3_misaligned());

  always_comb begin : show
    integer k;
    for (k = 0; k < 4; k = k + 1) begin
      shown_valid[k] = image_current ? image_valid[k] : out_valid[k];
      shown_line[k]  = image_current ? image_line[k] : out_line[k];
      shown_lanes[k] = image_current ? image_lanes[k] : out_lanes[k];
      shown_cycle[k] = image_current ? image_cycle[k] : {2'd0, out_cycle[k]};
      shown_last[k]  = image_current ? image_last[k] : out_last[k];
      shown_busy[k]  = image_current ? image_busy[k] : {2'd0, out_busy[k]};
    end
  end

  logic [5:0]   first;
  logic [191:0] low;
  logic         misaligned;
  assign first            = queues.ta_queue.items[queues.ta_queue.head].what;
  assign first_misaligned = vmem_ops[first].kind == kAtomic && misaligned;
  always_comb begin : low_bits
    integer k;
    for (k = 0; k < 64; k = k + 1) low[3*k+:3] = vmem_addresses[{first, 2'd0}][64*k+:3];
  end
  ta_coalescer_align alignment (.wide(vmem_ops[first].bytes == 5'd8), .lanes(vmem_ops[first].lanes), .low(low),
    .misaligned(misaligned), .lane(), .taken());

endmodule
