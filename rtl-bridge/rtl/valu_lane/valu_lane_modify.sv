// SPDX-License-Identifier: Apache-2.0
// Last step of an operation: output modifiers. Combinational.
`include "valu_lane_pkg.sv"

module valu_lane_modify
  import valu_lane_pkg::*;
(
  /* verilator lint_off UNUSEDSIGNAL */  // only the output modifiers are left to do
  input  rounded_t in,
  /* verilator lint_on UNUSEDSIGNAL */
  output result_t  out
);

  // Scaling by a power of two works on the exponent. It applies only where denormal results are
  // flushed, so a denormal here came through a choice (min, max) and is the only one to normalise.
  logic [31:0] scaled;
  logic        to_infinity;
  assign to_infinity = in.ctl.round == 2'd0 || (in.ctl.round == 2'd1 && !in.value[31])
                     || (in.ctl.round == 2'd2 && in.value[31]);
  logic [9:0]  scaled_exp;
  logic [31:0] doubled_denormal;
  always_comb begin
    scaled_exp       = {2'd0, in.value[30:23]};
    doubled_denormal = {in.value[31], in.value[29:0], 1'b0};
    case (in.ctl.omod)
      2'd1: scaled_exp = scaled_exp + 10'd1;
      2'd2: scaled_exp = scaled_exp + 10'd2;
      default: scaled_exp = scaled_exp - 10'd1;
    endcase
    scaled = in.value;
    if (in.ctl.omod != 2'd0) begin
      if (is_nan(in.value)) begin
        scaled = quiet(in.value);
      end else if (is_inf(in.value)) begin
        scaled = in.value;
      end else if (in.value[30:23] == 8'd0) begin
        scaled = {in.value[31], 31'd0};
        if (!in.ctl.flush_in && in.ctl.omod == 2'd1 && in.value[22]) scaled = doubled_denormal;
        if (!in.ctl.flush_in && in.ctl.omod == 2'd2 && in.value[22])
          scaled = {in.value[31], 8'd2, doubled_denormal[22:0]};
        if (!in.ctl.flush_in && in.ctl.omod == 2'd2 && in.value[22:21] == 2'd1)
          scaled = {in.value[31], in.value[28:0], 2'd0};
      end else if (scaled_exp == 10'd0) begin
        scaled = {in.value[31], 31'd0};
      end else if (scaled_exp >= 10'd255) begin
        scaled = {in.value[31], to_infinity ? 31'h7f800000 : 31'h7f7fffff};
      end else begin
        scaled = {in.value[31], scaled_exp[7:0], in.value[22:0]};
      end
      if (scaled == 32'h80000000) scaled = 32'd0;
    end
  end

  logic [31:0] clamped;
  always_comb begin
    clamped = scaled;
    if (in.ctl.clamp) begin
      if (is_nan(scaled)) clamped = in.ctl.dx10 ? 32'd0 : scaled;
      else if (scaled[31]) clamped = 32'd0;
      else if (scaled > kOne) clamped = kOne;
    end
  end

  assign out.value   = in.known ? clamped : 32'd0;
  assign out.flag    = in.known && in.flag;
  assign out.illegal = !in.known;

endmodule
