// SPDX-License-Identifier: Apache-2.0
// Which vector registers SRC0 and the destination are: those the fields name, but relative moves add M0. Beyond
// the wave's registers a relative source is v0, and a relative destination is not there. Combinational.
`include "cu_decode_pkg.sv"

module cu_valu_registers
  import cu_decode_pkg::*;
(
  /* verilator lint_off UNUSEDSIGNAL */  // the other fields
  input  decoded_t    inst,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0] m0,
  input  logic [8:0]  vgprs,       // the wave has
  output logic [7:0]  source,
  output logic [7:0]  destination,
  output logic        exists       // the destination does
);

  logic relative_source, relative_destination;
  assign relative_source      = inst.op == 9'd451 || inst.op == 9'd452;
  assign relative_destination = inst.op == 9'd450 || inst.op == 9'd452;

  logic [31:0] from, to;
  assign from = {24'd0, inst.src0[7:0]} + m0;
  assign to   = {24'd0, inst.vdst} + m0;

  assign exists      = !relative_destination || to < {23'd0, vgprs};
  assign destination = relative_destination ? to[7:0] : inst.vdst;
  assign source      = !relative_source ? inst.src0[7:0] : (from < {23'd0, vgprs}) ? from[7:0] : 8'd0;

endmodule
