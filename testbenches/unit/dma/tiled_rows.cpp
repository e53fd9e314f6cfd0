// SPDX-License-Identifier: Apache-2.0
// Packets with tiled surfaces. Document "Async DMA": r6xx/r7xx 2, 4; evergreen/ni/si 2, 8 to 14;
// cik 4 to 8, 11. Where it numbers a dword twice, the numbers after are those it would have had.
#include <algorithm>

#include "testbenches/unit/dma/tiled_reference.h"

namespace archipelago::dma::test {
namespace {

uint32_t header(const Scene& s, uint32_t command, uint32_t sub, uint32_t count) {
    return f(31, 28, command) |
           (s.old() ? f(23, 20, sub) | f(15, 0, count) : f(27, 20, sub) | f(19, 0, count));
}
Words join(Words first, const Words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}
Place tiled(const Surf& surf) {
    return [&surf](uint32_t x, uint32_t y, uint32_t z) { return surf.at(x, y, z); };
}
// Rows of `pitch` elements, slices of `height` rows.
Place linear(uint64_t address, uint64_t pitch, uint64_t height, uint32_t element) {
    return [=](uint32_t x, uint32_t y, uint32_t z) {
        return address + ((z * height + y) * pitch + x) * element;
    };
}

// In one of seven places, four of which apart no two surfaces overlap.
Surf surface(const Scene& s, const Tiling& t, unsigned n, uint32_t height) {
    return {s.generation, t, kPitchTiles, kTileRows, height, s.place(0x200000 + 0x80000 * (n % 7))};
}

// A row of it and a bit, over the end of the slice where thick tiles or many slices matter.
struct Start {
    uint32_t x, y, z;
    uint64_t elements;
};
Start start_of(const Surf& surf, unsigned n) {
    const uint32_t x = n % 3 == 0 ? 0 : 16 * (n % 3);
    const uint32_t y = n % 2 == 0 ? surf.height - 2 : 3;
    return {x, y, n % 4, uint64_t{surf.pitch()} * (2 + n % 3) + 32};
}

// ---- WRITE_TILED -------------------------------------------------------------------------------

void write_tiled(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const Surf surf = surface(s, t, n % 6, 100 + n);
        Start from = start_of(surf, n);
        if (n % 2 == 1)
            from.elements = 64;
        const auto count = static_cast<uint32_t>(from.elements * surf.element() / 4);
        const unsigned swap = n % 4;
        const Words data = noise(count, n);
        const uint64_t base = surf.base();
        if (s.cik())
            s.packet({f(15, 8, 1) | f(7, 0, 2), low(base), high(base),
                      f(29, 16, surf.height) | f(10, 0, surf.pitch_tiles - 1),
                      f(21, 0, surf.slice_tiles - 1), surf.cik_mode(),
                      f(29, 16, from.y) | f(13, 0, from.x), f(25, 24, swap) | f(11, 0, from.z),
                      f(19, 0, count)},
                     data);
        else
            s.packet(join({header(s, 2, 8, count), f(31, 0, base >> 8)},
                          s.old() ? surf.old(false, from.x, from.y, from.z, swap)
                                  : surf.islands(false, from.x, from.y, from.z, swap)),
                     data);
        s.expect_write(walk(tiled(surf), from.x, from.y, from.z, from.elements, surf.pitch(),
                            surf.height, surf.element()),
                       data, swap_of(swap));
        ++n;
    }
}

// In the upper part of memory, and with DATA_SWAP on top of each swap.
void write_tiled_high(Scene& s) {
    s.engine.emplace_back(s.cik() ? 0x10 : 0x2C, 1 | 1 << 3);
    for (unsigned swap = 0; swap < 4; ++swap) {
        Tiling t;
        t.array = 2;
        const Surf surf(s.generation, t, 4, 4, 32, s.place(0x10000 * swap, true));
        const Words data = noise(20, swap);
        if (s.cik())
            s.packet({f(15, 8, 1) | f(7, 0, 2), low(surf.base()), high(surf.base()),
                      f(29, 16, 32) | f(10, 0, 3), f(21, 0, 15), surf.cik_mode(),
                      f(29, 16, 9) | f(13, 0, 24), f(25, 24, swap), f(19, 0, 20)},
                     data);
        else
            s.packet(join({header(s, 2, 8, 20), f(31, 0, surf.base() >> 8)},
                          s.old() ? surf.old(false, 24, 9, 0, swap)
                                  : surf.islands(false, 24, 9, 0, swap)),
                     data);
        s.expect_write(walk(tiled(surf), 24, 9, 0, 20, 32, 32, 4), data, swap_of(swap) ^ 3);
    }
}

// ---- COPY_TILED --------------------------------------------------------------------------------

// The place of the linear side: of the element the packet begins with, CIK's of the surface.
void copy_tiled(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const bool detile = n % 2 == 0;
        const Surf surf = surface(s, t, detile ? 6 : n / 2 % 6, 100 + n);
        const Start from = start_of(surf, n);
        const auto count = static_cast<uint32_t>(from.elements * surf.element() / 4);
        const unsigned swap1 = n % 4, swap2 = n / 4 % 4;
        const uint64_t at = s.place(0x10000 * (n % 15) + 8, true);
        const Addresses in_surface = walk(tiled(surf), from.x, from.y, from.z, from.elements,
                                          surf.pitch(), surf.height, surf.element());
        const Addresses in_row = bytes_from(at, in_surface.size());
        s.packet(join(join({header(s, 3, 8, count), f(31, 0, surf.base() >> 8)},
                           s.old() ? surf.old(detile, from.x, from.y, from.z, swap1)
                                   : surf.islands(detile, from.x, from.y, from.z, swap1)),
                      {f(31, 2, low(at) >> 2),
                       (s.old() ? f(9, 8, swap2) : f(31, 30, swap2)) | f(7, 0, high(at))}));
        s.expect_move(detile ? in_row : in_surface, detile ? in_surface : in_row,
                      swap_of(swap1) ^ swap_of(swap2));
        ++n;
    }
}

// CIK's linear side has a pitch of its own; the walk wraps where the narrower side does.
uint32_t linear_pitch_of(const Surf& surf, unsigned n) {
    return surf.pitch() + 16 * (n % 5) - 32;
}
void copy_tiled_cik(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const bool detile = n % 2 == 0;
        const Surf surf = surface(s, t, detile ? 6 : n / 2 % 6, 100 + n);
        Start from = start_of(surf, n);
        from.z = n % 2;
        const uint32_t pitch = linear_pitch_of(surf, n), width = std::min(pitch, surf.pitch());
        const auto count = static_cast<uint32_t>(from.elements * surf.element() / 4);
        const unsigned swap1 = n % 4, swap2 = n / 4 % 4;
        const uint64_t at = s.place(8 * n, true);
        const Addresses in_surface = walk(tiled(surf), from.x, from.y, from.z, from.elements, width,
                                          surf.height, surf.element());
        const Addresses in_rows =
            walk(linear(at, pitch, surf.height, surf.element()), from.x, from.y, from.z,
                 from.elements, width, surf.height, surf.element());
        s.packet({f(31, 31, detile) | f(15, 8, 1) | f(7, 0, 1), low(surf.base()), high(surf.base()),
                  f(29, 16, surf.height) | f(10, 0, surf.pitch_tiles - 1),
                  f(21, 0, surf.slice_tiles - 1), surf.cik_mode(),
                  f(29, 16, from.y) | f(13, 0, from.x),
                  f(25, 24, swap1) | f(17, 16, swap2) | f(11, 0, from.z), low(at), high(at),
                  f(18, 0, pitch - 1), f(19, 0, count)});
        s.expect_move(detile ? in_rows : in_surface, detile ? in_surface : in_rows,
                      swap_of(swap1) ^ swap_of(swap2));
        ++n;
    }
}

// A tiled surface in the upper part of memory.
void copy_tiled_high(Scene& s) {
    Tiling t;
    t.array = 2;
    const Surf surf(s.generation, t, 4, 4, 30, s.place(0x10000, true));
    const uint64_t at = s.place(0x3000);
    const Words rest = {low(at), high(at)};
    if (s.cik())
        s.packet({f(31, 31, 1) | f(15, 8, 1) | f(7, 0, 1), low(surf.base()), high(surf.base()),
                  f(29, 16, 30) | f(10, 0, 3), f(21, 0, 15), surf.cik_mode(), 0, 0, low(at),
                  high(at), 31, 64});
    else
        s.packet(join(join({header(s, 3, 8, 64), f(31, 0, surf.base() >> 8)},
                           s.old() ? surf.old(true, 0, 0, 0, 0) : surf.islands(true, 0, 0, 0, 0)),
                      rest));
    s.expect_move(bytes_from(at, 256), walk(tiled(surf), 0, 0, 0, 64, 32, 30, 4), 0);
}

// ---- two surfaces ------------------------------------------------------------------------------

struct Pair {
    Surf first, second;
};
Pair pair(const Scene& s, const Tiling& t, uint32_t height) {
    return {surface(s, t, 0, height), surface(s, t, 4, height)};
}

// The packets of CIK, up to the linear address.
Words cik_pair(const Pair& p, uint32_t extra, const Start& from, unsigned swap1, unsigned swap2,
               unsigned swap_linear, uint64_t at) {
    const Surf& surf = p.first;
    return {f(31, 16, extra) | f(15, 8, 1) | f(7, 0, 1),
            low(p.first.base()),
            high(p.first.base()),
            low(p.second.base()),
            high(p.second.base()),
            f(29, 16, surf.height) | f(10, 0, surf.pitch_tiles - 1),
            f(21, 0, surf.slice_tiles - 1),
            surf.cik_mode(),
            f(29, 16, from.y) | f(13, 0, from.x),
            f(11, 0, from.z),
            f(25, 24, swap1) | f(17, 16, swap_linear) | f(9, 8, swap2),
            low(at),
            high(at)};
}

void broadcast(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const Pair p = pair(s, t, 90 + n);
        const Surf& surf = p.first;
        const Start from = start_of(surf, n);
        const auto count = static_cast<uint32_t>(from.elements * surf.element() / 4);
        const unsigned swap0 = n % 4, swap1 = n / 2 % 4, in = (n + 1) % 4;
        const uint64_t at = s.place(8 * n, true);
        Addresses source = bytes_from(at, 4 * count);
        uint32_t width = surf.pitch();
        if (s.cik()) {
            const uint32_t pitch = linear_pitch_of(surf, n);
            width = std::min(width, pitch);
            s.packet(cik_pair(p, 0b0000100000000000, from, swap0, swap1, in, at));
            s.packet({f(18, 0, pitch - 1), f(19, 0, count)});
            source = walk(linear(at, pitch, surf.height, surf.element()), from.x, from.y, from.z,
                          from.elements, width, surf.height, surf.element());
        } else {
            s.packet(join(join({header(s, 3, 0b01001011, count), f(31, 0, p.first.base() >> 8),
                                f(31, 0, p.second.base() >> 8)},
                               surf.islands(false, from.x, from.y, from.z, swap1, swap0)),
                          {f(31, 2, low(at) >> 2), f(31, 30, in) | f(7, 0, high(at))}));
        }
        const unsigned swaps[] = {swap0, swap1};
        for (unsigned i = 0; i < 2; ++i)
            s.expect_move(walk(tiled(i == 0 ? p.first : p.second), from.x, from.y, from.z,
                               from.elements, width, surf.height, surf.element()),
                          source, swap_of(in) ^ swap_of(swaps[i]));
        ++n;
    }
}

// Even rows of a frame go to the even field, odd ones to the odd field; y is a row of fields.
void frame_to_field(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const Pair p = pair(s, t, 90 + n);  // even, odd
        const Surf& surf = p.first;
        Start from = start_of(surf, n);
        from.z = n % 2;
        const auto count = static_cast<uint32_t>(from.elements * surf.element() / 4);
        const unsigned swap = n % 4, in = n / 2 % 4, odd_swap = s.cik() ? n / 3 % 4 : swap;
        const uint64_t at = s.place(8 * n, true);
        const uint32_t frame = 2 * surf.height;
        Addresses source = bytes_from(at, 4 * count);
        if (s.cik()) {
            s.packet(cik_pair(p, 0b0000010000000000, from, swap, odd_swap, in, at));
            s.packet({f(19, 0, count)});
            source = walk(linear(at, surf.pitch(), frame, surf.element()), from.x, 2 * from.y,
                          from.z, from.elements, surf.pitch(), frame, surf.element());
        } else {
            s.packet(join(join({header(s, 3, 0b01001000, count), f(31, 0, p.second.base() >> 8),
                                f(31, 0, p.first.base() >> 8)},
                               surf.islands(false, from.x, from.y, from.z, swap)),
                          {f(31, 2, low(at) >> 2), f(31, 30, in) | f(7, 0, high(at))}));
        }
        const auto move = [&](unsigned field, unsigned code) {
            // Bytes of the other field stay out.
            Addresses to, of;
            const Addresses rows = walk([](uint32_t, uint32_t y, uint32_t) { return y; }, from.x,
                                        2 * from.y, from.z, from.elements, surf.pitch(), frame, 1);
            const Addresses place = walk(
                [&](uint32_t x, uint32_t y, uint32_t z) {
                    return (y % 2 == 0 ? p.first : p.second).at(x, y / 2, z);
                },
                from.x, 2 * from.y, from.z, from.elements, surf.pitch(), frame, surf.element());
            const unsigned mask = swap_of(code) ^ swap_of(in);
            for (size_t i = 0; i < place.size(); ++i)
                if (rows[i / surf.element()] % 2 == field) {
                    to.push_back(place[i]);
                    of.push_back(source[i ^ mask]);
                }
            s.expect_move(to, of, 0);
        };
        move(0, swap);
        move(1, odd_swap);
        ++n;
    }
}

// ---- tile units --------------------------------------------------------------------------------

// `tiles` whole tiles, in rows of them, of a linear surface whose rows and slices are whole tiles
// and which has the first one at `at`.
struct Tiles {
    Addresses in_surface, in_linear;
};
Tiles tiles_of(const Surf& surf, const Start& from, uint64_t tiles, uint64_t at) {
    Tiles found;
    const uint32_t tile_rows = (surf.height + 7) / 8;
    const Place line = linear(0, surf.pitch(), 8 * tile_rows, surf.element());
    const uint64_t first = line(from.x, from.y, from.z);
    uint32_t x = from.x / 8, y = from.y / 8, z = from.z;
    for (uint64_t n = 0; n < tiles; ++n) {
        const Addresses in = window(tiled(surf), 8 * x, 8 * y, z, 8, 8, 1, surf.element());
        found.in_surface.insert(found.in_surface.end(), in.begin(), in.end());
        for (const uint64_t a : window(line, 8 * x, 8 * y, z, 8, 8, 1, surf.element()))
            found.in_linear.push_back(at + a - first);
        if (++x == surf.pitch_tiles) {
            x = 0;
            if (++y == tile_rows) {
                y = 0;
                ++z;
            }
        }
    }
    return found;
}
Start tile_start(const Surf& surf, unsigned n) {
    return {8 * (n % 5), n % 2 == 0 ? (surf.height - 1) / 8 * 8 : 16, n % 4, 0};
}

void tile_units(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const bool detile = n % 2 == 0;
        const Surf surf = surface(s, t, detile ? 6 : n / 2 % 6, 60 + n);
        const Start from = tile_start(surf, n);
        const uint32_t count = 1 + n % 23;
        const unsigned swap1 = n % 4, swap2 = n / 4 % 4;
        const uint64_t at = s.place(0x8000 * (n % 16), true);
        const Tiles tiles = tiles_of(surf, from, count, at);
        s.packet(join(join({f(31, 28, 3) | f(27, 20, 0b01001100) | f(15, 0, count),
                            f(31, 0, surf.base() >> 8)},
                           surf.islands(detile, from.x, from.y, from.z, swap1)),
                      {f(31, 2, low(at) >> 2), f(31, 30, swap2) | f(7, 0, high(at))}));
        s.expect_move(detile ? tiles.in_linear : tiles.in_surface,
                      detile ? tiles.in_surface : tiles.in_linear, swap_of(swap1) ^ swap_of(swap2));
        ++n;
    }
}

void tile_units_broadcast(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const Pair p = pair(s, t, 60 + n);
        const Start from = tile_start(p.first, n);
        const uint32_t count = 1 + n % 23;
        const unsigned swap0 = n % 4, swap1 = n / 2 % 4, in = (n + 1) % 4;
        const uint64_t at = s.place(8 * n, true);
        s.packet(join(join({f(31, 28, 3) | f(27, 20, 0b01001111) | f(15, 0, count),
                            f(31, 0, p.first.base() >> 8), f(31, 0, p.second.base() >> 8)},
                           p.first.islands(false, from.x, from.y, from.z, swap1, swap0)),
                      {f(31, 2, low(at) >> 2), f(31, 30, in) | f(7, 0, high(at))}));
        const Tiles first = tiles_of(p.first, from, count, at);
        const Tiles second = tiles_of(p.second, from, count, at);
        s.expect_move(first.in_surface, first.in_linear, swap_of(in) ^ swap_of(swap0));
        s.expect_move(second.in_surface, second.in_linear, swap_of(in) ^ swap_of(swap1));
        ++n;
    }
}

// ---- windows -----------------------------------------------------------------------------------

void partial(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        const bool detile = n % 2 == 0;
        const Surf surf = surface(s, t, detile ? 6 : n / 2 % 6, 100);
        const uint32_t x = 8 * (n % 4), y = n % 7, z = n % 3, element = surf.element();
        const uint32_t dx = 16 + 8 * (n % 5), dy = 5 + n % 9;
        const uint32_t dz = n % 3 + (s.document ? 0 : 1);
        const unsigned swap1 = n % 4, swap2 = n / 4 % 4;
        const uint64_t at = s.place(0x1000 * (n % 16), true);
        const uint64_t pitch = 128 * element, slice = pitch * 20;  // bytes
        const Addresses in_surface = window(tiled(surf), x, y, z, dx, dy, dz, element);
        const Addresses in_window =
            window(linear(at, 128, 20, element), 0, 0, 0, dx, dy, dz, element);
        if (s.cik()) {
            const uint32_t lx = n % 5, ly = n % 4, lz = n % 2;
            s.packet({f(31, 31, detile) | f(15, 8, 5) | f(7, 0, 1), low(surf.base()),
                      high(surf.base()), f(29, 16, y) | f(13, 0, x),
                      f(26, 16, surf.pitch_tiles - 1) | f(11, 0, z), f(21, 0, surf.slice_tiles - 1),
                      surf.cik_mode(), low(at), high(at), f(29, 16, ly) | f(13, 0, lx),
                      f(29, 16, 128 - 1) | f(11, 0, lz), f(27, 0, 128 * 20 - 1),
                      f(29, 16, dy) | f(13, 0, dx),
                      f(25, 24, swap1) | f(17, 16, swap2) |
                          f(11, 0, dz == 1 && !s.document ? n % 2 : dz)});
            const uint64_t offset = (lz * 20 + ly) * pitch + lx * element;
            Addresses there = in_window;
            for (uint64_t& address : there)
                address += offset;
            s.expect_move(detile ? there : in_surface, detile ? in_surface : there,
                          swap_of(swap1) ^ swap_of(swap2));
        } else {
            s.packet(
                join(join({f(31, 28, 3) | f(27, 20, 0b01001001) | f(19, 0, 0),
                           f(31, 0, surf.base() >> 8)},
                          surf.islands(detile, x, y, z, swap1)),
                     {f(31, 2, low(at) >> 2), f(31, 13, pitch) | f(9, 8, swap2) | f(7, 0, high(at)),
                      f(31, 0, slice), f(29, 16, dy) | f(13, 0, dx), f(10, 0, dz)}));
            s.expect_move(detile ? in_window : in_surface, detile ? in_surface : in_window,
                          swap_of(swap1) ^ swap_of(swap2));
        }
        ++n;
    }
}

void tiled_to_tiled(Scene& s) {
    unsigned n = 0;
    for (const Tiling& t : tilings(s.generation, s.document)) {
        if (t.array > 1)  // both sides are tiled
            for (unsigned k = 0; k < 2; ++k) {
                const Surf from = surface(s, t, 0, 8 * kTileRows);
                const Surf to = surface(s, t, 4, 8 * kTileRows - k);
                const uint32_t sx = 8 * (n % 4), sy = 16 + 8 * (n % 3), sz = n % 3;
                const uint32_t tx = 8 * (n % 5), ty = 8 + 8 * (n % 2), tz = k;
                const uint32_t dx = 8 + 8 * (n % 6), dy = 8 + 8 * (n % 4), dz = 1 + n % 3;
                const unsigned swap0 = n % 4, swap1 = (n + k) % 4;
                if (s.cik())
                    s.packet({f(15, 8, 6) | f(7, 0, 1), low(from.base()), high(from.base()),
                              f(29, 16, sy) | f(13, 0, sx),
                              f(26, 16, from.pitch_tiles - 1) | f(11, 0, sz),
                              f(21, 0, from.slice_tiles - 1), from.cik_mode(), low(to.base()),
                              high(to.base()), f(29, 16, ty) | f(13, 0, tx),
                              f(26, 16, to.pitch_tiles - 1) | f(11, 0, tz),
                              f(21, 0, to.slice_tiles - 1), to.cik_mode(),
                              f(29, 16, dy) | f(13, 0, dx),
                              f(25, 24, swap0) | f(17, 16, swap1) | f(11, 0, dz)});
                else
                    s.packet({f(31, 28, 3) | f(27, 20, 0b01001101) | f(19, 0, 0),
                              f(31, 0, from.base() >> 8),
                              f(29, 16, from.height - 1) | f(10, 0, from.pitch_tiles - 1),
                              f(21, 0, from.slice_tiles - 1), f(31, 0, to.base() >> 8),
                              f(29, 16, to.height - 1) | f(10, 0, to.pitch_tiles - 1),
                              f(30, 26, t.pipes) | f(21, 0, to.slice_tiles - 1),
                              f(31, 31, k) | f(30, 27, t.array) | f(26, 24, t.size) |
                                  f(22, 21, t.height) | f(19, 18, t.width) | f(17, 16, t.aspect) |
                                  f(13, 12, swap1) | f(10, 9, t.micro) | f(8, 7, t.banks) |
                                  f(5, 3, t.split) | f(2, 1, swap0),
                              f(29, 16, sx) | f(13, 0, tx), f(29, 16, sy) | f(13, 0, ty),
                              f(26, 16, sz) | f(10, 0, tz), f(29, 16, dy) | f(13, 0, dx),
                              f(10, 0, dz)});
                s.expect_move(window(tiled(to), tx, ty, tz, dx, dy, dz, to.element()),
                              window(tiled(from), sx, sy, sz, dx, dy, dz, from.element()),
                              swap_of(swap0) ^ swap_of(swap1));
            }
        ++n;
    }
}

// ---- CIK's upper halves of base addresses ------------------------------------------------------

// A small surface in the upper part of memory.
Surf upper(const Scene& s, unsigned n) {
    Tiling t;
    t.array = 2;
    return {s.generation, t, 4, 4, 32, s.place(0x10000 * n, true)};
}

template <uint32_t kExtra>
void pair_high(Scene& s) {
    constexpr bool kFields = kExtra == 0b0000010000000000;
    const Pair p{upper(s, 0), upper(s, 1)};
    const uint64_t at = s.place(0x3000);
    s.packet(cik_pair(p, kExtra, {0, 0, 0, 0}, 0, 0, 0, at));
    if (!kFields)
        s.packet({f(18, 0, 31)});
    s.packet({f(19, 0, 128)});
    const Addresses rows[] = {walk(tiled(p.first), 0, 0, 0, kFields ? 64 : 128, 32, 32, 4),
                              walk(tiled(p.second), 0, 0, 0, kFields ? 64 : 128, 32, 32, 4)};
    for (unsigned i = 0; i < 2; ++i)
        for (unsigned row = 0; row < rows[i].size() / 128; ++row) {
            const auto first = rows[i].begin() + 128 * row;
            s.expect_move({first, first + 128},
                          bytes_from(at + 128 * (kFields ? 2 * row + i : row), 128), 0);
        }
}

void sub_window_high(Scene& s) {
    const Surf surf = upper(s, 0);
    const uint64_t at = s.place(0x3000);
    s.packet({f(31, 31, 0) | f(15, 8, 5) | f(7, 0, 1), low(surf.base()), high(surf.base()), 0,
              f(26, 16, 3), f(21, 0, 15), surf.cik_mode(), low(at), high(at), 0, f(29, 16, 31),
              f(27, 0, 1023), f(29, 16, 8) | f(13, 0, 32), 0});
    s.expect_move(window(tiled(surf), 0, 0, 0, 32, 8, 1, 4), bytes_from(at, 1024), 0);
}

void tiled_to_tiled_high(Scene& s) {
    const Surf from = upper(s, 0), to = upper(s, 1);
    s.packet({f(15, 8, 6) | f(7, 0, 1), low(from.base()), high(from.base()), 0, f(26, 16, 3),
              f(21, 0, 15), from.cik_mode(), low(to.base()), high(to.base()), 0, f(26, 16, 3),
              f(21, 0, 15), to.cik_mode(), f(29, 16, 8) | f(13, 0, 16), 0});
    s.expect_move(window(tiled(to), 0, 0, 0, 16, 8, 1, 4),
                  window(tiled(from), 0, 0, 0, 16, 8, 1, 4), 0);
}

// As in the document: RECT_Z counts slices by eights; drivers send any number of them.
void tiled_to_tiled_document(Scene& s) {
    const Surf from = upper(s, 0), to = upper(s, 1);
    for (unsigned eights = 0; eights < 2; ++eights) {
        s.packet({f(15, 8, 6) | f(7, 0, 1), low(from.base()), high(from.base()), 0,
                  f(26, 16, 3) | f(11, 0, 2), f(21, 0, 15), from.cik_mode(), low(to.base()),
                  high(to.base()), 0, f(26, 16, 3), f(21, 0, 15), to.cik_mode(),
                  f(29, 16, 8) | f(13, 0, 16), f(11, 3, eights) | f(2, 0, 5)});
        s.expect_move(window(tiled(to), 0, 0, 0, 16, 8, 8 * eights, 4),
                      window(tiled(from), 0, 0, 2, 16, 8, 8 * eights, 4), 0);
    }
}

}  // namespace

std::vector<Row> tiled_rows() {
    const std::vector<const char*> all = {"r600", "r700", "eg", "ni", "si", "cik"};
    const std::vector<const char*> islands_on = {"eg", "ni", "si", "cik"};
    return {
        {"WRITE_TILED", "in every tiling", all, write_tiled},
        {"WRITE_TILED", "with DATA_SWAP, high", all, write_tiled_high},
        {"COPY_TILED", "both ways in every tiling", kAllOld, copy_tiled},
        {"COPY_TILED", "both ways in every tiling", kCik, copy_tiled_cik},
        {"COPY_TILED", "from high memory", all, copy_tiled_high},
        {"COPY_TILED_BROADCAST", "in every tiling", islands_on, broadcast},
        {"COPY_FRAME_TO_FIELD", "in every tiling", islands_on, frame_to_field},
        {"COPY_TILE_UNITS", "both ways in every tiling", kIslands, tile_units},
        {"COPY_TILE_UNITS_BROADCAST", "in every tiling", kIslands, tile_units_broadcast},
        {"COPY_TILED_PARTIAL", "both ways in every tiling", kNorthernOn, partial},
        {"COPY_TILED_SUB_WINDOW", "both ways in every tiling", kCik, partial},
        {"COPY_TILED_TO_TILED", "in every tiling", {"ni", "si", "cik"}, tiled_to_tiled},
        {"COPY_TILED_BROADCAST", "to high memory", kCik, pair_high<0b0000100000000000>},
        {"COPY_FRAME_TO_FIELD", "to high memory", kCik, pair_high<0b0000010000000000>},
        {"COPY_TILED_SUB_WINDOW", "to high memory", kCik, sub_window_high},
        {"COPY_TILED_TO_TILED", "in high memory", kCik, tiled_to_tiled_high},
        {"WRITE_TILED", "as in the document", {"eg", "ni"}, write_tiled, true},
        {"COPY_TILED", "as in the document", {"eg", "ni"}, copy_tiled, true},
        {"COPY_TILED_BROADCAST", "as in the document", {"eg", "ni"}, broadcast, true},
        {"COPY_FRAME_TO_FIELD", "as in the document", {"eg", "ni"}, frame_to_field, true},
        {"COPY_TILE_UNITS", "as in the document", {"eg", "ni"}, tile_units, true},
        {"COPY_TILE_UNITS_BROADCAST",
         "as in the document",
         {"eg", "ni"},
         tile_units_broadcast,
         true},
        {"COPY_TILED_PARTIAL", "as in the document", {"ni"}, partial, true},
        {"COPY_TILED_TO_TILED", "as in the document", {"ni"}, tiled_to_tiled, true},
        {"COPY_TILED_SUB_WINDOW", "as in the document", kCik, partial, true},
        {"COPY_TILED_TO_TILED", "as in the document", kCik, tiled_to_tiled_document, true},
    };
}

}  // namespace archipelago::dma::test
