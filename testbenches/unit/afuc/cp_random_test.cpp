// SPDX-License-Identifier: Apache-2.0
// A command processor does the same with time and without: random microcode on random packets, with
// memory of random latency and units in random order.
#include <gtest/gtest.h>

#include "models/afuc/isa/text.h"
#include "testbenches/unit/afuc/cp_bench.h"
#include "testbenches/unit/afuc/random_program.h"

namespace archipelago::afuc::test {
namespace {

std::vector<uint32_t> image_of(const Generation& generation, const std::string& text) {
    const Assembly a = assemble(generation, text);
    EXPECT_TRUE(a.errors.empty()) << a.errors[0].line << ": " << a.errors[0].message << "\n"
                                  << text;
    return a.errors.empty() ? std::vector<uint32_t>(a.words.begin() + 1, a.words.end())
                            : std::vector<uint32_t>();
}

void run(CpRun& run, const RandomProgram& program) {
    run.memory.map(kReadFrom, kRandomBytes);
    run.memory.map(kWriteTo, kRandomBytes);
    run.memory.map(kBuffers, 4096);
    for (uint32_t i = 0; i < kRandomBytes / 4; ++i)
        run.memory.write(kReadFrom + 4 * i, {i * 0x9E3779B9u});
    run.memory.write(kBuffers, program.buffer);
    run.submit(program.packets);
    run.run();
}

// Of odd seeds, registers that programs write are the clusters', some of which are slow.
WritePoolSpec pool_of(Names names, uint64_t seed) {
    if (seed % 2 == 0)
        return {};
    const auto slow = static_cast<unsigned>(seed % 23 * 7 + 1);
    return cp_pool(names, 0x9000, 9, {1, slow, 2, 1, 3, slow * 4, 5});
}

void compare(const char* generation, uint64_t seed) {
    SCOPED_TRACE(std::string(generation) + ", seed " + std::to_string(seed));
    const Generation& g = *find_generation(generation);
    const RandomProgram program(g, seed);
    CpSpec spec = cp_spec(generation, image_of(g, program.text));
    spec.pool = pool_of(g.names, seed / 2);
    FunctionalRun without(spec);
    TimedRun with(spec, seed);
    run(without, program);
    run(with, program);
    ASSERT_EQ(without.engine().packets, with.engine().packets);
    EXPECT_EQ(without.engine().gpr, with.engine().gpr);
    for (uint32_t i = 0; i < kControlRegisters; ++i)
        ASSERT_EQ(without.engine().control[i], with.engine().control[i])
            << "control register " << std::hex << i;
    EXPECT_EQ(without.engine().carry, with.engine().carry);
    EXPECT_EQ(without.engine().pc, with.engine().pc);
    EXPECT_TRUE(without.memory == with.memory);
    for (uint32_t r = 0x9000; r < 0x9100; ++r)
        ASSERT_EQ(without.reg(r), with.reg(r)) << "register " << r;
    EXPECT_GT(without.engine().packets, 5u);
}

TEST(AfucCp, RandomProgramsDoTheSameWithTimeAndWithout) {
    for (const char* generation : {"a6xx", "a7xx"})
        for (uint64_t seed = 1; seed <= 1000 && !testing::Test::HasFailure(); ++seed)
            compare(generation, seed);
}

}  // namespace
}  // namespace archipelago::afuc::test
