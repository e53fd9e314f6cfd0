// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "models/common/error.h"
#include "models/tc/sqc_data_core.h"
#include "models/tc/sqc_inst_core.h"
#include "testbenches/unit/mc/memory_parts.h"
#include "testbenches/unit/tc/held_lines.h"

namespace archipelago::tc::sqc_test {
namespace {

using test::Store;
using FetchClient = test::ClientOf<FetchRequest, FetchResponse>;
using ScalarClient = test::ClientOf<ScalarRequest, ScalarResponse>;
using ActionClient = test::ClientOf<CacheAction, CacheActionDone>;

constexpr unsigned kL2Latency = 40;
constexpr Cycle kIn = 1;
constexpr Cycle kOut = 1;

template <class Core, class Client, class Spec>
struct Bench {
    explicit Bench(const Spec& spec) : core(spec, 6), actions(core.actions), l2(image, kL2Latency) {
        image.map(0, 1 << 20);
        for (uint64_t a = 0; a < (1 << 20); a += 4) {
            const auto word = static_cast<uint32_t>(a);
            image.write(a, &word, 4);
        }
        scheduler.add(core);
        scheduler.add(actions);
        scheduler.add(l2);
        for (unsigned i = 0; i < spec.cus; ++i) {
            cus.push_back(std::make_unique<Client>(core.from_cu(i)));
            core.to_cu[i].connect(cus.back()->answers_in);
            scheduler.add(*cus.back());
        }
        core.to_l2.connect(l2.requests);
        core.to_action_done.connect(actions.answers_in);
        l2.connect(core.from_l2);
    }
    void run(Cycle limit = 1'000'000) { scheduler.run(limit); }

    MemoryImage image;
    Core core;
    ActionClient actions;
    Store l2;
    std::vector<std::unique_ptr<Client>> cus;
    Scheduler scheduler;
};
using InstBench = Bench<SqcInstCore, FetchClient, SqcInstSpec>;
using DataBench = Bench<SqcDataCore, ScalarClient, SqcDataSpec>;

SqcInstSpec inst_spec() {
    SqcInstSpec s;
    s.hit_latency = 4;
    s.fill_latency = 3;
    s.invalidate_cycles = 6;
    return s;
}
SqcDataSpec data_spec() {
    SqcDataSpec s;
    s.hit_latency = 5;
    s.fill_latency = 3;
    s.invalidate_cycles = 6;
    return s;
}

template <class Spec>
Spec small(Spec s, unsigned mshrs, unsigned outstanding) {
    s.geometry = {4, 2};
    s.mshrs = mshrs;
    s.outstanding = outstanding;
    return s;
}

FetchRequest fetch(uint64_t address, uint16_t wave = 0) {
    FetchRequest r;
    r.address = address;
    r.wave = wave;
    r.generation = wave + 100u;
    return r;
}
ScalarRequest load(uint64_t address, uint8_t dwords, uint32_t tag = 0) {
    ScalarRequest r;
    r.address = address;
    r.dwords = dwords;
    r.wave = static_cast<uint16_t>(tag + 1);
    r.tag = tag;
    return r;
}

// ---- instruction cache -------------------------------------------------------------------------

TEST(SqcInst, AHitTakesHitLatencyAndBringsTheBlock) {
    InstBench b(inst_spec());
    b.cus[0]->send(fetch(96, 1), 0);
    b.cus[0]->send(fetch(64, 2), 200);
    b.run();
    ASSERT_EQ(b.cus[0]->answers.size(), 2u);
    const auto& a = b.cus[0]->answers[1];
    EXPECT_EQ(a.at, 200 + kIn + b.core.spec().hit_latency + kOut);
    EXPECT_EQ(a.response.address, 64u);
    EXPECT_EQ(a.response.wave, 2u);
    EXPECT_EQ(a.response.generation, 102u);
    for (uint32_t i = 0; i < 8; ++i) {
        EXPECT_EQ(b.cus[0]->answers[0].response.words[i], 96 + i * 4);
        EXPECT_EQ(a.response.words[i], 64 + i * 4);
    }
    EXPECT_EQ(b.core.state().count.hits, 1u);
    EXPECT_EQ(b.l2.served[0].request.client, Client::Instruction);
    EXPECT_EQ(b.l2.served[0].request.source, 6u);
}

TEST(SqcInst, AMissTakesTheWayToL2AndFillLatency) {
    InstBench b(inst_spec());
    b.cus[0]->send(fetch(0), 10);
    b.run();
    EXPECT_EQ(b.cus[0]->answers.at(0).at,
              10 + kIn + 1 + (kL2Latency - 1) + 1 + b.core.spec().fill_latency + kOut);
}

TEST(SqcInst, CusShareTheFillOfALine) {
    InstBench b(inst_spec());
    for (unsigned cu = 0; cu < 4; ++cu)
        b.cus[cu]->send(fetch(32 * (cu % 2)));
    b.run();
    EXPECT_EQ(b.l2.served.size(), 1u);
    EXPECT_EQ(b.core.state().count.merged, 3u);
    for (unsigned cu = 0; cu < 4; ++cu)
        EXPECT_EQ(b.cus[cu]->answers.size(), 1u);
}

TEST(SqcInst, OneLookupPerCycleAndBankGoesRoundRobin) {
    InstBench b(inst_spec());
    b.cus[0]->send(fetch(0), 0);
    for (unsigned n = 0; n < 20; ++n)
        for (unsigned cu = 0; cu < 4; ++cu)
            b.cus[cu]->send(fetch(0), 200);
    b.run();
    for (unsigned cu = 0; cu < 4; ++cu) {
        const auto& answers = b.cus[cu]->answers;
        const size_t first = cu == 0 ? 1 : 0;
        ASSERT_EQ(answers.size(), first + 20);
        EXPECT_EQ(answers.back().at - answers[first].at, 19u * 4) << "every fourth cycle";
    }
}

TEST(SqcInst, EveryBankServesACuEachCycle) {
    InstBench b(inst_spec());
    for (uint64_t line = 0; line < 1024; line += kLineBytes)
        b.cus[0]->send(fetch(line), 0);
    for (unsigned n = 0; n < 20; ++n)
        for (unsigned cu = 0; cu < 4; ++cu)
            b.cus[cu]->send(fetch(64 * ((cu + n / 2) % 16) + 32 * (n % 2)), 2000);
    b.run();
    for (unsigned cu = 0; cu < 4; ++cu) {
        const auto& answers = b.cus[cu]->answers;
        const size_t first = cu == 0 ? 16 : 0;
        ASSERT_EQ(answers.size(), first + 20);
        EXPECT_EQ(answers.back().at - answers[first].at, 19u) << "32 bytes a cycle";
    }
}

TEST(SqcInst, AHitOvertakesAMiss) {
    InstBench b(inst_spec());
    b.cus[0]->send(fetch(0, 1), 0);
    b.cus[0]->send(fetch(1024, 2), 200);
    b.cus[0]->send(fetch(0, 3), 201);
    b.run();
    EXPECT_EQ(b.cus[0]->answers.at(1).response.wave, 3u);
    EXPECT_EQ(b.cus[0]->answers.at(2).response.wave, 2u);
}

TEST(SqcInst, AFetchFromAnUnmappedLineIsAFault) {
    InstBench b(inst_spec());
    b.cus[2]->send(fetch(2 << 20));
    b.run();
    ASSERT_EQ(b.cus[2]->answers.size(), 1u);
    EXPECT_TRUE(b.cus[2]->answers[0].response.fault);
}

TEST(SqcInst, InvalidationDropsLinesAndFillsInFlight) {
    InstBench b(inst_spec());
    CacheAction action;
    action.invalidate_inst = true;
    b.cus[0]->send(fetch(0), 0);
    b.cus[0]->send(fetch(64), 150);
    b.actions.send(action, 160);
    b.cus[0]->send(fetch(0), 300);
    b.cus[0]->send(fetch(64), 301);
    b.run();
    EXPECT_EQ(b.core.state().count.misses, 4u);
    ASSERT_EQ(b.actions.answers.size(), 1u);
    EXPECT_GT(b.actions.answers[0].at, 150u + kL2Latency) << "the older fill was awaited";
}

TEST(SqcInst, AnInvalidationForOthersIsAnsweredOnly) {
    InstBench b(inst_spec());
    CacheAction action;
    action.invalidate_scalar = true;
    b.cus[0]->send(fetch(0), 0);
    b.actions.send(action, 160);
    b.cus[0]->send(fetch(0), 300);
    b.run();
    EXPECT_EQ(b.core.state().count.misses, 1u);
    EXPECT_EQ(b.actions.answers.size(), 1u);
}

TEST(SqcInst, AMisalignedFetchStopsTheMachine) {
    InstBench b(inst_spec());
    b.cus[0]->send(fetch(4));
    EXPECT_THROW(b.run(), MachineStop);
}

// ---- scalar data cache -------------------------------------------------------------------------

TEST(SqcData, AHitBringsItsDwordsAfterHitLatency) {
    DataBench b(data_spec());
    b.cus[1]->send(load(68, 1), 0);
    b.cus[1]->send(load(72, 4, 9), 200);
    b.run();
    ASSERT_EQ(b.cus[1]->answers.size(), 2u);
    const auto& a = b.cus[1]->answers[1];
    EXPECT_EQ(a.at, 200 + kIn + b.core.spec().hit_latency + kOut);
    EXPECT_EQ(a.response.tag, 9u);
    EXPECT_EQ(a.response.wave, 10u);
    for (uint32_t i = 0; i < 4; ++i)
        EXPECT_EQ(a.response.data[i], 72 + i * 4);
    EXPECT_EQ(b.l2.served[0].request.client, Client::Scalar);
}

TEST(SqcData, LongLoadsOccupyTheReturnPath) {
    DataBench b(data_spec());
    b.cus[0]->send(load(0, 16), 0);
    b.cus[0]->send(load(0, 16, 1), 200);
    b.cus[0]->send(load(0, 8, 2), 201);
    b.run();
    // 64 bytes at 16 per cycle: the last leaves three cycles after the first could; 32 bytes take
    // two cycles after that.
    EXPECT_EQ(b.cus[0]->answers.at(1).at, 200 + kIn + b.core.spec().hit_latency + 3 + kOut);
    EXPECT_EQ(b.cus[0]->answers.at(2).at - b.cus[0]->answers.at(1).at, 2u);
}

TEST(SqcData, SmallLoadsReturnSixteenBytesPerCycleAndCu) {
    SqcDataSpec s = data_spec();
    s.lookups_per_cycle = 4;
    DataBench b(s);
    for (unsigned cu = 0; cu < 4; ++cu) {
        b.cus[cu]->send(load(0, 4), 0);
        for (unsigned n = 0; n < 50; ++n)
            b.cus[cu]->send(load(0, 4), 200);
    }
    b.run();
    for (unsigned cu = 0; cu < 4; ++cu) {
        ASSERT_EQ(b.cus[cu]->answers.size(), 51u);
        EXPECT_EQ(b.cus[cu]->answers[50].at - b.cus[cu]->answers[1].at, 49u);
    }
}

TEST(SqcData, ALoadAcrossTwoLinesIsPutTogether) {
    DataBench b(data_spec());
    for (unsigned dwords = 2; dwords <= 16; ++dwords)
        for (unsigned offset = 64 - 4 * (dwords - 1); offset < 64; offset += 4)
            b.cus[0]->send(load(1024 + offset, static_cast<uint8_t>(dwords), offset));
    b.run();
    unsigned n = 0;
    for (unsigned dwords = 2; dwords <= 16; ++dwords)
        for (unsigned offset = 64 - 4 * (dwords - 1); offset < 64; offset += 4, ++n)
            for (uint32_t i = 0; i < dwords; ++i)
                ASSERT_EQ(b.cus[0]->answers.at(n).response.data[i], 1024 + offset + i * 4);
    EXPECT_EQ(b.l2.served.size(), 2u);
    EXPECT_EQ(b.core.state().count.lookups, 2u * n);
}

TEST(SqcData, AFaultNamesTheFirstAddressThatFailed) {
    DataBench b(data_spec());
    b.cus[0]->send(load((1 << 20) - 8, 4));
    b.cus[1]->send(load((1 << 20) + 40, 8));
    b.cus[2]->send(load(~uint64_t{0} - 3, 2));
    b.run();
    ASSERT_EQ(b.cus[0]->answers.size(), 1u);
    EXPECT_TRUE(b.cus[0]->answers[0].response.fault);
    EXPECT_EQ(b.cus[0]->answers[0].response.fault_address, 1u << 20);
    EXPECT_EQ(b.cus[1]->answers.at(0).response.fault_address, (1u << 20) + 40);
    EXPECT_TRUE(b.cus[2]->answers.at(0).response.fault) << "beyond the end of the address space";
    EXPECT_EQ(b.core.state().count.faults, 3u);
}

TEST(SqcData, TheFirstFailingAddressIsNamedWhicheverLineAnswersFirst) {
    DataBench b(data_spec());
    b.cus[0]->send(load((2 << 20) + 64, 1), 0);  // sends for the second line
    b.cus[1]->send(load((2 << 20) + 56, 4), 5);
    b.run();
    ASSERT_EQ(b.cus[1]->answers.size(), 1u);
    EXPECT_EQ(b.core.state().count.merged, 1u);
    EXPECT_EQ(b.cus[1]->answers[0].response.fault_address, (2u << 20) + 56);
}

TEST(SqcData, DcacheInvDropsEverything) {
    DataBench b(data_spec());
    ScalarRequest invalidate;
    invalidate.invalidate = true;
    invalidate.tag = 77;
    b.cus[0]->send(load(0, 1), 0);
    b.cus[1]->send(invalidate, 200);
    b.cus[0]->send(load(0, 1), 300);
    b.run();
    ASSERT_EQ(b.cus[1]->answers.size(), 1u);
    EXPECT_EQ(b.cus[1]->answers[0].response.tag, 77u);
    EXPECT_EQ(b.cus[1]->answers[0].at, 200 + kIn + b.core.spec().invalidate_cycles + kOut);
    EXPECT_EQ(b.core.state().count.misses, 2u);
}

TEST(SqcData, AFillInFlightAtDcacheInvIsNotKept) {
    DataBench b(data_spec());
    ScalarRequest invalidate;
    invalidate.invalidate = true;
    b.cus[0]->send(load(0, 1), 0);
    b.cus[1]->send(invalidate, 10);
    b.cus[0]->send(load(0, 1), 300);
    b.run();
    EXPECT_EQ(b.core.state().count.misses, 2u);
}

TEST(SqcData, CacheActionInvalidatesARange) {
    DataBench b(data_spec());
    CacheAction action;
    action.invalidate_scalar = true;
    action.base = 64;
    action.size = 64;
    for (unsigned i = 0; i < 3; ++i)
        b.cus[0]->send(load(i * 64, 1), 0);
    b.actions.send(action, 200);
    for (unsigned i = 0; i < 3; ++i)
        b.cus[0]->send(load(i * 64, 1), 300);
    b.run();
    EXPECT_EQ(b.core.state().count.misses, 4u);
    EXPECT_EQ(b.core.state().count.invalidated_lines, 1u);
}

TEST(SqcData, ImpossibleRequestsAndParametersStop) {
    DataBench b(data_spec());
    b.cus[0]->send(load(0, 17));
    EXPECT_THROW(b.run(), MachineStop);
    DataBench c(data_spec());
    c.cus[0]->send(load(2, 1));
    EXPECT_THROW(c.run(), MachineStop);
    SqcDataSpec s = data_spec();
    s.cus = 17;
    EXPECT_THROW(SqcDataCore{s}, MachineStop);
    s = data_spec();
    s.return_bytes = 0;
    EXPECT_THROW(SqcDataCore{s}, MachineStop);
}

TEST(Sqc, RandomStallsAndTickOrderLeaveDataAndCyclesIntact) {
    const auto run = [](uint64_t shuffle) {
        InstBench inst(small(inst_spec(), 3, 3));
        DataBench data(small(data_spec(), 2, 3));
        if (shuffle != 0) {
            inst.scheduler.shuffle(shuffle);
            data.scheduler.shuffle(shuffle);
        }
        inst.core.from_l2.random_stall(5, 30);
        data.core.from_l2.random_stall(6, 30);
        inst.l2.requests.random_stall(7, 30);
        data.l2.requests.random_stall(8, 30);
        std::vector<Cycle> cycles;
        test::Random random(11);
        std::vector<ScalarRequest> loads[4];
        for (unsigned cu = 0; cu < 4; ++cu) {
            inst.core.from_cu(cu).random_stall(cu + 20, 20);
            inst.cus[cu]->answers_in.random_stall(cu + 30, 20);
            data.core.from_cu(cu).random_stall(cu + 40, 20);
            data.cus[cu]->answers_in.random_stall(cu + 50, 20);
            for (unsigned i = 0; i < 300; ++i) {
                inst.cus[cu]->send(fetch(random.below(64) * 32, static_cast<uint16_t>(i)));
                loads[cu].push_back(
                    load(random.below(500) * 4, static_cast<uint8_t>(1 + random.below(16)), i));
                data.cus[cu]->send(loads[cu].back());
            }
        }
        inst.run();
        data.run();
        EXPECT_TRUE(inst.core.idle()) << inst.core.waiting_for();
        EXPECT_TRUE(data.core.idle()) << data.core.waiting_for();
        for (unsigned cu = 0; cu < 4; ++cu) {
            EXPECT_EQ(inst.cus[cu]->answers.size(), 300u);
            EXPECT_EQ(data.cus[cu]->answers.size(), 300u);
            for (const auto& a : inst.cus[cu]->answers) {
                cycles.push_back(a.at);
                for (uint32_t i = 0; i < 8; ++i)
                    EXPECT_EQ(a.response.words[i], a.response.address + i * 4);
            }
            for (const auto& a : data.cus[cu]->answers) {
                cycles.push_back(a.at);
                const ScalarRequest& r = loads[cu][a.response.tag];
                for (uint32_t i = 0; i < r.dwords; ++i)
                    EXPECT_EQ(a.response.data[i], r.address + i * 4);
            }
        }
        return cycles;
    };
    const auto plain = run(0);
    for (uint64_t shuffle = 1; shuffle < 5; ++shuffle)
        EXPECT_EQ(run(shuffle), plain);
}

// Keeps a core from sleeping until the cycle `until`.
class Waker final : public Clocked {
  public:
    Waker(Clocked& core, Cycle until) : core_(core), until_(until) {}
    bool tick(Cycle now) override {
        core_.wake_at(now + 1);
        return now < until_;
    }

  private:
    Clocked& core_;
    const Cycle until_;
};

TEST(Sqc, ATickThatWasLeftOutHadNothingToDo) {
    static constexpr Cycle kEnd = 30'000;
    const auto run = [](uint64_t seed, bool awake) {
        InstBench inst(small(inst_spec(), 3, 6));
        DataBench data(small(data_spec(), 2, 6));
        Waker inst_waker(inst.core, kEnd);
        Waker data_waker(data.core, kEnd);
        if (awake) {
            inst.scheduler.add(inst_waker);
            data.scheduler.add(data_waker);
        }
        test::Random random(seed);
        for (unsigned cu = 0; cu < 4; ++cu) {
            // Some take what they get late: their answers wait while others' go on.
            const unsigned late = 31 * (seed % 2 != 0 ? cu : 3 - cu);
            inst.cus[cu]->answers_in.random_stall(seed + cu, late);
            data.cus[cu]->answers_in.random_stall(seed + cu + 8, late);
            Cycle at = 0;
            for (unsigned i = 0; i < 200; ++i) {
                at += random.below(60);
                inst.cus[cu]->send(fetch(random.below(48) * 32), at);
                data.cus[cu]->send(
                    load(random.below(300) * 4, static_cast<uint8_t>(1 + random.below(16)), i), at);
            }
        }
        inst.run();
        data.run();
        std::vector<Cycle> cycles;
        for (unsigned cu = 0; cu < 4; ++cu) {
            EXPECT_EQ(inst.cus[cu]->answers.size(), 200u);
            EXPECT_EQ(data.cus[cu]->answers.size(), 200u);
            for (const auto& a : inst.cus[cu]->answers)
                cycles.push_back(a.at);
            for (const auto& a : data.cus[cu]->answers)
                cycles.push_back(a.at);
        }
        EXPECT_LT(*std::max_element(cycles.begin(), cycles.end()), kEnd);
        return cycles;
    };
    for (uint64_t seed = 1; seed < 20; ++seed)
        EXPECT_EQ(run(seed, false), run(seed, true)) << "seed " << seed;
}

// Of lines that are there, with a lookup or a bank for each: the requests of one CU are answered as
// if it were alone.
TEST(Sqc, AnswersOfOneCuDoNotWaitForAnothers) {
    constexpr unsigned kEach = 200;
    // Cycles of the answers to `cu`, when it alone sends requests or all do.
    const auto run = [](uint64_t seed, unsigned cu, bool alone) {
        SqcInstSpec is = inst_spec();
        SqcDataSpec ds = data_spec();
        ds.lookups_per_cycle = 4;
        InstBench inst(is);
        DataBench data(ds);
        for (uint64_t line = 0; line < 1024; line += kLineBytes) {
            inst.cus[cu]->send(fetch(line), 0);
            data.cus[cu]->send(load(line, 1), 0);
        }
        for (unsigned i = 0; i < 4; ++i) {
            test::Random random(seed + i);
            inst.cus[i]->answers_in.random_stall(seed + i, 20 * i);
            data.cus[i]->answers_in.random_stall(seed + i + 8, 60 - 20 * i);
            Cycle at = 2000;
            for (unsigned n = 0; n < kEach && (i == cu || !alone); ++n) {
                at += random.below(10);
                const uint64_t block = random.below(8);
                inst.cus[i]->send(fetch((block / 2 * 4 + i) * kLineBytes + block % 2 * 32), at);
                data.cus[i]->send(
                    load(random.below(240) * 4, static_cast<uint8_t>(1 + random.below(16)), n), at);
            }
        }
        inst.run();
        data.run();
        std::vector<Cycle> cycles;
        for (const auto& a : inst.cus[cu]->answers)
            cycles.push_back(a.at);
        for (const auto& a : data.cus[cu]->answers)
            cycles.push_back(a.at);
        EXPECT_EQ(cycles.size(), 2 * (kEach + 1024 / kLineBytes));
        return cycles;
    };
    for (uint64_t seed = 1; seed < 5; ++seed)
        for (unsigned cu = 0; cu < 4; ++cu)
            EXPECT_EQ(run(seed, cu, false), run(seed, cu, true)) << "seed " << seed;
}

TEST(SqcData, OutsideTimeLoadsLeaveTheLinesTheyLeaveInTime) {
    SqcDataSpec spec = data_spec();
    spec.geometry = {4, 2};
    DataBench b(spec);
    SqcDataCore outside(spec);
    std::mt19937 random(7);
    for (Cycle at = 0; at < 300'000; at += 300) {
        if (random() % 64 == 0) {
            CacheAction action;
            action.invalidate_scalar = random() % 2 != 0;
            action.base = 256;
            action.size = 1024;
            b.actions.send(action, at);
            outside.warm(action);
        } else {
            ScalarRequest request = load(random() % 20 * kLineBytes, 2);
            request.vmid = static_cast<uint8_t>(random() % 2);
            b.cus[random() % b.cus.size()]->send(request, at);
            outside.warm(request.address, request.vmid);
        }
        b.run(at + 299);
        ASSERT_EQ(test::held_lines(outside.state().store.array),
                  test::held_lines(b.core.state().store.array))
            << "cycle " << at;
    }
    EXPECT_GT(b.core.state().count.hits, 50u);
    EXPECT_GT(b.core.state().count.evictions, 50u);
}

}  // namespace
}  // namespace archipelago::tc::sqc_test
