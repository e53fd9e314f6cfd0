// SPDX-License-Identifier: Apache-2.0
// Fourth step of an operation: the sum normalised and rounded. Combinational.
`include "valu_lane_pkg.sv"

module valu_lane_normalise
  import valu_lane_pkg::*;
(
  input  sum_t     in,
  output rounded_t out
);

  function automatic logic [4:0] zeros28(input logic [27:0] x);
    integer i;
    zeros28 = 5'd28;
    for (i = 0; i < 28; i = i + 1) if (x[i]) zeros28 = 5'd27 - i[4:0];
  endfunction

  logic [4:0]         sum_zeros;
  logic [27:0]        sum_normal;
  logic signed [10:0] sum_exponent;
  logic [31:0]        sum_value;
  assign sum_zeros    = zeros28(in.sum);
  assign sum_normal   = in.sum << sum_zeros;
  assign sum_exponent = $signed({3'd0, in.exponent}) + 11'sd1 - $signed({6'd0, sum_zeros});
  assign sum_value    = pack(in.sign, sum_exponent, {sum_normal[27:3], sum_normal[2:0] != 3'd0},
                             in.ctl.round, in.ctl.flush_out);

  assign out.ctl   = in.ctl;
  assign out.value = in.special ? in.value : sum_value;
  assign out.flag  = in.flag;
  assign out.known = in.known;

endmodule
