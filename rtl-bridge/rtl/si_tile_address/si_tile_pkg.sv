// SPDX-License-Identifier: Apache-2.0
// What a surface of Southern Islands is, and how its tiles choose pipe and bank.
`ifndef SI_TILE_PKG_SV
`define SI_TILE_PKG_SV

// Functions that look at a part of a value only.
/* verilator lint_off UNUSEDSIGNAL */

package si_tile_pkg;

  // GB_TILE_MODE.
  typedef struct packed {
    logic [1:0] banks;  // log2 - 1
    logic [1:0] aspect; // of the macro tile, log2
    logic [1:0] bank_height; // micro tiles, log2
    logic [1:0] bank_width;  // micro tiles, log2
    logic [2:0] split;  // log2 of bytes / 64
    logic [4:0] pipe;   // PIPE_CONFIG
    logic [3:0] array;  // ARRAY_MODE
    logic [1:0] micro;  // 0 display, 1 thin, 2 depth, 3 rotated
  } mode_t;

  typedef struct packed {
    logic        wide;    // interleave of 512 bytes, else 256
    mode_t       mode;
    logic [2:0]  size;    // log2 of an element's bytes, 5: 12 bytes
    logic [2:0]  samples; // log2
    logic [18:0] pitch;
    logic [18:0] height;
    logic [18:0] slices;
    logic [47:0] base;
    logic [3:0]  pipe_swizzle;
    logic [3:0]  bank_swizzle;
  } surface_t;

  // ---- array modes
  function automatic logic is_linear(input logic [3:0] array);
    is_linear = array < 4'd2;
  endfunction
  function automatic logic is_macro(input logic [3:0] array);
    is_macro = array > 4'd3;
  endfunction
  // Slices of a tile, log2.
  function automatic logic [1:0] thick_shift(input logic [3:0] array);
    case (array)
      4'd3, 4'd7, 4'd9, 4'd10, 4'd13, 4'd15: thick_shift = 2'd2;
      4'd8, 4'd14:                           thick_shift = 2'd3;
      default:                               thick_shift = 2'd0;
    endcase
  endfunction
  // Pipe and bank see the coordinates within the macro tile only.
  function automatic logic is_local(input logic [3:0] array);
    is_local = array == 4'd5 || array == 4'd9;
  endfunction

  // ---- macro tiles
  // Pipes, log2; 0: no such configuration.
  function automatic logic [2:0] pipe_shift(input logic [4:0] pipe);
    case (pipe)
      5'd0:                                             pipe_shift = 3'd1;
      5'd4, 5'd5, 5'd6, 5'd7:                           pipe_shift = 3'd2;
      5'd8, 5'd9, 5'd10, 5'd11, 5'd12, 5'd13, 5'd14:    pipe_shift = 3'd3;
      5'd16, 5'd17:                                     pipe_shift = 3'd4;
      default:                                          pipe_shift = 3'd0;
    endcase
  endfunction
  function automatic logic [2:0] bank_shift(input logic [1:0] banks);
    bank_shift = {1'b0, banks} + 3'd1;
  endfunction
  // Elements, log2.
  function automatic logic [3:0] width_shift(input mode_t mode);
    width_shift = 4'd3 + {2'd0, mode.bank_width} + {1'b0, pipe_shift(mode.pipe)} + {2'd0, mode.aspect};
  endfunction
  function automatic logic [3:0] height_shift(input mode_t mode);
    height_shift = 4'd3 + {2'd0, mode.bank_height} + {1'b0, bank_shift(mode.banks)} - {2'd0, mode.aspect};
  endfunction

  // ---- pipe and bank
  // Of coordinate bits 6:3.
  function automatic logic [3:0] pipe_of(input logic [4:0] pipe, input logic [3:0] x, input logic [3:0] y);
    case (pipe)
      5'd0:    pipe_of = {3'd0, x[0] ^ y[0]};
      5'd4:    pipe_of = {2'd0, x[0] ^ y[1], x[1] ^ y[0]};
      5'd5:    pipe_of = {2'd0, x[1] ^ y[1], x[0] ^ x[1] ^ y[0]};
      5'd6:    pipe_of = {2'd0, x[1] ^ y[2], x[0] ^ x[1] ^ y[0]};
      5'd7:    pipe_of = {2'd0, x[2] ^ y[2], x[0] ^ x[2] ^ y[0]};
      5'd9:    pipe_of = {1'b0, x[1] ^ y[2], x[0] ^ y[1], x[1] ^ x[2] ^ y[0]};
      5'd10:   pipe_of = {1'b0, x[2] ^ y[2], x[0] ^ y[1], x[1] ^ x[2] ^ y[0]};
      5'd11:   pipe_of = {1'b0, x[1] ^ y[2], x[2] ^ y[1], x[0] ^ x[1] ^ y[0]};
      5'd12:   pipe_of = {1'b0, x[2] ^ y[2], x[1] ^ y[1], x[0] ^ x[1] ^ y[0]};
      5'd13:   pipe_of = {1'b0, x[2] ^ y[2], x[1] ^ y[3], x[0] ^ x[1] ^ y[0]};
      5'd14:   pipe_of = {1'b0, x[2] ^ y[3], x[3] ^ y[2], x[0] ^ x[2] ^ y[0]};
      5'd16:   pipe_of = {x[3] ^ y[2], x[2] ^ y[3], x[0] ^ y[1], x[1] ^ y[0]};
      5'd17:   pipe_of = {x[3] ^ y[2], x[2] ^ y[3], x[1] ^ y[1], x[0] ^ x[1] ^ y[0]};
      default: pipe_of = 4'd0;
    endcase
  endfunction
  // Of the lowest bits of bank column and row.
  function automatic logic [3:0] bank_of(input logic [1:0] banks, input logic [3:0] column, input logic [3:0] row);
    case (banks)
      2'd0:    bank_of = {3'd0, column[0] ^ row[0]};
      2'd1:    bank_of = {2'd0, column[1] ^ row[0], column[0] ^ row[1]};
      2'd2:    bank_of = {1'b0, column[2] ^ row[0], column[1] ^ row[1] ^ row[2], column[0] ^ row[2]};
      default: bank_of = {column[3] ^ row[0], column[2] ^ row[1], column[1] ^ row[2] ^ row[3], column[0] ^ row[3]};
    endcase
  endfunction
  // Pipe, and above it bank, as the coordinates of a tile choose them.
  function automatic logic [7:0] tile_hash(input mode_t mode, input logic [17:3] x, input logic [17:3] y);
    logic [14:0] column, row;
    logic [3:0]  bank;
    column = x >> ({1'b0, pipe_shift(mode.pipe)} + {2'd0, mode.bank_width});
    row    = y >> mode.bank_height;
    bank   = bank_of(mode.banks, column[3:0], row[3:0]);
    // Configurations of 32 x 32 pixels leave bit 4 of x to the lowest bank bit.
    if (mode.bank_width == 2'd0 && (mode.pipe == 5'd7 || mode.pipe == 5'd14))
      bank[0] = bank[0] ^ x[4] ^ x[5];
    tile_hash = {4'd0, pipe_of(mode.pipe, x[6:3], y[6:3])} | ({4'd0, bank} << pipe_shift(mode.pipe));
  endfunction
  // Place of a tile in its bank: column, and above it row.
  function automatic logic [5:0] place_in_bank(input mode_t mode, input logic [17:3] x, input logic [5:3] y);
    logic [14:0] column;
    logic [2:0]  column_mask, row_mask;
    column      = x >> pipe_shift(mode.pipe);
    column_mask = (3'd1 << mode.bank_width) - 3'd1;
    row_mask    = (3'd1 << mode.bank_height) - 3'd1;
    place_in_bank = ({3'd0, y & row_mask} << mode.bank_width) | {3'd0, column[2:0] & column_mask};
  endfunction

  // ---- which surfaces there are
  // The tiles of a macro tile have places of their own: the map from the bits of their coordinates
  // to pipe, bank and place in the bank has full rank.
  function automatic logic one_to_one(input mode_t mode);
    logic [16:0][13:0] rows;
    logic [16:0]       used;
    logic [14:0]       at;
    logic [13:0]       lowest;
    logic              full;
    for (int i = 0; i < 17; i++) begin
      at      = 15'd1 << (i < 10 ? i : i - 10);
      used[i] = i < 10 ? i + 3 < {28'd0, width_shift(mode)} : i - 7 < {28'd0, height_shift(mode)};
      rows[i] = i < 10 ? {place_in_bank(mode, at, 3'd0), tile_hash(mode, at, 15'd0)}
                       : {place_in_bank(mode, 15'd0, at[2:0]), tile_hash(mode, 15'd0, at)};
    end
    full = 1'b1;
    for (int i = 0; i < 17; i++) begin
      lowest = rows[i] & (~rows[i] + 14'd1);
      if (used[i] && rows[i] == 14'd0) full = 1'b0;
      for (int k = i + 1; k < 17; k++)
        if (used[i] && (rows[k] & lowest) != 14'd0) rows[k] = rows[k] ^ rows[i];
    end
    one_to_one = full;
  endfunction

  function automatic logic is_multiple(input logic [18:0] value, input logic [3:0] shift);
    is_multiple = (value & ((19'd1 << shift) - 19'd1)) == 19'd0;
  endfunction
  function automatic logic is_side(input logic [18:0] value);
    is_side = value != 19'd0 && value <= 19'h40000;
  endfunction

  function automatic logic has_macro_tile(input mode_t m, input logic [18:0] pitch, input logic [18:0] height);
    has_macro_tile = m.pipe != 5'd8 // not published
        && {1'b0, m.aspect} <= {1'b0, m.bank_height} + bank_shift(m.banks)
        && is_multiple(pitch, width_shift(m)) && is_multiple(height, height_shift(m))
        && one_to_one(m);
  endfunction
  function automatic logic has_tile(input mode_t m, input logic [2:0] size, input logic [2:0] samples,
                                    input logic [18:0] pitch, input logic [18:0] height, input logic [18:0] slices);
    has_tile = size <= 3'd4
        && (thick_shift(m.array) == 2'd0 || samples == 3'd0)
        && is_multiple(pitch, 4'd3) && is_multiple(height, 4'd3)
        && is_multiple(slices, {2'd0, thick_shift(m.array)})
        && (m.micro != 2'd3 || (size != 3'd4 && thick_shift(m.array) == 2'd0));
  endfunction
  function automatic logic is_defined(input logic [31:0] config_word, input mode_t m);
    is_defined = config_word[2:0] <= 3'd4 && config_word[6:4] <= 3'd1 && config_word[29:28] != 2'd3
        && m.split != 3'd7 && (!is_macro(m.array) || pipe_shift(m.pipe) != 3'd0);
  endfunction
  function automatic logic is_surface(input mode_t m, input logic [2:0] size, input logic [2:0] samples,
                                      input logic [18:0] pitch, input logic [18:0] height, input logic [18:0] slices);
    is_surface = samples <= 3'd4 && size <= 3'd5 && is_side(pitch) && is_side(height) && is_side(slices)
        && (is_linear(m.array) || has_tile(m, size, samples, pitch, height, slices))
        && (!is_macro(m.array) || has_macro_tile(m, pitch, height));
  endfunction

endpackage

/* verilator lint_on UNUSEDSIGNAL */

`endif
