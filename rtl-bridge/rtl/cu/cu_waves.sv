// SPDX-License-Identifier: Apache-2.0
// What every part of a cycle does to waves and groups. To be included in a module that has waves, simds,
// groups, queues, stop, reason, stop_place, now, spec and: prepare, waves that look for their next
// instruction; marked and marks, those in the order they were marked in, and how many; prepare_alone,
// those alone on their SIMD; released, groups whose barrier opens; alone, SIMDs with one wave then.

function automatic void stops(input logic [2:0] why);
  stop   = 1'b1;
  reason = why;
endfunction

function automatic void stops_at(input logic [2:0] why, input logic [5:0] w, input logic [63:0] pc, input logic [63:0] words);
  stop        = 1'b1;
  reason      = why;
  stop_place  = {w, pc, words};
endfunction

// The wave looks for its next instruction before the cycle is over.
function automatic void mark(input logic [5:0] w, input logic lone);
  if (!prepare[w]) begin
    marked[marks[6:0]] = w;
    marks              = marks + 8'd1;
  end
  prepare[w]       = 1'b1;
  prepare_alone[w] = lone;
endfunction

// The place of a wave in its SIMD's order, in which it does not stand.
function automatic logic [4:0] place_of(input logic [5:0] w);
  integer k;
  place_of = 5'd0;
  for (k = 0; k < 15; k = k + 1)
    if (k[4:0] < simds[w[5:4]].waves && ahead(waves[{w[5:4], simds[w[5:4]].order[k]}], waves[w])) place_of = place_of + 5'd1;
endfunction

// The wave at an s_waitcnt or barrier goes on, no sooner than `not_before`. It waits for nothing from
// here on; whether its next instruction is there, prepare_waves says.
function automatic void go_on(input logic [5:0] w, input cycle_t not_before);
  logic [63:0] from;
  from             = waves[w].pc;
  waves[w]         = delayed(waves[w], not_before);
  waves[w].status  = kReady;
  waves[w].pc      = from + 64'd4;
  waves[w]         = advanced(waves[w], from, spec.fetch_blocks);
  mark(w, simds[w[5:4]].waves == 5'd1);
endfunction

// A wave has come to the group's barrier, or has left the group.
function automatic void look_at_barrier(input logic [5:0] g);
  if (groups[g].waves != 5'd0 && groups[g].arrived >= groups[g].waves) begin
    groups[g].arrived = 5'd0;
    released[g]       = 1'b1;
    alone[g]          = {simds[3].waves == 5'd1, simds[2].waves == 5'd1, simds[1].waves == 5'd1, simds[0].waves == 5'd1};
  end
endfunction

function automatic void end_wave(input logic [5:0] w);
  simds[w[5:4]]                        = without(simds[w[5:4]], w[3:0]);
  waves[w].status                      = kFree;
  waves[w].generation                  = waves[w].generation + 32'd1;
  groups[waves[w].group_slot].members[w] = 1'b0;
  groups[waves[w].group_slot].waves    = groups[waves[w].group_slot].waves - 5'd1;
  queues.done                          = ended(queues.done, w, waves[w].exports);
  look_at_barrier(waves[w].group_slot);
endfunction
