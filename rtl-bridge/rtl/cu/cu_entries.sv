// SPDX-License-Identifier: Apache-2.0
// Reads the instruction buffers, the block that arrives in this cycle included. To be included in a
// module that has buffers, block, block_taken, entries_in, entry_before (of cu_fetched) and spec.

function automatic entry_t entry_at(input logic [5:0] number, input logic [63:0] pc);
  logic [2:0] place;
  place = block_index(pc, spec.fetch_blocks);
  if (block_taken && number == block.wave && place == block.place) entry_at = entries_in[pc[4:2]];
  else if (block_taken && number == block.wave && place == block.previous && pc[4:2] == 3'd7) entry_at = entry_before;
  else entry_at = buffers[{number, place, pc[4:2]}];
endfunction
