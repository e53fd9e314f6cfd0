// SPDX-License-Identifier: Apache-2.0
// Data of buffer instructions between registers and memory: elements of typed accesses (MTBUF and the
// format opcodes of MUBUF) are converted, loaded bytes and shorts extended, and what lies out of range
// becomes 0. A load comes with the dwords that memory has brought and leaves as registers, a store the
// other way round, one cycle later. One wave per cycle.
//
// ta_format_wave is all of it but the register: for units that have registers of their own.
module ta_format (
  `include "ta_format_ports.svh"
);

  logic [8191:0] result;
  ta_format_wave wave (.store(in_store), .typed(in_typed), .bytes(in_bytes), .sign_extend(in_sign_extend), .dwords(in_dwords),
                       .dfmt(in_dfmt), .nfmt(in_nfmt), .dst_sel(in_dst_sel), .written(in_written), .dword_lanes(in_dword_lanes),
                       .data(in_data), .result(result));

  // ---- the register
  logic          valid;
  logic [8191:0] data;
  assign in_ready = !valid || out_ready;
  always_ff @(posedge clk) begin
    if (rst) valid <= 1'b0;
    else if (in_ready) valid <= in_valid;
    if (in_ready) data <= result;
  end
  assign out_valid = valid;
  assign out_data  = valid ? data : 8192'd0;

endmodule
