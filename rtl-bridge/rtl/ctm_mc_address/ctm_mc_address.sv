// SPDX-License-Identifier: Apache-2.0
// Address translation of the CTM memory controller: ATI CTM Guide 1.01, section 2.1.4, tables 1
// and 2. A client's index pair becomes the byte address of an element, or of the four elements of
// the 2x2 superfine option. One request per cycle; addresses come LATENCY cycles after it:
//
//   1 surface of the client   2 points, rows times pitch   3 sums   4 addresses   further: delay
//
// Every stage moves when it is empty or something before the output is, so bubbles close. A request
// sees the surfaces of commands taken in earlier cycles. Outputs are zero while out_valid is low.
module ctm_mc_address #(
  parameter LATENCY = 4 // 4 or more
) (
  `include "ctm_mc_address_ports.svh"
);

  // ---- surfaces
  typedef struct packed {
    logic [31:11] base;
    logic [12:2]  pitch;
    logic [1:0]   tiling;
    logic [2:0]   format;
  } surface_t;

  surface_t surfaces[0:31]; // 25 to 31 stay as reset leaves them

  // The commands differ in where base and format stand and in the client they mean.
  logic       indexed, known;
  logic [4:0] target;
  assign indexed = cmd_opcode == 8'h0b || cmd_opcode == 8'h0c;
  always_comb begin
    known  = 1'b1;
    target = 5'd0;
    case (cmd_opcode)
      8'h0a:   target = 5'd24;
      8'h0b:   target = {1'b0, cmd_p0[3:0]};
      8'h0c:   begin
        target = {3'b100, cmd_p0[1:0]};
        known  = cmd_p0[3:2] == 2'd0;
      end
      8'h0d:   target = 5'd20;
      8'h0e:   target = 5'd21;
      8'h0f:   target = 5'd22;
      8'h10:   target = 5'd23;
      default: known  = 1'b0;
    endcase
  end
  assign cmd_ready   = 1'b1;
  assign cmd_refused = cmd_valid && !known;

  logic [31:0] base_word, format_word;
  assign base_word   = indexed ? cmd_p1 : cmd_p0;
  assign format_word = indexed ? cmd_p2 : cmd_p1;
  logic unused_bits; // reserved in every parameter
  assign unused_bits = ^{base_word[10:0], format_word[31:27], format_word[23:18],
                         format_word[15:13], format_word[1:0]};

  surface_t set;
  assign set.base   = base_word[31:11];
  assign set.pitch  = format_word[12:2];
  assign set.tiling = format_word[17:16];
  assign set.format = format_word[26:24];

  always_ff @(posedge clk) begin
    if (rst) begin
      for (int i = 0; i < 32; i++) surfaces[i] <= '0;
    end else if (cmd_valid && known) begin
      surfaces[target] <= set;
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

  // ---- stage 1: surface of the client
  surface_t    surface1;
  logic [4:0]  client1;
  logic [11:0] x1, y1;
  logic [7:0]  tag1;
  always_ff @(posedge clk) begin
    if (go[1]) begin
      surface1 <= surfaces[in_client];
      client1  <= in_client;
      x1       <= in_x;
      y1       <= in_y;
      tag1     <= in_tag;
    end
  end

  // What the format is: bytes per element, channels.
  logic [2:0] log2_1;
  logic       several1, reserved1;
  always_comb begin
    several1  = 1'b0;
    reserved1 = 1'b0;
    case (surface1.format)
      3'd0:    log2_1 = 3'd1;
      3'd1:    {log2_1, several1} = {3'd2, 1'b1};
      3'd2:    log2_1 = 3'd2;
      3'd3:    {log2_1, several1} = {3'd3, 1'b1};
      3'd4:    {log2_1, several1} = {3'd4, 1'b1};
      3'd5:    log2_1 = 3'd0;
      default: {log2_1, reserved1} = {3'd0, 1'b1};
    endcase
  end

  logic       no_client1, refused1, fine1, tiled1;
  logic [1:0] status1;
  assign no_client1  = client1 > 5'd24;
  assign refused1 = no_client1 || reserved1;
  assign fine1    = !refused1 && surface1.tiling[1] && !client1[4];
  assign tiled1   = surface1.tiling[0];
  assign status1  = no_client1 ? 2'd3 : reserved1 ? 2'd2 : (fine1 && several1) ? 2'd1 : 2'd0;

  // Rows and pitch in the units of the table: a row of elements and 32 bytes, or of tiles.
  logic [12:1] pitch1;
  logic [11:0] unit1;
  assign pitch1 = {surface1.pitch, 1'b0};
  always_comb begin
    case ({tiled1, log2_1})
      4'b0000: unit1 = {4'd0, pitch1[12:5]};
      4'b0001: unit1 = {3'd0, pitch1[12:4]};
      4'b0010: unit1 = {2'd0, pitch1[12:3]};
      4'b0011: unit1 = {1'd0, pitch1[12:2]};
      4'b0100: unit1 = pitch1[12:1];
      4'b1000: unit1 = {5'd0, pitch1[12:6]};
      4'b1001: unit1 = {4'd0, pitch1[12:5]};
      4'b1010: unit1 = {4'd0, pitch1[12:5]};
      default: unit1 = {3'd0, pitch1[12:4]};
    endcase
  end

  function automatic logic [11:0] row_of(input logic [11:0] y, input logic tiled,
                                         input logic [2:0] log2);
    case ({tiled, log2})
      4'b1000, 4'b1001: row_of = {5'd0, y[11:5]};
      4'b1010, 4'b1011: row_of = {4'd0, y[11:4]};
      4'b1100:          row_of = {3'd0, y[11:3]};
      default:          row_of = y;
    endcase
  endfunction

  logic [11:0] right1, below1;
  assign right1 = x1 + 12'd1;
  assign below1 = y1 + 12'd1;

  // ---- stage 2: points, rows times pitch
  logic        fine2, tiled2, refused2;
  logic [2:0]  log2_2;
  logic [1:0]  status2;
  logic [7:0]  tag2;
  logic [20:0] base2;
  logic [11:0] x2, y2, right2, below2;
  logic [23:0] product2, product_below2;
  always_ff @(posedge clk) begin
    if (go[2]) begin
      fine2          <= fine1;
      tiled2         <= tiled1;
      refused2       <= refused1;
      log2_2         <= log2_1;
      status2        <= status1;
      tag2           <= tag1;
      base2          <= surface1.base;
      x2             <= x1;
      y2             <= y1;
      right2         <= right1;
      below2         <= below1;
      product2       <= row_of(y1, tiled1, log2_1) * unit1;
      product_below2 <= row_of(below1, tiled1, log2_1) * unit1;
    end
  end

  // The part of x that the sum takes.
  function automatic logic [10:0] column_of(input logic [11:1] x, input logic tiled,
                                            input logic [2:0] log2);
    case ({tiled, log2})
      4'b0000: column_of = {4'd0, x[11:5]};
      4'b0001: column_of = {3'd0, x[11:4]};
      4'b0010: column_of = {2'd0, x[11:3]};
      4'b0011: column_of = {1'd0, x[11:2]};
      4'b0100: column_of = x[11:1];
      4'b1000: column_of = {5'd0, x[11:6]};
      4'b1001: column_of = {4'd0, x[11:5]};
      4'b1010: column_of = {4'd0, x[11:5]};
      default: column_of = {3'd0, x[11:4]};
    endcase
  endfunction

  logic [26:0] offset2;
  logic [10:0] column2, column_right2;
  assign offset2       = tiled2 ? {6'd0, base2} : {base2, 6'd0};
  assign column2       = column_of(x2[11:1], tiled2, log2_2);
  assign column_right2 = column_of(right2[11:1], tiled2, log2_2);

  // ---- stage 3: sums, by channel
  logic        fine3, tiled3, refused3;
  logic [2:0]  log2_3;
  logic [1:0]  status3;
  logic [7:0]  tag3;
  logic [6:0]  x3, right3; // the sums need no more of the points
  logic [5:0]  y3, below3;
  logic [26:0] sum3_0, sum3_1, sum3_2, sum3_3;
  logic        unused_indices;
  assign unused_indices = ^{y2[11:6], below2[11:6]};
  always_ff @(posedge clk) begin
    if (go[3]) begin
      fine3    <= fine2;
      tiled3   <= tiled2;
      refused3 <= refused2;
      log2_3   <= log2_2;
      status3  <= status2;
      tag3     <= tag2;
      x3       <= x2[6:0];
      right3   <= right2[6:0];
      y3       <= y2[5:0];
      below3   <= below2[5:0];
      sum3_0   <= {3'd0, product2} + {16'd0, column_right2} + offset2;
      sum3_1   <= {3'd0, product_below2} + {16'd0, column2} + offset2;
      sum3_2   <= {3'd0, product_below2} + {16'd0, column_right2} + offset2;
      sum3_3   <= {3'd0, product2} + {16'd0, column2} + offset2;
    end
  end

  // Bits 10:0 of a place in a tile.
  function automatic logic [10:0] place_of(input logic [6:0] x, input logic [5:0] y,
                                           input logic [2:0] log2);
    case (log2)
      3'd0:    place_of = {y[4] ^ x[6], x[5] ^ y[5], y[3] ^ x[5], x[4] ^ y[4], y[2], x[3], y[1:0], x[2:0]};
      3'd1:    place_of = {y[4] ^ x[5], x[4] ^ y[5], y[3] ^ x[4], x[3] ^ y[4], y[2], x[2], y[1:0], x[1:0], 1'b0};
      3'd2:    place_of = {y[3] ^ x[5], x[4] ^ y[4], y[2] ^ x[4], x[3] ^ y[3], y[1], x[2], y[0], x[1:0], 2'b00};
      3'd3:    place_of = {y[3] ^ x[4], x[3] ^ y[4], y[2] ^ x[3], x[2] ^ y[3], y[1], x[1], y[0], x[0], 3'b000};
      default: place_of = {y[2] ^ x[4], x[3] ^ y[3], y[1] ^ x[3], x[2] ^ y[2], y[0], x[1], x[0], 4'b0000};
    endcase
  endfunction
  // Bits 4:0 of an element in 32 bytes.
  function automatic logic [4:0] low_of(input logic [4:0] x, input logic [2:0] log2);
    case (log2)
      3'd0:    low_of = x;
      3'd1:    low_of = {x[3:0], 1'b0};
      3'd2:    low_of = {x[2:0], 2'b00};
      3'd3:    low_of = {x[1:0], 3'b000};
      default: low_of = {x[0], 4'b0000};
    endcase
  endfunction
  function automatic logic [31:0] address_of(input logic tiled, input logic [26:0] sum,
                                             input logic [6:0] x, input logic [5:0] y,
                                             input logic [2:0] log2);
    address_of = tiled ? {sum[20:0], place_of(x, y, log2)} : {sum, low_of(x[4:0], log2)};
  endfunction

  logic [31:0] a3_0, a3_1, a3_2, a3_3;
  assign a3_0 = address_of(tiled3, sum3_0, right3, y3, log2_3);
  assign a3_1 = address_of(tiled3, sum3_1, x3, below3, log2_3);
  assign a3_2 = address_of(tiled3, sum3_2, right3, below3, log2_3);
  assign a3_3 = address_of(tiled3, sum3_3, x3, y3, log2_3);

  // ---- stage 4 and later: addresses
  typedef struct packed {
    logic [31:0] c0, c1, c2, c3;
    logic        superfine;
    logic [2:0]  log2_bytes;
    logic [1:0]  status;
    logic [7:0]  tag;
  } response_t;

  response_t formed3;
  always_comb begin
    formed3.c0         = refused3 ? 32'd0 : fine3 ? a3_0 : a3_3;
    formed3.c1         = fine3 ? a3_1 : 32'd0;
    formed3.c2         = fine3 ? a3_2 : 32'd0;
    formed3.c3         = fine3 ? a3_3 : 32'd0;
    formed3.superfine  = fine3;
    formed3.log2_bytes = refused3 ? 3'd0 : log2_3;
    formed3.status     = status3;
    formed3.tag        = tag3;
  end

  response_t out[4:LATENCY];
  for (genvar s = 4; s <= LATENCY; s++) begin : g_out
    always_ff @(posedge clk) begin
      if (go[s]) out[s] <= (s == 4) ? formed3 : out[(s == 4) ? 4 : s - 1];
    end
  end

  response_t shown;
  assign shown          = out_valid ? out[LATENCY] : '0;
  assign out_c0         = shown.c0;
  assign out_c1         = shown.c1;
  assign out_c2         = shown.c2;
  assign out_c3         = shown.c3;
  assign out_superfine  = shown.superfine;
  assign out_log2_bytes = shown.log2_bytes;
  assign out_status     = shown.status;
  assign out_tag        = shown.tag;

endmodule
