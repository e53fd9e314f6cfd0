// SPDX-License-Identifier: Apache-2.0
// The export that issues: the registers it sends. Those of components that are not enabled are 0.
// Compressed, two components stand in a register and the two upper registers are not read.
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"

// Some members of the instruction and of the wave have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_export
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;
(
  input  logic [1:0]     turn,            // SIMD that issues
  input  logic [4:0]     issued,          // an instruction issues, its slot
  input  slot_entries_t  entries,
  input  waves_t         waves,
  input  slot_scalars_t  scalars,
  input  vgprs_t         vgprs,
  input  returned_t      returned,
  input  returned_rows_t returned_rows,
  output export_t        message,
  output logic [8191:0]  data             // of four components
);

`include "cu_rows.sv"

  decoded_t   d;
  logic [5:0] number;
  logic [3:0] reads;  // registers
  always_comb begin : operands
    number = {turn, issued[3:0]};
    d      = issued[4] ? entries[issued[3:0]].d : '0;
    reads  = d.exp_compr ? {2'd0, d.exp_en[3:2] != 2'd0, d.exp_en[1:0] != 2'd0} : d.exp_en;
    data   = 8192'd0;
    if (reads[0]) data[2047:0] = row(number, d.src0[7:0]);
    if (reads[1]) data[4095:2048] = row(number, d.src1[7:0]);
    if (reads[2]) data[6143:4096] = row(number, d.src2[7:0]);
    if (reads[3]) data[8191:6144] = row(number, d.data1);
  end

  always_comb begin : fields
    message            = '0;
    message.wave       = number;
    message.pc         = waves[number].pc;
    message.target     = d.exp_target;
    message.enabled    = d.exp_en;
    message.compressed = d.exp_compr;
    message.last       = d.exp_done;
    message.valid_mask = d.exp_vm;
    message.exec       = exec_of(scalars[issued[3:0]]);
  end

endmodule
