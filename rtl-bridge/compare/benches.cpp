// SPDX-License-Identifier: Apache-2.0
// Compiled with ARCHIPELAGO_HAVE_TWINS when Verilator was found; without it, the list is empty.
#include <stdexcept>

#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {

#if defined(ARCHIPELAGO_HAVE_TWINS)
#define ARCHIPELAGO_TWIN(block, Pins) \
    struct Pins;                      \
    template <>                       \
    const CosimBench& cosim_bench<Pins>();
#include "rtl/twins.inc"
#endif

bool twins_are_built() {
    return !cosim_benches().empty();
}

const std::vector<const CosimBench*>& cosim_benches() {
    static const std::vector<const CosimBench*> benches = {
#if defined(ARCHIPELAGO_HAVE_TWINS)
#define ARCHIPELAGO_TWIN(block, Pins) &cosim_bench<Pins>(),
#include "rtl/twins.inc"
#endif
    };
    return benches;
}

const CosimBench* find_cosim_bench(const std::string& block) {
    for (const CosimBench* bench : cosim_benches())
        if (block == bench->block())
            return bench;
    return nullptr;
}

std::unique_ptr<BlockSwap> make_block_swap(const std::string& block, const TwinOptions& options) {
    if (!twins_are_built())
        throw std::invalid_argument(block +
                                    ": this build has no Verilog twins; install the package "
                                    "verilator and configure again");
    const CosimBench* bench = find_cosim_bench(block);
    if (bench == nullptr) {
        std::string names;
        for (const CosimBench* each : cosim_benches())
            names += (names.empty() ? "" : ", ") + std::string(each->block());
        throw std::invalid_argument(block + ": no block with a Verilog twin is called that, " +
                                    "expected one of: " + names);
    }
    return bench->make_swap(options);
}

}  // namespace archipelago::rtl
