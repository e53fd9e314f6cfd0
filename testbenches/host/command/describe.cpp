// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "models/asic/attribution.h"
#include "models/asic/families.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/instruction_sets.h"
#include "testbenches/host/text_log.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

namespace {

template <class Rows>
void print_rows(const char* title, const Rows& rows) {
    fmt::print("{}:\n", title);
    for (const auto& row : rows)
        fmt::print("  {:18} {}\n", row.name, row.meaning);
}

}  // namespace

int describe_command(const DescribeArguments& a) {
    const auto chip = asic::load_chip(a.asic, a.set);
    const config::Records& records = chip->records();
    if (a.tree) {
        fmt::print("{}", config::dump(chip->tree()));
    } else if (a.fields) {
        fmt::print("{}", records.fields.format());
    } else if (a.reasons) {
        if (chip->identity().compute_units != 0)
            print_rows("cycles of waves", cu::kWaveReasonRows);
        print_rows("time of memory transactions", asic::kPlaceRows);
    } else if (a.timings) {
        fmt::print("{}{}\n", records.timings.format_table(), records.timings.summary());
    } else {
        fmt::print("{}\n{} (describe --timings lists them)\n", chip->diagram(),
                   records.timings.summary());
    }
    return kDone;
}

int list_command() {
    fmt::print("chips ({}/asics):\n", asic::config_folder());
    std::vector<std::string> rings;  // of all chips
    for (const std::string& name : asic::chip_names()) {
        const auto chip = asic::load_chip(name, {});
        fmt::print("  {:10} {}\n", name, chip->summary());
        for (const asic::Ring& ring : chip->rings())
            if (std::find(rings.begin(), rings.end(), ring.name) == rings.end())
                rings.push_back(ring.name);
    }
    fmt::print("rings:\n ");
    for (const std::string& ring : rings)
        fmt::print(" {}", ring);
    fmt::print("\nmodes:\n  cycle functional\n");
    fmt::print("instruction sets (asm, disasm):\n");
    for (const InstructionSet& set : instruction_sets())
        fmt::print("  {:10} {}\n", set.name, set.meaning);
    fmt::print("log categories:\n ");
    for (const std::string& name : log_category_names())
        fmt::print(" {}", name);
    fmt::print("\n");
    return kDone;
}

}  // namespace archipelago::host
