// SPDX-License-Identifier: Apache-2.0
// The benches of the twins for a program that has none linked in: those of the module.
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "rtl-bridge/adapters/shared_module.h"
#include "rtl-bridge/compare/ctm_mc_address.h"
#include "rtl-bridge/compare/tile_address.h"
#include "rtl-bridge/compare/twin_module.h"
#include "rtl/source_stamp.h"

namespace archipelago::rtl {
namespace {

namespace fs = std::filesystem;

#if defined(ARCHIPELAGO_HAVE_TWINS)
constexpr bool kHaveVerilator = true;
#else
constexpr bool kHaveVerilator = false;
#endif

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
    std::string what_to_do = "install the package verilator, configure and build again";
    if (kHaveVerilator && fs::exists(folder / "CMakeCache.txt"))
        what_to_do =
            "build them: cmake --build " + folder.string() + " --target " + kTwinModuleTarget;
    else if (kHaveVerilator)
        what_to_do = std::string("build the target ") + kTwinModuleTarget +
                     " where this was built, and install again";
    throw std::invalid_argument("no Verilog twins: " + why + "; " + what_to_do);
}

// Beside the program in a build, among the libraries of an installation, and last the one of a
// build's tests, slower, with its mutants in it.
const TwinModule& open_twins() {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    std::string why = std::string(kTwinModuleFile) + " is not built";
    std::error_code error;
    for (const char* where : {".", ARCHIPELAGO_BIN_TO_MODULES, "testbenches"}) {
        const fs::path file = (folder / where / kTwinModuleFile).lexically_normal();
        if (!fs::exists(file, error))
            continue;
        const adapters::SharedModule library(file.string());
        const auto* module = library.find<const TwinModule*>(kTwinModuleSymbol);
        if (module != nullptr && std::strcmp(module->source_stamp, kSourceStamp) == 0)
            return *module;
        why = file.string() + " is of other sources than this program";
    }
    refuse(folder, why);
}

const TwinModule& twins() {
    static const TwinModule& module = open_twins();
    return module;
}

}  // namespace

const std::vector<const CosimBench*>& cosim_benches() {
    return twins().benches();
}

std::unique_ptr<Twin<CtmMcAddressPins>> make_ctm_mc_address(const TwinOptions& options) {
    return twins().make_ctm_mc_address(options);
}

std::unique_ptr<Twin<SiTileAddressPins>> make_si_tile_address(const TwinOptions& options) {
    return twins().make_si_tile_address(options);
}

}  // namespace archipelago::rtl
