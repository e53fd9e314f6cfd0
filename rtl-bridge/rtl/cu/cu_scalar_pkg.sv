// SPDX-License-Identifier: Apache-2.0
// Scalar operands, hardware registers, and what an instruction of the scalar ALU reads and leaves of
// a wave. A wave's scalar registers are a vector of 128 dwords by operand code.
`ifndef CU_SCALAR_PKG_SV
`define CU_SCALAR_PKG_SV
`include "cu_decode_ops_pkg.sv"
`include "cu_pkg.sv"
`include "salu_pkg.sv"

// Functions that look at a part of a struct only.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

package cu_scalar_pkg;
  import cu_decode_pkg::*;
  import cu_pkg::*;

  localparam int kVcc = 106;
  localparam int kTba = 108;
  localparam int kTma = 110;
  localparam int kTtmp = 112;
  localparam int kM0 = 124;
  localparam int kExec = 126;
  localparam logic [6:0] kLastSgpr = 7'd103;

  function automatic logic [63:0] vcc_of(input logic [4095:0] s);
    vcc_of = s[32*kVcc+:64];
  endfunction
  function automatic logic [63:0] exec_of(input logic [4095:0] s);
    exec_of = s[32*kExec+:64];
  endfunction
  function automatic logic [31:0] m0_of(input logic [4095:0] s);
    m0_of = s[32*kM0+:32];
  endfunction

  // ---- operands by their code: 0.5, 1, 2 and 4 stand from 240 on, each in front of its negative
  function automatic logic [31:0] source32(input logic [8:0] code, input logic [31:0] literal, input logic scc,
                                           input logic [4095:0] s);
    logic [1:0] power;
    power = code[2:1];
    if (code < 9'd128) source32 = s[32*code[6:0]+:32];
    else if (code <= 9'd192) source32 = {23'd0, code - 9'd128};
    else if (code <= 9'd208) source32 = 32'd0 - {23'd0, code - 9'd192};
    else if (code >= 9'd240 && code <= 9'd247) source32 = {code[0], 8'd126 + {6'd0, power}, 23'd0};
    else begin
      case (code)
        9'd251:  source32 = {31'd0, vcc_of(s) == 64'd0};
        9'd252:  source32 = {31'd0, exec_of(s) == 64'd0};
        9'd253:  source32 = {31'd0, scc};
        9'd255:  source32 = literal;
        default: source32 = 32'd0;
      endcase
    end
  endfunction

  // Of 64 bits: registers from `code` on, integers with their sign, doubles, a literal with zeros.
  function automatic logic [63:0] source64(input logic [8:0] code, input logic [31:0] literal, input logic scc,
                                           input logic [4095:0] s);
    logic [1:0] power;
    power = code[2:1];
    if (code < 9'd127) source64 = s[32*code[6:0]+:64];
    else if (code >= 9'd193 && code <= 9'd208) source64 = 64'd0 - {55'd0, code - 9'd192};
    else if (code >= 9'd240 && code <= 9'd247) source64 = {code[0], 11'd1022 + {9'd0, power}, 52'd0};
    else source64 = {32'd0, source32(code, literal, scc, s)};
  endfunction

  // ---- hardware registers, by the number in SIMM16[5:0]
  function automatic logic [31:0] mode_of(input wave_t w);
    mode_of = {w.csp, w.vskip, 9'd0, w.exceptions[6:0], w.mode_others[1:0], w.ieee, w.dx10, w.float_mode};
  endfunction
  function automatic logic [31:0] status_of(input wave_t w, input logic [4095:0] s);
    status_of = {15'd0, 1'b1, 2'd0, w.halt, 1'b0, w.in_group, vcc_of(s) == 64'd0, exec_of(s) == 64'd0, 2'd0, w.trap_en, w.privileged,
                 w.prio, w.spi_priority, w.scc};
  endfunction
  function automatic logic [31:0] allocation_of(input wave_t w);
    logic [8:0] vgprs;
    logic [7:0] sgprs;
    vgprs         = w.vgprs == 9'd0 ? 9'd0 : w.vgprs - 9'd1;
    sgprs         = w.sgprs == 8'd0 ? 8'd0 : w.sgprs - 8'd1;
    allocation_of = {4'd0, sgprs[6:3], 2'd0, w.sgpr_base[8:3], 2'd0, vgprs[7:2], 2'd0, w.vgpr_base[7:2]};
  endfunction
  function automatic logic [31:0] lds_allocation_of(input wave_t w);
    logic [16:0] rows;
    rows              = (w.lds_size + 17'd255) >> 8;
    lds_allocation_of = {11'd0, rows[8:0], 4'd0, w.lds_base[15:8]};
  endfunction

  function automatic logic [31:0] hardware_register(input logic [5:0] number, input logic [63:0] words, input wave_t w,
                                                    input logic [4095:0] s);
    case (number)
      6'd1:    hardware_register = mode_of(w);
      6'd2:    hardware_register = status_of(w, s);
      6'd3:    hardware_register = w.trapsts;
      6'd4:    hardware_register = w.hw_id;
      6'd5:    hardware_register = allocation_of(w);
      6'd6:    hardware_register = lds_allocation_of(w);
      6'd7:    hardware_register = w.ib_sts;
      6'd8:    hardware_register = w.pc[31:0];
      6'd9:    hardware_register = {24'd0, w.pc[39:32]};
      6'd10:   hardware_register = words[31:0];
      6'd11:   hardware_register = words[63:32];
      6'd12:   hardware_register = {4'd0, w.killed, 27'd0};
      default: hardware_register = 32'd0;
    endcase
  endfunction

  // Of STATUS a privileged wave writes SCC, its priority and HALT; all but MODE and TRAPSTS else is
  // read-only.
  function automatic wave_t with_hardware_register(input wave_t w, input logic [5:0] number, input logic [31:0] value);
    with_hardware_register = w;
    case (number)
      6'd1: begin
        with_hardware_register.float_mode  = value[7:0];
        with_hardware_register.dx10        = value[8];
        with_hardware_register.ieee        = value[9];
        with_hardware_register.mode_others = {6'd0, value[11:10]};
        with_hardware_register.exceptions  = {1'b0, value[18:12]};
        with_hardware_register.vskip       = value[28];
        with_hardware_register.csp         = value[31:29];
      end
      6'd2:
        if (w.privileged) begin
          with_hardware_register.scc  = value[0];
          with_hardware_register.prio = value[4:3];
          with_hardware_register.halt = value[13];
        end
      6'd3:    with_hardware_register.trapsts = value;
      default: ;
    endcase
  endfunction

  // ---- an instruction of the scalar ALU
  // Four registers an entry of the branch stack: mask, then program counter.
  function automatic logic [127:0] stack_entry(input logic [2:0] place, input logic [4095:0] s);
    stack_entry = s[{2'd0, place, 7'd0}+:128];
  endfunction

  // The register that s_movrels reads: that of `code` and M0, or s0 outside the wave's.
  function automatic logic [6:0] relative_source(input logic [8:0] code, input logic wide, input wave_t w, input logic [4095:0] s);
    logic [32:0] index;
    logic [7:0]  limit;
    index           = {24'd0, code} + {1'b0, m0_of(s)};
    limit           = w.sgprs < {1'b0, kLastSgpr} + 8'd1 ? w.sgprs : {1'b0, kLastSgpr} + 8'd1;
    relative_source = 7'd0;
    if (code <= {2'd0, kLastSgpr} && index + (wide ? 33'd2 : 33'd1) <= {25'd0, limit}) relative_source = {index[6:1], index[0] && !wide};
  endfunction

  localparam logic [8:0] kFirstBitset = 9'd27, kLastBitset = 9'd30;   // of SOP1
  localparam logic [8:0] kMovrels32 = 9'd46, kMovrels64 = 9'd47;
  localparam logic [8:0] kSetregImmediate = 9'd21;                    // of SOPK

  function automatic logic [63:0] scalar_source(input logic [8:0] code, input logic wide, input logic [31:0] literal, input wave_t w,
                                                input logic [4095:0] s);
    scalar_source = wide ? source64(code, literal, w.scc, s) : {32'd0, source32(code, literal, w.scc, s)};
  endfunction

  function automatic salu_pkg::operands_t scalar_operands(input entry_t e, input wave_t w, input logic [4095:0] s);
    cu_decode_ops_pkg::op_t o;
    logic [127:0]           top;
    o                     = cu_decode_ops_pkg::alu_op(e.d.format, e.words[31:0]);
    top                   = stack_entry(w.csp - 3'd1, s);
    scalar_operands       = '0;
    scalar_operands.enc   = e.d.format == kSopk ? 3'd1 : e.d.format == kSop1 ? 3'd2 : e.d.format[2:0];
    scalar_operands.op    = e.d.op[7:0];
    if (e.d.format == kSop1 && (e.d.op == kMovrels32 || e.d.op == kMovrels64))
      scalar_operands.s0 = s[{relative_source(e.d.src0, e.d.op == kMovrels64, w, s), 5'd0}+:64];
    else if (e.d.format == kSopk && e.d.op == kSetregImmediate) scalar_operands.s0 = {32'd0, e.d.literal};
    else if (e.d.num_src > 2'd0) scalar_operands.s0 = scalar_source(e.d.src0, o.src0 == 2'd2, e.d.literal, w, s);
    if (e.d.format == kSop1 && e.d.op >= kFirstBitset && e.d.op <= kLastBitset) scalar_operands.s1 = s[{e.d.sdst, 5'd0}+:64];
    else if (e.d.num_src > 2'd1) scalar_operands.s1 = scalar_source(e.d.src1, o.src1 == 2'd2, e.d.literal, w, s);
    scalar_operands.k     = e.d.simm16;
    scalar_operands.sdst  = e.d.sdst;
    scalar_operands.scc   = w.scc;
    scalar_operands.exec  = exec_of(s);
    scalar_operands.vcc   = vcc_of(s);
    scalar_operands.pc    = w.pc;
    scalar_operands.m0    = m0_of(s);
    scalar_operands.sgprs = w.sgprs < {1'b0, kLastSgpr} + 8'd1 ? w.sgprs[6:0] : kLastSgpr + 7'd1;
    scalar_operands.hwreg = hardware_register(e.d.simm16[5:0], e.words, w, s);
    scalar_operands.csp   = w.csp;
    scalar_operands.mask  = top[63:0];
    scalar_operands.entry = top[127:64];
    scalar_operands.vskip = w.vskip;
    scalar_operands.priv  = w.privileged;
  endfunction

  // The destination first: EXEC may be it.
  function automatic logic [4095:0] scalars_behind(input logic [4095:0] s, input logic [2:0] csp, input salu_pkg::results_t r);
    scalars_behind = s;
    if (r.push) scalars_behind[{2'd0, csp, 7'd0}+:128] = {r.entry, r.mask};
    if (r.write && r.wide) scalars_behind[{r.sdst[6:1], 6'd0}+:64] = r.data;
    else if (r.write) scalars_behind[{r.sdst, 5'd0}+:32] = r.data[31:0];
    if (r.exec_write) scalars_behind[32*kExec+:64] = r.exec;
  endfunction
  function automatic wave_t wave_behind(input wave_t w, input logic [5:0] number, input salu_pkg::results_t r);
    wave_behind            = w;
    wave_behind.scc        = r.scc;
    wave_behind.vskip      = r.vskip;
    wave_behind.privileged = r.priv;
    wave_behind.csp        = r.csp;
    if (r.jump) wave_behind.pc = r.pc;
    if (r.hwreg_write) wave_behind = with_hardware_register(wave_behind, number, r.hwreg);
  endfunction

endpackage

`endif
