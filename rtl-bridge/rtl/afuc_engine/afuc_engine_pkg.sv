// SPDX-License-Identifier: Apache-2.0
// Numbers of Adreno's micro engine, and what its parts pass to each other.
`ifndef AFUC_ENGINE_PKG_SV
`define AFUC_ENGINE_PKG_SV
package afuc_engine_pkg;
  // Encodings.
  localparam logic [1:0] kA5 = 2'd0, kA6 = 2'd1, kA7 = 2'd2;

  // Registers with a meaning of their own. Those from kMemData on are others when written.
  localparam logic [4:0] kHeaderRegister = 5'd1, kSecureRegister = 5'd2, kLr = 5'd27, kRem = 5'd28;
  localparam logic [4:0] kMemData = 5'd29, kRegData = 5'd30, kDataIn = 5'd31;
  localparam logic [4:0] kAddr = 5'd29, kUsrAddr = 5'd30, kDataOut = 5'd31;

  // What it waits for, as state_wait numbers it.
  localparam logic [3:0] kNothing = 4'd0, kNotRunning = 4'd1, kRoom = 4'd2, kInstruction = 4'd3,
                         kData = 4'd4, kMemory = 4'd5, kRegisters = 4'd6, kLoad = 4'd7, kLive = 4'd8,
                         kSecure = 4'd9;
  // Why it has stopped, as state_fault numbers it.
  localparam logic [2:0] kNoFault = 3'd0, kOpcode = 3'd1, kMicrocode = 3'd2, kIllegal = 3'd3,
                         kUnimplemented = 3'd4;
  // Where a word that is written goes, as write_kind numbers it.
  localparam logic [1:0] kInternal = 2'd0, kPacket = 2'd1, kPipe = 2'd2, kQueue = 2'd3;
  // What comes after the instruction in a delay slot.
  localparam logic [1:0] kOn = 2'd0, kToBranch = 2'd1, kToPacket = 2'd2;

  // Instructions. From kOpAdd to kOpBfi the ALU has them, from kOpCRead to kOpStore they name a place.
  localparam logic [5:0] kOpNop = 6'd0, kOpAdd = 6'd1, kOpAddHi = 6'd2, kOpSub = 6'd3, kOpSubHi = 6'd4,
                         kOpAnd = 6'd5, kOpOr = 6'd6, kOpXor = 6'd7, kOpNot = 6'd8, kOpShl = 6'd9,
                         kOpUshr = 6'd10, kOpIshr = 6'd11, kOpRot = 6'd12, kOpMul8 = 6'd13,
                         kOpMin = 6'd14, kOpMax = 6'd15, kOpCmp = 6'd16, kOpBic = 6'd17, kOpMsb = 6'd18,
                         kOpMov = 6'd19, kOpSetBit = 6'd20, kOpClrBit = 6'd21, kOpUbfx = 6'd22,
                         kOpBfi = 6'd23, kOpCRead = 6'd24, kOpCWrite = 6'd25, kOpSRead = 6'd26,
                         kOpSWrite = 6'd27, kOpLoad = 6'd28, kOpStore = 6'd29, kOpBrNe = 6'd30,
                         kOpBrEq = 6'd31, kOpJump = 6'd32, kOpCall = 6'd33, kOpBl = 6'd34, kOpRet = 6'd35,
                         kOpSRet = 6'd36, kOpWaitIn = 6'd37, kOpIRet = 6'd38, kOpSetSecure = 6'd39,
                         kOpIllegal = 6'd40;

  // An instruction decoded.
  typedef struct packed {
    logic [5:0]  op;
    logic        rep;
    logic        peek;
    logic [1:0]  xmov;
    logic [1:0]  sds;
    logic        increment; // "!": the place goes back to its register
    logic        immediate; // the second operand is `value`
    logic        of_bit;    // the bit is `low`
    logic        absolute;
    logic [4:0]  dst;
    logic [4:0]  first;
    logic [4:0]  second;
    logic [4:0]  low;
    logic [4:0]  high;
    logic [31:0] value;     // immediate, or base of a place
    logic [31:0] target;    // of branches, from the branch unless absolute
  } decoded_t;

  // What reads and writes change as an issue cycle goes on.
  typedef struct packed {
    logic [31:0]      rem;
    logic [31:0]      addr;
    logic [31:0]      usr_addr;
    logic             by_usr;      // $data goes to what $usraddr names
    logic             took_data;
    logic [2:0]       data;        // words taken
    logic [2:0]       memory;
    logic [2:0]       registers;
    logic [31:0]      mem_low;
    logic [31:0]      mem_high;
    logic [31:0]      mem_left;
    logic [31:0]      mem_privileged;
    logic [31:0]      reg_address;
    logic [31:0]      reg_left;
    logic             bumped;      // a plain register has got its place
    logic [4:0]       bumped_at;
    logic [31:0]      bumped_value;
    logic             plain;       // a plain register is written
    logic [4:0]       plain_at;
    logic [31:0]      plain_value;
    logic [2:0]       writes;
    logic [7:0]       kind;        // of four
    logic [71:0]      index;
    logic [127:0]     value;
  } issue_t;
endpackage
`endif
