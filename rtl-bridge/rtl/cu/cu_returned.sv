// SPDX-License-Identifier: Apache-2.0
// VGPRs as what returns leaves them. Of the GDS: the destination in the lanes that were active. Of a
// load or atomic: registers from its destination on, after the data one that says which lanes found no
// memory. Of images the data are the model's, and the status register says which lanes have a level of
// detail below the resource's limit. Or the dwords that a load to LDS writes there: bytes and halfwords
// are not extended by their sign.
`include "cu_lds_load_pkg.sv"
`include "cu_pkg.sv"

// Vectors of whole registers; some members of the operation have no reader here.
/* verilator lint_off WIDTHCONCAT */
/* verilator lint_off UNUSEDSIGNAL */
module cu_returned
  import cu_lds_load_pkg::*;
  import cu_pkg::*;
(
  input  waves_t         waves,
  input  vgprs_t         vgprs,
  input  vmem_ops_t      vmem_ops,
  input  vmem_values_t   vmem_values,
  input  vmem_failed_t   vmem_failed,
  input  returned_t      returned,
  input  logic [5:0]     index,           // of the vector memory instruction
  input  logic [8191:0]  image_rows,      // its data registers, when it reads texels
  input  logic [8191:0]  gds_data,
  output returned_rows_t returned_rows,
  output lds_load_t      lds_load
);

  logic [8191:0]  gds_rows;
  logic [10239:0] memory_rows;
  assign returned_rows = {gds_rows, memory_rows};

  // ---- the GDS
  always_comb begin : answer
    integer l, k;
    gds_rows = '0;
    if (returned.gds.valid)
      for (k = 0; k < 4; k = k + 1) begin
        gds_rows[2048*k+:2048] = vgprs[{returned.gds.wave[5:4], waves[returned.gds.wave].vgpr_base + returned.gds.vdst + k[7:0]}];
        for (l = 0; l < 64; l = l + 1) if (returned.gds.lanes[l]) gds_rows[2048*k+32*l+:32] = gds_data[2048*k+32*l+:32];
      end
  end

  // ---- memory
  vmem_op_t      op;
  logic [63:0]   missing, written;
  logic [8191:0] loaded, data;
  assign op      = returned.memory.valid ? vmem_ops[index] : '0;
  assign missing = vmem_failed[index];
  assign written = returned.memory.lanes;
  ta_format_wave loads (.store(1'b0), .typed(op.typed), .bytes(op.bytes), .sign_extend(op.sign_extend && !op.to_lds),
    .dwords(op.dwords), .dfmt(op.dfmt), .nfmt(op.nfmt), .dst_sel(op.dst_sel), .written(written), .dword_lanes(op.dword_lanes & {4{~missing}}),
    .data({vmem_values[{index, 2'd3}], vmem_values[{index, 2'd2}], vmem_values[{index, 2'd1}], vmem_values[{index, 2'd0}]}),
    .result(loaded));

  // ---- the register after the data
  logic [2:0]  status_at;
  logic [63:0] status;
  assign data      = op.texels ? image_rows : loaded;
  assign status_at = op.status ? op.dwords - 3'd1 : op.dwords;
  assign status    = op.texels ? op.warned : missing;

  // The register as the GDS has left it in this cycle.
  function automatic logic [2047:0] found(input logic [5:0] number, input logic [7:0] register);
    logic [7:0] k;
    k     = register - returned.gds.vdst;
    found = vgprs[{number[5:4], waves[number].vgpr_base + register}];
    if (returned.gds.valid && returned.gds.wave == number && k < {5'd0, returned.gds.count}) found = gds_rows[2048*k[1:0]+:2048];
  endfunction

  assign lds_load = '{valid: returned.memory.valid && op.to_lds, at: op.lds_addr[16:0], lanes: op.lds_lanes, data: data[2047:0]};

  always_comb begin : merge
    integer l, k;
    memory_rows = '0;
    if (returned.memory.valid)
      for (k = 0; k < 5; k = k + 1) begin
        memory_rows[2048*k+:2048] = found(op.wave, op.vdst + k[7:0]);
        for (l = 0; l < 64; l = l + 1)
          if (written[l])
            memory_rows[2048*k+32*l+:32] = k[2:0] == status_at ? {31'd0, status[l]} : data[2048*k[1:0]+32*l+:32];
      end
  end

endmodule
