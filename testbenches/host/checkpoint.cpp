// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/checkpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <stdexcept>

#include "models/asic/chip_record.h"
#include "models/common/files.h"
#include "models/config/node.h"

namespace archipelago::host {
namespace {

uint64_t workload_hash(const Workload& workload) {
    return config::fnv1a(read_file(workload.path));
}

// What of its run a checkpoint says.
struct Identity {
    std::string version;
    asic::Mode mode = asic::Mode::Cycle;
    std::string workload;
    uint64_t workload_hash = 0;
};

}  // namespace

uint64_t dispatches_of(const Workload& workload) {
    uint64_t sum = 0;
    for (const KernelSpec* kernel : workload.kernels())
        sum += kernel->repeat;
    return sum;
}

Point parse_point(const std::string& option, const std::string& text, const Workload& workload) {
    const auto refuse = [&](const std::string& expected) {
        throw std::invalid_argument(option + " " + text + ": expected " + expected);
    };
    const size_t colon = text.find(':');
    const std::string where = text.substr(0, colon);
    if (colon == std::string::npos || (where != "kernel" && where != "step"))
        refuse("kernel:N or step:N");
    Point point;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, point.number);
    if (parsed.ec != std::errc() || parsed.ptr != end)
        refuse("a number after the colon");
    if (where == "kernel") {
        point.where = Point::Where::Kernel;
        const uint64_t most = dispatches_of(workload);
        if (most == 0)
            refuse("step:N: the workload has no kernel");
        if (point.number == 0 || point.number > most)
            refuse(fmt::format("kernel:1 to kernel:{}", most));
    } else if (point.number > workload.steps.size()) {
        refuse(fmt::format("step:0 to step:{}", workload.steps.size()));
    }
    return point;
}

std::string to_string(const Point& point) {
    return fmt::format("{}:{}", point.where == Point::Where::Kernel ? "kernel" : "step",
                       point.number);
}

GroupSelection parse_groups(const std::string& text) {
    GroupSelection groups;
    std::istringstream list(text);
    for (std::string piece; std::getline(list, piece, ',');) {
        GroupSelection::Range range;
        const char* const end = piece.data() + piece.size();
        auto parsed = std::from_chars(piece.data(), end, range.first);
        range.last = range.first;
        if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '-')
            parsed = std::from_chars(parsed.ptr + 1, end, range.last);
        const auto refuse = [&](const std::string& expected) {
            throw std::invalid_argument(
                fmt::format("--groups {}: \"{}\", expected {}", text, piece, expected));
        };
        if (parsed.ec != std::errc() || parsed.ptr != end)
            refuse("a number, or FIRST-LAST");
        if (range.last < range.first)
            refuse("the first number to be the smaller one");
        if (!groups.ranges.empty() && range.first <= groups.ranges.back().last)
            refuse(fmt::format("groups after {}", groups.ranges.back().last));
        groups.ranges.push_back(range);
    }
    if (groups.ranges.empty())
        throw std::invalid_argument("--groups \"" + text + "\": expected 0-63,128-191 or the like");
    return groups;
}

asic::Mode archive_identity(Archive& a, const asic::ChipDescription& chip, asic::Mode mode,
                            const Workload& workload, const std::string& version) {
    const Identity now{version, mode, workload.path, workload_hash(workload)};
    Identity written = now;
    a.block("run", [&] { a(written); });
    const auto refuse = [&](const std::string& what, const std::string& was,
                            const std::string& is) {
        throw ArchiveError(
            fmt::format("the checkpoint is of {} {}, this run is of {}", what, was, is));
    };
    if (written.version != now.version)
        refuse("version", written.version, now.version);
    if (written.workload_hash != now.workload_hash)
        refuse("the workload", written.workload, now.workload + ", which has another text");
    if (written.mode == asic::Mode::Cycle && now.mode == asic::Mode::Functional)
        refuse("mode", "cycle", "functional, which has no caches to take over");
    if (a.saving())  // the chip says itself which it is
        return written.mode;
    const std::string hash = asic::archive_chip(a, chip);
    if (written.mode != now.mode && hash != chip.identity().hash)
        refuse("configuration", hash, chip.identity().hash);
    return written.mode;
}

std::string read_archive(const std::string& path) {
    try {
        std::string bytes = read_file(path);
        if (bytes.empty())
            throw FileError(path, "the file is empty");
        return bytes;
    } catch (const FileError& error) {
        throw ArchiveError(std::string("cannot read the checkpoint ") + error.what());
    }
}

void write_archive(const std::string& path, const std::string& bytes) {
    try {
        OutputFile file(path, "the checkpoint");
        file.write(bytes);
        file.complete();
    } catch (const FileError& error) {
        throw ArchiveError(error.what());
    }
}

}  // namespace archipelago::host
