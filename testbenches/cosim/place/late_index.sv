// SPDX-License-Identifier: Apache-2.0
// The project's own index DMA with one mistake: state_active is that of the cycle before, so that it
// is low in the cycle in which the idle unit takes a command.
module late_index (
  `include "vgt_index_dma_ports.svh"
);
  logic active, active_before;
  vgt_index_dma unit (.state_active(active), .*);
  always_ff @(posedge clk) active_before <= active && !rst;
  assign state_active = active_before;
endmodule
