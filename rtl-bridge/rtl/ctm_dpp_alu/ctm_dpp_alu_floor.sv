// SPDX-License-Identifier: Apache-2.0
// The greatest integer that is not above a number, with the number's sign when it is 0.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_floor
  import ctm_dpp_alu_pkg::*;
(
  input  logic [31:0] x,
  output logic [31:0] value
);

  // Bits of the fraction that are after the point, for 1 <= |x| < 2^23: 150 less the exponent.
  logic [4:0]  behind;
  logic [31:0] fraction;
  assign behind   = 5'd22 - x[27:23];
  assign fraction = (32'd1 << behind) - 32'd1;

  always_comb begin
    if (is_zero(x)) value = {x[31], 31'd0};
    else if (x[30:23] < 8'd127) value = x[31] ? negated(kOne) : 32'd0;
    else if (x[30:23] >= 8'd150) value = x;
    else if (x[31] && (x & fraction) != 32'd0) value = (x | fraction) + 32'd1;
    else value = x & ~fraction;
  end

endmodule
