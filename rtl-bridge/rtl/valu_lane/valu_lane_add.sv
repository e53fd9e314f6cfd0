// SPDX-License-Identifier: Apache-2.0
// Third step of an operation: terms aligned and added. What is no sum of ordinary numbers passes as a
// special value. Combinational.
`include "valu_lane_pkg.sv"

module valu_lane_add
  import valu_lane_pkg::*;
(
  input  terms_t in,
  output sum_t   out
);

  logic        sign_x, sign_y, swap, subtract;
  logic [23:0] sig_x, sig_y;
  logic [7:0]  exp_x, exp_y;
  logic [23:0] major, minor;
  logic [7:0]  major_exp, distance;
  logic [53:0] shifted;
  logic [26:0] aligned;
  logic [27:0] sum_wide;
  assign sign_x    = in.x[31] ^ in.ctl.negate_x;
  assign sign_y    = in.y[31] ^ in.ctl.negate_y;
  assign sig_x     = significand(in.x, in.ctl.flush_in);
  assign sig_y     = significand(in.y, in.ctl.flush_in);
  assign exp_x     = exponent(in.x);
  assign exp_y     = exponent(in.y);
  assign swap      = {exp_y, sig_y} > {exp_x, sig_x};
  assign subtract  = sign_x != sign_y;
  assign major     = swap ? sig_y : sig_x;
  assign minor     = swap ? sig_x : sig_y;
  assign major_exp = swap ? exp_y : exp_x;
  assign distance  = swap ? exp_y - exp_x : exp_x - exp_y;
  assign shifted   = {minor, 30'd0} >> ((distance > 8'd28) ? 5'd28 : distance[4:0]);
  assign aligned   = {shifted[53:28], shifted[27:0] != 28'd0};
  assign sum_wide  = subtract ? {1'b0, major, 3'd0} - {1'b0, aligned}
                              : {1'b0, major, 3'd0} + {1'b0, aligned};

  // Sums that are no ordinary numbers.
  logic        special;
  logic [31:0] special_value;
  always_comb begin
    special       = 1'b1;
    special_value = in.x;
    if (is_nan(in.x)) special_value = quiet(in.x);
    else if (is_nan(in.y)) special_value = quiet(in.y);
    else if (is_inf(in.x) && is_inf(in.y) && subtract) special_value = kDefaultNan;
    else if (is_inf(in.x)) special_value = {sign_x, 31'h7f800000};
    else if (is_inf(in.y)) special_value = {sign_y, 31'h7f800000};
    else if (sum_wide == 28'd0) special_value = {subtract ? in.ctl.round == 2'd2 : sign_x, 31'd0};
    else special = 1'b0;
    if (!in.ctl.sum) begin
      special       = 1'b1;
      special_value = in.x;
    end
  end

  assign out.ctl      = in.ctl;
  assign out.sum      = sum_wide;
  assign out.exponent = major_exp;
  assign out.sign     = swap ? sign_y : sign_x;
  assign out.special  = special;
  assign out.value    = special_value;
  assign out.flag     = in.flag;
  assign out.known    = in.known;

endmodule
