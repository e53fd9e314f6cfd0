// SPDX-License-Identifier: Apache-2.0
// Scalar registers as instructions that issue find them, and the scalar ALU and the branch unit: an
// instruction each.
`include "cu_pkg.sv"
`include "salu_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_smem_pkg.sv"

module cu_scalar
  import cu_pkg::*;
  import cu_scalar_pkg::*;
  import cu_smem_pkg::*;
(
  input  logic [1:0]          turn,           // SIMD that issues
  input  logic [15:0]         granted,
  input  logic [4:0]          salu_issued,    // an instruction issues, its slot
  input  logic [4:0]          branch_issued,
  input  slot_entries_t       entries,
  input  waves_t              waves,
  input  sregs_t              sregs,
  // loads that write registers in this cycle
  input  logic                smem_loaded,
  input  smem_op_t            loaded_op,
  input  logic [15:0][31:0]   loaded_data,
  input  logic                smem_timed,
  input  smem_op_t            timed_op,
  input  logic [15:0][31:0]   timed_data,
  output slot_scalars_t       scalars, // of the slots that issue, by operand code
  output salu_pkg::results_t  salu_out,
  output salu_pkg::results_t  branch_out
);

  always_comb begin : registers
    integer     i;
    logic [5:0] w;
    w       = 6'd0;
    scalars = '{default: '0};
    for (i = 0; i < 16; i = i + 1) begin
      w = {turn, i[3:0]};
      if (granted[i]) begin
        scalars[i] = sregs[w];
        if (smem_loaded && loaded_op.wave == w) scalars[i] = loaded(scalars[i], loaded_op, loaded_data);
        if (smem_timed && timed_op.wave == w) scalars[i] = loaded(scalars[i], timed_op, timed_data);
      end
    end
  end

  salu_pkg::operands_t salu_in, branch_in;
  always_comb begin : operands
    entry_t e;
    salu_in   = '0;
    branch_in = '0;
    e         = '0;
    if (salu_issued[4]) begin
      e       = entries[salu_issued[3:0]];
      salu_in = scalar_operands(e, issuing(waves[{turn, salu_issued[3:0]}], e.d), scalars[salu_issued[3:0]]);
    end
    if (branch_issued[4]) begin
      e         = entries[branch_issued[3:0]];
      branch_in = scalar_operands(e, issuing(waves[{turn, branch_issued[3:0]}], e.d), scalars[branch_issued[3:0]]);
    end
  end
  salu_execute scalar_unit (.in(salu_in), .out(salu_out));
  salu_execute branch_unit (.in(branch_in), .out(branch_out));

endmodule
