// SPDX-License-Identifier: Apache-2.0
// The local data share: its storage, and the DS instruction that issues, or the one of interpolation
// in its place; reads of an operand of the vector ALU; loads to LDS. As all others, an instruction acts
// in the cycle it issues in: after a load, which arrives before, and after instructions in front of it
// in the order of the SIMD's waves.
`include "cu_lds_load_pkg.sv"
`include "cu_pkg.sv"
`include "cu_scalar_pkg.sv"

// Some members of the instruction and of the wave have no reader here.
/* verilator lint_off UNUSEDSIGNAL */
module cu_share
  import cu_decode_pkg::*;
  import cu_lds_load_pkg::*;
  import cu_pkg::*;
  import cu_scalar_pkg::*;
(
  input  logic           clk,
  input  logic           rst,
  input  logic           held,            // nothing moves in this cycle but rows that come
  input  spec_t          spec,
  input  logic [1:0]     turn,            // SIMD that issues
  input  logic [4:0]     issued,          // an instruction issues, its slot
  input  slot_entries_t  entries,
  input  waves_t         waves,
  input  slot_scalars_t  scalars,
  input  vgprs_t         vgprs,
  input  returned_t      returned,
  input  returned_rows_t returned_rows,
  input  lds_load_t      lds_load,
  // a dword that the vector ALU reads
  input  simd_t          simd,            // that issues
  input  logic [3:0]     direct_slot,     // of the vector instruction
  input  logic [13:0]    direct_number,
  output logic [31:0]    direct_dword,
  input  logic           executes,        // the instruction writes what it writes
  input  init_t          init,
  input  logic           group_begins,    // its part of LDS is 0, or is kept, or has rows that came before
  input  launch_t        launch,
  output logic [7:0]     passes,          // of the banks, of a DS instruction
  output logic [3:0]     result_rows,     // registers from the destination on that are written
  output logic [8191:0]  result,
  output logic [63:0]    result_lanes
);

`include "cu_rows.sv"

  int lds [0:16383];

  // A dword as instructions find it.
  function automatic logic [31:0] dword_at(input logic [13:0] place);
    dword_at = lds_load.valid ? behind_load(lds[place], place, lds_load) : lds[place];
  endfunction

  logic          valid, interpolates;
  decoded_t      d;
  logic [5:0]    number;
  wave_t         wave;
  logic [4095:0] s;
  logic [2047:0] address;
  logic [4095:0] first, second;
  logic [2047:0] coordinate, old;         // of an interpolation
  always_comb begin : operands
    number       = {turn, issued[3:0]};
    wave         = waves[number];
    d            = issued[4] ? entries[issued[3:0]].d : '0;
    valid        = issued[4] && d.action == kLds;
    interpolates = issued[4] && d.action == kInterpolate;
    s            = issued[4] ? scalars[issued[3:0]] : 4096'd0;
    address      = '0;
    first        = '0;
    second       = '0;
    coordinate   = '0;
    old          = '0;
    if (interpolates) begin
      coordinate = row(number, d.src0[7:0]);
      old        = row(number, d.vdst);
    end
    if (valid) begin
      address = row(number, d.vaddr);
      first   = rows(number, d.data0);
      second  = rows(number, d.data1);
    end
  end
  assign result_lanes = exec_of(s);

  logic [127:0]  read;                    // elements, with the number of their first dword
  logic [1791:0] read_at, at;
  logic [8191:0] read_data, written;
  logic [7:0]    writes;
  logic          wide;
  logic [3:0]    ds_rows;
  logic [8191:0] ds_result;
  always_comb begin : read_elements
    integer i;
    read_data = '0;
    if (valid)
      for (i = 0; i < 128; i = i + 1)
        if (read[i]) read_data[64*i+:64] = {dword_at({read_at[14*i+1+:13], 1'b1}), dword_at(read_at[14*i+:14])};
  end
  lds_execute execute (
    .valid(valid), .in_code(d.op[7:0]), .in_offset(d.offset), .in_m0(m0_of(s)), .in_base(wave.lds_base[15:3]),
    .in_size(wave.lds_size), .in_exec(exec_of(s)), .in_banks(spec.lds_banks), .in_address(address), .in_first(first),
    .in_second(second), .read(read), .read_at(read_at), .read_data(read_data), .out_rows(ds_rows), .out_data(ds_result),
    .out_passes(passes), .out_writes(writes), .out_wide(wide), .out_at(at), .out_written(written));

  // ---- interpolation
  logic [31:0]   parameters;              // that are read
  logic [447:0]  parameters_at;
  logic [2047:0] parameters_data, interpolated;
  always_comb begin : read_parameters
    integer i;
    parameters_data = '0;
    if (interpolates)
      for (i = 0; i < 32; i = i + 1)
        if (parameters[i])
          parameters_data[64*i+:64] = {dword_at(parameters_at[14*i+:14] + 14'd1), dword_at(parameters_at[14*i+:14])};
  end
  cu_interpolate interpolate (.valid(interpolates), .inst(d), .m0(m0_of(s)), .base(wave.lds_base), .size(wave.lds_size),
    .source(coordinate), .old(old), .round(wave.float_mode[1:0]), .denorm(wave.float_mode[5:4]), .dx10(wave.dx10),
    .ieee(wave.ieee), .read(parameters), .read_at(parameters_at), .read_data(parameters_data), .row(interpolated));
  assign result_rows = interpolates ? 4'd1 : ds_rows;
  assign result      = interpolates ? {6144'd0, interpolated} : ds_result;

  // ---- the operand of a vector instruction
  always_comb begin : read_direct
    integer i;
    direct_dword = dword_at(direct_number);
    if (valid && in_front(simd, issued[3:0], direct_slot))
      for (i = 0; i < 128; i = i + 1)
        if (i[7:0] < writes) begin
          if (at[14*i+:14] == direct_number) direct_dword = written[64*i+:32];
          if (wide && {at[14*i+1+:13], 1'b1} == direct_number) direct_dword = written[64*i+32+:32];
        end
  end

  // ---- what is written
  logic [13:0] loaded_from;
  assign loaded_from = lds_load.at[15:2];
  // Written by loops.
  /* verilator lint_off BLKSEQ */
  integer      n;
  int          init_dwords [0:16383];
  logic [14:0] init_count;               // dwords, from the first of the part on
  always_ff @(posedge clk) begin : storage
    if (!rst && !held && lds_load.valid)
      for (n = 0; n < 65; n = n + 1) lds[loaded_from+n[13:0]] = dword_at(loaded_from + n[13:0]);
    if (!rst) begin
      if (init.first) begin
        init_count = 15'd0;
        for (n = 0; n < 16384; n = n + 1) init_dwords[n] = 32'd0;
      end
      if (init.valid && init.lds)
        for (n = 0; n < 64; n = n + 1)
          if (init.lanes[n]) begin
            init_dwords[{init.row, n[5:0]}] = init.data[32*n+:32];
            if (init_count <= {1'b0, init.row, n[5:0]}) init_count = {1'b0, init.row, n[5:0]} + 15'd1;
          end
    end
    if (!rst && !held) begin
      if (group_begins && !launch.keeps_lds)
        for (n = 0; n < 16384; n = n + 1)
          if (n[14:0] >= launch.lds_base[16:2] && {n[14:0], 2'd0} < launch.lds_base + launch.lds_bytes) lds[n] = 32'd0;
      if (group_begins && init.taken)
        for (n = 0; n < 16384; n = n + 1)
          if (n[14:0] < init_count && {n[14:0], 2'd0} < launch.lds_bytes) lds[launch.lds_base[15:2]+n[13:0]] = init_dwords[n];
      if (executes)
        for (n = 0; n < 128; n = n + 1)
          if (n[7:0] < writes) begin
            lds[at[14*n+:14]] = written[64*n+:32];
            if (wide) lds[{at[14*n+1+:13], 1'b1}] = written[64*n+32+:32];
          end
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
