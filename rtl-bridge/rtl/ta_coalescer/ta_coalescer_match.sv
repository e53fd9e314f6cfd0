// SPDX-License-Identifier: Apache-2.0
// Touches of a line among the sixteen lanes of a quarter wave; see progress_t. Combinational.
module ta_coalescer_match (
  input  logic           go,
  input  logic           pieces,   // dwords of a lane lie anywhere
  input  logic [1:0]     quarter,
  input  logic [14847:0] lines,
  input  logic [57:0]    line,
  output logic [127:0]   touches
);

  logic [57:0] line_before;
  assign line_before = line - 58'd1;

  always_comb begin : compare
    integer       k, l;
    logic [927:0] starts;
    logic [57:0]  start;
    touches = 128'd0;
    starts  = 928'd0;
    start   = 58'd0;
    if (go)
      for (k = 0; k < 4; k = k + 1)
        if (k == 0 || pieces) begin
          starts = lines[928*{k[1:0], quarter}+:928];
          for (l = 0; l < 16; l = l + 1) begin
            start              = starts[58*l+:58];
            touches[8*l+2*k]   = start == line;
            touches[8*l+2*k+1] = start == line_before;
          end
        end
  end

endmodule
