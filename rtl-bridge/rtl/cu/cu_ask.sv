// SPDX-License-Identifier: Apache-2.0
// What the issue arbiter of the SIMD whose turn it is sees of its waves and of the units, and what it
// decides.
`include "cu_pkg.sv"
`include "cu_message_pkg.sv"

// Outputs of the arbiter that only a model asks for; members of a wave without a reader here.
/* verilator lint_off PINCONNECTEMPTY */
/* verilator lint_off UNUSEDSIGNAL */
module cu_ask
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_message_pkg::*;
(
  input  spec_t            spec,
  input  cycle_t           now,
  input  logic [1:0]       turn,            // SIMD that issues
  input  logic             hold,            // nothing issues
  input  waves_t           waves,
  input  simds_t           simds,
  input  queues_t          queues,
  input  buffers_t         buffers,
  input  logic             block_taken,
  input  block_t           block,
  input  block_entries_t   entries_in,
  input  entry_t           entry_before,
  input  logic             gds_ready,
  input  logic             export_ready,
  input  logic             message_ready,
  input  logic             icache_ready,
  output slot_entries_t    entries,  // instructions of the waves that have one, by slot
  output logic [15:0]      granted,
  output logic [15:0][3:0] reasons,         // why a slot issues or not
  output logic [15:0][4:0] issued           // by class: an instruction issues, its slot
);

  // Units beside the classes.
  localparam logic [3:0] kGraphicsUnit = 4'd10;
  localparam logic [3:0] kNoUnit = 4'd15;

  logic [15:0]      slots, needs_vm, needs_exp, needs_lgkm, drains;
  logic [15:0][3:0] order, class_of, unit;
  logic [15:0][15:0] waits, hazard_waits, unit_waits;
  logic [15:0][127:0] reads, pending;
  logic [15:0][7:0] vm, exp, lgkm;
  logic [15:0]      grant;

`include "cu_entries.sv"

  function automatic logic [15:0] until_pins(input cycle_t at);
    until_pins = at <= now ? 16'd0 : at - now > 64'hfffe ? 16'hfffe : 16'(at - now);
  endfunction

  // Of messages interrupts need one unit, all others that go out another one.
  function automatic logic [3:0] unit_of(input decoded_t d);
    unit_of = d.cls;
    if (d.cls == kClassMessage) begin
      if (d.action != kMessage || !message_exists(d.simm16) || d.simm16[3:0] == kNoMessage) unit_of = kNoUnit;
      else if (d.simm16[3:0] != kInterrupt) unit_of = kGraphicsUnit;
    end
  endfunction

  // Cycles until each unit takes an instruction; all ones: an event must come. One that looks again
  // does so in the SIMD's next turn.
  logic [15:0] next_turn;
  simd_t       simd;
  assign next_turn = {13'd0, spec.simds};
  assign simd      = simds[turn];
  always_comb begin : units
    unit_waits                = '0;
    unit_waits[kClassValu]    = until_pins(simd.valu_free);
    unit_waits[kClassSmem]    = queues.smem_free == 64'd0 || simd.smem_waiting >= spec.smem_queue ? 16'hffff : 16'd0;
    unit_waits[kClassVmem]    = queues.vmem_free == 64'd0 || simd.ta_waiting >= spec.vmem_queue ? 16'hffff : 16'd0;
    unit_waits[kClassLds]     = until_pins(simd.lds_ends[simd.lds_next]);
    unit_waits[kClassGds]     = queues.export_free > now || queues.gds_free == 64'd0 || !gds_ready ? next_turn : 16'd0;
    unit_waits[kClassExport]  = queues.export_free > now || !export_ready ? next_turn : 16'd0;
    unit_waits[kClassMessage] = !message_ready ? next_turn : 16'd0;
    unit_waits[kGraphicsUnit] = !message_ready ? next_turn : 16'd0;
  end

  always_comb begin : ask
    integer     i;
    logic [5:0] w;
    decoded_t   d;
    entries      = '{default: '0};
    slots        = '0;
    needs_vm     = '0;
    needs_exp    = '0;
    needs_lgkm   = '0;
    drains       = '0;
    class_of     = '0;
    unit         = '0;
    waits        = '0;
    hazard_waits = '0;
    reads        = '0;
    pending      = '0;
    vm           = '0;
    exp          = '0;
    lgkm         = '0;
    d            = '0;
    w            = 6'd0;
    for (i = 0; i < 16; i = i + 1) begin
      w = {turn, i[3:0]};
      if (waves[w].status == kReady) begin
        entries[i]      = entry_at(w, waves[w].pc);
        d               = skipped(entries[i].d, waves[w].vskip);
        slots[i]        = 1'b1;
        class_of[i]     = d.cls;
        unit[i]         = unit_of(d);
        waits[i]        = until_pins(waves[w].ready_at);
        if (d.action == kInvalidateInst && !icache_ready && waves[w].ready_at <= now) waits[i] = next_turn;
        needs_vm[i]     = d.cls == kClassVmem;
        needs_exp[i]    = d.cls == kClassVmem || d.cls == kClassGds || d.cls == kClassExport;
        needs_lgkm[i]   = d.cls == kClassSmem || d.cls == kClassMessage || d.cls == kClassGds
                       || (d.cls == kClassLds && d.action != kInterpolate);
        drains[i]       = d.drains && waves[w].trap_en;
        hazard_waits[i] = until_pins(waves[w].hazard_until);
        reads[i]        = d.cls == kClassSalu || d.cls == kClassBranch ? d.sgprs : 128'd0;
        pending[i]      = waves[w].hazard_sgprs;
        vm[i]           = {4'd0, waves[w].vm};
        exp[i]          = {5'd0, waves[w].exp};
        lgkm[i]         = {3'd0, waves[w].lgkm};
      end
    end
  end

  assign order = simd.order;
  cu_issue_decide arbiter (
    .in_width(spec.issue_width), .in_turn({1'b0, spec.simds}), .in_slots(slots), .in_order(order), .in_class(class_of),
    .in_unit(unit), .in_wait(waits), .in_hazard_wait(hazard_waits), .in_reads(reads), .in_pending(pending),
    .in_needs_vm(needs_vm), .in_needs_exp(needs_exp), .in_needs_lgkm(needs_lgkm), .in_drains(drains), .in_vm(vm),
    .in_exp(exp), .in_lgkm(lgkm), .in_max_vm({4'd0, spec.vm_max}), .in_max_exp({5'd0, spec.exp_max}),
    .in_max_lgkm({3'd0, spec.lgkm_max}), .in_unit_wait(unit_waits), .in_waiting(16'd0), .in_limit_vm(128'd0),
    .in_limit_exp(128'd0), .in_limit_lgkm(128'd0),
    .grant(grant), .classes(), .full(), .retry(), .released(), .reason(reasons));

  assign granted = hold ? 16'd0 : grant;
  always_comb begin : by_class
    integer i;
    issued = '0;
    for (i = 0; i < 16; i = i + 1) if (granted[i]) issued[class_of[i]] = {1'b1, i[3:0]};
  end

endmodule
