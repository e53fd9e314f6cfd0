// SPDX-License-Identifier: Apache-2.0
// Data of buffer instructions between registers and memory: elements of typed accesses (MTBUF and the
// format opcodes of MUBUF) are converted, loaded bytes and shorts extended, and what lies out of range
// becomes 0. A load comes with the dwords that memory has brought and leaves as registers, a store the
// other way round, one cycle later. One wave per cycle.
//
// ta_format_wave is all of it but the register: for units that have registers of their own.
module ta_format (
  input  logic          clk,
  input  logic          rst,
  input  logic          in_valid,
  output logic          in_ready,
  input  logic          in_store,
  input  logic          in_typed,
  input  logic [4:0]    in_bytes,       // of plain loads
  input  logic          in_sign_extend,
  input  logic [2:0]    in_dwords,      // registers of a lane
  input  logic [3:0]    in_dfmt,        // a format that can be loaded or stored
  input  logic [2:0]    in_nfmt,
  input  logic [11:0]   in_dst_sel,
  input  logic [63:0]   in_written,     // loads: lanes whose registers are written
  input  logic [255:0]  in_dword_lanes, // loads: lanes of which memory has brought dword n [64 n + lane]
  input  logic [8191:0] in_data,        // [32 (64 dword + lane)]
  // zero while out_valid is low
  output logic          out_valid,
  input  logic          out_ready,
  output logic [8191:0] out_data
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
