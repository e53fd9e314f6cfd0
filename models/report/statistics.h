// SPDX-License-Identifier: Apache-2.0
// The statistics of a chip's run as a JSON file: those of `archipelago run --stats`, whose keys
// testbenches/host/STATISTICS.md lists.
//
//   archipelago::report::write_statistics("run.json", *chip);   // after sc_start()
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/programs.h"
#include "models/common/stats.h"

namespace archipelago::asic {
class Asic;
struct WorkDone;
}  // namespace archipelago::asic

namespace archipelago::report {

// A user's own Verilog in the place of a block.
struct Place {
    std::string block, file, contract, top;
    std::optional<unsigned> instance;  // of several
};

// One of several workloads that ran one after the other: what it did alone.
struct PartNotes {
    std::string workload;
    std::string stopped;  // why; empty: it has run to its end
    uint64_t cycles = 0;
    double host_seconds = 0;
    const asic::WorkDone* work = nullptr;
    const StatsRegistry* counters = nullptr;
};

// What a run's host knows and its chip does not; everything may stay as it is.
struct RunNotes {
    // Cycles of the engine clock that the run took; absent: all that have passed.
    std::optional<uint64_t> cycles;
    uint64_t start = 0;  // the chip's cycle in which these begin
    // Wall-clock time of the simulation; absent: the key is left out, so that two runs give the
    // same bytes.
    std::optional<double> host_seconds;
    std::string workload;              // name of its file; empty, and left out: there is none
    std::vector<std::string> rtl;      // blocks whose Verilog stood in the chip
    std::vector<std::string> verilog;  // other people's modules around it
    std::vector<Place> places;
    // Why the run stopped, with "hang" in the file; empty: what Asic::error() says, if there is
    // one.
    std::string stopped;
    const Programs* programs = nullptr;       // null: programs are named by their addresses
    const StatsRegistry* counters = nullptr;  // null: the chip's
    const asic::WorkDone* work = nullptr;     // null: the chip's
    std::vector<PartNotes> parts;             // "workloads" of the file, unless there are none
};

// Indented text ending in a line feed. The order of keys is fixed; all but `host_seconds` depend on
// nothing but the inputs of the run.
std::string statistics(const asic::Asic& chip, const RunNotes& notes = {});

// Writes that. Throws std::runtime_error naming the file and the reason.
void write_statistics(const std::string& path, const asic::Asic& chip, const RunNotes& notes = {});

}  // namespace archipelago::report
