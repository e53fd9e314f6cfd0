// SPDX-License-Identifier: Apache-2.0
// Buffer addressing of a compute unit's address unit: MUBUF and MTBUF of Southern Islands, by their
// opcode numbers. An instruction of a wave comes with what it reads, the registers of address as
// rows of 64 lanes; what is to be done of which lane at which address leaves one cycle after it.
// One instruction per cycle.
//
// ta_buffer_wave is all of it but the register: for units that have registers of their own.
`include "ta_buffer_pkg.sv"

module ta_buffer (
  `include "ta_buffer_ports.svh"
);

  logic [3:0]     unsupported, dfmt;
  logic [1:0]     kind;
  logic [4:0]     atomic, bytes;
  logic [2:0]     dwords, data_dwords, nfmt;
  logic sign_extend, returns, glc, slc, contiguous, to_lds, tfe, typed;
  logic [11:0]    dst_sel;
  logic [63:0]    lanes, zero_lanes, lds_lanes;
  logic [31:0]    lds_addr;
  logic [255:0]   dword_lanes;
  logic [16383:0] addr;
  ta_buffer_wave wave (.format(in_format), .op(in_op), .offen(in_offen), .idxen(in_idxen), .addr64(in_addr64), .glc(in_glc),
                       .slc(in_slc), .tfe(in_tfe), .lds(in_lds), .offset(in_offset), .offset_in_lds(in_offset_in_lds),
                       .inst_dfmt(in_dfmt), .inst_nfmt(in_nfmt), .resource(in_resource), .soffset(in_soffset),
                       .m0(in_m0), .lds_base(in_lds_base), .lds_size(in_lds_size),
                       .exec(in_exec), .vaddr(in_vaddr), .vaddr_next(in_vaddr_next), .unsupported(unsupported), .kind(kind),
                       .atomic(atomic), .bytes(bytes), .dwords(dwords), .data_dwords(data_dwords), .sign_extend(sign_extend),
                       .returns(returns), .out_glc(glc), .out_slc(slc), .contiguous(contiguous), .to_lds(to_lds), .status(tfe),
                       .typed(typed), .dfmt(dfmt), .nfmt(nfmt), .dst_sel(dst_sel), .lanes(lanes), .zero_lanes(zero_lanes),
                       .lds_addr(lds_addr), .lds_lanes(lds_lanes), .dword_lanes(dword_lanes), .addr(addr));

  // ---- the register
  logic valid;
  logic [3:0]     unsupported_r, dfmt_r;
  logic [1:0]     kind_r;
  logic [4:0]     atomic_r, bytes_r;
  logic [2:0]     dwords_r, data_dwords_r, nfmt_r;
  logic sign_extend_r, returns_r, glc_r, slc_r, contiguous_r, to_lds_r, tfe_r, typed_r;
  logic [11:0]    dst_sel_r;
  logic [63:0]    lanes_r, zero_lanes_r, lds_lanes_r;
  logic [31:0]    lds_addr_r;
  logic [255:0]   dword_lanes_r;
  logic [16383:0] addr_r;
  assign in_ready = !valid || out_ready;

  always_ff @(posedge clk) begin
    if (rst) valid <= 1'b0;
    else if (in_ready) valid <= in_valid;
    if (in_ready) begin
      unsupported_r <= unsupported;
      kind_r        <= kind;
      atomic_r      <= atomic;
      bytes_r       <= bytes;
      dwords_r      <= dwords;
      data_dwords_r <= data_dwords;
      sign_extend_r <= sign_extend;
      returns_r     <= returns;
      glc_r         <= glc;
      slc_r         <= slc;
      contiguous_r  <= contiguous;
      to_lds_r      <= to_lds;
      tfe_r         <= tfe;
      typed_r       <= typed;
      dfmt_r        <= dfmt;
      nfmt_r        <= nfmt;
      dst_sel_r     <= dst_sel;
      lanes_r       <= lanes;
      zero_lanes_r  <= zero_lanes;
      lds_addr_r    <= lds_addr;
      lds_lanes_r   <= lds_lanes;
      dword_lanes_r <= dword_lanes;
      addr_r        <= addr;
    end
  end

  assign out_valid       = valid;
  assign out_unsupported = valid ? unsupported_r : 4'd0;
  assign out_kind        = valid ? kind_r : 2'd0;
  assign out_atomic      = valid ? atomic_r : 5'd0;
  assign out_bytes       = valid ? bytes_r : 5'd0;
  assign out_dwords      = valid ? dwords_r : 3'd0;
  assign out_data_dwords = valid ? data_dwords_r : 3'd0;
  assign out_sign_extend = valid && sign_extend_r;
  assign out_returns     = valid && returns_r;
  assign out_glc         = valid && glc_r;
  assign out_slc         = valid && slc_r;
  assign out_contiguous  = valid && contiguous_r;
  assign out_to_lds      = valid && to_lds_r;
  assign out_tfe         = valid && tfe_r;
  assign out_typed       = valid && typed_r;
  assign out_dfmt        = valid ? dfmt_r : 4'd0;
  assign out_nfmt        = valid ? nfmt_r : 3'd0;
  assign out_dst_sel     = valid ? dst_sel_r : 12'd0;
  assign out_lanes       = valid ? lanes_r : 64'd0;
  assign out_zero_lanes  = valid ? zero_lanes_r : 64'd0;
  assign out_lds_addr    = valid ? lds_addr_r : 32'd0;
  assign out_lds_lanes   = valid ? lds_lanes_r : 64'd0;
  assign out_dword_lanes = valid ? dword_lanes_r : 256'd0;
  assign out_addr        = valid ? addr_r : 16384'd0;

endmodule
