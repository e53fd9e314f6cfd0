// SPDX-License-Identifier: Apache-2.0
// Writes the pins of all blocks as JSON to the file that is named: scripts/verilog-wrapper reads
// it.
#include <cstdio>

#include "rtl-bridge/compare/pin_tables.h"

int main(int argc, char** argv) {
    std::FILE* file = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
    if (file == nullptr)
        return 2;
    const bool written = std::fputs(archipelago::rtl::pin_tables_json().c_str(), file) >= 0;
    return std::fclose(file) == 0 && written ? 0 : 1;
}
