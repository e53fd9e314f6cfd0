// SPDX-License-Identifier: Apache-2.0
// Touches of a line among the sixteen lanes of a quarter wave; see progress_t. Combinational.
`include "ta_coalescer_pkg.sv"

module ta_coalescer_match
  import ta_coalescer_pkg::*;
(
  input  logic           go,
  input  logic           pieces,   // dwords of a lane lie anywhere
  input  logic [1:0]     quarter,
  input  logic [16383:0] lines,    // 64 bits each: a simulator that compiles Verilog compares whole words
  input  logic [57:0]    line,
  output logic [127:0]   touches
);

  always_comb begin : compare
    integer        k, l;
    logic [4095:0] starts;  // of dword k, lane l of the quarter, at 1024 k + 64 l
    touches = 128'd0;
    starts  = 4096'd0;
    if (go) begin
      for (k = 0; k < 4; k = k + 1) starts[1024*k+:1024] = lines[1024*{k[1:0], quarter}+:1024];
      for (l = 0; l < 16; l = l + 1)
        touches[8*l+:8] = touches_of(pieces, starts[64*l+:64], starts[1024+64*l+:64], starts[2048+64*l+:64],
                                     starts[3072+64*l+:64], line);
    end
  end

endmodule
