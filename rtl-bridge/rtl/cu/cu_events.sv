// SPDX-License-Identifier: Apache-2.0
// What answers and ends of work do to waves. To be included after cu_waves.sv and cu_entries.sv in a
// module that has vmem_states, too.

// A counter of the wave has come down. One that its instruction found full is tried again.
function automatic void counted(input logic [5:0] w);
  decoded_t d;
  entry_t   e;
  if (waves[w].status == kEnding) begin
    if (drained(waves[w])) end_wave(w);
  end else if (waves[w].status == kWaiting) begin
    e = entry_at(w, waves[w].pc);
    d = skipped(e.d, waves[w].vskip);
    if (d.action != kWait) begin
      waves[w]        = delayed(waves[w], now);
      waves[w].status = kReady;
    end else if (low_enough(waves[w], d)) go_on(w, now);
  end
endfunction

// Waves of the groups whose barrier opens.
function automatic void release_groups();
  integer k;
  if (released != 64'd0)
    for (k = 0; k < 64; k = k + 1)
      if (waves[k].status == kAtBarrier && released[waves[k].group_slot]) begin
        go_on(k[5:0], now + {52'd0, spec.barrier_cycles});
        prepare_alone[k] = alone[waves[k].group_slot][k[5:4]];
      end
endfunction

// {a fault, found} of the instruction at the program counter.
function automatic logic [1:0] lookup(input wave_t w, input entry_t e);
  logic [1:0] here, there;
  here  = w.blocks[block_index(w.pc, spec.fetch_blocks)];
  there = w.blocks[block_index(w.pc + 64'd4, spec.fetch_blocks)];
  if (here != kValid) lookup = {here == kFaulted, 1'b0};
  else if (!e.d.two || w.pc[4:2] != 3'd7) lookup = 2'b01;
  else lookup = {there == kFaulted, there == kValid};
endfunction

// Waves whose program counter has moved look for their next instruction.
function automatic void prepare_waves();
  integer     k;
  logic [5:0] w;
  logic [1:0] found;
  entry_t     e;
  for (k = 0; k < 128 && k[7:0] < marks; k = k + 1) begin
    w = marked[k];
    if (prepare[w]) begin
      e          = entry_at(w, waves[w].pc);
      found      = lookup(waves[w], e);
      prepare[w] = 1'b0;
      if (found[1] && !stop) stops_at(kStopFault, w, waves[w].pc, 64'd0);
      waves[w] = prepared(waves[w], found[0], skipped(e.d, waves[w].vskip), prepare_alone[w], spec);
    end
  end
endfunction

// The oldest vector memory instruction of the wave has all it waits for.
function automatic logic may_return(input logic [5:0] w);
  logic [5:0] head;
  head       = waves[w].vmem[waves[w].vmem_head];
  may_return = waves[w].vmem_count != 5'd0 && vmem_states[head].sent && vmem_states[head].responses == 12'd0
            && !vmem_states[head].l1_action;
endfunction

// Vector memory instructions of a wave return in the order they issued.
function automatic void return_in_order(input logic [5:0] w);
  integer k;
  for (k = 0; k < 16 && may_return(w); k = k + 1) begin
    queues.td_queue     = pushed(queues.td_queue, waves[w].vmem[waves[w].vmem_head]);
    waves[w].vmem_head  = waves[w].vmem_head + 4'd1;
    waves[w].vmem_count = waves[w].vmem_count - 5'd1;
  end
endfunction
