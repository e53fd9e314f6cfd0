// SPDX-License-Identifier: Apache-2.0
// First step of a scalar instruction: what it is, and what each unit makes of its operands.
// Combinational.
`include "salu_pkg.sv"

module salu_units
  import salu_pkg::*;
(
  input  operands_t in,
  output units_t    out
);

  control_t ctl;
  salu_decode decode (.enc(in.enc), .op(in.op), .ctl(ctl));

  // The constant is unsigned to unsigned comparisons only. Instructions of one source have no second.
  logic [31:0] k32, x, y;
  logic [63:0] second;
  assign k32     = {{16{in.k[15] && (ctl.is_signed || ctl.scc != kSccCondition)}}, in.k};
  assign second  = ctl.with_exec ? in.exec : (in.enc == kSop1) ? 64'd0 : in.s1;
  assign x       = in.s0[31:0];
  assign y       = ctl.constant ? k32 : second[31:0];

  // ---- sums
  logic        carry_in;
  logic [32:0] total;
  logic        overflow;
  logic [31:0] sum;
  assign carry_in = ctl.with_carry && in.scc;
  assign total    = ctl.subtract ? {1'b0, x} - {1'b0, y} - {32'd0, carry_in} : {1'b0, x} + {1'b0, y} + {32'd0, carry_in};
  assign overflow = (x[31] == (y[31] ^ ctl.subtract)) && total[31] != x[31];
  assign sum      = (ctl.magnitude && total[31]) ? 32'd0 - total[31:0] : total[31:0];

  // ---- conditions
  logic        less, equal, tested, condition;
  logic [5:0]  bit_number;
  assign less       = ctl.is_signed ? $signed(x) < $signed(y) : x < y;
  assign equal      = x == y;
  assign bit_number = {in.s1[5] && ctl.wide_source, in.s1[4:0]};
  assign tested     = 1'(in.s0 >> bit_number);
  always_comb begin
    case (ctl.condition)
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
  assign first = ctl.if_scc ? in.scc : condition;

  // ---- logic
  logic [63:0] logical;
  always_comb begin
    case (ctl.logic_op)
      kAnd:    logical = in.s0 & second;
      kOr:     logical = in.s0 | second;
      kXor:    logical = in.s0 ^ second;
      kAndn2:  logical = in.s0 & ~second;
      kOrn2:   logical = in.s0 | ~second;
      kNand:   logical = ~(in.s0 & second);
      kNor:    logical = ~(in.s0 | second);
      default: logical = ~(in.s0 ^ second);
    endcase
  end

  // ---- shifts, counts, products
  logic [63:0] shifted, moved;
  logic [31:0] counted;
  logic [31:0] product;
  salu_shift shift (.kind(ctl.shift), .wide(ctl.wide), .is_signed(ctl.is_signed), .a(in.s0), .by(in.s1[5:0]), .width(in.s1[22:16]),
                    .result(shifted));
  salu_bits bits (.count(ctl.count), .pattern(ctl.pattern), .wide(ctl.wide_source), .invert(ctl.invert), .a(in.s0), .b(in.s1),
                  .counted(counted), .moved(moved));
  assign product = x * y;

  // ---- hardware registers: SIMM16 has the first bit in 10:6 and the width less one in 15:11
  logic [31:0] field_mask, field, hwreg_next;
  assign field_mask = 32'(low_ones({2'b00, in.k[15:11]} + 7'd1));
  assign field      = (in.hwreg >> in.k[10:6]) & field_mask;
  assign hwreg_next = (in.hwreg & ~(field_mask << in.k[10:6])) | ((x & field_mask) << in.k[10:6]);

  // ---- where the wave goes on
  logic        jump, flow_exec, push, priv_next;
  logic [63:0] target, flow_mask, stack_mask, stack_entry;
  logic [2:0]  csp_next;
  salu_flow go_on (.flow(ctl.flow), .branch(ctl.branch), .relative(ctl.constant), .s0(in.s0), .s1(in.s1), .k(in.k), .scc(in.scc),
                   .exec(in.exec), .vcc(in.vcc), .pc(in.pc), .csp(in.csp), .top_mask(in.mask), .top_entry(in.entry), .priv(in.priv),
                   .jump(jump), .target(target), .exec_write(flow_exec), .exec_next(flow_mask), .csp_next(csp_next),
                   .push(push), .mask(stack_mask), .entry(stack_entry), .priv_next(priv_next));

  // ---- the destination: pairs begin at even numbers, and end inside the wave's SGPRs
  logic [32:0] index, last;
  logic        in_range, write;
  logic [6:0]  limit;
  assign limit    = (in.sgprs < 7'd104) ? in.sgprs : 7'd104;
  assign index    = {26'd0, in.sdst} + {1'b0, in.m0};
  assign last     = index + (ctl.wide ? 33'd2 : 33'd1);
  assign in_range = last <= {26'd0, limit};
  assign write    = ctl.from != kFromNone && !(ctl.if_scc && ctl.from != kFromOrder && !in.scc) && !(ctl.relative && !in_range);

  logic [6:0] number;
  assign number = !ctl.relative ? in.sdst : ctl.wide ? {index[6:1], 1'b0} : index[6:0];

  assign out.known     = ctl.known;
  assign out.from      = ctl.from;
  assign out.scc_rule  = ctl.scc;
  assign out.wide      = ctl.wide;
  assign out.with_exec = ctl.with_exec;
  assign out.set_hwreg = ctl.set_hwreg;
  assign out.s0        = in.s0;
  assign out.k         = k32;
  assign out.logical   = logical;
  assign out.sum       = sum;
  assign out.carry     = total[32];
  assign out.overflow  = overflow;
  assign out.condition = condition;
  assign out.chosen    = first ? in.s0 : in.s1;
  assign out.shifted   = shifted;
  assign out.counted   = counted;
  assign out.moved     = moved;
  assign out.product   = product;
  assign out.field     = field;
  assign out.hwreg     = hwreg_next;
  assign out.exec      = in.exec;
  assign out.pc        = in.pc;
  assign out.scc       = in.scc;
  assign out.write     = write;
  assign out.sdst      = number;
  assign out.jump      = jump;
  assign out.target    = target;
  assign out.flow_exec = flow_exec;
  assign out.flow_mask = flow_mask;
  assign out.csp       = csp_next;
  assign out.push      = push;
  assign out.mask      = stack_mask;
  assign out.entry     = stack_entry;
  assign out.vskip     = ctl.vskip ? condition : in.vskip;
  assign out.priv      = priv_next;

endmodule
