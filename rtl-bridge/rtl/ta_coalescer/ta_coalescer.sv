// SPDX-License-Identifier: Apache-2.0
// The coalescer of a compute unit's address unit: turns the lanes of a vector memory instruction into
// requests for lines of 64 bytes, in the order in which they leave.
//
// Lanes are taken in groups: sixteen of stores, and of loads whose sixteen lanes read one element of
// up to a dword each, in sequence or all the same one; else four. A group makes one request
// for each line it touches, in the order of lanes, of a lane's dwords, and of addresses. A line of the
// request made last, by a group before, is not requested again: that request gets the lanes, and waits
// for this group. Of an atomic a request has at most one operation per location, of compare-and-swap
// (op_compares) one in all. An operand that is not naturally aligned ends an atomic: its request is
// the last one, and says so.
//
// Cycles are those of the address unit, counted from its start of the instruction. A group with lanes
// takes cfg_load_quad, cfg_load_quarter (sixteen lanes), cfg_store_quarter or cfg_atomic_quad; a
// request may leave in the cycle of the last group that touched it. Beyond its groups a load of two
// registers takes cfg_load_pair, and one of 12 bytes and of 16 takes cfg_load_scattered_triple and
// cfg_load_scattered when there are more than cfg_linear_lines requests for each quad with lanes.
//
// An instruction is taken into a register. In each cycle after that, STEPS steps are done: a step
// makes one request, of the group at work or, when that has no more, of the next one; a next group
// that only touches the line of the request made last is a step, too. A request goes into a queue
// when the one after it is made, and with the end of the instruction. The four oldest of one
// instruction are shown on out0 to out3, to be taken from out0 on, so a request is shown two cycles
// after the instruction's own at the earliest. The next instruction is taken in the cycle in which
// the last step is done. An instruction without requests gives one message without lanes.
//
// An address unit that lets up to four requests leave in a cycle from its start on, each when it may,
// finds every one of them here early enough if it hands the instruction over two cycles before it starts
// it, or as soon as op_ready lets it when it is after others, and if a group takes a cycle or more:
// what is left after n cycles has used up 5 n steps, of n groups at least or of 4 n requests. So an
// instruction can be handed over in each cycle, and the address unit can start it as soon as the one
// before has left and its out_busy cycles are over. That is so for loads by quads of one cycle,
// stores of two cycles for sixteen lanes, and atomics whose operations all go alone. Nothing here
// waits for a cycle of the address unit, so how many steps an instruction takes does not depend on
// rates; cfg_ pins are part of the instruction. out_misaligned comes last; an address unit that stops
// at its start of an atomic asks ta_coalescer_align, which needs no cycle.
`include "ta_coalescer_pkg.sv"

module ta_coalescer
  import ta_coalescer_pkg::*;
(
  `include "ta_coalescer_ports.svh"
);

  localparam int STEPS = 5;  // of a cycle
  localparam int WIDTH = $bits(message_t);
  localparam int SIZE = $bits(progress_t);

  // ---- the instruction
  logic           take, working;
  logic [1:0]     kind;
  logic           atomic, compares, pieces, pair;
  logic [4:0]     bytes;
  logic [63:0]    lanes, misaligned, taken_in, misaligned_in;
  logic [255:0]   touch, over, slots, touch_in, over_in, slots_in;
  logic [16383:0] lines, lines_in;
  logic [3:0]     one_group, one_group_in;
  logic [8:0]     sixteen_cycles;
  logic [6:0]     four_cycles, pair_cycles, scattered_cycles;
  logic [2:0]     linear_lines;
  assign take   = op_valid && op_ready;
  assign atomic = kind == kAtomic;

  ta_coalescer_operands operands (
    .valid(op_valid), .kind(op_kind), .bytes(op_bytes), .dwords(op_dwords), .contiguous(op_contiguous), .lanes(op_lanes),
    .dword_lanes(op_dword_lanes), .address({op_address3, op_address2, op_address1, op_address0}), .taken(taken_in),
    .misaligned(misaligned_in), .touch(touch_in), .over(over_in), .lines(lines_in), .slots(slots_in),
    .one_group(one_group_in));

  always_ff @(posedge clk)
    if (take) begin
      kind       <= op_kind;
      compares   <= op_compares;
      pieces     <= !op_contiguous && op_kind != kAtomic;
      pair       <= op_dwords == 3'd2;
      bytes      <= op_bytes;
      lanes      <= taken_in;
      misaligned <= misaligned_in;
      touch      <= touch_in;
      over       <= over_in;
      slots      <= slots_in;
      lines      <= lines_in;
      one_group  <= one_group_in;

      sixteen_cycles   <= op_kind == kStore ? cfg_store_quarter : {2'd0, cfg_load_quarter};
      four_cycles      <= op_kind == kAtomic ? cfg_atomic_quad : cfg_load_quad;
      pair_cycles      <= cfg_load_pair;
      scattered_cycles <= op_bytes == 5'd12 ? cfg_load_scattered_triple : cfg_load_scattered;
      linear_lines     <= cfg_linear_lines;
    end

  // ---- steps
  progress_t   progress;
  logic [SIZE*(STEPS+1)-1:0] behind;  // so many steps
  logic        room, work;
  logic [63:0] touching;          // lanes
  assign work      = working && room;
  assign touching  = touch[63:0] | touch[127:64] | touch[191:128] | touch[255:192];
  assign behind[SIZE-1:0] = progress;

  logic [STEPS:0]           push;
  logic [WIDTH*(STEPS+1)-1:0] pushed;
  genvar g;
  generate
    for (g = 0; g < STEPS; g = g + 1) begin : g_step
      progress_t before_, begun, after;
      logic      begins, makes;
      assign before_ = behind[SIZE*g+:SIZE];
      assign begins  = work && before_.left == 128'd0 && (before_.rest & touching) != 64'd0;
      assign makes   = work && begun.left != 128'd0;
      ta_coalescer_group next_group (
        .go(begins), .atomic(atomic), .alone(compares), .sixteen_cycles(sixteen_cycles),
        .four_cycles(four_cycles), .pieces(pieces), .one_group(one_group), .misaligned(misaligned), .touch(touch),
        .over(over), .lines(lines), .slots(slots), .from(before_), .to(begun));
      ta_coalescer_request request (
        .go(makes), .pieces(pieces), .lines(lines), .slots(slots), .from(begun), .to(after));
      assign behind[SIZE*(g+1)+:SIZE] = after;
      // The request made before has all its lanes.
      message_t complete;
      assign complete = {begun.open.line, begun.open.lanes, begun.open.cycle, 1'b0, 12'd0, 1'b0};
      assign push[g]                 = makes && begun.open.valid;
      assign pushed[WIDTH*g+:WIDTH] = complete;
    end
  endgenerate

  // ---- the end of the instruction
  progress_t at_end;
  logic      ends;
  assign at_end = behind[SIZE*STEPS+:SIZE];
  assign ends   = work && at_end.left == 128'd0 && (at_end.rest & touching) == 64'd0;

  logic       load, scattered, misaligns;
  logic [7:0] linear;  // requests of a load that is not scattered
  logic [6:0] extra;
  assign load      = kind == kLoad && lanes != 64'd0;
  assign linear    = {5'd0, linear_lines} * {3'd0, groups(1'b0, lanes)};
  assign scattered = at_end.requests > {2'd0, linear};
  always_comb begin
    extra = 7'd0;
    if (load && pair) extra = pair_cycles;
    else if (load && bytes >= 5'd12 && scattered) extra = scattered_cycles;
  end

  // Groups at the end that touch nothing take their cycles, too.
  logic [11:0] own, busy;
  assign misaligns = misaligned != 64'd0;
  assign own       = kind == kStore ? {3'd0, sixteen_cycles} : {5'd0, four_cycles};
  always_comb begin
    busy = at_end.next_cycle + own * {7'd0, groups(kind == kStore, at_end.rest)} + {5'd0, extra};
    if (misaligns) busy = {1'b0, at_end.open.cycle} + 12'd1;
    else if (busy == 12'd0) busy = 12'd1;
  end

  message_t final_message;
  assign final_message = {at_end.open.line, at_end.open.lanes, at_end.open.cycle, 1'b1, busy, misaligns};
  assign push[STEPS]                 = ends;
  assign pushed[WIDTH*STEPS+:WIDTH] = final_message;

  // ---- flow
  assign op_ready = !working || ends;
  always_ff @(posedge clk) begin
    if (work) progress <= at_end;
    if (ends) working <= 1'b0;
    if (take) begin
      working       <= 1'b1;
      progress      <= '0;
      progress.rest <= taken_in;
    end
    if (rst) working <= 1'b0;
  end

  // ---- requests
  logic [3:0]     valid;
  logic [4*WIDTH-1:0] shown;
  ta_coalescer_queue #(.DEPTH(16), .IN(STEPS + 1)) queue (
    .clk(clk), .rst(rst), .room(room), .push(push), .pushed(pushed),
    .ready({out3_ready, out2_ready, out1_ready, out0_ready}), .valid(valid), .shown(shown));
  assign {out3_valid, out2_valid, out1_valid, out0_valid} = valid;
  assign {out0_line, out0_lanes, out0_cycle, out0_last, out0_busy, out0_misaligned} = shown[WIDTH*0+:WIDTH];
  assign {out1_line, out1_lanes, out1_cycle, out1_last, out1_busy, out1_misaligned} = shown[WIDTH*1+:WIDTH];
  assign {out2_line, out2_lanes, out2_cycle, out2_last, out2_busy, out2_misaligned} = shown[WIDTH*2+:WIDTH];
  assign {out3_line, out3_lanes, out3_cycle, out3_last, out3_busy, out3_misaligned} = shown[WIDTH*3+:WIDTH];

endmodule
