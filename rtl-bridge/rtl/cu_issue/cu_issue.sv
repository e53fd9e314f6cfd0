// SPDX-License-Identifier: Apache-2.0
// Issue arbitration and dependency check of one SIMD of a compute unit: which of up to sixteen
// waves start an instruction in the SIMD's turn; cu_issue_decide has the rules. One query per cycle;
// the decision comes one cycle after it. Fields of slot n stand at n times their width.
module cu_issue (
  `include "cu_issue_ports.svh"
);

  // ---- decision
  logic [15:0] grant, classes, full, retry, released;
  logic [63:0] reason;
  cu_issue_decide decide (
    .in_width(in_width), .in_turn(in_turn), .in_slots(in_slots), .in_order(in_order),
    .in_class(in_class), .in_unit(in_unit), .in_wait(in_wait), .in_hazard_wait(in_hazard_wait),
    .in_reads(in_reads), .in_pending(in_pending), .in_needs_vm(in_needs_vm),
    .in_needs_exp(in_needs_exp), .in_needs_lgkm(in_needs_lgkm), .in_drains(in_drains),
    .in_vm(in_vm), .in_exp(in_exp), .in_lgkm(in_lgkm), .in_max_vm(in_max_vm),
    .in_max_exp(in_max_exp), .in_max_lgkm(in_max_lgkm), .in_unit_wait(in_unit_wait),
    .in_waiting(in_waiting), .in_limit_vm(in_limit_vm), .in_limit_exp(in_limit_exp),
    .in_limit_lgkm(in_limit_lgkm), .grant(grant), .classes(classes), .full(full), .retry(retry),
    .released(released), .reason(reason)
  );

  // ---- decision register
  logic        valid;
  logic [15:0] grant_r, classes_r, full_r, retry_r, released_r;
  logic [63:0] reason_r;
  assign in_ready = !valid || out_ready;

  always_ff @(posedge clk) begin
    if (rst) valid <= 1'b0;
    else if (in_ready) valid <= in_valid;
    if (in_ready) begin
      grant_r    <= grant;
      classes_r  <= classes;
      full_r     <= full;
      retry_r    <= retry;
      released_r <= released;
      reason_r   <= reason;
    end
  end

  assign out_valid    = valid;
  assign out_grant    = valid ? grant_r : 16'd0;
  assign out_classes  = valid ? classes_r : 16'd0;
  assign out_full     = valid ? full_r : 16'd0;
  assign out_retry    = valid ? retry_r : 16'd0;
  assign out_released = valid ? released_r : 16'd0;
  assign out_reason   = valid ? reason_r : 64'd0;

endmodule
