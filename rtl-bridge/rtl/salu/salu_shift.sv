// SPDX-License-Identifier: Apache-2.0
// Shifts, bit fields and masks of fields. A field may reach beyond the top: zeros, or the sign, come
// from there. Combinational.
`include "salu_pkg.sv"

module salu_shift
  import salu_pkg::*;
(
  input  shift_t      kind,
  input  logic        wide,
  input  logic        is_signed,
  input  logic [63:0] a,
  input  logic [5:0]  by,
  input  logic [6:0]  width,  // of fields
  output logic [63:0] result
);

  logic [5:0]  amount;
  logic [63:0] extended;
  logic [63:0] right;
  assign amount   = {by[5] && wide, by[4:0]};
  assign extended = wide ? a : {{32{a[31] && is_signed}}, a[31:0]};
  assign right    = is_signed ? 64'($signed(extended) >>> amount) : extended >> amount;

  // ---- bit field extract
  logic        sign;
  logic [63:0] kept;
  logic [63:0] field;
  assign kept  = low_ones(width);
  assign sign  = is_signed && width != 7'd0 && right[width[5:0] - 6'd1];
  assign field = (right & kept) | (sign ? ~kept : 64'd0);

  // ---- bit field mask: S0 ones from S1 on
  logic [5:0]  length;
  logic [63:0] mask;
  assign length = {a[5] && wide, a[4:0]};
  assign mask   = low_ones({1'b0, length}) << amount;

  always_comb begin
    case (kind)
      kLeft:     result = a << amount;
      kRight:    result = right;
      kBitfield: result = field;
      default:   result = mask;
    endcase
  end

endmodule
