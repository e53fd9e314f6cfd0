// SPDX-License-Identifier: Apache-2.0
// Second step of a scalar instruction: the result chosen, SCC, and what is written; the rest is zero.
// Combinational.
`include "salu_pkg.sv"

module salu_choose
  import salu_pkg::*;
(
  input  units_t   in,
  output results_t out
);

  // The value whose zero SCC tells of; the destination's, but of saveexec.
  logic [63:0] value, result;
  always_comb begin
    case (in.from)
      kFromSource:       value = in.s0;
      kFromConstant:     value = {32'd0, in.k};
      kFromLogic:        value = in.logical;
      kFromSum:          value = {32'd0, in.sum};
      kFromOrder:        value = in.chosen;
      kFromShift:        value = in.shifted;
      kFromProduct:      value = {32'd0, in.product};
      kFromCount:        value = {32'd0, in.counted};
      kFromPattern:      value = in.moved;
      kFromField:        value = {32'd0, in.field};
      kFromExec:         value = in.logical;
      kFromPc:           value = in.pc;
      default:           value = 64'd0;
    endcase
  end
  assign result = in.wide ? value : {32'd0, value[31:0]};

  logic scc_next;
  always_comb begin
    case (in.scc_rule)
      kSccNonzero:   scc_next = result != 64'd0;
      kSccCarry:     scc_next = in.carry;
      kSccOverflow:  scc_next = in.overflow;
      kSccCondition: scc_next = in.condition;
      default:       scc_next = in.scc;
    endcase
  end

  logic exec_write;
  assign exec_write      = in.with_exec || in.flow_exec;
  assign out.write       = in.write;
  assign out.wide        = in.write && in.wide;
  assign out.sdst        = in.write ? in.sdst : 7'd0;
  assign out.data        = !in.write ? 64'd0 : in.with_exec ? in.exec : result;
  assign out.scc         = in.known && scc_next;
  assign out.exec_write  = exec_write;
  assign out.exec        = !exec_write ? 64'd0 : in.with_exec ? result : in.flow_mask;
  assign out.jump        = in.known && in.jump;
  assign out.pc          = (in.known && in.jump) ? in.target : 64'd0;
  assign out.hwreg_write = in.set_hwreg;
  assign out.hwreg       = in.set_hwreg ? in.hwreg : 32'd0;
  assign out.csp         = in.known ? in.csp : 3'd0;
  assign out.push        = in.push;
  assign out.mask        = in.push ? in.mask : 64'd0;
  assign out.entry       = in.push ? in.entry : 64'd0;
  assign out.vskip       = in.known && in.vskip;
  assign out.priv        = in.known && in.priv;
  assign out.illegal     = !in.known;

endmodule
