// SPDX-License-Identifier: Apache-2.0
// Numbers that the parts of the micro engine share, and its pins use.
`ifndef CP_ME_PKG_SV
`define CP_ME_PKG_SV
package cp_me_pkg;
  // Operations, as op_kind numbers them.
  localparam logic [4:0] kRegWrite = 5'd0;
  localparam logic [4:0] kRegRead = 5'd1;
  localparam logic [4:0] kMemRead = 5'd2;
  localparam logic [4:0] kTake = 5'd3;
  localparam logic [4:0] kMemWrite = 5'd4;
  localparam logic [4:0] kAtomic = 5'd5;
  localparam logic [4:0] kWaitWrites = 5'd6;
  localparam logic [4:0] kDelay = 5'd7;
  localparam logic [4:0] kEvent = 5'd8;
  localparam logic [4:0] kEop = 5'd9;
  localparam logic [4:0] kCacheStart = 5'd10;
  localparam logic [4:0] kCachePoll = 5'd11;
  localparam logic [4:0] kDma = 5'd12;
  localparam logic [4:0] kWaitDma = 5'd13;
  localparam logic [4:0] kClock = 5'd15;
  localparam logic [4:0] kCeWait = 5'd16;
  localparam logic [4:0] kCeTell = 5'd17;
  localparam logic [4:0] kGdsRead = 5'd18;
  localparam logic [4:0] kGdsWrite = 5'd19;
  localparam logic [4:0] kGdsAtomic = 5'd20;
  localparam logic [4:0] kWaitGds = 5'd21;
  localparam logic [4:0] kWaitGdsStore = 5'd22;
  localparam logic [4:0] kContextsIdle = 5'd24;
  localparam logic [4:0] kDeIncrement = 5'd25;

  // Why a ring does not move, as state_stall and state_wait number it.
  localparam logic [4:0] kNone = 5'd0;
  localparam logic [4:0] kQueue = 5'd1;
  localparam logic [4:0] kBusBusy = 5'd3;
  localparam logic [4:0] kReadData = 5'd4;
  localparam logic [4:0] kMemPort = 5'd5;
  localparam logic [4:0] kMemData = 5'd6;
  localparam logic [4:0] kMemWrites = 5'd7;
  localparam logic [4:0] kEvents = 5'd8;
  localparam logic [4:0] kCache = 5'd9;
  localparam logic [4:0] kDmaBusy = 5'd10;
  localparam logic [4:0] kEopFull = 5'd11;
  localparam logic [4:0] kPoll = 5'd12;
  localparam logic [4:0] kMicrocode = 5'd13;
  localparam logic [4:0] kCe = 5'd14;
  localparam logic [4:0] kContext = 5'd15;
  localparam logic [4:0] kGds = 5'd16;
  localparam logic [4:0] kGdsData = 5'd17;
  localparam logic [4:0] kGdsStore = 5'd18;

  // Phases of a packet, as state_phase numbers them.
  localparam logic [2:0] kHeader = 3'd0;
  localparam logic [2:0] kCollect = 3'd1;
  localparam logic [2:0] kCode = 3'd2;
  localparam logic [2:0] kExecute = 3'd3;
  localparam logic [2:0] kDrop = 3'd4;

  // What an event was posted for, as pipe_purpose numbers it.
  localparam logic [2:0] kDiscard = 3'd0;
  localparam logic [2:0] kForWait = 3'd1;
  localparam logic [2:0] kForEop = 3'd2;
  localparam logic [2:0] kForCe = 3'd3;
  localparam logic [2:0] kForContext = 3'd4;

  // What comes of an operation that is tried.
  localparam logic [1:0] kDone = 2'd0;
  localparam logic [1:0] kPartly = 2'd1;   // it goes on
  localparam logic [1:0] kBlocked = 2'd2;  // the ring keeps its turn
  localparam logic [1:0] kWaits = 2'd3;    // and gives it away
endpackage
`endif
