// SPDX-License-Identifier: Apache-2.0
// What a load or atomic leaves: registers from its destination on, behind the data one that says which
// lanes found no memory. Of images the data are the model's, and the status register says which lanes
// have a level of detail below the resource's limit.
`include "cu_pkg.sv"

// Vectors of whole registers; some members of the operation have no reader here.
/* verilator lint_off WIDTHCONCAT */
/* verilator lint_off UNUSEDSIGNAL */
module cu_returned
  import cu_pkg::*;
(
  input  waves_t         waves,
  input  vgprs_t         vgprs,
  input  vmem_ops_t      vmem_ops,
  input  vmem_values_t   vmem_values,
  input  vmem_failed_t   vmem_failed,
  input  returned_t      returned,
  input  logic [5:0]     index,           // of the operation
  input  logic [8191:0]  image_rows,      // its data registers, when it reads texels
  output logic [10239:0] rows
);

  vmem_op_t      op;
  logic [63:0]   missing, written;
  logic [8191:0] loaded, data;
  assign op      = returned.valid ? vmem_ops[index] : '0;
  assign missing = vmem_failed[index];
  assign written = op.lanes | op.zero_lanes;
  ta_format_wave loads (.store(1'b0), .typed(op.typed), .bytes(op.bytes), .sign_extend(op.sign_extend), .dwords(op.dwords),
    .dfmt(op.dfmt), .nfmt(op.nfmt), .dst_sel(op.dst_sel), .written(written), .dword_lanes(op.dword_lanes & {4{~missing}}),
    .data({vmem_values[{index, 2'd3}], vmem_values[{index, 2'd2}], vmem_values[{index, 2'd1}], vmem_values[{index, 2'd0}]}),
    .result(loaded));

  // ---- the register behind the data
  logic [2:0]  status_at;
  logic [63:0] status;
  assign data      = op.texels ? image_rows : loaded;
  assign status_at = op.status ? op.dwords - 3'd1 : op.dwords;
  assign status    = op.texels ? op.warned : missing;

  always_comb begin : merge
    integer l, k;
    rows = '0;
    if (returned.valid)
      for (k = 0; k < 5; k = k + 1) begin
        rows[2048*k+:2048] = vgprs[{op.wave[5:4], waves[op.wave].vgpr_base + op.vdst + k[7:0]}];
        for (l = 0; l < 64; l = l + 1)
          if (written[l]) rows[2048*k+32*l+:32] = k[2:0] == status_at ? {31'd0, status[l]} : data[2048*k[1:0]+32*l+:32];
      end
  end

endmodule
