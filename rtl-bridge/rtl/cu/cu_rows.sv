// SPDX-License-Identifier: Apache-2.0
// Reads VGPRs of all lanes, those included that are written in this cycle by what returns. To be
// included in a module that has waves, vgprs, returned and returned_rows.

function automatic logic [2047:0] row(input logic [5:0] number, input logic [7:0] register);
  logic [7:0] k;
  k   = register - returned.vdst;
  row = vgprs[{number[5:4], waves[number].vgpr_base + register}];
  if (returned.valid && returned.wave == number && k < {5'd0, returned.count}) row = returned_rows[2048*k+:2048];
endfunction

// Two VGPRs from a number on.
function automatic logic [4095:0] rows(input logic [5:0] number, input logic [7:0] first);
  rows = {row(number, first + 8'd1), row(number, first)};
endfunction
