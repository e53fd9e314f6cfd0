// SPDX-License-Identifier: Apache-2.0
// The vector ALU of a SIMD after a register: an instruction on the 64 lanes of a wave, what becomes of its
// registers one cycle later. cu_valu_execute has the rules. Lane n of a row stands at n times 32. Outputs are zero
// while out_valid is low.
`include "cu_decode_pkg.sv"

module cu_valu
  import cu_decode_pkg::*;
(
  `include "cu_valu_ports.svh"
);

  // ---- operand register
  logic          valid;
  logic          clamp_r, dx10_r, ieee_r;
  logic [1:0]    omod_r, round_r, denorm_r;
  logic [2:0]    neg_r, abs_r;
  logic [7:0]    vdst_r;
  logic [8:0]    op_r, src0_r, src1_r, src2_r, vgprs_r;
  logic [31:0]   literal_r, s0_r, s1_r, s2_r, m0_r;
  logic [63:0]   mask_r, exec_r;
  logic [2047:0] v0_r, v1_r, v2_r, old_r;
  assign in_ready = !valid || out_ready;

  always_ff @(posedge clk) begin
    if (rst) valid <= 1'b0;
    else if (in_ready) valid <= in_valid;
    if (in_ready) begin
      op_r      <= in_op;
      src0_r    <= in_src0;
      src1_r    <= in_src1;
      src2_r    <= in_src2;
      vdst_r    <= in_vdst;
      literal_r <= in_literal;
      neg_r     <= in_neg;
      abs_r     <= in_abs;
      omod_r    <= in_omod;
      clamp_r   <= in_clamp;
      s0_r      <= in_s0;
      s1_r      <= in_s1;
      s2_r      <= in_s2;
      v0_r      <= in_v0;
      v1_r      <= in_v1;
      v2_r      <= in_v2;
      old_r     <= in_old;
      mask_r    <= in_mask;
      exec_r    <= in_exec;
      round_r   <= in_round;
      denorm_r  <= in_denorm;
      dx10_r    <= in_dx10;
      ieee_r    <= in_ieee;
      m0_r      <= in_m0;
      vgprs_r   <= in_vgprs;
    end
  end

  decoded_t inst;
  always_comb begin
    inst         = '0;
    inst.op      = op_r;
    inst.src0    = src0_r;
    inst.src1    = src1_r;
    inst.src2    = src2_r;
    inst.vdst    = vdst_r;
    inst.literal = literal_r;
    inst.neg     = neg_r;
    inst.abs     = abs_r;
    inst.omod    = omod_r;
    inst.clamp   = clamp_r;
  end

  // ---- registers
  logic [7:0] source, destination;
  logic       exists;
  cu_valu_registers registers (
    .inst(inst), .m0(m0_r), .vgprs(vgprs_r), .source(source), .destination(destination), .exists(exists)
  );

  // ---- lanes
  logic [5:0]    chosen;
  logic [63:0]   written;
  logic [2047:0] values;
  cu_valu_chosen choose (.inst(inst), .s1(s1_r[5:0]), .v1(v1_r[5:0]), .exec(exec_r), .chosen(chosen));
  cu_valu_execute execute (
    .valid(valid), .inst(inst), .first(6'd0), .chosen(chosen), .s0(s0_r), .s1(s1_r), .s2(s2_r), .v0(v0_r), .v1(v1_r),
    .v2(v2_r), .old(old_r), .exists(exists), .mask(mask_r), .exec(exec_r), .round(round_r), .denorm(denorm_r),
    .dx10(dx10_r), .ieee(ieee_r), .known(out_known), .row_write(out_row_write), .written(written), .values(values),
    .mask_write(out_mask_write), .exec_write(out_exec_write), .mask_next(out_mask), .scalar_write(out_scalar_write),
    .scalar(out_scalar)
  );

  // ---- destination: lanes that are not written as they were
  always_comb begin : each_destination
    integer l;
    out_row = 2048'd0;
    if (out_row_write)
      for (l = 0; l < 64; l = l + 1)
        out_row[32*l+:32] = written[l] ? values[32*l+:32] : old_r[32*l+:32];
  end

  assign out_valid  = valid;
  assign out_source = (out_known && src0_r[8]) ? source : 8'd0;
  assign out_vdst   = out_row_write ? destination : 8'd0;

endmodule
