// SPDX-License-Identifier: Apache-2.0
// What an answer of memory is to a ring: the acknowledge of a write, or a line with dwords that its
// operation has asked for.
module cp_me_answer #(
  parameter logic [1:0] RING = 2'd0
) (
  input  logic         valid,
  input  logic [6:0]   tag,           // {write, ring}
  input  logic [57:0]  line,
  input  logic [511:0] data,
  // the operation that reads
  input  logic [61:0]  address,       // in dwords
  input  logic [4:0]   dwords,
  input  logic [1:0]   swap,
  output logic         acknowledged,
  output logic         read,
  input  logic [511:0] had,
  output logic [511:0] has
);
  wire mine = valid && tag[5:0] == {4'd0, RING};
  assign acknowledged = mine && tag[6];
  assign read         = mine && !tag[6];

  function automatic logic [31:0] swapped(input logic [31:0] v, input logic [1:0] code);
    case (code)
      2'd1: swapped = {v[23:16], v[31:24], v[7:0], v[15:8]};
      2'd2: swapped = {v[7:0], v[15:8], v[23:16], v[31:24]};
      default: swapped = v;
    endcase
  endfunction

  logic [4:0] place;
  always_comb begin
    has = had;
    place = '0;
    if (read) begin
      for (int i = 0; i < 16; i++) begin
        place = {1'b0, address[3:0]} + 5'(i);
        if (5'(i) < dwords && line == address[61:4] + {57'd0, place[4]})
          has[32*i+:32] = swapped(data[32*place[3:0]+:32], swap);
      end
      if (dwords == 5'd1) has[63:32] = 32'd0;
    end
  end
endmodule
