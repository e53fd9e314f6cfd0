// SPDX-License-Identifier: Apache-2.0
// The source in memory. A line is read for a piece of the source unless one of the lines requested
// last holds it; pieces wait in order until their lines come, and leave for the buffer. A line's
// slot is free when its last piece has left; the slot freed last is used first.
module dma_linear_reads (
  input  logic             clk,
  input  logic             rst,
  input  logic [9:0]       cfg_read_lines,
  input  logic [6:0]       cfg_open_lines,
  input  logic [3:0]       cfg_addresses,
  input  logic             enable,  // a source in memory is at work
  input  logic             rsp_valid,
  input  logic [12:0]      rsp_tag,
  input  logic [511:0]     rsp_data,
  // pieces of the source
  input  logic [7:0]       src_valid,
  input  logic [7:0][57:0] src_line,
  input  logic [7:0][5:0]  src_offset,
  input  logic [7:0][6:0]  src_bytes,
  output logic [9:0]       taken,   // bytes of them
  output logic             stalled,
  output logic             moves,
  // requests
  output logic             wants,   // sends one if it may
  input  logic             may_send,
  output logic             sends,
  output logic [57:0]      send_line,
  output logic [8:0]       send_tag,
  // to the buffer
  input  logic [8:0]       room,    // bytes
  output logic [7:0]       leaves,
  output logic [7:0][511:0] leaving_data,
  output logic [7:0][5:0]  leaving_offset,
  output logic [7:0][6:0]  leaving_bytes
);

  // ---- state
  logic [511:0]       arrived;      // by slot
  logic [511:0][12:0] waiting;      // pieces, by slot
  logic [511:0]       data[0:511];  // by slot
  logic [511:0][8:0]  free_slots;
  logic [9:0]         free_count;
  // Lines requested last, the newest first.
  logic [15:0]        recent_live;
  logic [15:0][57:0]  recent_line;
  logic [15:0][8:0]   recent_slot;
  // Pieces that wait for their lines.
  logic [21:0]        pieces[0:4095]; // slot, offset, bytes
  logic [11:0]        oldest;
  logic [12:0]        piece_count;

  // ---- pieces that leave
  logic [7:0][8:0] leaving_slot;
  for (genvar g = 0; g < 8; g++) begin : g_leaving
    logic [21:0] piece;
    logic        fresh; // came in this cycle
    assign piece             = pieces[oldest + 12'(g)];
    assign leaving_slot[g]   = piece[21:13];
    assign leaving_offset[g] = piece[12:7];
    assign leaving_bytes[g]  = piece[6:0];
    assign fresh             = rsp_valid && rsp_tag == {4'd0, piece[21:13]};
    assign leaving_data[g]   = fresh ? rsp_data : data[piece[21:13]];
  end

  logic [511:0]       come;
  logic [511:0][12:0] waiting_left; // after those that leave
  logic [9:0]         sum;
  logic [7:0][8:0]    freed;
  logic [3:0]         freed_count, left_count;
  logic               blocked;
  always_comb begin
    come         = arrived;
    waiting_left = waiting;
    freed        = '0;
    freed_count  = 4'd0;
    left_count   = 4'd0;
    leaves       = 8'd0;
    sum          = 10'd0;
    blocked      = !enable;
    if (rsp_valid) come[rsp_tag[8:0]] = 1'b1;
    for (int i = 0; i < 8; i++) begin
      blocked = blocked || i >= {28'd0, cfg_addresses} || i >= {19'd0, piece_count}
          || !come[leaving_slot[i]] || sum + {3'd0, leaving_bytes[i]} > {1'b0, room};
      if (!blocked) begin
        leaves[i]  = 1'b1;
        left_count = left_count + 4'd1;
        sum        = sum + {3'd0, leaving_bytes[i]};
        waiting_left[leaving_slot[i]] = waiting_left[leaving_slot[i]] - 13'd1;
        if (waiting_left[leaving_slot[i]] == 13'd0) begin
          freed[freed_count[2:0]] = leaving_slot[i];
          freed_count             = freed_count + 4'd1;
        end
      end
    end
  end

  // ---- the slot that is used next
  logic       has_slot;
  logic [8:0] next_slot, top_slot, below_top;
  logic [2:0] last_freed;
  assign below_top  = free_count[8:0] - 9'd1;
  assign top_slot   = free_slots[below_top];
  assign last_freed = freed_count[2:0] - 3'd1;
  assign has_slot   = free_count != 10'd0 || freed_count != 4'd0;
  assign next_slot  = freed_count != 4'd0 ? freed[last_freed] : top_slot;

  // ---- lines that pieces find
  logic [15:0]     live;  // with pieces
  logic [7:0]      found;
  logic [7:0][8:0] found_slot;
  logic [7:0][3:0] found_at;
  always_comb begin
    for (int r = 0; r < 16; r++)
      live[r] = recent_live[r] && waiting_left[recent_slot[r]] != 13'd0;
    found      = 8'd0;
    found_slot = '0;
    found_at   = '0;
    for (int i = 0; i < 8; i++)
      for (int r = 0; r < 16; r++)
        if (live[r] && recent_line[r] == src_line[i]) begin
          found[i]      = 1'b1;
          found_slot[i] = recent_slot[r];
          found_at[i]   = 4'(r);
        end
  end

  // The first piece that finds no line wants one.
  logic [12:0] pieces_left;
  logic        looks;
  assign pieces_left = piece_count - {9'd0, left_count};
  always_comb begin
    wants = 1'b0;
    looks = enable;
    for (int i = 0; i < 8; i++) begin
      looks = looks && i < {28'd0, cfg_addresses} && src_valid[i]
          && pieces_left + 13'(i) != 13'd4096;
      if (looks && !found[i]) begin
        wants = has_slot;
        looks = 1'b0;
      end
    end
  end

  // ---- pieces that are taken
  logic [511:0][12:0] waiting_next;
  logic [7:0][8:0]    pushed_slot;
  logic [3:0]         pushed;
  logic [8:0]         slot;
  logic               takes, hit;
  logic               last_of_recent; // the oldest line is forgotten when one is requested
  always_comb begin
    waiting_next = waiting_left;
    pushed_slot  = '0;
    pushed       = 4'd0;
    taken        = 10'd0;
    sends        = 1'b0;
    send_line    = 58'd0;
    send_tag     = 9'd0;
    takes        = enable;
    slot         = 9'd0;
    hit          = 1'b0;
    last_of_recent = 1'b0;
    for (int i = 0; i < 8; i++) begin
      takes = takes && i < {28'd0, cfg_addresses} && src_valid[i]
          && pieces_left + {9'd0, pushed} != 13'd4096;
      last_of_recent = sends && {3'd0, found_at[i]} + 7'd1 == cfg_open_lines;
      hit   = found[i] && !last_of_recent;
      slot  = found_slot[i];
      if (!hit && sends && src_line[i] == send_line) begin
        hit  = 1'b1;
        slot = send_tag;
      end
      if (takes && !hit) begin
        if (has_slot && may_send && !sends) begin
          sends     = 1'b1;
          send_line = src_line[i];
          send_tag  = next_slot;
          slot      = next_slot;
        end else begin
          takes = 1'b0;
        end
      end
      if (takes) begin
        pushed_slot[i]     = slot;
        pushed             = pushed + 4'd1;
        taken              = taken + {3'd0, src_bytes[i]};
        waiting_next[slot] = waiting_next[slot] + 13'd1;
      end
    end
  end
  assign moves   = pushed != 4'd0;
  assign stalled = enable && !has_slot && !moves && src_valid[0];

  // ---- next state
  always_ff @(posedge clk) begin
    if (rst) begin
      arrived     <= '0;
      waiting     <= '0;
      free_count  <= cfg_read_lines;
      recent_live <= 16'd0;
      oldest      <= 12'd0;
      piece_count <= 13'd0;
      for (int i = 0; i < 512; i++)
        free_slots[i] <= cfg_read_lines[8:0] - 9'd1 - 9'(i);
    end else begin
      arrived     <= come;
      if (sends) arrived[send_tag] <= 1'b0;
      waiting     <= waiting_next;
      free_count  <= free_count + {6'd0, freed_count} - {9'd0, sends};
      oldest      <= oldest + {8'd0, left_count};
      piece_count <= pieces_left + {9'd0, pushed};
      if (sends) begin
        recent_live    <= {live[14:0], 1'b1};
        recent_line    <= {recent_line[14:0], send_line};
        recent_slot    <= {recent_slot[14:0], send_tag};
        for (int r = 1; r < 16; r++)
          if (r >= {25'd0, cfg_open_lines}) recent_live[r] <= 1'b0;
      end else begin
        recent_live    <= live;
      end
      if (rsp_valid) data[rsp_tag[8:0]] <= rsp_data;
      for (int i = 0; i < 8; i++) begin
        if (i < {28'd0, freed_count}) free_slots[9'(free_count) + 9'(i)] <= freed[i];
        if (i < {28'd0, pushed})
          pieces[oldest + 12'(piece_count) + 12'(i)] <= {pushed_slot[i], src_offset[i], src_bytes[i]};
      end
    end
  end

endmodule
