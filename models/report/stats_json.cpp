// SPDX-License-Identifier: Apache-2.0
#include "models/report/stats_json.h"

#include <map>
#include <stdexcept>
#include <string>

#include "models/common/files.h"
#include "models/report/counter_kinds.h"

namespace archipelago::report {
namespace {

using nlohmann::ordered_json;

// An ordered_json looks keys up one by one; thousands of units need an index.
class Sections {
  public:
    ordered_json& operator[](const std::string& key) {
        const auto [it, is_new] = index_.try_emplace(key, entries_.size());
        if (is_new)
            entries_.emplace_back(key, ordered_json::object());
        return entries_[it->second].second;
    }
    ordered_json take() {
        ordered_json out = ordered_json::object();
        auto& object = out.get_ref<ordered_json::object_t&>();
        object.reserve(entries_.size());
        for (auto& [key, value] : entries_)
            object.push_back({key, std::move(value)});
        return out;
    }

  private:
    std::map<std::string, size_t> index_;
    std::vector<std::pair<std::string, ordered_json>> entries_;
};

// The last part of a unit's kind.
std::string last_part(const std::string& kind) {
    return kind.substr(kind.rfind('.') + 1);
}

void put_once(ordered_json& out, const std::string& key, ordered_json value) {
    if (out.contains(key))
        throw std::logic_error("statistics: the key " + key + " is given twice");
    out[key] = std::move(value);
}

}  // namespace

ordered_json stats_json(const StatsRegistry& registry, const RunInfo& run) {
    ordered_json out = ordered_json::object();
    out["schema_version"] = kStatsSchemaVersion;
    out["cycles"] = run.cycles;
    out["sim_seconds"] = run.sim_seconds;
    if (run.host_seconds)
        out["host_seconds"] = *run.host_seconds;
    if (!run.workload.empty())
        out["workload"] = run.workload;
    out["rtl"] = run.rtl;
    out["verilog"] = run.verilog;
    out["asic"] = run.asic;
    out["mode"] = run.mode;
    out["config_hash"] = run.config_hash;
    out["wave_instructions"] = run.wave_instructions;
    ordered_json instructions = ordered_json::object();
    for (const auto& [name, count] : run.instructions)
        put_once(instructions, name, count);
    out["instructions"] = std::move(instructions);
    for (const auto& [key, value] : run.extra)
        put_once(out, key, value);

    Sections units;
    Sections definitions;
    const std::map<std::string, std::string> kinds = kinds_of(registry);
    for (const Counter& counter : registry.counters()) {
        if (counter.value == nullptr)
            throw std::logic_error("statistics: " + counter.unit_path + "." + counter.name +
                                   " has no value");
        ordered_json& unit = units[counter.unit_path];
        if (unit.contains(counter.name))
            throw std::logic_error("statistics: " + counter.unit_path + "." + counter.name +
                                   " is registered twice");
        unit[counter.name] = *counter.value;

        const ordered_json definition{{"unit", counter.unit}, {"meaning", counter.meaning}};
        const std::string kind = last_part(kinds.at(counter.unit_path));
        ordered_json& known = definitions[kind];
        if (!known.contains(counter.name))
            known[counter.name] = definition;
        else if (known[counter.name] != definition)
            definitions[kind + " (" + counter.unit_path + ")"][counter.name] = definition;
    }
    put_once(out, "units", units.take());
    put_once(out, "definitions", definitions.take());
    return out;
}

nlohmann::ordered_json hang_json(const asic::HangReport& report) {
    using Json = nlohmann::ordered_json;
    Json hang = Json::object();
    Json rings = Json::object();
    for (const cp::RingReport& r : report.cp.rings)
        rings[r.ring] = Json{{"read", r.read},     {"write", r.write},
                             {"dwords", r.dwords}, {"enabled", r.enabled},
                             {"engine", r.engine}, {"place", r.place},
                             {"packet", r.packet}, {"waits_for", r.waits_for},
                             {"events", r.events}, {"end_of_pipe", r.end_of_pipe}};
    hang["rings"] = std::move(rings);
    hang["context"] = report.cp.context;
    hang["contexts_in_pipe"] = report.cp.contexts;
    hang["constant_engine"] = report.cp.constants;
    Json waves = Json::array();
    for (const asic::WaveReport& w : report.waves)
        waves.push_back(Json{{"cu", w.cu},
                             {"simd", w.simd},
                             {"slot", w.slot},
                             {"dispatch", w.dispatch},
                             {"pc", w.pc},
                             {"state", w.state},
                             {"vmcnt", w.vm_count},
                             {"lgkmcnt", w.lgkm_count},
                             {"expcnt", w.exp_count}});
    hang["waves"] = std::move(waves);
    Json units = Json::object();
    for (const auto& [name, waits] : report.units)
        units[name] = waits;
    hang["units"] = std::move(units);
    Json moving = Json::object();
    for (const auto& [name, waits] : report.moving)
        moving[name] = waits;
    hang["moving_units"] = std::move(moving);
    return hang;
}

std::string stats_text(const ordered_json& stats) {
    return stats.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

void write_stats(const std::string& path, const std::string& text) {
    OutputFile file(path, "the statistics");
    file.write(text);
    file.complete();
}

}  // namespace archipelago::report
