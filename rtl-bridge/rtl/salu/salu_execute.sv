// SPDX-License-Identifier: Apache-2.0
// The scalar ALU without its pipeline: the results in the cycle of the operands. The steps are those
// between the registers of salu. Combinational.
`include "salu_pkg.sv"

module salu_execute
  import salu_pkg::*;
(
  input  operands_t in,
  output results_t  out
);

  units_t made;
  salu_units  units  (.in(in), .out(made));
  salu_choose choose (.in(made), .out(out));

endmodule
