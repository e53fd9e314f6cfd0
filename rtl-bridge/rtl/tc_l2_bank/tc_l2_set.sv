// SPDX-License-Identifier: Apache-2.0
// The set of a line: the low bits of its number as the channel counts lines, XORed with eight groups
// of as many bits from bit `hash` of the channel's own addresses on; 0: with nothing. Blocks of
// 2^shift lines go round the channels. Twelve channels (tahiti): bits 2:0 of the block choose the channel
// together with {row, bank} modulo 3, the bits above; of three values of these the channel owns
// two blocks.
module tc_l2_set #(
  parameter int BITS = 7
) (
  input  logic [57:0]     line,
  input  logic            tahiti,
  input  logic [3:0]      shift,  // log2 of the lines of a block
  input  logic [2:0]      bits,   // log2 of the channels, when they are a power of two
  input  logic [BITS-1:0] mask,   // sets - 1
  input  logic [5:0]      hash,
  output logic [BITS-1:0] set
);

  logic [57:0]     block;
  logic [54:0]     row_bank;
  logic [57:0]     offset;
  assign block    = line >> shift;
  assign row_bank = block[57:3];
  assign offset   = line & ~({58{1'b1}} << shift);

  // 4 is 1 modulo 3: digits of an even number of bits are added up.
  logic [17:0] sum16;
  logic [9:0]  sum8;
  logic [5:0]  sum4;
  logic [5:0]  rest;
  assign sum16 = {2'd0, row_bank[15:0]} + {2'd0, row_bank[31:16]}
               + {2'd0, row_bank[47:32]} + {11'd0, row_bank[54:48]};
  assign sum8  = {8'd0, sum16[17:16]} + {2'd0, sum16[15:8]} + {2'd0, sum16[7:0]};
  assign sum4  = {4'd0, sum8[9:8]} + {2'd0, sum8[7:4]} + {2'd0, sum8[3:0]};
  assign rest  = sum4 % 6'd3;

  // An exact division by three is a product with its inverse modulo 2^55.
  localparam logic [54:0] kThird = 55'h2aaaaaaaaaaaab;
  logic [54:0] third;
  logic        second;
  assign third  = (row_bank - 55'(rest)) * kThird;
  assign second = rest == 6'd1 ? block[0] : rest[1];

  logic [57:0] local_block, number;
  assign local_block = tahiti ? {2'b00, third, second} : block >> bits;
  assign number      = (local_block << shift) | offset;

  logic [57:0]     fold, fold1, fold2;
  logic [BITS-1:0] fold4;
  logic [2:0]      set_bits;
  assign set_bits = 3'($countones(mask));
  assign fold     = hash == 6'd0 ? 58'd0 : number >> (hash - 6'd6);
  assign fold1    = fold ^ (fold >> set_bits);
  assign fold2    = fold1 ^ (fold1 >> {set_bits, 1'b0});
  assign fold4    = BITS'(fold2 ^ (fold2 >> {set_bits, 2'b00}));
  assign set      = (number[BITS-1:0] ^ fold4) & mask;

endmodule
