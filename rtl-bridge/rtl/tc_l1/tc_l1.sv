// SPDX-License-Identifier: Apache-2.0
// The vector L1 cache of a compute unit. Up to cfg_lookups requests, each for one line, are looked
// up in a cycle until one goes to L2, and as many answered, in the order of the requests whatever
// their kind. Lines are tagged by address and VMID.
//  - Reads allocate; reads of a line on its way join its fill.
//  - Writes go through: they update the line when it is present, do not allocate, and are answered
//    when L2 has answered.
//  - glc reads and atomics go to L2, and the line is not kept.
// A fill overtaken by a write, an atomic, a glc read or an invalidation of its line serves the
// requests that already waited for it and is then dropped: it was read before the newer value.
//
// Within one cycle, in this order: an answer of L2 is taken; a cache action begins; requests are
// looked up, those of lower lanes before those of higher ones; the cache action may end; answers
// leave. Each sees what those before it did in the cycle.
//
// Ports: `valid` of an input says that a message is there, `ready` that it is taken in this cycle.
// `ready` of an output says that there is room, `valid` that a message is sent in this cycle. The
// lanes cu0 to cu3 and answer0 to answer3 are one port each: what is on a lane counts only beside
// all lower ones. Outputs that are not valid are zero. In a cycle with rst nothing is valid or
// ready. After a cycle with an error the block must be reset. `line` is a byte address without its
// six low bits. The cfg_ pins hold still between resets; they bound what the parameters provide.
`include "tc_l1_pkg.sv"

module tc_l1
  import tc_l1_pkg::*;
#(
  parameter int SETS = 64,
  parameter int WAYS = 4,
  parameter int MSHRS = 128,
  parameter int ORDER = 256
) (
  `include "tc_l1_ports.svh"
);

  localparam int LANES = 4;
  localparam int ENTRY = $clog2(SETS) + $clog2(WAYS);
  localparam int MISS = $clog2(MSHRS);
  localparam int SLOT = $clog2(ORDER);
  localparam int REQUEST = $bits(request_t);
  localparam int HEADER = $bits(header_t);

  function automatic logic [2:0] ones(input logic [LANES-1:0] bits);
    ones = 3'($countones(bits));
  endfunction

  // ---- state of this module
  logic [1:0]    stall_reason;
  logic          active;               // a cache action
  logic [7:0]    time_left;            // until it may end
  logic [MISS:0] old_fills;            // that it waits for
  logic [31:0]   active_tag;

  // ---- the lanes
  logic [REQUEST*LANES-1:0] requests;
  logic [512*LANES-1:0]     request_data;
  logic [LANES-1:0]         offered, room;
  assign requests     = {{cu3_line, cu3_mask, cu3_command, cu3_atomic, cu3_bytes, cu3_client, cu3_vmid, cu3_glc,
                  cu3_slc, cu3_through, cu3_returns, cu3_source, cu3_port, cu3_tag,
                  cu3_uid, cu3_compare},
                         {cu2_line, cu2_mask, cu2_command, cu2_atomic, cu2_bytes, cu2_client, cu2_vmid, cu2_glc,
                  cu2_slc, cu2_through, cu2_returns, cu2_source, cu2_port, cu2_tag,
                  cu2_uid, cu2_compare},
                         {cu1_line, cu1_mask, cu1_command, cu1_atomic, cu1_bytes, cu1_client, cu1_vmid, cu1_glc,
                  cu1_slc, cu1_through, cu1_returns, cu1_source, cu1_port, cu1_tag,
                  cu1_uid, cu1_compare},
                         {cu0_line, cu0_mask, cu0_command, cu0_atomic, cu0_bytes, cu0_client, cu0_vmid, cu0_glc,
                  cu0_slc, cu0_through, cu0_returns, cu0_source, cu0_port, cu0_tag,
                  cu0_uid, cu0_compare}};
  assign request_data = {cu3_data, cu2_data, cu1_data, cu0_data};
  assign offered      = {cu3_valid && cu2_valid && cu1_valid && cu0_valid && cfg_lookups > 3'd3,
                         cu2_valid && cu1_valid && cu0_valid && cfg_lookups > 3'd2,
                         cu1_valid && cu0_valid && cfg_lookups > 3'd1, cu0_valid};
  assign room         = {answer3_ready && cfg_lookups > 3'd3, answer2_ready && cfg_lookups > 3'd2,
                         answer1_ready && cfg_lookups > 3'd1, answer0_ready};

  logic [64*LANES-1:0]     l_key;
  logic [2*LANES-1:0]      l_command;
  logic [LANES-1:0]        l_glc, l_slc;
  logic [HEADER*LANES-1:0] l_header;
  assign l_key     = {cu3_line, cu3_vmid[5:0],
                      cu2_line, cu2_vmid[5:0],
                      cu1_line, cu1_vmid[5:0],
                      cu0_line, cu0_vmid[5:0]};
  assign l_command = {cu3_command, cu2_command, cu1_command, cu0_command};
  assign l_glc     = {cu3_glc, cu2_glc, cu1_glc, cu0_glc};
  assign l_slc     = {cu3_slc, cu2_slc, cu1_slc, cu0_slc};
  assign l_header  = {cu3_command, cu3_port, cu3_tag, cu3_uid, cu3_line,
                      cu2_command, cu2_port, cu2_tag, cu2_uid, cu2_line,
                      cu1_command, cu1_port, cu1_tag, cu1_uid, cu1_line,
                      cu0_command, cu0_port, cu0_tag, cu0_uid, cu0_line};

  // ---- 1. an answer of L2
  logic m_own, m_known_miss, m_known_slot;
  assign m_own = l2_tag[31];
  always_comb begin
    state_error = kErrorNone;
    if (l2_valid && !rst) begin
      if (!m_own && (l2_tag >= 32'(MSHRS) || !m_known_miss)) state_error = kErrorFill;
      if (m_own && (l2_tag[30:0] >= 31'(ORDER) || !m_known_slot)) state_error = kErrorAnswer;
    end
  end
  logic go, run;
  assign go  = !rst && state_error == kErrorNone;
  assign run = go && !control_pause;

  logic             m_fill, m_ack, m_kept, m_old, install, evicts;
  logic [63:0]      m_key;
  logic [SLOT-1:0]  m_last;
  logic [ENTRY-1:0] f_entry;
  logic [SLOT:0]    released;
  assign m_fill   = go && l2_valid && !m_own;
  assign m_ack    = go && l2_valid && m_own;
  assign l2_ready = m_fill || m_ack;
  assign install  = m_fill && m_kept && l2_status == kOk;

  // ---- 2. a cache action begins
  logic           a_begin;
  logic [MISS:0]  a_count;
  logic [ENTRY:0] dropped;
  assign action_ready = run && action_valid && !active;
  assign a_begin      = action_ready && action_invalidate;

  // ---- 3. requests are looked up
  logic [LANES-1:0]       hit, look, found, kept, keep_hit, join_it, removes, uses, p_hit;
  logic [LANES-1:0]       p_wait, p_pass, sends;
  logic [ENTRY*LANES-1:0] l_entry;
  logic [MISS*LANES-1:0]  l_miss, p_miss;
  logic [SLOT*LANES-1:0]  l_slot;
  logic [512*LANES-1:0]   l_data;
  logic [SLOT:0]          count;
  logic                   mshrs_full;
  logic [MISS-1:0]        next_miss;

  // A read may be kept here, anything else goes to L2: after the first of those nothing is looked
  // up.
  logic [LANES-1:0] plain;
  assign plain = ~l_glc & {l_command[7:6] == kRead, l_command[5:4] == kRead,
                           l_command[3:2] == kRead, l_command[1:0] == kRead};
  assign look  = run ? offered & {plain[2:0] == 3'h7, plain[1:0] == 2'h3, plain[0], 1'b1} : '0;
  assign keep_hit = hit & plain;

  logic [1:0] why;
  logic       read;
  always_comb begin
    kept  = '0;
    sends = '0;
    why   = kStallNone;
    read  = 1'b0;
    for (int i = 0; i < LANES; i++)
      if (look[i] && sends == '0 && why == kStallNone) begin
        read = l_command[2*i+:2] == kRead;
        if (count + (SLOT + 1)'(i) == cfg_order) why = kStallOrder;
        else if (plain[i] && (hit[i] || found[i])) kept[i] = 1'b1;
        else if (read && mshrs_full) why = kStallMshr;
        else if (!down_ready) why = kStallDownstream;
        else sends[i] = 1'b1;
      end
  end
  assign uses    = kept & keep_hit & ~l_slc;
  assign join_it = kept & ~keep_hit;
  assign {cu3_ready, cu2_ready, cu1_ready, cu0_ready} = kept | sends;

  // ---- the request that goes to L2
  request_t     q;
  logic [511:0] q_data;
  logic [1:0]   q_lane;
  logic         q_on, q_read, q_write, q_hit, q_found;
  assign q_lane  = sends[3] ? 2'd3 : sends[2] ? 2'd2 : sends[1] ? 2'd1 : 2'd0;
  assign q_on    = sends != '0;
  assign q       = requests[REQUEST*q_lane+:REQUEST];
  assign q_data  = request_data[512*q_lane+:512];
  assign q_read  = q_on && q.command == kRead;
  assign q_write = q_on && q.command == kWrite;
  assign q_hit   = q_on && hit[q_lane];
  assign q_found = q_on && found[q_lane];
  assign removes = (q_hit && !q_write) ? sends : '0;

  request_t down;
  always_comb begin
    down = '0;
    if (q_on) begin
      down     = q;
      down.tag = q_read ? 32'(next_miss) : {1'b1, 31'(l_slot[SLOT*q_lane+:SLOT])};
      if (q_read) begin
        down.compare = 64'd0;
        if (!q.glc) down.mask = ~64'd0;  // what is kept must be whole
      end
    end
  end
  assign down_valid   = q_on;
  assign down_line    = down.line;
  assign down_mask    = down.mask;
  assign down_command = down.command;
  assign down_atomic  = down.atomic;
  assign down_bytes   = down.bytes;
  assign down_client  = down.client;
  assign down_vmid    = down.vmid;
  assign down_glc     = down.glc;
  assign down_slc     = down.slc;
  assign down_through = down.through;
  assign down_returns = down.returns;
  assign down_source  = down.source;
  assign down_port    = down.port;
  assign down_tag     = down.tag;
  assign down_uid     = down.uid;
  assign down_compare = down.compare;
  assign down_data    = (q_on && !q_read) ? q_data : '0;

  // ---- what the parts hear of it
  tc_l1_tags #(.SETS(SETS), .WAYS(WAYS), .LANES(LANES)) tags (
    .clk(clk), .rst(rst), .set_mask(cfg_set_mask), .set_hash(cfg_set_hash),
    .f_install(install), .f_key(m_key),
    .f_entry(f_entry), .f_evicts(evicts), .drop(a_begin), .base(action_base), .size(action_size),
    .dropped(dropped), .l_key(l_key), .l_hit(hit), .l_entry(l_entry), .l_use(uses),
    .l_remove(removes));

  tc_l1_data #(.ENTRY(ENTRY), .LANES(LANES)) store (
    .clk(clk), .f_install(install), .f_entry(f_entry), .f_data(l2_data),
    .l_read(kept & keep_hit), .l_entry(l_entry), .l_data(l_data), .b_write(q_write && q_hit),
    .b_entry(l_entry[ENTRY*q_lane+:ENTRY]), .b_mask(q.mask), .b_data(q_data));

  tc_l1_mshr #(.MSHRS(MSHRS), .LANES(LANES), .SLOT(SLOT)) mshr (
    .clk(clk), .rst(rst), .mshrs(cfg_mshrs), .m_fill(m_fill), .m_miss(l2_tag[MISS-1:0]),
    .m_known(m_known_miss), .m_kept(m_kept), .m_old(m_old), .m_key(m_key), .m_last(m_last),
    .a_begin(a_begin), .a_base(action_base), .a_size(action_size), .a_count(a_count),
    .l_look(look & ~keep_hit), .l_key(l_key), .l_found(found), .l_miss(l_miss), .l_join(join_it),
    .l_slot(l_slot), .full(mshrs_full), .next_miss(next_miss), .detach(q_found),
    .detached(l_miss[MISS*q_lane+:MISS]), .take(q_read), .take_kept(!q.glc),
    .take_key(l_key[64*q_lane+:64]), .take_slot(l_slot[SLOT*q_lane+:SLOT]));

  logic [HEADER*LANES-1:0] a_header;
  logic [2*LANES-1:0]      a_status;
  logic [512*LANES-1:0]    a_data;
  logic [LANES-1:0]        a_valid;
  logic                    empty_next, known_next, timed_next;
  assign p_hit  = kept & keep_hit;
  assign p_wait = join_it | (q_read ? sends : '0);
  assign p_pass = q_read ? '0 : sends;
  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : g_wait
      assign p_miss[MISS*g+:MISS] = sends[g] ? next_miss : l_miss[MISS*g+:MISS];
    end
  endgenerate
  tc_l1_order #(.ORDER(ORDER), .LANES(LANES), .MISS(MISS)) order (
    .clk(clk), .rst(rst), .go(go), .slots(cfg_order), .hit(cfg_hit), .fill(cfg_fill),
    .ack(cfg_ack), .m_fill(m_fill), .m_ack(m_ack), .m_miss(l2_tag[MISS-1:0]), .m_last(m_last),
    .m_slot(l2_tag[SLOT-1:0]), .m_known(m_known_slot), .m_status(l2_status), .m_data(l2_data),
    .released(released), .count(count), .next_slot(l_slot), .p_hit(p_hit), .p_wait(p_wait),
    .p_pass(p_pass), .p_miss(p_miss), .p_header(l_header), .p_data(l_data), .ready(room),
    .valid(a_valid), .header(a_header), .status(a_status), .data(a_data),
    .empty_next(empty_next), .known_next(known_next), .timed_next(timed_next));

  // ---- 4. the cache action ends
  logic          on, active_next;
  logic [MISS:0] old_now;
  logic [7:0]    time_now;
  assign on          = active || action_ready;
  assign old_now     = a_begin ? a_count : active ? old_fills - {{MISS{1'b0}}, m_fill && m_old}
                                                  : '0;
  assign time_now    = a_begin ? cfg_invalidate
                     : (active && time_left != 8'd0) ? time_left - 8'd1 : 8'd0;
  assign done_valid  = go && on && old_now == '0 && time_now == 8'd0 && done_ready;
  assign done_tag    = !done_valid ? 32'd0 : active ? active_tag : action_tag;
  assign active_next = on && !done_valid;

  // ---- 5. answers leave
  header_t h0, h1, h2, h3;
  assign {h3, h2, h1, h0} = a_header;
  assign {answer3_valid, answer2_valid, answer1_valid, answer0_valid}     = a_valid;
  assign {answer3_status, answer2_status, answer1_status, answer0_status} = a_status;
  assign {answer3_data, answer2_data, answer1_data, answer0_data}         = a_data;
  assign answer0_tag     = h0.tag;
  assign answer0_port    = h0.port;
  assign answer0_command = h0.command;
  assign answer0_line    = h0.line;
  assign answer0_uid     = h0.uid;
  assign answer1_tag     = h1.tag;
  assign answer1_port    = h1.port;
  assign answer1_command = h1.command;
  assign answer1_line    = h1.line;
  assign answer1_uid     = h1.uid;
  assign answer2_tag     = h2.tag;
  assign answer2_port    = h2.port;
  assign answer2_command = h2.command;
  assign answer2_line    = h2.line;
  assign answer2_uid     = h2.uid;
  assign answer3_tag     = h3.tag;
  assign answer3_port    = h3.port;
  assign answer3_command = h3.command;
  assign answer3_line    = h3.line;
  assign answer3_uid     = h3.uid;

  // ---- events
  logic [LANES-1:0] reads, with_bytes;
  assign with_bytes = a_valid & {h3.command != kWrite, h2.command != kWrite, h1.command != kWrite,
                                 h0.command != kWrite};
  assign reads                   = kept | (q_read ? sends : '0);
  assign event_reads             = ones(reads);
  assign event_read_hits         = ones(p_hit);
  assign event_read_misses       = q_read && !q.glc;
  assign event_read_merged       = ones(join_it);
  assign event_glc_reads         = q_read && q.glc;
  assign event_writes            = q_write;
  assign event_write_hits        = q_write && q_hit;
  assign event_atomics           = q_on && !q_read && !q_write;
  assign event_fills             = install;
  assign event_dropped_fills     = m_fill && !install;
  assign event_evictions         = evicts;
  assign event_invalidated_lines = dropped;
  assign event_cache_actions     = a_begin;
  assign event_failed_accesses   = l2_ready && l2_status != kOk;
  assign event_bytes_returned    = {ones(with_bytes), 6'd0};
  assign event_bytes_written     = q_write ? 7'($countones(q.mask)) : 7'd0;
  assign event_released          = released;

  // ---- state
  logic [1:0] stall_next;
  assign stall_next  = why != kStallNone ? why : (kept | sends) != '0 ? kStallNone : stall_reason;
  assign state_stall = go ? stall_next : 2'd0;
  assign state_idle  = go && empty_next && !active_next;
  assign state_waits = go && !known_next && !timed_next
                    && !(active_next && (old_now == '0 || time_now > 8'd1));

  always_ff @(posedge clk) begin
    stall_reason <= stall_next;
    active       <= active_next;
    time_left    <= time_now;
    old_fills    <= old_now;
    if (action_ready) active_tag <= action_tag;
    if (rst) begin
      stall_reason <= kStallNone;
      active       <= 1'b0;
      time_left    <= 8'd0;
      old_fills    <= '0;
    end
  end

endmodule
