// SPDX-License-Identifier: Apache-2.0
// One channel of the L2 cache. A request for one line enters each cycle; requests to one line take
// effect in the order they came, answers of different lines may overtake each other. Lines have a
// valid and a dirty bit per byte: writes allocate without fetching, reads and atomics that need
// bytes the line lacks fetch it, and what is valid stays. Only dirty bytes go to memory.
// write_through requests update a line that is present and are answered when memory has.
//
// Within one cycle, in this order: an answer of memory is taken; a cache action begins; one request
// is served, those whose line has come before new ones; the cache action inspects its next tags and
// may end; one message leaves to memory; one answer leaves to the fabric. Each sees what those
// before it did in the cycle.
//
// Ports: `valid` of an input says that a message is there, `ready` that it is taken in this cycle.
// `ready` of an output says that there is room, `valid` that a message is sent in this cycle.
// Outputs that are not valid are zero. In a cycle with rst nothing is valid or ready. After a cycle
// with an error the block must be reset. `line` is a byte address without its six low bits. The
// cfg_ pins hold still between resets; they bound what the parameters provide.
`include "tc_l2_bank_pkg.sv"

module tc_l2_bank
  import tc_l2_bank_pkg::*;
#(
  parameter int SETS = 128,
  parameter int WAYS = 16,
  parameter int MSHRS = 128,
  parameter int WAITING = 128,
  parameter int ANSWERS = 128,
  parameter int MEMORY = 32,
  parameter int THROUGHS = 16,
  parameter int WALK = 16
) (
  `include "tc_l2_bank_ports.svh"
);

  localparam int SET = $clog2(SETS);
  localparam int ENTRY = SET + $clog2(WAYS);
  localparam int MISS = $clog2(MSHRS);
  localparam int NODE = $clog2(WAITING);
  localparam int ANSWER = $clog2(ANSWERS);
  localparam int QUEUE = $clog2(MEMORY);
  localparam int SLOT = $clog2(THROUGHS);
  localparam int STEP = $clog2(WALK) + 1;
  localparam int MESSAGE = $bits(request_t) + 58;
  localparam int REPLY = $bits(answer_t) + 32;

  function automatic logic [6:0] ones(input logic [63:0] bits);
    ones = 7'($countones(bits));
  endfunction

  // ---- state of this module
  logic [31:0]          now;            // counts steps; only differences matter
  logic [7:0]           busy;           // cycles an atomic still keeps the pipeline
  logic [2:0]           stall_reason;
  logic                 epoch;
  logic [31:0]          open0, open1;   // write-backs memory has not answered, by epoch
  logic [THROUGHS-1:0]  slot_used;
  logic [SLOT:0]        slot_count;
  logic [$bits(answer_t)-1:0] slots [0:THROUGHS-1];

  // ---- 1. an answer of memory
  logic [1:0]  m_kind;
  logic [29:0] m_index;
  logic        m_known, m_open;
  assign m_kind  = memory_tag[31:30];
  assign m_index = memory_tag[29:0];
  assign m_open  = (m_index[0] ? open1 : open0) != 32'd0;
  always_comb begin
    state_error = kErrorNone;
    if (memory_valid && !rst) begin
      case (m_kind)
        kTagFill: if (m_index >= 30'(MSHRS) || !m_known) state_error = kErrorFill;
        kTagWriteBack: begin
          if (memory_status != kOk) state_error = kErrorRefused;
          else if (m_index > 30'd1 || !m_open) state_error = kErrorWriteBack;
        end
        kTagWriteThrough:
          if (m_index >= 30'(THROUGHS) || !slot_used[m_index[SLOT-1:0]])
            state_error = kErrorWriteThrough;
        default: state_error = kErrorTag;
      endcase
    end
  end
  logic go;
  assign go = !rst && state_error == kErrorNone;

  logic            m_fill, m_back, m_through, m_ok, m_serve, m_close, m_come, m_single, m_answer;
  logic [ENTRY-1:0] m_entry;
  logic [57:0]     m_line;
  logic [63:0]     m_valid;
  logic [511:0]    m_data;
  logic            m_read;
  logic [15:0]     m_port;
  logic [31:0]     m_tag;
  logic [63:0]     m_uid;
  logic            answers_full0, answers_full;
  logic [ANSWER:0] answers_count, answers_next;
  assign m_fill        = go && memory_valid && m_kind == kTagFill;
  assign m_back        = go && memory_valid && m_kind == kTagWriteBack;
  assign m_through     = go && memory_valid && m_kind == kTagWriteThrough && !answers_full0;
  assign m_ok          = memory_status == kOk;
  assign m_serve       = m_fill && m_read && !answers_full0;
  assign m_close       = m_serve && m_single;
  assign m_come        = m_fill && !m_close;
  assign m_answer      = m_serve || m_through;
  assign memory_ready  = m_fill || m_back || m_through;
  assign answers_full0 = answers_count == (ANSWER + 1)'(cfg_answers);
  assign answers_full  = answers_count + {{ANSWER{1'b0}}, m_answer} == (ANSWER + 1)'(cfg_answers);

  answer_t m_reply;
  always_comb begin
    m_reply.status  = memory_status;
    m_reply.command = kRead;
    m_reply.port    = m_port;
    m_reply.tag     = m_tag;
    m_reply.uid     = m_uid;
    m_reply.line    = m_line;
    if (!m_serve) begin
      m_reply        = slots[m_index[SLOT-1:0]];
      m_reply.status = memory_status;
    end
  end

  // ---- 3. the request that is served
  logic             run, s_ret, s_new, ret_some, ret_last;
  logic [1:0]       ret_status;
  logic [ENTRY-1:0] ret_entry;
  request_t         q, fabric_q, ret_q;
  logic [511:0]     q_data, ret_data;
  logic [57:0]      q_line;
  assign run   = go && !control_pause && busy == 8'd0;
  assign s_ret = run && ret_some;
  assign s_new = run && !ret_some && fabric_valid;
  always_comb begin
    fabric_q.command = fabric_command;
    fabric_q.atomic  = fabric_atomic;
    fabric_q.bytes   = fabric_bytes;
    fabric_q.client  = fabric_client;
    fabric_q.vmid    = fabric_vmid;
    fabric_q.glc     = fabric_glc;
    fabric_q.slc     = fabric_slc;
    fabric_q.through = fabric_through;
    fabric_q.returns = fabric_returns;
    fabric_q.source  = fabric_source;
    fabric_q.port    = fabric_port;
    fabric_q.tag     = fabric_tag;
    fabric_q.uid     = fabric_uid;
    fabric_q.compare = fabric_compare;
    fabric_q.mask    = fabric_mask;
  end
  assign q      = s_ret ? ret_q : fabric_q;
  assign q_data = s_ret ? ret_data : fabric_data;

  logic [SET-1:0]   s_set;
  logic             s_hit, s_room, s_used, s_pending, s_drop;
  logic [ENTRY-1:0] s_entry;
  logic [MISS-1:0]  s_miss, next_miss;
  logic [57:0]      s_old;
  logic [63:0]      s_valid, s_dirty;
  logic [511:0]     s_data;
  tc_l2_set #(.BITS(SET)) set_of (
    .line(fabric_line), .tahiti(cfg_tahiti), .shift(cfg_block_shift),
    .bits(cfg_channel_bits), .mask(SET'(cfg_set_mask)),
    .hash(cfg_set_hash), .set(s_set));
  assign q_line = s_ret ? s_old : fabric_line;

  logic [QUEUE:0] down_count, down_next, space;
  logic           mshrs_full, waiting_full, slots_full, covered, victim_dirty;
  logic [SLOT:0]  slot_count1;
  assign space        = (QUEUE + 1)'(cfg_memory) - down_count;
  assign covered      = s_hit && (q.mask & ~s_valid) == 64'd0;
  assign victim_dirty = !s_hit && s_used && s_dirty != 64'd0;
  assign slot_count1  = slot_count - {{SLOT{1'b0}}, m_through};
  assign slots_full   = slot_count1 == (SLOT + 1)'(cfg_throughs);

  logic         a_on, malformed;
  logic [4:0]   operands;
  logic [511:0] a_result;
  assign a_on = (s_ret || s_new) && q.command == kAtomic;
  tc_l2_atomic atomics (
    .on(a_on), .op(q.atomic), .bytes(q.bytes), .mask(q.mask), .old(s_data), .operand(q_data),
    .compare(q.compare), .malformed(malformed), .operands(operands), .result(a_result));

  // What the request does; at most one of join, fetch, through and reply, with reply at most one
  // of read, write and atomic.
  logic [2:0] why;
  logic [1:0] status;
  logic       join_it, fetch, through, reply, read, write, atomic, unmapped, wanting;
  always_comb begin
    why      = kStallNone;
    status   = kOk;
    join_it  = 1'b0;
    fetch    = 1'b0;
    through  = 1'b0;
    reply    = 1'b0;
    read     = 1'b0;
    write    = 1'b0;
    atomic   = 1'b0;
    unmapped = 1'b0;
    wanting  = 1'b0;
    if (s_new && s_hit && s_pending) begin
      if (waiting_full) why = kStallWaiting;
      else join_it = 1'b1;
    end else if (s_ret || s_new) begin
      if (answers_full) begin
        why = kStallResponse;
      end else if (s_ret && ret_status != kOk) begin
        reply  = 1'b1;
        status = ret_status;
      end else if (q.command == kRead) begin
        read    = covered;
        reply   = covered;
        wanting = !covered;
      end else if (q.command == kWrite && q.through) begin
        if (slots_full) why = kStallWriteThrough;
        else if (space == '0) why = kStallMemory;
        else through = 1'b1;
      end else if (q.command == kWrite) begin
        if (!s_hit && !fabric_mapped) begin
          reply    = 1'b1;
          status   = kUnmapped;
          unmapped = 1'b1;
        end else if (!s_hit && !s_room) begin
          why = kStallSet;
        end else if (victim_dirty && space == '0) begin
          why = kStallMemory;
        end else begin
          reply = 1'b1;
          write = 1'b1;
        end
      end else if (q.command == kAtomic) begin
        if (malformed) begin
          reply  = 1'b1;
          status = kBad;
        end else begin
          atomic  = covered;
          reply   = covered;
          wanting = !covered;
        end
      end
    end
    if (wanting) begin
      if (mshrs_full) why = kStallMshr;
      else if (waiting_full) why = kStallWaiting;
      else if (!s_hit && !s_room) why = kStallSet;
      else if (space <= {{QUEUE{1'b0}}, victim_dirty}) why = kStallMemory;
      else fetch = 1'b1;
    end
  end
  logic served, s_close;
  assign served       = join_it || fetch || through || reply;
  assign s_close      = s_ret && served && ret_last;
  assign fabric_ready = s_new && served;

  answer_t s_reply;
  always_comb begin
    s_reply.status  = status;
    s_reply.command = q.command;
    s_reply.port    = q.port;
    s_reply.tag     = q.tag;
    s_reply.uid     = q.uid;
    s_reply.line    = q_line;
  end

  // ---- what becomes of the entry
  logic         b_write, b_replace, b_touch, b_used, b_pending, b_dropped, b_data_write;
  logic [MISS-1:0] b_miss;
  logic [63:0]  b_valid, b_dirty, valid0, dirty0, valid1, put;
  logic [511:0] b_base, b_merged, b_data;
  assign b_replace    = !s_hit && (fetch || write);
  assign b_data_write = b_replace || write || atomic || (through && s_hit);
  assign b_write      = b_data_write || read || fetch || s_close;
  assign b_touch      = !q.slc && (read || write || atomic || (fetch && !s_hit));
  assign put          = (write || through) ? q.mask : 64'd0;
  assign valid0       = s_hit ? s_valid : 64'd0;
  assign dirty0       = s_hit ? s_dirty : 64'd0;
  assign valid1       = valid0 | put;
  assign b_dirty      = (write || atomic) ? dirty0 | q.mask : dirty0 & ~put;
  assign b_dropped    = s_close && s_drop;
  assign b_valid      = b_dropped ? b_dirty : valid1;
  assign b_used       = !s_close || b_valid != 64'd0;
  assign b_pending    = fetch || (s_pending && !s_close);
  assign b_miss       = fetch ? next_miss : s_miss;
  assign b_base       = s_hit ? s_data : 512'd0;
  assign b_data       = atomic ? a_result : b_merged;
  tc_l2_merge merge (.old(b_base), .bytes(q_data), .mask(put), .merged(b_merged));

  // ---- 2., 4. cache actions
  logic [ENTRY:0]     entries;
  logic               w_on, w_send, w_ends, w_active_next, w_waits_next, w_started, w_full, w_open;
  logic [ENTRY-1:0]   w_first, w_sent;
  logic [WALK-1:0]    w_used, w_pending, w_some, w_clean, w_drop, w_mark;
  logic [58*WALK-1:0] w_line;
  logic [57:0]        w_sent_line;
  logic [63:0]        w_sent_dirty;
  logic [511:0]       w_data;
  logic [STEP-1:0]    w_dropped;
  assign entries = ((ENTRY + 1)'(cfg_set_mask) + 1'b1) << $clog2(WAYS);
  tc_l2_walker #(.ENTRY(ENTRY), .WALK(WALK)) walker (
    .clk(clk), .rst(rst), .stop(!go), .pause(control_pause), .entries(entries),
    .lines(STEP'(cfg_walk)), .in_valid(action_valid), .in_ready(action_ready),
    .in_writeback(action_writeback), .in_invalidate(action_invalidate), .in_base(action_base),
    .in_size(action_size), .in_tag(action_tag), .done_ready(done_ready), .done_valid(done_valid),
    .done_tag(done_tag),
    .on(w_on), .first(w_first), .used(w_used), .pending(w_pending), .some(w_some), .line(w_line),
    .clean(w_clean), .drop(w_drop), .mark(w_mark), .queue_full(w_full), .send(w_send),
    .sent(w_sent), .ends(w_ends), .open(w_open), .active_next(w_active_next),
    .waits_next(w_waits_next), .started(w_started), .dropped(w_dropped));

  logic        s_back, epoch_next, m_dropped;
  logic [31:0] open0_next, open1_next, open_more;
  assign s_back     = b_replace && victim_dirty;
  assign w_full     = down_count + {{QUEUE{1'b0}}, s_back} + {{QUEUE{1'b0}}, fetch || through}
                   == (QUEUE + 1)'(cfg_memory);
  assign open_more  = {31'd0, s_back} + {31'd0, w_send};
  assign open0_next = open0 + (epoch ? 32'd0 : open_more) - {31'd0, m_back && !m_index[0]};
  assign open1_next = open1 + (epoch ? open_more : 32'd0) - {31'd0, m_back && m_index[0]};
  assign epoch_next = epoch ^ w_ends;
  assign w_open     = (epoch_next ? open0_next : open1_next) != 32'd0;

  tc_l2_tags #(.SETS(SETS), .WAYS(WAYS), .WALK(WALK), .MISS(MISS)) tags (
    .clk(clk), .rst(rst), .f_entry(m_entry), .f_merge(m_fill && m_ok), .f_close(m_close),
    .f_line(m_line), .f_valid(m_valid), .f_dropped(m_dropped), .s_by_entry(s_ret),
    .s_wanted(ret_entry), .s_set(s_set), .s_line(fabric_line), .s_hit(s_hit),
    .s_room(s_room), .s_entry(s_entry), .s_used(s_used), .s_pending(s_pending), .s_drop(s_drop),
    .s_miss(s_miss), .s_old(s_old), .s_valid(s_valid), .s_dirty(s_dirty), .b_write(b_write),
    .b_replace(b_replace), .b_fetch(fetch), .b_touch(b_touch), .b_used(b_used),
    .b_pending(b_pending), .b_miss(b_miss), .b_line(q_line), .b_valid(b_valid), .b_dirty(b_dirty),
    .w_on(w_on), .w_first(w_first), .w_used(w_used), .w_pending(w_pending), .w_some(w_some),
    .w_line(w_line), .w_clean(w_clean), .w_drop(w_drop), .w_mark(w_mark), .w_sent(w_sent),
    .w_sent_dirty(w_sent_dirty), .w_sent_line(w_sent_line));

  tc_l2_data #(.ENTRY(ENTRY)) store (
    .clk(clk), .f_merge(m_fill && m_ok), .f_entry(m_entry), .f_valid(m_valid),
    .f_bytes(memory_data), .f_data(m_data), .s_entry(s_entry), .s_data(s_data),
    .b_write(b_data_write), .b_data(b_data), .w_entry(w_sent), .w_data(w_data));

  logic [MISS:0] mshr_count_next;
  logic          come_next;
  tc_l2_mshr #(.MSHRS(MSHRS), .WAITING(WAITING), .ENTRY(ENTRY)) mshr (
    .clk(clk), .rst(rst), .mshrs((MISS + 1)'(cfg_mshrs)), .waiting((NODE + 1)'(cfg_waiting)),
    .m_miss(m_index[MISS-1:0]), .m_status(memory_status), .m_serve(m_serve), .m_come(m_come),
    .m_close(m_close), .m_known(m_known), .m_entry(m_entry), .m_single(m_single),
    .m_read(m_read), .m_port(m_port), .m_tag(m_tag), .m_uid(m_uid), .ret_some(ret_some),
    .ret_status(ret_status),
    .ret_entry(ret_entry), .ret_last(ret_last), .ret_request(ret_q), .ret_data(ret_data),
    .s_drop(s_ret && served), .s_close(s_close), .s_join(join_it), .s_miss(s_miss),
    .s_alloc(fetch), .s_entry(s_entry), .s_request(q), .s_data(q_data), .full(mshrs_full),
    .waiting_full(waiting_full), .next_miss(next_miss), .count_next(mshr_count_next),
    .come_next(come_next));

  // ---- write-throughs
  logic [THROUGHS-1:0] slot_used1;
  logic [SLOT-1:0]     slot;
  logic [SLOT:0]       slot_count_next;
  assign slot_used1      = slot_used
                         & ~(m_through ? THROUGHS'(1) << m_index[SLOT-1:0] : THROUGHS'(0));
  assign slot_count_next = slot_count1 + {{SLOT{1'b0}}, through};
  always_comb begin : lowest_slot
    integer i;
    slot = '0;
    for (i = THROUGHS - 1; i >= 0; i = i - 1) if (!slot_used1[i]) slot = SLOT'(i);
  end

  // ---- 5. to memory
  request_t own, down0, down1, down2, down_q;
  always_comb begin
    own         = '0;
    own.command = kWrite;
    own.atomic  = kOpNone;
    own.bytes   = 8'd4;
    own.client  = kClientL2;
    own.returns = 1'b1;
    own.source  = cfg_channel;
    down0       = own;
    down0.tag   = {kTagWriteBack, 29'd0, epoch};
    down0.mask  = s_dirty;
    down2       = own;
    down2.tag   = {kTagWriteBack, 29'd0, epoch};
    down2.mask  = w_sent_dirty;
    down1       = own;
    if (through) begin
      down1     = q;
      down1.tag = {kTagWriteThrough, 30'(slot)};
    end else begin
      down1.command = kRead;
      down1.tag     = {kTagFill, 30'(next_miss)};
      down1.mask    = ~64'd0;
      down1.vmid    = q.vmid;
      down1.uid     = q.uid;
    end
  end
  logic               down_some;
  logic [MESSAGE-1:0] down_head;
  logic [511:0]       down_lines;
  tc_l2_queue #(.DEPTH(MEMORY), .W(MESSAGE)) downs (
    .clk(clk), .rst(rst), .push({w_send, fetch || through, s_back}), .head0({down0, s_old}),
    .head1({down1, q_line}), .head2({down2, w_sent_line}), .data0(s_data),
    .data1(through ? q_data : 512'd0), .data2(w_data), .pop(down_valid), .some(down_some),
    .head(down_head), .data(down_lines), .count(down_count), .count_next(down_next));
  assign down_valid   = go && down_some && down_ready;
  assign {down_q, down_line} = down_valid ? down_head : '0;
  assign down_mask    = down_q.mask;
  assign down_command = down_q.command;
  assign down_atomic  = down_q.atomic;
  assign down_bytes   = down_q.bytes;
  assign down_client  = down_q.client;
  assign down_vmid    = down_q.vmid;
  assign down_glc     = down_q.glc;
  assign down_slc     = down_q.slc;
  assign down_through = down_q.through;
  assign down_returns = down_q.returns;
  assign down_source  = down_q.source;
  assign down_port    = down_q.port;
  assign down_tag     = down_q.tag;
  assign down_uid     = down_q.uid;
  assign down_compare = down_q.compare;
  assign down_data    = down_valid ? down_lines : 512'd0;

  // ---- 6. to the fabric
  logic             answer_some;
  logic [REPLY-1:0] answer_head, m_head, s_head;
  logic [31:0]      due, left;
  answer_t          answer_q;
  logic [511:0]     answer_lines;
  assign m_head = {now + {24'd0, m_serve ? cfg_fill : cfg_ack}, m_reply};
  assign s_head = {now + {24'd0, s_ret ? cfg_fill : cfg_hit}, s_reply};
  tc_l2_queue #(.DEPTH(ANSWERS), .W(REPLY)) answers (
    .clk(clk), .rst(rst), .push({1'b0, reply, m_answer}), .head0(m_head), .head1(s_head),
    .head2(REPLY'(0)), .data0((m_serve && m_ok) ? m_data : 512'd0),
    .data1((read || (atomic && q.returns)) ? s_data : 512'd0), .data2(512'd0), .pop(answer_valid),
    .some(answer_some), .head(answer_head), .data(answer_lines), .count(answers_count),
    .count_next(answers_next));
  assign due            = answer_head[REPLY-1-:32];
  assign left           = due - now;
  assign answer_valid   = go && answer_some && answer_ready && (left[31] || left == 32'd0);
  assign answer_q       = answer_valid ? answer_head[REPLY-33:0] : '0;
  assign answer_tag     = answer_q.tag;
  assign answer_port    = answer_q.port;
  assign answer_status  = answer_q.status;
  assign answer_command = answer_q.command;
  assign answer_uid     = answer_q.uid;
  assign answer_line    = answer_q.line;
  assign answer_data    = answer_valid ? answer_lines : 512'd0;

  // ---- events
  assign event_reads             = {1'b0, m_serve} + {1'b0, reply && q.command == kRead};
  assign event_read_hits         = read && !s_pending;
  assign event_read_misses       = fetch && q.command == kRead;
  assign event_read_merged       = join_it && q.command == kRead;
  assign event_partial_fills     = fetch && s_hit;
  assign event_writes            = write || through;
  assign event_write_hits        = (write || through) && s_hit;
  assign event_write_allocates   = write && !s_hit;
  assign event_write_throughs    = through;
  assign event_atomics           = atomic;
  assign event_atomic_operands   = atomic ? operands : 5'd0;
  assign event_waited            = join_it;
  assign event_fills             = m_fill && m_ok;
  assign event_failed_fills      = m_fill && !m_ok;
  assign event_evictions         = b_replace && s_used;
  assign event_writebacks        = {1'b0, s_back} + {1'b0, w_send};
  assign event_writeback_bytes   = {1'b0, ones(s_back ? s_dirty : 64'd0)}
                                 + {1'b0, ones(w_send ? w_sent_dirty : 64'd0)};
  assign event_invalidated_lines = w_dropped + {4'd0, m_dropped} + {4'd0, b_dropped};
  assign event_cache_actions     = w_started;
  assign event_unmapped_writes   = unmapped;
  assign event_bytes_read        = {1'b0, m_serve && m_ok, 6'd0} + {1'b0, read, 6'd0};
  assign event_bytes_written     = (write || through) ? ones(q.mask) : 7'd0;
  assign event_busy_cycles       = {8'd0, served} + (atomic ? {1'b0, cfg_atomic - 8'd1} : 9'd0);
  assign fetch_valid             = fetch;
  assign fetch_miss              = fetch ? 7'(next_miss) : 7'd0;

  // ---- state
  logic [2:0] stall_next;
  logic [7:0] busy_next;
  assign stall_next = served ? kStallNone : why != kStallNone ? why : stall_reason;
  assign busy_next  = atomic ? cfg_atomic - 8'd1 : busy == 8'd0 ? 8'd0 : busy - 8'd1;
  assign state_stall = go ? stall_next : 3'd0;
  assign state_idle  = go && mshr_count_next == '0 && answers_next == '0 && down_next == '0
                   && slot_count_next == '0 && open0_next == 32'd0 && open1_next == 32'd0
                   && !w_active_next;
  assign state_waits = go && !come_next && answers_next == '0 && down_next == '0
                   && busy_next == 8'd0 && w_waits_next;

  always_ff @(posedge clk) begin
    now <= now + 32'd1;
    if (m_through) slot_used[m_index[SLOT-1:0]] <= 1'b0;
    if (through) begin
      slot_used[slot] <= 1'b1;
      slots[slot]     <= s_reply;
    end
    busy         <= busy_next;
    stall_reason <= stall_next;
    epoch        <= epoch_next;
    open0        <= open0_next;
    open1        <= open1_next;
    slot_count   <= slot_count_next;
    if (rst) begin
      now          <= 32'd0;
      slot_used    <= '0;
      busy         <= 8'd0;
      stall_reason <= kStallNone;
      epoch        <= 1'b0;
      open0        <= 32'd0;
      open1        <= 32'd0;
      slot_count   <= '0;
    end
  end

endmodule
