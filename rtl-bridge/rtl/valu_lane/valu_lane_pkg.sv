// SPDX-License-Identifier: Apache-2.0
// Types and small functions of the vector ALU lane.
`ifndef VALU_LANE_PKG_SV
`define VALU_LANE_PKG_SV

// Functions that look at a part of a number only.
/* verilator lint_off UNUSEDSIGNAL */

package valu_lane_pkg;

  // What an operation needs after the operand stage; travels down the pipeline with it.
  typedef struct packed {
    logic       multiply;  // single precision product
    logic       sum;       // single precision sum (of the product, when there is one)
    logic       legacy;    // zero times anything is +0
    logic       negate_x;  // the first operand of the sum counts negative
    logic       negate_y;  // the second one does
    logic [1:0] round;     // MODE: 0 nearest even, 1 up, 2 down, 3 toward zero
    logic       flush_in;  // denormal sources count as zero
    logic       flush_out; // denormal results become zero
    logic [1:0] omod;      // 0 none, 1 times two, 2 times four, 3 half; 0 unless it applies
    logic       clamp;
    logic       dx10;      // clamp turns NaN into zero
  } control_t;

  // An operation, as the pins of valu_lane have it.
  typedef struct packed {
    logic [8:0]  op;
    logic [31:0] a, b, c;
    logic        carry;
    logic [2:0]  neg, abs;
    logic [1:0]  omod;
    logic        clamp;
    logic [1:0]  round;
    logic [1:0]  denorm;
    logic        dx10;
    logic        ieee;
  } operation_t;

  // What an opcode is.
  typedef struct packed {
    logic multiply_adds, multiplies, sums;          // of single precision
    logic legacy, negate_x, negate_y;               // as in control_t
    logic float_result;
    logic modify_a, modify_b, modify_c;             // sources that neg and abs apply to
    logic mul24_signed, mul24, mul32, mul32_signed; // products of integers
    logic take_high, has_sum;                       // their upper half, with an addend
  } traits_t;

  // What the steps of an operation hand on.
  typedef struct packed {
    control_t    ctl;
    logic [63:0] product;
    logic [31:0] correction;  // of the upper half, for negative factors
    logic        int_multiply;
    logic        take_high;
    logic        has_sum;
    logic [31:0] value;       // of the integer unit
    logic        flag;
    logic        known;
    logic [31:0] a, b, c;     // modified sources
  } product_t;

  typedef struct packed {
    control_t    ctl;
    logic [31:0] x, y;
    logic        flag;
    logic        known;
  } terms_t;

  typedef struct packed {
    control_t    ctl;
    logic [27:0] sum;
    logic [7:0]  exponent;
    logic        sign;
    logic        special;     // `value` takes the sum's place
    logic [31:0] value;
    logic        flag;
    logic        known;
  } sum_t;

  typedef struct packed {
    control_t    ctl;
    logic [31:0] value;
    logic        flag;
    logic        known;
  } rounded_t;

  typedef struct packed {
    logic [31:0] value;
    logic        flag;        // carry, borrow or result of a compare
    logic        illegal;     // an opcode this lane does not have
  } result_t;

  localparam logic [31:0] kDefaultNan = 32'hffc00000;
  localparam logic [31:0] kOne = 32'h3f800000;

  function automatic logic is_nan(input logic [31:0] x);
    is_nan = x[30:0] > 31'h7f800000;
  endfunction

  function automatic logic is_signaling(input logic [31:0] x);
    is_signaling = is_nan(x) && !x[22];
  endfunction

  function automatic logic is_inf(input logic [31:0] x);
    is_inf = x[30:0] == 31'h7f800000;
  endfunction

  function automatic logic [31:0] quiet(input logic [31:0] x);
    quiet = x | 32'h00400000;
  endfunction

  // Orders like the numbers, -0 below +0, as signed integers.
  function automatic logic [31:0] order_key(input logic [31:0] x);
    order_key = x[31] ? {1'b1, ~x[30:0]} : x;
  endfunction

  // The same with both zeros equal.
  function automatic logic [31:0] value_key(input logic [31:0] x);
    value_key = x[31] ? order_key(x) + 32'd1 : x;
  endfunction

  function automatic logic below(input logic [31:0] a, input logic [31:0] b);
    below = $signed(a) < $signed(b);
  endfunction

  // Significand with the implicit bit; zero when a denormal is flushed.
  function automatic logic [23:0] significand(input logic [31:0] x, input logic flush);
    if (x[30:23] != 8'd0) significand = {1'b1, x[22:0]};
    else if (flush) significand = 24'd0;
    else significand = {1'b0, x[22:0]};
  endfunction

  // Exponent field, denormals at the smallest normal one.
  function automatic logic [7:0] exponent(input logic [31:0] x);
    exponent = (x[30:23] == 8'd0) ? 8'd1 : x[30:23];
  endfunction

  // Zero, or counted as zero.
  function automatic logic is_zero(input logic [31:0] x, input logic flush);
    is_zero = x[30:23] == 8'd0 && (flush || x[22:0] == 23'd0);
  endfunction

  // ---- counts
  // Zeros above the highest one, of which there is one.
  function automatic logic [5:0] leading_zeros(input logic [63:0] x);
    /* verilator no_inline_task */
    logic [63:0] y;
    y = x;
    leading_zeros[5] = y[63:32] == 32'd0;
    if (leading_zeros[5]) y = y << 32;
    leading_zeros[4] = y[63:48] == 16'd0;
    if (leading_zeros[4]) y = y << 16;
    leading_zeros[3] = y[63:56] == 8'd0;
    if (leading_zeros[3]) y = y << 8;
    leading_zeros[2] = y[63:60] == 4'd0;
    if (leading_zeros[2]) y = y << 4;
    leading_zeros[1] = y[63:62] == 2'd0;
    if (leading_zeros[1]) y = y << 2;
    leading_zeros[0] = !y[63];
  endfunction

  function automatic logic [31:0] count_ones(input logic [31:0] x);
    /* verilator no_inline_task */
    integer i;
    count_ones = 32'd0;
    for (i = 0; i < 32; i = i + 1) count_ones = count_ones + {31'd0, x[i]};
  endfunction

  function automatic logic [31:0] reversed(input logic [31:0] x);
    /* verilator no_inline_task */
    integer i;
    for (i = 0; i < 32; i = i + 1) reversed[i] = x[31-i];
  endfunction

  // ---- choice
  // A NaN gives the other source; in IEEE mode a signaling NaN wins, quieted.
  function automatic logic [31:0] float_select(input logic greatest, input logic ieee_mode,
                                               input logic [31:0] x, input logic [31:0] y);
    /* verilator no_inline_task */
    logic less;
    less = greatest ? below(order_key(y), order_key(x)) : below(order_key(x), order_key(y));
    float_select = less ? x : y;
    if (is_nan(y)) float_select = x;
    if (is_nan(x)) float_select = y;
    if (ieee_mode && is_signaling(y)) float_select = quiet(y);
    if (ieee_mode && is_signaling(x)) float_select = quiet(x);
  endfunction

  // ---- rounding
  function automatic logic round_up(input logic [1:0] round, input logic sign, input logic odd,
                                    input logic half, input logic rest);
    case (round)
      2'd0: round_up = half && (rest || odd);
      2'd1: round_up = (half || rest) && !sign;
      2'd2: round_up = (half || rest) && sign;
      default: round_up = 1'b0;
    endcase
  endfunction

  // The single nearest to significand * 2^(biased - 127 - 25) in the direction of `round`:
  // bit 25 of the significand is set, bits 1 and 0 are the half and whether there is more below.
  function automatic logic [31:0] pack(input logic sign, input logic signed [10:0] biased,
                                       input logic [25:0] m, input logic [1:0] round,
                                       input logic flush);
    /* verilator no_inline_task */
    logic        up;
    logic [24:0] kept;
    logic signed [10:0] e;
    logic signed [10:0] distance;
    logic [4:0]  shift;
    logic [50:0] wide;
    logic        half;
    logic        rest;
    up   = round_up(round, sign, m[2], m[1], m[0]);
    kept = {1'b0, m[25:2]} + {24'd0, up};
    e    = biased;
    if (kept[24]) e = e + 11'sd1;
    // At the fixed weight of denormals.
    distance = 11'sd1 - biased;
    shift    = (distance > 11'sd25) ? 5'd25 : distance[4:0];
    wide     = {m, 25'd0} >> shift;
    half     = wide[26];
    rest     = wide[25:0] != 26'd0;
    if (e > 11'sd254) begin
      if (round == 2'd0 || (round == 2'd1 && !sign) || (round == 2'd2 && sign))
        pack = {sign, 31'h7f800000};
      else pack = {sign, 31'h7f7fffff};
    end else if (e >= 11'sd1) begin
      pack = {sign, e[7:0], kept[24] ? kept[23:1] : kept[22:0]};
    end else if (flush) begin
      pack = {sign, 31'd0};
    end else begin
      up   = round_up(round, sign, wide[27], half, rest);
      pack = {sign, 7'd0, wide[50:27]} + {31'd0, up};
    end
  endfunction

endpackage

/* verilator lint_on UNUSEDSIGNAL */

`endif
