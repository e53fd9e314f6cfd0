// SPDX-License-Identifier: Apache-2.0
// One lane of the vector ALU: 32-bit integer and logic operations, compares, single precision
// add, multiply, multiply-add, min, max and med3. Opcodes are the VOP3 opcode numbers of Southern
// Islands. One operation per cycle; the result comes six cycles after its operands:
//
//   1 operands   2 integer unit, product   3 product rounded   4 aligned and added
//   5 sum normalised and rounded   6 output modifiers
//
// valu_lane_steps_pkg has what is before each register from the second on; valu_lane_execute is the same
// without registers.
//
// Every stage moves when it is empty or the stage after it moves, so bubbles close. Outputs are
// zero while out_valid is low.
`include "valu_lane_steps_pkg.sv"

module valu_lane
  import valu_lane_pkg::*;
  import valu_lane_steps_pkg::*;
(
  `include "valu_lane_ports.svh"
);

  // ---- flow
  logic v1, v2, v3, v4, v5, v6;
  logic go1, go2, go3, go4, go5, go6;
  assign go6      = !v6 || out_ready;
  assign go5      = !v5 || go6;
  assign go4      = !v4 || go5;
  assign go3      = !v3 || go4;
  assign go2      = !v2 || go3;
  assign go1      = !v1 || go2;
  assign in_ready = go1;

  always_ff @(posedge clk) begin
    if (rst) begin
      v1 <= 1'b0;
      v2 <= 1'b0;
      v3 <= 1'b0;
      v4 <= 1'b0;
      v5 <= 1'b0;
      v6 <= 1'b0;
    end else begin
      if (go1) v1 <= in_valid;
      if (go2) v2 <= v1;
      if (go3) v3 <= v2;
      if (go4) v4 <= v3;
      if (go5) v5 <= v4;
      if (go6) v6 <= v5;
    end
  end

  // ---- stages: stageN is after the N-th register
  operation_t stage1;
  product_t   stage2, next2;
  terms_t     stage3, next3;
  sum_t       stage4, next4;
  rounded_t   stage5, next5;
  result_t    stage6, next6;
  assign next2 = multiplied(traits_of(stage1.op), stage1);
  assign next3 = rounded_product(stage2);
  assign next4 = added(stage3);
  assign next5 = rounded_sum(stage4);
  assign next6 = finished(stage5);

  always_ff @(posedge clk) begin
    if (go1) begin
      stage1.op     <= in_op;
      stage1.a      <= in_a;
      stage1.b      <= in_b;
      stage1.c      <= in_c;
      stage1.carry  <= in_carry;
      stage1.neg    <= in_neg;
      stage1.abs    <= in_abs;
      stage1.omod   <= in_omod;
      stage1.clamp  <= in_clamp;
      stage1.round  <= in_round;
      stage1.denorm <= in_denorm;
      stage1.dx10   <= in_dx10;
      stage1.ieee   <= in_ieee;
    end
    if (go2) stage2 <= next2;
    if (go3) stage3 <= next3;
    if (go4) stage4 <= next4;
    if (go5) stage5 <= next5;
    if (go6) stage6 <= next6;
  end

  assign out_valid   = v6;
  assign out_result  = v6 ? stage6.value : 32'd0;
  assign out_flag    = v6 && stage6.flag;
  assign out_illegal = v6 && stage6.illegal;

endmodule
