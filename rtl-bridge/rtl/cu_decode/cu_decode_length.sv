// SPDX-License-Identifier: Apache-2.0
// How long the instruction is that begins with `first`: two dwords by its encoding or for a literal
// constant, or one. An illegal one is as long as its encoding and its operands make it, one whose
// opcode does not exist as its encoding does. Combinational.
`include "cu_decode_ops_pkg.sv"

module cu_decode_length
  import cu_decode_pkg::*;
  import cu_decode_ops_pkg::*;
(
  input  logic [31:0] first,
  output logic        length_two
);

  function automatic logic two_dwords(input logic [31:0] word);
    logic [4:0] format;
    format = format_of(word[31:15]);
    case (format)
      kVop3, kDs, kMubuf, kMtbuf, kMimg, kExp: two_dwords = 1'b1;
      default: two_dwords = has_literal(format, word, alu_op(format, word));
    endcase
  endfunction

  assign length_two = two_dwords(first);

endmodule
