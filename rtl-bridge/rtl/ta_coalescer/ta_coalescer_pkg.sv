// SPDX-License-Identifier: Apache-2.0
// Instructions as the coalescer holds them, and requests.
`ifndef TA_COALESCER_PKG_SV
`define TA_COALESCER_PKG_SV

package ta_coalescer_pkg;

  localparam logic [1:0] kLoad = 2'd0;
  localparam logic [1:0] kStore = 2'd1;
  localparam logic [1:0] kAtomic = 2'd2;  // the fourth kind accesses nothing

  // A request that may still get lanes, or has all of them.
  typedef struct packed {
    logic        valid;
    logic [57:0] line;
    logic [63:0] lanes;
    logic [10:0] cycle;  // of the last group that touched it
    logic [15:0] used;   // atomics: locations of the line that it operates on
  } request_t;

  // What leaves. Without lanes: the instruction has no request.
  typedef struct packed {
    logic [57:0] line;
    logic [63:0] lanes;
    logic [10:0] cycle;
    logic        last;
    logic [11:0] busy;
    logic        misaligned;
  } message_t;

  // How far an instruction is. Touches of the sixteen lanes of a quarter wave: bit 8 l + 2 k is the
  // line in which dword k of lane l begins (contiguous: k 0, all dwords), the bit above it the next
  // line, when it reaches there.
  typedef struct packed {
    logic [63:0]  rest;        // lanes of groups not begun
    logic [1:0]   quarter;     // of the group begun last
    logic [127:0] left;        // its touches not yet in a request
    logic [11:0]  levels;      // atomics, of its lanes: see ta_coalescer_group.sv
    logic [10:0]  cycle;       // of that group
    logic [11:0]  next_cycle;  // of the group after it
    logic [9:0]   requests;    // made, `open` among them
    request_t     open;        // the one made last
  } progress_t;

  // Bit n: some lane of quad n.
  function automatic logic [15:0] quads(input logic [63:0] lanes);
    integer i;
    for (i = 0; i < 16; i = i + 1) quads[i] = lanes[4*i+:4] != 4'd0;
  endfunction

  function automatic logic [4:0] ones(input logic [15:0] bits);
    integer i;
    ones = 5'd0;
    for (i = 0; i < 16; i = i + 1) ones = ones + {4'd0, bits[i]};
  endfunction

  // Groups that have lanes: of sixteen lanes, or of four.
  function automatic logic [4:0] groups(input logic sixteen, input logic [63:0] lanes);
    logic [15:0] some;
    some   = quads(lanes);
    groups = sixteen ? {4'd0, some[3:0] != 4'd0} + {4'd0, some[7:4] != 4'd0}
                       + {4'd0, some[11:8] != 4'd0} + {4'd0, some[15:12] != 4'd0}
                     : ones(some);
  endfunction

  // The number of the lowest bit; 0 when there is none.
  function automatic logic [6:0] lowest(input logic [127:0] bits);
    logic [127:0] x;
    x      = bits;
    lowest = 7'd0;
    if (x[63:0] == 64'd0) begin lowest[6] = 1'b1; x = x >> 64; end
    if (x[31:0] == 32'd0) begin lowest[5] = 1'b1; x = x >> 32; end
    if (x[15:0] == 16'd0) begin lowest[4] = 1'b1; x = x >> 16; end
    if (x[7:0] == 8'd0) begin lowest[3] = 1'b1; x = x >> 8; end
    if (x[3:0] == 4'd0) begin lowest[2] = 1'b1; x = x >> 4; end
    if (x[1:0] == 2'd0) begin lowest[1] = 1'b1; x = x >> 2; end
    if (!x[0]) lowest[0] = 1'b1;
    if (bits == 128'd0) lowest = 7'd0;
  endfunction

  // Touches of a lane whose dword k begins in line start_k: see progress_t. Without `every`, of dword 0. One function of
  // the Verilated code, which would be eight times as long with it inlined.
  function automatic logic [7:0] touches_of(input logic every, input logic [63:0] start_0, input logic [63:0] start_1,
                                            input logic [63:0] start_2, input logic [63:0] start_3, input logic [57:0] sought);
    /*verilator no_inline_task*/
    logic [63:0] same, previous;
    same       = {6'd0, sought};
    previous   = {6'd0, sought - 58'd1};
    touches_of = {6'd0, start_0 == previous, start_0 == same};
    if (every)
      touches_of = {start_3 == previous, start_3 == same, start_2 == previous, start_2 == same,
                    start_1 == previous, start_1 == same, touches_of[1:0]};
  endfunction

endpackage

`endif
