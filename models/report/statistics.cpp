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
    const asic::WorkDone work = chip.work();
    RunInfo info;
    info.cycles = notes.cycles.value_or(chip.cycles());
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
         attribution_json(*attribution, info.cycles, programs, chip.options().profile))
        info.extra.push_back(std::move(entry));
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
