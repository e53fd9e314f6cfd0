// SPDX-License-Identifier: Apache-2.0
// A line whose bytes of the mask are replaced.
module tc_l2_merge (
  input  logic [511:0] old,
  input  logic [511:0] bytes,
  input  logic [63:0]  mask,
  output logic [511:0] merged
);

  genvar g;
  generate
    for (g = 0; g < 16; g = g + 1) begin : g_word
      logic [31:0] take;
      assign take = {{8{mask[4*g+3]}}, {8{mask[4*g+2]}}, {8{mask[4*g+1]}}, {8{mask[4*g]}}};
      assign merged[32*g+:32] = (bytes[32*g+:32] & take) | (old[32*g+:32] & ~take);
    end
  endgenerate

endmodule
