// SPDX-License-Identifier: Apache-2.0
// Files that a workload reads.
#pragma once

#include <cstdint>
#include <string>

namespace archipelago::host {

struct FileFacts {
    uint64_t size = 0;
    std::string fault;  // why it cannot be read; empty when it can
};

FileFacts read_facts(const std::string& path);

}  // namespace archipelago::host
