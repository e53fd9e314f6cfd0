// SPDX-License-Identifier: Apache-2.0
// The output modifier of a result: a power of two, then the clamp to 0..1, or neither and all bits
// as they are.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_finish
  import ctm_dpp_alu_pkg::*;
(
  input  logic [2:0]  omod,  // 1, 2, 4, 8, 1/2, 1/4, 1/8, disabled
  input  logic        clamp,
  input  logic [31:0] x,
  output logic [31:0] value
);

  logic signed [9:0] power, exponent;
  always_comb begin
    case (omod)
      3'd1: power = 10'sd1;
      3'd2: power = 10'sd2;
      3'd3: power = 10'sd3;
      3'd4: power = -10'sd1;
      3'd5: power = -10'sd2;
      3'd6: power = -10'sd3;
      default: power = 10'sd0;
    endcase
  end
  assign exponent = $signed({2'd0, x[30:23]}) + power;

  logic [31:0] scaled, clamped;
  always_comb begin
    if (is_nan(x)) scaled = kNan;
    else if (is_inf(x)) scaled = x;
    else if (is_zero(x) || exponent < 10'sd1) scaled = {x[31], 31'd0};
    else if (exponent > 10'sd254) scaled = {x[31], kInfinity};
    else scaled = {x[31], exponent[7:0], x[22:0]};
  end
  always_comb begin
    if (is_nan(scaled) || scaled[31]) clamped = 32'd0;
    else if (scaled > kOne) clamped = kOne;
    else clamped = scaled;
  end
  always_comb begin
    if (omod == kDisabled) value = x;
    else value = clamp ? clamped : scaled;
  end

endmodule
