// SPDX-License-Identifier: Apache-2.0
// The opcodes of Southern Islands whose operands are scalar or vector registers: how wide these are
// and what else an instruction reads and writes. An opcode that is none has `known` low and all
// else zero. And which codes name an operand.
`ifndef CU_DECODE_OPS_PKG_SV
`define CU_DECODE_OPS_PKG_SV
`include "cu_decode_pkg.sv"

/* verilator lint_off UNUSEDSIGNAL */  // functions take whole words and structures
package cu_decode_ops_pkg;
  import cu_decode_pkg::*;

  // Operand codes.
  localparam logic [8:0] kVccLo = 9'd106;
  localparam logic [8:0] kVccz = 9'd251;
  localparam logic [8:0] kLdsDirectCode = 9'd254;
  localparam logic [8:0] kLiteral = 9'd255;

  // Where the shorter vector encodings stand among the opcodes of VOP3; VOPC begins at 0.
  localparam logic [8:0] kVop2InVop3 = 9'd256;
  localparam logic [8:0] kVop1InVop3 = 9'd384;

  typedef struct packed {
    logic       known;
    logic       vop3;       // vector: VOP3 encodes it
    logic [1:0] dst;        // dwords; 0: none
    logic [1:0] src0, src1, src2;
    logic [3:0] rate;
    logic       branches;   // class Branch
    logic       scc_out;
    logic       exec_out;
    logic       dst_in;     // the destination is a source as well
    logic       sdst_in;    // SDST names a source only
    logic       constant;   // a literal constant always follows
    logic       mask_out;   // writes a lane mask: VCC, or SDST in VOP3
    logic       mask_in;    // reads a lane mask: VCC, or SRC2 in VOP3
    logic       sgpr_dst;   // VDST names a scalar register
    logic       lane_sel;   // SRC1 is the number of a lane
  } op_t;

  // ---- operand codes
  // Pairs start at even codes, longer ranges at multiples of four, and none leaves its file:
  // SGPRs 0 to 103, trap temporaries 112 to 123. The pairs of VCC, TBA, TMA and EXEC are pairs; M0
  // is single; 104, 105 and 125 are reserved.
  function automatic logic range_ok(input logic [7:0] code, input logic [4:0] dwords);
    logic       aligned;
    logic [8:0] last;
    aligned = dwords == 5'd1 || (!code[0] && (dwords == 5'd2 || !code[1]));
    last    = {1'b0, code} + {4'd0, dwords} - 9'd1;
    if (code <= 8'd103) range_ok = aligned && last <= 9'd103;
    else if (code >= 8'd112 && code <= 8'd123) range_ok = aligned && last <= 9'd123;
    else if (code == 8'd124) range_ok = dwords == 5'd1;
    else
      range_ok = aligned && dwords <= 5'd2 && ((code >= 8'd106 && code <= 8'd111) || code[7:1] == 7'd63);
  endfunction

  // A register, an inline constant, VCCZ, EXECZ, SCC or the literal. `code` is below 256.
  function automatic logic source_ok(input logic [7:0] code, input logic [4:0] dwords);
    if (!code[7]) source_ok = range_ok(code, dwords);
    else
      source_ok = code <= 8'd208 || code[7:3] == 5'd30 || (code >= 8'd251 && code != 8'd254);
  endfunction

  // The highest SGPR of a range plus one; 0 when the code names none.
  function automatic logic [6:0] sgprs_to(input logic [7:0] code, input logic [4:0] dwords);
    sgprs_to = (code <= 8'd103 && dwords != 5'd0) ? code[6:0] + {2'd0, dwords} : 7'd0;
  endfunction
  function automatic logic [6:0] most_sgprs(input logic [6:0] a, input logic [6:0] b);
    most_sgprs = a > b ? a : b;
  endfunction
  // The same of VGPRs.
  function automatic logic [8:0] vgprs_to(input logic [7:0] first, input logic [2:0] dwords);
    vgprs_to = dwords != 3'd0 ? {1'b0, first} + {6'd0, dwords} : 9'd0;
  endfunction
  function automatic logic [8:0] most_vgprs(input logic [8:0] a, input logic [8:0] b);
    most_vgprs = a > b ? a : b;
  endfunction

  // A register or a pair among the 128 scalar registers.
  function automatic logic [127:0] sgpr_mask(input logic [6:0] code, input logic [1:0] dwords);
    sgpr_mask = {126'd0, dwords[1], dwords != 2'd0} << code;
  endfunction
  // Bit 0: one of VCC's halves is written, bit 1: one of EXEC's.
  function automatic logic [1:0] names_status(input logic [6:0] code);
    names_status = {code[6:1] == 6'd63, code[6:1] == 6'd53};
  endfunction

  function automatic logic [1:0] source_count(input op_t o);
    source_count = {1'b0, o.src0 != 2'd0} + {1'b0, o.src1 != 2'd0} + {1'b0, o.src2 != 2'd0};
  endfunction

  function automatic logic [1:0] width(input logic wide);
    width = wide ? 2'd2 : 2'd1;
  endfunction

  // ---- scalar ALU
  function automatic op_t sop2_op(input logic [6:0] n);
    logic wide;  // both operands and the result, but for what follows
    sop2_op       = '0;
    sop2_op.known = n <= 7'd44 && n != 7'd12 && n != 7'd13;
    wide          = (n >= 7'd11 && n <= 7'd35 && n[0]) || n == 7'd41 || n == 7'd42;
    if (sop2_op.known) begin
      sop2_op.rate    = kRateScalar;
      sop2_op.dst     = width(wide || n == 7'd37);                        // s_bfm_b64
      sop2_op.src0    = width(wide);
      sop2_op.src1    = width(wide && n < 7'd30);                         // shifts, bit fields
      sop2_op.scc_out = n <= 7'd9 || (n >= 7'd14 && n <= 7'd35) || (n >= 7'd39 && n <= 7'd42) || n == 7'd44;
      if (n == 7'd43) begin  // s_cbranch_g_fork
        sop2_op.dst      = 2'd0;
        sop2_op.src0     = 2'd2;
        sop2_op.src1     = 2'd2;
        sop2_op.branches = 1'b1;
      end
    end
  endfunction

  // The register of SDST stands as the first source of what reads it.
  function automatic op_t sopk_op(input logic [4:0] n);
    sopk_op         = '0;
    sopk_op.known   = n <= 5'd21 && n != 5'd1;
    sopk_op.dst_in  = n == 5'd2 || n == 5'd15 || n == 5'd16;  // s_cmovk, s_addk, s_mulk
    sopk_op.sdst_in = (n >= 5'd3 && n <= 5'd14) || n == 5'd17 || n == 5'd19;
    if (sopk_op.known) begin
      sopk_op.rate     = (n == 5'd19 || n == 5'd21) ? kRateScalarLong : kRateScalar;  // s_setreg
      sopk_op.dst      = (sopk_op.sdst_in || n == 5'd21) ? 2'd0 : 2'd1;
      sopk_op.scc_out  = n >= 5'd3 && n <= 5'd15;
      sopk_op.constant = n == 5'd21;
      sopk_op.branches = n == 5'd17;  // s_cbranch_i_fork
      if (sopk_op.dst_in || sopk_op.sdst_in) sopk_op.src0 = width(n == 5'd17);
    end
  endfunction

  function automatic op_t sop1_op(input logic [7:0] n);
    sop1_op       = '0;
    sop1_op.known = n >= 8'd3 && n <= 8'd52 && n != 8'd35;
    if (sop1_op.known) begin
      sop1_op.rate = (n >= 8'd36 && n <= 8'd43) ? kRateScalarLong : kRateScalar;
      sop1_op.dst  = 2'd1;
      sop1_op.src0 = 2'd1;
      if (n <= 8'd12) begin  // mov, cmov, not, wqm, brev
        sop1_op.dst    = width(!n[0]);
        sop1_op.src0   = width(!n[0]);
        sop1_op.dst_in = n == 8'd5 || n == 8'd6;
      end else if (n <= 8'd24) begin  // counts
        sop1_op.src0 = width(!n[0]);
      end else if (n >= 8'd27 && n <= 8'd30) begin  // bitset
        sop1_op.dst    = width(!n[0]);
        sop1_op.dst_in = 1'b1;
      end else if (n == 8'd31) begin  // s_getpc_b64
        sop1_op.dst  = 2'd2;
        sop1_op.src0 = 2'd0;
      end else if (n >= 8'd32 && n <= 8'd34) begin  // setpc, swappc, rfe
        sop1_op.dst      = n == 8'd33 ? 2'd2 : 2'd0;
        sop1_op.src0     = 2'd2;
        sop1_op.branches = 1'b1;
      end else if (n >= 8'd36 && n <= 8'd43) begin  // saveexec
        sop1_op.dst      = 2'd2;
        sop1_op.src0     = 2'd2;
        sop1_op.exec_out = 1'b1;
      end else if (n >= 8'd44 && n <= 8'd49) begin  // quadmask, movrel
        sop1_op.dst  = width(n[0]);
        sop1_op.src0 = width(n[0]);
      end else if (n == 8'd50) begin  // s_cbranch_join
        sop1_op.dst      = 2'd0;
        sop1_op.branches = 1'b1;
      end
      sop1_op.scc_out = (n >= 8'd7 && n <= 8'd10) || (n >= 8'd13 && n <= 8'd16) || (n >= 8'd36 && n <= 8'd45)
                     || n == 8'd52;
    end
  endfunction

  function automatic op_t sopc_op(input logic [6:0] n);
    sopc_op       = '0;
    sopc_op.known = n <= 7'd16;
    if (sopc_op.known) begin
      sopc_op.rate    = kRateScalar;
      sopc_op.src0    = width(n == 7'd14 || n == 7'd15);  // s_bitcmp_b64
      sopc_op.src1    = 2'd1;
      sopc_op.scc_out = n != 7'd16;                       // s_setvskip
    end
  endfunction

  // ---- vector ALU, by the numbers of VOP3
  function automatic op_t vopc_op(input logic [7:0] n);
    logic wide;
    wide          = n[5];
    vopc_op       = '0;
    vopc_op.known = !n[7] || !n[3] || (n[2:0] == 3'd0 && !n[6]);  // v_cmp_class after eight of integers
    if (vopc_op.known) begin
      vopc_op.vop3     = 1'b1;
      vopc_op.rate     = wide ? kRateF64Add : kRateFull;
      vopc_op.dst      = 2'd2;
      vopc_op.src0     = width(wide);
      vopc_op.src1     = width(wide && !(n[7] && n[3]));
      vopc_op.mask_out = 1'b1;
      vopc_op.exec_out = n[4];
    end
  endfunction

  function automatic op_t vop2_op(input logic [5:0] n);
    vop2_op       = '0;
    vop2_op.known = n <= 6'd49;
    if (vop2_op.known) begin
      vop2_op.vop3     = !(n == 6'd1 || n == 6'd2 || n == 6'd32 || n == 6'd33);
      vop2_op.rate     = kRateFull;
      vop2_op.dst      = 2'd1;
      vop2_op.src0     = 2'd1;
      vop2_op.src1     = 2'd1;
      vop2_op.sgpr_dst = n == 6'd1;                   // v_readlane
      vop2_op.lane_sel = n == 6'd1 || n == 6'd2;      // and v_writelane
      vop2_op.constant = n == 6'd32 || n == 6'd33;    // v_madmk, v_madak
      vop2_op.mask_out = n >= 6'd37 && n <= 6'd42;    // carries
      vop2_op.mask_in  = n == 6'd0 || (n >= 6'd40 && n <= 6'd42);
    end
  endfunction

  function automatic op_t vop1_op(input logic [6:0] n);
    vop1_op       = '0;
    vop1_op.known = n <= 7'd22 || (n >= 7'd32 && n <= 7'd68);
    if (vop1_op.known) begin
      vop1_op.vop3     = n != 7'd2;
      vop1_op.sgpr_dst = n == 7'd2;  // v_readfirstlane
      vop1_op.rate     = kRateFull;
      vop1_op.dst      = 2'd1;
      vop1_op.src0     = 2'd1;
      case (n)
        7'd0, 7'd65: begin  // v_nop, v_clrexcp
          vop1_op.dst  = 2'd0;
          vop1_op.src0 = 2'd0;
        end
        7'd3, 7'd15, 7'd21, 7'd60: begin  // from f64
          vop1_op.src0 = 2'd2;
          vop1_op.rate = kRateF64Add;
        end
        7'd4, 7'd16, 7'd22: begin  // to f64
          vop1_op.dst  = 2'd2;
          vop1_op.rate = kRateF64Add;
        end
        7'd5, 7'd6, 7'd7, 7'd8, 7'd12, 7'd13: vop1_op.rate = kRateCvt;
        7'd37, 7'd38, 7'd39, 7'd40, 7'd41, 7'd42, 7'd43, 7'd44, 7'd45, 7'd46, 7'd51, 7'd53, 7'd54:
          vop1_op.rate = kRateTrans;
        7'd47, 7'd48, 7'd49, 7'd50, 7'd52: begin  // rcp, rsq, sqrt of f64
          vop1_op.dst  = 2'd2;
          vop1_op.src0 = 2'd2;
          vop1_op.rate = kRateF64Mul;
        end
        7'd61, 7'd62: begin  // parts of an f64
          vop1_op.dst  = 2'd2;
          vop1_op.src0 = 2'd2;
          vop1_op.rate = kRateF64Add;
        end
        default: ;
      endcase
    end
  endfunction

  // What only VOP3 encodes, from 320.
  function automatic op_t vop3_op(input logic [8:0] n);
    logic wide;  // all of its operands
    wide          = n == 9'd332 || n == 9'd352 || (n >= 9'd356 && n <= 9'd359) || n == 9'd366 || n == 9'd368;
    vop3_op       = '0;
    vop3_op.known = n >= 9'd320 && n <= 9'd372;
    if (vop3_op.known) begin
      vop3_op.vop3     = 1'b1;
      vop3_op.dst      = width(wide);
      vop3_op.src0     = width(wide);
      vop3_op.src1     = width(wide);
      vop3_op.src2     = width(wide);
      vop3_op.mask_out = n == 9'd365 || n == 9'd366;  // v_div_scale
      case (n)
        9'd331: vop3_op.rate = kRateFma32;
        9'd351, 9'd365, 9'd367: vop3_op.rate = kRateDivF32;
        9'd352, 9'd366: vop3_op.rate = kRateDivF64;
        9'd353, 9'd354, 9'd355, 9'd356, 9'd358, 9'd359, 9'd360: vop3_op.rate = kRateF64Add;
        9'd332, 9'd357, 9'd368, 9'd372: vop3_op.rate = kRateF64Mul;
        9'd361, 9'd362, 9'd363, 9'd364, 9'd370, 9'd371: vop3_op.rate = kRateMulLo;
        default: vop3_op.rate = kRateFull;
      endcase
      if ((n >= 9'd353 && n <= 9'd355) || n == 9'd360 || n == 9'd372) begin  // by a number of bits
        vop3_op.dst  = 2'd2;
        vop3_op.src0 = 2'd2;
      end
      if (n == 9'd370 || n == 9'd371) begin  // v_qsad, v_mqsad
        vop3_op.dst  = 2'd2;
        vop3_op.src0 = 2'd2;
        vop3_op.src2 = 2'd2;
      end
      if ((n >= 9'd353 && n <= 9'd364) || n == 9'd372) vop3_op.src2 = 2'd0;
    end
  endfunction

  function automatic op_t vector_op(input logic [8:0] n);
    if (!n[8]) vector_op = vopc_op(n[7:0]);
    else if (n < 9'd320) vector_op = vop2_op(n[5:0]);
    else if (n < kVop1InVop3) vector_op = vop3_op(n);
    else vector_op = vop1_op(n[6:0]);
  endfunction

  // ---- encodings
  function automatic logic [4:0] format_of(input logic [31:15] first);
    if (!first[31]) begin
      case (first[30:25])
        6'b111111: format_of = kVop1;
        6'b111110: format_of = kVopc;
        default: format_of = kVop2;
      endcase
    end else if (!first[30]) begin
      case (first[29:23])
        7'b1111101: format_of = kSop1;
        7'b1111110: format_of = kSopc;
        7'b1111111: format_of = kSopp;
        default: format_of = first[29:28] == 2'b11 ? kSopk : kSop2;
      endcase
    end else begin
      case (first[29:26])
        4'b0000, 4'b0001: format_of = kSmrd;
        4'b0010: format_of = kVintrp;
        4'b0100: format_of = kVop3;
        4'b0110: format_of = kDs;
        4'b1000: format_of = kMubuf;
        4'b1010: format_of = kMtbuf;
        4'b1100: format_of = kMimg;
        4'b1110: format_of = kExp;
        default: format_of = kIllegalFormat;
      endcase
    end
  endfunction

  // VOP3's number of a vector instruction of one dword.
  function automatic logic [8:0] vector_number(input logic [4:0] format, input logic [31:0] first);
    case (format)
      kVop2: vector_number = kVop2InVop3 | {3'd0, first[30:25]};
      kVop1: vector_number = kVop1InVop3 | {2'd0, first[15:9]};
      default: vector_number = {1'b0, first[24:17]};
    endcase
  endfunction

  // The opcode of an instruction of the scalar or vector ALU. VOP1 has room for numbers that VOP3
  // has not, and VOP3 does not take what ends in a literal or names a scalar register by VDST.
  function automatic op_t alu_op(input logic [4:0] format, input logic [31:0] first);
    case (format)
      kSop2: alu_op = sop2_op(first[29:23]);
      kSopk: alu_op = sopk_op(first[27:23]);
      kSop1: alu_op = sop1_op(first[15:8]);
      kSopc: alu_op = sopc_op(first[22:16]);
      kVop2, kVopc: alu_op = vector_op(vector_number(format, first));
      kVop1: alu_op = first[16] ? '0 : vector_op(vector_number(format, first));
      kVop3: begin
        alu_op = vector_op(first[25:17]);
        if (!alu_op.vop3) alu_op = '0;
      end
      default: alu_op = '0;
    endcase
  endfunction

  // A literal constant follows the dword. Not of two-dword encodings.
  function automatic logic has_literal(input logic [4:0] format, input logic [31:0] first, input op_t o);
    logic one, other;  // SRC0 and SRC1 have the literal's code
    one   = o.src0 != 2'd0 && first[7:0] == kLiteral[7:0];
    other = o.src1 != 2'd0 && first[15:8] == kLiteral[7:0];
    case (format)
      kSop2, kSopc: has_literal = one || other;
      kSop1: has_literal = one;
      kSopk: has_literal = o.constant;
      kVop1, kVopc: has_literal = one && !first[8];
      kVop2: has_literal = o.constant || (one && !first[8]) || (o.lane_sel && first[16:9] == kLiteral[7:0]);
      default: has_literal = 1'b0;
    endcase
  endfunction

  // What `length_two` of the decoder says.
  function automatic logic two_dwords(input logic [4:0] format, input logic [31:0] first, input op_t o);
    case (format)
      kVop3, kDs, kMubuf, kMtbuf, kMimg, kExp: two_dwords = 1'b1;
      default: two_dwords = has_literal(format, first, o);
    endcase
  endfunction

endpackage
/* verilator lint_on UNUSEDSIGNAL */

`endif
