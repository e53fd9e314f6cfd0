// SPDX-License-Identifier: Apache-2.0
// A decoded instruction of Southern Islands, as the stages of a compute unit use it.
`ifndef CU_DECODE_PKG_SV
`define CU_DECODE_PKG_SV

// A block uses some of the numbers.
/* verilator lint_off UNUSEDPARAM */
package cu_decode_pkg;

  // Encodings.
  localparam logic [4:0] kSop2 = 5'd0;
  localparam logic [4:0] kSopk = 5'd1;
  localparam logic [4:0] kSop1 = 5'd2;
  localparam logic [4:0] kSopc = 5'd3;
  localparam logic [4:0] kSopp = 5'd4;
  localparam logic [4:0] kSmrd = 5'd5;
  localparam logic [4:0] kVop2 = 5'd6;
  localparam logic [4:0] kVop1 = 5'd7;
  localparam logic [4:0] kVopc = 5'd8;
  localparam logic [4:0] kVop3 = 5'd9;
  localparam logic [4:0] kVintrp = 5'd10;
  localparam logic [4:0] kDs = 5'd11;
  localparam logic [4:0] kMubuf = 5'd12;
  localparam logic [4:0] kMtbuf = 5'd13;
  localparam logic [4:0] kMimg = 5'd14;
  localparam logic [4:0] kExp = 5'd15;
  localparam logic [4:0] kIllegalFormat = 5'd16;

  // Issue classes: of each one instruction issues in a cycle.
  localparam logic [3:0] kClassValu = 4'd0;
  localparam logic [3:0] kClassSalu = 4'd1;
  localparam logic [3:0] kClassSmem = 4'd2;
  localparam logic [3:0] kClassVmem = 4'd3;
  localparam logic [3:0] kClassLds = 4'd4;
  localparam logic [3:0] kClassGds = 4'd5;
  localparam logic [3:0] kClassExport = 4'd6;
  localparam logic [3:0] kClassBranch = 4'd7;
  localparam logic [3:0] kClassMessage = 4'd8;
  localparam logic [3:0] kClassInternal = 4'd9;

  // What an instruction costs, named; the Spec has the cycles.
  localparam logic [3:0] kRateFull = 4'd0;
  localparam logic [3:0] kRateTrans = 4'd1;
  localparam logic [3:0] kRateMulLo = 4'd2;
  localparam logic [3:0] kRateF64Add = 4'd3;
  localparam logic [3:0] kRateF64Mul = 4'd4;
  localparam logic [3:0] kRateFma32 = 4'd5;
  localparam logic [3:0] kRateCvt = 4'd6;
  localparam logic [3:0] kRateDivF32 = 4'd7;
  localparam logic [3:0] kRateDivF64 = 4'd8;
  localparam logic [3:0] kRateScalar = 4'd9;
  localparam logic [3:0] kRateScalarLong = 4'd10;
  localparam logic [3:0] kRateOther = 4'd11;

  // Which part of the unit carries an instruction out.
  localparam logic [4:0] kValu = 5'd0;
  localparam logic [4:0] kScalar = 5'd1;
  localparam logic [4:0] kBranch = 5'd2;
  localparam logic [4:0] kScalarMem = 5'd3;
  localparam logic [4:0] kVectorMem = 5'd4;
  localparam logic [4:0] kLds = 5'd5;
  localparam logic [4:0] kLdsDirect = 5'd6;     // vector ALU with an operand from LDS
  localparam logic [4:0] kInterpolate = 5'd7;
  localparam logic [4:0] kGds = 5'd8;
  localparam logic [4:0] kExport = 5'd9;
  localparam logic [4:0] kMessage = 5'd10;
  localparam logic [4:0] kControl = 5'd11;      // halting, traps, vector skip
  localparam logic [4:0] kNop = 5'd12;
  localparam logic [4:0] kWait = 5'd13;         // s_waitcnt
  localparam logic [4:0] kBarrier = 5'd14;
  localparam logic [4:0] kEnd = 5'd15;
  localparam logic [4:0] kSleep = 5'd16;
  localparam logic [4:0] kSetPriority = 5'd17;
  localparam logic [4:0] kInvalidateInst = 5'd18;
  localparam logic [4:0] kMark = 5'd19;         // performance levels, thread trace words
  localparam logic [4:0] kNoEffect = 5'd20;     // what vector skip mode passes over
  localparam logic [4:0] kIllegal = 5'd21;
  localparam logic [4:0] kUnimplemented = 5'd22;

  // Issue costs of vector memory.
  localparam logic [2:0] kCostLoad = 3'd0;
  localparam logic [2:0] kCostWideLoad = 3'd1;
  localparam logic [2:0] kCostStore = 3'd2;
  localparam logic [2:0] kCostAtomic = 3'd3;
  localparam logic [2:0] kCostCompareSwap = 3'd4;

  // Fields that an encoding does not have are zero.
  typedef struct packed {
    logic [4:0]   format;
    logic [3:0]   cls;
    logic [3:0]   rate;
    logic [4:0]   action;
    // Opcode: of vector instructions the number of VOP3, regardless of the encoding (VOPC as it is, VOP2
    // from 256, VOP1 from 384); of others the number in their encoding.
    logic [8:0]   op;
    logic         two;            // two dwords, a literal included
    // operands: codes of nine bits, low halves of pairs
    logic [1:0]   num_src;
    logic [8:0]   src0, src1, src2;
    logic [7:0]   vdst;
    logic [6:0]   sdst;
    logic [31:0]  literal;
    logic [15:0]  simm16;
    logic [2:0]   neg, abs;
    logic [1:0]   omod;
    logic         clamp;
    // memory
    logic         imm, offen, idxen, addr64, glc, slc, tfe, lds, gds;
    logic [15:0]  offset;
    logic [7:0]   vaddr, data0, data1;
    logic [6:0]   srsrc, ssamp;
    logic [8:0]   soffset;
    logic [3:0]   dfmt;
    logic [2:0]   nfmt;
    logic [3:0]   dmask;
    logic         unorm, da, r128, lwe;
    // exports and interpolation
    logic [5:0]   exp_target;
    logic [3:0]   exp_en;
    logic         exp_compr, exp_done, exp_vm;
    logic [5:0]   attr;
    logic [1:0]   attr_chan;
    // highest registers used, plus one
    logic [8:0]   vgprs_used;
    logic [6:0]   sgprs_used;
    // pipeline
    logic [3:0]   wait_vm;        // limits of s_waitcnt
    logic [2:0]   wait_exp;
    logic [3:0]   wait_lgkm;
    logic [2:0]   vmem_cost;
    logic [3:0]   lds_operands;   // VGPRs a DS instruction reads of a lane
    logic [2:0]   lds_dwords;     // and dwords of LDS it accesses
    logic [127:0] sgprs;          // scalar registers a scalar instruction reads, a vector one writes
    logic [2:0]   status_tested;  // SCC, VCC, EXEC from bit 0: what a branch waits for
    logic [2:0]   status_changed; // what an ALU instruction changes of them
    logic         compares;       // the scalar result is that of a comparison
    logic         halts;          // s_sendmsghalt
    logic         drains;         // s_trap
  } decoded_t;

endpackage
/* verilator lint_on UNUSEDPARAM */

`endif
