// SPDX-License-Identifier: Apache-2.0
#include "models/spi/dispatch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "models/spi/dispatch_core.h"
#include "registers/si_names.h"

namespace archipelago::spi::dispatch_test {
namespace {

namespace r = regs::si;

struct Program {
    ComputeRegisters regs;
    SpiSpec spec = gcn::si::spi_spec();
    uint32_t& operator[](uint32_t offset) {
        return regs.raw[(offset - spec.map.compute_start) / 4];
    }
    Program() {
        Program& s = *this;
        s[r::COMPUTE_DISPATCH_INITIATOR] = 5;  // shader enable, start at 0
        s[r::COMPUTE_DIM_X] = 4;
        s[r::COMPUTE_DIM_Y] = 3;
        s[r::COMPUTE_DIM_Z] = 2;
        s[r::COMPUTE_NUM_THREAD_X] = 64;
        s[r::COMPUTE_NUM_THREAD_Y] = 2;
        s[r::COMPUTE_NUM_THREAD_Z] = 1;
        s[r::COMPUTE_PGM_LO] = 0x8001;
        s[r::COMPUTE_PGM_RSRC1] = 0x00af0040;  // as a recorded driver writes it
        s[r::COMPUTE_PGM_RSRC2] = 0x90;
        s[r::COMPUTE_STATIC_THREAD_MGMT_SE0] = 0xffffffff;
        s[r::COMPUTE_STATIC_THREAD_MGMT_SE1] = 0xffffffff;
    }
    Dispatch decode() { return decode_dispatch(regs, spec); }
};

TEST(Dispatch, DecodesTheRegistersARecordedDriverWrites) {
    Program s;
    s[r::COMPUTE_USER_DATA_0 + 16] = 0x810100;
    const Dispatch d = s.decode();
    EXPECT_EQ(d.groups(), 24u);
    EXPECT_EQ(d.pc, 0x800100u);
    EXPECT_EQ(d.vgprs, 4);
    EXPECT_EQ(d.sgprs, 16);
    EXPECT_EQ(d.user_sgprs, 8);
    EXPECT_TRUE(d.tgid_x);
    EXPECT_FALSE(d.tgid_y);
    EXPECT_EQ(d.float_mode, 0xf0);
    EXPECT_TRUE(d.dx10_clamp);
    EXPECT_TRUE(d.ieee);
    EXPECT_EQ(d.user_data[4], 0x810100u);
}

TEST(Dispatch, GroupsAreWalkedXFastest) {
    Program s;
    const Dispatch d = s.decode();
    GroupWalk walk(d);
    std::vector<std::array<uint32_t, 3>> ids;
    uint32_t number = 0;
    for (; !walk.done(); walk.next(d)) {
        EXPECT_EQ(walk.current(d).number, number++);
        ids.push_back(walk.current(d).id);
    }
    ASSERT_EQ(ids.size(), 24u);
    EXPECT_EQ(ids[1], (std::array<uint32_t, 3>{1, 0, 0}));
    EXPECT_EQ(ids[4], (std::array<uint32_t, 3>{0, 1, 0}));
    EXPECT_EQ(ids[12], (std::array<uint32_t, 3>{0, 0, 1}));
    EXPECT_EQ(ids[23], (std::array<uint32_t, 3>{3, 2, 1}));
}

TEST(Dispatch, ChosenGroupsAndTheOthersAreAllOfThem) {
    Program s;
    Dispatch d = s.decode();
    const auto walked = [&](bool others) {
        d.chosen = {{{0, 2}, {7, 7}, {22, 23}}, others};
        std::vector<uint32_t> numbers;
        for (GroupWalk walk(d); !walk.done(); walk.next(d))
            numbers.push_back(walk.current(d).number);
        EXPECT_EQ(d.chosen.count(d.groups()), numbers.size());
        return numbers;
    };
    EXPECT_THAT(walked(false), testing::ElementsAre(0, 1, 2, 7, 22, 23));
    const std::vector<uint32_t> others = walked(true);
    EXPECT_EQ(others.size(), 18u);
    EXPECT_EQ(others.front(), 3u);
    EXPECT_EQ(others.back(), 21u);
    GroupWalk walk(d);
    EXPECT_EQ(walk.current(d).id, (std::array<uint32_t, 3>{3, 0, 0}));
    d.chosen = {{{0, 23}}, true};
    EXPECT_TRUE(GroupWalk(d).done());
}

TEST(Dispatch, StartOffsetsShiftGroupIdsAndCountUpToTheDimension) {
    Program s;
    s[r::COMPUTE_DISPATCH_INITIATOR] = 1;
    s[r::COMPUTE_START_X] = 2;
    const Dispatch d = s.decode();
    EXPECT_EQ(d.groups(), 2u * 3 * 2);
    EXPECT_EQ(GroupWalk(d).current(d).id[0], 2u);
}

TEST(Dispatch, ThePartialGroupIsTheLastOfItsDimension) {
    Program s;
    s[r::COMPUTE_DISPATCH_INITIATOR] = 5 | 2;
    s[r::COMPUTE_NUM_THREAD_X] = 64 | 10 << 16;
    s[r::COMPUTE_NUM_THREAD_Y] = 2 | 2 << 16;
    s[r::COMPUTE_NUM_THREAD_Z] = 1 | 1 << 16;
    const Dispatch d = s.decode();
    GroupWalk walk(d);
    EXPECT_EQ(walk.current(d).threads, 128u);
    for (int i = 0; i < 3; ++i)
        walk.next(d);
    const Group last = walk.current(d);
    EXPECT_EQ(last.threads, 20u);
    EXPECT_EQ(last.waves, 1u);
    EXPECT_EQ(make_wave(d, last, 0, 0).exec, (1u << 20) - 1);
}

TEST(Dispatch, InitialSgprsComeInTheDocumentedOrder) {
    Program s;
    s[r::COMPUTE_PGM_RSRC2] = 1 /*SCRATCH_EN*/ | 2 << 1 /*USER_SGPR*/ | 7 << 7 /*TGID*/ |
                              1 << 10 /*TG_SIZE*/ | 2 << 11 /*TIDIG*/;
    s[r::COMPUTE_TMPRING_SIZE] = 64 | 3 << 12;
    s[r::COMPUTE_USER_DATA_0] = 0xaaaa;
    s[r::COMPUTE_USER_DATA_0 + 4] = 0xbbbb;
    const Dispatch d = s.decode();
    GroupWalk walk(d);
    for (int i = 0; i < 5; ++i)
        walk.next(d);
    const Group g = walk.current(d);
    const WaveLaunch w0 = make_wave(d, g, 0, 7);
    const WaveLaunch w1 = make_wave(d, g, 1, 8);
    EXPECT_EQ(w0.sgpr_init_count, 7);
    EXPECT_EQ(w0.sgpr_init[0], 0xaaaau);
    EXPECT_EQ(w0.sgpr_init[1], 0xbbbbu);
    EXPECT_EQ(w0.sgpr_init[2], 1u);
    EXPECT_EQ(w0.sgpr_init[3], 1u);
    EXPECT_EQ(w0.sgpr_init[4], 0u);
    EXPECT_EQ(w0.sgpr_init[5], 0x80000002u);
    EXPECT_EQ(w1.sgpr_init[5], 2u | 1 << 6);  // its number in the group
    EXPECT_EQ(w0.sgpr_init[6], 7u * 3 * 1024);
    EXPECT_EQ(w1.first_thread, 64u);
    EXPECT_EQ(w0.id_components, 3);
}

TEST(Dispatch, OrderedWavesHaveNumbersInTheSizeWord) {
    Program s;
    s[r::COMPUTE_PGM_RSRC2] = 1 << 10;  // TG_SIZE
    const auto word = [&](uint32_t initiator, unsigned wave, uint32_t ordered) {
        s[r::COMPUTE_DISPATCH_INITIATOR] = initiator;
        const Dispatch d = s.decode();
        return make_wave(d, GroupWalk(d).current(d), wave, 0, ordered).sgpr_init[0];
    };
    EXPECT_EQ(word(5, 1, 30), 2u | 1 << 6);
    EXPECT_EQ(word(5 | 8, 0, 30), 0x80000002u | 30 << 6);
    EXPECT_EQ(word(5 | 8, 1, 30), 2u | 31 << 6);
    EXPECT_EQ(word(5 | 8, 1, 2047), 2u);  // eleven bits
    EXPECT_EQ(word(5 | 8 | 16, 1, 30), 2u | 30 << 6);
}

TEST(Dispatch, OrderedNumbersCountWavesOrGroupsOnFromDispatchToDispatch) {
    Program s;
    OrderedNumbers numbers;
    const auto take = [&](uint32_t initiator) {
        s[r::COMPUTE_DISPATCH_INITIATOR] = initiator;
        const Dispatch d = s.decode();
        std::vector<uint32_t> taken;
        for (GroupWalk walk(d); !walk.done() && taken.size() < 3; walk.next(d))
            taken.push_back(numbers.take(d, walk.current(d)));
        return taken;
    };
    EXPECT_THAT(take(5), ::testing::ElementsAre(0, 0, 0));
    EXPECT_THAT(take(5 | 8), ::testing::ElementsAre(0, 2, 4));
    EXPECT_THAT(take(5 | 8 | 16), ::testing::ElementsAre(6, 7, 8));
    numbers.next = 2046;
    EXPECT_THAT(take(5 | 8), ::testing::ElementsAre(2046, 0, 2));
}

TEST(Dispatch, WavesLearnWhereTheirTrapHandlerIs) {
    Program s;
    s[r::COMPUTE_PGM_RSRC2] = 1 << 6 /*TRAP_PRESENT*/ | 0x15u << 24 /*EXCP_EN*/;
    s[r::COMPUTE_TBA_LO] = 0x00123456;
    s[r::COMPUTE_TBA_HI] = 0x1;
    s[r::COMPUTE_TMA_LO] = 0x00abcdef;
    const Dispatch d = s.decode();
    const WaveLaunch w = make_wave(d, GroupWalk(d).current(d), 0, 0);
    EXPECT_TRUE(w.trap_present);
    EXPECT_EQ(w.tba, 0x10012345600u);
    EXPECT_EQ(w.tma, 0xabcdef00u);
    EXPECT_EQ(w.exceptions, 0x15);
    s[r::COMPUTE_PGM_RSRC2] = 0;
    const Dispatch without = s.decode();
    EXPECT_FALSE(make_wave(without, GroupWalk(without).current(without), 0, 0).trap_present);
}

struct Bad {
    const char* name;
    std::function<void(Program&)> spoil;
    const char* message;
};
TEST(Dispatch, WhatNoComputeUnitCouldRunIsRefusedByName) {
    const Bad cases[] = {
        {"no threads", [](Program& s) { s[r::COMPUTE_NUM_THREAD_Y] = 0; },
         "COMPUTE_NUM_THREAD_Y.NUM_THREAD_FULL is 0"},
        {"too many threads", [](Program& s) { s[r::COMPUTE_NUM_THREAD_X] = 1025; },
         "a work-group of more than 1024 threads"},
        {"partial", [](Program& s) { s[r::COMPUTE_DISPATCH_INITIATOR] = 7; },
         "NUM_THREAD_PARTIAL is 0"},
        {"lds", [](Program& s) { s[r::COMPUTE_PGM_RSRC2] = 0x1ffu << 15; },
         "bytes of LDS per group"},
        {"user sgprs", [](Program& s) { s[r::COMPUTE_PGM_RSRC2] = 17 << 1; }, "USER_SGPR is 17"},
        {"initial sgprs",
         [](Program& s) {
             s[r::COMPUTE_PGM_RSRC1] = 0;
             s[r::COMPUTE_PGM_RSRC2] = 12 << 1;
         },
         "asks for 12 initial SGPRs"},
        {"registers",
         [](Program& s) {
             s[r::COMPUTE_NUM_THREAD_Y] = 16;
             s[r::COMPUTE_PGM_RSRC1] = 63;
             s[r::COMPUTE_PGM_RSRC2] = 0;
         },
         "a work-group of 16 waves with 256 VGPRs and 8 SGPRs does not fit"},
        {"scratch", [](Program& s) { s[r::COMPUTE_PGM_RSRC2] |= 1; }, "COMPUTE_TMPRING_SIZE.WAVES"},
        {"scratch offset",
         [](Program& s) {
             s[r::COMPUTE_PGM_RSRC2] |= 1;
             s[r::COMPUTE_TMPRING_SIZE] = 4095 | 2048 << 12;  // 2 MiB a wave
         },
         "the last of which a 32-bit offset does not reach"},
        {"waves per array",
         [](Program& s) {
             s.spec.cu.max_group_threads = 2048;
             s[r::COMPUTE_NUM_THREAD_X] = 2048;
             s[r::COMPUTE_NUM_THREAD_Y] = 1;
             s[r::COMPUTE_RESOURCE_LIMITS] = 1;
         },
         "WAVES_PER_SH allows 16 waves, a work-group has 32"},
        {"mask",
         [](Program& s) {
             s[r::COMPUTE_STATIC_THREAD_MGMT_SE0] = 0xff00ff00;
             s[r::COMPUTE_STATIC_THREAD_MGMT_SE1] = 0;
         },
         "enables no compute unit"},
    };
    for (const Bad& c : cases) {
        Program s;
        c.spoil(s);
        try {
            s.decode();
            ADD_FAILURE() << c.name << " was accepted";
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::BadInput);
            EXPECT_THAT(stop.what(), ::testing::HasSubstr(c.message)) << c.name;
        }
    }
}

TEST(Dispatch, TheNumberOfGroupsIsNeverWrappedAround) {
    Program s;
    Dispatch d = s.decode();
    d.start = {0, 0, 0};
    d.end = {1u << 31, 1u << 31, 4};  // 2^64
    EXPECT_EQ(d.groups(), ~uint64_t{0});
    EXPECT_FALSE(GroupWalk(d).done());
    d.end = {~0u, ~0u, 0};
    EXPECT_EQ(d.groups(), 0u);
    EXPECT_TRUE(GroupWalk(d).done());
    d.start = {~0u - 1, 0, 0};  // the last ids there are
    d.end = {~0u, 1, 1};
    EXPECT_EQ(d.groups(), 1u);
    s[r::COMPUTE_DIM_X] = s[r::COMPUTE_DIM_Y] = 1u << 16;
    s[r::COMPUTE_DIM_Z] = 1;
    try {
        s.decode();
        ADD_FAILURE() << "2^32 groups were accepted";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
    }
    s[r::COMPUTE_DIM_Y] = (1u << 16) - 1;
    EXPECT_NO_THROW(s.decode());
}

// ---- the dispatcher: groups that are granted room, on CU 8 of engine 0 or CU 16 of engine 1

struct Dispatcher {
    Program s;
    DispatchCore core;
    Dispatcher() {
        s[r::COMPUTE_PGM_RSRC2] = 1 /*SCRATCH_EN*/ | 1 << 7 /*TGID_X*/;
        s[r::COMPUTE_TMPRING_SIZE] = 5 | 1 << 12;
        core.reset(s.spec);
    }
    Dispatch dispatch(uint8_t ring, uint32_t number) {
        Dispatch d = s.decode();
        d.ring = ring;
        d.number = number;
        return d;
    }
    bool place(unsigned ring, uint16_t cu) {
        AllocatorGrant grant;
        grant.placed = true;
        grant.cu = cu;
        grant.lds = 3;
        grant.waves[1] = {2, 4, 5, 6};
        return core.answer(ring, grant);
    }
    GroupNeeds ask(unsigned ring) {
        AllocatorQuery query;
        return core.ask(ring, query);
    }
};

TEST(DispatchCore, AGroupAsksForItsWavesAndLeavesWaveByWave) {
    Dispatcher b;
    AllocatorQuery query;
    EXPECT_EQ(b.core.ask(1, query), GroupNeeds::Nothing);
    ASSERT_TRUE(b.core.start(b.dispatch(1, 17)));
    ASSERT_EQ(b.core.ask(1, query), GroupNeeds::Room);
    EXPECT_EQ(query.tag, 17u);
    EXPECT_EQ(query.waves, 2u);
    EXPECT_EQ(query.vgprs, 1u);
    EXPECT_EQ(query.sgprs, 2u);
    EXPECT_TRUE(b.core.answer(1, AllocatorGrant{}));  // there is no room
    EXPECT_TRUE(b.place(1, 16));
    EXPECT_FALSE(b.core.launching(0));
    ASSERT_TRUE(b.core.launching(1));
    EXPECT_EQ(b.core.front(1).launch.wave_in_group, 0);
    b.core.launched(1);
    const DispatchedWave& second = b.core.front(1);
    EXPECT_EQ(second.scratch_slot, 1u);
    EXPECT_EQ(second.launch.simd, 2);
    EXPECT_EQ(second.launch.slot, 4);
    EXPECT_EQ(second.launch.vgpr_base, 20);
    EXPECT_EQ(second.launch.sgpr_base, 48);
    EXPECT_EQ(second.launch.lds_base, 768u);
    EXPECT_THAT(second.launch.sgpr_init, testing::Contains(1024u));  // its scratch offset
    b.core.launched(1);
    EXPECT_FALSE(b.core.launching(1));
}

TEST(DispatchCore, AGroupWaitsUntilAllItsWavesHaveScratchSlots) {
    Dispatcher b;
    b.core.start(b.dispatch(0, 1));
    b.core.start(b.dispatch(2, 2));  // of another ring: slots of its own
    b.place(0, 8);
    b.place(0, 16);
    EXPECT_EQ(b.ask(0), GroupNeeds::Scratch);
    EXPECT_EQ(b.ask(2), GroupNeeds::Room);
    EXPECT_TRUE(b.core.free_scratch(0, 2));
    EXPECT_FALSE(b.core.free_scratch(0, 2));
    EXPECT_FALSE(b.core.free_scratch(0, 4000));
    ASSERT_EQ(b.ask(0), GroupNeeds::Room);
    b.core.launched(0);
    b.core.launched(0);
    b.place(0, 8);
    EXPECT_EQ(b.core.front(0).scratch_slot, 2u);
    b.core.launched(0);
    EXPECT_EQ(b.core.front(0).scratch_slot, 4u);
}

TEST(DispatchCore, AWalkEndsWithTheLastGroupThatIsChosen) {
    Dispatcher b;
    Dispatch d = b.dispatch(0, 1);
    d.scratch = false;
    d.chosen = {{{3, 4}}, false};
    ASSERT_TRUE(b.core.start(d));
    EXPECT_EQ(b.core.passed_over(), 3u);
    EXPECT_TRUE(b.place(0, 8));
    EXPECT_FALSE(b.place(0, 16));
    EXPECT_EQ(b.core.passed_over(), 19u);
    EXPECT_EQ(b.ask(0), GroupNeeds::Nothing);
    d.chosen = {{{0, 23}}, true};
    EXPECT_FALSE(b.core.start(d));
    d.chosen = {};
    d.end[1] = 0;
    EXPECT_FALSE(b.core.start(d));
}

}  // namespace
}  // namespace archipelago::spi::dispatch_test
