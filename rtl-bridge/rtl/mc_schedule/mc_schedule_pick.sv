// SPDX-License-Identifier: Apache-2.0
// The command for the accesses of one direction: the column command of the oldest row hit whose bank
// and bus can take it, else the row command of the oldest access whose bank can. Only a bank's
// oldest access decides about its row, and none while a row hit waits there. When the oldest access
// of all starves its bank serves no row hit before it.
module mc_schedule_pick #(
  parameter int BANKS = 16
) (
  input  logic [63:0]            eligible,
  input  logic [63:0]            hits,
  input  logic [64*BANKS-1:0] of_bank,
  input  logic [BANKS-1:0]       column_ready,
  input  logic [BANKS-1:0]       row_ready,
  input  logic                   room,      // behind column commands
  input  logic                   starves,   // the oldest
  output logic                   column,
  output logic [5:0]             column_at,
  output logic                   row,
  output logic [5:0]             row_at
);
  logic [63:0] first, beside, served, hit_banks, columns, rows;

  mc_schedule_lowest lowest_column (.mask(columns), .at(column_at));
  mc_schedule_lowest lowest_row (.mask(rows), .at(row_at));

  always_comb begin
    first     = eligible & (~eligible + 64'd1);
    beside    = '0;
    hit_banks = '0;
    columns   = '0;
    rows      = '0;
    for (int b = 0; b < BANKS; b++) if ((of_bank[64*b+:64] & first) != '0) beside = of_bank[64*b+:64];
    served = eligible & hits;
    if (starves && (hits & first) == '0) served = served & ~beside;
    for (int b = 0; b < BANKS; b++) begin
      if ((of_bank[64*b+:64] & served) != '0) hit_banks = hit_banks | of_bank[64*b+:64];
      if (column_ready[b]) columns = columns | of_bank[64*b+:64];
      if (row_ready[b]) rows = rows | of_bank[64*b+:64];
    end
    columns = room ? columns & served : '0;
    rows    = rows & eligible & ~hit_banks;
    column  = columns != '0;
    row     = !column && rows != '0;
  end

endmodule
