// SPDX-License-Identifier: Apache-2.0
// EX2, LN2, RCP, RSQ, SIN and COS: a quadratic from a table for each segment of the argument, then
// one rounding. Four stages; the last one's result is not in a register.
`include "ctm_dpp_alu_pkg.sv"
`include "ctm_dpp_alu_tables.svh"

module ctm_dpp_alu_transcendental
  import ctm_dpp_alu_pkg::*;
  import ctm_dpp_alu_tables::*;
(
  input  logic        clk,
  input  logic        go_reduce,  // each stage moves
  input  logic        go_look_up,
  input  logic        go_interpolate,
  input  logic [2:0]  operation,
  input  logic [31:0] x,
  output logic [31:0] value
);

  // ---- reduced argument
  logic               special, peak, negative;
  logic [31:0]        special_value;
  logic [7:0]         segment;
  logic [18:0]        place;
  logic signed [9:0]  exponent;
  logic signed [24:0] distance;
  ctm_dpp_alu_reduce u_reduce (
    .operation(operation), .x(x), .special(special), .special_value(special_value),
    .segment(segment), .place(place), .peak(peak), .negative(negative), .exponent(exponent),
    .distance(distance)
  );

  logic               special1, peak1, negative1;
  logic [2:0]         operation1;
  logic [31:0]        special_value1;
  logic [7:0]         segment1;
  logic [18:0]        place1;
  logic signed [9:0]  exponent1;
  logic signed [24:0] distance1;
  always_ff @(posedge clk) begin
    if (go_reduce) begin
      operation1     <= operation;
      special1       <= special;
      special_value1 <= special_value;
      segment1       <= segment;
      place1         <= place;
      peak1          <= peak;
      negative1      <= negative;
      exponent1      <= exponent;
      distance1      <= distance;
    end
  end

  // ---- coefficients c0, c1, c2
  logic [95:0] coefficients;
  always_comb begin
    case (operation1)
      kEx2: coefficients = exponential(segment1[6:0]);
      kLn2: coefficients = logarithm(segment1[6:0]);
      kRcp: coefficients = reciprocal(segment1);
      kRsq: coefficients = reciprocal_root(segment1);
      default: coefficients = sine(segment1[6:0]);
    endcase
  end

  /* verilator lint_off UNUSEDSIGNAL */  // cut to its upper half
  logic [37:0] square;
  /* verilator lint_on UNUSEDSIGNAL */
  assign square = {19'd0, place1} * {19'd0, place1};

  logic               special2, peak2, negative2;
  logic [2:0]         operation2;
  logic [31:0]        special_value2;
  logic [95:0]        coefficients2;
  logic [18:0]        place2, square2;
  logic signed [9:0]  exponent2;
  logic signed [24:0] distance2;
  always_ff @(posedge clk) begin
    if (go_look_up) begin
      operation2     <= operation1;
      special2       <= special1;
      special_value2 <= special_value1;
      coefficients2  <= coefficients;
      place2         <= place1;
      square2        <= square[37:19];
      peak2          <= peak1;
      negative2      <= negative1;
      exponent2      <= exponent1;
      distance2      <= distance1;
    end
  end

  // ---- c0 + c1 * place + c2 * place^2, in units of 2^-30
  logic signed [63:0] c0, c1, c2, slope, bend;
  logic signed [63:0] rise, quadratic;
  assign c0        = {{32{coefficients2[95]}}, coefficients2[95:64]};
  assign c1        = {{32{coefficients2[63]}}, coefficients2[63:32]};
  assign c2        = {{32{coefficients2[31]}}, coefficients2[31:0]};
  assign slope     = c1 * $signed({45'd0, place2});
  assign bend      = c2 * $signed({45'd0, square2});
  assign rise      = (slope + bend + 64'sh40000) >>> 19;
  assign quadratic = c0 + rise;

  logic               special3, negative3;
  logic [2:0]         operation3;
  logic [31:0]        special_value3;
  logic signed [63:0] quadratic3;
  logic signed [9:0]  exponent3;
  logic signed [24:0] distance3;
  always_ff @(posedge clk) begin
    if (go_interpolate) begin
      operation3     <= operation2;
      special3       <= special2;
      special_value3 <= special_value2;
      quadratic3     <= peak2 ? 64'sh40000000 : quadratic;
      negative3      <= negative2;
      exponent3      <= exponent2;
      distance3      <= distance2;
    end
  end

  // ---- rounded
  // LN2: integer + distance * quadratic, in units of 2^-54.
  logic signed [63:0] log_sum;
  assign log_sum = $signed({exponent3, 54'd0})
                 + $signed({{39{distance3[24]}}, distance3}) * quadratic3;

  logic               is_log, sign;
  logic [63:0]        magnitude;
  logic signed [10:0] unit;  // exponent of the lowest bit
  always_comb begin
    is_log    = operation3 == kLn2;
    sign      = is_log ? log_sum[63] : negative3;
    magnitude = quadratic3;
    if (is_log) magnitude = log_sum[63] ? -log_sum : log_sum;
    unit      = is_log ? -11'sd54 : $signed({exponent3[9], exponent3}) - 11'sd30;
  end

  function automatic logic [5:0] leading_zeros(input logic [63:0] number);
    integer i;
    leading_zeros = 6'd63;
    for (i = 0; i < 64; i = i + 1) if (number[i]) leading_zeros = 6'd63 - i[5:0];
  endfunction

  logic [5:0]         zeros;
  logic [63:0]        normal;
  logic signed [10:0] biased;
  assign zeros  = leading_zeros(magnitude);
  assign normal = magnitude << zeros;
  assign biased = unit + 11'sd190 - $signed({5'd0, zeros});

  always_comb begin
    if (special3) value = special_value3;
    else if (magnitude == 64'd0) value = 32'd0;
    else value = rounded(sign, biased, {normal[63:39], normal[38:0] != 39'd0});
  end

endmodule
