// SPDX-License-Identifier: Apache-2.0
// The ALU of one processor of the DPP array: an ALU or OUT instruction of CTM, its vec3 and its
// scalar half. Instructions come as their six words, with what their source addresses name; out
// come the results and what is written of them. One instruction per cycle, eight cycles each:
//
//   1 operands in      2 decoded, numbers in addresses, presubtract   3 swizzles, modifiers
//   4 products, choices   5 first sums   6, 7 sums of dot products    8 output modifiers, comparisons
//
// The transcendental unit works beside stages 4 to 7. Every stage moves when it is empty or the
// stage after it moves, so bubbles close. Outputs are zero while out_valid is low, and so is a
// result that nothing is written from.
`include "ctm_dpp_alu_pkg.sv"

module ctm_dpp_alu
  import ctm_dpp_alu_pkg::*;
(
  `include "ctm_dpp_alu_ports.svh"
);

  genvar s, c;

  // ---- flow
  localparam int kStages = 8;
  logic [kStages:1] valid, go;
  generate
    for (s = 1; s <= kStages; s = s + 1) begin : g_flow
      assign go[s] = !(&valid[kStages:s]) || out_ready;
    end
  endgenerate
  assign in_ready = go[1];

  always_ff @(posedge clk) begin
    if (rst) begin
      valid <= '0;
    end else begin
      if (go[1]) valid[1] <= in_valid;
      if (go[2]) valid[2] <= valid[1];
      if (go[3]) valid[3] <= valid[2];
      if (go[4]) valid[4] <= valid[3];
      if (go[5]) valid[5] <= valid[4];
      if (go[6]) valid[6] <= valid[5];
      if (go[7]) valid[7] <= valid[6];
      if (go[8]) valid[8] <= valid[7];
    end
  end

  // ---- stage 1: operands in
  logic [5:0][31:0]  words1;
  logic [11:0][31:0] source1, quad1;
  logic [3:0]        predicate1;
  logic              active1;
  always_ff @(posedge clk) begin
    if (go[1]) begin
      words1     <= in_words;
      source1    <= in_source;
      quad1      <= in_quad;
      predicate1 <= in_predicate;
      active1    <= in_active;
    end
  end

  // ---- stage 2: decoded, numbers in addresses, presubtract
  control_t control;
  writes_t  writes;
  ctm_dpp_alu_decode u_decode (.words(words1), .control(control));
  ctm_dpp_alu_enable u_enable (
    .words(words1), .active(active1), .predicate(predicate1), .writes(writes)
  );

  logic [15:0][31:0] source;
  logic [11:0][31:0] quad;
  generate
    for (c = 0; c < 4; c = c + 1) begin : g_channel
      localparam int kWord = c < 3 ? 1 : 2;
      for (s = 0; s < 3; s = s + 1) begin : g_source
        ctm_dpp_alu_source u_source (
          .address(words1[kWord][10 * s + 8:10 * s]), .brought(source1[4 * s + c]),
          .value(source[4 * s + c])
        );
        ctm_dpp_alu_source u_quad (
          .address(words1[kWord][8:0]), .brought(quad1[4 * s + c]), .value(quad[4 * s + c])
        );
      end
      ctm_dpp_alu_presubtract u_presubtract (
        .operation(words1[kWord][31:30]), .source0(source[c]), .source1(source[4 + c]),
        .value(source[12 + c])
      );
    end
  endgenerate

  control_t          control2;
  writes_t           writes2;
  logic [15:0][31:0] source2;
  logic [11:0][31:0] quad2;
  // Operands A, B, C: select, swizzles, modifier.
  logic [2:0][12:0]  rgb_operand2;
  logic [2:0][6:0]   alpha_operand2;
  always_ff @(posedge clk) begin
    if (go[2]) begin
      control2       <= control;
      writes2        <= writes;
      source2        <= source;
      quad2          <= quad;
      rgb_operand2   <= {words1[5][24:12], words1[3][25:13], words1[3][12:0]};
      alpha_operand2 <= {words1[5][31:25], words1[4][25:19], words1[4][18:12]};
    end
  end

  // ---- stage 3: swizzles, modifiers
  logic [3:0][31:0] a, b, c_operand;
  generate
    for (c = 0; c < 4; c = c + 1) begin : g_operands
      logic        horizontal, vertical;
      logic [31:0] top_left, other;
      assign horizontal = c < 3 ? control2.rgb.horizontal : control2.alpha.horizontal;
      assign vertical   = c < 3 ? control2.rgb.vertical : control2.alpha.vertical;
      assign top_left   = quad2[c];
      assign other      = horizontal ? quad2[4 + c] : quad2[8 + c];

      logic [2:0][1:0] select, modifier;
      logic [2:0][2:0] swizzle;
      for (s = 0; s < 3; s = s + 1) begin : g_fields
        if (c < 3) begin : g_rgb
          assign select[s]   = rgb_operand2[s][1:0];
          assign swizzle[s]  = rgb_operand2[s][3 * c + 4:3 * c + 2];
          assign modifier[s] = rgb_operand2[s][12:11];
        end else begin : g_alpha
          assign select[s]   = alpha_operand2[s][1:0];
          assign swizzle[s]  = alpha_operand2[s][4:2];
          assign modifier[s] = alpha_operand2[s][6:5];
        end
      end

      ctm_dpp_alu_operand u_a (
        .sources(source2), .select(select[0]), .swizzle(swizzle[0]), .modifier(modifier[0]),
        .of_quad(horizontal || vertical), .quad(top_left), .value(a[c])
      );
      ctm_dpp_alu_operand u_b (
        .sources(source2), .select(select[1]), .swizzle(swizzle[1]), .modifier(modifier[1]),
        .of_quad(1'b0), .quad(32'd0), .value(b[c])
      );
      ctm_dpp_alu_operand u_c (
        .sources(source2), .select(select[2]), .swizzle(swizzle[2]), .modifier(modifier[2]),
        .of_quad(horizontal || vertical), .quad(other), .value(c_operand[c])
      );
    end
  endgenerate

  // A dot product takes alpha's A by select and swizzle, regardless of what alpha does.
  logic [31:0] dot_a;
  ctm_dpp_alu_operand u_dot_a (
    .sources(source2), .select(alpha_operand2[0][1:0]), .swizzle(alpha_operand2[0][4:2]),
    .modifier(alpha_operand2[0][6:5]), .of_quad(1'b0), .quad(32'd0), .value(dot_a)
  );

  control_t         control3;
  writes_t          writes3;
  logic [3:0][31:0] a3, b3, c3;
  logic [31:0]      dot_a3;
  always_ff @(posedge clk) begin
    if (go[3]) begin
      control3 <= control2;
      writes3  <= writes2;
      a3       <= a;
      b3       <= b;
      c3       <= c_operand;
      dot_a3   <= dot_a;
    end
  end

  // ---- stage 4: products, choices; FRC is the number less its floor
  logic [3:0][31:0] product, chosen, augend, addend;
  logic             dots3;
  assign dots3 = control3.rgb.unit == kDot;
  generate
    for (c = 0; c < 4; c = c + 1) begin : g_products
      logic [2:0]  unit;
      logic [31:0] floor_of_a;
      assign unit = c < 3 ? control3.rgb.unit : control3.alpha.unit;
      ctm_dpp_alu_multiply u_multiply (.x(a3[c]), .y(b3[c]), .product(product[c]));
      ctm_dpp_alu_choose u_choose (
        .unit(unit), .a(a3[c]), .b(b3[c]), .c(c3[c]), .value(chosen[c])
      );
      ctm_dpp_alu_floor u_floor (.x(a3[c]), .value(floor_of_a));
      assign augend[c] = unit == kFrc ? a3[c] : product[c];
      assign addend[c] = unit == kFrc ? negated(floor_of_a) : c3[c];
    end
  endgenerate

  logic [31:0] fourth;
  ctm_dpp_alu_multiply u_multiply_dot (.x(dot_a3), .y(b3[3]), .product(fourth));

  control_t         control4;
  writes_t          writes4;
  logic [3:0][31:0] augend4, addend4, chosen4;
  logic [31:0]      third4, fourth4;  // terms of a dot product
  always_ff @(posedge clk) begin
    if (go[4]) begin
      control4 <= control3;
      writes4  <= writes3;
      augend4  <= augend;
      // Red's sum is the first one of a dot product.
      addend4  <= {addend[3:1], dots3 ? product[1] : addend[0]};
      chosen4  <= chosen;
      third4   <= control3.dot == kD2a ? c3[2] : product[2];
      fourth4  <= fourth;
    end
  end

  // ---- stage 5: first sums
  logic [3:0][31:0] sum, value;
  generate
    for (c = 0; c < 4; c = c + 1) begin : g_sums
      logic [2:0] unit;
      assign unit = c < 3 ? control4.rgb.unit : control4.alpha.unit;
      ctm_dpp_alu_add u_add (.x(augend4[c]), .y(addend4[c]), .sum(sum[c]));
      assign value[c] = unit >= kMin && unit <= kCmp ? chosen4[c] : sum[c];
    end
  endgenerate

  control_t         control5;
  writes_t          writes5;
  logic [3:0][31:0] value5;
  logic [31:0]      third5, fourth5;
  always_ff @(posedge clk) begin
    if (go[5]) begin
      control5 <= control4;
      writes5  <= writes4;
      value5   <= value;
      third5   <= third4;
      fourth5  <= fourth4;
    end
  end

  // ---- stages 6 and 7: sums of dot products
  logic [31:0] three_terms, four_terms;
  ctm_dpp_alu_add u_third (.x(value5[0]), .y(third5), .sum(three_terms));

  control_t         control6;
  writes_t          writes6;
  logic [3:0][31:0] value6;
  logic [31:0]      dot6, fourth6;
  always_ff @(posedge clk) begin
    if (go[6]) begin
      control6 <= control5;
      writes6  <= writes5;
      value6   <= value5;
      dot6     <= three_terms;
      fourth6  <= fourth5;
    end
  end

  ctm_dpp_alu_add u_fourth (.x(dot6), .y(fourth6), .sum(four_terms));

  logic [31:0] dot, transcendental;
  assign dot = control6.dot == kDp4 ? four_terms : dot6;
  ctm_dpp_alu_transcendental u_transcendental (
    .clk(clk), .go_reduce(go[4]), .go_look_up(go[5]), .go_interpolate(go[6]),
    .operation(control3.transcendental), .x(a3[3]), .value(transcendental)
  );

  function automatic logic [31:0] result_of(input logic [2:0] unit, input logic [31:0] own,
                                            input logic [31:0] of_dot, input logic [31:0] of_scalar);
    case (unit)
      kDot: result_of = of_dot;
      kTranscendental: result_of = of_scalar;
      default: result_of = own;
    endcase
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // units and operations have done their part
  control_t         control7;
  /* verilator lint_on UNUSEDSIGNAL */
  writes_t          writes7;
  logic [3:0][31:0] value7;
  always_ff @(posedge clk) begin
    if (go[7]) begin
      control7 <= control6;
      writes7  <= writes6;
      value7   <= {result_of(control6.alpha.unit, value6[3], dot, transcendental),
                   result_of(control6.rgb.unit, value6[2], dot, transcendental),
                   result_of(control6.rgb.unit, value6[1], dot, transcendental),
                   result_of(control6.rgb.unit, value6[0], dot, transcendental)};
    end
  end

  // ---- stage 8: output modifiers, comparisons
  logic [3:0][31:0] finished;
  logic [3:0]       predicate, flag_channel, shown;
  logic             flag;
  generate
    for (c = 0; c < 4; c = c + 1) begin : g_finish
      logic [2:0] omod;
      logic       clamp;
      logic [1:0] compare;
      assign omod    = c < 3 ? control7.rgb.omod : control7.alpha.omod;
      assign clamp   = c < 3 ? control7.rgb.clamp : control7.alpha.clamp;
      assign compare = c < 3 ? control7.rgb.compare : control7.alpha.compare;
      ctm_dpp_alu_finish u_finish (
        .omod(omod), .clamp(clamp), .x(value7[c]), .value(finished[c])
      );
      assign predicate[c] = holds(compare, finished[c]);
    end
  endgenerate
  assign flag         = holds(control7.compare, control7.of_alpha ? finished[3] : finished[0]);
  assign flag_channel = control7.of_alpha ? 4'b1000 : 4'b0001;
  assign shown        = writes7.registers | writes7.outputs | writes7.predicates
                      | (writes7.alu_result ? flag_channel : 4'd0)
                      | {writes7.conditional, 3'd0};

  writes_t          writes8;
  logic [3:0][31:0] result8;
  logic [3:0]       predicate8;
  logic             flag8, illegal8;
  always_ff @(posedge clk) begin
    if (go[8]) begin
      illegal8   <= control7.illegal;
      writes8    <= writes7;
      predicate8 <= predicate & writes7.predicates;
      flag8      <= flag && writes7.alu_result;
      result8    <= {shown[3] ? finished[3] : 32'd0, shown[2] ? finished[2] : 32'd0,
                     shown[1] ? finished[1] : 32'd0, shown[0] ? finished[0] : 32'd0};
    end
  end

  logic known;
  assign out_valid        = valid[8];
  assign known            = valid[8] && !illegal8;
  assign out_result       = known ? result8 : '0;
  assign out_register     = known ? writes8.registers : '0;
  assign out_output       = known ? writes8.outputs : '0;
  assign out_predicate_we = known ? writes8.predicates : '0;
  assign out_predicate    = known ? predicate8 : '0;
  assign out_flag_we      = known && writes8.alu_result;
  assign out_flag         = known && flag8;
  assign out_conditional  = known && writes8.conditional;
  assign out_illegal      = valid[8] && illegal8;

endmodule
