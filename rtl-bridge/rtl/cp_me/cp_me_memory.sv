// SPDX-License-Identifier: Apache-2.0
// The request to memory of an operation: its line, bytes and data.
`include "cp_me_pkg.sv"
module cp_me_memory (
  input  logic         valid,
  input  logic [4:0]   kind,
  input  logic [63:0]  address,
  input  logic [4:0]   dwords,
  input  logic [1:0]   swap,
  input  logic [511:0] data,
  input  logic [63:0]  operand,
  input  logic         kernel,
  input  logic [7:0]   vmid,
  input  logic [1:0]   ring,
  input  logic [7:0]   number,      // of the write
  input  logic         second,      // line of a read
  output logic         write,
  output logic [1:0]   mem_command,
  output logic [7:0]   mem_vmid,
  output logic [14:0]  mem_tag,
  output logic [57:0]  mem_line,
  output logic [63:0]  mem_mask,
  output logic [511:0] mem_data
);
  import cp_me_pkg::*;

  function automatic logic [31:0] swapped(input logic [31:0] v, input logic [1:0] code);
    case (code)
      2'd1: swapped = {v[23:16], v[31:24], v[7:0], v[15:8]};
      2'd2: swapped = {v[7:0], v[15:8], v[23:16], v[31:24]};
      default: swapped = v;
    endcase
  endfunction

  assign write = valid && kind == kMemWrite;
  wire atomic = valid && kind == kAtomic;
  wire [6:0] bytes = {dwords, 2'b00};
  wire [6:0] room = 7'd64 - {1'b0, address[5:0]};
  // What the first line does not hold is shifted out; 64 bytes are the ones of -1.
  wire [6:0] here = second ? bytes - room : bytes;
  wire [63:0] ones = (64'd1 << here) - 64'd1;

  assign mem_command = write ? 2'd1 : atomic ? 2'd2 : 2'd0;
  assign mem_vmid    = !valid || (write && kernel) ? 8'd0 : vmid;
  assign mem_tag     = !valid ? '0 : {write ? number : 8'd0, write, 4'd0, ring};
  assign mem_line    = !valid ? '0 : address[63:6] + {57'd0, second};
  assign mem_mask    = !valid ? '0 : second ? ones : ones << address[5:0];

  logic [4:0] place;
  always_comb begin
    mem_data = '0;
    place = '0;
    if (write)
      for (int i = 0; i < 16; i++) begin
        place = {1'b0, address[5:2]} + 5'(i);
        if (5'(i) < dwords && !place[4])
          mem_data[32*place[3:0]+:32] = swapped(data[32*i+:32], swap);
      end
    if (atomic) begin
      mem_data[32*address[5:2]+:32] = operand[31:0];
      if (dwords == 5'd2) mem_data[32*{address[5:3], 1'b1}+:32] = operand[63:32];
    end
  end
endmodule
