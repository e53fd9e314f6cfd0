// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tcc_core.h"

#include <gtest/gtest.h>

#include <random>

#include "models/common/error.h"
#include "testbenches/unit/mc/memory_parts.h"
#include "testbenches/unit/tc/held_lines.h"

namespace archipelago::tc::tcc_test {
namespace {

using test::atomic_of;
using test::MemClient;
using test::read_of;
using test::Store;
using test::write_of;
using ActionClient = test::ClientOf<CacheAction, CacheActionDone>;

constexpr unsigned kMemoryLatency = 50;
constexpr uint64_t kMapped = 1 << 20;
constexpr Cycle kIn = 1;
constexpr Cycle kOut = 1;

struct Pages : PageCheck {
    explicit Pages(const MemoryImage& i) : image(i) {}
    bool is_mapped(uint64_t address) const override {
        ++asked;
        return image.is_mapped(address, 1);
    }
    const MemoryImage& image;
    mutable unsigned asked = 0;
};

TccSpec spec_of() {
    TccSpec s;
    s.hit_latency = 9;
    s.fill_latency = 4;
    s.ack_latency = 3;
    s.walk_lines_per_cycle = 16;
    return s;
}

struct Bench {
    explicit Bench(const TccSpec& spec = spec_of())
        : pages(image),
          tcc(spec, mc::ChannelMap{}, &pages, 7),
          fabric(tcc.from_fabric),
          actions(tcc.actions),
          memory(image, kMemoryLatency) {
        image.map(0, kMapped);
        for (uint64_t a = 0; a < kMapped; a += 4) {
            const auto word = static_cast<uint32_t>(a);
            image.write(a, &word, 4);
        }
        tcc.to_fabric.connect(fabric.answers_in);
        tcc.to_memory.connect(memory.requests);
        tcc.to_action_done.connect(actions.answers_in);
        memory.connect(tcc.from_memory);
        for (Clocked* c : {static_cast<Clocked*>(&tcc), static_cast<Clocked*>(&fabric),
                           static_cast<Clocked*>(&actions), static_cast<Clocked*>(&memory)})
            scheduler.add(*c);
    }
    void run(Cycle limit = 1'000'000) { scheduler.run(limit); }
    uint32_t memory_word(uint64_t address) const {
        uint32_t word = 0;
        image.read(address, &word, 4);
        return word;
    }
    uint32_t word(size_t answer, unsigned offset = 0) const {
        return test::dword_at(fabric.answers.at(answer).response.data, offset);
    }

    MemoryImage image;
    Pages pages;
    TccCore tcc;
    MemClient fabric;
    ActionClient actions;
    Store memory;
    Scheduler scheduler;
};

CacheAction writeback() {
    CacheAction a;
    a.writeback_l2 = true;
    a.tag = 1;
    return a;
}
CacheAction invalidate() {
    CacheAction a;
    a.invalidate_l2 = true;
    a.tag = 2;
    return a;
}

TEST(Tcc, AHitTakesHitLatency) {
    Bench b;
    b.fabric.send(read_of(64), 0);
    b.fabric.send(read_of(64), 200);
    const Cycle done = 200 + kIn + b.tcc.spec().hit_latency + kOut;
    b.run(done - 1);
    EXPECT_EQ(b.fabric.answers.size(), 1u);
    b.run();
    ASSERT_EQ(b.fabric.answers.size(), 2u);
    EXPECT_EQ(b.fabric.answers[1].at, done);
    EXPECT_EQ(b.word(1, 4), 68u);
    EXPECT_EQ(b.tcc.state().events.count.read_hits, 1u);
}

TEST(Tcc, AMissTakesTheWayToMemoryAndFillLatency) {
    Bench b;
    b.fabric.send(read_of(64), 10);
    b.run();
    EXPECT_EQ(b.fabric.answers.at(0).at,
              10 + kIn + 1 + (kMemoryLatency - 1) + 1 + b.tcc.spec().fill_latency + kOut);
    EXPECT_EQ(b.memory.served[0].request.client, Client::L2);
    EXPECT_EQ(b.memory.served[0].request.source, 7u);
}

TEST(Tcc, HitsStreamAtOneLinePerCycle) {
    Bench b;
    b.fabric.send(read_of(0), 0);
    for (unsigned i = 0; i < 100; ++i)
        b.fabric.send(read_of(0, i), 200);
    b.run();
    EXPECT_EQ(b.fabric.answers.at(100).at - b.fabric.answers.at(1).at, 99u);
}

TEST(Tcc, MissesStreamAtMemoryRate) {
    Bench b;
    for (unsigned i = 0; i < 500; ++i)
        b.fabric.send(read_of(i * 64, i), 0);
    TccSpec s = spec_of();
    s.mshrs = 64;
    Bench c(s);
    for (unsigned i = 0; i < 500; ++i)
        c.fabric.send(read_of(i * 64, i), 0);
    b.run();
    c.run();
    // One line needs an MSHR for about the latency of memory: 32 are too few, 64 are enough.
    EXPECT_GT(b.fabric.answers.back().at, 800u);
    EXPECT_LT(c.fabric.answers.back().at, 500u + 70u + 500u / 10);
    EXPECT_GT(*b.tcc.state().stall.counter(TccStall::Mshr), 200u);
    EXPECT_EQ(*c.tcc.state().stall.counter(TccStall::Mshr), 0u);
}

TEST(Tcc, AWriteAllocatesWithoutFetching) {
    Bench b;
    b.fabric.send(write_of(70, {1, 2, 3}), 0);
    b.run();
    ASSERT_EQ(b.fabric.answers.size(), 1u);
    EXPECT_EQ(b.fabric.answers[0].at, kIn + b.tcc.spec().hit_latency + kOut);
    EXPECT_TRUE(b.memory.served.empty());
    Line line;
    EXPECT_EQ(b.tcc.peek(64, line), uint64_t{7} << 6);
    EXPECT_EQ(line[7], 2);
}

TEST(Tcc, AReadOfAPartlyValidLineFetchesAndMerges) {
    Bench b;
    b.fabric.send(write_of(68, {0xAA, 0xBB}), 0);
    b.fabric.send(read_of(64), 10);
    b.run();
    EXPECT_EQ(b.word(1, 0), 64u);
    EXPECT_EQ(b.word(1, 4), 0x0000BBAAu) << "the upper bytes of 68 are zero";
    EXPECT_EQ(b.word(1, 8), 72u);
    EXPECT_EQ(b.tcc.state().events.count.partial_fills, 1u);
}

TEST(Tcc, AReadOfValidBytesOfAPartlyValidLineHits) {
    Bench b;
    b.fabric.send(write_of(68, {1, 2, 3, 4}), 0);
    MemRequest r = read_of(64);
    r.byte_mask = 0xF0;
    b.fabric.send(r, 10);
    b.run();
    EXPECT_EQ(b.word(1, 4), 0x04030201u);
    EXPECT_TRUE(b.memory.served.empty());
}

TEST(Tcc, EvictionsWriteBackOnlyDirtyBytes) {
    TccSpec s = spec_of();
    s.geometry = {1, 2};
    Bench b(s);
    b.fabric.send(write_of(3, {0xEE}), 0);
    b.fabric.send(read_of(64), 10);
    b.fabric.send(read_of(128), 200);
    b.run();
    ASSERT_EQ(b.memory.served.size(), 3u);
    const MemRequest& down = b.memory.served[1].request;
    EXPECT_EQ(down.command, MemCommand::Write);
    EXPECT_EQ(down.byte_mask, 8u);
    EXPECT_EQ(b.memory_word(0), 0xEE000000u);
    EXPECT_EQ(b.tcc.state().events.count.writebacks, 1u);
    EXPECT_EQ(b.tcc.state().events.count.writeback_bytes, 1u);
}

TEST(Tcc, AFetchBehindTheWriteBackOfItsLineSeesIt) {
    TccSpec s = spec_of();
    s.geometry = {1, 1};
    Bench b(s);
    b.fabric.send(write_of(0, {0x11}), 0);
    b.fabric.send(read_of(64, 1), 1);
    b.fabric.send(read_of(0, 2), 2);
    b.run();
    for (const auto& a : b.fabric.answers) {
        if (a.response.tag == 2) {
            EXPECT_EQ(a.response.data[0], 0x11);
        }
    }
    EXPECT_EQ(b.fabric.answers.size(), 3u);
    EXPECT_GT(*b.tcc.state().stall.counter(TccStall::Set), 0u);
}

TEST(Tcc, RequestsToALineOnItsWayKeepTheirOrder) {
    Bench b;
    b.fabric.send(read_of(64, 0));
    b.fabric.send(write_of(64, {0x55}, 1));
    b.fabric.send(read_of(64, 2));
    b.fabric.send(atomic_of(64, AtomicOp::Add, 1, 3));
    b.fabric.send(read_of(64, 4));
    b.fabric.send(read_of(4096, 5));
    b.run();
    ASSERT_EQ(b.fabric.answers.size(), 6u);
    for (uint32_t i = 0; i < 5; ++i)
        EXPECT_EQ(b.fabric.answers[i].response.tag, i);
    EXPECT_EQ(b.word(0), 64u);
    EXPECT_EQ(b.word(2), 0x55u);
    EXPECT_EQ(b.word(3), 0x55u);
    EXPECT_EQ(b.word(4), 0x56u);
    EXPECT_EQ(b.memory.served.size(), 2u);
    EXPECT_EQ(b.tcc.state().events.count.waited, 4u);
    // Neither hits nor misses.
    const TccCounters& count = b.tcc.state().events.count;
    EXPECT_EQ(count.read_merged, 2u);
    EXPECT_EQ(count.read_misses, 2u);
    EXPECT_EQ(count.read_hits, 0u);
    EXPECT_EQ(count.reads, count.read_hits + count.read_misses + count.read_merged);
}

TEST(Tcc, AtomicsReturnTheOldValueAndLeaveTheNew) {
    Bench b;
    b.fabric.send(atomic_of(72, AtomicOp::UMax, 1000, 0));
    MemRequest cmp = atomic_of(72, AtomicOp::CmpSwap, 5, 1);
    cmp.compare = 1000;
    b.fabric.send(cmp);
    MemRequest wide = atomic_of(80, AtomicOp::Add, 1, 2);
    wide.atomic_bytes = 8;
    wide.byte_mask = uint64_t{0xFF} << 16;
    b.fabric.send(wide);
    MemRequest silent = atomic_of(72, AtomicOp::Add, 1, 3);
    silent.returns = false;
    b.fabric.send(silent);
    b.fabric.send(read_of(64, 4));
    b.run();
    EXPECT_EQ(b.word(0, 8), 72u);
    EXPECT_EQ(b.word(1, 8), 1000u);
    EXPECT_EQ(b.word(2, 16), 80u);
    EXPECT_EQ(b.word(3, 8), 0u);
    EXPECT_EQ(b.word(4, 8), 6u);
    EXPECT_EQ(b.word(4, 16), 81u);
    EXPECT_EQ(b.word(4, 20), 84u);
}

TEST(Tcc, OneRequestCarriesAnAtomicPerDword) {
    Bench b;
    MemRequest all = read_of(64);
    all.command = MemCommand::Atomic;
    all.atomic = AtomicOp::Add;
    for (unsigned i = 0; i < 64; i += 4)
        all.data[i] = static_cast<uint8_t>(i);
    b.fabric.send(all);
    b.fabric.send(read_of(64));
    b.run();
    for (unsigned i = 0; i < 64; i += 4) {
        EXPECT_EQ(b.word(0, i), 64 + i);
        EXPECT_EQ(b.word(1, i), 64 + 2 * i);
    }
    EXPECT_EQ(b.tcc.state().events.count.atomic_operands, 16u);
}

TEST(Tcc, AnAtomicKeepsThePipelineForItsCycles) {
    TccSpec s = spec_of();
    s.atomic_cycles = 5;
    Bench b(s);
    b.fabric.send(read_of(0), 0);
    b.fabric.send(atomic_of(0, AtomicOp::Add, 1), 200);
    b.fabric.send(read_of(0), 201);
    b.run();
    EXPECT_EQ(b.fabric.answers.at(2).at - b.fabric.answers.at(1).at, 5u);
}

TEST(Tcc, AMalformedAtomicIsAnsweredWithAnError) {
    Bench b;
    MemRequest half = atomic_of(64, AtomicOp::Add, 1);
    half.byte_mask = 3;
    b.fabric.send(half);
    MemRequest two = atomic_of(64, AtomicOp::CmpSwap, 1);
    two.byte_mask = 0xFF;
    b.fabric.send(two);
    MemRequest none = atomic_of(64, AtomicOp::None, 1);
    b.fabric.send(none);
    b.run();
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(b.fabric.answers.at(i).response.status, MemStatus::Error);
}

TEST(Tcc, AWriteToAnUnmappedPageIsRefused) {
    Bench b;
    b.fabric.send(write_of(kMapped, {1}));
    b.fabric.send(write_of(kMapped - 1, {1}));
    b.run();
    EXPECT_EQ(b.fabric.answers.at(0).response.status, MemStatus::Unmapped);
    EXPECT_EQ(b.fabric.answers.at(1).response.status, MemStatus::Ok);
    EXPECT_EQ(b.tcc.state().events.count.unmapped_writes, 1u);
}

TEST(Tcc, AMappedPageIsLookedUpOnce) {
    Bench b;
    for (unsigned i = 0; i < 64; ++i)
        b.fabric.send(write_of(i * 64, {1}));
    b.run();
    EXPECT_EQ(b.pages.asked, 1u);
}

TEST(Tcc, AReadMemoryRefusesReachesAllWhoWaitAndIsNotKept) {
    Bench b;
    b.fabric.send(read_of(kMapped, 0), 0);
    b.fabric.send(read_of(kMapped, 1), 1);
    b.fabric.send(atomic_of(kMapped, AtomicOp::Add, 1, 2), 2);
    b.fabric.send(read_of(kMapped, 3), 300);
    b.run();
    ASSERT_EQ(b.fabric.answers.size(), 4u);
    for (const auto& a : b.fabric.answers)
        EXPECT_EQ(a.response.status, MemStatus::Unmapped);
    EXPECT_EQ(b.memory.served.size(), 2u);
    Line line;
    EXPECT_EQ(b.tcc.peek(kMapped, line), 0u);
}

TEST(Tcc, AnErrorOfMemoryKeepsTheBytesWrittenHere) {
    Bench b;
    b.fabric.send(write_of(64, {0x99}), 0);
    b.memory.refuse_with = MemStatus::Error;
    b.fabric.send(read_of(64), 10);
    b.run();
    EXPECT_EQ(b.fabric.answers.at(1).response.status, MemStatus::Error);
    Line line;
    EXPECT_EQ(b.tcc.peek(64, line), 1u);
    EXPECT_EQ(line[0], 0x99);
}

TEST(Tcc, AWriteThroughIsAnsweredWhenMemoryHas) {
    Bench b;
    b.fabric.send(write_of(64, {1, 1, 1, 1}), 0);
    MemRequest through = write_of(65, {2}, 9);
    through.write_through = true;
    b.fabric.send(through, 100);
    b.run();
    ASSERT_EQ(b.fabric.answers.size(), 2u);
    EXPECT_EQ(b.fabric.answers[1].response.tag, 9u);
    EXPECT_EQ(b.fabric.answers[1].at,
              100 + kIn + 1 + (kMemoryLatency - 1) + 1 + b.tcc.spec().ack_latency + kOut);
    EXPECT_EQ(b.memory_word(64), 64u | 0x200u);
    Line line;
    b.tcc.peek(64, line);
    EXPECT_EQ(test::dword_at(line, 0), 0x01010201u);
    // The byte is clean now, its neighbours are dirty still.
    b.actions.send(writeback());
    b.run();
    EXPECT_EQ(b.memory.served.back().request.byte_mask, 0xDu);
    EXPECT_EQ(b.memory_word(64), 0x01010201u);
}

TEST(Tcc, WritebackSendsEveryDirtyLineAndWaitsForMemory) {
    Bench b;
    for (unsigned i = 0; i < 40; ++i)
        b.fabric.send(write_of(i * 640, {static_cast<uint8_t>(i + 1)}), 0);
    b.actions.send(writeback(), 200);
    b.run();
    ASSERT_EQ(b.actions.answers.size(), 1u);
    EXPECT_EQ(b.actions.answers[0].response.tag, 1u);
    ASSERT_EQ(b.memory.served.size(), 40u);
    EXPECT_GE(b.actions.answers[0].at, b.memory.served.back().at + kMemoryLatency);
    for (unsigned i = 0; i < 40; ++i)
        EXPECT_EQ(b.memory_word(i * 640) & 0xFF, i + 1);
    // The lines stay, clean.
    b.fabric.send(read_of(640));
    b.actions.send(writeback());
    b.run();
    EXPECT_EQ(b.memory.served.size(), 41u) << "one fill of a partly valid line";
}

TEST(Tcc, AWalkTakesItsRate) {
    for (const unsigned rate : {4u, 16u}) {
        TccSpec s = spec_of();
        s.walk_lines_per_cycle = rate;
        Bench b(s);
        b.actions.send(writeback(), 100);
        b.run();
        EXPECT_EQ(b.actions.answers.at(0).at, 100 + kIn + 1024 / rate - 1 + kOut);
    }
}

TEST(Tcc, ARangeOfAWritebackLeavesOtherLinesDirty) {
    Bench b;
    for (unsigned i = 0; i < 4; ++i)
        b.fabric.send(write_of(i * 64, {0xF0}), 0);
    CacheAction a = writeback();
    a.base = 64;
    a.size = 128;
    b.actions.send(a, 200);
    b.run();
    EXPECT_EQ(b.memory.served.size(), 2u);
    EXPECT_EQ(b.memory_word(0), 0u);
    EXPECT_EQ(b.memory_word(64), 0xF0u);
    EXPECT_EQ(b.memory_word(192), 192u);
}

TEST(Tcc, InvalidationDropsCleanBytesAndKeepsDirtyOnes) {
    Bench b;
    b.fabric.send(read_of(0), 0);
    b.fabric.send(read_of(64), 0);
    b.fabric.send(write_of(64, {0x77}), 200);
    b.actions.send(invalidate(), 300);
    b.run();
    Line line;
    EXPECT_EQ(b.tcc.peek(0, line), 0u);
    EXPECT_EQ(b.tcc.peek(64, line), 1u);
    const uint32_t changed = 5;
    b.image.write(0, &changed, 4);
    b.image.write(68, &changed, 4);
    b.fabric.send(read_of(0));
    b.fabric.send(read_of(64));
    b.run();
    EXPECT_EQ(b.word(3), 5u);
    EXPECT_EQ(b.word(4), 0x77u);
    EXPECT_EQ(b.word(4, 4), 5u);
}

TEST(Tcc, WritebackWithInvalidationEmptiesTheCache) {
    Bench b;
    for (unsigned i = 0; i < 8; ++i)
        b.fabric.send(write_of(i * 64, {1}), 0);
    CacheAction a = writeback();
    a.invalidate_l2 = true;
    b.actions.send(a, 100);
    b.run();
    Line line;
    for (unsigned i = 0; i < 8; ++i)
        EXPECT_EQ(b.tcc.peek(i * 64, line), 0u);
    EXPECT_EQ(b.memory.served.size(), 8u);
}

TEST(Tcc, ALineOnItsWayAtAnInvalidationIsDroppedAfterUse) {
    Bench b;
    b.fabric.send(read_of(64, 0), 0);
    b.actions.send(invalidate(), 5);
    b.fabric.send(read_of(64, 1), 300);
    b.run();
    EXPECT_EQ(b.memory.served.size(), 2u);
    EXPECT_EQ(b.fabric.answers.size(), 2u);
}

TEST(Tcc, ARefusedWriteBackStopsTheMachine) {
    Bench b;
    b.fabric.send(write_of(64, {1}), 0);
    b.run();
    b.memory.refuse_with = MemStatus::Unmapped;
    b.actions.send(writeback());
    EXPECT_THROW(b.run(), MachineStop);
}

TEST(Tcc, SlcReadsAreReplacedFirst) {
    TccSpec s = spec_of();
    s.geometry = {1, 2};
    Bench b(s);
    MemRequest stream = read_of(64);
    stream.slc = true;
    b.fabric.send(read_of(0), 0);
    b.fabric.send(stream, 100);
    b.fabric.send(read_of(128), 200);
    b.fabric.send(read_of(0), 300);
    b.run();
    EXPECT_EQ(b.tcc.state().events.count.read_hits, 1u)
        << "line 0 survived the newer streaming line";
}

TEST(Tcc, ChannelsOfAnInterleavedMapUseAllTheirSets) {
    mc::ChannelMapSpec map_spec;
    map_spec.channels = 8;
    const mc::ChannelMap map(map_spec);
    MemoryImage image;
    TccCore tcc(spec_of(), map, nullptr);
    Channel<MemResponse> out({4096, 1});
    Channel<MemRequest> memory({4096, 1});
    tcc.to_fabric.connect(out);
    tcc.to_memory.connect(memory);
    Cycle now = 0;
    for (uint64_t local = 0; local < 65536; local += 64) {
        tcc.from_fabric.push(now, write_of(map.global_address(3, local), {1}));
        ++now;
        tcc.tick(now);
    }
    for (unsigned i = 0; i < 20; ++i)
        tcc.tick(++now);
    EXPECT_EQ(out.pushes(), 1024u);
    EXPECT_EQ(tcc.state().events.count.evictions, 0u)
        << "64 KiB of one channel fit into its 64 KiB";
}

TEST(Tcc, FlushAndPokeWorkOutsideTime) {
    Bench b;
    b.fabric.send(write_of(64, {1, 2}), 0);
    b.run();
    Line bytes{};
    bytes[0] = 9;
    bytes[30] = 9;
    b.tcc.poke(64, bytes, 1u | 1u << 30);
    unsigned lines = 0;
    b.tcc.flush([&](uint64_t line, const Line& data, uint64_t mask) {
        ++lines;
        EXPECT_EQ(line, 64u);
        EXPECT_EQ(mask, 3u);
        EXPECT_EQ(data[0], 9);
        EXPECT_EQ(data[1], 2);
    });
    EXPECT_EQ(lines, 1u);
    b.tcc.flush([&](uint64_t, const Line&, uint64_t) { ++lines; });
    EXPECT_EQ(lines, 1u);
}

TEST(Tcc, PausedItTakesNothingAndResumedItGoesOn) {
    Bench b;
    b.tcc.pause();
    b.fabric.send(read_of(0));
    b.run(500);
    EXPECT_TRUE(b.memory.served.empty());
    EXPECT_EQ(b.tcc.waiting_for(), "paused");
    b.tcc.resume();
    b.run();
    EXPECT_EQ(b.fabric.answers.size(), 1u);
    EXPECT_TRUE(b.tcc.idle());
    EXPECT_FALSE(b.tcc.tick(b.scheduler.now() + 1));
}

TEST(Tcc, ImpossibleParametersAreRefused) {
    const auto refused = [](auto change) {
        TccSpec s = spec_of();
        change(s);
        EXPECT_THROW(TccCore(s, mc::ChannelMap{}, nullptr), MachineStop);
    };
    refused([](TccSpec& s) { s.mshrs = 0; });
    refused([](TccSpec& s) { s.memory_entries = 1; });
    refused([](TccSpec& s) { s.hit_latency = 0; });
    refused([](TccSpec& s) { s.page_entries = 3; });
    refused([](TccSpec& s) { s.geometry.sets = 3; });
}

TEST(Tcc, OutsideTimeRequestsLeaveTheLinesTheyLeaveInTime) {
    TccSpec spec = spec_of();
    spec.geometry = {4, 3};
    Bench b(spec);
    TccCore outside(spec, mc::ChannelMap{}, nullptr, 7);
    std::mt19937 random(6);
    for (Cycle at = 0; at < 900'000; at += 450) {
        if (random() % 64 == 0) {
            CacheAction action = random() % 2 != 0 ? writeback() : invalidate();
            action.base = 1024;
            action.size = random() % 2 != 0 ? 2048 : ~uint64_t{0};
            b.actions.send(action, at);
            outside.warm(action);
        } else {
            const uint64_t line = random() % 24 * kLineBytes;
            MemRequest request = random() % 8 == 0   ? atomic_of(line, AtomicOp::Add, 1)
                                 : random() % 3 == 0 ? write_of(line + 8, {1, 2, 3, 4})
                                                     : read_of(line);
            if (request.command == MemCommand::Read && random() % 4 == 0)
                request.byte_mask = 0xF00;  // may be here without the rest of the line
            request.slc = random() % 4 == 0;
            b.fabric.send(request, at);
            outside.warm(request);
        }
        b.run(at + 449);
        ASSERT_EQ(test::held_lines(outside.state().array), test::held_lines(b.tcc.state().array))
            << "cycle " << at;
    }
    const TccCounters& c = b.tcc.state().events.count;
    EXPECT_GT(c.read_hits, 100u);
    EXPECT_GT(c.evictions, 100u);
    EXPECT_GT(c.writebacks, 100u);
    EXPECT_GT(c.partial_fills, 10u);
}

}  // namespace
}  // namespace archipelago::tc::tcc_test
