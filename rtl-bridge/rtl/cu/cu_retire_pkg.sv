// SPDX-License-Identifier: Apache-2.0
// What an instruction leaves, as the port `retire` gives it: which registers it wrote, and their values.
`ifndef CU_RETIRE_PKG_SV
`define CU_RETIRE_PKG_SV
`include "cu_decode_ops_pkg.sv"
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"

// Functions that look at a part of a struct only.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

package cu_retire_pkg;
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;

  // Of the records of instructions that have issued and are not on the port yet.
  typedef logic [31:0] record_number_t;

  // Registers an instruction writes, operand codes and VGPRs from a first one on. EXEC is not among
  // them when no operand names it. A range of operand codes holds status words only, or none.
  typedef struct packed {
    logic [6:0]  sgpr;
    logic [4:0]  sgprs;
    logic [7:0]  vgpr;
    logic [2:0]  vgprs;
    logic [63:0] lanes;
  } destinations_t;

  // Status words: VCC, EXEC, M0. All records have them, and they are no scalar registers of a transfer.
  typedef logic [4:0][31:0] status_t;
  typedef logic [4:0]       status_words_t;

  typedef struct packed {
    logic              last_of_wave;   // stands after the wave's last instruction and is none
    logic [5:0]        wave;
    logic [63:0]       pc, words;
    logic              scc;
    logic              complete;       // all results are there
    status_t           status;
    status_words_t     stale;          // that instructions in front of it had still to write
    destinations_t     to;
    logic [15:0][31:0] values;         // of scalar registers
  } record_t;

  function automatic status_t status_words_of(input logic [4095:0] s);
    status_words_of = {m0_of(s), exec_of(s), vcc_of(s)};
  endfunction

  // Their operand codes.
  function automatic logic [6:0] status_code(input logic [2:0] i);
    case (i)
      3'd0:    status_code = 7'(kVcc);
      3'd1:    status_code = 7'(kVcc + 1);
      3'd2:    status_code = 7'(kExec);
      3'd3:    status_code = 7'(kExec + 1);
      default: status_code = 7'(kM0);
    endcase
  endfunction

  // Those that are among the destinations.
  function automatic status_words_t status_destinations(input destinations_t to);
    integer i;
    for (i = 0; i < 5; i = i + 1) status_destinations[i] = 7'(status_code(i[2:0]) - to.sgpr) < {2'd0, to.sgprs};
  endfunction

  // Some words of one, the others of another.
  function automatic status_t chosen(input status_words_t first, input status_t a, input status_t b);
    integer i;
    chosen = b;
    for (i = 0; i < 5; i = i + 1) if (first[i]) chosen[i] = a[i];
  endfunction

  // ---- transfers
  function automatic logic [4:0] scalars_of(input destinations_t to);
    scalars_of = status_destinations(to) != 5'd0 ? 5'd0 : to.sgprs;
  endfunction
  function automatic logic [2:0] vectors_of(input destinations_t to);
    vectors_of = to.lanes != 64'd0 ? to.vgprs : 3'd0;
  endfunction
  function automatic logic [4:0] beats_of(input destinations_t to);
    beats_of = scalars_of(to) > {2'd0, vectors_of(to)} ? scalars_of(to) : {2'd0, vectors_of(to)};
    if (beats_of == 5'd0) beats_of = 5'd1;
  endfunction

  // ---- destinations
  // Of the scalar ALU. Relative moves write where the unit says that they do; a fork pushes four
  // registers, of which none is an operand; s_trap writes TTMP0 and 1.
  localparam logic [8:0] kMovreld32 = 9'd48, kMovreld64 = 9'd49;  // of SOP1
  function automatic destinations_t scalar_destinations(input decoded_t d, input logic [31:0] word, input logic [2:0] csp,
                                                        input logic trapped, input salu_pkg::results_t r);
    cu_decode_ops_pkg::op_t o;
    o                         = cu_decode_ops_pkg::alu_op(d.format, word);
    scalar_destinations       = '0;
    scalar_destinations.sgpr  = d.sdst;
    scalar_destinations.sgprs = {3'd0, o.dst};
    if (d.format == kSop1 && (d.op == kMovreld32 || d.op == kMovreld64)) begin
      scalar_destinations.sgpr = r.wide ? {r.sdst[6:1], 1'b0} : r.sdst;
      if (!r.write) scalar_destinations.sgprs = 5'd0;
    end else if (d.cls == kClassBranch && r.push) begin
      scalar_destinations.sgpr  = {2'd0, csp, 2'd0};
      scalar_destinations.sgprs = 5'd4;
    end else if (trapped) begin
      scalar_destinations.sgpr  = 7'(kTtmp);
      scalar_destinations.sgprs = 5'd2;
    end
  endfunction

  // Of the vector ALU: a scalar register or a lane mask, and but for comparisons a VGPR or two.
  // `vgpr` is the destination if it exists; `lane` is the one that v_writelane names, active or not.
  function automatic destinations_t vector_destinations(input decoded_t d, input logic [31:0] word, input logic [7:0] vgpr,
                                                        input logic exists, input logic [63:0] exec, input logic [5:0] lane);
    cu_decode_ops_pkg::op_t o;
    o                         = cu_decode_ops_pkg::alu_op(d.format, word);
    vector_destinations       = '0;
    vector_destinations.sgpr  = d.sdst;
    vector_destinations.vgpr  = vgpr;
    vector_destinations.lanes = o.lane_sel ? 64'd1 << lane : exec;
    if (o.sgpr_dst) vector_destinations.sgprs = 5'd1;
    else begin
      if (o.mask_out) vector_destinations.sgprs = 5'd2;
      if (!d.compares && exists) vector_destinations.vgprs = {1'b0, o.dst};
    end
  endfunction

  // VGPRs from a first one on.
  function automatic destinations_t row_destinations(input logic [7:0] vgpr, input logic [2:0] count, input logic [63:0] exec);
    row_destinations       = '0;
    row_destinations.vgpr  = vgpr;
    row_destinations.vgprs = count;
    row_destinations.lanes = exec;
  endfunction

  // The scalar registers a record has, as its instruction has left them.
  function automatic logic [15:0][31:0] scalar_values(input logic [4095:0] s, input destinations_t to);
    integer k;
    scalar_values = '0;
    for (k = 0; k < 16; k = k + 1) if (k[4:0] < scalars_of(to)) scalar_values[k] = s[{to.sgpr+k[6:0], 5'd0}+:32];
  endfunction

  // With what a vector instruction leaves in a scalar register.
  function automatic record_t with_scalar(input record_t r, input logic [6:0] code, input logic [31:0] value);
    integer i;
    with_scalar = r;
    for (i = 0; i < 5; i = i + 1) if (code == status_code(i[2:0])) with_scalar.status[i] = value;
    if (code - r.to.sgpr < {2'd0, scalars_of(r.to)}) with_scalar.values[4'(code-r.to.sgpr)] = value;
  endfunction

  // With what a scalar load brings.
  function automatic record_t with_loaded(input record_t r, input logic [4095:0] s);
    with_loaded          = r;
    with_loaded.complete = 1'b1;
    with_loaded.values   = scalar_values(s, r.to);
    with_loaded.status   = chosen(status_destinations(r.to), status_words_of(s), r.status);
    with_loaded.stale    = r.stale & ~status_destinations(r.to);
  endfunction

endpackage

`endif
