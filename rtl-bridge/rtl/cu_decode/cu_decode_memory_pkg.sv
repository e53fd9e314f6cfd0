// SPDX-License-Identifier: Apache-2.0
// DS, MUBUF, MTBUF, MIMG and EXP. `d` is what a legal instruction decodes to, but for its format
// and length. Both outputs are zero in other encodings.
`ifndef CU_DECODE_MEMORY_PKG_SV
`define CU_DECODE_MEMORY_PKG_SV
`include "cu_decode_ops_pkg.sv"

/* verilator lint_off UNUSEDSIGNAL */  // functions take whole words and structures
package cu_decode_memory_pkg;
  import cu_decode_pkg::*;
  import cu_decode_ops_pkg::*;

  // ---- data share
  // Bits 4:0 of an opcode tell the operation; above 31 the old value returns, above 63 elements are
  // of 64 bits, above 127 the operand comes from memory.
  localparam logic [4:0] kMskOr = 5'd12;
  localparam logic [4:0] kWrite = 5'd13;
  localparam logic [4:0] kCmpSwap = 5'd16;
  localparam logic [4:0] kLastAtomic = 5'd19;
  localparam logic [7:0] kSwizzle = 8'd53;
  localparam logic [7:0] kConsume = 8'd61;
  localparam logic [7:0] kOrderedCount = 8'd63;

  typedef struct packed {
    logic       known;
    logic       gds_only;
    logic       pair;                // two elements
    logic       wide;                // of 64 bits
    logic [2:0] dst;                 // dwords
    logic [1:0] addr, data0, data1;
  } share_t;

  // An access of a plain kind, whose numbers begin again in each group of 32.
  function automatic share_t share_update(input logic [7:0] n);
    logic [4:0] kind;
    kind                = n[4:0];
    share_update        = '0;
    share_update.known  = kind <= kLastAtomic;
    share_update.wide   = n[6];
    share_update.pair   = kind == kWrite + 5'd1 || kind == kWrite + 5'd2;
    share_update.addr   = 2'd1;
    share_update.data0  = width(n[6]);
    if (kind == kMskOr || share_update.pair || kind == kCmpSwap || kind == kCmpSwap + 5'd1)
      share_update.data1 = width(n[6]);
    if (n[5]) share_update.dst = share_update.pair ? {width(n[6]), 1'b0} : {1'b0, width(n[6])};
  endfunction

  function automatic share_t share_read(input logic [7:0] n);
    share_read       = '0;
    share_read.known = 1'b1;
    share_read.wide  = n[6];
    share_read.pair  = n[4:0] == 5'd23 || n[4:0] == 5'd24;
    share_read.addr  = (n == kConsume || n == kConsume + 8'd1) ? 2'd0 : 2'd1;  // and append
    share_read.dst   = share_read.pair ? {width(n[6]), 1'b0} : {1'b0, width(n[6])};
    share_read.gds_only = n == kOrderedCount;
  endfunction

  function automatic share_t share_op(input logic [7:0] n);
    share_op = '0;
    if (n[7]) begin  // update and write from memory
      share_op.known = !n[5] && (n[4:0] <= 5'd11 || n[4:0] == kWrite || n[4:0] == 5'd18 || n[4:0] == kLastAtomic);
      share_op.wide  = n[6];
      share_op.addr  = 2'd1;
    end else if (n[4:0] <= kLastAtomic) begin
      share_op = share_update(n);
    end else if ((n >= kSwizzle && n <= kOrderedCount) || (n >= 8'd118 && n <= 8'd120)) begin
      share_op = share_read(n);
    end else if (n >= 8'd25 && n <= 8'd29) begin  // global wave sync: data stand in ADDR
      share_op.known    = 1'b1;
      share_op.gds_only = 1'b1;
      share_op.addr     = n[0] ? 2'd1 : 2'd0;
    end else if (n == 8'd30 || n == 8'd31) begin  // writes of 8 and 16 bits
      share_op.known = 1'b1;
      share_op.addr  = 2'd1;
      share_op.data0 = 2'd1;
    end
    if (!share_op.known) share_op = '0;
  endfunction

  function automatic decoded_t data_share(input logic [25:0] word, input logic [31:0] more, input share_t o);
    logic [3:0] operands;
    data_share        = '0;
    data_share.op     = {1'b0, word[25:18]};
    data_share.rate   = kRateOther;
    data_share.gds    = word[17];
    // The permutation of lanes touches neither memory.
    data_share.cls    = (o.gds_only || (word[17] && word[25:18] != kSwizzle)) ? kClassGds : kClassLds;
    data_share.action = data_share.cls == kClassGds ? kGds : kLds;
    data_share.offset = word[15:0];
    data_share.vaddr  = more[7:0];
    data_share.data0  = more[15:8];
    data_share.data1  = more[23:16];
    data_share.vdst   = more[31:24];
    data_share.vgprs_used =
        most_vgprs(most_vgprs(vgprs_to(more[7:0], {1'b0, o.addr}), vgprs_to(more[15:8], {1'b0, o.data0})),
                   most_vgprs(vgprs_to(more[23:16], {1'b0, o.data1}), vgprs_to(more[31:24], o.dst)));
    if (data_share.action == kLds) begin
      operands                = {2'd0, o.addr} + {2'd0, o.data0} + {2'd0, o.data1};
      data_share.lds_operands = operands != 4'd0 ? operands : 4'd1;
      data_share.lds_dwords   = o.pair ? {width(o.wide), 1'b0} : {1'b0, width(o.wide)};
    end
  endfunction

  // ---- buffers
  typedef struct packed {
    logic       known;
    logic       store;
    logic       atomic;
    logic       compare;     // atomic: compare and swap
    logic       invalidate;  // of the vector L1, without an access
    logic [2:0] data;        // dwords; of a compare and swap both operands
    logic       wide;        // a load of more than one
  } buffer_t;

  // Loads and stores with conversion, of one to four components: all that MTBUF has.
  function automatic buffer_t formatted_op(input logic [2:0] n);
    formatted_op       = '0;
    formatted_op.known = 1'b1;
    formatted_op.store = n[2];
    formatted_op.data  = {1'b0, n[1:0]} + 3'd1;
    formatted_op.wide  = !n[2] && n[1:0] != 2'd0;
  endfunction

  function automatic buffer_t buffer_op(input logic [6:0] n);
    logic [4:0] kind;  // of an atomic: swap, compare and swap, add, ...
    buffer_op = '0;
    kind      = {!n[4], n[3:0]};
    if (n <= 7'd7) begin
      buffer_op = formatted_op(n[2:0]);
    end else if (n <= 7'd14) begin  // bytes, halves, 1, 2, 4 dwords
      buffer_op.known = 1'b1;
      buffer_op.data  = n == 7'd14 ? 3'd4 : n == 7'd13 ? 3'd2 : 3'd1;
      buffer_op.wide  = n >= 7'd13;
    end else if (n >= 7'd24 && n <= 7'd30) begin
      buffer_op.known = n != 7'd25 && n != 7'd27;
      buffer_op.store = 1'b1;
      buffer_op.data  = n == 7'd30 ? 3'd4 : n == 7'd29 ? 3'd2 : 3'd1;
    end else if ((n >= 7'd48 && n <= 7'd64) || (n >= 7'd80 && n <= 7'd96)) begin
      buffer_op.known   = 1'b1;
      buffer_op.atomic  = 1'b1;
      buffer_op.compare = kind == 5'd1 || kind == 5'd14;
      buffer_op.data    = {1'b0, width(n >= 7'd80)} << buffer_op.compare;
    end else if (n == 7'd112 || n == 7'd113) begin
      buffer_op.known      = 1'b1;
      buffer_op.invalidate = 1'b1;
    end
  endfunction

  function automatic logic [2:0] access_cost(input logic store, input logic atomic, input logic compare,
                                             input logic wide);
    access_cost = store ? kCostStore : atomic ? (compare ? kCostCompareSwap : kCostAtomic)
                                              : wide ? kCostWideLoad : kCostLoad;
  endfunction

  function automatic logic [6:0] buffer_sgprs(input logic [31:0] more);
    buffer_sgprs = most_sgprs(sgprs_to({1'b0, more[20:16], 2'd0}, 5'd4), sgprs_to(more[31:24], 5'd1));
  endfunction

  // Two address registers for an index and an offset, or 64 bits; data do not come to registers on
  // the way to LDS, and the status of TFE after those of a load.
  function automatic logic [8:0] buffer_vgprs(input logic [15:12] word, input logic [31:0] more, input logic to_lds,
                                              input buffer_t o);
    logic [2:0] address, data;
    address = (word[15] || (word[13] && word[12])) ? 3'd2 : {2'd0, word[13] || word[12]};
    data    = o.data + {2'd0, more[23] && !o.store};
    buffer_vgprs = most_vgprs(vgprs_to(more[7:0], address), to_lds ? 9'd0 : vgprs_to(more[15:8], data));
  endfunction

  function automatic decoded_t buffer(input logic typed, input logic [25:0] word, input logic [31:0] more,
                                      input buffer_t o);
    logic to_lds;
    to_lds        = !typed && word[16];
    buffer        = '0;
    buffer.op     = typed ? {6'd0, word[18:16]} : {2'd0, word[24:18]};
    buffer.cls    = kClassVmem;
    buffer.rate   = kRateOther;
    // The path to LDS moves one dword of a lane, has no status and no way back.
    buffer.action = (to_lds && !o.invalidate && (o.store || o.atomic || o.wide || more[23])) ? kUnimplemented
                                                                                              : kVectorMem;
    buffer.lds    = to_lds;
    if (typed) {buffer.nfmt, buffer.dfmt} = word[25:19];
    {buffer.addr64, buffer.glc, buffer.idxen, buffer.offen} = word[15:12];
    buffer.offset = {4'd0, word[11:0]};
    buffer.vaddr  = more[7:0];
    buffer.vdst   = more[15:8];
    buffer.srsrc  = {more[20:16], 2'd0};
    buffer.slc    = more[22];
    buffer.tfe    = more[23];
    if (!o.invalidate) begin
      buffer.soffset    = {1'b0, more[31:24]};
      buffer.sgprs_used = buffer_sgprs(more);
      buffer.vgprs_used = buffer_vgprs(word[15:12], more, to_lds, o);
    end
    if (buffer.action == kVectorMem) buffer.vmem_cost = access_cost(o.store, o.atomic, o.compare, o.wide);
  endfunction

  function automatic logic buffer_legal(input logic [31:16] more, input buffer_t o);
    buffer_legal = o.known
                && (o.invalidate || (more[31:24] != kLiteral[7:0] && source_ok(more[31:24], 5'd1)
                                     && range_ok({1'b0, more[20:16], 2'd0}, 5'd4)));
  endfunction

  // ---- images
  typedef struct packed {
    logic       known;
    logic       store;
    logic       atomic;
    logic       compare;
    logic       sampler;
    logic       gather;   // four texels, regardless of DMASK
    logic [2:0] address;  // least number of address registers
  } image_t;

  // Address registers of a sample besides those of C and O: one, and one for each of LOD, bias and
  // clamp, two for derivatives.
  function automatic logic [2:0] sample_address(input logic [2:0] n);
    case (n)
      3'd0, 3'd7: sample_address = 3'd1;
      3'd1, 3'd4, 3'd5: sample_address = 3'd2;
      3'd2, 3'd6: sample_address = 3'd3;
      default: sample_address = 3'd4;
    endcase
  endfunction

  function automatic image_t image_op(input logic [6:0] n);
    image_op = '0;
    if (n <= 7'd5) begin  // load; with a mip level
      image_op.known   = 1'b1;
      image_op.address = (n == 7'd1 || n >= 7'd4) ? 3'd2 : 3'd1;
    end else if (n >= 7'd8 && n <= 7'd11) begin
      image_op.known   = 1'b1;
      image_op.store   = 1'b1;
      image_op.address = {1'b0, width(n[0])};
    end else if (n == 7'd14) begin  // image_get_resinfo
      image_op.known   = 1'b1;
      image_op.address = 3'd1;
    end else if (n >= 7'd15 && n <= 7'd31) begin
      image_op.known   = 1'b1;
      image_op.atomic  = 1'b1;
      image_op.compare = n == 7'd16 || n == 7'd29;
      image_op.address = 3'd1;
    end else if (n >= 7'd32 && n <= 7'd95) begin
      image_op.gather  = n[6];
      image_op.known   = !(n[6] && n[2:1] == 2'b01);  // no gather with derivatives
      image_op.sampler = 1'b1;
      image_op.address = sample_address(n[2:0]) + {2'd0, n[6]} + {2'd0, n[3]} + {2'd0, n[4]};
    end else if (n == 7'd96) begin  // image_get_lod
      image_op.known   = 1'b1;
      image_op.sampler = 1'b1;
      image_op.address = 3'd1;
    end else if (n >= 7'd104) begin  // coarse derivatives
      image_op.known   = n <= 7'd111;
      image_op.sampler = 1'b1;
      image_op.address = 3'd3 + {2'd0, n[0]} + {2'd0, n[1]} + {2'd0, n[2]};
    end
  endfunction

  // Data registers: a component each, one at least, and the status of TFE.
  function automatic logic [2:0] image_data(input logic [16:8] word, input image_t o);
    logic [2:0] count;
    count      = {2'd0, word[8]} + {2'd0, word[9]} + {2'd0, word[10]} + {2'd0, word[11]};
    if (o.gather) count = 3'd4;
    if (count == 3'd0) count = 3'd1;
    image_data = count + {2'd0, word[16] && !o.store};
  endfunction

  function automatic logic [4:0] resource_dwords(input logic r128);
    resource_dwords = r128 ? 5'd4 : 5'd8;
  endfunction

  function automatic decoded_t image(input logic [25:0] word, input logic [25:0] more, input image_t o);
    logic [2:0] data;
    data             = image_data(word[16:8], o);
    image            = '0;
    image.op         = {2'd0, word[24:18]};
    image.cls        = kClassVmem;
    image.rate       = kRateOther;
    image.action     = kVectorMem;
    image.slc        = word[25];
    {image.lwe, image.tfe, image.r128, image.da, image.glc, image.unorm, image.dmask} = word[17:8];
    image.vaddr      = more[7:0];
    image.vdst       = more[15:8];
    image.srsrc      = {more[20:16], 2'd0};
    image.ssamp      = o.sampler ? {more[25:21], 2'd0} : 7'd0;
    image.vgprs_used = most_vgprs(vgprs_to(more[7:0], o.address), vgprs_to(more[15:8], data));
    image.sgprs_used = sgprs_to({1'b0, image.srsrc}, resource_dwords(word[15]));
    if (o.sampler) image.sgprs_used = most_sgprs(image.sgprs_used, sgprs_to({1'b0, image.ssamp}, 5'd4));
    image.vmem_cost  = access_cost(o.store, o.atomic, o.compare, data > 3'd1);
  endfunction

  function automatic logic image_legal(input logic r128, input logic [25:16] more, input image_t o);
    image_legal = o.known && range_ok({1'b0, more[20:16], 2'd0}, resource_dwords(r128))
               && (!o.sampler || range_ok({1'b0, more[25:21], 2'd0}, 5'd4));
  endfunction

  // ---- exports
  function automatic logic [8:0] exported(input logic enabled, input logic [7:0] register_number);
    exported = vgprs_to(register_number, {2'd0, enabled});
  endfunction

  function automatic decoded_t export_op(input logic [12:0] word, input logic [31:0] more);
    logic [3:0] en;  // registers read; compressed: two components stand in each
    en                   = word[10] ? {2'b00, |word[3:2], |word[1:0]} : word[3:0];
    export_op            = '0;
    export_op.cls        = kClassExport;
    export_op.rate       = kRateOther;
    export_op.action     = kExport;
    export_op.src0       = {1'b1, more[7:0]};
    export_op.src1       = {1'b1, more[15:8]};
    export_op.src2       = {1'b1, more[23:16]};
    export_op.data1      = more[31:24];
    export_op.exp_target = word[9:4];
    export_op.exp_en     = word[3:0];
    {export_op.exp_vm, export_op.exp_done, export_op.exp_compr} = word[12:10];
    export_op.vgprs_used = most_vgprs(most_vgprs(exported(en[0], more[7:0]), exported(en[1], more[15:8])),
                                      most_vgprs(exported(en[2], more[23:16]), exported(en[3], more[31:24])));
  endfunction

  // Colours 0 to 7, depth 8, null 9, positions from 12, parameters from 32.
  function automatic logic export_legal(input logic [9:4] target);
    export_legal = target[9] || target[9:4] <= 6'd9 || target[9:6] == 4'd3;
  endfunction

  // ---- by encoding
  function automatic decoded_t memory_instruction(input logic [4:0] enc, input logic [25:0] word, input logic [31:0] more);
    case (enc)
      kDs:     memory_instruction = data_share(word, more, share_op(word[25:18]));
      kMubuf:  memory_instruction = buffer(1'b0, word, more, buffer_op(word[24:18]));
      kMtbuf:  memory_instruction = buffer(1'b1, word, more, formatted_op(word[18:16]));
      kMimg:   memory_instruction = image(word, more[25:0], image_op(word[24:18]));
      default: memory_instruction = export_op(word[12:0], more);
    endcase
  endfunction
  function automatic logic memory_legal(input logic [4:0] enc, input logic [25:0] word, input logic [31:0] more);
    share_t share;
    share = share_op(word[25:18]);
    case (enc)
      kDs:     memory_legal = share.known;
      kMubuf:  memory_legal = buffer_legal(more[31:16], buffer_op(word[24:18]));
      kMtbuf:  memory_legal = buffer_legal(more[31:16], formatted_op(word[18:16]));
      kMimg:   memory_legal = image_legal(word[15], more[25:16], image_op(word[24:18]));
      kExp:    memory_legal = export_legal(word[9:4]);
      default: memory_legal = 1'b0;
    endcase
  endfunction

endpackage
/* verilator lint_on UNUSEDSIGNAL */

`endif
