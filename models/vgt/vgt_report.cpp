// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of VGT, and what it waits for.
#include "models/common/transaction_id.h"
#include "models/vgt/vgt_core.h"

namespace archipelago::vgt {

std::string VgtCore::waiting_for() const {
    if (state_.queue.empty())
        return idle() ? std::string() : "register accesses and messages to take";
    const QueueItem& item = state_.queue.front();
    std::string text;
    if (!item.is_draw) {
        text = "event " + std::to_string(item.event_type) + ": ";
        text += !state_.sampled     ? "room for its sample"
                : !state_.spi_ended ? "SPI to take it"
                                    : "the primitive assembler to take it";
    } else {
        text = "draw " + std::to_string(item.draw.number) + ": ";
        const std::string behind = engine_.waiting_for();
        if (state_.phase <= Phase::Starting)
            text += "begins";
        else if (!engine_.waves.empty())
            text += "SPI to take a wave";
        else if (!engine_.primitives.empty())
            text += "the primitive assembler to take a primitive";
        else if (!behind.empty())
            text += behind;
        else if (!engine_.input_done())
            text += item.draw.source == IndexSource::Immediate ? "VGT_IMMED_DATA"
                                                               : "indices from memory";
        else
            text += "its end to be taken";
    }
    if (state_.queue.size() > 1)
        text += "; " + std::to_string(state_.queue.size() - 1) + " draws and events behind";
    return text;
}

void VgtCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const VgtCounters& c = state_.counters;
    add("draws", "draws", "draw initiators carried out", &c.draws);
    add("events", "events", "events passed on behind the draws before them", &c.events);
    add("indices", "indices", "indices taken", &c.indices);
    add("primitives", "primitives", "primitives made of indices", &engine_.carry.primitives);
    add("primitives_out", "primitives", "primitives sent to the assembler", &c.primitives_out);
    static const char* const kWaves[] = {"ls_waves", "hs_waves", "es_waves", "gs_waves",
                                         "vs_waves"};
    static const char* const kLanes[] = {"ls_threads", "hs_threads", "es_threads", "gs_threads",
                                         "vs_threads"};
    static const char* const kStalls[] = {"ls_stall_cycles", "hs_stall_cycles", "es_stall_cycles",
                                          "gs_stall_cycles", "vs_stall_cycles"};
    for (unsigned i = 0; i < 5; ++i) {
        add(kWaves[i], "waves", "waves of this stage sent to SPI", &c.waves[i]);
        add(kLanes[i], "threads", "their lanes", &c.lanes[i]);
        add(kStalls[i], "cycles", "SPI was not ready for a wave of this stage",
            &c.stage_spi_wait[i]);
    }
    const DrawCarry& d = engine_.carry;
    add("ds_threads", "threads", "lanes of VS waves that are domain points", &c.ds_lanes);
    add("ds_primitives", "primitives", "made of domain points", &d.ds_primitives);
    add("patch_groups", "groups", "of LS and HS waves", &d.patch_groups);
    add("reused_vs", "vertices", "found in the VS wave being filled", &d.reused_vs);
    add("reused_es", "vertices", "found in the ES wave being filled", &d.reused_es);
    add("reused_ds", "vertices", "domain points found in the wave being filled", &d.reused_ds);
    add("es_done", "waves", "ES waves reported done", &d.es_done);
    add("gs_done", "waves", "GS waves reported done", &d.gs_done);
    add("register_writes", "writes", "register writes taken", &c.register_writes);
    add("busy_cycles", "cycles", "a draw or event was in VGT", &c.busy_cycles);
    add("index_wait_cycles", "cycles", "for indices", &c.index_wait_cycles);
    add("spi_wait_cycles", "cycles", "SPI was not ready for a wave", &c.spi_wait_cycles);
    add("primitive_wait_cycles", "cycles", "primitive assembler was not ready",
        &c.primitive_wait_cycles);
    add("shader_wait_cycles", "cycles", "for waves of a stage before", &c.shader_wait_cycles);
}

void VgtCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    track_ = observers.track(path);
}

void VgtCore::trace_draw(Cycle end) const {
    const Draw& d = engine_.draw();
    observers_.trace->slice(
        track_, state_.begin, end, "draw " + std::to_string(d.number), draw_flow(d.number),
        std::string(prim_type_name(static_cast<unsigned>(d.type))) + ", " +
            std::to_string(d.count) + " indices, " + std::to_string(d.instances) + " instances");
}

// A draw that has only started is not in the engine yet.
void VgtCore::finish_trace(Cycle now) const {
    if (!state_.queue.empty() && state_.queue.front().is_draw && state_.phase > Phase::Starting)
        trace_draw(now);
}

}  // namespace archipelago::vgt
