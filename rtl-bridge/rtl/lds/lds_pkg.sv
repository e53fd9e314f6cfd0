// SPDX-License-Identifier: Apache-2.0
// Rules of DS instructions on local memory: what an opcode stands for, where a lane's elements are,
// what a lane gets of one and leaves in it.
`ifndef LDS_PKG_SV
`define LDS_PKG_SV

// Functions that look at a part of a struct only.
/* verilator lint_off UNUSEDSIGNAL */

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

  // ---- what an opcode stands for
  typedef struct packed {
    logic       legal;        // there is such an instruction
    logic       swizzle;
    logic       read;
    logic       counter;      // append, consume
    logic       strided;      // offsets in 64 elements
    logic       two;          // elements at two offsets
    logic       exchange2;
    logic       from_memory;  // the operand comes from memory
    logic       by_lane;      // two places for each lane, which acts on both before the next one
    logic       returns;
    logic       writes;
    logic       replaces;     // writes whole dwords, regardless of what was there
    logic       wide;         // elements of 64 bits
    logic [1:0] element;      // log2 of an element's bytes
    logic [4:0] op;
  } kind_t;

  function automatic logic legal(input logic [7:0] code);
    logic [4:0] op;
    op = code[4:0];
    if (code[7]) legal = !code[5] && (op <= kXor || op == kWrite || op == kFMin || op == kFMax);
    else if (op <= kFMax) legal = 1'b1;
    else if (code[5]) legal = code[6] ? op >= kRead && op <= kRead2St : op >= kSwizzle && op <= kAppend;
    else legal = !code[6] && (op == kWrite8 || op == kWrite16);
  endfunction

  function automatic logic [1:0] element_of(input logic [7:0] code);
    logic [4:0] op;
    op         = code[4:0];
    element_of = code[6] ? 2'd3 : 2'd2;
    if (code[7:6] == 2'd0) begin
      if (code[5] ? op == kReadI8 || op == kReadU8 : op == kWrite8) element_of = 2'd0;
      if (code[5] ? op == kReadI16 || op == kReadU16 : op == kWrite16) element_of = 2'd1;
    end
  endfunction

  function automatic kind_t kind_of(input logic [7:0] code);
    kind_t k;
    k.op          = code[4:0];
    k.returns     = code[5];
    k.wide        = code[6];
    k.from_memory = code[7];
    k.legal       = legal(code);
    k.element     = element_of(code);
    k.swizzle     = code == {3'b001, kSwizzle};
    k.read        = k.returns && k.op >= kRead && k.op <= kReadU16;
    k.counter     = k.returns && (k.op == kConsume || k.op == kAppend);
    k.strided     = !k.from_memory && (k.op == kWrite2St || (k.returns && k.op == kRead2St));
    k.two         = k.strided || (!k.from_memory && (k.op == kWrite2 || (k.returns && k.op == kRead2)));
    k.exchange2   = k.returns && k.two && !k.read;
    k.by_lane     = k.exchange2 || k.from_memory;
    k.writes      = !k.read && !k.swizzle;
    k.replaces    = !k.returns && !k.from_memory && k.element >= 2'd2 && k.op >= kWrite && k.op <= kWrite2St;
    kind_of       = k;
  endfunction

  // ---- addresses
  // {inside, address in the storage} of an element at a sum without wrapping
  function automatic logic [16:0] locate(input logic [35:0] sum, input logic [1:0] size_log,
                                         input logic [16:0] bound, input logic [15:0] start);
    logic [35:0] aligned, past;
    logic        inside_;
    aligned = sum >> size_log << size_log;
    past    = aligned + (36'd1 << size_log);
    inside_ = !sum[35] && past <= {19'd0, bound};
    locate  = {inside_, aligned[15:0] + start};
  endfunction

  typedef struct packed {
    logic        in0;  // the first element is inside
    logic [15:0] at0;
    logic        in1;  // the second one, or the operand in memory
    logic [15:0] at1;
  } places_t;

  // A lane's elements in the part of a group, which begins at `start`.
  function automatic places_t places_of(input kind_t k, input logic [15:0] offset, input logic [31:0] m0,
                                        input logic [15:0] start, input logic [16:0] size,
                                        input logic [31:0] lane_address);
    logic [16:0] room, own, limit, offset0, offset1;
    logic [3:0]  shift;  // of an offset in elements
    logic [31:0] v;
    logic [14:0] distance;
    logic [35:0] sum, from;
    room     = 17'h10000 - {1'b0, start};
    own      = size < room ? size : room;
    limit    = m0 < {15'd0, own} ? m0[16:0] : own;
    shift    = (k.strided ? 4'd6 : 4'd0) + {2'd0, k.element};
    offset0  = k.two ? {9'd0, offset[7:0]} << shift : {1'b0, offset};
    offset1  = {9'd0, offset[15:8]} << shift;
    v        = lane_address;
    distance = offset[14:0];
    sum      = {4'd0, v} + {19'd0, offset0};
    from     = {4'd0, v} + {19'd0, offset1};
    if (k.counter) begin
      sum   = {19'd0, {1'b0, m0[15:0]} + {1'b0, offset}};
      limit = own;
    end
    if (k.from_memory) begin
      if (offset[15]) begin  // both in the register
        distance = v[31:17];
        v        = {15'd0, v[16:0]};
      end
      sum  = {4'd0, v} >> k.element << k.element;
      from = sum + {{19{distance[14]}}, distance, 2'd0};
    end
    {places_of.in0, places_of.at0} = locate(sum, k.element, limit, start);
    {places_of.in1, places_of.at1} = locate(from, k.element, limit, start);
  endfunction

  // The lane whose data a swizzle gives to lane l.
  function automatic logic [5:0] swizzle_source(input logic [15:0] offset, input logic [5:0] l);
    swizzle_source = {l[5], ((l[4:0] & offset[4:0]) | offset[9:5]) ^ offset[14:10]};
    if (offset[15]) swizzle_source = {l[5:2], offset[2*l[1:0]+:2]};
  endfunction

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

  // ---- an element as a lane sees it: in the low bits, with the dword around one of less than 32
  // bits, of which `part` is the first byte.

  function automatic logic [63:0] returned(input kind_t k, input logic [1:0] part, input logic [63:0] old);
    logic [15:0] raw;
    raw      = 16'(old[31:0] >> {part, 3'd0});
    returned = old;
    if (k.read && !k.wide) begin
      case (k.op)
        kReadI8:  returned = {32'd0, {24{raw[7]}}, raw[7:0]};
        kReadU8:  returned = {56'd0, raw[7:0]};
        kReadI16: returned = {32'd0, {16{raw[15]}}, raw[15:0]};
        kReadU16: returned = {48'd0, raw[15:0]};
        default:  returned = old;
      endcase
    end
  endfunction

  // `carried`: the operand in memory; `members`: the active lanes.
  function automatic logic [63:0] operand(input kind_t k, input logic second_element, input logic [63:0] first,
                                          input logic [63:0] second, input logic [63:0] carried,
                                          input logic [6:0] members);
    operand = first;
    if (k.two && second_element) operand = second;
    if (k.from_memory) operand = carried;
    if (k.counter) operand = {57'd0, members};
  endfunction

  function automatic logic [63:0] left_behind(input kind_t k, input logic [1:0] part, input logic [63:0] old,
                                              input logic [63:0] first, input logic [63:0] second);
    logic [63:0] one, two, next;
    one  = k.wide ? first : {32'd0, first[31:0]};
    two  = k.wide ? second : {32'd0, second[31:0]};
    next = combine(k.counter ? (k.op == kAppend ? kAdd : kSub) : k.op, k.wide, old, one, two);
    if (k.element == 2'd0) begin
      case (part)
        2'd0:    next = {old[63:8], one[7:0]};
        2'd1:    next = {old[63:16], one[7:0], old[7:0]};
        2'd2:    next = {old[63:24], one[7:0], old[15:0]};
        default: next = {old[63:32], one[7:0], old[23:0]};
      endcase
    end
    if (k.element == 2'd1) begin
      next = part[1] ? {old[63:32], one[15:0], old[15:0]} : {old[63:16], one[15:0]};
    end
    left_behind = next;
  endfunction

endpackage

/* verilator lint_on UNUSEDSIGNAL */
`endif
