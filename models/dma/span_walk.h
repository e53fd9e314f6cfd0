// SPDX-License-Identifier: Apache-2.0
// The bytes of one side of a transfer, in the order both sides are visited, as spans that follow
// one another in memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/dma/transfer.h"
#include "models/mc/surface/address_unit.h"

namespace archipelago::dma {

// Where in a region the walk is.
struct RegionWalk {
    uint32_t x = 0, y = 0, z = 0;       // of the region
    uint32_t block_x = 0, block_y = 0;  // first element of the block
    bool done(const Region& r) const { return z == r.depth; }
    // Elements up to the end of the row of the block.
    uint32_t run(const Region& r) const { return std::min(r.width, block_x + r.block_width) - x; }
    // `n`: at most run().
    void advance(const Region& r, uint32_t n) {
        x += n;
        if (x < std::min(r.width, block_x + r.block_width))
            return;
        x = block_x;
        if (++y < std::min(r.height, block_y + r.block_height))
            return;
        next_block(r);
    }

  private:
    void next_block(const Region& r) {
        block_x += r.block_width;
        if (block_x >= r.width) {
            block_x = 0;
            block_y += r.block_height;
            if (block_y >= r.height) {
                block_y = 0;
                ++z;
            }
        }
        x = block_x;
        y = block_y;
    }
};

struct Span {
    uint64_t address = 0;
    uint32_t bytes = 0;
    uint8_t target = 0;  // the place in Transfer::to; of the source nothing
};

// One side: the source, or a target by its number.
class SpanWalk {
  public:
    static constexpr unsigned kSource = 2;

    SpanWalk() = default;  // of the source
    // `addresses`: who works out those of tiled surfaces; null: byte_address().
    explicit SpanWalk(unsigned side, surface::AddressUnit* addresses = nullptr)
        : side_(side), addresses_(addresses) {}
    bool done(const Transfer& t) const { return at_.done(t.region); }
    // What is left of the span at hand; not done().
    Span front(const Transfer& t) {
        if (span_.bytes == 0)
            span_ = next(t);
        return span_;
    }
    // `bytes`: at most those of front().
    void take(const Transfer& t, uint32_t bytes) {
        span_.address += bytes;
        span_.bytes -= bytes;
        if (span_.bytes == 0)
            at_.advance(t.region, elements_);
    }
    template <class Archive>
    void archive(Archive& a) {
        a(at_, span_, elements_, side_);
    }

  private:
    Span next(const Transfer& t) {
        unsigned target = side_;
        const Side* side = &(side_ == kSource ? t.from : t.to[side_]);
        const uint32_t x = side->x + at_.x;
        uint32_t y = side->y + at_.y;
        if (t.targets == Targets::Fields && side_ != kSource) {
            target = y & 1;
            side = &t.to[target];
            y >>= 1;
        }
        elements_ = at_.run(t.region);
        if (side->tiled != nullptr) {
            const TiledSurface& s = *side->tiled;
            elements_ = std::min(elements_, s.run - x % s.run);
            return {tiled_address(s.level, x, y, side->z + at_.z), elements_ * t.element_bytes,
                    static_cast<uint8_t>(target)};
        }
        if (side->column != t.element_bytes)
            elements_ = 1;
        return {side->address + x * side->column + y * side->row + (side->z + at_.z) * side->slice,
                elements_ * t.element_bytes, static_cast<uint8_t>(target)};
    }

    uint64_t tiled_address(const surface::SurfaceLevel& level, uint32_t x, uint32_t y,
                           uint32_t z) const {
        return addresses_ != nullptr ? addresses_->address(level, x, y, z)
                                     : surface::byte_address(level, x, y, z);
    }

    RegionWalk at_;
    Span span_;
    uint32_t elements_ = 0;  // of the span at hand
    unsigned side_ = kSource;
    surface::AddressUnit* addresses_ = nullptr;
};

}  // namespace archipelago::dma
