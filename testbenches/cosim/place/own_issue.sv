// SPDX-License-Identifier: Apache-2.0
// The project's issue arbiter with a mistake. SURPLUS: there is always a decision; else it grants
// other slots than its reasons say.
module own_issue #(
  parameter int SURPLUS = 0
) (
  input  logic          clk,
  input  logic          rst,
  input  logic          in_valid,
  output logic          in_ready,
  input  logic [3:0]    in_width,
  input  logic [3:0]    in_turn,
  input  logic [15:0]   in_slots,
  input  logic [63:0]   in_order,
  input  logic [63:0]   in_class,
  input  logic [63:0]   in_unit,
  input  logic [255:0]  in_wait,
  input  logic [255:0]  in_hazard_wait,
  input  logic [2047:0] in_reads,
  input  logic [2047:0] in_pending,
  input  logic [15:0]   in_needs_vm,
  input  logic [15:0]   in_needs_exp,
  input  logic [15:0]   in_needs_lgkm,
  input  logic [15:0]   in_drains,
  input  logic [127:0]  in_vm,
  input  logic [127:0]  in_exp,
  input  logic [127:0]  in_lgkm,
  input  logic [7:0]    in_max_vm,
  input  logic [7:0]    in_max_exp,
  input  logic [7:0]    in_max_lgkm,
  input  logic [255:0]  in_unit_wait,
  input  logic [15:0]   in_waiting,
  input  logic [127:0]  in_limit_vm,
  input  logic [127:0]  in_limit_exp,
  input  logic [127:0]  in_limit_lgkm,
  output logic          out_valid,
  input  logic          out_ready,
  output logic [15:0]   out_grant,
  output logic [15:0]   out_classes,
  output logic [15:0]   out_full,
  output logic [15:0]   out_retry,
  output logic [15:0]   out_released,
  output logic [63:0]   out_reason
);
  logic        valid;
  logic [15:0] grant;
  cu_issue issue (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_width(in_width), .in_turn(in_turn),
    .in_slots(in_slots), .in_order(in_order), .in_class(in_class), .in_unit(in_unit), .in_wait(in_wait),
    .in_hazard_wait(in_hazard_wait), .in_reads(in_reads), .in_pending(in_pending), .in_needs_vm(in_needs_vm),
    .in_needs_exp(in_needs_exp), .in_needs_lgkm(in_needs_lgkm), .in_drains(in_drains), .in_vm(in_vm),
    .in_exp(in_exp), .in_lgkm(in_lgkm), .in_max_vm(in_max_vm), .in_max_exp(in_max_exp),
    .in_max_lgkm(in_max_lgkm), .in_unit_wait(in_unit_wait), .in_waiting(in_waiting),
    .in_limit_vm(in_limit_vm), .in_limit_exp(in_limit_exp), .in_limit_lgkm(in_limit_lgkm), .out_valid(valid),
    .out_ready(out_ready), .out_grant(grant), .out_classes(out_classes), .out_full(out_full),
    .out_retry(out_retry), .out_released(out_released), .out_reason(out_reason));
  assign out_valid = valid || SURPLUS != 0;
  assign out_grant = SURPLUS != 0 ? grant : 16'd0;
endmodule
