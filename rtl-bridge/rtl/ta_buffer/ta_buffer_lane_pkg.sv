// SPDX-License-Identifier: Apache-2.0
// Addresses of one lane of a buffer instruction, and which of its dwords are in range.
//
//   index   (IDXEN ? VADDR : 0) + (ADD_TID ? lane : 0)
//   at      (OFFEN ? VADDR, after an index the next register : 0) + offset + 4 * dword, 32 bits
//   linear    BASE + SOFFSET + (index * STRIDE, 32 bits of it) + at
//   swizzled  records of a group of index stride lie interleaved in pieces of the element size
//   ADDR64    BASE + SOFFSET + offset + VADDR and the next register, 48 bits of it
// To a raw buffer, whose stride is 0, the index does not matter, and a dword at which `at` has wrapped
// is out of range.
`ifndef TA_BUFFER_LANE_PKG_SV
`define TA_BUFFER_LANE_PKG_SV
`include "ta_buffer_pkg.sv"

package ta_buffer_lane_pkg;
  import ta_buffer_pkg::*;

  typedef struct packed {
    logic [3:0]   in_range; // dwords, of those there are
    logic [195:0] address;  // of each dword, 49 bits: no sum is larger
    logic         apart;    // they do not lie beside each other
  } lane_t;

  function automatic lane_t lane_of(input common_t common, input logic [5:0] lane, input logic [31:0] vaddr,
                                    input logic [31:0] vaddr_next);
    integer      k;
    logic [31:0] index, register_offset, offset;
    logic [2:0]  element_log, index_log;
    logic [31:0] group, element_mask;
    logic [5:0]  member;
    logic [45:0] record;
    logic [47:0] wide;
    logic [48:0] mask, first;
    logic        checked, record_in, reached;
    logic [31:0] at, piece, rest;
    logic [48:0] swizzled, linear, here, beside;
    logic [33:0] raw_end, at_end;
    logic [3:0]   in_range;
    logic [195:0] address;
    logic         apart;
    index           = (common.idxen ? vaddr : 32'd0) + (common.add_tid ? {26'd0, lane} : 32'd0);
    register_offset = !common.offen ? 32'd0 : common.idxen ? vaddr_next : vaddr;
    offset          = register_offset + {20'd0, common.offset};

    // Swizzling: the records of a group, a piece of each after the other.
    element_log  = common.element_log;
    index_log    = common.index_log;
    group        = index >> index_log;
    member       = index[5:0] & ~(6'h3f << index_log);
    element_mask = {28'd0, ~(4'hf << element_log)};
    record       = {14'd0, common.swizzle ? group : index} * {32'd0, common.stride};

    wide      = common.base[47:0] + {36'd0, common.offset} + {vaddr_next[15:0], vaddr};
    mask      = {47'h7fffffffffff, ~common.align};
    checked   = common.idxen || common.add_tid;
    record_in = index < common.num_records;
    first     = 49'd0;
    in_range  = 4'd0;
    address   = 196'd0;
    apart     = 1'b0;
    for (k = 0; k < 4; k = k + 1) begin
      at       = offset + {28'd0, k[1:0], 2'd0};
      piece    = at & ~element_mask;
      rest     = at & element_mask;
      swizzled = (({3'd0, record} + {17'd0, piece}) << index_log) + ({43'd0, member} << element_log) + {17'd0, rest};
      linear   = {17'd0, record[31:0]} + {17'd0, at};
      here     = (common.base + (common.swizzle ? swizzled : linear)) & mask;
      if (k == 0) first = common.addr64 ? {1'b0, wide} & mask : here;
      beside   = first + {45'd0, k[1:0], 2'd0};
      if (common.addr64) here = beside;
      address[49*k+:49] = here;

      // Of raw buffers whole accesses are checked to their last byte.
      raw_end  = {2'd0, common.soffset} + {2'd0, offset} + (common.whole ? {29'd0, common.last} : {30'd0, k[1:0], 2'd0});
      at_end   = {2'd0, common.soffset} + {2'd0, at};
      reached  = common.addr64          ? 1'b1
               : common.raw             ? raw_end < {2'd0, common.num_records}
               : common.stride == 14'd0 ? at_end < {2'd0, common.num_records}
                                        : !checked || (record_in && at < {18'd0, common.stride});
      in_range[k] = k[2:0] < common.count && reached;
      if (k[2:0] < common.count && here != beside) apart = 1'b1;
    end
    lane_of = {in_range, address, apart};
  endfunction

endpackage

`endif
