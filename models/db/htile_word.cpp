// SPDX-License-Identifier: Apache-2.0
#include "models/db/htile_word.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/common/error.h"
#include "models/common/register_info.h"
#include "models/db/depth_value.h"

namespace archipelago::db {
namespace {

using regs::get_bits;
using regs::set_bits;

constexpr uint32_t kExpandedZ = 0xF, kExpandedStencil = 3, kUnknownResults = 0xF;

// Codes of the zrange of tiles with stencil. Those below 16 are the difference itself; larger ones
// are not published: here four steps an octave, from 20 to 16384, and the rest bound nothing. 63 is
// what drivers write for expanded tiles.
constexpr uint32_t kDirectCodes = 16, kBoundedCodes = 56, kUnboundedCode = 63;

constexpr uint32_t difference_of(uint32_t code) {
    return code < kDirectCodes ? code : (code % 4 + 5) << ((code - kDirectCodes) / 4 + 2);
}
static_assert(difference_of(16) == 20 && difference_of(kBoundedCodes - 1) == 16384);

uint32_t code_of(uint32_t difference) {
    uint32_t code = std::min(difference, kDirectCodes);
    while (difference_of(code) < difference)
        ++code;
    return code;
}

TileRange range_of_code(uint32_t base, uint32_t code, bool base_is_max) {
    if (code >= kBoundedCodes)
        return {};
    const uint32_t difference = difference_of(code);
    if (base_is_max)
        return {base > difference ? base - difference : 0, base};
    return {base, std::min(base + difference, TileRange::kLargest)};
}

// The largest base or the smallest that the code of the difference covers the range from.
uint32_t zrange(const TileRange& range, bool base_is_max) {
    if (range == TileRange())
        return TileRange::kLargest << 6 | kUnboundedCode;
    return (base_is_max ? range.max : range.min) << 6 | code_of(range.max - range.min);
}

[[noreturn]] void stop_compressed(const char* field, uint32_t value) {
    throw MachineStop(StopKind::Unimplemented, "db: HTILE",
                      std::string(field) + " " + std::to_string(value) +
                          " is a compressed tile, whose layout is not published");
}

}  // namespace

TileRange tile_range(DepthFormat format, uint32_t low, uint32_t high) {
    constexpr uint64_t kUnits = TileRange::kLargest;
    if (format == DepthFormat::Z32Float) {
        const double a = std::clamp(double{raster::float_of(low)}, 0.0, 1.0) * kUnits;
        const double b = std::clamp(double{raster::float_of(high)}, 0.0, 1.0) * kUnits;
        return {static_cast<uint32_t>(std::floor(a)), static_cast<uint32_t>(std::ceil(b))};
    }
    const uint64_t largest = largest_of(format);
    return {static_cast<uint32_t>(low * kUnits / largest),
            static_cast<uint32_t>((high * kUnits + largest - 1) / largest)};
}

void RangeOfValues::include(uint32_t stored) {
    if (format_ != DepthFormat::Z32Float) {
        low_ = any_ ? std::min(low_, stored) : stored;
        high_ = any_ ? std::max(high_, stored) : stored;
    } else {
        const float z = raster::float_of(stored);
        unordered_ |= std::isnan(z);
        if (!any_ || z < raster::float_of(low_))
            low_ = stored;
        if (!any_ || z > raster::float_of(high_))
            high_ = stored;
    }
    any_ = true;
}

TileRange RangeOfValues::range() const {
    return unordered_ || !any_ ? TileRange() : tile_range(format_, low_, high_);
}

double lower_bound(const TileRange& range) {
    return range.min == 0 ? -std::numeric_limits<double>::infinity()
                          : static_cast<double>(range.min) / TileRange::kLargest;
}
double upper_bound(const TileRange& range) {
    return range.max == TileRange::kLargest ? std::numeric_limits<double>::infinity()
                                            : static_cast<double>(range.max) / TileRange::kLargest;
}

HtileWord decode_htile(uint32_t word, const DepthState& state) {
    HtileWord h;
    const uint32_t zmask = get_bits<0, 3>(word), smem = get_bits<8, 9>(word);
    if (zmask != 0 && zmask != kExpandedZ && state.uses_z)
        stop_compressed("zmask", zmask);
    h.z_cleared = zmask == 0;
    if (state.htile_has_stencil) {
        if (smem != 0 && smem != kExpandedStencil && state.uses_stencil)
            stop_compressed("smem", smem);
        h.stencil_cleared = smem == 0;
        h.range =
            range_of_code(get_bits<18, 31>(word), get_bits<12, 17>(word), state.range_base_is_max);
    } else {
        h.range = {get_bits<4, 17>(word), get_bits<18, 31>(word)};
    }
    if (h.range.min > h.range.max)
        h.range = {};
    return h;
}

uint32_t encode_htile(uint32_t word, const HtileWord& contents, const DepthState& state,
                      bool stencil_changes) {
    if (state.uses_z) {
        word = set_bits<0, 3>(word, contents.z_cleared ? 0 : kExpandedZ);
        word = state.htile_has_stencil
                   ? set_bits<12, 31>(word, zrange(contents.range, state.range_base_is_max))
                   : set_bits<4, 31>(word, contents.range.max << 14 | contents.range.min);
    }
    if (state.htile_has_stencil && state.uses_stencil) {
        word = set_bits<8, 9>(word, contents.stencil_cleared ? 0 : kExpandedStencil);
        if (stencil_changes)
            word = set_bits<4, 7>(word, kUnknownResults);
    }
    return word;
}

}  // namespace archipelago::db
