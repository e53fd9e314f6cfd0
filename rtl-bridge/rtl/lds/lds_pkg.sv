// SPDX-License-Identifier: Apache-2.0
// What the local data share does with one element: operations and their codes.
`ifndef LDS_PKG_SV
`define LDS_PKG_SV
package lds_pkg;

  // Opcode of a DS instruction, bits 4:0; bit 5: the old value is returned, bit 6: 64 bits, bit 7:
  // the operand comes from memory.
  localparam logic [4:0] kAdd = 5'd0;
  localparam logic [4:0] kSub = 5'd1;
  localparam logic [4:0] kRSub = 5'd2;
  localparam logic [4:0] kInc = 5'd3;
  localparam logic [4:0] kDec = 5'd4;
  localparam logic [4:0] kSMin = 5'd5;
  localparam logic [4:0] kSMax = 5'd6;
  localparam logic [4:0] kUMin = 5'd7;
  localparam logic [4:0] kUMax = 5'd8;
  localparam logic [4:0] kAnd = 5'd9;
  localparam logic [4:0] kOr = 5'd10;
  localparam logic [4:0] kXor = 5'd11;
  localparam logic [4:0] kMskOr = 5'd12;
  localparam logic [4:0] kWrite = 5'd13;     // exchange when it returns
  localparam logic [4:0] kWrite2 = 5'd14;
  localparam logic [4:0] kWrite2St = 5'd15;
  localparam logic [4:0] kCmp = 5'd16;
  localparam logic [4:0] kFCmp = 5'd17;
  localparam logic [4:0] kFMin = 5'd18;
  localparam logic [4:0] kFMax = 5'd19;
  localparam logic [4:0] kWrite8 = 5'd30;
  localparam logic [4:0] kWrite16 = 5'd31;
  // with bit 5
  localparam logic [4:0] kSwizzle = 5'd21;
  localparam logic [4:0] kRead = 5'd22;
  localparam logic [4:0] kRead2 = 5'd23;
  localparam logic [4:0] kRead2St = 5'd24;
  localparam logic [4:0] kReadI8 = 5'd25;
  localparam logic [4:0] kReadU8 = 5'd26;
  localparam logic [4:0] kReadI16 = 5'd27;
  localparam logic [4:0] kReadU16 = 5'd28;
  localparam logic [4:0] kConsume = 5'd29;
  localparam logic [4:0] kAppend = 5'd30;

  // ---- floats: 32 bits in the low half, or 64
  function automatic logic nan(input logic wide, input logic [62:0] x);
    nan = wide ? x[62:52] == 11'h7ff && x[51:0] != 52'd0
               : x[30:23] == 8'hff && x[22:0] != 23'd0;
  endfunction
  function automatic logic zero(input logic wide, input logic [62:0] x);
    zero = wide ? x[62:0] == 63'd0 : x[30:0] == 31'd0;
  endfunction
  function automatic logic float_equal(input logic wide, input logic [63:0] a,
                                       input logic [63:0] b);
    float_equal = !nan(wide, a[62:0]) && !nan(wide, b[62:0]) && (a == b || (zero(wide, a[62:0]) && zero(wide, b[62:0])));
  endfunction
  function automatic logic float_less(input logic wide, input logic [63:0] a,
                                      input logic [63:0] b);
    logic        sa, sb;
    sa = wide ? a[63] : a[31];
    sb = wide ? b[63] : b[31];
    if (nan(wide, a[62:0]) || nan(wide, b[62:0]) || (zero(wide, a[62:0]) && zero(wide, b[62:0]))) float_less = 1'b0;
    else if (sa != sb) float_less = sa;
    else float_less = sa ? a > b : a < b;
  endfunction

  function automatic logic signed_less(input logic wide, input logic [63:0] a,
                                       input logic [63:0] b);
    logic        sa, sb;
    sa = wide ? a[63] : a[31];
    sb = wide ? b[63] : b[31];
    signed_less = sa != sb ? sa : a < b;
  endfunction

  // What comes into the place of `old`; 32-bit operands have zeros above, of the result only the
  // low half counts. first, second: the two data operands; with one only, second is not used.
  function automatic logic [63:0] combine(input logic [4:0] op, input logic wide,
                                          input logic [63:0] old, input logic [63:0] first,
                                          input logic [63:0] second);
    case (op)
      kAdd:    combine = old + first;
      kSub:    combine = old - first;
      kRSub:   combine = first - old;
      kInc:    combine = old >= first ? 64'd0 : old + 64'd1;
      kDec:    combine = old == 64'd0 || old > first ? first : old - 64'd1;
      kSMin:   combine = signed_less(wide, first, old) ? first : old;
      kSMax:   combine = signed_less(wide, old, first) ? first : old;
      kUMin:   combine = first < old ? first : old;
      kUMax:   combine = first > old ? first : old;
      kAnd:    combine = old & first;
      kOr:     combine = old | first;
      kXor:    combine = old ^ first;
      kMskOr:  combine = (old & ~first) | second;
      kCmp:    combine = old == first ? second : old;
      kFCmp:   combine = float_equal(wide, old, first) ? second : old;
      kFMin:   combine = float_less(wide, first, old) ? first : old;
      kFMax:   combine = float_less(wide, old, first) ? first : old;
      default: combine = first;  // writes and exchanges
    endcase
  endfunction

endpackage
`endif
