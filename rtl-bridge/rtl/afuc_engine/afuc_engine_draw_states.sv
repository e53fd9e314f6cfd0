// SPDX-License-Identifier: Apache-2.0
// Draw states: 32 groups, each with its header, the base of its buffer, and how far the buffer has
// been read while another group is selected. What is kept of a group may be read in the same cycle.
module afuc_engine_draw_states (
  input  logic        clk,
  input  logic        clear,
  // a group is set: its header, and words of its base
  input  logic        set,
  input  logic [4:0]  set_group,
  input  logic [18:0] set_header,
  input  logic [1:0]  set_base,
  input  logic [63:0] set_base_value,
  // another group is selected; of the one before is kept how far it was read
  input  logic        select,
  input  logic [4:0]  group,
  input  logic [95:0] reached,
  output logic [18:0] header,
  output logic [63:0] base,
  output logic [95:0] resume
);

  logic [18:0] headers [0:31];
  logic [31:0] lows    [0:31];
  logic [31:0] highs   [0:31];
  logic [95:0] states  [0:31];
  logic [31:0] has_header, has_low, has_high, has_state;
  logic [4:0]  selected;

  assign header = has_header[group] ? headers[group] : 19'd0;
  assign base = {has_high[group] ? highs[group] : 32'd0, has_low[group] ? lows[group] : 32'd0};
  assign resume = group == selected ? reached : has_state[group] ? states[group] : 96'd0;

  always_ff @(posedge clk) begin
    if (set) begin
      headers[set_group] <= set_header;
      has_header[set_group] <= 1'b1;
    end
    if (set && set_base[0]) begin
      lows[set_group] <= set_base_value[31:0];
      has_low[set_group] <= 1'b1;
    end
    if (set && set_base[1]) begin
      highs[set_group] <= set_base_value[63:32];
      has_high[set_group] <= 1'b1;
    end
    if (select) begin
      states[selected] <= reached;
      has_state[selected] <= 1'b1;
      selected <= group;
    end
    if (clear) begin
      has_header <= 32'd0;
      has_low <= 32'd0;
      has_high <= 32'd0;
      has_state <= 32'd0;
      selected <= 5'd0;
    end
  end

endmodule
