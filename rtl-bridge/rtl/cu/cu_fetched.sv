// SPDX-License-Identifier: Apache-2.0
// The block of instructions that the instruction cache brings, decoded. Instructions of two dwords
// may end in the block after theirs: the last one of the block before is decoded again, and the last
// one of this block sees the first word of the block after.
`include "cu_decode_word_pkg.sv"
`include "cu_pkg.sv"

// Words of the buffers only are read.
/* verilator lint_off UNUSEDSIGNAL */
module cu_fetched
  import cu_decode_pkg::*;
  import cu_pkg::*;
(
  input  spec_t            spec,
  input  logic             valid,
  input  logic [5:0]       wave,
  input  logic [63:0]      address,
  input  logic [7:0][31:0] words,
  input  buffers_t         buffers,
  output block_t           block,
  output block_entries_t   entries_in,
  output entry_t           entry_before
);

  logic [2:0] behind;
  assign block.wave   = wave;
  assign block.place  = block_index(address, spec.fetch_blocks);
  assign block.previous = block_index(address - 64'd32, spec.fetch_blocks);
  assign behind       = block_index(address + 64'd32, spec.fetch_blocks);

  always_comb begin : decode_block
    integer           i;
    logic [9:0][31:0] seen;  // from the last word of the block before to the first one of the block after
    decoded_t         d;
    entry_t           e;
    logic [2:0]       place;
    place        = 3'd0;
    seen[0]      = buffers[{wave, block.previous, 3'd7}].words[31:0];
    seen[8:1]    = words;
    seen[9]      = buffers[{wave, behind, 3'd0}].words[31:0];
    entries_in   = '{default: '0};
    entry_before = '0;
    d            = '0;
    e            = '0;
    if (valid) begin
      for (i = 0; i < 9; i = i + 1) begin
        d     = cu_decode_word_pkg::decode(seen[i], seen[i+1], 1'b0);
        e     = {d.two ? seen[i+1] : 32'd0, seen[i], d};
        place = i[2:0] - 3'd1;
        if (i == 0) entry_before = e;
        else entries_in[place] = e;
      end
    end
  end

endmodule
