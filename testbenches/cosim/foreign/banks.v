// SPDX-License-Identifier: Apache-2.0
// An AXI4 port in front of several memories, each with a part of the addresses, and a stream of
// descriptors with a pin for each field, answered by strobes of two fields.

// A memory that fills itself with two nested loops, as libraries do that tools refuse one long loop
// from: 512 turns of 512 at the size it has here.
module bank #(
    parameter DATA_WIDTH = 512,
    parameter WORD_BITS = 18
) (
    input wire clk,
    input wire read,
    input wire [WORD_BITS-1:0] read_word,
    output reg [DATA_WIDTH-1:0] read_data,
    input wire [DATA_WIDTH/8-1:0] write,
    input wire [WORD_BITS-1:0] write_word,
    input wire [DATA_WIDTH-1:0] write_data
);
    reg [DATA_WIDTH-1:0] mem [(2**WORD_BITS)-1:0];
    reg [31:0] reads = 0;

    integer i, j;
    initial begin
        for (i = 0; i < 2**WORD_BITS; i = i + 2**(WORD_BITS/2)) begin
            for (j = i; j < i + 2**(WORD_BITS/2); j = j + 1) begin
                mem[j] = 0;
            end
        end
    end

    always @(posedge clk) begin
        for (i = 0; i < DATA_WIDTH/8; i = i + 1)
            if (write[i]) mem[write_word][8*i +: 8] <= write_data[8*i +: 8];
        if (read) begin
            read_data <= mem[read_word];
            reads <= reads + 32'd1;
        end
    end
endmodule

module banks #(
    parameter DATA_WIDTH = 512,
    parameter ADDR_WIDTH = 25,
    parameter HIGH_BITS = 6  // words of each of the two banks above
) (
    input wire clk,
    input wire rst_n,

    input  wire [ADDR_WIDTH-1:0]   s_axi_awaddr,
    input  wire [7:0]              s_axi_awlen,
    input  wire                    s_axi_awvalid,
    output wire                    s_axi_awready,
    input  wire [DATA_WIDTH-1:0]   s_axi_wdata,
    input  wire [DATA_WIDTH/8-1:0] s_axi_wstrb,
    input  wire                    s_axi_wlast,
    input  wire                    s_axi_wvalid,
    output wire                    s_axi_wready,
    output wire [1:0]              s_axi_bresp,
    output reg                     s_axi_bvalid,
    input  wire                    s_axi_bready,
    input  wire [ADDR_WIDTH-1:0]   s_axi_araddr,
    input  wire [7:0]              s_axi_arlen,
    input  wire                    s_axi_arvalid,
    output wire                    s_axi_arready,
    output wire [DATA_WIDTH-1:0]   s_axi_rdata,
    output wire [1:0]              s_axi_rresp,
    output wire                    s_axi_rlast,
    output reg                     s_axi_rvalid,
    input  wire                    s_axi_rready,

    input  wire                    desc_valid,
    output wire                    desc_ready,
    input  wire [4:0]              desc_tag,
    input  wire [7:0]              desc_len,
    input  wire [18:0]             desc_address,
    output reg                     status_valid,
    output reg  [4:0]              status_tag,
    output reg  [20:0]             status_end,

    output reg  [39:0]             beats_written
);
    localparam LANES = DATA_WIDTH / 8;
    localparam LANE_BITS = $clog2(LANES);
    localparam LOW_BITS = ADDR_WIDTH - 1 - LANE_BITS;
    assign s_axi_bresp = 2'd0;
    assign s_axi_rresp = 2'd0;

    // ---- writes: one burst at a time, whole beats
    reg writing;
    reg [ADDR_WIDTH-LANE_BITS-1:0] w_word;
    assign s_axi_awready = !writing && !s_axi_bvalid;
    assign s_axi_wready = writing;
    wire w_beat = s_axi_wvalid && s_axi_wready;
    always @(posedge clk)
        if (!rst_n) begin
            writing <= 1'b0;
            s_axi_bvalid <= 1'b0;
            beats_written <= 40'd0;
        end else begin
            if (s_axi_bvalid && s_axi_bready) s_axi_bvalid <= 1'b0;
            if (s_axi_awvalid && s_axi_awready) begin
                writing <= 1'b1;
                w_word <= s_axi_awaddr[ADDR_WIDTH-1:LANE_BITS];
            end
            if (w_beat) begin
                w_word <= w_word + 1'b1;
                beats_written <= beats_written + 40'd1;
                if (s_axi_wlast) begin
                    writing <= 1'b0;
                    s_axi_bvalid <= 1'b1;
                end
            end
        end

    // ---- reads: a beat every other cycle
    reg reading;
    reg [ADDR_WIDTH-LANE_BITS-1:0] r_word, r_from;
    reg [7:0] r_left;
    assign s_axi_arready = !reading && !s_axi_rvalid;
    assign s_axi_rlast = r_left == 8'd0;
    wire r_beat = reading && !s_axi_rvalid;
    always @(posedge clk)
        if (!rst_n) begin
            reading <= 1'b0;
            s_axi_rvalid <= 1'b0;
        end else begin
            if (s_axi_arvalid && s_axi_arready) begin
                reading <= 1'b1;
                r_word <= s_axi_araddr[ADDR_WIDTH-1:LANE_BITS];
                r_left <= s_axi_arlen;
            end
            if (r_beat) begin
                s_axi_rvalid <= 1'b1;
                r_from <= r_word;
                r_word <= r_word + 1'b1;
            end
            if (s_axi_rvalid && s_axi_rready) begin
                s_axi_rvalid <= 1'b0;
                if (r_left == 8'd0) reading <= 1'b0;
                else r_left <= r_left - 8'd1;
            end
        end

    // ---- the memories: one below, two above with every other kilobyte or so each, and registers
    // behind them that no back door names.
    wire w_high = w_word[ADDR_WIDTH-LANE_BITS-1], r_high = r_word[ADDR_WIDTH-LANE_BITS-1];
    wire [DATA_WIDTH-1:0] low_data;
    bank #(.DATA_WIDTH(DATA_WIDTH), .WORD_BITS(LOW_BITS)) low (
        .clk(clk), .read(r_beat && !r_high), .read_word(r_word[LOW_BITS-1:0]),
        .read_data(low_data), .write({LANES{w_beat && !w_high}} & s_axi_wstrb),
        .write_word(w_word[LOW_BITS-1:0]), .write_data(s_axi_wdata));
    wire [DATA_WIDTH-1:0] high_data [0:1];
    genvar n;
    generate
        for (n = 0; n < 2; n = n + 1) begin : high
            bank #(.DATA_WIDTH(DATA_WIDTH), .WORD_BITS(HIGH_BITS)) half (
                .clk(clk), .read(r_beat && r_high && r_word[HIGH_BITS] == n),
                .read_word(r_word[HIGH_BITS-1:0]), .read_data(high_data[n]),
                .write({LANES{w_beat && w_high && w_word[HIGH_BITS] == n}} & s_axi_wstrb),
                .write_word(w_word[HIGH_BITS-1:0]), .write_data(s_axi_wdata));
        end
    endgenerate
    assign s_axi_rdata = !r_from[ADDR_WIDTH-LANE_BITS-1] ? low_data : high_data[r_from[HIGH_BITS]];

    // ---- descriptors: every one is answered at once
    assign desc_ready = rst_n;
    always @(posedge clk) begin
        status_valid <= rst_n && desc_valid;
        status_tag <= desc_tag;
        status_end <= {2'd0, desc_address} + {13'd0, desc_len};
    end
endmodule
