// SPDX-License-Identifier: Apache-2.0
// What the groups of an instruction need of its operands, all lanes at once: lines, and which lanes
// of them are touched. Combinational.
//
// An access is lanes x dwords. Contiguous, a lane's dwords lie beside each other and count as one
// piece of `bytes`; else dword k of a lane is a piece of its own, for the lanes of dword_lanes[k]. A
// piece of up to sixteen bytes touches the line in which it begins, and the next one when it reaches
// there.
`include "ta_coalescer_pkg.sv"

module ta_coalescer_operands
  import ta_coalescer_pkg::*;
(
  input  logic           valid,        // an instruction is there; else nothing is worked out
  input  logic [1:0]     kind,
  input  logic [4:0]     bytes,
  input  logic [2:0]     dwords,
  input  logic           contiguous,
  input  logic [63:0]    lanes,
  input  logic [255:0]   dword_lanes,  // [64 k + lane]
  input  logic [16383:0] address,      // [64 (64 k + lane)]
  output logic [63:0]    taken,        // lanes that take part
  output logic [63:0]    misaligned,   // the one of them that ends an atomic
  output logic [255:0]   touch,        // [64 k + lane]: such a lane has a piece
  output logic [255:0]   over,         // it reaches into the next line
  output logic [16383:0] lines,        // [64 (64 k + lane)]: address / 64 of where it begins
  output logic [255:0]   slots,        // [4 lane]: location of an operand in its line, its first dword
  output logic [3:0]     one_group     // quarter waves whose lanes are one group
);

  logic atomic, pieces;
  assign atomic = kind == kAtomic;
  assign pieces = !contiguous && !atomic;

  logic [191:0] low;
  always_comb begin : parts
    integer n;
    for (n = 0; n < 256; n = n + 1) lines[64*n+:64] = {6'd0, address[64*n+6+:58]};
    for (n = 0; n < 64; n = n + 1) begin
      low[3*n+:3]   = address[64*n+:3];
      slots[4*n+:4] = address[64*n+2+:4];
    end
  end

  // ---- lanes
  logic [63:0] active, up_to, bad;
  logic        some_bad;
  assign active = (kind == kLoad || kind == kStore || atomic) ? lanes : 64'd0;
  ta_coalescer_align align (.wide(bytes[3]), .lanes(lanes), .low(low), .misaligned(some_bad), .lane(bad), .taken(up_to));
  assign taken      = atomic ? up_to : active;
  assign misaligned = (atomic && some_bad) ? bad : 64'd0;

  // ---- pieces
  always_comb begin : find_pieces
    integer      k, l;
    logic [4:0]  size;     // of a piece
    logic [6:0]  end_;     // the byte after it, counted from the line's first
    logic [63:0] reaches;  // [lane]: beyond the line
    size    = 5'd0;
    end_    = 7'd0;
    reaches = 64'd0;
    touch = 256'd0;
    over  = 256'd0;
    if (valid) for (k = 0; k < 4; k = k + 1) begin
      size = bytes;
      if (pieces) size = (bytes >= 5'(4 * k + 4)) ? 5'd4 : bytes - 5'(4 * k);
      touch[64*k+:64] = pieces ? dword_lanes[64*k+:64] & {64{bytes > 5'(4 * k)}} : {64{k == 0}};
      for (l = 0; l < 64; l = l + 1) begin
        end_       = {1'b0, address[64*(64*k+l)+:6]} + {2'd0, size};
        reaches[l] = end_ > 7'd64;
      end
      over[64*k+:64] = {64{!atomic}} & touch[64*k+:64] & reaches;
    end
  end

  // ---- groups: sixteen lanes of a store, and of a load of one element of up to a dword per lane when
  // these read elements beside each other or all the same one
  logic        element;
  logic [3:0]  same, beside;
  assign element = contiguous && bytes <= 5'd4 && dwords == 3'd1;
  always_comb begin : find_groups
    integer      q, l;
    logic [5:0]  lead;
    logic [63:0] origin, distance;
    logic [6:0]  product;
    lead     = 6'd0;
    origin   = 64'd0;
    distance = 64'd0;
    product  = 7'd0;
    same     = 4'd0;
    beside   = 4'd0;
    if (valid) for (q = 0; q < 4; q = q + 1) begin
      lead      = 6'(lowest({112'd0, lanes[16*q+:16]}));
      origin    = address[64*(6'(16*q)+lead)+:64];
      same[q]   = 1'b1;
      beside[q] = 1'b1;
      for (l = 0; l < 16; l = l + 1) begin
        distance = address[64*(16*q+l)+:64] - origin;
        product  = {4'd0, bytes[2:0]} * (l[6:0] - {1'b0, lead});
        if (lanes[16*q+l] && distance != 64'd0) same[q] = 1'b0;
        if (lanes[16*q+l] && distance != 64'(product)) beside[q] = 1'b0;
      end
    end
  end
  assign one_group = kind == kStore ? 4'hf : (kind == kLoad && element) ? same | beside : 4'h0;

endmodule
