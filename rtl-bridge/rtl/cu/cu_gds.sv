// SPDX-License-Identifier: Apache-2.0
// The instruction of the global data share that issues: the request it sends. Values of a whole wave
// are those of the first active lane.
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"
`include "cu_gds_pkg.sv"

// Some members of the instruction and of the wave have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_gds
  import cu_decode_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;
  import cu_gds_pkg::*;
(
  input  logic [1:0]     turn,            // SIMD that issues
  input  logic [4:0]     issued,          // an instruction issues, its slot
  input  slot_entries_t  entries,
  input  waves_t         waves,
  input  slot_scalars_t  scalars,
  input  vgprs_t         vgprs,
  input  returned_t      returned,
  input  returned_rows_t returned_rows,
  output gds_op_t        operation,       // for the answer
  output gds_request_t   request,
  output logic [2047:0]  address0,        // of the first element, of the second one
  output logic [2047:0]  address1,
  output logic [8191:0]  data
);

`include "cu_rows.sv"

  decoded_t       d;
  logic [5:0]     number;
  lds_pkg::kind_t kind;
  logic [63:0]    exec;
  logic [31:0]    m0;
  logic [2047:0]  lane_address;
  logic [31:0]    first_value;            // of the first active lane
  always_comb begin : operands
    integer l;
    number       = {turn, issued[3:0]};
    d            = issued[4] ? entries[issued[3:0]].d : '0;
    kind         = lds_pkg::kind_of(d.op[7:0]);
    exec         = exec_of(scalars[issued[3:0]]);
    m0           = m0_of(scalars[issued[3:0]]);
    lane_address = issued[4] ? row(number, d.vaddr) : 2048'd0;
    first_value  = 32'd0;
    for (l = 63; l >= 0; l = l - 1) if (exec[l]) first_value = lane_address[32*l+:32];
  end

  // ---- by kind of instruction
  function automatic gds_request_t synchronisation();
    synchronisation          = '0;
    synchronisation.command  = sync_command(d.op[7:0]);
    synchronisation.atomic   = kNoAtomic;
    synchronisation.bytes    = 4'd4;
    synchronisation.elements = 2'd1;
    synchronisation.resource = {2'd0, m0[21:16] + d.offset[5:0]};
    if (d.op[7:0] == kGwsSemaphoreUp) synchronisation.value = 32'd1;
    else if (d.op[7:0] != kGwsSemaphoreDown) synchronisation.value = first_value;
  endfunction

  // OFFSET0 is four times the counter; OFFSET1 holds release (bit 0), done (1), stage (3:2), add or swap (5:4).
  function automatic gds_request_t ordered_count();
    ordered_count           = '0;
    ordered_count.command   = kGdsOrderedCount;
    ordered_count.atomic    = kNoAtomic;
    ordered_count.bytes     = 4'd4;
    ordered_count.elements  = 2'd1;
    ordered_count.returns   = 1'b1;
    ordered_count.value     = first_value;
    ordered_count.order     = m0[15:0];
    ordered_count.counter   = {2'd0, d.offset[7:2]};
    ordered_count.lets_next = d.offset[8];
    ordered_count.lets_all  = d.offset[9];
    ordered_count.stage     = {6'd0, d.offset[11:10]};
    ordered_count.swaps     = d.offset[13:12] == 2'd1;
    ordered_count.lanes0    = 64'd1;
  endfunction

  function automatic gds_request_t memory_access();
    memory_access             = '0;
    memory_access.command     = memory_command(kind);
    memory_access.atomic      = atomic_of(kind);
    memory_access.bytes       = 4'd1 << kind.element;
    memory_access.elements    = kind.two ? 2'd2 : 2'd1;
    memory_access.sign_extend = kind.read && (kind.op == lds_pkg::kReadI8 || kind.op == lds_pkg::kReadI16) && !kind.wide;
    memory_access.returns     = kind.returns;
    if (kind.counter) begin
      memory_access.value  = {25'd0, ones(exec)};
      memory_access.lanes0 = {63'd0, d.offset < m0[15:0] && exec != 64'd0};
    end
  endfunction

  // ---- places of a lane's elements: offsets from the base, and whether there is a second one. The
  // second one of an operand in memory lies a signed number of dwords from the first.
  typedef struct packed {
    logic [33:0] first, second;
    logic        second_exists;
  } offsets_t;

  function automatic offsets_t offsets_of(input logic [31:0] v);
    logic [3:0]  shift;
    logic [14:0] distance;
    logic [34:0] from;
    shift                    = (kind.strided ? 4'd6 : 4'd0) + {2'd0, kind.element};
    offsets_of.first         = {2'd0, v} + (kind.two ? {26'd0, d.offset[7:0]} << shift : {18'd0, d.offset});
    offsets_of.second        = {2'd0, v} + ({26'd0, d.offset[15:8]} << shift);
    offsets_of.second_exists = kind.two;
    if (kind.from_memory) begin
      distance                 = d.offset[15] ? v[31:17] : d.offset[14:0];
      offsets_of.first         = d.offset[15] ? {17'd0, v[16:0]} : {2'd0, v};
      from                     = {1'b0, offsets_of.first >> kind.element << kind.element} + {{18{distance[14]}}, distance, 2'd0};
      offsets_of.second        = from[33:0];
      offsets_of.second_exists = !from[34];
    end
  endfunction

  always_comb begin : places
    integer      l;
    logic [63:0] lanes0, lanes1;
    offsets_t    o;
    address0 = 2048'd0;
    address1 = 2048'd0;
    lanes0   = 64'd0;
    lanes1   = 64'd0;
    o        = '0;
    request  = '0;
    if (issued[4] && synchronises(d.op[7:0])) request = synchronisation();
    else if (issued[4] && d.op[7:0] == kOrderedCount) begin
      request        = ordered_count();
      address0[31:0] = ({16'd0, m0[31:16]} + {24'd0, d.offset[7:2], 2'd0}) & ~32'd3;
    end else if (issued[4]) begin
      request = memory_access();
      if (kind.counter) address0[31:0] = ({16'd0, m0[31:16]} + {16'd0, d.offset}) & ~32'd3;
      else begin
        for (l = 0; l < 64; l = l + 1)
          if (exec[l]) begin
            o = offsets_of(lane_address[32*l+:32]);
            {lanes0[l], address0[32*l+:32]} = place_of_element(m0, o.first, kind.element);
            if (o.second_exists) {lanes1[l], address1[32*l+:32]} = place_of_element(m0, o.second, kind.element);
          end
        request.lanes0 = lanes0;
        request.lanes1 = lanes1;
      end
    end
  end

  // ---- data: those of the first operand, after them those of the second one
  always_comb begin : operand_rows
    logic [4095:0] first, second;
    data   = 8192'd0;
    first  = 4096'd0;
    second = 4096'd0;
    if (issued[4] && kind.writes && !kind.counter && !kind.from_memory && !synchronises(d.op[7:0])
        && d.op[7:0] != kOrderedCount) begin
      first = rows(number, d.data0);
      if (has_second(kind)) second = rows(number, d.data1);
      data = kind.wide ? {second, first} : {4096'd0, second[2047:0], first[2047:0]};
    end
  end

  always_comb begin : kept
    operation        = '0;
    operation.wave   = number;
    operation.vdst   = d.vdst;
    operation.dwords = returned_dwords(d.op[7:0], kind);
    operation.lanes  = exec;
  end

endmodule
