// SPDX-License-Identifier: Apache-2.0
// What the parts of the scalar ALU tell each other.
`ifndef SALU_PKG_SV
`define SALU_PKG_SV
package salu_pkg;

  // Encodings, as in_enc has them.
  localparam logic [2:0] kSop2 = 3'd0;
  localparam logic [2:0] kSopk = 3'd1;
  localparam logic [2:0] kSop1 = 3'd2;
  localparam logic [2:0] kSopc = 3'd3;
  localparam logic [2:0] kSopp = 3'd4;

  // Where the destination's value comes from.
  typedef enum logic [3:0] {
    kFromNone,
    kFromSource,   // S0 as it is
    kFromConstant, // SIMM16
    kFromLogic,
    kFromSum,
    kFromOrder,    // S0 or S1, by the condition
    kFromShift,
    kFromProduct,
    kFromCount,
    kFromPattern,  // S0 with its bits moved or spread
    kFromField,    // of the hardware register
    kFromExec,     // EXEC as it was
    kFromPc        // the next instruction
  } from_t;

  // What SCC becomes.
  typedef enum logic [2:0] {
    kSccKept,
    kSccNonzero,   // of the result
    kSccCarry,
    kSccOverflow,
    kSccCondition
  } scc_t;

  typedef enum logic [2:0] {
    kAnd, kOr, kXor, kAndn2, kOrn2, kNand, kNor, kXnor
  } logic_t;

  typedef enum logic [2:0] {
    kEqual, kUnequal, kGreater, kGreaterEqual, kLess, kLessEqual, kBitClear, kBitSet
  } condition_t;

  typedef enum logic [1:0] { kLeft, kRight, kBitfield, kFieldMask } shift_t;

  typedef enum logic [1:0] { kOnes, kLowest, kHighest, kSignLength } count_t;

  typedef enum logic [2:0] {
    kReversed, kWholeQuads, kQuadMask, kBitCleared, kBitRaised, kSignByte, kSignHalf
  } pattern_t;

  typedef enum logic [2:0] {
    kNoFlow, kBranch, kJump, kReturn, kFork, kJoin
  } flow_t;

  typedef struct packed {
    logic       known;
    from_t      from;
    scc_t       scc;
    logic       wide;        // the result has 64 bits
    logic       wide_source; // S0 has
    logic       if_scc;      // written only when SCC is set
    logic       relative;    // SDST + M0 is written
    logic       with_exec;   // EXEC takes S1's place, and the result
    logic       constant;    // SIMM16 takes S1's place
    logic       is_signed;
    logic       subtract;
    logic       with_carry;
    logic       magnitude;   // the sum loses its sign
    logic       invert;      // S0
    logic_t     logic_op;
    condition_t condition;
    shift_t     shift;
    count_t     count;
    pattern_t   pattern;
    flow_t      flow;
    logic [2:0] branch;      // of SOPP, which condition
    logic       vskip;       // is set by the condition
    logic       set_hwreg;
  } control_t;

  // An instruction with what it reads and the wave's state, as the pins of salu have them.
  typedef struct packed {
    logic [2:0]  enc;
    logic [7:0]  op;
    logic [63:0] s0, s1;
    logic [15:0] k;
    logic [6:0]  sdst;
    logic        scc;
    logic [63:0] exec;
    logic [63:0] vcc;
    logic [63:0] pc;
    logic [31:0] m0;
    logic [6:0]  sgprs;
    logic [31:0] hwreg;
    logic [2:0]  csp;
    logic [63:0] mask, entry;
    logic        vskip;
    logic        priv;
  } operands_t;

  // What the units made of them.
  typedef struct packed {
    logic        known;
    from_t       from;
    scc_t        scc_rule;
    logic        wide;
    logic        with_exec;
    logic        set_hwreg;
    logic [63:0] s0;
    logic [31:0] k;
    logic [63:0] logical;
    logic [31:0] sum;
    logic        carry, overflow, condition;
    logic [63:0] chosen;
    logic [63:0] shifted;
    logic [31:0] counted;
    logic [63:0] moved;
    logic [31:0] product;
    logic [31:0] field;
    logic [31:0] hwreg;
    logic [63:0] exec;
    logic [63:0] pc;
    logic        scc;
    logic        write;      // of the destination
    logic [6:0]  sdst;
    logic        jump;
    logic [63:0] target;
    logic        flow_exec;  // EXEC becomes flow_mask
    logic [63:0] flow_mask;
    logic [2:0]  csp;
    logic        push;
    logic [63:0] mask, entry;
    logic        vskip;
    logic        priv;
  } units_t;

  // What becomes of the wave, as the pins of salu have it; what is not written is zero.
  typedef struct packed {
    logic        write, wide;
    logic [6:0]  sdst;
    logic [63:0] data;
    logic        scc;
    logic        exec_write;
    logic [63:0] exec;
    logic        jump;
    logic [63:0] pc;
    logic        hwreg_write;
    logic [31:0] hwreg;
    logic [2:0]  csp;
    logic        push;
    logic [63:0] mask, entry;
    logic        vskip;
    logic        priv;
    logic        illegal;    // an opcode this ALU does not have
  } results_t;

  function automatic logic [6:0] ones(input logic [63:0] x);
    integer i;
    ones = 7'd0;
    for (i = 0; i < 64; i = i + 1) ones = ones + {6'd0, x[i]};
  endfunction

  // The n lowest bits; all of them from 64 on.
  function automatic logic [63:0] low_ones(input logic [6:0] n);
    low_ones = n[6] ? 64'hffffffffffffffff : (64'd1 << n[5:0]) - 64'd1;
  endfunction

endpackage
`endif
