// SPDX-License-Identifier: Apache-2.0
// The sum of two single precision numbers.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_add
  import ctm_dpp_alu_pkg::*;
(
  input  logic [31:0] x,
  input  logic [31:0] y,
  output logic [31:0] sum
);

  // The smaller number is aligned to the greater one, with a bit for all that falls off.
  logic        swap, subtract;
  logic [23:0] sig_x, sig_y, major, minor;
  logic [7:0]  major_exponent, distance;
  logic [53:0] shifted;
  logic [26:0] aligned;
  logic [27:0] wide;
  assign sig_x          = significand(x);
  assign sig_y          = significand(y);
  assign swap           = {y[30:23], sig_y} > {x[30:23], sig_x};
  assign subtract       = x[31] != y[31];
  assign major          = swap ? sig_y : sig_x;
  assign minor          = swap ? sig_x : sig_y;
  assign major_exponent = swap ? y[30:23] : x[30:23];
  assign distance       = swap ? y[30:23] - x[30:23] : x[30:23] - y[30:23];
  assign shifted        = {minor, 30'd0} >> ((distance > 8'd28) ? 5'd28 : distance[4:0]);
  assign aligned        = {shifted[53:28], shifted[27:0] != 28'd0};
  assign wide           = subtract ? {1'b0, major, 3'd0} - {1'b0, aligned}
                                   : {1'b0, major, 3'd0} + {1'b0, aligned};

  function automatic logic [4:0] leading_zeros(input logic [27:0] value);
    integer i;
    leading_zeros = 5'd28;
    for (i = 0; i < 28; i = i + 1) if (value[i]) leading_zeros = 5'd27 - i[4:0];
  endfunction

  logic [4:0]         zeros;
  logic [27:0]        normal;
  logic signed [10:0] exponent;
  assign zeros    = leading_zeros(wide);
  assign normal   = wide << zeros;
  assign exponent = $signed({3'd0, major_exponent}) + 11'sd1 - $signed({6'd0, zeros});

  always_comb begin
    if (is_nan(x) || is_nan(y)) sum = kNan;
    else if (is_inf(x) && is_inf(y) && subtract) sum = kNan;
    else if (is_inf(x)) sum = x;
    else if (is_inf(y)) sum = y;
    else if (wide == 28'd0) sum = {x[31] && y[31], 31'd0};
    else sum = rounded(swap ? y[31] : x[31], exponent, {normal[27:3], normal[2:0] != 3'd0});
  end

endmodule
