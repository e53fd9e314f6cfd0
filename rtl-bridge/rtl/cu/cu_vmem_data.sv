// SPDX-License-Identifier: Apache-2.0
// What vector memory instructions on their way have at the edge: of each four addresses and four dwords
// of a lane, lanes that found no memory, and its requests, which answers bring their bytes. Of those
// that read texels only which requests are open; cu_images has the rest.
`include "cu_pkg.sv"

// Some members of operations have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_vmem_data
  import cu_pkg::*;
(
  input  logic              clk,
  input  logic              rst,
  input  logic              held,             // nothing moves in this cycle
  input  vmem_ops_t         vmem_ops,
  // an instruction issues
  input  logic              issued,
  input  logic [5:0]        index,
  input  logic [16383:0]    addresses,
  input  logic [8191:0]     values,
  // requests leave
  input  logic [3:0]        requests_valid,
  input  logic [3:0][31:0]  requests_tag,
  input  logic [3:0][57:0]  requests_line,
  input  logic [3:0][63:0]  requests_lanes,
  // answers arrive
  input  logic [3:0]        answers_taken,
  input  logic [3:0][31:0]  answers_tag,
  input  logic [3:0][1:0]   answers_status,
  input  logic [3:0][511:0] answers_data,
  output vmem_addresses_t   vmem_addresses,   // operation, dword
  output vmem_values_t      vmem_values,
  output vmem_failed_t      vmem_failed,
  output request_lanes_t    request_lanes,    // operation, request: lanes that wait for the answer
  output texels_open_t      texels_open       // operation: its requests that wait for an answer
);

  logic [57:0] request_lines [0:32767];

  // Written by loops, read by no other block at the edge.
  /* verilator lint_off BLKSEQ */
  // An answer's bytes go to the lanes that wait for them.
  function automatic void take(input logic [1:0] n);
    integer      l, k, b;
    logic [5:0]  op;
    logic [14:0] request;
    logic [63:0] at;
    op      = answers_tag[n][21:16];
    request = {op, answers_tag[n][8:0]};
    if (answers_status[n] == 2'd1) vmem_failed[op] = vmem_failed[op] | request_lanes[request];
    if (vmem_ops[op].kind != kStore)
      for (l = 0; l < 64; l = l + 1)
        if (request_lanes[request][l])
          for (k = 0; k < 4; k = k + 1)
            for (b = 0; b < 4; b = b + 1) begin
              at = (vmem_ops[op].contiguous ? vmem_addresses[{op, 2'd0}][64*l+:64] + {60'd0, k[1:0], 2'd0}
                                            : vmem_addresses[{op, k[1:0]}][64*l+:64]) + {62'd0, b[1:0]};
              if ({k[2:0], b[1:0]} < vmem_ops[op].bytes && at[63:6] == request_lines[request]
                  && (vmem_ops[op].contiguous || vmem_ops[op].dword_lanes[k][l]))
                vmem_values[{op, k[1:0]}][32*l+8*b+:8] = answers_data[n][8*at[5:0]+:8];
            end
    request_lanes[request] = 64'd0;
  endfunction

  function automatic void send(input logic [1:0] n);
    logic [5:0]  op;
    logic [14:0] request;
    op      = requests_tag[n][21:16];
    request = {op, requests_tag[n][8:0]};
    if (vmem_ops[op].texels) texels_open[op][requests_tag[n][10:0]] = 1'b1;
    else begin
      request_lines[request] = requests_line[n];
      request_lanes[request] = requests_lanes[n];
    end
  endfunction

  integer n;
  always_ff @(posedge clk) begin : memories
    if (!rst && !held) begin
      if (issued) begin
        vmem_failed[index] = 64'd0;
        texels_open[index] = '0;
        for (n = 0; n < 4; n = n + 1) begin
          vmem_addresses[{index, n[1:0]}] = addresses[4096*n+:4096];
          vmem_values[{index, n[1:0]}]    = values[2048*n+:2048];
        end
      end
      for (n = 0; n < 4; n = n + 1) begin
        if (answers_taken[n] && vmem_ops[answers_tag[n][21:16]].texels)
          texels_open[answers_tag[n][21:16]][answers_tag[n][10:0]] = 1'b0;
        else if (answers_taken[n]) take(n[1:0]);
      end
      for (n = 0; n < 4; n = n + 1) if (requests_valid[n]) send(n[1:0]);
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
