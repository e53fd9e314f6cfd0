// SPDX-License-Identifier: Apache-2.0
// The lane that v_readlane reads and v_writelane writes, which SRC1 names (as a vector register, in its
// lane 0), or the first active one that v_readfirstlane reads: lane 0 when there is none. Combinational.
`include "cu_decode_pkg.sv"
`include "cu_valu_pkg.sv"

module cu_valu_chosen
  import cu_decode_pkg::*;
  import cu_valu_pkg::*;
(
  /* verilator lint_off UNUSEDSIGNAL */  // the other fields
  input  decoded_t    inst,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [5:0]  s1,      // SRC1, if it is no vector register
  input  logic [5:0]  v1,      // and if it is one
  input  logic [63:0] exec,
  output logic [5:0]  chosen
);

  /* verilator lint_off UNUSEDSIGNAL */  // all but reads_first
  kind_t kind;
  /* verilator lint_on UNUSEDSIGNAL */
  cu_valu_decode decode (.op(inst.op), .kind(kind));

  logic [5:0] named, first;
  assign named = inst.src1[8] ? v1 : s1;
  always_comb begin : lowest
    integer i;
    first = 6'd0;
    for (i = 63; i >= 0; i = i - 1) if (exec[i]) first = i[5:0];
  end
  assign chosen = kind.reads_first ? first : named;

endmodule
