// SPDX-License-Identifier: Apache-2.0
// ALU of Adreno's micro engine. add and sub make the carry that addhi and subhi add.
`include "afuc_engine_pkg.sv"
module afuc_engine_alu
  import afuc_engine_pkg::*;
(
  input  logic [5:0]  op,
  input  logic [31:0] a,
  input  logic [31:0] b,
  input  logic [31:0] held,     // bfi: what the destination has
  input  logic        of_bit,   // setbit: the bit is `low`, else b has it
  input  logic [4:0]  low,
  input  logic [4:0]  high,
  input  logic [31:0] carry,
  output logic [31:0] carry_out,
  output logic [31:0] result
);

  // cmp
  localparam logic [31:0] kGreater = 32'h00, kEqual = 32'h2b, kLess = 32'h1e;

  logic        far;       // shifted by 32 or more
  logic [31:0] sum, one_bit, field, msb;
  logic [5:0]  field_bits;
  assign far = b[31:5] != 27'd0;
  assign sum = a + b;
  assign one_bit = 32'd1 << (of_bit ? low : b[5:1]);
  // No bit when high is one below low; all when it is farther below.
  assign field_bits = {1'b0, high} - {1'b0, low} + 6'd1;
  assign field = field_bits[5] ? 32'hffffffff : (32'd1 << field_bits[4:0]) - 32'd1;
  always_comb begin
    msb = 32'd0;
    for (int i = 0; i < 32; i++) if (b[i]) msb = i;
  end

  always_comb begin
    carry_out = carry;
    if (op == kOpAdd) carry_out = sum < a ? 32'd1 : 32'd0;
    if (op == kOpSub) carry_out = a < b ? 32'hffffffff : 32'd0;
  end

  always_comb begin
    case (op)
      kOpAdd:    result = sum;
      kOpAddHi:  result = sum + carry;
      kOpSub:    result = a - b;
      kOpSubHi:  result = a - b + carry;
      kOpAnd:    result = a & b;
      kOpOr:     result = a | b;
      kOpXor:    result = a ^ b;
      kOpNot:    result = ~b;
      kOpShl:    result = far ? 32'd0 : a << b[4:0];
      kOpUshr:   result = far ? 32'd0 : a >> b[4:0];
      kOpIshr:   result = far ? {32{a[31]}} : $unsigned($signed(a) >>> b[4:0]);
      kOpRot:    result = (a << b[4:0]) | (a >> (6'd32 - {1'b0, b[4:0]}));
      kOpMul8:   result = {24'd0, a[7:0]} * {24'd0, b[7:0]};
      kOpMin:    result = a < b ? a : b;
      kOpMax:    result = a > b ? a : b;
      kOpCmp:    result = a > b ? kGreater : a == b ? kEqual : kLess;
      kOpBic:    result = a & ~b;
      kOpMsb:    result = msb;
      kOpMov:    result = b;
      kOpSetBit: result = of_bit || b[0] ? a | one_bit : a & ~one_bit;
      kOpClrBit: result = a & ~one_bit;
      kOpUbfx:   result = (a >> low) & field;
      kOpBfi:    result = held | ((a & field) << low);
      default:   result = 32'd0;
    endcase
  end

endmodule
