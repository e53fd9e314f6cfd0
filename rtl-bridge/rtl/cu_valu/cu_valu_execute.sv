// SPDX-License-Identifier: Apache-2.0
// Lanes of a SIMD's vector ALU, in the cycle of the operands: the steps of a lane in each, and what concerns
// the lanes together. They work on LANES lanes of a wave beside each other, from lane `first` on: on all 64 at
// once, or on 16 in each of four steps. Sources come read: of a vector register its part in these lanes, one
// value for the others. `known` is low for what the lanes do not have (double precision, transcendental
// functions, conversions, packing, fma, division), and where there is no instruction; nothing is written then.
// Outputs that are not written are zero. Combinational.
`include "cu_decode_pkg.sv"
`include "cu_valu_pkg.sv"
`include "valu_lane_steps_pkg.sv"

module cu_valu_execute
  import cu_decode_pkg::*;
  import cu_valu_pkg::*;
  import valu_lane_pkg::*;
  import valu_lane_steps_pkg::*;
#(
  parameter int LANES = 64
) (
  input  logic                valid,      // an instruction is there
  /* verilator lint_off UNUSEDSIGNAL */  // what other parts of a compute unit need
  input  decoded_t            inst,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [5:0]          first,      // of the wave's lanes the one that is lane 0 here
  input  logic [5:0]          chosen,     // of the wave's lanes: cu_valu_chosen
  input  logic [31:0]         s0,         // sources that are no vector registers
  input  logic [31:0]         s1,
  input  logic [31:0]         s2,
  input  logic [32*LANES-1:0] v0,         // and those that are; lane n at n times 32
  input  logic [32*LANES-1:0] v1,
  input  logic [32*LANES-1:0] v2,
  input  logic [32*LANES-1:0] old,        // the destination
  input  logic                exists,     // there is one: cu_valu_registers
  input  logic [LANES-1:0]    mask,       // VCC, or the pair that SRC2 names, of what reads a mask
  input  logic [LANES-1:0]    exec,
  input  logic [1:0]          round,      // MODE, single precision
  input  logic [1:0]          denorm,
  input  logic                dx10,
  input  logic                ieee,
  output logic                known,
  output logic                row_write,  // the destination
  output logic [LANES-1:0]    written,    // in these lanes
  output logic [32*LANES-1:0] values,     // others zero
  output logic                mask_write, // VCC or SDST
  output logic                exec_write, // and EXEC
  output logic [LANES-1:0]    mask_next,  // inactive lanes zero
  output logic                scalar_write, // the chosen lane is one of these and is read
  output logic [31:0]         scalar
);

  kind_t kind;
  cu_valu_decode decode (.op(inst.op), .kind(kind));

  // ---- sources: all lanes of each
  logic [32*LANES-1:0] a, b, c;
  assign a = inst.src0[8] ? v0 : {LANES{s0}};
  assign b = inst.src1[8] ? v1 : {LANES{s1}};
  assign c = inst.src2[8] ? v2 : {LANES{s2}};

  // ---- lanes
  logic                has_literal;
  logic [2:0]          neg, abs;
  logic [32*LANES-1:0] results;
  logic [LANES-1:0]    flags;
  assign has_literal = kind.literal_second || kind.literal_third;
  assign neg         = has_literal ? 3'd0 : inst.neg;
  assign abs         = has_literal ? 3'd0 : inst.abs;

  traits_t traits;
  assign traits = traits_of(kind.lane_op);

  always_comb begin : each_lane
    integer      l;
    logic [5:0]  lane;
    logic [31:0] lower_low, lower_high, counted;
    operation_t  operation;
    result_t     result;
    results          = '0;
    flags            = '0;
    known            = valid;
    lane             = first;
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
      for (l = 0; l < LANES; l = l + 1) begin
        // Lanes below this one, of each half.
        lane       = first + l[5:0];
        lower_low  = !lane[5] ? (32'd1 << lane[4:0]) - 32'd1 : 32'hffffffff;
        lower_high = !lane[5] ? 32'd0 : (32'd1 << lane[4:0]) - 32'd1;
        counted    = kind.below_low ? lower_low : kind.below_high ? lower_high : 32'hffffffff;
        operation.a     = a[32*l+:32] & counted;
        operation.b     = kind.literal_second ? inst.literal : b[32*l+:32];
        operation.c     = kind.literal_second ? b[32*l+:32]
                        : kind.literal_third ? inst.literal
                        : kind.accumulates ? old[32*l+:32]
                        : c[32*l+:32];
        operation.carry = mask[l];
        result          = executed(traits, operation);
        results[32*l+:32] = result.value;
        flags[l]          = result.flag;
        if (result.illegal) known = 1'b0;
      end
    end
  end

  // ---- the lane that is read
  logic        here;  // the chosen lane is one of these
  logic [31:0] place;
  assign place        = {26'd0, chosen} - {26'd0, first};
  assign here         = place < LANES;
  assign scalar_write = known && (kind.reads_lane || kind.reads_first) && here;
  assign scalar       = scalar_write ? a[32*place+:32] : 32'd0;

  // ---- lane mask
  assign mask_write = known && kind.writes_mask;
  assign exec_write = known && kind.writes_exec;
  assign mask_next  = mask_write ? flags & exec : '0;

  // ---- destination
  assign row_write = known && kind.writes_row && exists;
  always_comb begin : each_destination
    integer l;
    written = '0;
    values  = '0;
    if (row_write) begin
      written = kind.writes_lane ? LANES'((64'd1 << chosen) >> first) : exec;
      for (l = 0; l < LANES; l = l + 1)
        if (written[l]) values[32*l+:32] = results[32*l+:32];
    end
  end

endmodule
