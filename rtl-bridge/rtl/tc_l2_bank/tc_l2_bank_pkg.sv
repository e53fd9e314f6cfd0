// SPDX-License-Identifier: Apache-2.0
// Codes and messages of an L2 channel.
`ifndef TC_L2_BANK_PKG_SV
`define TC_L2_BANK_PKG_SV
package tc_l2_bank_pkg;

  localparam logic [1:0] kRead = 2'd0;
  localparam logic [1:0] kWrite = 2'd1;
  localparam logic [1:0] kAtomic = 2'd2;

  localparam logic [1:0] kOk = 2'd0;
  localparam logic [1:0] kUnmapped = 2'd1;
  localparam logic [1:0] kBad = 2'd2;

  localparam logic [3:0] kClientL2 = 4'd7;

  // What a message to memory is, in the two top bits of its tag.
  localparam logic [1:0] kTagFill = 2'd0;          // below: MSHR
  localparam logic [1:0] kTagWriteBack = 2'd1;     // below: epoch
  localparam logic [1:0] kTagWriteThrough = 2'd2;  // below: slot

  // Why the request at the head of the pipeline does not move.
  localparam logic [2:0] kStallMshr = 3'd0;
  localparam logic [2:0] kStallWaiting = 3'd1;
  localparam logic [2:0] kStallSet = 3'd2;
  localparam logic [2:0] kStallMemory = 3'd3;
  localparam logic [2:0] kStallWriteThrough = 3'd4;
  localparam logic [2:0] kStallResponse = 3'd5;
  localparam logic [2:0] kStallNone = 3'd6;

  // Answers of memory that cannot be.
  localparam logic [2:0] kErrorNone = 3'd0;
  localparam logic [2:0] kErrorRefused = 3'd1;       // a write-back
  localparam logic [2:0] kErrorWriteBack = 3'd2;     // that was not sent
  localparam logic [2:0] kErrorWriteThrough = 3'd3;  // that was not sent
  localparam logic [2:0] kErrorFill = 3'd4;          // unsolicited
  localparam logic [2:0] kErrorTag = 3'd5;

  localparam logic [4:0] kOpSwap = 5'd0;
  localparam logic [4:0] kOpCmpSwap = 5'd1;
  localparam logic [4:0] kOpAdd = 5'd2;
  localparam logic [4:0] kOpSub = 5'd3;
  localparam logic [4:0] kOpRSub = 5'd4;
  localparam logic [4:0] kOpSMin = 5'd5;
  localparam logic [4:0] kOpUMin = 5'd6;
  localparam logic [4:0] kOpSMax = 5'd7;
  localparam logic [4:0] kOpUMax = 5'd8;
  localparam logic [4:0] kOpAnd = 5'd9;
  localparam logic [4:0] kOpOr = 5'd10;
  localparam logic [4:0] kOpXor = 5'd11;
  localparam logic [4:0] kOpInc = 5'd12;
  localparam logic [4:0] kOpDec = 5'd13;
  localparam logic [4:0] kOpFCmpSwap = 5'd14;
  localparam logic [4:0] kOpFMin = 5'd15;
  localparam logic [4:0] kOpFMax = 5'd16;
  localparam logic [4:0] kOpNone = 5'd17;

  // A request without its line and data.
  typedef struct packed {
    logic [1:0]  command;
    logic [4:0]  atomic;
    logic [7:0]  bytes;  // of an atomic operand
    logic [3:0]  client;
    logic [7:0]  vmid;
    logic        glc;
    logic        slc;
    logic        through;
    logic        returns;
    logic [15:0] source;
    logic [15:0] port;
    logic [31:0] tag;
    logic [63:0] uid;
    logic [63:0] compare;
    logic [63:0] mask;
  } request_t;

  // An answer without its data.
  typedef struct packed {
    logic [1:0]  status;
    logic [1:0]  command;
    logic [15:0] port;
    logic [31:0] tag;
    logic [63:0] uid;
    logic [57:0] line;
  } answer_t;

endpackage
`endif
