// SPDX-License-Identifier: Apache-2.0
// The vector memory instruction that issues: addresses of its lanes, and the data of a store or atomic
// as they go to memory. Of buffers they are made here, of images by the model.
`include "cu_image_model_pkg.sv"
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"

// Vectors of whole registers. Some members of the instruction and of the wave have no reader here, nor
// have outputs of the parts.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off WIDTHCONCAT */
/* verilator lint_off PINCONNECTEMPTY */
module cu_addresses
  import cu_decode_pkg::*;
  import cu_image_model_pkg::*;
  import cu_model_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;
(
  input  spec_t          spec,
  input  logic [1:0]     turn,            // SIMD that issues
  input  logic [4:0]     issued,          // an instruction issues, its slot
  input  slot_entries_t  entries,
  input  waves_t         waves,
  input  slot_scalars_t  scalars,
  input  vgprs_t         vgprs,
  input  returned_t      returned,
  input  returned_rows_t returned_rows,
  input  tiling_t        tiling,
  output logic [2:0]     refused,         // why the unit stops; 0: it does not
  output image_issue_t   image_issue,
  output vmem_op_t       operation,
  output logic [16383:0] addresses,       // four of a lane
  output logic [8191:0]  values           // four dwords of a lane
);

`include "cu_rows.sv"

  entry_t        e;
  decoded_t      d;
  logic [5:0]    number;
  wave_t         wave;
  logic [4095:0] s;
  logic [2047:0] vaddr, vaddr_next;
  always_comb begin : operands
    number     = {turn, issued[3:0]};
    wave       = waves[number];
    e          = entries[issued[3:0]];
    d          = issued[4] && e.d.format != kMimg ? e.d : '0;
    s          = 4096'd0;
    vaddr      = 2048'd0;
    vaddr_next = 2048'd0;
    if (issued[4]) begin
      s          = scalars[issued[3:0]];
      vaddr      = row(number, e.d.vaddr);
      vaddr_next = row(number, e.d.vaddr + 8'd1);
    end
  end

  // ---- addresses of a buffer
  vmem_op_t       buffer;
  logic [3:0]     unsupported;
  logic [16383:0] buffer_addresses;
  logic [8191:0]  buffer_values;
  assign buffer.words = e.words;
  assign buffer.pc    = wave.pc;
  assign buffer.wave  = number;
  assign buffer.vmid  = wave.vmid;
  assign buffer.vdst  = d.vdst;
  ta_buffer_wave addressing (.format(d.format), .op(d.op), .offen(d.offen), .idxen(d.idxen), .addr64(d.addr64), .glc(d.glc),
    .slc(d.slc), .tfe(d.tfe), .lds(d.lds), .offset(d.offset[11:0]), .offset_in_lds(spec.lds_load_offset),
    .inst_dfmt(d.dfmt), .inst_nfmt(d.nfmt), .resource(s[{d.srsrc, 5'd0}+:128]),
    .soffset(source32(d.soffset, d.literal, wave.scc, s)), .m0(s[32*kM0+:16]),
    .lds_base({15'd0, wave.lds_base}), .lds_size({15'd0, wave.lds_size}), .exec(exec_of(s)), .vaddr(vaddr),
    .vaddr_next(vaddr_next), .unsupported(unsupported), .kind(buffer.kind), .atomic(buffer.atomic), .bytes(buffer.bytes),
    .dwords(buffer.dwords), .data_dwords(), .sign_extend(buffer.sign_extend), .returns(buffer.returns), .out_glc(buffer.glc),
    .out_slc(buffer.slc), .contiguous(buffer.contiguous), .to_lds(buffer.to_lds), .status(buffer.tfe), .typed(buffer.typed),
    .dfmt(buffer.dfmt), .nfmt(buffer.nfmt), .dst_sel(buffer.dst_sel), .lanes(buffer.lanes), .zero_lanes(buffer.zero_lanes),
    .lds_addr(buffer.lds_addr), .lds_lanes(buffer.lds_lanes), .dword_lanes(buffer.dword_lanes), .addr(buffer_addresses));
  assign buffer.image  = 1'b0;
  assign buffer.texels = 1'b0;
  assign buffer.direct = 1'b0;
  assign buffer.status = 1'b0;
  assign buffer.wide   = 2'd0;
  assign buffer.warned = 64'd0;
  assign buffer.quads  = '0;

  // ---- data of a buffer
  logic          stores;
  logic [8191:0] data;
  assign stores = d.cls == kClassVmem && (buffer.kind == kStore || buffer.kind == kAtomic);
  assign data   = stores ? {rows(number, d.vdst + 8'd2), rows(number, d.vdst)} : 8192'd0;
  ta_format_wave stored (.store(stores), .typed(buffer.typed), .bytes(buffer.bytes), .sign_extend(1'b0),
    .dwords(buffer.kind == kAtomic ? 3'd4 : buffer.dwords), .dfmt(buffer.dfmt), .nfmt(buffer.nfmt), .dst_sel(buffer.dst_sel),
    .written(64'd0), .dword_lanes(256'd0), .data(data), .result(buffer_values));

  // ---- an image
  logic [2:0]    image_refused;
  vmem_op_t      image;
  logic [4095:0] image_addresses;
  logic [8191:0] image_data, image_values;
  always_comb begin : image_operands
    integer k;
    image_issue = '0;
    image_data  = '0;
    if (issued[4] && e.d.format == kMimg) begin
      image_issue.valid = 1'b1;
      image_issue.words = e.words;
      image_issue.wave  = context_of(wave, scalars[issued[3:0]]);
      for (k = 0; k < kImageAddressRows; k = k + 1) image_issue.rows[2048*k+:2048] = row(number, e.d.vaddr + k[7:0]);
      for (k = 0; k < kImageDataRows; k = k + 1) image_data[2048*k+:2048] = row(number, e.d.vdst + k[7:0]);
    end
  end
  cu_image_addresses images (.issue(image_issue), .data(image_data), .tiling, .number, .vmid(wave.vmid), .pc(wave.pc),
    .vdst(e.d.vdst), .refused(image_refused), .operation(image), .addresses(image_addresses), .values(image_values));

  // ---- one of both
  always_comb begin : as_an_operation
    if (image_issue.valid) begin
      refused   = image_refused;
      operation = image;
      addresses = {12288'd0, image_addresses};
      values    = image_values;
    end else begin
      refused   = unsupported != 4'd0 ? kStopNotImplemented : 3'd0;
      operation = buffer;
      addresses = buffer_addresses;
      values    = buffer_values;
      if (buffer.kind == kInvalidate) operation.lanes = 64'd0;
    end
  end

endmodule
