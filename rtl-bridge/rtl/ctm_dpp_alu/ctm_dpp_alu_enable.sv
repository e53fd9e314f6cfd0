// SPDX-License-Identifier: Apache-2.0
// What a processor writes of an instruction: by the masks of the words, whether the processor is
// active, and its predicates.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_enable
  import ctm_dpp_alu_pkg::*;
(
  /* verilator lint_off UNUSEDSIGNAL */  // the rest of the words
  input  logic [5:0][31:0] words,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic             active,
  input  logic [3:0]       predicate,
  output writes_t          writes
);

  logic is_out, enabled;
  assign is_out  = words[0][0];
  assign enabled = active || words[0][7];

  // PRED_SEL: none, by channel, or that of one channel.
  function automatic logic passes(input logic [2:0] select, input logic inverted,
                                  input logic own, input logic [3:0] all);
    case (select)
      3'd0: passes = 1'b1;
      3'd1: passes = own ^ inverted;
      3'd2: passes = all[0] ^ inverted;
      3'd3: passes = all[1] ^ inverted;
      3'd4: passes = all[2] ^ inverted;
      default: passes = all[3] ^ inverted;
    endcase
  endfunction

  logic [3:0] channels;
  assign channels[0] = enabled && passes(words[0][5:3], words[0][6], predicate[0], predicate);
  assign channels[1] = enabled && passes(words[0][5:3], words[0][6], predicate[1], predicate);
  assign channels[2] = enabled && passes(words[0][5:3], words[0][6], predicate[2], predicate);
  assign channels[3] = enabled && passes(words[0][27:25], words[0][22], predicate[3], predicate);

  always_comb begin
    writes             = '0;
    writes.registers   = words[0][14:11] & channels;
    writes.outputs     = is_out ? words[0][18:15] & channels : 4'd0;
    writes.predicates  = is_out ? 4'd0 : words[0][31:28] & channels;
    writes.alu_result  = words[3][31] && (words[0][21] ? channels[3] : channels[0]);
    writes.conditional = is_out && words[4][31] && channels[3];
  end

endmodule
