// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/dpp/thread_rules.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "models/common/error.h"

namespace archipelago::ctm::dpp {
namespace {

StopKind kind_of(const Limits& limits, unsigned names, uint64_t executed) {
    isa::Instruction instruction;
    instruction.temporaries = static_cast<uint8_t>(names);
    try {
        check(limits, instruction, isa::Thread{}, executed);
    } catch (const MachineStop& stop) {
        return stop.kind();
    }
    return StopKind::Internal;  // none
}

TEST(DppThreadRules, ThreadsAreHeldToTheirLimits) {
    const Limits limits{10, 4};
    EXPECT_EQ(kind_of(limits, 4, 10), StopKind::Internal);
    EXPECT_EQ(kind_of(limits, 4, 11), StopKind::Hang);
    EXPECT_EQ(kind_of(limits, 5, 1), StopKind::BadInput);
}

TEST(DppThreadRules, SizesOfInputsAreThoseOfSetInpFmt) {
    Extents extents{};
    UnitCommand command{static_cast<uint8_t>(Command::SetInpFmt), {3, 0x800, 64, 0x2000 | 17}};
    set_extent(command, extents);
    EXPECT_EQ(extents[3].width, 64u);
    EXPECT_EQ(extents[3].height, 17u);
    command.opcode = static_cast<uint8_t>(Command::SetOutFmt);
    command.parameters[0] = 4;
    set_extent(command, extents);
    EXPECT_EQ(extents[4].width, 0u);
}

TEST(DppThreadRules, OutputsAreFoundByTargetAndQuad) {
    isa::Thread thread;
    thread.quads = 12;
    thread.output_written[0][2] = isa::LaneMask{1} << 5 | isa::LaneMask{1} << 47;
    thread.output_written[3][0] = 1;
    std::vector<std::pair<unsigned, unsigned>> found;
    const isa::LaneMask writing = ~(isa::LaneMask{1} << 5);
    for (OutputPlace at; find_output(thread, writing, at); ++at.quad) {
        ElementRequest request;
        fill_output(thread, writing, at, request);
        found.emplace_back(request.client - kOutput0, at.quad);
        EXPECT_EQ(request.lanes, at.target == 0 ? 8u : 1u);
    }
    EXPECT_EQ(found, (std::vector<std::pair<unsigned, unsigned>>{{0, 11}, {3, 0}}));
}

TEST(DppThreadRules, LanesThatFailTheTestDoNotWrite) {
    EXPECT_EQ(without_failed(0xfff, 1, 0x5), 0xf5fu);
    EXPECT_EQ(quads_of(0xf0f), 5u);
}

}  // namespace
}  // namespace archipelago::ctm::dpp
