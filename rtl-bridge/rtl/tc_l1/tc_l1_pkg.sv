// SPDX-License-Identifier: Apache-2.0
// Codes and messages of a vector L1.
`ifndef TC_L1_PKG_SV
`define TC_L1_PKG_SV
package tc_l1_pkg;

  localparam logic [1:0] kRead = 2'd0;
  localparam logic [1:0] kWrite = 2'd1;  // else an atomic

  localparam logic [1:0] kOk = 2'd0;

  // Why the oldest request does not move.
  localparam logic [1:0] kStallMshr = 2'd0;
  localparam logic [1:0] kStallOrder = 2'd1;
  localparam logic [1:0] kStallDownstream = 2'd2;
  localparam logic [1:0] kStallNone = 2'd3;

  // Answers of L2 that cannot be.
  localparam logic [1:0] kErrorNone = 2'd0;
  localparam logic [1:0] kErrorFill = 2'd1;    // unsolicited
  localparam logic [1:0] kErrorAnswer = 2'd2;  // to a write or atomic that was not sent

  // A request without its data.
  typedef struct packed {
    logic [57:0] line;
    logic [63:0] mask;
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
  } request_t;

  // What an answer repeats of its request.
  typedef struct packed {
    logic [1:0]  command;
    logic [15:0] port;
    logic [31:0] tag;
    logic [63:0] uid;
    logic [57:0] line;
  } header_t;

  // Whether a range of `size` bytes from `base` on, which may go round the end of addresses,
  // touches a line.
  function automatic logic covers(input logic [63:0] base, input logic [63:0] size,
                                  input logic [57:0] line);
    logic [63:0] last;
    logic        above, below;
    last   = base + size - 64'd1;
    above  = {line, 6'h3f} >= base;
    below  = {line, 6'h00} <= last || last < base;
    covers = size == ~64'd0 || (size != 64'd0 && above && below);
  endfunction

  // The set of a line: the low bits of its number, XORed with eight groups of as many bits from
  // address bit `hash` on; 0: with nothing. `mask`: sets - 1.
  function automatic logic [5:0] set_of(input logic [57:0] line, input logic [5:0] hash,
                                        input logic [5:0] mask);
    logic [57:0] fold;
    logic [2:0]  bits;
    bits   = 3'($countones(mask));
    fold   = hash == 6'd0 ? 58'd0 : line >> (hash - 6'd6);
    fold   = fold ^ (fold >> bits);
    fold   = fold ^ (fold >> {bits, 1'b0});
    fold   = fold ^ (fold >> {bits, 2'b00});
    set_of = (line[5:0] ^ fold[5:0]) & mask;
  endfunction

endpackage
`endif
