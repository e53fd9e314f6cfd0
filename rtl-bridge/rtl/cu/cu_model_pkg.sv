// SPDX-License-Identifier: Apache-2.0
// Vector instructions that the lanes do not have: double precision, transcendental functions,
// conversions, packing, fma and division are the model's (rtl-bridge/verilated/cu_model.cpp), through a
// function that keeps nothing between calls.
`ifndef CU_MODEL_PKG_SV
`define CU_MODEL_PKG_SV
`include "cu_decode_pkg.sv"
`include "cu_pkg.sv"

/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

package cu_model_pkg;
  import cu_pkg::*;

  // A wave's registers but VGPRs, in words of 32 bits, the last member lowest.
  typedef struct packed {
    logic [31:0]   sgpr_base, vgpr_base, spi_priority, in_group, trap_en, killed, halt, vskip, csp;
    logic [31:0]   ib_sts, trapsts, hw_id, privileged, prio, vmid, lds_size, lds_base;
    logic [31:0]   mode_others, exceptions, ieee, dx10, float_mode, scc, sgprs, vgprs;
    logic [63:0]   pc;
    logic [4095:0] s;              // by operand code
  } context_t;
  localparam int kContextBits = $bits(context_t);

  function automatic context_t context_of(input wave_t w, input logic [4095:0] s);
    context_of              = '0;
    context_of.sgpr_base    = {23'd0, w.sgpr_base};
    context_of.vgpr_base    = {24'd0, w.vgpr_base};
    context_of.spi_priority = {30'd0, w.spi_priority};
    context_of.in_group     = {31'd0, w.in_group};
    context_of.trap_en      = {31'd0, w.trap_en};
    context_of.killed       = {31'd0, w.killed};
    context_of.halt         = {31'd0, w.halt};
    context_of.vskip        = {31'd0, w.vskip};
    context_of.csp          = {29'd0, w.csp};
    context_of.ib_sts       = w.ib_sts;
    context_of.trapsts      = w.trapsts;
    context_of.hw_id        = w.hw_id;
    context_of.privileged   = {31'd0, w.privileged};
    context_of.prio         = {30'd0, w.prio};
    context_of.vmid         = {24'd0, w.vmid};
    context_of.lds_size     = {15'd0, w.lds_size};
    context_of.lds_base     = {15'd0, w.lds_base};
    context_of.mode_others  = {24'd0, w.mode_others};
    context_of.exceptions   = {24'd0, w.exceptions};
    context_of.ieee         = {31'd0, w.ieee};
    context_of.dx10         = {31'd0, w.dx10};
    context_of.float_mode   = {24'd0, w.float_mode};
    context_of.scc          = {31'd0, w.scc};
    context_of.sgprs        = {24'd0, w.sgprs};
    context_of.vgprs        = {23'd0, w.vgprs};
    context_of.pc           = w.pc;
    context_of.s            = s;
  endfunction

  // Where context_t::s has the operand LDS_DIRECT of an instruction. No operand code names the place: what
  // is left there nobody reads.
  localparam int kLdsDirectPlace = 125;

  // Executes a vector instruction. a to d: two VGPRs each, those from the number `*_row` on; d is the
  // destination, a negative number none. written: those of `result` that have changed.
  import "DPI-C" function void cu_model_valu(
    input bit [63:0] words, input bit [kContextBits-1:0] wave_before,
    input int a_row, input int b_row, input int c_row, input int d_row,
    input bit [4095:0] a, input bit [4095:0] b, input bit [4095:0] c, input bit [4095:0] d,
    output bit [kContextBits-1:0] wave_after, output bit [4095:0] result, output bit [1:0] written);

endpackage

`endif
