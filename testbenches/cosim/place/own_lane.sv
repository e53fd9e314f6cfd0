// SPDX-License-Identifier: Apache-2.0
// The project's lane behind other names and a reset that is active low. A result comes STAGES cycles
// behind the one before at the earliest; WRONG: some are off by one bit; SURPLUS: there is always one;
// ENDS: 1, $finish with every result, 2, a loop that does not settle while there is one, and a final
// block that fails.
module own_lane #(
  parameter int STAGES = 3,
  parameter int WRONG = 0,
  parameter int SURPLUS = 0,
  parameter int ENDS = 0
) (
  input  logic        aclk,
  input  logic        aresetn,
  input  logic        enable,
  input  logic        op_vld,
  output logic        in_ready_x,
  input  logic [8:0]  in_op_x,
  input  logic [31:0] in_a_x,
  input  logic [31:0] in_b_x,
  input  logic [31:0] in_c_x,
  input  logic        in_carry_x,
  input  logic [2:0]  in_neg_x,
  input  logic [2:0]  in_abs_x,
  input  logic [1:0]  in_omod_x,
  input  logic        in_clamp_x,
  input  logic [1:0]  in_round_x,
  input  logic [1:0]  in_denorm_x,
  input  logic        in_dx10_x,
  input  logic        in_ieee_x,
  output logic        out_valid_x,
  input  logic        out_ready_x,
  output logic [31:0] out_result_x,
  output logic        out_flag_x,
  output logic        out_illegal_x
);
  logic        valid, open, flag, illegal;
  logic [31:0] result;
  logic [7:0]  left;  // cycles until the next result is shown
  assign open = left == 8'd0;
  valu_lane lane (
    .clk(aclk), .rst(!aresetn), .in_valid(op_vld && enable), .in_ready(in_ready_x),
    .in_op(in_op_x), .in_a(in_a_x), .in_b(in_b_x), .in_c(in_c_x), .in_carry(in_carry_x),
    .in_neg(in_neg_x), .in_abs(in_abs_x), .in_omod(in_omod_x), .in_clamp(in_clamp_x),
    .in_round(in_round_x), .in_denorm(in_denorm_x), .in_dx10(in_dx10_x), .in_ieee(in_ieee_x),
    .out_valid(valid), .out_ready(out_ready_x && open), .out_result(result), .out_flag(flag),
    .out_illegal(illegal));

  assign out_valid_x   = (valid && open) || SURPLUS != 0;
  logic spins;
  assign spins         = ENDS == 2 && valid && !spins;
  assign out_flag_x    = (flag && open) || spins;
  assign out_illegal_x = illegal && open;
  assign out_result_x  = (open ? result : 32'd0)
                       ^ {31'd0, WRONG != 0 && out_valid_x && result[7:0] == 8'h5a};
  if (ENDS == 1) begin : ending
    always_ff @(posedge aclk) if (valid) $finish;
  end
  if (ENDS == 2) begin : last
    final $fatal(1, "left over");
  end
  always_ff @(posedge aclk)
    if (!aresetn) left <= 8'd0;
    else if (out_valid_x && out_ready_x) left <= 8'(STAGES);
    else if (!open) left <= left - 8'd1;
endmodule
