// SPDX-License-Identifier: Apache-2.0
// The words of an ALU or OUT instruction: what computes its results, and whether one of its fields
// is reserved. Bits without a meaning to this unit are ignored.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu_decode
  import ctm_dpp_alu_pkg::*;
(
  /* verilator lint_off UNUSEDSIGNAL */  // registers' addresses, what others wait for
  input  logic [5:0][31:0] words,
  /* verilator lint_on UNUSEDSIGNAL */
  output control_t         control
);

  logic [3:0] rgb_op, alpha_op;
  assign rgb_op   = words[5][3:0];
  assign alpha_op = words[4][3:0];

  logic dot, transcendental, rgb_chooses, alpha_chooses, rgb_known, alpha_known;
  half_t rgb, alpha;
  always_comb begin
    dot            = rgb_op >= 4'd1 && rgb_op <= 4'd3;
    transcendental = alpha_op >= 4'd8 && alpha_op <= 4'd13;

    rgb            = '0;
    rgb.horizontal = rgb_op == 4'd11;
    rgb.vertical   = rgb_op == 4'd12;
    rgb.omod       = words[3][28:26];
    rgb.clamp      = words[0][19];
    rgb.compare    = words[3][30:29];
    rgb_known      = 1'b1;
    case (rgb_op)
      4'd0, 4'd11, 4'd12: rgb.unit = kMad;
      4'd1, 4'd2, 4'd3: rgb.unit = kDot;
      4'd4: rgb.unit = kMin;
      4'd5: rgb.unit = kMax;
      4'd7: rgb.unit = kCnd;
      4'd8: rgb.unit = kCmp;
      4'd9: rgb.unit = kFrc;
      4'd10: rgb.unit = kTranscendental;
      default: rgb_known = 1'b0;
    endcase

    alpha            = '0;
    alpha.horizontal = alpha_op == 4'd14;
    alpha.vertical   = alpha_op == 4'd15;
    alpha.omod       = words[4][28:26];
    alpha.clamp      = words[0][20];
    alpha.compare    = words[4][30:29];
    alpha_known      = 1'b1;
    case (alpha_op)
      4'd0, 4'd14, 4'd15: alpha.unit = kMad;
      4'd1: alpha.unit = kDot;
      4'd2: alpha.unit = kMin;
      4'd3: alpha.unit = kMax;
      4'd4: alpha_known = 1'b0;
      4'd5: alpha.unit = kCnd;
      4'd6: alpha.unit = kCmp;
      4'd7: alpha.unit = kFrc;
      default: alpha.unit = kTranscendental;
    endcase

    rgb_chooses   = rgb.unit >= kMin && rgb.unit <= kCmp;
    alpha_chooses = alpha.unit >= kMin && alpha.unit <= kCmp;
  end

  // ---- reserved encodings
  /* verilator lint_off UNUSEDSIGNAL */  // the other bits
  // Three addresses of ten bits: aL added to an inline constant.
  function automatic logic bad_addresses(input logic [31:0] word);
    bad_addresses = (word[9] && !word[8] && word[7]) || (word[19] && !word[18] && word[17])
                 || (word[29] && !word[28] && word[27]);
  endfunction

  // Swizzles of a vec3 operand: select, R, G, B, modifier.
  function automatic logic bad_swizzles(input logic [12:0] operand);
    bad_swizzles = operand[4:2] == 3'd7 || operand[7:5] == 3'd7 || operand[10:8] == 3'd7;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  logic bad_type, bad_predicate, bad_address, bad_swizzle, bad_partner, bad_modifier;
  always_comb begin
    bad_type      = words[0][1];
    bad_predicate = words[0][5:3] > 3'd5 || words[0][27:25] > 3'd5;
    bad_address   = bad_addresses(words[1]) || bad_addresses(words[2]);
    bad_swizzle   = bad_swizzles(words[3][12:0]) || bad_swizzles(words[3][25:13])
                  || bad_swizzles(words[5][24:12]) || words[4][16:14] == 3'd7
                  || words[4][23:21] == 3'd7 || words[5][29:27] == 3'd7;
    bad_partner   = (rgb_op == 4'd10 && !transcendental) || (alpha_op == 4'd1 && !dot);
    bad_modifier  = (rgb.omod == kDisabled && !rgb_chooses)
                  || (alpha.omod == kDisabled && !alpha_chooses);

    control                = '0;
    control.rgb            = rgb;
    control.alpha          = alpha;
    control.dot            = rgb_op[1:0];
    control.transcendental = alpha_op[2:0];
    control.of_alpha       = words[0][21];
    control.compare        = words[0][24:23];
    control.illegal        = !rgb_known || !alpha_known || bad_type || bad_predicate || bad_address
                           || bad_swizzle || bad_partner || bad_modifier;
  end

endmodule
