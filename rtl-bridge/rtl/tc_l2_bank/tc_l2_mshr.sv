// SPDX-License-Identifier: Apache-2.0
// Lines on their way from memory (MSHRs) and the requests that wait for them, per line in the order
// they came. Free MSHRs are on a stack: the one freed last is taken first. Fills that have come
// are served in the order they came.
//
// In one cycle, in this order: a fill comes (m_*), and may serve its first waiter at once or end;
// then the pipeline takes a waiter of the oldest fill that has come (ret_*, s_drop, s_close), or
// lets a request join a fill (s_join), or begins one (s_alloc).
`include "tc_l2_bank_pkg.sv"

module tc_l2_mshr
  import tc_l2_bank_pkg::*;
#(
  parameter int MSHRS = 128,
  parameter int WAITING = 128,
  parameter int ENTRY = 11,
  parameter int MISS = $clog2(MSHRS),
  parameter int NODE = $clog2(WAITING)
) (
  input  logic             clk,
  input  logic             rst,
  input  logic [MISS:0]    mshrs,    // in use at most
  input  logic [NODE:0]    waiting,
  // fill
  input  logic [MISS-1:0]  m_miss,
  input  logic [1:0]       m_status,
  input  logic             m_serve,   // its first waiter is served
  input  logic             m_come,    // the others wait for the pipeline
  input  logic             m_close,
  output logic             m_known,
  output logic [ENTRY-1:0] m_entry,
  output logic             m_single,  // one waiter only
  output logic             m_read,    // of the first waiter
  output logic [15:0]      m_port,
  output logic [31:0]      m_tag,
  output logic [63:0]      m_uid,
  // the pipeline
  output logic             ret_some,
  output logic [1:0]       ret_status,
  output logic [ENTRY-1:0] ret_entry,
  output logic             ret_last,
  output request_t         ret_request,
  output logic [511:0]     ret_data,
  input  logic             s_drop,
  input  logic             s_close,
  input  logic             s_join,
  input  logic [MISS-1:0]  s_miss,
  input  logic             s_alloc,
  input  logic [ENTRY-1:0] s_entry,
  input  request_t         s_request,
  input  logic [511:0]     s_data,
  output logic             full,
  output logic             waiting_full,
  output logic [MISS-1:0]  next_miss,   // that s_alloc takes
  output logic [MISS:0]    count_next,
  output logic             come_next    // fills have come and are not served
);

  localparam int REQUEST = $bits(request_t);

  logic [MSHRS-1:0]   used;
  logic [ENTRY-1:0]   entry [0:MSHRS-1];
  logic [NODE-1:0]    head [0:MSHRS-1];
  logic [NODE-1:0]    tail [0:MSHRS-1];
  logic [1:0]         status [0:MSHRS-1];
  logic [MISS-1:0]    free_miss [0:MSHRS-1];
  logic [MISS:0]      count;
  logic [REQUEST-1:0] request [0:WAITING-1];
  logic [511:0]       data [0:WAITING-1];
  logic [NODE-1:0]    behind [0:WAITING-1];
  logic [NODE-1:0]    free_node [0:WAITING-1];
  logic [NODE:0]      waiters;
  logic [MISS-1:0]    come [0:MSHRS-1];
  logic [MISS-1:0]    come_first, come_last;
  logic [MISS:0]      come_count;

  // ---- fill
  logic [NODE-1:0]    m_head, m_behind;
  logic [MISS-1:0]    ret_miss;
  assign m_known  = used[m_miss];
  assign m_entry  = entry[m_miss];
  assign m_head   = head[m_miss];
  assign m_behind = behind[m_head];
  assign m_single = m_head == tail[m_miss];
  assign m_read   = request[m_head][REQUEST-1-:2] == kRead;
  assign m_port   = request[m_head][128+64+32+:16];
  assign m_tag    = request[m_head][128+64+:32];
  assign m_uid    = request[m_head][128+:64];

  logic [MISS:0] count1;
  logic [NODE:0] waiters1;
  assign count1   = count - {{MISS{1'b0}}, m_close};
  assign waiters1 = waiters - {{NODE{1'b0}}, m_serve};

  // ---- the oldest fill that has come, this cycle's included
  logic               fresh;
  logic [NODE-1:0]    ret_head, ret_behind;
  logic [REQUEST-1:0] ret_stored;
  assign fresh       = come_count == '0;
  assign ret_some    = !fresh || m_come;
  assign ret_miss    = fresh ? m_miss : come[come_first];
  assign ret_status  = fresh ? m_status : status[ret_miss];
  assign ret_entry   = entry[ret_miss];
  assign ret_head    = (fresh && m_serve) ? m_behind : head[ret_miss];
  assign ret_behind  = behind[ret_head];
  assign ret_last    = ret_head == tail[ret_miss];
  assign ret_stored  = request[ret_head];
  assign ret_request = ret_stored;
  assign ret_data    = data[ret_head];

  // ---- places
  logic [NODE-1:0] next_node, s_tail;
  assign full         = count1 == mshrs;
  assign waiting_full = waiters1 == waiting;
  assign next_miss    = m_close ? m_miss : free_miss[count[MISS-1:0]];
  assign next_node    = m_serve ? m_head : free_node[waiters[NODE-1:0]];
  assign s_tail       = tail[s_miss];

  logic            s_wait;
  logic [MISS:0]   come_count_next;
  logic [NODE:0]   waiters_next;
  logic [MISS-1:0] at_miss, at_miss1;
  logic [NODE-1:0] at_node, at_node1;
  assign s_wait          = s_join || s_alloc;
  assign count_next      = count1 + {{MISS{1'b0}}, s_alloc} - {{MISS{1'b0}}, s_close};
  assign waiters_next    = waiters1 + {{NODE{1'b0}}, s_wait} - {{NODE{1'b0}}, s_drop};
  assign come_count_next = come_count + {{MISS{1'b0}}, m_come} - {{MISS{1'b0}}, s_close};
  assign come_next       = come_count_next != '0;
  assign at_miss         = MISS'(count - 1'b1);
  assign at_miss1        = MISS'(count1 - 1'b1);
  assign at_node         = NODE'(waiters - 1'b1);
  assign at_node1        = NODE'(waiters1 - 1'b1);

  integer i, j;
  always_ff @(posedge clk) begin
    // fill
    if (m_serve) begin
      head[m_miss]                 <= m_behind;
      free_node[at_node] <= m_head;
    end
    if (m_close) begin
      used[m_miss]                 <= 1'b0;
      free_miss[at_miss] <= m_miss;
    end
    if (m_come) begin
      status[m_miss]  <= m_status;
      come[come_last] <= m_miss;
      come_last       <= come_last == MISS'(MSHRS - 1) ? '0 : come_last + 1'b1;
    end
    // the pipeline
    if (s_drop) begin
      head[ret_miss]                <= ret_behind;
      free_node[at_node1] <= ret_head;
    end
    if (s_close) begin
      used[ret_miss]                <= 1'b0;
      free_miss[at_miss1] <= ret_miss;
      come_first                    <= come_first == MISS'(MSHRS - 1) ? '0 : come_first + 1'b1;
    end
    if (s_wait) begin
      request[next_node] <= s_request;
      data[next_node]    <= s_data;
    end
    if (s_join) begin
      behind[s_tail] <= next_node;
      tail[s_miss]   <= next_node;
    end
    if (s_alloc) begin
      used[next_miss]  <= 1'b1;
      entry[next_miss] <= s_entry;
      head[next_miss]  <= next_node;
      tail[next_miss]  <= next_node;
    end
    count      <= count_next;
    waiters    <= waiters_next;
    come_count <= come_count_next;
    if (rst) begin
      used       <= '0;
      count      <= '0;
      waiters    <= '0;
      come_count <= '0;
      come_first <= '0;
      come_last  <= '0;
      for (i = 0; i < MSHRS / 16; i = i + 1)
        for (j = 0; j < 16; j = j + 1) free_miss[16*i+j] <= MISS'(16 * i + j);
      for (i = 0; i < WAITING / 16; i = i + 1)
        for (j = 0; j < 16; j = j + 1) free_node[16*i+j] <= NODE'(16 * i + j);
    end
  end

endmodule
