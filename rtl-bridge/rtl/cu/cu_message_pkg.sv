// SPDX-License-Identifier: Apache-2.0
// s_sendmsg and s_sendmsghalt, by SIMM16: kind in 3:0, operation in 5:4 (of the system's in 6:4),
// stream in 9:8.
`ifndef CU_MESSAGE_PKG_SV
`define CU_MESSAGE_PKG_SV
`include "cu_pkg.sv"

// Functions that look at a part of a word only.
/* verilator lint_off UNUSEDSIGNAL */

package cu_message_pkg;
  import cu_pkg::*;

  localparam logic [3:0] kNoMessage = 4'd0;
  localparam logic [3:0] kInterrupt = 4'd1;
  localparam logic [3:0] kGeometry = 4'd2;
  localparam logic [3:0] kGeometryDone = 4'd3;
  localparam logic [3:0] kSystem = 4'd15;

  // As on the pins.
  typedef struct packed {
    logic [5:0]  wave;
    logic [63:0] pc;
    logic [3:0]  kind, operation;
    logic [1:0]  stream;
    logic [31:0] m0;
    logic [63:0] exec;
  } message_t;

  // There is such a message.
  function automatic logic message_exists(input logic [15:0] simm16);
    case (simm16[3:0])
      kNoMessage, kInterrupt, kGeometryDone: message_exists = 1'b1;
      kGeometry: message_exists = simm16[5:4] != 2'd0;
      kSystem:   message_exists = simm16[6:4] >= 3'd1 && simm16[6:4] <= 3'd4;
      default:   message_exists = 1'b0;
    endcase
  endfunction

  function automatic message_t message_of(input logic [15:0] simm16);
    message_of      = '0;
    message_of.kind = simm16[3:0];
    case (simm16[3:0])
      kGeometry, kGeometryDone: begin
        message_of.operation = {2'd0, simm16[5:4]};
        message_of.stream    = simm16[9:8];
      end
      kSystem: message_of.operation = {1'b0, simm16[6:4]};
      default: ;
    endcase
  endfunction

endpackage

`endif
