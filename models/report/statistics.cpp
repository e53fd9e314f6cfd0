// SPDX-License-Identifier: Apache-2.0
#include "models/report/statistics.h"

#include <exception>
#include <utility>

#include "models/asic/asic.h"
#include "models/report/attribution_json.h"
#include "models/report/stats_json.h"

namespace archipelago::report {
namespace {

using nlohmann::ordered_json;

ordered_json places_json(const std::vector<Place>& places) {
    ordered_json list = ordered_json::array();
    for (const Place& place : places) {
        list.push_back({{"block", place.block},
                        {"file", place.file},
                        {"contract", place.contract},
                        {"top", place.top}});
        if (place.instance)
            list.back()["instance"] = *place.instance;
    }
    return list;
}

std::string why_stopped(const asic::Asic& chip, const RunNotes& notes) {
    if (!notes.stopped.empty() || chip.error() == nullptr)
        return notes.stopped;
    try {
        std::rethrow_exception(chip.error());
    } catch (const std::exception& error) {
        return error.what();
    }
}

RunInfo run_info(const asic::Asic& chip, const RunNotes& notes) {
    const asic::Identity& id = chip.description().identity();
    const asic::WorkDone work = notes.work != nullptr ? *notes.work : chip.work();
    RunInfo info;
    info.cycles = notes.cycles.value_or(chip.cycles());
    info.start = notes.start;
    info.sim_seconds = id.seconds(info.cycles);
    info.host_seconds = notes.host_seconds;
    info.workload = notes.workload;
    info.rtl = notes.rtl;
    info.verilog = notes.verilog;
    info.asic = id.name;
    info.mode = chip.has_time() ? "cycle" : "functional";
    info.config_hash = id.hash;
    info.wave_instructions = work.instructions;
    info.instructions = work.by_class;
    if (!notes.places.empty())
        info.extra.emplace_back("places", places_json(notes.places));
    info.extra.emplace_back("warnings", chip.warnings());
    return info;
}

void add_attribution(const asic::Asic& chip, const Programs* programs, RunInfo& info) {
    const std::optional<asic::Attribution> attribution = chip.attribution();
    if (!attribution) {
        info.extra.emplace_back("attribution_absent", info.mode + " mode counts no cycles");
        return;
    }
    for (auto& entry :
         attribution_json(*attribution, info.start, info.cycles, programs, chip.options().profile))
        info.extra.push_back(std::move(entry));
}

// Keys as those of the whole, without what all have in common.
ordered_json parts_json(const asic::Asic& chip, const RunInfo& whole, const RunNotes& notes) {
    ordered_json list = ordered_json::array();
    for (const PartNotes& part : notes.parts) {
        RunInfo info = whole;
        info.workload = part.workload;
        info.cycles = part.cycles;
        info.sim_seconds = chip.description().identity().seconds(part.cycles);
        info.host_seconds = part.host_seconds;
        info.wave_instructions = part.work->instructions;
        info.instructions = part.work->by_class;
        info.extra.clear();
        if (!part.stopped.empty())
            info.extra.emplace_back("stopped", part.stopped);
        ordered_json one = stats_json(*part.counters, info);
        for (const char* common :
             {"schema_version", "rtl", "verilog", "asic", "mode", "config_hash", "definitions"})
            one.erase(common);
        list.push_back(std::move(one));
    }
    return list;
}

ordered_json json(const asic::Asic& chip, const RunNotes& notes) {
    RunInfo info = run_info(chip, notes);
    if (const std::string stopped = why_stopped(chip, notes); !stopped.empty()) {
        info.extra.emplace_back("stopped", stopped);
        info.extra.emplace_back("hang", hang_json(chip.hang_report()));
    } else {
        info.extra.emplace_back("timing_guesses",
                                chip.description().records().timings.guess_count());
    }
    add_attribution(chip, notes.programs, info);
    if (!notes.parts.empty())
        info.extra.emplace_back("workloads", parts_json(chip, info, notes));
    return stats_json(notes.counters != nullptr ? *notes.counters : chip.stats(), info);
}

}  // namespace

std::string statistics(const asic::Asic& chip, const RunNotes& notes) {
    return stats_text(json(chip, notes));
}

void write_statistics(const std::string& path, const asic::Asic& chip, const RunNotes& notes) {
    write_stats(path, statistics(chip, notes));
}

}  // namespace archipelago::report
