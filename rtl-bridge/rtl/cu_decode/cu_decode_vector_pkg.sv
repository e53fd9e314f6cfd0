// SPDX-License-Identifier: Apache-2.0
// VOP2, VOP1, VOPC, VOP3 and VINTRP. `d` is what a legal instruction decodes to, but for its format,
// length and literal. Both outputs are zero in other encodings.
`ifndef CU_DECODE_VECTOR_PKG_SV
`define CU_DECODE_VECTOR_PKG_SV
`include "cu_decode_ops_pkg.sv"

/* verilator lint_off UNUSEDSIGNAL */  // functions take whole words and structures
package cu_decode_vector_pkg;
  import cu_decode_pkg::*;
  import cu_decode_ops_pkg::*;

  // The operands of an instruction, regardless of where its encoding has them.
  typedef struct packed {
    logic       compare;   // VOPC or its form in VOP3
    logic       long_form; // VOP3
    logic [8:0] number;
    logic [8:0] src0, src1, src2;
    logic [7:0] vdst;
    logic [7:0] mask;      // operand code of the lane mask that is written
  } fields_t;

  function automatic fields_t fields(input logic [4:0] enc, input logic [31:0] word, input logic [26:0] more);
    logic lane;
    fields           = '0;
    fields.long_form = enc == kVop3;
    if (fields.long_form) begin
      fields.number  = word[25:17];
      fields.compare = !word[25];
      fields.src0    = more[8:0];
      fields.src1    = more[17:9];
      fields.src2    = more[26:18];
      fields.vdst    = word[7:0];
      fields.mask    = fields.compare ? word[7:0] : {1'b0, word[14:8]};
    end else begin
      fields.number  = vector_number(enc, word);
      fields.compare = enc == kVopc;
      lane           = enc == kVop2 && (word[30:25] == 6'd1 || word[30:25] == 6'd2);
      fields.src0    = word[8:0];
      fields.src1    = {!lane, word[16:9]};
      fields.src2    = kVccLo;
      fields.vdst    = word[24:17];
      fields.mask    = kVccLo[7:0];
    end
  endfunction

  // ---- legality
  // A VGPR, LDS_DIRECT in the first field of the short forms, or a scalar. VOP3 has no literal.
  function automatic logic operand_ok(input logic [8:0] code, input logic [1:0] dwords, input logic long_form,
                                      input logic first_field);
    if (dwords == 2'd0 || code[8]) operand_ok = 1'b1;
    else if (code == kLdsDirectCode) operand_ok = first_field && !long_form && dwords == 2'd1;
    else operand_ok = !(long_form && code == kLiteral) && source_ok(code[7:0], {3'd0, dwords});
  endfunction

  function automatic logic alu_legal(input fields_t f, input op_t o);
    alu_legal = o.known && operand_ok(f.src0, o.src0, f.long_form, 1'b1)
             && operand_ok(f.src1, o.src1, f.long_form, 1'b0) && operand_ok(f.src2, o.src2, f.long_form, 1'b0);
    if (o.sgpr_dst && !range_ok(f.vdst, 5'd1)) alu_legal = 1'b0;
    if (o.mask_out && !range_ok(f.mask, 5'd2)) alu_legal = 1'b0;
    if (o.mask_in && (f.src2[8] || !range_ok(f.src2[7:0], 5'd2))) alu_legal = 1'b0;
    // v_readlane reads a VGPR, v_writelane a scalar; the lane's number is no literal.
    if (o.lane_sel && (f.src0[8] != o.sgpr_dst || f.src1 == kLiteral)) alu_legal = 1'b0;
  endfunction

  // ---- registers used
  function automatic logic [8:0] source_vgprs(input logic [8:0] code, input logic [1:0] dwords);
    source_vgprs = code[8] ? vgprs_to(code[7:0], {1'b0, dwords}) : 9'd0;
  endfunction
  function automatic logic [6:0] source_sgprs(input logic [8:0] code, input logic [1:0] dwords);
    source_sgprs = code[8] ? 7'd0 : sgprs_to(code[7:0], {3'd0, dwords});
  endfunction

  function automatic logic [8:0] alu_vgprs(input fields_t f, input op_t o);
    alu_vgprs = most_vgprs(most_vgprs(source_vgprs(f.src0, o.src0), source_vgprs(f.src1, o.src1)),
                           source_vgprs(f.src2, o.src2));
    if (!f.compare && !o.sgpr_dst) alu_vgprs = most_vgprs(alu_vgprs, vgprs_to(f.vdst, {1'b0, o.dst}));
  endfunction

  function automatic logic [6:0] alu_sgprs(input fields_t f, input op_t o);
    alu_sgprs = most_sgprs(most_sgprs(source_sgprs(f.src0, o.src0), source_sgprs(f.src1, o.src1)),
                           source_sgprs(f.src2, o.mask_in ? 2'd2 : o.src2));
    if (o.sgpr_dst) alu_sgprs = most_sgprs(alu_sgprs, sgprs_to(f.vdst, 5'd1));
    if (o.mask_out) alu_sgprs = most_sgprs(alu_sgprs, sgprs_to(f.mask, 5'd2));
  endfunction

  // ---- vector ALU
  function automatic decoded_t alu(input fields_t f, input op_t o, input logic [11:8] modifiers,
                                   input logic [31:27] signs);
    logic [6:0] written;  // a scalar register or pair
    written     = o.sgpr_dst ? f.vdst[6:0] : f.mask[6:0];
    alu         = '0;
    alu.op      = f.number;
    alu.cls     = kClassValu;
    alu.rate    = o.rate;
    alu.action  = (o.src0 != 2'd0 && f.src0 == kLdsDirectCode) ? kLdsDirect : kValu;
    alu.num_src = o.mask_in ? 2'd3 : source_count(o);
    alu.src0    = o.src0 != 2'd0 ? f.src0 : 9'd0;
    alu.src1    = o.src1 != 2'd0 ? f.src1 : 9'd0;
    alu.src2    = (o.src2 != 2'd0 || o.mask_in) ? f.src2 : 9'd0;
    alu.vdst    = (o.dst != 2'd0 && !f.compare) ? f.vdst : 8'd0;
    if (f.long_form) begin
      alu.neg  = signs[31:29];
      alu.omod = signs[28:27];
      // Where a mask is written beside VDST, its field stands in the place of these.
      if (f.compare || !o.mask_out) {alu.clamp, alu.abs} = modifiers;
    end
    if (o.sgpr_dst || o.mask_out) begin
      alu.sdst                = written;
      alu.sgprs               = sgpr_mask(written, o.mask_out ? 2'd2 : 2'd1);
      alu.status_changed[2:1] = names_status(written);
    end
    alu.status_changed[2] = alu.status_changed[2] || o.exec_out;
    alu.compares          = f.compare;
    alu.vgprs_used        = alu_vgprs(f, o);
    alu.sgprs_used        = alu_sgprs(f, o);
  endfunction

  // ---- VINTRP: v_interp_p1 and p2 read a coordinate, v_interp_mov names P10, P20 or P0
  function automatic decoded_t interpolation(input logic [25:0] word);
    logic moves;
    moves                    = word[17];
    interpolation            = '0;
    interpolation.op         = {7'd0, word[17:16]};
    interpolation.cls        = kClassLds;
    interpolation.rate       = kRateOther;
    interpolation.action     = kInterpolate;
    interpolation.num_src    = moves ? 2'd0 : 2'd1;
    interpolation.src0       = {!moves, word[7:0]};
    interpolation.vdst       = word[25:18];
    interpolation.attr       = word[15:10];
    interpolation.attr_chan  = word[9:8];
    interpolation.vgprs_used = vgprs_to(word[25:18], 3'd1);
    if (!moves) interpolation.vgprs_used = most_vgprs(interpolation.vgprs_used, vgprs_to(word[7:0], 3'd1));
  endfunction

  // ---- by encoding
  function automatic decoded_t vector_instruction(input logic [4:0] enc, input logic [31:0] word, input logic [31:0] more,
                                                  input op_t opcode);
    vector_instruction = enc == kVintrp ? interpolation(word[25:0])
                                        : alu(fields(enc, word, more[26:0]), opcode, word[11:8], more[31:27]);
  endfunction
  function automatic logic vector_legal(input logic [4:0] enc, input logic [31:0] word, input logic [31:0] more,
                                        input op_t opcode);
    vector_legal = enc == kVintrp ? word[17:16] != 2'd3 && (!word[17] || word[7:0] < 8'd3)
                                  : alu_legal(fields(enc, word, more[26:0]), opcode);
  endfunction

endpackage
/* verilator lint_on UNUSEDSIGNAL */

`endif
