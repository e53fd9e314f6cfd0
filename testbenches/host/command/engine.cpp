// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "testbenches/host/afuc/engine_program.h"
#include "testbenches/host/command/command.h"

namespace archipelago::host {

int engine_command(const EngineArguments& a) {
    std::ifstream file;
    if (a.file != "-") {
        file.open(a.file);
        if (!file)
            throw std::invalid_argument("cannot read " + a.file);
    }
    std::istream& in = a.file == "-" ? std::cin : file;
    std::string line;
    for (unsigned number = 1; std::getline(in, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        try {
            fmt::print("{}\n", run_engine_text(line).dump());
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(
                fmt::format("{}:{}: {}", a.file == "-" ? "<stdin>" : a.file, number, error.what()));
        }
    }
    return kDone;
}

}  // namespace archipelago::host
