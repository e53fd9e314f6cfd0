// SPDX-License-Identifier: Apache-2.0
// Files that a command or a workload writes: none may destroy what is read, nor be written twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace archipelago::host {

// One name for all names of a file, whether it exists or not: absolute, without links.
std::string canonical_path(const std::string& path);

// Why a file cannot be written there, known before it is opened; nothing: it may be possible.
std::optional<std::string> output_fault(const std::string& path);

// Whether a file of this name is written as a file, and not to a device or a pipe; false for none.
bool is_plain_output(const std::string& path);

// A file by an option of the command line; an empty path: not asked for.
struct OptionFile {
    std::string option, path;
};

// All that a command may write comes through here. Throws std::invalid_argument, which names the
// option, when one of `outputs` cannot be written, is one of `inputs`, one of `written` (what else
// is written) or the file of an option before it. Devices and pipes may be given more than once.
void check_outputs(const std::vector<OptionFile>& outputs, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& written = {});

// Throws std::invalid_argument when a dump of a workload would overwrite one of `inputs`.
void check_dumps(const std::vector<std::string>& dumps, const std::vector<std::string>& inputs);

}  // namespace archipelago::host
