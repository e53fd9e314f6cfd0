// SPDX-License-Identifier: Apache-2.0
// One lane of the vector ALU without its pipeline: the result in the cycle of the operands. Combinational.
`include "valu_lane_steps_pkg.sv"

module valu_lane_execute
  import valu_lane_pkg::*;
  import valu_lane_steps_pkg::*;
(
  input  operation_t in,
  output result_t    out
);

  assign out = executed(traits_of(in.op), in);

endmodule
