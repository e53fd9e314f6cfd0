// SPDX-License-Identifier: Apache-2.0
// Format conversion of a wave, combinational: what ta_format has after its register.
`include "ta_format_pkg.sv"

module ta_format_wave
  import ta_format_pkg::*;
(
  input  logic          store,
  input  logic          typed,
  input  logic [4:0]    bytes,
  input  logic          sign_extend,
  input  logic [2:0]    dwords,
  input  logic [3:0]    dfmt,
  input  logic [2:0]    nfmt,
  input  logic [11:0]   dst_sel,
  input  logic [63:0]   written,
  input  logic [255:0]  dword_lanes, // [64 dword + lane]
  input  logic [8191:0] data,        // [32 (64 dword + lane)]
  output logic [8191:0] result       // [32 (64 dword + lane)]
);

  logic [2:0]  count;
  logic [31:0] one;
  assign count = components(dfmt);
  assign one   = (nfmt == kUint || nfmt == kSint) ? 32'd1 : 32'h3f800000;

  // Places of the components of an element: dword and bit.
  logic [23:0] bits;
  logic [27:0] first;
  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1) begin : g_component
      assign bits[6*g+:6]  = component_bits(dfmt, 2'(g));
      assign first[7*g+:7] = component_first(dfmt, 2'(g));
    end
  endgenerate

  // ---- components of each lane: values of elements, and registers as bits at their places
  logic [8191:0] values, fields;  // [32 (64 component + lane)]
  always_comb begin : convert
    integer      n;
    logic [1:0]  c;
    logic [5:0]  lane, width;
    logic [6:0]  place;
    logic [2:0]  select;
    logic [31:0] field, register;
    c        = 2'd0;
    lane     = 6'd0;
    width    = 6'd0;
    place    = 7'd0;
    select   = 3'd0;
    field    = 32'd0;
    register = 32'd0;
    values   = 8192'd0;
    fields   = 8192'd0;
    if (typed) for (n = 0; n < 256; n = n + 1) begin
      c        = n[7:6];
      lane     = n[5:0];
      width    = bits[6*c+:6];
      place    = first[7*c+:7];
      select   = dst_sel[3*c+:3];
      field    = (data[32*{place[6:5], lane}+:32] >> place[4:0]) & low_bits(width);
      register = (select == 3'd1) ? one : data[32*{select[1:0], lane}+:32];
      if (typed && !store && dword_lanes[{2'd0, lane}]) begin
        if ({1'b0, c} < count) values[32*n+:32] = unpacked(field, width, nfmt);
        else if (c == 2'd3) values[32*n+:32] = one;
      end
      // What the instruction does not supply is stored as 0.
      if (typed && store && {1'b0, c} < count && (select == 3'd1 || (select[2] && {1'b0, select[1:0]} < dwords)))
        fields[32*n+:32] = packed_bits(register, width, nfmt) << place[4:0];
    end
  end

  // ---- registers, or dwords of memory
  always_comb begin : deliver
    integer      n;
    logic [1:0]  k;
    logic [5:0]  lane;
    logic [2:0]  select;
    logic [31:0] own, moved;
    k      = 2'd0;
    lane   = 6'd0;
    select = 3'd0;
    own    = 32'd0;
    moved  = 32'd0;
    result = 8192'd0;
    if (store || written != 64'd0) for (n = 0; n < 256; n = n + 1) begin
      k      = n[7:6];
      lane   = n[5:0];
      select = dst_sel[3*k+:3];
      own    = data[32*n+:32];
      if (typed && store) begin
        moved = 32'd0;
        if (first[6:5] == k) moved = moved | fields[32*{2'd0, lane}+:32];
        if (first[13:12] == k) moved = moved | fields[32*{2'd1, lane}+:32];
        if (first[20:19] == k) moved = moved | fields[32*{2'd2, lane}+:32];
        if (first[27:26] == k) moved = moved | fields[32*{2'd3, lane}+:32];
      end else if (typed) begin
        moved = select[2] ? values[32*{select[1:0], lane}+:32] : (select == 3'd1) ? one : 32'd0;
      end else if (store) begin
        moved = own;
      end else begin
        moved = own;
        if (sign_extend && bytes == 5'd1) moved = {{24{own[7]}}, own[7:0]};
        if (sign_extend && bytes == 5'd2) moved = {{16{own[15]}}, own[15:0]};
        if (!dword_lanes[n]) moved = 32'd0;
      end
      if ((store || written[lane]) && ((typed && store) || {1'b0, k} < dwords)) result[32*n+:32] = moved;
    end
  end

endmodule
