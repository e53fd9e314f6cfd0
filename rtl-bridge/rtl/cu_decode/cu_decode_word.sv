// SPDX-License-Identifier: Apache-2.0
// Decodes one instruction: the dword it begins with and the one behind, which is looked at only
// where the instruction has two. Whether it has is to be read from the first alone. An illegal
// instruction has its length and nothing else. With `skip`, of a wave in vector skip mode, vector,
// LDS, GDS and export instructions have no effect: they use no unit and no register.
//
// Combinational.
`include "cu_decode_ops_pkg.sv"

module cu_decode_word
  import cu_decode_pkg::*;
  import cu_decode_ops_pkg::*;
(
  input  logic [31:0] first,
  input  logic [31:0] second,
  input  logic        skip,
  output decoded_t    d,
  output logic        length_two
);

  logic [4:0] format;
  assign format = format_of(first[31:15]);
  op_t opcode;  // of the scalar or vector ALU
  assign opcode     = alu_op(format, first);
  assign length_two = two_dwords(format, first, opcode);

  logic     scalar_legal, vector_legal, memory_legal;
  decoded_t scalar, vector, memory;
  cu_decode_scalar u_scalar (.format(format), .opcode(opcode), .first(first), .legal(scalar_legal), .d(scalar));
  cu_decode_vector u_vector (
    .format(format), .opcode(opcode), .first(first), .second(second), .legal(vector_legal), .d(vector)
  );
  cu_decode_memory u_memory (
    .format(format), .first(first[25:0]), .second(second), .legal(memory_legal), .d(memory)
  );

  // What vector skip mode passes over.
  function automatic logic skipped(input logic [3:0] cls);
    case (cls)
      kClassValu, kClassVmem, kClassLds, kClassGds, kClassExport: skipped = 1'b1;
      default: skipped = 1'b0;
    endcase
  endfunction

  // Of an instruction without effect stays what it says, not what the pipeline makes of it.
  function automatic decoded_t without_effect(input decoded_t legal_one);
    without_effect                = legal_one;
    without_effect.cls            = kClassInternal;
    without_effect.action         = kNoEffect;
    without_effect.vgprs_used     = 9'd0;
    without_effect.sgprs_used     = 7'd0;
    without_effect.vmem_cost      = kCostLoad;
    without_effect.lds_operands   = 4'd0;
    without_effect.lds_dwords     = 3'd0;
    without_effect.sgprs          = 128'd0;
    without_effect.status_changed = 3'd0;
    without_effect.compares       = 1'b0;
  endfunction

  // The length is known even of an illegal one.
  function automatic decoded_t no_instruction(input logic two);
    no_instruction        = '0;
    no_instruction.format = kIllegalFormat;
    no_instruction.cls    = kClassInternal;
    no_instruction.rate   = kRateOther;
    no_instruction.action = kIllegal;
    no_instruction.two    = two;
  endfunction

  // VOP3 and what goes to memory have no literal: their second dword has fields.
  function automatic decoded_t whole(input decoded_t found, input logic [4:0] enc, input logic two,
                                     input logic [31:0] more);
    whole         = found;
    whole.format  = enc;
    whole.two     = two;
    whole.literal = two && enc <= kVopc ? more : 32'd0;
  endfunction

  // Each part is zero where the encoding is not one of its own.
  logic legal;
  assign legal = scalar_legal || vector_legal || memory_legal;
  always_comb begin
    d = whole(scalar | vector | memory, format, length_two, second);
    if (!legal) d = no_instruction(length_two);
    else if (skip && skipped(d.cls)) d = without_effect(d);
  end

endmodule
