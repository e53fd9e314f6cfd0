// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "testbenches/host/code_object/compiler.h"
#include "testbenches/host/runner.h"

namespace archipelago::host {
namespace {

// As a file that a generator has begun and not written: that nothing fails in it means nothing.
bool runs_nothing(const Workload& w) {
    return w.kernels().empty() && w.waves.empty() && w.steps.empty() && w.expect.empty() &&
           w.dump.empty();
}

// A file that stands beside the workload comes before one where the command runs.
std::string chip_of(const std::string& workload, const std::string& asic) {
    const std::filesystem::path beside = std::filesystem::path(workload).parent_path() / asic;
    const bool is_file = std::filesystem::path(asic).has_extension();
    std::error_code error;
    return is_file && std::filesystem::is_regular_file(beside, error) ? beside.string() : asic;
}

}  // namespace

Job load_job(const std::string& file, const std::string& asic,
             const std::vector<std::string>& set) {
    config::Diagnostics diagnostics;
    std::unique_ptr<asic::ChipDescription> chip;
    const auto load_chip = [&](const std::optional<std::string>& own) {
        std::string warnings;
        const std::string name = !asic.empty() ? asic : chip_of(file, own.value_or("tahiti"));
        const bool from_workload = asic.empty() && own;
        if (std::error_code error; from_workload &&
                                   std::filesystem::path(name).extension() == ".yaml" &&
                                   !std::filesystem::exists(name, error))
            throw NoSuchChip(fmt::format(
                "there is no file \"{}\" beside the workload, nor where the command runs", name));
        try {
            chip = asic::load_chip(name, set, asic::config_folder(), asic::families(), &warnings);
        } catch (const asic::UnknownChip& error) {
            if (from_workload)
                throw NoSuchChip(error.what());
            throw;
        }
        std::fputs(warnings.c_str(), stderr);
        return workload_chip(*chip);
    };
    std::optional<Workload> workload = load_workload(file, load_chip, diagnostics);
    if (workload && runs_nothing(*workload))
        diagnostics.error(config::origin_of(file), "",
                          "the workload has nothing to run, expected a kernel, waves, a program, "
                          "steps or something to expect");
    diagnostics.throw_if_errors();
    return {std::move(*workload), std::move(chip)};
}

BuildOptions read_build_options(const char* option, SourceKind kind,
                                const std::vector<std::string>& texts, const std::string& folder) {
    BuildOptionReader options(kind, folder);
    const auto refuse = [&](const std::optional<std::string>& fault) {
        if (fault)
            throw std::invalid_argument(fmt::format("{}: {}", option, *fault));
    };
    for (const std::string& text : texts)
        refuse(options.add(text));
    refuse(options.finish());
    return options.options();
}

std::vector<KernelCode> codes_of(const Workload& workload) {
    std::vector<KernelCode> codes;
    for (const KernelSpec* kernel : workload.kernels()) {
        const auto same = [&](const KernelCode& code) {
            return code.file == kernel->code && code.build == kernel->build;
        };
        if (std::none_of(codes.begin(), codes.end(), same))
            codes.push_back({kernel->code, kernel->build});
    }
    return codes;
}

std::vector<std::string> files_read(const Job& job) {
    std::vector<std::string> files = job.workload.inputs;
    const std::vector<std::string>& of_chip = job.chip->files();
    files.insert(files.end(), of_chip.begin(), of_chip.end());
    for (const auto& [code, build] : codes_of(job.workload)) {
        const std::vector<std::string> included = included_files(code, build);
        files.push_back(code);
        files.insert(files.end(), included.begin(), included.end());
    }
    return files;
}

}  // namespace archipelago::host
