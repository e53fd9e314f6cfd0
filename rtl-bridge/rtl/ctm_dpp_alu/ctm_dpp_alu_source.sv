// SPDX-License-Identifier: Apache-2.0
// A source of an instruction: what has been brought of its address, or the number in the address
// itself.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_source (
  input  logic [8:0]  address,  // with its bit for constants on top
  input  logic [31:0] brought,
  output logic [31:0] value
);

  logic is_inline;
  assign is_inline = !address[8] && address[7];

  // Seven bits: an exponent with a bias of 7 above three bits of the mantissa; exponent 0 holds
  // denormals, which are normal numbers here.
  function automatic logic [31:0] number(input logic [6:0] bits);
    number = {1'b0, 8'd120 + {4'd0, bits[6:3]}, bits[2:0], 20'd0};
    if (bits[6:3] == 4'd0) begin
      if (bits[2]) number = {1'b0, 8'd120, bits[1:0], 21'd0};
      else if (bits[1]) number = {1'b0, 8'd119, bits[0], 22'd0};
      else if (bits[0]) number = {1'b0, 8'd118, 23'd0};
      else number = 32'd0;
    end
  endfunction

  assign value = is_inline ? number(address[6:0]) : brought;

endmodule
