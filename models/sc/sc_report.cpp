// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of the scan converter, and what it waits for.
#include "models/common/transaction_id.h"
#include "models/sc/sc_core.h"

namespace archipelago::sc {

std::string ScCore::waiting_for() const {
    if (!state_.leaving.empty()) {
        const ScState::Leaving& tile = state_.leaving.front();
        for (unsigned rb = 0; rb < ScSpec::kRbs; ++rb)
            if ((tile.to >> rb & 1) != 0)
                return "draw " + std::to_string(tile.batch.primitive.draw) + ": render back end " +
                       std::to_string(ScSpec::kRbs * spec_.shader_engine + rb) +
                       " to take quads; " + std::to_string(state_.leaving.size() - 1) +
                       " tiles are next";
    }
    if (state_.walking)
        return "draw " + std::to_string(state_.primitive.draw) + ": the walk over a primitive";
    return idle() ? std::string() : "primitives and register writes to take";
}

void ScCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const ScCounters& c = state_.counters;
    add("primitives", "primitives", "primitives taken", &c.primitives);
    add("empty", "primitives", "that cover no sample of a tile of this engine", &c.empty);
    add("supertiles", "supertiles", "tested and found without a tile to visit", &c.supertiles);
    add("tiles", "tiles", "visited", &c.tiles);
    add("empty_tiles", "tiles", "visited and found without a covered sample", &c.empty_tiles);
    add("quads", "quads", "covered, of 2 x 2 pixels", &c.quads);
    add("pixels", "pixels", "covered", &c.pixels);
    add("events", "events", "passed on to all render back ends", &c.events);
    add("releases", "releases", "of parameters, to render back ends without quads", &c.releases);
    add("register_writes", "writes", "register writes taken", &c.register_writes);
    add("busy_cycles", "cycles", "a primitive or an event was in SC", &state_.busy_cycles);
    add("tile_queue_cycles", "cycles", "the walk waited for room for a covered tile",
        state_.walk_stall.counter(WalkStall::TileQueue));
    add("rb_wait_cycles", "cycles", "a render back end was not ready for quads",
        state_.quad_stall.counter(QuadStall::RenderBackEnd));
}

void ScCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    track_ = observers.track(path);
}

void ScCore::trace_draw(Cycle end) const {
    if (observers_.trace != nullptr && state_.draw != 0)
        observers_.trace->slice(track_, state_.draw_begin, end,
                                "draw " + std::to_string(state_.draw), draw_flow(state_.draw));
}

void ScCore::finish_trace(Cycle now) const {
    trace_draw(now);
}

}  // namespace archipelago::sc
