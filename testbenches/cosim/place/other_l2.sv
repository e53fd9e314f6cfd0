// SPDX-License-Identifier: Apache-2.0
// An L2 channel of another structure than the project's: it fetches lines that are written, has a
// lookup in two steps, one request for each line sent for, and one write-through at a time. FAULT:
//   1  a fill's number is beyond cfg_mshrs        2  ends of cache actions that none has asked for
//   3  answers that none has asked for            4  answers are kept
//   5  fabric_mapped is taken to hold of write-throughs, too
module other_l2 #(
  parameter int SETS = 16,
  parameter int WAYS = 2,
  parameter int MSHRS = 4,
  parameter int FAULT = 0
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               control_pause,
  input  logic               fabric_valid,
  input  logic               fabric_mapped,
  input  logic [57:0]        fabric_line,
  input  logic [63:0]        fabric_mask,
  input  logic [1:0]         fabric_command,
  input  logic [4:0]         fabric_atomic,
  input  logic [7:0]         fabric_bytes,
  input  logic [3:0]         fabric_client,
  input  logic [7:0]         fabric_vmid,
  input  logic               fabric_through,
  input  logic               fabric_returns,
  input  logic [15:0]        fabric_port,
  input  logic [31:0]        fabric_tag,
  input  logic [63:0]        fabric_uid,
  input  logic [63:0]        fabric_compare,
  input  logic [15:0][31:0]  fabric_data,
  output logic               fabric_ready,
  input  logic               memory_valid,
  input  logic [31:0]        memory_tag,
  input  logic [1:0]         memory_status,
  input  logic [15:0][31:0]  memory_data,
  output logic               memory_ready,
  input  logic               action_valid,
  input  logic               action_writeback,
  input  logic               action_invalidate,
  input  logic [63:0]        action_base,
  input  logic [63:0]        action_size,
  input  logic [31:0]        action_tag,
  output logic               action_ready,
  input  logic               done_ready,
  output logic               done_valid,
  output logic [31:0]        done_tag,
  input  logic               answer_ready,
  output logic               answer_valid,
  output logic [31:0]        answer_tag,
  output logic [15:0]        answer_port,
  output logic [1:0]         answer_status,
  output logic [1:0]         answer_command,
  output logic [57:0]        answer_line,
  output logic [63:0]        answer_uid,
  output logic [15:0][31:0]  answer_data,
  input  logic               down_ready,
  output logic               down_valid,
  output logic [57:0]        down_line,
  output logic [63:0]        down_mask,
  output logic [1:0]         down_command,
  output logic [4:0]         down_atomic,
  output logic [7:0]         down_bytes,
  output logic [3:0]         down_client,
  output logic [7:0]         down_vmid,
  output logic               down_through,
  output logic               down_returns,
  output logic [31:0]        down_tag,
  output logic [63:0]        down_uid,
  output logic [15:0][31:0]  down_data,
  output logic               state_idle
);
  localparam int SW = $clog2(SETS), WW = $clog2(WAYS), MW = $clog2(MSHRS), EW = SW + WW;
  localparam int ENTRIES = SETS * WAYS;
  localparam logic [1:0] kRead = 0, kWrite = 1, kAtomic = 2;
  localparam logic [1:0] kOk = 0, kUnmapped = 1, kRefused = 2;
  localparam logic [31:0] kFill = FAULT == 1 ? 32'h3fff_ff00 : 32'h0, kWriteBack = 32'h4000_0000,
                          kThrough = 32'h8000_0000;
  localparam logic [4:0] kCmpSwap = 1, kFCmpSwap = 14, kNone = 17;

  typedef struct packed {
    logic         mapped;
    logic [57:0]  line;
    logic [63:0]  mask;
    logic [1:0]   command;
    logic [4:0]   atomic;
    logic [7:0]   bytes;
    logic [3:0]   client;
    logic [7:0]   vmid;
    logic         through, returns;
    logic [15:0]  port;
    logic [31:0]  tag;
    logic [63:0]  uid, compare;
    logic [511:0] data;
  } request_t;
  typedef struct packed {
    logic [31:0]  tag;
    logic [15:0]  port;
    logic [1:0]   status, command;
    logic [57:0]  line;
    logic [63:0]  uid;
    logic [511:0] data;
  } answer_t;
  typedef struct packed {
    logic [57:0]  line;
    logic [63:0]  mask;
    logic [1:0]   command;
    logic [3:0]   client;
    logic [7:0]   vmid;
    logic         through;
    logic [31:0]  tag;
    logic [63:0]  uid;
    logic [511:0] data;
  } message_t;

  // ---- what a request makes of its line
  function automatic logic less(logic [63:0] a, logic [63:0] b);  // of floats in the upper bits
    if (a[62:0] == 0 && b[62:0] == 0) return 0;
    if (a[63] != b[63]) return a[63];
    return a[63] ? a[62:0] > b[62:0] : a[62:0] < b[62:0];
  endfunction
  function automatic logic nan(logic wide, logic [63:0] a);
    return wide ? a[62:52] == '1 && a[51:0] != 0 : a[62:55] == '1 && a[54:32] != 0;
  endfunction
  // Operands lie in the upper bits; `one` is the lowest bit there.
  function automatic logic [63:0] atomic(logic wide, logic [4:0] op, logic [63:0] o, logic [63:0] s,
                                         logic [63:0] c);
    logic [63:0] one;
    logic numbers;
    one = wide ? 64'd1 : 64'h1_0000_0000;
    numbers = !nan(wide, s) && !nan(wide, o);
    case (op)
      0: return s;
      1: return o == c ? s : o;
      2: return o + s;
      3: return o - s;
      4: return s - o;
      5: return $signed(s) < $signed(o) ? s : o;
      6: return s < o ? s : o;
      7: return $signed(s) > $signed(o) ? s : o;
      8: return s > o ? s : o;
      9: return o & s;
      10: return o | s;
      11: return o ^ s;
      12: return o >= s ? 0 : o + one;
      13: return o == 0 || o > s ? s : o - one;
      14: return !nan(wide, o) && !nan(wide, c) && !less(o, c) && !less(c, o) ? s : o;
      15: return numbers && less(s, o) ? s : o;
      16: return numbers && less(o, s) ? s : o;
      default: return o;
    endcase
  endfunction
  function automatic logic [511:0] after(request_t r, logic [511:0] old);
    logic [63:0] now;
    after = old;
    if (r.command == kWrite) begin
      for (int b = 0; b < 64; b++) if (r.mask[b]) after[8*b +: 8] = r.data[8*b +: 8];
    end else if (r.command == kAtomic && r.bytes == 8) begin
      for (int i = 0; i < 8; i++)
        if (r.mask[8*i])
          after[64*i +: 64] = atomic(1, r.atomic, old[64*i +: 64], r.data[64*i +: 64], r.compare);
    end else if (r.command == kAtomic) begin
      for (int i = 0; i < 16; i++)
        if (r.mask[4*i]) begin
          now = atomic(0, r.atomic, {old[32*i +: 32], 32'd0}, {r.data[32*i +: 32], 32'd0},
                       {r.compare[31:0], 32'd0});
          after[32*i +: 32] = now[63:32];
        end
    end
  endfunction
  function automatic logic malformed(request_t r);
    if (r.command != kAtomic) return 0;
    malformed = (r.bytes != 4 && r.bytes != 8) || r.atomic >= kNone || r.mask == 0 ||
                ((r.atomic == kCmpSwap || r.atomic == kFCmpSwap) &&
                 $countones(r.mask) != 32'(r.bytes));
    for (int i = 0; i < 16; i++) malformed |= r.mask[4*i +: 4] != 0 && r.mask[4*i +: 4] != '1;
    for (int i = 0; i < 8; i++)
      malformed |= r.bytes == 8 && r.mask[8*i +: 8] != 0 && r.mask[8*i +: 8] != '1;
  endfunction
  function automatic answer_t reply(request_t r, logic [1:0] status, logic [511:0] old);
    logic data;
    data = status == kOk && (r.command == kRead || (r.command == kAtomic && r.returns));
    return '{tag: r.tag, port: r.port, status: status, command: r.command, line: r.line,
             uid: r.uid, data: data ? old : '0};
  endfunction

  // ---- what is inside
  logic [57:0]        tags [ENTRIES];
  logic [511:0]       lines [ENTRIES];
  logic [63:0]        dirty [ENTRIES];
  logic [7:0]         vmids [ENTRIES];
  logic [ENTRIES-1:0] valid, sent_for;
  logic [WW-1:0]      victim [SETS];
  request_t           miss [MSHRS];
  logic [EW-1:0]      miss_entry [MSHRS];
  logic [MSHRS-1:0]   missing;
  request_t           first, second, through;  // of the lookup; that memory has
  logic               first_valid, second_valid, through_valid;
  answer_t            answers [8];
  message_t           messages [8];
  logic [2:0]         answer_head, answer_tail, message_head, message_tail;
  logic [3:0]         answer_count, message_count;
  logic [15:0]        write_backs;  // that memory has not answered
  logic               walks, walk_end, walk_writes, walk_drops;
  logic [63:0]        walk_base, walk_size;
  logic [31:0]        walk_tag;
  logic [EW:0]        walk_at;

  // ---- the second step: a hit, or what a miss needs
  logic          hit, busy, has_victim, has_miss;
  logic [EW-1:0] hit_entry, victim_entry;
  logic [MW-1:0] free_miss;
  logic [SW-1:0] set;
  assign set = second.line[SW-1:0] ^ second.line[2*SW-1:SW];
  always_comb begin
    hit = 0; hit_entry = 0; has_victim = 0; victim_entry = 0; has_miss = 0; free_miss = 0;
    busy = through_valid && through.line == second.line;
    for (int w = 0; w < WAYS; w++) begin
      if (valid[{set, WW'(w)}] && tags[{set, WW'(w)}] == second.line) begin
        hit = 1;
        hit_entry = {set, WW'(w)};
      end
      if (!sent_for[{set, victim[set] + WW'(w)}] && !has_victim) begin
        has_victim = 1;
        victim_entry = {set, victim[set] + WW'(w)};
      end
    end
    for (int m = 0; m < MSHRS; m++) begin
      if (missing[m] && miss[m].line == second.line) busy = 1;
      if (!missing[m]) begin
        has_miss = 1;
        free_miss = MW'(m);
      end
    end
  end

  logic          fills, acknowledges, refused, walk_hits;
  logic [MW-1:0] filled;
  logic [63:0]   walk_byte;
  assign fills        = memory_valid && memory_ready && memory_tag[31:30] == 0;
  assign acknowledges = memory_valid && memory_ready && memory_tag[31:30] == 2;
  assign filled       = memory_tag[MW-1:0];
  assign refused      = second.command == kWrite && !second.mapped && (!second.through || FAULT == 5);
  assign walk_byte    = {tags[walk_at[EW-1:0]], 6'b0};
  assign walk_hits    = walks && !walk_end && valid[walk_at[EW-1:0]] && (walk_writes || walk_drops) &&
                        (walk_size == '1 || (walk_byte + 63 >= walk_base && walk_byte < walk_base + walk_size));

  function automatic message_t write_back(logic [EW-1:0] entry);
    return '{line: tags[entry], mask: dirty[entry], command: kWrite, client: 0, vmid: vmids[entry],
             through: 0, tag: kWriteBack, uid: 0, data: lines[entry]};
  endfunction

  logic     leaves, answers_now, sends, hits, evicts, fetches, passes, room;
  answer_t  new_answer;
  message_t new_message;
  assign room = answer_count < 7 && message_count < 7;
  always_comb begin
    leaves = 0; answers_now = 0; sends = 0; hits = 0; evicts = 0; fetches = 0; passes = 0;
    new_answer = '0; new_message = '0;
    if (fills || acknowledges) begin
      answers_now = 1;
      new_answer = fills ? reply(miss[filled], memory_status, memory_data) : reply(through, memory_status, '0);
    end else if (second_valid && room && !busy) begin
      if (refused || malformed(second)) begin
        answers_now = 1; leaves = 1;
        new_answer = reply(second, malformed(second) ? kRefused : kUnmapped, '0);
      end else if (second.command == kWrite && second.through) begin
        passes = !through_valid; leaves = passes; sends = passes;
        new_message = '{line: second.line, mask: second.mask, command: kWrite, client: second.client,
                        vmid: second.vmid, through: 1, tag: kThrough, uid: second.uid, data: second.data};
      end else if (hit) begin
        hits = 1; leaves = 1; answers_now = 1;
        new_answer = reply(second, kOk, lines[hit_entry]);
      end else if (has_miss && has_victim) begin
        sends = 1;
        evicts = valid[victim_entry] && dirty[victim_entry] != 0;
        fetches = !evicts; leaves = fetches;
        new_message = evicts ? write_back(victim_entry)
                             : '{line: second.line, mask: '1, command: kRead, client: second.client, vmid: second.vmid,
                                 through: 0, tag: kFill | 32'(free_miss), uid: second.uid, data: '0};
      end
    end else if (walk_hits && room && dirty[walk_at[EW-1:0]] != 0) begin
      sends = 1;
      new_message = write_back(walk_at[EW-1:0]);
    end
  end

  // ---- pins
  logic second_free, first_free, quiet, ends;
  answer_t  answer;
  message_t message;
  assign second_free  = !second_valid || leaves;
  assign first_free   = !first_valid || second_free;
  assign quiet        = !first_valid && !second_valid && missing == 0 && !through_valid;
  assign fabric_ready = first_free && !control_pause && !walks && !action_valid;
  assign action_ready = quiet && !walks && !control_pause;
  assign memory_ready = answer_count < 7;
  assign ends         = walks && walk_end && write_backs == 0 && done_ready;
  assign done_valid   = ends || FAULT == 2;
  assign done_tag     = walk_tag;
  assign answer       = answers[answer_head];
  assign answer_valid = (answer_count != 0 && FAULT != 4) || FAULT == 3;
  assign {answer_tag, answer_port, answer_status, answer_command, answer_line, answer_uid, answer_data} =
      FAULT == 3 ? '0 : answer;
  assign message      = messages[message_head];
  assign down_valid   = message_count != 0;
  assign {down_line, down_mask, down_command, down_client, down_vmid, down_through, down_tag, down_uid, down_data} = message;
  assign down_atomic  = kNone;
  assign down_bytes   = 4;
  assign down_returns = 1;
  assign state_idle   = quiet && !walks && answer_count == 0 && message_count == 0 && write_backs == 0;

  logic answer_leaves, message_leaves;
  assign answer_leaves  = answer_count != 0 && answer_valid && answer_ready;
  assign message_leaves = down_valid && down_ready;

  // ---- the edge
  always_ff @(posedge clk) begin
    if (answers_now) begin
      answers[answer_tail] <= new_answer;
      answer_tail <= answer_tail + 1;
    end
    if (answer_leaves) answer_head <= answer_head + 1;
    answer_count <= answer_count + 4'(answers_now) - 4'(answer_leaves);
    if (sends) begin
      messages[message_tail] <= new_message;
      message_tail <= message_tail + 1;
    end
    if (message_leaves) message_head <= message_head + 1;
    message_count <= message_count + 4'(sends) - 4'(message_leaves);
    write_backs <= write_backs + 16'(sends && new_message.tag == kWriteBack)
                 - 16'(memory_valid && memory_ready && memory_tag[31:30] == 1);

    if (fills) begin
      missing[filled] <= 0;
      sent_for[miss_entry[filled]] <= 0;
      valid[miss_entry[filled]] <= memory_status == kOk;
      tags[miss_entry[filled]] <= miss[filled].line;
      vmids[miss_entry[filled]] <= miss[filled].vmid;
      lines[miss_entry[filled]] <= after(miss[filled], memory_data);
      dirty[miss_entry[filled]] <= miss[filled].command != kRead ? miss[filled].mask : 0;
    end
    if (acknowledges) through_valid <= 0;
    if (hits) begin
      lines[hit_entry] <= after(second, lines[hit_entry]);
      if (second.command != kRead) dirty[hit_entry] <= dirty[hit_entry] | second.mask;
    end
    if (passes) begin
      through_valid <= 1;
      through <= second;
      if (hit) begin
        lines[hit_entry] <= after(second, lines[hit_entry]);
        dirty[hit_entry] <= dirty[hit_entry] & ~second.mask;
      end
    end
    if (evicts) valid[victim_entry] <= 0;
    if (fetches) begin
      valid[victim_entry] <= 0;
      sent_for[victim_entry] <= 1;
      victim[set] <= victim[set] + 1;
      missing[free_miss] <= 1;
      miss[free_miss] <= second;
      miss_entry[free_miss] <= victim_entry;
    end
    if (second_free) begin
      second_valid <= first_valid;
      second <= first;
    end
    if (first_free) begin
      first_valid <= fabric_valid && fabric_ready;
      first <= '{mapped: fabric_mapped, line: fabric_line, mask: fabric_mask, command: fabric_command, atomic: fabric_atomic,
                 bytes: fabric_bytes, client: fabric_client, vmid: fabric_vmid, through: fabric_through,
                 returns: fabric_returns, port: fabric_port, tag: fabric_tag, uid: fabric_uid, compare: fabric_compare,
                 data: fabric_data};
    end

    if (action_valid && action_ready) begin
      {walks, walk_end, walk_writes, walk_drops} <= {2'b10, action_writeback, action_invalidate};
      {walk_base, walk_size, walk_tag} <= {action_base, action_size, action_tag};
      walk_at <= 0;
    end else if (walks && !walk_end && room && !answers_now) begin
      if (walk_hits) begin
        dirty[walk_at[EW-1:0]] <= 0;
        if (walk_drops) valid[walk_at[EW-1:0]] <= 0;
      end
      walk_at <= walk_at + 1;
      walk_end <= walk_at == (EW + 1)'(ENTRIES - 1);
    end
    if (ends) walks <= 0;

    if (rst) begin
      {first_valid, second_valid, through_valid, walks, walk_end} <= 0;
      {valid, sent_for, missing, write_backs} <= 0;
      {answer_head, answer_tail, answer_count, message_head, message_tail, message_count} <= 0;
      for (int i = 0; i < ENTRIES; i++) dirty[i] <= 0;
      for (int i = 0; i < SETS; i++) victim[i] <= 0;
    end
  end
endmodule
