// SPDX-License-Identifier: Apache-2.0
// SOP2, SOPK, SOP1, SOPC, SOPP and SMRD. `d` is what a legal instruction decodes to, but for its
// format, length and literal. Both outputs are zero in other encodings.
`ifndef CU_DECODE_SCALAR_PKG_SV
`define CU_DECODE_SCALAR_PKG_SV
`include "cu_decode_ops_pkg.sv"

/* verilator lint_off UNUSEDSIGNAL */  // functions take whole words and structures
package cu_decode_scalar_pkg;
  import cu_decode_pkg::*;
  import cu_decode_ops_pkg::*;

  // ---- scalar ALU: SOP2, SOPK, SOP1, SOPC
  // What SIMM16 of s_getreg and s_setreg names.
  localparam logic [5:0] kHwMode = 6'd1;
  localparam logic [5:0] kHwStatus = 6'd2;
  localparam logic [5:0] kHwIbSts = 6'd7;

  // Whether an instruction acts upon the wave: s_rfe, s_setvskip, s_getreg of the instruction
  // buffer's state, and s_setreg where VSKIP (MODE bit 28) or HALT (in STATUS) may change.
  function automatic logic controls(input logic [4:0] enc, input logic [8:0] n, input logic [15:0] k);
    logic [5:0] last;  // bit of the field
    last = {1'b0, k[10:6]} + {1'b0, k[15:11]};
    case (enc)
      kSop1: controls = n == 9'd34;
      kSopc: controls = n == 9'd16;
      kSopk:
        case (n)
          9'd18, 9'd20: controls = k[5:0] == kHwIbSts;
          9'd19, 9'd21: controls = k[5:0] == kHwStatus || (k[5:0] == kHwMode && last >= 6'd28);
          default: controls = 1'b0;
        endcase
      default: controls = 1'b0;
    endcase
  endfunction

  function automatic logic [127:0] reads(input logic [8:0] code, input logic [1:0] dwords);
    if (dwords == 2'd0) reads = 128'd0;
    else if (code == kVccz) reads = sgpr_mask(kVccLo[6:0], 2'd2);
    else reads = code[7] ? 128'd0 : sgpr_mask(code[6:0], dwords);
  endfunction

  function automatic logic [8:0] number(input logic [4:0] enc, input logic [31:0] word);
    case (enc)
      kSop2: number = {2'd0, word[29:23]};
      kSopk: number = {4'd0, word[27:23]};
      kSop1: number = {1'b0, word[15:8]};
      default: number = {2'd0, word[22:16]};
    endcase
  endfunction

  function automatic decoded_t alu(input logic [4:0] enc, input logic [31:0] word, input op_t o);
    logic [8:0] s0, s1;
    logic [6:0] to;
    s0           = enc == kSopk ? {2'd0, word[22:16]} : {1'b0, word[7:0]};
    s1           = {1'b0, word[15:8]};
    to           = word[22:16];
    alu          = '0;
    alu.op       = number(enc, word);
    alu.cls      = o.branches ? kClassBranch : kClassSalu;
    alu.rate     = o.rate;
    alu.action   = controls(enc, alu.op, word[15:0]) ? kControl : o.branches ? kBranch : kScalar;
    alu.num_src  = source_count(o);
    alu.src0     = o.src0 != 2'd0 ? s0 : 9'd0;
    alu.src1     = o.src1 != 2'd0 ? s1 : 9'd0;
    alu.sdst     = (o.dst != 2'd0 || o.sdst_in) ? to : 7'd0;
    alu.simm16   = enc == kSopk ? word[15:0] : 16'd0;
    alu.sgprs_used = most_sgprs(most_sgprs(sgprs_to(s0[7:0], {3'd0, o.src0}), sgprs_to(s1[7:0], {3'd0, o.src1})),
                                sgprs_to({1'b0, to}, {3'd0, o.dst}));
    alu.sgprs    = reads(s0, o.src0) | reads(s1, o.src1) | (o.dst_in ? sgpr_mask(to, o.dst) : 128'd0);
    alu.status_changed[0]   = o.scc_out;
    alu.status_changed[2:1] = (o.dst != 2'd0 ? names_status(to) : 2'd0) | {o.exec_out, 1'b0};
  endfunction

  function automatic logic alu_legal(input logic [4:0] enc, input logic [31:0] word, input op_t o);
    alu_legal = o.known
             && (o.dst == 2'd0 || range_ok({1'b0, word[22:16]}, {3'd0, o.dst}))
             && (o.src0 == 2'd0 || source_ok(enc == kSopk ? {1'b0, word[22:16]} : word[7:0], {3'd0, o.src0}))
             && (o.src1 == 2'd0 || source_ok(word[15:8], {3'd0, o.src1}));
  endfunction

  // ---- program control: SOPP
  function automatic logic [4:0] program_action(input logic [6:0] n);
    case (n)
      7'd0: program_action = kNop;
      7'd1: program_action = kEnd;
      7'd2, 7'd4, 7'd5, 7'd6, 7'd7, 7'd8, 7'd9: program_action = kBranch;
      7'd10: program_action = kBarrier;
      7'd11, 7'd13, 7'd18: program_action = kControl;  // s_setkill, s_sethalt, s_trap
      7'd12: program_action = kWait;
      7'd14: program_action = kSleep;
      7'd15: program_action = kSetPriority;
      7'd16, 7'd17: program_action = kMessage;
      7'd19: program_action = kInvalidateInst;
      7'd20, 7'd21, 7'd22: program_action = kMark;
      default: program_action = kIllegal;
    endcase
  endfunction

  // A branch on SCC waits for VCC and EXEC as well.
  function automatic logic [2:0] tested(input logic [6:0] n);
    case (n)
      7'd4, 7'd5: tested = 3'b111;
      7'd6, 7'd7: tested = 3'b010;
      7'd8, 7'd9: tested = 3'b100;
      default: tested = 3'b000;
    endcase
  endfunction

  function automatic decoded_t program_control(input logic [22:0] word);
    logic [6:0] n;
    n                      = word[22:16];
    program_control        = '0;
    program_control.op     = {2'd0, n};
    program_control.action = program_action(n);
    program_control.rate   = kRateOther;
    case (program_control.action)
      kBranch: program_control.cls = kClassBranch;
      kMessage: program_control.cls = kClassMessage;
      default: program_control.cls = kClassInternal;
    endcase
    program_control.simm16        = word[15:0];
    program_control.status_tested = tested(n);
    if (n == 7'd6 || n == 7'd7) program_control.sgprs = sgpr_mask(kVccLo[6:0], 2'd2);
    program_control.halts         = n == 7'd17;
    program_control.drains        = n == 7'd18;
    if (program_control.action == kWait) begin
      program_control.wait_vm   = word[3:0];
      program_control.wait_exp  = word[6:4];
      program_control.wait_lgkm = word[11:8];
    end
  endfunction

  // ---- scalar memory: SMRD
  // Loads of 1, 2, 4, 8 and 16 dwords from an address and, from 8, from a buffer; s_memtime 30,
  // s_dcache_inv 31.
  function automatic logic loads(input logic [4:0] n);
    loads = !n[4] && n[2:0] <= 3'd4;
  endfunction
  function automatic logic [4:0] loaded(input logic [4:0] n);
    loaded = loads(n) ? 5'd1 << n[2:0] : n == 5'd30 ? 5'd2 : 5'd0;
  endfunction
  function automatic logic [4:0] base_dwords(input logic [4:0] n);
    base_dwords = n[3] ? 5'd4 : 5'd2;
  endfunction

  function automatic decoded_t scalar_load(input logic [26:0] word);
    logic [4:0] n;
    n             = word[26:22];
    scalar_load        = '0;
    scalar_load.op     = {4'd0, n};
    scalar_load.cls    = kClassSmem;
    scalar_load.rate   = kRateOther;
    scalar_load.action = kScalarMem;
    if (loaded(n) != 5'd0) begin
      scalar_load.sdst       = word[21:15];
      scalar_load.sgprs_used = sgprs_to({1'b0, word[21:15]}, loaded(n));
    end
    if (loads(n)) begin
      scalar_load.imm        = word[8];
      scalar_load.offset     = {8'd0, word[7:0]};
      scalar_load.srsrc      = {word[14:9], 1'b0};
      scalar_load.soffset    = word[8] ? 9'd0 : {1'b0, word[7:0]};
      scalar_load.sgprs_used = most_sgprs(scalar_load.sgprs_used, sgprs_to({1'b0, word[14:9], 1'b0}, base_dwords(n)));
      if (!word[8]) scalar_load.sgprs_used = most_sgprs(scalar_load.sgprs_used, sgprs_to(word[7:0], 5'd1));
    end
  endfunction

  function automatic logic load_legal(input logic [26:0] word);
    logic [4:0] n;
    n            = word[26:22];
    load_legal = loads(n) || n >= 5'd30;
    if (loaded(n) != 5'd0 && !range_ok({1'b0, word[21:15]}, loaded(n))) load_legal = 1'b0;
    if (loads(n) && !range_ok({1'b0, word[14:9], 1'b0}, base_dwords(n))) load_legal = 1'b0;
    if (loads(n) && !word[8] && !range_ok(word[7:0], 5'd1)) load_legal = 1'b0;
  endfunction

  // ---- by encoding
  function automatic decoded_t scalar_instruction(input logic [4:0] enc, input logic [31:0] word, input op_t opcode);
    scalar_instruction = enc == kSopp ? program_control(word[22:0])
                       : enc == kSmrd ? scalar_load(word[26:0]) : alu(enc, word, opcode);
  endfunction
  function automatic logic scalar_legal(input logic [4:0] enc, input logic [31:0] word, input op_t opcode);
    scalar_legal = enc == kSopp ? program_action(word[22:16]) != kIllegal
                 : enc == kSmrd ? load_legal(word[26:0]) : alu_legal(enc, word, opcode);
  endfunction

endpackage
/* verilator lint_on UNUSEDSIGNAL */

`endif
