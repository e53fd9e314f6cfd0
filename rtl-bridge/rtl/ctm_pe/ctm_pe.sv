// SPDX-License-Identifier: Apache-2.0
// Sequencer of CTM's processor execution unit: ATI CTM Guide 1.01, sections 2.1.2 and 2.2. Reads
// commands from the dwords of a buffer, one a cycle, and hands out one command after the other:
//
//   idle -> read (header, parameters) -> delay (cfg_cycles) -> act -> read ... -> end -> idle
//
// Commands wait in `act` for what models/ctm/pe/DECISIONS.md says: programs that run, commands of
// other units on their way, a receiver. A header that is none, a command that the buffer ends in
// and a command that is undefined where it stands stop the block until it is reset. Outputs of a
// command are zero in all other states.
module ctm_pe (
  `include "ctm_pe_ports.svh"
);

  localparam logic [2:0] IDLE = 3'd0, READ = 3'd1, DELAY = 3'd2, ACT = 3'd3, FINAL = 3'd4,
                         STOPPED = 3'd5;

  logic [2:0]  phase;
  logic [29:0] dwords, taken;

  // ---- the command being read, and what its row says of it
  logic [7:0]       opcode;
  logic [3:0][31:0] p;
  logic [2:0]       missing;  // parameters
  logic [1:0]       position; // of the next one
  logic [5:0]       delay;

  logic       known;
  logic [1:0] count; // of the header that is on the pins, parameters less one
  always_comb begin
    known = dw_data[7:0] == 8'd0 && dw_data[31:18] == 14'h3000;
    count = 2'd0;
    case (dw_data[15:8])
      8'h02, 8'h05:                      count = 2'd1;
      8'h0a, 8'h0e, 8'h0f, 8'h10:        count = 2'd1;
      8'h07, 8'h0b, 8'h0c:               count = 2'd3;
      8'h0d:                             count = 2'd2;
      8'h03, 8'h04, 8'h06, 8'h08, 8'h09: count = 2'd0;
      8'h11, 8'h12, 8'h13, 8'h14, 8'h15: count = 2'd0;
      8'h16, 8'h17, 8'h18, 8'h19, 8'h1a: count = 2'd0;
      8'h1b, 8'h1c:                      count = 2'd0;
      default:                           known = 1'b0;
    endcase
    if (dw_data[17:16] != count) known = 1'b0;
  end
  logic [29:0] left; // after the dword on the pins
  assign left = dwords - taken - 30'd1;
  logic ends; // the buffer, within the command
  assign ends = left <= 30'(count);

  logic is_start, is_counter, is_idle, at_once, pipelined;
  logic for_mc, for_co;
  assign is_start   = opcode == 8'h08;
  assign is_idle    = opcode == 8'h09;
  assign is_counter = opcode <= 8'h05;
  assign at_once    = opcode == 8'h06 || opcode == 8'h07;
  assign pipelined  = opcode != 8'h05 && !(opcode >= 8'h0a && opcode <= 8'h10);
  assign for_mc     = opcode >= 8'h0a && opcode <= 8'h1a;
  assign for_co     = opcode == 8'h0d || opcode >= 8'h1a;

  // ---- settings
  logic [11:0] i0, j0, i1, j1;
  logic [31:0] value;
  logic [2:0]  test;
  logic        location;   // 0 DPP, 1 PE
  logic        set_up, has_buffer, writes;
  logic        started;    // a program, since the last wait_for_idle
  logic [8:0]  in_flight;  // commands of units that are not done
  logic        mc_left, co_left; // the command has not been taken

  logic effect;
  assign effect = set_up && (test != 3'd7 || (writes && has_buffer));

  // ---- what the command at hand waits for
  logic act, for_programs, for_units, free;
  assign act          = phase == ACT;
  assign for_programs = programs_run && (is_start ? effect : !at_once);
  assign for_units    = ((is_start || is_idle) && in_flight != 9'd0)
                      || ((mc_left || co_left) && in_flight >= 9'd254);
  assign free         = act && !for_programs && !for_units;

  assign mc_valid    = free && mc_left;
  assign co_valid    = free && co_left;
  assign ctr_valid   = free && is_counter;
  assign start_valid = free && is_start;

  logic held; // a receiver does not take it
  assign held = (mc_valid && !mc_ready) || (co_valid && !co_ready)
             || (ctr_valid && !ctr_ready) || (start_valid && !start_ready);

  logic undefined;
  assign undefined = started && !pipelined && !cfg_allow;

  assign buf_ready = phase == IDLE;
  assign dw_ready  = phase == READ;
  assign end_valid = phase == FINAL && !programs_run && in_flight == 9'd0;

  always_comb begin
    wait_code = 3'd0;
    if (phase == READ && !dw_valid)                             wait_code = 3'd1;
    if ((act && for_programs) || (phase == FINAL && programs_run)) wait_code = 3'd2;
    else if ((act && for_units) || (phase == FINAL && in_flight != 9'd0)) wait_code = 3'd3;
    else if (held)                                              wait_code = 3'd4;
  end

  assign cmd_opcode        = act ? opcode : 8'd0;
  assign cmd_p             = act ? p : '0;
  assign start_i0          = act ? i0 : 12'd0;
  assign start_j0          = act ? j0 : 12'd0;
  assign start_i1          = act ? i1 : 12'd0;
  assign start_j1          = act ? j1 : 12'd0;
  assign start_value       = act ? value : 32'd0;
  assign start_tests       = act && effect && location;
  assign start_conditional = act && effect && !location;

  // ---- the edge
  logic mc_taken, co_taken, finished;
  assign mc_taken = mc_valid && mc_ready;
  assign co_taken = co_valid && co_ready;
  assign finished = free && !held;

  logic whole; // the command, with the dword on the pins or with this cycle of delay
  assign whole = (phase == READ && dw_valid && missing == 3'd1 && cfg_cycles == 6'd0)
              || (phase == DELAY && delay == 6'd1);

  always_ff @(posedge clk) begin
    if (rst) begin
      phase     <= IDLE;
      stop_code <= 2'd0;
      missing   <= 3'd0;
      in_flight <= 9'd0;
      mc_left   <= 1'b0;
      co_left   <= 1'b0;
    end else begin
      in_flight <= in_flight + 9'(mc_taken) + 9'(co_taken) - 9'(mcdone_valid) - 9'(codone_valid);
      if (mc_taken) mc_left <= 1'b0;
      if (co_taken) co_left <= 1'b0;
      if (phase == IDLE && buf_valid) begin
        phase  <= READ;
        dwords <= buf_dwords;
        taken  <= 30'd0;
      end
      if (phase == READ && dw_valid) begin
        taken <= taken + 30'd1;
        if (missing == 3'd0) begin
          if (!known || ends) begin
            phase     <= STOPPED;
            stop_code <= known ? 2'd2 : 2'd1;
          end
          opcode   <= dw_data[15:8];
          p        <= '0;
          position <= 2'd0;
          missing  <= {1'b0, count} + 3'd1;
        end else begin
          p[position] <= dw_data;
          position    <= position + 2'd1;
          missing     <= missing - 3'd1;
          delay       <= cfg_cycles;
          if (missing == 3'd1) phase <= DELAY;
        end
      end
      if (phase == DELAY) delay <= delay - 6'd1;
      if (whole) begin
        phase     <= undefined ? STOPPED : ACT;
        stop_code <= undefined ? 2'd3 : 2'd0;
        mc_left   <= for_mc;
        co_left   <= for_co;
      end
      if (finished) phase <= taken == dwords ? FINAL : READ;
      if (end_valid) phase <= IDLE;
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      {i0, j0, i1, j1, value} <= '0;
      {location, set_up, has_buffer, started} <= '0;
      test   <= 3'd7;
      writes <= 1'b1;
    end else begin
      if (phase == IDLE && buf_valid && buf_after_idle) started <= 1'b0;
      if (finished)
        case (opcode)
          8'h06:   value <= p[0];
          8'h07:   {i0, j0, i1, j1} <= {p[0][11:0], p[1][11:0], p[2][11:0], p[3][11:0]};
          8'h08:   started <= 1'b1;
          8'h09:   started <= 1'b0;
          8'h0d:   has_buffer <= 1'b1;
          8'h1a:   writes <= p[0][0];
          8'h1b:   {set_up, test} <= {1'b1, p[0][2:0]};
          8'h1c:   location <= p[0][0];
          default: ;
        endcase
    end
  end

endmodule
