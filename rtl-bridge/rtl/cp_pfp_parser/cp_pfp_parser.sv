// SPDX-License-Identifier: Apache-2.0
// Prefetch parser of the command processor, one dword per cycle. Three rings, each with two levels
// of indirect buffers above it; dwords come as lines of the reorder queue (roq, one stream per ring
// and level: 3 * ring + level), and packets for the micro engine leave to its queues (meq).
//
// A packet: its header and the dwords that say whose it is (routed) are taken, cfg_packet_cycles
// later the parser decides. NOPs, and predicated packets while pred_skip of the ring is high, are
// skipped; packets of the micro engine are handed on, header first, one dword per cycle, and
// PFP_SYNC_ME then waits until the micro engine is there (sync); an indirect buffer goes to the
// fetcher and is entered; other packets of the prefetch parser are executed by a program outside, as
// soon as their fixed dwords are here. The constant engine (ce) receives its buffers, and its
// partitions with the last dword of the SET_BASE that names them.
//
// The program: event_begin says which ring's starts; exec_result and exec_reason are, for each ring,
// the outcome of the program's step in this cycle (exec_again: after a dword by exec_give), and
// event_exec says which rings ran a step. A program that finishes with exec_skip not 0 skips so many
// dwords after those it has taken. ctl_hold makes a cycle that changes nothing: outputs are those
// of the same cycle without it.
//
// Rings take turns at packets. A ring that waits gives its turn to the next one; one that is between
// two steps of its own (hold: deciding, a program that is blocked) does not. state_stall is why
// nothing moves, the lowest ring's reason when several wait.
//
// What the parser knows of packets is written by table_*: by opcode, {max_body, min_body, fixed,
// routed_by, rule, for_ce, implemented, rings, known}.
//
// Errors stop the parser until reset; then error_code says which and error_* where. Nothing moves in
// that cycle.
module cp_pfp_parser (
  `include "cp_pfp_parser_ports.svh"
);

  localparam int RINGS = 3;
  localparam int LEVELS = 3;
  localparam int STREAMS = RINGS * LEVELS;

  // phases of a ring's packet
  localparam logic [2:0] kHeader = 3'd0;
  localparam logic [2:0] kRouting = 3'd1;
  localparam logic [2:0] kMicrocode = 3'd2;
  localparam logic [2:0] kForward = 3'd3;
  localparam logic [2:0] kSkip = 3'd4;
  localparam logic [2:0] kExecute = 3'd5;
  localparam logic [2:0] kSyncMe = 3'd6;
  // rules of the packet table
  localparam logic [3:0] kToMe = 4'd0;
  localparam logic [3:0] kFiller = 4'd1;
  localparam logic [3:0] kBuffer = 4'd2;
  localparam logic [3:0] kSync = 4'd3;
  localparam logic [3:0] kWaitRegMem = 4'd4;
  localparam logic [3:0] kSurfaceSync = 4'd5;
  localparam logic [3:0] kWriteData = 4'd6;
  localparam logic [3:0] kCopyData = 4'd7;
  localparam logic [3:0] kCpDma = 4'd8;
  localparam logic [3:0] kConstBuffer = 4'd9;
  localparam logic [3:0] kSetBase = 4'd10;
  localparam logic [3:0] kToPfp = 4'd11;
  // destination bases of a SURFACE_SYNC, which are the micro engine's to match
  localparam logic [31:0] kDestinations = 32'h0028_7fc3;
  // reasons to stall
  localparam logic [3:0] kNoReason = 4'd0;
  localparam logic [3:0] kQueue = 4'd1;
  localparam logic [3:0] kQueueFull = 4'd2;
  localparam logic [3:0] kEvent = 4'd8;
  localparam logic [3:0] kDeciding = 4'd13;
  // what a program does
  localparam logic [2:0] kNeedDword = 3'd1;
  localparam logic [2:0] kBlocked = 3'd2;
  localparam logic [2:0] kWaiting = 3'd3;
  localparam logic [2:0] kFinished = 3'd4;
  // what a ring does in a cycle
  localparam logic [1:0] kMoved = 2'd0;
  localparam logic [1:0] kWait = 2'd1;
  localparam logic [1:0] kHold = 2'd2;
  // errors
  localparam logic [4:0] kType1 = 5'd1;
  localparam logic [4:0] kUnknownOpcode = 5'd2;
  localparam logic [4:0] kWrongRing = 5'd3;
  localparam logic [4:0] kForCe = 5'd4;
  localparam logic [4:0] kNotImplemented = 5'd5;
  localparam logic [4:0] kWrongSize = 5'd6;
  localparam logic [4:0] kCutOff = 5'd7;
  localparam logic [4:0] kEngineCe = 5'd8;
  localparam logic [4:0] kEngineWrong = 5'd10;
  localparam logic [4:0] kTooDeep = 5'd12;
  localparam logic [4:0] kChain = 5'd13;
  localparam logic [4:0] kEmpty = 5'd14;
  localparam logic [4:0] kSwapCode = 5'd15;
  localparam logic [4:0] kRingMoved = 5'd16;
  localparam logic [4:0] kSkipTooFar = 5'd17;

  // ---- state
  logic [47:0] packets[256];
  logic [511:0] line[STREAMS];            // being decoded
  logic [3:0] line_first[STREAMS];
  logic [4:0] line_count[STREAMS];
  logic [4:0] line_used[STREAMS];
  logic [STREAMS-1:0] line_held;
  logic [31:0] position[STREAMS];         // next dword
  logic [31:0] stop_at[STREAMS];          // write pointer, or size
  logic [63:0] ring_base[RINGS];
  logic [7:0] vmid[STREAMS];              // of indirect buffers
  logic [RINGS-1:0] enabled, synced, begun;
  logic [31:0] ring_dwords[RINGS];
  logic [1:0] level[RINGS];               // that is read
  logic [2:0] phase[RINGS];
  logic [1:0] packet_level[RINGS];
  logic [31:0] packet_place[RINGS];
  logic [31:0] header[RINGS];
  logic [255:0] body[RINGS];
  logic [3:0] have[RINGS];                // dwords in body
  logic [14:0] given[RINGS];              // to the micro engine
  logic [14:0] left[RINGS];               // of the body, not taken yet
  logic [31:0] ready_at[RINGS];
  logic [RINGS-1:0] to_me_and_sync, to_fetch, to_ce;
  logic halted;
  logic current_valid;
  logic [1:0] current, turn;              // ring that goes on; that comes first
  logic [4:0] error_r;
  logic [1:0] error_ring_r, error_level_r;
  logic [31:0] error_place_r, error_header_r, error_left_r;
  logic [95:0] error_body_r;

  // ---- updates take effect in their cycle
  logic [RINGS-1:0] now_enabled, now_synced, moved_unread;
  logic [31:0] now_position[RINGS];       // of the ring itself
  logic [31:0] now_stop[RINGS];
  logic [31:0] now_dwords[RINGS];
  logic [RINGS-1:0] updates;
  logic now_halted;
  assign updates = ctl_accept ? upd_valid : 3'b000;
  assign now_synced = synced | sync_valid;
  assign now_halted = halt_valid ? halt_level : halted;
  genvar g;
  generate
    for (g = 0; g < RINGS; g = g + 1) begin : g_update
      logic unread;
      assign unread = position[LEVELS*g] != stop_at[LEVELS*g] || level[g] != 2'd0
                   || phase[g] != kHeader;
      assign moved_unread[g] = updates[g] && unread && enabled[g]
                            && (upd_reset[g] || upd_base[64*g+:64] != ring_base[g]
                                || upd_dwords[32*g+:32] != ring_dwords[g]);
      assign now_enabled[g] = updates[g] ? upd_enabled[g] : enabled[g];
      assign now_position[g] = (updates[g] && upd_reset[g]) ? upd_read_pointer[32*g+:32]
                                                            : position[LEVELS*g];
      assign now_stop[g] = updates[g] ? upd_write_pointer[32*g+:32] : stop_at[LEVELS*g];
      assign now_dwords[g] = updates[g] ? upd_dwords[32*g+:32] : ring_dwords[g];
    end
  endgenerate

  // ---- what each ring would do if it were its turn
  logic [RINGS-1:0] runnable;
  logic [1:0] does[RINGS];
  logic [3:0] reason[RINGS];
  logic [4:0] wrong[RINGS];
  logic [1:0] next_level[RINGS];
  logic [2:0] next_phase[RINGS];
  logic [RINGS-1:0] takes, ends, skips, begins, execs, gives, fetches, pushes, waits_for_me, routed;
  logic [1:0] kind[RINGS];
  logic [31:0] pushed[RINGS];
  logic [31:0] dword[RINGS];              // next of the stream
  logic [31:0] behind[RINGS];             // dwords the stream has after the header or packet at most
  logic [RINGS-1:0] is_first, goes_to_fetch, goes_to_me_and_sync, goes_to_ce, tells_ce;
  logic [14:0] skip_more[RINGS];
  logic [63:0] buffer_base[RINGS];
  logic [RINGS-1:0] available;
  logic [3:0] stream[RINGS];
  logic [95:0] full_body[RINGS];          // with the dword of this cycle
  logic [95:0] shown_body[RINGS];         // as far as it is there
  logic [3:0] have_then[RINGS];

  generate
    for (g = 0; g < RINGS; g = g + 1) begin : g_ring
      logic [1:0] at;                     // level that has something to read
      logic [31:0] here, end_here;
      /* verilator lint_off UNUSEDSIGNAL */
      logic [47:0] entry, info;           // each is looked at in part
      /* verilator lint_on UNUSEDSIGNAL */
      logic [3:0] fixed, routed_by;
      logic type0, at_end;
      logic [14:0] count;
      logic [14:0] rest;
      logic [31:0] word;
      logic [3:0] s;
      logic [31:0] body0, body1, body2;
      logic [2:0] place;                  // in body, of the dword to hand on
      logic last;                         // the next dword to hand on is the packet's last
      logic partitions;                   // SET_BASE names those of the GDS or of CE RAM
      logic destinations;                 // SURFACE_SYNC names some
      logic early;                        // it is not yet time to decide
      logic [31:0] until_ready;

      // Levels that are read to their end are left before a header is taken.
      always_comb begin : find_level
        at = level[g];
        if (phase[g] == kHeader) begin
          if (at == 2'd2 && position[LEVELS*g+2] == stop_at[LEVELS*g+2]) at = 2'd1;
          if (at == 2'd1 && position[LEVELS*g+1] == stop_at[LEVELS*g+1]) at = 2'd0;
        end
      end
      assign s = 4'(LEVELS * g) + {2'd0, at};
      assign stream[g] = s;
      assign here = at == 2'd0 ? now_position[g] : position[s];
      assign end_here = at == 2'd0 ? now_stop[g] : stop_at[s];
      assign at_end = here == end_here || (at == 2'd0 && !now_enabled[g]);
      assign runnable[g] = phase[g] != kHeader || level[g] != 2'd0
                        || (now_enabled[g] && now_position[g] != now_stop[g]);

      // The next dword of the stream, out of the line held or the one in front of the queue.
      always_comb begin : next_dword
        logic [3:0] in_line;
        if (line_held[s]) begin
          in_line = line_first[s] + line_used[s][3:0];
          word = line[s][32*in_line+:32];
        end else begin
          in_line = roq_first[4*s+:4];
          word = roq_dwords[512*s+32*in_line+:32];
        end
      end
      assign dword[g] = word;
      assign available[g] = line_held[s] || roq_valid[s];

      // After the dword at `here`, up to the end of the buffer. What a ring does not have yet is
      // waited for: there, as much as a full ring has after a header, a dword being free.
      assign behind[g] = at == 2'd0 ? now_dwords[g] - 32'd2 : end_here - here - 32'd1;
      // The same from `here` on.
      assign rest = left[g];
      logic [31:0] unread;
      assign unread = at == 2'd0 ? now_dwords[g] - 32'd2 : end_here - here;

      // Of the packet at work.
      assign place = given[g][2:0] - 3'd1;
      assign last = given[g] == {1'b0, header[g][29:16]} + 15'd1;
      assign partitions = body[g][3:1] == 3'd1
                       && body[g][37:32] == 6'd0 && word[5:0] == 6'd0
                       && body[g][47:32] <= word[15:0];
      assign destinations = (body[g][31:0] & kDestinations) != 32'd0;
      assign until_ready = ready_at[g] - ctl_now;
      assign early = until_ready != 32'd0 && !until_ready[31];
      assign type0 = header[g][31:30] == 2'd0;
      assign info = packets[header[g][15:8]];
      assign entry = packets[word[15:8]];
      assign routed_by = type0 ? 4'd0 : info[13:10];
      assign fixed = type0 ? 4'd0 : info[17:14];
      assign count = {1'b0, word[29:16]} + 15'd1;
      assign body0 = (have[g] == 4'd0) ? word : body[g][31:0];
      assign body1 = (have[g] == 4'd1) ? word : body[g][63:32];
      assign body2 = (have[g] == 4'd2) ? word : body[g][95:64];
      assign full_body[g] = {body2, body1, body0};
      assign shown_body[g] = {have_then[g] > 4'd2 ? body2 : 32'd0, have_then[g] > 4'd1 ? body1 : 32'd0,
                              have_then[g] > 4'd0 ? body0 : 32'd0};
      assign have_then[g] = have[g] + ((takes[g] && kind[g] == 2'd1) ? 4'd1 : 4'd0);
      assign buffer_base[g] = {16'd0, body1[15:0], body0[31:2], 2'b00};

      always_comb begin : step
        logic moved;
        logic [2:0] result;
        logic [3:0] rule;
        logic [3:0] now_have;
        logic finished;
        does[g] = kMoved;
        reason[g] = kNoReason;
        wrong[g] = 5'd0;
        next_level[g] = at;
        next_phase[g] = phase[g];
        takes[g] = 1'b0;
        ends[g] = 1'b0;
        skips[g] = 1'b0;
        begins[g] = 1'b0;
        execs[g] = 1'b0;
        gives[g] = 1'b0;
        fetches[g] = 1'b0;
        pushes[g] = 1'b0;
        waits_for_me[g] = 1'b0;
        routed[g] = 1'b0;
        kind[g] = 2'd2;
        pushed[g] = 32'd0;
        is_first[g] = 1'b0;
        goes_to_fetch[g] = to_fetch[g];
        goes_to_me_and_sync[g] = to_me_and_sync[g];
        goes_to_ce[g] = to_ce[g];
        tells_ce[g] = 1'b0;
        skip_more[g] = 15'd0;
        moved = 1'b0;
        result = exec_result[3*g+:3];
        rule = kToMe;
        now_have = have[g];
        finished = 1'b0;
        // -- deciding comes before what is decided
        if (phase[g] == kMicrocode && !early) begin
          rule = type0 ? kToMe : info[9:6];
          goes_to_fetch[g] = 1'b0;
          goes_to_me_and_sync[g] = 1'b0;
          goes_to_ce[g] = 1'b0;
          next_phase[g] = kForward;
          if (!type0 && header[g][0] && pred_skip[g]) begin
            next_phase[g] = kSkip;
          end else begin
            case (rule)
              kFiller: next_phase[g] = kSkip;
              kBuffer: begin
                next_phase[g] = kExecute;
                goes_to_fetch[g] = 1'b1;
              end
              kConstBuffer: begin
                next_phase[g] = kExecute;
                goes_to_ce[g] = 1'b1;
              end
              kSetBase: goes_to_ce[g] = 1'b1;
              kSync: goes_to_me_and_sync[g] = 1'b1;
              kWaitRegMem: if (body[g][8]) next_phase[g] = kExecute;
              kSurfaceSync: if (!body[g][31]) begin
                goes_to_me_and_sync[g] = destinations;
                if (!destinations) next_phase[g] = kExecute;
              end
              kWriteData: begin
                if (body[g][31:30] == 2'd2) wrong[g] = kEngineCe;
                if (body[g][31:30] == 2'd1) next_phase[g] = kExecute;
              end
              kCopyData: begin
                if (body[g][31:30] == 2'd2) wrong[g] = kEngineCe;
                if (body[g][30]) wrong[g] = kEngineWrong;
              end
              kCpDma: if (body[g][59]) next_phase[g] = kExecute;
              kToPfp: next_phase[g] = kExecute;
              default: ;
            endcase
          end
          skips[g] = next_phase[g] == kSkip;
        end
        // -- the phase of this cycle
        case (next_phase[g])
          kHeader: begin
            if (at_end) begin
              does[g] = kWait;
            end else if (!available[g]) begin
              does[g] = kWait;
              reason[g] = kQueue;
            end else begin
              takes[g] = 1'b1;
              kind[g] = 2'd0;
              if (word[31:30] == 2'd2) begin
                ends[g] = 1'b1;
              end else begin
                next_phase[g] = kRouting;
                if (word[31:30] == 2'd1) wrong[g] = kType1;
                else if (word[31:30] == 2'd3) begin
                  if (!entry[0]) wrong[g] = kUnknownOpcode;
                  else if (!entry[1+g]) wrong[g] = kWrongRing;
                  else if (entry[5]) wrong[g] = kForCe;
                  else if (!entry[4]) wrong[g] = kNotImplemented;
                  else if (count < entry[32:18] || count > entry[47:33]) wrong[g] = kWrongSize;
                end
                if (wrong[g] == 5'd0 && {17'd0, count} > behind[g]) wrong[g] = kCutOff;
                if (word[31:30] == 2'd0 || entry[13:10] == 4'd0) begin
                  next_phase[g] = kMicrocode;
                  routed[g] = 1'b1;
                end
              end
            end
          end
          kRouting: begin
            if (!available[g]) begin
              does[g] = kWait;
              reason[g] = kQueue;
            end else begin
              takes[g] = 1'b1;
              kind[g] = 2'd1;
              if (have[g] + 4'd1 == routed_by) begin
                next_phase[g] = kMicrocode;
                routed[g] = 1'b1;
              end
            end
          end
          kMicrocode: begin
            does[g] = kHold;
            reason[g] = kDeciding;
          end
          kSkip: begin
            if (rest == 15'd0) begin
              ends[g] = 1'b1;
            end else if (!available[g]) begin
              does[g] = kWait;
              reason[g] = kQueue;
            end else begin
              takes[g] = 1'b1;
              ends[g] = rest == 15'd1;
            end
          end
          kForward: begin
            if (!meq_ready[g]) begin
              does[g] = kWait;
              reason[g] = kQueueFull;
            end else if (goes_to_ce[g] && last && body[g][3:1] == 3'd1 && !ce_ready[g]) begin
              does[g] = kWait;
              reason[g] = kQueueFull;
            end else if (given[g] <= {11'd0, have[g]}) begin
              pushes[g] = 1'b1;
              is_first[g] = given[g] == 15'd0;
              pushed[g] = is_first[g] ? header[g] : body[g][32*place+:32];
            end else if (!available[g]) begin
              does[g] = kWait;
              reason[g] = kQueue;
            end else begin
              pushes[g] = 1'b1;
              takes[g] = 1'b1;
              pushed[g] = word;
            end
            // The constant engine sees partitions; other bases are the micro engine's.
            tells_ce[g] = pushes[g] && goes_to_ce[g] && last && partitions;
            if (pushes[g] && last) begin
              if (!goes_to_me_and_sync[g]) begin
                ends[g] = 1'b1;
              end else begin
                waits_for_me[g] = 1'b1;
                next_phase[g] = kSyncMe;
                ends[g] = now_synced[g];
              end
            end
          end
          kSyncMe: begin
            if (now_synced[g]) begin
              ends[g] = 1'b1;
            end else begin
              does[g] = kWait;
              reason[g] = kEvent;
            end
          end
          default: begin  // kExecute
            if (have[g] < fixed) begin
              if (!available[g]) begin
                does[g] = kWait;
                reason[g] = kQueue;
              end else begin
                takes[g] = 1'b1;
                kind[g] = 2'd1;
                moved = 1'b1;
                now_have = have[g] + 4'd1;
              end
            end
            if (now_have >= fixed) begin
              begins[g] = !begun[g];
              if (goes_to_fetch[g] || goes_to_ce[g]) begin
                if (goes_to_ce[g] ? !ce_ready[g] : !fetch_ready) begin
                  does[g] = moved ? kMoved : kWait;
                  reason[g] = kQueueFull;
                end else begin
                  fetches[g] = !goes_to_ce[g];
                  tells_ce[g] = goes_to_ce[g];
                  ends[g] = 1'b1;
                  if (!goes_to_ce[g]) next_level[g] = at + 2'd1;
                  if (!goes_to_ce[g] && at == 2'd2) wrong[g] = kTooDeep;
                  else if (body2[20]) wrong[g] = kChain;
                  else if (body2[19:0] == 20'd0) wrong[g] = kEmpty;
                  else if (body0[1:0] == 2'd3) wrong[g] = kSwapCode;
                end
              end else begin
                execs[g] = 1'b1;
                reason[g] = exec_reason[4*g+:4];
                if (result == kNeedDword && !moved) begin
                  if (!available[g]) begin
                    does[g] = kWait;
                    result = kWaiting;
                  end else begin
                    takes[g] = 1'b1;
                    gives[g] = 1'b1;
                    moved = 1'b1;
                        result = exec_again[3*g+:3];
                    reason[g] = exec_again_reason[4*g+:4];
                  end
                end
                if (!moved && result == kBlocked) does[g] = kHold;
                if (!moved && result == kWaiting) does[g] = kWait;
                finished = result == kFinished;
                if (finished && exec_skip[14*g+:14] == 14'd0) ends[g] = 1'b1;
                if (finished && exec_skip[14*g+:14] != 14'd0) begin
                  next_phase[g] = kSkip;
                  skip_more[g] = {1'b0, exec_skip[14*g+:14]};
                  if ({17'd0, skip_more[g]} > (takes[g] ? behind[g] : unread)) wrong[g] = kSkipTooFar;
                end
              end
            end
          end
        endcase
        if (ends[g]) next_phase[g] = kHeader;
      end
    end
  endgenerate

  // ---- whose turn it is
  logic [RINGS-1:0] tried;
  logic acts;                             // a ring moves or holds
  logic [1:0] actor;
  logic [3:0] why;
  always_comb begin : turns
    integer i;
    logic [RINGS-1:0] open;
    logic [1:0] r;
    logic [1:0] lowest;
    open = runnable;
    tried = '0;
    acts = 1'b0;
    actor = 2'd0;
    why = kNoReason;
    lowest = 2'd3;
    r = 2'd0;
    for (i = 0; i < RINGS; i = i + 1) begin
      if (ctl_parse && !now_halted && !acts && open != '0) begin
        // The ring that goes on, or the first at or after the turn.
        if (i == 0 && current_valid && open[current]) begin
          r = current;
        end else begin
          r = turn;
          if (!open[r]) r = r == 2'd2 ? 2'd0 : r + 2'd1;
          if (!open[r]) r = r == 2'd2 ? 2'd0 : r + 2'd1;
        end
        tried[r] = 1'b1;
        open[r] = 1'b0;
        if (wrong[r] != 5'd0 || does[r] != kWait) begin
          acts = 1'b1;
          actor = r;
          why = does[r] == kMoved ? kNoReason : reason[r];
        end else if (reason[r] != kNoReason && r < lowest) begin
          why = reason[r];
          lowest = r;
        end
      end
    end
  end

  // ---- errors: those of updates come first
  logic ok, moves;
  logic [4:0] error_now;
  logic [1:0] wrong_ring;
  always_comb begin : errors
    error_now = 5'd0;
    wrong_ring = actor;
    if (acts && wrong[actor] != 5'd0) error_now = wrong[actor];
    if (moved_unread != '0) begin
      error_now = kRingMoved;
      wrong_ring = moved_unread[0] ? 2'd0 : moved_unread[1] ? 2'd1 : 2'd2;
    end
  end
  assign ok = !rst && error_r == 5'd0 && error_now == 5'd0;
  assign moves = acts && does[actor] == kMoved;

  logic fresh;                            // an error of this cycle
  logic at_header;
  assign fresh = error_r == 5'd0 && error_now != 5'd0;
  assign at_header = phase[wrong_ring] == kHeader;
  assign error_code = rst ? 5'd0 : fresh ? error_now : error_r;
  always_comb begin : where
    error_ring = 2'd0;
    error_level = 2'd0;
    error_place = 32'd0;
    error_header = 32'd0;
    error_left = 32'd0;
    error_body = 96'd0;
    if (!rst && error_r != 5'd0) begin
      error_ring = error_ring_r;
      error_level = error_level_r;
      error_place = error_place_r;
      error_header = error_header_r;
      error_left = error_left_r;
      error_body = error_body_r;
    end else if (!rst && error_now == kRingMoved) begin
      error_ring = wrong_ring;
      error_place = position[stream0(wrong_ring)];
      error_left = stop_at[stream0(wrong_ring)];
    end else if (!rst && error_now != 5'd0) begin
      error_ring = wrong_ring;
      error_level = at_header ? next_level[wrong_ring] : packet_level[wrong_ring];
      error_header = at_header ? dword[wrong_ring] : header[wrong_ring];
      if (at_header) begin
        error_place = next_level[wrong_ring] == 2'd0 ? now_position[wrong_ring]
                                                     : position[stream[wrong_ring]];
        error_left = behind[wrong_ring];
      end else begin
        error_place = packet_place[wrong_ring];
        error_body = shown_body[wrong_ring];
        if (error_now == kSkipTooFar) error_left = {17'd0, skip_more[wrong_ring]};
      end
    end
  end
  function automatic logic [3:0] stream0(input logic [1:0] r);
    stream0 = {2'b00, r} + {1'b0, r, 1'b0};
  endfunction

  // ---- outputs
  logic taking, popping;
  logic [3:0] from;
  assign taking = ok && moves && takes[actor];
  assign from = stream[actor];
  assign popping = taking && !line_held[from];
  assign roq_ready = popping ? 9'd1 << from : 9'd0;
  assign take_valid = taking;
  assign take_ring = taking ? actor : 2'd0;
  assign take_kind = taking ? kind[actor] : 2'd0;
  assign take_dword = taking ? dword[actor] : 32'd0;
  logic new_packet;
  logic [31:0] place_of_header;
  assign new_packet = taking && kind[actor] == 2'd0;
  assign place_of_header = next_level[actor] == 2'd0 ? now_position[actor] : position[from];
  assign take_level = !taking ? 2'd0 : new_packet ? next_level[actor] : packet_level[actor];
  assign take_place = !taking ? 32'd0 : new_packet ? place_of_header : packet_place[actor];

  logic pushing;
  assign pushing = ok && moves && pushes[actor];
  assign meq_valid = pushing ? 3'd1 << actor : 3'd0;
  assign meq_dword = pushing ? pushed[actor] : 32'd0;
  assign meq_first = pushing && is_first[actor];

  assign fetch_valid = ok && moves && fetches[actor];
  /* verilator lint_off UNUSEDSIGNAL */
  logic [95:0] buffer;                    // swap, base, size, space
  /* verilator lint_on UNUSEDSIGNAL */
  assign buffer = full_body[actor];
  assign fetch_ring = fetch_valid ? actor : 2'd0;
  assign fetch_level = fetch_valid ? next_level[actor] : 2'd0;
  // What an indirect buffer calls stays in the address space of the buffer.
  logic [7:0] buffer_vmid;
  assign buffer_vmid = packet_level[actor] == 2'd0 ? buffer[95:88] : vmid[from];
  assign fetch_vmid = fetch_valid ? buffer_vmid : 8'd0;
  assign fetch_swap = fetch_valid ? buffer[1:0] : 2'd0;
  assign fetch_base = fetch_valid ? buffer_base[actor] : 64'd0;
  assign fetch_dwords = fetch_valid ? {12'd0, buffer[83:64]} : 32'd0;

  // The third dword of a SET_BASE that ends here is the one that is taken.
  logic [2:0] handed_on;                  // dwords of the body
  assign handed_on = given[actor][2:0] - 3'd1;
  logic telling, telling_partition;
  assign telling = ok && moves && tells_ce[actor];
  assign telling_partition = telling && pushes[actor];
  assign ce_valid = telling ? 3'd1 << actor : 3'd0;
  assign ce_partition = telling_partition ? body[actor][1:0] : 2'd0;
  assign ce_vmid = telling && !telling_partition ? buffer_vmid : 8'd0;
  assign ce_swap = telling && !telling_partition ? buffer[1:0] : 2'd0;
  assign ce_base = telling && !telling_partition ? buffer_base[actor] : 64'd0;
  assign ce_dwords = telling && !telling_partition ? {12'd0, buffer[83:64]} : 32'd0;
  assign ce_cs1 = telling_partition ? body[actor][47:32] : 16'd0;
  assign ce_cs2 = telling_partition ? {16'd0, dword[actor][15:0]} : 32'd0;

  assign exec_give = ok && moves && gives[actor];
  assign event_skip = ok ? tried & skips : 3'd0;
  assign event_begin = ok ? tried & begins : 3'd0;
  assign event_exec = ok ? tried & execs : 3'd0;
  assign event_sync = ok && moves && waits_for_me[actor];

  logic [31:0] read_up_to;
  always_comb begin : count_on
    read_up_to = at_ring(actor) ? now_position[actor] : position[from];
    if (taking) read_up_to = (at_ring(actor) && read_up_to + 32'd1 == now_dwords[actor])
                             ? 32'd0 : read_up_to + 32'd1;
  end
  function automatic logic at_ring(input logic [1:0] r);
    at_ring = stream[r] == stream0(r);
  endfunction
  assign done_valid = ok && moves && ends[actor];
  assign done_ring = done_valid ? actor : 2'd0;
  assign done_top = done_valid && at_ring(actor);
  assign done_place = done_top ? read_up_to : 32'd0;

  assign state_stall = !ok ? 4'd0 : why;
  generate
    for (g = 0; g < RINGS; g = g + 1) begin : g_after
      logic [2:0] p;
      logic [1:0] l;
      logic mine;
      assign mine = moves && actor == g;
      assign p = !tried[g] ? phase[g] : next_phase[g];
      assign l = !tried[g] ? level[g] : next_level[g];
      logic [31:0] at_ring_now;
      assign at_ring_now = (mine && takes[g] && stream[g] == 4'(LEVELS * g)) ? read_up_to
                                                                            : now_position[g];
      assign state_phase[3*g+:3] = ok ? p : 3'd0;
      assign state_runnable[g] = ok && (p != kHeader || l != 2'd0
                                        || (now_enabled[g] && at_ring_now != now_stop[g]));
    end
  endgenerate

  // ---- edge
  integer r;
  logic edge_now;
  assign edge_now = ok && !ctl_hold;
  always_ff @(posedge clk) begin
    if (table_valid) packets[table_opcode] <= table_entry;
    if (rst) begin
      for (r = 0; r < STREAMS; r = r + 1) begin
        position[r] <= 32'd0;
        stop_at[r] <= 32'd0;
        vmid[r] <= 8'd0;
      end
      for (r = 0; r < RINGS; r = r + 1) begin
        ring_base[r] <= 64'd0;
        ring_dwords[r] <= 32'd0;
        level[r] <= 2'd0;
        phase[r] <= kHeader;
      end
      line_held <= '0;
      enabled <= '0;
      synced <= '0;
      begun <= '0;
      halted <= 1'b0;
      current_valid <= 1'b0;
      turn <= 2'd0;
      error_r <= 5'd0;
    end else if (!ctl_hold && fresh) begin
      error_r <= error_now;
      error_ring_r <= error_ring;
      error_level_r <= error_level;
      error_place_r <= error_place;
      error_header_r <= error_header;
      error_left_r <= error_left;
      error_body_r <= error_body;
    end
    if (edge_now) begin
      halted <= now_halted;
      synced <= now_synced;
      enabled <= now_enabled;
      for (r = 0; r < RINGS; r = r + 1) begin
        position[LEVELS*r] <= now_position[r];
        if (updates[r]) begin
          stop_at[LEVELS*r] <= now_stop[r];
          ring_dwords[r] <= now_dwords[r];
          ring_base[r] <= upd_base[64*r+:64];
        end
        if (tried[r]) begin
          phase[r] <= next_phase[r];
          level[r] <= next_level[r];
          to_fetch[r] <= goes_to_fetch[r];
          to_ce[r] <= goes_to_ce[r];
          to_me_and_sync[r] <= goes_to_me_and_sync[r];
          if (begins[r]) begun[r] <= 1'b1;
          if (phase[r] == kMicrocode && next_phase[r] != kMicrocode) synced[r] <= 1'b0;
        end
      end
      // A ring that waits loses its turn.
      if (acts) begin
        current_valid <= next_phase[actor] != kHeader;
        current <= actor;
        if (next_phase[actor] == kHeader) turn <= actor == 2'd2 ? 2'd0 : actor + 2'd1;
      end else if (tried != '0) begin
        current_valid <= 1'b0;
      end
      if (taking) begin
        position[from] <= read_up_to;
        if (popping) begin
          line[from] <= roq_dwords[512*from+:512];
          line_first[from] <= roq_first[4*from+:4];
          line_count[from] <= roq_count[5*from+:5];
          line_used[from] <= 5'd1;
          line_held[from] <= roq_count[5*from+:5] != 5'd1;
        end else begin
          line_used[from] <= line_used[from] + 5'd1;
          line_held[from] <= line_used[from] + 5'd1 != line_count[from];
        end
        left[actor] <= left[actor] - 15'd1;
        if (kind[actor] == 2'd2 && to_ce[actor] && pushes[actor])
          body[actor][32*handed_on+:32] <= dword[actor];
        if (kind[actor] == 2'd1) begin
          body[actor][32*have[actor][2:0]+:32] <= dword[actor];
          have[actor] <= have[actor] + 4'd1;
        end
      end
      if (new_packet) begin
        header[actor] <= dword[actor];
        packet_level[actor] <= next_level[actor];
        packet_place[actor] <= place_of_header;
        have[actor] <= 4'd0;
        given[actor] <= 15'd0;
        left[actor] <= {1'b0, dword[actor][29:16]} + 15'd1;
        begun[actor] <= 1'b0;
      end
      if (moves && routed[actor]) ready_at[actor] <= ctl_now + {16'd0, cfg_packet_cycles};
      if (pushing) given[actor] <= given[actor] + 15'd1;
      if (moves && skip_more[actor] != 15'd0) left[actor] <= skip_more[actor];
      if (fetch_valid) begin
        position[from+4'd1] <= 32'd0;
        stop_at[from+4'd1] <= fetch_dwords;
        vmid[from+4'd1] <= fetch_vmid;
        line_held[from+4'd1] <= 1'b0;
      end
    end
  end

endmodule
