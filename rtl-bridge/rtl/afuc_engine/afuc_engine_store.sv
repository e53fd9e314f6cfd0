// SPDX-License-Identifier: Apache-2.0
// Control registers of Adreno's micro engine that nothing but cread and cwrite reaches. All are 0
// after `clear`: a register is so until a bit of its row is set, a row until its bit of `touched` is.
module afuc_engine_store (
  input  logic        clk,
  input  logic        clear,
  input  logic        write,
  input  logic [11:0] index,
  input  logic [31:0] value,
  output logic [31:0] stored
);

  logic [31:0] words   [0:4095];
  logic [63:0] written [0:63];
  logic [63:0] touched;

  logic [63:0] row;
  assign row = touched[index[11:6]] ? written[index[11:6]] : 64'd0;
  assign stored = row[index[5:0]] ? words[index] : 32'd0;

  always_ff @(posedge clk) begin
    if (write) begin
      touched[index[11:6]] <= 1'b1;
      written[index[11:6]] <= row | 64'd1 << index[5:0];
      words[index] <= value;
    end
    if (clear) touched <= 64'd0;
  end

endmodule
