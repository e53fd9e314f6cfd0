// SPDX-License-Identifier: Apache-2.0
// What each instruction of SOP2, SOPK, SOP1, SOPC and SOPP that belongs to the scalar ALU asks of its
// parts. Combinational.
`include "salu_pkg.sv"

module salu_decode
  import salu_pkg::*;
(
  input  logic [2:0] enc,
  input  logic [7:0] op,
  output control_t   ctl
);

  // The six comparisons stand in one order everywhere.
  function automatic condition_t comparison(input logic [2:0] n);
    case (n)
      3'd0: comparison = kEqual;
      3'd1: comparison = kUnequal;
      3'd2: comparison = kGreater;
      3'd3: comparison = kGreaterEqual;
      3'd4: comparison = kLess;
      default: comparison = kLessEqual;
    endcase
  endfunction

  function automatic logic_t logical(input logic [2:0] n);
    case (n)
      3'd0: logical = kAnd;
      3'd1: logical = kOr;
      3'd2: logical = kXor;
      3'd3: logical = kAndn2;
      3'd4: logical = kOrn2;
      3'd5: logical = kNand;
      3'd6: logical = kNor;
      default: logical = kXnor;
    endcase
  endfunction

  function automatic control_t sop2(input logic [7:0] n);
    sop2       = '0;
    sop2.known = 1'b1;
    if (n <= 8'd5) begin  // add, sub: unsigned, signed, with carry
      sop2.from       = kFromSum;
      sop2.subtract   = n[0];
      sop2.with_carry = n[2];
      sop2.scc        = n[1] ? kSccOverflow : kSccCarry;
    end else if (n <= 8'd9) begin  // min, max
      sop2.from      = kFromOrder;
      sop2.is_signed = !n[0];
      sop2.condition = n[3] ? kGreater : kLess;
      sop2.scc       = kSccCondition;
    end else if (n <= 8'd11) begin  // cselect
      sop2.from   = kFromOrder;
      sop2.wide   = n[0];
      sop2.if_scc = 1'b1;
    end else if (n >= 8'd14 && n <= 8'd29) begin
      sop2.from     = kFromLogic;
      sop2.wide     = n[0];
      sop2.logic_op = logical(n[3:1] - 3'd7);
      sop2.scc      = kSccNonzero;
    end else if (n >= 8'd30 && n <= 8'd35) begin  // lshl, lshr, ashr
      sop2.from      = kFromShift;
      sop2.wide      = n[0];
      sop2.shift     = (n < 8'd32) ? kLeft : kRight;
      sop2.is_signed = n >= 8'd34;
      sop2.scc       = kSccNonzero;
    end else if (n == 8'd36 || n == 8'd37) begin  // bfm
      sop2.from  = kFromShift;
      sop2.wide  = n[0];
      sop2.shift = kFieldMask;
    end else if (n == 8'd38) begin  // mul
      sop2.from = kFromProduct;
    end else if (n >= 8'd39 && n <= 8'd42) begin  // bfe
      sop2.from      = kFromShift;
      sop2.wide      = n >= 8'd41;
      sop2.shift     = kBitfield;
      sop2.is_signed = !n[0];
      sop2.scc       = kSccNonzero;
    end else if (n == 8'd43) begin
      sop2.flow = kFork;
    end else if (n == 8'd44) begin  // absdiff
      sop2.from      = kFromSum;
      sop2.subtract  = 1'b1;
      sop2.magnitude = 1'b1;
      sop2.scc       = kSccNonzero;
    end else begin
      sop2.known = 1'b0;
    end
    sop2.wide_source = sop2.wide;
  endfunction

  function automatic control_t sopk(input logic [7:0] n);
    sopk          = '0;
    sopk.known    = 1'b1;
    sopk.constant = 1'b1;
    if (n == 8'd0 || n == 8'd2) begin  // movk, cmovk
      sopk.from   = kFromConstant;
      sopk.if_scc = n[1];
    end else if (n >= 8'd3 && n <= 8'd14) begin
      sopk.is_signed = n <= 8'd8;
      sopk.condition = comparison((n <= 8'd8) ? n[2:0] - 3'd3 : n[2:0] - 3'd1);
      sopk.scc       = kSccCondition;
    end else if (n == 8'd15) begin
      sopk.from = kFromSum;
      sopk.scc  = kSccOverflow;
    end else if (n == 8'd16) begin
      sopk.from = kFromProduct;
    end else if (n == 8'd17) begin
      sopk.flow = kFork;
    end else if (n == 8'd18 || n == 8'd20) begin
      sopk.from = kFromField;
    end else if (n == 8'd19 || n == 8'd21) begin
      sopk.set_hwreg = 1'b1;
    end else begin
      sopk.known = 1'b0;
    end
  endfunction

  function automatic control_t sop1(input logic [7:0] n);
    sop1             = '0;
    sop1.known       = 1'b1;
    sop1.wide        = !n[0];
    sop1.wide_source = !n[0];
    if (n == 8'd3 || n == 8'd4 || n == 8'd51) begin  // mov
      sop1.from = kFromSource;
    end else if (n == 8'd5 || n == 8'd6) begin  // cmov
      sop1.from   = kFromSource;
      sop1.if_scc = 1'b1;
    end else if (n == 8'd7 || n == 8'd8) begin  // not, the nor of nothing else
      sop1.from     = kFromLogic;
      sop1.logic_op = kNor;
      sop1.scc      = kSccNonzero;
    end else if (n >= 8'd9 && n <= 8'd12) begin
      sop1.from    = kFromPattern;
      sop1.pattern = (n <= 8'd10) ? kWholeQuads : kReversed;
      sop1.scc     = (n <= 8'd10) ? kSccNonzero : kSccKept;
    end else if (n >= 8'd13 && n <= 8'd24) begin  // counts
      sop1.from   = kFromCount;
      sop1.wide   = 1'b0;
      sop1.invert = n == 8'd13 || n == 8'd14 || n == 8'd17 || n == 8'd18;
      sop1.count  = (n <= 8'd16) ? kOnes : (n <= 8'd20) ? kLowest : (n <= 8'd22) ? kHighest : kSignLength;
      sop1.scc    = (n <= 8'd16) ? kSccNonzero : kSccKept;
    end else if (n == 8'd25 || n == 8'd26) begin  // sext
      sop1.from    = kFromPattern;
      sop1.wide    = 1'b0;
      sop1.pattern = n[0] ? kSignByte : kSignHalf;
    end else if (n >= 8'd27 && n <= 8'd30) begin  // bitset
      sop1.from    = kFromPattern;
      sop1.pattern = (n <= 8'd28) ? kBitCleared : kBitRaised;
    end else if (n == 8'd31) begin
      sop1.from = kFromPc;
      sop1.wide = 1'b1;
    end else if (n == 8'd32 || n == 8'd33) begin  // setpc, swappc
      sop1.from = n[0] ? kFromPc : kFromNone;
      sop1.wide = n[0];
      sop1.flow = kJump;
    end else if (n == 8'd34) begin
      sop1.flow = kReturn;
    end else if (n >= 8'd36 && n <= 8'd43) begin  // saveexec
      sop1.from      = kFromExec;
      sop1.wide      = 1'b1;
      sop1.with_exec = 1'b1;
      sop1.logic_op  = logical(n[2:0] - 3'd4);
      sop1.scc       = kSccNonzero;
    end else if (n == 8'd44 || n == 8'd45) begin
      sop1.from        = kFromPattern;
      sop1.wide        = n[0];
      sop1.wide_source = n[0];
      sop1.pattern     = kQuadMask;
      sop1.scc         = kSccNonzero;
    end else if (n >= 8'd46 && n <= 8'd49) begin  // movrels, movreld
      sop1.from     = kFromSource;
      sop1.wide     = n[0];
      sop1.relative = n >= 8'd48;
    end else if (n == 8'd50) begin
      sop1.flow = kJoin;
    end else if (n == 8'd52) begin  // abs
      sop1.from      = kFromSum;
      sop1.wide      = 1'b0;
      sop1.subtract  = 1'b1;
      sop1.magnitude = 1'b1;
      sop1.scc       = kSccNonzero;
    end else begin
      sop1.known = 1'b0;
    end
  endfunction

  function automatic control_t sopc(input logic [7:0] n);
    sopc       = '0;
    sopc.known = n <= 8'd16;
    sopc.scc   = (n < 8'd16) ? kSccCondition : kSccKept;
    if (n <= 8'd11) begin
      sopc.is_signed = n <= 8'd5;
      sopc.condition = comparison((n <= 8'd5) ? n[2:0] : n[2:0] - 3'd6);
    end else if (n <= 8'd15) begin
      sopc.wide_source = n >= 8'd14;
      sopc.condition   = n[0] ? kBitSet : kBitClear;
    end else begin
      sopc.vskip     = 1'b1;
      sopc.condition = kBitSet;
    end
  endfunction

  always_comb begin
    ctl = '0;
    case (enc)
      kSop2: ctl = sop2(op);
      kSopk: ctl = sopk(op);
      kSop1: ctl = sop1(op);
      kSopc: ctl = sopc(op);
      kSopp: begin
        ctl.known  = op == 8'd2 || (op >= 8'd4 && op <= 8'd9);
        ctl.flow   = kBranch;
        ctl.branch = (op == 8'd2) ? 3'd7 : op[2:0] - 3'd4;
      end
      default: ctl.known = 1'b0;
    endcase
  end

endmodule
