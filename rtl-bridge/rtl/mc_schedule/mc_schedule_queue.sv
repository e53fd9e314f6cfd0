// SPDX-License-Identifier: Apache-2.0
// Accesses of one direction that wait for their column command, in the order of acceptance, and what
// the scheduler has to know of the oldest 64: a bit each, the oldest bit 0. What is pushed counts in
// the same cycle.
module mc_schedule_queue #(
  parameter int BANKS = 16
) (
  input  logic                   clk,
  input  logic                   rst,
  // accepted: up to two
  input  logic [1:0]             push,        // bit 1 behind bit 0
  input  logic [7:0]             push_id0,
  input  logic [7:0]             push_id1,
  input  logic [3:0]             push_bank0,
  input  logic [3:0]             push_bank1,
  input  logic [1:0]             push_free,   // behind no other access to its line
  input  logic [1:0]             push_hit,    // its row is open
  output logic [7:0]             size,        // without those pushed
  output logic [7:0]             size1,
  output logic [1023:0]          ids1,
  output logic [63:0]            eligible1,
  output logic [63:0]            hits1,
  output logic [64*BANKS-1:0] of_bank1,
  // what the command of this cycle changes
  input  logic                   opens,       // a row
  input  logic [63:0]            opened,      // accesses to it
  input  logic [BANKS-1:0]       closed,      // banks whose row is closed
  input  logic                   erase,
  input  logic [5:0]             erase_at,
  input  logic [3:0]             enter_bank,  // of the access that then comes into the 64
  input  logic                   enter_free,
  input  logic                   enter_hit,
  input  logic                   frees,       // an access is behind no other any more
  input  logic [7:0]             freed_id
);
  logic [1023:0]          ids;
  logic [63:0]            eligible, hits;
  logic [64*BANKS-1:0] of_bank;

  wire [7:0] at0 = size;
  wire [7:0] at1 = size + {7'd0, push[0]};
  assign size1 = at1 + {7'd0, push[1]};

  always_comb begin
    ids1      = ids;
    eligible1 = eligible;
    hits1     = hits;
    of_bank1  = of_bank;
    if (push[0]) begin
      ids1[8*at0[6:0]+:8] = push_id0;
      if (at0 < 8'd64) begin
        eligible1[at0[5:0]]            = push_free[0];
        hits1[at0[5:0]]                = push_hit[0];
        of_bank1[{push_bank0, at0[5:0]}] = 1'b1;
      end
    end
    if (push[1]) begin
      ids1[8*at1[6:0]+:8] = push_id1;
      if (at1 < 8'd64) begin
        eligible1[at1[5:0]]            = push_free[1];
        hits1[at1[5:0]]                = push_hit[1];
        of_bank1[{push_bank1, at1[5:0]}] = 1'b1;
      end
    end
  end

  // Bits from `at` on move down by one place.
  function automatic logic [63:0] close_gap(input logic [63:0] mask, input logic [5:0] at);
    logic [63:0] younger;
    younger   = ~64'd0 << at;
    close_gap = (mask & ~younger) | ((mask >> 1) & younger);
  endfunction

  logic [1023:0]          ids2, kept;
  logic [7:0]             size2;
  logic [63:0]            eligible2, hits2;
  logic [64*BANKS-1:0] of_bank2;
  assign size2 = size1 - {7'd0, erase};
  always_comb begin
    ids2      = ids1;
    eligible2 = eligible1;
    hits2     = opens ? hits1 | opened : hits1;
    of_bank2  = of_bank1;
    kept      = '0;
    for (int b = 0; b < BANKS; b++) if (closed[b]) hits2 = hits2 & ~of_bank1[64*b+:64];
    if (erase) begin
      kept      = ~(~1024'd0 << {erase_at, 3'd0});
      ids2      = (ids1 & kept) | ((ids1 >> 8) & ~kept);
      eligible2 = close_gap(eligible1, erase_at);
      hits2     = close_gap(hits1, erase_at);
      for (int b = 0; b < BANKS; b++) of_bank2[64*b+:64] = close_gap(of_bank1[64*b+:64], erase_at);
      if (size2 >= 8'd64) begin
        eligible2[63]            = enter_free;
        hits2[63]                = enter_hit;
        of_bank2[{enter_bank, 6'd63}] = 1'b1;
      end
    end
    if (frees)
      for (int i = 0; i < 64; i++)
        if (8'(i) < size2 && ids2[8*i+:8] == freed_id) eligible2[i] = 1'b1;
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      size     <= '0;
      eligible <= '0;
      hits     <= '0;
      of_bank  <= '0;
    end else begin
      size     <= size2;
      eligible <= eligible2;
      hits     <= hits2;
      of_bank  <= of_bank2;
    end
    if (push != 2'b00 || erase) ids <= ids2;
  end

endmodule
