// SPDX-License-Identifier: Apache-2.0
// First step of an operation: what the opcode is, source modifiers, the integer unit, and the product of
// integers or significands. Combinational.
`include "valu_lane_pkg.sv"

module valu_lane_multiply
  import valu_lane_pkg::*;
(
  input  operation_t in,
  output product_t   out
);

  // What the opcode is.
  logic float_compare, float_class, float_choice, condition_mask;
  logic add, sub, subrev, mul, mul_legacy, mad, mac, mad_legacy, mac_legacy;
  assign float_compare  = in.op < 9'd128;
  assign float_class    = in.op == 9'd136 || in.op == 9'd152;
  assign condition_mask = in.op == 9'd256;
  assign float_choice   = (in.op >= 9'd269 && in.op <= 9'd272) || in.op == 9'd337 || in.op == 9'd340
                        || in.op == 9'd343;
  assign add            = in.op == 9'd259;
  assign sub            = in.op == 9'd260;
  assign subrev         = in.op == 9'd261;
  assign mac_legacy     = in.op == 9'd262;
  assign mul_legacy     = in.op == 9'd263;
  assign mul            = in.op == 9'd264;
  assign mac            = in.op == 9'd287;
  assign mad_legacy     = in.op == 9'd320;
  assign mad            = in.op == 9'd321;

  logic multiplies, multiply_adds, sums, arithmetic, float_result;
  assign multiply_adds = mad || mac || mad_legacy || mac_legacy;
  assign multiplies    = mul || mul_legacy || multiply_adds;
  assign sums          = add || sub || subrev || multiply_adds;
  assign arithmetic    = sums || multiplies;
  assign float_result  = arithmetic || float_choice;

  // neg and abs: float sources, and what v_cndmask_b32 chooses from. The accumulator of v_mac is
  // a destination and takes none.
  logic modify_a, modify_b, modify_c;
  assign modify_a = float_result || float_compare || float_class || condition_mask;
  assign modify_b = float_result || float_compare || condition_mask;
  assign modify_c = float_result && !mac && !mac_legacy;

  function automatic logic [31:0] modified(input logic [31:0] x, input logic enable,
                                           input logic negate, input logic absolute);
    modified = {(x[31] && !(enable && absolute)) ^ (enable && negate), x[30:0]};
  endfunction

  logic [31:0] ma, mb, mc;
  assign ma = modified(in.a, modify_a, in.neg[0], in.abs[0]);
  assign mb = modified(in.b, modify_b, in.neg[1], in.abs[1]);
  assign mc = modified(in.c, modify_c, in.neg[2], in.abs[2]);

  control_t ctl;
  always_comb begin
    ctl           = '0;
    ctl.multiply  = multiplies;
    ctl.sum       = sums;
    ctl.legacy    = mul_legacy || mad_legacy || mac_legacy;
    ctl.negate_x  = subrev;
    ctl.negate_y  = sub;
    ctl.round     = in.round;
    // Multiply-add never keeps denormals.
    ctl.flush_in  = !in.denorm[0] || multiply_adds;
    ctl.flush_out = !in.denorm[1] || multiply_adds;
    ctl.omod      = (float_result && !in.denorm[1] && !in.ieee) ? in.omod : 2'd0;
    ctl.clamp     = float_result && in.clamp;
    ctl.dx10      = in.dx10;
  end

  // ---- integer unit
  logic [31:0] int_result;
  logic        int_flag, int_known;
  valu_lane_int u_int (
    .op(in.op), .a(ma), .b(mb), .c(mc), .carry(in.carry), .ieee(in.ieee), .flush_in(ctl.flush_in),
    .result(int_result), .flag(int_flag), .known(int_known)
  );

  // One multiplier for integers and significands.
  logic       mul24_signed, mul24, mul32_signed, mul32, take_high, int_multiply;
  assign mul24_signed = in.op == 9'd265 || in.op == 9'd266 || in.op == 9'd322;
  assign mul24        = in.op == 9'd267 || in.op == 9'd268 || in.op == 9'd323;
  assign mul32        = in.op == 9'd361 || in.op == 9'd362;
  assign mul32_signed = in.op == 9'd363 || in.op == 9'd364;
  assign take_high    = in.op == 9'd266 || in.op == 9'd268 || in.op == 9'd362 || in.op == 9'd364;
  assign int_multiply = mul24_signed || mul24 || mul32 || mul32_signed;

  logic [31:0] x, y;
  always_comb begin
    if (mul24_signed) begin
      x = {{8{in.a[23]}}, in.a[23:0]};
      y = {{8{in.b[23]}}, in.b[23:0]};
    end else if (mul24) begin
      x = {8'd0, in.a[23:0]};
      y = {8'd0, in.b[23:0]};
    end else if (multiplies) begin
      x = {8'd0, significand(ma, ctl.flush_in)};
      y = {8'd0, significand(mb, ctl.flush_in)};
    end else begin
      x = in.a;
      y = in.b;
    end
  end

  assign out.ctl          = ctl;
  assign out.product      = {32'd0, x} * {32'd0, y};
  assign out.correction   = ((mul24_signed || mul32_signed) && x[31] ? y : 32'd0)
                          + ((mul24_signed || mul32_signed) && y[31] ? x : 32'd0);
  assign out.int_multiply = int_multiply;
  assign out.take_high    = take_high;
  assign out.has_sum      = in.op == 9'd322 || in.op == 9'd323;
  assign out.value        = int_result;
  assign out.flag         = int_flag;
  assign out.known        = int_known || int_multiply || arithmetic;
  assign out.a            = ma;
  assign out.b            = mb;
  assign out.c            = mc;

endmodule
