// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/output_files.h"

#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "models/config/diagnostics.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;

std::set<std::string> canonical_paths(const std::vector<std::string>& files) {
    std::set<std::string> all;
    for (const std::string& file : files)
        if (!file.empty())
            all.insert(canonical_path(file));
    return all;
}

}  // namespace

std::string canonical_path(const std::string& path) {
    std::error_code fault;
    // Absolute first: "o" and "./o" are one file also before it exists.
    const fs::path full = fs::weakly_canonical(fs::absolute(path, fault), fault);
    return (fault ? fs::path(path).lexically_normal() : full).string();
}

std::optional<std::string> output_fault(const std::string& path) {
    const fs::path file(path);
    std::error_code fault;
    const fs::path parent = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (!fs::is_directory(parent, fault))
        return "no such directory";
    if (fs::is_directory(file, fault))
        return "is a directory, expected a file to write";
    return std::nullopt;
}

bool is_plain_output(const std::string& path) {
    std::error_code error;
    return !path.empty() && (!fs::exists(path, error) || fs::is_regular_file(path, error));
}

void check_outputs(const std::vector<OptionFile>& outputs, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& written) {
    const std::set<std::string> read = canonical_paths(inputs), dumped = canonical_paths(written);
    std::map<std::string, std::string> options;  // by file
    for (const OptionFile& output : outputs) {
        if (output.path.empty())
            continue;
        const auto refuse = [&](const std::string& why) {
            throw std::invalid_argument(output.option + " " + output.path + ": " + why);
        };
        if (output.path == "-")
            refuse("is not standard output here, expected a file (/dev/stdout, ./-)");
        if (const auto fault = output_fault(output.path))
            refuse(*fault);
        if (!is_plain_output(output.path))
            continue;
        const std::string file = canonical_path(output.path);
        if (read.count(file) != 0)
            refuse("would overwrite " + config::in_quotes(file) + ", which the command reads");
        if (dumped.count(file) != 0)
            refuse("would overwrite " + config::in_quotes(file) + ", a dump of the workload");
        const auto [other, is_new] = options.emplace(file, output.option);
        if (!is_new)
            refuse("writes the same file as " + other->second);
    }
}

void check_dumps(const std::vector<std::string>& dumps, const std::vector<std::string>& inputs) {
    const std::set<std::string> read = canonical_paths(inputs);
    for (const std::string& dump : dumps)
        if (read.count(canonical_path(dump)) != 0)
            throw std::invalid_argument("dump into " + dump +
                                        ": would overwrite a file that the command reads");
}

}  // namespace archipelago::host
