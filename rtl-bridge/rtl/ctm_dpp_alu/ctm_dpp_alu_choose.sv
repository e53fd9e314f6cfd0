// SPDX-License-Identifier: Apache-2.0
// MIN, MAX, CND and CMP: one of two operands, with all its bits.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_choose
  import ctm_dpp_alu_pkg::*;
(
  input  logic [2:0]  unit,
  input  logic [31:0] a,
  input  logic [31:0] b,
  input  logic [31:0] c,
  output logic [31:0] value
);

  logic take_a;
  always_comb begin
    case (unit)
      kMin: take_a = is_less(a, b);
      kMax: take_a = is_less(b, a);
      kCnd: take_a = is_less(kHalf, c);
      default: take_a = holds(2'd2, c);
    endcase
  end
  assign value = take_a ? a : b;

endmodule
