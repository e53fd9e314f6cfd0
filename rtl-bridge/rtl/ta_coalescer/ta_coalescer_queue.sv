// SPDX-License-Identifier: Apache-2.0
// Requests that wait to leave, in their order. Up to IN come in a cycle, when `room` is high; the
// oldest ones of one instruction are shown, up to four, and those taken leave.
`include "ta_coalescer_pkg.sv"

module ta_coalescer_queue
  import ta_coalescer_pkg::*;
#(
  parameter int DEPTH = 16,
  parameter int IN = 6,
  parameter int AT = $clog2(DEPTH),
  parameter int WIDTH = $bits(message_t)
) (
  input  logic                clk,
  input  logic                rst,
  output logic                room,
  input  logic [IN-1:0]       push,     // the first of them is the oldest
  input  logic [WIDTH*IN-1:0] pushed,
  input  logic [3:0]          ready,
  output logic [3:0]          valid,
  output logic [WIDTH*4-1:0]  shown     // zero where none is shown
);

  logic [WIDTH-1:0] messages [0:DEPTH-1];
  logic [AT-1:0]    head;
  logic [AT:0]      count;
  assign room = count <= (AT + 1)'(DEPTH - IN);

  logic [3:0] there;
  logic [2:0] last;
  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1) begin : g_shown
      message_t message;
      assign message               = messages[head + AT'(g)];
      assign there[g]              = count > (AT + 1)'(g);
      assign shown[WIDTH*g+:WIDTH] = valid[g] ? message : '0;
      if (g < 3) begin : g_last
        assign last[g] = message.last;
      end
    end
  endgenerate
  assign valid = there & {last == 3'd0, last[1:0] == 2'd0, !last[0], 1'b1};

  logic [2:0] taken;
  always_comb begin : take
    logic [3:0] go;
    go    = valid & ready;
    taken = !go[0] ? 3'd0 : !go[1] ? 3'd1 : !go[2] ? 3'd2 : !go[3] ? 3'd3 : 3'd4;
  end

  logic [AT:0] added;
  always_comb begin : add
    integer i;
    added = '0;
    for (i = 0; i < IN; i = i + 1) added = added + {{AT{1'b0}}, push[i]};
  end

  always_ff @(posedge clk) begin : move
    integer      i;
    logic [AT:0] tail;
    tail = {1'b0, head} + count;
    for (i = 0; i < IN; i = i + 1)
      if (push[i]) begin
        messages[tail[AT-1:0]] <= pushed[WIDTH*i+:WIDTH];
        tail = tail + (AT + 1)'(1);
      end
    head  <= head + AT'(taken);
    count <= count + added - (AT + 1)'(taken);
    if (rst) begin
      head  <= '0;
      count <= '0;
    end
  end

endmodule
