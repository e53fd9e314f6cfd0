// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tcp_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "models/common/error.h"
#include "testbenches/unit/mc/memory_parts.h"
#include "testbenches/unit/tc/held_lines.h"

namespace archipelago::tc::tcp_test {
namespace {

using test::MemClient;
using test::read_of;
using test::Store;
using test::write_of;
using ActionClient = test::ClientOf<CacheAction, CacheActionDone>;

constexpr unsigned kL2Latency = 40;

TcpSpec spec_of() {
    TcpSpec s;
    s.hit_latency = 7;
    s.fill_latency = 5;
    s.ack_latency = 3;
    s.invalidate_cycles = 9;
    return s;
}

struct Bench {
    explicit Bench(const TcpSpec& spec = spec_of(), unsigned l2_latency = kL2Latency)
        : tcp(spec), cu(tcp.from_cu), actions(tcp.actions), l2(image, l2_latency) {
        image.map(0, 1 << 20);
        for (uint64_t a = 0; a < (1 << 20); a += 4) {
            const auto word = static_cast<uint32_t>(a);
            image.write(a, &word, 4);
        }
        tcp.to_cu.connect(cu.answers_in);
        tcp.to_l2.connect(l2.requests);
        tcp.to_action_done.connect(actions.answers_in);
        l2.connect(tcp.from_l2);
        for (Clocked* c : {static_cast<Clocked*>(&tcp), static_cast<Clocked*>(&cu),
                           static_cast<Clocked*>(&actions), static_cast<Clocked*>(&l2)})
            scheduler.add(*c);
    }
    void run(Cycle limit = 1'000'000) { scheduler.run(limit); }
    uint32_t word(size_t answer, unsigned offset = 0) const {
        return test::dword_at(cu.answers.at(answer).response.data, offset);
    }
    // As another client of L2 would.
    void poke(uint64_t address, uint32_t word) { image.write(address, &word, 4); }

    MemoryImage image;
    TcpCore tcp;
    MemClient cu;
    ActionClient actions;
    Store l2;
    Scheduler scheduler;
};

// A request sent in cycle s is looked up in s + 1; what leaves in cycle e arrives in e + 1.
constexpr Cycle kIn = 1;
constexpr Cycle kOut = 1;

TEST(Tcp, AHitTakesHitLatency) {
    Bench b;
    b.cu.send(read_of(256), 0);
    b.cu.send(read_of(256), 200);
    const Cycle done = 200 + kIn + b.tcp.spec().hit_latency + kOut;
    b.run(done - 1);
    EXPECT_EQ(b.cu.answers.size(), 1u);
    b.run();
    ASSERT_EQ(b.cu.answers.size(), 2u);
    EXPECT_EQ(b.cu.answers[1].at, done);
    EXPECT_EQ(b.word(1, 8), 264u);
    EXPECT_EQ(b.tcp.state().events.count.read_hits, 1u);
}

TEST(Tcp, AMissTakesTheWayToL2AndFillLatency) {
    Bench b;
    b.cu.send(read_of(256), 10);
    b.run();
    ASSERT_EQ(b.cu.answers.size(), 1u);
    // The store takes the request one cycle after the lookup and answers kL2Latency - 1 later.
    EXPECT_EQ(b.cu.answers[0].at,
              10 + kIn + 1 + (kL2Latency - 1) + 1 + b.tcp.spec().fill_latency + kOut);
    EXPECT_EQ(b.tcp.state().events.count.read_misses, 1u);
    EXPECT_EQ(b.tcp.state().events.count.fills, 1u);
}

TEST(Tcp, HitsStreamAtOneLinePerCycle) {
    Bench b;
    b.cu.send(read_of(0), 0);
    for (unsigned i = 0; i < 100; ++i)
        b.cu.send(read_of(0, i), 200);
    b.run();
    ASSERT_EQ(b.cu.answers.size(), 101u);
    EXPECT_EQ(b.cu.answers[100].at - b.cu.answers[1].at, 99u);
}

TEST(Tcp, ReadsOfALineOnItsWayJoinItsFill) {
    Bench b;
    for (unsigned i = 0; i < 5; ++i)
        b.cu.send(read_of(640, i));
    b.run();
    EXPECT_EQ(b.cu.answers.size(), 5u);
    EXPECT_EQ(b.l2.served.size(), 1u);
    EXPECT_EQ(b.tcp.state().events.count.read_merged, 4u);
}

TEST(Tcp, AnswersComeInTheOrderOfRequestsWhateverTheirKind) {
    Bench b;
    b.cu.send(read_of(0, 0));
    b.cu.send(write_of(64, {1}, 1));
    b.cu.send(read_of(0, 2));
    b.cu.send(test::atomic_of(128, AtomicOp::Add, 1, 3));
    b.cu.send(read_of(192, 4));
    b.cu.send(read_of(0, 5));
    b.run();
    ASSERT_EQ(b.cu.answers.size(), 6u);
    for (uint32_t i = 0; i < 6; ++i)
        EXPECT_EQ(b.cu.answers[i].response.tag, i);
}

TEST(Tcp, TagPortAndUidComeBackUnchanged) {
    Bench b;
    MemRequest r = read_of(64, 0xDEADBEEF);
    r.port = 3;
    r.uid = 99;
    r.source = 17;
    b.cu.send(r);
    b.run();
    const MemResponse& a = b.cu.answers.at(0).response;
    EXPECT_EQ(a.tag, 0xDEADBEEFu);
    EXPECT_EQ(a.port, 3u);
    EXPECT_EQ(a.uid, 99u);
    EXPECT_EQ(a.line, 64u);
    EXPECT_EQ(b.l2.served[0].request.source, 17u);
    EXPECT_EQ(b.l2.served[0].request.uid, 99u);
}

TEST(Tcp, AWriteIsAnsweredWhenL2HasAnswered) {
    Bench b;
    b.cu.send(write_of(64, {1, 2, 3}), 10);
    b.run();
    ASSERT_EQ(b.cu.answers.size(), 1u);
    EXPECT_EQ(b.cu.answers[0].at,
              10 + kIn + 1 + (kL2Latency - 1) + 1 + b.tcp.spec().ack_latency + kOut);
    EXPECT_EQ(b.tcp.state().events.count.fills, 0u) << "writes do not allocate";
}

TEST(Tcp, TheCuSeesItsOwnWriteInALineItHolds) {
    Bench b;
    b.cu.send(read_of(64), 0);
    b.cu.send(write_of(68, {0xAA, 0xBB}), 100);
    b.cu.send(read_of(64), 101);
    b.run();
    EXPECT_EQ(b.word(2, 4), 0x0000BBAAu);
    EXPECT_EQ(b.tcp.state().events.count.read_hits, 1u);
    EXPECT_EQ(b.tcp.state().events.count.write_hits, 1u);
}

TEST(Tcp, AWriteOvertakingAFillIsNotLost) {
    Bench b;
    b.cu.send(read_of(64, 0), 0);
    b.cu.send(write_of(64, {0xAA}, 1), 1);
    b.cu.send(read_of(64, 2), 2);
    b.cu.send(read_of(64, 3), 300);
    b.run();
    ASSERT_EQ(b.cu.answers.size(), 4u);
    EXPECT_EQ(b.word(0), 64u) << "the older read sees the older value";
    EXPECT_EQ(b.word(2) & 0xFF, 0xAAu);
    EXPECT_EQ(b.word(3) & 0xFF, 0xAAu);
    EXPECT_EQ(b.tcp.state().events.count.dropped_fills, 1u);
}

TEST(Tcp, GlcReadsGoToL2AndAreNotKept) {
    Bench b;
    MemRequest glc = read_of(64);
    glc.glc = true;
    b.cu.send(read_of(64), 0);
    b.cu.send(glc, 200);
    b.cu.send(read_of(64), 400);
    b.run(150);
    b.poke(64, 7777);
    b.run();
    EXPECT_EQ(b.word(0), 64u);
    EXPECT_EQ(b.word(1), 7777u);
    EXPECT_EQ(b.word(2), 7777u) << "no older value after a newer one";
    EXPECT_EQ(b.l2.served.size(), 3u);
}

TEST(Tcp, AGlcReadDoesNotJoinAFillSentBefore) {
    Bench b;
    MemRequest glc = read_of(64);
    glc.glc = true;
    b.cu.send(read_of(64), 0);
    b.cu.send(glc, 1);
    b.run();
    EXPECT_EQ(b.l2.served.size(), 2u);
    EXPECT_EQ(b.tcp.state().events.count.fills, 0u);
}

TEST(Tcp, AtomicsPassToL2AndDropTheLine) {
    Bench b;
    b.cu.send(read_of(64), 0);
    b.cu.send(test::atomic_of(64, AtomicOp::Add, 5), 200);
    b.cu.send(read_of(64), 400);
    b.run();
    EXPECT_EQ(b.l2.served.size(), 3u);
    EXPECT_EQ(b.l2.served[1].request.command, MemCommand::Atomic);
}

TEST(Tcp, TheLeastRecentlyUsedWayIsReplaced) {
    TcpSpec s = spec_of();
    s.geometry = {1, 2};
    Bench b(s);
    b.cu.send(read_of(0), 0);
    b.cu.send(read_of(64), 100);
    b.cu.send(read_of(0), 200);    // hit: 64 is now the oldest
    b.cu.send(read_of(128), 300);  // replaces 64
    b.cu.send(read_of(0), 400);    // hit
    b.cu.send(read_of(64), 500);   // miss
    b.run();
    EXPECT_EQ(b.tcp.state().events.count.read_hits, 2u);
    EXPECT_EQ(b.tcp.state().events.count.evictions, 2u);
}

TEST(Tcp, ALineThatIsKeptIsFetchedWhole) {
    Bench b;
    MemRequest part = read_of(64);
    part.byte_mask = 0xF;
    b.cu.send(part, 0);
    MemRequest glc = part;
    glc.glc = true;
    b.cu.send(glc, 200);
    b.run();
    EXPECT_EQ(b.l2.served[0].request.byte_mask, ~uint64_t{0});
    EXPECT_EQ(b.l2.served[1].request.byte_mask, 0xFu);
}

TEST(Tcp, AddressSpacesDoNotShareLines) {
    Bench b;
    MemRequest other = read_of(64);
    other.vmid = 5;
    b.cu.send(read_of(64), 0);
    b.cu.send(other, 200);
    b.cu.send(other, 400);
    b.run();
    EXPECT_EQ(b.tcp.state().events.count.read_misses, 2u);
    EXPECT_EQ(b.tcp.state().events.count.read_hits, 1u);
}

TEST(Tcp, AFaultReachesEveryWaiterAndIsNotKept) {
    Bench b;
    b.cu.send(read_of(2 << 20, 0), 0);
    b.cu.send(read_of(2 << 20, 1), 1);
    b.cu.send(write_of(2 << 20, {1}, 2), 2);
    b.cu.send(read_of(2 << 20, 3), 300);
    b.run();
    ASSERT_EQ(b.cu.answers.size(), 4u);
    for (const auto& a : b.cu.answers)
        EXPECT_EQ(a.response.status, MemStatus::Unmapped);
    EXPECT_EQ(b.tcp.state().events.count.fills, 0u);
}

TEST(Tcp, MissesBeyondTheMshrsWaitAndAreCounted) {
    TcpSpec s = spec_of();
    s.mshrs = 2;
    Bench b(s);
    for (unsigned i = 0; i < 3; ++i)
        b.cu.send(read_of(i * 64));
    b.run();
    EXPECT_EQ(b.cu.answers.size(), 3u);
    // The third is looked up in cycle 3; the first fill comes at kIn + 1 + (latency - 1) + 1.
    EXPECT_EQ(*b.tcp.state().stall.counter(TcpStall::Mshr), (1 + kL2Latency + 1) - 3u);
}

TEST(Tcp, RequestsBeyondTheReturnOrderWaitAndAreCounted) {
    TcpSpec s = spec_of();
    s.order_entries = 2;
    Bench b(s);
    for (unsigned i = 0; i < 3; ++i)
        b.cu.send(read_of(0, i));
    b.run();
    EXPECT_EQ(b.cu.answers.size(), 3u);
    EXPECT_GT(*b.tcp.state().stall.counter(TcpStall::Order), kL2Latency);
}

TEST(Tcp, InvalidationDropsTheLines) {
    Bench b;
    CacheAction action;
    action.invalidate_l1 = true;
    action.tag = 42;
    b.cu.send(read_of(64), 0);
    b.actions.send(action, 200);
    b.cu.send(read_of(64), 300);
    b.run();
    ASSERT_EQ(b.actions.answers.size(), 1u);
    EXPECT_EQ(b.actions.answers[0].response.tag, 42u);
    EXPECT_EQ(b.actions.answers[0].at, 200 + kIn + b.tcp.spec().invalidate_cycles + kOut);
    EXPECT_EQ(b.tcp.state().events.count.read_misses, 2u);
}

TEST(Tcp, InvalidationOfARangeKeepsTheRest) {
    Bench b;
    CacheAction action;
    action.invalidate_l1 = true;
    action.base = 100;  // inside the second line
    action.size = 64;   // to the third
    for (unsigned i = 0; i < 4; ++i)
        b.cu.send(read_of(i * 64), 0);
    b.actions.send(action, 200);
    for (unsigned i = 0; i < 4; ++i)
        b.cu.send(read_of(i * 64), 300);
    b.run();
    EXPECT_EQ(b.tcp.state().events.count.invalidated_lines, 2u);
    EXPECT_EQ(b.tcp.state().events.count.read_hits, 2u);
}

TEST(Tcp, AFillInFlightAtAnInvalidationIsAwaitedAndNotKept) {
    Bench b;
    CacheAction action;
    action.invalidate_l1 = true;
    b.cu.send(read_of(64, 0), 0);
    b.actions.send(action, 10);
    b.cu.send(read_of(64, 1), 200);
    b.run();
    ASSERT_EQ(b.actions.answers.size(), 1u);
    EXPECT_GE(b.actions.answers[0].at, kIn + kL2Latency);
    EXPECT_EQ(b.tcp.state().events.count.dropped_fills, 1u);
    EXPECT_EQ(b.tcp.state().events.count.read_misses, 2u);
}

TEST(Tcp, AReadAfterAnInvalidationDoesNotJoinAnOlderFill) {
    Bench b;
    CacheAction action;
    action.invalidate_l1 = true;
    b.cu.send(read_of(64, 0), 0);
    b.actions.send(action, 10);
    b.cu.send(read_of(64, 1), 12);
    b.run(11);
    b.run(8);
    b.poke(64, 4711);  // after the first read has been served by L2
    b.run();
    EXPECT_EQ(b.word(0), 64u);
    EXPECT_EQ(b.word(1), 4711u);
}

TEST(Tcp, AnActionForOtherCachesIsAnsweredAtOnce) {
    Bench b;
    CacheAction action;
    action.writeback_l2 = true;
    b.cu.send(read_of(64), 0);
    b.actions.send(action, 200);
    b.cu.send(read_of(64), 300);
    b.run();
    EXPECT_EQ(b.actions.answers.size(), 1u);
    EXPECT_EQ(b.tcp.state().events.count.read_hits, 1u);
}

TEST(Tcp, PausedItTakesNothingAndResumedItGoesOn) {
    Bench b;
    b.tcp.pause();
    b.cu.send(read_of(0));
    b.run(500);
    EXPECT_TRUE(b.cu.answers.empty());
    EXPECT_EQ(b.tcp.waiting_for(), "paused");
    b.tcp.resume();
    b.run();
    EXPECT_EQ(b.cu.answers.size(), 1u);
    EXPECT_TRUE(b.tcp.idle());
}

TEST(Tcp, WithoutWorkATickChangesNothing) {
    Bench b;
    b.cu.send(read_of(0));
    b.run();
    EXPECT_FALSE(b.tcp.tick(b.scheduler.now() + 10));
    EXPECT_EQ(b.tcp.state().events.count.reads, 1u);
}

TEST(Tcp, ImpossibleParametersAreRefused) {
    TcpSpec s = spec_of();
    s.geometry.sets = 48;
    EXPECT_THROW(TcpCore{s}, MachineStop);
    s = spec_of();
    s.mshrs = 0;
    EXPECT_THROW(TcpCore{s}, MachineStop);
    s = spec_of();
    s.hit_latency = 0;
    EXPECT_THROW(TcpCore{s}, MachineStop);
}

TEST(Tcp, AForeignAnswerIsAProtocolError) {
    Bench b;
    MemResponse stray;
    stray.tag = 3;
    b.tcp.from_l2.push(0, stray);
    EXPECT_THROW(b.run(), MachineStop);
}

// One request at a time: with several on their way, time decides in which order fills come.
TEST(Tcp, OutsideTimeRequestsLeaveTheLinesTheyLeaveInTime) {
    TcpSpec spec = spec_of();
    spec.geometry = {4, 3};
    Bench b(spec);
    TcpCore outside(spec);
    std::mt19937 random(5);
    uint64_t went_on = 0;
    for (Cycle at = 0; at < 600'000; at += 300) {
        if (random() % 64 == 0) {
            CacheAction action;
            action.invalidate_l1 = random() % 4 != 0;
            action.base = 512;
            action.size = random() % 2 != 0 ? 1024 : ~uint64_t{0};
            b.actions.send(action, at);
            outside.warm(action);
        } else {
            const uint64_t line = random() % 24 * kLineBytes;
            MemRequest request = random() % 8 == 0   ? test::atomic_of(line, AtomicOp::Add, 1)
                                 : random() % 4 == 0 ? write_of(line + 4, {1, 2, 3, 4})
                                                     : read_of(line);
            request.glc = random() % 8 == 0;
            request.slc = random() % 4 == 0;
            request.vmid = static_cast<uint8_t>(random() % 2);
            b.cu.send(request, at);
            went_on += outside.warm(request) ? 1 : 0;
        }
        b.run(at + 299);
        ASSERT_EQ(test::held_lines(outside.state().array), test::held_lines(b.tcp.state().array))
            << "cycle " << at;
    }
    const TcpCounters& c = b.tcp.state().events.count;
    EXPECT_EQ(went_on, c.reads - c.read_hits + c.writes + c.atomics);
    EXPECT_GT(c.read_hits, 100u);
    EXPECT_GT(c.evictions, 100u);
}

TEST(Tcp, AHashSpreadsStridesOfPowersOfTwoOverTheSets) {
    for (unsigned stride_bits = 12; stride_bits < 40; ++stride_bits) {
        TcpSpec spec = spec_of();
        spec.geometry.set_hash = 12;
        TcpCore tcp(spec);
        for (uint64_t row = 0; row < 256; ++row)
            tcp.warm(read_of(row << stride_bits));
        EXPECT_EQ(test::held_lines(tcp.state().array).size(), 256u) << stride_bits;
    }
    TcpCore plain(spec_of());
    for (uint64_t row = 0; row < 256; ++row)
        plain.warm(read_of(row << 12));
    EXPECT_EQ(test::held_lines(plain.state().array).size(), 4u);
}

TEST(CacheArray, LinesOfAWholeCacheHaveOneSetEachWithEveryHash) {
    for (unsigned sets : {1u, 2u, 64u, 512u, 1u << 17}) {
        for (unsigned hash : {0u, 7u, 12u, 29u, 63u}) {
            const CacheArray array({sets, 1, hash}, "cache");
            std::vector<bool> taken(sets);
            for (uint64_t line = 0; line < sets; ++line)
                taken[array.set_of(0x5a5a5a5 * uint64_t{sets} + line)] = true;
            EXPECT_EQ(std::count(taken.begin(), taken.end(), true), sets) << sets << ' ' << hash;
        }
    }
    for (unsigned hash : {1u, 6u, 64u})
        EXPECT_THROW(CacheArray({64, 4, hash}, "cache"), MachineStop) << hash;
}

TEST(Tcp, LinesThatCannotBeReadAreNotFilled) {
    TcpCore outside(spec_of());
    outside.warm(read_of(0));
    outside.warm(read_of(64));
    outside.fill([](uint64_t line, uint8_t, Line& data) {
        data.fill(7);
        return line == 64;
    });
    const CacheArray& array = outside.state().array;
    EXPECT_EQ(test::held_lines(array).size(), 1u);
    EXPECT_EQ(array.data(array.find(array.set_of(1), 64))[63], 7);
}

}  // namespace
}  // namespace archipelago::tc::tcp_test
