// SPDX-License-Identifier: Apache-2.0
// Image instructions: addresses, texels, conversion and filtering are the model's
// (rtl-bridge/verilated/cu_image_model.cpp). Time and flow are not: when requests leave, what returns
// when, what is counted, the status register and what stops the unit are in Verilog, which gets of an
// instruction what these follow from.
//
// An instruction that reads has up to sixteen texels a lane, 36 KiB in all: too much to go through
// wires in each cycle. So a compute unit has a store of them on the C++ side, by the number of the
// vector memory operation. Purity, which always_comb needs because it calls as often as it likes, is
// kept by three rules. Functions that write the store (cu_image_issue, cu_image_answer) are called in
// always_ff only. Functions that read it change nothing, and have as an argument a count of the
// writes (`version`), so that an always_comb that calls them is evaluated again when what they say
// may be other. The rest depend on their arguments alone. No entry is read that has not been written
// by an issue before, so a reset need not clear the store.
//
// Stores and atomics are none of the store's: they have an address a lane, and go the way of those to
// buffers.
`ifndef CU_IMAGE_MODEL_PKG_SV
`define CU_IMAGE_MODEL_PKG_SV
`include "cu_model_pkg.sv"
`include "cu_pkg.sv"

/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */

package cu_image_model_pkg;
  import cu_model_pkg::*;
  import cu_pkg::*;

  localparam int kImageAddressRows = 12;  // VGPRs of an address, at most
  localparam int kImageDataRows = 4;      // VGPRs of data

  // GB_ADDR_CONFIG, GB_TILE_MODE0 to 31, TA_CS_BC_BASE_ADDR, the first one lowest.
  typedef logic [33:0][31:0] tiling_t;

  // An image instruction, in words of 32 bits, the last member lowest.
  typedef struct packed {
    logic [15:0][31:0] quads;  // a quad_t each, in the lowest bits
    logic [63:0]  warned;      // lanes whose status register is 1
    logic [63:0]  zero_lanes;  // active lanes that read nothing
    logic [63:0]  lanes;       // that access memory
    logic [31:0]  wide;        // texels of up to 4 (0), 8 (1), 16 bytes (2)
    logic [31:0]  direct;      // the answer needs no texel
    logic [31:0]  status;      // a status register after the data
    logic [31:0]  slc, glc, returns;
    logic [31:0]  texels;      // reads texels, which are in the store, or is direct
    logic [31:0]  registers;   // texels: data registers of a lane
    logic [31:0]  dwords;      // registers of a lane, the status register included
    logic [31:0]  bytes;       // of an element
    logic [31:0]  atomic, kind;
  } image_op_t;
  localparam int kImageOpBits = $bits(image_op_t);

  // An image instruction that issues, with what the model inspects.
  typedef struct packed {
    logic                                valid;
    logic [63:0]                         words;
    context_t                            wave;
    logic [2048*kImageAddressRows-1:0]   rows;   // registers from its first address register on
  } image_issue_t;

  // What an instruction does. 0: `op` and, for stores and atomics, `addresses` of all lanes and
  // `data` as they go to memory are valid. Else why the unit stops: a reason of stop_reason.
  import "DPI-C" function int cu_image_describe(
    input bit [63:0] words, input bit [kContextBits-1:0] wave, input bit [33:0][31:0] tiling,
    input bit [2048*kImageAddressRows-1:0] address_rows, input bit [2048*kImageDataRows-1:0] data_rows,
    output bit [kImageOpBits-1:0] op, output bit [4095:0] addresses, output bit [8191:0] data);

  // ---- the store: one for each compute unit
  import "DPI-C" function chandle cu_images_new();
  import "DPI-C" function void cu_images_delete(input chandle images);

  // An instruction that reads texels is issued with the number `op`, an answer has brought the line
  // of its request `number`.
  import "DPI-C" function void cu_image_issue(
    input chandle images, input int op, input bit [63:0] words, input bit [kContextBits-1:0] wave,
    input bit [33:0][31:0] tiling, input bit [2048*kImageAddressRows-1:0] address_rows);
  import "DPI-C" function void cu_image_answer(input chandle images, input int op, input int number, input bit [511:0] line);

  // Its requests from the number `first` on, in the order in which they leave: bytes and lanes of a
  // line; 0 lanes where there is no more. `footprints`: those of all quads before the last quad that
  // the request has lanes of. `last`: none follows.
  import "DPI-C" function void cu_image_requests(
    input chandle images, input int version, input int op, input int first, output bit [3:0][63:0] lanes,
    output bit [3:0][63:0] addresses, output bit [3:0][63:0] masks, output bit [3:0][31:0] footprints, output bit [3:0] last);

  // Its data registers, of lanes that are written; others are 0. Lanes whose texels have not come
  // have any values.
  import "DPI-C" function void cu_image_result(input chandle images, input int version, input int op, output bit [8191:0] rows);

endpackage

`endif
