// SPDX-License-Identifier: Apache-2.0
// One ring's counters and buffer flags, by which the constant engine (CE) and the drawing engine
// (DE) keep in step.
//
// ce_counter counts constant sets that are in memory and that DE has not used. de_count and
// ce_compare count sets that have left the pipe and that the CE has made; there are two of each, for
// the two buffers that SET_CE_DE_COUNTERS starts in turn. The CE's flag of a buffer is set there
// and cleared when DE has left the buffer for good. DE requests its next buffer with its own flags
// and is granted one by the table of WAIT_ON_AVAIL_BUFFER.
`include "cp_ce_pkg.sv"
module cp_ce_sync (
  input  logic        clk,
  input  logic        rst,
  // from the engine
  input  logic        confirmed,     // writes of a set are in memory
  input  logic        made,          // INCREMENT_CE_COUNTER
  input  logic        set,           // SET_CE_DE_COUNTERS
  input  logic [63:0] value,         // counter a packet names
  output logic        flag_busy,     // next buffer is in use
  output logic        reached,       // DE has come to `value`
  output logic        close_enough,  // CE is less than the lower half of `value` ahead
  // from DE
  input  logic        message,
  input  logic [2:0]  kind,
  input  logic        buffer,
  input  logic [1:0]  flags,
  output logic        waits,
  output logic        waits_buffer,
  output logic        grant,         // can be given
  output logic        grant_buffer,
  input  logic        granted,
  output logic        invalid,       // the flags are in a state the table forbids
  output logic [3:0]  flag_state     // CE1 CE0 DE1 DE0
);
  import cp_ce_pkg::*;

  logic [31:0] ce_counter;
  logic [63:0] de_count0, de_count1, ce_compare0, ce_compare1;
  logic        current, upcoming;
  logic [1:0]  ce_flags, de_flags;
  logic        waiting, for_buffer;

  wire wait_counter = message && kind == kDeWaitCounter;
  wire wait_buffer = message && kind == kDeWaitBuffer;
  wire take = message && kind == kDeIncrement;
  wire done = message && kind == kDeIncrementDone;
  wire leave = (message && kind == kDeRelease) || (done && flags[0]);
  wire [1:0] left = leave ? (buffer ? 2'b10 : 2'b01) : 2'b00;
  wire [1:0] started = set ? (upcoming ? 2'b10 : 2'b01) : 2'b00;
  wire [31:0] counted = ce_counter + {31'd0, confirmed};

  always_ff @(posedge clk)
    if (rst) begin
      ce_counter <= 32'd0;
      {de_count0, de_count1, ce_compare0, ce_compare1} <= 256'd0;
      {current, upcoming, waiting, for_buffer} <= 4'd0;
      {ce_flags, de_flags} <= 4'd0;
    end else begin
      ce_counter <= (take && counted != 32'd0) ? counted - 32'd1 : counted;
      if (started[0]) de_count0 <= value;
      else if (done && !buffer) de_count0 <= de_count0 + 64'd1;
      if (started[1]) de_count1 <= value;
      else if (done && buffer) de_count1 <= de_count1 + 64'd1;
      if (started[0]) ce_compare0 <= value;
      else if (made && !current) ce_compare0 <= ce_compare0 + 64'd1;
      if (started[1]) ce_compare1 <= value;
      else if (made && current) ce_compare1 <= ce_compare1 + 64'd1;
      if (set) begin
        current <= upcoming;
        upcoming <= !upcoming;
      end
      ce_flags <= (ce_flags & ~left) | started;
      if (wait_counter || wait_buffer) begin
        waiting <= 1'b1;
        for_buffer <= wait_buffer;
        de_flags <= flags;
      end else begin
        if (granted) waiting <= 1'b0;
        de_flags <= de_flags & ~left;
      end
    end

  assign flag_busy = ce_flags[upcoming];
  wire [63:0] de_count = current ? de_count1 : de_count0;
  wire [63:0] ahead = (current ? ce_compare1 : ce_compare0) - de_count;
  assign reached = de_count >= value;
  assign close_enough = ahead < {32'd0, value[31:0]};

  // Of two buffers that wait for DE, the one the CE is not on was set first.
  logic available, chosen, bad;
  always_comb begin
    available = 1'b0;
    chosen = 1'b0;
    bad = 1'b0;
    case ({ce_flags, de_flags})
      4'b0000: ;
      4'b0100: available = 1'b1;
      4'b0101: ;
      4'b1000: begin
        available = 1'b1;
        chosen = 1'b1;
      end
      4'b1010: ;
      4'b1100: begin
        available = 1'b1;
        chosen = !current;
      end
      4'b1101: begin
        available = 1'b1;
        chosen = 1'b1;
      end
      4'b1110: available = 1'b1;
      4'b1111: ;
      default: bad = 1'b1;
    endcase
  end

  assign waits = waiting;
  assign waits_buffer = for_buffer;
  assign grant = waiting && (for_buffer ? available : ce_counter != 32'd0);
  assign grant_buffer = for_buffer && chosen;
  assign invalid = waiting && for_buffer && bad;
  assign flag_state = {ce_flags, de_flags};

endmodule
