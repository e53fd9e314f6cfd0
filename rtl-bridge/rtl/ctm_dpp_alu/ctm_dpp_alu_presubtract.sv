// SPDX-License-Identifier: Apache-2.0
// The presubtracted source of a channel, from its sources 0 and 1: 1 - 2 s0, s1 - s0, s1 + s0 or
// 1 - s0.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_presubtract
  import ctm_dpp_alu_pkg::*;
(
  input  logic [1:0]  operation,
  input  logic [31:0] source0,
  input  logic [31:0] source1,
  output logic [31:0] value
);

  // Exact, or infinite.
  function automatic logic [31:0] doubled(input logic [31:0] x);
    if (is_zero(x) || x[30:23] == 8'd255) doubled = x;
    else if (x[30:23] == 8'd254) doubled = {x[31], kInfinity};
    else doubled = {x[31], x[30:23] + 8'd1, x[22:0]};
  endfunction

  logic [31:0] x, y;
  always_comb begin
    case (operation)
      2'd0: begin
        x = kOne;
        y = negated(doubled(source0));
      end
      2'd1: begin
        x = source1;
        y = negated(source0);
      end
      2'd2: begin
        x = source1;
        y = source0;
      end
      default: begin
        x = kOne;
        y = negated(source0);
      end
    endcase
  end

  ctm_dpp_alu_add u_add (.x(x), .y(y), .sum(value));

endmodule
