// SPDX-License-Identifier: Apache-2.0
// Counts of bits, searches for bits, and sources with their bits moved or spread. Combinational.
`include "salu_pkg.sv"

module salu_bits
  import salu_pkg::*;
(
  input  count_t      count,
  input  pattern_t    pattern,
  input  logic        wide,
  input  logic        invert,
  input  logic [63:0] a,
  input  logic [63:0] b,       // the destination's contents, of bitset
  output logic [31:0] counted,
  output logic [63:0] moved
);

  // ---- counts
  logic [63:0] x;        // what is counted: low, zeros above
  logic        flip;
  logic [63:0] top;      // the same, at the top
  logic [63:0] changed;  // from the sign
  assign x       = (invert ? ~a : a) & (wide ? 64'hffffffffffffffff : 64'h00000000ffffffff);
  assign top     = wide ? x : {x[31:0], 32'd0};
  assign flip    = count == kSignLength && top[63];
  assign changed = flip ? ~top & (wide ? 64'hffffffffffffffff : 64'hffffffff00000000) : top;

  // Number of the lowest one; all ones when there is none.
  function automatic logic [31:0] lowest(input logic [63:0] y);
    integer i;
    lowest = 32'hffffffff;
    for (i = 63; i >= 0; i = i - 1) if (y[i]) lowest = i;
  endfunction

  // Zeros in front of the highest one; all ones when there is none.
  function automatic logic [31:0] leading(input logic [63:0] y);
    integer i;
    leading = 32'hffffffff;
    for (i = 0; i < 64; i = i + 1) if (y[i]) leading = 32'd63 - i;
  endfunction

  always_comb begin
    case (count)
      kOnes:   counted = {25'd0, ones(x)};
      kLowest: counted = lowest(x);
      default: counted = leading(changed);
    endcase
  end

  // ---- patterns
  function automatic logic [63:0] reversed(input logic [63:0] y);
    integer i;
    for (i = 0; i < 64; i = i + 1) reversed[i] = y[63-i];
  endfunction

  function automatic logic [15:0] quads(input logic [63:0] y);
    integer i;
    for (i = 0; i < 16; i = i + 1) quads[i] = y[4*i] || y[4*i+1] || y[4*i+2] || y[4*i+3];
  endfunction

  function automatic logic [63:0] spread(input logic [15:0] y);
    integer i;
    for (i = 0; i < 64; i = i + 1) spread[i] = y[i/4];
  endfunction

  logic [5:0]  number;
  logic [63:0] bit_of;
  logic [15:0] any;
  assign number = {a[5] && wide, a[4:0]};
  assign bit_of = 64'd1 << number;
  assign any    = quads(x);

  always_comb begin
    case (pattern)
      kReversed:   moved = reversed(top);
      kWholeQuads: moved = spread(any);
      kQuadMask:   moved = {48'd0, any};
      kBitCleared: moved = b & ~bit_of;
      kBitRaised:  moved = b | bit_of;
      kSignByte:   moved = {{56{a[7]}}, a[7:0]};
      default:     moved = {{48{a[15]}}, a[15:0]};
    endcase
  end

endmodule
