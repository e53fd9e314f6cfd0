// SPDX-License-Identifier: Apache-2.0
// Cuts the spans of a side at lines of memory: its next eight pieces.
module dma_linear_cut (
  input  logic [3:0]       count,
  input  logic [7:0][63:0] address, // of spans
  input  logic [7:0][31:0] bytes,
  input  logic [7:0][2:0]  swap,
  output logic [7:0]       piece_valid,
  output logic [7:0][57:0] piece_line,
  output logic [7:0][5:0]  piece_offset,
  output logic [7:0][6:0]  piece_bytes,
  output logic [7:0][2:0]  piece_swap
);

  logic [3:0]  at;
  logic [31:0] used, left;
  logic [63:0] place;
  logic [6:0]  room;
  always_comb begin
    at   = 4'd0;
    used = 32'd0;
    for (int i = 0; i < 8; i++) begin
      place           = address[at[2:0]] + {32'd0, used};
      left            = bytes[at[2:0]] - used;
      room            = 7'd64 - {1'b0, place[5:0]};
      piece_valid[i]  = at < count;
      piece_line[i]   = place[63:6];
      piece_offset[i] = place[5:0];
      piece_bytes[i]  = left < {25'd0, room} ? left[6:0] : room;
      piece_swap[i]   = swap[at[2:0]];
      if (left <= {25'd0, room}) begin
        at   = at + 4'd1;
        used = 32'd0;
      end else begin
        used = used + {25'd0, room};
      end
    end
  end

endmodule
