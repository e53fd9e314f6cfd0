// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cosim.h"

#include <stdexcept>

namespace archipelago::rtl {

const CosimBench* find_cosim_bench(const std::string& block) {
    for (const CosimBench* bench : cosim_benches())
        if (block == bench->block())
            return bench;
    return nullptr;
}

void BlockSwap::only(unsigned) {
    throw std::invalid_argument("it takes the place of every instance of this block");
}

std::unique_ptr<BlockSwap> make_block_swap(const std::string& block, const TwinOptions& options) {
    const CosimBench* bench = find_cosim_bench(block);
    if (bench == nullptr) {
        std::string names;
        for (const CosimBench* each : cosim_benches())
            names += (names.empty() ? "" : ", ") + std::string(each->block());
        throw std::invalid_argument("no block with pins is called " + block +
                                    ", expected one of: " + names);
    }
    return bench->make_swap(options);
}

}  // namespace archipelago::rtl
