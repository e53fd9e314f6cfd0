// SPDX-License-Identifier: Apache-2.0
// Addresses of surfaces of Southern Islands: linear, micro tiled (1D), macro tiled (2D, 3D, PRT) by
// GB_ADDR_CONFIG and GB_TILE_MODE0 to 31. Coordinates of an element become its byte address. One
// request per cycle; the address comes LATENCY cycles after it:
//
//   1 surface   2 place in the tile, pipe and bank   3 rows   4 columns   5 address   further: delay
//
// Every stage moves when it is empty or something before the output is, so bubbles close. A request
// sees the surfaces set in earlier cycles, a surface the registers written in earlier cycles.
// Addresses are modulo 2^48. Outputs are zero while out_valid is low.
`include "si_tile_pkg.sv"

module si_tile_address
  import si_tile_pkg::*;
#(
  parameter LATENCY = 5 // 5 or more
) (
  `include "si_tile_address_ports.svh"
);

  // ---- registers and surfaces
  logic [31:0] config_word;
  mode_t       modes[0:31];
  surface_t    surfaces[0:3];
  logic [3:0]  good; // by surface
  logic        is_mode;
  logic [4:0]  mode_index;
  assign mode_index = reg_index[4:0] - 5'd1;
  assign is_mode    = reg_index != 6'd0 && reg_index <= 6'd32;

  mode_t    set_mode;
  surface_t set_surface;
  assign set_mode                 = modes[set_tile];
  assign set_surface.wide         = config_word[4];
  assign set_surface.mode         = set_mode;
  assign set_surface.size         = set_size;
  assign set_surface.samples      = set_samples;
  assign set_surface.pitch        = set_pitch;
  assign set_surface.height       = set_height;
  assign set_surface.slices       = set_slices;
  assign set_surface.base         = set_base;
  assign set_surface.pipe_swizzle = set_pipe_swizzle;
  assign set_surface.bank_swizzle = set_bank_swizzle;
  always_ff @(posedge clk) begin
    if (rst) begin
      config_word <= 32'd0;
      good        <= 4'd0;
      for (int i = 0; i < 32; i++) modes[i] <= '0;
      for (int i = 0; i < 4; i++) surfaces[i] <= '0;
    end else begin
      if (reg_valid && reg_index == 6'd0) config_word <= reg_value;
      if (reg_valid && is_mode) modes[mode_index] <= reg_value[21:0];
      if (set_valid) begin
        surfaces[set_number] <= set_surface;
        good[set_number]     <= is_defined(config_word, set_mode)
            && is_surface(set_mode, set_size, set_samples, set_pitch, set_height, set_slices);
      end
    end
  end

  // ---- flow
  logic [LATENCY:1] v;
  logic [LATENCY:1] go;
  for (genvar s = 1; s <= LATENCY; s++) begin : g_flow
    assign go[s] = out_ready || !(&v[LATENCY:s]);
    always_ff @(posedge clk) begin
      if (rst) v[s] <= 1'b0;
      else if (go[s]) v[s] <= (s == 1) ? in_valid : v[(s == 1) ? 1 : s - 1];
    end
  end
  assign in_ready  = go[1];
  assign out_valid = v[LATENCY];

  // ---- stage 1: surface
  surface_t    s1;
  logic        good1;
  logic [17:0] x1, y1, slice1;
  logic [3:0]  sample1;
  logic [7:0]  tag1;
  always_ff @(posedge clk) begin
    if (go[1]) begin
      s1      <= surfaces[in_surface];
      good1   <= good[in_surface];
      x1      <= in_x;
      y1      <= in_y;
      slice1  <= in_slice;
      sample1 <= in_sample;
      tag1    <= in_tag;
    end
  end

  logic       linear1, macro1, depth1;
  logic [1:0] thick1;
  logic [2:0] pipes1, banks1;
  assign linear1 = is_linear(s1.mode.array);
  assign macro1  = is_macro(s1.mode.array);
  assign depth1  = s1.mode.micro == 2'd2;
  assign thick1  = thick_shift(s1.mode.array);
  assign pipes1  = macro1 ? pipe_shift(s1.mode.pipe) : 3'd0;
  assign banks1  = macro1 ? bank_shift(s1.mode.banks) : 3'd0;

  // The element in its tile: the coordinate bits in the order of the tile.
  function automatic logic [5:0] order_of(input logic [1:0] micro, input logic [2:0] size,
                                          input logic [2:0] x, input logic [2:0] y);
    case ({micro, size})
      5'b00_000: order_of = {y[2], y[0], y[1], x[2], x[1], x[0]};
      5'b00_001: order_of = {y[2], y[1], y[0], x[2], x[1], x[0]};
      5'b00_010: order_of = {y[2], y[1], x[2], y[0], x[1], x[0]};
      5'b00_011: order_of = {y[2], y[1], x[2], x[1], y[0], x[0]};
      5'b00_100: order_of = {y[2], y[1], x[2], x[1], x[0], y[0]};
      5'b11_000: order_of = {x[2], x[0], x[1], y[2], y[1], y[0]};
      5'b11_001: order_of = {x[2], x[1], x[0], y[2], y[1], y[0]};
      5'b11_010: order_of = {x[2], x[1], y[2], x[0], y[1], y[0]};
      5'b11_011: order_of = {y[2], x[2], x[1], y[1], x[0], y[0]};
      default:   order_of = {y[2], x[2], y[1], x[1], y[0], x[0]};
    endcase
  endfunction
  logic [2:0]  layer1;       // slice in the tile
  logic [3:0]  tile_shift1;  // bytes of a tile with all its slices and samples, log2
  logic [3:0]  element_shift1, sample_shift1;
  logic [18:0] in_tile1;
  assign layer1        = slice1[2:0] & ((3'd1 << thick1) - 3'd1);
  assign tile_shift1   = 4'd6 + {2'd0, thick1} + {1'b0, s1.size} + {1'b0, s1.samples};
  assign element_shift1 = {1'b0, s1.size} + (depth1 ? {1'b0, s1.samples} : 4'd0);
  assign sample_shift1 = depth1 ? {1'b0, s1.size} : 4'd6 + {2'd0, thick1} + {1'b0, s1.size};
  assign in_tile1      = ({10'd0, layer1, order_of(s1.mode.micro, s1.size, x1[2:0], y1[2:0])}
                          << element_shift1)
                       + ({15'd0, sample1} << sample_shift1);

  // A thin tile larger than the split is spread over parts.
  logic        splits1;
  logic [3:0]  split_shift1, parts_shift1;
  logic [12:0] part1;
  logic [18:0] low1;
  assign splits1      = macro1 && thick1 == 2'd0 && tile_shift1 > split_shift1;
  assign split_shift1 = 4'd6 + {1'b0, s1.mode.split};
  assign parts_shift1 = splits1 ? tile_shift1 - split_shift1 : 4'd0;
  assign part1        = splits1 ? 13'(in_tile1 >> split_shift1) : 13'd0;
  assign low1         = splits1 ? in_tile1 & ((19'd1 << split_shift1) - 19'd1) : in_tile1;

  // Slices turn pipe and bank in 2D and 3D modes, parts turn the bank.
  logic [7:0] turn1, pipes_mask1, hash_mask1, own1, part_turn1, hash1;
  logic [17:0] group1;
  assign group1 = slice1 >> thick1;
  function automatic logic [7:0] rotation_of(input logic [3:0] array, input logic [2:0] pipes, input logic [2:0] banks);
    case (array)
      4'd4, 4'd7, 4'd8:    rotation_of = ((8'd1 << banks >> 1) - 8'd1) << pipes;
      4'd12, 4'd13, 4'd14: rotation_of = pipes >= 3'd2 ? (8'd1 << pipes >> 1) - 8'd1 : 8'd1;
      default:             rotation_of = 8'd0;
    endcase
  endfunction
  function automatic logic parts_turn(input logic [3:0] array);
    parts_turn = array == 4'd4 || array == 4'd12 || array == 4'd6 || array == 4'd11;
  endfunction
  logic [17:3] seen_x1, seen_y1;
  assign seen_x1 = is_local(s1.mode.array) ? x1[17:3] & ((15'd1 << (width_shift(s1.mode) - 4'd3)) - 15'd1) : x1[17:3];
  assign seen_y1 = is_local(s1.mode.array) ? y1[17:3] & ((15'd1 << (height_shift(s1.mode) - 4'd3)) - 15'd1) : y1[17:3];
  assign turn1       = group1[7:0] * rotation_of(s1.mode.array, pipes1, banks1);
  assign pipes_mask1 = (8'd1 << pipes1) - 8'd1;
  assign hash_mask1  = (8'd1 << banks1 << pipes1) - 8'd1;
  assign own1        = (({4'd0, s1.pipe_swizzle} + turn1) & pipes_mask1)
                     | ((({4'd0, s1.bank_swizzle} << pipes1) + turn1) & ~pipes_mask1);
  assign part_turn1  = parts_turn(s1.mode.array) ? part1[7:0] * (((8'd1 << banks1 >> 1) + 8'd1) << pipes1) : 8'd0;
  assign hash1       = (tile_hash(s1.mode, seen_x1, seen_y1) ^ own1 ^ part_turn1) & hash_mask1;

  // Columns and rows of elements, tiles or macro tiles.
  logic [3:0] x_shift1, y_shift1;
  assign x_shift1 = linear1 ? 4'd0 : macro1 ? width_shift(s1.mode) : 4'd3;
  assign y_shift1 = linear1 ? 4'd0 : macro1 ? height_shift(s1.mode) : 4'd3;

  // ---- stage 2: place in the tile, pipe and bank; planes of rows before it
  logic        good2, wide2, twelve2;
  logic [47:0] base2;
  logic [31:0] planes2;
  logic [18:0] rows2, columns2;
  logic [17:0] row2, column2;
  logic [18:0] low2;
  logic [5:0]  bank_place2;
  logic [2:0]  bank_shift2;
  logic [3:0]  tile_shift2;
  logic [7:0]  hash2;
  logic [3:0]  channel_shift2;
  logic [7:0]  tag2;
  always_ff @(posedge clk) begin
    if (go[2]) begin
      good2          <= good1;
      wide2          <= s1.wide;
      twelve2        <= s1.size == 3'd5;
      base2          <= s1.base;
      planes2        <= linear1 ? {28'd0, sample1} * {13'd0, s1.slices} + {14'd0, slice1}
                                : ({14'd0, group1} << parts_shift1) + {19'd0, part1};
      rows2          <= s1.height >> y_shift1;
      columns2       <= s1.pitch >> x_shift1;
      row2           <= y1 >> y_shift1;
      column2        <= x1 >> x_shift1;
      low2           <= linear1 ? 19'd0 : low1;
      bank_place2    <= macro1 ? place_in_bank(s1.mode, x1[17:3], y1[5:3]) : 6'd0;
      bank_shift2    <= macro1 ? {1'b0, s1.mode.bank_width} + {1'b0, s1.mode.bank_height} : 3'd0;
      tile_shift2    <= linear1 ? {1'b0, s1.size} : splits1 ? split_shift1 : tile_shift1;
      hash2          <= hash1;
      channel_shift2 <= {1'b0, pipes1} + {1'b0, banks1};
      tag2           <= tag1;
    end
  end

  // ---- stage 3: rows before it
  logic        good3, wide3, twelve3;
  logic [47:0] base3, above3;
  logic [18:0] columns3;
  logic [17:0] column3;
  logic [18:0] low3;
  logic [5:0]  bank_place3;
  logic [2:0]  bank_shift3;
  logic [3:0]  tile_shift3;
  logic [7:0]  hash3;
  logic [3:0]  channel_shift3;
  logic [7:0]  tag3;
  always_ff @(posedge clk) begin
    if (go[3]) begin
      good3          <= good2;
      wide3          <= wide2;
      twelve3        <= twelve2;
      base3          <= base2;
      above3         <= {16'd0, planes2} * {29'd0, rows2} + {30'd0, row2};
      columns3       <= columns2;
      column3        <= column2;
      low3           <= low2;
      bank_place3    <= bank_place2;
      bank_shift3    <= bank_shift2;
      tile_shift3    <= tile_shift2;
      hash3          <= hash2;
      channel_shift3 <= channel_shift2;
      tag3           <= tag2;
    end
  end

  // ---- stage 4: elements, tiles or macro tiles before it
  logic        good4, wide4, twelve4;
  logic [47:0] base4, before4;
  logic [18:0] low4;
  logic [5:0]  bank_place4;
  logic [2:0]  bank_shift4;
  logic [3:0]  tile_shift4;
  logic [7:0]  hash4;
  logic [3:0]  channel_shift4;
  logic [7:0]  tag4;
  always_ff @(posedge clk) begin
    if (go[4]) begin
      good4          <= good3;
      wide4          <= wide3;
      twelve4        <= twelve3;
      base4          <= base3;
      before4        <= above3 * {29'd0, columns3} + {30'd0, column3};
      low4           <= low3;
      bank_place4    <= bank_place3;
      bank_shift4    <= bank_shift3;
      tile_shift4    <= tile_shift3;
      hash4          <= hash3;
      channel_shift4 <= channel_shift3;
      tag4           <= tag3;
    end
  end

  // Bytes without pipe and bank, which stand above the interleave: none of linear surfaces and micro
  // tiles.
  logic [47:0] tiles4, offset4, beneath4, swizzled4, address4;
  logic [3:0]  interleave4;
  assign tiles4      = (before4 << bank_shift4) | {42'd0, bank_place4};
  assign offset4     = twelve4 ? (tiles4 << 3) + (tiles4 << 2) : (tiles4 << tile_shift4) + {29'd0, low4};
  assign interleave4 = wide4 ? 4'd9 : 4'd8;
  assign beneath4    = offset4 & ((48'd1 << interleave4) - 48'd1);
  assign swizzled4   = beneath4 | ({40'd0, hash4} << interleave4)
                     | ((offset4 >> interleave4) << interleave4 << channel_shift4);
  assign address4    = base4 + swizzled4;

  // ---- stage 5 and later: addresses
  typedef struct packed {
    logic [47:0] address;
    logic        refused;
    logic [7:0]  tag;
  } response_t;

  response_t formed4;
  assign formed4.address = good4 ? address4 : 48'd0;
  assign formed4.refused = !good4;
  assign formed4.tag     = tag4;

  response_t out[5:LATENCY];
  for (genvar s = 5; s <= LATENCY; s++) begin : g_out
    always_ff @(posedge clk) begin
      if (go[s]) out[s] <= (s == 5) ? formed4 : out[(s == 5) ? 5 : s - 1];
    end
  end

  response_t shown;
  assign shown       = out_valid ? out[LATENCY] : '0;
  assign out_address = shown.address;
  assign out_refused = shown.refused;
  assign out_tag     = shown.tag;

endmodule
