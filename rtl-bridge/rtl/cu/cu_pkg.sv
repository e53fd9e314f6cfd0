// SPDX-License-Identifier: Apache-2.0
// State of a compute unit: waves, SIMDs, groups, vector memory instructions on their way, and what
// the stages do to a wave alone.
`ifndef CU_PKG_SV
`define CU_PKG_SV
`include "cu_decode_pkg.sv"

// Functions that look at a part of a struct only.
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

package cu_pkg;
  import cu_decode_pkg::*;

  typedef logic [63:0] cycle_t;

  // What is put out when the unit stops.
  localparam logic [2:0] kStopNotImplemented = 3'd1;
  localparam logic [2:0] kStopFault = 3'd2;
  localparam logic [2:0] kStopBadInput = 3'd3;
  localparam logic [2:0] kStopProtocol = 3'd4;
  // The instruction it stops at; zero where no wave is to blame.
  typedef struct packed {
    logic [5:0]  wave;
    logic [63:0] pc, words;
  } stop_place_t;

  // ---- waves
  localparam logic [2:0] kFree = 3'd0;
  localparam logic [2:0] kReady = 3'd1;       // has its next instruction
  localparam logic [2:0] kNeedsFetch = 3'd2;
  localparam logic [2:0] kWaiting = 3'd3;     // for counters
  localparam logic [2:0] kAtBarrier = 3'd4;
  localparam logic [2:0] kHalted = 3'd5;
  localparam logic [2:0] kEnding = 3'd6;      // has ended but for its memory accesses

  // A block of 32 bytes of an instruction buffer.
  localparam logic [1:0] kEmpty = 2'd0;
  localparam logic [1:0] kRequested = 2'd1;
  localparam logic [1:0] kValid = 2'd2;
  localparam logic [1:0] kFaulted = 2'd3;

  typedef struct packed {
    logic [2:0]       status;
    logic [31:0]      generation;      // counts jumps: fetches from before are dropped
    logic [7:0][1:0]  blocks;
    logic [63:0]      fetch_next;      // block to ask for next
    logic [63:0]      pc;
    cycle_t           ready_at;        // its next instruction issues then or later
    cycle_t           hazard_until;    // no scalar instruction reads hazard_sgprs before
    logic [127:0]     hazard_sgprs;
    cycle_t           status_until;    // no branch tests status_pending before
    logic [2:0]       status_pending;
    logic             after_long_pair; // after a two-dword instruction of four turns or more
    logic [3:0]       vm;              // counters
    logic [4:0]       lgkm;
    logic [2:0]       exp;
    logic [31:0]      exports;
    logic [63:0]      age;             // number of the launch
    logic [15:0][5:0] vmem;            // vector memory instructions that have not returned
    logic [3:0]       vmem_head;
    logic [4:0]       vmem_count;
    // what it was launched with
    logic [5:0]       group_slot;
    logic [7:0]       vmid;
    logic [7:0]       vgpr_base;
    logic [8:0]       vgprs;
    logic [8:0]       sgpr_base;
    logic [7:0]       sgprs;
    logic [16:0]      lds_base, lds_size;
    logic [1:0]       spi_priority;
    logic             trap_en, in_group;
    logic [31:0]      hw_id;
    // hardware registers
    logic             scc;
    logic [7:0]       float_mode;      // FP_ROUND and FP_DENORM of MODE
    logic             dx10, ieee;
    logic [7:0]       exceptions;
    logic [7:0]       mode_others;
    logic [1:0]       prio;
    logic             privileged, vskip, halt, killed;
    logic [2:0]       csp;
    logic [31:0]      trapsts, ib_sts;
  } wave_t;

  typedef struct packed {
    logic [15:0][3:0]  order;          // slots that hold a wave, first to issue first
    logic [4:0]        waves;
    cycle_t            valu_free;
    logic [7:0][63:0]  lds_ends;       // of its last DS instructions, a ring
    logic [2:0]        lds_next;
    logic [4:0]        ta_waiting;     // instructions in the queues after it
    logic [4:0]        smem_waiting;
  } simd_t;

  typedef struct packed {
    logic [4:0]  waves;                // alive, or still to be launched
    logic [4:0]  arrived;              // at the barrier
    logic [63:0] members;              // by number of the wave
  } group_t;

  // ---- sizes, times and queues: the cfg_ pins
  typedef struct packed {
    logic [2:0]       simds;
    logic [4:0]       slots;
    logic [8:0]       vgprs;
    logic [9:0]       sgprs;
    logic [16:0]      lds;
    logic [6:0]       groups;
    logic [1:0]       engine, shader_array;
    logic [3:0]       unit;
    logic [3:0]       fetch_blocks;
    logic [11:0]      fetch_two_dword_penalty;
    logic [3:0]       fetch_free_dwords;
    logic [11:0]      fetch_not_taken_penalty;
    logic [11:0]      fetch_jump_penalty;
    logic [3:0]       fetch_jump_free_dwords;
    logic [3:0]       issue_width;
    logic [11:0][11:0] rate_cycles;
    logic [11:0]      salu_cycles, salu_long_cycles;
    logic [11:0]      valu_to_salu_stall, compare_to_salu_stall, branch_status_stall;
    logic [11:0]      branch_not_taken_cycles, branch_taken_cycles;
    logic [11:0]      internal_cycles, nop_cycles, sleep_unit_cycles, barrier_cycles;
    logic [3:0]       vm_max;
    logic [4:0]       lgkm_max;
    logic [2:0]       exp_max;
    logic [4:0][11:0] smem_issue_cycles;
    logic [11:0]      smem_other_issue_cycles;
    logic [4:0]       smem_queue;
    logic [6:0]       smem_outstanding;
    logic [11:0]      memtime_cycles;
    logic [11:0]      lds_operand_cycles;
    logic [6:0]       lds_banks;
    logic [11:0]      lds_bank_cycles, lds_issue_factor, lds_latency;
    logic [3:0]       lds_queue;
    logic             lds_load_offset;
    logic [11:0]      export_issue_cycles, export_cycles;
    logic [6:0]       gds_outstanding;
    logic [11:0]      message_cycles, interpolate_cycles;
    logic [11:0]      load_issue_cycles, load_wide_issue_cycles, store_issue_cycles, atomic_issue_cycles;
    logic [11:0]      cmpswap_issue_cycles;
    logic [4:0]       vmem_queue;
    logic [6:0]       vmem_outstanding;
    logic [11:0]      ta_latency;
    logic [6:0]       ta_load_quad_cycles, ta_load_quarter_cycles, ta_load_pair_cycles;
    logic [6:0]       ta_load_scattered_cycles, ta_load_scattered_triple_cycles;
    logic [6:0]       ta_store_quarter_cycles, ta_atomic_quad_cycles;
    logic [2:0]       ta_requests_per_cycle, td_responses_per_cycle;
    logic [12:0]      td_bytes_per_cycle;
    logic [11:0]      td_latency;
    logic [6:0]       ta_image_quad_cycles;
    logic [2:0][11:0] image_load_cycles, image_scattered_cycles, image_filter_cycles;
    logic [2:0]       linear_lines;
  } spec_t;

  // ---- the pins of a launch
  typedef struct packed {
    logic [5:0]        wave;
    logic [5:0]        group_slot;
    logic [4:0]        waves_in_group;
    logic [7:0]        vmid;
    logic [1:0]        prio;
    logic [63:0]       pc, exec;
    logic [7:0]        vgpr_base;
    logic [8:0]        vgprs;
    logic [8:0]        sgpr_base;
    logic [7:0]        sgprs;
    logic [16:0]       lds_base, lds_bytes;
    logic              keeps_lds;
    logic [7:0]        float_mode;
    logic              dx10_clamp, ieee, privileged, trap;
    logic [7:0]        exceptions;
    logic [63:0]       tba, tma;
    logic [4:0]        sgpr_count;
    logic [23:0][31:0] sgpr;
    logic [1:0]        ids;
  } launch_t;

  // ---- a row that a wave finds when it is launched
  localparam int kInitRows = 24;       // VGPRs, from v0 on
  typedef struct packed {
    logic          valid, first, taken; // as cu_init says
    logic          lds;                 // of LDS, by 64 dwords; else of a VGPR
    logic [7:0]    row;
    logic [63:0]   lanes;               // that it sets
    logic [2047:0] data;
  } init_t;

  // ---- instruction buffers
  typedef struct packed {
    logic [63:0] words;                // the first one low
    decoded_t    d;
  } entry_t;

  // The block that the instruction cache brings in this cycle.
  typedef struct packed {
    logic [5:0] wave;
    logic [2:0] place, previous;       // its place in the wave's buffer, and that of the block before it
  } block_t;

  // What vector skip mode makes of an instruction.
  function automatic decoded_t skipped(input decoded_t d, input logic vskip);
    skipped = d;
    if (vskip && d.action != kIllegal
        && (d.cls == kClassValu || d.cls == kClassVmem || d.cls == kClassLds || d.cls == kClassGds || d.cls == kClassExport)) begin
      skipped.action     = kNoEffect;
      skipped.cls        = kClassInternal;
      skipped.vgprs_used = 9'd0;
      skipped.sgprs_used = 7'd0;
    end
  endfunction

  // {the unit stops in place of executing an instruction of the wave, why}.
  function automatic logic [3:0] refusal(input decoded_t d, input wave_t w);
    refusal = 4'd0;
    if (d.action == kUnimplemented) refusal = {1'b1, kStopNotImplemented};
    else if (d.action == kIllegal || d.vgprs_used > w.vgprs || {1'b0, d.sgprs_used} > w.sgprs) refusal = {1'b1, kStopBadInput};
  endfunction

  // Number of the block an address is in, of those the buffer has.
  function automatic logic [2:0] block_index(input logic [63:0] address, input logic [3:0] blocks);
    block_index = address[7:5] & (blocks[2:0] - 3'd1);
  endfunction

  function automatic logic wants_fetch(input wave_t w, input logic [3:0] blocks);
    wants_fetch = w.status != kFree && w.status != kEnding
               && w.fetch_next - {w.pc[63:5], 5'd0} < {55'd0, blocks, 5'd0};
  endfunction

  // The program counter has moved by a jump: the buffer is emptied.
  function automatic wave_t jumped(input wave_t w);
    jumped            = w;
    jumped.generation = w.generation + 32'd1;
    jumped.blocks     = '0;
    jumped.fetch_next = {w.pc[63:5], 5'd0};
  endfunction

  // The program counter has moved on from `from`: the block that it has left is free.
  function automatic wave_t advanced(input wave_t w, input logic [63:0] from, input logic [3:0] blocks);
    advanced = w;
    if (from[63:5] != w.pc[63:5]) advanced.blocks[block_index(from, blocks)] = kEmpty;
  endfunction

  // ---- cycles not_before a wave's next instruction
  function automatic logic [31:0] lds_cycles(input decoded_t d, input spec_t s);
    logic [31:0] operands, passes;
    operands   = {28'd0, d.lds_operands} * {20'd0, s.lds_operand_cycles};
    passes     = (({29'd0, d.lds_dwords} << 6) / {25'd0, s.lds_banks}) * {20'd0, s.lds_bank_cycles};
    lds_cycles = operands > passes ? operands : passes;
  endfunction

  function automatic logic [31:0] issue_cycles(input decoded_t d, input spec_t s);
    case (d.action)
      kValu, kLdsDirect: issue_cycles = {20'd0, s.rate_cycles[d.rate]};
      kScalar, kControl: issue_cycles = {20'd0, d.rate == kRateScalarLong ? s.salu_long_cycles : s.salu_cycles};
      kBranch:           issue_cycles = {20'd0, s.branch_not_taken_cycles};
      kLds:              issue_cycles = {20'd0, s.lds_issue_factor} * lds_cycles(d, s);
      kVectorMem:
        case (d.vmem_cost)
          kCostLoad:     issue_cycles = {20'd0, s.load_issue_cycles};
          kCostWideLoad: issue_cycles = {20'd0, s.load_wide_issue_cycles};
          kCostStore:    issue_cycles = {20'd0, s.store_issue_cycles};
          kCostAtomic:   issue_cycles = {20'd0, s.atomic_issue_cycles};
          default:       issue_cycles = {20'd0, s.cmpswap_issue_cycles};
        endcase
      kGds, kExport:     issue_cycles = {20'd0, s.export_issue_cycles};
      default:           issue_cycles = {20'd0, s.internal_cycles};
    endcase
  endfunction

  // The same of an instruction that issues, but for scalar memory and branches that are taken.
  function automatic logic [31:0] cycles_behind(input decoded_t d, input spec_t s);
    cycles_behind = issue_cycles(d, s);
    case (d.action)
      kNop:   cycles_behind = {20'd0, s.nop_cycles} * {28'd0, {1'b0, d.simm16[2:0]} + 4'd1};
      kSleep: begin
        cycles_behind = {20'd0, s.sleep_unit_cycles} * {29'd0, d.simm16[2:0]};
        if (cycles_behind < {20'd0, s.internal_cycles}) cycles_behind = {20'd0, s.internal_cycles};
      end
      default: ;
    endcase
  endfunction

  // Further cycles after a forward jump that a wave pays which is alone on its SIMD.
  function automatic cycle_t jump_penalty(input logic [63:0] from, input logic [63:0] target, input spec_t s);
    jump_penalty = 64'd0;
    if (target >= from && {1'b0, target[4:2]} >= s.fetch_jump_free_dwords)
      jump_penalty = {52'd0, s.fetch_jump_penalty} * {60'd0, {1'b0, target[4:2]} - s.fetch_jump_free_dwords + 4'd1};
  endfunction

  // ---- an instruction that issues
  typedef struct packed {
    logic [5:0]  wave;
    logic        alone;                // no other wave is on its SIMD
    logic [63:0] from, next;           // its address, and that of the next one
    logic [31:0] cycles;               // until the wave's next one
    logic [63:0] words;
    decoded_t    d;
  } issuing_t;

  // The wave as an instruction finds it: the program counter is after it.
  function automatic wave_t issuing(input wave_t w, input decoded_t d);
    issuing    = w;
    issuing.pc = w.pc + (d.two ? 64'd8 : 64'd4);
    if (d.action == kControl) issuing.ib_sts = {19'd0, w.lgkm, 1'b0, w.exp, w.vm};
  endfunction

  // ALU instructions change what branches test.
  function automatic wave_t changed(input wave_t w, input decoded_t d, input cycle_t at, input spec_t s);
    changed = w;
    if (d.status_changed != 3'd0) begin
      changed.status_pending = d.status_changed | (w.status_until > at ? w.status_pending : 3'd0);
      changed.status_until   = w.ready_at + {52'd0, s.branch_status_stall};
    end
  endfunction

  // ---- a wave that has found its next instruction, or not
  // Both dwords of the two-dword instruction at the program counter have arrived.
  function automatic logic fetched_whole(input wave_t w, input decoded_t d, input spec_t s);
    logic [2:0]  dword;
    logic [31:0] turns;
    dword         = w.pc[4:2];
    turns         = issue_cycles(d, s) / {29'd0, s.simds};
    fetched_whole = {1'b0, dword} < s.fetch_free_dwords || (w.after_long_pair && dword <= 3'd4)
                 || (turns > 32'd1 && {29'd0, dword} + turns >= 32'd8);
  endfunction

  // `lone`: no other wave is on its SIMD.
  function automatic wave_t prepared(input wave_t w, input logic found, input decoded_t d, input logic lone, input spec_t s);
    prepared        = w;
    prepared.status = found ? kReady : kNeedsFetch;
    if (found) begin
      if (d.two && lone && !fetched_whole(w, d, s))
        prepared.ready_at = w.ready_at + {52'd0, s.fetch_two_dword_penalty};
      if ((d.status_tested & w.status_pending) != 3'd0 && w.status_until > prepared.ready_at)
        prepared.ready_at = w.status_until;
    end
  endfunction

  // The wave does not issue before `not_before`.
  function automatic wave_t delayed(input wave_t w, input cycle_t not_before);
    delayed = w;
    if (not_before > w.ready_at) delayed.ready_at = not_before;
  endfunction

  // s_waitcnt may finish.
  function automatic logic low_enough(input wave_t w, input decoded_t d);
    low_enough = w.vm <= d.wait_vm && w.lgkm <= {1'b0, d.wait_lgkm} && w.exp <= d.wait_exp;
  endfunction

  function automatic logic drained(input wave_t w);
    drained = w.vm == 4'd0 && w.lgkm == 5'd0 && w.exp == 3'd0;
  endfunction

  // ---- the order of a SIMD's waves: priority first, then age
  function automatic logic ahead(input wave_t a, input wave_t b);
    ahead = a.prio > b.prio || (a.prio == b.prio && a.age < b.age);
  endfunction

  function automatic simd_t without(input simd_t s, input logic [3:0] slot);
    integer     i;
    logic [4:0] kept;
    without = s;
    kept    = 5'd0;
    for (i = 0; i < 16; i = i + 1) begin
      if (i[4:0] < s.waves && s.order[i] != slot) begin
        without.order[kept[3:0]] = s.order[i];
        kept                     = kept + 5'd1;
      end
    end
    without.waves = kept;
  endfunction

  // The first of two slots stands in front of the second.
  function automatic logic in_front(input simd_t s, input logic [3:0] first, input logic [3:0] second);
    integer i;
    in_front = 1'b0;
    for (i = 15; i >= 0; i = i - 1) begin
      if (s.order[i] == first) in_front = 1'b1;
      if (s.order[i] == second) in_front = 1'b0;
    end
  endfunction

  // In front of the wave at `place`.
  function automatic simd_t inserted(input simd_t s, input logic [3:0] slot, input logic [4:0] place);
    integer i;
    inserted = s;
    for (i = 15; i > 0; i = i - 1)
      if (i[4:0] > place) inserted.order[i] = s.order[i-1];
    inserted.order[place[3:0]] = slot;
    inserted.waves             = s.waves + 5'd1;
  endfunction

  // ---- vector memory instructions on their way
  localparam logic [1:0] kLoad = 2'd0;
  localparam logic [1:0] kStore = 2'd1;
  localparam logic [1:0] kAtomic = 2'd2;
  localparam logic [1:0] kInvalidate = 2'd3;

  localparam logic [4:0] kCmpSwap = 5'd1;
  localparam logic [4:0] kFCmpSwap = 5'd14;
  localparam logic [4:0] kNoAtomic = 5'd17;

  // Of four lanes that read texels of an image: what their cycles follow from.
  typedef struct packed {
    logic       single;                // each lane has one texel at most
    logic [7:0] lines;                 // that have a texel of theirs
    logic [7:0] footprints;            // of up to four texels, of the lane with most, at least 1
  } quad_t;

  // What does not change between issue and return.
  typedef struct packed {
    logic [63:0]      words;
    logic [63:0]      pc;
    logic [5:0]       wave;
    logic [7:0]       vmid;
    logic [1:0]       kind;
    logic [4:0]       atomic;
    logic [4:0]       bytes;           // of a lane
    logic [2:0]       dwords;          // registers of a lane
    logic             sign_extend, returns, glc, slc, contiguous, to_lds, tfe, typed;
    logic [3:0]       dfmt;
    logic [2:0]       nfmt;
    logic [11:0]      dst_sel;
    logic [7:0]       vdst;
    logic [63:0]      lanes, zero_lanes;
    logic [31:0]      lds_addr;        // of a load to LDS: where lane 0 writes
    logic [63:0]      lds_lanes;       // lanes that write
    logic [3:0][63:0] dword_lanes;
    // images
    logic             image;
    logic             texels;          // reads texels, which cu_images has, or is direct
    logic             direct;          // the answer needs no texel
    logic             status;          // texels: the last register says which lanes are `warned`
    logic [1:0]       wide;            // texels of up to 4 (0), 8 (1), 16 bytes (2)
    logic [63:0]      warned;
    quad_t [15:0]     quads;
  } vmem_op_t;

  typedef struct packed {
    logic        sent;                 // all requests have left
    logic        l1_action;            // waits for the L1's invalidation
    logic [11:0] next;                 // request to send
    logic [11:0] responses;            // outstanding
  } vmem_state_t;

  // Whether lanes of a quad read texels, of an instruction that does.
  function automatic logic reads_texels(input vmem_op_t o, input integer quad);
    reads_texels = o.lanes[4*quad+:4] != 4'd0;
  endfunction

  // Cycles of the address unit for an instruction that reads texels: those of each quad's footprints,
  // and a pair's of registers when no lane is filtered.
  function automatic logic [13:0] image_address_cycles(input vmem_op_t o, input spec_t s);
    integer q;
    logic   single;
    single               = o.lanes != 64'd0;
    image_address_cycles = 14'd0;
    for (q = 0; q < 16; q = q + 1)
      if (reads_texels(o, q)) begin
        single               = single && o.quads[q].single;
        image_address_cycles = image_address_cycles + {6'd0, o.quads[q].footprints} * {7'd0, s.ta_image_quad_cycles};
      end
    if (single && o.dwords - {2'd0, o.status} == 3'd2) image_address_cycles = image_address_cycles + {7'd0, s.ta_load_pair_cycles};
    if (image_address_cycles == 14'd0) image_address_cycles = 14'd1;
  endfunction

  // Cycles of the return path for its texels: the times of a whole wave, a sixteenth of them for each
  // quad, rounded up.
  function automatic logic [63:0] image_return_cycles(input vmem_op_t o, input spec_t s);
    integer      q;
    logic [63:0] sum;
    sum = 64'd0;
    for (q = 0; q < 16; q = q + 1)
      if (reads_texels(o, q)) begin
        if (!o.quads[q].single) sum = sum + {56'd0, o.quads[q].footprints} * {52'd0, s.image_filter_cycles[o.wide]};
        else if (o.quads[q].lines > {5'd0, s.linear_lines}) sum = sum + {52'd0, s.image_scattered_cycles[o.wide]};
        else sum = sum + {52'd0, s.image_load_cycles[o.wide]};
      end
    image_return_cycles = o.texels && !o.direct ? (sum + 64'd15) / 64'd16 : 64'd0;
  endfunction

  // The lanes' bytes in the line of a request.
  typedef struct packed {
    logic [63:0]  mask;
    logic [511:0] data;
    logic [63:0]  compare;
  } line_data_t;

  // VGPRs that are written in this cycle: `count` of a wave, from `vdst` on, in some lanes.
  typedef struct packed {
    logic        valid;
    logic [5:0]  wave;
    logic [7:0]  vdst;
    logic [2:0]  count;
    logic [9:0]  row;                  // of `vdst`, in the register files
    logic [63:0] lanes;
  } rows_t;
  // Those of what returns; where both write the same, memory is the later one.
  typedef struct packed {
    rows_t gds;
    rows_t memory;
  } returned_t;
  typedef logic [18431:0] returned_rows_t;  // five of memory, then four of the GDS

  // ---- instructions of the global data share on their way
  typedef struct packed {
    logic [5:0]  wave;
    logic [7:0]  vdst;
    logic [2:0]  dwords;               // registers of a lane
    logic [63:0] lanes;                // that were active
  } gds_op_t;

  // ---- the export on the pins, but for its data
  typedef struct packed {
    logic [5:0]  wave;
    logic [63:0] pc;
    logic [5:0]  target;
    logic [3:0]  enabled;
    logic        compressed, last, valid_mask;
    logic [63:0] exec;
  } export_t;

  // ---- queues
  typedef struct packed {
    cycle_t     at;
    logic [5:0] what;                  // a wave, or an operation
  } timed_t;
  typedef struct packed {
    timed_t [63:0] items;
    logic [5:0]    head;
    logic [6:0]    count;
  } timed_ring_t;
  typedef struct packed {
    logic [63:0][5:0] items;
    logic [5:0]       head;
    logic [6:0]       count;
  } ring_t;
  typedef struct packed {
    logic [63:0][37:0] items;          // exports, wave
    logic [5:0]        head;
    logic [6:0]        count;
  } done_ring_t;

  function automatic logic [5:0] tail(input logic [5:0] head, input logic [6:0] count);
    tail = head + count[5:0];
  endfunction
  function automatic timed_ring_t timed(input timed_ring_t r, input cycle_t at, input logic [5:0] what);
    timed                              = r;
    timed.items[tail(r.head, r.count)] = {at, what};
    timed.count                        = r.count + 7'd1;
  endfunction
  function automatic timed_ring_t popped(input timed_ring_t r);
    popped       = r;
    popped.head  = r.head + 6'd1;
    popped.count = r.count - 7'd1;
  endfunction
  function automatic ring_t pushed(input ring_t r, input logic [5:0] what);
    pushed                              = r;
    pushed.items[tail(r.head, r.count)] = what;
    pushed.count                        = r.count + 7'd1;
  endfunction
  function automatic ring_t dropped(input ring_t r);
    dropped       = r;
    dropped.head  = r.head + 6'd1;
    dropped.count = r.count - 7'd1;
  endfunction
  function automatic done_ring_t ended(input done_ring_t r, input logic [5:0] wave, input logic [31:0] exports);
    ended                              = r;
    ended.items[tail(r.head, r.count)] = {exports, wave};
    ended.count                        = r.count + 7'd1;
  endfunction

  typedef struct packed {
    logic [63:0] age;                  // of the next launch
    // scalar memory
    logic [63:0] smem_free, smem_sent; // by operation
    ring_t       smem_queue;           // not yet sent
    timed_ring_t memtimes;             // that need no memory
    // LDS: ends of service to come, in a memory
    cycle_t      lds_free;
    logic [9:0]  lds_head;
    logic [10:0] lds_count;
    // the path of exports and the GDS out of the registers, which has one instruction at a time
    cycle_t      export_free;
    logic        export_active;
    logic [5:0]  export_wave;
    logic [63:0] gds_free;             // by operation
    // messages: ends to come, in a memory
    logic [10:0] message_head;
    logic [11:0] message_count;
    // vector memory
    logic [63:0] vmem_free;
    timed_ring_t ta_queue;             // earliest start
    logic [6:0]  ta_handed;            // of these, from the head on, the coalescer has
    logic        ta_active;
    logic [5:0]  ta_op;
    cycle_t      ta_start, ta_end, ta_free;
    ring_t       td_queue;
    cycle_t      td_free;
    timed_ring_t td_done;
    done_ring_t  done;
  } queues_t;

  // ---- scalar memory instructions on their way
  localparam logic [1:0] kScalarLoad = 2'd0;
  localparam logic [1:0] kScalarBuffer = 2'd1;
  localparam logic [1:0] kScalarTime = 2'd2;
  localparam logic [1:0] kScalarInvalidate = 2'd3;
  typedef struct packed {
    logic [1:0]  kind;
    logic [4:0]  dwords, valid;        // of these the first ones are in range
    logic [6:0]  sdst;
    logic [63:0] address;
    logic [5:0]  wave;
    logic [7:0]  vmid;
    logic [63:0] pc, words;
  } smem_op_t;

  // ---- arrays that parts of the unit share. Verilator joins ports of the same named type without a copy.
  typedef wave_t         waves_t [0:63];             // by number of the wave
  typedef simd_t         simds_t [0:3];
  typedef group_t        groups_t [0:63];            // by slot of the group
  typedef vmem_state_t   vmem_states_t [0:63];       // by operation
  typedef smem_op_t      smem_ops_t [0:63];
  typedef vmem_op_t      vmem_ops_t [0:63];
  typedef timed_t        lds_ring_t [0:1023];
  typedef timed_t        message_ring_t [0:2047];    // 31 of each wave
  typedef gds_op_t       gds_ops_t [0:63];           // by operation
  typedef entry_t        buffers_t [0:4095];         // instruction buffers: wave, block, dword
  typedef entry_t        block_entries_t [0:7];
  typedef entry_t        slot_entries_t [0:15];      // by slot of the SIMD whose turn it is
  typedef logic [4095:0] slot_scalars_t [0:15];
  typedef logic [4095:0] sregs_t [0:63];             // by operand code
  typedef logic [2047:0] vgprs_t [0:1023];           // 256 of each SIMD
  typedef logic [4095:0] vmem_addresses_t [0:255];   // operation, dword: of 64 lanes
  typedef logic [2047:0] vmem_values_t [0:255];
  typedef logic [63:0]   vmem_failed_t [0:63];       // lanes that found no memory
  typedef logic [63:0]   request_lanes_t [0:32767];  // operation, request: lanes that wait for its answer
  typedef logic [2047:0] texels_open_t [0:63];       // the same of those that read texels, by operation
  typedef line_data_t    requests_data_t [0:3];
  typedef logic [127:0][5:0] marked_t;

  function automatic logic [5:0] lowest(input logic [63:0] x);
    integer i;
    lowest = 6'd0;
    for (i = 63; i >= 0; i = i - 1) if (x[i]) lowest = i[5:0];
  endfunction
  function automatic logic [6:0] ones(input logic [63:0] x);
    integer i;
    ones = 7'd0;
    for (i = 0; i < 64; i = i + 1) ones = ones + {6'd0, x[i]};
  endfunction

endpackage

`endif
