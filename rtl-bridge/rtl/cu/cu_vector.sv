// SPDX-License-Identifier: Apache-2.0
// The vector ALU of the SIMD whose turn it is: operands, lanes, and what the instruction leaves. What
// the lanes do not have is the model's, by cu_model_pkg.
`include "cu_pkg.sv"
`include "cu_model_pkg.sv"
`include "cu_scalar_pkg.sv"

// Some members of the wave have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_vector
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_model_pkg::*;
  import cu_scalar_pkg::*;
(
  input  logic [1:0]     turn,            // SIMD that issues
  input  logic [4:0]     issued,          // an instruction issues, its slot
  input  slot_entries_t  entries,
  input  waves_t         waves,
  input  slot_scalars_t  scalars,
  input  vgprs_t         vgprs,
  input  returned_t      returned,
  input  returned_rows_t returned_rows,
  // the dword of LDS with the operand LDS_DIRECT
  output logic [13:0]    direct_number,
  input  logic [31:0]    direct_dword,
  output logic [4095:0]  scalars_after,  // the wave's scalar registers behind the instruction
  output logic [9:0]     first_row,       // in the register files
  output logic [1:0]     written,         // this and the next row
  output logic [4095:0]  values
);

`include "cu_rows.sv"

  entry_t        e;
  decoded_t      d;
  logic [5:0]    number;
  wave_t         wave;
  logic [4095:0] s;
  always_comb begin : select
    number = {turn, issued[3:0]};
    wave   = waves[number];
    e      = issued[4] ? entries[issued[3:0]] : '0;
    d      = e.d;
    s      = issued[4] ? scalars[issued[3:0]] : 4096'd0;
  end

  // ---- the operand from LDS
  logic        direct;
  logic [31:0] direct_value;
  assign direct = issued[4] && d.action == kLdsDirect;
  cu_lds_direct from_lds (.m0(m0_of(s)), .base(wave.lds_base), .size(wave.lds_size), .number(direct_number), .dword(direct_dword),
    .value(direct_value));

  // ---- the lanes
  logic [7:0]    source, destination;
  logic          exists;
  cu_valu_registers registers (.inst(d), .m0(m0_of(s)), .vgprs(wave.vgprs), .source(source), .destination(destination), .exists(exists));

  logic [2047:0] v0, v1, v2, old;
  logic [31:0]   s0, s1, s2;
  logic [63:0]   mask_in;
  always_comb begin : operands
    v0  = 2048'd0;
    v1  = 2048'd0;
    v2  = 2048'd0;
    old = 2048'd0;
    if (issued[4]) begin
      if (d.src0[8]) v0 = row(number, source);
      if (d.src1[8]) v1 = row(number, d.src1[7:0]);
      if (d.src2[8]) v2 = row(number, d.src2[7:0]);
      if (exists) old = row(number, destination);
    end
    s0      = direct ? direct_value : source32(d.src0, d.literal, wave.scc, s);
    s1      = source32(d.src1, d.literal, wave.scc, s);
    s2      = source32(d.src2, d.literal, wave.scc, s);
    mask_in = d.format == kVop3 ? source64(d.src2, d.literal, wave.scc, s) : vcc_of(s);
  end

  logic          known, row_write, mask_write, exec_write, scalar_write;
  logic [2047:0] result;
  logic [63:0]   mask;
  logic [31:0]   scalar;
  cu_valu_execute lanes (.inst(d), .valid(issued[4]), .s0(s0), .s1(s1), .s2(s2), .v0(v0), .v1(v1), .v2(v2), .old(old),
    .exists(exists), .mask(mask_in), .exec(exec_of(s)), .round(wave.float_mode[1:0]), .denorm(wave.float_mode[5:4]),
    .dx10(wave.dx10), .ieee(wave.ieee), .known(known), .row_write(row_write), .row(result), .mask_write(mask_write),
    .exec_write(exec_write), .mask_next(mask), .scalar_write(scalar_write), .scalar(scalar));

  // Where a lane mask goes: to VCC, or to the pair that VOP3 names.
  function automatic logic [4095:0] with_lane_results();
    logic [6:0] code;
    code              = d.format == kVop3 ? d.sdst : 7'd106;
    with_lane_results = s;
    if (mask_write && code == 7'd127) with_lane_results[32*127+:32] = mask[31:0];
    else if (mask_write) with_lane_results[{code, 5'd0}+:64] = mask;
    if (exec_write) with_lane_results[32*kExec+:64] = mask;
    if (scalar_write) with_lane_results[{d.sdst, 5'd0}+:32] = scalar;
  endfunction

  // ---- results
  context_t given, after;
  int       a_row, b_row, c_row, d_row;
  logic     refused;
  assign refused = 1'(refusal(d, wave) >> 3);
  always_comb begin : results
    given          = '0;
    after          = '0;
    values         = {2048'd0, result};
    written        = {1'b0, row_write};
    first_row      = {turn, wave.vgpr_base + destination};
    scalars_after  = s;
    a_row          = d.src0[8] ? {24'd0, d.src0[7:0]} : -1;
    b_row          = d.src1[8] ? {24'd0, d.src1[7:0]} : -1;
    c_row          = d.src2[8] ? {24'd0, d.src2[7:0]} : -1;
    d_row          = {24'd0, d.vdst};
    if (issued[4] && known) scalars_after = with_lane_results();
    else if (issued[4] && !refused) begin
      given          = context_of(issuing(wave, d), s);
      if (direct) given.s[32*kLdsDirectPlace+:32] = direct_value;
      cu_model_valu(e.words, given, a_row, b_row, c_row, d_row,
                    d.src0[8] ? rows(number, d.src0[7:0]) : 4096'd0, d.src1[8] ? rows(number, d.src1[7:0]) : 4096'd0,
                    d.src2[8] ? rows(number, d.src2[7:0]) : 4096'd0, rows(number, d.vdst), after, values, written);
      scalars_after  = after.s;
      first_row      = {turn, wave.vgpr_base + d.vdst};
    end
  end

endmodule
