// SPDX-License-Identifier: Apache-2.0
// The project's lane and nothing else: its outputs show what registers hold before the first reset.
module bare_lane (
  input  logic        clk,
  input  logic        rst,
  input  logic        in_valid,
  input  logic [8:0]  in_op,
  input  logic [31:0] in_a,
  input  logic [31:0] in_b,
  input  logic [31:0] in_c,
  input  logic        in_carry,
  input  logic [2:0]  in_neg,
  input  logic [2:0]  in_abs,
  input  logic [1:0]  in_omod,
  input  logic        in_clamp,
  input  logic [1:0]  in_round,
  input  logic [1:0]  in_denorm,
  input  logic        in_dx10,
  input  logic        in_ieee,
  input  logic        out_ready,
  output logic        in_ready,
  output logic        out_valid,
  output logic [31:0] out_result,
  output logic        out_flag,
  output logic        out_illegal
);
  valu_lane lane (.*);
endmodule
