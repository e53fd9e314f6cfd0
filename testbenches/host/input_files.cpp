// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/input_files.h"

#include <filesystem>
#include <system_error>

namespace archipelago::host {

FileFacts read_facts(const std::string& path) {
    std::error_code fault;
    const std::filesystem::file_type type = std::filesystem::status(path, fault).type();
    if (type == std::filesystem::file_type::not_found)
        return {0, "no such file"};
    if (type == std::filesystem::file_type::directory)
        return {0, "is a directory, expected a file"};
    if (!fault && type != std::filesystem::file_type::regular)
        return {0, "is not a regular file"};
    const uint64_t size = fault ? 0 : std::filesystem::file_size(path, fault);
    if (fault)
        return {0, "cannot be read (" + fault.message() + ")"};
    return {size, size == 0 ? "is empty" : ""};
}

}  // namespace archipelago::host
