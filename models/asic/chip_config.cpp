// SPDX-License-Identifier: Apache-2.0
#include "models/asic/chip_config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "models/asic/block_specs.h"
#include "models/asic/ctm_config.h"
#include "models/common/error.h"
#include "models/config/load.h"
#include "models/config/reader.h"
#include "models/config/suggest.h"

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
namespace {

namespace fs = std::filesystem;
using config::range;
using config::Reader;
using config::Unit;

constexpr uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

uint64_t period_of(uint64_t hz) {
    return hz == 0 ? 1 : (kFemtosecondsPerSecond + hz / 2) / hz;
}

void read_clocks(Reader& root, ChipConfig& c) {
    Reader r = root.map("clocks");
    const auto bounds = range(1'000'000u, 10'000'000'000u);
    c.engine_hz = r.required_quantity("engine", Unit::Hertz, bounds,
                                      "shader, cache and command processor clock");
    c.memory_hz = r.required_quantity("memory", Unit::Hertz, bounds, "DRAM command clock");
    c.engine_period_fs = period_of(c.engine_hz);
    c.memory_period_fs = period_of(c.memory_hz);
}

void read_topology(Reader& root, ChipConfig& c) {
    Reader r = root.map("topology");
    c.shader_engines = r.required<unsigned>("shader_engines", range(1u, 2u), "SE");
    c.sh_per_se = r.required<unsigned>("sh_per_se", range(1u, 2u), "shader arrays per SE");
    c.cu_per_sh = r.required<unsigned>("cu_per_sh", range(1u, 16u), "compute units per array");
    c.cus_per_sqc = r.required<unsigned>("cus_per_sqc", range(1u, 16u),
                                         "compute units sharing instruction and scalar cache");
}

// An installation that was moved as a whole: share/ stands beside the program's bin/.
std::string beside_program() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error)
        return {};
    return (program.parent_path() / ARCHIPELAGO_BIN_TO_CONFIGS).lexically_normal().string();
}

}  // namespace

std::string ChipConfig::cu_name(unsigned index) const {
    const unsigned per_se = sh_per_se * cu_per_sh;
    return "se" + std::to_string(index / per_se) + ".sh" +
           std::to_string(index % per_se / cu_per_sh) + ".cu" + std::to_string(index % cu_per_sh);
}

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records) {
    ChipConfig c;
    c.hash = config::config_hash(tree);
    Reader root(tree, diagnostics, "", &records);
    c.name = root.required<std::string>("name", "what the chip is called");
    c.generation = root.required<std::string>("generation", "selects packet and register tables");
    root.check(
        c.generation == "si" || c.generation.empty(), "generation",
        "\"" + c.generation + "\" is not a generation this version builds, expected si or r5xx");
    c.product = root.optional<std::string>("product", "", "a board that carried it");
    read_clocks(root, c);
    read_topology(root, c);
    read_blocks(root, c);
    root.finish();

    // Numbers that several blocks share are stated once, in the topology.
    c.spi.shader_engines = c.shader_engines;
    c.spi.sh_per_se = c.sh_per_se;
    c.vgt.shader_engines = c.shader_engines;
    c.spi.cu_per_sh = c.cu_per_sh;
    c.gds.units = std::max(1u, c.cus());
    c.cu.simds = c.spi.cu.simds;
    c.cu.wave_slots = c.spi.cu.slots_per_simd;
    c.cu.vgprs = c.spi.cu.vgprs_per_simd;
    c.cu.sgprs = c.spi.cu.sgprs_per_simd;
    c.cu.lds_bytes = c.spi.cu.lds_bytes;
    c.cu.group_slots = c.spi.cu.simds * c.spi.cu.slots_per_simd;
    c.sqc_inst.cus = c.sqc_data.cus = std::min(c.cus_per_sqc, std::max(1u, c.cu_per_sh));
    c.fabric.sources = c.cus() + 2 * c.sqcs() + 1;
    c.fabric.destinations = c.channel_map.channels;
    c.hub.sources = 3;  // CP, interrupt handler, index DMA
    c.hub.destinations = c.channel_map.channels;
    if (diagnostics.error_count() == 0 && c.fabric.sources > 64)
        diagnostics.error(tree.find("topology")->value.origin(), "topology",
                          std::to_string(c.cus()) + " compute units and " +
                              std::to_string(2 * c.sqcs()) +
                              " shared caches need more than the 64 ports of the fabric");
    if (diagnostics.error_count() == 0) {
        try {
            c.cu.validate();
        } catch (const std::invalid_argument& error) {
            diagnostics.error(tree.find("cu")->value.origin(), "cu", error.what());
        }
    }
    return c;
}

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

config::Node load_description(const std::string& name_or_file,
                              const std::vector<std::string>& overrides,
                              const std::string& folder) {
    config::Diagnostics diagnostics;
    std::string path = name_or_file;
    const bool is_file = path.find('/') != std::string::npos || path.size() > 5;
    if (!(is_file && fs::path(path).extension() == ".yaml")) {
        const auto names = chip_names(folder);
        if (std::find(names.begin(), names.end(), name_or_file) == names.end()) {
            const auto near = config::closest(name_or_file, names);
            throw std::invalid_argument("unknown asic \"" + name_or_file + "\"" +
                                        (near ? ", did you mean " + *near + "?" : std::string()) +
                                        " (the chips of " + folder +
                                        "/asics are known by name; a file must end in .yaml)");
        }
        path = (fs::path(folder) / "asics" / (name_or_file + ".yaml")).string();
    }
    auto tree = config::load_with_bases(path, diagnostics);
    diagnostics.throw_if_errors();
    for (const std::string& assignment : overrides)
        *tree = config::apply_override(*tree, assignment, diagnostics);
    diagnostics.throw_if_errors();
    return *tree;
}

std::string generation_of(const config::Node& tree) {
    const config::MapEntry* entry = tree.find("generation");
    return entry != nullptr ? entry->value.text() : std::string();
}

LoadedChip load_chip(const std::string& name_or_file, const std::vector<std::string>& overrides,
                     const std::string& folder) {
    config::Diagnostics diagnostics;
    LoadedChip loaded;
    loaded.tree = load_description(name_or_file, overrides, folder);
    if (generation_of(loaded.tree) == kCtmGeneration)
        throw MachineStop(StopKind::Unimplemented, name_or_file,
                          "of this generation (r5xx) the memory controller's address translation "
                          "is modelled (archipelago map), a chip that runs workloads is not");
    loaded.config = read_chip(loaded.tree, diagnostics, loaded.records);
    diagnostics.throw_if_errors();
    return loaded;
}

}  // namespace archipelago::asic
