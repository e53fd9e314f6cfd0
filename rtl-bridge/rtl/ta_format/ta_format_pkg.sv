// SPDX-License-Identifier: Apache-2.0
// Formats of buffers: where the components of an element are, and what becomes of one on its way to a
// register and back.
`ifndef TA_FORMAT_PKG_SV
`define TA_FORMAT_PKG_SV
package ta_format_pkg;

  // BUF_NUM_FORMAT, but UNORM
  localparam logic [2:0] kSnorm = 3'd1;
  localparam logic [2:0] kUscaled = 3'd2;
  localparam logic [2:0] kSscaled = 3'd3;
  localparam logic [2:0] kUint = 3'd4;
  localparam logic [2:0] kSint = 3'd5;
  localparam logic [2:0] kSnormOgl = 3'd6;
  localparam logic [2:0] kFloat = 3'd7;

  // Components of a BUF_DATA_FORMAT.
  function automatic logic [2:0] components(input logic [3:0] dfmt);
    case (dfmt)
      4'd1, 4'd2, 4'd4:                components = 3'd1;
      4'd3, 4'd5, 4'd11:               components = 3'd2;
      4'd6, 4'd7, 4'd13:               components = 3'd3;
      4'd8, 4'd9, 4'd10, 4'd12, 4'd14: components = 3'd4;
      default:                         components = 3'd0;
    endcase
  endfunction

  // Bits of component c, the lowest of an element being component 0.
  function automatic logic [5:0] component_bits(input logic [3:0] dfmt, input logic [1:0] c);
    case (dfmt)
      4'd1, 4'd3, 4'd10:         component_bits = 6'd8;
      4'd2, 4'd5, 4'd12:         component_bits = 6'd16;
      4'd4, 4'd11, 4'd13, 4'd14: component_bits = 6'd32;
      4'd6:                      component_bits = (c == 2'd2) ? 6'd10 : 6'd11;
      4'd7:                      component_bits = (c == 2'd0) ? 6'd10 : 6'd11;
      4'd8:                      component_bits = (c == 2'd0) ? 6'd2 : 6'd10;
      4'd9:                      component_bits = (c == 2'd3) ? 6'd2 : 6'd10;
      default:                   component_bits = 6'd0;
    endcase
  endfunction

  // Where its lowest bit is.
  function automatic logic [6:0] component_first(input logic [3:0] dfmt, input logic [1:0] c);
    integer i;
    component_first = 7'd0;
    for (i = 0; i < 3; i = i + 1) if (i[1:0] < c) component_first = component_first + {1'b0, component_bits(dfmt, i[1:0])};
  endfunction

  // The n lowest bits.
  function automatic logic [31:0] low_bits(input logic [5:0] n);
    low_bits = n[5] ? 32'hffffffff : (32'd1 << n[4:0]) - 32'd1;
  endfunction

  // ---- to registers

  // The first of the bits of a / (2^m - 1), a binary fraction in which a repeats without end.
  function automatic logic [95:0] repeated(input logic [31:0] a, input logic [5:0] m);
    case (m)
      6'd1:    repeated = {96{a[0]}};
      6'd2:    repeated = {48{a[1:0]}};
      6'd7:    repeated = {{13{a[6:0]}}, a[6:2]};
      6'd8:    repeated = {12{a[7:0]}};
      6'd9:    repeated = {{10{a[8:0]}}, a[8:3]};
      6'd10:   repeated = {{9{a[9:0]}}, a[9:4]};
      6'd11:   repeated = {{8{a[10:0]}}, a[10:3]};
      6'd15:   repeated = {{6{a[14:0]}}, a[14:9]};
      6'd16:   repeated = {6{a[15:0]}};
      6'd31:   repeated = {{3{a[30:0]}}, a[30:28]};
      default: repeated = {3{a}};
    endcase
  endfunction

  // A fraction times two to the power of `exponent` less 126, whose leading one is among the first 32
  // bits, to a float without its sign. It is rounded to 53 bits, then to 24, to nearest even: of
  // normalised numbers of 32 bits both matter; of fewer the first changes nothing, for no such
  // fraction comes near the middle of two floats.
  function automatic logic [30:0] float_of(input logic [95:0] fraction, input logic [7:0] exponent);
    integer      i;
    logic [4:0]  zeros;
    logic [52:0] leading;  // bits after the leading one
    logic [59:0] wide;     // exponent and fraction with 53 bits of precision
    logic        up;
    zeros = 5'd0;
    for (i = 64; i < 96; i = i + 1) if (fraction[i]) zeros = 5'd31 - i[4:0];
    leading  = 53'((fraction << zeros) >> 42);
    wide     = {exponent - {3'd0, zeros}, leading[52:1]} + {59'd0, leading[0]};
    up       = wide[28] && (wide[27:0] != 28'd0 || wide[29]);
    float_of = wide[59:29] + {30'd0, up};
  endfunction

  // A float of 16, 11 or 10 bits, which have five bits of exponent, exactly. Those of 11 and 10 bits
  // have no sign.
  function automatic logic [31:0] widened(input logic [15:0] field, input logic [5:0] bits);
    integer     i;
    logic       sign;
    logic [4:0] exponent;
    logic [9:0] mantissa;  // as that of 16 bits, filled up from below
    logic [3:0] lead;      // places in front of a denormal's leading one, which is hidden then
    case (bits)
      6'd11:   {sign, exponent, mantissa} = {1'b0, field[10:0], 4'd0};
      6'd10:   {sign, exponent, mantissa} = {1'b0, field[9:0], 5'd0};
      default: {sign, exponent, mantissa} = field;
    endcase
    lead = 4'd0;
    for (i = 0; i < 10; i = i + 1) if (mantissa[i]) lead = 4'd10 - i[3:0];
    if (exponent == 5'd31) widened = {sign, 8'hff, mantissa, 13'd0};
    else if (exponent != 5'd0) widened = {sign, {3'd0, exponent} + 8'd112, mantissa, 13'd0};
    else if (mantissa == 10'd0) widened = {sign, 31'd0};
    else widened = {sign, 8'd113 - {4'd0, lead}, mantissa << lead, 13'd0};
  endfunction

  // A component, nothing above its bits.
  function automatic logic [31:0] unpacked(input logic [31:0] field, input logic [5:0] bits, input logic [2:0] num);
    logic        is_signed, opengl, negative, scaled;
    logic [5:0]  above, period;
    logic [31:0] extended, odd, magnitude, number;
    is_signed = num == kSnorm || num == kSscaled || num == kSint || num == kSnormOgl;
    opengl    = num == kSnormOgl;
    scaled    = num == kUscaled || num == kSscaled;
    above     = 6'd32 - bits;
    extended  = $unsigned($signed(field << above) >>> above);
    negative  = is_signed && extended[31];
    odd       = {extended[30:0], 1'b1};  // twice the number and one
    if (opengl) magnitude = negative ? 32'd0 - odd : odd;
    else magnitude = negative ? 32'd0 - extended : field;
    period = (num == kSnorm) ? bits - 6'd1 : bits;
    if (magnitude == 32'd0) number = 32'd0;
    else if (num == kSnorm && magnitude > low_bits(period)) number = 32'hbf800000;  // the lowest of all
    else if (scaled) number = {negative, float_of({magnitude, 64'd0}, 8'd158)};
    else number = {negative, float_of(repeated(magnitude, period), 8'd126)};
    case (num)
      kUint:   unpacked = field;
      kSint:   unpacked = extended;
      kFloat:  unpacked = bits[5] ? field : widened(field[15:0], bits);
      default: unpacked = number;
    endcase
  endfunction

  // ---- to memory

  // A float times 2^m - 1, a product of 53 bits, to the nearest integer within it; ties to even.
  function automatic logic [31:0] normalised(input logic [31:0] value, input logic [31:0] top, input logic is_signed);
    logic [55:0] exact, unit, below, product, rest;  // unit: the product's last place
    logic [31:0] floor, nearest;
    logic [7:0]  down;
    logic        up;
    exact   = {32'd0, 1'b1, value[22:0]} * {24'd0, top};
    unit    = exact[55] ? 56'd8 : exact[54] ? 56'd4 : exact[53] ? 56'd2 : 56'd1;
    below   = exact & (unit - 56'd1);
    up      = below > (unit >> 1) || (below == (unit >> 1) && unit != 56'd1 && (exact & unit) != 56'd0);
    product = exact - below + (up ? unit : 56'd0);
    // A number below one lies 24 places or more above the binary point; from 57 on nothing is left.
    down    = 8'd150 - value[30:23];
    floor   = 32'(product >> down);
    rest    = product << (8'd56 - down);
    nearest = floor + {31'd0, rest[55] && (rest[54:0] != 55'd0 || floor[0])};
    if (value[30:23] >= 8'd127) nearest = top;
    if (value[30:0] > 31'h7f800000) normalised = 32'd0;
    else if (value[31]) normalised = is_signed ? 32'd0 - nearest : 32'd0;
    else normalised = nearest;
  endfunction

  // A float to one of 16, 11 or 10 bits: to nearest even, overflow to infinity, denormals kept; a NaN
  // keeps the high bits of its payload and becomes quiet. What is negative becomes 0 in 11 and 10 bits.
  function automatic logic [15:0] narrowed(input logic [31:0] value, input logic [5:0] bits);
    logic        nan, denormal, up;
    logic [4:0]  drop;  // bits of the mantissa
    logic [7:0]  shift;
    logic [14:0] infinity, quiet, payload, floor, magnitude;
    logic [31:0] all, rest;
    nan      = value[30:0] > 31'h7f800000;
    drop     = (bits == 6'd16) ? 5'd13 : (bits == 6'd11) ? 5'd17 : 5'd18;
    infinity = 15'h7c00 >> (drop - 5'd13);
    quiet    = 15'h0200 >> (drop - 5'd13);
    payload  = 15'(value[22:0] >> drop);
    // Denormals drop as many more as their exponent is too small, in the end all.
    denormal = value[30:23] < 8'd113;
    shift    = {3'd0, drop} + (denormal ? 8'd113 - value[30:23] : 8'd0);
    all      = denormal ? {9'd1, value[22:0]} : {1'b0, value[30:0]} - {1'b0, 8'd112, 23'd0};
    floor    = 15'(all >> shift);
    rest     = all << (8'd32 - shift);
    up       = rest[31] && (rest[30:0] != 31'd0 || floor[0]);
    if (nan) magnitude = infinity | quiet | payload;
    else if (value[30:23] >= 8'd143) magnitude = infinity;
    else magnitude = floor + {14'd0, up};
    if (bits == 6'd16) narrowed = {value[31], magnitude};
    else narrowed = (value[31] && !nan) ? 16'd0 : {1'b0, magnitude};
  endfunction

  // A component, nothing above its bits. Formats that can only be loaded have no way back.
  function automatic logic [31:0] packed_bits(input logic [31:0] value, input logic [5:0] bits, input logic [2:0] num);
    logic        is_signed;
    logic [31:0] all;
    is_signed = num == kSnorm;
    case (num)
      kUint, kSint: all = value;
      kFloat:       all = bits[5] ? value : {16'd0, narrowed(value, bits)};
      default:      all = normalised(value, low_bits(is_signed ? bits - 6'd1 : bits), is_signed);
    endcase
    packed_bits = all & low_bits(bits);
  endfunction

endpackage
`endif
