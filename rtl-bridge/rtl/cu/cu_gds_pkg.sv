// SPDX-License-Identifier: Apache-2.0
// Instructions of the global data share: what an opcode asks for, and where a lane's elements are.
// M0 for memory: base in bits 31:16, size in bits 15:0, bytes.
`ifndef CU_GDS_PKG_SV
`define CU_GDS_PKG_SV
`include "cu_pkg.sv"
`include "lds_pkg.sv"

// Functions that look at a part of a struct only.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

package cu_gds_pkg;
  import cu_pkg::*;
  import lds_pkg::kind_t;

  // GdsCommand.
  localparam logic [3:0] kGdsRead = 4'd0;
  localparam logic [3:0] kGdsWrite = 4'd1;
  localparam logic [3:0] kGdsAtomic = 4'd2;
  localparam logic [3:0] kGdsMaskOr = 4'd3;
  localparam logic [3:0] kGdsExchange = 4'd4;
  localparam logic [3:0] kGdsFromMemory = 4'd5;
  localparam logic [3:0] kGdsAppend = 4'd6;
  localparam logic [3:0] kGdsConsume = 4'd7;
  localparam logic [3:0] kGdsOrderedCount = 4'd8;
  localparam logic [3:0] kGdsSyncInit = 4'd9;
  localparam logic [3:0] kGdsSemaphoreUp = 4'd10;
  localparam logic [3:0] kGdsSemaphoreDown = 4'd11;
  localparam logic [3:0] kGdsBarrier = 4'd12;

  // DS opcodes that only the GDS has.
  localparam logic [7:0] kGwsInit = 8'd25;
  localparam logic [7:0] kGwsSemaphoreUp = 8'd26;
  localparam logic [7:0] kGwsSemaphoreUpBy = 8'd27;
  localparam logic [7:0] kGwsSemaphoreDown = 8'd28;
  localparam logic [7:0] kGwsBarrier = 8'd29;
  localparam logic [7:0] kOrderedCount = 8'd63;

  // As on the pins, but for what is of lanes, tag and VMID.
  typedef struct packed {
    logic [3:0]  command;
    logic [4:0]  atomic;
    logic [3:0]  bytes;
    logic [1:0]  elements;
    logic        sign_extend, returns;
    logic [31:0] value;
    logic [7:0]  resource;
    logic [15:0] order;
    logic [7:0]  counter, stage;
    logic        swaps, lets_next, lets_all;
    logic [63:0] lanes0, lanes1;
  } gds_request_t;

  function automatic logic synchronises(input logic [7:0] op);
    synchronises = op >= kGwsInit && op <= kGwsBarrier;
  endfunction

  function automatic logic [3:0] sync_command(input logic [7:0] op);
    case (op)
      kGwsInit:                           sync_command = kGdsSyncInit;
      kGwsSemaphoreUp, kGwsSemaphoreUpBy: sync_command = kGdsSemaphoreUp;
      kGwsSemaphoreDown:                  sync_command = kGdsSemaphoreDown;
      default:                            sync_command = kGdsBarrier;
    endcase
  endfunction

  function automatic logic [3:0] memory_command(input kind_t k);
    if (k.from_memory) memory_command = kGdsFromMemory;
    else if (k.exchange2) memory_command = kGdsExchange;
    else if (k.counter) memory_command = k.op == lds_pkg::kAppend ? kGdsAppend : kGdsConsume;
    else if (k.read) memory_command = kGdsRead;
    else if (k.op == lds_pkg::kMskOr) memory_command = kGdsMaskOr;
    else if (!k.returns && (k.op >= lds_pkg::kWrite8 || k.two || k.op == lds_pkg::kWrite)) memory_command = kGdsWrite;
    else memory_command = kGdsAtomic;
  endfunction

  // AtomicOp of what changes memory by an operation.
  function automatic logic [4:0] atomic_of(input kind_t k);
    atomic_of = kNoAtomic;
    if (!k.read && !k.counter) begin
      case (k.op)
        lds_pkg::kAdd:   atomic_of = 5'd2;
        lds_pkg::kSub:   atomic_of = 5'd3;
        lds_pkg::kRSub:  atomic_of = 5'd4;
        lds_pkg::kSMin:  atomic_of = 5'd5;
        lds_pkg::kUMin:  atomic_of = 5'd6;
        lds_pkg::kSMax:  atomic_of = 5'd7;
        lds_pkg::kUMax:  atomic_of = 5'd8;
        lds_pkg::kAnd:   atomic_of = 5'd9;
        lds_pkg::kOr:    atomic_of = 5'd10;
        lds_pkg::kXor:   atomic_of = 5'd11;
        lds_pkg::kInc:   atomic_of = 5'd12;
        lds_pkg::kDec:   atomic_of = 5'd13;
        lds_pkg::kCmp:   atomic_of = kCmpSwap;
        lds_pkg::kFCmp:  atomic_of = kFCmpSwap;
        lds_pkg::kFMin:  atomic_of = 5'd15;
        lds_pkg::kFMax:  atomic_of = 5'd16;
        lds_pkg::kWrite: atomic_of = k.returns ? 5'd0 : kNoAtomic;
        default:         ;
      endcase
    end
  endfunction

  // Registers of a lane that the answer brings.
  function automatic logic [2:0] returned_dwords(input logic [7:0] op, input kind_t k);
    returned_dwords = 3'd0;
    if (op == kOrderedCount) returned_dwords = 3'd1;
    else if (k.returns) returned_dwords = 3'd1 << {1'b0, k.wide} + {1'b0, k.two};
  endfunction

  // The second data operand is there.
  function automatic logic has_second(input kind_t k);
    has_second = !k.read && !k.counter && !k.from_memory
              && (k.op == lds_pkg::kMskOr || k.two || k.op == lds_pkg::kCmp || k.op == lds_pkg::kFCmp);
  endfunction

  // {in the window, address} of an element at an offset from the base.
  function automatic logic [32:0] place_of_element(input logic [31:0] m0, input logic [33:0] offset, input logic [1:0] element);
    logic [33:0] aligned;
    logic [31:0] at;
    aligned          = offset >> element << element;
    at               = {16'd0, m0[31:16]} + aligned[31:0];
    place_of_element = {aligned < {18'd0, m0[15:0]}, at >> element << element};
  endfunction

endpackage

`endif
