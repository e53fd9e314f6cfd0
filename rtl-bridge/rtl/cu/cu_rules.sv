// SPDX-License-Identifier: Apache-2.0
// What happens to waves in both halves of a cycle, on the signals of the half that `S` names: _a
// while answers arrive, _n from issue on. The block that uses them has the variables e, d, from,
// found, prepare and prepare_alone, and integers i and j.

// The wave at an s_waitcnt or barrier goes on, no sooner than `not_before`. It waits for nothing from
// here on; whether its next instruction is there, CU_PREPARE says.
`define CU_GO_ON(S, W, not_before) \
  waves``S[W].status = kReady; \
  if (not_before > waves``S[W].ready_at) waves``S[W].ready_at = not_before; \
  from             = waves``S[W].pc; \
  waves``S[W].pc   = from + 64'd4; \
  waves``S[W]      = advanced(waves``S[W], from, cfg_fetch_blocks); \
  prepare[W]       = 1'b1; \
  prepare_alone[W] = simds``S[W[5:4]].waves == 5'd1;

// A wave has come to the group's barrier, or has left the group.
`define CU_ARRIVED(S, G) \
  if (groups``S[G].waves != 5'd0 && groups``S[G].arrived >= groups``S[G].waves) begin \
    groups``S[G].arrived = 5'd0; \
    released``S[G]       = 1'b1; \
    alone``S[G]          = {simds``S[3].waves == 5'd1, simds``S[2].waves == 5'd1, \
                            simds``S[1].waves == 5'd1, simds``S[0].waves == 5'd1}; \
  end

`define CU_END(S, W) \
  simds``S[W[5:4]]                                = without(simds``S[W[5:4]], W[3:0]); \
  waves``S[W].status                              = kFree; \
  waves``S[W].generation                          = waves``S[W].generation + 32'd1; \
  groups``S[waves``S[W].group_slot].members[W]    = 1'b0; \
  groups``S[waves``S[W].group_slot].waves         = groups``S[waves``S[W].group_slot].waves - 5'd1; \
  queues``S.done                                  = ended(queues``S.done, W, waves``S[W].exports); \
  `CU_ARRIVED(S, waves``S[W].group_slot)

// A counter of the wave has come down. One that its instruction found full is tried again.
`define CU_COUNTED(S, W) \
  if (waves``S[W].status == kEnding) begin \
    if (drained(waves``S[W])) begin \
      `CU_END(S, W) \
    end \
  end else if (waves``S[W].status == kWaiting) begin \
    e = entry_at(W, waves``S[W].pc); \
    d = skipped(e.d, waves``S[W].vskip); \
    if (d.action != kWait) begin \
      waves``S[W]        = delayed(waves``S[W], now); \
      waves``S[W].status = kReady; \
    end else if (low_enough(waves``S[W], d)) begin \
      `CU_GO_ON(S, W, now) \
    end \
  end

// Waves of the groups whose barrier opens.
`define CU_RELEASE(S) \
  if (released``S != 64'd0) begin \
    for (i = 0; i < 64; i = i + 1) begin \
      w = i[5:0]; \
      if (waves``S[w].status == kAtBarrier && released``S[waves``S[w].group_slot]) begin \
        `CU_GO_ON(S, w, now + {52'd0, cfg_barrier_cycles}) \
        prepare_alone[w] = alone``S[waves``S[w].group_slot][w[5:4]]; \
      end \
    end \
  end

// Waves whose program counter has moved look for their next instruction.
`define CU_PREPARE(S) \
  for (i = 0; i < 64; i = i + 1) begin \
    w = i[5:0]; \
    if (prepare[w]) begin \
      e     = entry_at(w, waves``S[w].pc); \
      found = lookup(waves``S[w], e); \
      d     = skipped(e.d, waves``S[w].vskip); \
      if (found[1] && !stop``S) begin \
        stop``S   = 1'b1; \
        reason``S = kStopFault; \
      end \
      waves``S[w] = prepared(waves``S[w], found[0], d, prepare_alone[w], spec); \
    end \
  end

// Vector memory instructions of a wave return in the order they issued.
`define CU_RETURN(S, W) \
  for (j = 0; j < 16; j = j + 1) begin \
    head = waves``S[W].vmem[waves``S[W].vmem_head]; \
    if (waves``S[W].vmem_count != 5'd0 && vmem_states``S[head].sent && vmem_states``S[head].responses == 10'd0 \
        && !vmem_states``S[head].l1_action) begin \
      queues``S.td_queue     = pushed(queues``S.td_queue, head); \
      waves``S[W].vmem_head  = waves``S[W].vmem_head + 4'd1; \
      waves``S[W].vmem_count = waves``S[W].vmem_count - 5'd1; \
    end \
  end
