// SPDX-License-Identifier: Apache-2.0
// Data of the lines. In one cycle: a line comes from L2; LANES lines are read, with what has come;
// bytes of one of them are written.
module tc_l1_data #(
  parameter int ENTRY = 8,
  parameter int LANES = 4
) (
  input  logic                   clk,
  input  logic                   f_install,
  input  logic [ENTRY-1:0]       f_entry,
  input  logic [511:0]           f_data,
  input  logic [LANES-1:0]       l_read,
  input  logic [ENTRY*LANES-1:0] l_entry,
  output logic [512*LANES-1:0]   l_data,
  input  logic                   b_write,
  input  logic [ENTRY-1:0]       b_entry,
  input  logic [63:0]            b_mask,
  input  logic [511:0]           b_data
);

  logic [511:0] lines [0:2**ENTRY-1];

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      logic [ENTRY-1:0] entry;
      assign entry = l_entry[ENTRY*g+:ENTRY];
      assign l_data[512*g+:512] = !l_read[g] ? '0
                                : (f_install && f_entry == entry) ? f_data : lines[entry];
    end
  endgenerate

  // The line with the bytes of the mask replaced.
  function automatic logic [511:0] merged(input logic [511:0] old, input logic [511:0] bytes,
                                          input logic [63:0] mask);
    integer i;
    for (i = 0; i < 64; i = i + 1)
      merged[8*i+:8] = mask[i] ? bytes[8*i+:8] : old[8*i+:8];
  endfunction
  logic [511:0] b_old, b_new;
  assign b_old = !b_write ? '0 : (f_install && f_entry == b_entry) ? f_data : lines[b_entry];
  assign b_new = b_write ? merged(b_old, b_data, b_mask) : '0;

  always_ff @(posedge clk) begin
    if (f_install) lines[f_entry] <= f_data;
    if (b_write) lines[b_entry] <= b_new;
  end

endmodule
