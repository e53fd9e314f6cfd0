// SPDX-License-Identifier: Apache-2.0
// One ring of the micro engine: the phases of its packet, the operation of its program, and what it
// has under way. It says what it would do with the turn (what comes in counts in the same cycle),
// and does it when it has it (`go`) and the cycle takes place (`step`).
`include "cp_me_pkg.sv"
module cp_me_ring #(
  parameter logic [1:0] RING = 2'd0
) (
  input  logic         clk,
  input  logic         rst,
  input  logic         step,
  input  logic [47:0]  now,
  input  logic [15:0]  packet_cycles,
  input  logic [31:0]  limit_wait_reg_mem,
  input  logic [31:0]  limit_semaphore,
  // queue
  input  logic         meq_valid,
  input  logic [31:0]  meq_dword,
  input  logic [7:0]   meq_vmid,
  input  logic [3:0]   meq_fixed,     // of the header's packet
  // program
  input  logic         op_valid,
  input  logic         op_end,
  input  logic [4:0]   op_kind,
  input  logic         op_path,
  input  logic         op_stream,
  input  logic         op_kernel,
  input  logic         op_wait,
  input  logic [4:0]   op_dwords,
  input  logic [1:0]   op_swap,
  input  logic [1:0]   op_limit,
  input  logic         op_buffer,
  input  logic         op_gds,
  input  logic         op_privileged,
  input  logic         op_of_context,
  input  logic [31:0]  op_offset,
  input  logic [31:0]  op_value,
  input  logic [7:0]   op_event_type,
  input  logic [31:0]  op_cycles,
  input  logic [63:0]  op_operand,
  input  logic [63:0]  op_address,
  input  logic [511:0] op_data,
  output logic         asks,          // with the turn: for an operation that is not there
  output logic         ask_start,
  output logic [63:0]  ask_value,
  output logic [511:0] ask_data,
  // answers
  input  logic         hub_valid,
  input  logic [6:0]   hub_tag,
  input  logic [57:0]  hub_line,
  input  logic [511:0] hub_data,
  input  logic         l2_valid,
  input  logic [6:0]   l2_tag,
  input  logic [57:0]  l2_line,
  input  logic [511:0] l2_data,
  input  logic         read_valid,
  input  logic [31:0]  read_value,
  input  logic         cache_valid,
  input  logic         dma_written,
  input  logic         dma_done,
  input  logic         grant_valid,
  input  logic         grant_buffer,
  input  logic         gds_valid,
  input  logic         gds_wanted,
  input  logic         gds_atomic,
  input  logic [127:0] gds_row,
  input  logic [127:0] gds_column,
  input  logic         stored_valid,
  input  logic         event_passed,  // one that was waited for
  // room
  input  logic         hub_ready,
  input  logic         l2_ready,
  input  logic         bus_ready,
  input  logic         cache_ready,
  input  logic         dma_ready,
  input  logic         eop_ready,
  input  logic         gds_ready,
  input  logic         ce_ready,
  input  logic         events_full,
  // with the turn
  output logic         runnable,
  output logic         takes_op,
  output logic         takes_dword,
  output logic [1:0]   take_kind,
  output logic         moves,         // without an operation
  output logic         enters_code,
  output logic         in_code,
  output logic         stalls,        // for `why`
  output logic [4:0]   why,
  output logic         tries,         // an operation
  output logic         of_registers,  // it is the render contexts' as well
  output logic [1:0]   result,        // else
  output logic [4:0]   result_why,
  output logic         finishes,
  output logic         expires,       // a semaphore
  output logic         times_out,     // a WAIT_REG_MEM
  // the operation
  output logic [4:0]   kind,
  output logic         path,
  output logic         kernel,
  output logic         waits_too,
  output logic [4:0]   dwords,
  output logic [1:0]   swap,
  output logic         buffer,
  output logic         privileged,
  output logic         of_context,
  output logic [31:0]  offset,
  output logic [31:0]  value,
  output logic [7:0]   event_type,
  output logic [63:0]  operand,
  output logic [63:0]  address,
  output logic [511:0] data,
  output logic         second,
  output logic [7:0]   vmid,
  // it has the turn
  input  logic         go,
  input  logic [1:0]   did,
  input  logic         lacks_context,
  // after this cycle
  output logic [2:0]   state_phase,
  output logic [4:0]   state_wait,
  output logic         state_no_context,
  output logic         idle
);
  import cp_me_pkg::*;

  logic [2:0]   phase;
  logic [3:0]   fixed, have;
  logic [14:0]  left;          // dwords of the body in the queue
  logic [47:0]  code_until, ready_at;
  logic [7:0]   owner;
  // the operation
  logic         has_op;
  logic [4:0]   h_kind, h_dwords;
  logic         h_path, h_stream, h_kernel, h_wait, h_buffer, h_gds, h_privileged, h_of_context;
  logic [1:0]   h_swap, h_limit;
  logic [31:0]  h_offset, h_value, h_cycles;
  logic [7:0]   h_event_type;
  logic [63:0]  h_operand, h_address;
  logic [511:0] h_data;
  logic [4:0]   streamed;      // of its dwords
  logic         issued;        // the first line of a read
  // what it waits for
  logic [4:0]   waiting;
  logic         no_context, polling, overdue;
  logic [47:0]  polling_since;
  // under way
  logic [1:0]   missing;       // lines of a read
  logic [15:0]  writes, dma_unwritten, dma_open, gds_open, gds_stores;
  logic         read_done, cache_done, event_done, gds_done;
  logic [1:0]   grant;         // 1 + buffer
  // what the last operations have brought
  logic [63:0]  found;
  logic [511:0] found_data;

  // ---- answers
  logic         hub_ack, hub_read, l2_ack, l2_read;
  logic [511:0] from_hub, from_memory;
  cp_me_answer #(.RING(RING)) hub (
    .valid(hub_valid), .tag(hub_tag), .line(hub_line), .data(hub_data), .address(h_address[63:2]),
    .dwords(h_dwords), .swap(h_swap), .acknowledged(hub_ack), .read(hub_read), .had(found_data),
    .has(from_hub));
  cp_me_answer #(.RING(RING)) l2 (
    .valid(l2_valid), .tag(l2_tag), .line(l2_line), .data(l2_data), .address(h_address[63:2]),
    .dwords(h_dwords), .swap(h_swap), .acknowledged(l2_ack), .read(l2_read), .had(from_hub),
    .has(from_memory));

  wire [127:0] gds_data = gds_atomic ? gds_column : gds_row;
  wire         gds_brings = gds_valid && gds_wanted;
  wire [511:0] found_data1 = gds_brings ? {from_memory[511:128], gds_data} : from_memory;
  wire [1:0]   missing1 = missing - {1'b0, hub_read} - {1'b0, l2_read};
  wire [15:0]  writes1 = writes - {15'd0, hub_ack} - {15'd0, l2_ack};
  wire [15:0]  dma_unwritten1 = dma_unwritten - {15'd0, dma_written};
  wire [15:0]  dma_open1 = dma_open - {15'd0, dma_done};
  wire [15:0]  gds_open1 = gds_open - {15'd0, gds_valid};
  wire [15:0]  gds_stores1 = gds_stores - {15'd0, stored_valid};
  wire         read_done1 = read_done || read_valid;
  wire         cache_done1 = cache_done || cache_valid;
  wire         event_done1 = event_done || event_passed;
  wire         gds_done1 = gds_done || gds_brings;
  wire [1:0]   grant1 = grant_valid ? {grant_buffer, !grant_buffer} : grant;
  logic [63:0] found1;
  always_comb begin
    found1 = found;
    if (read_valid) found1 = {32'd0, read_value};
    if (gds_brings) found1 = gds_data[63:0];
    if (waiting == kMemData) found1 = found_data1[63:0];
    if (waiting == kCe) found1 = {62'd0, grant1};
  end

  // ---- the wait
  logic over;
  always_comb
    case (waiting)
      kReadData:  over = read_done1;
      kMemData:   over = missing1 == 2'd0;
      kMemWrites: over = writes1 == 16'd0;
      kEvents:    over = event_done1;
      kCe:        over = grant1 != 2'd0;
      kDmaBusy:   over = (h_wait ? dma_open1 : dma_unwritten1) == 16'd0;
      kGds:       over = gds_open1 == 16'd0;
      kGdsData:   over = gds_done1;
      kGdsStore:  over = gds_stores1 == 16'd0;
      kPoll:      over = now >= ready_at;
      default:    over = 1'b1;
    endcase

  // ---- the program
  assign in_code = phase == kCode && now < code_until;
  wire starts = phase == kCode && now >= code_until;
  wire running = phase == kExecute && over;
  wire needs_op = starts || (running && !has_op);
  assign asks      = needs_op && !op_valid;
  assign ask_start = starts;
  assign ask_value = starts ? '0 : found1;
  assign ask_data  = starts ? '0 : found_data1;
  assign takes_op  = needs_op && op_valid;
  wire ends = takes_op && op_end;

  assign kind       = takes_op ? op_kind : h_kind;
  assign path       = takes_op ? op_path : h_path;
  assign kernel     = takes_op ? op_kernel : h_kernel;
  assign waits_too  = takes_op ? op_wait : h_wait;
  assign dwords     = takes_op ? op_dwords : h_dwords;
  assign swap       = takes_op ? op_swap : h_swap;
  assign buffer     = takes_op ? op_buffer : h_buffer;
  assign privileged = takes_op ? op_privileged : h_privileged;
  assign of_context = takes_op ? op_of_context : h_of_context;
  assign offset     = takes_op ? op_offset : h_offset;
  assign event_type = takes_op ? op_event_type : h_event_type;
  assign operand    = takes_op ? op_operand : h_operand;
  assign address    = takes_op ? op_address : h_address;
  assign second     = !takes_op && issued;
  assign vmid       = owner;
  wire         stream = takes_op ? op_stream : h_stream;
  wire         gds = takes_op ? op_gds : h_gds;
  wire [1:0]   limit_kind = takes_op ? op_limit : h_limit;
  wire [31:0]  cycles = takes_op ? op_cycles : h_cycles;
  wire [4:0]   streamed1 = takes_op ? 5'd0 : streamed;

  // ---- dwords
  wire executes = takes_op ? !op_end : running && has_op;
  wire lacks = executes && stream && streamed1 < dwords;
  wire operand_comes = lacks && meq_valid;
  wire last_operand = streamed1 + 5'd1 >= dwords;
  wire drops = phase == kDrop || ends;
  wire passes = drops && left != 15'd0 && meq_valid;
  wire header = phase == kHeader && meq_valid;
  wire collects = phase == kCollect && meq_valid;
  assign takes_dword = header || collects || operand_comes || passes;
  assign take_kind   = header ? 2'd0 : collects ? 2'd1 : operand_comes ? 2'd2 : 2'd3;
  assign finishes    = drops && (left == 15'd0 || (passes && left == 15'd1));
  assign enters_code = (header && meq_fixed == 4'd0) || (collects && have + 4'd1 >= fixed);
  assign runnable    = phase != kHeader || meq_valid;

  assign value = operand_comes && kind == kRegWrite ? meq_dword : takes_op ? op_value : h_value;
  always_comb begin
    data = takes_op ? op_data : h_data;
    if (operand_comes && kind != kTake) data[32*streamed1[3:0]+:32] = meq_dword;
  end

  // ---- what it would do
  assign tries = executes && (!lacks || (operand_comes && last_operand));
  assign moves = header || collects || passes || finishes || (operand_comes && !tries);
  assign of_registers = (kind == kRegWrite && !privileged) || kind == kContextsIdle;
  always_comb begin
    stalls = 1'b0;
    why    = kNone;
    if (phase == kCollect || drops || lacks) begin
      stalls = !takes_dword && !finishes;
      why    = kQueue;
    end else if (phase == kExecute && !over) begin
      stalls = 1'b1;
      why    = waiting;
    end
  end

  // ---- operations but those of registers
  wire port_ready = path ? l2_ready : hub_ready;
  wire one_line = {1'b0, address[5:0]} + {dwords, 2'b00} <= 7'd64;
  always_comb begin
    result     = kDone;
    result_why = kNone;
    case (kind)
      kRegRead:
        if (!bus_ready) begin
          result = kBlocked;
          result_why = kBusBusy;
        end
      kMemRead:
        if (!port_ready) begin
          result = kBlocked;
          result_why = kMemPort;
        end else if (!second && !one_line) result = kPartly;
      kMemWrite:
        if (!port_ready) begin
          result = kBlocked;
          result_why = kMemPort;
        end
      kAtomic:
        if (!l2_ready) begin
          result = kBlocked;
          result_why = kMemPort;
        end
      kEvent, kEop, kDeIncrement:
        if (kind == kEop && gds && gds_open1 != 16'd0) begin
          result = kWaits;
          result_why = kGds;
        end else if (kind == kEop && !eop_ready) begin
          result = kWaits;
          result_why = kEopFull;
        end else if (kind == kDeIncrement && !ce_ready) begin
          result = kWaits;
          result_why = kCe;
        end else if (events_full) begin
          result = kWaits;
          result_why = kEvents;
        end else if (!bus_ready) begin
          result = kBlocked;
          result_why = kBusBusy;
        end
      kDma:
        if (gds && gds_open1 != 16'd0) begin
          result = kWaits;
          result_why = kGds;
        end else if (!dma_ready) begin
          result = kWaits;
          result_why = kDmaBusy;
        end
      kCeWait, kCeTell:
        if (!ce_ready) begin
          result = kWaits;
          result_why = kCe;
        end
      kCacheStart:
        if (!cache_ready) begin
          result = kWaits;
          result_why = kCache;
        end
      kGdsRead, kGdsWrite, kGdsAtomic:
        if (!gds_ready) begin
          result = kBlocked;
          result_why = kGds;
        end
      default: ;
    endcase
  end

  // ---- limits of polls
  wire polls = tries && kind == kDelay;
  wire polled_before = polling && !starts;
  wire [47:0] polled = polled_before ? now - polling_since : 48'd0;
  wire [31:0] limit = limit_kind == 2'd1 ? limit_wait_reg_mem
                    : limit_kind == 2'd2 ? limit_semaphore : 32'd0;
  wire too_long = polls && limit != 32'd0 && !(overdue && !starts) && polled >= {16'd0, limit};
  assign expires   = too_long && limit_kind == 2'd2;
  assign times_out = too_long && limit_kind == 2'd1;

  // ---- after the turn
  wire acts = go && tries && did == kDone;
  wire uses_gds = kind == kGdsRead || kind == kGdsWrite || kind == kGdsAtomic;
  wire wants_gds = uses_gds && (kind == kGdsRead || waits_too);
  logic [4:0] waits_for;  // after the operation
  always_comb
    case (kind)
      kRegRead:            waits_for = kReadData;
      kMemRead, kAtomic:   waits_for = kMemData;
      kWaitWrites:         waits_for = writes1 != 16'd0 ? kMemWrites : kNone;
      kDelay:              waits_for = kPoll;
      kEvent:              waits_for = waits_too ? kEvents : kNone;
      kWaitDma:            waits_for = (waits_too ? dma_open1 : dma_unwritten1) != 16'd0
                                     ? kDmaBusy : kNone;
      kCeWait:             waits_for = kCe;
      kGdsRead:            waits_for = kGdsData;
      kGdsWrite, kGdsAtomic: waits_for = waits_too ? kGdsData : kNone;
      kWaitGds:            waits_for = gds_open1 != 16'd0 ? kGds : kNone;
      kWaitGdsStore:       waits_for = gds_stores1 != 16'd0 ? kGdsStore : kNone;
      default:             waits_for = kNone;
    endcase

  always_comb begin
    state_phase = phase;
    if (go) begin
      if (header) state_phase = kCollect;
      if (enters_code) state_phase = kCode;
      if (takes_op) state_phase = kExecute;
      if (ends) state_phase = kDrop;
      if (finishes) state_phase = kHeader;
    end
    state_wait = waiting;
    if (go && running) state_wait = kNone;
    if (acts) state_wait = waits_for;
    state_no_context = acts ? 1'b0 : lacks_context ? 1'b1 : no_context;
  end
  wire has_op1 = go && takes_op ? !op_end && !acts : has_op && !acts;
  wire [15:0] writes2 = writes1 + {15'd0, acts && kind == kMemWrite};
  wire [15:0] dma_open2 = dma_open1 + {15'd0, acts && kind == kDma};
  wire [15:0] gds_open2 = gds_open1 + {15'd0, acts && uses_gds};
  assign idle = !has_op1 && state_wait == kNone && writes2 == 16'd0 && dma_open2 == 16'd0
             && gds_open2 == 16'd0;

  // ---- the packet
  always_ff @(posedge clk) begin
    if (rst) begin
      phase <= kHeader;
    end else if (step) begin
      phase <= state_phase;
      if (go) begin
        if (header) begin
          fixed <= meq_fixed;
          have  <= 4'd0;
          left  <= {1'b0, meq_dword[29:16]} + 15'd1;
          owner <= meq_vmid;
        end else if (takes_dword) begin
          left <= left - 15'd1;
          if (collects) have <= have + 4'd1;
        end
        if (enters_code) code_until <= now + {32'd0, packet_cycles};
      end
    end
  end

  // ---- the operation
  always_ff @(posedge clk) begin
    if (rst) begin
      has_op <= 1'b0;
    end else if (step) begin
      has_op <= has_op1;
      if (go && takes_op && !op_end) begin
        h_kind       <= op_kind;
        h_path       <= op_path;
        h_stream     <= op_stream;
        h_kernel     <= op_kernel;
        h_wait       <= op_wait;
        h_dwords     <= op_dwords;
        h_swap       <= op_swap;
        h_limit      <= op_limit;
        h_buffer     <= op_buffer;
        h_gds        <= op_gds;
        h_privileged <= op_privileged;
        h_of_context <= op_of_context;
        h_offset     <= op_offset;
        h_event_type <= op_event_type;
        h_cycles     <= op_cycles;
        h_operand    <= op_operand;
        h_address    <= op_address;
        streamed     <= 5'd0;
        issued       <= 1'b0;
      end
      if (go && executes) begin
        h_value <= value;
        h_data  <= data;
        if (operand_comes) streamed <= streamed1 + 5'd1;
        if (tries && did == kPartly && kind == kMemRead) issued <= 1'b1;
      end
    end
  end

  // ---- what it waits for and has under way
  always_ff @(posedge clk) begin
    if (rst) begin
      waiting       <= kNone;
      no_context    <= 1'b0;
      polling       <= 1'b0;
      overdue       <= 1'b0;
      missing       <= '0;
      writes        <= '0;
      dma_unwritten <= '0;
      dma_open      <= '0;
      gds_open      <= '0;
      gds_stores    <= '0;
      read_done     <= 1'b0;
      cache_done    <= 1'b0;
      event_done    <= 1'b0;
      gds_done      <= 1'b0;
      grant         <= '0;
    end else if (step) begin
      waiting       <= state_wait;
      no_context    <= state_no_context;
      writes        <= writes2;
      dma_open      <= dma_open2;
      gds_open      <= gds_open2;
      dma_unwritten <= dma_unwritten1 + {15'd0, acts && kind == kDma};
      gds_stores    <= gds_stores1 + {15'd0, acts && kind == kEop && gds};
      read_done     <= acts && kind == kRegRead ? 1'b0 : read_done1;
      cache_done    <= acts && kind == kCacheStart ? 1'b0 : cache_done1;
      event_done    <= acts && kind == kEvent && waits_too ? 1'b0 : event_done1;
      gds_done      <= acts && wants_gds ? 1'b0 : gds_done1;
      grant         <= acts && kind == kCeWait ? 2'd0 : grant1;
      missing       <= missing1;
      if (go && tries && kind == kMemRead && did <= kPartly)
        missing <= second ? missing1 + 2'd1 : 2'd1;
      if (acts && kind == kAtomic) missing <= 2'd1;
      if (go && starts) begin
        polling <= 1'b0;
        overdue <= 1'b0;
      end
      if (acts && polls) begin
        polling <= 1'b1;
        if (!polled_before) polling_since <= now;
        if (too_long) overdue <= 1'b1;
        ready_at <= now + {16'd0, cycles};
      end
    end
  end

  // ---- what the operations have brought
  always_ff @(posedge clk) begin
    if (step) begin
      found      <= go && starts ? '0 : found1;
      found_data <= go && starts ? '0 : found_data1;
      if (go && operand_comes && kind == kTake)
        found_data[32*streamed1[3:0]+:32] <= meq_dword;
      if (acts && kind == kRegWrite) found <= {32'd0, value};
      if (acts && kind == kCachePoll) found <= {63'd0, cache_done1};
      if (acts && kind == kClock) found <= {16'd0, now};
    end
  end
endmodule
