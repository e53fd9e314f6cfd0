// SPDX-License-Identifier: Apache-2.0
// Commands begun, oldest first, and how far the oldest has been handed on.
module vgt_index_dma_draws (
  input  logic        clk,
  input  logic        rst,
  input  logic [2:0]  most,
  input  logic        put,
  input  logic [47:0] base,
  input  logic [31:0] fetched,      // indices in memory
  input  logic [31:0] zeros,        // indices behind them
  input  logic        wide,
  input  logic [1:0]  swap,
  input  logic [31:0] draw,
  output logic        none,
  output logic        alone,        // one
  output logic        full,
  // the oldest
  input  logic        give,         // its next group leaves
  input  logic [3:0]  indices,      // of a group at most
  output logic        needs_line,
  output logic [47:0] at,           // byte address of the next index
  output logic        first_wide,
  output logic [1:0]  first_swap,
  output logic [31:0] first_draw,
  output logic [3:0]  count,        // of its next group
  output logic        beyond,
  output logic        last,
  output logic        leaves_line   // the line has no more
);
  logic [1:0]   first, next;
  logic [2:0]   begun;
  logic [3:0]   wides;
  logic [46:0]  ats [0:3];  // in halves of dwords
  logic [31:0]  fetches [0:3];
  logic [31:0]  rests [0:3];
  logic [1:0]   swaps [0:3];
  logic [31:0]  numbers [0:3];

  assign none = begun == 3'd0;
  assign alone = begun == 3'd1;
  assign full = begun >= most;

  wire [46:0] half = ats[first];
  wire [31:0] in_memory = fetches[first];
  wire [31:0] behind = rests[first];
  assign at = {half, 1'b0};
  assign first_wide = wides[first];
  assign first_swap = swaps[first];
  assign first_draw = numbers[first];
  assign needs_line = in_memory != 32'd0;

  wire [5:0]  halves = 6'd32 - {1'b0, half[4:0]};
  wire [5:0]  room = first_wide ? {1'b0, halves[5:1]} : halves;
  wire [31:0] there = needs_line ? in_memory : behind;
  wire        scarce = there < {28'd0, indices};
  wire [3:0]  fits = scarce ? there[3:0] : indices;
  assign count = (needs_line && room < {2'd0, fits}) ? room[3:0] : fits;
  assign beyond = !needs_line && behind != 32'd0;
  wire [31:0] left = there - {28'd0, count};
  wire ends = left == 32'd0;
  assign last = ends && (!needs_line || behind == 32'd0);
  wire [46:0] next_half = half + {42'd0, first_wide ? {count, 1'b0} : {1'b0, count}};
  assign leaves_line = needs_line && (ends || next_half[4:0] == 5'd0);

  always_ff @(posedge clk)
    if (rst) begin
      first <= 2'd0;
      next <= 2'd0;
      begun <= 3'd0;
    end else begin
      begun <= begun + {2'd0, put} - {2'd0, give && last};
      if (put) next <= next + 2'd1;
      if (give && last) first <= first + 2'd1;
    end

  // The one put in is never the oldest that gives: it would have been full.
  always_ff @(posedge clk) begin
    if (give && needs_line) begin
      ats[first] <= next_half;
      fetches[first] <= left;
    end
    if (give && !needs_line) rests[first] <= left;
    if (put) begin
      ats[next] <= base[47:1];
      fetches[next] <= fetched;
      rests[next] <= zeros;
      wides[next] <= wide;
      swaps[next] <= swap;
      numbers[next] <= draw;
    end
  end

  wire _unused = &{1'b0, base[0]};

endmodule
