// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of the colour block, and what it waits for.
#include "models/cb/cb_core.h"
#include "models/common/transaction_id.h"

namespace archipelago::cb {

std::string CbCore::waiting_for() const {
    if (state_.sync_flush)
        return "memory to take what SURFACE_SYNC flushes";
    if (state_.batches.empty())
        return idle() ? std::string() : "quads, register writes and memory";
    const raster::Primitive& p = state_.batches.front().shaded.quads.primitive;
    if (p.kind != Kind::Primitive)
        return state_.event_flush ? "memory to take what an event flushes"
                                  : "an event or the end of a draw to pass";
    const std::string draw = "draw " + std::to_string(p.draw) + ": ";
    switch (state_.phase) {
        case CbState::Phase::Metadata:
            return draw + "lines of CMASK or FMASK";
        case CbState::Phase::Data:
            return draw + "lines of render targets";
        default:
            return draw + "quads to write";
    }
}

void CbCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const CbCounters& c = state_.counters;
    add("batches", "batches", "of quads written", &c.batches);
    add("quads", "quads", "with a covered pixel, of 2 x 2 pixels", &c.quads);
    add("pixels", "pixels", "covered", &c.pixels);
    add("blended_pixels", "pixels", "blended, for each target", &c.blended_pixels);
    add("quad_accesses", "quads", "written, for each target and fragment", &c.accesses);
    add("pixel_bytes", "bytes", "of covered pixels, for each target", &c.bytes);
    add("events", "events", "passed on", &c.events);
    add("flushes", "flushes", "of the caches, by events and SURFACE_SYNC", &c.flushes);
    add("register_writes", "writes", "register writes taken", &c.register_writes);
    add("busy_cycles", "cycles", "quads or events were in the block", &state_.busy_cycles);
    add("pipe_cycles", "cycles", "quads passed the pipe", &c.pipe_cycles);
    add("metadata_wait_cycles", "cycles", "quads waited for CMASK or FMASK",
        state_.stall.counter(WriteStall::Metadata));
    add("data_wait_cycles", "cycles", "quads waited for lines of render targets",
        state_.stall.counter(WriteStall::Data));
    add("flush_wait_cycles", "cycles", "an event or SURFACE_SYNC waited for a flush",
        state_.stall.counter(WriteStall::Flush));
    data_.register_stats(add, "data_");
    metadata_.register_stats(add, "metadata_");
}

void CbCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    track_ = observers.track(path);
}

void CbCore::trace_draw(Cycle end) const {
    if (observers_.trace != nullptr && state_.draw != 0)
        observers_.trace->slice(track_, state_.draw_begin, end,
                                "draw " + std::to_string(state_.draw), draw_flow(state_.draw));
}

void CbCore::finish_trace(Cycle now) const {
    trace_draw(now);
}

}  // namespace archipelago::cb
