// SPDX-License-Identifier: Apache-2.0
// Which of up to sixteen waves of a SIMD start an instruction in its turn. Combinational: cu_issue
// puts a register after it, a compute unit takes the decision in the cycle of the query. Fields of
// slot n stand at n times their width.
//
// Waves are looked at in the order given. A wave is refused because its last instruction still
// runs (wait), because its class or the width is taken, because a counter it needs is at its
// maximum or one that must be zero (drains) is not, because its unit is busy (unit_wait; all ones:
// until an event), because it reads a scalar register that is not ready (scalar ALU and branch
// only), or because it is an export or a GDS instruction and one of the other has issued: both
// leave by one path. Of each class one instruction issues; those of class Internal do not count for
// the width.
//
// `released`: waves at an s_waitcnt whose counters have come down to its limits.
module cu_issue_decide (
  // query, by the names of cu_issue's pins
  input  logic [3:0]    in_width,       // instructions per turn
  input  logic [3:0]    in_turn,        // cycles until the SIMD's next turn
  input  logic [15:0]   in_slots,       // waves that have an instruction
  input  logic [63:0]   in_order,       // slot to consider first, second, ...
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
  // decision
  output logic [15:0]   grant,
  output logic [15:0]   classes,        // granted, by class
  output logic [15:0]   full,           // refused until an event, by class
  output logic [15:0]   retry,          // cycles until a refused wave may issue; all ones: none
  output logic [15:0]   released,
  output logic [63:0]   reason          // by slot
);

  localparam logic [3:0] kClassSalu = 4'd1;
  localparam logic [3:0] kClassGds = 4'd5;
  localparam logic [3:0] kClassExport = 4'd6;
  localparam logic [3:0] kClassBranch = 4'd7;
  localparam logic [3:0] kClassInternal = 4'd9;

  localparam logic [3:0] kNone = 4'd0;
  localparam logic [3:0] kGranted = 4'd1;
  localparam logic [3:0] kNotDue = 4'd2;
  localparam logic [3:0] kArbitration = 4'd3;
  localparam logic [3:0] kUnitLater = 4'd4;
  localparam logic [3:0] kUnitFull = 4'd5;
  localparam logic [3:0] kHazard = 4'd6;
  localparam logic [3:0] kHoldVm = 4'd7;
  localparam logic [3:0] kHoldExp = 4'd8;
  localparam logic [3:0] kHoldLgkm = 4'd9;
  localparam logic [15:0] kNever = 16'hffff;

  // ---- dependencies of each wave, by itself
  logic [15:0] scalar_hazard;
  logic [15:0] above_vm, above_exp, above_lgkm;
  logic [15:0] at_vm, at_exp, at_lgkm;
  genvar g;
  generate
    for (g = 0; g < 16; g = g + 1) begin : g_slot
      logic [3:0] cls;
      assign cls = in_class[4*g+:4];
      assign scalar_hazard[g] = (cls == kClassSalu || cls == kClassBranch)
                             && in_hazard_wait[16*g+:16] != 16'd0
                             && (in_reads[128*g+:128] & in_pending[128*g+:128]) != 128'd0;
      assign at_vm[g]      = (in_needs_vm[g] && in_vm[8*g+:8] >= in_max_vm)
                          || (in_drains[g] && in_vm[8*g+:8] != 8'd0);
      assign at_exp[g]     = (in_needs_exp[g] && in_exp[8*g+:8] >= in_max_exp)
                          || (in_drains[g] && in_exp[8*g+:8] != 8'd0);
      assign at_lgkm[g]    = (in_needs_lgkm[g] && in_lgkm[8*g+:8] >= in_max_lgkm)
                          || (in_drains[g] && in_lgkm[8*g+:8] != 8'd0);
      assign above_vm[g]   = in_vm[8*g+:8] > in_limit_vm[8*g+:8];
      assign above_exp[g]  = in_exp[8*g+:8] > in_limit_exp[8*g+:8];
      assign above_lgkm[g] = in_lgkm[8*g+:8] > in_limit_lgkm[8*g+:8];
    end
  endgenerate

  // ---- arbitration
  logic [15:0] turn;
  assign turn = {12'd0, in_turn};

  always_comb begin : arbitrate
    integer      i;
    logic [15:0] left;
    logic [3:0]  slot;
    logic [3:0]  cls;
    logic [3:0]  why;
    logic [3:0]  issued;
    logic [15:0] unit;   // until its unit takes an instruction
    logic        path;   // it leaves by the path of exports and GDS
    logic [15:0] again;  // cycles until this wave may try again
    grant    = 16'd0;
    classes  = 16'd0;
    full     = 16'd0;
    retry    = kNever;
    released = in_waiting & ~in_slots & ~above_vm & ~above_exp & ~above_lgkm;
    reason   = 64'd0;
    left     = in_slots;
    issued   = 4'd0;
    slot     = 4'd0;
    cls      = 4'd0;
    why      = kNone;
    unit     = 16'd0;
    path     = 1'b0;
    again    = kNever;
    for (i = 0; i < 16; i = i + 1) begin
      slot  = in_order[4*i+:4];
      cls   = in_class[4*slot+:4];
      unit  = in_unit_wait[16*in_unit[4*slot+:4]+:16];
      path  = cls == kClassGds || cls == kClassExport;
      again = kNever;
      if (left[slot]) begin
        left[slot] = 1'b0;
        if (in_wait[16*slot+:16] != 16'd0) begin
          why   = kNotDue;
          again = in_wait[16*slot+:16];
        end else if (classes[cls] || (cls != kClassInternal && issued == in_width)) begin
          why   = kArbitration;
          again = turn;
        end else if (at_vm[slot]) begin
          why = kHoldVm;
        end else if (at_lgkm[slot]) begin
          why = kHoldLgkm;
        end else if (at_exp[slot]) begin
          why = kHoldExp;
        end else if (unit == kNever) begin
          why       = kUnitFull;
          full[cls] = 1'b1;
        end else if (unit != 16'd0) begin
          why   = kUnitLater;
          again = unit;
        end else if (scalar_hazard[slot]) begin
          why   = kHazard;
          again = in_hazard_wait[16*slot+:16];
        end else if (path && (classes[kClassGds] || classes[kClassExport])) begin
          why   = kUnitLater;
          again = turn;
        end else begin
          why          = kGranted;
          grant[slot]  = 1'b1;
          classes[cls] = 1'b1;
          if (cls != kClassInternal) issued = issued + 4'd1;
        end
        reason[4*slot+:4] = why;
        if (again < retry) retry = again;
      end
    end
    for (i = 0; i < 16; i = i + 1) begin
      if (in_waiting[i] && !in_slots[i]) begin
        if (above_vm[i]) reason[4*i+:4] = kHoldVm;
        else if (above_lgkm[i]) reason[4*i+:4] = kHoldLgkm;
        else if (above_exp[i]) reason[4*i+:4] = kHoldExp;
      end
    end
  end

endmodule
