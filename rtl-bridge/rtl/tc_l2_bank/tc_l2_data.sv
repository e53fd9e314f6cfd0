// SPDX-License-Identifier: Apache-2.0
// Data of the lines. As in the tags, three users in a cycle, each sees the one before: the fill
// writes the bytes the line lacks, the lookup reads and rewrites a line, the walk reads one.
module tc_l2_data #(
  parameter int ENTRY = 11
) (
  input  logic             clk,
  input  logic             f_merge,
  input  logic [ENTRY-1:0] f_entry,
  input  logic [63:0]      f_valid,  // bytes that stay
  input  logic [511:0]     f_bytes,
  output logic [511:0]     f_data,
  input  logic [ENTRY-1:0] s_entry,
  output logic [511:0]     s_data,
  input  logic             b_write,
  input  logic [511:0]     b_data,
  input  logic [ENTRY-1:0] w_entry,
  output logic [511:0]     w_data
);

  logic [511:0] lines [0:2**ENTRY-1];
  logic [511:0] f_old, s_old, w_old;
  assign f_old = lines[f_entry];
  assign s_old = lines[s_entry];
  assign w_old = lines[w_entry];

  tc_l2_merge fill (.old(f_bytes), .bytes(f_old), .mask(f_valid), .merged(f_data));

  assign s_data = (f_merge && f_entry == s_entry) ? f_data : s_old;
  assign w_data = (b_write && w_entry == s_entry) ? b_data
                : (f_merge && w_entry == f_entry) ? f_data : w_old;

  always_ff @(posedge clk) begin
    if (f_merge) lines[f_entry] <= f_data;
    if (b_write) lines[s_entry] <= b_data;
  end

endmodule
