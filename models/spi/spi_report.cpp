// SPDX-License-Identifier: Apache-2.0
// Counters and timeline of SPI, and what it waits for.
#include "models/common/ring_name.h"
#include "models/common/text.h"
#include "models/spi/spi_core.h"

namespace archipelago::spi {

std::string SpiCore::waiting_for() const {
    std::string text;
    for (unsigned r = 0; r < spec_.rings; ++r) {
        const RingState& ring = state_.rings[r];
        for (const LiveDispatch& live : ring.dispatches) {
            if (!text.empty())
                text += "; ";
            text += "dispatch " + std::to_string(live.dispatch.number) + " of ring " +
                    ring_name(r) + ": " + std::to_string(live.groups_running) + " groups running" +
                    (live.walked ? "" : ", more to place");
        }
        if (!ring.events.empty()) {
            if (!text.empty())
                text += "; ";
            text += std::to_string(ring.events.size()) + " events of ring " + ring_name(r) +
                    " behind them";
        }
    }
    const std::string graphics = graphics_waiting_for();
    if (!text.empty() && !graphics.empty())
        text += "; ";
    return text + graphics;
}

void register_exports(const UnitStats& add, const ExportCounters& e) {
    add("position_exports", "exports", "position vectors of waves", &e.positions);
    add("parameter_exports", "exports", "parameter vectors of waves", &e.parameters);
    add("color_exports", "exports", "exports to colour targets", &e.colors);
    add("depth_exports", "exports", "exports to the depth target", &e.depths);
    add("null_exports", "exports", "exports to nowhere", &e.nulls);
}

void SpiCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const SpiCounters& c = state_.counters;
    add("dispatches", "dispatches", "dispatch initiators taken", &c.dispatches);
    add("groups", "groups", "work-groups placed on a CU", &c.groups);
    add("waves", "waves", "waves launched", &c.waves);
    add("waves_done", "waves", "waves that ended", &c.waves_done);
    add("events", "events", "events that passed all work before them", &c.events);
    add("register_writes", "writes", "register writes taken", &c.register_writes);
    add("busy_cycles", "cycles", "a dispatch, wave or event was in SPI", &c.busy_cycles);
    add("no_room_cycles", "cycles", "a group waited for a CU's resources", &c.no_room_cycles);
    add("no_scratch_cycles", "cycles", "a group waited for scratch slots", &c.no_scratch_cycles);
    add("launch_stall_cycles", "cycles", "a CU's launch channel was full", &c.launch_stall_cycles);
    add("no_alloc_cycles", "cycles", "waves waited and no CU had room or scratch slots",
        &c.no_alloc_cycles);
    static const char* const kRings[][2] = {{"csg_groups", "csg_waves"},
                                            {"csn_groups", "csn_waves"}};
    for (unsigned n = 0; n < 2; ++n) {
        const char* of = n == 0 ? "of the graphics ring" : "of the compute rings";
        add(kRings[n][0], "groups", of, &c.ring_groups[n]);
        add(kRings[n][1], "waves", of, &c.ring_waves[n]);
    }
    static const char* const kStalls[kWaveKinds][3] = {
        {"ps_no_room_cycles", "ps_no_scratch_cycles", "ps_no_alloc_cycles"},
        {"vs_no_room_cycles", "vs_no_scratch_cycles", "vs_no_alloc_cycles"},
        {"gs_no_room_cycles", "gs_no_scratch_cycles", "gs_no_alloc_cycles"},
        {"es_no_room_cycles", "es_no_scratch_cycles", "es_no_alloc_cycles"},
        {"hs_no_room_cycles", "hs_no_scratch_cycles", "hs_no_alloc_cycles"},
        {"ls_no_room_cycles", "ls_no_scratch_cycles", "ls_no_alloc_cycles"},
        {"csg_no_room_cycles", "csg_no_scratch_cycles", "csg_no_alloc_cycles"},
        {"csn_no_room_cycles", "csn_no_scratch_cycles", "csn_no_alloc_cycles"}};
    for (unsigned kind = 0; kind < kWaveKinds; ++kind) {
        add(kStalls[kind][0], "cycles", "no CU had room for the next wave", &c.no_room[kind]);
        add(kStalls[kind][1], "cycles", "no scratch slot for the next wave", &c.no_scratch[kind]);
        add(kStalls[kind][2], "cycles", "no CU had room, or no scratch slot", &c.no_alloc[kind]);
    }
    add("no_parameter_room_cycles", "cycles", "a VS wave waited for parameter space",
        &c.no_parameter_room_cycles);
    add("draws", "draws", "draw initiators taken", &c.draws);
    static const char* const kStageWaves[] = {"ls_waves", "hs_waves", "es_waves",
                                              "gs_waves", "vs_waves", "ps_waves"};
    for (unsigned s = 0; s < kGraphicsStages; ++s)
        add(kStageWaves[s], "waves", "waves of the stage launched", &c.stage_waves[s]);
    add("late_waves", "waves", "VS waves launched without export space", &c.late_waves);
    register_exports(add, exports_.state().counters);
    add("no_export_room_cycles", "cycles", "a VS wave waited for export space",
        &c.no_export_room_cycles);
    add("no_color_room_cycles", "cycles", "a PS wave waited for colour space",
        &c.no_color_room_cycles);
    add("pixel_quads", "quads", "taken from the render back ends", &pixel_counters_.quads);
    add("partial_pixel_waves", "waves", "pixel waves that were not full",
        &pixel_counters_.partial_waves);
    add("shaded_batches", "batches", "runs of quads that went back to the render back ends",
        &pixel_counters_.batches);
    add("pack_stall_cycles", "cycles", "quads waited for the launch of pixel waves",
        &pixel_counters_.pack_stall_cycles);
    add("shade_stall_cycles", "cycles", "shaded quads waited for a render back end",
        &pixel_counters_.shade_stall_cycles);
    add("register_stall_cycles", "cycles", "a register write waited for work to end",
        &c.register_stall_cycles);
}

void SpiCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    ring_tracks_.clear();
    for (unsigned r = 0; r < spec_.rings; ++r)
        ring_tracks_.push_back(observers.track(path + "." + ring_name(r)));
    if (has_vgt_)
        draw_track_ = observers.track(path + ".draws");
}

void SpiCore::trace_dispatch(const LiveDispatch& live, Cycle end) const {
    const Dispatch& d = live.dispatch;
    const std::string name = observers_.trace->program_name(d.pc);
    observers_.trace->slice(
        ring_tracks_[d.ring], live.begin, end,
        name + (name.empty() ? "" : ", ") + "dispatch " + std::to_string(d.number), d.number,
        std::to_string(d.groups()) + " groups of " + std::to_string(d.group_size[0]) + "x" +
            std::to_string(d.group_size[1]) + "x" + std::to_string(d.group_size[2]) +
            " threads, program at " + hex(d.pc));
}

void SpiCore::finish_trace(Cycle now) const {
    for (const RingState& ring : state_.rings)
        for (const LiveDispatch& live : ring.dispatches)
            trace_dispatch(live, now);
    for (const LiveDraw& draw : state_.graphics.draws)
        trace_draw(draw, now);
}

}  // namespace archipelago::spi
