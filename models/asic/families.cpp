// SPDX-License-Identifier: Apache-2.0
#include "models/asic/families.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "models/asic/adreno/chip_config.h"
#include "models/asic/ctm/chip_config.h"
#include "models/asic/dma/chip_config.h"
#include "models/asic/gcn/chip_config.h"
#include "models/config/load.h"
#include "models/config/suggest.h"
#include "models/cp/packets/si/si_packets.h"

#ifndef ARCHIPELAGO_SOURCE_CONFIGS
#define ARCHIPELAGO_SOURCE_CONFIGS ""
#endif
#ifndef ARCHIPELAGO_INSTALLED_CONFIGS
#define ARCHIPELAGO_INSTALLED_CONFIGS ""
#endif
#ifndef ARCHIPELAGO_BIN_TO_CONFIGS
#define ARCHIPELAGO_BIN_TO_CONFIGS "../share/archipelago/configs"
#endif

namespace archipelago::asic {

const Families& families() {
    static const Families all = {
        {"si", gcn::read_description, cp::si_pm4, "si"},
        {"r5xx", ctm::read_description},
        {"r600", dma_chip::read_description, nullptr, "r600", dma_chip::registers_of},
        {"r700", dma_chip::read_description, nullptr, "r700", dma_chip::registers_of},
        {"evergreen", dma_chip::read_description, nullptr, "eg", dma_chip::registers_of},
        {"northern_islands", dma_chip::read_description, nullptr, "ni", dma_chip::registers_of},
        {"a5xx", adreno::read_description},
        {"a6xx", adreno::read_description},
        {"a660", adreno::read_description},
        {"a7xx", adreno::read_description},
        {"a750", adreno::read_description},
        {"cik", dma_chip::read_description, nullptr, "cik", dma_chip::registers_of},
    };
    return all;
}

namespace {

namespace fs = std::filesystem;

// An installation that was moved as a whole: share/ stands beside the program's bin/.
std::string beside_program() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error)
        return {};
    return (program.parent_path() / ARCHIPELAGO_BIN_TO_CONFIGS).lexically_normal().string();
}

std::string list_of(const Families& known) {
    std::string text;
    for (size_t i = 0; i < known.size(); ++i)
        text += (i == 0                  ? ""
                 : i + 1 == known.size() ? " or "
                                         : ", ") +
                std::string(known[i].generation);
    return text;
}

// The file of a chip by name or path; throws UnknownChip.
std::string file_of(const std::string& name_or_file, const std::string& folder) {
    const bool is_file = name_or_file.find('/') != std::string::npos || name_or_file.size() > 5;
    if (is_file && fs::path(name_or_file).extension() == ".yaml")
        return name_or_file;
    const auto names = chip_names(folder);
    if (std::find(names.begin(), names.end(), name_or_file) == names.end()) {
        const auto near = config::closest(name_or_file, names);
        throw UnknownChip("unknown asic \"" + name_or_file + "\"" +
                          (near ? ", did you mean " + *near + "?" : std::string()) +
                          " (the chips of " + folder +
                          "/asics are known by name; a file must end in .yaml)");
    }
    return (fs::path(folder) / "asics" / (name_or_file + ".yaml")).string();
}

}  // namespace

std::string config_folder(const std::string& packaged) {
    if (const char* env = std::getenv("ARCHIPELAGO_CONFIGS"); env != nullptr && *env != '\0')
        return env;
    for (const std::string& folder :
         {packaged, beside_program(), std::string(ARCHIPELAGO_SOURCE_CONFIGS)}) {
        std::error_code error;
        if (!folder.empty() && fs::is_directory(fs::path(folder) / "asics", error))
            return folder;
    }
    return ARCHIPELAGO_INSTALLED_CONFIGS;
}

std::vector<std::string> chip_names(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / "asics", error))
        if (entry.path().extension() == ".yaml" && entry.path().stem().string()[0] != '_')
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::unique_ptr<ChipDescription> read_description(config::Node tree,
                                                  config::Diagnostics& diagnostics,
                                                  const Families& known) {
    const config::MapEntry* generation = tree.find("generation");
    const std::string text = generation != nullptr ? generation->value.text() : std::string();
    auto family = std::find_if(known.begin(), known.end(),
                               [&](const Family& f) { return text == f.generation; });
    if (family == known.end()) {
        // The reader reports a missing key; all else is checked against the first family.
        if (!text.empty())
            diagnostics.error(generation->value.origin(), "generation",
                              "\"" + text +
                                  "\" is not a generation this version builds, expected " +
                                  list_of(known));
        family = known.begin();
    }
    return family->read(std::move(tree), diagnostics);
}

std::unique_ptr<ChipDescription> load_chip(const std::string& name_or_file,
                                           const std::vector<std::string>& overrides,
                                           const std::string& folder, const Families& known,
                                           std::string* warnings) {
    config::Diagnostics diagnostics;
    auto tree = config::load_with_bases(file_of(name_or_file, folder), diagnostics);
    diagnostics.throw_if_errors();
    // A key that the chip leaves out may be set, too.
    for (const std::string& assignment : overrides)
        *tree =
            config::apply_override(*tree, assignment, diagnostics, config::OverridePath::NewLeaf);
    diagnostics.throw_if_errors();
    auto description = read_description(std::move(*tree), diagnostics, known);
    diagnostics.throw_if_errors();
    if (warnings != nullptr)
        *warnings += diagnostics.format();
    description->set_files(diagnostics.files());
    return description;
}

}  // namespace archipelago::asic
