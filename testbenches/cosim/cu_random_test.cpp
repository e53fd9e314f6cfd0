// SPDX-License-Identifier: Apache-2.0
// The random stimulus of a compute unit, in front of the model.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "models/cu/isa/isa.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pins/cu_pin_core.h"
#include "rtl-bridge/compare/cu_program.h"
#include "rtl-bridge/compare/cu_random.h"

namespace archipelago::rtl {
namespace {

bool is_left_out(const isa::OpInfo& info) {
    switch (info.format) {
        case isa::Format::Mimg:
            return !kCuBuilt.images;
        case isa::Format::Exp:
            return !kCuBuilt.exports;
        case isa::Format::Vintrp:
            return !kCuBuilt.interpolation;
        default:
            return (info.cls == isa::Class::Gds && !kCuBuilt.gds) ||
                   (info.cls == isa::Class::Message && !kCuBuilt.messages);
    }
}

TEST(CuRandom, HasEveryInstructionExecuted) {
    constexpr uint64_t kCycles = 1'500'000;
    const auto stimulus = make_cu_random(21);
    cu::CuPinCore core;
    CuPins::In in;
    CuPins::Out out;
    in.rst = 1;
    core.step(in, out);
    std::set<isa::Op> executed;
    for (uint64_t cycle = 0; cycle < kCycles; ++cycle) {
        stimulus->next(in);
        CuPins::In asked = in;
        asked.retire = 1;
        core.step(asked, out);
        if (out.retire_valid != 0 && out.retire.end == 0) {
            const uint32_t words[2] = {static_cast<uint32_t>(out.retire.words),
                                       static_cast<uint32_t>(out.retire.words >> 32)};
            executed.insert(isa::decode(words, 2).op);
        }
        stimulus->observe(in, out);
    }
    for (unsigned i = 0; i < isa::kOpCount; ++i) {
        const isa::Op op{static_cast<uint16_t>(i)};
        const isa::OpInfo& info = isa::op_info(op);
        EXPECT_NE(executed.count(op) != 0, is_left_out(info)) << info.name;
    }
}

}  // namespace
}  // namespace archipelago::rtl
