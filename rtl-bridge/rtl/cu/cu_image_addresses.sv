// SPDX-License-Identifier: Apache-2.0
// The image instruction that issues, as the model describes it: what it reads or writes of each lane,
// and what its cycles follow from.
`include "cu_image_model_pkg.sv"

// Some members of the description have no reader.
/* verilator lint_off UNUSEDSIGNAL */
module cu_image_addresses
  import cu_pkg::*;
  import cu_image_model_pkg::*;
(
  input  image_issue_t  issue,
  input  logic [8191:0] data,        // four registers of data, lowest first
  input  tiling_t       tiling,
  input  logic [5:0]    number,      // of the wave
  input  logic [7:0]    vmid,
  input  logic [63:0]   pc,
  input  logic [7:0]    vdst,
  output logic [2:0]    refused,     // why the unit stops; 0: it does not
  output vmem_op_t      operation,
  output logic [4095:0] addresses,   // of stores and atomics, one of a lane
  output logic [8191:0] values       // their data, as they go to memory
);

  image_op_t described;
  always_comb begin : describe
    refused   = 3'd0;
    described = '0;
    addresses = '0;
    values    = '0;
    if (issue.valid)
      refused = 3'(cu_image_describe(issue.words, issue.wave, tiling, issue.rows, data, described, addresses, values));
  end

  always_comb begin : as_an_operation
    integer q;
    operation             = '0;
    operation.words       = issue.words;
    operation.pc          = pc;
    operation.wave        = number;
    operation.vmid        = vmid;
    operation.kind        = described.kind[1:0];
    operation.atomic      = described.atomic[4:0];
    operation.bytes       = described.bytes[4:0];
    operation.dwords      = described.dwords[2:0];
    operation.returns     = described.returns[0];
    operation.glc         = described.glc[0];
    operation.slc         = described.slc[0];
    operation.contiguous  = 1'b1;
    operation.vdst        = vdst;
    operation.lanes       = described.lanes;
    operation.zero_lanes  = described.zero_lanes;
    operation.dword_lanes = {4{described.lanes}};
    operation.image       = 1'b1;
    operation.texels      = described.texels[0];
    operation.status      = described.status[0];
    operation.direct      = described.direct[0];
    operation.wide        = described.wide[1:0];
    operation.warned      = described.warned;
    for (q = 0; q < 16; q = q + 1) operation.quads[q] = described.quads[q][16:0];
  end

endmodule
