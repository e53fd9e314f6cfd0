// SPDX-License-Identifier: Apache-2.0
// Dispatcher of SPI: walks the work-groups of dispatches and launches their waves.
//
// Each of four rings has a register for the dispatch that is walked; dispatch_ready is low while it
// is taken. Groups are numbered x fastest. With ranges, those in no range (in one, with
// dispatch_others) are passed over, one in a cycle. After a dispatch and after every group that
// was placed, walk_* says whether there is a group, and the ring's register is free when there is
// none.
//
// A turn of a ring is answered by query_*: what its next group needs. A group of a dispatch with
// scratch needs as many free scratch slots of its ring as it has waves (needs 1), and then room on a
// compute unit (needs 2), about which a grant decides. A group of full size has dispatch_size_*
// threads, the last one of a dimension dispatch_last_*.
//
// A group that is placed waits in the launch stage of its shader engine, which takes the next when
// the last wave has left; a grant waits for that. It takes the lowest free slots, a cycle for each
// wave, and, when the dispatch is ordered, the next numbers of ds_ordered_count, 11 bits, which go on
// from dispatch to dispatch. A wave leaves in four cycles of 16 lanes.
//
// Initial SGPRs: user data, ids of the group, TG_SIZE (waves of the group [4:0]; ordered number
// [16:6], or the wave's number in its group when the dispatch is not ordered; first wave [31]), and
// the offset of the scratch slot in bytes. Initial VGPRs: ids of the thread within the group, x
// fastest.
//
// A slot that comes back with a grant is there for its group; none comes back from a turn to its
// query, and while slots are taken.
`include "spi_dispatch_pkg.sv"
module spi_dispatch (
  `include "spi_dispatch_ports.svh"
);
  import spi_dispatch_pkg::*;

  localparam logic [2:0] kIdle   = 3'd0;
  localparam logic [2:0] kAsk    = 3'd1;
  localparam logic [2:0] kQuery  = 3'd2;
  localparam logic [2:0] kGrant  = 3'd3;
  localparam logic [2:0] kSlots  = 3'd4;
  localparam logic [2:0] kWalk   = 3'd5;
  localparam logic [2:0] kWalked = 3'd6;

  localparam logic [1:0] kNothing = 2'd0;
  localparam logic [1:0] kScratch = 2'd1;
  localparam logic [1:0] kRoom    = 2'd2;

  logic [2:0]  phase;
  logic [1:0]  ring;    // that it is about
  logic        engine;  // that gets scratch slots
  logic [3:0]  wave;    // that gets one
  logic [4:0]  group_waves;  // waves of its group
  logic [1:0]  needs;
  logic [10:0] ordered_next;

  // ---- the dispatches that are walked, by ring
  logic [$bits(walk_t)-1:0]  walk_of [0:3];
  logic [$bits(waves_t)-1:0] waves_of [0:3];
  logic [31:0]               x_of [0:3];  // id of the next group
  logic [31:0]               y_of [0:3];
  logic [31:0]               z_of [0:3];
  logic [31:0]               number_of [0:3];
  logic [3:0]                walking;     // there is a next group

  walk_t  d;
  waves_t d_waves;
  assign d = walk_of[ring];
  assign d_waves = waves_of[ring];

  walk_t  d_in;
  waves_t waves_in;
  assign d_in = {
    dispatch_start_x, dispatch_start_y, dispatch_start_z, dispatch_end_x, dispatch_end_y, dispatch_end_z,
    dispatch_size_x, dispatch_size_y, dispatch_size_z, dispatch_last_x, dispatch_last_y, dispatch_last_z,
    dispatch_scratch_waves, dispatch_most_waves, dispatch_most_groups, dispatch_enabled, dispatch_ranges,
    dispatch_others, dispatch_range_first, dispatch_range_last};
  assign waves_in = {
    dispatch_number, dispatch_vmid, dispatch_priority, dispatch_pc, dispatch_vgprs, dispatch_sgprs,
    dispatch_lds, dispatch_float_mode, dispatch_dx10_clamp, dispatch_ieee, dispatch_privileged,
    dispatch_trap, dispatch_exceptions, dispatch_tba, dispatch_tma, dispatch_ids, dispatch_user_sgprs,
    dispatch_user_data, dispatch_tgid_x, dispatch_tgid_y, dispatch_tgid_z, dispatch_tg_size,
    dispatch_ordered, dispatch_ordered_by_group, dispatch_scratch, dispatch_scratch_size};

  // ---- the next group of the ring
  group_t      group;
  logic        chosen, last;
  logic [31:0] after_x, after_y, after_z;
  assign group.number = number_of[ring];
  assign group.x = x_of[ring];
  assign group.y = y_of[ring];
  assign group.z = z_of[ring];
  wire [10:0] size_x, size_y, size_z, threads;
  wire [4:0]  waves;
  spi_dispatch_walk walk (
    .d(d), .number(group.number), .x(group.x), .y(group.y), .z(group.z), .size_x(size_x), .size_y(size_y),
    .size_z(size_z), .threads(threads), .waves(waves), .chosen(chosen), .after_x(after_x),
    .after_y(after_y), .after_z(after_z), .last(last));
  assign group.size_x = size_x;
  assign group.size_y = size_y;
  assign group.size_z = size_z;
  assign group.threads = threads;
  assign group.waves = waves;

  // ---- scratch slots
  wire        slots_last = {1'b0, wave} + 5'd1 == group_waves;
  wire [12:0] scratch_count;
  wire [11:0] scratch_slot;
  wire        scratch_known;
  assign freed_ready = phase != kAsk && phase != kQuery && phase != kSlots;
  wire freed = freed_valid && freed_ready;
  assign freed_known = freed && scratch_known;
  spi_dispatch_scratch scratch (
    .clk(clk), .rst(rst), .ring(ring), .count(scratch_count), .take(phase == kSlots), .lowest(scratch_slot),
    .free(freed), .free_ring(freed_ring), .free_slot(freed_slot), .known(scratch_known));
  wire no_slots = d_waves.scratch && scratch_count + {8'd0, waves} > {1'b0, d.scratch_waves};

  // ---- what passes
  wire       empty = dispatch_end_x <= dispatch_start_x || dispatch_end_y <= dispatch_start_y ||
                     dispatch_end_z <= dispatch_start_z;
  wire [1:0] engine_taken;
  assign dispatch_ready = phase == kIdle && !walking[dispatch_ring];
  assign turn_ready = phase == kIdle && !(dispatch_valid && dispatch_ready);
  assign grant_ready = phase == kGrant && !(grant_placed && engine_taken[grant_engine]);
  wire starts = dispatch_valid && dispatch_ready;
  wire placed = grant_valid && grant_ready && grant_placed;

  assign query_valid = phase == kQuery;
  wire asks = query_valid && needs != kNothing;
  assign query_needs = query_valid ? needs : 2'd0;
  assign query_number = asks ? d_waves.common.number : 32'd0;
  assign query_waves = asks ? waves : 5'd0;
  assign query_vgprs = asks ? d_waves.common.vgprs : 7'd0;
  assign query_sgprs = asks ? d_waves.common.sgprs : 7'd0;
  assign query_lds = asks ? d_waves.common.lds : 9'd0;
  assign query_most_waves = asks ? d.most_waves : 10'd0;
  assign query_most_groups = asks ? d.most_groups : 4'd0;
  assign query_enabled = asks ? d.enabled : 64'd0;
  assign walk_valid = phase == kWalked;
  assign walk_ring = walk_valid ? ring : 2'd0;
  assign walk_ended = walk_valid && !walking[ring];

  // ---- launch stages
  grant_t grant;
  assign grant = {grant_array, grant_cu, grant_group, grant_lds, grant_simd, grant_slot, grant_vgpr, grant_sgpr};
  launch_t se0_launch, se1_launch;
  spi_dispatch_launch se0 (
    .clk(clk), .rst(rst), .taken(engine_taken[0]), .load(placed && !grant_engine), .load_waves(d_waves),
    .load_group(group), .load_grant(grant), .load_ordered(ordered_next),
    .slot_valid(phase == kSlots && !engine), .slot_wave(wave), .slot(scratch_slot), .slot_last(slots_last),
    .valid(se0_valid), .ready(se0_ready), .launch(se0_launch));
  spi_dispatch_launch se1 (
    .clk(clk), .rst(rst), .taken(engine_taken[1]), .load(placed && grant_engine), .load_waves(d_waves),
    .load_group(group), .load_grant(grant), .load_ordered(ordered_next),
    .slot_valid(phase == kSlots && engine), .slot_wave(wave), .slot(scratch_slot), .slot_last(slots_last),
    .valid(se1_valid), .ready(se1_ready), .launch(se1_launch));
  assign {
    se0_beat, se0_array, se0_cu, se0_simd, se0_slot, se0_group_slot, se0_number, se0_vmid, se0_priority,
    se0_pc, se0_vgprs, se0_sgprs, se0_lds, se0_float_mode, se0_dx10_clamp, se0_ieee, se0_privileged,
    se0_trap, se0_exceptions, se0_tba, se0_tma, se0_ids, se0_group, se0_wave, se0_waves, se0_exec, se0_vgpr,
    se0_sgpr, se0_lds_first, se0_scratch_slot, se0_size_x, se0_size_y, se0_size_z, se0_sgpr_count,
    se0_sgpr_data, se0_id_x, se0_id_y, se0_id_z} = se0_launch;
  assign {
    se1_beat, se1_array, se1_cu, se1_simd, se1_slot, se1_group_slot, se1_number, se1_vmid, se1_priority,
    se1_pc, se1_vgprs, se1_sgprs, se1_lds, se1_float_mode, se1_dx10_clamp, se1_ieee, se1_privileged,
    se1_trap, se1_exceptions, se1_tba, se1_tma, se1_ids, se1_group, se1_wave, se1_waves, se1_exec, se1_vgpr,
    se1_sgpr, se1_lds_first, se1_scratch_slot, se1_size_x, se1_size_y, se1_size_z, se1_sgpr_count,
    se1_sgpr_data, se1_id_x, se1_id_y, se1_id_z} = se1_launch;

  wire step = placed || (phase == kWalk && walking[ring] && !chosen);

  always_ff @(posedge clk) begin
    case (phase)
      kIdle:
        if (starts) begin
          phase <= kWalk;
          ring <= dispatch_ring;
        end else if (turn_valid) begin
          phase <= kAsk;
          ring <= turn_ring;
        end
      kAsk: begin
        phase <= kQuery;
        needs <= !walking[ring] ? kNothing : no_slots ? kScratch : kRoom;
      end
      kQuery:
        if (query_ready) phase <= needs == kRoom ? kGrant : kIdle;
      kGrant:
        if (grant_valid && grant_ready) begin
          phase <= !grant_placed ? kIdle : d_waves.scratch ? kSlots : kWalk;
          engine <= grant_engine;
          wave <= 4'd0;
          group_waves <= waves;
        end
      kSlots: begin
        wave <= wave + 4'd1;
        if (slots_last) phase <= kWalk;
      end
      kWalk:
        if (!walking[ring] || chosen) phase <= kWalked;
      default:
        if (walk_ready) phase <= kIdle;
    endcase

    if (placed && d_waves.ordered)
      ordered_next <= ordered_next + (d_waves.ordered_by_group ? 11'd1 : {6'd0, waves});

    if (starts) begin
      walk_of[dispatch_ring] <= d_in;
      waves_of[dispatch_ring] <= waves_in;
      x_of[dispatch_ring] <= dispatch_start_x;
      y_of[dispatch_ring] <= dispatch_start_y;
      z_of[dispatch_ring] <= dispatch_start_z;
      number_of[dispatch_ring] <= 32'd0;
      walking[dispatch_ring] <= !empty;
    end
    if (step) begin
      x_of[ring] <= after_x;
      y_of[ring] <= after_y;
      z_of[ring] <= after_z;
      number_of[ring] <= group.number + 32'd1;
      walking[ring] <= !last;
    end

    if (rst) begin
      phase <= kIdle;
      walking <= 4'd0;
      ordered_next <= 11'd0;
    end
  end
endmodule
