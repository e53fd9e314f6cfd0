// SPDX-License-Identifier: Apache-2.0
// Issue arbitration and dependency check of one SIMD of a compute unit: which of up to sixteen
// waves start an instruction in the SIMD's turn; cu_issue_decide has the rules. One query per cycle;
// the decision comes one cycle after it. Fields of slot n stand at n times their width.
module cu_issue (
  input  logic          clk,
  input  logic          rst,
  // queries
  input  logic          in_valid,
  output logic          in_ready,
  input  logic [3:0]    in_width,       // instructions per turn
  input  logic [3:0]    in_turn,        // cycles until the SIMD's next turn
  input  logic [15:0]   in_slots,       // waves that have an instruction
  input  logic [63:0]   in_order,       // slot to look at first, second, ...
  input  logic [63:0]   in_class,       // of the next instruction
  input  logic [63:0]   in_unit,        // it needs
  input  logic [255:0]  in_wait,        // cycles until the wave may issue
  input  logic [255:0]  in_hazard_wait, // cycles until pending registers are ready
  input  logic [2047:0] in_reads,       // scalar registers the instruction reads
  input  logic [2047:0] in_pending,     // scalar registers that are not ready
  input  logic [15:0]   in_needs_vm,    // instructions that count on a counter
  input  logic [15:0]   in_needs_exp,
  input  logic [15:0]   in_needs_lgkm,
  input  logic [15:0]   in_drains,      // instructions that need all of them at zero
  input  logic [127:0]  in_vm,          // counters
  input  logic [127:0]  in_exp,
  input  logic [127:0]  in_lgkm,
  input  logic [7:0]    in_max_vm,      // and their maxima
  input  logic [7:0]    in_max_exp,
  input  logic [7:0]    in_max_lgkm,
  input  logic [255:0]  in_unit_wait,   // by unit: cycles until it takes an instruction
  input  logic [15:0]   in_waiting,     // waves at an s_waitcnt
  input  logic [127:0]  in_limit_vm,    // with these limits
  input  logic [127:0]  in_limit_exp,
  input  logic [127:0]  in_limit_lgkm,
  // decisions; zero while out_valid is low
  output logic          out_valid,
  input  logic          out_ready,
  output logic [15:0]   out_grant,
  output logic [15:0]   out_classes,    // granted, by class
  output logic [15:0]   out_full,       // refused until an event, by class
  output logic [15:0]   out_retry,      // cycles until a refused wave may issue; all ones: none
  output logic [15:0]   out_released,
  output logic [63:0]   out_reason      // by slot
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
