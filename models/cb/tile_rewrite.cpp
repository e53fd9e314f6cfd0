// SPDX-License-Identifier: Apache-2.0
// Modes that rewrite whole tiles: fast clears are eliminated, fragments are spread.
#include "models/cb/target_write.h"

namespace archipelago::cb {
namespace {

// Every sample gets a fragment of its own. Samples beyond the fragments keep their colour if one of
// the first ones shows it.
SampleFragments spread(const FmaskFormat& format, const SampleFragments& before) {
    SampleFragments after{};
    for (uint8_t s = 0; s < format.samples; ++s) {
        after[s] = s < format.fragments ? s : format.unknown();
        for (uint8_t other = 0; s >= format.fragments && other < format.fragments; ++other)
            if (before[other] == before[s])
                after[s] = other;
    }
    return after;
}

void decompress(const Target& target, const Quads& tile, uint32_t slice, const TargetMemory& memory,
                TileMetadata& metadata) {
    std::array<SampleFragments, kLanes> fragments{};
    metadata.load_fragments(tile, kAllLanes, fragments);
    std::array<Vector, raster::kMaxSamples> colours;
    Addresses at;
    for (unsigned s = 0; s < target.fragments; ++s) {
        std::array<uint8_t, kLanes> from{};
        for (unsigned lane = 0; lane < kLanes; ++lane)
            if (fragments[lane][s] != target.fmask_format.unknown())
                from[lane] = fragments[lane][s];
        find_pixels(target.surface, tile, slice, from, kAllLanes, at);
        load_pixels(memory.colours, target.format.bytes, at, kAllLanes, colours[s]);
    }
    for (unsigned s = 0; s < target.fragments; ++s) {
        find_pixels(target.surface, target.quads_in_line, tile, slice, s, at);
        store_pixels(memory.colours, target.format.bytes, at, kAllLanes, colours[s]);
    }
    for (SampleFragments& of_pixel : fragments)
        of_pixel = spread(target.fmask_format, of_pixel);
    metadata.store_fragments(tile, kAllLanes, fragments);
}

}  // namespace

unsigned rewrite_tiles(Mode mode, const Target& target, const raster::QuadBatch& batch,
                       const TargetMemory& memory) {
    uint32_t slice = 0;
    if (!find_slice(target, batch, slice))
        return 0;
    check_inside(target, batch, batch.covered());
    TileMetadata metadata(target, slice, memory);
    uint64_t last = ~uint64_t{0};
    for (unsigned q = 0; q < batch.quads; ++q) {
        const uint32_t x = batch.x[q], y = batch.y[q];
        const uint64_t tile = uint64_t{y / raster::kTile} << 32 | x / raster::kTile;
        if ((batch.covered() >> 4 * q & 15) == 0 || tile == last)
            continue;
        last = tile;
        const bool has_fragments = metadata.open(x, y);
        if (mode == Mode::EliminateFastClear || !target.compressed)
            continue;
        if (!has_fragments)
            metadata.expand(x, y);
        if (mode == Mode::Decompress)
            decompress(target, TileQuads(x, y), slice, memory, metadata);
    }
    const bool spreads = mode == Mode::Decompress && target.compressed;
    return quads_of(batch.covered()) * (spreads ? 2u * target.fragments : 1u);
}

}  // namespace archipelago::cb
