// SPDX-License-Identifier: Apache-2.0
// One atomic operation on a location of W bits. Floating-point operands are compared as bits:
// magnitudes with their signs, a NaN neither less nor equal, the two zeros equal.
`include "tc_l2_bank_pkg.sv"

module tc_l2_alu
  import tc_l2_bank_pkg::*;
#(
  parameter int W = 32,
  parameter int EXPONENT = 8
) (
  input  logic         on,
  input  logic [4:0]   op,
  input  logic [W-1:0] old,
  input  logic [W-1:0] src,
  input  logic [W-1:0] cmp,
  output logic [W-1:0] result
);

  localparam logic [W-2:0] kInfinity = {{EXPONENT{1'b1}}, {(W - 1 - EXPONENT){1'b0}}};
  localparam logic [W-1:0] kOne = {{(W - 1){1'b0}}, 1'b1};

  function automatic logic nan(input logic [W-2:0] x);
    nan = x > kInfinity;
  endfunction
  function automatic logic both_zero(input logic [W-2:0] x, input logic [W-2:0] y);
    both_zero = {x, y} == '0;
  endfunction
  function automatic logic same(input logic [W-1:0] x, input logic [W-1:0] y);
    same = !nan(x[W-2:0]) && (x == y || both_zero(x[W-2:0], y[W-2:0]));
  endfunction
  function automatic logic less(input logic [W-1:0] x, input logic [W-1:0] y);
    logic below;
    if (x[W-1] != y[W-1]) below = x[W-1] && !both_zero(x[W-2:0], y[W-2:0]);
    else if (x[W-1]) below = x[W-2:0] > y[W-2:0];
    else below = x[W-2:0] < y[W-2:0];
    less = below && !nan(x[W-2:0]) && !nan(y[W-2:0]);
  endfunction

  always_comb begin
    result = old;
    if (on) begin
      case (op)
        kOpSwap:     result = src;
        kOpCmpSwap:  if (old == cmp) result = src;
        kOpAdd:      result = old + src;
        kOpSub:      result = old - src;
        kOpRSub:     result = src - old;
        kOpSMin:     if ($signed(src) < $signed(old)) result = src;
        kOpUMin:     if (src < old) result = src;
        kOpSMax:     if ($signed(src) > $signed(old)) result = src;
        kOpUMax:     if (src > old) result = src;
        kOpAnd:      result = old & src;
        kOpOr:       result = old | src;
        kOpXor:      result = old ^ src;
        kOpInc:      result = old >= src ? '0 : old + kOne;
        kOpDec:      result = (old == '0 || old > src) ? src : old - kOne;
        kOpFCmpSwap: if (same(old, cmp)) result = src;
        kOpFMin:     if (less(src, old)) result = src;
        kOpFMax:     if (less(old, src)) result = src;
        default:     result = old;
      endcase
    end
  end

endmodule
