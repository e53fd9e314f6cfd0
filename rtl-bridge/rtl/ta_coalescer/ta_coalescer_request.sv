// SPDX-License-Identifier: Apache-2.0
// Makes the next request of the group that was begun: the line of its first touch that is left, with
// all touches of that line. The request made before has all its lanes then. Combinational.
`include "ta_coalescer_pkg.sv"

module ta_coalescer_request
  import ta_coalescer_pkg::*;
(
  input  logic           go,
  input  logic           pieces,
  input  logic [16383:0] lines,
  input  logic [255:0]   slots,
  input  progress_t      from,
  output progress_t      to
);

  logic [6:0]  first;
  logic [57:0] line;
  logic [2:0]  level;
  logic [11:0] levels;
  assign levels = from.levels;
  assign first  = lowest(from.left);
  assign line   = lines[64*{first[2:1], from.quarter, first[6:3]}+:58] + {57'd0, first[0]};
  assign level  = levels[3*first[4:3]+:3];

  logic [127:0] same_line, one_level, members;
  logic [15:0]  in_quarter;
  ta_coalescer_match match (.go(go), .pieces(pieces), .quarter(from.quarter), .lines(lines), .line(line),
                            .touches(same_line));
  genvar g;
  generate
    for (g = 0; g < 16; g = g + 1) begin : g_members
      assign one_level[8*g+:8] = {8{levels[3*(g%4)+:3] == level}};
      assign in_quarter[g]     = members[8*g+:8] != 8'd0;
    end
  endgenerate
  assign members = from.left & same_line & one_level;

  // Locations count for atomics only, whose groups are quads.
  logic [15:0] used;
  always_comb begin : use_locations
    integer i;
    used = 16'd0;
    for (i = 0; i < 4; i = i + 1)
      if (in_quarter[{first[6:5], 2'(i)}]) used[slots[4*{from.quarter, first[6:5], 2'(i)}+:4]] = 1'b1;
  end

  always_comb begin
    to = from;
    if (go) begin
      to.left       = from.left & ~members;
      to.requests   = from.requests + 10'd1;
      to.open.valid = 1'b1;
      to.open.line  = line;
      to.open.lanes = {48'd0, in_quarter} << {from.quarter, 4'd0};
      to.open.cycle = from.cycle;
      to.open.used  = used;
    end
  end

endmodule
