// SPDX-License-Identifier: Apache-2.0
// The atomic unit: sixteen locations of 32 bits or eight of 64 in one line. The mask names whole
// and aligned operands; a compare-and-swap has one.
`include "tc_l2_bank_pkg.sv"

module tc_l2_atomic
  import tc_l2_bank_pkg::*;
(
  input  logic         on,
  input  logic [4:0]   op,
  input  logic [7:0]   bytes,
  input  logic [63:0]  mask,
  input  logic [511:0] old,
  input  logic [511:0] operand,
  input  logic [63:0]  compare,
  output logic         malformed,
  output logic [4:0]   operands,
  output logic [511:0] result
);

  logic [15:0] some4, all4;
  logic [7:0]  some8, all8;
  genvar g;
  generate
    for (g = 0; g < 16; g = g + 1) begin : g_word
      assign some4[g] = mask[4*g+:4] != 4'h0;
      assign all4[g]  = mask[4*g+:4] == 4'hf;
    end
    for (g = 0; g < 8; g = g + 1) begin : g_pair
      assign some8[g] = some4[2*g] || some4[2*g+1];
      assign all8[g]  = all4[2*g] && all4[2*g+1];
    end
  endgenerate

  function automatic logic [4:0] count(input logic [15:0] bits);
    integer i;
    count = 5'd0;
    for (i = 0; i < 16; i = i + 1) count = count + {4'd0, bits[i]};
  endfunction

  logic wide, torn, compares;
  assign wide      = bytes == 8'd8;
  assign compares  = op == kOpCmpSwap || op == kOpFCmpSwap;
  assign operands  = on ? count(wide ? {8'd0, all8} : all4) : 5'd0;
  assign torn      = wide ? some8 != all8 : some4 != all4;
  assign malformed = (!wide && bytes != 8'd4) || op == kOpNone || torn || operands == 5'd0
                  || (compares && operands != 5'd1);

  logic [511:0] result4, result8;
  generate
    for (g = 0; g < 16; g = g + 1) begin : g_alu4
      tc_l2_alu #(.W(32), .EXPONENT(8)) alu (
        .on(on && !wide && all4[g]), .op(op), .old(old[32*g+:32]), .src(operand[32*g+:32]),
        .cmp(compare[31:0]), .result(result4[32*g+:32]));
    end
    for (g = 0; g < 8; g = g + 1) begin : g_alu8
      tc_l2_alu #(.W(64), .EXPONENT(11)) alu (
        .on(on && wide && all8[g]), .op(op), .old(old[64*g+:64]), .src(operand[64*g+:64]),
        .cmp(compare), .result(result8[64*g+:64]));
    end
  endgenerate
  assign result = wide ? result8 : result4;

endmodule
