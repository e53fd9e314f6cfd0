// SPDX-License-Identifier: Apache-2.0
// The scan converter, untimed: a primitive to its covered quads.
//
//   Scan scan;
//   scan(state, primitive, [&](raster::QuadBatch& batch) { ... });   // once for each covered tile
#pragma once

#include "models/raster/quad_batch.h"
#include "models/sc/scan_state.h"
#include "models/sc/walk.h"

namespace archipelago::sc {

// The covered quads of a tile, without their primitive. False: the AA masks leave none.
bool to_quads(const ScanState& state, const TileCoverage& tile, raster::QuadBatch& batch);

class Scan {
  public:
    // Calls sink(batch) for each tile in which the primitive covers samples, in the order of the
    // walk. The batch is valid until sink() returns, which may change all but its primitive.
    template <class Sink>
    void operator()(const ScanState& state, const raster::Primitive& primitive, Sink&& sink) {
        if (primitive.kind != raster::Primitive::Kind::Primitive || !begin(walk_, state, primitive))
            return;
        batch_.primitive = primitive;
        TileCoverage tile;
        for (Visit v = visit(walk_, state, tile); v != Visit::End; v = visit(walk_, state, tile))
            if (v == Visit::Covered && to_quads(state, tile, batch_))
                sink(batch_);
    }

  private:
    WalkState walk_;
    raster::QuadBatch batch_;
};

}  // namespace archipelago::sc
