// SPDX-License-Identifier: Apache-2.0
// Write confirmations of one ring of the constant engine, counted by constant set: an
// INCREMENT_CE_COUNTER closes the set being written, and the set counts when all its lines and
// those of the sets before it are confirmed.
module cp_ce_sets (
  input  logic       clk,
  input  logic       rst,
  input  logic [3:0] most,       // told apart, the open one among them
  input  logic       sent,       // a line, into the open set
  input  logic       close,
  input  logic       back,       // a line is confirmed
  input  logic [2:0] back_set,
  output logic [2:0] open_set,
  output logic       full,       // no further set can be closed
  output logic       pending,    // a line is not confirmed
  output logic       back_known, // back_set has such a line
  output logic       confirmed   // the oldest closed set counts in this cycle
);

  logic [7:0] lines [0:7];
  logic [2:0] open, oldest, closed;

  function automatic logic [2:0] after(input logic [2:0] set, input logic [3:0] count);
    after = ({1'b0, set} + 4'd1 == count) ? 3'd0 : set + 3'd1;
  endfunction

  assign open_set = open;
  assign full = {1'b0, closed} + 4'd1 >= most;
  assign confirmed = closed != 3'd0 && lines[oldest] == 8'd0;
  assign back_known = lines[back_set] != 8'd0;
  wire [7:0] some;
  for (genvar i = 0; i < 8; i++) begin : g_set
    localparam logic [2:0] kSet = 3'(i);
    wire up = sent && open == kSet;
    wire down = back && back_set == kSet;
    assign some[i] = lines[i] != 8'd0;
    always_ff @(posedge clk)
      if (rst) lines[i] <= 8'd0;
      else lines[i] <= lines[i] + {7'd0, up} - {7'd0, down};
  end
  assign pending = some != 8'd0;

  always_ff @(posedge clk)
    if (rst) {open, oldest, closed} <= 9'd0;
    else begin
      if (close) open <= after(open, most);
      if (confirmed) oldest <= after(oldest, most);
      closed <= closed + {2'd0, close} - {2'd0, confirmed};
    end

endmodule
