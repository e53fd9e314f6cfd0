// SPDX-License-Identifier: Apache-2.0
// The scalar ALU of a compute unit: every instruction of SOP2, SOPK, SOP1 and SOPC, and the branches
// of SOPP, by the opcode numbers of Southern Islands. Operands come read, and results leave to be
// written, each to the wave the instruction is of. One instruction per cycle; the result comes three
// cycles behind its operands:
//
//   1 operands   2 units   3 result chosen, SCC
//
// Every stage moves when it is empty or the stage behind it moves, so bubbles close. Outputs are
// zero while out_valid is low, and what is not written is zero.
`include "salu_pkg.sv"

module salu
  import salu_pkg::*;
(
  input  logic        clk,
  input  logic        rst,
  // instructions
  input  logic        in_valid,
  output logic        in_ready,
  input  logic [2:0]  in_enc,   // SOP2, SOPK, SOP1, SOPC, SOPP from 0
  input  logic [7:0]  in_op,
  input  logic [63:0] in_s0,    // SSRC0; of SOPK SDST's contents, or the literal constant
  input  logic [63:0] in_s1,    // SSRC1; of s_bitset SDST's contents
  input  logic [15:0] in_k,
  input  logic [6:0]  in_sdst,
  // the wave's state
  input  logic        in_scc,
  input  logic [63:0] in_exec,
  input  logic [63:0] in_vcc,
  input  logic [63:0] in_pc,    // of the next instruction
  input  logic [31:0] in_m0,
  input  logic [6:0]  in_sgprs, // that s_movreld may write
  input  logic [31:0] in_hwreg, // the hardware register SIMM16 names
  input  logic [2:0]  in_csp,
  input  logic [63:0] in_mask,  // the branch stack's top entry
  input  logic [63:0] in_entry,
  input  logic        in_vskip,
  input  logic        in_priv,
  // results
  output logic        out_valid,
  input  logic        out_ready,
  output logic        out_write,
  output logic        out_wide,
  output logic [6:0]  out_sdst,
  output logic [63:0] out_data,
  output logic        out_scc,
  output logic        out_exec_write,
  output logic [63:0] out_exec,
  output logic        out_jump,
  output logic [63:0] out_pc,
  output logic        out_hwreg_write,
  output logic [31:0] out_hwreg,
  output logic [2:0]  out_csp,
  output logic        out_push,
  output logic [63:0] out_mask,
  output logic [63:0] out_entry,
  output logic        out_vskip,
  output logic        out_priv,
  output logic        out_illegal // an opcode this ALU does not have
);

  // ---- flow
  logic v1, v2, v3;
  logic go1, go2, go3;
  assign go3      = !v3 || out_ready;
  assign go2      = !v2 || go3;
  assign go1      = !v1 || go2;
  assign in_ready = go1;

  always_ff @(posedge clk) begin
    if (rst) begin
      v1 <= 1'b0;
      v2 <= 1'b0;
      v3 <= 1'b0;
    end else begin
      if (go1) v1 <= in_valid;
      if (go2) v2 <= v1;
      if (go3) v3 <= v2;
    end
  end

  // ---- stage 1: operands
  logic [2:0]  enc1, csp1;
  logic [7:0]  op1;
  logic [63:0] a1, b1, exec1, vcc1, pc1, mask1, entry1;
  logic [15:0] k1;
  logic [6:0]  sdst1, sgprs1;
  logic [31:0] m0_1, hwreg1;
  logic        scc1, vskip1, priv1;
  always_ff @(posedge clk) begin
    if (go1) begin
      enc1   <= in_enc;
      op1    <= in_op;
      a1     <= in_s0;
      b1     <= in_s1;
      k1     <= in_k;
      sdst1  <= in_sdst;
      scc1   <= in_scc;
      exec1  <= in_exec;
      vcc1   <= in_vcc;
      pc1    <= in_pc;
      m0_1   <= in_m0;
      sgprs1 <= in_sgprs;
      hwreg1 <= in_hwreg;
      csp1   <= in_csp;
      mask1  <= in_mask;
      entry1 <= in_entry;
      vskip1 <= in_vskip;
      priv1  <= in_priv;
    end
  end

  control_t ctl1;
  salu_decode decode (.enc(enc1), .op(op1), .ctl(ctl1));

  // The constant is unsigned to unsigned comparisons only. Instructions of one source have no second.
  logic [31:0] k32, x1, y1;
  logic [63:0] second1;
  assign k32     = {{16{k1[15] && (ctl1.is_signed || ctl1.scc != kSccCondition)}}, k1};
  assign second1 = ctl1.with_exec ? exec1 : (enc1 == kSop1) ? 64'd0 : b1;
  assign x1      = a1[31:0];
  assign y1      = ctl1.constant ? k32 : second1[31:0];

  // ---- sums
  logic        carry_in;
  logic [32:0] total;
  logic        overflow;
  logic [31:0] sum;
  assign carry_in = ctl1.with_carry && scc1;
  assign total    = ctl1.subtract ? {1'b0, x1} - {1'b0, y1} - {32'd0, carry_in} : {1'b0, x1} + {1'b0, y1} + {32'd0, carry_in};
  assign overflow = (x1[31] == (y1[31] ^ ctl1.subtract)) && total[31] != x1[31];
  assign sum      = (ctl1.magnitude && total[31]) ? 32'd0 - total[31:0] : total[31:0];

  // ---- conditions
  logic        less, equal, tested, condition;
  logic [5:0]  bit_number;
  assign less       = ctl1.is_signed ? $signed(x1) < $signed(y1) : x1 < y1;
  assign equal      = x1 == y1;
  assign bit_number = {b1[5] && ctl1.wide_source, b1[4:0]};
  assign tested     = a1[bit_number];
  always_comb begin
    case (ctl1.condition)
      kEqual:        condition = equal;
      kUnequal:      condition = !equal;
      kGreater:      condition = !less && !equal;
      kGreaterEqual: condition = !less;
      kLess:         condition = less;
      kLessEqual:    condition = less || equal;
      kBitClear:     condition = !tested;
      default:       condition = tested;
    endcase
  end
  logic first;
  assign first = ctl1.if_scc ? scc1 : condition;

  // ---- logic
  logic [63:0] logical;
  always_comb begin
    case (ctl1.logic_op)
      kAnd:    logical = a1 & second1;
      kOr:     logical = a1 | second1;
      kXor:    logical = a1 ^ second1;
      kAndn2:  logical = a1 & ~second1;
      kOrn2:   logical = a1 | ~second1;
      kNand:   logical = ~(a1 & second1);
      kNor:    logical = ~(a1 | second1);
      default: logical = ~(a1 ^ second1);
    endcase
  end

  // ---- shifts, counts, products
  logic [63:0] shifted, moved;
  logic [31:0] counted;
  logic [31:0] product;
  salu_shift shift (.kind(ctl1.shift), .wide(ctl1.wide), .is_signed(ctl1.is_signed), .a(a1), .by(b1[5:0]), .width(b1[22:16]),
                    .result(shifted));
  salu_bits bits (.count(ctl1.count), .pattern(ctl1.pattern), .wide(ctl1.wide_source), .invert(ctl1.invert), .a(a1), .b(b1),
                  .counted(counted), .moved(moved));
  assign product = x1 * y1;

  // ---- hardware registers: SIMM16 has the first bit in 10:6 and the width less one in 15:11
  logic [31:0] field_mask, field, hwreg_next;
  assign field_mask = 32'(low_ones({2'b00, k1[15:11]} + 7'd1));
  assign field      = (hwreg1 >> k1[10:6]) & field_mask;
  assign hwreg_next = (hwreg1 & ~(field_mask << k1[10:6])) | ((x1 & field_mask) << k1[10:6]);

  // ---- where the wave goes on
  logic        jump, flow_exec, push, priv_next;
  logic [63:0] target, flow_mask, stack_mask, stack_entry;
  logic [2:0]  csp_next;
  salu_flow go_on (.flow(ctl1.flow), .branch(ctl1.branch), .relative(ctl1.constant), .s0(a1), .s1(b1), .k(k1), .scc(scc1),
                   .exec(exec1), .vcc(vcc1), .pc(pc1), .csp(csp1), .top_mask(mask1), .top_entry(entry1), .priv(priv1),
                   .jump(jump), .target(target), .exec_write(flow_exec), .exec_next(flow_mask), .csp_next(csp_next),
                   .push(push), .mask(stack_mask), .entry(stack_entry), .priv_next(priv_next));

  // ---- the destination: pairs begin at even numbers, and end inside the wave's SGPRs
  logic [32:0] index, last;
  logic        in_range, write1;
  logic [6:0]  limit;
  assign limit    = (sgprs1 < 7'd104) ? sgprs1 : 7'd104;
  assign index    = {26'd0, sdst1} + {1'b0, m0_1};
  assign last     = index + (ctl1.wide ? 33'd2 : 33'd1);
  assign in_range = last <= {26'd0, limit};
  assign write1   = ctl1.from != kFromNone && !(ctl1.if_scc && ctl1.from != kFromOrder && !scc1) && !(ctl1.relative && !in_range);

  logic [6:0] number1;
  assign number1 = !ctl1.relative ? sdst1 : ctl1.wide ? {index[6:1], 1'b0} : index[6:0];

  // ---- stage 2: what the units made of it
  from_t       from2;
  scc_t        scc_rule2;
  logic [63:0] a2, logical2, shifted2, moved2, exec2, pc2, target2, flow_mask2, mask2, entry2, chosen2;
  logic [31:0] k2, sum2, counted2, product2, field2, hwreg2;
  logic [6:0]  sdst2;
  logic [2:0]  csp2;
  logic        known2, wide2, with_exec2, set_hwreg2;
  logic        write2, scc2, carry2, overflow2, condition2, jump2, flow_exec2, push2, vskip2, priv2;
  always_ff @(posedge clk) begin
    if (go2) begin
      known2     <= ctl1.known;
      from2      <= ctl1.from;
      scc_rule2  <= ctl1.scc;
      wide2      <= ctl1.wide;
      with_exec2 <= ctl1.with_exec;
      set_hwreg2 <= ctl1.set_hwreg;
      a2         <= a1;
      k2         <= k32;
      logical2   <= logical;
      sum2       <= sum;
      carry2     <= total[32];
      overflow2  <= overflow;
      condition2 <= condition;
      chosen2    <= first ? a1 : b1;
      shifted2   <= shifted;
      counted2   <= counted;
      moved2     <= moved;
      product2   <= product;
      field2     <= field;
      hwreg2     <= hwreg_next;
      exec2      <= exec1;
      pc2        <= pc1;
      scc2       <= scc1;
      write2     <= write1;
      sdst2      <= number1;
      jump2      <= jump;
      target2    <= target;
      flow_exec2 <= flow_exec;
      flow_mask2 <= flow_mask;
      csp2       <= csp_next;
      push2      <= push;
      mask2      <= stack_mask;
      entry2     <= stack_entry;
      vskip2     <= ctl1.vskip ? condition : vskip1;
      priv2      <= priv_next;
    end
  end

  // The value whose zero SCC tells of; the destination's, but of saveexec.
  logic [63:0] value, result;
  always_comb begin
    case (from2)
      kFromSource:       value = a2;
      kFromConstant:     value = {32'd0, k2};
      kFromLogic:        value = logical2;
      kFromSum:          value = {32'd0, sum2};
      kFromOrder:        value = chosen2;
      kFromShift:        value = shifted2;
      kFromProduct:      value = {32'd0, product2};
      kFromCount:        value = {32'd0, counted2};
      kFromPattern:      value = moved2;
      kFromField:        value = {32'd0, field2};
      kFromExec:         value = logical2;
      kFromPc:           value = pc2;
      default:           value = 64'd0;
    endcase
  end
  assign result = wide2 ? value : {32'd0, value[31:0]};

  logic scc_next;
  always_comb begin
    case (scc_rule2)
      kSccNonzero:   scc_next = result != 64'd0;
      kSccCarry:     scc_next = carry2;
      kSccOverflow:  scc_next = overflow2;
      kSccCondition: scc_next = condition2;
      default:       scc_next = scc2;
    endcase
  end

  // ---- stage 3: the result
  logic        write3, wide3, scc3, exec_write3, jump3, hwreg_write3, push3, vskip3, priv3, illegal3;
  logic [6:0]  sdst3;
  logic [63:0] data3, exec3, pc3, mask3, entry3;
  logic [31:0] hwreg3;
  logic [2:0]  csp3;
  always_ff @(posedge clk) begin
    if (go3) begin
      write3       <= write2;
      wide3        <= wide2;
      sdst3        <= sdst2;
      data3        <= with_exec2 ? exec2 : result;
      scc3         <= known2 && scc_next;
      exec_write3  <= with_exec2 || flow_exec2;
      exec3        <= with_exec2 ? result : flow_mask2;
      jump3        <= known2 && jump2;
      pc3          <= target2;
      hwreg_write3 <= set_hwreg2;
      hwreg3       <= hwreg2;
      csp3         <= known2 ? csp2 : 3'd0;
      push3        <= push2;
      mask3        <= mask2;
      entry3       <= entry2;
      vskip3       <= known2 && vskip2;
      priv3        <= known2 && priv2;
      illegal3     <= !known2;
    end
  end

  assign out_valid       = v3;
  assign out_write       = v3 && write3;
  assign out_wide        = out_write && wide3;
  assign out_sdst        = out_write ? sdst3 : 7'd0;
  assign out_data        = out_write ? data3 : 64'd0;
  assign out_scc         = v3 && scc3;
  assign out_exec_write  = v3 && exec_write3;
  assign out_exec        = out_exec_write ? exec3 : 64'd0;
  assign out_jump        = v3 && jump3;
  assign out_pc          = out_jump ? pc3 : 64'd0;
  assign out_hwreg_write = v3 && hwreg_write3;
  assign out_hwreg       = out_hwreg_write ? hwreg3 : 32'd0;
  assign out_csp         = v3 ? csp3 : 3'd0;
  assign out_push        = v3 && push3;
  assign out_mask        = out_push ? mask3 : 64'd0;
  assign out_entry       = out_push ? entry3 : 64'd0;
  assign out_vskip       = v3 && vskip3;
  assign out_priv        = v3 && priv3;
  assign out_illegal     = v3 && illegal3;

endmodule
