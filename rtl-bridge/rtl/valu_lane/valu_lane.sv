// SPDX-License-Identifier: Apache-2.0
// One lane of the vector ALU: 32-bit integer and logic operations, compares, single precision
// add, multiply, multiply-add, min, max and med3. Opcodes are the VOP3 opcode numbers of Southern
// Islands. One operation per cycle; the result comes six cycles behind its operands:
//
//   1 operands   2 integer unit, product   3 product rounded   4 aligned and added
//   5 sum normalised and rounded   6 output modifiers
//
// Every stage moves when it is empty or the stage behind it moves, so bubbles close. Outputs are
// zero while out_valid is low.
`include "valu_lane_pkg.sv"

module valu_lane
  import valu_lane_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  // operations
  input  logic        in_valid,
  output logic        in_ready,
  input  logic [8:0]  in_op,
  input  logic [31:0] in_a,
  input  logic [31:0] in_b,
  input  logic [31:0] in_c,
  input  logic        in_carry,  // carry-in, or the condition of v_cndmask_b32
  input  logic [2:0]  in_neg,    // source modifiers
  input  logic [2:0]  in_abs,
  input  logic [1:0]  in_omod,
  input  logic        in_clamp,
  input  logic [1:0]  in_round,  // MODE register
  input  logic [1:0]  in_denorm, // bit 0 input, bit 1 output denormals allowed
  input  logic        in_dx10,
  input  logic        in_ieee,
  // results
  output logic        out_valid,
  input  logic        out_ready,
  output logic [31:0] out_result,
  output logic        out_flag,   // carry, borrow or result of a compare
  output logic        out_illegal // an opcode this lane does not have
);

  // ---- flow
  logic v1, v2, v3, v4, v5, v6;
  logic go1, go2, go3, go4, go5, go6;
  assign go6      = !v6 || out_ready;
  assign go5      = !v5 || go6;
  assign go4      = !v4 || go5;
  assign go3      = !v3 || go4;
  assign go2      = !v2 || go3;
  assign go1      = !v1 || go2;
  assign in_ready = go1;

  always_ff @(posedge clk) begin
    if (rst) begin
      v1 <= 1'b0;
      v2 <= 1'b0;
      v3 <= 1'b0;
      v4 <= 1'b0;
      v5 <= 1'b0;
      v6 <= 1'b0;
    end else begin
      if (go1) v1 <= in_valid;
      if (go2) v2 <= v1;
      if (go3) v3 <= v2;
      if (go4) v4 <= v3;
      if (go5) v5 <= v4;
      if (go6) v6 <= v5;
    end
  end

  // ---- stage 1: operands
  logic [8:0]  op1;
  logic [31:0] a1, b1, c1;
  logic        carry1, ieee1, clamp1, dx10_1;
  logic [2:0]  neg1, abs1;
  logic [1:0]  omod1, round1, denorm1;
  always_ff @(posedge clk) begin
    if (go1) begin
      op1     <= in_op;
      a1      <= in_a;
      b1      <= in_b;
      c1      <= in_c;
      carry1  <= in_carry;
      neg1    <= in_neg;
      abs1    <= in_abs;
      omod1   <= in_omod;
      clamp1  <= in_clamp;
      round1  <= in_round;
      denorm1 <= in_denorm;
      dx10_1  <= in_dx10;
      ieee1   <= in_ieee;
    end
  end

  // What the opcode is.
  logic float_compare, float_class, float_choice, condition_mask;
  logic add, sub, subrev, mul, mul_legacy, mad, mac, mad_legacy, mac_legacy;
  assign float_compare  = op1 < 9'd128;
  assign float_class    = op1 == 9'd136 || op1 == 9'd152;
  assign condition_mask = op1 == 9'd256;
  assign float_choice   = (op1 >= 9'd269 && op1 <= 9'd272) || op1 == 9'd337 || op1 == 9'd340
                        || op1 == 9'd343;
  assign add            = op1 == 9'd259;
  assign sub            = op1 == 9'd260;
  assign subrev         = op1 == 9'd261;
  assign mac_legacy     = op1 == 9'd262;
  assign mul_legacy     = op1 == 9'd263;
  assign mul            = op1 == 9'd264;
  assign mac            = op1 == 9'd287;
  assign mad_legacy     = op1 == 9'd320;
  assign mad            = op1 == 9'd321;

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

  logic [31:0] ma1, mb1, mc1;
  assign ma1 = modified(a1, modify_a, neg1[0], abs1[0]);
  assign mb1 = modified(b1, modify_b, neg1[1], abs1[1]);
  assign mc1 = modified(c1, modify_c, neg1[2], abs1[2]);

  control_t ctl1;
  always_comb begin
    ctl1           = '0;
    ctl1.multiply  = multiplies;
    ctl1.sum       = sums;
    ctl1.legacy    = mul_legacy || mad_legacy || mac_legacy;
    ctl1.negate_x  = subrev;
    ctl1.negate_y  = sub;
    ctl1.round     = round1;
    // Multiply-add never keeps denormals.
    ctl1.flush_in  = !denorm1[0] || multiply_adds;
    ctl1.flush_out = !denorm1[1] || multiply_adds;
    ctl1.omod      = (float_result && !denorm1[1] && !ieee1) ? omod1 : 2'd0;
    ctl1.clamp     = float_result && clamp1;
    ctl1.dx10      = dx10_1;
  end

  // ---- stage 2: integer unit and product
  logic [31:0] int_result;
  logic        int_flag, int_known;
  valu_lane_int u_int (
    .op(op1), .a(ma1), .b(mb1), .c(mc1), .carry(carry1), .ieee(ieee1), .flush_in(ctl1.flush_in),
    .result(int_result), .flag(int_flag), .known(int_known)
  );

  // One multiplier for integers and significands.
  logic       mul24_signed, mul24, mul32_signed, mul32, take_high, int_multiply;
  assign mul24_signed = op1 == 9'd265 || op1 == 9'd266 || op1 == 9'd322;
  assign mul24        = op1 == 9'd267 || op1 == 9'd268 || op1 == 9'd323;
  assign mul32        = op1 == 9'd361 || op1 == 9'd362;
  assign mul32_signed = op1 == 9'd363 || op1 == 9'd364;
  assign take_high    = op1 == 9'd266 || op1 == 9'd268 || op1 == 9'd362 || op1 == 9'd364;
  assign int_multiply = mul24_signed || mul24 || mul32 || mul32_signed;

  logic [31:0] x1, y1;
  always_comb begin
    if (mul24_signed) begin
      x1 = {{8{a1[23]}}, a1[23:0]};
      y1 = {{8{b1[23]}}, b1[23:0]};
    end else if (mul24) begin
      x1 = {8'd0, a1[23:0]};
      y1 = {8'd0, b1[23:0]};
    end else if (multiplies) begin
      x1 = {8'd0, significand(ma1, ctl1.flush_in)};
      y1 = {8'd0, significand(mb1, ctl1.flush_in)};
    end else begin
      x1 = a1;
      y1 = b1;
    end
  end

  control_t    ctl2;
  logic [63:0] product2;
  logic [31:0] correction2;  // of the upper half, for negative factors
  logic        int_multiply2, take_high2, has_sum2, flag2, known2;
  logic [31:0] value2;  // of the integer unit, or the addend
  logic [31:0] a2, b2, c2;
  always_ff @(posedge clk) begin
    if (go2) begin
      ctl2          <= ctl1;
      product2      <= {32'd0, x1} * {32'd0, y1};
      correction2   <= ((mul24_signed || mul32_signed) && x1[31] ? y1 : 32'd0)
                     + ((mul24_signed || mul32_signed) && y1[31] ? x1 : 32'd0);
      int_multiply2 <= int_multiply;
      take_high2    <= take_high;
      has_sum2      <= op1 == 9'd322 || op1 == 9'd323;
      value2        <= int_result;
      flag2         <= int_flag;
      known2        <= int_known || int_multiply || arithmetic;
      a2            <= ma1;
      b2            <= mb1;
      c2            <= mc1;
    end
  end

  // ---- stage 3: the product, rounded
  function automatic logic [5:0] zeros48(input logic [47:0] x);
    integer i;
    zeros48 = 6'd48;
    for (i = 0; i < 48; i = i + 1) if (x[i]) zeros48 = 6'd47 - i[5:0];
  endfunction

  logic               product_sign;
  logic [5:0]         product_zeros;
  logic [47:0]        product_normal;
  logic signed [10:0] product_exponent;
  logic [31:0]        product_value;
  logic               zero_a, zero_b;
  assign product_sign     = a2[31] ^ b2[31];
  assign product_zeros    = zeros48(product2[47:0]);
  assign product_normal   = product2[47:0] << product_zeros;
  assign product_exponent = $signed({3'd0, exponent(a2)}) + $signed({3'd0, exponent(b2)})
                          - 11'sd126 - $signed({5'd0, product_zeros});
  assign zero_a           = is_zero(a2, ctl2.flush_in);
  assign zero_b           = is_zero(b2, ctl2.flush_in);
  always_comb begin
    if (ctl2.legacy && (zero_a || zero_b)) product_value = 32'd0;
    else if (is_nan(a2)) product_value = quiet(a2);
    else if (is_nan(b2)) product_value = quiet(b2);
    else if (is_inf(a2) || is_inf(b2))
      product_value = (zero_a || zero_b) ? kDefaultNan : {product_sign, 31'h7f800000};
    else if (zero_a || zero_b) product_value = {product_sign, 31'd0};
    else
      product_value = pack(product_sign, product_exponent,
                           {product_normal[47:23], product_normal[22:0] != 23'd0},
                           ctl2.round, ctl2.flush_out);
  end

  logic [31:0] int_product;
  assign int_product = take_high2 ? product2[63:32] - correction2 : product2[31:0];

  control_t    ctl3;
  logic [31:0] x3, y3;
  logic        flag3, known3;
  always_ff @(posedge clk) begin
    if (go3) begin
      ctl3   <= ctl2;
      flag3  <= flag2;
      known3 <= known2;
      y3     <= ctl2.multiply ? c2 : b2;
      if (ctl2.multiply) x3 <= product_value;
      else if (ctl2.sum) x3 <= a2;
      else if (int_multiply2) x3 <= has_sum2 ? int_product + c2 : int_product;
      else x3 <= value2;
    end
  end

  // ---- stage 4: aligned and added
  logic        sign_x, sign_y, swap, subtract;
  logic [23:0] sig_x, sig_y;
  logic [7:0]  exp_x, exp_y;
  logic [23:0] major, minor;
  logic [7:0]  major_exp, distance;
  logic [53:0] shifted;
  logic [26:0] aligned;
  logic [27:0] sum_wide;
  assign sign_x    = x3[31] ^ ctl3.negate_x;
  assign sign_y    = y3[31] ^ ctl3.negate_y;
  assign sig_x     = significand(x3, ctl3.flush_in);
  assign sig_y     = significand(y3, ctl3.flush_in);
  assign exp_x     = exponent(x3);
  assign exp_y     = exponent(y3);
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
    special_value = x3;
    if (is_nan(x3)) special_value = quiet(x3);
    else if (is_nan(y3)) special_value = quiet(y3);
    else if (is_inf(x3) && is_inf(y3) && subtract) special_value = kDefaultNan;
    else if (is_inf(x3)) special_value = {sign_x, 31'h7f800000};
    else if (is_inf(y3)) special_value = {sign_y, 31'h7f800000};
    else if (sum_wide == 28'd0) special_value = {subtract ? ctl3.round == 2'd2 : sign_x, 31'd0};
    else special = 1'b0;
    if (!ctl3.sum) begin
      special       = 1'b1;
      special_value = x3;
    end
  end

  control_t    ctl4;
  logic [27:0] sum4;
  logic [7:0]  exp4;
  logic        sign4, special4, flag4, known4;
  logic [31:0] value4;
  always_ff @(posedge clk) begin
    if (go4) begin
      ctl4     <= ctl3;
      sum4     <= sum_wide;
      exp4     <= major_exp;
      sign4    <= swap ? sign_y : sign_x;
      special4 <= special;
      value4   <= special_value;
      flag4    <= flag3;
      known4   <= known3;
    end
  end

  // ---- stage 5: normalised and rounded
  function automatic logic [4:0] zeros28(input logic [27:0] x);
    integer i;
    zeros28 = 5'd28;
    for (i = 0; i < 28; i = i + 1) if (x[i]) zeros28 = 5'd27 - i[4:0];
  endfunction

  logic [4:0]         sum_zeros;
  logic [27:0]        sum_normal;
  logic signed [10:0] sum_exponent;
  logic [31:0]        sum_value;
  assign sum_zeros    = zeros28(sum4);
  assign sum_normal   = sum4 << sum_zeros;
  assign sum_exponent = $signed({3'd0, exp4}) + 11'sd1 - $signed({6'd0, sum_zeros});
  assign sum_value    = pack(sign4, sum_exponent, {sum_normal[27:3], sum_normal[2:0] != 3'd0},
                             ctl4.round, ctl4.flush_out);

  /* verilator lint_off UNUSEDSIGNAL */  // only the output modifiers are left to do
  control_t    ctl5;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] value5;
  logic        flag5, known5;
  always_ff @(posedge clk) begin
    if (go5) begin
      ctl5   <= ctl4;
      value5 <= special4 ? value4 : sum_value;
      flag5  <= flag4;
      known5 <= known4;
    end
  end

  // ---- stage 6: output modifiers
  // Scaling by a power of two works on the exponent. It applies only where denormal results are
  // flushed, so a denormal here came through a choice (min, max) and is the only one to normalise.
  logic [31:0] scaled;
  logic        to_infinity;
  assign to_infinity = ctl5.round == 2'd0 || (ctl5.round == 2'd1 && !value5[31])
                     || (ctl5.round == 2'd2 && value5[31]);
  logic [9:0]  scaled_exp;
  logic [31:0] doubled_denormal;
  always_comb begin
    scaled_exp       = {2'd0, value5[30:23]};
    doubled_denormal = {value5[31], value5[29:0], 1'b0};
    case (ctl5.omod)
      2'd1: scaled_exp = scaled_exp + 10'd1;
      2'd2: scaled_exp = scaled_exp + 10'd2;
      default: scaled_exp = scaled_exp - 10'd1;
    endcase
    scaled = value5;
    if (ctl5.omod != 2'd0) begin
      if (is_nan(value5)) begin
        scaled = quiet(value5);
      end else if (is_inf(value5)) begin
        scaled = value5;
      end else if (value5[30:23] == 8'd0) begin
        scaled = {value5[31], 31'd0};
        if (!ctl5.flush_in && ctl5.omod == 2'd1 && value5[22]) scaled = doubled_denormal;
        if (!ctl5.flush_in && ctl5.omod == 2'd2 && value5[22])
          scaled = {value5[31], 8'd2, doubled_denormal[22:0]};
        if (!ctl5.flush_in && ctl5.omod == 2'd2 && value5[22:21] == 2'd1)
          scaled = {value5[31], value5[28:0], 2'd0};
      end else if (scaled_exp == 10'd0) begin
        scaled = {value5[31], 31'd0};
      end else if (scaled_exp >= 10'd255) begin
        scaled = {value5[31], to_infinity ? 31'h7f800000 : 31'h7f7fffff};
      end else begin
        scaled = {value5[31], scaled_exp[7:0], value5[22:0]};
      end
      if (scaled == 32'h80000000) scaled = 32'd0;
    end
  end

  logic [31:0] clamped;
  always_comb begin
    clamped = scaled;
    if (ctl5.clamp) begin
      if (is_nan(scaled)) clamped = ctl5.dx10 ? 32'd0 : scaled;
      else if (scaled[31]) clamped = 32'd0;
      else if (scaled > kOne) clamped = kOne;
    end
  end

  logic [31:0] value6;
  logic        flag6, illegal6;
  always_ff @(posedge clk) begin
    if (go6) begin
      value6   <= known5 ? clamped : 32'd0;
      flag6    <= known5 && flag5;
      illegal6 <= !known5;
    end
  end

  assign out_valid   = v6;
  assign out_result  = v6 ? value6 : 32'd0;
  assign out_flag    = v6 && flag6;
  assign out_illegal = v6 && illegal6;

endmodule
