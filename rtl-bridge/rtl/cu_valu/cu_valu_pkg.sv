// SPDX-License-Identifier: Apache-2.0
// What the parts of a SIMD's vector ALU tell each other.
`ifndef CU_VALU_PKG_SV
`define CU_VALU_PKG_SV
package cu_valu_pkg;

  // What an instruction is beside the operation of its lanes.
  typedef struct packed {
    logic [8:0] lane_op;        // operation of each lane, an opcode of valu_lane
    logic       accumulates;    // the destination is the third source
    logic       literal_second; // the literal takes the place of the second source, which becomes the third
    logic       literal_third;  // the literal takes the place of the third source
    logic       below_low;      // of SRC0 bits of lower lanes count: those of lanes 0 to 31
    logic       below_high;     // those of lanes 32 to 63
    logic       reads_lane;     // SRC1 names the lane whose SRC0 goes to an SGPR
    logic       reads_first;    // the first active lane's does
    logic       writes_lane;    // SRC1 names the lane that is written, active or not
    logic       writes_row;     // a vector register is written
    logic       writes_mask;    // a bit for each lane is
    logic       writes_exec;    // EXEC is, too
  } kind_t;

endpackage
`endif
