// SPDX-License-Identifier: Apache-2.0
// The vector ALU: operands of the instruction that issues, of the SIMD whose turn it is, and the lanes of
// all SIMDs, which take it in four steps. What the lanes do not have is the model's, by cu_model_pkg: one
// call for all 64 lanes when it issues.
`include "cu_pkg.sv"
`include "cu_model_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_vector_pkg.sv"

// Some members of the wave have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_vector
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_model_pkg::*;
  import cu_scalar_pkg::*;
  import cu_vector_pkg::*;
(
  input  logic           clk,
  input  logic           rst,
  input  logic           held,            // nothing moves in this cycle
  input  logic [1:0]     turn,            // SIMD that issues
  input  logic [4:0]     issued,          // an instruction issues, its slot
  input  slot_entries_t  entries,
  input  waves_t         waves,
  input  slot_scalars_t  scalars,
  input  vgprs_t         vgprs,
  input  returned_t      returned,
  input  returned_rows_t returned_rows,
  input  logic           smem_loaded,     // scalar registers are
  input  smem_op_t       loaded_op,
  input  logic           smem_timed,
  input  smem_op_t       timed_op,
  // the dword of LDS with the operand LDS_DIRECT
  output logic [13:0]    direct_number,
  input  logic [31:0]    direct_dword,
  output vector_steps_t  steps,           // what the lanes of each SIMD do
  output logic [7:0]     destination,     // number of the VGPR of the instruction that issues, if it exists
  output logic           exists,
  // what the model leaves of the instruction that issues
  output logic [4095:0]  scalars_after,   // the wave's scalar registers; of the lanes' instructions as they were
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

  // ---- operands
  logic [7:0]    source;
  cu_valu_registers registers (.inst(d), .m0(m0_of(s)), .vgprs(wave.vgprs), .source(source), .destination(destination), .exists(exists));

  vector_rows_t op_rows;
  logic [31:0]  s0, s1, s2;
  always_comb begin : operands
    op_rows = '0;
    if (issued[4]) begin
      if (d.src0[8]) op_rows.v0 = row(number, source);
      if (d.src1[8]) op_rows.v1 = row(number, d.src1[7:0]);
      if (d.src2[8]) op_rows.v2 = row(number, d.src2[7:0]);
      if (exists) op_rows.old = row(number, destination);
    end
    s0 = direct ? direct_value : source32(d.src0, d.literal, wave.scc, s);
    s1 = source32(d.src1, d.literal, wave.scc, s);
    s2 = source32(d.src2, d.literal, wave.scc, s);
  end

  logic [5:0] chosen;
  cu_valu_chosen choose (.inst(d), .s1(s1[5:0]), .v1(op_rows.v1[5:0]), .exec(exec_of(s)), .chosen(chosen));

  vector_op_t op;
  always_comb begin : operation
    op.wave   = number;
    op.d      = d;
    op.row    = {turn, wave.vgpr_base + destination};
    op.exists = exists;
    op.chosen = chosen;
    op.s0     = s0;
    op.s1     = s1;
    op.s2     = s2;
    op.mask   = d.format == kVop3 ? source64(d.src2, d.literal, wave.scc, s) : vcc_of(s);
    op.exec   = exec_of(s);
    op.round  = wave.float_mode[1:0];
    op.denorm = wave.float_mode[5:4];
    op.dx10   = wave.dx10;
    op.ieee   = wave.ieee;
  end

  // ---- the lanes of the SIMD take it
  logic       refused;
  logic [3:0] start, known;        // by SIMD
  assign refused = 1'(refusal(d, wave) >> 3);
  assign start   = issued[4] && !refused ? 4'd1 << turn : 4'd0;
  cu_lanes lanes0 (.clk, .rst, .held, .start(start[0]), .issued_op(op), .issued_rows(op_rows), .returned, .smem_loaded, .loaded_op,
    .smem_timed, .timed_op, .known(known[0]), .step(steps[0]));
  cu_lanes lanes1 (.clk, .rst, .held, .start(start[1]), .issued_op(op), .issued_rows(op_rows), .returned, .smem_loaded, .loaded_op,
    .smem_timed, .timed_op, .known(known[1]), .step(steps[1]));
  cu_lanes lanes2 (.clk, .rst, .held, .start(start[2]), .issued_op(op), .issued_rows(op_rows), .returned, .smem_loaded, .loaded_op,
    .smem_timed, .timed_op, .known(known[2]), .step(steps[2]));
  cu_lanes lanes3 (.clk, .rst, .held, .start(start[3]), .issued_op(op), .issued_rows(op_rows), .returned, .smem_loaded, .loaded_op,
    .smem_timed, .timed_op, .known(known[3]), .step(steps[3]));

  // ---- what the lanes do not have
  context_t given, after;
  int       a_row, b_row, c_row, d_row;
  always_comb begin : of_the_model
    given          = '0;
    after          = '0;
    values         = 4096'd0;
    written        = 2'd0;
    first_row      = {turn, wave.vgpr_base + d.vdst};
    scalars_after  = s;
    a_row          = d.src0[8] ? {24'd0, d.src0[7:0]} : -1;
    b_row          = d.src1[8] ? {24'd0, d.src1[7:0]} : -1;
    c_row          = d.src2[8] ? {24'd0, d.src2[7:0]} : -1;
    d_row          = {24'd0, d.vdst};
    if (start[turn] && !known[turn]) begin
      given          = context_of(issuing(wave, d), s);
      if (direct) given.s[32*kLdsDirectPlace+:32] = direct_value;
      cu_model_valu(e.words, given, a_row, b_row, c_row, d_row,
                    d.src0[8] ? rows(number, d.src0[7:0]) : 4096'd0, d.src1[8] ? rows(number, d.src1[7:0]) : 4096'd0,
                    d.src2[8] ? rows(number, d.src2[7:0]) : 4096'd0, rows(number, d.vdst), after, values, written);
      scalars_after  = after.s;
    end
  end

endmodule
