// SPDX-License-Identifier: Apache-2.0
// What SPI's dispatcher holds of a dispatch, of a group, and of a wave that leaves.
`ifndef SPI_DISPATCH_PKG_SV
`define SPI_DISPATCH_PKG_SV
package spi_dispatch_pkg;

  // What the waves of a dispatch have in common.
  typedef struct packed {
    logic [31:0]       number;
    logic [3:0]        vmid;
    logic [1:0]        prio;
    logic [47:0]       pc;
    logic [6:0]        vgprs;
    logic [6:0]        sgprs;
    logic [8:0]        lds;
    logic [7:0]        float_mode;
    logic              dx10_clamp;
    logic              ieee;
    logic              privileged;
    logic              trap;
    logic [6:0]        exceptions;
    logic [47:0]       tba;
    logic [47:0]       tma;
    logic [1:0]        ids;
  } program_t;

  // What the waves are made with.
  typedef struct packed {
    program_t          common;
    logic [4:0]        user_sgprs;
    logic [15:0][31:0] user_data;
    logic              tgid_x;
    logic              tgid_y;
    logic              tgid_z;
    logic              tg_size;
    logic              ordered;
    logic              ordered_by_group;
    logic              scratch;
    logic [12:0]       scratch_size;
  } waves_t;

  // What the walk goes by.
  typedef struct packed {
    logic [31:0]       start_x;
    logic [31:0]       start_y;
    logic [31:0]       start_z;
    logic [31:0]       end_x;
    logic [31:0]       end_y;
    logic [31:0]       end_z;
    logic [10:0]       size_x;
    logic [10:0]       size_y;
    logic [10:0]       size_z;
    logic [10:0]       last_x;
    logic [10:0]       last_y;
    logic [10:0]       last_z;
    logic [11:0]       scratch_waves;
    logic [9:0]        most_waves;
    logic [3:0]        most_groups;
    logic [63:0]       enabled;
    logic [3:0]        ranges;
    logic              others;
    logic [7:0][31:0]  range_first;
    logic [7:0][31:0]  range_last;
  } walk_t;

  typedef struct packed {
    logic [31:0]       number;  // x fastest
    logic [31:0]       x;
    logic [31:0]       y;
    logic [31:0]       z;
    logic [10:0]       size_x;
    logic [10:0]       size_y;
    logic [10:0]       size_z;
    logic [10:0]       threads;
    logic [4:0]        waves;
  } group_t;

  // Where a group goes.
  typedef struct packed {
    logic              array;
    logic [3:0]        cu;
    logic [5:0]        group;
    logic [7:0]        lds;
    logic [15:0][1:0]  simd;  // by wave
    logic [15:0][3:0]  slot;
    logic [15:0][5:0]  vgpr;
    logic [15:0][5:0]  sgpr;
  } grant_t;

  // A cycle's part of a wave.
  typedef struct packed {
    logic [1:0]        beat;
    logic              array;
    logic [3:0]        cu;
    logic [1:0]        simd;
    logic [3:0]        slot;
    logic [5:0]        group_slot;
    program_t          common;
    logic [31:0]       group;
    logic [3:0]        wave;
    logic [4:0]        waves;
    logic [63:0]       exec;
    logic [5:0]        vgpr;
    logic [5:0]        sgpr;
    logic [7:0]        lds_first;
    logic [11:0]       scratch_slot;
    logic [10:0]       size_x;
    logic [10:0]       size_y;
    logic [10:0]       size_z;
    logic [4:0]        sgpr_count;
    logic [20:0][31:0] sgpr_data;
    logic [15:0][9:0]  id_x;
    logic [15:0][9:0]  id_y;
    logic [15:0][9:0]  id_z;
  } launch_t;

endpackage
`endif
