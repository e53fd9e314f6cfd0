// SPDX-License-Identifier: Apache-2.0
// Second step of an operation: the product rounded, or the half of an integer product that is wanted;
// out come the terms of the sum. Combinational.
`include "valu_lane_pkg.sv"

module valu_lane_product
  import valu_lane_pkg::*;
(
  input  product_t in,
  output terms_t   out
);

  function automatic logic [5:0] zeros48(input logic [47:0] x);
    integer i;
    zeros48 = 6'd48;
    for (i = 0; i < 48; i = i + 1) if (x[i]) zeros48 = 6'd47 - i[5:0];
  endfunction

  logic               product_sign;
  logic [5:0]         product_zeros;
  logic [47:0]        product_normal;
  logic signed [10:0] product_exponent;
  logic [31:0]        product_value;
  logic               zero_a, zero_b;
  assign product_sign     = in.a[31] ^ in.b[31];
  assign product_zeros    = zeros48(in.product[47:0]);
  assign product_normal   = in.product[47:0] << product_zeros;
  assign product_exponent = $signed({3'd0, exponent(in.a)}) + $signed({3'd0, exponent(in.b)})
                          - 11'sd126 - $signed({5'd0, product_zeros});
  assign zero_a           = is_zero(in.a, in.ctl.flush_in);
  assign zero_b           = is_zero(in.b, in.ctl.flush_in);
  always_comb begin
    if (in.ctl.legacy && (zero_a || zero_b)) product_value = 32'd0;
    else if (is_nan(in.a)) product_value = quiet(in.a);
    else if (is_nan(in.b)) product_value = quiet(in.b);
    else if (is_inf(in.a) || is_inf(in.b))
      product_value = (zero_a || zero_b) ? kDefaultNan : {product_sign, 31'h7f800000};
    else if (zero_a || zero_b) product_value = {product_sign, 31'd0};
    else
      product_value = pack(product_sign, product_exponent,
                           {product_normal[47:23], product_normal[22:0] != 23'd0},
                           in.ctl.round, in.ctl.flush_out);
  end

  logic [31:0] int_product;
  assign int_product = in.take_high ? in.product[63:32] - in.correction : in.product[31:0];

  logic [31:0] first;
  always_comb begin
    if (in.ctl.multiply) first = product_value;
    else if (in.ctl.sum) first = in.a;
    else if (in.int_multiply) first = in.has_sum ? int_product + in.c : int_product;
    else first = in.value;
  end

  assign out.ctl   = in.ctl;
  assign out.x     = first;
  assign out.y     = in.ctl.multiply ? in.c : in.b;
  assign out.flag  = in.flag;
  assign out.known = in.known;

endmodule
