// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/python.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackage = "archipelago/__main__.py";

// The folder the package lies in: beside an installed program, else in the source tree.
fs::path package_folder(const fs::path& program) {
    const fs::path installed =
        (program.parent_path() / ARCHIPELAGO_BIN_TO_PYTHON).lexically_normal();
    for (const fs::path& folder : {installed, fs::path(ARCHIPELAGO_SOURCE_PYTHON)}) {
        std::error_code error;
        if (fs::exists(folder / kPackage, error))
            return folder;
    }
    throw std::runtime_error(fmt::format("the Python package archipelago is missing: expected {}",
                                         (installed / kPackage).string()));
}

void put_first(const char* variable, const std::string& folder) {
    const char* const rest = std::getenv(variable);
    const std::string value = rest != nullptr && *rest != '\0' ? folder + ":" + rest : folder;
    setenv(variable, value.c_str(), 1);
}

}  // namespace

const std::vector<PythonSubcommand>& python_subcommands() {
    static const std::vector<PythonSubcommand> all = {
        {"sweep", "run a design space into a database"},
        {"report", "show results as a page, or as text"},
        {"profile", "explain where the cycles of one run went"},
        {"regress", "compare cycles and counters with golden results"},
        {"tracediff", "find the first event in which two timelines differ"},
    };
    return all;
}

void continue_in_python(int argc, char** argv) {
    const auto& all = python_subcommands();
    const bool builds =
        argc > 2 && std::strcmp(argv[1], "rtl") == 0 && std::strcmp(argv[2], "build") == 0;
    if (!builds &&
        (argc < 2 || std::none_of(all.begin(), all.end(), [&](const PythonSubcommand& s) {
             return std::strcmp(s.name, argv[1]) == 0;
         })))
        return;
    const fs::path program = fs::read_symlink("/proc/self/exe");
    put_first("PYTHONPATH", package_folder(program).string());
    setenv("ARCHIPELAGO_COMMAND", program.c_str(), 1);
    // -B: the package's folder may be a source tree, which gets no caches.
    std::vector<const char*> words = {"python3", "-B", "-m", "archipelago"};
    words.insert(words.end(), argv + 1, argv + argc);
    words.push_back(nullptr);
    // Debian's own first: that is the one Debian's modules are for. It looks for them by the name
    // it is called by.
    for (const char* python : {"/usr/bin/python3", "python3"}) {
        words[0] = python;
        execvp(python, const_cast<char* const*>(words.data()));
    }
    throw std::runtime_error(
        fmt::format("{} is a Python program and python3 does not start ({}): install the Debian "
                    "package python3",
                    argv[1], std::strerror(errno)));
}

}  // namespace archipelago::host
