// SPDX-License-Identifier: Apache-2.0
// Micro engine of the command processor. "Radeon Southern Islands Acceleration" 2.1, 2.2, 2.4, 2.8.
//
// Three rings share the engine. A packet's header and the fixed dwords of its body, as many as the
// packet table says, are taken from the ring's queue, a dword a cycle; cfg_packet_cycles later its
// program starts. The program is an operation after the other: register writes and reads, reads,
// writes and atomics of memory, delays between polls, events, end-of-pipe commands, cache actions,
// DMA, messages to the constant engine, GDS, waits for what the ring has under way. An operation may
// take its data from the packet; what the program leaves of it is passed over. Registers of a render
// context that has been drawn with are written in the next one.
//
// Programs stand outside. In a cycle in which a ring needs the next operation of its program, op has
// it, or the cycle does not take place: ask says which ring, and what the operation before has
// brought; nothing changes but render contexts that ctx sets. So the same cycle, and ctl_now, come
// again. What goes through an operation unseen (the contents of DMA, end-of-pipe and cache commands,
// of GDS requests and messages) does not pass these pins: dma_valid, eop_valid, cache_valid, gds_valid
// and ce_valid say that it leaves, for act_ring.
//
// Answers are taken in every cycle that takes place, and count in it; an event that leaves the pipe
// when its receiver has room (pipe_ready). A poll that goes on for longer than its limit is told, once
// (event_timeout); a semaphore stops the engine.
`include "cp_me_pkg.sv"
module cp_me (
  `include "cp_me_ports.svh"
);
  import cp_me_pkg::*;

  logic        halted, stopped;
  logic [1:0]  stopped_in;
  logic [31:0] held_wait_reg_mem, held_semaphore;
  wire         halted1 = halt_valid ? halt_level : halted;
  wire [31:0]  wait_reg_mem = limit_valid ? limit_wait_reg_mem : held_wait_reg_mem;
  wire [31:0]  semaphore_limit = limit_valid ? limit_semaphore : held_semaphore;

  logic        asked, expired, acts, moved, rests, in_packet;
  logic [1:0]  ring;
  wire         live = !rst && !stopped && !expired;
  wire         step = live && !asked;

  // ---- packet table
  logic [3:0] fixed_of [0:256];
  always_ff @(posedge clk) if (table_valid) fixed_of[table_index] <= table_fixed;

  // ---- the pipe
  logic [2:0][2:0] oldest, oldest_buffer;
  logic [2:0]      events_full, events_empty, push;
  logic [2:0]      push_purpose, push_buffer;
  wire [2:0] purpose = oldest[pipe_ring];
  wire       passes = pipe_valid && (purpose != kForEop || trigger_ready)
                   && (purpose != kForCe || ce_room != 2'd0);
  wire       waited_for = purpose == kForWait;
  wire       ce_told = passes && purpose == kForCe;
  wire [1:0] ce_left = ce_room[1] ? (ce_told ? 2'd1 : 2'd2) : ce_room - {1'b0, ce_told};
  wire [7:0] context_ends = passes && purpose == kForContext
                          ? 8'd1 << oldest_buffer[pipe_ring] : 8'd0;
  assign pipe_ready   = live && passes;
  assign pipe_purpose = pipe_ready ? purpose : 3'd0;
  assign pipe_buffer  = pipe_ready ? oldest_buffer[pipe_ring] : 3'd0;

  // ---- rings
  logic [2:0]        runnable, asks, start, takes_op, takes_dword, moves, enters_code, in_code, stalls;
  logic [2:0]        tries, of_registers, finishes, expires, times_out, path, kernel, waits_too;
  logic [2:0]        state_no_context1, buffer, privileged, of_context, second, go, lacks_context, idle;
  logic [2:0][1:0]   kind_of_take, result, swap, did;
  logic [2:0][4:0]   why, result_why, kind, dwords, waits;
  logic [2:0][7:0]   event_type, vmid;
  logic [2:0][31:0]  offset, value;
  logic [2:0][63:0]  found, operand, address;
  logic [2:0][511:0] found_data, data;
  logic [2:0][2:0]   phase;
  for (genvar g = 0; g < 3; g++) begin : rings
    wire [31:0] header = meq_dword[32*g+:32];
    cp_me_ring #(.RING(2'(g))) ring_of (
      .clk, .rst, .step, .now(ctl_now), .packet_cycles(cfg_packet_cycles),
      .limit_wait_reg_mem(wait_reg_mem), .limit_semaphore(semaphore_limit),
      .meq_valid(meq_valid[g]), .meq_dword(header), .meq_vmid(meq_vmid[8*g+:8]),
      .meq_fixed(fixed_of[header[31:30] == 2'd0 ? 9'd256 : {1'b0, header[15:8]}]),
      .op_valid(op_valid[g]), .op_end(op_end[g]), .op_kind(op_kind[5*g+:5]), .op_path(op_path[g]),
      .op_stream(op_stream[g]), .op_kernel(op_kernel[g]), .op_wait(op_wait[g]),
      .op_dwords(op_dwords[5*g+:5]), .op_swap(op_swap[2*g+:2]), .op_limit(op_limit[2*g+:2]),
      .op_buffer(op_buffer[g]), .op_gds(op_gds[g]), .op_privileged(op_privileged[g]),
      .op_of_context(op_of_context[g]), .op_offset(op_offset[32*g+:32]),
      .op_value(op_value[32*g+:32]), .op_event_type(op_event_type[8*g+:8]),
      .op_cycles(op_cycles[32*g+:32]), .op_operand(op_operand[64*g+:64]),
      .op_address(op_address[64*g+:64]), .op_data(op_data[512*g+:512]),
      .asks(asks[g]), .ask_start(start[g]), .ask_value(found[g]), .ask_data(found_data[g]),
      .hub_valid(hub_rsp_valid), .hub_tag(hub_rsp_tag), .hub_line(hub_rsp_line),
      .hub_data(hub_rsp_data), .l2_valid(l2_rsp_valid), .l2_tag(l2_rsp_tag),
      .l2_line(l2_rsp_line), .l2_data(l2_rsp_data),
      .read_valid(read_valid && read_ring == 2'(g)), .read_value,
      .cache_valid(cache_rsp_valid && cache_rsp_ring == 2'(g)),
      .dma_written(dma_rsp_valid && dma_rsp_ring == 2'(g) && dma_rsp_written),
      .dma_done(dma_rsp_valid && dma_rsp_ring == 2'(g) && dma_rsp_done),
      .grant_valid(grant_valid && grant_ring == 2'(g)), .grant_buffer,
      .gds_valid(gds_rsp_valid && gds_rsp_tag[1:0] == 2'(g)), .gds_wanted(gds_rsp_tag[2]),
      .gds_atomic(gds_rsp_tag[3]), .gds_row(gds_rsp_row), .gds_column(gds_rsp_column),
      .stored_valid(stored_valid && stored_ring == 2'(g)),
      .event_passed(passes && pipe_ring == 2'(g) && waited_for),
      .hub_ready, .l2_ready, .bus_ready, .cache_ready, .dma_ready, .eop_ready, .gds_ready,
      .ce_ready(ce_left != 2'd0), .events_full(events_full[g]),
      .runnable(runnable[g]), .takes_op(takes_op[g]), .takes_dword(takes_dword[g]),
      .take_kind(kind_of_take[g]), .moves(moves[g]), .enters_code(enters_code[g]),
      .in_code(in_code[g]), .stalls(stalls[g]), .why(why[g]), .tries(tries[g]),
      .of_registers(of_registers[g]), .result(result[g]), .result_why(result_why[g]),
      .finishes(finishes[g]), .expires(expires[g]), .times_out(times_out[g]), .kind(kind[g]),
      .path(path[g]), .kernel(kernel[g]), .waits_too(waits_too[g]), .dwords(dwords[g]),
      .swap(swap[g]), .buffer(buffer[g]), .privileged(privileged[g]), .of_context(of_context[g]),
      .offset(offset[g]), .value(value[g]), .event_type(event_type[g]), .operand(operand[g]),
      .address(address[g]), .data(data[g]), .second(second[g]), .vmid(vmid[g]),
      .go(go[g]), .did(did[g]), .lacks_context(lacks_context[g]), .state_phase(phase[g]),
      .state_wait(waits[g]), .state_no_context(state_no_context1[g]), .idle(idle[g]));
    cp_me_events events_of (
      .clk, .rst, .most(cfg_events), .purpose(oldest[g]), .buffer(oldest_buffer[g]),
      .pop(passes && pipe_ring == 2'(g)), .full(events_full[g]), .push(push[g]), .push_purpose,
      .push_buffer, .step, .empty(events_empty[g]));
  end

  // ---- the turn
  logic        to_bus, is_write, draws_with, is_closed;
  logic [1:0]  bus_ring1;
  logic [2:0]  bus_context1, context1;
  logic [4:0]  stall;
  logic [7:0]  bus_vmid1, in_pipe;
  logic [31:0] bus_offset1, bus_value1;
  cp_me_turns turns (
    .clk, .rst, .step, .run(ctl_run && !halted1), .long_code(cfg_packet_cycles > 16'd1),
    .max_context(cfg_max_context), .context_done(cfg_context_done),
    .event_initiator(cfg_event_initiator), .copy_state(cfg_copy_state),
    .draw_initiator(cfg_draw_initiator), .bus_ready, .runnable, .asks, .takes_op, .op_preamble,
    .takes_dword, .moves, .enters_code, .in_code, .stalls, .why, .tries, .of_registers, .result,
    .result_why, .finishes, .expires, .events_full, .kind, .waits_too, .of_context, .offset,
    .value, .event_type, .buffer, .vmid, .go, .did, .lacks_context, .asked, .expired, .ring,
    .acts, .moved, .rests, .stall, .in_packet, .bus_valid(to_bus), .bus_write(is_write),
    .bus_ring(bus_ring1), .bus_context(bus_context1), .bus_vmid(bus_vmid1),
    .bus_offset(bus_offset1), .bus_value(bus_value1), .push, .push_purpose, .push_buffer,
    .ctx_valid, .ctx_current, .ctx_drawn, .ctx_closed, .ctx_preamble, .ctx_in_pipe,
    .ctx_done(context_ends), .current_context(context1), .drawn(draws_with), .closed(is_closed),
    .in_pipe);

  assign ask_valid = live && asked;
  assign ask_ring  = ask_valid ? ring : 2'd0;
  assign ask_start = ask_valid && start[ring];
  assign ask_value = ask_valid ? found[ring] : '0;
  assign ask_data  = ask_valid ? found_data[ring] : '0;
  assign op_ready  = step ? go & takes_op : '0;
  assign meq_ready = step ? go & takes_dword : '0;
  assign take_kind = meq_ready[0] ? kind_of_take[0] : meq_ready[1] ? kind_of_take[1]
                   : meq_ready[2] ? kind_of_take[2] : 2'd0;
  assign done_valid = step && (go & finishes) != '0;
  assign done_ring  = done_valid ? ring : 2'd0;

  // ---- the operation that is executed
  wire [4:0] act = kind[ring];
  wire       part = step && tries[ring] && go[ring] && did[ring] == kPartly;
  wire       all = step && acts;
  assign act_valid       = all;
  assign act_ring        = all ? ring : 2'd0;
  assign act_kind        = all ? act : 5'd0;
  assign event_privilege = all && act == kRegWrite && privileged[ring];
  assign event_timeout   = all && times_out[ring];
  assign cache_valid     = all && act == kCacheStart;
  assign dma_valid       = all && act == kDma;
  assign eop_valid       = all && act == kEop;
  assign ce_valid        = all && (act == kCeWait || act == kCeTell || act == kDeIncrement);
  assign gds_valid       = all && (act == kGdsRead || act == kGdsWrite || act == kGdsAtomic);
  wire gds_data = act == kGdsRead || waits_too[ring];
  assign gds_tag = gds_valid ? {gds_data && act == kGdsAtomic, gds_data, ring} : 4'd0;

  wire       to_memory = (all && (act == kMemRead || act == kMemWrite || act == kAtomic))
                      || (part && act == kMemRead);
  wire        second_line = second[ring] && act == kMemRead;
  logic       mem_write;
  logic [7:0] number;
  assign hub_valid = to_memory && act != kAtomic && !path[ring];
  assign l2_valid  = to_memory && (act == kAtomic || path[ring]);
  cp_me_memory memory (
    .valid(to_memory), .kind(act), .address(address[ring]), .dwords(dwords[ring]),
    .swap(swap[ring]), .data(data[ring]), .operand(operand[ring]), .kernel(kernel[ring]),
    .vmid(vmid[ring]), .ring, .number, .second(second_line), .write(mem_write), .mem_command, .mem_vmid,
    .mem_tag, .mem_line, .mem_mask, .mem_data);

  assign bus_valid   = step && to_bus;
  assign bus_write   = bus_valid && is_write;
  assign bus_ring    = bus_valid ? bus_ring1 : '0;
  assign bus_context = bus_valid ? bus_context1 : '0;
  assign bus_vmid    = bus_valid ? bus_vmid1 : '0;
  assign bus_offset  = bus_valid ? bus_offset1 : '0;
  assign bus_value   = bus_valid ? bus_value1 : '0;

  // ---- state
  assign context_current  = step ? context1 : '0;
  assign context_drawn    = step && draws_with;
  assign context_closed   = step && is_closed;
  assign context_in_pipe  = step ? in_pipe : '0;
  assign state_stall      = step ? stall : '0;
  assign state_moved      = step && moved;
  assign state_rest       = step && rests;
  assign state_phase      = step ? phase : '0;
  assign state_wait       = step ? waits : '0;
  assign state_no_context = step ? state_no_context1 : '0;
  wire in_header = phase[0] == kHeader && phase[1] == kHeader && phase[2] == kHeader;
  assign state_busy = step && (in_packet || !in_header || idle != '1 || events_empty != '1);
  assign stop_valid = !rst && (stopped || expired);
  assign stop_ring  = !stop_valid ? 2'd0 : stopped ? stopped_in : ring;

  always_ff @(posedge clk) begin
    if (rst) begin
      halted            <= 1'b0;
      stopped           <= 1'b0;
      held_wait_reg_mem <= '0;
      held_semaphore    <= '0;
      number            <= '0;
    end else begin
      if (expired && !stopped) begin
        stopped    <= 1'b1;
        stopped_in <= ring;
      end
      if (step) begin
        halted            <= halted1;
        held_wait_reg_mem <= wait_reg_mem;
        held_semaphore    <= semaphore_limit;
        number            <= number + {7'd0, mem_write};
      end
    end
  end
endmodule
