// SPDX-License-Identifier: Apache-2.0
// Index DMA unit of VGT. Commands name the index buffer of a draw; the unit reads its lines, some
// ahead, and passes the indices on in order, a group per cycle.
// "Radeon Southern Islands Acceleration" 1.1, 2.5.1, 2.5.11.
//
// Index i stands at base + i * size, modulo 2^48; size is 2 bytes of type 0, 4 of type 1. Indices
// from number cmd_max on are 0 and not read. cmd_swap exchanges bytes within the aligned dwords of
// memory: 1 the bytes of each half, 2 all four, 3 the halves. A group ends where a line, the bound
// or the draw ends; a draw without indices is one empty group.
//
// A command is accepted when the one before has requested all of its lines; its first request, or
// its first group when it has none, leaves cfg_setup cycles later. A line that arrives can be passed
// on, and a slot released be reused, from the next cycle on. req_tag is the line's slot in a ring of
// cfg_lines.
//
// What breaks a rule stops the block: stop_* in that cycle, in which nothing else moves, then
// silence until reset. A line that memory refused stops it when it is that line's turn, a command
// of a reserved type or with a misaligned base when no other is begun.
module vgt_index_dma (
  `include "vgt_index_dma_ports.svh"
);
  // state_fetch
  localparam logic [2:0] kFetches = 3'd0;
  localparam logic [2:0] kFetchSetup = 3'd1;
  localparam logic [2:0] kFetchLines = 3'd2;
  localparam logic [2:0] kFetchInFlight = 3'd3;
  localparam logic [2:0] kFetchPort = 3'd4;
  localparam logic [2:0] kFetchCommands = 3'd5;
  // state_give
  localparam logic [1:0] kGives = 2'd0;
  localparam logic [1:0] kGiveSetup = 2'd1;
  localparam logic [1:0] kGiveData = 2'd2;
  localparam logic [1:0] kGiveConsumer = 2'd3;
  // stop_code
  localparam logic [2:0] kStopNone = 3'd0;
  localparam logic [2:0] kStopType = 3'd1;
  localparam logic [2:0] kStopAlignment = 3'd2;
  localparam logic [2:0] kStopUnmapped = 3'd3;
  localparam logic [2:0] kStopError = 3'd4;
  localparam logic [2:0] kStopResponse = 3'd5;

  logic halted;
  wire  run = !rst && !halted;
  wire  good = run && stop_code == kStopNone;  // things may move

  // ---- a command at the port
  wire        cmd_reserved = cmd_type[1];
  wire        cmd_askew = cmd_base[0] || (cmd_type[0] && cmd_base[1]);
  wire        cmd_bad = cmd_reserved || cmd_askew;
  wire [31:0] cmd_fetched = cmd_count < cmd_max ? cmd_count : cmd_max;

  // ---- the newest command
  wire        setting_up, has_lines, takes, requests;
  wire [41:0] request_line;
  wire [15:0] request_mask;
  wire [7:0]  request_vmid;
  vgt_index_dma_request request (
    .clk, .rst, .setup(cfg_setup), .take(takes), .base(cmd_base), .fetched(cmd_fetched),
    .wide(cmd_type[0]), .vmid(cmd_vmid), .setting_up, .has_lines, .tick(good), .go(requests),
    .line(request_line), .mask(request_mask), .line_vmid(request_vmid));

  // ---- lines
  wire         lines_full, flight_full, rsp_strange, line_here, gives, leaves_line;
  wire [1:0]   line_status;
  wire [3:0]   request_place;
  wire [511:0] line_data;
  vgt_index_dma_lines lines (
    .clk, .rst, .places(cfg_lines), .most(cfg_in_flight), .request(requests), .request_place,
    .full(lines_full), .flight_full, .back(good && rsp_valid), .back_tag(rsp_tag),
    .back_status(rsp_status), .back_data(rsp_data), .strange(rsp_strange), .here(line_here),
    .status(line_status), .data(line_data), .free(gives && leaves_line));

  // ---- commands begun
  wire        none, alone, commands_full, needs_line, draw_wide, first_last, first_beyond;
  wire [1:0]  draw_swap;
  wire [31:0] draw;
  wire [47:0] at;
  wire [3:0]  give_count;
  vgt_index_dma_draws draws (
    .clk, .rst, .most(cfg_commands), .put(takes), .base(cmd_base), .fetched(cmd_fetched),
    .zeros(cmd_count - cmd_fetched), .wide(cmd_type[0]), .swap(cmd_swap), .draw(cmd_draw), .none,
    .alone, .full(commands_full), .give(gives), .indices(cfg_indices), .needs_line, .at,
    .first_wide(draw_wide), .first_swap(draw_swap), .first_draw(draw), .count(give_count),
    .beyond(first_beyond), .last(first_last), .leaves_line);

  // ---- requests
  wire [2:0] why_no_request = setting_up  ? kFetchSetup
                            : has_lines   ? (lines_full  ? kFetchLines
                                           : flight_full ? kFetchInFlight
                                           : req_ready   ? kFetches : kFetchPort)
                            : !cmd_valid  ? kFetches
                            : (commands_full || (cmd_bad && !none)) ? kFetchCommands
                                          : kFetches;
  wire can_request = why_no_request == kFetches;
  wire comes = can_request && !has_lines && cmd_valid;
  assign requests = good && can_request && has_lines;
  assign takes = good && comes;

  // ---- handing on
  wire starts_later = alone && setting_up;
  wire lacks_line = needs_line && !line_here;
  wire [1:0] why_not_give = none         ? kGives
                          : starts_later ? kGiveSetup
                          : lacks_line   ? kGiveData
                          : grp_ready    ? kGives : kGiveConsumer;
  wire turn = !none && !starts_later && !lacks_line;
  assign gives = good && turn && grp_ready;

  wire [255:0] picked;
  vgt_index_dma_pick pick (
    .line(line_data), .at(at[5:0]), .wide(draw_wide), .swap(draw_swap), .count(give_count),
    .index(picked));

  // ---- stops
  wire refused = turn && needs_line && line_status != 2'd0;
  always_comb begin
    stop_code = kStopNone;
    stop_draw = 32'd0;
    stop_address = 48'd0;
    if (run) begin
      if (rsp_valid && rsp_strange) begin
        stop_code = kStopResponse;
        stop_address = {16'd0, rsp_tag};
      end else if (refused) begin
        stop_code = line_status == 2'd1 ? kStopUnmapped : kStopError;
        stop_draw = draw;
        stop_address = at;
      end else if (comes && cmd_bad) begin
        stop_code = cmd_reserved ? kStopType : kStopAlignment;
        stop_draw = cmd_draw;
        stop_address = cmd_base;
      end
    end
  end
  assign stop_valid = stop_code != kStopNone;

  // ---- outputs
  assign cmd_ready = takes;
  assign rsp_ready = good && rsp_valid;
  assign req_valid = requests;
  assign req_line = requests ? request_line : 42'd0;
  assign req_mask = requests ? request_mask : 16'd0;
  assign req_vmid = requests ? request_vmid : 8'd0;
  assign req_tag = requests ? request_place : 4'd0;
  assign grp_valid = gives;
  assign grp_index = (gives && needs_line) ? picked : 256'd0;
  assign grp_count = gives ? give_count : 4'd0;
  assign grp_last = gives && first_last;
  assign grp_beyond = gives && first_beyond;
  assign grp_draw = gives ? draw : 32'd0;
  assign state_fetch = good ? why_no_request : kFetches;
  assign state_give = good ? why_not_give : kGives;
  assign state_active = good && (takes || requests || gives || rsp_valid || setting_up);

  always_ff @(posedge clk)
    if (rst) halted <= 1'b0;
    else if (stop_valid) halted <= 1'b1;

endmodule
