// SPDX-License-Identifier: Apache-2.0
// What retires: a record for each instruction that issues, with its results when these are there; those
// of a wave become ready in program order, and leave one a cycle, in the order they have become ready
// in, four cycles later at the earliest: then the lanes of the vector ALU have filled in what they leave.
// How many wait is not bounded, for the port is there to be watched and holds nothing back: their memory
// grows. `wanted` counts while no wave, no end of one and no fetch is on its way.
//
// A status word (VCC, EXEC, M0) is as the instruction has left it. One that a load in front of it had still
// to write is as the record before it has it.
`include "cu_pkg.sv"
`include "cu_retire_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_smem_pkg.sv"
`include "cu_vector_pkg.sv"
`include "salu_pkg.sv"

// Some members of operations and waves have no reader here; values are vectors of whole registers.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off WIDTHCONCAT */
module cu_retire
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_retire_pkg::*;
  import cu_scalar_pkg::*;
  import cu_smem_pkg::*;
  import cu_vector_pkg::*;
(
  input  logic               clk,
  input  logic               rst,
  input  logic               held,          // nothing moves in this cycle
  input  logic               on,            // the unit is neither reset, held nor stopped
  input  logic               wanted,
  input  logic               fetch_sent,
  input  logic               fetch_taken,
  // the state in front of the cycle, after what arrives, after the issue
  input  simds_t             simds,
  input  queues_t            queues,
  input  queues_t            queues_a,
  input  waves_t             waves_a,
  input  simds_t             simds_a,
  input  waves_t             waves_i,
  // loads whose results are there
  input  logic               scalar_loaded, // by an answer
  input  logic [5:0]         loaded_index,
  input  smem_op_t           loaded_op,
  input  logic [15:0][31:0]  loaded_data,
  input  logic               scalar_timed,  // ... without memory
  input  smem_op_t           timed_op,
  input  logic [15:0][31:0]  timed_data,
  input  logic               gds_loaded,
  input  logic [5:0]         gds_loaded_index,
  input  returned_rows_t     returned_rows,
  // instructions that issue
  input  logic [1:0]         turn,
  input  logic [15:0]        granted,
  input  slot_entries_t      entries,
  input  slot_scalars_t      scalars,       // registers they find
  input  logic [15:0]        alu_valid,     // ... and leave, of those that replace them
  input  slot_scalars_t      alu_scalars,
  input  salu_pkg::results_t salu_out,
  input  salu_pkg::results_t branch_out,
  input  logic [7:0]         valu_destination,
  input  logic               valu_exists,
  input  logic [4095:0]      valu_values,   // what the model leaves of it
  input  vector_steps_t      steps,         // what lanes leave of theirs, by SIMD
  input  logic [3:0]         ds_rows,
  input  logic [8191:0]      ds_result,
  input  logic [5:0]         smem_index,
  input  smem_op_t           smem_new,
  input  logic [5:0]         vmem_index,
  input  vmem_op_t           vmem_new,
  input  logic [5:0]         gds_index,
  input  gds_op_t            gds_new,
  // the end of a wave leaves
  input  logic               done,
  input  logic [5:0]         done_wave,
  // the port
  output logic               busy,
  output logic               beat_valid,
  output record_t            beat_of,       // with status words that no instruction has still to write
  output logic               beat_last,
  output logic               beat_scalar,
  output logic [6:0]         beat_code,
  output logic [31:0]        beat_value,
  output logic               beat_vector,
  output logic [7:0]         beat_vgpr,
  output logic [2047:0]      beat_data
);

  // ---- state
  logic           retiring;                 // instructions are recorded
  logic [31:0]    fetches;                  // on their way
  record_t        records [];
  record_number_t next_record [];           // of the same list
  logic [2047:0]  rows [];                  // five for each record
  // records of each wave in program order
  record_number_t oldest [0:63], youngest [0:63];
  logic [31:0]    recorded [0:63];
  // status words that loads of a wave have still to write: how many loads
  logic [4:0][4:0] awaited [0:63];
  status_t        given [0:63];             // as the wave's last record on the port has them
  // records of loads, by operation
  record_number_t smem_records [0:63], gds_records [0:63], vmem_records [0:63];
  record_number_t lane_records [0:3];       // of the instruction in the lanes of a SIMD
  logic [63:0]    vmem_recorded;            // operation brings results
  // ready to be given
  record_number_t ready_first, ready_last;
  logic [31:0]    ready;
  // of them: those that have become ready in this cycle, one, two and three cycles ago
  logic [31:0]    young, young_1, young_2, young_3;
  logic [4:0]     beat;                     // of the first one
  // free: those that have been used, in lists, and those that have not
  record_number_t free_record;
  logic [31:0]    free_records, used_records;

  logic quiet, retires;
  assign quiet   = simds[0].waves == 5'd0 && simds[1].waves == 5'd0 && simds[2].waves == 5'd0 && simds[3].waves == 5'd0
                && queues.done.count == 7'd0 && fetches == 32'd0;
  assign retires = quiet ? wanted : retiring;

  function automatic logic [31:0] row_of(input record_number_t record, input logic [2:0] k);
    row_of = 32'd5 * record + {29'd0, k};
  endfunction

  // ---- the port
  record_t first;
  always_comb begin : port
    integer l;
    first = '0;
    beat_valid     = !rst && !held && ready > young_1 + young_2 + young_3;
    if (beat_valid) first = records[ready_first];
    beat_of        = first;
    beat_of.status = beat_valid && !first.last_of_wave ? chosen(first.stale, given[first.wave], first.status) : '0;
    beat_last      = beat_valid && !first.last_of_wave && beat + 5'd1 == beats_of(first.to);
    beat_scalar    = beat < scalars_of(first.to);
    beat_code      = beat_scalar ? first.to.sgpr + {2'd0, beat} : 7'd0;
    beat_value     = beat_scalar ? first.values[beat[3:0]] : 32'd0;
    beat_vector    = beat < {2'd0, vectors_of(first.to)};
    beat_vgpr      = beat_vector ? first.to.vgpr + {3'd0, beat} : 8'd0;
    beat_data      = '0;
    if (beat_vector)
      for (l = 0; l < 64; l = l + 1) if (first.to.lanes[l]) beat_data[32*l+:32] = rows[row_of(ready_first, beat[2:0])][32*l+:32];
  end
  assign busy = ready != 32'd0 || (on && retires && done);

  // ---- an instruction as it issues
  function automatic destinations_t destinations_of(input logic [5:0] w, input decoded_t d);
    logic [3:0]    slot;
    logic [4095:0] s;
    logic          trapped;
    slot            = w[3:0];
    s               = scalars[slot];
    destinations_of = '0;
    case (d.action)
      kScalar, kBranch, kControl: begin
        trapped         = d.drains && waves_i[w].pc != waves_a[w].pc + 64'd4;
        destinations_of = scalar_destinations(d, entries[slot].words[31:0], waves_a[w].csp, trapped,
                                              d.cls == kClassBranch ? branch_out : salu_out);
      end
      kScalarMem: begin
        destinations_of.sgpr  = smem_new.sdst;
        destinations_of.sgprs = smem_new.dwords;
      end
      kValu, kLdsDirect:
        destinations_of = vector_destinations(d, entries[slot].words[31:0], valu_destination, valu_exists, exec_of(s),
                                              6'(source32(d.src1, d.literal, waves_a[w].scc, s)));
      kLds, kInterpolate: destinations_of = row_destinations(d.vdst, 3'(ones({60'd0, ds_rows})), exec_of(s));
      kGds:               destinations_of = row_destinations(gds_new.vdst, gds_new.dwords, exec_of(s));
      kVectorMem:
        if (vmem_new.returns) destinations_of = row_destinations(vmem_new.vdst, vmem_new.dwords + {2'd0, vmem_new.tfe}, exec_of(s));
      default: ;
    endcase
  endfunction

  // Its results come later. Stores and atomics that return nothing have none.
  function automatic logic waits(input decoded_t d);
    waits = d.action == kScalarMem || d.action == kGds || (d.action == kVectorMem && (vmem_new.kind == kLoad || vmem_new.returns));
  endfunction

  function automatic status_words_t awaited_words(input logic [5:0] w);
    integer i;
    for (i = 0; i < 5; i = i + 1) awaited_words[i] = awaited[w][i] != 5'd0;
  endfunction

  function automatic record_t issued_record(input logic [5:0] w, input decoded_t d);
    logic [4095:0] s;
    s                      = alu_valid[w[3:0]] ? alu_scalars[w[3:0]] : scalars[w[3:0]];
    issued_record          = '0;
    issued_record.wave     = w;
    issued_record.pc       = waves_a[w].pc;
    issued_record.words    = entries[w[3:0]].words;
    issued_record.scc      = waves_i[w].scc;
    issued_record.complete = !waits(d);
    issued_record.status   = status_words_of(s);
    issued_record.to       = destinations_of(w, d);
    issued_record.values   = scalar_values(s, issued_record.to);
    issued_record.stale    = awaited_words(w) & ~status_destinations(issued_record.to);
    if (waits(d)) issued_record.stale = awaited_words(w) | status_destinations(issued_record.to);
  endfunction

  // ---- lists. At the edge, one change after the other.
  /* verilator lint_off BLKSEQ */
  record_number_t at;                       // the record at hand
  function automatic void take_record();
    if (free_records != 32'd0) begin
      at           = free_record;
      free_record  = next_record[at];
      free_records = free_records - 32'd1;
    end else begin
      at = used_records;
      if (at == 32'(records.size())) begin
        records     = new[2*records.size()+64](records);
        next_record = new[records.size()](next_record);
        rows        = new[5*records.size()](rows);
      end
      used_records = used_records + 32'd1;
    end
  endfunction
  function automatic void free_the_record();
    next_record[at] = free_record;
    free_record     = at;
    free_records    = free_records + 32'd1;
  endfunction

  function automatic void make_ready();
    if (ready == 32'd0) ready_first = at;
    else next_record[ready_last] = at;
    ready_last = at;
    ready      = ready + 32'd1;
    young      = young + 32'd1;
  endfunction

  // The wave's records are ready up to the first one that is not complete.
  function automatic void hand_over(input logic [5:0] w);
    while (recorded[w] != 32'd0 && records[oldest[w]].complete) begin
      at          = oldest[w];
      oldest[w]   = next_record[at];
      recorded[w] = recorded[w] - 32'd1;
      make_ready();
    end
  endfunction

  function automatic void append(input logic [5:0] w);
    if (recorded[w] == 32'd0) oldest[w] = at;
    else next_record[youngest[w]] = at;
    youngest[w] = at;
    recorded[w] = recorded[w] + 32'd1;
  endfunction

  // Where the VGPRs of a record come from.
  localparam logic [1:0] kFromMemory = 2'd0, kFromGds = 2'd1, kFromValu = 2'd2, kFromLds = 2'd3;
  function automatic void keep_rows(input logic [1:0] from);
    integer k;
    for (k = 0; k < 5; k = k + 1)
      if (k[2:0] < vectors_of(records[at].to))
        case (from)
          kFromMemory: rows[row_of(at, k[2:0])] = returned_rows[2048*k+:2048];
          kFromGds:    rows[row_of(at, k[2:0])] = returned_rows[10240+2048*k[1:0]+:2048];
          kFromValu:   rows[row_of(at, k[2:0])] = valu_values[2048*k[0]+:2048];
          default:     rows[row_of(at, k[2:0])] = ds_result[2048*k[1:0]+:2048];
        endcase
  endfunction

  // ---- what happens in a cycle
  // Loads of the wave that have words still to write: one more, or one less.
  function automatic void await_words(input logic [5:0] w, input status_words_t words, input logic [4:0] change);
    integer i;
    for (i = 0; i < 5; i = i + 1) if (words[i]) awaited[w][i] = awaited[w][i] + change;
  endfunction

  function automatic void finish_scalar(input logic [5:0] index, input smem_op_t op, input logic [15:0][31:0] data);
    at = smem_records[index];
    await_words(op.wave, status_destinations(records[at].to), -5'd1);
    records[at] = with_loaded(records[at], loaded(4096'd0, op, data));
    hand_over(op.wave);
  endfunction

  function automatic void finish_rows(input logic [1:0] from);
    records[at].complete = 1'b1;
    keep_rows(from);
    hand_over(records[at].wave);
  endfunction

  // Vector memory instructions that have returned.
  function automatic void finish_memory();
    integer     k;
    logic [5:0] op;
    for (k = 0; k < 64 && k[6:0] < queues.td_done.count - queues_a.td_done.count; k = k + 1) begin
      op = queues.td_done.items[tail(queues.td_done.head, k[6:0])].what;
      at = vmem_records[op];
      if (vmem_recorded[op]) finish_rows(kFromMemory);
      vmem_recorded[op] = 1'b0;
    end
  endfunction

  function automatic void record_instruction(input logic [5:0] w);
    decoded_t d;
    d = skipped(entries[w[3:0]].d, waves_a[w].vskip);
    take_record();
    records[at] = issued_record(w, d);
    append(w);
    case (d.action)
      kScalarMem: begin
        smem_records[smem_index] = at;
        await_words(w, status_destinations(records[at].to), 5'd1);
      end
      kGds: gds_records[gds_index] = at;
      kVectorMem: begin
        vmem_records[vmem_index]  = at;
        vmem_recorded[vmem_index] = waits(d);
      end
      kValu, kLdsDirect: begin
        lane_records[turn] = at;
        keep_rows(kFromValu);
      end
      kLds, kInterpolate: keep_rows(kFromLds);
      default:            ;
    endcase
    hand_over(w);
  endfunction

  function automatic void record_instructions();
    integer     k;
    logic [3:0] slot;
    for (k = 0; k < 16; k = k + 1) begin
      slot = simds_a[turn].order[k];
      if (k[4:0] < simds_a[turn].waves && granted[slot]) record_instruction({turn, slot});
    end
  endfunction

  // What the lanes of a SIMD leave: sixteen of a register, and in the last step scalar registers.
  function automatic void fill_in(input logic [1:0] simd);
    integer       lane;
    vector_step_t s;
    s  = steps[simd];
    at = lane_records[simd];
    for (lane = 0; lane < 16; lane = lane + 1)
      if (s.written[lane]) rows[row_of(at, 3'd0)][{s.number, lane[3:0], 5'd0}+:32] = s.values[32*lane+:32];
    if (s.mask_write) records[at] = with_scalar(records[at], s.code, s.mask[31:0]);
    if (s.mask_write && s.code != 7'd127) records[at] = with_scalar(records[at], s.code + 7'd1, s.mask[63:32]);
    if (s.exec_write) begin
      records[at] = with_scalar(records[at], 7'(kExec), s.mask[31:0]);
      records[at] = with_scalar(records[at], 7'(kExec + 1), s.mask[63:32]);
    end
    if (s.scalar_write) records[at] = with_scalar(records[at], s.code, s.scalar);
  endfunction

  function automatic void record_end();
    take_record();
    records[at]              = '0;
    records[at].last_of_wave = 1'b1;
    records[at].wave         = done_wave;
    make_ready();
  endfunction

  // `r` is the first one that is ready, with status words as they are on the port.
  function automatic void give(input record_t r);
    at            = ready_first;
    given[r.wave] = r.status;
    beat = beat + 5'd1;
    if (beat == beats_of(r.to)) begin
      ready_first = next_record[at];
      ready       = ready - 32'd1;
      beat        = 5'd0;
      free_the_record();
    end
  endfunction

  function automatic void forget();
    integer w;
    for (w = 0; w < 64; w = w + 1) begin
      recorded[w] = 32'd0;
      awaited[w]  = '0;
    end
    vmem_recorded = 64'd0;
    ready         = 32'd0;
    young         = 32'd0;
    young_1       = 32'd0;
    young_2       = 32'd0;
    young_3       = 32'd0;
    beat          = 5'd0;
    free_records  = 32'd0;
    used_records  = 32'd0;
  endfunction

  always_ff @(posedge clk) begin : switch
    if (rst || !held) begin
      retiring <= !rst && retires;
      fetches  <= rst ? 32'd0 : fetches + {31'd0, fetch_sent} - {31'd0, fetch_taken};
    end
  end

  integer simd;
  always_ff @(posedge clk) begin : storage
    if (rst) forget();
    else if (on) begin
      if (beat_valid) give(beat_of);
      young = 32'd0;
      if (retires) begin
        if (scalar_loaded) finish_scalar(loaded_index, loaded_op, loaded_data);
        if (gds_loaded) begin
          at = gds_records[gds_loaded_index];
          finish_rows(kFromGds);
        end
        if (scalar_timed) finish_scalar(queues.memtimes.items[queues.memtimes.head].what, timed_op, timed_data);
        finish_memory();
        if (granted != 16'd0) record_instructions();
        for (simd = 0; simd < 4; simd = simd + 1) if (steps[simd].valid) fill_in(simd[1:0]);
        if (done) record_end();
      end
      young_3 = young_2;
      young_2 = young_1;
      young_1 = young;
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
