// SPDX-License-Identifier: Apache-2.0
// A memory with an AXI4 port: one read burst and one write burst at a time, a beat per cycle, all
// burst kinds, narrow and unaligned transfers.
module axi_ram #(
    parameter DATA_WIDTH = 128,
    parameter ADDR_WIDTH = 24,
    parameter ID_WIDTH = 4
) (
    input wire aclk,
    input wire aresetn,

    input  wire [  ID_WIDTH-1:0] s_axi_awid,
    input  wire [ADDR_WIDTH-1:0] s_axi_awaddr,
    input  wire [           7:0] s_axi_awlen,
    input  wire [           2:0] s_axi_awsize,
    input  wire [           1:0] s_axi_awburst,
    input  wire                  s_axi_awvalid,
    output wire                  s_axi_awready,

    input  wire [  DATA_WIDTH-1:0] s_axi_wdata,
    input  wire [DATA_WIDTH/8-1:0] s_axi_wstrb,
    input  wire                    s_axi_wlast,
    input  wire                    s_axi_wvalid,
    output wire                    s_axi_wready,

    output reg  [ID_WIDTH-1:0] s_axi_bid,
    output wire [         1:0] s_axi_bresp,
    output reg                 s_axi_bvalid,
    input  wire                s_axi_bready,

    input  wire [  ID_WIDTH-1:0] s_axi_arid,
    input  wire [ADDR_WIDTH-1:0] s_axi_araddr,
    input  wire [           7:0] s_axi_arlen,
    input  wire [           2:0] s_axi_arsize,
    input  wire [           1:0] s_axi_arburst,
    input  wire                  s_axi_arvalid,
    output wire                  s_axi_arready,

    output reg  [  ID_WIDTH-1:0] s_axi_rid,
    output reg  [DATA_WIDTH-1:0] s_axi_rdata,
    output wire [           1:0] s_axi_rresp,
    output reg                   s_axi_rlast,
    output reg                   s_axi_rvalid,
    input  wire                  s_axi_rready
);
    localparam WORD_BITS = $clog2(DATA_WIDTH / 8);
    localparam WORDS = 1 << (ADDR_WIDTH - WORD_BITS);

    reg [DATA_WIDTH-1:0] mem [0:WORDS-1];

    // Address of the beat after the one at `at`.
    function [ADDR_WIDTH-1:0] after;
        input [ADDR_WIDTH-1:0] at;
        input [7:0] len;
        input [2:0] size;
        input [1:0] burst;
        reg [ADDR_WIDTH-1:0] step, mask, next;
        begin
            step = {{(ADDR_WIDTH-1){1'b0}}, 1'b1} << size;
            next = (at & ~(step - 1'b1)) + step;
            mask = (({{(ADDR_WIDTH-8){1'b0}}, len} + 1'b1) << size) - 1'b1;
            case (burst)
                2'd0: after = at;
                2'd2: after = (at & ~mask) | (next & mask);
                default: after = next;
            endcase
        end
    endfunction

    assign s_axi_bresp = 2'd0;
    assign s_axi_rresp = 2'd0;

    // ---- writes
    reg writing;
    reg [ADDR_WIDTH-1:0] w_addr;
    reg [7:0] w_len;
    reg [2:0] w_size;
    reg [1:0] w_burst;
    assign s_axi_awready = !writing && !s_axi_bvalid;
    assign s_axi_wready = writing;

    integer lane;
    always @(posedge aclk) begin
        if (!aresetn) begin
            writing <= 1'b0;
            s_axi_bvalid <= 1'b0;
        end else begin
            if (s_axi_bvalid && s_axi_bready) s_axi_bvalid <= 1'b0;
            if (s_axi_awvalid && s_axi_awready) begin
                writing <= 1'b1;
                w_addr <= s_axi_awaddr;
                w_len <= s_axi_awlen;
                w_size <= s_axi_awsize;
                w_burst <= s_axi_awburst;
                s_axi_bid <= s_axi_awid;
            end
            if (s_axi_wvalid && s_axi_wready) begin
                for (lane = 0; lane < DATA_WIDTH / 8; lane = lane + 1)
                    if (s_axi_wstrb[lane])
                        mem[w_addr[ADDR_WIDTH-1:WORD_BITS]][8*lane +: 8] <= s_axi_wdata[8*lane +: 8];
                w_addr <= after(w_addr, w_len, w_size, w_burst);
                if (s_axi_wlast) begin
                    writing <= 1'b0;
                    s_axi_bvalid <= 1'b1;
                end
            end
        end
    end

    // ---- reads
    reg reading;
    reg [ADDR_WIDTH-1:0] r_addr;
    reg [7:0] r_len, r_left;
    reg [2:0] r_size;
    reg [1:0] r_burst;
    reg [ID_WIDTH-1:0] r_id;
    assign s_axi_arready = !reading;

    always @(posedge aclk) begin
        if (!aresetn) begin
            reading <= 1'b0;
            s_axi_rvalid <= 1'b0;
        end else begin
            if (s_axi_rvalid && s_axi_rready) s_axi_rvalid <= 1'b0;
            if (s_axi_arvalid && s_axi_arready) begin
                reading <= 1'b1;
                r_addr <= s_axi_araddr;
                r_len <= s_axi_arlen;
                r_left <= s_axi_arlen;
                r_size <= s_axi_arsize;
                r_burst <= s_axi_arburst;
                r_id <= s_axi_arid;
            end
            if (reading && (!s_axi_rvalid || s_axi_rready)) begin
                s_axi_rvalid <= 1'b1;
                s_axi_rid <= r_id;
                s_axi_rdata <= mem[r_addr[ADDR_WIDTH-1:WORD_BITS]];
                s_axi_rlast <= r_left == 8'd0;
                r_addr <= after(r_addr, r_len, r_size, r_burst);
                r_left <= r_left - 8'd1;
                if (r_left == 8'd0) reading <= 1'b0;
            end
        end
    end
endmodule
