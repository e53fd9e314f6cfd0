// SPDX-License-Identifier: Apache-2.0
// The instruction decoder of a compute unit. One instruction per cycle: the dword it begins with
// and the one after, whether it is two dwords long or not; what it says comes one cycle after it.
// The fields are those of decoded_t in cu_decode_pkg.sv, the numbers of format, cls, rate and
// action are listed there.
//
// An instruction is illegal because no encoding has its upper bits, its opcode does not exist, a
// range of registers begins at a wrong place or leaves its file, an operand code is reserved, a
// literal stands where none can, v_readlane reads no VGPR or v_writelane one, or the parameter of
// an interpolation or the target of an export is reserved; it has its length then and no other
// field. Unimplemented are buffer accesses to LDS other than loads of one dword.
`include "cu_decode_word_pkg.sv"

module cu_decode
  import cu_decode_pkg::*;
(
  `include "cu_decode_ports.svh"
);

  decoded_t decoded;
  assign decoded = cu_decode_word_pkg::decode(in_first, in_second, in_skip);

  // ---- output register
  logic     valid;
  decoded_t decoded_r, d;
  assign in_ready = !valid || out_ready;

  always_ff @(posedge clk) begin
    if (rst) valid <= 1'b0;
    else if (in_ready) valid <= in_valid;
    if (in_ready) decoded_r <= decoded;
  end

  assign out_valid = valid;
  assign d = valid ? decoded_r : '0;

  assign out_format         = d.format;
  assign out_cls            = d.cls;
  assign out_rate           = d.rate;
  assign out_action         = d.action;
  assign out_op             = d.op;
  assign out_two            = d.two;
  assign out_num_src        = d.num_src;
  assign out_src0           = d.src0;
  assign out_src1           = d.src1;
  assign out_src2           = d.src2;
  assign out_vdst           = d.vdst;
  assign out_sdst           = d.sdst;
  assign out_literal        = d.literal;
  assign out_simm16         = d.simm16;
  assign out_neg            = d.neg;
  assign out_abs            = d.abs;
  assign out_omod           = d.omod;
  assign out_clamp          = d.clamp;
  assign out_imm            = d.imm;
  assign out_offen          = d.offen;
  assign out_idxen          = d.idxen;
  assign out_addr64         = d.addr64;
  assign out_glc            = d.glc;
  assign out_slc            = d.slc;
  assign out_tfe            = d.tfe;
  assign out_lds            = d.lds;
  assign out_gds            = d.gds;
  assign out_offset         = d.offset;
  assign out_vaddr          = d.vaddr;
  assign out_data0          = d.data0;
  assign out_data1          = d.data1;
  assign out_srsrc          = d.srsrc;
  assign out_ssamp          = d.ssamp;
  assign out_soffset        = d.soffset;
  assign out_dfmt           = d.dfmt;
  assign out_nfmt           = d.nfmt;
  assign out_dmask          = d.dmask;
  assign out_unorm          = d.unorm;
  assign out_da             = d.da;
  assign out_r128           = d.r128;
  assign out_lwe            = d.lwe;
  assign out_exp_target     = d.exp_target;
  assign out_exp_en         = d.exp_en;
  assign out_exp_compr      = d.exp_compr;
  assign out_exp_done       = d.exp_done;
  assign out_exp_vm         = d.exp_vm;
  assign out_attr           = d.attr;
  assign out_attr_chan      = d.attr_chan;
  assign out_vgprs_used     = d.vgprs_used;
  assign out_sgprs_used     = d.sgprs_used;
  assign out_wait_vm        = d.wait_vm;
  assign out_wait_exp       = d.wait_exp;
  assign out_wait_lgkm      = d.wait_lgkm;
  assign out_vmem_cost      = d.vmem_cost;
  assign out_lds_operands   = d.lds_operands;
  assign out_lds_dwords     = d.lds_dwords;
  assign out_sgprs          = d.sgprs;
  assign out_status_tested  = d.status_tested;
  assign out_status_changed = d.status_changed;
  assign out_compares       = d.compares;
  assign out_halts          = d.halts;
  assign out_drains         = d.drains;

endmodule
