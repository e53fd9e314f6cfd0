// SPDX-License-Identifier: Apache-2.0
// Where the elements of a DS instruction are, for all lanes of a wave. Combinational.
`include "lds_pkg.sv"

module lds_places
  import lds_pkg::*;
(
  input  logic          valid,    // else all outputs are zero
  input  kind_t         kind,
  input  logic [15:0]   offset,
  input  logic [31:0]   m0,
  input  logic [15:0]   base,     // of the group's part, bytes
  input  logic [16:0]   size,     // of it
  input  logic [63:0]   exec,
  input  logic [2047:0] address,
  output logic [63:0]   found0,   // active lanes whose element is inside; for a counter the first lane alone acts
  output logic [63:0]   found1,   // of the second one, or of the operand in memory
  output logic [1023:0] at0,      // byte address in the storage; of all lanes
  output logic [1023:0] at1,
  output logic [6:0]    members   // active lanes
);

  always_comb begin : find
    integer  l;
    places_t p;
    found0  = 64'd0;
    found1  = 64'd0;
    at0     = 1024'd0;
    at1     = 1024'd0;
    members = 7'd0;
    p       = '0;
    if (valid) begin
      for (l = 0; l < 64; l = l + 1) begin
        p             = places_of(kind, offset, m0, base, size, address[32*l+:32]);
        found0[l]     = p.in0;
        found1[l]     = p.in1;
        at0[16*l+:16] = p.at0;
        at1[16*l+:16] = p.at1;
        members       = members + {6'd0, exec[l]};
      end
      found0 = kind.counter ? {63'd0, found0[0] && exec != 64'd0} : found0 & exec;
      found1 = found1 & exec;
    end
  end

endmodule
