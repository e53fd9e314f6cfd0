// SPDX-License-Identifier: Apache-2.0
// Local data share: 64 KiB in 32 banks of 512 dwords, and one DS instruction of a wave at a time.
//
// The cycle after an operation works out the addresses of its elements. Then the banks serve one
// pass in each cycle: of the first group of lanes that has some left - 32 lanes, of 64-bit elements
// 16 - each bank (pair of banks) takes the element of its lowest lane, and with it every lane of
// the group that wants the same element; lanes of one element act in ascending order. Of an
// instruction with two addresses all first elements come before the second ones. Instructions that
// touch two places for each lane (exchange of two, operand from memory) only count their passes so
// (of the places written); then their lanes act one after the other, in two cycles each. The result
// follows; out_passes is what the instruction is charged with.
//
// Addresses are those of a group: base is added, and an element that is not wholly below both size
// and M0 reads zero and is not written. Addresses do not wrap. Append and consume count at
// M0[15:0] + offset, below size alone; one pass. Swizzle passes data only, half a wave at a time.
//
// The row port is the storage's back door, one row of all banks: taken between operations, before
// one of the same cycle.
`include "lds_pkg.sv"

module lds
  import lds_pkg::*;
(
  `include "lds_ports.svh"
);

  localparam logic [2:0] kIdle = 3'd0;
  localparam logic [2:0] kAddress = 3'd1;
  localparam logic [2:0] kPass = 3'd2;
  localparam logic [2:0] kLaneFirst = 3'd3;
  localparam logic [2:0] kLaneSecond = 3'd4;
  localparam logic [2:0] kOut = 3'd5;

  // ---- the operation
  logic [2:0]    state;
  logic [7:0]    code;
  logic [15:0]   offset;
  logic [31:0]   m0;
  logic [15:0]   base;
  logic [16:0]   size;
  logic [63:0]   exec;
  logic [2047:0] address;
  logic [4095:0] first, second;

  // ---- its kind, and where its elements are
  kind_t         kind;
  logic [63:0]   found0, found1;
  logic [1023:0] found_at0, found_at1;
  logic [6:0]    members;
  assign kind = kind_of(code);

  lds_places find (
    .valid(state == kAddress || kind.counter), .kind(kind), .offset(offset), .m0(m0), .base(base), .size(size), .exec(exec),
    .address(address), .found0(found0), .found1(found1), .at0(found_at0), .at1(found_at1), .members(members));

  // ---- what is left to do
  logic [63:0]   in0, in1;          // elements inside
  logic [1023:0] at0, at1;
  logic [63:0]   left0, left1;      // lanes that wait for a pass
  logic [63:0]   lanes;             // lanes that have still to act on their own
  logic [63:0]   carried;           // from the first to the second cycle of a lane
  logic          carried_in;
  logic [15:0]   carried_at;
  logic [4095:0] result0, result1;
  logic [7:0]    passes;

  // ---- the group of lanes and the element at work
  logic        second_element;
  logic [63:0] left;
  logic [5:0]  group;   // its first lane
  logic [31:0] todo;
  logic [6:0]  lane;    // that acts on its own
  function automatic logic [6:0] lowest64(input logic [63:0] bits);
    logic [63:0] x;
    x = bits;
    lowest64 = 7'd0;
    if (x[31:0] == 32'd0) begin lowest64 = lowest64 + 7'd32; x = x >> 32; end
    if (x[15:0] == 16'd0) begin lowest64 = lowest64 + 7'd16; x = x >> 16; end
    if (x[7:0] == 8'd0) begin lowest64 = lowest64 + 7'd8; x = x >> 8; end
    if (x[3:0] == 4'd0) begin lowest64 = lowest64 + 7'd4; x = x >> 4; end
    if (x[1:0] == 2'd0) begin lowest64 = lowest64 + 7'd2; x = x >> 2; end
    if (!x[0]) begin
      lowest64 = lowest64 + 7'd1;
      if (!x[1]) lowest64 = 7'd64;
    end
  endfunction

  logic [63:0] waiting;
  logic [63:0] of_element;
  always_comb begin
    second_element = 1'b0;
    lane           = 7'd0;
    waiting        = 64'd0;
    left           = 64'd0;
    of_element     = 64'd0;
    if (state == kPass) begin
      second_element = left0 == 64'd0;
      waiting        = second_element ? left1 : left0;
      left           = waiting;
      lane           = lowest64(waiting);
    end else if (state == kLaneFirst || state == kLaneSecond) begin
      second_element = (state == kLaneSecond) != kind.from_memory;
      of_element     = second_element ? in1 : in0;
      lane           = lowest64(lanes);
      left           = of_element & (64'd1 << lane);
    end
  end
  assign group = kind.wide ? {lane[5:4], 4'd0} : {lane[5], 5'd0};
  assign todo  = left[group+:32] & (kind.wide ? 32'h0000ffff : 32'hffffffff);

  // ---- which lanes the banks serve
  logic [31:0]  served, taken;
  logic [287:0] row_of;  // by bank
  logic [511:0] at;      // of the group
  assign at = 512'((second_element ? at1 : at0) >> {group, 4'd0});
  always_comb begin : arbitrate
    integer     i;
    logic [4:0] bank;
    served = 32'd0;
    taken  = 32'd0;
    row_of = 288'd0;
    bank   = 5'd0;
    if (kind.swizzle) served = todo;
    else if (todo != 32'd0) begin
      for (i = 0; i < 32; i = i + 1) begin
        bank = kind.wide ? {at[16*i+3+:4], 1'b0} : at[16*i+2+:5];
        if (todo[i] && !taken[bank]) begin
          taken[bank]         = 1'b1;
          row_of[9*bank+:9]   = at[16*i+7+:9];
        end
        served[i] = todo[i]
                 && row_of[9*bank+:9] == at[16*i+7+:9];
      end
      if (kind.wide) begin
        for (i = 0; i < 32; i = i + 2) row_of[9*i+9+:9] = row_of[9*i+:9];
      end
    end
  end

  // ---- the banks
  logic [1023:0] rows, rows_new;
  logic [31:0]   write;
  logic          row_taken;
  assign row_ready = state == kIdle;
  assign row_taken = row_valid && row_ready;
  genvar b;
  generate
    for (b = 0; b < 32; b = b + 1) begin : g_bank
      logic [31:0] memory [0:511];
      logic [8:0]  number;
      assign number = row_ready ? row_number : row_of[9*b+:9];
      assign rows[32*b+:32] = memory[number];
      always_ff @(posedge clk) begin
        if (row_taken && row_write) memory[number] <= row_data[32*b+:32];
        else if (write[b]) memory[number] <= rows_new[32*b+:32];
      end
    end
  endgenerate
  assign row_out = row_taken && !row_write ? rows : 1024'd0;

  // ---- what the lanes do to their elements, in ascending order
  logic          writes;      // in this cycle
  logic [2047:0] got;         // by lane of the group
  logic [63:0]   got_alone;   // of the lane that acts on its own
  assign writes = kind.writes
               && (state == kPass ? !kind.by_lane : !(kind.from_memory && state == kLaneFirst));

  always_comb begin : act
    integer      i;
    logic [5:0]  l;
    logic [4:0]  bank;
    logic [1:0]  part;
    logic [63:0] old, next;
    rows_new = rows;
    write    = 32'd0;
    got      = 2048'd0;
    l        = 6'd0;
    bank     = 5'd0;
    part     = 2'd0;
    old      = 64'd0;
    next     = 64'd0;
    if (served != 32'd0) begin
      for (i = 0; i < 32; i = i + 1) begin
        if (served[i]) begin
          l    = group + i[5:0];
          if (kind.swizzle) begin
            got[64*i+:64] = {32'd0, swizzled(l)};
          end else begin
            bank = kind.wide ? {at[16*i+3+:4], 1'b0} : at[16*i+2+:5];
            part = at[16*i+:2];
            old  = {kind.wide ? rows_new[32*bank+32+:32] : 32'd0, rows_new[32*bank+:32]};
            got[64*i+:64] = returned(kind, part, old);
            // what it leaves
            if (writes) begin
              next = operand(kind, second_element, first[64*l+:64], second[64*l+:64], carried, members);
              next = left_behind(kind, part, old, next, second[64*l+:64]);
              rows_new[32*bank+:32] = next[31:0];
              write[bank]           = 1'b1;
              if (kind.wide) begin
                rows_new[32*bank+32+:32] = next[63:32];
                write[{bank[4:1], 1'b1}] = kind.wide;
              end
            end
          end
        end
      end
    end
  end

  // Data of the lane a swizzle names; zero from one that is not active.
  function automatic logic [31:0] swizzled(input logic [5:0] l);
    logic [5:0] from;
    from     = swizzle_source(offset, l);
    swizzled = exec[from] ? address[32*from+:32] : 32'd0;
  endfunction

  // A second element that is also the first still shows what the first had.
  logic       same;
  logic [4:0] lane_in_group;
  assign lane_in_group = kind.wide ? {1'b0, lane[3:0]} : lane[4:0];
  assign same      = kind.exchange2 && state == kLaneSecond && carried_in
                  && carried_at == at[16*lane_in_group+:16];
  assign got_alone = left == 64'd0 ? 64'd0 : same ? carried : got[64*lane_in_group+:64];

  // ---- sequence
  logic [63:0] left0_next, left1_next, lanes_next;
  logic        passes_over;
  always_comb begin
    left0_next = left0;
    left1_next = left1;
    if (state == kPass) begin
      if (second_element) left1_next = left1 & ~({32'd0, served} << group);
      else left0_next = left0 & ~({32'd0, served} << group);
    end
    lanes_next = lanes & ~(64'd1 << lane);
  end
  assign passes_over = left0_next == 64'd0 && left1_next == 64'd0;

  logic [2:0] then_what;  // after the passes
  assign then_what = kind.by_lane && exec != 64'd0 ? kLaneFirst : kOut;
  logic [63:0] begin0, begin1;
  assign begin0 = !kind.legal ? 64'd0 : kind.swizzle ? exec : found0;
  assign begin1 = kind.legal && kind.two ? found1 : 64'd0;

  assign op_ready = state == kIdle;

  integer n;
  always_ff @(posedge clk) begin
    if (rst) state <= kIdle;
    else begin
      case (state)
        kIdle: if (op_valid) begin
          state   <= kAddress;
          code    <= op_code;
          offset  <= op_offset;
          m0      <= op_m0;
          base    <= {op_base, 3'd0};
          size    <= op_size;
          exec    <= op_exec;
          address <= op_address;
          first   <= op_first;
          second  <= op_second;
          passes  <= 8'd0;
          result0 <= 4096'd0;
          result1 <= 4096'd0;
        end
        kAddress: begin
          in0   <= found0;
          in1   <= found1;
          at0   <= found_at0;
          at1   <= found_at1;
          left0 <= begin0;
          left1 <= begin1;
          lanes <= exec;
          if (!kind.legal) state <= kOut;
          else state <= (begin0 | begin1) != 64'd0 ? kPass : then_what;
        end
        kPass: begin
          passes <= passes + 8'd1;
          left0  <= left0_next;
          left1  <= left1_next;
          if (passes_over) state <= then_what;
          if (kind.counter) begin
            for (n = 0; n < 64; n = n + 1)
              if (exec[n]) result0[64*n+:64] <= got[63:0];
          end else if (kind.returns && !kind.by_lane) begin
            for (n = 0; n < 32; n = n + 1) begin
              if (served[n] && second_element) result1[64*(group+n[5:0])+:64] <= got[64*n+:64];
              if (served[n] && !second_element) result0[64*(group+n[5:0])+:64] <= got[64*n+:64];
            end
          end
        end
        kLaneFirst: begin
          carried    <= got_alone;
          carried_in <= left != 64'd0;
          carried_at <= at[16*lane_in_group+:16];
          if (kind.exchange2) result0[64*lane[5:0]+:64] <= got_alone;
          state <= kLaneSecond;
        end
        kLaneSecond: begin
          if (kind.exchange2) result1[64*lane[5:0]+:64] <= got_alone;
          lanes <= lanes_next;
          state <= lanes_next == 64'd0 ? kOut : kLaneFirst;
        end
        default: if (out_ready) state <= kIdle;
      endcase
    end
  end

  // ---- results
  assign out_valid   = state == kOut;
  assign out_illegal = out_valid && !kind.legal;
  assign out_passes  = out_valid ? passes : 8'd0;
  logic  out_second;
  assign out_second = kind.two && out_valid;
  generate
    for (b = 0; b < 64; b = b + 1) begin : g_out
      assign out_data0[32*b+:32] = out_valid ? result0[64*b+:32] : 32'd0;
      assign out_data1[32*b+:32] = out_valid && kind.wide ? result0[64*b+32+:32]
                                 : out_second ? result1[64*b+:32] : 32'd0;
      assign out_data2[32*b+:32] = out_second && kind.wide ? result1[64*b+:32] : 32'd0;
      assign out_data3[32*b+:32] = out_second && kind.wide ? result1[64*b+32+:32] : 32'd0;
    end
  endgenerate

endmodule
