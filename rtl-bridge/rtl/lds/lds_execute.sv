// SPDX-License-Identifier: Apache-2.0
// A DS instruction of a wave on local memory, all at once. Combinational, beside the storage: it
// names the elements it inspects (`read_at`), takes what the storage has there, and gives what the
// lanes get, what is written, and how many passes the banks need. lds takes a cycle for each pass;
// lds_pkg and lds_places have the rules of both.
//
// Element e of lane l has number 64 * e + l. Lanes act in ascending order, of an instruction with
// two addresses all on their first elements before any on its second one, unless it touches two
// places for each lane: then a lane has acted on both before the next one does. A lane finds what
// those before it have written; an exchange of two reads both places before it writes.
//
// A group of lanes is as many as the banks serve together: one for each bank, of 64-bit elements
// one for each pair. It needs as many passes as one bank has distinct elements.
`include "lds_pkg.sv"

module lds_execute
  import lds_pkg::*;
(
  input  logic          valid,       // else all outputs are zero
  input  logic [7:0]    in_code,     // of the DS instruction
  input  logic [15:0]   in_offset,   // offset1 in the upper half of two
  input  logic [31:0]   in_m0,
  input  logic [12:0]   in_base,     // of the group's part, in 8 bytes
  input  logic [16:0]   in_size,     // of it, bytes
  input  logic [63:0]   in_exec,
  input  logic [6:0]    in_banks,    // of a dword: a power of two, 2 to 64
  input  logic [2047:0] in_address,
  input  logic [4095:0] in_first,    // data operands: VGPR of the low dwords, of the high ones
  input  logic [4095:0] in_second,
  // the storage, by number of the element; dwords have numbers of 14 bits
  output logic [127:0]  read,        // elements that are looked at
  output logic [1791:0] read_at,     // their dwords; those of 64 bits have the next one, too
  input  logic [8191:0] read_data,   // 64 bits each
  // results
  output logic [3:0]    out_rows,    // VGPRs from the destination on that active lanes get
  output logic [8191:0] out_data,    // inactive lanes are zero
  output logic [7:0]    out_passes,
  // written, in this order
  output logic [7:0]    out_writes,
  output logic          out_wide,    // two dwords each, else the low one
  output logic [1791:0] out_at,
  output logic [8191:0] out_written
);

  kind_t         kind;
  logic          acts;
  logic [127:0]  found;
  logic [2047:0] at;                 // bytes
  logic [6:0]    members;
  assign kind = kind_of(in_code);
  assign acts = valid && kind.legal;

  lds_places places (
    .valid(acts && !kind.swizzle), .kind(kind), .offset(in_offset), .m0(in_m0), .base({in_base, 3'd0}), .size(in_size),
    .exec(in_exec), .address(in_address), .found0(found[63:0]), .found1(found[127:64]), .at0(at[1023:0]),
    .at1(at[2047:1024]), .members(members));

  assign read     = kind.two || kind.from_memory ? found : {64'd0, found[63:0]};
  assign out_wide = acts && kind.wide;
  always_comb begin : name_dwords
    integer i;
    read_at = 1792'd0;
    if (acts) for (i = 0; i < 128; i = i + 1) if (read[i]) read_at[14*i+:14] = at[16*i+2+:14];
  end

  // ---- passes of the banks
  // Elements have numbers in the storage; `columns` of them stand beside each other.
  function automatic logic [7:0] passes_of(input logic [63:0] lanes, input logic [895:0] dwords, input logic wide,
                                           input logic [6:0] columns);
    integer           l, j, first;
    logic [5:0]       column;
    logic [63:0][6:0] count;         // distinct elements of the group, by column
    logic [6:0]       worst;
    logic             seen;
    passes_of = 8'd0;
    first     = 0;
    count     = 448'd0;
    worst     = 7'd0;
    for (l = 0; l < 64; l = l + 1) begin
      if ((l[6:0] & (columns - 7'd1)) == 7'd0) begin
        passes_of = passes_of + {1'b0, worst};
        first     = l;
        count     = 448'd0;
        worst     = 7'd0;
      end
      if (lanes[l]) begin
        column = dwords[14*l+{31'd0, wide}+:6] & (columns[5:0] - 6'd1);
        seen   = 1'b0;
        if (count[column] != 7'd0)
          for (j = first; j < l; j = j + 1)
            if (lanes[j] && dwords[14*j+:14] == dwords[14*l+:14]) seen = 1'b1;
        if (!seen) begin
          count[column] = count[column] + 7'd1;
          if (count[column] > worst) worst = count[column];
        end
      end
    end
    passes_of = passes_of + {1'b0, worst};
  endfunction

  always_comb begin : count_passes
    integer     e;
    logic [6:0] columns;
    out_passes = 8'd0;
    columns    = kind.wide ? in_banks >> 1 : in_banks;
    if (acts && kind.swizzle) out_passes = {7'd0, in_exec[31:0] != 32'd0} + {7'd0, in_exec[63:32] != 32'd0};
    else if (acts)
      for (e = 0; e < 2; e = e + 1)
        if (e == 0 || kind.two) out_passes = out_passes + passes_of(read[64*e+:64], read_at[896*e+:896], kind.wide, columns);
  end

  // ---- what the lanes do
  // The element as the first `count` of those written leave it.
  function automatic logic [63:0] present(input logic [6:0] n, input logic [7:0] count);
    integer j;
    present = read_data[64*n+:64];
    for (j = 0; j < {24'd0, count}; j = j + 1)
      if (out_at[14*j+:14] == read_at[14*n+:14]) present = out_written[64*j+:64];
  endfunction

  logic [8191:0] got;                // by number of the element
  always_comb begin : act
    integer      i;
    logic        second_element, lane_begins;
    logic [5:0]  l;
    logic [6:0]  n;                  // element
    logic [7:0]  visible;            // what was written before the lane looks
    logic [63:0] old, carried, first, second;
    got         = 8192'd0;
    out_writes  = 8'd0;
    out_at      = 1792'd0;
    out_written = 8192'd0;
    l           = 6'd0;
    n           = 7'd0;
    visible     = 8'd0;
    old         = 64'd0;
    carried     = 64'd0;
    first       = 64'd0;
    second      = 64'd0;
    second_element = 1'b0;
    lane_begins    = 1'b0;
    if (read != 128'd0) begin
      for (i = 0; i < 128; i = i + 1) begin
        l              = kind.by_lane ? i[6:1] : i[5:0];
        second_element = kind.by_lane ? i[0] != kind.from_memory : i[6];
        lane_begins    = !kind.by_lane || !i[0];
        n              = {second_element, l};
        if (lane_begins) carried = 64'd0;
        if (lane_begins || !kind.exchange2) visible = out_writes;
        if (read[n]) begin
          old = present(n, kind.replaces ? 8'd0 : visible);
          if (!kind.wide) old = {32'd0, old[31:0]};
          got[64*n+:64] = returned(kind, at[16*n+:2], old);
          if (kind.from_memory && second_element) carried = old;
          else if (kind.writes) begin
            first  = {in_first[2048+32*l+:32], in_first[32*l+:32]};
            second = {in_second[2048+32*l+:32], in_second[32*l+:32]};
            first  = operand(kind, second_element, first, second, carried, members);
            out_at[14*out_writes+:14]      = read_at[14*n+:14];
            out_written[64*out_writes+:64] = left_behind(kind, at[16*n+:2], old, first, second);
            out_writes                     = out_writes + 8'd1;
          end
        end
      end
    end
  end

  // ---- results
  always_comb begin : give
    integer     l, k;
    logic [5:0] from;
    out_rows = 4'd0;
    out_data = 8192'd0;
    from     = 6'd0;
    if (acts && kind.returns) begin
      out_rows = kind.two ? (kind.wide ? 4'hf : 4'h3) : kind.wide ? 4'h3 : 4'h1;
      for (l = 0; l < 64; l = l + 1) begin
        from = kind.swizzle ? swizzle_source(in_offset, l[5:0]) : kind.counter ? 6'd0 : l[5:0];
        if (in_exec[l]) begin
          if (kind.swizzle) out_data[32*l+:32] = in_exec[from] ? in_address[32*from+:32] : 32'd0;
          else if (kind.wide) begin
            for (k = 0; k < 4; k = k + 1) out_data[2048*k+32*l+:32] = got[4096*(k/2)+64*l+32*(k%2)+:32];
          end else begin
            for (k = 0; k < 2; k = k + 1) out_data[2048*k+32*l+:32] = got[4096*k+64*from+:32];
          end
        end
      end
    end
  end

endmodule
