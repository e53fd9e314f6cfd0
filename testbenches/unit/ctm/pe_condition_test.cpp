// SPDX-License-Identifier: Apache-2.0
// The conditional test: what each of its settings reads, passes and writes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "models/common/error.h"
#include "models/ctm/co/condition.h"
#include "models/ctm/command/command.h"
#include "models/ctm/isa/semantics.h"

namespace archipelago::ctm {
namespace {

constexpr auto kPe = ConditionLocation::ProcessorExecution;
constexpr auto kDpp = ConditionLocation::Processors;

uint32_t bits(float value) {
    uint32_t b = 0;
    std::memcpy(&b, &value, sizeof b);
    return b;
}
UnitCommand command(Opcode opcode, uint32_t p0, uint32_t p1 = 0) {
    return {static_cast<uint8_t>(opcode), {p0, p1, 0, 0}};
}
ConditionSettings settings(Condition test, ConditionLocation location, Format format) {
    ConditionSettings s;
    apply(command(Opcode::SetCondTest, static_cast<uint32_t>(test) | 0xfffffff8), s);
    apply(command(Opcode::SetCondLoc, static_cast<uint32_t>(location) | 0xfffffffe), s);
    apply(command(Opcode::SetCondOutFmt, 0, static_cast<uint32_t>(format) << 24), s);
    return s;
}

// A conditional buffer of one quad.
struct Buffer {
    std::array<uint32_t, 4> value{};
    std::vector<ElementRequest> accesses;
    ElementResponse operator()(const ElementRequest& r) {
        accesses.push_back(r);
        EXPECT_EQ(r.client, kConditionalOutput);
        ElementResponse answer;
        answer.lanes = r.lanes;
        for (unsigned lane = 0; lane < 4; ++lane) {
            EXPECT_EQ(r.index[lane].x, 6 + (lane & 1));
            EXPECT_EQ(r.index[lane].y, 8 + (lane >> 1));
            if (r.write && (r.lanes >> lane & 1) != 0 && (r.channels[lane] & 1) != 0)
                value[lane] = r.value[lane][0];
            answer.value[lane][0] = value[lane];
        }
        return answer;
    }
};
ConditionRequest request(uint8_t lanes, float a, float b, float c, float d) {
    ConditionRequest r;
    r.origin = {6, 8};
    r.lanes = lanes;
    r.value = {bits(a), bits(b), bits(c), bits(d)};
    r.tag = 9;
    return r;
}
uint8_t ask(const ConditionSettings& s, ConditionLocation client, const ConditionRequest& r,
            Buffer& buffer) {
    const ConditionResult result =
        ctm::test(s, client, r, [&](const ElementRequest& e) { return buffer(e); });
    EXPECT_EQ(result.tag, r.tag);
    return result.lanes;
}

TEST(CtmCondition, EachTestPassesItsLanes) {
    // v 1, 2, 3 against b 2.
    const std::array<uint8_t, 8> passes = {0, 1, 3, 2, 6, 4, 5, 7};
    for (unsigned test = 0; test < 8; ++test) {
        Buffer buffer;
        buffer.value.fill(bits(2));
        const ConditionSettings s = settings(static_cast<Condition>(test), kDpp, Format::Float32x1);
        EXPECT_EQ(ask(s, kDpp, request(7, 1, 2, 3, 2), buffer), passes[test]) << test;
        const bool reads = test != 0 && test != 7;
        EXPECT_EQ(buffer.accesses.size(), unsigned{reads} + unsigned{passes[test] != 0}) << test;
        // What passed is in the buffer, nothing else has changed.
        const std::array<float, 4> values = {1, 2, 3, 2};
        for (unsigned lane = 0; lane < 4; ++lane)
            EXPECT_EQ(buffer.value[lane],
                      (passes[test] >> lane & 1) != 0 ? bits(values[lane]) : bits(2));
    }
}

TEST(CtmCondition, LanesThatAreNotAskedForDoNotPass) {
    for (unsigned test = 1; test < 8; ++test)
        for (uint8_t lanes = 1; lanes < 16; ++lanes) {
            Buffer buffer;
            const ConditionSettings s =
                settings(static_cast<Condition>(test), kPe, Format::Float32x1);
            EXPECT_EQ(ask(s, kPe, request(lanes, 0, 0, 0, 0), buffer) & ~lanes, 0);
        }
}

TEST(CtmCondition, OtherClientPassesAndTouchesNoMemory) {
    for (unsigned test = 0; test < 8; ++test) {
        Buffer buffer;
        ConditionSettings s = settings(static_cast<Condition>(test), kPe, Format::Float32x1);
        EXPECT_EQ(ask(s, kDpp, request(13, 1, 2, 3, 4), buffer), 13);
        s = settings(static_cast<Condition>(test), kDpp, Format::Float32x1);
        EXPECT_EQ(ask(s, kPe, request(13, 1, 2, 3, 4), buffer), 13);
        EXPECT_TRUE(buffer.accesses.empty());
        EXPECT_FALSE(has_effect(s, kPe));
        EXPECT_EQ(has_effect(s, kDpp), true);
    }
}

TEST(CtmCondition, BeforeAnyTestIsSetEverythingPassesUnasked) {
    Buffer buffer;
    ConditionSettings s;
    apply(command(Opcode::SetCondOutFmt, 0, 2u << 24), s);
    for (const ConditionLocation client : {kPe, kDpp}) {
        EXPECT_FALSE(has_effect(s, client));
        EXPECT_EQ(ask(s, client, request(15, 1, 2, 3, 4), buffer), 15);
    }
    EXPECT_TRUE(buffer.accesses.empty());
}

TEST(CtmCondition, MaskKeepsTheBufferAndNotTheResult) {
    Buffer buffer;
    buffer.value.fill(bits(2));
    ConditionSettings s = settings(Condition::Less, kPe, Format::Float32x1);
    apply(command(Opcode::SetCondOutMask, 0xfffffffe), s);
    EXPECT_EQ(ask(s, kPe, request(15, 1, 3, 1, 3), buffer), 5);
    EXPECT_EQ(buffer.accesses.size(), 1u);
    EXPECT_EQ(buffer.value[0], bits(2));
    apply(command(Opcode::SetCondTest, 7), s);
    EXPECT_FALSE(has_effect(s, kPe));
    apply(command(Opcode::SetCondOutMask, 1), s);
    EXPECT_TRUE(has_effect(s, kPe));
    EXPECT_EQ(ask(s, kPe, request(4, 1, 3, 1, 3), buffer), 4);
    EXPECT_EQ(buffer.value[2], bits(1));
    EXPECT_EQ(buffer.value[0], bits(2));
}

TEST(CtmCondition, FloatsCompareAsFloats) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(compare(Condition::Less, bits(-1), bits(-0.5F)));
    EXPECT_TRUE(compare(Condition::Equal, bits(-0.0F), bits(0.0F)));
    EXPECT_TRUE(compare(Condition::Greater, bits(inf), bits(3e38F)));
    for (unsigned test = 1; test < 6; ++test) {
        EXPECT_FALSE(compare(static_cast<Condition>(test), bits(nan), bits(1)));
        EXPECT_FALSE(compare(static_cast<Condition>(test), bits(1), bits(nan)));
    }
    EXPECT_TRUE(compare(Condition::NotEqual, bits(nan), bits(nan)));
    // Small integers are denormal floats, and compare as such.
    EXPECT_TRUE(compare(Condition::Less, 5, 6));
    EXPECT_FALSE(compare(Condition::Equal, 5, 6));
}

TEST(CtmCondition, ValuesCompareAsTheBufferKeepsThem) {
    // 0.5 is 32768 / 65535 in a buffer of 16 bits, and equal to itself there.
    const float stored = 32768.0F / 65535.0F;
    EXPECT_EQ(as_stored(Format::Uint16x1, bits(0.5F)), bits(stored));
    EXPECT_EQ(as_stored(Format::Uint16x1, bits(7)), bits(1));
    EXPECT_EQ(as_stored(Format::Uint16x1, bits(-7)), bits(0));
    EXPECT_EQ(as_stored(Format::Uint8x4, bits(0.5F)), bits(128.0F / 255.0F));
    EXPECT_EQ(as_stored(Format::Float32x1, bits(0.5F)), bits(0.5F));
    for (uint32_t n = 0; n < 65536; ++n)
        EXPECT_EQ(as_stored(Format::Uint16x1, bits(static_cast<float>(n) / 65535.0F)),
                  bits(static_cast<float>(n) / 65535.0F));
    Buffer buffer;
    buffer.value.fill(bits(stored));
    const ConditionSettings s = settings(Condition::Equal, kPe, Format::Uint16x1);
    EXPECT_EQ(ask(s, kPe, request(15, 0.5F, 0.50001F, 0.4999F, stored), buffer), 9 | 2);
}

TEST(CtmCondition, CommandOfAnotherUnitBreaksARule) {
    ConditionSettings s;
    EXPECT_THROW(apply(command(Opcode::SetOutMask, 0), s), MachineStop);
}

// Threads in functional mode ask while the host flushes denormals.
TEST(CtmCondition, DenormalsCountWhateverTheHostsModeIs) {
    const isa::FloatMode flushes;
    constexpr uint32_t kSmallest = 1, kMinusSmallest = 0x80000001;
    EXPECT_TRUE(compare(Condition::Less, 0, kSmallest));
    EXPECT_TRUE(compare(Condition::Less, kMinusSmallest, 0));
    EXPECT_TRUE(compare(Condition::Less, kSmallest, kSmallest + 1));
    EXPECT_TRUE(compare(Condition::NotEqual, 0, kSmallest));
    EXPECT_FALSE(compare(Condition::Equal, kMinusSmallest, kSmallest));
}

}  // namespace
}  // namespace archipelago::ctm
