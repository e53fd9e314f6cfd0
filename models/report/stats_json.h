// SPDX-License-Identifier: Apache-2.0
// The statistics of a run as JSON. The order of keys is fixed, and all but `host_seconds` depend on
// nothing but the inputs of the run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/hang_report.h"
#include "models/common/stats.h"

namespace archipelago::report {

// Raised when a key changes its meaning or goes; new keys leave it as it is.
constexpr int kStatsSchemaVersion = 1;

struct RunInfo {
    uint64_t cycles = 0;     // of the chip's main clock
    uint64_t start = 0;      // the chip's cycle in which they begin
    double sim_seconds = 0;  // simulated time
    // Wall-clock time of the simulation alone; absent: the key is left out, so that two runs give
    // the same bytes.
    std::optional<double> host_seconds;
    std::string workload;              // name of its file; empty, and left out: there is none
    std::vector<std::string> rtl;      // blocks whose Verilog stood in the chip
    std::vector<std::string> verilog;  // other people's modules around it
    std::string asic;
    std::string mode;         // "cycle" or "functional"
    std::string config_hash;  // of the resolved configuration, 16 hex digits
    uint64_t wave_instructions = 0;
    std::vector<std::pair<std::string, uint64_t>> instructions;  // by class, in this order
    // More keys, after the ones above.
    std::vector<std::pair<std::string, nlohmann::ordered_json>> extra;
};

// {"schema_version", "cycles", "sim_seconds", "host_seconds", "workload", "rtl", "verilog", "asic",
//  "mode", "config_hash", "wave_instructions", "instructions": {class: count}, <extra>..., "units":
//  {unit path: {counter: value}}, "definitions": {kind of unit: {counter: {"unit", "meaning"}}}}
//
// Units come in the order they were registered. The kind of a unit is the last part of what
// kinds_of() calls it ("se0.sh0.cu12" is a "cu"). A unit whose counter says
// something else under the name of an earlier one of its kind is defined as "kind (its path)".
// Throws std::logic_error for a counter without a value or registered twice, and for a key twice.
nlohmann::ordered_json stats_json(const StatsRegistry& registry, const RunInfo& run);

// "hang" of the statistics of a machine that stopped: {"rings": {name: {...}}, "context",
// "contexts_in_pipe", "constant_engine", "waves": [{...}], "units": {name: what it waits for}}.
nlohmann::ordered_json hang_json(const asic::HangReport& report);

// Indented text ending in a line feed.
std::string stats_text(const nlohmann::ordered_json& stats);

// Writes that text. Throws std::runtime_error naming the file and the reason.
void write_stats(const std::string& path, const std::string& text);

}  // namespace archipelago::report
