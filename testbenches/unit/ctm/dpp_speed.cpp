// SPDX-License-Identifier: Apache-2.0
// How fast the host simulates an array of the DPP: thread instructions per second.
#include <cstdio>
#include <ctime>

#include "testbenches/unit/ctm/dpp_bench.h"

namespace archipelago::ctm::dpp::test {
namespace {

// A loop over ALU instructions, of which every second one reads a constant.
Program arithmetic() {
    const unsigned body = 12;
    Program program{with(flow(isa::FlowOp::Loop, body + 2, kJumpNever), Field::FcIntAddr, 0)};
    for (unsigned i = 0; i < body; ++i)
        program.push_back(mad(1 + i % 4, temporary(1 + (i + 1) % 4), constant(i % 8),
                              temporary(1 + (i + 2) % 4)));
    program.push_back(with(flow(isa::FlowOp::EndLoop, 1, kJumpAlways), Field::FcIntAddr, 0));
    program.push_back(last(out(0, 1)));
    return program;
}

// The same with a lookup in each turn.
Program lookups() {
    Program program = arithmetic();
    program[4] = lookup(5, 0, 0);
    program[9] = with(mad(1, temporary(5), temporary(2), temporary(3)), Field::TexSemWait);
    return program;
}

void measure(const char* what, const Program& program) {
    Bench bench;
    bench.load(program);
    bench.contents.integers[0] = 100 | 1 << 16;
    for (unsigned i = 0; i < 250; ++i)
        bench.launch(make_launch(i));
    const std::clock_t start = std::clock();  // processor time: other processes do not count
    bench.run(100000000);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    uint64_t instructions = 0;
    for (const uint64_t count : bench.core.state().counters.instructions)
        instructions += count;
    const auto count = static_cast<double>(instructions);
    std::printf(
        "%-12s %8.0f thread instructions %7.3f s %6.2f M/s %7.1f ns each, %.2f cycles each\n", what,
        count, seconds, count / seconds / 1e6, seconds / count * 1e9,
        static_cast<double>(bench.scheduler.now()) / count);
}

}  // namespace
}  // namespace archipelago::ctm::dpp::test

int main() {
    using namespace archipelago::ctm::dpp::test;
    measure("arithmetic", arithmetic());
    measure("lookups", lookups());
}
