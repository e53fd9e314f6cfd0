// SPDX-License-Identifier: Apache-2.0
// Compiled with ARCHIPELAGO_HAVE_TWINS when Verilator was found; without it, the list is empty.
#include "rtl-bridge/compare/benches.h"

#include <stdexcept>

namespace archipelago::rtl {
namespace {

struct Row {
    const CosimBench* bench;
    std::unique_ptr<BlockSwap> (*swap)(const TwinOptions& options);
};

const std::vector<Row>& rows() {
    static const std::vector<Row> rows = {
#if defined(ARCHIPELAGO_HAVE_TWINS)
        {&cu_issue_bench(), swap_cu_issue},
        {&valu_lane_bench(), swap_valu_lane},
#endif
    };
    return rows;
}

const Row* find(const std::string& block) {
    for (const Row& row : rows())
        if (block == row.bench->block())
            return &row;
    return nullptr;
}

}  // namespace

bool twins_are_built() {
    return !rows().empty();
}

const std::vector<const CosimBench*>& cosim_benches() {
    static const std::vector<const CosimBench*> benches = [] {
        std::vector<const CosimBench*> r;
        for (const Row& row : rows())
            r.push_back(row.bench);
        return r;
    }();
    return benches;
}

const CosimBench* find_cosim_bench(const std::string& block) {
    const Row* row = find(block);
    return row != nullptr ? row->bench : nullptr;
}

std::unique_ptr<BlockSwap> make_block_swap(const std::string& block, const TwinOptions& options) {
    if (!twins_are_built())
        throw std::invalid_argument(block +
                                    ": this build has no Verilog twins; install the package "
                                    "verilator and configure again");
    const Row* row = find(block);
    if (row == nullptr) {
        std::string names;
        for (const CosimBench* bench : cosim_benches())
            names += (names.empty() ? "" : ", ") + std::string(bench->block());
        throw std::invalid_argument(block + ": no block with a Verilog twin is called that, " +
                                    "expected one of: " + names);
    }
    return row->swap(options);
}

}  // namespace archipelago::rtl
