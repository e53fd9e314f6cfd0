// SPDX-License-Identifier: Apache-2.0
// The sixteen lanes of a SIMD's vector ALU. An instruction takes four steps: lanes 0 to 15 of its wave in
// the cycle it issues in, from the values it reads there, the others in the three cycles after it, from
// these values as they were then. The SIMD's next vector instruction comes four cycles later at the
// earliest, as does the wave's next one of any kind, so that nothing but what returns to the wave's
// registers sees that they are written step by step.
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_smem_pkg.sv"
`include "cu_vector_pkg.sv"

// Some members of operations have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_lanes
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;
  import cu_smem_pkg::*;
  import cu_vector_pkg::*;
(
  input  logic         clk,
  input  logic         rst,
  input  logic         held,       // nothing moves in this cycle
  // an instruction issues
  input  logic         start,
  input  vector_op_t   issued_op,
  input  vector_rows_t issued_rows,
  // what returns to registers in this cycle
  input  returned_t    returned,
  input  logic         smem_loaded,
  input  smem_op_t     loaded_op,
  input  logic         smem_timed,
  input  smem_op_t     timed_op,
  output logic         known,      // the lanes have the instruction that issues
  output vector_step_t step
);

  localparam int kLanes = 16;

  // ---- the instruction: after the cycle it issues in, as it was held
  vector_op_t   op, held_op;
  vector_rows_t held_rows;
  logic         busy, valid;
  logic [1:0]   next, number;      // steps
  assign valid  = start || busy;
  assign number = start ? 2'd0 : next;
  assign op     = start ? issued_op : held_op;

  // ---- its operands in the lanes of this step
  function automatic logic [32*kLanes-1:0] of_step(input logic [2047:0] issued_row, input logic [2047:0] held_row);
    of_step = start ? issued_row[32*kLanes-1:0] : held_row[{next, 9'd0}+:32*kLanes];
  endfunction

  logic [32*kLanes-1:0] v0, v1, v2, old;
  logic [kLanes-1:0]    mask_in, exec;
  always_comb begin : operands
    v0      = '0;
    v1      = '0;
    v2      = '0;
    old     = '0;
    mask_in = op.mask[{number, 4'd0}+:kLanes];
    exec    = op.exec[{number, 4'd0}+:kLanes];
    if (valid) begin
      v0  = of_step(issued_rows.v0, held_rows.v0);
      v1  = of_step(issued_rows.v1, held_rows.v1);
      v2  = of_step(issued_rows.v2, held_rows.v2);
      old = of_step(issued_rows.old, held_rows.old);
    end
  end

  logic                 row_write, mask_write, exec_write, scalar_write;
  logic [kLanes-1:0]    written, mask_next;
  logic [32*kLanes-1:0] values;
  logic [31:0]          scalar;
  cu_valu_execute #(.LANES(kLanes)) execute (.valid(valid), .inst(op.d), .first({number, 4'd0}), .chosen(op.chosen),
    .s0(op.s0), .s1(op.s1), .s2(op.s2), .v0(v0), .v1(v1), .v2(v2), .old(old), .exists(op.exists), .mask(mask_in), .exec(exec),
    .round(op.round), .denorm(op.denorm), .dx10(op.dx10), .ieee(op.ieee), .known(known), .row_write(row_write),
    .written(written), .values(values), .mask_write(mask_write), .exec_write(exec_write), .mask_next(mask_next),
    .scalar_write(scalar_write), .scalar(scalar));

  // ---- what the steps leave together: a lane mask, or the lane that was read
  logic [63:0] mask, earlier_mask;
  logic [31:0] read, earlier_read;
  logic        reads, earlier_reads;
  always_comb begin : collect
    mask                         = earlier_mask;
    mask[{number, 4'd0}+:kLanes] = mask_next;
    reads                        = scalar_write || (earlier_reads && !start);
    read                         = scalar_write ? scalar : earlier_read;
  end

  // ---- what returns overtake
  function automatic logic [63:0] returned_lanes(input rows_t r);
    returned_lanes = r.valid && op.row - r.row < {7'd0, r.count} ? r.lanes : 64'd0;
  endfunction

  logic [63:0]  lost, earlier_lost;
  logic [127:0] dwords, earlier_dwords;
  always_comb begin : overtaken
    lost   = 64'd0;
    dwords = 128'd0;
    if (busy && !start) begin
      lost   = earlier_lost | returned_lanes(returned.gds) | returned_lanes(returned.memory);
      dwords = earlier_dwords;
      if (smem_loaded && loaded_op.wave == op.wave) dwords = dwords | loaded_dwords(loaded_op);
      if (smem_timed && timed_op.wave == op.wave) dwords = dwords | loaded_dwords(timed_op);
    end
  end

  // ---- the step
  logic       last;
  logic [6:0] mask_code;           // VCC, or the pair that VOP3 names
  assign last      = valid && number == 2'd3;
  assign mask_code = op.d.format == kVop3 ? op.d.sdst : 7'(kVcc);
  always_comb begin : result
    step              = '0;
    step.valid        = valid && known;
    step.number       = number;
    step.wave         = op.wave;
    step.row          = op.row;
    step.written      = row_write ? written : 16'd0;
    step.lost         = lost[{number, 4'd0}+:kLanes];
    step.mask_write   = last && mask_write;
    step.exec_write   = last && exec_write;
    step.scalar_write = last && reads;
    step.code         = reads ? op.d.sdst : mask_code;
    step.mask         = mask;
    step.scalar       = read;
    step.loaded       = dwords;
    step.values       = values;
  end

  always_ff @(posedge clk) begin : hold
    if (start && !held) begin
      held_op   <= issued_op;
      held_rows <= issued_rows;
    end
    if (valid && !held) begin
      next           <= number + 2'd1;
      earlier_mask   <= mask;
      earlier_reads  <= reads;
      earlier_read   <= read;
      earlier_lost   <= lost;
      earlier_dwords <= dwords;
    end
    if (rst || !held) busy <= !rst && valid && known && !last;
  end

endmodule
