// SPDX-License-Identifier: Apache-2.0
// Integer and bit operations, compares, and the choice among single precision sources (min, max,
// med3): everything that needs neither product nor rounding. Combinational.
`include "valu_lane_pkg.sv"

module valu_lane_int
  import valu_lane_pkg::*;
(
  input  logic [8:0]  op,
  input  logic [31:0] a,
  input  logic [31:0] b,
  input  logic [31:0] c,
  input  logic        carry,
  input  logic        ieee,
  input  logic        flush_in,
  output logic [31:0] result,
  output logic        flag,
  output logic        known
);

  // ---- sums with carry
  logic [32:0] sum;
  logic [32:0] difference_ab;
  logic [32:0] difference_ba;
  logic        carry_in;
  assign carry_in      = carry && (op >= 9'd296);
  assign sum           = {1'b0, a} + {1'b0, b} + {32'd0, carry_in};
  assign difference_ab = {1'b0, a} - {1'b0, b} - {32'd0, carry_in};
  assign difference_ba = {1'b0, b} - {1'b0, a} - {32'd0, carry_in};

  // ---- counts and bit fields
  function automatic logic [31:0] count_ones(input logic [31:0] x);
    integer i;
    count_ones = 32'd0;
    for (i = 0; i < 32; i = i + 1) count_ones = count_ones + {31'd0, x[i]};
  endfunction

  function automatic logic [31:0] reversed(input logic [31:0] x);
    integer i;
    for (i = 0; i < 32; i = i + 1) reversed[i] = x[31-i];
  endfunction

  // Position of the highest one counted from the top; all ones when there is none.
  function automatic logic [31:0] leading(input logic [31:0] x);
    integer i;
    leading = 32'hffffffff;
    for (i = 0; i < 32; i = i + 1) if (x[i]) leading = 32'd31 - i;
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

  logic [63:0] pair;
  assign pair = {a, b};

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

  logic [31:0] byte_sad;
  logic [31:0] masked_sad;
  assign byte_sad = distance8(a[31:24], b[31:24]) + distance8(a[23:16], b[23:16])
                  + distance8(a[15:8], b[15:8]) + distance8(a[7:0], b[7:0]);
  assign masked_sad = ((b[31:24] == 8'd0) ? 32'd0 : distance8(a[31:24], b[31:24]))
                    + ((b[23:16] == 8'd0) ? 32'd0 : distance8(a[23:16], b[23:16]))
                    + ((b[15:8] == 8'd0) ? 32'd0 : distance8(a[15:8], b[15:8]))
                    + ((b[7:0] == 8'd0) ? 32'd0 : distance8(a[7:0], b[7:0]));

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

  // A NaN gives the other source; in IEEE mode a signaling NaN wins, quieted.
  function automatic logic [31:0] float_select(input logic greatest, input logic ieee_mode,
                                               input logic [31:0] x, input logic [31:0] y);
    logic less;
    less = greatest ? below(order_key(y), order_key(x)) : below(order_key(x), order_key(y));
    float_select = less ? x : y;
    if (is_nan(y)) float_select = x;
    if (is_nan(x)) float_select = y;
    if (ieee_mode && is_signaling(y)) float_select = quiet(y);
    if (ieee_mode && is_signaling(x)) float_select = quiet(x);
  endfunction

  function automatic logic [31:0] number_select(input logic greatest, input logic [31:0] x,
                                                input logic [31:0] y);
    logic less;
    less = greatest ? below(order_key(y), order_key(x)) : below(order_key(x), order_key(y));
    number_select = less ? x : y;
  endfunction

  logic        any_nan;
  logic [31:0] float_min3;
  logic [31:0] float_median;
  assign any_nan    = is_nan(a) || is_nan(b) || is_nan(c);
  assign float_min3 = float_select(1'b0, ieee, float_select(1'b0, ieee, a, b), c);
  assign float_median = number_select(1'b1, number_select(1'b0, a, b),
                                      number_select(1'b0, number_select(1'b1, a, b), c));

  // ---- compares
  logic [31:0] fa;
  logic [31:0] fb;
  logic        float_less;
  logic        float_equal;
  logic        unordered;
  logic        float_greater;
  assign fa            = is_zero(a, flush_in) ? 32'd0 : a;
  assign fb            = is_zero(b, flush_in) ? 32'd0 : b;
  assign unordered     = is_nan(a) || is_nan(b);
  assign float_less    = !unordered && below(value_key(fa), value_key(fb));
  assign float_greater = !unordered && below(value_key(fb), value_key(fa));
  assign float_equal   = !unordered && fa == fb;

  logic float_condition;
  always_comb begin
    case (op[2:0])
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
    if (op[3]) begin
      case (op[2:0])
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
  end

  logic integer_less;
  logic integer_equal;
  logic integer_condition;
  assign integer_less  = op[6] ? a < b : below(a, b);
  assign integer_equal = a == b;
  always_comb begin
    case (op[2:0])
      3'd0: integer_condition = 1'b0;
      3'd1: integer_condition = integer_less;
      3'd2: integer_condition = integer_equal;
      3'd3: integer_condition = integer_less || integer_equal;
      3'd4: integer_condition = !integer_less && !integer_equal;
      3'd5: integer_condition = !integer_equal;
      3'd6: integer_condition = !integer_less;
      default: integer_condition = 1'b1;
    endcase
  end

  // Which of the ten classes: signaling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0,
  // +denormal, +normal, +inf.
  logic [9:0] float_class;
  always_comb begin
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
  end

  // ---- the table
  always_comb begin
    result = 32'd0;
    flag   = 1'b0;
    known  = 1'b1;
    if (op < 9'd256) begin
      if (!op[7]) begin
        known = !op[5];  // the others are double precision
        flag  = float_condition && known;
      end else if (!op[5] && !op[3]) begin
        flag = integer_condition;
      end else if (!op[6] && !op[5] && op[2:0] == 3'd0) begin
        flag = (float_class & b[9:0]) != 10'd0;
      end else begin
        known = 1'b0;
      end
    end else begin
      case (op)
        9'd256: result = carry ? b : a;
        // min and max, legacy: any NaN picks the second source
        9'd269: result = (!unordered && below(value_key(a), value_key(b))) ? a : b;
        9'd270: result = (!unordered && !below(value_key(a), value_key(b))) ? a : b;
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
        9'd293, 9'd296: begin
          result = sum[31:0];
          flag   = sum[32];
        end
        9'd294, 9'd297: begin
          result = difference_ab[31:0];
          flag   = difference_ab[32];
        end
        9'd295, 9'd298: begin
          result = difference_ba[31:0];
          flag   = difference_ba[32];
        end
        9'd328: result = (a >> b[4:0]) & low_ones(c[4:0]);
        9'd329: result = field_signed(a, b[4:0], c[4:0]);
        9'd330: result = (a & b) | (~a & c);
        9'd333: result = {mean(a[31:24], b[31:24], c[24]), mean(a[23:16], b[23:16], c[16]),
                          mean(a[15:8], b[15:8], c[8]), mean(a[7:0], b[7:0], c[0])};
        9'd334: result = 32'(pair >> c[4:0]);
        9'd335: result = 32'(pair >> {c[1:0], 3'd0});
        9'd337: result = float_min3;
        9'd338: result = lower(1'b1, lower(1'b1, a, b), c);
        9'd339: result = lower(1'b0, lower(1'b0, a, b), c);
        9'd340: result = float_select(1'b1, ieee, float_select(1'b1, ieee, a, b), c);
        9'd341: result = upper(1'b1, upper(1'b1, a, b), c);
        9'd342: result = upper(1'b0, upper(1'b0, a, b), c);
        9'd343: result = any_nan ? float_min3 : float_median;
        9'd344: result = upper(1'b1, lower(1'b1, a, b), lower(1'b1, upper(1'b1, a, b), c));
        9'd345: result = upper(1'b0, lower(1'b0, a, b), lower(1'b0, upper(1'b0, a, b), c));
        9'd346: result = byte_sad + c;
        9'd347: result = (byte_sad << 16) + c;
        9'd348: result = distance16(a[31:16], b[31:16]) + distance16(a[15:0], b[15:0]) + c;
        9'd349: result = ((a > b) ? a - b : b - a) + c;
        9'd369: result = masked_sad + c;
        9'd385: result = a;
        9'd439: result = ~a;
        9'd440: result = reversed(a);
        9'd441: result = leading(a);
        9'd442: result = (a == 32'd0) ? 32'hffffffff : 32'd31 - leading(a & (~a + 32'd1));
        9'd443: result = leading(a ^ {32{a[31]}});
        default: known = 1'b0;
      endcase
    end
  end

endmodule
