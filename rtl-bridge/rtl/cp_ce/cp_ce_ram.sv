// SPDX-License-Identifier: Apache-2.0
// RAM of the constant engine: 64 KiB in sixteen banks of dwords. Any sixteen dwords in a row are
// read together; a dword, or one or two units of eight dwords, is written. A read sees what was
// there before the edge. Units not written since reset read as zero.
module cp_ce_ram (
  input  logic         clk,
  input  logic         rst,
  input  logic         word_valid,  // never with load_valid
  input  logic [13:0]  word_at,
  input  logic [31:0]  word_data,
  input  logic         load_valid,
  input  logic [10:0]  load_unit,
  input  logic         load_two,
  input  logic [511:0] load_data,   // first unit in the lower half
  input  logic [13:0]  read_at,
  output logic [511:0] read_data
);

  logic [2047:0] filled;
  wire [10:0] second = load_unit + 11'd1;
  wire [10:0] word_unit = word_at[13:3];

  always_ff @(posedge clk)
    if (rst) filled <= 2048'd0;
    else begin
      if (word_valid) filled[word_unit] <= 1'b1;
      if (load_valid) filled[load_unit] <= 1'b1;
      if (load_valid && load_two) filled[second] <= 1'b1;
    end

  wire [511:0] by_bank;
  for (genvar b = 0; b < 16; b++) begin : g_bank
    localparam logic [3:0] kBank = 4'(b);
    logic [31:0] words [0:1023];
    // Which of a load's units are of this half of the banks.
    wire first_here = load_valid && load_unit[0] == kBank[3];
    wire second_here = load_valid && load_two && load_unit[0] != kBank[3];
    wire [31:0] from_first = load_data[32*(b%8)+:32];
    wire [31:0] from_second = load_data[256+32*(b%8)+:32];
    wire at_word = word_valid && word_at[3:0] == kBank;
    // The first dword of a unit clears the rest of it.
    wire clears = word_valid && word_at[3] == kBank[3] && !filled[word_unit];
    wire write = at_word || clears || first_here || second_here;
    wire [9:0] row = first_here ? load_unit[10:1] : second_here ? second[10:1] : word_at[13:4];
    wire [31:0] data = first_here ? from_first : second_here ? from_second
                     : at_word ? word_data : 32'd0;
    always_ff @(posedge clk) if (write) words[row] <= data;

    // The first dword of this bank from read_at on.
    wire [9:0] read_row = 10'((read_at + 14'(15 - b)) >> 4);
    assign by_bank[32*b+:32] = filled[{read_row, kBank[3]}] ? words[read_row] : 32'd0;
  end

  for (genvar w = 0; w < 16; w++) begin : g_word
    wire [3:0] bank = read_at[3:0] + 4'(w);
    assign read_data[32*w+:32] = by_bank[{bank, 5'd0}+:32];
  end

endmodule
