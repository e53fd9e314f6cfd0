// SPDX-License-Identifier: Apache-2.0
// Decodes one instruction: the dword it begins with and the one after, which is looked at only
// where the instruction has two. Whether it has is to be read from the first alone. An illegal
// instruction has its length and nothing else. With `skip`, of a wave in vector skip mode, vector,
// LDS, GDS and export instructions have no effect: they use no unit and no register.

`ifndef CU_DECODE_WORD_PKG_SV
`define CU_DECODE_WORD_PKG_SV
`include "cu_decode_memory_pkg.sv"
`include "cu_decode_ops_pkg.sv"
`include "cu_decode_scalar_pkg.sv"
`include "cu_decode_vector_pkg.sv"

package cu_decode_word_pkg;
  import cu_decode_pkg::*;
  import cu_decode_ops_pkg::*;

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

  function automatic decoded_t decode(input logic [31:0] first, input logic [31:0] second, input logic skip);
    logic [4:0] enc;
    op_t        opcode;  // of the scalar or vector ALU
    logic       two, legal;
    decoded_t   known;
    enc    = format_of(first[31:15]);
    opcode = alu_op(enc, first);
    two    = two_dwords(enc, first, opcode);
    if (enc <= kSmrd) begin
      legal = cu_decode_scalar_pkg::scalar_legal(enc, first, opcode);
      known = cu_decode_scalar_pkg::scalar_instruction(enc, first, opcode);
    end else if (enc <= kVintrp) begin
      legal = cu_decode_vector_pkg::vector_legal(enc, first, second, opcode);
      known = cu_decode_vector_pkg::vector_instruction(enc, first, second, opcode);
    end else begin
      legal = cu_decode_memory_pkg::memory_legal(enc, first[25:0], second);
      known = cu_decode_memory_pkg::memory_instruction(enc, first[25:0], second);
    end
    known  = whole(known, enc, two, second);
    decode = !legal ? no_instruction(two) : skip && skipped(known.cls) ? without_effect(known) : known;
  endfunction

endpackage

`endif
