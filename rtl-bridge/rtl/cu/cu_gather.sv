// SPDX-License-Identifier: Apache-2.0
// What requests of a vector memory instruction carry: the bytes of their lines that the lanes access,
// data of a store, operands and comparand of an atomic.
`include "cu_pkg.sv"

// Some members of the operation have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_gather
  import cu_pkg::*;
(
  input  logic [3:0]       valid,
  input  vmem_op_t         operation,
  input  logic [5:0]       index,              // of the operation
  input  logic [3:0][57:0] line,
  input  logic [3:0][63:0] lanes,              // that access the line
  input  vmem_addresses_t  vmem_addresses,
  input  vmem_values_t     vmem_values,
  input  vmem_failed_t     vmem_failed,
  input  logic [3:0][63:0] image_mask,         // bytes of lines that texels are read of
  output requests_data_t   line_data
);

  function automatic line_data_t gathered(input vmem_op_t o, input logic [5:0] op, input logic [57:0] wanted, input logic [63:0] active);
    integer      l, k, b;
    logic [63:0] at;
    logic [31:0] value;
    gathered = '0;
    at       = 64'd0;
    value    = 32'd0;
    for (l = 0; l < 64; l = l + 1) begin
      if (active[l]) begin
        for (k = 0; k < 4; k = k + 1) begin
          value = vmem_values[{op, k[1:0]}][32*l+:32];
          for (b = 0; b < 4; b = b + 1) begin
            at = (o.contiguous ? vmem_addresses[{op, 2'd0}][64*l+:64] + {60'd0, k[1:0], 2'd0}
                               : vmem_addresses[{op, k[1:0]}][64*l+:64]) + {62'd0, b[1:0]};
            if ({k[2:0], b[1:0]} < o.bytes && at[63:6] == wanted
                && (o.contiguous || (o.dword_lanes[k][l] && !vmem_failed[op][l]))) begin
              gathered.mask[at[5:0]] = 1'b1;
              if (o.kind != kLoad) gathered.data[8*at[5:0]+:8] = value[8*b+:8];
            end
          end
        end
        if (o.kind == kAtomic && (o.atomic == kCmpSwap || o.atomic == kFCmpSwap))
          gathered.compare = o.bytes == 5'd8
            ? {vmem_values[{op, 2'd3}][32*l+:32], vmem_values[{op, 2'd2}][32*l+:32]}
            : {32'd0, vmem_values[{op, 2'd1}][32*l+:32]};
      end
    end
  endfunction

  always_comb begin : requests
    integer i;
    line_data = '{default: '0};
    for (i = 0; i < 4; i = i + 1) begin
      if (valid[i] && operation.texels) line_data[i].mask = image_mask[i];
      else if (valid[i]) line_data[i] = gathered(operation, index, line[i], lanes[i]);
    end
  end

endmodule
