// SPDX-License-Identifier: Apache-2.0
#include "models/sc/scan.h"

#include <array>
#include <cstring>

namespace archipelago::sc {
namespace {

using raster::kTile;
using raster::QuadBatch;

constexpr unsigned kQuadsInRow = kTile / 2;
constexpr uint64_t kOneOfEach = 0x0001'0001'0001'0001;  // bit 0 of the coverage of four lanes

// Bit n of the index: lane n of a quad. Its coverage, 16 bits a lane, with sample 0 in those lanes.
constexpr std::array<uint64_t, 16> kSampleOfLanes = [] {
    std::array<uint64_t, 16> table{};
    for (unsigned lanes = 0; lanes < 16; ++lanes)
        for (unsigned lane = 0; lane < 4; ++lane)
            table[lanes] |= uint64_t{lanes >> lane & 1} << 16 * lane;
    return table;
}();

// The coverage of a quad's four lanes.
uint64_t coverage_of(const ScanState& state, const TileCoverage& tile, unsigned quad) {
    const auto lanes = [&](unsigned sample) {
        return kSampleOfLanes[tile.covered[sample] >> 4 * quad & 0xF];
    };
    if (tile.alike)
        return lanes(0) * state.samples.all() & state.aa_mask;
    uint64_t coverage = 0;
    for (unsigned s = 0; s < state.samples.count; ++s)
        coverage |= lanes(s) << s;
    return coverage & state.aa_mask;
}

// All 64 pixels of the tile, with the same coverage in each quad.
void whole_tile(const ScanState& state, const TileCoverage& tile, QuadBatch& batch) {
    batch.quads = QuadBatch::kQuads;
    const uint64_t quad = kOneOfEach * state.samples.all() & state.aa_mask;
    for (unsigned q = 0; q < QuadBatch::kQuads; ++q) {
        batch.x[q] = static_cast<uint16_t>(tile.x + 2 * (q % kQuadsInRow));
        batch.y[q] = static_cast<uint16_t>(tile.y + 2 * (q / kQuadsInRow));
        std::memcpy(&batch.coverage[4 * q], &quad, sizeof quad);
    }
}

}  // namespace

bool to_quads(const ScanState& state, const TileCoverage& tile, QuadBatch& batch) {
    batch.rb = static_cast<uint8_t>(tile.owner.number());
    batch.shader_engine = tile.owner.shader_engine;
    batch.depth_done = batch.killed = false;
    if (tile.alike && tile.covered[0] == ~uint64_t{0} &&
        state.aa_mask == kOneOfEach * state.samples.all()) {
        whole_tile(state, tile, batch);
        return true;
    }
    unsigned quads = 0;
    for (unsigned q = 0; q < QuadBatch::kQuads; ++q) {
        const uint64_t coverage = coverage_of(state, tile, q);
        if (coverage == 0)
            continue;
        batch.x[quads] = static_cast<uint16_t>(tile.x + 2 * (q % kQuadsInRow));
        batch.y[quads] = static_cast<uint16_t>(tile.y + 2 * (q / kQuadsInRow));
        std::memcpy(&batch.coverage[4 * quads], &coverage, sizeof coverage);
        ++quads;
    }
    batch.quads = static_cast<uint8_t>(quads);
    return quads != 0;
}

}  // namespace archipelago::sc
