// SPDX-License-Identifier: Apache-2.0
// A stream with ready and valid goes through a one-word buffer and comes out inverted; every word
// also raises a strobe for one cycle; every strobe that comes in is counted and its value added.
module streams (
    input wire clk,
    input wire rst_n,
    input  wire        in_valid,
    output wire        in_ready,
    input  wire [19:0] in_data,
    output reg         out_valid,
    input  wire        out_ready,
    output reg  [19:0] out_data,
    output reg         passed,
    input  wire        kick_valid,
    input  wire [15:0] kick_data,
    // What the kicks gave, as a stream that always has a word.
    output reg         sum_valid,
    input  wire        sum_ready,
    output reg  [31:0] sum_data
);
    assign in_ready = !out_valid || out_ready;
    always @(posedge clk) begin
        passed <= 1'b0;
        if (!rst_n) begin
            out_valid <= 1'b0;
            sum_valid <= 1'b0;
            sum_data <= 32'd0;
        end else begin
            if (out_valid && out_ready) out_valid <= 1'b0;
            if (in_valid && in_ready) begin
                out_valid <= 1'b1;
                out_data <= ~in_data;
                passed <= 1'b1;
            end
            if (sum_valid && sum_ready) sum_valid <= 1'b0;
            if (kick_valid) begin
                sum_data <= {sum_data[31:24] + 8'd1, sum_data[23:0] + {8'd0, kick_data}};
                sum_valid <= 1'b1;
            end
        end
    end
endmodule
