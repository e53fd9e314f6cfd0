// SPDX-License-Identifier: Apache-2.0
// Requests that are not yet answered, a ring of slots in the order in which they came; answers leave
// in that order, up to LANES in a cycle, when theirs is known and ready. A slot waits for its own
// answer of L2, or for a fill that others may wait for as well. What a fill brings is kept once, in
// the slot of the youngest request that waits for it, which leaves last: `from` says where.
`include "tc_l1_pkg.sv"

module tc_l1_order
  import tc_l1_pkg::*;
#(
  parameter int ORDER = 256,
  parameter int LANES = 4,
  parameter int MISS = 7,
  parameter int SLOT = $clog2(ORDER)
) (
  input  logic                   clk,
  input  logic                   rst,
  input  logic                   go,
  input  logic [SLOT:0]          slots,     // of the ring
  input  logic [7:0]             hit,       // cycles from a lookup, fill, answer of L2
  input  logic [7:0]             fill,
  input  logic [7:0]             ack,
  // answers of L2
  input  logic                   m_fill,
  input  logic                   m_ack,
  input  logic [MISS-1:0]        m_miss,
  input  logic [SLOT-1:0]        m_last,
  input  logic [SLOT-1:0]        m_slot,
  output logic                   m_known,   // that slot waits for its own answer
  input  logic [1:0]             m_status,
  input  logic [511:0]           m_data,
  output logic [SLOT:0]          released,
  // requests: of those that come in a cycle the first is that of lane 0
  output logic [SLOT:0]          count,
  output logic [SLOT*LANES-1:0]  next_slot, // of each lane, when those before it come
  input  logic [LANES-1:0]       p_hit,     // answered here
  input  logic [LANES-1:0]       p_wait,    // waits for the fill of p_miss
  input  logic [LANES-1:0]       p_pass,    // waits for its own answer
  input  logic [MISS*LANES-1:0]  p_miss,
  input  logic [172*LANES-1:0]   p_header,
  input  logic [512*LANES-1:0]   p_data,
  // answers
  input  logic [LANES-1:0]       ready,
  output logic [LANES-1:0]       valid,
  output logic [172*LANES-1:0]   header,
  output logic [2*LANES-1:0]     status,
  output logic [512*LANES-1:0]   data,
  // after this cycle
  output logic                   empty_next,
  output logic                   known_next, // the answer of the oldest is known
  output logic                   timed_next  // some answer becomes ready beyond the next cycle
);

  logic [SLOT-1:0]    head;
  logic [ORDER-1:0]   waits, own;     // for an answer; that is its own
  logic [8*ORDER-1:0] of_miss, from;
  logic [171:0]       headers [0:ORDER-1];
  logic [1:0]         state [0:ORDER-1];
  logic [31:0]        due [0:ORDER-1];
  logic [511:0]       lines [0:ORDER-1];
  logic [31:0]        now;            // counts steps; only differences matter
  logic [7:0]         left;           // cycles until every known answer is ready

  // The slot `more` after.
  function automatic logic [SLOT-1:0] behind(input logic [SLOT-1:0] at, input logic [SLOT:0] more,
                                             input logic [SLOT:0] ring);
    logic [SLOT+1:0] sum;
    sum    = {2'b00, at} + {1'b0, more};
    behind = SLOT'(sum >= {1'b0, ring} ? sum - {1'b0, ring} : sum);
  endfunction

  // ---- answers of L2
  logic [ORDER-1:0] for_fills, woken;
  assign for_fills = waits & ~own;
  assign m_known   = waits[m_slot] && own[m_slot];
  always_comb begin
    woken = '0;
    if (m_fill)
      for (int i = 0; i < ORDER; i++)
        woken[i] = for_fills[i] && of_miss[8*i+:8] == 8'(m_miss);
    if (m_ack) woken[m_slot] = 1'b1;
  end
  assign released = (m_fill || m_ack) ? (SLOT + 1)'($countones(woken)) : '0;

  // ---- requests
  logic [LANES-1:0] push;
  assign push = p_hit | p_wait | p_pass;
  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_slot
      assign next_slot[SLOT*g+:SLOT] = behind(head, count + (SLOT + 1)'(g), slots);
    end
  endgenerate

  // ---- answers
  logic [LANES-1:0] some;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_answer
      logic [SLOT-1:0] at, with_data;
      logic [31:0]     to_come;
      assign at        = behind(head, (SLOT + 1)'(g), slots);
      assign with_data = SLOT'(from[8*at+:8]);
      assign to_come   = due[with_data] - now;
      assign some[g]   = go && ready[g] && (SLOT + 1)'(g) < count && !waits[at]
                      && (to_come[31] || to_come == 32'd0);
      assign header[172*g+:172] = valid[g] ? headers[at] : '0;
      assign status[2*g+:2]     = valid[g] ? state[with_data] : '0;
      assign data[512*g+:512]   = (valid[g] && header[172*g+170+:2] != kWrite) ? lines[with_data]
                                                                               : '0;
    end
  endgenerate

  always_comb begin : those_that_leave
    valid = '0;
    for (int i = 0; i < LANES; i++) valid[i] = some[i] && valid == LANES'((1 << i) - 1);
  end

  // ---- after this cycle
  function automatic logic [2:0] ones(input logic [LANES-1:0] bits);
    ones = 3'($countones(bits));
  endfunction
  logic [ORDER-1:0] waits1;
  logic [SLOT:0]    count1;
  logic [SLOT-1:0]  head1;
  logic [7:0]       left1, passed;
  assign count1 = count + (SLOT + 1)'(ones(push)) - (SLOT + 1)'(ones(valid));
  assign head1  = behind(head, (SLOT + 1)'(ones(valid)), slots);
  assign passed = left == 8'd0 ? 8'd0 : left - 8'd1;
  always_comb begin
    waits1 = waits & ~woken;
    for (int i = 0; i < LANES; i++)
      if (push[i]) waits1[next_slot[SLOT*i+:SLOT]] = !p_hit[i];
    left1 = passed;
    if (p_hit != '0 && hit > left1) left1 = hit;
    if (m_fill && fill > left1) left1 = fill;
    if (m_ack && ack > left1) left1 = ack;
  end
  assign empty_next = count1 == '0;
  assign known_next = count1 != '0 && !waits1[head1];
  assign timed_next = left1 > 8'd1;

  integer n;
  always_ff @(posedge clk) begin
    now   <= now + 32'd1;
    head  <= head1;
    count <= count1;
    waits <= waits1;
    left  <= left1;
    if (m_fill) begin
      due[m_last]   <= now + {24'd0, fill};
      state[m_last] <= m_status;
      lines[m_last] <= m_data;
      for (n = 0; n < ORDER; n = n + 1) if (woken[n]) from[8*n+:8] <= 8'(m_last);
    end
    if (m_ack) begin
      due[m_slot]   <= now + {24'd0, ack};
      state[m_slot] <= m_status;
      lines[m_slot] <= m_data;
    end
    for (n = 0; n < LANES; n = n + 1)
      if (push[n]) begin
        headers[next_slot[SLOT*n+:SLOT]]     <= p_header[172*n+:172];
        own[next_slot[SLOT*n+:SLOT]]         <= p_pass[n];
        of_miss[8*next_slot[SLOT*n+:SLOT]+:8] <= 8'(p_miss[MISS*n+:MISS]);
        from[8*next_slot[SLOT*n+:SLOT]+:8]   <= 8'(next_slot[SLOT*n+:SLOT]);
      end
    for (n = 0; n < LANES; n = n + 1)
      if (p_hit[n]) begin
        due[next_slot[SLOT*n+:SLOT]]   <= now + {24'd0, hit};
        state[next_slot[SLOT*n+:SLOT]] <= kOk;
        lines[next_slot[SLOT*n+:SLOT]] <= p_data[512*n+:512];
      end
    if (rst) begin
      now   <= 32'd0;
      head  <= '0;
      count <= '0;
      waits <= '0;
      left  <= 8'd0;
    end
  end

endmodule
