// SPDX-License-Identifier: Apache-2.0
// Instructions of Adreno's micro engine, written in lines of eight. `present` says which lines are
// there, in rows that are empty until a bit of `touched` is set, so that all are forgotten at once.
module afuc_engine_program (
  input  logic             clk,
  input  logic             clear,
  input  logic             write,
  input  logic [12:0]      line,
  input  logic [7:0][31:0] words,
  input  logic [15:0]      pc,
  output logic [31:0]      word,
  output logic             there
);

  logic [7:0][31:0] lines   [0:8191];
  logic [63:0]      present [0:127];
  logic [127:0]     touched;

  assign word = lines[pc[15:3]][pc[2:0]];
  assign there = touched[pc[15:9]] && present[pc[15:9]][pc[8:3]];

  logic [63:0] row;
  assign row = !clear && touched[line[12:6]] ? present[line[12:6]] : 64'd0;

  always_ff @(posedge clk) begin
    if (clear) touched <= 128'd0;
    if (write) begin
      touched[line[12:6]] <= 1'b1;
      present[line[12:6]] <= row | 64'd1 << line[5:0];
      lines[line] <= words;
    end
  end

endmodule
