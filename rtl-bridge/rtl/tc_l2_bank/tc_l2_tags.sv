// SPDX-License-Identifier: Apache-2.0
// Tags, byte masks and replacement of SETS x WAYS lines; entry {set, way}. Three users look at it
// in a cycle, each sees what the one before did in the same cycle:
//
//   fill    the line that comes from memory: all its bytes become valid; the last waiter gone, it
//           is no longer pending
//   lookup  by set and line, or by entry; gives the entry that has the line, else the one to give
//           up; rewrites one entry
//   window  WALK entries from a cursor on, for cache actions
//
// A line that is on its way from memory is pending and stays where it is. `drop` marks one whose
// clean bytes are not to be kept. Replaced is an empty way, else one never touched, else the one
// touched longest ago: bit [r][c] of the order says that way r was touched after way c.
module tc_l2_tags #(
  parameter int SETS = 128,
  parameter int WAYS = 16,
  parameter int WALK = 16,
  parameter int MISS = 7,
  parameter int SET = $clog2(SETS),
  parameter int WAY = $clog2(WAYS),
  parameter int ENTRY = SET + WAY
) (
  input  logic               clk,
  input  logic               rst,
  // fill
  input  logic [ENTRY-1:0]   f_entry,
  input  logic               f_merge,
  input  logic               f_close,
  output logic [57:0]        f_line,
  output logic [63:0]        f_valid,
  output logic               f_dropped,
  // lookup
  input  logic               s_by_entry,
  input  logic [ENTRY-1:0]   s_wanted,
  input  logic [SET-1:0]     s_set,
  input  logic [57:0]        s_line,
  output logic               s_hit,
  output logic               s_room,    // no hit: there is an entry to give up
  output logic [ENTRY-1:0]   s_entry,
  output logic               s_used,
  output logic               s_pending,
  output logic               s_drop,
  output logic [MISS-1:0]    s_miss,
  output logic [57:0]        s_old,     // line of the entry
  output logic [63:0]        s_valid,
  output logic [63:0]        s_dirty,
  input  logic               b_write,
  input  logic               b_replace,
  input  logic               b_fetch,   // the entry becomes pending
  input  logic               b_touch,
  input  logic               b_used,
  input  logic               b_pending,
  input  logic [MISS-1:0]    b_miss,
  input  logic [57:0]        b_line,
  input  logic [63:0]        b_valid,
  input  logic [63:0]        b_dirty,
  // window
  input  logic               w_on,
  input  logic [ENTRY-1:0]   w_first,
  output logic [WALK-1:0]    w_used,
  output logic [WALK-1:0]    w_pending,
  output logic [WALK-1:0]    w_some,    // with dirty bytes
  output logic [58*WALK-1:0] w_line,
  input  logic [WALK-1:0]    w_clean,
  input  logic [WALK-1:0]    w_drop,
  input  logic [WALK-1:0]    w_mark,
  input  logic [ENTRY-1:0]   w_sent,
  output logic [63:0]        w_sent_dirty,
  output logic [57:0]        w_sent_line
);

  localparam int ENTRIES = SETS * WAYS;

  logic [WAYS-1:0]      used [0:SETS-1];
  logic [WAYS-1:0]      pending [0:SETS-1];
  logic [WAYS-1:0]      touched [0:SETS-1];
  logic [WAYS-1:0]      drop [0:SETS-1];
  logic [WAYS*WAYS-1:0] order [0:SETS-1];
  logic [57:0]          line [0:ENTRIES-1];
  logic [63:0]          valid [0:ENTRIES-1];
  logic [63:0]          dirty [0:ENTRIES-1];
  logic [MISS-1:0]      miss [0:ENTRIES-1];

  function automatic logic [WAYS-1:0] bit_of(input logic [WAY-1:0] way);
    bit_of = {{(WAYS - 1){1'b0}}, 1'b1} << way;
  endfunction
  function automatic logic [WAY-1:0] lowest(input logic [WAYS-1:0] bits);
    integer i;
    lowest = '0;
    for (i = WAYS - 1; i >= 0; i = i - 1) if (bits[i]) lowest = WAY'(i);
  endfunction

  // ---- fill
  logic [SET-1:0]  f_set;
  logic [WAY-1:0]  f_way;
  logic [63:0]     f_dirty, f_after;
  logic [WAYS-1:0] f_drops;
  logic            f_write, f_keep;
  assign {f_set, f_way} = f_entry;
  assign f_line    = line[f_entry];
  assign f_valid   = valid[f_entry];
  assign f_dirty   = dirty[f_entry];
  assign f_drops   = drop[f_set];
  assign f_dropped = f_close && f_drops[f_way];
  assign f_after   = f_dropped ? f_dirty : f_merge ? ~64'd0 : f_valid;
  assign f_keep    = !f_close || f_after != 64'd0;
  assign f_write   = f_merge || f_close;

  // ---- lookup, after the fill
  logic [SET-1:0]       set;
  logic [WAYS-1:0]      used0, pending0, touched0, drop0, hits, here;
  logic [WAYS*WAYS-1:0] order0;
  assign set      = s_by_entry ? s_wanted[ENTRY-1:WAY] : s_set;
  assign here     = f_set == set ? bit_of(f_way) : '0;
  assign used0    = used[set] & ~(f_keep ? '0 : here);
  assign pending0 = pending[set] & ~(f_close ? here : '0);
  assign touched0 = touched[set];
  assign drop0    = drop[set];
  assign order0   = order[set];
  genvar g;
  generate
    for (g = 0; g < WAYS; g = g + 1) begin : g_way
      logic [57:0] here_line;
      assign here_line = line[{set, WAY'(g)}];
      assign hits[g]   = used0[g] && here_line == s_line;
    end
  endgenerate

  logic [WAYS-1:0] untouched, candidates, oldest, give;
  assign untouched  = used0 & ~pending0 & ~touched0;
  assign candidates = used0 & ~pending0 & touched0;
  generate
    for (g = 0; g < WAYS; g = g + 1) begin : g_oldest
      assign oldest[g] = candidates[g] && (order0[WAYS*g+:WAYS] & candidates) == '0;
    end
  endgenerate
  assign give   = used0 != '1 ? ~used0 : untouched != '0 ? untouched : oldest;
  assign s_hit  = s_by_entry || hits != '0;
  assign s_room = give != '0;

  logic [WAY-1:0] way;
  assign way       = s_by_entry ? s_wanted[WAY-1:0] : lowest(hits != '0 ? hits : give);
  assign s_entry   = {set, way};
  assign s_used    = used0[way];
  assign s_pending = used0[way] && pending0[way];
  assign s_drop    = drop0[way];
  assign s_miss    = miss[s_entry];
  assign s_old     = line[s_entry];
  assign s_valid   = (f_write && f_entry == s_entry) ? f_after : valid[s_entry];
  assign s_dirty   = dirty[s_entry];

  logic [WAYS*WAYS-1:0] order1;
  generate
    for (g = 0; g < WAYS; g = g + 1) begin : g_order
      assign order1[WAYS*g+:WAYS] = way == WAY'(g) ? ~bit_of(way)
                                                   : order0[WAYS*g+:WAYS] & ~bit_of(way);
    end
  endgenerate

  // ---- window, after fill and lookup
  logic [63:0] w_dirty [0:WALK-1];
  generate
    for (g = 0; g < WALK; g = g + 1) begin : g_window
      logic [ENTRY-1:0] e;
      logic             same_b, same_f;
      assign e            = w_first + ENTRY'(g);
      assign same_b       = b_write && e == s_entry;
      assign same_f       = f_write && e == f_entry;
      assign w_used[g]    = w_on && (same_b ? b_used
                                            : used[e[ENTRY-1:WAY]][e[WAY-1:0]]
                                              && !(same_f && !f_keep));
      assign w_pending[g] = same_b ? b_pending
                                   : pending[e[ENTRY-1:WAY]][e[WAY-1:0]] && !(same_f && f_close);
      assign w_dirty[g]   = same_b ? b_dirty : dirty[e];
      assign w_some[g]    = w_on && w_dirty[g] != 64'd0;
      assign w_line[58*g+:58] = !w_on ? 58'd0 : (same_b && b_replace) ? b_line : line[e];
    end
  endgenerate
  assign w_sent_dirty = (b_write && w_sent == s_entry) ? b_dirty : dirty[w_sent];
  assign w_sent_line  = (b_write && b_replace && w_sent == s_entry) ? b_line : line[w_sent];

  // ---- the edge: later writes prevail
  integer i, j;
  always_ff @(posedge clk) begin
    if (f_write) begin
      valid[f_entry]       <= f_after;
      used[f_set][f_way]   <= f_keep;
    end
    if (f_close) pending[f_set][f_way] <= 1'b0;
    if (b_write) begin
      valid[s_entry]    <= b_valid;
      dirty[s_entry]    <= b_dirty;
      used[set][way]    <= b_used;
      pending[set][way] <= b_pending;
      miss[s_entry]     <= b_miss;
      if (b_replace) line[s_entry] <= b_line;
      if (b_fetch) drop[set][way] <= 1'b0;
      if (b_replace || b_touch) touched[set][way] <= b_touch;
      if (b_touch) order[set] <= order1;
    end
    for (i = 0; i < WALK; i = i + 1) begin
      if (w_mark[i]) drop[SET'((w_first + ENTRY'(i)) >> WAY)][WAY'(w_first + ENTRY'(i))] <= 1'b1;
      if (w_drop[i]) begin
        valid[w_first + ENTRY'(i)] <= w_clean[i] ? 64'd0 : w_dirty[i];
        used[SET'((w_first + ENTRY'(i)) >> WAY)][WAY'(w_first + ENTRY'(i))]
          <= !w_clean[i] && w_some[i];
      end
      if (w_clean[i]) dirty[w_first + ENTRY'(i)] <= 64'd0;
    end
    if (rst) begin
      for (i = 0; i < SETS / 16; i = i + 1)
        for (j = 0; j < 16; j = j + 1) used[16*i+j] <= '0;
    end
  end

endmodule
