// SPDX-License-Identifier: Apache-2.0
// The steps of an operation of a vector ALU lane, each from what the one before it hands on. valu_lane has a
// register between any two; `executed` is all of them at once.
`ifndef VALU_LANE_STEPS_PKG_SV
`define VALU_LANE_STEPS_PKG_SV
`include "valu_lane_int_pkg.sv"
`include "valu_lane_pkg.sv"

// A step uses a part of what it gets.
/* verilator lint_off UNUSEDSIGNAL */

package valu_lane_steps_pkg;
  import valu_lane_pkg::*;
  import valu_lane_int_pkg::*;

  // ---- what an opcode is; the same for all lanes of a wave
  function automatic traits_t traits_of(input logic [8:0] op);
    logic float_compare, float_class_test, float_choice, condition_mask;
    logic add, sub, subrev, mul, mul_legacy, mad, mac, mad_legacy, mac_legacy;
    logic multiply_adds, multiplies, sums, float_result;
    float_compare    = op < 9'd128;
    float_class_test = op == 9'd136 || op == 9'd152;
    condition_mask   = op == 9'd256;
    float_choice     = (op >= 9'd269 && op <= 9'd272) || op == 9'd337 || op == 9'd340 || op == 9'd343;
    add              = op == 9'd259;
    sub              = op == 9'd260;
    subrev           = op == 9'd261;
    mac_legacy       = op == 9'd262;
    mul_legacy       = op == 9'd263;
    mul              = op == 9'd264;
    mac              = op == 9'd287;
    mad_legacy       = op == 9'd320;
    mad              = op == 9'd321;
    multiply_adds    = mad || mac || mad_legacy || mac_legacy;
    multiplies       = mul || mul_legacy || multiply_adds;
    sums             = add || sub || subrev || multiply_adds;
    float_result     = sums || multiplies || float_choice;

    traits_of.multiply_adds = multiply_adds;
    traits_of.multiplies    = multiplies;
    traits_of.sums          = sums;
    traits_of.legacy        = mul_legacy || mad_legacy || mac_legacy;
    traits_of.negate_x      = subrev;
    traits_of.negate_y      = sub;
    traits_of.float_result  = float_result;
    // neg and abs: float sources, and what v_cndmask_b32 chooses from. The accumulator of v_mac is
    // a destination and takes none.
    traits_of.modify_a = float_result || float_compare || float_class_test || condition_mask;
    traits_of.modify_b = float_result || float_compare || condition_mask;
    traits_of.modify_c = float_result && !mac && !mac_legacy;
    // One multiplier for integers and significands.
    traits_of.mul24_signed = op == 9'd265 || op == 9'd266 || op == 9'd322;
    traits_of.mul24        = op == 9'd267 || op == 9'd268 || op == 9'd323;
    traits_of.mul32        = op == 9'd361 || op == 9'd362;
    traits_of.mul32_signed = op == 9'd363 || op == 9'd364;
    traits_of.take_high    = op == 9'd266 || op == 9'd268 || op == 9'd362 || op == 9'd364;
    traits_of.has_sum      = op == 9'd322 || op == 9'd323;
  endfunction

  // ---- first step: source modifiers, integer unit, product
  function automatic logic [31:0] modified(input logic [31:0] x, input logic enable,
                                           input logic negate, input logic absolute);
    modified = {(x[31] && !(enable && absolute)) ^ (enable && negate), x[30:0]};
  endfunction

  function automatic control_t control_of(input traits_t traits, input operation_t in);
    control_of.multiply  = traits.multiplies;
    control_of.sum       = traits.sums;
    control_of.legacy    = traits.legacy;
    control_of.negate_x  = traits.negate_x;
    control_of.negate_y  = traits.negate_y;
    control_of.round     = in.round;
    // Multiply-add never keeps denormals.
    control_of.flush_in  = !in.denorm[0] || traits.multiply_adds;
    control_of.flush_out = !in.denorm[1] || traits.multiply_adds;
    control_of.omod      = (traits.float_result && !in.denorm[1] && !in.ieee) ? in.omod : 2'd0;
    control_of.clamp     = traits.float_result && in.clamp;
    control_of.dx10      = in.dx10;
  endfunction

  function automatic product_t multiplied(input traits_t traits, input operation_t in);
    control_t    ctl;
    outcome_t    outcome;
    logic [31:0] a, b, c, x, y;
    logic        is_signed, int_multiply;
    ctl          = control_of(traits, in);
    a            = modified(in.a, traits.modify_a, in.neg[0], in.abs[0]);
    b            = modified(in.b, traits.modify_b, in.neg[1], in.abs[1]);
    c            = modified(in.c, traits.modify_c, in.neg[2], in.abs[2]);
    outcome      = in.op[8] ? chosen(in.op, a, b, c, in.carry, in.ieee)
                            : compared(in.op[7:0], ctl.flush_in, a, b);
    is_signed    = traits.mul24_signed || traits.mul32_signed;
    int_multiply = is_signed || traits.mul24 || traits.mul32;
    x            = a;
    y            = b;
    if (traits.mul24_signed) begin
      x = {{8{a[23]}}, a[23:0]};
      y = {{8{b[23]}}, b[23:0]};
    end else if (traits.mul24) begin
      x = {8'd0, a[23:0]};
      y = {8'd0, b[23:0]};
    end else if (traits.multiplies) begin
      x = {8'd0, significand(a, ctl.flush_in)};
      y = {8'd0, significand(b, ctl.flush_in)};
    end

    multiplied.ctl          = ctl;
    multiplied.product      = {32'd0, x} * {32'd0, y};
    multiplied.correction   = (is_signed && x[31] ? y : 32'd0) + (is_signed && y[31] ? x : 32'd0);
    multiplied.int_multiply = int_multiply;
    multiplied.take_high    = traits.take_high;
    multiplied.has_sum      = traits.has_sum;
    multiplied.value        = outcome.value;
    multiplied.flag         = outcome.flag;
    multiplied.known        = outcome.known || int_multiply || traits.sums || traits.multiplies;
    multiplied.a            = a;
    multiplied.b            = b;
    multiplied.c            = c;
  endfunction

  // ---- second step: the product rounded, or the half of an integer product that is wanted
  function automatic logic [31:0] float_product(input product_t in);
    logic               sign, zero_a, zero_b;
    logic [5:0]         zeros;
    logic [47:0]        normal;
    logic signed [10:0] product_exponent;
    sign             = in.a[31] ^ in.b[31];
    zeros            = leading_zeros({in.product[47:0], 16'd0});
    normal           = in.product[47:0] << zeros;
    product_exponent = $signed({3'd0, exponent(in.a)}) + $signed({3'd0, exponent(in.b)}) - 11'sd126
                     - $signed({5'd0, zeros});
    zero_a           = is_zero(in.a, in.ctl.flush_in);
    zero_b           = is_zero(in.b, in.ctl.flush_in);
    if (in.ctl.legacy && (zero_a || zero_b)) float_product = 32'd0;
    else if (is_nan(in.a)) float_product = quiet(in.a);
    else if (is_nan(in.b)) float_product = quiet(in.b);
    else if (is_inf(in.a) || is_inf(in.b))
      float_product = (zero_a || zero_b) ? kDefaultNan : {sign, 31'h7f800000};
    else if (zero_a || zero_b) float_product = {sign, 31'd0};
    else
      float_product = pack(sign, product_exponent, {normal[47:23], normal[22:0] != 23'd0}, in.ctl.round,
                           in.ctl.flush_out);
  endfunction

  function automatic terms_t rounded_product(input product_t in);
    logic [31:0] int_product, first;
    int_product = in.take_high ? in.product[63:32] - in.correction : in.product[31:0];
    if (in.ctl.multiply) first = float_product(in);
    else if (in.ctl.sum) first = in.a;
    else if (in.int_multiply) first = in.has_sum ? int_product + in.c : int_product;
    else first = in.value;

    rounded_product.ctl   = in.ctl;
    rounded_product.x     = first;
    rounded_product.y     = in.ctl.multiply ? in.c : in.b;
    rounded_product.flag  = in.flag;
    rounded_product.known = in.known;
  endfunction

  // ---- third step: terms aligned and added
  // What is no sum of ordinary numbers passes as a special value.
  function automatic sum_t added(input terms_t in);
    logic        sign_x, sign_y, swap, subtract, special;
    logic [23:0] sig_x, sig_y, major, minor;
    logic [7:0]  exp_x, exp_y, distance;
    logic [53:0] shifted;
    logic [26:0] aligned;
    logic [27:0] sum_wide;
    logic [31:0] special_value;
    sign_x   = in.x[31] ^ in.ctl.negate_x;
    sign_y   = in.y[31] ^ in.ctl.negate_y;
    sig_x    = significand(in.x, in.ctl.flush_in);
    sig_y    = significand(in.y, in.ctl.flush_in);
    exp_x    = exponent(in.x);
    exp_y    = exponent(in.y);
    swap     = {exp_y, sig_y} > {exp_x, sig_x};
    subtract = sign_x != sign_y;
    major    = swap ? sig_y : sig_x;
    minor    = swap ? sig_x : sig_y;
    distance = swap ? exp_y - exp_x : exp_x - exp_y;
    shifted  = {minor, 30'd0} >> ((distance > 8'd28) ? 5'd28 : distance[4:0]);
    aligned  = {shifted[53:28], shifted[27:0] != 28'd0};
    sum_wide = subtract ? {1'b0, major, 3'd0} - {1'b0, aligned} : {1'b0, major, 3'd0} + {1'b0, aligned};

    special       = 1'b1;
    special_value = in.x;
    if (!in.ctl.sum) special_value = in.x;
    else if (is_nan(in.x)) special_value = quiet(in.x);
    else if (is_nan(in.y)) special_value = quiet(in.y);
    else if (is_inf(in.x) && is_inf(in.y) && subtract) special_value = kDefaultNan;
    else if (is_inf(in.x)) special_value = {sign_x, 31'h7f800000};
    else if (is_inf(in.y)) special_value = {sign_y, 31'h7f800000};
    else if (sum_wide == 28'd0) special_value = {subtract ? in.ctl.round == 2'd2 : sign_x, 31'd0};
    else special = 1'b0;

    added.ctl      = in.ctl;
    added.sum      = sum_wide;
    added.exponent = swap ? exp_y : exp_x;
    added.sign     = swap ? sign_y : sign_x;
    added.special  = special;
    added.value    = special_value;
    added.flag     = in.flag;
    added.known    = in.known;
  endfunction

  // ---- fourth step: the sum normalised and rounded
  function automatic rounded_t rounded_sum(input sum_t in);
    logic [5:0]         sum_zeros;
    logic [27:0]        sum_normal;
    logic signed [10:0] sum_exponent;
    sum_zeros    = leading_zeros({in.sum, 36'd0});
    sum_normal   = in.sum << sum_zeros;
    sum_exponent = $signed({3'd0, in.exponent}) + 11'sd1 - $signed({5'd0, sum_zeros});

    rounded_sum.ctl   = in.ctl;
    rounded_sum.value = in.special ? in.value
                                   : pack(in.sign, sum_exponent, {sum_normal[27:3], sum_normal[2:0] != 3'd0},
                                          in.ctl.round, in.ctl.flush_out);
    rounded_sum.flag  = in.flag;
    rounded_sum.known = in.known;
  endfunction

  // ---- last step: output modifiers
  // A denormal multiplied by 2 or 4; half of it is zero.
  function automatic logic [31:0] scaled_denormal(input logic [31:0] x, input logic [1:0] omod,
                                                  input logic flush_in);
    scaled_denormal = {x[31], 31'd0};
    if (!flush_in && omod == 2'd1 && x[22]) scaled_denormal = {x[31], x[29:0], 1'b0};
    if (!flush_in && omod == 2'd2 && x[22]) scaled_denormal = {x[31], 8'd2, x[21:0], 1'b0};
    if (!flush_in && omod == 2'd2 && x[22:21] == 2'd1) scaled_denormal = {x[31], x[28:0], 2'd0};
  endfunction

  // Scaling by a power of two works on the exponent. It applies only where denormal results are
  // flushed, so a denormal here came through a choice (min, max) and is the only one to normalise.
  function automatic logic [31:0] scaled(input logic [31:0] x, input control_t ctl);
    logic       to_infinity;
    logic [9:0] scaled_exp;
    to_infinity = ctl.round == 2'd0 || (ctl.round == 2'd1 && !x[31]) || (ctl.round == 2'd2 && x[31]);
    scaled_exp  = {2'd0, x[30:23]};
    case (ctl.omod)
      2'd1: scaled_exp = scaled_exp + 10'd1;
      2'd2: scaled_exp = scaled_exp + 10'd2;
      default: scaled_exp = scaled_exp - 10'd1;
    endcase
    if (is_nan(x)) scaled = quiet(x);
    else if (is_inf(x)) scaled = x;
    else if (x[30:23] == 8'd0) scaled = scaled_denormal(x, ctl.omod, ctl.flush_in);
    else if (scaled_exp == 10'd0) scaled = {x[31], 31'd0};
    else if (scaled_exp >= 10'd255) scaled = {x[31], to_infinity ? 31'h7f800000 : 31'h7f7fffff};
    else scaled = {x[31], scaled_exp[7:0], x[22:0]};
    if (scaled == 32'h80000000) scaled = 32'd0;
  endfunction

  function automatic result_t finished(input rounded_t in);
    logic [31:0] value, clamped;
    value   = (in.ctl.omod != 2'd0) ? scaled(in.value, in.ctl) : in.value;
    clamped = value;
    if (in.ctl.clamp) begin
      if (is_nan(value)) clamped = in.ctl.dx10 ? 32'd0 : value;
      else if (value[31]) clamped = 32'd0;
      else if (value > kOne) clamped = kOne;
    end
    finished.value   = in.known ? clamped : 32'd0;
    finished.flag    = in.known && in.flag;
    finished.illegal = !in.known;
  endfunction

  // ---- all steps
  function automatic result_t executed(input traits_t traits, input operation_t in);
    /* verilator no_inline_task */
    executed = finished(rounded_sum(added(rounded_product(multiplied(traits, in)))));
  endfunction

endpackage

/* verilator lint_on UNUSEDSIGNAL */

`endif
