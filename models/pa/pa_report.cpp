// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of the primitive assemblers, and what they wait for.
#include "models/common/transaction_id.h"
#include "models/pa/pa_core.h"

namespace archipelago::pa {

std::string PaCore::waiting_for() const {
    if (!state_.entries.empty() &&
        state_.entries.front().next < state_.entries.front().departures.size() &&
        state_.entries.front().ready != kNever) {
        const Departure& departure = state_.entries.front().departures[state_.entries.front().next];
        std::string text = "draw " + std::to_string(departure.primitive.draw) +
                           ": scan converters to take a primitive:";
        for (unsigned engine = 0; engine < spec_.engines; ++engine)
            if ((departure.engines >> engine & 1) != 0)
                text += " " + std::to_string(engine);
        return text;
    }
    if (!primitives.empty() && primitives.front().kind == PrimitiveMessage::Kind::Primitive &&
        !has_positions(primitives.front()))
        return "a primitive of draw " + std::to_string(primitives.front().draw) +
               " waits for the positions of VS wave " + std::to_string(primitives.front().wave[0]);
    if (!samples.empty() || !state_.sampled.empty())
        return "a sample event, or CP to take its counts";
    if (!state_.to_free.empty())
        return "SPI to take free positions";
    if (!state_.positions.empty())
        return "the last primitive of " + std::to_string(state_.positions.size()) +
               " VS waves has not come";
    return idle() ? std::string() : "primitives and registers to take";
}

void PaCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const PaCounters& c = state_.counters;
    const SetupCounters& s = c.setup;
    add("primitives", "primitives", "primitives taken from VGT", &s.in);
    add("primitives_out", "primitives", "primitives and pieces that are drawn", &s.out);
    add("clipped", "primitives", "cut by a clip plane", &s.clipped);
    add("killed", "primitives", "dropped: DX_RASTERIZATION_KILL", &s.rasterization_kill);
    add("bad_positions", "primitives", "dropped: a position is not a number or infinite",
        &s.bad_position);
    add("culled_by_distance", "primitives", "dropped: all outside a cull distance",
        &s.cull_distance);
    add("culled_by_plane", "primitives", "dropped: all outside a user plane that culls",
        &s.user_plane);
    add("discarded", "primitives", "dropped: all beyond the guard band", &s.guard_band);
    add("outside", "primitives", "dropped: nothing left within the clip planes", &s.outside);
    add("front_faces_culled", "primitives", "dropped: CULL_FRONT", &s.front_face);
    add("back_faces_culled", "primitives", "dropped: CULL_BACK", &s.back_face);
    add("without_area", "primitives", "dropped: they cover nothing", &s.zero_area);
    add("c_invocations", "primitives", "C_INVOCATIONS of the pipeline statistics",
        &s.pipeline.invocations);
    add("c_primitives", "primitives", "C_PRIMITIVES of the pipeline statistics",
        &s.pipeline.primitives);
    static const char* const kSent[PaSpec::kMaxEngines] = {
        "sent_to_se0", "sent_to_se1", "sent_to_se2", "sent_to_se3",
        "sent_to_se4", "sent_to_se5", "sent_to_se6", "sent_to_se7"};
    for (unsigned engine = 0; engine < spec_.engines; ++engine)
        add(kSent[engine], "messages", "to the scan converter of this shader engine",
            &c.sent[engine]);
    add("releases", "messages", "releases of waves without a primitive to carry them", &c.releases);
    add("draws", "draws", "ends of draws passed on", &c.draws);
    add("events", "events", "events passed on", &c.events);
    add("vertices", "vertices", "vertices whose positions came", &c.vertices);
    add("waves_freed", "waves", "VS waves whose positions were released", &c.freed);
    add("register_writes", "writes", "context registers written", &c.register_writes);
    add("busy_cycles", "cycles", "primitives were in PA or waited for it", &c.busy_cycles);
    add("position_wait_cycles", "cycles", "for positions of a primitive's vertices",
        state_.stalls.counter(PaStall::Positions));
    add("setup_wait_cycles", "cycles", "the shader engine's queue was full",
        state_.stalls.counter(PaStall::Engine));
    add("scan_wait_cycles", "cycles", "a scan converter was not ready",
        state_.stalls.counter(PaStall::ScanConverter));
}

void PaCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    track_ = observers.track(path);
}

// A slice for each draw, from its first primitive's departure to its end's.
void PaCore::note_left(Cycle now, const raster::Primitive& p) {
    if (p.kind == raster::Primitive::Kind::Event)
        return;
    if (p.draw != state_.leaving) {
        state_.leaving = p.draw;
        state_.leaving_since = now;
    }
    if (p.kind == raster::Primitive::Kind::DrawEnd && observers_.trace != nullptr)
        observers_.trace->slice(track_, state_.leaving_since, now + 1,
                                "draw " + std::to_string(p.draw), draw_flow(p.draw), "");
}

}  // namespace archipelago::pa
