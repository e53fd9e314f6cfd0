// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cu/structured_program.h"

namespace archipelago::cu::test {
namespace {

TEST(CycleVersusFunctional, RandomProgramsWithControlFlowAgree) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const StructuredProgram program(seed);
        compare(program.words(), group_of(1 + seed % 4));
        if (::testing::Test::HasFailure())
            return;
    }
}

}  // namespace
}  // namespace archipelago::cu::test
