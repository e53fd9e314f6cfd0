// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of the depth block, and what it waits for.
#include "models/common/transaction_id.h"
#include "models/db/db_core.h"

namespace archipelago::db {

std::string DbCore::waiting_for() const {
    if (idle())
        return {};
    const std::string draw =
        state_.draw != 0 ? "draw " + std::to_string(state_.draw) + ": " : std::string();
    switch (state_.stall.reason()) {
        case TestStall::Htile:
            return draw + "lines of HTILE from memory";
        case TestStall::Data:
            return draw + "lines of depth and stencil from memory";
        case TestStall::LateDraws:
            return draw + "batches of draw " + std::to_string(state_.late_draw) +
                   " to come back from the shader";
        case TestStall::Output:
            return draw + "SPI or the colour block to take quads";
        case TestStall::Flush:
            return draw + "the caches to be written back";
        default:
            return draw + "quads, answers and register writes to take";
    }
}

void DbCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const DbCounters& c = state_.counters;
    const DepthCounts& d = unit_.counts();
    add("early_batches", "batches", "of quads taken before the shader", &c.early_batches);
    add("late_batches", "batches", "taken after it", &c.late_batches);
    add("quads", "quads", "taken before the shader", &c.quads);
    add("dropped_batches", "batches", "with nothing left to shade", &c.dropped_batches);
    add("hiz_kills", "tiles", "that the hierarchical test has failed", &d.tiles_failed);
    add("z_samples", "samples", "tested", &c.z_samples);
    add("z_passes", "samples", "passed all tests", &d.passed);
    add("z_fails", "samples", "failed the depth test", &d.depth_failed);
    add("stencil_fails", "samples", "failed the stencil test", &d.stencil_failed);
    add("bounds_fails", "samples", "outside the depth bounds", &d.bounds_failed);
    add("tiles_expanded", "tiles", "cleared in HTILE and written to memory", &d.tiles_expanded);
    add("tiles_cleared", "tiles", "cleared in HTILE by a draw", &d.tiles_cleared);
    add("events", "events", "passed on to the colour block", &c.events);
    add("flushes", "flushes", "of the caches", &c.flushes);
    add("register_writes", "writes", "register writes taken", &c.register_writes);
    add("busy_cycles", "cycles", "a batch or an event was in DB", &state_.busy_cycles);
    add("test_cycles", "cycles", "samples were tested", &c.test_cycles);
    const auto stalled = [&](const char* name, const char* meaning, TestStall reason) {
        add(name, "cycles", meaning, state_.stall.counter(reason));
    };
    stalled("htile_wait_cycles", "a batch waited for lines of HTILE", TestStall::Htile);
    stalled("data_wait_cycles", "a batch waited for lines of depth and stencil", TestStall::Data);
    stalled("late_draw_cycles", "a batch waited for an earlier draw's shaders",
            TestStall::LateDraws);
    stalled("output_cycles", "SPI or the colour block took nothing", TestStall::Output);
    stalled("flush_cycles", "a batch or an event waited for a flush", TestStall::Flush);
    data_.register_stats(add, "data_");
    htile_.register_stats(add, "htile_");
}

void DbCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    track_ = observers.track(path);
}

void DbCore::trace_draw(Cycle end) const {
    if (observers_.trace != nullptr && state_.draw != 0)
        observers_.trace->slice(track_, state_.draw_begin, end,
                                "draw " + std::to_string(state_.draw), draw_flow(state_.draw));
}

void DbCore::finish_trace(Cycle now) const {
    trace_draw(now);
}

}  // namespace archipelago::db
