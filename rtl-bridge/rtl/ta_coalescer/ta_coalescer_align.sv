// SPDX-License-Identifier: Apache-2.0
// The lane at which an atomic ends because its operand is not naturally aligned: the first such lane.
// Combinational, from the operands alone; so a compute unit knows of it before the instruction is
// coalesced.
module ta_coalescer_align (
  input  logic         wide,      // operands of 8 bytes, else of 4
  input  logic [63:0]  lanes,     // that take part
  input  logic [191:0] low,       // bits 2:0 of each lane's address
  output logic         misaligned,
  output logic [63:0]  lane,      // one bit; 0: all are aligned
  output logic [63:0]  taken      // the lanes up to it
);

  logic [63:0] bad;
  always_comb begin : find
    integer l;
    for (l = 0; l < 64; l = l + 1)
      bad[l] = lanes[l] && (low[3*l+:2] != 2'd0 || (wide && low[3*l+2]));
  end

  assign misaligned = bad != 64'd0;
  assign lane       = bad & (~bad + 64'd1);
  assign taken      = lanes & (lane | (lane - 64'd1));  // without one, every lane

endmodule
