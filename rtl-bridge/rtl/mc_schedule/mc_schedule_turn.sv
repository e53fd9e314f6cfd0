// SPDX-License-Identifier: Apache-2.0
// Before the bus turns: row hits of the direction that leaves, as many as do not delay the access of
// the one that comes that can be first to use the bus. None before an access that starves. Where
// that access may have its row command now, it goes first.
module mc_schedule_turn #(
  parameter int BANKS = 16,
  parameter int T = 40
) (
  input  logic [T-1:0]            now,
  input  logic                    room,
  input  logic                    starves,          // the oldest that comes
  input  logic [63:0]             coming,           // eligible
  input  logic [63:0]             coming_hits,
  input  logic [64*BANKS-1:0]  coming_of_bank,
  input  logic [63:0]             leaving_hits,     // eligible
  input  logic [64*BANKS-1:0]  leaving_of_bank,
  input  logic [BANKS-1:0]        open,
  input  logic [BANKS-1:0][T-1:0] column_ready,     // of the direction that leaves
  input  logic [BANKS-1:0][T-1:0] hit_ready,        // of the one that comes, were the bus free
  input  logic [BANKS-1:0][T-1:0] row_ready,
  input  logic [BANKS-1:0][T-1:0] activate_ready,
  input  logic [T-1:0]            bus_free,         // for the direction that leaves
  input  logic [11:0]             rp,
  input  logic [11:0]             rcd,
  input  logic [13:0]             turn_time,
  output logic                    column,           // of a leaving access
  output logic [5:0]              column_at,
  output logic                    row,              // for the access that turns the bus
  output logic [5:0]              row_at
);
  logic [63:0]  of, of_hits, columns;
  logic [T-1:0] opened, ready, best;
  logic         better, best_hit, may;
  logic [5:0]   place, best_place;
  logic [3:0]   best_bank;

  mc_schedule_lowest lowest_column (.mask(columns), .at(column_at));

  // The place of the lowest bit of an access of a bank.
  function automatic logic [5:0] lowest(input logic [63:0] mask);
    lowest = '0;
    for (int i = 63; i >= 0; i--) if (mask[i]) lowest = 6'(i);
  endfunction

  always_comb begin
    best         = '1;
    best_hit     = 1'b0;
    best_place   = '0;
    best_bank    = '0;
    columns      = '0;
    of           = '0;
    of_hits      = '0;
    opened       = '0;
    ready        = '0;
    better       = 1'b0;
    place        = '0;
    may = room && leaving_hits != '0 && coming != '0 && !starves && bus_free <= now;
    if (may) begin
      for (int b = 0; b < BANKS; b++) begin
        of      = coming & coming_of_bank[64*b+:64];
        of_hits = of & coming_hits;
        if (of != '0) begin
          place  = lowest(of_hits != '0 ? of_hits : of);
          opened = row_ready[b] > now ? row_ready[b] : now;
          if (open[b]) begin
            opened = opened + T'(rp);
            if (activate_ready[b] > opened) opened = activate_ready[b];
          end
          ready = of_hits != '0 ? hit_ready[b] : opened + T'(rcd);
          // Of equal ones a row hit, else the older.
          better = ready < best
                || (ready == best && (of_hits != '0) && !best_hit)
                || (ready == best && (of_hits != '0) == best_hit && place < best_place);
          if (better) begin
            best         = ready;
            best_hit     = of_hits != '0;
            best_place   = place;
            best_bank    = 4'(b);
          end
        end
      end
      for (int b = 0; b < BANKS; b++)
        if (column_ready[b] <= now && column_ready[b] + T'(turn_time) <= best && best_bank != 4'(b))
          columns = columns | (leaving_hits & leaving_of_bank[64*b+:64]);
    end
    row_at = best_place;
    row    = columns != '0 && !best_hit && row_ready[best_bank] <= now;
    column = columns != '0 && !row;
  end

endmodule
