// SPDX-License-Identifier: Apache-2.0
// A channel of an operand: a source's channel or a number, by select and swizzle, and its sign, by
// the input modifier.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_operand
  import ctm_dpp_alu_pkg::*;
(
  input  logic [15:0][31:0] sources,  // 4 * select + channel; the last four presubtracted
  input  logic [1:0]        select,
  input  logic [2:0]        swizzle,
  input  logic [1:0]        modifier,
  // Of MDH and MDV: a channel of source 0 of another processor in place of all that.
  input  logic              of_quad,
  input  logic [31:0]       quad,
  output logic [31:0]       value
);

  logic [31:0] chosen;
  always_comb begin
    case (swizzle)
      3'd4: chosen = 32'd0;
      3'd5: chosen = kHalf;
      3'd6: chosen = kOne;
      default: chosen = sources[{select, swizzle[1:0]}];
    endcase
    if (of_quad) chosen = quad;
  end

  // none, negate, absolute, negative absolute
  logic sign;
  assign sign  = (chosen[31] && !modifier[1]) ^ modifier[0];
  assign value = {sign, chosen[30:0]};

endmodule
