// SPDX-License-Identifier: Apache-2.0
// Scheduler of a memory controller channel: requests of L2 and the hub wait in a queue of reads and
// one of writes; at most one command a cycle goes to the devices. Timing rules: JEDEC JESD212.
//
// Both ports may be taken in a cycle; for the last free entry they alternate. Of the accesses to one
// line each gets its column command after the one before. A request that comes is scheduled in the
// same cycle.
//
// Reads are served until cfg_write_high writes wait, a read waits after a write of its line, or no
// read waits; then writes, until no more than cfg_write_low do. An access that has waited for
// cfg_starvation cycles decides the direction by age. Of a direction mc_schedule_pick chooses among
// the oldest cfg_lookahead; around a drain that cfg_write_high began, mc_schedule_turn comes first.
// When all of them are after accesses of the other direction, that is served.
//
// Every cfg_refi cycles all banks are closed and refreshed; nothing else is commanded from then
// until the refresh. Refreshes due while nothing waited are made up for when the next request comes.
//
// ctl_now counts the cycles of the devices' clock; while nothing waits, and in pauses, it may leave
// some out. In a pause nothing is taken or commanded. An access occupies one of cfg_room places from
// its column command until a done.
//
// cmd_kind: 0 precharge, 1 activate, 2 read, 3 write, 4 precharge of all banks, 5 refresh. cmd_id
// names the request of a column command; cmd_row is of that and of activate. event_* count what has
// happened in the cycle.
module mc_schedule (
  `include "mc_schedule_ports.svh"
);
  localparam int BANKS = 16;
  localparam int IDS = 256;
  localparam int T = 40;

  localparam logic [2:0] kPrecharge = 3'd0;
  localparam logic [2:0] kActivate = 3'd1;
  localparam logic [2:0] kRead = 3'd2;
  localparam logic [2:0] kWrite = 3'd3;
  localparam logic [2:0] kPrechargeAll = 3'd4;
  localparam logic [2:0] kRefresh = 3'd5;

  typedef logic [BANKS-1:0][T-1:0] times_t;

  logic [3:0] group;
  function automatic logic [3:0] group_of(input logic [3:0] of, input logic [3:0] mask);
    group_of = of & mask;
  endfunction
  function automatic logic [T-1:0] later(input logic [T-1:0] a, input logic [T-1:0] b);
    later = a > b ? a : b;
  endfunction

  wire go = !rst && !ctl_pause;
  wire [T-1:0] now = ctl_now;

  // ---- entries, by id
  logic [57:0]    line_of     [0:IDS-1];
  logic [57:0]    row_of      [0:IDS-1];
  logic [3:0]     bank_of     [0:IDS-1];
  logic [T-1:0]   accepted_at [0:IDS-1];
  logic [7:0]     follower_of [0:IDS-1];
  logic [IDS-1:0] is_write, came_second, waits, behind, followed, was_opened, was_conflict;

  // ---- banks and bus
  logic [BANKS-1:0]       open;
  logic [BANKS-1:0][57:0] open_row;
  times_t                 next_activate_of, next_precharge_of, next_read_of, next_write_of, group_next;
  logic [T-1:0]           next_read, next_write, next_activate, next_refresh;
  logic [3:0][T-1:0]      activates;  // the last four, plus tFAW
  logic [1:0]             activate_index;
  logic [7:0]             room;
  logic                   writing, by_mark, last_was_write, hub_first;
  logic [7:0]             reads_behind_writes;

  logic [7:0]             r_size, w_size;

  // ---- acceptance
  wire        f_valid = go && (hub_first ? hub_valid : l2_valid);
  wire        s_valid = go && (hub_first ? l2_valid : hub_valid);
  wire        f_write = hub_first ? hub_write : l2_write;
  wire        s_write = hub_first ? l2_write : hub_write;
  wire [7:0]  f_id = hub_first ? hub_id : l2_id;
  wire [7:0]  s_id = hub_first ? l2_id : hub_id;
  wire [3:0]  f_bank = hub_first ? hub_bank : l2_bank;
  wire [3:0]  s_bank = hub_first ? l2_bank : hub_bank;
  wire [57:0] f_row = hub_first ? hub_row : l2_row;
  wire [57:0] s_row = hub_first ? l2_row : hub_row;
  wire [57:0] f_line = hub_first ? hub_line : l2_line;
  wire [57:0] s_line = hub_first ? l2_line : hub_line;
  wire f_take = f_valid && (f_write ? w_size != cfg_writes : r_size != cfg_reads);
  wire s_take = s_valid && (s_write ? w_size + {7'd0, f_take && f_write} != cfg_writes
                                    : r_size + {7'd0, f_take && !f_write} != cfg_reads);
  assign l2_ready  = hub_first ? s_take : f_take;
  assign hub_ready = hub_first ? f_take : s_take;

  // The access to the line that the next one waits for: the youngest, which none follows yet.
  logic       f_behind, s_behind, f_after_write, s_after_write;
  logic [7:0] f_after, s_after;
  always_comb begin
    f_behind = 1'b0;
    s_behind = 1'b0;
    f_after  = '0;
    s_after  = '0;
    if (f_take)
      for (int i = 0; i < IDS; i++)
        if (waits[i] && !followed[i] && line_of[i] == f_line) begin
          f_behind = 1'b1;
          f_after  = 8'(i);
        end
    if (s_take)
      for (int i = 0; i < IDS; i++)
        if (waits[i] && !followed[i] && line_of[i] == s_line) begin
          s_behind = 1'b1;
          s_after  = 8'(i);
        end
    if (s_take && f_take && f_line == s_line) begin
      s_behind = 1'b1;
      s_after  = f_id;
    end
    f_after_write = is_write[f_after];
    s_after_write = f_take && s_after == f_id ? f_write : is_write[s_after];
  end
  assign event_order_waits = {1'b0, f_behind} + {1'b0, s_behind};
  wire [7:0] reads_behind_writes1 = reads_behind_writes
           + {7'd0, f_behind && !f_write && f_after_write}
           + {7'd0, s_behind && !s_write && s_after_write};

  // ---- refreshes that were due while nothing waited: only the last can still be in progress
  wire caught_up = (f_take || s_take) && r_size == '0 && w_size == '0
                && cfg_refi != '0 && now > next_refresh;
  logic [31:0]      missed;
  logic [BANKS-1:0] open1;
  times_t           next_activate_of1;
  logic [T-1:0]     next_refresh1, last_refresh;
  always_comb begin
    missed            = '0;
    open1             = open;
    next_activate_of1 = next_activate_of;
    next_refresh1     = next_refresh;
    last_refresh      = '0;
    if (caught_up) begin
      last_refresh  = (now - T'(1) - next_refresh) / T'(cfg_refi);
      missed        = last_refresh[31:0] + 32'd1;
      last_refresh  = next_refresh + last_refresh * T'(cfg_refi);
      next_refresh1 = last_refresh + T'(cfg_refi);
      open1         = '0;
      for (int b = 0; b < BANKS; b++) begin
        if (open[b])
          next_activate_of1[b] = later(next_activate_of[b],
                                       later(next_refresh, next_precharge_of[b]) + T'(cfg_rp));
        last_refresh = later(last_refresh, next_activate_of1[b]);
      end
      for (int b = 0; b < BANKS; b++) next_activate_of1[b] = last_refresh + T'(cfg_rfc);
    end
  end

  // ---- queues
  wire f_hit = open1[f_bank] && open_row[f_bank] == f_row;
  wire s_hit = open1[s_bank] && open_row[s_bank] == s_row;
  wire [1:0] r_push = {s_take && !s_write, f_take && !f_write};
  wire [1:0] w_push = {s_take && s_write, f_take && f_write};
  wire [1:0] push_free = {!s_behind, !f_behind};

  logic [7:0]             r_size1, w_size1;
  logic [1023:0]          r_ids, w_ids;
  logic [63:0]            r_eligible, w_eligible, r_hits, w_hits;
  logic [64*BANKS-1:0] r_of_bank, w_of_bank;
  logic                   opens, r_erase, w_erase, frees, e_free, e_hit;
  logic [63:0]            r_opened, w_opened;
  logic [BANKS-1:0]       closed;
  logic [5:0]             at;
  logic [7:0]             freed;
  logic [3:0]             e_bank;
  mc_schedule_queue reads (
    .clk, .rst, .push(r_push), .push_id0(f_id), .push_id1(s_id), .push_bank0(f_bank),
    .push_bank1(s_bank), .push_free, .push_hit({s_hit, f_hit}), .size(r_size), .size1(r_size1),
    .ids1(r_ids), .eligible1(r_eligible), .hits1(r_hits), .of_bank1(r_of_bank), .opens,
    .opened(r_opened), .closed, .erase(r_erase), .erase_at(at), .enter_bank(e_bank),
    .enter_free(e_free), .enter_hit(e_hit), .frees, .freed_id(freed));
  mc_schedule_queue writes (
    .clk, .rst, .push(w_push), .push_id0(f_id), .push_id1(s_id), .push_bank0(f_bank),
    .push_bank1(s_bank), .push_free, .push_hit({s_hit, f_hit}), .size(w_size), .size1(w_size1),
    .ids1(w_ids), .eligible1(w_eligible), .hits1(w_hits), .of_bank1(w_of_bank), .opens,
    .opened(w_opened), .closed, .erase(w_erase), .erase_at(at), .enter_bank(e_bank),
    .enter_free(e_free), .enter_hit(e_hit), .frees, .freed_id(freed));
  assign state_reads  = rst ? '0 : r_size1 - {7'd0, r_erase};
  assign state_writes = rst ? '0 : w_size1 - {7'd0, w_erase};

  // ---- the direction
  wire [7:0]   r_front = r_ids[7:0];
  wire [7:0]   w_front = w_ids[7:0];
  wire         r_fresh = r_size == '0, w_fresh = w_size == '0;  // has just come
  wire         r_starves = !r_fresh && now - accepted_at[r_front] >= T'(cfg_starvation);
  wire         w_starves = !w_fresh && now - accepted_at[w_front] >= T'(cfg_starvation);
  wire [T:0]   r_age = r_fresh ? {now, !r_push[0]} : {accepted_at[r_front], came_second[r_front]};
  wire [T:0]   w_age = w_fresh ? {now, !w_push[0]} : {accepted_at[w_front], came_second[w_front]};
  wire         none = r_size1 == '0 && w_size1 == '0;
  wire         both = r_size1 != '0 && w_size1 != '0;
  wire         refreshes = cfg_refi != '0 && now >= next_refresh1;
  wire         active = go && !none;
  wire         choosing = active && !refreshes;
  wire         write = !both                    ? r_size1 == '0
                     : r_starves || w_starves   ? w_age < r_age
                     : reads_behind_writes1 != '0 ? 1'b1
                     : writing                  ? w_size1 > cfg_write_low
                                                : w_size1 >= cfg_write_high;
  wire         drains = choosing && write && !writing;
  wire         by_mark1 = drains ? w_size1 >= cfg_write_high : by_mark;
  wire         turning = choosing && both && by_mark1 && last_was_write != write;
  assign event_write_drains = drains;
  assign state_writing      = !rst && (choosing ? write : writing);

  // ---- when each bank can take what
  wire [T-1:0] window_next = activates[activate_index];
  times_t      read_ready, write_ready, read_hit_ready, write_hit_ready, row_ready, activate_ready;
  logic [BANKS-1:0] can_read, can_write, can_row;
  always_comb begin
    for (int b = 0; b < BANKS; b++) begin
      read_hit_ready[b]  = later(next_read_of[b], group_next[group_of(4'(b), cfg_group_mask)]);
      write_hit_ready[b] = later(next_write_of[b], group_next[group_of(4'(b), cfg_group_mask)]);
      read_ready[b]      = later(read_hit_ready[b], next_read);
      write_ready[b]     = later(write_hit_ready[b], next_write);
      activate_ready[b]  = later(next_activate_of1[b], next_activate);
      if (cfg_faw != '0) activate_ready[b] = later(activate_ready[b], window_next);
      row_ready[b] = open1[b] ? next_precharge_of[b] : activate_ready[b];
      can_read[b]  = read_ready[b] <= now;
      can_write[b] = write_ready[b] <= now;
      can_row[b]   = row_ready[b] <= now;
    end
  end
  // From a column command to the first that may follow in the other direction.
  wire [13:0] write_to_read = {2'd0, cfg_wl} + {2'd0, cfg_burst} + {2'd0, cfg_wtr};
  wire [13:0] bus_free = {2'd0, cfg_cl} + {2'd0, cfg_burst} + {2'd0, cfg_rtw};
  wire [13:0] read_to_write = bus_free > {2'd0, cfg_wl} ? bus_free - {2'd0, cfg_wl} : '0;

  // ---- candidates
  wire [63:0] window = ~64'd0 >> (7'd64 - cfg_lookahead);
  wire [63:0] r_window = r_eligible & window;
  wire [63:0] w_window = w_eligible & window;
  wire [7:0]  room1 = room + {7'd0, done_valid};
  wire        has_room = room1 != '0;
  logic [5:0] r_oldest, w_oldest, r_column_at, w_column_at, r_row_at, w_row_at;
  logic [5:0] t_column_at, t_row_at;
  logic       r_column, w_column, r_row, w_row, t_column, t_row;
  wire [7:0]  r_oldest_id = r_ids[8*r_oldest+:8];
  wire [7:0]  w_oldest_id = w_ids[8*w_oldest+:8];
  wire        r_oldest_fresh = (f_take && r_oldest_id == f_id) || (s_take && r_oldest_id == s_id);
  wire        w_oldest_fresh = (f_take && w_oldest_id == f_id) || (s_take && w_oldest_id == s_id);
  wire        r_oldest_starves = !r_oldest_fresh
                              && now - accepted_at[r_oldest_id] >= T'(cfg_starvation);
  wire        w_oldest_starves = !w_oldest_fresh
                              && now - accepted_at[w_oldest_id] >= T'(cfg_starvation);
  mc_schedule_lowest oldest_read (.mask(r_window), .at(r_oldest));
  mc_schedule_lowest oldest_write (.mask(w_window), .at(w_oldest));
  mc_schedule_pick pick_read (
    .eligible(r_window), .hits(r_hits), .of_bank(r_of_bank), .column_ready(can_read),
    .row_ready(can_row), .room(has_room), .starves(r_oldest_starves), .column(r_column), .column_at(r_column_at), .row(r_row), .row_at(r_row_at));
  mc_schedule_pick pick_write (
    .eligible(w_window), .hits(w_hits), .of_bank(w_of_bank), .column_ready(can_write),
    .row_ready(can_row), .room(has_room), .starves(w_oldest_starves), .column(w_column), .column_at(w_column_at), .row(w_row), .row_at(w_row_at));
  mc_schedule_turn turn (
    .now, .room(turning && has_room), .starves(write ? w_starves : r_starves),
    .coming(write ? w_window : r_window), .coming_hits(write ? w_hits : r_hits),
    .coming_of_bank(write ? w_of_bank : r_of_bank),
    .leaving_hits(write ? r_window & r_hits : w_window & w_hits),
    .leaving_of_bank(write ? r_of_bank : w_of_bank), .open(open1),
    .column_ready(write ? read_ready : write_ready),
    .hit_ready(write ? write_hit_ready : read_hit_ready), .row_ready, .activate_ready,
    .bus_free(write ? next_read : next_write), .rp(cfg_rp),
    .rcd(write ? cfg_rcd_write : cfg_rcd_read),
    .turn_time(write ? read_to_write : write_to_read), .column(t_column),
    .column_at(t_column_at), .row(t_row), .row_at(t_row_at));

  // ---- the command
  logic         column, row, of_write;
  logic [7:0]   id;
  logic [3:0]   bank;
  logic [57:0]  target;
  logic         all_closed, closes_all, refreshed;
  logic [T-1:0] may_refresh;
  logic [4:0]   open_banks;
  always_comb begin
    may_refresh = '0;
    open_banks  = '0;
    all_closed  = open1 == '0;
    if (active && refreshes)
      for (int b = 0; b < BANKS; b++) begin
        open_banks = open_banks + {4'd0, open1[b]};
        if (all_closed) may_refresh = later(may_refresh, next_activate_of1[b]);
        else if (open1[b]) may_refresh = later(may_refresh, next_precharge_of[b]);
      end
    closes_all = active && refreshes && !all_closed && may_refresh <= now;
    refreshed  = active && refreshes && all_closed && may_refresh <= now;
  end
  wire all_wait = (write ? w_window : r_window) == '0;
  always_comb begin
    column   = 1'b0;
    row      = 1'b0;
    of_write = write;
    at       = '0;
    if (choosing) begin
      if (t_column || t_row) begin
        column   = t_column;
        row      = t_row;
        of_write = write ^ t_column;
        at       = t_column ? t_column_at : t_row_at;
      end else begin
        of_write = write ^ all_wait;
        column   = of_write ? w_column : r_column;
        row      = of_write ? w_row : r_row;
        at       = of_write ? (w_column ? w_column_at : w_row_at) : (r_column ? r_column_at : r_row_at);
      end
    end
    id     = of_write ? w_ids[8*at+:8] : r_ids[8*at+:8];
    bank   = f_take && id == f_id ? f_bank : s_take && id == s_id ? s_bank : bank_of[id];
    target = f_take && id == f_id ? f_row : s_take && id == s_id ? s_row : row_of[id];
  end
  assign group = group_of(bank, cfg_group_mask);
  wire fresh   = (f_take && id == f_id) || (s_take && id == s_id);  // has just come
  wire precharges = row && open1[bank];
  wire activate   = row && !open1[bank];
  assign opens   = activate;
  assign r_erase = column && !of_write;
  assign w_erase = column && of_write;
  always_comb begin
    closed = closes_all ? '1 : '0;
    if (precharges) closed[bank] = 1'b1;
  end

  assign cmd_valid = column || row || closes_all || refreshed;
  assign cmd_kind  = column ? (of_write ? kWrite : kRead) : precharges ? kPrecharge
                   : activate ? kActivate : closes_all ? kPrechargeAll : refreshed ? kRefresh : '0;
  assign cmd_bank  = column || row ? bank : '0;
  assign cmd_id    = column ? id : '0;
  assign cmd_row   = column || activate ? target : '0;

  // Accesses to the row that opens.
  always_comb begin
    r_opened = '0;
    w_opened = '0;
    if (activate) begin
      for (int i = 0; i < 64; i++) begin
        r_opened[i] = r_of_bank[{bank, 6'(i)}] && row_at(r_ids[8*i+:8]) == target;
        w_opened[i] = w_of_bank[{bank, 6'(i)}] && row_at(w_ids[8*i+:8]) == target;
      end
    end
  end
  function automatic logic [57:0] row_at(input logic [7:0] i);
    row_at = f_take && i == f_id ? f_row : s_take && i == s_id ? s_row : row_of[i];
  endfunction

  // The access that comes into the oldest 64, and the one that is after no other any more.
  wire [7:0] e_id = of_write ? w_ids[519:512] : r_ids[519:512];
  wire [7:0] next_id = s_take && s_behind && s_after == id ? s_id
                     : f_take && f_behind && f_after == id ? f_id : follower_of[id];
  wire       has_next = (s_behind && s_after == id) || (f_behind && f_after == id)
                     || (!fresh && followed[id]);
  wire       next_write_access = s_take && next_id == s_id ? s_write
                               : f_take && next_id == f_id ? f_write : is_write[next_id];
  always_comb begin
    frees  = column && has_next;
    freed  = next_id;
    e_bank = f_take && e_id == f_id ? f_bank : s_take && e_id == s_id ? s_bank : bank_of[e_id];
    e_hit  = open1[e_bank] && open_row[e_bank] == row_at(e_id);
    e_free = f_take && e_id == f_id ? !f_behind : s_take && e_id == s_id ? !s_behind : !behind[e_id];
  end

  // ---- events
  wire opened_for = !fresh && was_opened[id];
  wire closed_for = !fresh && was_conflict[id];
  wire [T-1:0] waited = fresh ? '0 : now - accepted_at[id];
  assign event_row_conflicts = column && closed_for;
  assign event_row_misses    = column && !closed_for && opened_for;
  assign event_row_hits      = column && !closed_for && !opened_for;
  assign event_activates     = activate;
  logic [4:0] caught_open;
  always_comb begin
    caught_open = '0;
    if (caught_up) for (int b = 0; b < BANKS; b++) caught_open = caught_open + {4'd0, open[b]};
  end
  assign event_precharges = caught_open + (closes_all ? open_banks : {4'd0, precharges});
  wire [31:0] due = refreshed ? 32'((now - next_refresh1) / T'(cfg_refi)) + 32'd1 : '0;
  assign event_refreshes    = missed + due;
  assign event_turnarounds  = column && of_write != last_was_write;
  assign event_starved      = column && waited >= T'(cfg_starvation);
  assign event_queue_cycles = column ? waited : '0;

  // ---- state
  always_ff @(posedge clk) begin
    if (rst) begin
      waits               <= '0;
      reads_behind_writes <= '0;
      hub_first           <= 1'b0;
    end else begin
      if (f_take && !s_take) hub_first <= !hub_first;
      reads_behind_writes <= reads_behind_writes1
                           - {7'd0, frees && of_write && !next_write_access};
      if (f_take) begin
        line_of[f_id]      <= f_line;
        row_of[f_id]       <= f_row;
        bank_of[f_id]      <= f_bank;
        accepted_at[f_id]  <= now;
        is_write[f_id]     <= f_write;
        came_second[f_id]  <= 1'b0;
        waits[f_id]        <= 1'b1;
        behind[f_id]       <= f_behind;
        followed[f_id]     <= 1'b0;
        was_opened[f_id]   <= 1'b0;
        was_conflict[f_id] <= 1'b0;
      end
      if (s_take) begin
        line_of[s_id]      <= s_line;
        row_of[s_id]       <= s_row;
        bank_of[s_id]      <= s_bank;
        accepted_at[s_id]  <= now;
        is_write[s_id]     <= s_write;
        came_second[s_id]  <= 1'b1;
        waits[s_id]        <= 1'b1;
        behind[s_id]       <= s_behind;
        followed[s_id]     <= 1'b0;
        was_opened[s_id]   <= 1'b0;
        was_conflict[s_id] <= 1'b0;
      end
      if (f_behind) begin
        follower_of[f_after] <= f_id;
        followed[f_after]    <= 1'b1;
      end
      if (s_behind) begin
        follower_of[s_after] <= s_id;
        followed[s_after]    <= 1'b1;
      end
      if (column) waits[id] <= 1'b0;
      if (frees) behind[next_id] <= 1'b0;
      if (activate) was_opened[id] <= 1'b1;
      if (precharges) was_conflict[id] <= 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      room           <= cfg_room;
      writing        <= 1'b0;
      by_mark        <= 1'b0;
      last_was_write <= 1'b0;
    end else begin
      room <= room1 - {7'd0, column};
      writing <= state_writing;
      by_mark <= by_mark1;
      if (column) last_was_write <= of_write;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      open              <= '0;
      next_activate_of  <= '0;
      next_precharge_of <= '0;
      next_read_of      <= '0;
      next_write_of     <= '0;
      group_next        <= '0;
      next_read         <= '0;
      next_write        <= '0;
      next_activate     <= '0;
      activates         <= '0;
      activate_index    <= '0;
      next_refresh      <= T'(cfg_refi);
    end else begin
      open             <= open1 & ~closed;
      next_activate_of <= next_activate_of1;
      next_refresh     <= next_refresh1 + T'(due) * T'(cfg_refi);
      for (int b = 0; b < BANKS; b++) begin
        if (closed[b] && open1[b])
          next_activate_of[b] <= later(next_activate_of1[b], now + T'(cfg_rp));
        if (refreshed) next_activate_of[b] <= now + T'(cfg_rfc);
      end
      if (activate) begin
        open[bank]                <= 1'b1;
        open_row[bank]            <= target;
        next_activate_of[bank]    <= now + T'(cfg_rc);
        next_precharge_of[bank]   <= now + T'(cfg_ras);
        next_read_of[bank]        <= now + T'(cfg_rcd_read);
        next_write_of[bank]       <= now + T'(cfg_rcd_write);
        next_activate             <= now + T'(cfg_rrd);
        activates[activate_index] <= now + T'(cfg_faw);
        activate_index            <= activate_index + 2'd1;
      end
      if (column) begin
        group_next[group] <=
            later(group_next[group], now + T'(cfg_ccd_long));
        if (of_write) begin
          next_write <= later(next_write, now + T'(cfg_burst));
          next_read  <= later(next_read, now + T'(write_to_read));
          next_precharge_of[bank] <= later(next_precharge_of[bank],
              now + T'(cfg_wl) + T'(cfg_burst) + T'(cfg_wr));
        end else begin
          next_read  <= later(next_read, now + T'(cfg_burst));
          next_write <= later(next_write, now + T'(read_to_write));
          next_precharge_of[bank] <= later(next_precharge_of[bank], now + T'(cfg_rtp));
        end
      end
    end
  end

endmodule
