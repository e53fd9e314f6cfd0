// SPDX-License-Identifier: Apache-2.0
// The product of two single precision numbers.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_multiply
  import ctm_dpp_alu_pkg::*;
(
  input  logic [31:0] x,
  input  logic [31:0] y,
  output logic [31:0] product
);

  logic               sign, zero, infinite;
  logic [47:0]        wide, normal;
  logic signed [10:0] exponent;
  assign sign     = x[31] ^ y[31];
  assign zero     = is_zero(x) || is_zero(y);
  assign infinite = is_inf(x) || is_inf(y);
  assign wide     = {24'd0, significand(x)} * {24'd0, significand(y)};
  assign normal   = wide[47] ? wide : {wide[46:0], 1'b0};
  assign exponent = $signed({3'd0, x[30:23]}) + $signed({3'd0, y[30:23]}) - 11'sd127
                  + $signed({10'd0, wide[47]});

  always_comb begin
    if (is_nan(x) || is_nan(y)) product = kNan;
    else if (infinite && zero) product = kNan;
    else if (infinite) product = {sign, kInfinity};
    else if (zero) product = {sign, 31'd0};
    else product = rounded(sign, exponent, {normal[47:23], normal[22:0] != 23'd0});
  end

endmodule
