// SPDX-License-Identifier: Apache-2.0
// Constant engine of the command processor. Three rings send it packets; it keeps shader resource
// tables in its RAM (64 KiB, a partition per ring), writes them, dumps them to memory, loads them,
// and keeps in step with the drawing engine (DE). "Radeon Southern Islands Acceleration" 1.3.3,
// 2.2.3, 2.3, 2.5.8, 2.5.15, 2.5.16. Port stream<n> is ring n's; its field of
// state_reason stands at n times its width.
//
// One ring moves per cycle: the one in a packet as long as it can, then the next one that can. A
// packet takes a cycle per fixed dword, cfg_packet_cycles of microcode, and then a cycle per dword
// written or line moved. Offsets count from the ring's partition. A dump ends when its last line
// has left, a load when its last line has come; a load waits until its ring's dumps are confirmed.
//
// Requests carry in their tag: 1:0 ring, 2 write; write: 5:3 constant set; read: 13:3 RAM address /
// 32, 14 upper half of the line, 15 both halves. What breaks a rule stops the block: stop_* in that
// cycle, silence until reset.
`include "cp_ce_pkg.sv"
module cp_ce (
  `include "cp_ce_ports.svh"
);
  import cp_ce_pkg::*;

  logic        halted;
  logic [15:0] cs1, cs2, gds_cs1, gds_cs2;
  logic        in_packet;
  logic [1:0]  current, turn;
  logic [7:0]  loads_out, dumps_out;
  wire run = !rst && !halted;
  wire [2:0]  stream_valid = {stream2_valid, stream1_valid, stream0_valid};
  wire [95:0] stream_dword = {stream2_dword, stream1_dword, stream0_dword};
  wire [23:0] stream_vmid = {stream2_vmid, stream1_vmid, stream0_vmid};

  // ---- responses
  wire [1:0] rsp_ring = rsp_tag[1:0];
  wire       rsp_write = rsp_tag[2];
  wire       rsp_bent = !rsp_write && rsp_tag[15] && rsp_tag[14];
  wire [2:0] load_pending, set_known;
  wire       rsp_owed = rsp_write ? set_known[rsp_ring] : load_pending[rsp_ring];
  wire       rsp_strange = rsp_ring == 2'd3 || rsp_bent || !rsp_owed;
  wire       rsp_good = run && rsp_valid && !rsp_strange && rsp_status == 2'd0;
  wire       loaded = rsp_good && !rsp_write;
  wire       confirmed = rsp_good && rsp_write;
  wire       ram_busy = rsp_valid && !rsp_write;
  assign rsp_ready = run && rsp_valid;

  // ---- messages
  wire [2:0] waits;
  wire de_asks = de_kind == kDeWaitCounter || de_kind == kDeWaitBuffer;
  wire de_strange = de_ring == 2'd3 || de_kind > kDeRelease || (de_asks && waits[de_ring]);
  wire de_good = run && de_valid && !de_strange;
  assign de_ready = run && de_valid;

  // ---- rings
  wire [2:0]   takes, can, between, in_code, ends, ends_packet, stops, moves_bounds, of_gds, writes;
  wire [2:0]   dumps, loads, closes, sets_counters, counted;
  wire [2:0]   waits_buffer, grantable, grant_to, grant_which, invalid, two;
  wire [11:0]  why, packet, code, flag_state, first;
  wire [95:0]  info, write_data;
  wire [47:0]  new_cs1, new_cs2, mask;
  wire [41:0]  ram_at;
  wire [173:0] line;
  wire [23:0]  vmid;
  wire [8:0]   open_set;
  wire [2:0]   go;
  wire dumps_full = dumps_out >= cfg_writes;
  wire loads_full = loads_out >= cfg_reads;

  for (genvar r = 0; r < 3; r++) begin : g_ring
    localparam logic [1:0] kRing = 2'(r);
    wire [63:0] value;
    wire full, pending, flag_busy, reached, close_enough;
    cp_ce_ring #(.RING(kRing)) ring (
      .clk, .rst, .packet_cycles(cfg_packet_cycles), .opcodes(cfg_opcodes),
      .valid(stream_valid[r]), .dword(stream_dword[32*r+:32]), .vmid(stream_vmid[8*r+:8]),
      .takes(takes[r]), .go(go[r]), .can(can[r]), .between(between[r]), .in_code(in_code[r]),
      .why(why[4*r+:4]), .ends(ends[r]), .ends_packet(ends_packet[r]), .packet(packet[4*r+:4]),
      .stop(stops[r]), .stop_code(code[4*r+:4]), .stop_info(info[32*r+:32]),
      .cs1, .cs2, .gds_cs1, .gds_cs2, .moves_bounds(moves_bounds[r]), .of_gds(of_gds[r]),
      .new_cs1(new_cs1[16*r+:16]),
      .new_cs2(new_cs2[16*r+:16]), .ram_busy, .writes(writes[r]),
      .write_data(write_data[32*r+:32]), .ram_at(ram_at[14*r+:14]),
      .req_ready, .dumps_full, .loads_full, .dumps_pending(pending), .dumps(dumps[r]),
      .loads(loads[r]), .line(line[58*r+:58]), .mask(mask[16*r+:16]), .first(first[4*r+:4]),
      .two(two[r]), .request_vmid(vmid[8*r+:8]), .loaded(loaded && rsp_ring == kRing),
      .load_pending(load_pending[r]), .sets_full(full), .flag_busy, .reached, .close_enough,
      .value, .closes(closes[r]), .sets_counters(sets_counters[r]));
    cp_ce_sets sets (
      .clk, .rst, .most(cfg_sets), .sent(go[r] && dumps[r]), .close(go[r] && closes[r]),
      .back(confirmed && rsp_ring == kRing), .back_set(rsp_tag[5:3]),
      .open_set(open_set[3*r+:3]), .full, .pending, .back_known(set_known[r]),
      .confirmed(counted[r]));
    cp_ce_sync sync (
      .clk, .rst, .confirmed(counted[r]), .made(go[r] && closes[r]),
      .set(go[r] && sets_counters[r]), .value, .flag_busy, .reached, .close_enough,
      .message(de_good && de_ring == kRing), .kind(de_kind), .buffer(de_buffer), .flags(de_flags),
      .waits(waits[r]), .waits_buffer(waits_buffer[r]), .grant(grantable[r]),
      .grant_buffer(grant_which[r]), .granted(grant_to[r]), .invalid(invalid[r]),
      .flag_state(flag_state[4*r+:4]));
    assign state_reason[4*r+:4] = !run || between[r] ? kMoves
                          : go[r] ? (in_code[r] ? kMicrocode : kMoves)
                          : can[r] ? kTurn : why[4*r+:4];
  end

  // ---- whose turn it is
  function automatic logic [1:0] next_ring(input logic [1:0] ring);
    next_ring = ring == 2'd2 ? 2'd0 : ring + 2'd1;
  endfunction
  wire [1:0] turn1 = next_ring(turn);
  wire [1:0] turn2 = next_ring(turn1);
  wire [1:0] sel = (in_packet && can[current]) ? current
                 : can[turn] ? turn
                 : can[turn1] ? turn1 : turn2;
  wire moves = run && can != 3'd0;
  assign go = moves ? 3'b001 << sel : 3'b000;
  assign {stream2_ready, stream1_ready, stream0_ready} = go & takes;

  // ---- what it does
  wire [57:0] line_sel = line[58*sel+:58];
  wire [3:0]  first_sel = first[4*sel+:4];
  wire [13:0] ram_sel = ram_at[14*sel+:14];
  wire        dump_sel = dumps[sel];
  wire        load_sel = loads[sel];
  wire [15:0] read_tag = {two[sel], first_sel[3], ram_sel[13:3], 1'b0, sel};
  wire [15:0] write_tag = {10'd0, open_set[3*sel+:3], 1'b1, sel};
  assign req_valid = moves && (dump_sel || load_sel);
  assign req_write = moves && dump_sel;
  assign req_line = req_valid ? line_sel : 58'd0;
  assign req_mask = req_valid ? mask[16*sel+:16] : 16'd0;
  assign req_vmid = req_valid ? vmid[8*sel+:8] : 8'd0;
  assign req_tag = req_write ? write_tag : req_valid ? read_tag : 16'd0;

  wire [511:0] ram_data;
  wire [511:0] half_first = rsp_tag[14] ? {rsp_data[511:256], rsp_data[511:256]} : rsp_data;
  cp_ce_ram ram (
    .clk, .rst, .word_valid(moves && writes[sel]), .word_at(ram_sel),
    .word_data(write_data[32*sel+:32]), .load_valid(loaded), .load_unit(rsp_tag[13:3]),
    .load_two(rsp_tag[15]), .load_data(half_first), .read_at(ram_sel - {10'd0, first_sel}),
    .read_data(ram_data));
  for (genvar w = 0; w < 16; w++) begin : g_data
    assign req_data[32*w+:32] = (req_write && req_mask[w]) ? ram_data[32*w+:32] : 32'd0;
  end

  assign done_valid = moves && ends_packet[sel];
  assign done_ring = done_valid ? sel : 2'd0;
  assign done_packet = done_valid ? packet[4*sel+:4] : 4'd0;

  // ---- grants, the lowest ring first
  wire [1:0] grant_who = grantable[0] ? 2'd0 : grantable[1] ? 2'd1 : 2'd2;
  assign grant_valid = run && grant_ready && grantable != 3'd0;
  assign grant_to = grant_valid ? 3'b001 << grant_who : 3'b000;
  assign grant_ring = grant_valid ? grant_who : 2'd0;
  assign grant_kind = (grant_valid && waits_buffer[grant_who]) ? kDeWaitBuffer : kDeWaitCounter;
  assign grant_buffer = grant_valid && grant_which[grant_who];

  // ---- stops
  wire [1:0] invalid_who = invalid[0] ? 2'd0 : invalid[1] ? 2'd1 : 2'd2;
  wire packet_stops = moves && stops[sel];
  always_comb begin
    stop_valid = 1'b0;
    stop_ring = 2'd0;
    stop_code = kStopNone;
    stop_info = 32'd0;
    if (run && rsp_valid && (rsp_strange || rsp_status != 2'd0)) begin
      stop_valid = 1'b1;
      stop_ring = rsp_ring;
      stop_code = rsp_strange ? kStopResponse : kStopFault;
      stop_info = {16'd0, rsp_tag};
    end else if (run && de_valid && de_strange) begin
      stop_valid = 1'b1;
      stop_ring = de_ring;
      stop_code = kStopMessage;
      stop_info = {6'd0, de_ring, 5'd0, de_kind, 7'd0, de_buffer, 6'd0, de_flags};
    end else if (run && invalid != 3'd0) begin
      stop_valid = 1'b1;
      stop_ring = invalid_who;
      stop_code = kStopFlags;
      stop_info = {28'd0, flag_state[4*invalid_who+:4]};
    end else if (packet_stops) begin
      stop_valid = 1'b1;
      stop_ring = sel;
      stop_code = code[4*sel+:4];
      stop_info = info[32*sel+:32];
    end
  end

  assign state_active = run && (rsp_valid || de_valid || counted != 3'd0 || grant_valid || moves
                          || stop_valid);

  always_ff @(posedge clk)
    if (rst) begin
      halted <= 1'b0;
      cs1 <= cfg_cs1;
      cs2 <= cfg_cs2;
      gds_cs1 <= 16'd0;
      gds_cs2 <= 16'd0;
      in_packet <= 1'b0;
      current <= 2'd0;
      turn <= 2'd0;
      loads_out <= 8'd0;
      dumps_out <= 8'd0;
    end else if (!halted) begin
      halted <= stop_valid;
      loads_out <= loads_out + {7'd0, moves && load_sel} - {7'd0, loaded};
      dumps_out <= dumps_out + {7'd0, req_write} - {7'd0, confirmed};
      if (moves) begin
        current <= sel;
        in_packet <= !ends[sel];
        if (ends[sel]) turn <= next_ring(sel);
        if (moves_bounds[sel] && of_gds[sel]) begin
          gds_cs1 <= new_cs1[16*sel+:16];
          gds_cs2 <= new_cs2[16*sel+:16];
        end else if (moves_bounds[sel]) begin
          cs1 <= new_cs1[16*sel+:16];
          cs2 <= new_cs2[16*sel+:16];
        end
      end
    end

endmodule
