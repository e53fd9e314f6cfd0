// SPDX-License-Identifier: Apache-2.0
// The place of the lowest bit that is not set.
module spi_dispatch_lowest (
  input  logic [63:0] taken,
  output logic [5:0]  at
);
  logic [63:0] left;
  always_comb begin
    left = ~taken;
    at   = 6'd0;
    if (left[31:0] == 32'd0) begin
      at[5] = 1'b1;
      left  = left >> 32;
    end
    if (left[15:0] == 16'd0) begin
      at[4] = 1'b1;
      left  = left >> 16;
    end
    if (left[7:0] == 8'd0) begin
      at[3] = 1'b1;
      left  = left >> 8;
    end
    if (left[3:0] == 4'd0) begin
      at[2] = 1'b1;
      left  = left >> 4;
    end
    if (left[1:0] == 2'd0) begin
      at[1] = 1'b1;
      left  = left >> 2;
    end
    at[0] = !left[0];
  end
endmodule
