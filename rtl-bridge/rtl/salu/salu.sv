// SPDX-License-Identifier: Apache-2.0
// The scalar ALU of a compute unit: every instruction of SOP2, SOPK, SOP1 and SOPC, and the branches
// of SOPP, by the opcode numbers of Southern Islands. Operands come read, and results leave to be
// written, each to the wave the instruction is of. One instruction per cycle; the result comes three
// cycles after its operands:
//
//   1 operands   2 units   3 result chosen, SCC
//
// A module does what is before the second and the third register; salu_execute is the same without
// registers.
//
// Every stage moves when it is empty or the stage after it moves, so bubbles close. Outputs are
// zero while out_valid is low, and what is not written is zero.
`include "salu_pkg.sv"

module salu
  import salu_pkg::*;
(
  `include "salu_ports.svh"
);

  // ---- flow
  logic v1, v2, v3;
  logic go1, go2, go3;
  assign go3      = !v3 || out_ready;
  assign go2      = !v2 || go3;
  assign go1      = !v1 || go2;
  assign in_ready = go1;

  always_ff @(posedge clk) begin
    if (rst) begin
      v1 <= 1'b0;
      v2 <= 1'b0;
      v3 <= 1'b0;
    end else begin
      if (go1) v1 <= in_valid;
      if (go2) v2 <= v1;
      if (go3) v3 <= v2;
    end
  end

  // ---- stages: stageN is after the N-th register
  operands_t stage1;
  units_t    stage2, next2;
  results_t  stage3, next3;
  salu_units  units  (.in(stage1), .out(next2));
  salu_choose choose (.in(stage2), .out(next3));

  always_ff @(posedge clk) begin
    if (go1) begin
      stage1.enc   <= in_enc;
      stage1.op    <= in_op;
      stage1.s0    <= in_s0;
      stage1.s1    <= in_s1;
      stage1.k     <= in_k;
      stage1.sdst  <= in_sdst;
      stage1.scc   <= in_scc;
      stage1.exec  <= in_exec;
      stage1.vcc   <= in_vcc;
      stage1.pc    <= in_pc;
      stage1.m0    <= in_m0;
      stage1.sgprs <= in_sgprs;
      stage1.hwreg <= in_hwreg;
      stage1.csp   <= in_csp;
      stage1.mask  <= in_mask;
      stage1.entry <= in_entry;
      stage1.vskip <= in_vskip;
      stage1.priv  <= in_priv;
    end
    if (go2) stage2 <= next2;
    if (go3) stage3 <= next3;
  end

  results_t shown;
  assign shown           = v3 ? stage3 : '0;
  assign out_valid       = v3;
  assign out_write       = shown.write;
  assign out_wide        = shown.wide;
  assign out_sdst        = shown.sdst;
  assign out_data        = shown.data;
  assign out_scc         = shown.scc;
  assign out_exec_write  = shown.exec_write;
  assign out_exec        = shown.exec;
  assign out_jump        = shown.jump;
  assign out_pc          = shown.pc;
  assign out_hwreg_write = shown.hwreg_write;
  assign out_hwreg       = shown.hwreg;
  assign out_csp         = shown.csp;
  assign out_push        = shown.push;
  assign out_mask        = shown.mask;
  assign out_entry       = shown.entry;
  assign out_vskip       = shown.vskip;
  assign out_priv        = shown.priv;
  assign out_illegal     = shown.illegal;

endmodule
