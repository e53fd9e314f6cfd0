// SPDX-License-Identifier: Apache-2.0
// The targets. Pieces of them are aligned and swapped bytes of the buffer, put into lines with byte
// masks. A line leaves when it is whole and may, when another needs its place and it is the oldest,
// or when all is put.
module dma_linear_writes (
  input  logic               clk,
  input  logic               rst,
  input  logic [12:0]        cfg_write_lines,
  input  logic [6:0]         cfg_open_lines,
  input  logic [3:0]         cfg_addresses,
  input  logic               enable,  // a transfer is at work
  input  logic               starts,  // in this cycle
  input  logic               both,    // two targets
  input  logic               ack_valid,
  // pieces of the targets
  input  logic [7:0]         dst0_valid,
  input  logic [7:0][57:0]   dst0_line,
  input  logic [7:0][5:0]    dst0_offset,
  input  logic [7:0][6:0]    dst0_bytes,
  input  logic [7:0][2:0]    dst0_swap,
  output logic [9:0]         dst0_taken, // bytes of them
  input  logic [7:0]         dst1_valid,
  input  logic [7:0][57:0]   dst1_line,
  input  logic [7:0][5:0]    dst1_offset,
  input  logic [7:0][6:0]    dst1_bytes,
  input  logic [7:0][2:0]    dst1_swap,
  output logic [9:0]         dst1_taken,
  output logic               moves,
  output logic               written,    // the last line of the transfer leaves
  // requests
  input  logic               may_send,
  output logic               sends,
  output logic [57:0]        send_line,
  output logic [63:0]        send_mask,
  output logic [511:0]       send_data,
  // the buffer: byte i of the transfer is byte i mod 256
  input  logic [255:0][7:0]  bytes,
  input  logic [15:0]        end_byte,   // of what is in it
  output logic [8:0]         first_byte  // that a target needs; before this cycle's pieces
);

  // ---- state
  logic [15:0]        first, position0, position1;
  logic [12:0]        in_flight;
  logic [15:0][57:0]  line;   // by place
  logic [15:0][63:0]  mask;
  logic [15:0][511:0] data;
  logic [15:0][3:0]   order;  // places: open lines, the oldest first, then free ones
  logic [4:0]         open;   // lines
  logic [15:0]        first_now;
  assign first_now  = starts ? 16'd0 : first;
  assign first_byte = first_now[8:0];

  // Byte lanes of a line from `offset` on are bytes from `position` on.
  function automatic logic [511:0] aligned(input logic [255:0][7:0] from, input logic [7:0] position,
                                           input logic [5:0] offset, input logic [2:0] swap);
    for (int lane = 0; lane < 64; lane++)
      aligned[8 * lane +: 8] = from[(position + 8'(lane) - {2'd0, offset}) ^ {5'd0, swap}];
  endfunction
  function automatic logic [63:0] lanes_of(input logic [5:0] offset, input logic [6:0] count);
    lanes_of = ((64'd1 << count) - 64'd1) << offset;
  endfunction
  function automatic logic [511:0] widened(input logic [63:0] lanes);
    for (int lane = 0; lane < 64; lane++) widened[8 * lane +: 8] = {8{lanes[lane]}};
  endfunction
  // Bytes that a swap stays within, less one.
  function automatic logic [2:0] unit_of(input logic [2:0] swap);
    unit_of = swap[2] ? 3'd7 : swap[1] ? 3'd3 : {2'd0, swap[0]};
  endfunction
  // Without the line at `index`, whose place is free then.
  function automatic logic [15:0][3:0] without(input logic [15:0][3:0] places, input logic [3:0] index,
                                               input logic [4:0] count);
    without = places;
    for (int i = 0; i < 15; i++)
      if (i >= {28'd0, index} && i + 1 < {27'd0, count}) without[i] = places[i + 1];
    without[count[3:0] - 4'd1] = places[index];
  endfunction

  // ---- pieces that are put, one after the other
  logic [15:0]        at0, at1, at;
  logic [3:0]         taken0, taken1;
  logic [15:0][57:0]  line_next;
  logic [15:0][63:0]  mask_next;
  logic [15:0][511:0] data_next;
  logic [15:0][3:0]   order_next;
  logic [4:0]         open_next;
  logic [12:0]        unacknowledged;
  logic               goes, second, valid, here, found, room, ends, leaves, may;
  logic [57:0]        piece_line;
  logic [5:0]         piece_offset;
  logic [6:0]         piece_bytes;
  logic [2:0]         piece_swap;
  logic [15:0]        needed;
  logic [3:0]         index, place;
  logic [63:0]        lanes;
  logic [511:0]       wide;
  assign unacknowledged = in_flight - {12'd0, ack_valid};
  assign may            = may_send && unacknowledged < cfg_write_lines;
  always_comb begin
    at0        = starts ? 16'd0 : position0;
    at1        = starts ? 16'd0 : position1;
    taken0     = 4'd0;
    taken1     = 4'd0;
    dst0_taken = 10'd0;
    dst1_taken = 10'd0;
    line_next  = line;
    mask_next  = mask;
    data_next  = data;
    order_next = order;
    open_next  = open;
    place      = 4'd0;
    lanes      = 64'd0;
    wide       = 512'd0;
    goes       = enable;
    moves      = 1'b0;
    written    = 1'b0;
    ends       = 1'b0;
    sends      = 1'b0;
    send_line  = 58'd0;
    send_mask  = 64'd0;
    send_data  = 512'd0;
    for (int i = 0; i < 8; i++) begin
      // The target that is after.
      at           = at1 - at0;
      second       = both && at[15];
      valid        = second ? dst1_valid[taken1[2:0]] && !taken1[3] : dst0_valid[taken0[2:0]] && !taken0[3];
      piece_line   = second ? dst1_line[taken1[2:0]] : dst0_line[taken0[2:0]];
      piece_offset = second ? dst1_offset[taken1[2:0]] : dst0_offset[taken0[2:0]];
      piece_bytes  = second ? dst1_bytes[taken1[2:0]] : dst0_bytes[taken0[2:0]];
      piece_swap   = second ? dst1_swap[taken1[2:0]] : dst0_swap[taken0[2:0]];
      at           = second ? at1 : at0;
      // All its bytes are there.
      needed       = (at + {9'd0, piece_bytes} + {13'd0, unit_of(piece_swap)}) & ~{13'd0, unit_of(piece_swap)};
      needed       = end_byte - needed;
      here         = !needed[15];
      found        = 1'b0;
      index        = 4'd0;
      for (int k = 15; k >= 0; k--)
        if (k < {27'd0, open_next} && line_next[order_next[k]] == piece_line) begin
          found = 1'b1;
          index = 4'(k);
        end
      room         = found || {2'd0, open_next} != cfg_open_lines;
      goes         = goes && i < {28'd0, cfg_addresses};
      ends         = ends || (goes && !valid);
      goes         = goes && valid && here && (room || (may && !sends));
      leaves       = goes && !room;
      if (leaves) begin
        sends      = 1'b1;
        send_line  = line_next[order_next[0]];
        send_mask  = mask_next[order_next[0]];
        send_data  = data_next[order_next[0]];
        order_next = without(order_next, 4'd0, open_next);
        open_next  = open_next - 5'd1;
      end
      if (goes) begin
        if (!found) index = open_next[3:0];
        place = order_next[index];
        lanes = lanes_of(piece_offset, piece_bytes);
        wide  = widened(lanes);
        line_next[place] = piece_line;
        mask_next[place] = (found ? mask_next[place] : 64'd0) | lanes;
        data_next[place] = (data_next[place] & ~wide) | (aligned(bytes, at[7:0], piece_offset, piece_swap) & wide);
        if (!found) open_next = open_next + 5'd1;
        if (second) begin
          at1        = at1 + {9'd0, piece_bytes};
          taken1     = taken1 + 4'd1;
          dst1_taken = dst1_taken + {3'd0, piece_bytes};
        end else begin
          at0        = at0 + {9'd0, piece_bytes};
          taken0     = taken0 + 4'd1;
          dst0_taken = dst0_taken + {3'd0, piece_bytes};
        end
        moves = 1'b1;
        if (&mask_next[place] && may && !sends) begin
          sends      = 1'b1;
          send_line  = piece_line;
          send_mask  = mask_next[place];
          send_data  = data_next[place];
          order_next = without(order_next, index, open_next);
          open_next  = open_next - 5'd1;
        end
      end
    end
    at = at1 - at0;
    // All is put: the oldest line goes.
    if (ends && open_next != 5'd0 && may && !sends) begin
      sends      = 1'b1;
      send_line  = line_next[order_next[0]];
      send_mask  = mask_next[order_next[0]];
      send_data  = data_next[order_next[0]];
      order_next = without(order_next, 4'd0, open_next);
      open_next  = open_next - 5'd1;
      moves      = 1'b1;
    end
    if (ends && open_next == 5'd0) begin
      written = 1'b1;
      moves   = 1'b1;
    end
    send_data = send_data & widened(send_mask);
  end

  // ---- next state
  logic [15:0] least; // bytes that a target has after it
  assign least = both && at[15] ? at1 : at0;
  always_ff @(posedge clk) begin
    if (rst) begin
      first     <= 16'd0;
      position0 <= 16'd0;
      position1 <= 16'd0;
      in_flight <= 13'd0;
      open      <= 5'd0;
      for (int i = 0; i < 16; i++) order[i] <= 4'(i);
    end else begin
      in_flight <= unacknowledged + {12'd0, sends};
      if (enable) begin
        position0 <= at0;
        position1 <= at1;
        open      <= open_next;
        order     <= order_next;
        line      <= line_next;
        mask      <= mask_next;
        data      <= data_next;
        first     <= ends ? first_now : least & 16'hfff8; // whole units of swaps
      end
    end
  end

endmodule
