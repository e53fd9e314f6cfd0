// SPDX-License-Identifier: Apache-2.0
// Two AXI4 memories whose pins stand side by side in vectors, in capitals, with a reset that is
// active when high; the second has the upper bits.
module two_rams #(
    parameter W = 1024,
    parameter A = 14
) (
    input wire CLK,
    input wire RESET,
    input  wire [  2*3-1:0] S_AWID,
    input  wire [  2*A-1:0] S_AWADDR,
    input  wire [  2*8-1:0] S_AWLEN,
    input  wire [  2*3-1:0] S_AWSIZE,
    input  wire [  2*2-1:0] S_AWBURST,
    input  wire [      1:0] S_AWVALID,
    output wire [      1:0] S_AWREADY,
    input  wire [  2*W-1:0] S_WDATA,
    input  wire [2*W/8-1:0] S_WSTRB,
    input  wire [      1:0] S_WLAST,
    input  wire [      1:0] S_WVALID,
    output wire [      1:0] S_WREADY,
    output wire [  2*3-1:0] S_BID,
    output wire [  2*2-1:0] S_BRESP,
    output wire [      1:0] S_BVALID,
    input  wire [      1:0] S_BREADY,
    input  wire [  2*3-1:0] S_ARID,
    input  wire [  2*A-1:0] S_ARADDR,
    input  wire [  2*8-1:0] S_ARLEN,
    input  wire [  2*3-1:0] S_ARSIZE,
    input  wire [  2*2-1:0] S_ARBURST,
    input  wire [      1:0] S_ARVALID,
    output wire [      1:0] S_ARREADY,
    output wire [  2*3-1:0] S_RID,
    output wire [  2*W-1:0] S_RDATA,
    output wire [  2*2-1:0] S_RRESP,
    output wire [      1:0] S_RLAST,
    output wire [      1:0] S_RVALID,
    input  wire [      1:0] S_RREADY,
    input wire ENABLE
);
`define RAM(NAME, N) \
    axi_ram #(.DATA_WIDTH(W), .ADDR_WIDTH(A), .ID_WIDTH(3)) NAME ( \
        .aclk(CLK), .aresetn(ENABLE && !RESET), \
        .s_axi_awid(S_AWID[3*N +: 3]), .s_axi_awaddr(S_AWADDR[A*N +: A]), \
        .s_axi_awlen(S_AWLEN[8*N +: 8]), .s_axi_awsize(S_AWSIZE[3*N +: 3]), \
        .s_axi_awburst(S_AWBURST[2*N +: 2]), .s_axi_awvalid(S_AWVALID[N]), \
        .s_axi_awready(S_AWREADY[N]), .s_axi_wdata(S_WDATA[W*N +: W]), \
        .s_axi_wstrb(S_WSTRB[W/8*N +: W/8]), .s_axi_wlast(S_WLAST[N]), \
        .s_axi_wvalid(S_WVALID[N]), .s_axi_wready(S_WREADY[N]), .s_axi_bid(S_BID[3*N +: 3]), \
        .s_axi_bresp(S_BRESP[2*N +: 2]), .s_axi_bvalid(S_BVALID[N]), \
        .s_axi_bready(S_BREADY[N]), .s_axi_arid(S_ARID[3*N +: 3]), \
        .s_axi_araddr(S_ARADDR[A*N +: A]), .s_axi_arlen(S_ARLEN[8*N +: 8]), \
        .s_axi_arsize(S_ARSIZE[3*N +: 3]), .s_axi_arburst(S_ARBURST[2*N +: 2]), \
        .s_axi_arvalid(S_ARVALID[N]), .s_axi_arready(S_ARREADY[N]), .s_axi_rid(S_RID[3*N +: 3]), \
        .s_axi_rdata(S_RDATA[W*N +: W]), .s_axi_rresp(S_RRESP[2*N +: 2]), \
        .s_axi_rlast(S_RLAST[N]), .s_axi_rvalid(S_RVALID[N]), .s_axi_rready(S_RREADY[N]))
    `RAM(low, 0);
    `RAM(high, 1);
endmodule
