// SPDX-License-Identifier: Apache-2.0
// A DMA engine: AXI4-Lite registers, an AXI4 master that copies in bursts of up to 16 beats, a
// buffer of one burst.
//   0x00 SRC_LO   0x04 SRC_HI   0x08 DST_LO   0x0C DST_HI   multiples of 128
//   0x10 BYTES    a multiple of 8; the write starts the copy
//   0x14 STATUS   bit 0 busy, bit 1 an access was answered with an error; read only
//   0x18 COPIES   finished copies; read only
module axi_dma #(
    parameter ADDR_WIDTH = 40
) (
    input wire clk,
    input wire rst_n,

    input  wire [11:0] s_axil_awaddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [ 3:0] s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [ 1:0] s_axil_bresp,
    output reg         s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [11:0] s_axil_araddr,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output reg  [31:0] s_axil_rdata,
    output wire [ 1:0] s_axil_rresp,
    output reg         s_axil_rvalid,
    input  wire        s_axil_rready,

    output wire [ADDR_WIDTH-1:0] m_axi_awaddr,
    output wire [           7:0] m_axi_awlen,
    output wire [           2:0] m_axi_awsize,
    output wire [           1:0] m_axi_awburst,
    output reg                   m_axi_awvalid,
    input  wire                  m_axi_awready,
    output wire [          63:0] m_axi_wdata,
    output wire [           7:0] m_axi_wstrb,
    output wire                  m_axi_wlast,
    output reg                   m_axi_wvalid,
    input  wire                  m_axi_wready,
    input  wire [           1:0] m_axi_bresp,
    input  wire                  m_axi_bvalid,
    output wire                  m_axi_bready,
    output wire [ADDR_WIDTH-1:0] m_axi_araddr,
    output wire [           7:0] m_axi_arlen,
    output wire [           2:0] m_axi_arsize,
    output wire [           1:0] m_axi_arburst,
    output reg                   m_axi_arvalid,
    input  wire                  m_axi_arready,
    input  wire [          63:0] m_axi_rdata,
    input  wire [           1:0] m_axi_rresp,
    input  wire                  m_axi_rlast,
    input  wire                  m_axi_rvalid,
    output wire                  m_axi_rready
);
    reg [63:0] src, dst;
    reg [31:0] left, copies;
    reg busy, failed;

    // ---- the engine: read a burst, write it, until nothing is left
    localparam IDLE = 2'd0, READ = 2'd1, WRITE = 2'd2, ANSWER = 2'd3;
    reg [1:0] state;
    reg [63:0] buffer [0:15];
    reg [3:0] at, last;  // beats of the burst under way
    wire [3:0] beats_less_one = left >= 32'd128 ? 4'd15 : left[6:3] - 4'd1;

    assign m_axi_araddr = src[ADDR_WIDTH-1:0];
    assign m_axi_arlen = {4'd0, last};
    assign m_axi_arsize = 3'd3;
    assign m_axi_arburst = 2'd1;
    assign m_axi_rready = state == READ;
    assign m_axi_awaddr = dst[ADDR_WIDTH-1:0];
    assign m_axi_awlen = {4'd0, last};
    assign m_axi_awsize = 3'd3;
    assign m_axi_awburst = 2'd1;
    assign m_axi_wdata = buffer[at];
    assign m_axi_wstrb = 8'hFF;
    assign m_axi_wlast = at == last;
    assign m_axi_bready = state == ANSWER;

    // ---- the registers: address and data are taken together, while the engine rests
    wire take = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid && !busy;
    assign s_axil_awready = take;
    assign s_axil_wready = take;
    assign s_axil_bresp = 2'd0;
    assign s_axil_arready = !s_axil_rvalid;
    assign s_axil_rresp = 2'd0;
    wire [31:0] mask = {{8{s_axil_wstrb[3]}}, {8{s_axil_wstrb[2]}}, {8{s_axil_wstrb[1]}},
                        {8{s_axil_wstrb[0]}}};
    wire [31:0] data = s_axil_wdata & mask;

    always @(posedge clk) begin
        if (!rst_n) begin
            {src, dst} <= 128'd0;
            {left, copies} <= 64'd0;
            {busy, failed} <= 2'd0;
            state <= IDLE;
            {m_axi_arvalid, m_axi_awvalid, m_axi_wvalid} <= 3'd0;
            {s_axil_bvalid, s_axil_rvalid} <= 2'd0;
        end else begin
            case (state)
                IDLE:
                    if (busy && left == 32'd0) begin
                        busy <= 1'b0;
                        copies <= copies + 32'd1;
                    end else if (busy) begin
                        state <= READ;
                        m_axi_arvalid <= 1'b1;
                        last <= beats_less_one;
                        at <= 4'd0;
                    end
                READ: begin
                    if (m_axi_arready) m_axi_arvalid <= 1'b0;
                    if (m_axi_rvalid) begin
                        buffer[at] <= m_axi_rdata;
                        at <= at + 4'd1;
                        if (m_axi_rresp[1]) failed <= 1'b1;
                        if (m_axi_rlast) begin
                            state <= WRITE;
                            at <= 4'd0;
                            // Address and data together; neither waits for the other.
                            m_axi_awvalid <= 1'b1;
                            m_axi_wvalid <= 1'b1;
                        end
                    end
                end
                WRITE: begin
                    if (m_axi_awready) m_axi_awvalid <= 1'b0;
                    if (m_axi_wvalid && m_axi_wready) begin
                        at <= at + 4'd1;
                        if (m_axi_wlast) m_axi_wvalid <= 1'b0;
                    end
                    if ((!m_axi_awvalid || m_axi_awready)
                        && (!m_axi_wvalid || (m_axi_wready && m_axi_wlast)))
                        state <= ANSWER;
                end
                ANSWER:
                    if (m_axi_bvalid) begin
                        if (m_axi_bresp[1]) failed <= 1'b1;
                        state <= IDLE;
                        src <= src + 64'd128;
                        dst <= dst + 64'd128;
                        left <= left - {25'd0, {3'd0, last} + 7'd1} * 32'd8;
                    end
            endcase

            if (s_axil_bvalid && s_axil_bready) s_axil_bvalid <= 1'b0;
            if (take) begin
                s_axil_bvalid <= 1'b1;
                case (s_axil_awaddr[11:2])
                    10'd0: src[31:0] <= (src[31:0] & ~mask) | data;
                    10'd1: src[63:32] <= (src[63:32] & ~mask) | data;
                    10'd2: dst[31:0] <= (dst[31:0] & ~mask) | data;
                    10'd3: dst[63:32] <= (dst[63:32] & ~mask) | data;
                    10'd4: begin
                        left <= data;
                        busy <= 1'b1;
                        failed <= 1'b0;
                    end
                    default: ;
                endcase
            end
            if (s_axil_rvalid && s_axil_rready) s_axil_rvalid <= 1'b0;
            if (s_axil_arvalid && s_axil_arready) begin
                s_axil_rvalid <= 1'b1;
                case (s_axil_araddr[11:2])
                    10'd0: s_axil_rdata <= src[31:0];
                    10'd1: s_axil_rdata <= src[63:32];
                    10'd2: s_axil_rdata <= dst[31:0];
                    10'd3: s_axil_rdata <= dst[63:32];
                    10'd4: s_axil_rdata <= left;
                    10'd5: s_axil_rdata <= {30'd0, failed, busy};
                    10'd6: s_axil_rdata <= copies;
                    default: s_axil_rdata <= 32'd0;
                endcase
            end
        end
    end

    wire unused = &{1'b0, s_axil_awaddr[1:0], s_axil_araddr[1:0], m_axi_bresp[0], m_axi_rresp[0],
                    src[63:ADDR_WIDTH], dst[63:ADDR_WIDTH]};
endmodule
