// SPDX-License-Identifier: Apache-2.0
// Begins the next group of lanes that touches anything: its cycle, its touches, and which of them
// belong to the request made last, which waits for them. Combinational.
//
// Groups without a touch are passed over; they take their cycles if they have lanes.
//
// An operation of an atomic has a level: how many operations on its location come before it, of this
// group and the request made last. A request takes those of one level; so no two of them are on one
// location, and they act in lane order. Operations that go alone have levels of their own, never 0,
// the level of what joins.
`include "ta_coalescer_pkg.sv"

module ta_coalescer_group
  import ta_coalescer_pkg::*;
(
  input  logic           go,
  input  logic           atomic,
  input  logic           alone,           // each operation in a request of its own
  input  logic           pieces,
  input  logic [3:0]     one_group,
  input  logic [8:0]     sixteen_cycles,  // of a group of sixteen lanes
  input  logic [6:0]     four_cycles,
  input  logic [63:0]    misaligned,
  input  logic [255:0]   touch,
  input  logic [255:0]   over,
  input  logic [16383:0] lines,
  input  logic [255:0]   slots,
  input  progress_t      from,
  output progress_t      to
);

  // ---- its lanes
  logic [63:0] touching, ahead, upper, lanes;
  logic [3:0]  quad;     // that it begins with
  logic [1:0]  quarter;
  logic        sixteen;
  assign touching = from.rest & (touch[63:0] | touch[127:64] | touch[191:128] | touch[255:192]);
  assign quad     = 4'(lowest({112'd0, quads(touching)}));
  assign quarter  = quad[3:2];
  assign sixteen  = one_group[quarter];
  assign upper    = ~64'd0 << (sixteen ? {quarter, 4'd0} : {quad, 2'd0});
  assign lanes    = (sixteen ? 64'hffff << {quarter, 4'd0} : 64'hf << {quad, 2'd0}) & from.rest;
  assign ahead    = from.rest & ~upper;

  // ---- its cycle
  logic [11:0] own, cycle;
  assign own   = sixteen ? {3'd0, sixteen_cycles} : {5'd0, four_cycles};
  assign cycle = from.next_cycle + own * {7'd0, groups(sixteen, ahead)};

  // ---- its touches
  logic [15:0]  in_quarter;
  logic [63:0]  quarter_touch, quarter_over;  // [16 k + lane of the quarter]
  logic [127:0] touches;
  assign in_quarter = lanes[{quarter, 4'd0}+:16];
  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1) begin : g_quarter
      assign quarter_touch[16*g+:16] = touch[64*g+{6'd0, quarter, 4'd0}+:16] & in_quarter;
      assign quarter_over[16*g+:16]  = over[64*g+{6'd0, quarter, 4'd0}+:16] & in_quarter;
    end
  endgenerate
  always_comb begin : order
    integer     k, l;
    logic [7:0] of_lane;
    of_lane = 8'd0;
    for (l = 0; l < 16; l = l + 1) begin
      of_lane = 8'd0;
      for (k = 3; k >= 0; k = k - 1) of_lane = {of_lane[5:0], quarter_over[16*k+l], quarter_touch[16*k+l]};
      touches[8*l+:8] = of_lane;
    end
  end

  // ---- levels of the four lanes
  logic [11:0] levels;
  logic [15:0] open_used;
  logic [3:0]  base, zero;      // on a location of the open request; at level 0
  logic [57:0] line [0:3];
  logic [3:0]  slot [0:3];
  assign open_used = from.open.used;
  generate
    for (g = 0; g < 4; g = g + 1) begin : g_lane
      assign line[g] = lines[64*{quad, 2'(g)}+:58];
      assign slot[g] = slots[4*{quad, 2'(g)}+:4];
      assign base[g] = from.open.valid && line[g] == from.open.line && open_used[slot[g]];
      assign zero[g] = levels[3*g+:3] == 3'd0;
    end
  endgenerate
  always_comb begin : count
    integer     i, j;
    logic [2:0] level;
    levels = 12'd0;
    level  = 3'd0;
    if (atomic)
      for (i = 0; i < 4; i = i + 1) begin
        level = {2'd0, base[i]};
        for (j = 0; j < 3; j = j + 1)
          if (j < i && lanes[{quad, 2'(j)}] && line[j] == line[i] && slot[j] == slot[i]) level = level + 3'd1;
        if (alone) level = 3'(i + 1);
        if (misaligned[{quad, 2'(i)}]) level = 3'd7;
        levels[3*i+:3] = level;
      end
  end

  // ---- what joins the open request
  logic [127:0] same_line, level_0, joins;
  logic [15:0]  joining;
  ta_coalescer_match match (.go(go && from.open.valid), .pieces(pieces), .quarter(quarter), .lines(lines),
                            .line(from.open.line), .touches(same_line));
  generate
    for (g = 0; g < 16; g = g + 1) begin : g_joins
      assign level_0[8*g+:8] = {8{zero[g%4]}};
      assign joining[g]      = joins[8*g+:8] != 8'd0;
    end
  endgenerate
  assign joins = touches & same_line & level_0;

  logic [15:0] used;  // by those that join
  always_comb begin : use_locations
    integer i;
    used = 16'd0;
    for (i = 0; i < 4; i = i + 1)
      if (joining[{quad[1:0], 2'(i)}]) used[slot[i]] = 1'b1;
  end

  always_comb begin
    to = from;
    if (go) begin
      to.rest       = from.rest & upper & ~lanes;
      to.quarter    = quarter;
      to.left       = touches & ~joins;
      to.levels     = levels;
      to.cycle      = cycle[10:0];
      to.next_cycle = cycle + own;
      if (joins != 128'd0) begin
        to.open.lanes = from.open.lanes | {48'd0, joining} << {quarter, 4'd0};
        to.open.cycle = cycle[10:0];
        to.open.used  = from.open.used | used;
      end
    end
  end

endmodule
