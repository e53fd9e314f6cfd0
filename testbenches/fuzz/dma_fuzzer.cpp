// SPDX-License-Identifier: Apache-2.0
// Async DMA packets of every generation: dma_streams.h. A stream ends done, waits for something it
// names, or stops with a place and a reason, and both modes leave the same memory.
#include "testbenches/fuzz/dma_streams.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"dma_fuzzer", false, 1500, 1500, 0.3};

bool exercise(const uint8_t* data, size_t size) {
    DmaStream stream;
    if (!unpack(data, size, stream))
        return false;
    std::string problem;
    const DmaResult result = run_dma_in_both(stream, 0, problem);
    if (!problem.empty())
        broken(problem);
    return result.end == DmaEnd::Done;
}

std::vector<Bytes> seeds() {
    Random random(1);
    std::vector<Bytes> list;
    while (list.size() < 40) {
        Bytes bytes = pack(make_dma_stream(random, *random.pick(dma::generations()), {12, 0}));
        if (exercise(bytes.data(), bytes.size()))
            list.push_back(std::move(bytes));
    }
    return list;
}

Bytes generate(Random& random) {
    return pack(
        make_dma_stream(random, *random.pick(dma::generations()), {12, 60, random.one_in(4)}));
}

}  // namespace archipelago::fuzz
