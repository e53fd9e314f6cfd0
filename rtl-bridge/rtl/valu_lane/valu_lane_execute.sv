// SPDX-License-Identifier: Apache-2.0
// One lane of the vector ALU without its pipeline: the result in the cycle of the operands. The steps are
// those between the registers of valu_lane. Combinational.
`include "valu_lane_pkg.sv"

module valu_lane_execute
  import valu_lane_pkg::*;
(
  input  operation_t in,
  output result_t    out
);

  product_t product;
  terms_t   terms;
  sum_t     sum;
  rounded_t rounded;
  valu_lane_multiply  multiply  (.in(in), .out(product));
  valu_lane_product   rounding  (.in(product), .out(terms));
  valu_lane_add       add       (.in(terms), .out(sum));
  valu_lane_normalise normalise (.in(sum), .out(rounded));
  valu_lane_modify    modify    (.in(rounded), .out(out));

endmodule
