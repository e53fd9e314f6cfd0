// SPDX-License-Identifier: Apache-2.0
// Encodings of Southern Islands that own_cu executes.
package own_cu_pkg;
  // Operand codes.
  localparam logic [6:0] kVcc = 7'd106, kM0 = 7'd124, kExec = 7'd126;

  typedef enum logic [4:0] {
    IDLE, LOAD, TAKE, WORD, FETCH, FETCHED, DECODE, EXECUTE, SREQUEST, SWAIT, VALU, VMASK, VADDRESS,
    VLINE, VREQUEST, VWAIT, VWRITE, RETIRE, DONE, END, STOP
  } state_e;
  typedef enum logic [2:0] {U_NONE, U_SALU, U_BRANCH, U_BARRIER, U_SMEM, U_VALU, U_VMEM} unit_e;
  typedef enum logic [6:0] {
    NONE,
    S_ADD_U32, S_SUB_U32, S_ADD_I32, S_SUB_I32, S_ADDC_U32, S_SUBB_U32, S_MIN_I32, S_MIN_U32,
    S_MAX_I32, S_MAX_U32, S_CSELECT_B32, S_CSELECT_B64, S_AND_B32, S_AND_B64, S_OR_B32, S_OR_B64,
    S_XOR_B32, S_XOR_B64, S_ANDN2_B32, S_ANDN2_B64, S_LSHL_B32, S_LSHL_B64, S_LSHR_B32, S_LSHR_B64,
    S_ASHR_I32, S_MUL_I32, S_MOV_B32, S_MOV_B64, S_NOT_B32, S_NOT_B64, S_SAVEEXEC, S_MOVK_I32,
    S_ADDK_I32, S_MULK_I32, S_CMP,
    V_MOV_B32, V_NOT_B32, V_CNDMASK_B32, V_ADD_I32, V_SUB_I32, V_SUBREV_I32, V_ADDC_U32, V_SUBB_U32,
    V_MIN_I32, V_MAX_I32, V_MIN_U32, V_MAX_U32, V_LSHRREV_B32, V_ASHRREV_I32, V_LSHLREV_B32,
    V_AND_B32, V_OR_B32, V_XOR_B32, V_MUL_U32_U24, V_MAD_U32_U24, V_MUL_LO, V_MUL_HI_U32,
    V_MUL_HI_I32, V_BFE_U32, V_CMP,
    BUFFER_LOAD_DWORD, BUFFER_STORE_DWORD
  } op_e;
  typedef struct packed {
    unit_e      unit;
    op_e        op;
    logic       writes;     // an SGPR or a VGPR
    logic       wide;       // 64 bits
    logic       nonzero;    // SCC: whether the result is not 0
    logic       masks;      // an SGPR pair receives a bit of each lane
    logic       sets_exec;  // and EXEC
    logic [3:0] condition;  // of a comparison: unsigned, number
    logic [6:0] sdst;
    logic [7:0] vdst;
    logic [6:0] rsrc;
    logic [8:0] src0, src1, src2;
  } decoded_t;

  function automatic logic is_vop3(input logic [31:0] w);
    return w[31:26] == 6'b110100;
  endfunction
  function automatic logic has_two_words(input logic [31:0] w);
    if (is_vop3(w) || w[31:26] == 6'b111000 || w[31:26] == 6'b111010 || w[31:26] == 6'b111100 ||
        w[31:26] == 6'b111110 || w[31:26] == 6'b110110)
      return 1'b1;
    if (!w[31]) return w[8:0] == 9'd255 || (w[30:26] == 5'b10000);  // v_madmk, v_madak
    if (w[31:23] == 9'h17f || w[31:27] == 5'b11000) return 1'b0;
    if (w[31:23] == 9'h17d) return w[7:0] == 8'd255;
    if (w[31:28] == 4'hb && w[31:23] != 9'h17e) return w[27:23] == 5'd21;  // s_setreg_imm32
    return w[31:30] == 2'b10 && (w[7:0] == 8'd255 || w[15:8] == 8'd255);
  endfunction

  // Scalar operands that are read; 9'd255 has its literal in the second word.
  function automatic logic readable(input logic [8:0] code);
    return code[8] || code < 9'd104 || (code >= 9'd106 && code <= 9'd107) || code == 9'd124 ||
           (code >= 9'd126 && code <= 9'd208) || (code >= 9'd240 && code <= 9'd247) ||
           (code >= 9'd251 && code <= 9'd253) || code == 9'd255;
  endfunction

  function automatic op_e sop2(input logic [6:0] op);
    case (op)
      7'd0: return S_ADD_U32;
      7'd1: return S_SUB_U32;
      7'd2: return S_ADD_I32;
      7'd3: return S_SUB_I32;
      7'd4: return S_ADDC_U32;
      7'd5: return S_SUBB_U32;
      7'd6: return S_MIN_I32;
      7'd7: return S_MIN_U32;
      7'd8: return S_MAX_I32;
      7'd9: return S_MAX_U32;
      7'd10: return S_CSELECT_B32;
      7'd11: return S_CSELECT_B64;
      7'd14: return S_AND_B32;
      7'd15: return S_AND_B64;
      7'd16: return S_OR_B32;
      7'd17: return S_OR_B64;
      7'd18: return S_XOR_B32;
      7'd19: return S_XOR_B64;
      7'd20: return S_ANDN2_B32;
      7'd21: return S_ANDN2_B64;
      7'd30: return S_LSHL_B32;
      7'd31: return S_LSHL_B64;
      7'd32: return S_LSHR_B32;
      7'd33: return S_LSHR_B64;
      7'd34: return S_ASHR_I32;
      7'd38: return S_MUL_I32;
      default: return NONE;
    endcase
  endfunction
  function automatic op_e vop2(input logic [5:0] op);
    case (op)
      6'd0: return V_CNDMASK_B32;
      6'd11: return V_MUL_U32_U24;
      6'd17: return V_MIN_I32;
      6'd18: return V_MAX_I32;
      6'd19: return V_MIN_U32;
      6'd20: return V_MAX_U32;
      6'd22: return V_LSHRREV_B32;
      6'd24: return V_ASHRREV_I32;
      6'd26: return V_LSHLREV_B32;
      6'd27: return V_AND_B32;
      6'd28: return V_OR_B32;
      6'd29: return V_XOR_B32;
      6'd37: return V_ADD_I32;
      6'd38: return V_SUB_I32;
      6'd39: return V_SUBREV_I32;
      6'd40: return V_ADDC_U32;
      6'd41: return V_SUBB_U32;
      default: return NONE;
    endcase
  endfunction
  function automatic op_e vop1(input logic [7:0] op);
    case (op)
      8'd1: return V_MOV_B32;
      8'd55: return V_NOT_B32;
      default: return NONE;
    endcase
  endfunction
  function automatic op_e vop3_alone(input logic [8:0] op);
    case (op)
      9'd323: return V_MAD_U32_U24;
      9'd328: return V_BFE_U32;
      9'd361, 9'd363: return V_MUL_LO;
      9'd362: return V_MUL_HI_U32;
      9'd364: return V_MUL_HI_I32;
      default: return NONE;
    endcase
  endfunction
  function automatic logic carries(input op_e op);
    return op == V_ADD_I32 || op == V_SUB_I32 || op == V_SUBREV_I32 || op == V_ADDC_U32 ||
           op == V_SUBB_U32;
  endfunction

  function automatic decoded_t scalar_alu(input logic [31:0] w);
    decoded_t d;
    d = '0;
    d.unit = U_SALU;
    d.writes = 1'b1;
    d.sdst = w[22:16];
    d.src0 = {1'b0, w[7:0]};
    d.src1 = {1'b0, w[15:8]};
    if (w[31:23] == 9'h17d) begin  // SOP1
      d.src1 = 9'd128;
      case (w[15:8])
        8'd3: d.op = S_MOV_B32;
        8'd4: d.op = S_MOV_B64;
        8'd7: d.op = S_NOT_B32;
        8'd8: d.op = S_NOT_B64;
        8'd36, 8'd37, 8'd38, 8'd39: d.op = S_SAVEEXEC;
        default: d.op = NONE;
      endcase
      d.wide = d.op == S_MOV_B64 || d.op == S_NOT_B64 || d.op == S_SAVEEXEC;
      d.nonzero = d.op == S_NOT_B32 || d.op == S_NOT_B64;
    end else if (w[31:23] == 9'h17e) begin  // SOPC
      d.op = w[22:16] <= 7'd11 ? S_CMP : NONE;
      d.writes = 1'b0;
    end else if (w[31:28] == 4'hb) begin  // SOPK
      case (w[27:23])
        5'd0: d.op = S_MOVK_I32;
        5'd15: d.op = S_ADDK_I32;
        5'd16: d.op = S_MULK_I32;
        default: d.op = NONE;
      endcase
      d.src0 = 9'd128;
      d.src1 = 9'd128;
    end else begin
      d.op = sop2(w[29:23]);
      d.wide = d.op == S_CSELECT_B64 || d.op == S_AND_B64 || d.op == S_OR_B64 ||
               d.op == S_XOR_B64 || d.op == S_ANDN2_B64 || d.op == S_LSHL_B64 || d.op == S_LSHR_B64;
      d.nonzero = d.op >= S_AND_B32 && d.op <= S_ASHR_I32;
    end
    if (d.op == NONE || !readable(d.src0) || !readable(d.src1)) d.unit = U_NONE;
    return d;
  endfunction

  function automatic decoded_t vector_alu(input logic [31:0] w, input logic [31:0] w1);
    decoded_t d;
    logic [8:0] op;
    d = '0;
    d.unit = U_VALU;
    d.src0 = w[8:0];
    d.src1 = {1'b1, w[16:9]};
    d.src2 = {2'b00, kVcc};
    d.sdst = kVcc;
    d.vdst = w[24:17];
    if (is_vop3(w)) begin
      op = w[25:17];
      d.src0 = w1[8:0];
      d.src1 = w1[17:9];
      d.vdst = w[7:0];
    end else if (w[31:25] == 7'h3e) op = {1'b0, w[24:17]};
    else if (w[31:25] == 7'h3f) op = 9'd384 + {1'b0, w[16:9]};
    else op = {3'b100, w[30:25]};
    if (op < 9'd256) begin  // comparisons of i32 and u32, into EXEC as well
      d.op = op[7] && !op[5] && !op[3] ? V_CMP : NONE;
      d.condition = {op[6], op[2:0]};
      d.sets_exec = op[4];
      if (is_vop3(w)) d.sdst = w[6:0];
    end else if (op < 9'd320) d.op = vop2(op[5:0]);
    else if (op < 9'd384) d.op = vop3_alone(op);
    else d.op = vop1(8'(op - 9'd384));
    if (op >= 9'd384) d.src1 = 9'd128;
    d.masks = d.op == V_CMP || carries(d.op);
    d.writes = d.op != V_CMP;
    if (is_vop3(w)) begin
      if (d.op == V_CNDMASK_B32 || d.op == V_ADDC_U32 || d.op == V_SUBB_U32 ||
          d.op == V_MAD_U32_U24 || d.op == V_BFE_U32)
        d.src2 = w1[26:18];
      if (carries(d.op)) d.sdst = w[14:8];
      else if (w[11:8] != 0) d.unit = U_NONE;  // abs, clamp
      if (w1[31:27] != 0) d.unit = U_NONE;     // neg, omod
    end
    if (d.op == NONE || !readable(d.src0) || !readable(d.src1) || !readable(d.src2))
      d.unit = U_NONE;
    return d;
  endfunction

  function automatic decoded_t decode(input logic [31:0] w, input logic [31:0] w1);
    decoded_t d;
    d = '0;
    if (!w[31] || is_vop3(w)) return vector_alu(w, w1);
    if (w[31:23] == 9'h17f) begin
      case (w[22:16])
        7'd0, 7'd1, 7'd2, 7'd4, 7'd5, 7'd6, 7'd7, 7'd8, 7'd9, 7'd12: d.unit = U_BRANCH;
        7'd10: d.unit = U_BARRIER;
        default: ;
      endcase
      return d;
    end
    if (w[31:30] == 2'b10) return scalar_alu(w);
    if (w[31:27] == 5'b11000 && w[26:22] <= 5'd4) begin  // s_load_dword x1 to x16
      d.unit = U_SMEM;
      d.sdst = w[21:15];
      if (!w[8] && !readable({1'b0, w[7:0]})) d.unit = U_NONE;
    end
    if (w[31:26] == 6'b111000 && (w[24:18] == 7'd12 || w[24:18] == 7'd28)) begin
      // offset, or offen; no index, no 64-bit address, not to LDS, no texture fail
      d.unit = w[13] || w[15] || w[16] || w1[23] || !readable({1'b0, w1[31:24]}) ? U_NONE : U_VMEM;
      d.op = w[24:18] == 7'd12 ? BUFFER_LOAD_DWORD : BUFFER_STORE_DWORD;
      d.vdst = w1[15:8];
      d.rsrc = {w1[20:16], 2'b00};
      d.src2 = {1'b0, w1[31:24]};
    end
    return d;
  endfunction
endpackage
