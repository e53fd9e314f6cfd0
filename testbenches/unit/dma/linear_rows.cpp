// SPDX-License-Identifier: Apache-2.0
// Packets between linear places. Document "Async DMA": r6xx/r7xx 1, 3, 10; evergreen/ni/si 1, 3 to
// 7, 20; cik 1 to 3, 9, 10, 12, 18.
#include "testbenches/unit/dma/scene.h"

namespace archipelago::dma::test {
namespace {

// [31:28] command, [15:0] or [19:0] count.
uint32_t header(const Scene& s, uint32_t command, uint32_t count) {
    return f(31, 28, command) | (s.old() ? f(15, 0, count) : f(19, 0, count));
}

// ---- WRITE_LINEAR ------------------------------------------------------------------------------

constexpr uint32_t kCounts[] = {1, 2, 16, 34};

void write_linear(Scene& s) {
    for (unsigned k = 0; k < 8; ++k) {
        const unsigned swap = k % 4;
        const uint32_t count = swap == 3 ? 18 : kCounts[k % 4];
        const uint64_t to = s.place(0x1000 * k + (swap == 3 ? 56 : 60), k >= 4);
        const Words data = noise(count, k);
        if (s.cik())
            s.packet(
                {f(15, 8, 0) | f(7, 0, 2), low(to), high(to), f(25, 24, swap) | f(19, 0, count)},
                data);
        else
            s.packet(
                {header(s, 2, count), f(31, 2, low(to) >> 2), f(9, 8, swap) | f(7, 0, high(to))},
                data);
        s.expect_write(bytes_from(to, 4 * count), data, swap_of(swap));
    }
}

// DMA_CNTL bit 3: another swap, 8 in 32, on top of each.
void write_linear_data_swap(Scene& s) {
    s.engine.emplace_back(s.cik() ? 0x10 : 0x2C, 1 | 1 << 3);
    for (unsigned swap = 0; swap < 4; ++swap) {
        const uint64_t to = s.place(0x1000 * swap + 40);
        const Words data = noise(10, swap);
        if (s.cik())
            s.packet({f(7, 0, 2), low(to), high(to), f(25, 24, swap) | f(19, 0, 10)}, data);
        else
            s.packet({header(s, 2, 10), low(to), f(9, 8, swap)}, data);
        s.expect_write(bytes_from(to, 40), data, swap_of(swap) ^ 3);
    }
}

// ---- COPY_LINEAR -------------------------------------------------------------------------------

// Swaps of both sides, four times four, in low and high memory.
void copy_linear(Scene& s) {
    for (unsigned k = 0; k < 16; ++k) {
        const unsigned in = k % 4, out = k / 4;
        const uint32_t count = 66 + 2 * k;  // dwords
        const uint64_t from = s.place(0x1000 * k + 8 * k, k % 3 == 0);
        const uint64_t to = s.place(0x20000 + 0x1000 * k + 48 + 8 * k, k % 2 == 0);
        if (s.cik())
            s.packet({f(31, 16, 0) | f(15, 8, 0) | f(7, 0, 1), f(21, 0, 4 * count),
                      f(25, 24, in) | f(17, 16, out), low(from), high(from), low(to), high(to)});
        else if (s.is("r600"))
            s.packet({header(s, 3, count), f(31, 2, low(to) >> 2), f(31, 2, low(from) >> 2),
                      f(25, 24, out) | f(23, 16, high(to)) | f(9, 8, in) | f(7, 0, high(from))});
        else
            s.packet({header(s, 3, count), f(31, 2, low(to) >> 2), f(31, 2, low(from) >> 2),
                      f(9, 8, out) | f(7, 0, high(to)), f(9, 8, in) | f(7, 0, high(from))});
        s.expect_move(bytes_from(to, 4 * count), bytes_from(from, 4 * count),
                      swap_of(in) ^ swap_of(out));
    }
}

// Heads and tails in the middle of lines.
void copy_linear_dwords_anywhere(Scene& s) {
    for (unsigned k = 0; k < 16; ++k) {
        const uint64_t from = s.place(0x1000 * k + 4 * k);
        const uint64_t to = s.place(0x20000 + 0x1000 * k + 4 * (15 - k));
        const uint32_t count = 2 * (k + 1);
        if (s.is("r600"))
            s.packet({header(s, 3, count), low(to), low(from), 0});
        else
            s.packet({header(s, 3, count), low(to), low(from), 0, 0});
        s.expect_move(bytes_from(to, 4 * count), bytes_from(from, 4 * count), 0);
    }
}

void copy_linear_byte(Scene& s) {
    for (unsigned k = 0; k < 24; ++k) {
        const unsigned swap = k < 16 ? 0 : k % 4;
        const uint32_t count = swap != 0 ? 64 + 8 * k : 1 + 13 * k;
        const uint64_t from = s.place(0x1000 * k + (swap != 0 ? 8 * k : 5 * k), k % 2 == 0);
        const uint64_t to = s.place(0x20000 + 0x1000 * k + (swap != 0 ? 16 : 61 + k), k % 3 == 0);
        const unsigned out = k >= 16 && k % 3 == 0 ? 3 - swap : 0;
        if (s.cik())
            s.packet({f(7, 0, 1), f(21, 0, count), f(25, 24, swap) | f(17, 16, out), low(from),
                      high(from), low(to), high(to)});
        else
            s.packet({f(31, 28, 3) | f(27, 20, 0x40) | f(19, 0, count), low(to), low(from),
                      f(9, 8, out) | f(7, 0, high(to)), f(9, 8, swap) | f(7, 0, high(from))});
        s.expect_move(bytes_from(to, count), bytes_from(from, count), swap_of(swap) ^ swap_of(out));
    }
}

void copy_linear_broadcast(Scene& s) {
    for (unsigned k = 0; k < 16; ++k) {
        const unsigned in = k % 4, out1 = k / 4, out2 = (k + 1) % 4;
        const uint32_t count = 40 + 2 * k;
        const uint64_t from = s.place(0x1000 * k + 8 * k, k % 3 == 0);
        const uint64_t to1 = s.place(0x20000 + 0x1000 * k + 48, k % 2 == 0);
        const uint64_t to2 = s.place(0x40000 + 0x1000 * k + 16, k % 2 == 1);
        if (s.cik())
            s.packet({f(31, 16, 0b0000100000000000) | f(15, 8, 0) | f(7, 0, 1), f(21, 0, 4 * count),
                      f(25, 24, in) | f(17, 16, out1) | f(9, 8, out2), low(from), high(from),
                      low(to1), high(to1), low(to2), high(to2)});
        else
            s.packet({f(31, 28, 3) | f(27, 20, 0b01000100) | f(19, 0, count),
                      f(31, 2, low(to1) >> 2), f(31, 2, low(to2) >> 2), f(31, 2, low(from) >> 2),
                      f(9, 8, out1) | f(7, 0, high(to1)), f(9, 8, out2) | f(7, 0, high(to2)),
                      f(9, 8, in) | f(7, 0, high(from))});
        s.expect_move(bytes_from(to1, 4 * count), bytes_from(from, 4 * count),
                      swap_of(in) ^ swap_of(out1));
        s.expect_move(bytes_from(to2, 4 * count), bytes_from(from, 4 * count),
                      swap_of(in) ^ swap_of(out2));
    }
}

// ---- CONSTANT_FILL -----------------------------------------------------------------------------

void constant_fill(Scene& s) {
    for (unsigned k = 0; k < 8; ++k) {
        const uint64_t to = s.place(0x1000 * k + 4 * k, k % 2 == 0);
        const uint32_t count = 1 + 9 * k, data = 0x12345678 + 0x11111111 * k;
        s.packet({header(s, 13, count), f(31, 2, low(to) >> 2), data, f(23, 16, high(to))});
        s.expect_write(bytes_from(to, 4 * count), Words(count, data), 0);
    }
}

void constant_fill_cik(Scene& s) {
    for (unsigned k = 0; k < 16; ++k) {
        const bool dwords = k % 2 == 0;
        const unsigned swap = dwords ? k / 2 % 3 : 0;
        const uint64_t to = s.place(0x1000 * k + (dwords ? 4 * k : 3 * k), k >= 8);
        const uint32_t bytes = dwords ? 4 + 36 * k : 1 + 9 * k;
        const uint32_t data = 0x9ABCDEF0 + 0x01020304 * k;
        s.packet({f(31, 30, dwords ? 0b10 : 0b00) | f(17, 16, swap) | f(15, 8, 0) | f(7, 0, 11),
                  low(to), high(to), data, f(21, 0, bytes)});
        const Words pattern(bytes / 4 + 1, dwords ? data : (data & 0xFF) * 0x01010101);
        s.expect_write(bytes_from(to, bytes), pattern, swap_of(swap));
    }
}

// ---- WRITE_PTE ---------------------------------------------------------------------------------

// Entry n: first value and n increments, with the bits of the mask.
void write_pte(Scene& s) {
    struct Case {
        uint32_t entries;
        uint64_t value, increment, mask;
    };
    const Case cases[] = {{1, 0x123456789A000, 0x1000, 0x73},
                          {20, 0xFFFFF000, 0x1000, 0x8000000000000001},
                          {9, 0, 0xFFFFFFFFFFFFFFFF, 0},
                          {33, 0x5000000000000000, 0x100000000, 0xFF00000000}};
    unsigned k = 0;
    for (const Case& c : cases) {
        const uint64_t to = s.place(0x1000 * k + 8 * k, k % 2 == 1);
        const Words tail = {low(c.mask),   high(c.mask),     low(c.value),
                            high(c.value), low(c.increment), high(c.increment)};
        if (s.cik()) {
            s.packet({f(15, 8, 0) | f(7, 0, 12), low(to), high(to)}, tail);
            s.packet({f(18, 0, c.entries)});
        } else {
            s.packet({f(31, 28, 2) | f(27, 20, 0b01000010) | f(19, 0, 2 * c.entries),
                      f(31, 2, low(to) >> 2), f(7, 0, high(to))},
                     tail);
        }
        for (uint32_t n = 0; n < c.entries; ++n)
            s.after.set(to + 8 * n, (c.value + n * c.increment) | c.mask);
        ++k;
    }
}

// ---- windows -----------------------------------------------------------------------------------

// The bytes of a window of a linear place.
struct Window {
    uint64_t base, row, slice;  // bytes
    uint32_t x, y, z;
};
Addresses window(const Window& w, uint32_t dx, uint32_t dy, uint32_t dz, uint32_t element) {
    Addresses list;
    for (uint32_t z = 0; z < dz; ++z)
        for (uint32_t y = 0; y < dy; ++y)
            for (uint32_t i = 0; i < dx * element; ++i)
                list.push_back(w.base + (w.z + z) * w.slice + (w.y + y) * w.row + w.x * element +
                               i);
    return list;
}

void copy_linear_partial(Scene& s) {
    for (unsigned k = 0; k < 10; ++k) {
        const unsigned size = k % 5, in = k / 2 % 4, out = k % 4;
        const uint32_t element = 1u << size, dx = 8 + 8 * (k % 3), dy = 1 + k % 4, dz = 1 + k % 3;
        const Window from{s.place(0x8000 * k + 8, k % 2 == 0), 512 + 8 * k, 0x900, 0, 0, 0};
        const Window to{s.place(0x60000 + 0x8000 * k + 24, k % 3 == 0), 1024, 0x1100, 0, 0, 0};
        s.packet({f(31, 28, 3) | f(27, 20, 0b01000001) | f(19, 0, 0), f(31, 2, low(from.base) >> 2),
                  f(31, 13, from.row) | f(9, 8, in) | f(7, 0, high(from.base)), low(from.slice),
                  f(31, 2, low(to.base) >> 2),
                  f(31, 13, to.row) | f(9, 8, out) | f(7, 0, high(to.base)), low(to.slice),
                  f(29, 16, dy) | f(13, 0, dx), f(31, 29, size) | f(10, 0, dz)});
        s.expect_move(window(to, dx, dy, dz, element), window(from, dx, dy, dz, element),
                      swap_of(in) ^ swap_of(out));
    }
}

// Pitches are in elements, less one. A depth is that of the field, `fewest` at least.
void sub_windows(Scene& s, uint32_t fewest) {
    for (unsigned k = 0; k < 10; ++k) {
        const unsigned size = k % 5, in = k / 2 % 4, out = k % 4;
        const uint32_t element = 1u << size, dx = 8 + 8 * (k % 3), dy = 1 + k % 4, dz = k % 3;
        const uint32_t pitch1 = 40 + k, pitch2 = 48, slice1 = pitch1 * 8, slice2 = pitch2 * 9;
        const Window from{s.place(0x8000 * k + 8, k % 2 == 0),
                          uint64_t{pitch1} * element,
                          uint64_t{slice1} * element,
                          k % 4,
                          k % 3,
                          k % 2};
        const Window to{s.place(0x60000 + 0x8000 * k + 24, k % 3 == 0),
                        uint64_t{pitch2} * element,
                        uint64_t{slice2} * element,
                        k % 3,
                        1 + k % 2,
                        k % 3};
        s.packet({f(31, 29, size) | f(15, 8, 4) | f(7, 0, 1), low(from.base), high(from.base),
                  f(29, 16, from.y) | f(13, 0, from.x), f(29, 16, pitch1 - 1) | f(11, 0, from.z),
                  f(27, 0, slice1 - 1), low(to.base), high(to.base),
                  f(29, 16, to.y) | f(13, 0, to.x), f(29, 16, pitch2 - 1) | f(11, 0, to.z),
                  f(27, 0, slice2 - 1), f(29, 16, dy) | f(13, 0, dx),
                  f(25, 24, in) | f(17, 16, out) | f(11, 0, dz)});
        const uint32_t slices = std::max(fewest, dz);
        s.expect_move(window(to, dx, dy, slices, element), window(from, dx, dy, slices, element),
                      swap_of(in) ^ swap_of(out));
    }
}
// Drivers send a depth of 0 for one slice; the document's field counts slices.
void copy_linear_sub_window(Scene& s) {
    sub_windows(s, 1);
}
void copy_linear_sub_window_document(Scene& s) {
    sub_windows(s, 0);
}

// Structures of STRIDE dwords on one side, an array of each dword on the other.
void copy_structured(Scene& s) {
    for (unsigned k = 0; k < 8; ++k) {
        const bool to_linear = k % 2 == 0;
        const uint32_t stride = 1 + 5 * k, start = 3 * k, count = k == 2 ? 0 : 2 + 7 * k;
        const unsigned in = k % 3, out = k / 2 % 3;
        const uint64_t buffer = s.place(0x8000 * k + 4, k % 3 == 0);
        const uint64_t linear = s.place(0x60000 + 0x8000 * k + 12, k % 3 == 1);
        s.packet({f(31, 31, to_linear) | f(15, 8, 3) | f(7, 0, 1), low(buffer), high(buffer), start,
                  count, f(25, 24, in) | f(17, 16, out) | f(10, 0, stride), low(linear),
                  high(linear)});
        const uint32_t structures = count == 0 ? 1 : count;
        Addresses in_buffer, in_linear;
        for (uint32_t member = 0; member < stride; ++member)
            for (uint32_t i = 0; i < structures; ++i)
                for (unsigned byte = 0; byte < 4; ++byte) {
                    in_buffer.push_back(buffer + 4 * (stride * (start + i) + member) + byte);
                    in_linear.push_back(linear + 4 * (structures * member + i) + byte);
                }
        s.expect_move(to_linear ? in_linear : in_buffer, to_linear ? in_buffer : in_linear,
                      swap_of(in) ^ swap_of(out));
    }
}

}  // namespace

std::vector<Row> linear_rows() {
    const std::vector<const char*> all = {"r600", "r700", "eg", "ni", "si", "cik"};
    return {
        {"WRITE_LINEAR", "with swaps", all, write_linear},
        {"WRITE_LINEAR", "with DATA_SWAP", all, write_linear_data_swap},
        {"COPY_LINEAR", "with swaps of both sides", all, copy_linear},
        {"COPY_LINEAR", "of dwords anywhere", kAllOld, copy_linear_dwords_anywhere},
        {"COPY_LINEAR", "of bytes", kCik, copy_linear_byte},
        {"COPY_LINEAR_BYTE", "of bytes", kIslands, copy_linear_byte},
        {"COPY_LINEAR_BROADCAST",
         "with three swaps",
         {"eg", "ni", "si", "cik"},
         copy_linear_broadcast},
        {"CONSTANT_FILL", "of dwords", {"r700", "eg", "ni", "si"}, constant_fill},
        {"CONSTANT_FILL", "of bytes and dwords", kCik, constant_fill_cik},
        {"WRITE_PTE", "with masks and increments", {"ni", "si", "cik"}, write_pte},
        {"COPY_LINEAR_PARTIAL", "windows in 3D", kNorthernOn, copy_linear_partial},
        {"COPY_LINEAR_SUB_WINDOW", "windows in 3D", kCik, copy_linear_sub_window},
        {"COPY_LINEAR_SUB_WINDOW", "as in the document", kCik, copy_linear_sub_window_document,
         true},
        {"COPY_STRUCTURED", "both ways", kCik, copy_structured},
    };
}

}  // namespace archipelago::dma::test
