// SPDX-License-Identifier: Apache-2.0
// Waves of the graphics stages: what they start with, what they wait for, where they go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "registers/si_names.h"
#include "testbenches/unit/spi/graphics_bench.h"

namespace archipelago::spi::spi_graphics_test {
namespace {

using Bench = GraphicsBench;

// ---- waves ----

TEST(SpiGraphics, EveryWaveOfEveryDrawRunsOnceOnTheEngineVgtChose) {
    Bench b;
    for (int d = 0; d < 5; ++d)
        b.simple_draw(40);
    b.run();
    const auto seen = b.seen(Stage::Vs);
    std::set<std::pair<uint32_t, uint32_t>> waves;
    for (const auto& s : seen) {
        waves.emplace(s.wave.dispatch, s.wave.group);
        EXPECT_EQ(s.cu / 16, s.wave.group % 2);
    }
    EXPECT_EQ(seen.size(), 200u);
    EXPECT_EQ(waves.size(), 200u);
    EXPECT_EQ(b.spi->state().counters.stage_waves[index_of(Stage::Vs)], 200u);
    EXPECT_EQ(b.spi->state().counters.draws, 5u);
    EXPECT_EQ(b.spi->exports().counters.positions, 200u);
    EXPECT_EQ(b.spi->exports().counters.parameters, 200u);
    EXPECT_EQ(b.sink->state().primitives, 200u);
    EXPECT_EQ(b.sink->state().freed, 200u);
    EXPECT_TRUE(b.spi->state().graphics.draws.empty());
}

TEST(SpiGraphics, EachDrawHasTheShaderRegistersOfItsInitiator) {
    Bench b(gcn::si::spi_spec(), {300});
    for (uint32_t d = 0; d < 6; ++d) {
        b.stage(Stage::Vs, 0x2C, 1 << 1);
        b.stage(Stage::Vs, 0x30, 0x100 + d);
        b.stage(Stage::Vs, 0x20, 0x10 + d);
        b.simple_draw(3);
    }
    b.run();
    for (const auto& s : b.seen(Stage::Vs)) {
        EXPECT_EQ(s.wave.sgpr_init[0], 0x100 + s.wave.dispatch - 1);
        EXPECT_EQ(s.wave.pc, (0x10 + s.wave.dispatch - 1) << 8);
    }
}

TEST(SpiGraphics, WavesRunInTheAddressSpaceOfTheWriteThatBeganTheirDraw) {
    Bench b;
    std::vector<uint32_t> draws;
    for (const uint8_t vmid : {3, 0, 15}) {
        draws.push_back(b.draw());
        b.writer.todo.back().vmid = vmid;
        b.wave(Stage::Es, draws.back(), 0);
        b.wave(Stage::Vs, draws.back(), 0);
        b.end(draws.back());
    }
    b.run();
    for (const Stage stage : {Stage::Es, Stage::Vs}) {
        const auto seen = b.seen(stage);
        ASSERT_EQ(seen.size(), 3u);
        for (const auto& one : seen)
            EXPECT_EQ(one.wave.vmid, one.wave.dispatch == draws[0]   ? 3
                                     : one.wave.dispatch == draws[1] ? 0
                                                                     : 15);
    }
}

TEST(SpiGraphics, EachContextHasItsOwnCopyOfTheContextRegisters) {
    Bench b;
    b.context(r::SPI_SHADER_POS_FORMAT, 0x44, 3);
    b.context(r::SPI_SHADER_POS_FORMAT, kPosition, 4);
    const uint32_t first = b.draw(3);
    const uint32_t second = b.draw(4);
    for (const uint32_t d : {first, second}) {
        b.wave(Stage::Vs, d, 0);
        b.end(d);
    }
    for (auto& cu : b.cus)
        cu->life = 400;
    b.go(100);
    ASSERT_EQ(b.spi->exports().vertices.size(), 2u);
    EXPECT_EQ(b.spi->exports().vertices.at({first, 0}).positions, 2);
    EXPECT_EQ(b.spi->exports().vertices.at({second, 0}).positions, 1);
}

TEST(SpiGraphics, CopyingAContextCopiesAllOfItsRegisters) {
    Bench b;
    RegRequest q;
    q.write = true;
    q.offset = r::SPI_PS_IN_CONTROL;
    q.context = 2;
    q.value = 7;
    EXPECT_TRUE(b.spi->write_register(q));
    q.offset = regs::si::GFX_COPY_STATE;
    q.context = 5;
    q.value = 2;
    EXPECT_TRUE(b.spi->write_register(q));
    uint32_t value = 0;
    q.offset = r::SPI_PS_IN_CONTROL;
    q.write = false;
    EXPECT_TRUE(b.spi->read_register(q, value));
    EXPECT_EQ(value, 7u);
}

TEST(SpiGraphics, ShaderRegistersWaitWhileTooManyUpdatesAreInFlight) {
    for (const unsigned updates : {1000u, 4u}) {
        SpiSpec spec = gcn::si::spi_spec();
        spec.sh_updates = updates;
        Bench b(spec, {500});
        for (uint32_t d = 0; d < 4; ++d) {
            b.stage(Stage::Vs, 0x2C, 1 << 1);
            b.stage(Stage::Vs, 0x30, 0x100 + d);
            b.stage(Stage::Vs, 0x34, 0);
            b.simple_draw(1);
        }
        b.run();
        const auto seen = b.seen(Stage::Vs);
        ASSERT_EQ(seen.size(), 4u);
        for (const auto& s : seen)
            EXPECT_EQ(s.wave.sgpr_init[0], 0x100 + s.wave.dispatch - 1);
        if (updates == 4) {
            // The fourth draw's second write is the fifth after the first draw.
            EXPECT_GT(seen[2].at, b.end_of(Stage::Vs, 1, 0));
            EXPECT_GT(b.spi->state().counters.register_stall_cycles, 400u);
        } else {
            EXPECT_LT(seen[3].at, 200u);
        }
    }
}

TEST(SpiGraphics, DrawsInFlightAreLimited) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.draws_in_flight = 2;
    Bench b(spec, {300});
    for (int d = 0; d < 4; ++d)
        b.simple_draw(1);
    b.run();
    const auto seen = b.seen(Stage::Vs);
    EXPECT_LT(seen[1].at, 200u);
    EXPECT_GT(seen[2].at, 300u);
}

TEST(SpiGraphics, AWaveWaitsForTheWavesItReadsFrom) {
    const std::pair<Stage, Stage> edges[] = {{Stage::Hs, Stage::Es},
                                             {Stage::Es, Stage::Gs},
                                             {Stage::Gs, Stage::Vs},
                                             {Stage::Hs, Stage::Vs}};
    for (const auto& [from, to] : edges) {
        Bench b(gcn::si::spi_spec(), {200, false});
        const uint32_t d = b.draw();
        b.wave(from, d, 0);
        b.wave(from, d, 1);
        b.wave(to, d, 0);
        b.wave(from, d, 2);  // comes later: not waited for
        b.wave(to, d, 1);
        b.end(d);
        for (size_t i = 0; i < b.cus.size(); ++i)
            b.cus[i]->life = i == 0 ? 700 : 200;
        b.run();
        const Cycle ready = std::max(b.end_of(from, d, 0), b.end_of(from, d, 1));
        const auto seen = b.seen(to);
        ASSERT_EQ(seen.size(), 2u);
        EXPECT_GT(seen[0].at, ready) << stage_name(from) << " to " << stage_name(to);
        EXPECT_GT(seen[1].at, b.end_of(from, d, 2));
    }
    // No such edge: the stages run side by side.
    Bench b(gcn::si::spi_spec(), {500, false});
    const uint32_t d = b.draw();
    b.wave(Stage::Es, d, 0);
    b.wave(Stage::Vs, d, 0);
    b.end(d);
    b.run();
    EXPECT_LT(b.seen(Stage::Vs)[0].at, 100u);
}

TEST(SpiGraphics, HullWavesFollowTheLocalWavesOfTheirGroupOnTheSameUnitAndLds) {
    Bench b(gcn::si::spi_spec(), {100, false});
    b.stage(Stage::Ls, 0x2C, 16u << 7);    // 4 KiB of LDS
    b.stage(Stage::Hs, 0x28, 3 | 1 << 6);  // more VGPRs than LS
    const uint32_t d = b.draw();
    for (uint32_t g = 0; g < 6; ++g) {
        b.group_wave(Stage::Ls, d, 2 * g, g, 0, 3);
        b.group_wave(Stage::Ls, d, 2 * g + 1, g, 1, 3);
        b.group_wave(Stage::Hs, d, g, g, 2, 3);
    }
    b.end(d);
    b.run();
    const auto ls = b.seen(Stage::Ls);
    const auto hs = b.seen(Stage::Hs);
    ASSERT_EQ(ls.size(), 12u);
    ASSERT_EQ(hs.size(), 6u);
    std::set<unsigned> units;
    for (const auto& h : hs) {
        for (const auto& l : ls) {
            if (l.wave.group / 2 != h.wave.group)
                continue;
            EXPECT_EQ(l.cu, h.cu);
            EXPECT_EQ(l.wave.group_slot, h.wave.group_slot);
            EXPECT_EQ(l.wave.lds_base, h.wave.lds_base);
            EXPECT_GT(h.at, b.end_of(Stage::Ls, d, l.wave.group));
            EXPECT_FALSE(l.wave.keeps_lds);
        }
        EXPECT_EQ(h.wave.lds_bytes, 4096u);
        EXPECT_TRUE(h.wave.keeps_lds);
        EXPECT_EQ(h.wave.vgpr_count, 16);
        units.insert(h.cu);
    }
    EXPECT_GT(units.size(), 1u);
    EXPECT_TRUE(b.spi->state().graphics.groups.empty());
}

TEST(SpiGraphics, ScratchSlotsAreNeverSharedByLivingWavesOfAnyStage) {
    Bench b(gcn::si::spi_spec(), {80, false});
    b.context(r::SPI_TMPRING_SIZE, 5 | 1 << 12);
    b.stage(Stage::Vs, 0x2C, 1);
    b.stage(Stage::Es, 0x2C, 1);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 20; ++n) {
        b.wave(Stage::Vs, d, n);
        b.wave(Stage::Es, d, n);
    }
    b.end(d);
    b.run();
    std::vector<std::pair<Cycle, uint32_t>> taken;
    for (const Stage s : {Stage::Vs, Stage::Es})
        for (const auto& w : b.seen(s)) {
            const uint32_t offset = w.wave.sgpr_init[s == Stage::Es ? 1 : 0];
            EXPECT_EQ(offset % 1024, 0u);
            EXPECT_LT(offset, 5u * 1024);
            for (const auto& [at, other] : taken)
                if (other == offset) {
                    EXPECT_GE(at > w.at ? at - w.at : w.at - at, 80u);
                }
            taken.emplace_back(w.at, offset);
        }
    EXPECT_EQ(taken.size(), 40u);
    EXPECT_GT(b.spi->state().counters.no_scratch_cycles, 0u);
}

// What performance counters show of it: whose wave found no room, or no scratch slot.
TEST(SpiGraphics, TimeWithoutRoomIsCountedForWhoWaits) {
    const auto kind = [](Stage s) { return kind_of(s); };
    {  // scratch slots for five VS waves
        Bench b(gcn::si::spi_spec(), {80, false});
        b.context(r::SPI_TMPRING_SIZE, 5 | 1 << 12);
        b.stage(Stage::Vs, 0x2C, 1);
        const uint32_t d = b.draw();
        for (uint32_t n = 0; n < 20; ++n)
            b.wave(Stage::Vs, d, n);
        b.end(d);
        b.run();
        const SpiCounters& c = b.spi->state().counters;
        EXPECT_GT(c.no_scratch[kind(Stage::Vs)], 100u);
        EXPECT_EQ(c.no_room[kind(Stage::Vs)], 0u);
        EXPECT_EQ(c.no_alloc[kind(Stage::Vs)], c.no_scratch[kind(Stage::Vs)]);
        EXPECT_EQ(c.no_scratch[kind(Stage::Es)], 0u);
        EXPECT_GT(c.no_alloc_cycles, 100u);
        EXPECT_FALSE(b.spi->kind_busy[kind(Stage::Vs)].latest());
    }
    {  // a dispatch that fills the compute unit with groups
        Bench b(small(), {100, false});
        b.dispatch(1, 300, 3);
        b.go(400);
        EXPECT_TRUE(b.spi->kind_busy[kind_of(Stage::Cs, 1)].latest());
        EXPECT_FALSE(b.spi->kind_busy[kind_of(Stage::Cs, 0)].latest());
        b.go(2'000'000);
        const SpiCounters& c = b.spi->state().counters;
        EXPECT_GT(c.no_room[kind_of(Stage::Cs, 1)], 100u);
        EXPECT_EQ(c.no_room[kind_of(Stage::Cs, 0)], 0u);
        EXPECT_EQ(c.ring_groups[0], 0u);
        EXPECT_EQ(c.ring_groups[1], 300u);
        EXPECT_EQ(c.ring_waves[1], 300u);
        EXPECT_FALSE(b.spi->kind_busy[kind_of(Stage::Cs, 1)].latest());
    }
}

TEST(SpiGraphics, MasksOfEachStageKeepItsWavesAwayFromUnits) {
    const struct {
        Stage stage;
        uint32_t offset, shift;
    } rows[] = {{Stage::Vs, r::SPI_STATIC_THREAD_MGMT_1, 16},
                {Stage::Gs, r::SPI_STATIC_THREAD_MGMT_2, 0},
                {Stage::Es, r::SPI_STATIC_THREAD_MGMT_2, 16},
                {Stage::Ls, r::SPI_STATIC_THREAD_MGMT_3, 0}};
    for (const auto& row : rows) {
        Bench b(gcn::si::spi_spec(), {2000, false});
        b.writer.write(row.offset, 0xffff0000u >> row.shift | 0x5u << row.shift);
        const uint32_t d = b.draw();
        for (uint32_t n = 0; n < 32; ++n)
            b.wave(row.stage, d, n);
        b.end(d);
        b.run();
        std::set<unsigned> units;
        for (const auto& s : b.seen(row.stage))
            units.insert(s.cu);
        EXPECT_EQ(units, (std::set<unsigned>{0, 2, 8, 10})) << stage_name(row.stage);
    }
}

TEST(SpiGraphics, MasksAreKeptForEachShaderArray) {
    Bench b(gcn::si::spi_spec(), {2000, false});
    b.writer.write(r::SPI_STATIC_THREAD_MGMT_1, 0x00010000);
    RegRequest& q = b.writer.todo.back();
    q.se_broadcast = q.sh_broadcast = false;
    q.se = 0;
    q.sh = 1;
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 60; ++n)
        b.wave(Stage::Vs, d, n, static_cast<uint8_t>(n % 2));
    b.end(d);
    b.run();
    for (const auto& s : b.seen(Stage::Vs))
        EXPECT_TRUE(s.cu < 8 || s.cu == 8 || s.cu >= 16) << s.cu;
    uint32_t value = 0;
    RegRequest read;
    read.offset = r::SPI_STATIC_THREAD_MGMT_1;
    read.sh = 1;
    read.se_broadcast = read.sh_broadcast = false;
    EXPECT_TRUE(b.spi->read_register(read, value));
    EXPECT_EQ(value, 0x00010000u);
}

TEST(SpiGraphics, AStageWithoutAnyUnitIsRefusedByName) {
    Bench b;
    b.writer.write(r::SPI_STATIC_THREAD_MGMT_1, 0x0000ffff);
    b.simple_draw(1);
    try {
        b.go();
        ADD_FAILURE() << "a wave without a unit was accepted";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("SPI_STATIC_THREAD_MGMT"));
    }
}

TEST(SpiGraphics, TheWaveLimitHoldsForEachArrayAndItsStageOnly) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.limit_registers = true;
    spec.stage_queue = 64;
    spec.position_vectors = spec.parameter_vectors = 1000;
    Bench b(spec, {5000, false});
    b.writer.write(0xB118, 0xffff | 1 << 16);  // VS: 16 waves on an array
    b.writer.write(0xB31C, 0xffff);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 80; ++n) {
        b.wave(Stage::Vs, d, n);
        b.wave(Stage::Es, d, n);
    }
    b.end(d);
    b.go(3000);
    EXPECT_EQ(b.seen(Stage::Vs).size(), 32u);
    EXPECT_EQ(b.seen(Stage::Es).size(), 80u);
}

TEST(SpiGraphics, CuEnOfTheStageLeavesOutUnits) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.limit_registers = true;
    Bench b(spec, {2000, false});
    b.writer.write(0xB118, 0x0004);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 20; ++n)
        b.wave(Stage::Vs, d, n);
    b.end(d);
    b.run();
    for (const auto& s : b.seen(Stage::Vs))
        EXPECT_EQ(s.cu % 8, 2u);
}

// ---- arbitration ----

TEST(SpiGraphics, GraphicsAndComputeTakeTurns) {
    SpiSpec spec = gcn::si::spi_spec();
    spec.stage_queue = 64;
    spec.position_vectors = spec.parameter_vectors = 1000;
    spec.vgt.capacity = 64;
    Bench b(spec, {20000, false});
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 60; ++n)
        b.wave(Stage::Es, d, n);
    b.end(d);
    b.dispatch(0, 200);
    b.go(150);
    const size_t graphics = b.seen(Stage::Es).size(), compute = b.seen(Stage::Cs).size();
    EXPECT_GT(graphics, 20u);
    EXPECT_GT(compute, 20u);
}

// Both want more than there is: what the order of the pipes gives them.
std::pair<size_t, size_t> arbitrated(uint32_t priority, uint32_t cycles0) {
    SpiSpec spec = small();
    spec.stage_queue = 64;
    spec.vgt.capacity = 64;
    spec.registers.capacity = 64;
    Bench b(spec, {300, false});
    b.writer.write(r::SPI_ARB_PRIORITY, priority);
    b.writer.write(r::SPI_ARB_CYCLES_0, cycles0);
    b.dispatch(1, 4000);
    const uint32_t d = b.draw();
    for (uint32_t n = 0; n < 2000; ++n)
        b.wave(Stage::Es, d, n);
    b.end(d);
    b.go(4000);
    return {b.seen(Stage::Es).size(), b.seen(Stage::Cs).size()};
}

TEST(SpiGraphics, ArbitrationSlicesPutOnePipeBeforeTheOthers) {
    const auto in_turn = arbitrated(0, 0);
    const auto graphics_first = arbitrated(0, 100);
    const auto compute_first = arbitrated(2, 100);
    EXPECT_GT(graphics_first.first, 3 * in_turn.first / 2);
    EXPECT_LT(graphics_first.second, in_turn.second / 2);
    EXPECT_LT(compute_first.first, in_turn.first / 2);
    EXPECT_GT(compute_first.second, 3 * in_turn.second / 2);
}

TEST(SpiGraphics, ArbitrationSlicesShareTimeByTheirLengths) {
    // Slice 0 graphics first, slice 1 the first compute ring first.
    const auto even = arbitrated(2 << 3, 1000 | 1000 << 16);
    const auto mostly_graphics = arbitrated(2 << 3, 1900 | 100 << 16);
    const auto by_multiplier = arbitrated(2 << 3 | 1 << 12, 119 | 100 << 16);
    EXPECT_GT(mostly_graphics.first, even.first);
    EXPECT_LT(mostly_graphics.second, even.second);
    EXPECT_GT(by_multiplier.first, even.first);
}

TEST(SpiGraphics, AStageBelowItsLockThresholdKeepsTheArrayUntilItHasRoom) {
    // Waves of VS need a whole SIMD's registers, the dispatch takes what gets free.
    const auto first_vs = [](uint32_t threshold) {
        SpiSpec spec = small();
        spec.limit_registers = true;
        Bench b(spec, {100, false});
        for (auto& cu : b.cus)
            cu->life = 97;
        b.stage(Stage::Vs, 0x28, 63 | 1 << 6);
        b.writer.write(0xB118, 0xffff | threshold << 22);
        b.dispatch(1, 3000, 3);  // 16 VGPRs: sixteen, by slots ten, on a SIMD
        const uint32_t d = b.draw();
        b.wave(Stage::Vs, d, 0);
        b.end(d);
        // VGT comes when the unit is full.
        std::deque<VgtMessage> later;
        later.swap(b.vgt.todo);
        b.go(2000);
        b.vgt.todo.swap(later);
        b.go(2'000'000);
        return b.seen(Stage::Vs).at(0).at;
    };
    const Cycle without = first_vs(0);
    const Cycle with = first_vs(1);
    EXPECT_LT(with, 2300u);
    EXPECT_GT(without, 5000u);  // when the dispatch has placed its last group
}

}  // namespace
}  // namespace archipelago::spi::spi_graphics_test
