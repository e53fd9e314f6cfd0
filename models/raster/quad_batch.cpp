// SPDX-License-Identifier: Apache-2.0
#include "models/raster/quad_batch.h"

#include <cstring>

namespace archipelago::raster {
namespace {

// Bit n: the n-th of four 16-bit numbers is not 0.
unsigned not_zero(uint64_t four) {
    constexpr uint64_t kTops = 0x8000'8000'8000'8000;
    // The addition carries into the top bit of a number that is not 0 below it.
    const uint64_t tops = (((four & ~kTops) + ~kTops) | four) & kTops;
    // The tops, now at bits 0, 16, 32 and 48, each come to one of bits 48 to 51.
    constexpr uint64_t kGather = 1ull << 48 | 1ull << 33 | 1ull << 18 | 1ull << 3;
    return static_cast<unsigned>((tops >> 15) * kGather >> 48 & 0xF);
}

}  // namespace

uint64_t QuadBatch::covered() const {
    uint64_t lanes = 0;
    for (unsigned quad = 0; quad < quads; ++quad) {
        uint64_t four = 0;
        std::memcpy(&four, &coverage[4 * quad], sizeof four);
        lanes |= uint64_t{not_zero(four)} << 4 * quad;
    }
    return lanes;
}

}  // namespace archipelago::raster
