// SPDX-License-Identifier: Apache-2.0
// A header of PM4, type 4 or 7. With its parity bit a value has an odd number of ones.
module afuc_engine_header (
  input  logic [31:0] header,
  output logic        good,
  output logic [6:0]  entry, // of the packet table
  output logic [13:0] words  // behind the header
);

  logic four, seven;
  assign four = header[31:28] == 4'd4;
  assign seven = header[31:28] == 4'd7;

  always_comb begin
    if (four) begin
      good = !header[26] && ^{header[25:8], header[27]} && ^header[7:0];
      entry = 7'd4;
      words = {7'd0, header[6:0]};
    end else begin
      good = seven && header[27:24] == 4'd0 && !header[14] && ^header[23:16] && ^{header[13:0], header[15]};
      entry = header[22:16];
      words = header[13:0];
    end
  end

endmodule
