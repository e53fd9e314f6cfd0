// SPDX-License-Identifier: Apache-2.0
// Interpolation of attributes (VINTRP) on the 64 lanes of a wave. LDS holds twelve dwords for each attribute
// of each primitive: P0 and P10 of x, y, z and w in turn, then the four P20. M0[15:0] is the byte address of
// the first in the part of the wave's group; M0[30:16] has a bit for each quad of lanes but the first, a one
// where another primitive begins. A dword that is not wholly inside the part reads 0.
//
//   v_interp_p1   P10 * i + P0, i from the source register
//   v_interp_p2   P20 * j + d, j from the source register, d from the destination
//   v_interp_mov  P10, P20 or P0, by the source field: 0, 1, 2
//
// Products are rounded before the sum, as v_mad_f32 does. Combinational, beside the storage: it names the
// dwords it reads and takes what the storage has there.
`include "cu_decode_pkg.sv"
`include "valu_lane_steps_pkg.sv"

module cu_interpolate
  import cu_decode_pkg::*;
  import valu_lane_pkg::*;
  import valu_lane_steps_pkg::*;
(
  input  logic          valid,      // there is an instruction; else nothing is read, and the row is 0
  /* verilator lint_off UNUSEDSIGNAL */  // other fields; upper bits of addresses
  input  decoded_t      inst,
  input  logic [31:0]   m0,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [16:0]   base,       // of the group's part, bytes
  input  logic [16:0]   size,       // of it
  input  logic [2047:0] source,     // lane n at n times 32
  input  logic [2047:0] old,        // the destination
  input  logic [1:0]    round,      // MODE, single precision
  input  logic [1:0]    denorm,
  input  logic          dx10,
  input  logic          ieee,
  // the storage: of quad q the factor or the value moved has number 2 q, P0 number 2 q + 1
  output logic [31:0]   read,
  output logic [447:0]  read_at,    // dwords of 14 bits that parameters begin in, at any byte
  input  logic [2047:0] read_data,  // 64 bits each: that dword low, the next one high
  output logic [2047:0] row         // of all lanes, active or not
);

  localparam logic [8:0] kP1 = 9'd0;
  localparam logic [8:0] kMove = 9'd2;
  localparam logic [8:0] kMad = 9'd321;  // v_mad_f32

  // ---- parameters of the attribute: P0, P10, P20 of the channel
  logic [3:0] p0, p10, p20, factor;
  assign p0  = {1'b0, inst.attr_chan, 1'b0};
  assign p10 = {1'b0, inst.attr_chan, 1'b1};
  assign p20 = {2'd2, inst.attr_chan};
  always_comb begin
    if (inst.op != kMove) factor = inst.op == kP1 ? p10 : p20;
    else factor = inst.src0[1:0] == 2'd0 ? p10 : inst.src0[1:0] == 2'd1 ? p20 : p0;
  end

  // ---- where they are
  logic [31:0] found;     // inside the part
  always_comb begin : find
    integer      q, k;
    logic [4:0]  count, primitive_of_quad;
    logic [31:0] first;   // parameter of the attribute and primitive
    logic [31:0] place;   // of one in the part, bytes
    /* verilator lint_off UNUSEDSIGNAL */
    logic [31:0] at;      // in the storage
    /* verilator lint_on UNUSEDSIGNAL */
    count             = 5'd1;
    primitive_of_quad = 5'd0;
    first             = 32'd0;
    place             = 32'd0;
    at                = 32'd0;
    found             = 32'd0;
    read_at           = 448'd0;
    for (q = 0; q < 15; q = q + 1) count = count + {4'd0, m0[16+q]};
    for (q = 0; q < 16; q = q + 1) begin
      if (q > 0) primitive_of_quad = primitive_of_quad + {4'd0, m0[15+q]};
      first = 32'd12 * ({26'd0, inst.attr} * {27'd0, count} + {27'd0, primitive_of_quad});
      for (k = 0; k < 2; k = k + 1) begin
        place                  = {16'd0, m0[15:0]} + ((first + {28'd0, k == 0 ? factor : p0}) << 2);
        at                     = {15'd0, base} + place;
        found[2*q+k]           = place + 32'd4 <= {15'd0, size};
        read_at[28*q+14*k+:14] = at[15:2];
      end
    end
  end
  assign read = valid ? found : 32'd0;

  // ---- lanes: those of a quad have the same parameters
  traits_t traits;
  assign traits = traits_of(kMad);
  always_comb begin : each_quad
    integer      q, l;
    logic [1:0]  low;  // of all addresses: parameters are dwords apart
    logic [31:0] multiplier, addend;
    operation_t  operation;
    /* verilator lint_off UNUSEDSIGNAL */
    result_t     result;
    /* verilator lint_on UNUSEDSIGNAL */
    low              = base[1:0] + m0[1:0];
    multiplier       = 32'd0;
    addend           = 32'd0;
    result           = '0;
    operation        = '0;
    operation.op     = kMad;
    operation.round  = round;
    operation.denorm = denorm;
    operation.dx10   = dx10;
    operation.ieee   = ieee;
    row              = 2048'd0;
    if (valid) begin
      for (q = 0; q < 16; q = q + 1) begin
        multiplier = found[2*q] ? 32'(read_data[128*q+:64] >> {low, 3'd0}) : 32'd0;
        addend     = found[2*q+1] ? 32'(read_data[128*q+64+:64] >> {low, 3'd0}) : 32'd0;
        for (l = 4 * q; l < 4 * q + 4; l = l + 1) begin
          operation.a   = multiplier;
          operation.b   = source[32*l+:32];
          operation.c   = inst.op == kP1 ? addend : old[32*l+:32];
          result        = executed(traits, operation);
          row[32*l+:32] = inst.op == kMove ? multiplier : result.value;
        end
      end
    end
  end

endmodule
