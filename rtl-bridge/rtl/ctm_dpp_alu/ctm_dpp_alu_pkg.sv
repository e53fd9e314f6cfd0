// SPDX-License-Identifier: Apache-2.0
// Types of the ALU of a DPP processor, and its rules for single precision numbers: round to nearest
// even, denormals are zero of their sign going in and coming out, one NaN.
`ifndef CTM_DPP_ALU_PKG_SV
`define CTM_DPP_ALU_PKG_SV

// Functions that look at a part of a number only.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

package ctm_dpp_alu_pkg;

  // What computes the results of a half.
  localparam logic [2:0] kMad            = 3'd0;
  localparam logic [2:0] kMin            = 3'd1;
  localparam logic [2:0] kMax            = 3'd2;
  localparam logic [2:0] kCnd            = 3'd3;
  localparam logic [2:0] kCmp            = 3'd4;
  localparam logic [2:0] kFrc            = 3'd5;
  localparam logic [2:0] kDot            = 3'd6;
  localparam logic [2:0] kTranscendental = 3'd7;

  localparam logic [1:0] kDp3 = 2'd1;
  localparam logic [1:0] kDp4 = 2'd2;
  localparam logic [1:0] kD2a = 2'd3;

  localparam logic [2:0] kEx2 = 3'd0;
  localparam logic [2:0] kLn2 = 3'd1;
  localparam logic [2:0] kRcp = 3'd2;
  localparam logic [2:0] kRsq = 3'd3;
  localparam logic [2:0] kSin = 3'd4;
  localparam logic [2:0] kCos = 3'd5;

  // Output modifier that is none: the bits pass.
  localparam logic [2:0] kDisabled = 3'd7;

  // A half: the vec3 or the scalar unit.
  typedef struct packed {
    logic [2:0] unit;
    logic       horizontal;  // MDH
    logic       vertical;    // MDV
    logic [2:0] omod;
    logic       clamp;
    logic [1:0] compare;     // TARGET: what predicates are set by
  } half_t;

  // What an instruction needs after its operands; travels down the pipeline with it.
  typedef struct packed {
    half_t      rgb;
    half_t      alpha;
    logic [1:0] dot;         // kDp3, kDp4, kD2a
    logic [2:0] transcendental;  // kEx2 ...
    logic       of_alpha;    // the ALU result
    logic [1:0] compare;     // ... and what it is set by
    logic       illegal;
  } control_t;

  // What is written, by channel R, G, B, A where there are several.
  typedef struct packed {
    logic [3:0] registers;
    logic [3:0] outputs;
    logic [3:0] predicates;
    logic       alu_result;
    logic       conditional;
  } writes_t;

  localparam logic [31:0] kNan  = 32'h7fffffff;
  localparam logic [31:0] kHalf = 32'h3f000000;
  localparam logic [31:0] kOne  = 32'h3f800000;
  localparam logic [30:0] kInfinity = 31'h7f800000;

  function automatic logic is_nan(input logic [31:0] x);
    is_nan = x[30:0] > kInfinity;
  endfunction

  function automatic logic is_inf(input logic [31:0] x);
    is_inf = x[30:0] == kInfinity;
  endfunction

  // Denormals are.
  function automatic logic is_zero(input logic [31:0] x);
    is_zero = x[30:23] == 8'd0;
  endfunction

  function automatic logic [31:0] negated(input logic [31:0] x);
    negated = {!x[31], x[30:0]};
  endfunction

  // With the implicit bit.
  function automatic logic [23:0] significand(input logic [31:0] x);
    significand = is_zero(x) ? 24'd0 : {1'b1, x[22:0]};
  endfunction

  // Orders as the numbers do, as signed integers; zeros are equal.
  function automatic logic [31:0] order_key(input logic [31:0] x);
    if (is_zero(x)) order_key = 32'd0;
    else if (x[31]) order_key = ~{1'b0, x[30:0]} + 32'd1;
    else order_key = x;
  endfunction

  // Of a NaN it is not.
  function automatic logic is_less(input logic [31:0] a, input logic [31:0] b);
    is_less = !is_nan(a) && !is_nan(b) && $signed(order_key(a)) < $signed(order_key(b));
  endfunction

  // Of a number with 0: EQ, LT, GE, NE.
  function automatic logic holds(input logic [1:0] compare, input logic [31:0] x);
    case (compare)
      2'd0: holds = is_zero(x);
      2'd1: holds = !is_nan(x) && !is_zero(x) && x[31];
      2'd2: holds = !is_nan(x) && (is_zero(x) || !x[31]);
      default: holds = !is_zero(x);
    endcase
  endfunction

  // The single nearest to m * 2^(biased - 127 - 25), to the even one of two: bit 25 of m is set,
  // bits 1 and 0 are the half and whether there is more below. Rounded as if exponents had no end.
  function automatic logic [31:0] rounded(input logic sign, input logic signed [10:0] biased,
                                          input logic [25:0] m);
    logic        up;
    logic [24:0] kept;
    logic signed [10:0] e;
    up   = m[1] && (m[0] || m[2]);
    kept = {1'b0, m[25:2]} + {24'd0, up};
    e    = kept[24] ? biased + 11'sd1 : biased;
    if (e > 11'sd254) rounded = {sign, kInfinity};
    else if (e < 11'sd1) rounded = {sign, 31'd0};
    else rounded = {sign, e[7:0], kept[24] ? kept[23:1] : kept[22:0]};
  endfunction

endpackage

/* verilator lint_on UNUSEDPARAM */
/* verilator lint_on UNUSEDSIGNAL */

`endif
