// SPDX-License-Identifier: Apache-2.0
// What the parts of buffer addressing tell each other.
`ifndef TA_BUFFER_PKG_SV
`define TA_BUFFER_PKG_SV
package ta_buffer_pkg;

  // Encodings, as decoded instructions have them.
  localparam logic [4:0] kMubuf = 5'd12;
  localparam logic [4:0] kMtbuf = 5'd13;

  // What an instruction does.
  localparam logic [1:0] kLoad = 2'd0;
  localparam logic [1:0] kStore = 2'd1;
  localparam logic [1:0] kAtomic = 2'd2;
  localparam logic [1:0] kInvalidate = 2'd3;

  localparam logic [4:0] kNoAtomic = 5'd17;

  // Why an instruction cannot be executed.
  localparam logic [3:0] kExecuted = 4'd0;
  localparam logic [3:0] kNoBufferInstruction = 4'd1;
  localparam logic [3:0] kReservedFormat = 4'd2;
  localparam logic [3:0] kFloatFormat = 4'd3;
  localparam logic [3:0] kLoadOnlyFormat = 4'd4;
  localparam logic [3:0] kResourceType = 4'd5;
  localparam logic [3:0] kAddr64WithVgprOffset = 4'd6;
  localparam logic [3:0] kLdsBit = 4'd7;
  localparam logic [3:0] kNarrowSwizzle = 4'd8;
  localparam logic [3:0] kReservedSelect = 4'd9;

  // BUF_NUM_FORMAT, those that matter here.
  localparam logic [2:0] kUscaled = 3'd2;
  localparam logic [2:0] kSscaled = 3'd3;
  localparam logic [2:0] kSnormOgl = 3'd6;
  localparam logic [2:0] kFloat = 3'd7;

  // DST_SEL with every component in its place.
  localparam logic [11:0] kIdentity = {3'd7, 3'd6, 3'd5, 3'd4};

  // Of an opcode.
  typedef struct packed {
    logic       known;
    logic [1:0] kind;
    logic [4:0] atomic;
    logic [4:0] bytes;        // of an element; of typed accesses the format says
    logic [2:0] dwords;       // registers of a lane that are loaded or stored
    logic [2:0] data_dwords;  // registers of a lane that are read
    logic       sign_extend;
    logic       typed;
  } opcode_t;

  // The resource descriptor, SQ_BUF_RSRC_WORD0 to 3; the lane stands at the bits of the words.
  typedef struct packed {
    logic [1:0]  kind;          // TYPE, 0: buffer
    logic [5:0]  unused_high;   // HASH_ENABLE, HEAP and others without effect
    logic        add_tid;       // the lane's number is added to the index
    logic [1:0]  index_stride;  // 8, 16, 32, 64 records
    logic [1:0]  element_size;  // 2, 4, 8, 16 bytes
    logic [3:0]  dfmt;
    logic [2:0]  nfmt;
    logic [11:0] dst_sel;
    logic [31:0] num_records;   // bytes when the stride is 0
    logic        swizzle;
    logic        unused_middle; // CACHE_SWIZZLE
    logic [13:0] stride;        // bytes
    logic [47:0] base;          // byte address
  } resource_t;

  // What the lanes of an instruction have in common.
  typedef struct packed {
    logic        addr64;
    logic        raw;           // STRIDE 0 without swizzling: the index does not matter
    logic        swizzle;
    logic        idxen;
    logic        offen;
    logic        add_tid;
    logic        whole;         // in or out of range as a whole, not by dword
    logic [11:0] offset;
    logic [48:0] base;          // BASE + SOFFSET
    logic [31:0] soffset;
    logic [31:0] num_records;
    logic [13:0] stride;
    logic [2:0]  element_log;   // of the element size, 1 to 4
    logic [2:0]  index_log;     // of the index stride, 3 to 6
    logic [1:0]  align;         // low bits that the address does not have
    logic [2:0]  count;         // dwords of an access, the last perhaps not whole; 0: none
    logic [4:0]  last;          // byte of a whole access that the range check inspects
  } common_t;

  // Bytes of an element of a data format; 0: it is none.
  function automatic logic [4:0] format_bytes(input logic [3:0] dfmt);
    case (dfmt)
      4'd1:                                  format_bytes = 5'd1;  // 8
      4'd2, 4'd3:                            format_bytes = 5'd2;  // 16, 8_8
      4'd4, 4'd5, 4'd6, 4'd7, 4'd8, 4'd9, 4'd10: format_bytes = 5'd4;
      4'd11, 4'd12:                          format_bytes = 5'd8;  // 32_32, 16_16_16_16
      4'd13:                                 format_bytes = 5'd12; // 32_32_32
      4'd14:                                 format_bytes = 5'd16; // 32_32_32_32
      default:                               format_bytes = 5'd0;
    endcase
  endfunction

  // Floats have 32 or 16 bits, or 11 and 10.
  function automatic logic has_floats(input logic [3:0] dfmt);
    case (dfmt)
      4'd1, 4'd3, 4'd8, 4'd9, 4'd10: has_floats = 1'b0;
      default:                       has_floats = 1'b1;
    endcase
  endfunction

  function automatic logic reserved_select(input logic [11:0] dst_sel);
    reserved_select = ((dst_sel >> 1) & ~(dst_sel >> 2) & 12'h249) != 12'd0;  // 2 or 3
  endfunction

endpackage
`endif
