// SPDX-License-Identifier: Apache-2.0
// Numbers that the parts of the constant engine share, and its pins use.
`ifndef CP_CE_PKG_SV
`define CP_CE_PKG_SV
package cp_ce_pkg;
  // Packets, as done_packet numbers them.
  localparam logic [3:0] kNop = 4'd0;
  localparam logic [3:0] kSetBase = 4'd1;
  localparam logic [3:0] kWrite = 4'd2;
  localparam logic [3:0] kWriteOffset = 4'd3;
  localparam logic [3:0] kDump = 4'd4;
  localparam logic [3:0] kLoad = 4'd5;
  localparam logic [3:0] kIncrement = 4'd6;
  localparam logic [3:0] kSetCounters = 4'd7;
  localparam logic [3:0] kWaitCounter = 4'd8;
  localparam logic [3:0] kWaitDiff = 4'd9;

  // What a ring waits for, as `reason` numbers it.
  localparam logic [3:0] kMoves = 4'd0;
  localparam logic [3:0] kTurn = 4'd1;
  localparam logic [3:0] kStream = 4'd2;
  localparam logic [3:0] kMicrocode = 4'd3;
  localparam logic [3:0] kMemPort = 4'd4;
  localparam logic [3:0] kLoads = 4'd5;
  localparam logic [3:0] kDumps = 4'd6;
  localparam logic [3:0] kSets = 4'd7;
  localparam logic [3:0] kBufferFlag = 4'd8;
  localparam logic [3:0] kDeCounter = 4'd9;
  localparam logic [3:0] kDifference = 4'd10;
  localparam logic [3:0] kRamPort = 4'd11;

  // Stops, as stop_code numbers them.
  localparam logic [3:0] kStopNone = 4'd0;
  localparam logic [3:0] kStopHeader = 4'd1;
  localparam logic [3:0] kStopPacket = 4'd2;
  localparam logic [3:0] kStopSize = 4'd3;
  localparam logic [3:0] kStopAlignment = 4'd4;
  localparam logic [3:0] kStopBounds = 4'd5;
  localparam logic [3:0] kStopPartition = 4'd6;
  localparam logic [3:0] kStopBaseIndex = 4'd7;
  localparam logic [3:0] kStopFault = 4'd8;
  localparam logic [3:0] kStopFlags = 4'd9;
  localparam logic [3:0] kStopMessage = 4'd10;
  localparam logic [3:0] kStopResponse = 4'd11;

  // Messages of the drawing engine, as de_kind numbers them.
  localparam logic [2:0] kDeWaitCounter = 3'd0;
  localparam logic [2:0] kDeWaitBuffer = 3'd1;
  localparam logic [2:0] kDeIncrement = 3'd2;
  localparam logic [2:0] kDeIncrementDone = 3'd3;
  localparam logic [2:0] kDeRelease = 3'd4;
endpackage
`endif
