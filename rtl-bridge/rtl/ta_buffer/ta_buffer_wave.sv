// SPDX-License-Identifier: Apache-2.0
// Buffer addressing of a wave, combinational: what ta_buffer has after its register.
`include "ta_buffer_lane_pkg.sv"
`include "ta_buffer_pkg.sv"

module ta_buffer_wave
  import ta_buffer_pkg::*;
  import ta_buffer_lane_pkg::*;
(
  // the instruction
  input  logic [4:0]     format,
  input  logic [8:0]     op,
  input  logic           offen,
  input  logic           idxen,
  input  logic           addr64,
  input  logic           glc,
  input  logic           slc,
  input  logic           tfe,
  input  logic           lds,
  input  logic [11:0]    offset,
  input  logic           offset_in_lds,  // of a load to LDS
  input  logic [3:0]     inst_dfmt,
  input  logic [2:0]     inst_nfmt,
  // what it reads
  input  logic [127:0]   resource,
  input  logic [31:0]    soffset,
  input  logic [15:0]    m0,
  input  logic [31:0]    lds_base,
  input  logic [31:0]    lds_size,
  input  logic [63:0]    exec,
  input  logic [2047:0]  vaddr,       // [32 lane]
  input  logic [2047:0]  vaddr_next,  // the register behind VADDR
  // what is to be done; all zero but `unsupported` when that is not
  output logic [3:0]     unsupported,
  output logic [1:0]     kind,
  output logic [4:0]     atomic,
  output logic [4:0]     bytes,
  output logic [2:0]     dwords,
  output logic [2:0]     data_dwords,
  output logic           sign_extend,
  output logic           returns,
  output logic           out_glc,
  output logic           out_slc,
  output logic           contiguous,
  output logic           to_lds,
  output logic           status,
  output logic           typed,
  output logic [3:0]     dfmt,
  output logic [2:0]     nfmt,
  output logic [11:0]    dst_sel,
  output logic [63:0]    lanes,
  output logic [63:0]    zero_lanes,
  output logic [31:0]    lds_addr,
  output logic [63:0]    lds_lanes,
  output logic [255:0]   dword_lanes, // [64 dword + lane]
  output logic [16383:0] addr         // [64 (64 dword + lane)]
);

  // ---- common
  opcode_t     code;
  common_t     common;
  logic        addressed, dropped, supported, code_returns, code_to_lds, code_status;
  logic [4:0]  code_bytes;
  logic [3:0]  code_dfmt;
  logic [2:0]  code_nfmt;
  logic [11:0] code_dst_sel;
  ta_buffer_common shared (.format(format), .op(op), .offen(offen), .idxen(idxen), .addr64(addr64), .glc(glc), .tfe(tfe), .lds(lds),
                           .offset(offset), .inst_dfmt(inst_dfmt), .inst_nfmt(inst_nfmt), .words(resource), .soffset(soffset),
                           .code(code), .unsupported(unsupported), .addressed(addressed), .dropped(dropped), .bytes(code_bytes),
                           .returns(code_returns), .to_lds(code_to_lds), .status(code_status), .dfmt(code_dfmt), .nfmt(code_nfmt),
                           .dst_sel(code_dst_sel), .common(common));
  logic unused_bits; // known, bytes
  assign supported   = unsupported == kExecuted;
  assign unused_bits = ^{code.known, code.bytes};

  // ---- lanes
  logic [255:0]   in_range;  // [64 dword + lane]
  logic [63:0]    apart;
  logic [12543:0] place;
  always_comb begin : each_lane
    integer l, k;
    lane_t  one;
    logic [3:0]   reached;
    logic [195:0] address;
    reached  = 4'd0;
    address  = 196'd0;
    in_range = 256'd0;
    place    = 12544'd0;
    apart    = 64'd0;
    one      = '0;
    if (addressed) for (l = 0; l < 64; l = l + 1) begin
      one      = lane_of(common, l[5:0], vaddr[32*l+:32], vaddr_next[32*l+:32]);
      apart[l] = one.apart;
      reached  = one.in_range;
      address  = one.address;
      for (k = 0; k < 4; k = k + 1) begin
        in_range[64*k+l]       = reached[k];
        place[49*(64*k+l)+:49] = address[49*k+:49];
      end
    end
  end

  // ---- lanes in range: with all of their dwords, with any
  logic [63:0] all, some;
  always_comb begin : reach
    integer n;
    all  = {64{addressed}};
    some = 64'd0;
    for (n = 0; n < 4; n = n + 1) begin
      if (n < common.count) all = all & in_range[64*n+:64];
      some = some | in_range[64*n+:64];
    end
  end
  assign lanes      = (common.whole ? all : some) & exec;
  assign zero_lanes = ((addressed || dropped) && supported && code.kind != kStore) ? exec & ~lanes : 64'd0;

  // Whether dwords lie apart is looked at in every lane, active or not. Of raw buffers a lane that
  // reaches over the end parts the dwords of all.
  logic parted;
  assign parted     = common.raw ? (~all & exec) != 64'd0 && common.count > 3'd1
                                 : ((all ^ some) & exec) != 64'd0;
  assign contiguous = supported && !(addressed && ((!common.raw && apart != 64'd0) || (!common.whole && parted)));

  genvar d;
  generate
    for (d = 0; d < 4; d = d + 1) begin : g_reach
      assign dword_lanes[64*d+:64] = d >= common.count ? 64'd0 : common.whole ? lanes : in_range[64*d+:64] & exec;
    end
  endgenerate
  always_comb begin : addresses
    integer i;
    for (i = 0; i < 256; i = i + 1) addr[64*i+:64] = dword_lanes[i] ? {15'd0, place[49*i+:49]} : 64'd0;
  end

  // ---- loads to LDS: a dword for each lane, inside the part of the wave's group
  genvar n;
  logic [63:0] in_part;
  logic [33:0] part_end;
  assign part_end = {2'd0, lds_base} + {2'd0, lds_size};
  assign lds_addr = to_lds ? lds_base + {16'd0, m0} + {20'd0, offset_in_lds ? offset : 12'd0} : 32'd0;
  generate
    for (n = 0; n < 64; n = n + 1) begin : g_lds
      logic [33:0] first;
      assign first      = {2'd0, lds_addr} + 34'd4 * n;
      assign in_part[n] = first >= {2'd0, lds_base} && first + 34'd4 <= part_end;
    end
  endgenerate
  assign lds_lanes = to_lds ? (lanes | zero_lanes) & in_part : 64'd0;

  // ---- the instruction
  assign kind        = supported ? code.kind : 2'd0;
  assign atomic      = supported ? code.atomic : 5'd0;
  assign bytes       = supported ? code_bytes : 5'd0;
  assign dwords      = supported ? code.dwords : 3'd0;
  assign data_dwords = supported ? code.data_dwords : 3'd0;
  assign sign_extend = supported && code.sign_extend;
  assign returns     = supported && code_returns;
  assign out_glc     = supported && glc;
  assign out_slc     = supported && slc;
  assign to_lds      = supported && code_to_lds;
  assign status      = supported && code_status;
  assign typed       = supported && code.typed;
  assign dfmt        = supported ? code_dfmt : 4'd0;
  assign nfmt        = supported ? code_nfmt : 3'd0;
  assign dst_sel     = supported ? code_dst_sel : 12'd0;

endmodule
