// SPDX-License-Identifier: Apache-2.0
// Graphics register bus manager. Two sources, host (0) and CP (1), send register requests; each goes
// to the block that owns the register, to the registers kept here, or to none. The map and the
// registers' places come from grbm_map.svh, which is generated from configs/registers.
//
// A write may be for other blocks too (also_of of the map): it goes when all take it.
//
// Registers there are for each render context (of_context of the map) are kept once for each. CP
// names the context of its requests; those of the host are for the newest, which is the one CP
// copied last, 1 before that. A write of the copying register copies the stored ones, whichever block owns it.
//
// Registers there are several of (copies_of of the map) are kept once until a write that GRBM_GFX_INDEX
// steers is for some of the copies: those have places of their own, until a write is for all again. A
// read gets the copy it names, the first where all are named; a copy that is not there reads 0.
//
// One request moves per cycle. The sources take turns: the one that moved last comes second. A
// request waits when its block takes nothing (state_stall 1), or when a read finds no place: among
// the reads in flight, or in the source's answers when it is answered here (2). A request to a
// block carries the steering of GRBM_GFX_INDEX, which each source has for itself; a read carries the
// number of its place instead of its tag.
//
// Blocks answer reads with that number. All of them may answer in one cycle, the lowest first; the
// answer goes to the source with its own tag. An answer to a write is dropped: writes are posted.
// Answers of a cycle stand in the order in which the source gets them, those of blocks first.
//
// Writes of the status registers do nothing; reads give the busy levels as they are. Reading an
// offset no register is known at gives 0 and is counted (event_unknown: so many in this cycle).
//
// Errors stop the block until reset: a block answers a read that was not sent (1, place is its port), or a
// write starts something that does not exist (2, place is the offset). Nothing moves then.
//
// Source, block and place n of a list stand at n times their width.
`include "grbm_map.svh"
module grbm
  import grbm_map::*;
(
  `include "grbm_ports.svh"
);

  localparam int READS = 32;           // places there are; cfg_reads of them are used
  localparam int kPlaceBits = $clog2(READS);
  localparam int kStoreBits = kPageBits + 8;
  localparam int kSlotBits = $clog2(2 * kAnswers);
  localparam int kCopyBits = kCopySeBits + kCopyShBits + kCopyInstanceBits;
  localparam int kCopies = 1 << kCopyBits;
  localparam int kStoreRows = kPages << 8;
  localparam logic [1:0] kGoes = 2'd0;
  localparam logic [1:0] kWaitsForBlock = 2'd1;
  localparam logic [1:0] kWaitsForPlace = 2'd2;
  localparam logic [1:0] kUnsolicited = 2'd1;
  localparam logic [1:0] kStarts = 2'd2;

  // Where answer n of a cycle to a source stands.
  function automatic logic [kSlotBits-1:0] slot(input logic source, input logic [3:0] n);
    slot = kSlotBits'((source ? kAnswers : 0) + {28'd0, n});
  endfunction

  // ---- state
  logic [31:0] store[kPages << 8];     // a memory, of which reset forgets all
  logic [(kPages << 8)-1:0] written;
  logic [32*kContextDwords-1:0] context_store[8];
  logic [kContextDwords-1:0] context_written[8];
  // Copies that differ: {shader engine, shader array, unit}, {context, shader engine, shader array}.
  logic [31:0] copy_store[1 << (kCopyBits + kStoreBits)];
  logic [kStoreRows-1:0] copy_written[kCopies];
  logic [32*kContextDwords-1:0] context_copy_store[8 << kContextCopyBits];
  logic [kContextDwords-1:0] context_copy_written[8 << kContextCopyBits];
  logic [2:0] newest_r;                // context
  logic [63:0] gfx_index_r;            // by source
  logic [1:0] steered;                 // GRBM_GFX_INDEX has been written
  logic [31:0] soft_reset_r;
  logic [READS-1:0] place_used;
  logic [READS-1:0] place_source;
  logic [32*READS-1:0] place_tag;
  logic [7:0] reads_r;
  logic turn;                          // source that comes first
  logic [3:0] stall_r;
  logic [1:0] error_r;
  logic [31:0] error_place_r;

  // ---- decode of both sources
  logic [1:0] to_block, to_self, kept, known, starts_now;
  logic [7:0] owner[2];
  logic [kStoreBits-1:0] row[2];
  logic [1:0] is_status, is_gfx_index, is_soft_reset, is_context, is_copy;
  logic [2:0] for_context[2];
  logic [31:0] own_value[2];
  logic [1:0] for_all, exists;         // copies
  logic [kCopies-1:0] chosen[2];       // for which of them
  logic [63:0] gfx_index;
  logic [31:0] busy_status, busy_status2, busy_se0, busy_se1;
  assign {busy_se1, busy_se0, busy_status2, busy_status} = busy_level;
  logic gui_active;
  assign gui_active = busy_level != 128'd0;

  genvar g;
  generate
    for (g = 0; g < 2; g = g + 1) begin : g_source
      logic [15:0] dword;
      logic mapped;
      logic [255:0] registers;
      logic [31:0] status;
      assign dword = req_offset[32*g+2+:16];
      assign mapped = req_offset[32*g+18+:14] == 14'd0 && req_offset[32*g+:2] == 2'd0;
      assign gfx_index[32*g+:32] = steered[g] ? gfx_index_r[32*g+:32] : cfg_gfx_index;
      assign owner[g] = mapped ? port_of(dword) : 8'hff;
      assign to_block[g] = owner[g] >= kPortStore + 8'd1 && owner[g] < 8'(kPorts);
      assign to_self[g] = owner[g] == kPortSelf;
      assign registers = page_registers(dword[15:8]);
      assign kept[g] = (to_self[g] || owner[g] == kPortStore) && registers[dword[7:0]];
      assign row[g] = {page_number(dword[15:8]), dword[7:0]};
      assign is_status[g] = to_self[g] && (dword == kGrbmStatus || dword == kGrbmStatus2
                                           || dword == kGrbmStatusSe0 || dword == kGrbmStatusSe1);
      assign is_gfx_index[g] = to_self[g] && dword == kGrbmGfxIndex;
      assign is_soft_reset[g] = to_self[g] && dword == kGrbmSoftReset;
      assign is_context[g] = of_context(dword);
      assign is_copy[g] = mapped && dword == kCopyState;
      assign for_context[g] = g == 0 ? newest_r : req_context[3*g+:3];
      assign known[g] = is_status[g] || is_gfx_index[g] || kept[g];
      assign starts_now[g] = req_write[g] && !to_block[g] && owner[g] != 8'hff && starts(dword);

      always_comb begin : read_status
        case (dword)
          kGrbmStatus: begin
            status = busy_status | cfg_status;
            status[kGuiActiveLsb] = gui_active;
          end
          kGrbmStatus2: status = busy_status2;
          kGrbmStatusSe0: status = busy_se0 | cfg_status_se;
          default: status = busy_se1 | cfg_status_se;
        endcase
      end
      // The copies that the request is for.
      logic [2:0] several;
      logic [7:0] se, sh, unit;
      logic every_se, every_sh, every_unit;
      assign several = kept[g] ? copies_of(dword) : 3'b000;
      assign every_se = !several[2] || gfx_index[32*g+kSeBroadcastWritesLsb];
      assign every_sh = !several[1] || gfx_index[32*g+kShBroadcastWritesLsb];
      assign every_unit = !several[0] || gfx_index[32*g+kInstanceBroadcastWritesLsb];
      assign se = every_se ? 8'd0 : gfx_index[32*g+kSeIndexLsb+:8];
      assign sh = every_sh ? 8'd0 : gfx_index[32*g+kShIndexLsb+:8];
      assign unit = every_unit ? 8'd0 : gfx_index[32*g+kInstanceIndexLsb+:8];
      assign for_all[g] = every_se && every_sh && every_unit;
      assign exists[g] = se >> kCopySeBits == 8'd0 && sh >> kCopyShBits == 8'd0
                      && unit >> kCopyInstanceBits == 8'd0;
      logic [kCopyBits-1:0] first;
      assign first = {se[kCopySeBits-1:0], sh[kCopyShBits-1:0], unit[kCopyInstanceBits-1:0]};
      for (genvar c = 0; c < kCopies; c = c + 1) begin : g_copy
        localparam logic [kCopyBits-1:0] kCopy = c[kCopyBits-1:0];
        assign chosen[g][c] = exists[g]
            && ((every_se && several[2]) || kCopy[kCopyBits-1-:kCopySeBits] == first[kCopyBits-1-:kCopySeBits])
            && ((every_sh && several[1])
                || kCopy[kCopyInstanceBits+:kCopyShBits] == first[kCopyInstanceBits+:kCopyShBits])
            && ((every_unit && several[0])
                || kCopy[kCopyInstanceBits-1:0] == first[kCopyInstanceBits-1:0]);
      end
      // What a copy has of its own, if anything.
      logic [kContextCopyBits+2:0] copy_set;
      logic [kStoreRows-1:0] own_rows;
      logic [kContextDwords-1:0] own_dwords;
      logic [32*kContextDwords-1:0] own_values;
      logic has_own;
      logic [31:0] copy_value;
      assign copy_set = {for_context[g], first[kCopyBits-1-:kContextCopyBits]};
      assign own_rows = copy_written[first];
      assign own_dwords = context_copy_written[copy_set];
      assign own_values = context_copy_store[copy_set];
      assign has_own = is_context[g] ? own_dwords[dword[kContextBits-1:0]] : own_rows[row[g]];
      assign copy_value = is_context[g] ? own_values[{dword[kContextBits-1:0], 5'd0}+:32]
                                        : copy_store[{first, row[g]}];

      always_comb begin : read_own
        if (is_status[g]) own_value[g] = status;
        else if (is_gfx_index[g]) own_value[g] = gfx_index[32*g+:32];
        else if (!exists[g]) own_value[g] = 32'd0;
        else if (kept[g] && has_own) own_value[g] = copy_value;
        else if (kept[g] && is_context[g] && context_written[for_context[g]][dword[kContextBits-1:0]])
          own_value[g] = context_store[for_context[g]][{dword[kContextBits-1:0], 5'd0}+:32];
        else if (kept[g] && !is_context[g] && written[row[g]]) own_value[g] = store[row[g]];
        else own_value[g] = 32'd0;
      end
    end
  endgenerate

  // ---- this cycle
  logic [READS-1:0] next_used;
  logic [7:0] next_reads;
  logic [3:0] given[2];                // answers to each source
  logic [kBlocks-1:0] answered, sent;
  logic [1:0] taken;
  logic [3:0] next_stall;
  logic [3:0] unknowns;
  logic [1:0] wrong;
  logic [31:0] wrong_place;
  logic [64*kAnswers-1:0] answer_value, answer_tag;
  logic [2*kAnswers-1:0] answer_unknown;
  logic [kPlaceBits-1:0] free_place;

  always_comb begin : answers
    integer p;
    logic [kPlaceBits-1:0] place;
    logic to;
    next_used = place_used;
    next_reads = reads_r;
    given[0] = 4'd0;
    given[1] = 4'd0;
    answered = '0;
    unknowns = 4'd0;
    wrong = 2'd0;
    wrong_place = 32'd0;
    answer_value = '0;
    answer_tag = '0;
    answer_unknown = '0;
    place = '0;
    to = 1'b0;
    for (p = 0; p < kBlocks; p = p + 1) begin
      place = rsp_tag[32*p+:kPlaceBits];
      to = place_source[place];
      if (rsp_valid[p] && wrong == 2'd0) begin
        if (rsp_write[p]) begin
          answered[p] = 1'b1;
        end else if (rsp_tag[32*p+:32] >= {24'd0, cfg_reads} || !next_used[place]) begin
          wrong = kUnsolicited;
          wrong_place = p + kPorts - kBlocks;
        end else if (given[to] < ans_space[4*to+:4]) begin
          answered[p] = 1'b1;
          answer_value[32*slot(to, given[to])+:32] = rsp_value[32*p+:32];
          answer_tag[32*slot(to, given[to])+:32] = place_tag[32*place+:32];
          answer_unknown[slot(to, given[to])] = rsp_unknown[p];
          given[to] = given[to] + 4'd1;
          if (rsp_unknown[p]) unknowns = unknowns + 4'd1;
          next_used[place] = 1'b0;
          next_reads = next_reads - 8'd1;
        end
      end
    end
    // The lowest place that is free now.
    free_place = '0;
    for (p = READS - 1; p >= 0; p = p - 1) if (!next_used[p]) free_place = p[kPlaceBits-1:0];
  end

  logic [1:0] why[2];                  // of each source, whether it is its turn or not
  logic [kBlocks-1:0] owner_bit[2];
  generate
    for (g = 0; g < 2; g = g + 1) begin : g_wait
      // A write may be for other blocks as well; it goes to all in one cycle.
      assign owner_bit[g] = (to_block[g] ? kBlocks'(1) << (owner[g] - kPortStore - 8'd1) : '0)
                          | (owner[g] != 8'hff && req_write[g] ? also_of(req_offset[32*g+2+:16]) : '0);
      always_comb begin : wait_for
        why[g] = kGoes;
        if (!req_write[g]
            && (to_block[g] ? next_reads == cfg_reads : given[g] == ans_space[4*g+:4]))
          why[g] = kWaitsForPlace;
        else if ((owner_bit[g] & ~port_ready) != '0) why[g] = kWaitsForBlock;
      end
    end
  endgenerate

  logic goes;                          // source whose request moves, when one does
  always_comb begin : requests
    integer i;
    logic s;
    taken = 2'b00;
    next_stall = stall_r;
    s = turn;
    for (i = 0; i < 2; i = i + 1) begin
      if (ctl_run && req_valid[s] && taken == 2'b00) begin
        next_stall[2*s+:2] = why[s];
        taken[s] = why[s] == kGoes;
      end
      s = !s;
    end
    goes = taken[1];
  end

  // ---- the request that moves
  logic moves, here, is_write;
  logic [31:0] steering;
  assign moves = taken != 2'b00;
  assign here = moves && !to_block[goes];
  assign is_write = req_write[goes];
  assign steering = gfx_index[32*goes+:32];
  assign sent = moves ? owner_bit[goes] : '0;

  // ---- outputs
  logic ok, starts_something;
  logic [1:0] error_now;
  assign starts_something = here && starts_now[goes];
  assign error_now = wrong != 2'd0 ? wrong : starts_something ? kStarts : 2'd0;
  assign ok = !rst && error_r == 2'd0 && error_now == 2'd0;

  assign error_code = rst ? 2'd0 : error_r != 2'd0 ? error_r : error_now;
  assign error_place = rst               ? 32'd0
                     : error_r != 2'd0   ? error_place_r
                     : wrong != 2'd0     ? wrong_place
                     : starts_something  ? req_offset[32*goes+:32]
                                         : 32'd0;
  assign req_ready = ok ? taken : 2'b00;
  assign rsp_ready = ok ? answered : '0;
  assign port_valid = ok ? sent : '0;
  logic passes;
  assign passes = port_valid != '0;
  assign port_offset = passes ? req_offset[32*goes+:32] : 32'd0;
  assign port_value = passes ? req_value[32*goes+:32] : 32'd0;
  assign port_write = passes && is_write;
  assign port_source = passes && goes;
  assign port_ring = passes ? req_ring[2*goes+:2] : 2'd0;
  assign port_context = passes ? for_context[goes] : 3'd0;
  assign port_vmid = passes ? req_vmid[4*goes+:4] : 4'd0;
  assign port_tag = !passes   ? 32'd0
                  : is_write ? req_tag[32*goes+:32]
                             : {{(32 - kPlaceBits) {1'b0}}, free_place};
  assign port_se = passes ? steering[kSeIndexLsb+:8] : 8'd0;
  assign port_sh = passes ? steering[kShIndexLsb+:8] : 8'd0;
  assign port_instance = passes ? steering[kInstanceIndexLsb+:8] : 8'd0;
  assign port_broadcast = passes ? {steering[kSeBroadcastWritesLsb], steering[kShBroadcastWritesLsb],
                                    steering[kInstanceBroadcastWritesLsb]}
                                 : 3'd0;

  // The answer to a read of a register that is kept here comes after those of the blocks.
  logic own_answer;
  assign own_answer = here && !is_write;
  always_comb begin : give_answers
    ans_count = 8'd0;
    ans_value = '0;
    ans_tag = '0;
    ans_unknown = '0;
    if (ok) begin
      ans_count = {given[1], given[0]};
      ans_value = answer_value;
      ans_tag = answer_tag;
      ans_unknown = answer_unknown;
      if (own_answer) begin
        ans_count[4*goes+:4] = given[goes] + 4'd1;
        ans_value[32*slot(goes, given[goes])+:32] = own_value[goes];
        ans_tag[32*slot(goes, given[goes])+:32] = req_tag[32*goes+:32];
        ans_unknown[slot(goes, given[goes])] = !known[goes];
      end
    end
  end
  assign event_unknown = !ok ? 4'd0 : unknowns + ((here && !known[goes]) ? 4'd1 : 4'd0);

  logic sets_soft_reset;
  assign sets_soft_reset = here && is_write && is_soft_reset[goes];
  logic [31:0] next_soft_reset;
  assign next_soft_reset = sets_soft_reset ? req_value[32*goes+:32] : soft_reset_r;
  logic [7:0] reads_after;
  assign reads_after = next_reads + ((moves && !here && !is_write) ? 8'd1 : 8'd0);
  assign state_soft_reset = ok ? next_soft_reset : 32'd0;
  assign state_reads = ok ? reads_after : 8'd0;
  assign state_stall = ok ? next_stall : 4'd0;

  // ---- edge
  integer c, u;
  always_ff @(posedge clk) begin
    if (rst) begin
      written <= '0;
      steered <= 2'b00;
      soft_reset_r <= 32'd0;
      place_used <= '0;
      reads_r <= 8'd0;
      newest_r <= 3'd1;
      for (c = 0; c < 8; c = c + 1) context_written[c] <= '0;
      for (u = 0; u < kCopies; u = u + 1) copy_written[u] <= '0;
      for (u = 0; u < 8 << kContextCopyBits; u = u + 1) context_copy_written[u] <= '0;
      turn <= 1'b0;
      stall_r <= 4'd0;
      error_r <= 2'd0;
    end else if (error_r == 2'd0) begin
      error_r <= error_now;
      error_place_r <= error_place;
    end
    if (ok) begin
      place_used <= next_used;
      reads_r <= reads_after;
      stall_r <= next_stall;
      soft_reset_r <= next_soft_reset;
      if (moves) begin
        turn <= !goes;
        if (is_write && is_copy[goes]) begin
          context_store[for_context[goes]] <= context_store[req_value[32*goes+:3]];
          context_written[for_context[goes]] <= context_written[req_value[32*goes+:3]];
          for (u = 0; u < 1 << kContextCopyBits; u = u + 1) begin
            context_copy_store[{for_context[goes], u[kContextCopyBits-1:0]}]
                <= context_copy_store[{req_value[32*goes+:3], u[kContextCopyBits-1:0]}];
            context_copy_written[{for_context[goes], u[kContextCopyBits-1:0]}]
                <= context_copy_written[{req_value[32*goes+:3], u[kContextCopyBits-1:0]}];
          end
          if (goes) newest_r <= for_context[1];
        end
        if (here && is_write) begin
          if (is_gfx_index[goes]) begin
            gfx_index_r[32*goes+:32] <= req_value[32*goes+:32];
            steered[goes] <= 1'b1;
          end else if (kept[goes] && is_context[goes] && !for_all[goes]) begin
            for (u = 0; u < 1 << kContextCopyBits; u = u + 1)
              if (chosen[goes][u << (kCopyBits - kContextCopyBits)]) begin
                context_copy_store[{for_context[goes], u[kContextCopyBits-1:0]}][{req_offset[32*goes+2+:kContextBits], 5'd0}+:32]
                    <= req_value[32*goes+:32];
                context_copy_written[{for_context[goes], u[kContextCopyBits-1:0]}][req_offset[32*goes+2+:kContextBits]] <= 1'b1;
              end
          end else if (kept[goes] && is_context[goes]) begin
            for (u = 0; u < 1 << kContextCopyBits; u = u + 1)
              context_copy_written[{for_context[goes], u[kContextCopyBits-1:0]}][req_offset[32*goes+2+:kContextBits]] <= 1'b0;
            context_store[for_context[goes]][{req_offset[32*goes+2+:kContextBits], 5'd0}+:32]
                <= req_value[32*goes+:32];
            context_written[for_context[goes]][req_offset[32*goes+2+:kContextBits]] <= 1'b1;
          end else if (kept[goes] && !for_all[goes]) begin
            for (u = 0; u < kCopies; u = u + 1)
              if (chosen[goes][u]) begin
                copy_store[{u[kCopyBits-1:0], row[goes]}] <= req_value[32*goes+:32];
                copy_written[u][row[goes]] <= 1'b1;
              end
          end else if (kept[goes] && !is_status[goes]) begin
            for (u = 0; u < kCopies; u = u + 1) copy_written[u][row[goes]] <= 1'b0;
            store[row[goes]] <= req_value[32*goes+:32];
            written[row[goes]] <= 1'b1;
          end
        end
        if (!here && !is_write) begin
          place_used[free_place] <= 1'b1;
          place_source[free_place] <= goes;
          place_tag[32*free_place+:32] <= req_tag[32*goes+:32];
        end
      end
    end
  end

endmodule
