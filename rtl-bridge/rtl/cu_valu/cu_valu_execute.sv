// SPDX-License-Identifier: Apache-2.0
// The vector ALU of a SIMD on the 64 lanes of a wave, in the cycle of the operands: the steps of a lane in each, and
// what concerns the lanes together. Sources come read: a row of 64 registers for each that names a vector
// register, one value for the others. `known` is low for what the lanes do not have (double precision,
// transcendental functions, conversions, packing, fma, division), and where there is no instruction; nothing is
// written then. Outputs that are not written are zero. Combinational.
`include "cu_decode_pkg.sv"
`include "cu_valu_pkg.sv"
`include "valu_lane_steps_pkg.sv"

module cu_valu_execute
  import cu_decode_pkg::*;
  import cu_valu_pkg::*;
  import valu_lane_pkg::*;
  import valu_lane_steps_pkg::*;
(
  input  logic          valid,      // an instruction is there
  /* verilator lint_off UNUSEDSIGNAL */  // what other parts of a compute unit need
  input  decoded_t      inst,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]   s0,         // sources that are no vector registers
  input  logic [31:0]   s1,
  input  logic [31:0]   s2,
  input  logic [2047:0] v0,         // and those that are; lane n at n times 32
  input  logic [2047:0] v1,
  input  logic [2047:0] v2,
  input  logic [2047:0] old,        // the destination
  input  logic          exists,     // there is one: cu_valu_registers
  input  logic [63:0]   mask,       // VCC, or the pair that SRC2 names, of what reads a mask
  input  logic [63:0]   exec,
  input  logic [1:0]    round,      // MODE, single precision
  input  logic [1:0]    denorm,
  input  logic          dx10,
  input  logic          ieee,
  output logic          known,
  output logic          row_write,
  output logic [2047:0] row,        // inactive lanes as they were
  output logic          mask_write, // VCC or SDST
  output logic          exec_write, // and EXEC
  output logic [63:0]   mask_next,  // inactive lanes zero
  output logic          scalar_write,
  output logic [31:0]   scalar
);

  kind_t kind;
  cu_valu_decode decode (.op(inst.op), .kind(kind));

  // ---- sources: all lanes of each
  logic [2047:0] a, b, c;
  assign a = inst.src0[8] ? v0 : {64{s0}};
  assign b = inst.src1[8] ? v1 : {64{s1}};
  assign c = inst.src2[8] ? v2 : {64{s2}};

  // ---- lanes
  logic          has_literal;
  logic [2:0]    neg, abs;
  logic [2047:0] values;
  logic [63:0]   flags;
  assign has_literal = kind.literal_second || kind.literal_third;
  assign neg         = has_literal ? 3'd0 : inst.neg;
  assign abs         = has_literal ? 3'd0 : inst.abs;

  traits_t traits;
  assign traits = traits_of(kind.lane_op);

  always_comb begin : each_lane
    integer      l;
    logic [31:0] lower_low, lower_high, counted;
    operation_t  operation;
    result_t     result;
    values           = 2048'd0;
    flags            = 64'd0;
    known            = valid;
    lower_low        = 32'd0;
    lower_high       = 32'd0;
    counted          = 32'hffffffff;
    operation        = '0;
    result           = '0;
    operation.op     = kind.lane_op;
    operation.neg    = neg;
    operation.abs    = abs;
    operation.omod   = inst.omod;
    operation.clamp  = inst.clamp;
    operation.round  = round;
    operation.denorm = denorm;
    operation.dx10   = dx10;
    operation.ieee   = ieee;
    if (valid) begin
      for (l = 0; l < 64; l = l + 1) begin
        // Lanes below this one, of each half.
        lower_low  = l < 32 ? (32'd1 << l[4:0]) - 32'd1 : 32'hffffffff;
        lower_high = l < 32 ? 32'd0 : (32'd1 << l[4:0]) - 32'd1;
        counted    = kind.below_low ? lower_low : kind.below_high ? lower_high : 32'hffffffff;
        operation.a     = a[32*l+:32] & counted;
        operation.b     = kind.literal_second ? inst.literal : b[32*l+:32];
        operation.c     = kind.literal_second ? b[32*l+:32]
                        : kind.literal_third ? inst.literal
                        : kind.accumulates ? old[32*l+:32]
                        : c[32*l+:32];
        operation.carry = mask[l];
        result          = executed(traits, operation);
        values[32*l+:32] = result.value;
        flags[l]         = result.flag;
        if (result.illegal) known = 1'b0;
      end
    end
  end

  // ---- the lane that is read or written
  logic [5:0] first, chosen;
  always_comb begin : lowest
    integer i;
    first = 6'd0;
    for (i = 63; i >= 0; i = i - 1) if (exec[i]) first = i[5:0];
  end
  assign chosen       = kind.reads_first ? first : b[5:0];
  assign scalar_write = known && (kind.reads_lane || kind.reads_first);
  assign scalar       = scalar_write ? a[32*chosen+:32] : 32'd0;

  // ---- lane mask
  assign mask_write = known && kind.writes_mask;
  assign exec_write = known && kind.writes_exec;
  assign mask_next  = mask_write ? flags & exec : 64'd0;

  // ---- destination
  logic [63:0] written;
  assign written   = kind.writes_lane ? 64'd1 << chosen : exec;
  assign row_write = known && kind.writes_row && exists;
  always_comb begin : each_destination
    integer l;
    row = 2048'd0;
    if (row_write) begin
      for (l = 0; l < 64; l = l + 1)
        row[32*l+:32] = written[l] ? values[32*l+:32] : old[32*l+:32];
    end
  end

endmodule
