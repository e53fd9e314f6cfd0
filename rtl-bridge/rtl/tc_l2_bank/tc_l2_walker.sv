// SPDX-License-Identifier: Apache-2.0
// Cache actions: goes through all entries, some per cycle, writes dirty lines of the range back
// (one per cycle at most, and none while the queue to memory is full) and drops clean bytes. A
// pending line is marked instead. Write-backs count for the epoch in which they were sent: the end
// of a walk begins the next epoch, and the action is done when memory has answered all of the last.
module tc_l2_walker #(
  parameter int ENTRY = 11,
  parameter int WALK = 16,
  parameter int STEP = $clog2(WALK) + 1
) (
  input  logic               clk,
  input  logic               rst,
  input  logic               stop,       // nothing moves
  input  logic               pause,
  input  logic [ENTRY:0]     entries,
  input  logic [STEP-1:0]    lines,      // looked at in a cycle
  // actions
  input  logic               in_valid,
  output logic               in_ready,
  input  logic               in_writeback,
  input  logic               in_invalidate,
  input  logic [63:0]        in_base,
  input  logic [63:0]        in_size,
  input  logic [31:0]        in_tag,
  input  logic               done_ready,
  output logic               done_valid,
  output logic [31:0]        done_tag,
  // tags
  output logic               on,
  output logic [ENTRY-1:0]   first,
  input  logic [WALK-1:0]    used,
  input  logic [WALK-1:0]    pending,
  input  logic [WALK-1:0]    some,
  input  logic [58*WALK-1:0] line,
  output logic [WALK-1:0]    clean,
  output logic [WALK-1:0]    drop,
  output logic [WALK-1:0]    mark,
  // write-backs
  input  logic               queue_full,
  output logic               send,
  output logic [ENTRY-1:0]   sent,
  output logic               ends,        // the walk, with this cycle
  input  logic               open,        // write-backs of the epoch before the one that is on
  // state
  output logic               active_next,
  output logic               waits_next,  // for memory's answers, or nothing to do
  output logic               started,
  output logic [STEP-1:0]    dropped
);

  logic           active, walking, writeback, invalidate;
  logic [63:0]    base, size;
  logic [31:0]    tag;
  logic [ENTRY:0] cursor;

  // ---- the action that is on: one that comes now begins at once
  logic           is_active, is_walking, is_writeback, is_invalidate;
  logic [63:0]    from, bytes, to;
  logic [ENTRY:0] at;
  assign in_ready      = in_valid && !active && !pause && !stop;
  assign started       = in_ready && (in_writeback || in_invalidate);
  assign is_active     = active || in_ready;
  assign is_walking    = active ? walking : started;
  assign is_writeback  = active ? writeback : in_writeback;
  assign is_invalidate = active ? invalidate : in_invalidate;
  assign from          = active ? base : in_base;
  assign bytes         = active ? size : in_size;
  assign to            = from + bytes - 64'd1;
  assign at            = active ? cursor : '0;
  assign on            = is_walking && !pause && !stop;
  assign first         = at[ENTRY-1:0];

  // ---- which entries of the window are to be sent
  logic [WALK-1:0] mine, wanted, ahead, up_to;
  logic [ENTRY:0]  left;
  logic [STEP-1:0] limit, passed;
  assign left  = entries - at;
  assign limit = left < (ENTRY + 1)'(lines) ? left[STEP-1:0] : lines;
  genvar g;
  generate
    for (g = 0; g < WALK; g = g + 1) begin : g_line
      logic [63:0] byte0;
      logic        above, below;
      assign byte0   = {line[58*g+:58], 6'd0};
      assign above   = (byte0 | 64'd63) >= from;
      assign below   = byte0 <= to || to < from;
      assign mine[g] = on && used[g] && STEP'(g) < limit
                    && (bytes == ~64'd0 || (bytes != 64'd0 && above && below));
    end
  endgenerate
  assign wanted = is_writeback ? mine & some : '0;
  assign send   = wanted != '0 && !queue_full;

  // `ahead`: below the first to be sent; `up_to`: what this cycle deals with
  assign ahead  = ~wanted & (wanted - 1'b1);
  assign clean  = send ? wanted & ~(wanted - 1'b1) : '0;
  assign up_to  = ahead | clean;
  assign drop   = is_invalidate ? mine & up_to & ~pending : '0;
  assign mark   = is_invalidate ? mine & up_to & pending : '0;

  function automatic logic [STEP-1:0] count(input logic [WALK-1:0] bits);
    integer i;
    count = '0;
    for (i = 0; i < WALK; i = i + 1) count = count + {{(STEP - 1){1'b0}}, bits[i]};
  endfunction

  logic [STEP-1:0] skipped;
  assign skipped = wanted == '0 ? '0 : count(ahead);
  assign passed  = !on ? '0 : wanted == '0 ? limit : skipped + {{(STEP - 1){1'b0}}, send};
  assign sent    = first + ENTRY'(skipped);
  assign dropped = on ? count(drop) : '0;

  logic [ENTRY:0] at_next;
  assign at_next = at + (ENTRY + 1)'(passed);
  assign ends    = on && at_next == entries;

  // ---- the end
  logic walking_next, waits;
  assign walking_next = is_walking && !ends;
  assign waits        = (is_writeback || is_invalidate) && open;
  assign done_valid   = is_active && !walking_next && !waits && done_ready && !stop;
  assign done_tag     = !done_valid ? 32'd0 : active ? tag : in_tag;
  assign active_next  = is_active && !done_valid;
  assign waits_next   = !active_next || (!walking_next && waits);

  always_ff @(posedge clk) begin
    if (rst) begin
      active  <= 1'b0;
      walking <= 1'b0;
    end else begin
      active  <= active_next;
      walking <= walking_next;
    end
    cursor <= at_next;
    if (in_ready) begin
      writeback  <= in_writeback;
      invalidate <= in_invalidate;
      base       <= in_base;
      size       <= in_size;
      tag        <= in_tag;
    end
  end

endmodule
