// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

#include "models/common/files.h"
#include "testbenches/host/afuc/engine_program.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/standard_streams.h"

namespace archipelago::host {

int engine_command(const EngineArguments& a) {
    std::istringstream file(a.file == "-" ? "" : read_file(a.file));
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
    if (a.file == "-")
        check_standard_input();
    return kDone;
}

}  // namespace archipelago::host
