// SPDX-License-Identifier: Apache-2.0
// Scalar memory instructions: what they ask for, what they cost, and the registers they leave.
`ifndef CU_SMEM_PKG_SV
`define CU_SMEM_PKG_SV
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"

// Functions that look at a part of a struct only.
/* verilator lint_off UNUSEDSIGNAL */

package cu_smem_pkg;
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;

  // s_load is 0 to 4, s_buffer_load 8 to 12.
  localparam logic [8:0] kMemtime = 9'd30;
  localparam logic [8:0] kDcacheInvalidate = 9'd31;

  function automatic logic [4:0] dwords_of(input decoded_t d);
    dwords_of = d.op == kMemtime ? 5'd2 : d.op == kDcacheInvalidate ? 5'd0 : 5'd1 << d.op[2:0];
  endfunction

  // Until the wave's next instruction.
  function automatic logic [11:0] smem_cycles(input decoded_t d, input spec_t spec);
    case (dwords_of(d))
      5'd1:    smem_cycles = spec.smem_issue_cycles[0];
      5'd2:    smem_cycles = spec.smem_issue_cycles[1];
      5'd4:    smem_cycles = spec.smem_issue_cycles[2];
      5'd8:    smem_cycles = spec.smem_issue_cycles[3];
      5'd16:   smem_cycles = spec.smem_issue_cycles[4];
      default: smem_cycles = 12'd0;
    endcase
    if (d.op >= 9'd16) smem_cycles = spec.smem_other_issue_cycles;
  endfunction

  // The immediate offset counts dwords, a register's bytes.
  function automatic smem_op_t scalar_operation(input issuing_t i, input logic [4095:0] s, input logic [7:0] vmid);
    decoded_t     d;
    logic [31:0]  offset;
    logic [127:0] resource;
    logic [63:0]  size, left;
    d                        = i.d;
    offset                   = (d.imm ? {22'd0, d.offset[7:0], 2'd0} : source32(d.soffset, d.literal, 1'b0, s)) & ~32'd3;
    resource                 = s[32*d.srsrc+:128];
    scalar_operation         = '0;
    scalar_operation.dwords  = dwords_of(d);
    scalar_operation.valid   = scalar_operation.dwords;
    scalar_operation.sdst    = d.sdst;
    scalar_operation.wave    = i.wave;
    scalar_operation.pc      = i.from;
    scalar_operation.words   = i.words;
    scalar_operation.vmid    = vmid;
    size                     = resource[61:48] == 14'd0 ? {32'd0, resource[95:64]} : {50'd0, resource[61:48]} * {32'd0, resource[95:64]};
    left                     = size > {32'd0, offset} ? (size - {32'd0, offset} + 64'd3) >> 2 : 64'd0;
    if (d.op == kMemtime) scalar_operation.kind = kScalarTime;
    else if (d.op == kDcacheInvalidate) scalar_operation.kind = kScalarInvalidate;
    else if (d.op[3]) begin
      scalar_operation.kind    = kScalarBuffer;
      scalar_operation.address = {16'd0, resource[47:2], 2'd0} + {32'd0, offset};
      if (left < {59'd0, scalar_operation.dwords}) scalar_operation.valid = left[4:0];
    end else begin
      scalar_operation.kind    = kScalarLoad;
      scalar_operation.address = {resource[63:2], 2'd0} + {32'd0, offset};
    end
  endfunction

  // A wave's scalar registers after a load: dwords out of range are 0.
  function automatic logic [4095:0] loaded(input logic [4095:0] s, input smem_op_t op, input logic [15:0][31:0] data);
    integer k;
    loaded = s;
    for (k = 0; k < 16; k = k + 1)
      if (k[4:0] < op.dwords) loaded[32*(op.sdst+k[6:0])+:32] = k[4:0] < op.valid ? data[k[3:0]] : 32'd0;
  endfunction

  // Those that it writes, by operand code.
  function automatic logic [127:0] loaded_dwords(input smem_op_t op);
    integer k;
    loaded_dwords = 128'd0;
    for (k = 0; k < 16; k = k + 1) if (k[4:0] < op.dwords) loaded_dwords[op.sdst+k[6:0]] = 1'b1;
  endfunction

endpackage

`endif
