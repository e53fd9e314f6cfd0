// SPDX-License-Identifier: Apache-2.0
// The memories of waves at the edge: instruction buffers, scalar registers, vector registers. Of two
// writes to the same place the later one here counts.
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_smem_pkg.sv"
`include "cu_vector_pkg.sv"

// Some members of operations have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_registers
  import cu_pkg::*;
  import cu_scalar_pkg::*;
  import cu_smem_pkg::*;
  import cu_vector_pkg::*;
(
  input  logic               clk,
  input  logic               rst,
  input  logic               held,               // nothing moves in this cycle but rows that come
  input  logic [1:0]         turn,               // SIMD that issues
  // the block that arrives
  input  logic               block_taken,
  input  block_t             block,
  input  block_entries_t     entries_in,
  input  entry_t             entry_before,
  // loads
  input  logic               smem_loaded,
  input  smem_op_t           loaded_op,
  input  logic [15:0][31:0]  loaded_data,
  input  logic               smem_timed,
  input  smem_op_t           timed_op,
  input  logic [15:0][31:0]  timed_data,
  input  returned_t          returned,
  input  returned_rows_t     returned_rows,
  // a launch: scalar registers, local ids from v0 on, and rows that came before; other VGPRs are 0
  input  init_t              init,
  input  logic               launched,
  input  launch_t            launch,
  input  logic [4095:0]      new_scalars,
  input  logic [2:0][2047:0] ids,
  // instructions, those of the lanes by step
  input  vector_steps_t      steps,
  input  logic [15:0]        alu_valid,
  input  slot_scalars_t      alu_scalars,
  input  logic               valu_executes,
  input  logic [9:0]         valu_row,
  input  logic [1:0]         valu_written,
  input  logic [4095:0]      valu_values,
  input  logic               ds_executes,
  input  logic [9:0]         ds_row,
  input  logic [3:0]         ds_rows,
  input  logic [8191:0]      ds_result,
  input  logic [63:0]        ds_lanes,
  output buffers_t           buffers,   // wave, block, dword
  output sregs_t             sregs,       // by operand code
  output vgprs_t             vgprs      // 256 of each SIMD
);

  // A register of which the active lanes are written.
  function automatic logic [2047:0] in_lanes(input logic [2047:0] old, input logic [2047:0] values, input logic [63:0] active);
    integer lane;
    in_lanes = old;
    for (lane = 0; lane < 64; lane = lane + 1) if (active[lane]) in_lanes[32*lane+:32] = values[32*lane+:32];
  endfunction

  // Registers are written by loops and functions, and read by no other block at the edge.
  /* verilator lint_off BLKSEQ */
  // Sixteen lanes of a vector instruction, and in the last step scalar registers.
  function automatic void put_lanes(input vector_step_t s);
    integer lane;
    for (lane = 0; lane < 16; lane = lane + 1)
      if (s.written[lane] && !s.lost[lane]) vgprs[s.row][{s.number, lane[3:0], 5'd0}+:32] = s.values[32*lane+:32];
  endfunction

  function automatic void put_scalar(input vector_step_t s, input logic [6:0] code, input logic [31:0] value);
    if (!s.loaded[code]) sregs[s.wave][{code, 5'd0}+:32] = value;
  endfunction

  function automatic void put_scalars(input vector_step_t s);
    if (s.mask_write) put_scalar(s, s.code, s.mask[31:0]);
    if (s.mask_write && s.code != 7'd127) put_scalar(s, s.code + 7'd1, s.mask[63:32]);
    if (s.exec_write) begin
      put_scalar(s, 7'(kExec), s.mask[31:0]);
      put_scalar(s, 7'(kExec) + 7'd1, s.mask[63:32]);
    end
    if (s.scalar_write) put_scalar(s, s.code, s.scalar);
  endfunction

  integer     n;
  logic [9:0] launch_row;
  assign launch_row = {launch.wave[5:4], launch.vgpr_base};

  always_ff @(posedge clk) begin : instruction_buffers
    if (!rst && !held && block_taken) begin
      for (n = 0; n < 8; n = n + 1) buffers[{block.wave, block.place, n[2:0]}] = entries_in[n];
      if (block.previous != block.place) buffers[{block.wave, block.previous, 3'd7}] = entry_before;
    end
  end

  integer m;
  always_ff @(posedge clk) begin : scalar_registers
    if (!rst && !held) begin
      if (smem_loaded) sregs[loaded_op.wave] = loaded(sregs[loaded_op.wave], loaded_op, loaded_data);
      if (smem_timed) sregs[timed_op.wave] = loaded(sregs[timed_op.wave], timed_op, timed_data);
      if (launched) sregs[launch.wave] = new_scalars;
      for (m = 0; m < 4; m = m + 1) if (steps[m].valid) put_scalars(steps[m]);
      for (m = 0; m < 16; m = m + 1) if (alu_valid[m]) sregs[{turn, m[3:0]}] = alu_scalars[m];
    end
  end

  logic [2047:0]          init_rows [0:kInitRows-1];
  logic [kInitRows-1:0]   init_written;
  function automatic logic [2047:0] launched_row(input logic [7:0] r);
    launched_row = 2048'd0;
    if (r < 8'd3 && r[1:0] < launch.ids) launched_row = ids[r[1:0]];
    else if (init.taken && r < 8'(kInitRows) && init_written[r[4:0]]) launched_row = init_rows[r[4:0]];
  endfunction

  integer k;
  always_ff @(posedge clk) begin : vector_registers
    if (!rst) begin
      if (init.first) init_written = '0;
      if (init.valid && !init.lds && init.row < 8'(kInitRows)) begin
        init_rows[init.row[4:0]]    = in_lanes(init_written[init.row[4:0]] ? init_rows[init.row[4:0]] : 2048'd0, init.data, init.lanes);
        init_written[init.row[4:0]] = 1'b1;
      end
    end
    if (!rst && !held) begin
      if (returned.gds.valid)
        for (k = 0; k < 4; k = k + 1)
          if (k[2:0] < returned.gds.count) vgprs[returned.gds.row+k[9:0]] = returned_rows[10240+2048*k+:2048];
      if (returned.memory.valid)
        for (k = 0; k < 5; k = k + 1)
          if (k[2:0] < returned.memory.count) vgprs[returned.memory.row+k[9:0]] = returned_rows[2048*k+:2048];
      if (launched)
        for (k = 0; k < 256; k = k + 1)
          if (k[8:0] < launch.vgprs) vgprs[launch_row+k[9:0]] = launched_row(k[7:0]);
      for (k = 0; k < 4; k = k + 1) if (steps[k].valid) put_lanes(steps[k]);
      if (valu_executes) begin
        if (valu_written[0]) vgprs[valu_row] = valu_values[2047:0];
        if (valu_written[1]) vgprs[valu_row+10'd1] = valu_values[4095:2048];
      end
      if (ds_executes)
        for (k = 0; k < 4; k = k + 1)
          if (ds_rows[k]) vgprs[ds_row+k[9:0]] = in_lanes(vgprs[ds_row+k[9:0]], ds_result[2048*k+:2048], ds_lanes);
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
