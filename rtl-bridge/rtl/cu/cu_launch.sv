// SPDX-License-Identifier: Apache-2.0
// A wave as its launch makes it, and whether the launch is one that this unit can take.
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"

// One wave and its generation only are looked at.
/* verilator lint_off UNUSEDSIGNAL */
module cu_launch
  import cu_pkg::*;
  import cu_scalar_pkg::*;
(
  input  spec_t             spec,
  input  cycle_t            now,
  input  logic [63:0]       age,          // launches before it
  input  waves_t            waves,
  input  launch_t           launch,
  output logic              wrong,
  output wave_t             new_wave,
  output logic [4095:0]     new_scalars   // its scalar registers, by operand code
);

  wave_t previous;
  assign previous = waves[launch.wave];
  assign wrong  = {1'b0, launch.wave[5:4]} >= spec.simds || {1'b0, launch.wave[3:0]} >= spec.slots
               || {1'b0, launch.group_slot} >= spec.groups
               || {2'd0, launch.vgpr_base} + {1'b0, launch.vgprs} > {1'b0, spec.vgprs}
               || {2'd0, launch.sgpr_base} + {3'd0, launch.sgprs} > {1'b0, spec.sgprs}
               || {1'b0, launch.lds_base} + {1'b0, launch.lds_bytes} > {1'b0, spec.lds}
               || launch.pc[1:0] != 2'd0 || previous.status != kFree;

  always_comb begin : wave
    new_wave              = '0;
    new_wave.status       = kNeedsFetch;
    new_wave.generation   = previous.generation;
    new_wave.pc           = launch.pc;
    new_wave.ready_at     = now;
    new_wave.age          = age;
    new_wave.group_slot   = launch.group_slot;
    new_wave.vmid         = launch.vmid;
    new_wave.vgpr_base    = launch.vgpr_base;
    new_wave.vgprs        = launch.vgprs;
    new_wave.sgpr_base    = launch.sgpr_base;
    new_wave.sgprs        = launch.sgprs;
    new_wave.lds_base     = launch.lds_base;
    new_wave.lds_size     = launch.lds_bytes;
    new_wave.spi_priority = launch.prio;
    new_wave.trap_en      = launch.trap;
    new_wave.in_group     = launch.waves_in_group > 5'd1;
    new_wave.hw_id        = {8'd0, launch.vmid[3:0], launch.group_slot[3:0], 2'd0, spec.engine[0], spec.shader_array[0], spec.unit, 2'd0,
                             launch.wave};
    new_wave.float_mode   = launch.float_mode;
    new_wave.dx10         = launch.dx10_clamp;
    new_wave.ieee         = launch.ieee;
    new_wave.exceptions   = launch.exceptions;
    new_wave.prio         = launch.prio;
    new_wave.privileged   = launch.privileged;
    new_wave              = jumped(new_wave);
  end

  always_comb begin : scalars
    integer i;
    new_scalars               = '0;
    new_scalars[32*kTba+:64]  = launch.tba;
    new_scalars[32*kTma+:64]  = launch.tma;
    new_scalars[32*kExec+:64] = launch.exec;
    new_scalars[32*kM0+:32]   = {15'd0, launch.lds_bytes};
    for (i = 0; i < 24; i = i + 1) if (i[4:0] < launch.sgpr_count) new_scalars[32*i+:32] = launch.sgpr[i];
  end

endmodule
