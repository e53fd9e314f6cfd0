// SPDX-License-Identifier: Apache-2.0
// What the vector ALU hands from the instruction that issues to the lanes of its SIMD, and from these to
// the registers.
`ifndef CU_VECTOR_PKG_SV
`define CU_VECTOR_PKG_SV
`include "cu_decode_pkg.sv"

package cu_vector_pkg;
  import cu_decode_pkg::*;

  // An instruction, and what it has read beside vector registers.
  typedef struct packed {
    logic [5:0]    wave;
    decoded_t      d;
    logic [9:0]    row;              // its destination, in the register files
    logic          exists;           // there is one: cu_valu_registers
    logic [5:0]    chosen;           // lane: cu_valu_chosen
    logic [31:0]   s0, s1, s2;       // sources that are no vector registers
    logic [63:0]   mask;             // VCC, or the pair that SRC2 names
    logic [63:0]   exec;
    logic [1:0]    round, denorm;    // MODE, single precision
    logic          dx10, ieee;
  } vector_op_t;

  // The vector registers it reads, its destination among them: 64 lanes.
  typedef struct packed {
    logic [2047:0] v0, v1, v2, old;
  } vector_rows_t;

  // What one step of four does: 16 lanes, from 16 times its number on. Lanes that a return has written
  // since the instruction issued are `lost`: the return is the later one. What all lanes leave together
  // is there in the last step, where dwords that a scalar load has written since are `loaded`.
  typedef struct packed {
    logic          valid;
    logic [1:0]    number;
    logic [5:0]    wave;
    logic [9:0]    row;
    logic [15:0]   written, lost;
    logic          mask_write, exec_write, scalar_write;
    logic [6:0]    code;             // of the mask or the scalar
    logic [63:0]   mask;
    logic [31:0]   scalar;
    logic [127:0]  loaded;           // by operand code
    logic [511:0]  values;
  } vector_step_t;
  typedef vector_step_t vector_steps_t [0:3];  // by SIMD

endpackage

`endif
