// SPDX-License-Identifier: Apache-2.0
// The lines the newest command has yet to request, one at a time, once it is set up.
module vgt_index_dma_request (
  input  logic        clk,
  input  logic        rst,
  input  logic [7:0]  setup,
  input  logic        take,        // a command
  input  logic [47:0] base,
  input  logic [31:0] fetched,     // its indices in memory
  input  logic        wide,        // of 32 bits
  input  logic [7:0]  vmid,
  input  logic        tick,        // time passes
  output logic        setting_up,
  output logic        has_lines,   // to request
  input  logic        go,          // one is requested
  output logic [41:0] line,
  output logic [15:0] mask,        // its dwords with indices
  output logic [7:0]  line_vmid
);
  logic [7:0]  timer;
  logic [46:0] address;  // of the next index, in halves of dwords
  logic [31:0] left;
  logic        is_wide;

  assign setting_up = timer != 8'd0;
  assign has_lines = left != 32'd0;
  assign line = address[46:5];

  // Indices that fit into the rest of the line, and where those there are end.
  wire [5:0] halves = 6'd32 - {1'b0, address[4:0]};
  wire [5:0] room = is_wide ? {1'b0, halves[5:1]} : halves;
  wire [5:0] share = left < {26'd0, room} ? left[5:0] : room;
  wire [5:0] end_half = {1'b0, address[4:0]} + (is_wide ? {share[4:0], 1'b0} : share);
  wire [5:0] up = end_half + 6'd1;
  wire [15:0] from_first = 16'hFFFF << address[4:1];
  wire [15:0] from_end = 16'hFFFF << up[5:1];
  assign mask = from_first & ~from_end;

  always_ff @(posedge clk)
    if (rst) begin
      timer <= 8'd0;
      left <= 32'd0;
    end else if (take) begin
      timer <= setup - 8'd1;
      address <= base[47:1];
      left <= fetched;
      is_wide <= wide;
      line_vmid <= vmid;
    end else begin
      if (tick && setting_up) timer <= timer - 8'd1;
      if (go) begin
        address <= {address[46:5] + 42'd1, 5'd0};
        left <= left - {26'd0, share};
      end
    end

  wire _unused = &{1'b0, up[0], base[0]};

endmodule
