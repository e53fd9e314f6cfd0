// SPDX-License-Identifier: Apache-2.0
// Adreno's micro engine: "Adreno Five Microcode". One issue cycle a clock, which is one execution of one
// instruction, of (rep) one of several:
//
//   look     the instruction, what it needs of others, and whether that is there
//   operands the first source, then the second; streams hand out words in this order
//   put away the result or the place, extra moves and reads; what leaves
//   go on    delay slots: what a branch or waitin leads to comes after the next instruction
//
// Outputs are those of the issue cycle that takes place in this cycle, from inputs and state. A fault stops
// it until start_valid or rst: state_pc and state_header then stay. What is written from outside
// (start, line, table, pending) takes effect after the issue cycle. Registers, packet table and draw states
// are 0 after a start, and no instruction is there.
`include "afuc_engine_pkg.sv"
`include "afuc_control_map.svh"
module afuc_engine
  import afuc_engine_pkg::*;
  import afuc_control_map::*;
(
  `include "afuc_engine_ports.svh"
);

  // ---- the generation

  logic [1:0] encoding, names;
  logic       coprocessors;
  always_comb begin
    case (cfg_generation)
      3'd0:    {encoding, names, coprocessors} = {kA5, kNamesA5xx, 1'b0};
      3'd1:    {encoding, names, coprocessors} = {kA6, kNamesA6xx, 1'b0};
      3'd2:    {encoding, names, coprocessors} = {kA6, kNamesA6xx, 1'b1};
      3'd3:    {encoding, names, coprocessors} = {kA7, kNamesA7xx, 1'b1};
      default: {encoding, names, coprocessors} = {kA7, kNamesA750, 1'b1};
    endcase
  end
  logic a5;
  assign a5 = names == kNamesA5xx;

  // ---- state

  logic        running, repeating, preempting;
  logic [2:0]  fault;
  logic [16:0] words;
  logic [31:0] pc, target, header, carry;
  logic [1:0]  leads;
  logic [31:0] gpr [0:31];  // $rem, $addr and $usraddr are not among them
  logic [31:0] rem, addr, usr_addr;
  logic        by_usr;
  logic [31:0] sqe [0:15];
  logic [31:0] kept [0:31];
  logic [31:0] handlers [0:127];
  logic [127:0] has_handler;

  localparam logic [3:0] kPreemptInstr = 4'd4, kStackPointer = 4'd5;
  localparam logic [31:0] kStackDepth = 32'd8;

  logic clear;
  assign clear = rst || start_valid;

  // ---- look

  logic [31:0] word;
  logic        there;
  afuc_engine_program program_memory (
    .clk, .clear,
    .write(line_valid && !rst && {1'b0, line_address} < (start_valid ? start_words : words)),
    .line(line_address[15:3]), .words(line_words), .pc(pc[15:0]), .word, .there
  );
  decoded_t d;
  afuc_engine_decode decode (.encoding, .word, .d);

  // Between packets, before a header has been looked at; iret comes back to the waitin.
  logic        interrupts;
  logic [31:0] entries;
  assign entries = sqe[kStackPointer];
  assign interrupts = !rst && fault == kNoFault && running && out_room && leads == kToPacket && !repeating
                    && kept[kSlotPreemptEnable[4:0]][0] && !preempting && entries < kStackDepth
                    && (preempt_request || kept[kSlotPreemptTrigger[4:0]][0]);

  logic enabled, outside, at_hand, illegal, blind, skipped, looks, reads_place;
  assign enabled = !rst && fault == kNoFault && running && out_room && !interrupts;
  assign outside = enabled && pc >= {15'd0, words};
  assign at_hand = enabled && !outside && there;
  assign illegal = at_hand && d.op == kOpIllegal;
  assign skipped = d.rep && !repeating && rem == 32'd0;
  assign looks = leads == kToPacket && !repeating;
  assign reads_place = d.op == kOpCRead || d.op == kOpLoad;
  // What is asked for must be known before words are taken.
  assign blind = at_hand && !illegal && !skipped && reads_place && d.second >= kMemData;

  // Extra moves: as many as words are left after the instruction's own, or after what (rep) counts.
  logic [31:0] left;
  logic [1:0]  own;
  logic [2:0]  moves;
  assign own = d.peek ? 2'd0 : {1'd0, d.first == kDataIn} + {1'd0, d.second == kDataIn};
  assign left = rem - (own == 2'd0 && d.rep ? 32'd1 : {30'd0, own});
  assign moves = left < {30'd0, d.xmov} ? left[2:0] : {1'b0, d.xmov};

  function automatic logic [2:0] times(input logic [4:0] source);
    times = (d.first == source ? 3'd1 + {1'b0, d.sds} : 3'd0)
          + (!d.immediate && d.second == source ? 3'd1 + moves : 3'd0);
  endfunction
  logic [2:0] need_data, need_memory, need_registers;
  always_comb begin
    need_data = skipped ? 3'd0 : times(kDataIn);
    need_memory = skipped ? 3'd0 : times(kMemData);
    need_registers = skipped ? 3'd0 : times(kRegData);
    // Peeking it inspects the same word each time.
    if (need_data == 3'd0 ? looks : d.peek) need_data = 3'd1;
  end

  // ---- operands

  /* verilator lint_off UNUSEDSIGNAL */  // of s
  function automatic logic [31:0] word_of(input issue_t s, input logic [4:0] source);
    case (source)
      kDataIn:  word_of = data_words[s.data];
      kMemData: word_of = memory_words[s.memory];
      kRegData: word_of = register_words[s.registers];
      kRem:     word_of = s.rem;
      default:  word_of = s.bumped && s.bumped_at == source ? s.bumped_value : gpr[source];
    endcase
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic issue_t after_read(input issue_t s, input logic [4:0] source);
    after_read = s;
    if (source == kDataIn && !d.peek) begin
      after_read.rem = s.rem - 32'd1;
      after_read.took_data = 1'b1;
      after_read.data = s.data + 3'd1;
    end
    if (source == kMemData) begin
      after_read.memory = s.memory + 3'd1;
      // When no more are asked for, the last place again.
      if (!cfg_reads_nrt && s.mem_left != 32'd0) begin
        after_read.mem_left = s.mem_left - 32'd1;
        after_read.mem_low = s.mem_low + 32'd4;
        if (s.mem_low[31:2] == 30'h3fffffff && !s.mem_privileged[31]) after_read.mem_high = s.mem_high + 32'd1;
      end
    end
    if (source == kRegData) begin
      after_read.registers = s.registers + 3'd1;
      // a5xx reads what $addr names.
      if (a5 && !s.addr[18]) after_read.addr = s.addr + 32'd1;
      if (!a5 && s.reg_left != 32'd0) begin
        after_read.reg_left = s.reg_left - 32'd1;
        after_read.reg_address = s.reg_address + 32'd1;
      end
    end
  endfunction

  issue_t issue_start, after_first, after_operands;
  logic [31:0] a, b;
  always_comb begin
    issue_start = '0;
    issue_start.rem = rem;
    issue_start.addr = addr;
    issue_start.usr_addr = usr_addr;
    issue_start.by_usr = by_usr;
    issue_start.mem_low = kept[kSlotMemReadAddr[4:0]];
    issue_start.mem_high = kept[kSlotMemReadAddrHi[4:0]];
    issue_start.mem_left = kept[kSlotMemReadDwords[4:0]];
    issue_start.mem_privileged = kept[kSlotMemReadAddrHiPrivileged[4:0]];
    issue_start.reg_address = kept[kSlotRegReadAddr[4:0]];
    issue_start.reg_left = kept[kSlotRegReadDwords[4:0]];
  end
  assign a = word_of(issue_start, d.first);
  assign after_first = after_read(issue_start, d.first);
  assign b = d.immediate ? d.value : word_of(after_first, d.second);
  assign after_operands = d.immediate ? after_first : after_read(after_first, d.second);

  logic [31:0] held, result, carry_next;
  always_comb begin
    case (d.dst)
      kRem:     held = after_operands.rem;
      kAddr:    held = after_operands.addr;
      kUsrAddr: held = after_operands.usr_addr;
      default:  held = gpr[d.dst];
    endcase
  end
  afuc_engine_alu alu (
    .op(d.op), .a, .b, .held, .of_bit(d.of_bit), .low(d.low), .high(d.high),
    .carry, .carry_out(carry_next), .result
  );

  // ---- places

  logic        computes, is_cwrite;
  logic [31:0] place, stored, control;
  logic [5:0]  slot;
  logic        live;
  assign computes = d.op >= kOpAdd && d.op <= kOpBfi;
  assign is_cwrite = d.op == kOpCWrite;
  assign place = b + d.value;
  always_comb begin
    slot = slot_of(names, place[11:0]);
    if (coprocessors && place[11:8] == 4'h2) slot = kSlotLive;  // all engines see it
  end
  assign live = d.op == kOpCRead && place[31:12] == 20'd0 && slot == kSlotLive;
  assign control = slot == kSlotLive ? seen_word : !slot[5] ? kept[slot[4:0]] : stored;

  // ---- waits

  logic [3:0] lacks;
  always_comb begin
    lacks = kNothing;
    if (need_data > data_count) lacks = kData;
    else if (need_memory > memory_count) lacks = kMemory;
    else if (need_registers > register_count) lacks = kRegisters;
    else if (!skipped && d.op == kOpLoad && !loaded_valid) lacks = kLoad;
    else if (!skipped && live && !seen_valid) lacks = kLive;
    else if (d.op == kOpSetSecure && !switched_valid) lacks = kSecure;
  end
  logic tries, goes, executes;
  assign tries = at_hand && !illegal && !blind;
  assign goes = tries && lacks == kNothing;
  assign executes = goes && !skipped;

  // ---- put away

  function automatic issue_t after_push(input issue_t s, input logic [1:0] kind, input logic [17:0] index,
                                       input logic [31:0] value);
    after_push = s;
    after_push.writes = s.writes + 3'd1;
    after_push.kind = s.kind | {6'd0, kind} << {s.writes[1:0], 1'b0};
    after_push.index = s.index | {54'd0, index} << 7'd18 * {5'd0, s.writes[1:0]};
    after_push.value = s.value | {96'd0, value} << {s.writes[1:0], 5'd0};
  endfunction

  // $data: the register that $addr or $usraddr names, whichever was written last.
  function automatic issue_t after_port(input issue_t s, input logic [31:0] value);
    logic [31:0] at, next;
    at = s.by_usr ? s.usr_addr : s.addr;
    next = at[18] ? at : at[31:24] != 8'd0 ? at + 32'h01000000 : at + 32'd1;
    if (cfg_to_queue) begin
      after_port = after_push(s, kQueue, 18'd0, value);
    end else begin
      if (at[31:24] != 8'd0) after_port = after_push(s, kPipe, {10'd0, at[31:24]}, value);
      else after_port = after_push(s, s.by_usr ? kPacket : kInternal, at[17:0], value);
      if (s.by_usr) after_port.usr_addr = next;
      else after_port.addr = next;
    end
  endfunction

  function automatic logic takes_no_data(input logic [7:0] pipe);
    // Public lists have none of a5xx.
    takes_no_data = fires(names, pipe) || (a5 && (pipe == 8'h80 || pipe == 8'hc4));
  endfunction

  function automatic issue_t after_write(input issue_t s, input logic [4:0] register, input logic [31:0] value);
    after_write = s;
    case (register)
      5'd0:     after_write = s;
      kDataOut: after_write = after_port(s, value);
      kAddr, kUsrAddr: begin
        if (!cfg_to_queue && takes_no_data(value[31:24]))
          after_write = after_push(s, kPipe, {10'd0, value[31:24]}, 32'd0);
        if (!cfg_to_queue) after_write.by_usr = register == kUsrAddr;
        if (register == kAddr) after_write.addr = value;
        else after_write.usr_addr = value;
      end
      kRem:     after_write.rem = value;
      default: begin
        after_write.plain = 1'b1;
        after_write.plain_at = register;
        after_write.plain_value = value;
      end
    endcase
  endfunction

  issue_t moved, bumped, placed, put;

  // The second source again, to the port; the second of three to the destination. To nowhere when
  // the destination is not one of the port's registers. Each counts $rem down, as a read of $data
  // does.
  always_comb begin
    moved = after_write(after_operands, d.dst, result);
    for (int i = 0; i < 3; i++)
      if (moves > i[2:0]) begin
        if (d.second != kDataIn || d.peek) moved.rem = moved.rem - 32'd1;
        if (d.dst >= kAddr)
          moved = after_write(after_read(moved, d.second), moves == 3'd3 && i == 1 ? d.dst : kDataOut,
                              word_of(moved, d.second));
        else
          moved = after_read(moved, d.second);
      end
  end

  // "!"
  always_comb begin
    bumped = after_operands;
    if (d.increment) begin
      bumped = after_write(after_operands, d.second, place);
      bumped.bumped = bumped.plain;
      bumped.bumped_at = bumped.plain_at;
      bumped.bumped_value = bumped.plain_value;
      bumped.plain = 1'b0;
    end
  end

  logic [63:0] extra;  // the first words of (sds)
  always_comb begin
    placed = bumped;
    extra = 64'd0;
    if (is_cwrite) begin
      if (slot == kSlotMemReadAddr) placed.mem_low = a;
      if (slot == kSlotMemReadAddrHi) placed.mem_high = a;
      if (slot == kSlotMemReadDwords) placed.mem_left = a;
      if (slot == kSlotMemReadAddrHiPrivileged) placed.mem_privileged = a;
      if (slot == kSlotRegReadAddr) placed.reg_address = a;
      if (slot == kSlotRegReadDwords) placed.reg_left = a;
      for (int i = 0; i < 3; i++)
        if ({1'b0, d.sds} > i[2:0]) begin
          if (i == 0) extra[31:0] = word_of(placed, d.first);
          if (i == 1) extra[63:32] = word_of(placed, d.first);
          placed = after_read(placed, d.first);
        end
    end
    if (d.op == kOpLoad) placed = after_write(bumped, d.dst, loaded_word);
    if (d.op == kOpCRead) placed = after_write(bumped, d.dst, control);
    if (d.op == kOpSRead) placed = after_write(bumped, d.dst, sqe[place[3:0]]);
  end

  always_comb begin
    put = computes ? moved : d.op >= kOpCRead && d.op <= kOpStore ? placed : after_operands;
    if (d.op == kOpBl) put = after_write(after_operands, kLr, pc + 32'd2);
    if (d.rep && !put.took_data) put.rem = put.rem - 32'd1;
  end

  // ---- what writes of control registers start

  logic        table_write;
  logic [31:0] table_at, arm_at_low, arm_at_high;
  logic        arms;
  logic [2:0]  level;
  assign table_write = is_cwrite && slot == kSlotPacketTableWrite;
  assign table_at = kept[kSlotPacketTableWriteAddr[4:0]];
  always_comb begin
    arms = is_cwrite;
    level = 3'd0;
    {arm_at_high, arm_at_low} = 64'd0;
    case (slot)
      kSlotIb1Dwords: begin
        level = 3'd1;
        {arm_at_high, arm_at_low} = {kept[kSlotIb1BaseHi[4:0]], kept[kSlotIb1Base[4:0]]};
      end
      kSlotIb2Dwords: begin
        level = 3'd2;
        {arm_at_high, arm_at_low} = {kept[kSlotIb2BaseHi[4:0]], kept[kSlotIb2Base[4:0]]};
      end
      kSlotIb3Dwords: begin
        level = 3'd3;
        {arm_at_high, arm_at_low} = {kept[kSlotIb3BaseHi[4:0]], kept[kSlotIb3Base[4:0]]};
      end
      kSlotSdsDwords: begin
        level = names == kNamesA6xx ? 3'd3 : 3'd4;
        {arm_at_high, arm_at_low} = {kept[kSlotSdsBaseHi[4:0]], kept[kSlotSdsBase[4:0]]};
      end
      default: arms = 1'b0;
    endcase
  end

  logic boots, boots_bv;
  assign boots_bv = slot == kSlotBvCntl;
  assign boots = is_cwrite && (boots_bv || slot == kSlotLpacCntl) && a[0];

  // ---- flow

  logic        taken, equal;
  logic [31:0] leads_to;
  logic [1:0]  leads_next;
  // Two instructions after a setsecure that has been done are left out.
  logic        skips;
  assign skips = d.op == kOpSetSecure && switched_done;
  assign equal = d.of_bit ? a[d.low] : a == d.value;
  always_comb begin
    taken = 1'b0;
    leads_to = d.absolute ? d.target : pc + d.target;
    case (d.op)
      kOpBrNe: taken = !equal;
      kOpBrEq: taken = equal;
      kOpCall, kOpBl: taken = 1'b1;
      kOpJump: begin
        taken = 1'b1;
        if (word[31:26] == 6'h37) leads_to = a;
      end
      kOpSRet: begin
        taken = 1'b1;
        leads_to = a;
      end
      kOpRet, kOpIRet: begin
        taken = 1'b1;
        leads_to = sqe[{1'b1, entries[2:0] - 3'd1}];
      end
      default: taken = 1'b0;
    endcase
  end
  assign leads_next = skipped ? kOn : d.op == kOpWaitIn ? kToPacket : taken ? kToBranch : kOn;

  // ---- go on

  logic        again, packet_good, at_packet;
  logic [6:0]  packet_entry;
  logic [13:0] packet_words;
  logic [31:0] header_next, handler;
  assign header_next = goes && looks ? data_words[0] : header;
  assign again = !skipped && d.rep && put.rem != 32'd0;
  assign at_packet = !again && leads == kToPacket;
  afuc_engine_header packet_header (
    .header(header_next), .good(packet_good), .entry(packet_entry), .words(packet_words)
  );
  // An entry may be written in the delay slot.
  assign handler = !skipped && table_write && table_at[6:0] == packet_entry ? a
                 : has_handler[packet_entry] ? handlers[packet_entry] : 32'd0;

  // ---- faults

  logic [2:0] fault_now;
  logic       misplaced;
  always_comb begin
    misplaced = 1'b0;
    case (d.op)
      kOpLoad, kOpStore:   misplaced = place[1:0] != 2'd0;
      kOpCRead, kOpCWrite: misplaced = place[31:12] != 20'd0;
      kOpSRead, kOpSWrite: misplaced = place[31:4] != 28'd0;
      kOpCall:             misplaced = entries >= kStackDepth;
      kOpRet:              misplaced = entries == 32'd0 || entries > kStackDepth;
      kOpIRet:             misplaced = !preempting || entries == 32'd0 || entries > kStackDepth;
      default:             misplaced = 1'b0;
    endcase
    if (table_write && table_at >= 32'd128) misplaced = 1'b1;
    if (is_cwrite && slot == kSlotDrawStateSel && a >= 32'd32) misplaced = 1'b1;
    if (arms && arm_at_low[1:0] != 2'd0) misplaced = 1'b1;
  end
  always_comb begin
    fault_now = kNoFault;
    if (outside) fault_now = kMicrocode;
    else if (illegal) fault_now = kIllegal;
    else if (blind) fault_now = kUnimplemented;
    else if (executes && misplaced) fault_now = kMicrocode;
    else if (goes && !again && leads != kOn && (leads_next != kOn || skips)) fault_now = kMicrocode;
    else if (goes && at_packet && (!packet_good || handler == 32'd0)) fault_now = kOpcode;
  end
  logic done, acts;
  assign done = goes && fault_now == kNoFault;
  assign acts = done && !skipped;

  // ---- outputs

  logic waits;
  assign waits = tries && lacks != kNothing;
  assign state_issue = done;
  assign state_packet = done && at_packet;
  assign state_preempted = interrupts;
  assign state_fault = rst ? kNoFault : fault != kNoFault ? fault : fault_now;
  always_comb begin
    state_wait = waits ? lacks : kNothing;
    if (enabled && !outside && !there) state_wait = kInstruction;
    if (!enabled) state_wait = interrupts || rst || fault != kNoFault ? kNothing : running ? kRoom : kNotRunning;
  end
  assign state_pc = rst ? 32'd0 : pc;
  assign state_header = rst ? 32'd0 : header_next;
  assign take_data = acts ? put.data : 3'd0;
  assign take_memory = acts ? put.memory : 3'd0;
  assign take_registers = acts ? put.registers : 3'd0;
  assign take_header = leads == kToPacket && (take_data != 3'd0 || (waits && lacks == kData));
  assign take_index = !(waits && lacks == kRegisters) ? 19'd0
                    : a5 ? addr[18:0] : {1'b0, kept[kSlotRegReadAddr[4:0]][17:0]};
  assign load_valid = waits && lacks == kLoad;
  assign load_address = load_valid ? {kept[kSlotLoadStoreHi[4:0]], place} : 64'd0;
  assign live_valid = waits && lacks == kLive;
  assign live_index = live_valid ? place[11:0] : 12'd0;
  assign mode_valid = waits && lacks == kSecure;
  assign mode_secure = mode_valid && a[0];
  assign write_count = acts ? put.writes : 3'd0;
  assign write_kind = acts ? put.kind : '0;
  assign write_index = acts ? put.index : '0;
  assign write_value = acts ? put.value : '0;
  logic [31:0] direct_at;
  assign direct_at = kept[kSlotRegWriteAddr[4:0]];
  assign direct_valid = acts && is_cwrite && slot == kSlotRegWrite;
  assign direct_index = direct_valid ? {2'd0, direct_at[15:0]} : 18'd0;
  assign direct_value = direct_valid ? a : 32'd0;
  assign store_valid = acts && d.op == kOpStore;
  assign store_address = store_valid ? {kept[kSlotLoadStoreHi[4:0]], place} : 64'd0;
  assign store_value = store_valid ? a : 32'd0;
  assign arm_valid = acts && arms;
  assign arm_level = arm_valid ? level : 3'd0;
  assign arm_base = arm_valid ? {arm_at_high, arm_at_low} : 64'd0;
  assign arm_dwords = arm_valid ? a : 32'd0;
  assign boot_valid = acts && boots;
  assign boot_bv = boot_valid && boots_bv;
  assign boot_base = !boot_valid ? 64'd0
                   : boots_bv ? {kept[kSlotBvInstrBaseHi[4:0]], kept[kSlotBvInstrBase[4:0]]}
                   : {kept[kSlotLpacInstrBaseHi[4:0]], kept[kSlotLpacInstrBase[4:0]]};
  assign control_valid = acts && is_cwrite;
  assign control_index = control_valid ? place[11:0] : 12'd0;
  assign control_value = control_valid ? a : 32'd0;

  // ---- memories

  afuc_engine_store store (
    .clk, .clear, .write(control_valid && slot[5]), .index(place[11:0]), .value(a), .stored
  );

  logic        selects, sets_group;
  logic [18:0] group_header;
  logic [63:0] group_base;
  logic [95:0] group_resume;
  assign selects = acts && is_cwrite && slot == kSlotDrawStateSel;
  assign sets_group = acts && is_cwrite && slot == kSlotDrawStateSetHdr;
  afuc_engine_draw_states draw_states (
    .clk, .clear,
    .set(sets_group), .set_group(a[28:24]),
    .set_header({a[22:20], a[15:0]}), .set_base({d.sds >= 2'd2, d.sds != 2'd0}), .set_base_value(extra),
    .select(selects), .group(a[4:0]),
    .reached({kept[kSlotSdsDwords[4:0]], kept[kSlotSdsBaseHi[4:0]], kept[kSlotSdsBase[4:0]]}),
    .header(group_header), .base(group_base), .resume(group_resume)
  );

  // ---- the edge

  always_ff @(posedge clk) begin
    if (acts && table_write) begin
      handlers[table_at[6:0]] <= a;
      has_handler[table_at[6:0]] <= 1'b1;
    end
    if (clear) has_handler <= 128'd0;
    if (table_valid && !rst) begin
      handlers[table_entry] <= table_value;
      has_handler[table_entry] <= 1'b1;
    end
  end

  // Counters of pending work: up by the program, down from outside.
  function automatic logic [31:0] counted(input logic [5:0] counter, input logic [5:0] increment,
                                          input logic down);
    logic [31:0] value;
    value = start_valid ? 32'd0 : kept[counter[4:0]];
    if (!start_valid && acts && is_cwrite && slot == counter) value = a;
    if (!start_valid && acts && is_cwrite && slot == increment) value = value + 32'd1;
    counted = down ? value - 32'd1 : value;
  endfunction

  always_ff @(posedge clk) begin
    if (clear) begin
      for (int i = 0; i < 32; i++) kept[i] <= 32'd0;
      if (start_role == 2'd1) begin
        kept[kSlotBvInstrBase[4:0]] <= start_base[31:0];
        kept[kSlotBvInstrBaseHi[4:0]] <= start_base[63:32];
      end else if (start_role != 2'd0) begin
        kept[kSlotLpacInstrBase[4:0]] <= start_base[31:0];
        kept[kSlotLpacInstrBaseHi[4:0]] <= start_base[63:32];
      end
    end else if (acts) begin
      if (is_cwrite && !slot[5]) kept[slot[4:0]] <= a;
      kept[kSlotMemReadAddr[4:0]] <= put.mem_low;
      kept[kSlotMemReadAddrHi[4:0]] <= put.mem_high;
      kept[kSlotMemReadDwords[4:0]] <= put.mem_left;
      kept[kSlotMemReadAddrHiPrivileged[4:0]] <= put.mem_privileged;
      kept[kSlotRegReadAddr[4:0]] <= put.reg_address;
      kept[kSlotRegReadDwords[4:0]] <= put.reg_left;
      if (skips) kept[kSlotSecureMode[4:0]] <= {31'd0, a[0]};
      if (table_write) kept[kSlotPacketTableWriteAddr[4:0]] <= table_at + 32'd1;
      // The upper half is flags, which stay.
      if (direct_valid) kept[kSlotRegWriteAddr[4:0]] <= {direct_at[31:16], direct_at[15:0] + 16'd1};
      if (sets_group)
        kept[kSlotDrawStateActiveBitmask[4:0]] <= kept[kSlotDrawStateActiveBitmask[4:0]] | 32'd1 << a[28:24];
      if (selects) begin
        kept[kSlotDrawStateHdr[4:0]] <= {13'd0, group_header};
        kept[kSlotDrawStateBase[4:0]] <= group_base[31:0];
        kept[kSlotDrawStateBaseHi[4:0]] <= group_base[63:32];
        {kept[kSlotSdsDwords[4:0]], kept[kSlotSdsBaseHi[4:0]], kept[kSlotSdsBase[4:0]]} <= group_resume;
      end
    end
    if (!rst) begin
      kept[kSlotWfiPendCtr[4:0]] <= counted(kSlotWfiPendCtr, kSlotWfiPendIncr, pending_wfi);
      kept[kSlotQueryPendCtr[4:0]] <= counted(kSlotQueryPendCtr, kSlotQueryPendIncr, pending_query);
      kept[kSlotCacheCleanPendCtr[4:0]] <= counted(kSlotCacheCleanPendCtr, kSlotCacheCleanPendIncr, pending_cache);
    end
  end

  always_ff @(posedge clk) begin
    if (acts) begin
      if (put.bumped) gpr[put.bumped_at] <= put.bumped_value;
      if (put.plain) gpr[put.plain_at] <= put.plain_value;
      if (computes) carry <= carry_next;
      if (d.op == kOpSWrite) sqe[place[3:0]] <= a;
      if (d.op == kOpCall) begin
        sqe[{1'b1, entries[2:0]}] <= pc + 32'd2;
        sqe[kStackPointer] <= entries + 32'd1;
      end
      if (d.op == kOpRet || d.op == kOpIRet) sqe[kStackPointer] <= entries - 32'd1;
      if (d.op == kOpIRet) preempting <= 1'b0;
      {rem, addr, usr_addr, by_usr} <= {put.rem, put.addr, put.usr_addr, put.by_usr};
    end
    if (done) begin
      repeating <= again;
      header <= header_next;
      if (!again) begin
        leads <= leads_next;
        target <= leads_to;
        pc <= leads == kToBranch ? target : pc + (skips ? 32'd3 : 32'd1);
      end
      if (at_packet) begin
        pc <= handler;
        rem <= {18'd0, packet_words};
        // By the ABI of handlers $01 has the header; of type 4 without its type.
        if (packet_entry == 7'd4)
          gpr[kHeaderRegister] <= (acts && put.plain && put.plain_at == kHeaderRegister ? put.plain_value
                                 : acts && put.bumped && put.bumped_at == kHeaderRegister ? put.bumped_value
                                 : gpr[kHeaderRegister]) & 32'h0fffffff;
      end
    end
    if (interrupts) begin
      sqe[{1'b1, entries[2:0]}] <= pc - 32'd1;
      sqe[kStackPointer] <= entries + 32'd1;
      pc <= sqe[kPreemptInstr];
      leads <= kOn;
      preempting <= 1'b1;
    end
    if (fault_now != kNoFault) begin
      fault <= fault_now;
      header <= header_next;
    end
    if (start_valid) begin
      running <= 1'b1;
      words <= start_words;
    end
    if (clear) begin
      fault <= kNoFault;
      {pc, header, carry, rem, addr, usr_addr} <= '0;
      {leads, repeating, preempting, by_usr} <= '0;
      for (int i = 0; i < 32; i++) gpr[i] <= 32'd0;
      for (int i = 0; i < 16; i++) sqe[i] <= 32'd0;
    end
    if (rst) begin
      running <= 1'b0;
      words <= 17'd0;
    end
  end

endmodule
