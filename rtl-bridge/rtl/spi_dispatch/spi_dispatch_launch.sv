// SPDX-License-Identifier: Apache-2.0
// The launch stage of a shader engine: holds a group, whose waves leave one after the other, each in
// four cycles of 16 lanes. Begins as soon as it has what the group needs: with scratch, when its last
// slot has come.
`include "spi_dispatch_pkg.sv"
module spi_dispatch_launch (
  input  logic                      clk,
  input  logic                      rst,
  output logic                      taken,     // it holds a group
  // a group comes
  input  logic                      load,
  input  spi_dispatch_pkg::waves_t  load_waves,
  input  spi_dispatch_pkg::group_t  load_group,
  input  spi_dispatch_pkg::grant_t  load_grant,
  input  logic [10:0]               load_ordered,  // number of its first wave
  // its scratch slots
  input  logic                      slot_valid,
  input  logic [3:0]                slot_wave,
  input  logic [11:0]               slot,
  input  logic                      slot_last,
  // waves; zero while valid is low
  output logic                      valid,
  input  logic                      ready,
  output spi_dispatch_pkg::launch_t launch
);
  import spi_dispatch_pkg::*;

  waves_t            d;
  group_t            group;
  grant_t            grant;
  logic [10:0]       ordered;
  logic [15:0][11:0] slot_of;  // by wave
  logic [3:0]        wave;
  logic [1:0]        beat;
  logic [9:0]        x, y, z;  // ids of the cycle's first thread

  wire [15:0][31:0] user_data = d.user_data;
  wire [15:0][1:0]  simd_of = grant.simd;
  wire [15:0][3:0]  place_of = grant.slot;
  wire [15:0][5:0]  vgpr_of = grant.vgpr;
  wire [15:0][5:0]  sgpr_of = grant.sgpr;

  // ---- ids of 16 threads, and of the one after them
  logic [15:0][9:0] id_x, id_y, id_z;
  logic [9:0]       at_x, at_y, at_z;
  always_comb begin
    at_x = x;
    at_y = y;
    at_z = z;
    for (int i = 0; i < 16; i = i + 1) begin
      id_x[i] = at_x;
      id_y[i] = at_y;
      id_z[i] = at_z;
      at_x = at_x + 10'd1;
      if ({1'b0, at_x} == group.size_x || at_x == 10'd0) begin
        at_x = 10'd0;
        at_y = at_y + 10'd1;
        if ({1'b0, at_y} == group.size_y || at_y == 10'd0) begin
          at_y = 10'd0;
          at_z = at_z + 10'd1;
        end
      end
    end
  end

  // ---- initial SGPRs
  wire [10:0] number = ordered + (d.ordered_by_group ? 11'd0 : {7'd0, wave});
  wire [10:0] term = d.ordered ? number : {7'd0, wave};
  wire [31:0] tg_size = {wave == 4'd0, 14'd0, term, 1'b0, group.waves};
  wire [24:0] scratch_kib = {13'd0, slot_of[wave]} * {12'd0, d.scratch_size};
  logic [20:0][31:0] sgprs;
  logic [4:0]        count;
  always_comb begin
    sgprs = 672'd0;
    for (int i = 0; i < 16; i = i + 1)
      if (i[4:0] < d.user_sgprs) sgprs[i] = user_data[i];
    count = d.user_sgprs;
    if (d.tgid_x) begin
      sgprs[count] = group.x;
      count = count + 5'd1;
    end
    if (d.tgid_y) begin
      sgprs[count] = group.y;
      count = count + 5'd1;
    end
    if (d.tgid_z) begin
      sgprs[count] = group.z;
      count = count + 5'd1;
    end
    if (d.tg_size) begin
      sgprs[count] = tg_size;
      count = count + 5'd1;
    end
    if (d.scratch) begin
      sgprs[count] = {scratch_kib[21:0], 10'd0};
      count = count + 5'd1;
    end
  end

  // ---- lanes that have a thread
  wire [10:0] threads_left = group.threads - {1'b0, wave, 6'd0};
  wire [63:0] exec = threads_left >= 11'd64 ? {64{1'b1}} : ~({64{1'b1}} << threads_left[5:0]);

  launch_t shown;
  always_comb begin
    shown = '0;
    shown.beat = beat;
    shown.array = grant.array;
    shown.cu = grant.cu;
    shown.simd = simd_of[wave];
    shown.slot = place_of[wave];
    shown.group_slot = grant.group;
    shown.common = d.common;
    shown.group = group.number;
    shown.wave = wave;
    shown.waves = group.waves;
    shown.exec = exec;
    shown.vgpr = vgpr_of[wave];
    shown.sgpr = sgpr_of[wave];
    shown.lds_first = grant.lds;
    shown.scratch_slot = d.scratch ? slot_of[wave] : 12'd0;
    shown.size_x = group.size_x;
    shown.size_y = group.size_y;
    shown.size_z = group.size_z;
    shown.sgpr_count = count;
    shown.sgpr_data = sgprs;
    shown.id_x = id_x;
    shown.id_y = d.common.ids > 2'd1 ? id_y : 160'd0;
    shown.id_z = d.common.ids > 2'd2 ? id_z : 160'd0;
  end
  assign launch = valid ? shown : '0;

  wire leaves = valid && ready;
  wire wave_leaves = leaves && beat == 2'd3;
  wire last_leaves = wave_leaves && {1'b0, wave} + 5'd1 == group.waves;

  always_ff @(posedge clk) begin
    if (load) begin
      d <= load_waves;
      group <= load_group;
      grant <= load_grant;
      ordered <= load_ordered;
      taken <= 1'b1;
      valid <= !load_waves.scratch;
      wave <= 4'd0;
      beat <= 2'd0;
      x <= 10'd0;
      y <= 10'd0;
      z <= 10'd0;
    end else if (leaves) begin
      beat <= beat + 2'd1;
      x <= at_x;
      y <= at_y;
      z <= at_z;
      if (wave_leaves) wave <= wave + 4'd1;
      if (last_leaves) begin
        taken <= 1'b0;
        valid <= 1'b0;
      end
    end
    if (slot_valid) begin
      slot_of[slot_wave] <= slot;
      if (slot_last) valid <= 1'b1;
    end
    if (rst) begin
      taken <= 1'b0;
      valid <= 1'b0;
    end
  end

  wire unused = &{1'b0, scratch_kib[24:22], threads_left[10:6]};
endmodule
