// SPDX-License-Identifier: Apache-2.0
// Rows that the wave finds which is launched next: whose they are, until its launch takes them. What
// they hold cu_registers and cu_share keep.
module cu_init (
  input  logic       clk,
  input  logic       rst,
  input  logic       valid,        // a row comes
  input  logic [5:0] wave,
  input  logic       launched,
  input  logic [5:0] launch_wave,
  output logic       first,        // the row is the wave's first one: what was kept is void
  output logic       taken         // the launch takes what is kept, a row of the same cycle included
);

  logic       kept;
  logic [5:0] owner, owner_now;
  assign owner_now = valid ? wave : owner;
  assign first     = valid && !(kept && owner == wave);
  assign taken     = launched && (kept || valid) && owner_now == launch_wave;
  always_ff @(posedge clk) begin : keep
    kept  <= !rst && (kept || valid) && !taken;
    owner <= owner_now;
  end

endmodule
