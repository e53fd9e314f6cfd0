// SPDX-License-Identifier: Apache-2.0
#include "models/mc/surface/point_finder.h"

namespace archipelago::surface {
namespace {

// What is left of `rest` in the terms below `unit`; how many units it held.
uint64_t take(uint64_t& rest, uint64_t unit) {
    if (unit == 0)
        return 0;
    const uint64_t count = rest / unit;
    rest %= unit;
    return count;
}

// An address without its base, decoded: pipe and bank, and the offset without their bits.
struct Parts {
    uint64_t offset;
    uint32_t hash;  // as SurfaceLevel::hash_mask
};
Parts split(const SurfaceLevel& s, uint64_t from_base) {
    const unsigned bank_bits = s.channel_shift - s.pipe_shift;
    const auto bits = [&](unsigned at, unsigned count) {
        return from_base >> at & ((uint64_t{1} << count) - 1);
    };
    unsigned at = s.interleave_shift;
    const uint64_t low = bits(0, at);
    const uint64_t pipe = bits(at, s.pipe_shift);
    at += s.pipe_shift;
    const uint64_t middle = bits(at, s.bank_gap);
    at += s.bank_gap;
    const uint64_t bank = bits(at, bank_bits);
    const uint64_t high = from_base >> (at + bank_bits);
    return {low | (middle | high << s.bank_gap) << s.interleave_shift,
            static_cast<uint32_t>(pipe | bank << (s.pipe_shift + s.bank_gap))};
}

}  // namespace

PointFinder::PointFinder(const SurfaceLevel& level)
    : level_(level), element_bytes_(level.layout.bits / 8) {
    const LevelLayout& l = level.layout;
    if (is_linear(l.mode.array))
        return;
    elements_.resize(level.tile_bytes / element_bytes_);
    for (unsigned sample = 0; sample < l.samples; ++sample)
        for (unsigned z = 0; z < thickness(l.mode.array); ++z)
            for (unsigned i = 0; i < 64; ++i)
                elements_[(level.element[i] + level.thick[z] + sample * level.sample_offset) /
                          element_bytes_] = {static_cast<uint8_t>(i % 8),
                                             static_cast<uint8_t>(i / 8), static_cast<uint8_t>(z),
                                             static_cast<uint8_t>(sample)};
    if (!is_macro(l.mode.array))
        return;
    tiles_.resize(size_t{1} << (level.column_shift + level.row_shift - 6));
    for (uint32_t y = 0; y < 1u << level.row_shift; y += 8)
        for (uint32_t x = 0; x < 1u << level.column_shift; x += 8)
            tiles_[tile_index(tile_hash(level, x, y) & level.hash_mask,
                              x >> level.tile_x_shift & level.bank_width_mask,
                              y >> 3 & level.bank_height_mask)] = {static_cast<uint16_t>(x),
                                                                   static_cast<uint16_t>(y)};
}

size_t PointFinder::tile_index(uint32_t hash, uint32_t bank_column, uint32_t bank_row) const {
    const uint32_t pipe = hash & level_.pipe_mask;
    const uint32_t bank = hash >> (level_.pipe_shift + level_.bank_gap);
    const uint32_t in_bank = bank_row * (level_.bank_width_mask + 1) + bank_column;
    return (size_t{in_bank} << level_.channel_shift) + (bank << level_.pipe_shift) + pipe;
}

std::optional<SurfacePoint> PointFinder::find(uint64_t address) const {
    const LevelLayout& l = level_.layout;
    // Wider than any level, banks that a small one leaves empty included.
    constexpr uint64_t kWidest = uint64_t{1} << 48;
    if (address < l.base || address - l.base >= kWidest)
        return std::nullopt;
    const uint64_t from_base = address - l.base;
    const SurfacePoint p = elements_.empty() ? find_linear(from_base) : find_tiled(from_base);
    if (p.x >= l.pitch || p.y >= l.height || p.slice >= l.slices || p.sample >= l.samples)
        return std::nullopt;
    return p;
}

SurfacePoint PointFinder::find_linear(uint64_t offset) const {
    const SurfaceLevel& s = level_;
    SurfacePoint p;
    p.sample = static_cast<uint32_t>(take(offset, s.sample_bytes));
    p.slice = static_cast<uint32_t>(take(offset, s.group_bytes));
    p.y = static_cast<uint32_t>(take(offset, s.row_bytes));
    p.x = static_cast<uint32_t>(take(offset, s.column_bytes));
    p.byte = static_cast<uint32_t>(offset);
    return p;
}

// The offset is a sum with a term for each coordinate, each larger than all below it together. The
// tile of a macro tile follows from pipe and bank, once the turns of slice and part are undone.
SurfacePoint PointFinder::find_tiled(uint64_t from_base) const {
    const SurfaceLevel& s = level_;
    const Parts parts = tiles_.empty() ? Parts{from_base, 0} : split(s, from_base);
    uint64_t rest = parts.offset;
    const auto group = static_cast<uint32_t>(take(rest, s.group_bytes));
    const auto part = static_cast<uint32_t>(take(rest, s.split_bytes));
    SurfacePoint p;
    p.y = static_cast<uint32_t>(take(rest, s.row_bytes)) << s.row_shift;
    p.x = static_cast<uint32_t>(take(rest, s.column_bytes)) << s.column_shift;
    const auto bank_row = static_cast<uint32_t>(take(rest, s.bank_row_bytes));
    const auto bank_column = static_cast<uint32_t>(take(rest, s.bank_column_bytes));
    const auto in_tile = static_cast<uint32_t>(rest + (uint64_t{part} << s.split_shift));
    const Element element = elements_[in_tile / element_bytes_];
    p.slice = (group << s.thick_shift) + element.slice;
    p.sample = element.sample;
    p.byte = in_tile % element_bytes_;
    if (!tiles_.empty()) {
        const uint32_t turned = parts.hash ^ slice_part(s, p.slice, p.sample).hash ^
                                part * s.split_rotation ^ tile_hash(s, p.x, p.y);
        const Tile tile = tiles_[tile_index(turned & s.hash_mask, bank_column, bank_row)];
        p.x += tile.x;
        p.y += tile.y;
    }
    p.x += element.x;
    p.y += element.y;
    return p;
}

}  // namespace archipelago::surface
