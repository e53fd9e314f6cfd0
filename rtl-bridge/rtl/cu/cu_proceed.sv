// SPDX-License-Identifier: Apache-2.0
// Second part of a cycle: issue. What an instruction that is granted does to its wave, its SIMD and the
// queues, by action. What it does to registers and memories other parts say; this one says that it does.
`include "cu_pkg.sv"
`include "salu_pkg.sv"
`include "cu_message_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_smem_pkg.sv"

// Some members of operations have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_proceed
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_message_pkg::*;
  import cu_scalar_pkg::*;
  import cu_smem_pkg::*;
(
  input  spec_t               spec,
  input  cycle_t              now,
  input  logic [1:0]          turn,               // SIMD that issues
  input  logic                hold,               // nothing issues
  input  logic [15:0][3:0]    reasons,            // why a slot issues or not
  input  slot_entries_t       entries,
  // state
  input  waves_t              waves_before,
  input  simds_t              simds_before,
  input  groups_t             groups_before,
  input  queues_t             queues_before,
  input  logic                stop_before,
  input  logic [2:0]          reason_before,
  input  stop_place_t         stop_place_before,
  // what the units say of the instructions that issue
  input  slot_scalars_t       scalars,     // registers they find
  input  salu_pkg::results_t  salu_out,
  input  salu_pkg::results_t  branch_out,
  input  logic [4095:0]       valu_scalars,       // registers behind the vector instruction
  input  logic [7:0]          ds_passes,
  input  logic [2:0]          vmem_refused,       // why the unit stops; 0: it does not
  input  logic [1:0]          vmem_kind,
  // the state after them
  output waves_t              waves,
  output simds_t              simds,
  output groups_t             groups,
  output queues_t             queues,
  output logic                stop,
  output logic [2:0]          reason,
  output stop_place_t         stop_place,
  // for the rest of the cycle, as in cu_waves.sv
  output logic [63:0]         prepare,
  output logic [63:0]         prepare_alone,
  output marked_t             marked,
  output logic [7:0]          marks,
  output logic [63:0]         released,
  output logic [63:0][3:0]    alone,
  // what is written to registers and memories
  output logic [15:0]         alu_valid,          // slots whose scalar registers are replaced
  output slot_scalars_t       alu_scalars,
  output logic                valu_executes,
  output logic                ds_executes,        // or an interpolation in its place
  output logic [9:0]          ds_row,             // first destination in the register files
  output logic                ds_counts,          // it has an end, for the ring of these
  output timed_t              ds_end,
  output logic [9:0]          ds_end_at,
  output logic                smem_issued,
  output logic [5:0]          smem_index,
  output smem_op_t            smem_new,
  output logic                vmem_issued,
  output logic [5:0]          vmem_index,
  output logic                icache_invalidate,
  output logic                gds_issued,
  output logic [5:0]          gds_index,
  output logic                export_issued,
  output logic                message_issued,
  output message_t            message,
  output timed_t              message_end,        // for the ring of ends
  output logic [10:0]         message_end_at
);

  // Reasons of the arbiter.
  localparam logic [3:0] kGranted = 4'd1;
  localparam logic [3:0] kHoldVm = 4'd7;
  localparam logic [3:0] kHoldExp = 4'd8;
  localparam logic [3:0] kHoldLgkm = 4'd9;
  // Of SOPP.
  localparam logic [8:0] kSetKill = 9'd11;
  localparam logic [8:0] kSetHalt = 9'd13;

`include "cu_waves.sv"

  function automatic void refuse(input logic [2:0] why, input issuing_t i);
    stops_at(why, i.wave, i.from, i.words);
  endfunction

  // ---- parts of several actions
  // The wave's priority may have changed.
  function automatic void put_in_order(input logic [5:0] w);
    simds[turn] = without(simds[turn], w[3:0]);
    simds[turn] = inserted(simds[turn], w[3:0], place_of(w));
  endfunction

  // The program counter has moved by a jump, which takes until `ready_at`.
  function automatic void jump(input issuing_t i, input cycle_t ready_at);
    if (waves[i.wave].pc[1:0] != 2'd0) refuse(kStopBadInput, i);
    waves[i.wave].ready_at = ready_at;
    waves[i.wave]          = jumped(waves[i.wave]);
  endfunction

  // The wave stays at the instruction with a status.
  function automatic void stay(input issuing_t i, input logic [2:0] status);
    waves[i.wave].pc     = i.from;
    waves[i.wave].status = status;
    prepare[i.wave]      = 1'b0;
  endfunction

  // The wave ends when its counters are zero.
  function automatic void end_or_drain(input logic [5:0] w);
    waves[w].status = kEnding;
    prepare[w]      = 1'b0;
    if (drained(waves[w])) end_wave(w);
  endfunction

  // ---- vector instructions
  function automatic void execute_valu(input issuing_t i);
    logic [5:0]  w;
    logic [11:0] stall;
    w                             = i.wave;
    valu_executes                 = 1'b1;
    alu_valid[w[3:0]]             = 1'b1;
    alu_scalars[w[3:0]]           = valu_scalars;
    simds[turn].valu_free         = now + {32'd0, i.cycles};
    stall                         = i.d.compares ? spec.compare_to_salu_stall : spec.valu_to_salu_stall;
    if (i.d.sgprs != 128'd0 && stall != 12'd0) begin
      waves[w].hazard_sgprs = i.d.sgprs | (waves[w].hazard_until > now ? waves[w].hazard_sgprs : 128'd0);
      waves[w].hazard_until = now + {32'd0, i.cycles} + {52'd0, stall};
    end
    waves[w] = changed(waves[w], i.d, now, spec);
  endfunction

  // ---- scalar instructions and branches
  function automatic salu_pkg::results_t result_of(input decoded_t d);
    result_of = d.cls == kClassBranch ? branch_out : salu_out;
  endfunction

  function automatic void write_scalar_result(input issuing_t i);
    salu_pkg::results_t r;
    r                        = result_of(i.d);
    alu_valid[i.wave[3:0]]   = 1'b1;
    alu_scalars[i.wave[3:0]] = scalars_behind(scalars[i.wave[3:0]], waves[i.wave].csp, r);
    waves[i.wave]            = wave_behind(waves[i.wave], i.d.simm16[5:0], r);
  endfunction

  function automatic void execute_scalar(input issuing_t i);
    write_scalar_result(i);
    waves[i.wave] = changed(waves[i.wave], i.d, now, spec);
  endfunction

  function automatic void execute_branch(input issuing_t i);
    logic [5:0]         w;
    salu_pkg::results_t r;
    w = i.wave;
    r = result_of(i.d);
    write_scalar_result(i);
    waves[w] = changed(waves[w], i.d, now, spec);
    if (r.jump)
      jump(i, now + {52'd0, spec.branch_taken_cycles} + (i.alone ? jump_penalty(i.from, waves[w].pc, spec) : 64'd0));
    else if (i.alone && {1'b0, i.from[4:2]} > spec.fetch_free_dwords)
      waves[w].ready_at = waves[w].ready_at
                        + {52'd0, spec.fetch_not_taken_penalty} * {60'd0, {1'b0, i.from[4:2]} - spec.fetch_free_dwords};
  endfunction

  // s_setkill, s_sethalt, s_trap: TTMP0 and 1 have its address and number.
  function automatic void execute_internal(input issuing_t i);
    logic [5:0]    w;
    logic [4095:0] s;
    w = i.wave;
    s = scalars[w[3:0]];
    case (i.d.op)
      kSetKill: waves[w].killed = i.d.simm16[0];
      kSetHalt: waves[w].halt = i.d.simm16[0];
      default:
        if (waves[w].trap_en) begin
          s[32*kTtmp+:64]     = {8'd0, i.d.simm16[7:0], 48'(i.next - 64'd4)};
          waves[w].pc         = {16'd0, s[32*kTba+:48]};
          waves[w].privileged = 1'b1;
        end
    endcase
    alu_valid[w[3:0]]   = 1'b1;
    alu_scalars[w[3:0]] = s;
  endfunction

  function automatic void execute_control(input issuing_t i);
    logic [5:0] w;
    logic [1:0] priority_before;
    w               = i.wave;
    priority_before = waves[w].prio;
    if (i.d.cls == kClassInternal) execute_internal(i);
    else write_scalar_result(i);
    if (waves[w].prio != priority_before) put_in_order(w);
    if (waves[w].pc != i.next) jump(i, now + {52'd0, spec.branch_taken_cycles});
  endfunction

  // A wave that is killed ends, one that is halted issues no more; a privileged one does neither.
  function automatic void kill_or_halt(input logic [5:0] w);
    if (!waves[w].privileged) begin
      if (waves[w].killed) end_or_drain(w);
      else if (waves[w].halt) begin
        prepare[w]      = 1'b0;
        waves[w].status = kHalted;
      end
    end
  endfunction

  // ---- memory
  // The clock, and loads with no dword in range, need no memory.
  function automatic void execute_scalar_memory(input issuing_t i);
    smem_issued                  = 1'b1;
    smem_index                   = lowest(queues.smem_free);
    smem_new                     = scalar_operation(i, scalars[i.wave[3:0]], waves[i.wave].vmid);
    queues.smem_free             = queues.smem_free & (queues.smem_free - 64'd1);
    queues.smem_sent[smem_index] = 1'b0;
    waves[i.wave].lgkm           = waves[i.wave].lgkm + 5'd1;
    if (smem_new.kind == kScalarTime || (smem_new.kind != kScalarInvalidate && smem_new.valid == 5'd0))
      queues.memtimes = timed(queues.memtimes, now + {52'd0, spec.memtime_cycles}, smem_index);
    else begin
      queues.smem_queue        = pushed(queues.smem_queue, smem_index);
      simds[turn].smem_waiting = simds[turn].smem_waiting + 5'd1;
    end
  endfunction

  // LDS serves one instruction after the other.
  function automatic void occupy_lds(input issuing_t i, input logic [31:0] service);
    logic [2:0] next;
    queues.lds_free            = (now > queues.lds_free ? now : queues.lds_free) + {32'd0, service};
    next                       = simds[turn].lds_next;
    simds[turn].lds_ends[next] = queues.lds_free;
    simds[turn].lds_next       = {1'b0, next} + 4'd1 == spec.lds_queue ? 3'd0 : next + 3'd1;
    ds_executes                = 1'b1;
    ds_row                     = {turn, waves[i.wave].vgpr_base + i.d.vdst};
  endfunction

  // As long as reading the operands or the passes take.
  function automatic void execute_ds(input issuing_t i);
    logic [31:0] service, passes;
    passes  = {24'd0, ds_passes} * {20'd0, spec.lds_bank_cycles};
    service = {28'd0, i.d.lds_operands} * {20'd0, spec.lds_operand_cycles};
    if (service < passes) service = passes;
    if (service == 32'd0) service = 32'd1;
    occupy_lds(i, service);
    ds_counts          = 1'b1;
    ds_end             = {queues.lds_free + {52'd0, spec.lds_latency}, i.wave};
    ds_end_at          = queues.lds_head + queues.lds_count[9:0];
    queues.lds_count   = queues.lds_count + 11'd1;
    waves[i.wave].lgkm = waves[i.wave].lgkm + 5'd1;
  endfunction

  function automatic void execute_vector_memory(input issuing_t i);
    logic [5:0] w;
    logic [3:0] place;
    w                      = i.wave;
    if (vmem_refused != 3'd0) refuse(vmem_refused, i);
    vmem_issued            = 1'b1;
    vmem_index             = lowest(queues.vmem_free);
    queues.vmem_free       = queues.vmem_free & (queues.vmem_free - 64'd1);
    queues.ta_queue        = timed(queues.ta_queue, now + {52'd0, spec.ta_latency}, vmem_index);
    simds[turn].ta_waiting = simds[turn].ta_waiting + 5'd1;
    place                  = waves[w].vmem_head + waves[w].vmem_count[3:0];
    waves[w].vmem[place]   = vmem_index;
    waves[w].vmem_count    = waves[w].vmem_count + 5'd1;
    waves[w].vm            = waves[w].vm + 4'd1;
    if (vmem_kind == kStore || vmem_kind == kAtomic) waves[w].exp = waves[w].exp + 3'd1;
  endfunction

  // ---- exports, the global data share, messages
  // expcnt falls when the registers have been read.
  function automatic void read_registers(input logic [5:0] w);
    queues.export_free   = now + {52'd0, spec.export_cycles};
    queues.export_active = 1'b1;
    queues.export_wave   = w;
    waves[w].exp         = waves[w].exp + 3'd1;
  endfunction

  function automatic void execute_export(input issuing_t i);
    export_issued         = 1'b1;
    waves[i.wave].exports = waves[i.wave].exports + 32'd1;
    read_registers(i.wave);
  endfunction

  function automatic void execute_gds(input issuing_t i);
    gds_issued         = 1'b1;
    gds_index          = lowest(queues.gds_free);
    queues.gds_free    = queues.gds_free & (queues.gds_free - 64'd1);
    waves[i.wave].lgkm = waves[i.wave].lgkm + 5'd1;
    read_registers(i.wave);
  endfunction

  function automatic void execute_message(input issuing_t i);
    if (!message_exists(i.d.simm16)) refuse(kStopBadInput, i);
    else if (i.d.simm16[3:0] != kNoMessage) begin
      message_issued       = 1'b1;
      message              = message_of(i.d.simm16);
      message.wave         = i.wave;
      message.pc           = i.from;
      message.m0           = m0_of(scalars[i.wave[3:0]]);
      message.exec         = exec_of(scalars[i.wave[3:0]]);
      message_end          = {now + {52'd0, spec.message_cycles}, i.wave};
      message_end_at       = queues.message_head + queues.message_count[10:0];
      queues.message_count = queues.message_count + 12'd1;
      waves[i.wave].lgkm   = waves[i.wave].lgkm + 5'd1;
    end
    if (i.d.halts) waves[i.wave].halt = 1'b1;
  endfunction

  // ---- waiting, ends
  function automatic void execute_wait(input issuing_t i);
    stay(i, kWaiting);
    if (low_enough(waves[i.wave], i.d)) go_on(i.wave, now);
  endfunction

  function automatic void execute_barrier(input issuing_t i);
    logic [5:0] g;
    g = waves[i.wave].group_slot;
    if (groups[g].waves > 5'd1) begin
      stay(i, kAtBarrier);
      groups[g].arrived = groups[g].arrived + 5'd1;
      look_at_barrier(g);
    end
  endfunction

  function automatic void execute_end(input issuing_t i);
    waves[i.wave].pc = i.from;
    end_or_drain(i.wave);
  endfunction

  // Until LDS serves what comes now.
  function automatic logic [31:0] lds_wait();
    lds_wait = queues.lds_free > now ? 32'(queues.lds_free - now) : 32'd0;
  endfunction

  // ---- an instruction
  function automatic issuing_t instruction_of(input logic [5:0] w);
    entry_t e;
    e                     = entries[w[3:0]];
    instruction_of.wave   = w;
    instruction_of.alone  = simds[turn].waves == 5'd1;
    instruction_of.from   = waves[w].pc;
    instruction_of.words  = e.words;
    instruction_of.d      = skipped(e.d, waves[w].vskip);
    instruction_of.next   = waves[w].pc + (e.d.two ? 64'd8 : 64'd4);
    case (instruction_of.d.action)
      kScalarMem:   instruction_of.cycles = {20'd0, smem_cycles(e.d, spec)};
      kInterpolate: instruction_of.cycles = lds_wait() + {20'd0, spec.interpolate_cycles};
      default:      instruction_of.cycles = cycles_behind(instruction_of.d, spec);
    endcase
  endfunction

  function automatic void execute(input issuing_t i);
    case (i.d.action)
      kValu, kLdsDirect: execute_valu(i);
      kInterpolate: occupy_lds(i, {20'd0, spec.interpolate_cycles});
      kScalar:    execute_scalar(i);
      kBranch:    execute_branch(i);
      kControl:   execute_control(i);
      kScalarMem: execute_scalar_memory(i);
      kLds:       execute_ds(i);
      kVectorMem: execute_vector_memory(i);
      kGds:       execute_gds(i);
      kExport:    execute_export(i);
      kMessage:   execute_message(i);
      kWait:      execute_wait(i);
      kBarrier:   execute_barrier(i);
      kEnd:       execute_end(i);
      kSetPriority: begin
        waves[i.wave].prio = i.d.simm16[1:0];
        put_in_order(i.wave);
      end
      kInvalidateInst: begin
        icache_invalidate = 1'b1;
        waves[i.wave]     = jumped(waves[i.wave]);
      end
      default: ;
    endcase
  endfunction

  function automatic void issue(input logic [5:0] w);
    issuing_t   i;
    logic [3:0] refused;
    i       = instruction_of(w);
    refused = refusal(i.d, waves[w]);
    if (refused[3]) refuse(refused[2:0], i);
    else begin
      waves[w]                 = issuing(waves[w], i.d);
      waves[w].ready_at        = now + {32'd0, i.cycles};
      waves[w].after_long_pair = i.d.two && i.cycles >= {27'd0, spec.simds, 2'd0};
      mark(w, i.alone);
      execute(i);
      // Jumps have emptied the buffer.
      if (prepare[w] && waves[w].pc == i.next && waves[w].generation == waves_before[w].generation)
        waves[w] = advanced(waves[w], i.from, spec.fetch_blocks);
      if (i.d.action == kControl || i.d.action == kMessage) kill_or_halt(w);
    end
  endfunction

  always_comb begin : proceed
    integer     k;
    logic [5:0] w;
    waves             = waves_before;
    simds             = simds_before;
    groups            = groups_before;
    queues            = queues_before;
    stop              = stop_before;
    reason            = reason_before;
    stop_place        = stop_place_before;
    marked            = '0;
    marks             = 8'd0;
    prepare           = '0;
    prepare_alone     = '0;
    released          = '0;
    alone             = '0;
    alu_valid         = '0;
    alu_scalars       = '{default: '0};
    valu_executes     = 1'b0;
    ds_executes       = 1'b0;
    ds_row            = 10'd0;
    ds_counts         = 1'b0;
    ds_end            = '0;
    ds_end_at         = 10'd0;
    smem_issued       = 1'b0;
    smem_index        = 6'd0;
    smem_new          = '0;
    vmem_issued       = 1'b0;
    vmem_index        = 6'd0;
    icache_invalidate = 1'b0;
    gds_issued        = 1'b0;
    gds_index         = 6'd0;
    export_issued     = 1'b0;
    message_issued    = 1'b0;
    message           = '0;
    message_end       = '0;
    message_end_at    = 11'd0;
    w                 = 6'd0;
    if (!hold)
      for (k = 0; k < 16; k = k + 1) begin
        w = {turn, simds_before[turn].order[k]};
        if (k[4:0] < simds_before[turn].waves && waves_before[w].status == kReady && !stop)
          case (reasons[w[3:0]])
            kHoldVm, kHoldExp, kHoldLgkm: waves[w].status = kWaiting;
            kGranted:                     issue(w);
            default:                      ;
          endcase
      end
  end

endmodule
