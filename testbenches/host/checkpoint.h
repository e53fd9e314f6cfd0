// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a run: where one is written, what it says of its run, and whether another run may
// go on from it. What machines hold is models/common/archive.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/asic/chip_options.h"
#include "models/asic/description.h"
#include "models/common/archive.h"
#include "models/common/group_selection.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

// Of all kernels of the workload.
uint64_t dispatches_of(const Workload& workload);

// A place in a workload between two submissions: after so many dispatches of its kernels, or in
// front of a step.
struct Point {
    enum class Where : uint8_t { Kernel, Step };
    Where where = Where::Step;
    uint64_t number = 0;
    bool operator==(const Point& other) const {
        return where == other.where && number == other.number;
    }
};
// "kernel:N" with N from 1 to the number of dispatches, "step:N" with N from 0 to the number of
// steps. Throws std::invalid_argument saying what is wrong with `text`, the value of `option`.
Point parse_point(const std::string& option, const std::string& text, const Workload& workload);

std::string to_string(const Point& point);

// "0-63,128": ranges of work-groups, ascending. Throws std::invalid_argument.
GroupSelection parse_groups(const std::string& text);

// What a run does with checkpoints. An empty name of a file: nothing.
struct CheckpointPlan {
    std::optional<Point> at;
    std::string option;    // that says where, with its value: for messages
    std::string file;      // written there
    bool ends = false;     // and the run ends with it
    std::string restored;  // the run goes on from this one
    // `--caches warm`: no fence empties the caches where the checkpoint is written.
    bool warm = false;
    // The kernel's dispatch after the checkpoint runs in two parts: before it is written the
    // others of its groups, after it these. The run ends with the checkpoint.
    GroupSelection groups;
    std::string version;  // of the program
};

// Writes or checks which run the archive is of. Reading, throws ArchiveError when it is of another
// version, workload or chip, but for what differs in delays alone: the same chip, faster or slower.
// Returns the mode in which it was written; a run in cycle mode may go on from either.
asic::Mode archive_identity(Archive& a, const asic::ChipDescription& chip, asic::Mode mode,
                            const Workload& workload, const std::string& version);

// Throw ArchiveError naming the file. A file appears whole or not at all.
std::string read_archive(const std::string& path);
void write_archive(const std::string& path, const std::string& bytes);

}  // namespace archipelago::host
