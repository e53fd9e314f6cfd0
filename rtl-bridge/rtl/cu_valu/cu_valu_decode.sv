// SPDX-License-Identifier: Apache-2.0
// What a vector instruction is, by its VOP3 opcode number. Instructions that are no operation of lanes by
// themselves are made of one: copies, counts, multiply-adds. Combinational.
`include "cu_valu_pkg.sv"

module cu_valu_decode
  import cu_valu_pkg::*;
(
  input  logic [8:0] op,
  output kind_t      kind
);

  localparam logic [8:0] kReadLane = 9'd257;
  localparam logic [8:0] kWriteLane = 9'd258;
  localparam logic [8:0] kMacLegacy = 9'd262;
  localparam logic [8:0] kMac = 9'd287;
  localparam logic [8:0] kMadmk = 9'd288;
  localparam logic [8:0] kMadak = 9'd289;
  localparam logic [8:0] kBcnt = 9'd290;
  localparam logic [8:0] kMbcntLo = 9'd291;
  localparam logic [8:0] kMbcntHi = 9'd292;
  localparam logic [8:0] kAddI32 = 9'd293;
  localparam logic [8:0] kSubbrev = 9'd298;
  localparam logic [8:0] kNop = 9'd384;
  localparam logic [8:0] kMov = 9'd385;
  localparam logic [8:0] kReadFirstLane = 9'd386;
  localparam logic [8:0] kMovFed = 9'd393;
  localparam logic [8:0] kClrExcp = 9'd449;
  localparam logic [8:0] kMovrelD = 9'd450;
  localparam logic [8:0] kMovrelS = 9'd451;
  localparam logic [8:0] kMovrelSd = 9'd452;

  // Compares are below 256; of each sixteen the upper ones write EXEC.
  logic compares, carries, changes_nothing;
  assign compares        = !op[8];
  assign carries         = op >= kAddI32 && op <= kSubbrev;
  assign changes_nothing = op == kNop || op == kClrExcp;

  always_comb begin
    kind                = '0;
    kind.accumulates    = op == kMac || op == kMacLegacy;
    kind.literal_second = op == kMadmk;
    kind.literal_third  = op == kMadak;
    kind.below_low      = op == kMbcntLo;
    kind.below_high     = op == kMbcntHi;
    kind.reads_lane     = op == kReadLane;
    kind.reads_first    = op == kReadFirstLane;
    kind.writes_lane    = op == kWriteLane;
    kind.writes_mask    = compares || carries;
    kind.writes_exec    = compares && op[4];
    kind.writes_row     = !compares && !kind.reads_lane && !kind.reads_first && !changes_nothing;
    case (op)
      kReadLane, kReadFirstLane, kWriteLane:                     kind.lane_op = kMov;
      kNop, kMovFed, kClrExcp, kMovrelD, kMovrelS, kMovrelSd:    kind.lane_op = kMov;
      kMadmk, kMadak:                                            kind.lane_op = kMac;
      kMbcntLo, kMbcntHi:                                        kind.lane_op = kBcnt;
      default:                                                   kind.lane_op = op;
    endcase
  end

endmodule
