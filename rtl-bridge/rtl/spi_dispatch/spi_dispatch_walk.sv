// SPDX-License-Identifier: Apache-2.0
// A group of a dispatch: its size, whether it is chosen, and the one after it, x fastest.
`include "spi_dispatch_pkg.sv"
module spi_dispatch_walk (
  input  spi_dispatch_pkg::walk_t d,
  input  logic [31:0]             number,
  input  logic [31:0]             x,
  input  logic [31:0]             y,
  input  logic [31:0]             z,
  output logic [10:0]             size_x,
  output logic [10:0]             size_y,
  output logic [10:0]             size_z,
  output logic [10:0]             threads,
  output logic [4:0]              waves,
  output logic                    chosen,
  output logic [31:0]             after_x,
  output logic [31:0]             after_y,
  output logic [31:0]             after_z,
  output logic                    last  // there is none behind it
);
  // ---- its size: the last of a dimension may be smaller
  wire [31:0] x_1 = x + 32'd1;
  wire [31:0] y_1 = y + 32'd1;
  wire [31:0] z_1 = z + 32'd1;
  assign size_x = x_1 == d.end_x ? d.last_x : d.size_x;
  assign size_y = y_1 == d.end_y ? d.last_y : d.size_y;
  assign size_z = z_1 == d.end_z ? d.last_z : d.size_z;
  assign threads = size_x * size_y * size_z;
  wire [10:0] rounded = threads + 11'd63;
  assign waves = rounded[10:6];

  // ---- the next
  wire more_x = x_1 < d.end_x;
  wire more_y = y_1 < d.end_y;
  wire more_z = z_1 < d.end_z;
  assign after_x = more_x ? x_1 : d.start_x;
  assign after_y = more_x ? y : more_y ? y_1 : d.start_y;
  assign after_z = more_x || more_y ? z : z_1;
  assign last = !more_x && !more_y && !more_z;

  // ---- the ranges
  logic [7:0][31:0] range_first, range_last;
  logic             named;
  assign range_first = d.range_first;
  assign range_last = d.range_last;
  always_comb begin
    named = 1'b0;
    for (int i = 0; i < 8; i = i + 1)
      if (i[3:0] < d.ranges && number >= range_first[i] && number <= range_last[i]) named = 1'b1;
  end
  assign chosen = d.ranges == 4'd0 || named != d.others;

  // ---- what the walk does not go by
  wire unused = &{1'b0, d.start_z, d.scratch_waves, d.most_waves, d.most_groups, d.enabled, rounded[5:0]};
endmodule
