// SPDX-License-Identifier: Apache-2.0
// Loads to LDS: a dword for each lane, those of consecutive lanes beside each other from any byte on. A
// dword of the storage may get bytes of two lanes.
`ifndef CU_LDS_LOAD_PKG_SV
`define CU_LDS_LOAD_PKG_SV
package cu_lds_load_pkg;

  typedef struct packed {
    logic          valid;
    logic [16:0]   at;     // of lane 0, bytes
    logic [63:0]   lanes;  // that are written: those inside the part of the wave's group
    logic [2047:0] data;   // lane n at n times 32
  } lds_load_t;

  // Dword `number` of the storage after a load.
  function automatic logic [31:0] behind_load(input logic [31:0] dword, input logic [13:0] number, input lds_load_t load);
    integer      b;
    logic [17:0] place;    // in the load, bytes
    behind_load = dword;
    place       = 18'd0;
    if (load.valid) begin
      for (b = 0; b < 4; b = b + 1) begin
        place = {2'd0, number, b[1:0]} - {1'b0, load.at};
        if (place < 18'd256 && load.lanes[place[7:2]]) behind_load[8*b+:8] = load.data[{place[7:0], 3'd0}+:8];
      end
    end
  endfunction

endpackage
`endif
