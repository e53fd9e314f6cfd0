// SPDX-License-Identifier: Apache-2.0
// FMASK: which fragment of a pixel each sample shows. In memory always the layout that texture
// units read: one element for each pixel, sample 0 in the lowest bits (DECISIONS.md).
#pragma once

#include <array>
#include <cstdint>

#include "models/cb/colour_format.h"

namespace archipelago::cb {

// Fragments of the samples of one pixel.
using SampleFragments = std::array<uint8_t, raster::kMaxSamples>;

struct FmaskFormat {
    uint8_t samples = 1, fragments = 1;

    // A code per sample; with fewer fragments than samples there is one more code.
    unsigned bits_per_sample() const;
    unsigned element_bytes() const;
    // The code of a sample whose colour no fragment has.
    uint8_t unknown() const { return fragments; }

    SampleFragments decode(uint64_t element) const;
    uint64_t encode(const SampleFragments& samples_of_pixel) const;
};

// Accesses that put one primitive's samples into the fragments of a pixel.
struct FragmentUpdate {
    struct Access {
        uint8_t from;     // fragment whose colour is the destination of blending
        uint8_t to;       // fragment that gets the result
        uint16_t covers;  // samples that show it
    };
    uint8_t count = 0;
    std::array<Access, raster::kMaxSamples> access{};
    SampleFragments after{};
};

// `covered`: samples. `keeps_destination`: the result depends on what a sample showed before. All
// fragments are read before one is written.
FragmentUpdate update_fragments(const FmaskFormat& format, const SampleFragments& before,
                                uint16_t covered, bool keeps_destination);

}  // namespace archipelago::cb
