// SPDX-License-Identifier: Apache-2.0
// Integer and bit operations, compares, and the choice among single precision sources (min, max,
// med3): everything that needs neither product nor rounding.
`ifndef VALU_LANE_INT_PKG_SV
`define VALU_LANE_INT_PKG_SV
`include "valu_lane_pkg.sv"

// Functions that look at a part of a number only.
/* verilator lint_off UNUSEDSIGNAL */

package valu_lane_int_pkg;
  import valu_lane_pkg::*;

  typedef struct packed {
    logic [31:0] value;
    logic        flag;
    logic        known;
  } outcome_t;

  // ---- counts and bit fields
  // Position of the highest one counted from the top; all ones when there is none.
  function automatic logic [31:0] leading(input logic [31:0] x);
    leading = (x == 32'd0) ? 32'hffffffff : {26'd0, leading_zeros({x, 32'd0})};
  endfunction

  function automatic logic [31:0] low_ones(input logic [4:0] n);
    low_ones = (32'd1 << n) - 32'd1;
  endfunction

  function automatic logic [31:0] shift_right_signed(input logic [31:0] x, input logic [4:0] n);
    shift_right_signed = $signed(x) >>> n;
  endfunction

  function automatic logic [31:0] field_signed(input logic [31:0] x, input logic [4:0] offset,
                                               input logic [4:0] width);
    logic [5:0]  last;
    logic [4:0]  up;
    logic [31:0] y;
    last = {1'b0, offset} + {1'b0, width};
    up   = 5'd0 - last[4:0];
    y    = x << up;
    if (width == 5'd0) field_signed = 32'd0;
    else if (last < 6'd32) field_signed = shift_right_signed(y, 5'd0 - width);
    else field_signed = shift_right_signed(x, offset);
  endfunction

  // ---- packed bytes
  function automatic logic [31:0] distance8(input logic [7:0] x, input logic [7:0] y);
    distance8 = {24'd0, (x > y) ? x - y : y - x};
  endfunction

  function automatic logic [31:0] distance16(input logic [15:0] x, input logic [15:0] y);
    distance16 = {16'd0, (x > y) ? x - y : y - x};
  endfunction

  function automatic logic [7:0] mean(input logic [7:0] x, input logic [7:0] y, input logic r);
    mean = 8'(({1'b0, x} + {1'b0, y} + {8'd0, r}) >> 1);
  endfunction

  function automatic logic [31:0] byte_sad(input logic [31:0] a, input logic [31:0] b);
    byte_sad = distance8(a[31:24], b[31:24]) + distance8(a[23:16], b[23:16])
             + distance8(a[15:8], b[15:8]) + distance8(a[7:0], b[7:0]);
  endfunction

  function automatic logic [31:0] masked_sad(input logic [31:0] a, input logic [31:0] b);
    masked_sad = ((b[31:24] == 8'd0) ? 32'd0 : distance8(a[31:24], b[31:24]))
               + ((b[23:16] == 8'd0) ? 32'd0 : distance8(a[23:16], b[23:16]))
               + ((b[15:8] == 8'd0) ? 32'd0 : distance8(a[15:8], b[15:8]))
               + ((b[7:0] == 8'd0) ? 32'd0 : distance8(a[7:0], b[7:0]));
  endfunction

  // ---- order
  function automatic logic [31:0] lower(input logic is_signed, input logic [31:0] x,
                                        input logic [31:0] y);
    logic less;
    less  = is_signed ? below(x, y) : x < y;
    lower = less ? x : y;
  endfunction

  function automatic logic [31:0] upper(input logic is_signed, input logic [31:0] x,
                                        input logic [31:0] y);
    logic less;
    less  = is_signed ? below(y, x) : y < x;
    upper = less ? x : y;
  endfunction

  function automatic logic [31:0] number_select(input logic greatest, input logic [31:0] x,
                                                input logic [31:0] y);
    logic less;
    less = greatest ? below(order_key(y), order_key(x)) : below(order_key(x), order_key(y));
    number_select = less ? x : y;
  endfunction

  function automatic logic either_nan(input logic [31:0] a, input logic [31:0] b);
    either_nan = is_nan(a) || is_nan(b);
  endfunction

  function automatic logic any_nan(input logic [31:0] a, input logic [31:0] b,
                                   input logic [31:0] c);
    any_nan = either_nan(a, b) || is_nan(c);
  endfunction

  function automatic logic [31:0] float_min3(input logic ieee, input logic [31:0] a,
                                             input logic [31:0] b, input logic [31:0] c);
    float_min3 = float_select(1'b0, ieee, float_select(1'b0, ieee, a, b), c);
  endfunction

  function automatic logic [31:0] float_median(input logic [31:0] a, input logic [31:0] b,
                                               input logic [31:0] c);
    float_median = number_select(1'b1, number_select(1'b0, a, b),
                                 number_select(1'b0, number_select(1'b1, a, b), c));
  endfunction

  // ---- compares
  function automatic logic float_condition(input logic [3:0] condition, input logic flush_in,
                                           input logic [31:0] a, input logic [31:0] b);
    logic [31:0] fa;
    logic [31:0] fb;
    logic        float_less;
    logic        float_equal;
    logic        unordered;
    logic        float_greater;
    fa            = is_zero(a, flush_in) ? 32'd0 : a;
    fb            = is_zero(b, flush_in) ? 32'd0 : b;
    unordered     = either_nan(a, b);
    float_less    = !unordered && below(value_key(fa), value_key(fb));
    float_greater = !unordered && below(value_key(fb), value_key(fa));
    float_equal   = !unordered && fa == fb;
    case (condition[2:0])
      3'd0: float_condition = 1'b0;
      3'd1: float_condition = float_less;
      3'd2: float_condition = float_equal;
      3'd3: float_condition = float_less || float_equal;
      3'd4: float_condition = float_greater;
      3'd5: float_condition = float_less || float_greater;
      3'd6: float_condition = float_greater || float_equal;
      default: float_condition = !unordered;
    endcase
    // The second eight: U, NGE, NLG, NGT, NLE, NEQ, NLT, TRU are the complements in reverse.
    if (condition[3]) begin
      case (condition[2:0])
        3'd0: float_condition = unordered;
        3'd1: float_condition = !(float_greater || float_equal);
        3'd2: float_condition = !(float_less || float_greater);
        3'd3: float_condition = !float_greater;
        3'd4: float_condition = !(float_less || float_equal);
        3'd5: float_condition = !float_equal;
        3'd6: float_condition = !float_less;
        default: float_condition = 1'b1;
      endcase
    end
  endfunction

  function automatic logic integer_condition(input logic [2:0] condition, input logic is_unsigned,
                                             input logic [31:0] a, input logic [31:0] b);
    logic integer_less;
    logic integer_equal;
    integer_less  = is_unsigned ? a < b : below(a, b);
    integer_equal = a == b;
    case (condition)
      3'd0: integer_condition = 1'b0;
      3'd1: integer_condition = integer_less;
      3'd2: integer_condition = integer_equal;
      3'd3: integer_condition = integer_less || integer_equal;
      3'd4: integer_condition = !integer_less && !integer_equal;
      3'd5: integer_condition = !integer_equal;
      3'd6: integer_condition = !integer_less;
      default: integer_condition = 1'b1;
    endcase
  endfunction

  // Which of the ten classes: signaling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0,
  // +denormal, +normal, +inf.
  function automatic logic [9:0] float_class(input logic [31:0] a);
    float_class = 10'd0;
    if (is_nan(a)) begin
      float_class[0] = !a[22];
      float_class[1] = a[22];
    end else if (is_inf(a)) begin
      float_class[2] = a[31];
      float_class[9] = !a[31];
    end else if (a[30:23] != 8'd0) begin
      float_class[3] = a[31];
      float_class[8] = !a[31];
    end else if (a[22:0] != 23'd0) begin
      float_class[4] = a[31];
      float_class[7] = !a[31];
    end else begin
      float_class[5] = a[31];
      float_class[6] = !a[31];
    end
  endfunction

  // Opcodes below 256.
  function automatic outcome_t compared(input logic [7:0] op, input logic flush_in,
                                        input logic [31:0] a, input logic [31:0] b);
    logic flag;
    logic known;
    flag  = 1'b0;
    known = 1'b1;
    if (!op[7]) begin
      known = !op[5];  // the others are double precision
      flag  = float_condition(op[3:0], flush_in, a, b) && known;
    end else if (!op[5] && !op[3]) begin
      flag = integer_condition(op[2:0], op[6], a, b);
    end else if (!op[6] && !op[5] && op[2:0] == 3'd0) begin
      flag = (float_class(a) & b[9:0]) != 10'd0;
    end else begin
      known = 1'b0;
    end
    compared.value = 32'd0;
    compared.flag  = flag;
    compared.known = known;
  endfunction

  // Opcodes from 256 on.
  function automatic outcome_t chosen(input logic [8:0] op, input logic [31:0] a,
                                      input logic [31:0] b, input logic [31:0] c,
                                      input logic carry, input logic ieee);
    logic [31:0] result;
    logic        flag;
    logic        known;
    logic        carry_in;
    flag     = 1'b0;
    known    = 1'b1;
    result   = 32'd0;
    carry_in = carry && (op >= 9'd296);
    case (op)
      9'd256: result = carry ? b : a;
      // min and max, legacy: any NaN picks the second source
      9'd269: result = (!either_nan(a, b) && below(value_key(a), value_key(b))) ? a : b;
      9'd270: result = (!either_nan(a, b) && !below(value_key(a), value_key(b))) ? a : b;
      9'd271: result = float_select(1'b0, ieee, a, b);
      9'd272: result = float_select(1'b1, ieee, a, b);
      9'd273: result = lower(1'b1, a, b);
      9'd274: result = upper(1'b1, a, b);
      9'd275: result = lower(1'b0, a, b);
      9'd276: result = upper(1'b0, a, b);
      9'd277: result = a >> b[4:0];
      9'd278: result = b >> a[4:0];
      9'd279: result = shift_right_signed(a, b[4:0]);
      9'd280: result = shift_right_signed(b, a[4:0]);
      9'd281: result = a << b[4:0];
      9'd282: result = b << a[4:0];
      9'd283: result = a & b;
      9'd284: result = a | b;
      9'd285: result = a ^ b;
      9'd286: result = low_ones(a[4:0]) << b[4:0];
      9'd290: result = count_ones(a) + b;
      9'd293, 9'd296: {flag, result} = {1'b0, a} + {1'b0, b} + {32'd0, carry_in};
      9'd294, 9'd297: {flag, result} = {1'b0, a} - {1'b0, b} - {32'd0, carry_in};
      9'd295, 9'd298: {flag, result} = {1'b0, b} - {1'b0, a} - {32'd0, carry_in};
      9'd328: result = (a >> b[4:0]) & low_ones(c[4:0]);
      9'd329: result = field_signed(a, b[4:0], c[4:0]);
      9'd330: result = (a & b) | (~a & c);
      9'd333: result = {mean(a[31:24], b[31:24], c[24]), mean(a[23:16], b[23:16], c[16]),
                        mean(a[15:8], b[15:8], c[8]), mean(a[7:0], b[7:0], c[0])};
      9'd334: result = 32'({a, b} >> c[4:0]);
      9'd335: result = 32'({a, b} >> {c[1:0], 3'd0});
      9'd337: result = float_min3(ieee, a, b, c);
      9'd338: result = lower(1'b1, lower(1'b1, a, b), c);
      9'd339: result = lower(1'b0, lower(1'b0, a, b), c);
      9'd340: result = float_select(1'b1, ieee, float_select(1'b1, ieee, a, b), c);
      9'd341: result = upper(1'b1, upper(1'b1, a, b), c);
      9'd342: result = upper(1'b0, upper(1'b0, a, b), c);
      9'd343: result = any_nan(a, b, c) ? float_min3(ieee, a, b, c) : float_median(a, b, c);
      9'd344: result = upper(1'b1, lower(1'b1, a, b), lower(1'b1, upper(1'b1, a, b), c));
      9'd345: result = upper(1'b0, lower(1'b0, a, b), lower(1'b0, upper(1'b0, a, b), c));
      9'd346: result = byte_sad(a, b) + c;
      9'd347: result = (byte_sad(a, b) << 16) + c;
      9'd348: result = distance16(a[31:16], b[31:16]) + distance16(a[15:0], b[15:0]) + c;
      9'd349: result = ((a > b) ? a - b : b - a) + c;
      9'd369: result = masked_sad(a, b) + c;
      9'd385: result = a;
      9'd439: result = ~a;
      9'd440: result = reversed(a);
      9'd441: result = leading(a);
      9'd442: result = (a == 32'd0) ? 32'hffffffff : 32'd31 - leading(a & (~a + 32'd1));
      9'd443: result = leading(a ^ {32{a[31]}});
      default: known = 1'b0;
    endcase
    chosen.value = result;
    chosen.flag  = flag;
    chosen.known = known;
  endfunction

endpackage

/* verilator lint_on UNUSEDSIGNAL */

`endif
