// SPDX-License-Identifier: Apache-2.0
// The events of a ring that are in the pipe, oldest first. The pipe completes them in this order.
`include "cp_me_pkg.sv"
module cp_me_events (
  input  logic       clk,
  input  logic       rst,
  input  logic [5:0] most,
  output logic [2:0] purpose,  // of the oldest; none: kDiscard
  output logic [2:0] buffer,
  input  logic       pop,
  output logic       full,     // behind the pop
  input  logic       push,
  input  logic [2:0] push_purpose,
  input  logic [2:0] push_buffer,
  input  logic       step,
  output logic       empty     // behind this cycle
);
  import cp_me_pkg::*;

  logic [5:0] events [0:31];
  logic [4:0] head;
  logic [5:0] count;

  wire       any = count != 6'd0;
  wire       popped = pop && any;
  wire [5:0] left = count - {5'd0, popped};
  assign purpose = any ? events[head][5:3] : kDiscard;
  assign buffer  = any ? events[head][2:0] : 3'd0;
  assign full    = left == most;
  assign empty   = left == 6'd0 && !push;

  wire [4:0] last = head + count[4:0];
  always_ff @(posedge clk) begin
    if (rst) begin
      head  <= '0;
      count <= '0;
    end else if (step) begin
      head  <= head + {4'd0, popped};
      count <= left + {5'd0, push};
      if (push) events[last] <= {push_purpose, push_buffer};
    end
  end
endmodule
