// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/place.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "rtl-bridge/adapters/shared_module.h"

namespace archipelago::rtl {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
    throw std::invalid_argument(file + ": " + why);
}

// The library of a description stands beside it.
fs::path library_of(const std::string& file) {
    fs::path path = file;
    std::error_code error;
    if (!fs::exists(path, error))
        refuse(file, "no such file");
    if (!fs::is_regular_file(path, error))
        refuse(file, "is no file, expected a description (.yaml) or a library");
    if (path.extension() != ".yaml" && path.extension() != ".yml")
        return path;
    path.replace_extension(".so");
    if (!fs::exists(path, error))
        refuse(file, "is not built: archipelago rtl build " + file + " makes " + path.string());
    return path;
}

std::string fnv_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    uint64_t hash = 0xcbf29ce484222325u;
    for (char c; file.get(c);)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

// A source that is gone says nothing: the library may have been given away alone.
void check_sources(const std::string& file, const PlaceModule& module) {
    std::istringstream lines(module.sources);
    for (std::string line; std::getline(lines, line);) {
        const fs::path source = line.substr(17);
        std::error_code error;
        if (fs::exists(source, error) && fnv_of(source) != line.substr(0, 16))
            refuse(file, source.string() + " has changed since it was built, build it again");
    }
}

}  // namespace

const PlaceModule& open_place(const std::string& file, const PinTable& table) {
    const fs::path path = library_of(file);
    const adapters::SharedModule library(path.string());
    const auto* module = library.find<const PlaceModule*>(kPlaceModuleSymbol);
    if (module == nullptr)
        refuse(file, "stands in no block's place (verilog.block of its description)");
    if (module->version != kPlaceModuleVersion)
        refuse(file, "was built for another version of archipelago, build it again");
    if (module->block != table.block)
        refuse(file, "stands in the place of " + std::string(module->block) + ", not of " +
                         std::string(table.block));
    if (module->pins != table.stamp)
        refuse(file,
               "was built for other pins of " + std::string(table.block) + ", build it again");
    check_sources(file, *module);
    return *module;
}

void check_elastic(const std::string& file, const PinTable& table) {
    if (table.elastic.exact_only != nullptr)
        refuse(file, "the contract elastic is not for " + std::string(table.block) + ": " +
                         table.elastic.exact_only);
}

}  // namespace archipelago::rtl
