// SPDX-License-Identifier: Apache-2.0
// The memory controller in functional mode: what its clients see of memory, and memory of them.
#include "models/ctm/mc/mc_functional.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "models/common/archive.h"
#include "testbenches/unit/ctm/mc_fixture.h"

namespace archipelago::ctm {
namespace {

using namespace test;  // NOLINT

class McWithoutTime : public testing::Test {
  protected:
    McWithoutTime() { map(memory.image); }
    std::string stop(const ElementRequest& r) {
        try {
            r.write ? mc.write_elements(r) : mc.read_elements(r);
        } catch (const MachineStop& stopped) {
            kind = stopped.kind();
            return stopped.what();
        }
        return {};
    }
    ImageMemory memory;
    McSpec spec;
    McFunctional mc{spec, memory};
    StopKind kind = StopKind::Internal;
};

TEST_F(McWithoutTime, EveryInputReadsItsOwnSurface) {
    for (unsigned n = 0; n < kInputs; ++n)
        mc.apply(set_input(n, kBase + 0x1000 * n, kLinear));
    for (unsigned n = 0; n < kInputs; ++n) {
        const ElementResponse r = mc.read_elements(quad(n, 6, 2, n));
        EXPECT_EQ(r.tag, n);
        EXPECT_EQ(r.lanes, 0xf);
        for (unsigned lane = 0; lane < 4; ++lane) {
            const uint32_t address = kBase + 0x1000 * n + 4 * (64 * (2 + lane / 2) + 6 + lane % 2);
            EXPECT_EQ(r.value[lane], (Channels{address, 0, 0, kFloatOne}));
        }
    }
}

TEST_F(McWithoutTime, TiledReadsGoThroughTheTables) {
    for (const Format f : {Format::Float32x1, Format::Float32x2, Format::Float32x4}) {
        mc.apply(set_input(0, kBase, format(128, Tiling::Tiled, f)));
        const Surface& s = mc.registers().surfaces[0];
        for (unsigned y = 0; y < 40; y += 3)
            for (unsigned x = 0; x < 100; x += 7) {
                const uint32_t address = element_address(s, format_info(f).log2_bytes, x, y);
                const Channels value = mc.read_elements(one(0, x, y)).value[0];
                for (unsigned c = 0; c < channels_of(f); ++c)
                    ASSERT_EQ(value[c], address + 4 * c) << x << ", " << y;
            }
    }
}

TEST_F(McWithoutTime, SuperfineReadPacksFourNeighbours) {
    mc.apply(set_input(3, kBase, format(64, Tiling::LinearInp2x2, Format::Float32x1)));
    const ElementResponse r = mc.read_elements(quad(3, 10, 4));
    for (unsigned lane = 0; lane < 4; ++lane) {
        const uint32_t here = kBase + 4 * (64 * (4 + lane / 2) + 10 + lane % 2);
        EXPECT_EQ(r.value[lane], (Channels{here + 4, here + 256, here + 260, here}));
    }
}

TEST_F(McWithoutTime, InputIsAsOldAsTheCacheUntilItIsInvalidated) {
    mc.apply(set_input(0, kBase, kLinear));
    mc.apply(set_input(1, kBase, kLinear));
    EXPECT_EQ(mc.read_elements(one(0, 5, 0)).value[0][0], kBase + 20);
    memory.set(kBase + 20, 7);
    memory.set(kBase + 64, 8);
    EXPECT_EQ(mc.read_elements(one(1, 5, 0)).value[0][0], kBase + 20) << "shared by all inputs";
    EXPECT_EQ(mc.read_elements(one(0, 16, 0)).value[0][0], 8u) << "another line";
    mc.apply(command(CacheCommand::InvConstfCache));
    mc.apply(command(CacheCommand::InvCondOutCache));
    mc.apply(command(CacheCommand::InvInstCache));
    EXPECT_EQ(mc.read_elements(one(0, 5, 0)).value[0][0], kBase + 20) << "of other caches";
    mc.apply(command(CacheCommand::InvInpCache));
    EXPECT_EQ(mc.read_elements(one(0, 5, 0)).value[0][0], 7u);
}

TEST_F(McWithoutTime, OutputIsNotInMemoryUntilItIsFlushedAndFetchesNothing) {
    mc.apply(set_output(2, kBase, kLinear));
    mc.apply(set_input(0, kBase, kLinear));
    mc.write_elements(write_of(quad(kOutput0 + 2, 4, 1), 0x900));
    EXPECT_EQ(memory.word(kBase + 256 + 16), kBase + 256 + 16);
    EXPECT_EQ(mc.read_elements(one(0, 4, 1)).value[0][0], kBase + 256 + 16);
    mc.apply(command(CacheCommand::FlushCondOutCache));
    EXPECT_EQ(memory.writes, 0u);
    const unsigned reads = memory.reads;
    mc.apply(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(memory.reads, reads);
    EXPECT_EQ(memory.writes, 2u) << "the elements of a line are written together";
    EXPECT_EQ(memory.word(kBase + 256 + 16), 0x900u);
    EXPECT_EQ(memory.word(kBase + 256 + 20), 0x910u);
    EXPECT_EQ(memory.word(kBase + 512 + 16), 0x920u);
    EXPECT_EQ(memory.word(kBase + 512 + 20), 0x930u);
    EXPECT_EQ(memory.word(kBase + 256 + 12), kBase + 256 + 12);
    mc.apply(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(memory.writes, 2u) << "nothing is left";
    EXPECT_EQ(mc.read_elements(one(0, 4, 1)).value[0][0], kBase + 256 + 16) << "inputs are older";
}

TEST_F(McWithoutTime, OutputMaskKeepsChannelsOfEveryOutput) {
    mc.apply(set_output(1, kBase, format(64, Tiling::Linear, Format::Float32x4)));
    mc.apply(command(CacheCommand::SetOutMask, 0xfffffff5));  // c0 and c2
    mc.write_elements(write_of(one(kOutput0 + 1, 0, 0), 0x900));
    mc.write_elements(write_of(one(kOutput0 + 1, 1, 0), 0x900, 0x6));  // c2 of c1, c2
    mc.apply(command(CacheCommand::SetOutMask, 0));
    mc.write_elements(write_of(one(kOutput0 + 1, 2, 0), 0x900));
    mc.apply(command(CacheCommand::FlushOutCache));
    const std::map<unsigned, uint32_t> written = {{0, 0x900}, {8, 0x902}, {24, 0x902}};
    for (unsigned n = 0; n < 64; n += 4)
        EXPECT_EQ(memory.word(kBase + n), written.count(n) != 0 ? written.at(n) : kBase + n) << n;
}

TEST_F(McWithoutTime, UncachedWriteIsInMemoryAtOnceAndNotOverwrittenByOlderBytes) {
    mc.apply(set_output(0, kBase, kLinear));
    mc.write_elements(write_of(quad(kOutput0, 4, 0), 0x900));
    ElementRequest r = write_of(one(kOutput0, 5, 0), 0x77);
    r.uncached = true;
    mc.write_elements(r);
    EXPECT_EQ(memory.word(kBase + 20), 0x77u);
    EXPECT_EQ(memory.word(kBase + 16), kBase + 16);
    mc.apply(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(memory.word(kBase + 20), 0x77u);
    EXPECT_EQ(memory.word(kBase + 16), 0x900u);
    mc.apply(command(CacheCommand::SetOutMask, 0xe));
    r.value[0][0] = 0x78;
    mc.write_elements(r);
    EXPECT_EQ(memory.word(kBase + 20), 0x77u) << "masked";
}

TEST_F(McWithoutTime, ConditionalBufferIsReadAndWrittenThroughItsCache) {
    mc.apply(command(Command::SetCondOutFmt, kBase, kLinear, 64));
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 1, 0)).value[0][0], kBase + 4);
    mc.write_elements(write_of(one(kConditionalOutput, 1, 0), 0x900));
    mc.write_elements(write_of(one(kConditionalOutput, 40, 0), 0xa00));  // not fetched
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 1, 0)).value[0][0], 0x900u);
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 40, 0)).value[0][0], 0xa00u);
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 41, 0)).value[0][0], kBase + 164)
        << "beside bytes that were written before the line was fetched";
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 40, 0)).value[0][0], 0xa00u);
    EXPECT_EQ(memory.writes, 0u);
    mc.apply(command(CacheCommand::FlushCondOutCache));
    EXPECT_EQ(memory.word(kBase + 4), 0x900u);
    EXPECT_EQ(memory.word(kBase + 160), 0xa00u);
    memory.set(kBase + 4, 1);
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 1, 0)).value[0][0], 1u)
        << "flushed lines go";
}

TEST_F(McWithoutTime, InvalidationOfTheConditionalCacheDropsWhatWasNotFlushed) {
    mc.apply(command(Command::SetCondOutFmt, kBase, kLinear, 64));
    mc.write_elements(write_of(one(kConditionalOutput, 1, 0), 0x900));
    mc.apply(command(CacheCommand::InvCondOutCache));
    mc.apply(command(CacheCommand::FlushCondOutCache));
    EXPECT_EQ(memory.writes, 0u);
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 1, 0)).value[0][0], kBase + 4);
}

TEST_F(McWithoutTime, ConditionalMaskSuppressesWrites) {
    mc.apply(command(Command::SetCondOutFmt, kBase, kLinear, 64));
    mc.apply(command(CacheCommand::SetCondOutMask, 0xfffffffe));
    mc.write_elements(write_of(one(kConditionalOutput, 1, 0), 0x900));
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 1, 0)).value[0][0], kBase + 4);
    mc.apply(command(CacheCommand::SetCondOutMask, 1));
    mc.apply(command(CacheCommand::SetOutMask, 0));  // is not for it
    mc.write_elements(write_of(one(kConditionalOutput, 1, 0), 0x900));
    EXPECT_EQ(mc.read_elements(one(kConditionalOutput, 1, 0)).value[0][0], 0x900u);
}

TEST_F(McWithoutTime, ConstantsAndInstructionsAreWordsOfTheirSurfaces) {
    mc.apply(command(Command::SetConstfFmt, kBase, format(256, Tiling::Linear, Format::Float32x4)));
    mc.apply(command(Command::SetConstiFmt, kBase + 0x2000,
                     format(32, Tiling::Linear, Format::Uint8x4)));
    mc.apply(command(Command::SetConstbFmt, kBase + 0x3000,
                     format(32, Tiling::Linear, Format::Float32x1)));
    mc.apply(command(Command::SetInstFmt, kBase + 0x4000,
                     format(512, Tiling::Linear, Format::Float32x4)));
    for (unsigned n = 0; n < 256; n += 5) {
        const uint32_t at = kBase + 16 * n;
        EXPECT_EQ(mc.words(words_of(kFloatConstants, n, n)).words,
                  (std::array<uint32_t, 6>{at, at + 4, at + 8, at + 12, 0, 0}));
        EXPECT_EQ(mc.words(words_of(kFloatConstants, n, n)).tag, n);
    }
    EXPECT_EQ(mc.words(words_of(kIntegerConstants, 31)).words[0], kBase + 0x2000 + 4 * 31);
    EXPECT_EQ(mc.words(words_of(kBooleanConstants, 7)).words[0], kBase + 0x3000 + 4 * 7);
    for (unsigned pc = 0; pc < 512; ++pc)
        for (unsigned w = 0; w < 6; ++w)
            ASSERT_EQ(mc.words(words_of(kInstructions, pc)).words[w],
                      kBase + 0x4000 + 24 * pc + 4 * w);
}

TEST_F(McWithoutTime, ConstantsHaveTheFormatOfTheirKind) {
    for (const Format f : {Format::Uint16x1, Format::Uint8x4, Format::Float32x2, Format{7}}) {
        for (const Command c :
             {Command::SetConstfFmt, Command::SetConstiFmt, Command::SetConstbFmt})
            mc.apply(command(c, kBase, format(0, Tiling::Linear, f)));
        const uint32_t at = kBase + 16 * 2;
        EXPECT_EQ(mc.words(words_of(kFloatConstants, 2)).words,
                  (std::array<uint32_t, 6>{at, at + 4, at + 8, at + 12, 0, 0}));
        EXPECT_EQ(mc.words(words_of(kIntegerConstants, 3)).words[0], kBase + 4 * 3);
        EXPECT_EQ(mc.words(words_of(kBooleanConstants, 3)).words[0], kBase + 4 * 3);
    }
}

TEST_F(McWithoutTime, EachWordsCacheIsInvalidatedByItsCommandAlone) {
    const std::array<std::pair<unsigned, CacheCommand>, 4> kinds = {
        {{kFloatConstants, CacheCommand::InvConstfCache},
         {kIntegerConstants, CacheCommand::InvConstiCache},
         {kBooleanConstants, CacheCommand::InvConstbCache},
         {kInstructions, CacheCommand::InvInstCache}}};
    for (const Command c :
         {Command::SetConstfFmt, Command::SetConstiFmt, Command::SetConstbFmt, Command::SetInstFmt})
        mc.apply(command(c, kBase, format(64, Tiling::Linear, Format::Float32x4)));
    for (unsigned k = 0; k < kinds.size(); ++k) {
        memory.set(kBase, 100 + k);
        mc.apply(command(CacheCommand::InvInpCache));
        for (unsigned other = 0; other < kinds.size(); ++other)
            mc.apply(command(kinds[other].second));
        memory.set(kBase, 200 + k);
        for (const auto& kind : kinds)
            EXPECT_EQ(mc.words(words_of(kind.first, 0)).words[0], 200 + k);
        memory.set(kBase, 300 + k);
        mc.apply(command(kinds[k].second));
        for (unsigned other = 0; other < kinds.size(); ++other)
            EXPECT_EQ(mc.words(words_of(kinds[other].first, 0)).words[0],
                      (other == k ? 300 : 200) + k);
    }
}

TEST_F(McWithoutTime, FaultsNameClientIndexAndAddress) {
    mc.apply(set_input(3, 0x80000000, kLinear));
    EXPECT_EQ(stop(one(3, 12, 7)), "input 3 at (12, 7): read of unmapped address 0x80000730");
    EXPECT_EQ(kind, StopKind::Fault);
    mc.apply(set_output(1, 0x80000000, kLinear));
    ElementRequest r = write_of(one(kOutput0 + 1, 2, 1), 0);
    r.uncached = true;
    EXPECT_EQ(stop(r), "output 1 at (2, 1): write to unmapped address 0x80000108");
    mc.apply(set_input(4, kBase, format(64, Tiling::Linear, Format::Reserved6)));
    EXPECT_EQ(stop(one(4, 1, 2)),
              "input 4 at (1, 2): its surface at 0x100000 has format 6, which is reserved");
    EXPECT_EQ(kind, StopKind::BadInput);
    mc.apply(set_input(5, kBase, format(64, Tiling::TiledInp2x2, Format::Uint8x4)));
    EXPECT_EQ(stop(one(5, 1, 2)),
              "input 5 at (1, 2): a 2x2 read of elements with several channels is undefined");
    EXPECT_EQ(kind, StopKind::BadInput);
    try {
        mc.apply(command(Command::SetConstfFmt, 0x80000000, kLinear));
        mc.words(words_of(kFloatConstants, 9));
        ADD_FAILURE();
    } catch (const MachineStop& stopped) {
        EXPECT_STREQ(stopped.what(),
                     "float constants at (9, 0): read of unmapped address 0x80000090");
    }
}

TEST_F(McWithoutTime, UnmappedWriteBackNamesTheLastWriter) {
    mc.apply(set_output(1, 0x80000000, kLinear));
    mc.write_elements(write_of(one(kOutput0 + 1, 3, 1), 0));
    mc.write_elements(write_of(one(kOutput0 + 1, 2, 1), 0));
    try {
        mc.apply(command(CacheCommand::FlushOutCache));
        ADD_FAILURE();
    } catch (const MachineStop& stopped) {
        EXPECT_STREQ(stopped.what(), "output 1 at (2, 1): write to unmapped address 0x80000108");
    }
}

TEST_F(McWithoutTime, WriteOutsideOfAnOutputIsRefused) {
    mc.apply(set_output(1, kBase, kLinear, 8));
    EXPECT_EQ(stop(write_of(one(kOutput0 + 1, 63, 7), 0)), "");
    EXPECT_EQ(stop(write_of(one(kOutput0 + 1, 64, 7), 0)),
              "output 1 at (64, 7): write outside of the output of 64 x 8 elements at 0x100000");
    EXPECT_EQ(kind, StopKind::BadInput);
    EXPECT_NE(stop(write_of(one(kOutput0 + 1, 0, 8), 0)), "");
    ElementRequest r = write_of(quad(kOutput0 + 1, 63, 7), 0);
    r.lanes = 1;
    EXPECT_EQ(stop(r), "") << "other lanes do not write";
}

TEST_F(McWithoutTime, WhatIsUndefinedCanBeAllowed) {
    spec.allow_undefined = true;
    McFunctional allowing(spec, memory);
    allowing.apply(set_input(5, kBase, format(64, Tiling::LinearInp2x2, Format::Float32x2)));
    const uint32_t here = kBase + 8 * (64 * 2 + 1);
    EXPECT_EQ(allowing.read_elements(one(5, 1, 2)).value[0],
              (Channels{here + 8, here + 512, here + 520, here}));
    allowing.apply(set_output(0, kBase, kLinear, 1));
    allowing.write_elements(write_of(one(kOutput0, 65, 1), 0x900));
    allowing.apply(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(memory.word(kBase + 4 * (64 + 65)), 0x900u);
}

TEST_F(McWithoutTime, EvictedLinesReachMemoryAndAreFetchedAgain) {
    std::mt19937 random(11);
    std::map<uint32_t, uint32_t> expected;
    const unsigned pitch = 1024, rows = 128;
    mc.apply(set_output(0, kBase, format(pitch, Tiling::Tiled, Format::Float32x1)));
    mc.apply(command(Command::SetCondOutFmt, kBase + 0x80000,
                     format(pitch, Tiling::Linear, Format::Float32x1), rows));
    for (unsigned n = 0; n < 20000; ++n) {
        const unsigned x = random() % pitch & ~1u;
        const unsigned y = random() % rows & ~1u;
        const unsigned client = n % 2 != 0 ? kOutput0 : kConditionalOutput;
        const uint32_t value = random();
        mc.write_elements(write_of(quad(client, x, y), value));
        for (unsigned lane = 0; lane < 4; ++lane)
            expected[element_address(mc.registers().surfaces[client], 2, x + lane % 2,
                                     y + lane / 2)] = value + 0x10 * lane;
        const unsigned at = random() % pitch;
        const uint32_t address = kBase + 0x80000 + 4 * (pitch * y + at);
        ASSERT_EQ(mc.read_elements(one(kConditionalOutput, at, y)).value[0][0],
                  expected.count(address) != 0 ? expected[address] : address);
    }
    mc.flush_all();
    for (const auto& [address, value] : expected)
        ASSERT_EQ(memory.word(address), value) << address;
    EXPECT_GT(memory.reads, 1000u);
}

// The same values, and the same lines fetched: what is replaced next does not differ either.
TEST_F(McWithoutTime, LanesReadAsTheirQuadsDo) {
    std::mt19937 random(5);
    spec.caches[number_of(CacheId::Input)].geometry = {16, 4};
    McFunctional lanes_wise(spec, memory), quad_wise(spec, memory);
    const auto reads_of = [&](const auto& access) {
        const auto before = memory.reads;
        access();
        return memory.reads - before;
    };
    for (unsigned n = 0; n < 4000; ++n) {
        if (n < 3 || n % 16 == 0) {
            const auto element = static_cast<Format>(random() % 6);
            const bool superfine = random() % 4 == 0 && format_info(element).one_channel;
            const auto tiling = static_cast<Tiling>(random() % 2 + (superfine ? 2 : 0));
            const UnitCommand set = set_input(n % 3, kBase, format(256, tiling, element));
            lanes_wise.apply(set);
            quad_wise.apply(set);
        }
        const auto client = static_cast<uint8_t>(random() % 3);
        const unsigned spread = 1 + random() % 100;
        std::array<Point, isa::kMaxLanes> index;
        for (unsigned l = 0; l < index.size(); ++l)
            index[l] = {static_cast<uint16_t>(random() % spread),
                        static_cast<uint16_t>(random() % (n % 2 == 0 ? 2 : spread))};
        if (n % 5 == 0)  // quads side by side, as most programs look up
            for (unsigned l = 0; l < index.size(); ++l)
                index[l] = {static_cast<uint16_t>(spread + l / 4 * 2 + l % 2),
                            static_cast<uint16_t>(n % 31 + l / 2 % 2)};
        isa::LaneMask lanes = random() & 0xffff;
        lanes = lanes << 32 | random();
        lanes = n % 4 == 0 ? (1ull << 48) - 1 : lanes;
        isa::Register got{};
        const auto fetched =
            reads_of([&] { lanes_wise.read_lanes(client, lanes, index.data(), got); });
        const auto expected = reads_of([&] {
            for (unsigned q = 0; q < isa::kMaxQuads; ++q) {
                ElementRequest r;
                r.client = client;
                r.lanes = static_cast<uint8_t>(lanes >> 4 * q & 0xf);
                std::copy_n(index.begin() + 4 * q, 4, r.index.begin());
                const ElementResponse quad = quad_wise.read_elements(r);
                for (unsigned l = 0; l < 4; ++l)
                    for (unsigned c = 0; c < 4 && (r.lanes >> l & 1) != 0; ++c) {
                        uint32_t bits = 0;
                        std::memcpy(&bits, &got[c].lane[4 * q + l], sizeof bits);
                        ASSERT_EQ(bits, quad.value[l][c])
                            << n << ": lane " << 4 * q + l << " channel " << c;
                    }
            }
        });
        ASSERT_EQ(fetched, expected) << n;
    }
    EXPECT_GT(memory.reads, 10000u);
}

TEST_F(McWithoutTime, CheckpointKeepsLinesAndRegisters) {
    mc.apply(set_input(0, kBase, kLinear));
    mc.apply(set_output(0, kBase, kLinear));
    mc.apply(command(CacheCommand::SetOutMask, 0x1));
    mc.read_elements(one(0, 5, 0));
    mc.write_elements(write_of(one(kOutput0, 1, 0), 0x900));
    Archive save;
    save.block("mc", [&] { mc.archive(save); });
    McFunctional other(spec, memory);
    Archive load(save.bytes(), "test");
    load.block("mc", [&] { other.archive(load); });
    memory.set(kBase + 20, 7);
    EXPECT_EQ(other.read_elements(one(0, 5, 0)).value[0][0], kBase + 20);
    other.apply(command(CacheCommand::FlushOutCache));
    EXPECT_EQ(memory.word(kBase + 4), 0x900u);
    EXPECT_EQ(other.registers().output_mask, 1);
    other.reset();
    EXPECT_EQ(other.registers().output_mask, 0xf);
    EXPECT_EQ(other.registers().surfaces[0].base, 0u);
}

TEST(McSpecTest, CachesBelowFourKibibytesAreRefused) {
    McSpec spec;
    EXPECT_TRUE(spec.problems().empty());
    spec.caches[2].geometry = {8, 4};
    ASSERT_EQ(spec.problems().size(), 1u);
    EXPECT_EQ(spec.problems()[0], "cache conditional has 2048 bytes, expected at least 4096");
    ImageMemory memory;
    EXPECT_THROW(McFunctional(spec, memory), std::invalid_argument);
}

TEST(McSpecTest, QueueOfACacheHoldsWhatEntersItInOneCycle) {
    McSpec spec;
    for (unsigned i = 0; i < kCaches; ++i)
        spec.caches[i].queue = CacheSpec::least_queue(static_cast<CacheId>(i));
    EXPECT_TRUE(spec.problems().empty());
    spec.caches[number_of(CacheId::Conditional)].queue = 1;
    ASSERT_EQ(spec.problems().size(), 1u);
    EXPECT_EQ(spec.problems()[0], "cache conditional has a queue of 1, expected at least 2");
}

}  // namespace
}  // namespace archipelago::ctm
