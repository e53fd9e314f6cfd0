// SPDX-License-Identifier: Apache-2.0
// Wave resource allocator of SPI: finds room for a work-group and takes it, gives it back wave by
// wave. Its state is bit vectors: per SIMD wave slots and granules of VGPRs and SGPRs, per compute
// unit (CU) granules of LDS and group slots.
//
// A query inspects CUs in turn: engines, arrays and CUs, each from the one after the last that
// took a group. One cycle goes to an array that takes no group (its engine launches another, or
// its waves would exceed the limit), one to each CU, and one to each wave tried on a CU that has
// what the group needs as a whole: it is enabled, has slots for all waves, a group below the limit,
// a barrier for a group of several waves, and a run of LDS granules. A wave goes to the first SIMD,
// from the one after the last used, with a slot and runs of both kinds of registers. Slots and runs
// are the lowest there are; a run of no granules begins at 0. The grant is offered until it is
// taken. Waves are freed in cycles in which no query is being worked on; a query that arrives with
// one sees what it gave back.
module spi_alloc (
  `include "spi_alloc_ports.svh"
);

  localparam logic [1:0] kIdle = 2'd0;
  localparam logic [1:0] kScan = 2'd1;
  localparam logic [1:0] kPlan = 2'd2;
  localparam logic [1:0] kGrant = 2'd3;

  // ---- bit vectors

  // Number of the lowest set bit; 64 or 256 when there is none.
  function automatic logic [6:0] lowest64(input logic [63:0] bits);
    logic [63:0] x;
    x = bits;
    lowest64 = 7'd0;
    if (x[31:0] == 32'd0) begin lowest64 = lowest64 + 7'd32; x = x >> 32; end
    if (x[15:0] == 16'd0) begin lowest64 = lowest64 + 7'd16; x = x >> 16; end
    if (x[7:0] == 8'd0) begin lowest64 = lowest64 + 7'd8; x = x >> 8; end
    if (x[3:0] == 4'd0) begin lowest64 = lowest64 + 7'd4; x = x >> 4; end
    if (x[1:0] == 2'd0) begin lowest64 = lowest64 + 7'd2; x = x >> 2; end
    if (!x[0]) begin
      lowest64 = lowest64 + 7'd1;
      if (!x[1]) lowest64 = 7'd64;
    end
  endfunction

  function automatic logic [8:0] lowest256(input logic [255:0] bits);
    if (bits[63:0] != 64'd0) lowest256 = {2'd0, lowest64(bits[63:0])};
    else if (bits[127:64] != 64'd0) lowest256 = 9'd64 + {2'd0, lowest64(bits[127:64])};
    else if (bits[191:128] != 64'd0) lowest256 = 9'd128 + {2'd0, lowest64(bits[191:128])};
    else lowest256 = 9'd192 + {2'd0, lowest64(bits[255:192])};
  endfunction

  // Bits at which a run of `count` set bits begins: runs of powers of two, put together.
  function automatic logic [63:0] runs64(input logic [63:0] bits, input logic [6:0] count);
    logic [63:0] power;
    logic [6:0]  done;
    integer      k;
    runs64 = {64{1'b1}};
    power  = bits;
    done   = 7'd0;
    for (k = 0; k < 7; k = k + 1) begin
      if (count[k]) begin
        runs64 = runs64 & (power >> done);
        done   = done + (7'd1 << k);
      end
      power = power & (power >> (7'd1 << k));
    end
  endfunction

  function automatic logic [255:0] runs256(input logic [255:0] bits, input logic [8:0] count);
    logic [255:0] power;
    logic [8:0]   done;
    integer       k;
    runs256 = {256{1'b1}};
    power   = bits;
    done    = 9'd0;
    for (k = 0; k < 9; k = k + 1) begin
      if (count[k]) begin
        runs256 = runs256 & (power >> done);
        done    = done + (9'd1 << k);
      end
      power = power & (power >> (9'd1 << k));
    end
  endfunction

  // `count` bits from `first` on.
  function automatic logic [63:0] range64(input logic [5:0] first, input logic [6:0] count);
    range64 = ~({64{1'b1}} << count) << first;
  endfunction
  function automatic logic [255:0] range256(input logic [7:0] first, input logic [8:0] count);
    range256 = ~({256{1'b1}} << count) << first;
  endfunction

  // ---- state
  // by CU: {engine, array, cu}; SIMDs side by side
  logic [63:0]  slot_used [0:63];
  logic [255:0] vgpr_used [0:63];
  logic [255:0] sgpr_used [0:63];
  logic [255:0] lds_used [0:63];
  logic [63:0]  group_used [0:63];
  logic [6:0]   cu_waves [0:63];
  logic [6:0]   cu_groups [0:63];
  logic [6:0]   cu_barriers [0:63];
  logic [1:0]   next_simd [0:63];
  // by array
  logic [10:0]  array_waves [0:3];
  logic [3:0]   next_cu [0:3];
  logic         next_array [0:1];
  logic         next_engine;
  // of waves {group, vgpr, vgprs, sgpr, sgprs} by {CU, simd, slot}; valid where the slot is used
  logic [31:0]  wave_book [0:4095];
  // of groups {barrier, waves left, lds, granules} by {CU, group}
  logic [22:0]  group_book [0:4095];

  logic [1:0]   state;
  // the query
  logic [4:0]   waves;
  logic [6:0]   vgprs, sgprs;
  logic [8:0]   lds;
  logic [9:0]   most_waves;
  logic [3:0]   most_groups;
  logic [63:0]  enabled;
  logic [1:0]   launching;
  // where it looks, and how many engines, arrays and CUs are after it
  logic         engine, array;
  logic [3:0]   cu;
  logic         engines_seen, arrays_seen;
  logic [3:0]   cus_seen;
  // the plan: what the CU's SIMDs would look like
  logic [4:0]   wave;
  logic [1:0]   simd;
  logic [63:0]  plan_slots;
  logic [255:0] plan_vgprs;
  logic [255:0] plan_sgprs;
  logic         placed;
  logic [5:0]   group_r;
  logic [7:0]   lds_r;
  logic [31:0]  simd_r;
  logic [63:0]  slot_r;
  logic [95:0]  vgpr_r, sgpr_r;

  // ---- the array and the CU looked at
  logic [1:0]   array_at;
  logic [5:0]   cu_at;
  assign array_at = {engine, array};
  assign cu_at    = {engine, array, cu};

  logic [255:0] here_lds;
  logic [63:0]  here_groups;
  logic [6:0]   here_cu_waves, here_cu_groups, here_barriers;
  logic [10:0]  here_array_waves;
  assign here_lds         = lds_used[cu_at];
  assign here_groups      = group_used[cu_at];
  assign here_cu_waves    = cu_waves[cu_at];
  assign here_cu_groups   = cu_groups[cu_at];
  assign here_barriers    = cu_barriers[cu_at];
  assign here_array_waves = array_waves[array_at];

  logic [6:0]   all_slots;
  assign all_slots = {4'd0, cfg_simds} * {2'd0, cfg_slots};
  logic         array_closed;
  assign array_closed = launching[engine]
                     || (most_waves != 10'd0
                         && here_array_waves + {6'd0, waves} > {1'b0, most_waves});

  logic [8:0]   lds_first;
  logic         cu_open;
  always_comb begin
    cu_open   = 1'b0;
    lds_first = 9'd0;
    if (state == kScan) begin
      lds_first = lowest256(runs256(~here_lds & range256(8'd0, cfg_lds), lds));
      cu_open   = enabled[{engine, array, cu}]
               && {1'b0, here_cu_waves} + {3'd0, waves} <= {1'b0, all_slots}
               && (waves == 5'd1 || here_barriers < cfg_barriers)
               && (most_groups == 4'd0 || here_cu_groups < {3'd0, most_groups})
               && !lds_first[8];
    end
  end

  // ---- the wave tried
  logic         wave_fits;
  logic [1:0]   wave_simd;
  logic [3:0]   wave_slot;
  logic [5:0]   wave_vgpr, wave_sgpr;
  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1) begin : g_simd
      // of what the plan leaves
      logic [6:0] vgpr_first, sgpr_first;
      logic [6:0] slot_first;
      logic       fits;
      always_comb begin
        slot_first = 7'd0;
        vgpr_first = 7'd0;
        sgpr_first = 7'd0;
        fits       = 1'b0;
        if (state == kPlan && 3'd0 + g[2:0] < cfg_simds) begin
          slot_first = lowest64({48'd0, ~plan_slots[16*g+:16]} & range64(6'd0, {2'd0, cfg_slots}));
          vgpr_first = lowest64(runs64(~plan_vgprs[64*g+:64] & range64(6'd0, cfg_vgprs), vgprs));
          sgpr_first = lowest64(runs64(~plan_sgprs[64*g+:64] & range64(6'd0, cfg_sgprs), sgprs));
          fits       = slot_first[6:4] == 3'd0 && !vgpr_first[6] && !sgpr_first[6];
        end
      end
    end
  endgenerate

  logic [3:0]   fits;
  logic [15:0]  slot_of;
  logic [23:0]  vgpr_of, sgpr_of;
  assign fits    = {g_simd[3].fits, g_simd[2].fits, g_simd[1].fits, g_simd[0].fits};
  assign slot_of = {g_simd[3].slot_first[3:0], g_simd[2].slot_first[3:0],
                    g_simd[1].slot_first[3:0], g_simd[0].slot_first[3:0]};
  assign vgpr_of = {g_simd[3].vgpr_first[5:0], g_simd[2].vgpr_first[5:0],
                    g_simd[1].vgpr_first[5:0], g_simd[0].vgpr_first[5:0]};
  assign sgpr_of = {g_simd[3].sgpr_first[5:0], g_simd[2].sgpr_first[5:0],
                    g_simd[1].sgpr_first[5:0], g_simd[0].sgpr_first[5:0]};

  function automatic logic [1:0] after(input logic [1:0] number, input logic [2:0] of);
    after = {1'b0, number} + 3'd1 == of ? 2'd0 : number + 2'd1;
  endfunction

  always_comb begin : choose_simd
    integer     k;
    logic [1:0] at;
    wave_fits = 1'b0;
    wave_simd = simd;
    at        = simd;
    for (k = 0; k < 4; k = k + 1) begin
      if (!wave_fits && fits[at]) begin
        wave_fits = 1'b1;
        wave_simd = at;
      end
      at = after(at, cfg_simds);
    end
    wave_slot = slot_of[4*wave_simd+:4];
    wave_vgpr = vgpr_of[6*wave_simd+:6];
    wave_sgpr = sgpr_of[6*wave_simd+:6];
  end

  // the plan with it
  logic [63:0]  with_slots;
  logic [255:0] with_vgprs, with_sgprs;
  always_comb begin
    with_slots = plan_slots;
    with_vgprs = plan_vgprs;
    with_sgprs = plan_sgprs;
    if (wave_fits) begin
      with_slots = with_slots | (64'd1 << {wave_simd, wave_slot});
      with_vgprs = with_vgprs | ({192'd0, range64(wave_vgpr, vgprs)} << {wave_simd, 6'd0});
      with_sgprs = with_sgprs | ({192'd0, range64(wave_sgpr, sgprs)} << {wave_simd, 6'd0});
    end
  end

  logic last_wave;
  assign last_wave = wave + 5'd1 == waves;
  logic [5:0] new_group;
  assign new_group = state == kPlan ? 6'(lowest64(~here_groups)) : 6'd0;

  // ---- the next CU to look at
  logic        give_up;
  logic        step_engine, step_array;
  logic        onward_engine, onward_array;
  logic [3:0]  onward_cu;
  assign step_array    = (state == kScan && array_closed)
                      || {1'b0, cus_seen} + 5'd1 == cfg_cus;
  assign step_engine   = step_array && {1'b0, arrays_seen} + 2'd1 == cfg_arrays;
  assign give_up       = step_engine && {1'b0, engines_seen} + 2'd1 == cfg_engines;
  assign onward_engine = step_engine ? !engine : engine;
  assign onward_array  = step_engine ? next_array[onward_engine]
                       : step_array ? !array : array;
  assign onward_cu     = step_array ? next_cu[{onward_engine, onward_array}]
                       : {1'b0, cu} + 5'd1 == cfg_cus ? 4'd0 : cu + 4'd1;

  // ---- freeing
  logic [5:0]  freed_cu;
  logic [7:0]  freed_simd;
  logic [31:0] freed_wave;
  logic [22:0] freed_group;
  logic [15:0] freed_slots;
  logic        freeing;
  assign freed_cu    = {free_engine, free_array, free_cu};
  assign freed_simd  = {freed_cu, free_simd};
  assign freed_slots = slot_used[freed_cu][16*free_simd+:16];
  assign freed_wave  = wave_book[{freed_simd, free_slot}];
  assign freed_group = group_book[{freed_cu, freed_wave[31:26]}];
  assign free_ready  = state == kIdle || state == kGrant;
  assign freeing     = free_valid && free_ready && freed_slots[free_slot];
  assign free_known  = freeing;
  assign free_last   = freeing && freed_group[21:17] == 5'd1;
  assign free_group  = freeing ? freed_wave[31:26] : 6'd0;

  assign query_ready = state == kIdle;

  // ---- registers
  logic begins;
  assign begins = query_valid && query_ready;
  logic commits;
  assign commits = state == kPlan && wave_fits && last_wave;

  integer i;
  always_ff @(posedge clk) begin
    if (rst) begin
      state       <= kIdle;
      next_engine <= 1'b0;
      for (i = 0; i < 64; i = i + 1) begin
        slot_used[i]   <= 64'd0;
        vgpr_used[i]   <= 256'd0;
        sgpr_used[i]   <= 256'd0;
        lds_used[i]    <= 256'd0;
        group_used[i]  <= 64'd0;
        cu_waves[i]    <= 7'd0;
        cu_groups[i]   <= 7'd0;
        cu_barriers[i] <= 7'd0;
        next_simd[i]   <= 2'd0;
      end
      for (i = 0; i < 4; i = i + 1) begin
        array_waves[i] <= 11'd0;
        next_cu[i]     <= 4'd0;
      end
      next_array[0] <= 1'b0;
      next_array[1] <= 1'b0;
    end else begin
      if (freeing) begin
        slot_used[freed_cu][16*free_simd+:16] <= freed_slots & ~(16'd1 << free_slot);
        vgpr_used[freed_cu][64*free_simd+:64] <= vgpr_used[freed_cu][64*free_simd+:64]
                                               & ~range64(freed_wave[25:20], freed_wave[19:13]);
        sgpr_used[freed_cu][64*free_simd+:64] <= sgpr_used[freed_cu][64*free_simd+:64]
                                               & ~range64(freed_wave[12:7], freed_wave[6:0]);
        cu_waves[freed_cu] <= cu_waves[freed_cu] - 7'd1;
        array_waves[freed_cu[5:4]] <= array_waves[freed_cu[5:4]] - 11'd1;
        group_book[{freed_cu, free_group}] <= {freed_group[22], freed_group[21:17] - 5'd1,
                                               freed_group[16:0]};
        if (free_last) begin
          lds_used[freed_cu] <= lds_used[freed_cu]
                              & ~range256(freed_group[16:9], freed_group[8:0]);
          group_used[freed_cu]  <= group_used[freed_cu] & ~(64'd1 << free_group);
          cu_groups[freed_cu]   <= cu_groups[freed_cu] - 7'd1;
          cu_barriers[freed_cu] <= cu_barriers[freed_cu] - {6'd0, freed_group[22]};
        end
      end
      if (begins) begin
        waves       <= query_waves;
        vgprs       <= query_vgprs;
        sgprs       <= query_sgprs;
        lds         <= query_lds;
        most_waves  <= query_most_waves;
        most_groups <= query_most_groups;
        enabled     <= query_enabled;
        launching   <= query_launching;
        placed      <= 1'b0;
        engine       <= next_engine;
        array        <= next_array[next_engine];
        cu           <= next_cu[{next_engine, next_array[next_engine]}];
        engines_seen <= 1'b0;
        arrays_seen  <= 1'b0;
        cus_seen     <= 4'd0;
        simd_r <= 32'd0;
        slot_r <= 64'd0;
        vgpr_r <= 96'd0;
        sgpr_r <= 96'd0;
        state  <= query_waves == 5'd0 || query_waves > 5'd16 ? kGrant : kScan;
      end
      if (state == kScan && !array_closed && cu_open) begin
        wave       <= 5'd0;
        simd       <= next_simd[cu_at];
        lds_r      <= lds_first[7:0];
        plan_slots <= slot_used[cu_at];
        plan_vgprs <= vgpr_used[cu_at];
        plan_sgprs <= sgpr_used[cu_at];
        state      <= kPlan;
      end else if (state == kScan || (state == kPlan && !wave_fits)) begin
        engine       <= onward_engine;
        array        <= onward_array;
        cu           <= onward_cu;
        cus_seen     <= step_array ? 4'd0 : cus_seen + 4'd1;
        arrays_seen  <= step_engine ? 1'b0 : arrays_seen || step_array;
        engines_seen <= engines_seen || step_engine;
        state        <= give_up ? kGrant : kScan;
      end
      if (state == kPlan && wave_fits) begin
        wave <= wave + 5'd1;
        simd <= after(wave_simd, cfg_simds);
        simd_r[2*wave[3:0]+:2] <= wave_simd;
        slot_r[4*wave[3:0]+:4] <= wave_slot;
        vgpr_r[6*wave[3:0]+:6] <= wave_vgpr;
        sgpr_r[6*wave[3:0]+:6] <= wave_sgpr;
        plan_slots <= with_slots;
        plan_vgprs <= with_vgprs;
        plan_sgprs <= with_sgprs;
        wave_book[{cu_at, wave_simd, wave_slot}] <= {new_group, wave_vgpr, vgprs, wave_sgpr, sgprs};
      end
      if (commits) begin
        slot_used[cu_at]   <= with_slots;
        vgpr_used[cu_at]   <= with_vgprs;
        sgpr_used[cu_at]   <= with_sgprs;
        lds_used[cu_at]    <= here_lds | range256(lds_r, lds);
        group_used[cu_at]  <= here_groups | (64'd1 << new_group);
        cu_waves[cu_at]    <= here_cu_waves + {2'd0, waves};
        cu_groups[cu_at]   <= here_cu_groups + 7'd1;
        cu_barriers[cu_at] <= here_barriers + {6'd0, waves != 5'd1};
        next_simd[cu_at]   <= after(wave_simd, cfg_simds);
        array_waves[array_at] <= here_array_waves + {6'd0, waves};
        group_book[{cu_at, new_group}] <= {waves != 5'd1, waves, lds_r, lds};
        next_engine        <= !engine && cfg_engines == 2'd2;
        next_array[engine] <= !array && cfg_arrays == 2'd2;
        next_cu[array_at]  <= {1'b0, cu} + 5'd1 == cfg_cus ? 4'd0 : cu + 4'd1;
        group_r <= new_group;
        placed  <= 1'b1;
        state   <= kGrant;
      end
      if (state == kGrant && grant_ready) state <= kIdle;
    end
  end

  assign grant_valid  = state == kGrant;
  assign grant_placed = grant_valid && placed;
  assign grant_engine = grant_placed && engine;
  assign grant_array  = grant_placed && array;
  assign grant_cu     = grant_placed ? cu : 4'd0;
  assign grant_group  = grant_placed ? group_r : 6'd0;
  assign grant_lds    = grant_placed ? lds_r : 8'd0;
  assign grant_simd   = grant_placed ? simd_r : 32'd0;
  assign grant_slot   = grant_placed ? slot_r : 64'd0;
  assign grant_vgpr   = grant_placed ? vgpr_r : 96'd0;
  assign grant_sgpr   = grant_placed ? sgpr_r : 96'd0;

endmodule
