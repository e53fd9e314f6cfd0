// SPDX-License-Identifier: Apache-2.0
// A queue of DEPTH messages of W bits and a line, that takes up to three in a cycle, in the order
// of the ports. What enters an empty queue can leave it in the same cycle.
module tc_l2_queue #(
  parameter int DEPTH = 32,
  parameter int W = 8,
  parameter int BITS = $clog2(DEPTH)
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [2:0]   push,
  input  logic [W-1:0] head0,
  input  logic [W-1:0] head1,
  input  logic [W-1:0] head2,
  input  logic [511:0] data0,
  input  logic [511:0] data1,
  input  logic [511:0] data2,
  input  logic         pop,
  output logic         some,  // something to pop
  output logic [W-1:0] head,
  output logic [511:0] data,
  output logic [BITS:0] count,
  output logic [BITS:0] count_next
);

  localparam logic [BITS-1:0] kLast = BITS'(DEPTH - 1);

  logic [W-1:0]   heads [0:DEPTH-1];
  logic [511:0]   lines [0:DEPTH-1];
  logic [BITS-1:0] first, at0, at1, at2;

  function automatic logic [BITS-1:0] after(input logic [BITS-1:0] at, input logic step);
    after = !step ? at : at == kLast ? '0 : at + 1'b1;
  endfunction

  logic [BITS:0] more;
  assign more = {{BITS{1'b0}}, push[0]} + {{BITS{1'b0}}, push[1]} + {{BITS{1'b0}}, push[2]};
  assign at1  = after(at0, push[0]);
  assign at2  = after(at1, push[1]);

  logic [W-1:0] stored_head, passing_head;
  logic [511:0] stored_data, passing_data;
  logic         stored;
  assign stored       = count != '0;
  assign stored_head  = heads[first];
  assign stored_data  = lines[first];
  assign passing_head = push[0] ? head0 : push[1] ? head1 : head2;
  assign passing_data = push[0] ? data0 : push[1] ? data1 : data2;
  assign some         = stored || push != 3'd0;
  assign head         = stored ? stored_head : passing_head;
  assign data         = stored ? stored_data : passing_data;
  assign count_next   = count + more - {{BITS{1'b0}}, pop};

  always_ff @(posedge clk) begin
    if (rst) begin
      first <= '0;
      at0   <= '0;
      count <= '0;
    end else begin
      first <= after(first, pop);
      at0   <= after(at2, push[2]);
      count <= count_next;
    end
    if (push[0]) begin
      heads[at0] <= head0;
      lines[at0] <= data0;
    end
    if (push[1]) begin
      heads[at1] <= head1;
      lines[at1] <= data1;
    end
    if (push[2]) begin
      heads[at2] <= head2;
      lines[at2] <= data2;
    end
  end

endmodule
