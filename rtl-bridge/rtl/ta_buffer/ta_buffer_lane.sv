// SPDX-License-Identifier: Apache-2.0
// Addresses of one lane of a buffer instruction, and which of its dwords are in range.
//
//   index   (IDXEN ? VADDR : 0) + (ADD_TID ? lane : 0)
//   at      (OFFEN ? VADDR, behind an index the next register : 0) + offset + 4 * dword, 32 bits
//   linear    BASE + SOFFSET + (index * STRIDE, 32 bits of it) + at
//   swizzled  records of a group of index stride lie interleaved in pieces of the element size
//   ADDR64    BASE + SOFFSET + offset + VADDR and the next register, 48 bits of it
// To a raw buffer, whose stride is 0, the index does not matter, and a dword at which `at` has wrapped
// is out of range.
`include "ta_buffer_pkg.sv"

module ta_buffer_lane
  import ta_buffer_pkg::*;
(
  input  common_t      common,
  input  logic [5:0]   lane,
  input  logic [31:0]  vaddr,
  input  logic [31:0]  vaddr_next,
  output logic [3:0]   in_range, // dwords, of those there are
  output logic [195:0] address,  // of each dword, 49 bits: no sum is larger
  output logic         apart     // they do not lie beside each other
);

  logic [31:0] index, register_offset, offset;
  assign index           = (common.idxen ? vaddr : 32'd0) + (common.add_tid ? {26'd0, lane} : 32'd0);
  assign register_offset = !common.offen ? 32'd0 : common.idxen ? vaddr_next : vaddr;
  assign offset          = register_offset + {20'd0, common.offset};

  // ---- swizzling: the records of a group, a piece of each behind the other
  logic [2:0]  element_log, index_log;
  logic [31:0] group, element_mask;
  logic [5:0]  member;
  logic [45:0] record;
  assign element_log  = common.element_log;
  assign index_log    = common.index_log;
  assign group        = index >> index_log;
  assign member       = index[5:0] & ~(6'h3f << index_log);
  assign element_mask = {28'd0, ~(4'hf << element_log)};
  assign record       = {14'd0, common.swizzle ? group : index} * {32'd0, common.stride};

  // ---- the first address
  logic [47:0] wide;
  logic [48:0] mask;
  assign wide  = common.base[47:0] + {36'd0, common.offset} + {vaddr_next[15:0], vaddr};
  assign mask  = {47'h7fffffffffff, ~common.align};

  logic        checked, record_in;
  logic [2:0]  count;
  assign checked   = common.idxen || common.add_tid;
  assign record_in = index < common.num_records;
  assign count     = common.count;

  logic [3:0]  moved;
  logic [48:0] first;  // address
  assign address[48:0] = first;
  genvar k;
  generate
    for (k = 0; k < 4; k = k + 1) begin : g_dword
      logic [31:0] at, piece, rest;
      logic [48:0] swizzled, linear, here, beside;
      logic [33:0] raw_end, at_end;
      logic        reached;
      assign at       = offset + 32'd4 * k;
      assign piece    = at & ~element_mask;
      assign rest     = at & element_mask;
      assign swizzled = (({3'd0, record} + {17'd0, piece}) << index_log) + ({43'd0, member} << element_log) + {17'd0, rest};
      assign linear   = {17'd0, record[31:0]} + {17'd0, at};
      assign beside   = first + 49'd4 * k;
      assign here     = (common.base + (common.swizzle ? swizzled : linear)) & mask;
      if (k == 0) begin : g_first
        assign first = common.addr64 ? {1'b0, wide} & mask : here;
      end else begin : g_next
        assign address[49*k+:49] = common.addr64 ? beside : here;
      end

      // Of raw buffers whole accesses are checked to their last byte.
      assign raw_end      = {2'd0, common.soffset} + {2'd0, offset} + (common.whole ? {29'd0, common.last} : 34'd4 * k);
      assign at_end       = {2'd0, common.soffset} + {2'd0, at};
      assign reached      = common.addr64          ? 1'b1
                          : common.raw             ? raw_end < {2'd0, common.num_records}
                          : common.stride == 14'd0 ? at_end < {2'd0, common.num_records}
                                                   : !checked || (record_in && at < {18'd0, common.stride});
      assign in_range[k]  = k < count && reached;
      assign moved[k]     = k < count && address[49*k+:49] != beside;
    end
  endgenerate
  assign apart = moved != 4'd0;

endmodule
