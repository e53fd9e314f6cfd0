// SPDX-License-Identifier: Apache-2.0
// Reads VGPRs of all lanes, those included that are written in this cycle by what returns. To be
// included in a module that has waves, vgprs, returned and returned_rows.

function automatic logic [2047:0] row_behind_gds(input logic [5:0] number, input logic [7:0] register);
  logic [7:0] k;
  k              = register - returned.gds.vdst;
  row_behind_gds = vgprs[{number[5:4], waves[number].vgpr_base + register}];
  if (returned.gds.valid && returned.gds.wave == number && k < {5'd0, returned.gds.count})
    row_behind_gds = returned_rows[10240+2048*k+:2048];
endfunction

function automatic logic [2047:0] row(input logic [5:0] number, input logic [7:0] register);
  logic [7:0] k;
  k   = register - returned.memory.vdst;
  row = row_behind_gds(number, register);
  if (returned.memory.valid && returned.memory.wave == number && k < {5'd0, returned.memory.count})
    row = returned_rows[2048*k+:2048];
endfunction

// Two VGPRs from a number on.
function automatic logic [4095:0] rows(input logic [5:0] number, input logic [7:0] first);
  rows = {row(number, first + 8'd1), row(number, first)};
endfunction
