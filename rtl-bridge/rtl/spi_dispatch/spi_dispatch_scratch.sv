// SPDX-License-Identifier: Apache-2.0
// Scratch slots of four rings, 4096 each, in words of 64; the lowest free one of a ring is taken. A
// word that has not been used since the reset is free, regardless of what the memory holds.
module spi_dispatch_scratch (
  input  logic        clk,
  input  logic        rst,
  input  logic [1:0]  ring,
  output logic [12:0] count,   // of the ring's slots that are taken
  input  logic        take,
  output logic [11:0] lowest,
  // comes back in no cycle in which one is taken
  input  logic        free,
  input  logic [1:0]  free_ring,
  input  logic [11:0] free_slot,
  output logic        known    // it is taken
);
  logic [63:0] word_of [0:255];
  logic [63:0] used [0:3];      // words, by ring
  logic [63:0] full [0:3];
  logic [12:0] count_of [0:3];

  assign count = count_of[ring];

  wire [63:0] ring_full = full[ring];
  wire [5:0]  word, place;
  spi_dispatch_lowest of_words (.taken(ring_full), .at(word));
  wire [63:0] taken = used[ring][word] ? word_of[{ring, word}] : 64'd0;
  spi_dispatch_lowest of_slots (.taken(taken), .at(place));
  assign lowest = {word, place};
  wire [63:0] taken_more = taken | 64'd1 << place;

  wire [5:0]  free_word = free_slot[11:6];
  wire [63:0] free_taken = used[free_ring][free_word] ? word_of[{free_ring, free_word}] : 64'd0;
  assign known = free_taken[free_slot[5:0]];

  always_ff @(posedge clk) begin
    if (take) begin
      word_of[{ring, word}] <= taken_more;
      used[ring][word] <= 1'b1;
      full[ring][word] <= &taken_more;
      count_of[ring] <= count_of[ring] + 13'd1;
    end else if (free && known) begin
      word_of[{free_ring, free_word}] <= free_taken & ~(64'd1 << free_slot[5:0]);
      full[free_ring][free_word] <= 1'b0;
      count_of[free_ring] <= count_of[free_ring] - 13'd1;
    end
    if (rst)
      for (int i = 0; i < 4; i = i + 1) begin
        used[i] <= 64'd0;
        full[i] <= 64'd0;
        count_of[i] <= 13'd0;
      end
  end
endmodule
