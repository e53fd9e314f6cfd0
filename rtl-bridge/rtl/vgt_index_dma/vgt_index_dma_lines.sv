// SPDX-License-Identifier: Apache-2.0
// Lines requested and not yet passed on, in a ring of `places`. They arrive in any order and are
// passed on in the order of their requests.
module vgt_index_dma_lines (
  input  logic         clk,
  input  logic         rst,
  input  logic [4:0]   places,
  input  logic [4:0]   most,         // in flight
  input  logic         request,
  output logic [3:0]   request_place,
  output logic         full,
  output logic         flight_full,
  input  logic         back,         // the line of back_tag has come
  input  logic [31:0]  back_tag,
  input  logic [1:0]   back_status,
  input  logic [511:0] back_data,
  output logic         strange,      // no line waits for back_tag
  output logic         here,         // the oldest line
  output logic [1:0]   status,
  output logic [511:0] data,
  input  logic         free          // the oldest line
);
  logic [3:0]   oldest, newest;  // places
  logic [4:0]   used, in_flight;
  logic [15:0]  owed, come;
  logic [1:0]   statuses [0:15];
  logic [511:0] words [0:15];

  function automatic logic [3:0] after(input logic [3:0] place, input logic [4:0] n);
    after = {1'b0, place} + 5'd1 == n ? 4'd0 : place + 4'd1;
  endfunction

  assign request_place = newest;
  assign full = used >= places;
  assign flight_full = in_flight >= most;
  assign strange = back_tag[31:4] != 28'd0 || !owed[back_tag[3:0]];
  assign here = come[oldest];
  assign status = statuses[oldest];
  assign data = words[oldest];

  always_ff @(posedge clk)
    if (rst) begin
      oldest <= 4'd0;
      newest <= 4'd0;
      used <= 5'd0;
      in_flight <= 5'd0;
      owed <= 16'd0;
      come <= 16'd0;
    end else begin
      used <= used + {4'd0, request} - {4'd0, free};
      in_flight <= in_flight + {4'd0, request} - {4'd0, back};
      if (request) begin
        newest <= after(newest, places);
        owed[newest] <= 1'b1;
      end
      if (back) begin
        owed[back_tag[3:0]] <= 1'b0;
        come[back_tag[3:0]] <= 1'b1;
      end
      if (free) begin
        oldest <= after(oldest, places);
        come[oldest] <= 1'b0;
      end
    end

  always_ff @(posedge clk)
    if (back) begin
      statuses[back_tag[3:0]] <= back_status;
      words[back_tag[3:0]] <= back_data;
    end

endmodule
