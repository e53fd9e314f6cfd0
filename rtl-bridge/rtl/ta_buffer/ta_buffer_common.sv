// SPDX-License-Identifier: Apache-2.0
// What all lanes of a buffer instruction have in common: what it does, why it cannot be executed,
// and how its lanes are addressed.
`include "ta_buffer_pkg.sv"

module ta_buffer_common
  import ta_buffer_pkg::*;
(
  input  logic [4:0]   format,
  input  logic [8:0]   op,
  input  logic         offen,
  input  logic         idxen,
  input  logic         addr64,
  input  logic         glc,
  input  logic         tfe,
  input  logic         lds,
  input  logic [11:0]  offset,
  input  logic [3:0]   inst_dfmt,
  input  logic [2:0]   inst_nfmt,
  input  logic [127:0] words,        // of the resource
  input  logic [31:0]  soffset,
  output opcode_t      code,
  output logic [3:0]   unsupported,
  output logic         addressed,    // lanes may access memory
  output logic         dropped,      // there is no format, therefore no memory: loads give 0
  output logic [4:0]   bytes,
  output logic         returns,
  output logic         to_lds,
  output logic         status,       // a register after the data reports failures
  output logic [3:0]   dfmt,
  output logic [2:0]   nfmt,
  output logic [11:0]  dst_sel,
  output common_t      common
);

  ta_buffer_opcode decode (.format(format), .op(op), .code(code));

  resource_t r;
  logic      unused_bits;
  assign r           = words;
  assign unused_bits = ^{r.unused_high, r.unused_middle};

  // ---- the format, that of the instruction or that of the resource
  logic own_format, load, store;
  assign own_format = format == kMtbuf;
  assign load       = code.kind == kLoad;
  assign store      = code.kind == kStore;
  assign dfmt       = !code.typed ? 4'd0 : own_format ? inst_dfmt : r.dfmt;
  assign nfmt       = !code.typed ? 3'd0 : own_format ? inst_nfmt : r.nfmt;
  assign dst_sel    = !code.typed ? 12'd0 : own_format ? kIdentity : r.dst_sel;

  // An element without a format counts as a dword, which is not moved.
  logic [4:0] element_bytes;
  assign element_bytes = code.typed ? format_bytes(dfmt) : code.bytes;
  assign dropped       = code.typed && element_bytes == 5'd0;
  assign bytes         = dropped ? 5'd4 : element_bytes;

  assign to_lds  = load && lds;
  assign returns = load ? !lds : code.kind == kAtomic && glc;
  assign status  = tfe && returns;

  // ---- refusals, the first that holds
  logic load_only;
  assign load_only = nfmt == kUscaled || nfmt == kSscaled || nfmt == kSnormOgl;
  always_comb begin
    unsupported = kExecuted;
    if (!code.known) unsupported = kNoBufferInstruction;
    else if (code.kind != kInvalidate) begin
      if (code.typed && store && load_only) unsupported = kLoadOnlyFormat;
      else if (code.typed && dfmt == 4'd15) unsupported = kReservedFormat;
      else if (code.typed && nfmt == kFloat && !has_floats(dfmt)) unsupported = kFloatFormat;
      else if (r.kind != 2'd0) unsupported = kResourceType;
      else if (addr64 && (offen || idxen)) unsupported = kAddr64WithVgprOffset;
      else if (lds && (!load || code.dwords != 3'd1 || tfe)) unsupported = kLdsBit;
      else if (!addr64 && r.swizzle && r.element_size == 2'd0 && element_bytes > 5'd2) unsupported = kNarrowSwizzle;
      else if (code.typed && reserved_select(dst_sel)) unsupported = kReservedSelect;
    end
  end
  assign addressed = unsupported == kExecuted && code.kind != kInvalidate && !dropped;

  // ---- addressing
  assign common.addr64      = addr64;
  assign common.raw         = r.stride == 14'd0 && !r.swizzle;
  assign common.swizzle     = r.swizzle;
  assign common.idxen       = idxen;
  assign common.offen       = offen;
  assign common.add_tid     = r.add_tid;
  assign common.whole       = code.typed || code.kind == kAtomic;
  assign common.offset      = offset;
  assign common.base        = {1'b0, r.base} + {17'd0, soffset};
  assign common.soffset     = soffset;
  assign common.num_records = r.num_records;
  assign common.stride      = r.stride;
  assign common.element_log = {1'b0, r.element_size} + 3'd1;
  assign common.index_log   = {1'b0, r.index_stride} + 3'd3;
  assign common.align       = (bytes >= 5'd4) ? 2'd3 : {1'b0, bytes == 5'd2};
  assign common.count       = !addressed ? 3'd0 : (bytes < 5'd4) ? 3'd1 : bytes[4:2];
  assign common.last        = bytes - 5'd1;

endmodule
