// SPDX-License-Identifier: Apache-2.0
// Tags and replacement of SETS x WAYS lines, entry {set, way}. A tag is the line's address with six
// bits of its VMID. In one cycle, each seeing those before it: a line comes from L2 and takes an
// entry; a range is invalidated; LANES requests are looked up, of which those that are used become
// the youngest of their sets, in sequence, and one line may be removed.
// Replaced is the lowest way that is empty, else the one used longest ago: bit [r][c] of the order
// says that way r was used after way c.
`include "tc_l1_pkg.sv"

module tc_l1_tags
  import tc_l1_pkg::*;
#(
  parameter int SETS = 64,
  parameter int WAYS = 4,
  parameter int LANES = 4,
  parameter int SET = $clog2(SETS),
  parameter int WAY = $clog2(WAYS),
  parameter int ENTRY = SET + WAY
) (
  input  logic                   clk,
  input  logic                   rst,
  input  logic [SET-1:0]         set_mask,
  input  logic [5:0]             set_hash,
  // fill
  input  logic                   f_install,
  input  logic [63:0]            f_key,
  output logic [ENTRY-1:0]       f_entry,
  output logic                   f_evicts,
  // invalidation
  input  logic                   drop,
  input  logic [63:0]            base,
  input  logic [63:0]            size,
  output logic [ENTRY:0]         dropped,
  // lookups
  input  logic [64*LANES-1:0]    l_key,
  output logic [LANES-1:0]       l_hit,
  output logic [ENTRY*LANES-1:0] l_entry,
  input  logic [LANES-1:0]       l_use,
  input  logic [LANES-1:0]       l_remove
);

  localparam int ENTRIES = SETS * WAYS;

  logic [ENTRIES-1:0]   used;
  logic [63:0]          key [0:ENTRIES-1];
  logic [WAYS*WAYS-1:0] order [0:SETS-1];

  function automatic logic [WAYS-1:0] bit_of(input logic [WAY-1:0] way);
    bit_of = {{(WAYS - 1){1'b0}}, 1'b1} << way;
  endfunction
  function automatic logic [WAY-1:0] lowest(input logic [WAYS-1:0] bits);
    integer i;
    lowest = '0;
    for (i = WAYS - 1; i >= 0; i = i - 1) if (bits[i]) lowest = WAY'(i);
  endfunction
  // The order after a use of the way.
  function automatic logic [WAYS*WAYS-1:0] with_youngest(input logic [WAYS*WAYS-1:0] from,
                                                         input logic [WAY-1:0] way);
    integer i;
    for (i = 0; i < WAYS; i = i + 1)
      with_youngest[WAYS*i+:WAYS] = way == WAY'(i) ? ~bit_of(way)
                                                   : from[WAYS*i+:WAYS] & ~bit_of(way);
  endfunction

  // ---- fill
  logic [SET-1:0]       f_set;
  logic [WAYS-1:0]      f_used, f_oldest;
  logic [WAYS*WAYS-1:0] f_order, f_order1;
  logic [WAY-1:0]       f_way;
  genvar g, w;
  assign f_set    = SET'(set_of(f_key[63:6], set_hash, 6'(set_mask)));
  assign f_used   = used[WAYS*f_set+:WAYS];
  assign f_order  = order[f_set];
  generate
    for (g = 0; g < WAYS; g = g + 1) begin : g_oldest
      assign f_oldest[g] = f_order[WAYS*g+:WAYS] == '0;
    end
  endgenerate
  assign f_way    = lowest(f_used != '1 ? ~f_used : f_oldest);
  assign f_entry  = {f_set, f_way};
  assign f_evicts = f_install && f_used == '1;
  assign f_order1 = f_install ? with_youngest(f_order, f_way) : '0;

  logic [ENTRIES-1:0] f_bit, used1, covered, used2;
  assign f_bit = f_install ? ENTRIES'(1) << f_entry : '0;
  assign used1 = used | f_bit;

  // ---- invalidation
  generate
    for (g = 0; g < SETS; g = g + 1) begin : g_set
      logic [57:0] line0, line1, line2, line3;
      assign line0 = key[WAYS*g][63:6];
      assign line1 = key[WAYS*g+1][63:6];
      assign line2 = key[WAYS*g+2][63:6];
      assign line3 = key[WAYS*g+3][63:6];
      assign covered[WAYS*g+:WAYS] = drop ? {covers(base, size, line3), covers(base, size, line2),
                                             covers(base, size, line1), covers(base, size, line0)}
                                          : '0;
    end
  endgenerate
  logic               f_covered;
  logic [ENTRIES-1:0] drops;
  assign f_covered = drop && covers(base, size, f_key[63:6]);
  assign drops     = used1 & (f_covered ? covered | f_bit : covered & ~f_bit);
  assign used2     = used1 & ~drops;
  assign dropped   = drop ? (ENTRY + 1)'($countones(drops)) : '0;

  // ---- lookups
  logic [SET*LANES-1:0] l_set;
  logic [WAY*LANES-1:0] l_way;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_lane
      logic [WAYS-1:0] hits, here;
      logic [SET-1:0]  set;
      assign set  = SET'(set_of(l_key[64*g+6+:58], set_hash, 6'(set_mask)));
      assign here = used2[WAYS*set+:WAYS];
      for (w = 0; w < WAYS; w = w + 1) begin : g_way
        logic [63:0] stored;
        assign stored  = f_bit[{set, WAY'(w)}] ? f_key : key[{set, WAY'(w)}];
        assign hits[w] = here[w] && stored == l_key[64*g+:64];
      end
      assign l_hit[g]                   = hits != '0;
      assign l_set[SET*g+:SET]          = set;
      assign l_way[WAY*g+:WAY]          = lowest(hits);
      assign l_entry[ENTRY*g+:ENTRY]    = {set, lowest(hits)};
    end
  endgenerate

  // The order of each lane's set after its use.
  logic [WAYS*WAYS*LANES-1:0] l_order;
  logic [WAYS*WAYS-1:0]       one;
  always_comb begin
    l_order = '0;
    one     = '0;
    for (int i = 0; i < LANES; i++)
      if (l_use[i]) begin
        one = (f_install && f_set == l_set[SET*i+:SET]) ? f_order1 : order[l_set[SET*i+:SET]];
        for (int j = 0; j < LANES; j++)
          if (j < i && l_use[j] && l_set[SET*j+:SET] == l_set[SET*i+:SET])
            one = with_youngest(one, l_way[WAY*j+:WAY]);
        l_order[WAYS*WAYS*i+:WAYS*WAYS] = with_youngest(one, l_way[WAY*i+:WAY]);
      end
  end

  logic [ENTRIES-1:0] used3;
  always_comb begin
    used3 = used2;
    for (int i = 0; i < LANES; i++) if (l_remove[i]) used3[l_entry[ENTRY*i+:ENTRY]] = 1'b0;
  end

  // ---- the edge: later writes prevail
  integer n;
  always_ff @(posedge clk) begin
    used <= rst ? '0 : used3;
    if (f_install) begin
      key[f_entry] <= f_key;
      order[f_set] <= f_order1;
    end
    for (n = 0; n < LANES; n = n + 1)
      if (l_use[n]) order[l_set[SET*n+:SET]] <= l_order[WAYS*WAYS*n+:WAYS*WAYS];
  end

endmodule
