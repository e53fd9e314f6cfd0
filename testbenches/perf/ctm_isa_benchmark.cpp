// SPDX-License-Identifier: Apache-2.0
// Host cost of instructions of the CTM array: thread instructions a second, of 48 lanes.
#include <benchmark/benchmark.h>

#include "testbenches/unit/ctm/isa_program.h"

namespace archipelago::ctm::isa {
namespace {

using test::math;
using test::registers;
using test::to_register;
using test::with;

Words mad(AlphaOp alpha = AlphaOp::Mad) {
    return to_register(registers(math(Type::Alu, RgbOp::Mad, alpha), 1, 2, 3), 4);
}
Words with_constant() {
    return with(mad(), {{Field::RgbAddr1Const, 1}, {Field::AlphaAddr1Const, 1}});
}
Words with_everything() {
    return with(mad(), {{Field::RgbSelA, 3},
                        {Field::AlphaSelA, 3},
                        {Field::RgbSrcpOp, 1},
                        {Field::AlphaSrcpOp, 1},
                        {Field::RgbModB, 1},
                        {Field::AlphaModC, 2},
                        {Field::RgbClamp, 1},
                        {Field::AlphaClamp, 1}});
}

struct Case {
    const char* name;
    Words words;
    LaneMask active = ~LaneMask{0};
};

void run(benchmark::State& state, const Case& c) {
    Thread thread = test::thread_of(kMaxQuads, 8);
    for (unsigned r = 0; r < 8; ++r) {
        for (unsigned l = 0; l < kMaxLanes; ++l) {
            for (unsigned channel = 0; channel < kChannels; ++channel) {
                thread.temporaries[r][channel].lane[l] = 0.25F + 0.01F * float(l * r + channel);
            }
        }
    }
    thread.active &= c.active;
    const Instruction instruction = decode(c.words);
    const ProgramMode mode;
    Effects effects;
    const FloatMode float_mode;
    for (auto _ : state) {
        const ConstantNeeds n =
            needs_constants(instruction) ? needs(instruction, thread) : ConstantNeeds{};
        ConstantValues values;
        for (unsigned i = 0; i < n.float_count; ++i) {
            values.floats[i] = {0.5F, 0.5F, 0.5F, 0.5F};
        }
        execute(instruction, mode, values, thread, effects);
        benchmark::DoNotOptimize(thread.temporaries.data());
        thread.pc = 0;
    }
    state.SetItemsProcessed(state.iterations());
}

const Case kCases[] = {
    {"mad_vec3_scalar", mad()},
    {"mad_constant", with_constant()},
    {"mad_half_active", mad(), 0x5a5a5a5a5a5a},
    {"mad_presubtract_modifiers_clamp", with_everything()},
    {"dp4", to_register(registers(math(Type::Alu, RgbOp::Dp4, AlphaOp::Dp), 1, 2, 3), 4)},
    {"mad_rcp", mad(AlphaOp::Rcp)},
    {"mad_ln2", mad(AlphaOp::Ln2)},
    {"mad_sin", mad(AlphaOp::Sin)},
    {"jump", test::words_of(Type::FlowControl, {{Field::FcJumpFunc, 0xff}})},
};

const bool kRegistered = [] {
    for (const Case& c : kCases) {
        benchmark::RegisterBenchmark(c.name, [&c](benchmark::State& state) { run(state, c); });
    }
    return true;
}();

}  // namespace
}  // namespace archipelago::ctm::isa

BENCHMARK_MAIN();
