// SPDX-License-Identifier: Apache-2.0
// One ring of the constant engine: takes its packets apart and carries them out, a step in each
// cycle in which it has the engine (`go`).
`include "cp_ce_pkg.sv"
module cp_ce_ring #(
  parameter logic [1:0] RING = 2'd0
) (
  input  logic         clk,
  input  logic         rst,
  input  logic [7:0]   packet_cycles,
  input  logic [79:0]  opcodes,
  // stream
  input  logic         valid,
  input  logic [31:0]  dword,
  input  logic [7:0]   vmid,
  output logic         takes,        // if it goes
  // engine
  input  logic         go,
  output logic         can,
  output logic         between,      // packets
  output logic         in_code,      // microcode runs
  output logic [3:0]   why,          // it cannot
  output logic         ends,         // the packet or filler, if it goes
  output logic         ends_packet,
  output logic [3:0]   packet,
  output logic         stop,
  output logic [3:0]   stop_code,
  output logic [31:0]  stop_info,
  // partition
  input  logic [15:0]  cs1,
  input  logic [15:0]  cs2,
  input  logic [15:0]  gds_cs1,      // of the GDS
  input  logic [15:0]  gds_cs2,
  output logic         moves_bounds,
  output logic         of_gds,       // those
  output logic [15:0]  new_cs1,
  output logic [15:0]  new_cs2,
  // RAM
  input  logic         ram_busy,
  output logic         writes,
  output logic [31:0]  write_data,
  output logic [13:0]  ram_at,
  // memory
  input  logic         req_ready,
  input  logic         dumps_full,
  input  logic         loads_full,
  input  logic         dumps_pending,
  output logic         dumps,
  output logic         loads,
  output logic [57:0]  line,
  output logic [15:0]  mask,
  output logic [3:0]   first,        // dword of the line
  output logic         two,          // halves
  output logic [7:0]   request_vmid,
  input  logic         loaded,       // a line came
  output logic         load_pending,
  // synchronisation
  input  logic         sets_full,
  input  logic         flag_busy,
  input  logic         reached,
  input  logic         close_enough,
  output logic [63:0]  value,
  output logic         closes,
  output logic         sets_counters
);
  import cp_ce_pkg::*;

  localparam logic [2:0] kHeader = 3'd0;
  localparam logic [2:0] kBody = 3'd1;
  localparam logic [2:0] kCode = 3'd2;
  localparam logic [2:0] kRun = 3'd3;
  localparam logic [2:0] kDrop = 3'd4;

  logic [2:0]  phase;
  logic [3:0]  kind;
  logic [7:0]  owner;      // VMID
  logic [1:0]  have;
  logic [14:0] left;       // dwords of the packet in the stream
  logic [7:0]  timer;
  logic [31:0] body0, body1, body2, body3;
  logic [15:0] ram;        // byte address; in range once the packet has passed its checks
  logic [14:0] remaining;
  logic [63:0] address;
  logic [7:0]  out;        // lines requested

  // ---- header
  function automatic logic [2:0] fixed_dwords(input logic [3:0] number);
    case (number)
      kNop: fixed_dwords = 3'd0;
      kDump, kLoad: fixed_dwords = 3'd4;
      kSetBase: fixed_dwords = 3'd3;
      kSetCounters, kWaitCounter: fixed_dwords = 3'd2;
      default: fixed_dwords = 3'd1;
    endcase
  endfunction
  logic        known;
  logic [3:0]  parsed;
  always_comb begin
    known = 1'b0;
    parsed = kNop;
    for (int i = 0; i < 10; i++)
      if (dword[15:8] == opcodes[8*i+:8] && dword[15:8] != 8'd0) begin
        known = 1'b1;
        parsed = 4'(i);
      end
  end
  wire [14:0] parsed_size = {1'b0, dword[29:16]} + 15'd1;
  wire streams = parsed == kWrite || parsed == kWriteOffset;
  wire fits = parsed == kNop ? 1'b1
            : streams ? parsed_size >= 15'd2
            : parsed_size == {12'd0, fixed_dwords(parsed)};
  wire filler = dword[31:30] == 2'd2;

  // ---- checks when the microcode is done
  wire [15:0] base = RING == 2'd0 ? 16'd0 : RING == 2'd1 ? cs1 : cs2;
  wire [15:0] gds_base = RING == 2'd0 ? 16'd0 : RING == 2'd1 ? gds_cs1 : gds_cs2;
  wire [16:0] size = RING == 2'd0 ? {1'b0, cs1} : RING == 2'd1 ? {1'b0, cs2} - {1'b0, cs1}
                   : 17'h10000 - {1'b0, cs2};
  wire is_write = kind == kWrite || kind == kWriteOffset;
  wire is_dump = kind == kDump;
  wire is_load = kind == kLoad;
  wire [15:0] offset = is_load ? body3[15:0] : body0[15:0];
  wire [14:0] count = is_load ? body2[14:0] : is_dump ? body1[14:0] : left;
  wire [17:0] last = {2'd0, offset} + {1'b0, count, 2'd0};
  wire [15:0] cs1_wanted = body1[15:0];
  wire [15:0] cs2_wanted = body2[15:0];

  logic [3:0]  refusal;
  logic [31:0] refusal_info;
  always_comb begin
    refusal = kStopNone;
    refusal_info = 32'd0;
    if (kind == kSetBase) begin
      if (body0[3:1] != 3'd1) begin
        refusal = kStopBaseIndex;
        refusal_info = {28'd0, body0[3:0]};
      end else if (cs1_wanted[5:0] != 6'd0 || cs2_wanted[5:0] != 6'd0 || cs1_wanted > cs2_wanted) begin
        refusal = kStopPartition;
        refusal_info = {cs2_wanted, cs1_wanted};
      end
    end else if ((is_write || is_dump) && body0[1:0] != 2'd0) begin
      refusal = kStopAlignment;
      refusal_info = body0;
    end else if (is_dump && body2[1:0] != 2'd0) begin
      refusal = kStopAlignment;
      refusal_info = body2;
    end else if (is_load && body0[4:0] != 5'd0) begin
      refusal = kStopAlignment;
      refusal_info = body0;
    end else if (is_load && body2[2:0] != 3'd0) begin
      refusal = kStopAlignment;
      refusal_info = body2;
    end else if (is_load && body3[4:0] != 5'd0) begin
      refusal = kStopAlignment;
      refusal_info = body3;
    end else if ((is_write || is_dump || is_load) && last > {1'b0, size}) begin
      refusal = kStopBounds;
      refusal_info = {14'd0, last};
    end
  end

  // ---- what a step would do
  wire running = phase == kRun;
  wire code_ends = phase == kCode && timer <= 8'd1;
  wire empty = remaining == 15'd0;
  always_comb begin
    why = kMoves;
    case (phase)
      kHeader, kBody, kDrop: if (!valid) why = kStream;
      kRun:
        case (kind)
          kWrite, kWriteOffset:
            if (ram_busy) why = kRamPort;
            else if (!valid) why = kStream;
          kDump:
            if (empty) why = kMoves;
            else if (dumps_full) why = kDumps;
            else if (!req_ready) why = kMemPort;
          kLoad:
            if (dumps_pending) why = kDumps;
            else if (empty) why = load_pending ? kLoads : kMoves;
            else if (loads_full) why = kLoads;
            else if (!req_ready) why = kMemPort;
          kIncrement: if (sets_full) why = kSets;
          kSetCounters: if (flag_busy) why = kBufferFlag;
          kWaitCounter: if (!reached) why = kDeCounter;
          kWaitDiff: if (!close_enough) why = kDifference;
          default: ;
        endcase
      default: ;
    endcase
  end
  assign can = why == kMoves;
  assign between = phase == kHeader;
  assign in_code = phase == kCode;
  assign load_pending = out != 8'd0;
  assign packet = kind;

  wire streaming = running && is_write;
  assign takes = phase == kHeader || phase == kBody || phase == kDrop || streaming;
  wire last_dword = left == 15'd1;
  // The lines a dump or load has before it.
  assign first = is_dump ? address[5:2] : {address[5], 3'd0};
  wire [4:0] room = 5'd16 - {1'b0, first};
  wire [4:0] part = (remaining < {10'd0, room}) ? remaining[4:0] : room;
  wire [15:0] low = (16'd1 << part[3:0]) - 16'd1;
  assign mask = (part[4] ? 16'hffff : low) << first;
  assign two = part[4];
  assign line = address[63:6];
  assign request_vmid = owner;
  assign dumps = running && is_dump && !empty;
  assign loads = running && is_load && !empty;
  assign writes = streaming;
  assign write_data = dword + (kind == kWriteOffset ? {16'd0, gds_base} : 32'd0);
  assign ram_at = ram[15:2];
  assign moves_bounds = running && kind == kSetBase;
  assign of_gds = !body0[0];
  assign new_cs1 = cs1_wanted;
  assign new_cs2 = cs2_wanted;
  assign value = {body1, body0};
  assign closes = running && kind == kIncrement;
  assign sets_counters = running && kind == kSetCounters;

  wire last_line = remaining == {10'd0, part};
  assign ends_packet = (phase == kDrop && last_dword)
                    || (running && (is_write ? last_dword
                                    : is_dump ? empty || last_line
                                    : is_load ? empty
                                    : 1'b1));
  assign ends = ends_packet || (phase == kHeader && filler);

  assign stop = (phase == kHeader && !filler && (dword[31:30] != 2'd3 || !known || !fits))
             || (code_ends && refusal != kStopNone);
  assign stop_code = phase == kHeader ? (dword[31:30] != 2'd3 ? kStopHeader
                                         : !known ? kStopPacket : kStopSize)
                   : refusal;
  assign stop_info = phase == kHeader ? dword : refusal_info;

  // ---- a step
  always_ff @(posedge clk)
    if (rst) begin
      phase <= kHeader;
      out <= 8'd0;
    end else begin
      out <= out + {7'd0, go && loads} - {7'd0, loaded};
      if (go) begin
        case (phase)
          kHeader:
            if (!filler) begin
              kind <= parsed;
              owner <= vmid;
              left <= parsed_size;
              timer <= packet_cycles;
              have <= 2'd0;
              phase <= parsed == kNop ? kCode : kBody;
            end
          kBody: begin
            case (have)
              2'd0: body0 <= dword;
              2'd1: body1 <= dword;
              2'd2: body2 <= dword;
              default: body3 <= dword;
            endcase
            have <= have + 2'd1;
            left <= left - 15'd1;
            if ({1'b0, have} + 3'd1 == fixed_dwords(kind)) phase <= kCode;
          end
          kCode: begin
            timer <= timer - 8'd1;
            if (code_ends) begin
              phase <= kind == kNop ? kDrop : kRun;
              ram <= base + offset;
              remaining <= count;
              address <= is_load ? {body1, body0} : {body3, body2};
            end
          end
          kDrop: begin
            left <= left - 15'd1;
            if (last_dword) phase <= kHeader;
          end
          default: begin
            if (ends_packet) phase <= kHeader;
            if (is_write) begin
              left <= left - 15'd1;
              ram <= ram + 16'd4;
            end else if (!empty) begin
              ram <= ram + {9'd0, part, 2'd0};
              address <= address + {57'd0, part, 2'd0};
              remaining <= remaining - {10'd0, part};
            end
          end
        endcase
      end
    end

endmodule
