// SPDX-License-Identifier: Apache-2.0
// The project's own L2 channel with one mistake. state_waits is the state before the clock edge, so
// that it is high in the cycle in which an idle channel takes something; or, with IDLE, state_idle
// is always high.
module late_l2 #(
  parameter bit IDLE = 1'b0
) (
  `include "tc_l2_bank_ports.svh"
);
  logic idle, waits, waits_before;
  tc_l2_bank bank (.state_idle(idle), .state_waits(waits), .*);
  always_ff @(posedge clk) waits_before <= waits || rst;
  assign state_idle  = IDLE || idle;
  assign state_waits = IDLE ? waits : waits_before;
endmodule
