// SPDX-License-Identifier: Apache-2.0
// The opcodes of MUBUF and MTBUF.
`include "ta_buffer_pkg.sv"

module ta_buffer_opcode
  import ta_buffer_pkg::*;
(
  input  logic [4:0] format,
  input  logic [8:0] op,
  output opcode_t    code
);

  // ---- plain loads and stores
  opcode_t plain;
  always_comb begin
    plain             = '0;
    plain.known       = 1'b1;
    plain.kind        = op[4] ? kStore : kLoad;
    plain.atomic      = kNoAtomic;
    plain.dwords      = 3'd1;
    plain.sign_extend = !op[4] && !op[2] && op[0];
    case (op[4:0])
      5'd8, 5'd9, 5'd24:   plain.bytes = 5'd1;
      5'd10, 5'd11, 5'd26: plain.bytes = 5'd2;
      5'd12, 5'd28:        plain.bytes = 5'd4;
      5'd13, 5'd29: begin
        plain.bytes  = 5'd8;
        plain.dwords = 3'd2;
      end
      5'd14, 5'd30: begin
        plain.bytes  = 5'd16;
        plain.dwords = 3'd4;
      end
      default: plain = '0;
    endcase
    plain.data_dwords = (plain.kind == kStore) ? plain.dwords : 3'd0;
  end

  // ---- typed ones: x, xy, xyz, xyzw
  opcode_t typed;
  always_comb begin
    typed             = '0;
    typed.known       = 1'b1;
    typed.kind        = op[2] ? kStore : kLoad;
    typed.atomic      = kNoAtomic;
    typed.dwords      = {1'b0, op[1:0]} + 3'd1;
    typed.data_dwords = op[2] ? typed.dwords : 3'd0;
    typed.typed       = 1'b1;
  end

  // ---- atomics: seventeen operations of a dword from 48, of two from 80
  logic       wide, compares;
  logic [4:0] number;
  opcode_t    atomic;
  assign wide     = op[6] && op[5:4] != 2'd0;
  assign number   = op[4:0] ^ 5'd16;
  assign compares = number == 5'd1 || number == 5'd14;
  always_comb begin
    atomic             = '0;
    atomic.known       = 1'b1;
    atomic.kind        = kAtomic;
    atomic.atomic      = number;
    atomic.bytes       = wide ? 5'd8 : 5'd4;
    atomic.dwords      = wide ? 3'd2 : 3'd1;
    atomic.data_dwords = compares ? atomic.dwords << 1 : atomic.dwords;
  end

  // known, nothing else
  opcode_t invalidate;
  assign invalidate = {1'b1, kInvalidate, kNoAtomic, 13'd0};

  always_comb begin
    code = '0;
    if (format == kMtbuf) begin
      if (op < 9'd8) code = typed;
    end else if (format == kMubuf) begin
      if (op < 9'd8) code = typed;
      else if (op < 9'd32) code = plain;
      else if ((op >= 9'd48 && op <= 9'd64) || (op >= 9'd80 && op <= 9'd96)) code = atomic;
      else if (op == 9'd112 || op == 9'd113) code = invalidate;
    end
  end

endmodule
