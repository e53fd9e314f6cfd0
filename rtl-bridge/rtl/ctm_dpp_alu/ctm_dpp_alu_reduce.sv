// SPDX-License-Identifier: Apache-2.0
// First step of the transcendental unit: an argument to the place in a table and what is done with
// its value, or to the result itself where there is a special one.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_reduce
  import ctm_dpp_alu_pkg::*;
(
  input  logic [2:0]         operation,
  input  logic [31:0]        x,
  output logic               special,
  output logic [31:0]        special_value,
  output logic [7:0]         segment,
  output logic [18:0]        place,     // within the segment, of 2^19
  output logic               peak,      // of sine and cosine: behind the last segment
  output logic               negative,  // the result
  output logic signed [9:0]  exponent,  // of the result; LN2: its integer
  output logic signed [24:0] distance   // LN2: from a power of two, in units of 2^-24
);

  // x = (-1)^sign * mantissa * 2^(power - 23)
  logic              sign;
  logic [23:0]       mantissa;
  logic signed [9:0] power;
  assign sign     = x[31];
  assign mantissa = {1'b1, x[22:0]};
  assign power    = $signed({2'd0, x[30:23]}) - 10'sd127;

  // ---- special values
  always_comb begin
    special       = 1'b1;
    special_value = kNan;
    if (is_nan(x)) begin
      special_value = kNan;
    end else if (is_zero(x)) begin
      case (operation)
        kEx2, kCos: special_value = kOne;
        kLn2: special_value = {1'b1, kInfinity};
        kSin: special_value = 32'd0;
        default: special_value = {sign, kInfinity};
      endcase
    end else if (is_inf(x)) begin
      case (operation)
        kEx2: special_value = sign ? 32'd0 : {1'b0, kInfinity};
        kLn2: special_value = sign ? kNan : {1'b0, kInfinity};
        kRcp: special_value = {sign, 31'd0};
        kRsq: special_value = sign ? kNan : 32'd0;
        default: special_value = kNan;
      endcase
    end else if (operation == kEx2 && power >= 10'sd8) begin
      special_value = sign ? 32'd0 : {1'b0, kInfinity};
    end else begin
      special = (operation == kLn2 || operation == kRsq) && sign;
    end
  end

  // ---- |x| in units of 2^-26 (EX2) or 2^-28 (SIN, COS), the half rounded up
  logic signed [9:0] shift;
  logic [4:0]        back;
  logic [24:0]       with_half;
  logic [35:0]       fixed;
  always_comb begin
    shift     = power + (operation == kEx2 ? 10'sd3 : 10'sd5);
    back      = -shift[4:0];
    with_half = {1'b0, mantissa} + (25'd1 << (back - 5'd1));
    if (shift >= 10'sd36 || shift < -10'sd24) fixed = 36'd0;
    else if (shift >= 10'sd0) fixed = {12'd0, mantissa} << shift[5:0];
    else fixed = {11'd0, with_half} >> back;
  end

  // EX2: the integer goes to the exponent.
  logic [35:0] to_power;
  assign to_power = sign ? -fixed : fixed;

  // SIN, COS: a turn is 2^28; odd quadrants run backwards.
  logic [27:0] turn;
  logic [26:0] arc;
  always_comb begin
    turn = fixed[27:0] + {1'b0, operation == kCos, 26'd0};
    arc  = turn[26] ? 27'h4000000 - {1'b0, turn[25:0]} : {1'b0, turn[25:0]};
  end

  // LN2: from the power of two that is nearest by ratio.
  logic [23:0] log_place;
  always_comb begin
    distance  = (x[22] ? {1'b0, mantissa} : {mantissa, 1'b0}) - 25'h1000000;
    log_place = distance[23:0] + 24'h400000;
  end

  always_comb begin
    peak     = 1'b0;
    negative = 1'b0;
    exponent = 10'sd0;
    case (operation)
      kEx2: begin
        segment  = {1'b0, to_power[25:19]};
        place    = to_power[18:0];
        exponent = to_power[35:26];
      end
      kLn2: begin
        segment  = {1'b0, log_place[23:17]};
        place    = {log_place[16:0], 2'd0};
        exponent = power + $signed({9'd0, x[22]});
      end
      kRcp: begin
        segment  = x[22:15];
        place    = {x[14:0], 4'd0};
        negative = sign;
        exponent = -power;
      end
      kRsq: begin
        segment  = {power[0], x[22:16]};
        place    = {x[15:0], 3'd0};
        exponent = -(power >>> 1);
      end
      default: begin
        segment  = {1'b0, arc[25:19]};
        place    = arc[18:0];
        peak     = arc[26];
        negative = turn[27] ^ (sign && operation == kSin);
      end
    endcase
  end

endmodule
