// SPDX-License-Identifier: Apache-2.0
// Who has the turn of a cycle, and what its operation does to the register bus and the render
// contexts. The ring in a packet goes on; when it cannot, the next that can takes over. All rings
// that are tried do what they can; the first that moves, or keeps its turn, is the last.
`include "cp_me_pkg.sv"
module cp_me_turns (
  input  logic        clk,
  input  logic        rst,
  input  logic        step,
  input  logic        run,
  input  logic        long_code,       // microcode takes more than a cycle
  input  logic [2:0]  max_context,
  input  logic [5:0]  context_done,
  input  logic [31:0] event_initiator,
  input  logic [31:0] copy_state,
  input  logic [31:0] draw_initiator,
  input  logic        bus_ready,
  // rings
  input  logic [2:0]       runnable,
  input  logic [2:0]       asks,
  input  logic [2:0]       takes_op,
  input  logic [2:0]       op_preamble,
  input  logic [2:0]       takes_dword,
  input  logic [2:0]       moves,
  input  logic [2:0]       enters_code,
  input  logic [2:0]       in_code,
  input  logic [2:0]       stalls,
  input  logic [2:0][4:0]  why,
  input  logic [2:0]       tries,
  input  logic [2:0]       of_registers,
  input  logic [2:0][1:0]  result,
  input  logic [2:0][4:0]  result_why,
  input  logic [2:0]       finishes,
  input  logic [2:0]       expires,
  input  logic [2:0]       events_full,
  input  logic [2:0][4:0]  kind,
  input  logic [2:0]       waits_too,
  input  logic [2:0]       of_context,
  input  logic [2:0][31:0] offset,
  input  logic [2:0][31:0] value,
  input  logic [2:0][7:0]  event_type,
  input  logic [2:0]       buffer,
  input  logic [2:0][7:0]  vmid,
  output logic [2:0]       go,
  output logic [2:0][1:0]  did,
  output logic [2:0]       lacks_context,
  // the cycle
  output logic        asked,           // in vain
  output logic        expired,
  output logic [1:0]  ring,            // asked, expired, or with the turn
  output logic        acts,
  output logic        moved,
  output logic        rests,
  output logic [4:0]  stall,
  output logic        in_packet,       // behind it, a ring keeps its turn
  // register bus
  output logic        bus_valid,
  output logic        bus_write,
  output logic [1:0]  bus_ring,
  output logic [2:0]  bus_context,
  output logic [7:0]  bus_vmid,
  output logic [31:0] bus_offset,
  output logic [31:0] bus_value,
  // events that are posted
  output logic [2:0]  push,
  output logic [2:0]  push_purpose,
  output logic [2:0]  push_buffer,
  // render contexts
  input  logic        ctx_valid,
  input  logic [2:0]  ctx_current,
  input  logic        ctx_drawn,
  input  logic        ctx_closed,
  input  logic        ctx_preamble,
  input  logic [7:0]  ctx_in_pipe,
  input  logic [7:0]  ctx_done,        // contexts whose end has left the pipe
  output logic [2:0]  current_context,
  output logic        drawn,
  output logic        closed,
  output logic [7:0]  in_pipe
);
  import cp_me_pkg::*;

  logic [1:0] current, next;           // rings; 3: none
  logic [2:0] c_current, n_current, c_next;
  logic       c_drawn, n_drawn, c_closed, n_closed, c_preamble, n_preamble;
  logic [7:0] c_in_pipe, n_in_pipe;

  function automatic logic [1:0] pick(input logic [2:0] of, input logic [1:0] from);
    logic [1:0] second, third;
    second = from == 2'd2 ? 2'd0 : from + 2'd1;
    third  = second == 2'd2 ? 2'd0 : second + 2'd1;
    pick   = of[from] ? from : of[second] ? second : third;
  endfunction

  logic [2:0] left;                    // rings that have not been tried
  logic [1:0] who, stalled, how;
  logic [4:0] reason;
  logic [31:0] word;
  logic       open, posts, closes, writes, is_event, copies, draws, of_contexts, here;
  logic [1:0] keeps;
  logic       between;
  always_comb begin
    go            = '0;
    did           = '0;
    lacks_context = '0;
    asked         = 1'b0;
    expired       = 1'b0;
    ring          = 2'd0;
    acts          = 1'b0;
    moved         = 1'b0;
    rests         = 1'b0;
    stall         = kNone;
    bus_valid     = 1'b0;
    bus_write     = 1'b0;
    bus_ring      = 2'd0;
    bus_context   = 3'd0;
    bus_vmid      = 8'd0;
    bus_offset    = 32'd0;
    bus_value     = 32'd0;
    push          = '0;
    push_purpose  = kDiscard;
    push_buffer   = 3'd0;
    n_current     = ctx_valid ? ctx_current : c_current;
    n_drawn       = ctx_valid ? ctx_drawn : c_drawn;
    n_closed      = ctx_valid ? ctx_closed : c_closed;
    n_preamble    = ctx_valid ? ctx_preamble : c_preamble;
    n_in_pipe     = (ctx_valid ? ctx_in_pipe : c_in_pipe) & ~ctx_done;
    left          = runnable;
    open          = run;
    keeps         = run ? 2'd3 : current;
    between       = 1'b0;
    stalled       = 2'd3;
    who           = 2'd0;
    how           = kDone;
    reason        = kNone;
    word          = '0;
    posts         = 1'b0;
    closes        = 1'b0;
    writes        = 1'b0;
    is_event      = 1'b0;
    copies        = 1'b0;
    draws         = 1'b0;
    of_contexts   = 1'b0;
    here          = 1'b0;
    c_next        = 3'd0;
    for (int t = 0; t < 3; t++) begin
      who  = t == 0 && current != 2'd3 && left[current] ? current : pick(left, next);
      here = open && left != '0;
      if (here) left[who] = 1'b0;
      if (here && asks[who]) begin
        asked = 1'b1;
        ring  = who;
        open  = 1'b0;
      end else if (here) begin
        go[who] = 1'b1;
        if (takes_op[who]) n_preamble = op_preamble[who];
        how    = result[who];
        word   = value[who];
        reason = tries[who] ? result_why[who] : why[who];
        posts  = tries[who] && !of_registers[who] && how == kDone
              && (kind[who] == kEvent || kind[who] == kEop || kind[who] == kDeIncrement);
        closes = 1'b0;
        writes = 1'b0;
        copies = 1'b0;
        c_next = n_current >= max_context ? 3'd1 : n_current + 3'd1;
        is_event = kind[who] == kRegWrite && offset[who] == event_initiator;
        of_contexts = of_context[who] ? !n_preamble : offset[who] == copy_state;
        draws  = offset[who] == draw_initiator;
        // What must happen to the render contexts before the register is written.
        if (tries[who] && of_registers[who]) begin
          how    = kDone;
          reason = kNone;
          if (kind[who] == kContextsIdle) begin
            closes = n_drawn && !n_closed;
            if (!closes && n_in_pipe != 8'd0) begin
              how    = kWaits;
              reason = kContext;
              lacks_context[who] = 1'b1;
            end
          end else if ((of_contexts && n_drawn) || ((of_contexts || draws) && n_closed)) begin
            closes = !n_closed;
            if (n_closed && n_in_pipe[c_next]) begin
              how    = kWaits;
              reason = kContext;
              lacks_context[who] = 1'b1;
            end else if (n_closed) begin
              copies = offset[who] != copy_state && c_next != n_current;
              if (copies && !bus_ready) begin
                how    = kBlocked;
                reason = kBusBusy;
                copies = 1'b0;
              end else begin
                if (copies) begin
                  how         = kPartly;
                  bus_context = c_next;
                  bus_value   = {29'd0, n_current};
                end
                n_current = c_next;
                n_drawn   = 1'b0;
                n_closed  = 1'b0;
              end
            end
          end
          if (closes) begin
            how = events_full[0] ? kWaits : bus_ready ? kPartly : kBlocked;
            reason = events_full[0] ? kEvents : bus_ready ? kNone : kBusBusy;
            closes = how == kPartly;
          end
          if (how == kDone && kind[who] == kRegWrite) begin
            if (is_event && events_full[who]) begin
              how    = kWaits;
              reason = kEvents;
            end else if (!bus_ready) begin
              how    = kBlocked;
              reason = kBusBusy;
            end
            posts  = is_event && how == kDone;
            writes = !is_event && how == kDone;
          end
        end
        did[who] = how;
        // ---- the register bus
        if (closes) begin
          bus_valid    = 1'b1;
          bus_write    = 1'b1;
          bus_ring     = 2'd0;
          bus_context  = n_current;
          bus_offset   = event_initiator;
          bus_value    = {26'd0, context_done};
          push[0]      = 1'b1;
          push_purpose = kForContext;
          push_buffer  = n_current;
          n_closed     = 1'b1;
          n_in_pipe[n_current] = 1'b1;
        end
        if (copies) begin
          bus_valid  = 1'b1;
          bus_write  = 1'b1;
          bus_ring   = who;
          bus_offset = copy_state;
        end
        if (posts) begin
          bus_valid    = 1'b1;
          bus_write    = 1'b1;
          bus_ring     = who;
          bus_context  = n_current;
          bus_offset   = event_initiator;
          bus_value    = kind[who] == kRegWrite ? word & 32'h3f : {24'd0, event_type[who]};
          push[who]    = 1'b1;
          push_purpose = kind[who] == kEop ? kForEop : kind[who] == kDeIncrement ? kForCe
                       : kind[who] == kEvent && waits_too[who] ? kForWait : kDiscard;
          push_buffer  = kind[who] == kDeIncrement ? {2'd0, buffer[who]} : 3'd0;
        end
        if (writes) begin
          bus_valid   = 1'b1;
          bus_write   = 1'b1;
          bus_ring    = who;
          bus_context = of_context[who] && n_preamble ? 3'd0 : n_current;
          bus_vmid    = vmid[who];
          bus_offset  = offset[who];
          bus_value   = word;
          if (draws) n_drawn = 1'b1;
        end
        if (tries[who] && kind[who] == kRegRead && how == kDone) begin
          bus_valid   = 1'b1;
          bus_ring    = who;
          bus_context = n_current;
          bus_offset  = offset[who];
        end
        // ---- the turn
        if (tries[who] && expires[who]) begin
          expired = 1'b1;
          ring    = who;
          open    = 1'b0;
        end
        acts = tries[who] && how == kDone;
        if (moves[who] || takes_dword[who] || (tries[who] && (how == kDone || how == kPartly))) begin
          moved = 1'b1;
          rests = enters_code[who] && long_code;
          stall = rests ? kMicrocode : kNone;
        end else if (in_code[who]) begin
          stall = kMicrocode;
        end else if (tries[who] && how == kBlocked) begin
          stall = reason;
        end else begin
          here = 1'b0;  // another ring may have the turn
          if ((stalls[who] || tries[who]) && who < stalled) begin
            stall   = reason;
            stalled = who;
          end
        end
        if (here) begin
          ring    = who;
          open    = 1'b0;
          between = finishes[who];
          keeps   = finishes[who] ? 2'd3 : who;
        end
      end
    end
  end
  assign in_packet = keeps != 2'd3;

  always_ff @(posedge clk) begin
    if (rst) begin
      current <= 2'd3;
      next    <= 2'd0;
    end else if (step) begin
      current <= keeps;
      if (between) next <= ring == 2'd2 ? 2'd0 : ring + 2'd1;
    end
  end

  assign current_context = n_current;
  assign drawn           = n_drawn;
  assign closed          = n_closed;
  assign in_pipe         = n_in_pipe;
  always_ff @(posedge clk) begin
    if (rst) begin
      c_current  <= 3'd1;
      c_drawn    <= 1'b0;
      c_closed   <= 1'b0;
      c_preamble <= 1'b0;
      c_in_pipe  <= 8'd0;
    end else if (step) begin
      c_current  <= n_current;
      c_drawn    <= n_drawn;
      c_closed   <= n_closed;
      c_preamble <= n_preamble;
      c_in_pipe  <= n_in_pipe;
    end else if (ctx_valid) begin
      c_current  <= ctx_current;
      c_drawn    <= ctx_drawn;
      c_closed   <= ctx_closed;
      c_preamble <= ctx_preamble;
      c_in_pipe  <= ctx_in_pipe;
    end
  end
endmodule
