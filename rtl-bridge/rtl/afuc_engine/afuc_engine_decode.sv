// SPDX-License-Identifier: Apache-2.0
// Takes an instruction apart: the three encodings of "Adreno Five Microcode".
`include "afuc_engine_pkg.sv"
module afuc_engine_decode
  import afuc_engine_pkg::*;
(
  input  logic [1:0]  encoding,
  input  logic [31:0] word,
  output decoded_t    d
);

  logic a7;
  assign a7 = encoding == kA7;

  // Functions of two registers: bits 4:0.
  logic [5:0] function_op;
  always_comb begin
    function_op = kOpIllegal;
    case (word[4:0])
      5'h01, 5'h02, 5'h03, 5'h04, 5'h05, 5'h06, 5'h07, 5'h08: function_op = {1'b0, word[4:0]};
      5'h09: function_op = a7 ? kOpBic : kOpShl;
      5'h0a: function_op = a7 ? kOpMin : kOpUshr;
      5'h0b: function_op = a7 ? kOpMax : kOpIshr;
      5'h0c: function_op = a7 ? kOpMul8 : kOpRot;
      5'h0d: function_op = a7 ? kOpCmp : kOpMul8;
      5'h0e: function_op = a7 ? kOpIllegal : kOpMin;
      5'h0f: function_op = a7 ? kOpIllegal : kOpMax;
      5'h10: function_op = a7 ? kOpIllegal : kOpCmp;
      5'h12: function_op = a7 ? kOpShl : kOpIllegal;
      5'h13: function_op = a7 ? kOpUshr : kOpIllegal;
      5'h14: function_op = a7 ? kOpIshr : kOpMsb;
      5'h15: function_op = a7 ? kOpRot : kOpIllegal;
      5'h16: function_op = a7 ? kOpSetBit : kOpIllegal;
      5'h19: function_op = a7 ? kOpMsb : kOpIllegal;
      default: function_op = kOpIllegal;
    endcase
    // `mov` is `or` with $00.
    if (word[4:0] == 5'h06 && word[25:21] == 5'd0) function_op = kOpMov;
  end

  // With 16 bits: bits 31:27.
  logic [5:0] immediate_op;
  always_comb begin
    immediate_op = kOpIllegal;
    case (word[31:27])
      5'h01, 5'h02, 5'h03, 5'h04, 5'h05, 5'h06, 5'h07, 5'h08: immediate_op = {1'b0, word[31:27]};
      5'h09: immediate_op = a7 ? kOpBic : kOpShl;
      5'h0a: immediate_op = a7 ? kOpMin : kOpUshr;
      5'h0b: immediate_op = a7 ? kOpMax : kOpIshr;
      5'h0c: immediate_op = a7 ? kOpMul8 : kOpRot;
      5'h0d: immediate_op = a7 ? kOpCmp : kOpMul8;
      5'h0e: immediate_op = a7 ? kOpMov : kOpMin;
      5'h0f: immediate_op = a7 ? kOpIllegal : kOpMax;
      5'h10: immediate_op = a7 ? kOpIllegal : kOpCmp;
      5'h11: immediate_op = a7 ? kOpIllegal : kOpMov;
      default: immediate_op = kOpIllegal;
    endcase
  end

  // Bits and, of a7xx, shifts: bits 31:27 = 10010.
  logic [5:0] special_op, bit_op;
  assign bit_op = word[0] ? kOpSetBit : kOpClrBit;
  always_comb begin
    case (word[15:12])
      4'd2:    special_op = kOpShl;
      4'd3:    special_op = kOpUshr;
      4'd4:    special_op = kOpIshr;
      4'd5:    special_op = kOpRot;
      4'd6:    special_op = bit_op;
      4'd7:    special_op = kOpUbfx;
      4'd8:    special_op = kOpBfi;
      default: special_op = kOpIllegal;
    endcase
    if (!a7) special_op = bit_op;
  end

  // Places: bits 31:27 = 10100 to 10111, and the selector. Only cwrite has (sds).
  logic [5:0] place_op;
  always_comb begin
    place_op = kOpIllegal;
    case ({word[28:27], word[15]})
      3'b00_0: place_op = encoding == kA5 ? kOpIllegal : kOpStore;
      3'b01_0: place_op = encoding == kA5 ? kOpStore : kOpCWrite;
      3'b01_1: place_op = encoding == kA5 ? kOpCWrite : kOpSWrite;
      3'b10_0: place_op = encoding == kA5 ? kOpIllegal : kOpLoad;
      3'b10_1: place_op = encoding == kA5 ? kOpCRead : kOpIllegal;
      3'b11_0: place_op = encoding == kA5 ? kOpIllegal : kOpCRead;
      3'b11_1: place_op = encoding == kA5 ? kOpIllegal : kOpSRead;
      default: place_op = kOpIllegal;
    endcase
    if (place_op != kOpCWrite && word[13:12] != 2'd0) place_op = kOpIllegal;
  end
  logic place_writes;
  assign place_writes = place_op == kOpStore || place_op == kOpCWrite || place_op == kOpSWrite;

  // Flow: bits 31:26.
  logic [5:0] flow_op;
  always_comb begin
    flow_op = kOpIllegal;
    case (word[31:26])
      6'h30: flow_op = kOpBrNe;
      6'h31: flow_op = kOpBrEq;
      6'h32: flow_op = word[25:16] == 10'd0 ? kOpJump : kOpBrNe;
      6'h33: flow_op = kOpBrEq;
      6'h34: flow_op = word[25] ? kOpIRet : kOpRet;
      6'h35: flow_op = kOpCall;
      6'h36: flow_op = kOpWaitIn;
      6'h37: begin
        if (a7 && word[25:5] == 21'h1b8000) flow_op = kOpJump;
        if (a7 && word[25:0] == 26'h3600000) flow_op = kOpSRet;
      end
      6'h38: flow_op = kOpBl;
      6'h39: flow_op = a7 ? kOpJump : kOpIllegal;
      6'h3b: flow_op = kOpSetSecure;
      default: flow_op = kOpIllegal;
    endcase
  end

  logic       nop, payload;
  logic [7:0] nop_byte;
  assign nop_byte = encoding == kA5 ? 8'h00 : 8'h01;
  assign nop = word[23:0] == 24'd0 && {word[31:27], 1'b0, word[25:24]} == nop_byte;
  assign payload = word[31:24] == nop_byte;

  always_comb begin
    d = '0;
    d.op = kOpIllegal;
    d.rep = word[26];
    if (nop || payload) begin
      d.op = kOpNop;
      d.rep = word[26] && nop;
    end else if (word[31:27] == 5'h13) begin
      d.op = function_op;
      d.dst = word[15:11];
      d.second = word[20:16];
      if (function_op != kOpNot && function_op != kOpMsb && function_op != kOpMov) d.first = word[25:21];
      d.xmov = word[10:9];
      d.peek = word[8];
    end else if (word[31:27] == 5'h12) begin
      d.op = special_op;
      d.dst = word[20:16];
      d.first = word[25:21];
      if (special_op == kOpSetBit || special_op == kOpClrBit) begin
        d.of_bit = 1'b1;
        d.low = word[5:1];
      end else if (special_op == kOpUbfx || special_op == kOpBfi) begin
        d.of_bit = 1'b1;
        d.low = word[4:0];
        d.high = word[9:5];
      end else begin
        d.immediate = 1'b1;
        d.value = {20'd0, word[11:0]};
      end
    end else if (word[31:29] == 3'b101) begin
      d.op = place_op;
      if (place_writes) d.first = word[20:16];
      else d.dst = word[20:16];
      d.second = word[25:21];
      d.value = {20'd0, word[11:0]};
      d.increment = word[14];
      if (place_op == kOpCWrite) d.sds = word[13:12];
    end else if (word[31:30] == 2'b11) begin
      d.op = flow_op;
      d.rep = 1'b0;
      d.target = {{16{word[15]}}, word[15:0]};
      if (flow_op == kOpBrNe || flow_op == kOpBrEq) begin
        d.first = word[25:21];
        d.low = word[20:16];
        d.of_bit = word[27];
        d.immediate = !word[27];
        d.value = {27'd0, word[20:16]};
      end
      if (word[31:26] == 6'h37) d.first = word[4:0];
      if (flow_op == kOpSRet) d.first = kLr;
      if (flow_op == kOpSetSecure) d.first = kSecureRegister;
      if (flow_op == kOpCall || flow_op == kOpBl || word[31:26] == 6'h39) begin
        d.absolute = 1'b1;
        d.target = {6'd0, word[25:0]};
      end
      if (flow_op == kOpIllegal) d.first = 5'd0;
    end else begin
      d.op = immediate_op;
      d.immediate = 1'b1;
      d.dst = word[20:16];
      if (immediate_op != kOpNot && immediate_op != kOpMov) d.first = word[25:21];
      d.value = immediate_op == kOpMov ? {16'd0, word[15:0]} << word[25:21] : {16'd0, word[15:0]};
    end
  end

endmodule
