// SPDX-License-Identifier: Apache-2.0
// The next `count` indices of a line, from byte `at` on; 0 after them.
module vgt_index_dma_pick (
  input  logic [511:0] line,
  input  logic [5:0]   at,
  input  logic         wide,
  input  logic [1:0]   swap,
  input  logic [3:0]   count,
  output logic [255:0] index
);
  // Byte b of a swapped dword is byte b ^ flip of that in memory.
  wire [1:0] flip = {swap[1], swap[1] ^ swap[0]};
  wire [511:0] swapped;
  for (genvar b = 0; b < 64; b++) begin : g_swap
    wire [5:0] from = 6'(b) ^ {4'd0, flip};
    assign swapped[8*b+:8] = line[{from, 3'd0}+:8];
  end

  wire [511:0] shifted = swapped >> {at, 3'd0};
  for (genvar i = 0; i < 8; i++) begin : g_index
    wire [31:0] value = wide ? shifted[32*i+:32] : {16'd0, shifted[16*i+:16]};
    assign index[32*i+:32] = 4'(i) < count ? value : 32'd0;
  end
  wire _unused = &{1'b0, shifted[511:256]};

endmodule
