// SPDX-License-Identifier: Apache-2.0
// Lines on their way from L2. Free MSHRs are on a stack: the one freed last is taken first. A fill
// may be joined until something overtakes it; what it brings is not kept then.
//
// In one cycle, in this order: a fill comes and frees its MSHR (m_*); a cache action begins, which
// remembers what is on its way and detaches what it covers; LANES requests look for their line
// (l_*), some join, and the last of them may detach a fill and take an MSHR.
`include "tc_l1_pkg.sv"

module tc_l1_mshr
  import tc_l1_pkg::*;
#(
  parameter int MSHRS = 128,
  parameter int LANES = 4,
  parameter int SLOT = 8,
  parameter int MISS = $clog2(MSHRS)
) (
  input  logic                  clk,
  input  logic                  rst,
  input  logic [MISS:0]         mshrs,   // in use at most
  // fill
  input  logic                  m_fill,
  input  logic [MISS-1:0]       m_miss,
  output logic                  m_known,
  output logic                  m_kept,  // nothing has overtaken it
  output logic                  m_old,   // older than the cache action
  output logic [63:0]           m_key,
  output logic [SLOT-1:0]       m_last,  // slot of the youngest request that waits for it
  // cache action
  input  logic                  a_begin,
  input  logic [63:0]           a_base,
  input  logic [63:0]           a_size,
  output logic [MISS:0]         a_count, // on their way
  // lookups
  input  logic [LANES-1:0]      l_look,
  input  logic [64*LANES-1:0]   l_key,
  output logic [LANES-1:0]      l_found,
  output logic [MISS*LANES-1:0] l_miss,
  input  logic [LANES-1:0]      l_join,
  input  logic [SLOT*LANES-1:0] l_slot,
  output logic                  full,
  output logic [MISS-1:0]       next_miss,
  input  logic                  detach,
  input  logic [MISS-1:0]       detached,
  input  logic                  take,
  input  logic                  take_kept,
  input  logic [63:0]           take_key,
  input  logic [SLOT-1:0]       take_slot
);

  localparam int GROUPS = MSHRS / 8;

  logic [MSHRS-1:0] used, joinable, old;
  logic [63:0]      key [0:MSHRS-1];
  logic [SLOT-1:0]  last [0:MSHRS-1];
  logic [MISS-1:0]  free [0:MSHRS-1];
  logic [MISS:0]    count;

  function automatic logic [MSHRS-1:0] bit_of(input logic on, input logic [MISS-1:0] miss);
    bit_of = on ? {{(MSHRS - 1){1'b0}}, 1'b1} << miss : '0;
  endfunction

  // ---- fill
  assign m_known = used[m_miss];
  assign m_kept  = joinable[m_miss];
  assign m_old   = old[m_miss];
  assign m_key   = key[m_miss];
  assign m_last  = last[m_miss];

  logic [MSHRS-1:0] m_bit, used1;
  logic [MISS:0]    count1;
  assign m_bit   = bit_of(m_fill, m_miss);
  assign used1   = used & ~m_bit;
  assign count1  = count - {{MISS{1'b0}}, m_fill};
  assign a_count = count1;

  // ---- cache action
  logic [MSHRS-1:0] covered, joinable1, old1;
  genvar g, k;
  generate
    for (g = 0; g < GROUPS; g = g + 1) begin : g_covered
      logic [57:0] line0, line1, line2, line3, line4, line5, line6, line7;
      assign line0 = key[8*g][63:6];
      assign line1 = key[8*g+1][63:6];
      assign line2 = key[8*g+2][63:6];
      assign line3 = key[8*g+3][63:6];
      assign line4 = key[8*g+4][63:6];
      assign line5 = key[8*g+5][63:6];
      assign line6 = key[8*g+6][63:6];
      assign line7 = key[8*g+7][63:6];
      assign covered[8*g+:8] =
        a_begin ? {covers(a_base, a_size, line7), covers(a_base, a_size, line6),
                   covers(a_base, a_size, line5), covers(a_base, a_size, line4),
                   covers(a_base, a_size, line3), covers(a_base, a_size, line2),
                   covers(a_base, a_size, line1), covers(a_base, a_size, line0)} : 8'd0;
    end
  endgenerate
  assign joinable1 = joinable & ~m_bit & ~covered;
  assign old1      = a_begin ? used1 : old & ~m_bit;

  // ---- lookups
  generate
    for (k = 0; k < LANES; k = k + 1) begin : g_lane
      logic [MSHRS-1:0] same;
      logic [63:0]      wanted;
      logic             look;
      assign wanted = l_key[64*k+:64];
      assign look   = l_look[k];
      for (g = 0; g < GROUPS; g = g + 1) begin : g_same
        assign same[8*g+:8] = (look && joinable1[8*g+:8] != 8'd0)
          ? joinable1[8*g+:8]
            & {key[8*g+7] == wanted, key[8*g+6] == wanted, key[8*g+5] == wanted,
               key[8*g+4] == wanted, key[8*g+3] == wanted, key[8*g+2] == wanted,
               key[8*g+1] == wanted, key[8*g] == wanted}
          : 8'd0;
      end
      logic [MISS-1:0] index;
      always_comb begin
        index = '0;
        if (same != '0) for (int i = 0; i < MSHRS; i++) if (same[i]) index = MISS'(i);
      end
      assign l_found[k]             = same != '0;
      assign l_miss[MISS*k+:MISS]   = index;
    end
  endgenerate

  assign full      = count1 == mshrs;
  assign next_miss = m_fill ? m_miss : free[count[MISS-1:0]];

  logic [MSHRS-1:0] taken, joinable2;
  logic [MISS-1:0]  freed_at;
  assign taken     = bit_of(take, next_miss);
  assign joinable2 = joinable1 & ~bit_of(detach, detached);
  assign freed_at  = MISS'(count - 1'b1);

  integer i, j;
  always_ff @(posedge clk) begin
    if (m_fill) free[freed_at] <= m_miss;
    for (i = 0; i < LANES; i = i + 1)
      if (l_join[i]) last[l_miss[MISS*i+:MISS]] <= l_slot[SLOT*i+:SLOT];
    if (take) begin
      key[next_miss]  <= take_key;
      last[next_miss] <= take_slot;
    end
    used     <= used1 | taken;
    joinable <= take_kept ? joinable2 | taken : joinable2 & ~taken;
    old      <= old1 & ~taken;
    count    <= count1 + {{MISS{1'b0}}, take};
    if (rst) begin
      used     <= '0;
      joinable <= '0;
      old      <= '0;
      count    <= '0;
      for (i = 0; i < MSHRS / 16; i = i + 1)
        for (j = 0; j < 16; j = j + 1) free[16*i+j] <= MISS'(16 * i + j);
    end
  end

endmodule
