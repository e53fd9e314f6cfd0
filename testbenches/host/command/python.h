// SPDX-License-Identifier: Apache-2.0
// Subcommands that are Python: `archipelago sweep …` is `python3 -m archipelago sweep …`.
#pragma once

#include <string>
#include <vector>

namespace archipelago::host {

struct PythonSubcommand {
    const char* name;
    const char* meaning;
};

const std::vector<PythonSubcommand>& python_subcommands();

// Becomes the Python program when argv[1] is one of these, with the arguments after it; returns
// otherwise. The package `archipelago` lies in the installation or the source tree this program is
// of, and finds this program in the environment variable ARCHIPELAGO_COMMAND. Throws
// std::runtime_error that names what is missing.
void continue_in_python(int argc, char** argv);

}  // namespace archipelago::host
