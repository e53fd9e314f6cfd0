// SPDX-License-Identifier: Apache-2.0
// Registers of address calculation of images: GB_ADDR_CONFIG, GB_TILE_MODE0 to 31, TA_CS_BC_BASE_ADDR.
// An instruction that issues in the cycle of a write finds the value written.
`include "cu_image_model_pkg.sv"

module cu_tiling
  import cu_image_model_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  input  logic        valid,   // a register is written
  input  logic [5:0]  index,
  input  logic [31:0] value,
  output tiling_t     tiling
);

  tiling_t registers;
  always_comb begin : written
    tiling = registers;
    if (valid && index <= 6'd33) tiling[index] = value;
  end
  always_ff @(posedge clk) registers <= rst ? '0 : tiling;

endmodule
