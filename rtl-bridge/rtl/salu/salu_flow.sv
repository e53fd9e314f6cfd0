// SPDX-License-Identifier: Apache-2.0
// Where the wave goes on: branches on SCC, VCC and EXEC, jumps, forks and joins. A fork whose lanes
// part goes on with the smaller part; the other waits on the branch stack. Combinational.
`include "salu_pkg.sv"

module salu_flow
  import salu_pkg::*;
(
  input  flow_t       flow,
  input  logic [2:0]  branch,
  input  logic        relative,  // the target is SIMM16 away
  input  logic [63:0] s0,
  input  logic [63:0] s1,
  input  logic [15:0] k,
  input  logic        scc,
  input  logic [63:0] exec,
  input  logic [63:0] vcc,
  input  logic [63:0] pc,
  input  logic [2:0]  csp,
  input  logic [63:0] top_mask,
  input  logic [63:0] top_entry,
  input  logic        priv,
  output logic        jump,
  output logic [63:0] target,
  output logic        exec_write,
  output logic [63:0] exec_next,
  output logic [2:0]  csp_next,
  output logic        push,
  output logic [63:0] mask,
  output logic [63:0] entry,
  output logic        priv_next
);

  logic [63:0] away;
  assign away = pc + {{46{k[15]}}, k, 2'b00};

  // ---- branches
  logic holds;
  always_comb begin
    case (branch)
      3'd0: holds = !scc;
      3'd1: holds = scc;
      3'd2: holds = vcc == 64'd0;
      3'd3: holds = vcc != 64'd0;
      3'd4: holds = exec == 64'd0;
      3'd5: holds = exec != 64'd0;
      default: holds = 1'b1;
    endcase
  end

  // ---- forks
  logic [63:0] taken, rest, fork_target;
  logic        all_take, none_takes, parts, rest_first;
  assign taken       = s0 & exec;
  assign rest        = ~s0 & exec;
  assign fork_target = relative ? away : s1;
  assign all_take    = taken == exec;
  assign none_takes  = rest == exec;
  assign parts       = flow == kFork && !all_take && !none_takes;
  assign rest_first  = ones(rest) < ones(taken);

  // ---- joins
  logic pops;
  assign pops = flow == kJoin && {29'd0, csp} != s0[31:0];

  // ---- the next instruction
  logic [63:0] next;
  always_comb begin
    next = pc;
    case (flow)
      kBranch: if (holds) next = away;
      kJump, kReturn: next = s0;
      kFork: if (all_take || (!none_takes && !rest_first)) next = fork_target;
      kJoin: if (pops) next = top_entry;
      default: next = pc;
    endcase
  end
  assign jump   = (flow == kBranch && holds) || flow == kJump || next != pc;
  assign target = next;

  // ---- lanes
  assign exec_write = parts || pops;
  assign exec_next  = pops ? top_mask : rest_first ? rest : taken;
  assign push       = parts;
  assign mask       = rest_first ? taken : rest;
  assign entry      = rest_first ? fork_target : pc;
  assign csp_next   = parts ? csp + 3'd1 : pops ? csp - 3'd1 : csp;
  assign priv_next  = priv && flow != kReturn;

endmodule
