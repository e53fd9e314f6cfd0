// SPDX-License-Identifier: Apache-2.0
// One conformance test of the Control contract, run over every block of the chips: the subjects are
// in control_*_subjects.cpp. models/README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "testbenches/contract/control_subject.h"

namespace archipelago::control_test {
namespace {

class ControlContract : public ::testing::TestWithParam<Block> {
  protected:
    Subject subject = GetParam().make();
    Scheduler scheduler;
    void SetUp() override {
        for (Clocked* unit : subject.units)
            scheduler.add(*unit);
        scheduler.step(0);
    }
    // What it was given has not been lost.
    void expect_at_work() const {
        EXPECT_EQ(subject.control->idle(), subject.finishes);
        if (subject.finishes) {
            EXPECT_TRUE(subject.work_taken());
        }
    }
};

TEST_P(ControlContract, IsIdleAndWaitsForNothingWhenFresh) {
    EXPECT_TRUE(subject.control->idle());
    EXPECT_TRUE(subject.control->waiting_for().empty()) << subject.control->waiting_for();
    for (Clocked* unit : subject.units)
        for (Cycle now = 1; now < 5; ++now)
            EXPECT_FALSE(unit->tick(now)) << "a tick without work made progress";
    EXPECT_TRUE(subject.control->idle());
}

TEST_P(ControlContract, SleepsWhenIdle) {
    scheduler.run(1000);
    const uint64_t before = scheduler.steps();
    scheduler.run(100000);
    EXPECT_LE(scheduler.steps() - before, 100u) << "an idle block is stepped";
}

TEST_P(ControlContract, WorkMakesItBusyAndItSaysWhatItWaitsFor) {
    subject.give_work(1);
    if (!subject.finishes)
        scheduler.run(5000);
    EXPECT_FALSE(subject.control->idle());
    EXPECT_FALSE(subject.control->waiting_for().empty());
    scheduler.run(6000);
    EXPECT_EQ(subject.control->idle(), subject.finishes);
}

TEST_P(ControlContract, ResetMakesItIdleAgainAndItWorksAfterwards) {
    subject.give_work(1);
    if (!subject.finishes)
        scheduler.run(5000);
    subject.control->reset();
    EXPECT_TRUE(subject.control->idle()) << subject.control->waiting_for();
    EXPECT_TRUE(subject.control->waiting_for().empty()) << subject.control->waiting_for();
    subject.give_work(6000);
    scheduler.run(12000);
    expect_at_work();
}

TEST_P(ControlContract, PausedItTakesNothingAndResumedItGoesOn) {
    subject.control->pause();
    subject.give_work(1);
    scheduler.run(200);
    EXPECT_FALSE(subject.work_taken());
    subject.control->resume();
    scheduler.run(5000);
    expect_at_work();
}

TEST_P(ControlContract, ResumeWithoutWorkChangesNothing) {
    subject.control->pause();
    subject.control->resume();
    scheduler.run(500);
    EXPECT_TRUE(subject.control->idle());
}

TEST_P(ControlContract, DrainingItKeepsWhatItHas) {
    subject.give_work(1);
    if (!subject.finishes)
        scheduler.run(5000);
    subject.control->drain();
    scheduler.run(6000);
    if (!subject.finishes) {
        EXPECT_FALSE(subject.control->idle()) << "draining must not drop work";
    }
    subject.control->resume();
    scheduler.run(7000);
    expect_at_work();
}

// ---- checkpoints -------------------------------------------------------------------------------

// An archive like `bytes`, whose first block is `name`, with another byte in what that holds.
std::string with_changed_byte(std::string bytes, const std::string& name, std::mt19937_64& random) {
    const size_t sizes = bytes.find(name) + name.size();
    uint64_t size = 0;
    std::memcpy(&size, bytes.data() + sizes, sizeof size);
    bytes[sizes + 3 * sizeof size + random() % size] = static_cast<char>(random());
    return Archive::sealed(std::move(bytes));
}

// A block with a clock of its own.
struct Clockwork {
    Subject subject;
    Scheduler scheduler;
    explicit Clockwork(const Block& block) : subject(block.make()) {
        for (Clocked* unit : subject.units)
            scheduler.add(*unit);
        scheduler.step(0);
    }
    std::string save() {
        Archive a;
        visit(a);
        return a.bytes();
    }
    void restore(const std::string& bytes) {
        Archive a(bytes, "checkpoint");
        visit(a);
    }
    void visit(Archive& a) {
        a.block(subject.name, [&] { subject.control->archive(a); });
        a.block("clock", [&] { a(scheduler); });
    }
    // Work, and what can be seen of it.
    std::string work(Cycle now) {
        subject.give_work(now);
        scheduler.run(now + 5000);
        return std::to_string(scheduler.ticks()) + " ticks in " +
               std::to_string(scheduler.steps()) + " cycles, " +
               (subject.control->idle() ? "idle" : subject.control->waiting_for());
    }
};

class CheckpointContract : public ::testing::TestWithParam<Block> {
  protected:
    Clockwork original{GetParam()};
    Clockwork fresh{GetParam()};
};

TEST_P(CheckpointContract, WhatIsRestoredIsSavedAsItWas) {
    if (original.subject.finishes)
        original.work(1);
    else
        original.scheduler.run(5000);
    const std::string bytes = original.save();
    fresh.restore(bytes);
    EXPECT_EQ(fresh.save(), bytes);
}

TEST_P(CheckpointContract, RestoredItDoesWhatTheOriginalDoes) {
    if (original.subject.finishes)
        original.work(1);
    fresh.restore(original.save());
    EXPECT_EQ(fresh.scheduler.now(), original.scheduler.now());
    EXPECT_EQ(fresh.work(6000), original.work(6000));
    if (original.subject.finishes) {
        EXPECT_EQ(fresh.save(), original.save());
    }
}

TEST_P(CheckpointContract, AtWorkItRefusesByName) {
    if (original.subject.finishes)
        original.subject.give_work(1);
    else
        original.work(1);
    try {
        original.save();
        ADD_FAILURE() << "the work would be lost";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(std::string(stop.what()).rfind(original.subject.name + ": a checkpoint", 0), 0u)
            << stop.what();
    }
}

// Every byte that a block saves is one that it reads back, regardless of what it is: nothing it
// holds is written from one member and read into another, and no content makes it crash.
TEST_P(CheckpointContract, WhateverItReadsItHoldsOrRefuses) {
    std::mt19937_64 random(7);
    const std::string bytes = original.save();
    Archive raw(bytes, "checkpoint");
    unsigned held = 0;
    for (int round = 0; round < 300; ++round) {
        Clockwork other(GetParam());
        const std::string changed = with_changed_byte(bytes, original.subject.name, random);
        try {
            other.restore(changed);
            const std::string again = other.save();
            EXPECT_EQ(again.size(), changed.size());
            // A byte of a bool becomes 0 or 1.
            unsigned differ = 0;
            for (size_t i = 0; i < std::min(again.size(), changed.size()); ++i)
                differ += again[i] != changed[i] ? 1 : 0;
            EXPECT_LE(differ, 1u + 8u) << "besides the checksum";
            held += differ == 0 ? 1 : 0;
        } catch (const ArchiveError&) {
        } catch (const MachineStop&) {
        }
    }
    EXPECT_GT(held, 100u);
}

std::vector<Block> blocks() {
    std::vector<Block> list;
    for (const auto& family : {gcn_blocks(), adreno_blocks(), ctm_blocks()})
        list.insert(list.end(), family.begin(), family.end());
    return list;
}
// A block on pins has no checkpoint.
std::vector<Block> blocks_and_twins() {
    std::vector<Block> list = blocks();
    const std::vector<Block> on_pins = gcn_blocks_on_pins();
    list.insert(list.end(), on_pins.begin(), on_pins.end());
    return list;
}
std::string name_of(const testing::TestParamInfo<Block>& info) {
    return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Blocks, CheckpointContract, testing::ValuesIn(blocks()), name_of);
INSTANTIATE_TEST_SUITE_P(Blocks, ControlContract, testing::ValuesIn(blocks_and_twins()), name_of);

}  // namespace
}  // namespace archipelago::control_test
