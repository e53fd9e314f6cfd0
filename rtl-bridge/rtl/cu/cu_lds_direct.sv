// SPDX-License-Identifier: Apache-2.0
// Operand LDS_DIRECT of a vector instruction: one element of LDS for all lanes. M0[15:0] is its byte
// address in the part of the wave's group, M0[18:16] its type: 0 byte, 1 halfword, 2 dword, 4 signed byte,
// 5 signed halfword. The address is rounded down to a multiple of the element's size; an element that is
// not wholly inside the part reads 0. Combinational, beside the storage.
module cu_lds_direct (
  /* verilator lint_off UNUSEDSIGNAL */  // M0[31:19]; parts begin at multiples of 8 bytes
  input  logic [31:0] m0,
  input  logic [16:0] base,    // of the part, bytes
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [16:0] size,
  output logic [13:0] number,  // of the dword with the element
  input  logic [31:0] dword,   // what the storage has there
  output logic [31:0] value
);

  logic        byte_wide, half_wide, is_signed;
  logic [15:0] place;          // of the element in the part, bytes
  logic [2:0]  bytes;
  logic [31:0] element;        // in the low bits
  assign byte_wide = m0[17:16] == 2'd0;
  assign half_wide = m0[17:16] == 2'd1;
  assign is_signed = m0[18];
  assign bytes     = byte_wide ? 3'd1 : half_wide ? 3'd2 : 3'd4;
  assign place     = {m0[15:2], m0[1] && (byte_wide || half_wide), m0[0] && byte_wide};
  assign number    = base[15:2] + place[15:2];
  assign element   = dword >> {place[1:0], 3'd0};

  always_comb begin
    value = 32'd0;
    if ({2'd0, place} + {15'd0, bytes} <= {1'b0, size}) begin
      if (byte_wide) value = {{24{is_signed && element[7]}}, element[7:0]};
      else if (half_wide) value = {{16{is_signed && element[15]}}, element[15:0]};
      else value = element;
    end
  end

endmodule
