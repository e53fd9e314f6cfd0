// SPDX-License-Identifier: Apache-2.0
// A register block with an AXI4-Lite port in capitals and a reset that is active when high.
//   0x00 ID       read only, 0x41524331
//   0x04 SCRATCH  read and write, by bytes
//   0x08 SUM      a write adds to it, a read gives it
//   0x0C EVENTS   writes to SUM so far
// Reads of the rest of the first 64 bytes give 0, all else is answered DECERR.
module registers (
    input wire CLK,
    input wire RST,

    input  wire [11:0] S_AXI_AWADDR,
    input  wire [ 2:0] S_AXI_AWPROT,
    input  wire        S_AXI_AWVALID,
    output wire        S_AXI_AWREADY,
    input  wire [31:0] S_AXI_WDATA,
    input  wire [ 3:0] S_AXI_WSTRB,
    input  wire        S_AXI_WVALID,
    output wire        S_AXI_WREADY,
    output reg  [ 1:0] S_AXI_BRESP,
    output reg         S_AXI_BVALID,
    input  wire        S_AXI_BREADY,
    input  wire [11:0] S_AXI_ARADDR,
    input  wire [ 2:0] S_AXI_ARPROT,
    input  wire        S_AXI_ARVALID,
    output wire        S_AXI_ARREADY,
    output reg  [31:0] S_AXI_RDATA,
    output reg  [ 1:0] S_AXI_RRESP,
    output reg         S_AXI_RVALID,
    input  wire        S_AXI_RREADY
);
    localparam OKAY = 2'd0, DECERR = 2'd3;
    reg [31:0] scratch, sum, events;

    // Address and data are taken together.
    wire take = S_AXI_AWVALID && S_AXI_WVALID && !S_AXI_BVALID;
    assign S_AXI_AWREADY = take;
    assign S_AXI_WREADY = take;
    assign S_AXI_ARREADY = !S_AXI_RVALID;

    integer i;
    always @(posedge CLK) begin
        if (RST) begin
            scratch <= 32'd0;
            sum <= 32'd0;
            events <= 32'd0;
            S_AXI_BVALID <= 1'b0;
            S_AXI_RVALID <= 1'b0;
        end else begin
            if (S_AXI_BVALID && S_AXI_BREADY) S_AXI_BVALID <= 1'b0;
            if (take) begin
                S_AXI_BVALID <= 1'b1;
                S_AXI_BRESP <= OKAY;
                case (S_AXI_AWADDR[11:2])
                    10'd1:
                        for (i = 0; i < 4; i = i + 1)
                            if (S_AXI_WSTRB[i]) scratch[8*i +: 8] <= S_AXI_WDATA[8*i +: 8];
                    10'd2: begin
                        sum <= sum + S_AXI_WDATA;
                        events <= events + 32'd1;
                    end
                    default: S_AXI_BRESP <= DECERR;
                endcase
            end
            if (S_AXI_RVALID && S_AXI_RREADY) S_AXI_RVALID <= 1'b0;
            if (S_AXI_ARVALID && S_AXI_ARREADY) begin
                S_AXI_RVALID <= 1'b1;
                S_AXI_RRESP <= OKAY;
                case (S_AXI_ARADDR[11:2])
                    10'd0: S_AXI_RDATA <= 32'h41524331;
                    10'd1: S_AXI_RDATA <= scratch;
                    10'd2: S_AXI_RDATA <= sum;
                    10'd3: S_AXI_RDATA <= events;
                    default: begin
                        S_AXI_RDATA <= 32'd0;
                        S_AXI_RRESP <= S_AXI_ARADDR[11:2] < 10'd16 ? OKAY : DECERR;
                    end
                endcase
            end
        end
    end

    wire unused = &{1'b0, S_AXI_AWPROT, S_AXI_ARPROT, S_AXI_AWADDR[1:0], S_AXI_ARADDR[1:0]};
endmodule
