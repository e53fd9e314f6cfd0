// SPDX-License-Identifier: Apache-2.0
// Linear datapath of the async DMA engines of R6xx to CIK. The engine begins transfers and gives the
// spans of source and targets, bytes that follow one another in memory; this cuts them at lines of 64
// bytes, reads lines ahead, moves the bytes through a buffer of 256, aligned and swapped, and writes
// lines with byte masks. A linear copy is one span; what is tiled comes as many short ones.
//
// Each side takes up to cfg_addresses pieces of its spans in a cycle, src_taken, dst0_taken and
// dst1_taken bytes; the engine gives the spans after them in the next. One request leaves in a
// cycle; the direction of the last keeps the port for cfg_burst of them while it has any. What a
// response brings may be written in its cycle.
//
// A source that is not in memory makes a line a cycle: 16 dwords from begin_first on, a dword again and
// again, or page table entries (first + n * increment, OR mask; two dwords each of begin_data).
// state_written tells that all writes of the transfer are on their way; the next may begin then.
module dma_linear (
  `include "dma_linear_ports.svh"
);

  logic unused_bits; // as many lines are not taken
  assign unused_bits = ^cfg_read_lines[12:10];

  // ---- the transfer at work
  logic         active, both;
  logic [1:0]   source;
  logic [63:0]  left;  // bytes to make
  logic [511:0] made_from;
  logic [5:0]   from_byte;
  logic [63:0]  entry; // the next, before the mask
  logic [15:0]  end_byte;
  logic [255:0][7:0] bytes;

  logic         starts, works, both_now;
  logic [1:0]   source_now;
  logic [63:0]  left_now, entry_now;
  logic [511:0] made_from_now;
  logic [5:0]   from_byte_now;
  logic [15:0]  end_now;
  assign starts        = begin_valid && !ctl_hold && !rst;
  assign works         = (active || starts) && !ctl_hold && !rst;
  assign source_now    = starts ? begin_source : source;
  assign both_now      = starts ? begin_both : both;
  assign left_now      = starts ? begin_bytes : left;
  assign made_from_now = starts ? begin_data : made_from;
  assign from_byte_now = starts ? begin_first : from_byte;
  assign entry_now     = starts ? begin_data[63:0] : entry;
  assign end_now       = starts ? 16'd0 : end_byte;

  // ---- spans to pieces
  logic [7:0]       s_valid, t0_valid, t1_valid;
  logic [7:0][57:0] s_line, t0_line, t1_line;
  logic [7:0][5:0]  s_offset, t0_offset, t1_offset;
  logic [7:0][6:0]  s_bytes, t0_bytes, t1_bytes;
  logic [7:0][2:0]  s_swap, t0_swap, t1_swap;
  logic             unused_swap; // a source has none
  assign unused_swap = ^s_swap;
  dma_linear_cut u_source (
    .count(src_count), .address(src_address), .bytes(src_bytes), .swap(24'd0),
    .piece_valid(s_valid), .piece_line(s_line), .piece_offset(s_offset), .piece_bytes(s_bytes),
    .piece_swap(s_swap));
  dma_linear_cut u_target0 (
    .count(dst0_count), .address(dst0_address), .bytes(dst0_bytes), .swap(dst0_swap),
    .piece_valid(t0_valid), .piece_line(t0_line), .piece_offset(t0_offset), .piece_bytes(t0_bytes),
    .piece_swap(t0_swap));
  dma_linear_cut u_target1 (
    .count(dst1_count), .address(dst1_address), .bytes(dst1_bytes), .swap(dst1_swap),
    .piece_valid(t1_valid), .piece_line(t1_line), .piece_offset(t1_offset), .piece_bytes(t1_bytes),
    .piece_swap(t1_swap));

  // ---- the port
  logic       writing;    // whose burst it is
  logic [6:0] burst_left; // messages
  logic       read_wants, read_sends, write_sends, read_may, write_may;
  assign write_may = req_ready && (writing || !read_wants);
  assign read_may  = req_ready && !write_sends;

  // ---- source
  logic [8:0]        first_byte;
  logic [8:0]        room;
  logic [8:0]        held;
  logic              read_moves;
  logic [57:0]       read_line;
  logic [8:0]        read_tag;
  logic [7:0]        leaves;
  logic [7:0][511:0] leaving_data;
  logic [7:0][5:0]   leaving_offset;
  logic [7:0][6:0]   leaving_bytes;
  assign held = end_now[8:0] - first_byte;
  assign room = 9'd256 - held;
  dma_linear_reads u_reads (
    .clk, .rst, .cfg_read_lines(cfg_read_lines[9:0]), .cfg_open_lines, .cfg_addresses,
    .enable(works && source_now == 2'd0), .rsp_valid, .rsp_tag, .rsp_data,
    .src_valid(s_valid), .src_line(s_line), .src_offset(s_offset), .src_bytes(s_bytes),
    .taken(src_taken), .stalled(state_stalled), .moves(read_moves),
    .wants(read_wants), .may_send(read_may), .sends(read_sends), .send_line(read_line), .send_tag(read_tag),
    .room, .leaves, .leaving_data, .leaving_offset, .leaving_bytes);

  // ---- bytes that are made
  logic [63:0]  least;
  logic [6:0]   made;
  logic [511:0] made_line;
  logic [511:0] rotated;
  logic [5:0]   rotation;
  assign least    = left_now < {55'd0, room} ? left_now : {55'd0, room};
  assign made     = !works || source_now == 2'd0 ? 7'd0 : least < 64'd64 ? least[6:0] : 7'd64;
  assign rotation = from_byte_now + end_now[5:0];
  assign rotated  = (made_from_now >> {rotation, 3'd0}) | (made_from_now << (10'd512 - {1'b0, rotation, 3'd0}));
  always_comb begin
    made_line = rotated;
    for (int n = 0; n < 8; n++) begin
      if (source_now == 2'd2) made_line[64 * n +: 64] = {2{made_from_now[31:0]}};
      if (source_now == 2'd3)
        made_line[64 * n +: 64] = (entry_now + 64'(n) * made_from_now[127:64]) | made_from_now[191:128];
    end
  end

  // ---- the buffer
  logic [255:0][7:0] bytes_next;
  logic [15:0]       end_next;
  logic [511:0]      leaving_lanes; // from the piece on
  always_comb begin
    leaving_lanes = 512'd0;
    bytes_next = bytes;
    end_next   = end_now + {9'd0, made};
    for (int k = 0; k < 64; k++)
      if (k < {25'd0, made}) bytes_next[end_now[7:0] + 8'(k)] = made_line[8 * k +: 8];
    for (int i = 0; i < 8; i++)
      if (leaves[i]) begin
        leaving_lanes = leaving_data[i] >> {leaving_offset[i], 3'd0};
        for (int k = 0; k < 64; k++)
          if (k < {25'd0, leaving_bytes[i]})
            bytes_next[end_next[7:0] + 8'(k)] = leaving_lanes[8 * k +: 8];
        end_next = end_next + {9'd0, leaving_bytes[i]};
      end
  end

  // ---- targets
  logic         write_moves;
  logic [57:0]  write_line;
  logic [63:0]  write_mask;
  logic [511:0] write_data;
  dma_linear_writes u_writes (
    .clk, .rst, .cfg_write_lines, .cfg_open_lines, .cfg_addresses, .enable(works), .starts, .both(both_now),
    .ack_valid,
    .dst0_valid(t0_valid), .dst0_line(t0_line), .dst0_offset(t0_offset), .dst0_bytes(t0_bytes),
    .dst0_swap(t0_swap), .dst0_taken,
    .dst1_valid(t1_valid), .dst1_line(t1_line), .dst1_offset(t1_offset), .dst1_bytes(t1_bytes),
    .dst1_swap(t1_swap), .dst1_taken,
    .moves(write_moves), .written(state_written), .may_send(write_may), .sends(write_sends),
    .send_line(write_line), .send_mask(write_mask), .send_data(write_data),
    .bytes(bytes_next), .end_byte(end_next), .first_byte);

  assign req_valid    = read_sends || write_sends;
  assign req_write    = write_sends;
  assign req_line     = write_sends ? write_line : read_line;
  assign req_mask     = write_sends ? write_mask : {64{read_sends}};
  assign req_tag      = {4'd0, read_tag};
  assign req_data     = write_data;
  assign state_active = read_moves || write_moves || made != 7'd0 || leaves != 8'd0;

  // ---- next state
  logic [6:0] turn;
  assign turn = (writing != write_sends || burst_left == 7'd0 ? cfg_burst : burst_left) - 7'd1;
  always_ff @(posedge clk) begin
    if (rst) begin
      active     <= 1'b0;
      writing    <= 1'b0;
      burst_left <= 7'd0;
    end else begin
      if (req_valid) begin
        burst_left <= turn;
        writing    <= write_sends ^ (turn == 7'd0);
      end
      if (works) begin
        active    <= !state_written;
        source    <= source_now;
        both      <= both_now;
        left      <= left_now - {57'd0, made};
        made_from <= made_from_now;
        from_byte <= from_byte_now;
        entry     <= entry_now + {60'd0, made[6:3]} * made_from_now[127:64];
        bytes     <= bytes_next;
        end_byte  <= end_next;
      end
    end
  end

endmodule
