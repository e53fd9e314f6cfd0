// SPDX-License-Identifier: Apache-2.0
// The FIFO between CP and the register bus: what waits, for which units, for how many cycles, and
// what it says of it.
#include "models/grbm/command_fifo_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "models/common/error.h"
#include "models/config/diagnostics.h"
#include "models/config/parse.h"
#include "models/config/reader.h"
#include "models/grbm/command_fifo_block.h"
#include "testbenches/support/wait_until_registers.h"

namespace archipelago::grbm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Family = WaitUntilRegisters;

// CP that writes as fast as it can, and a bus that takes everything.
class Bench : public Clocked {
  public:
    explicit Bench(unsigned entries = 16, unsigned reaction = 1)
        : fifo(family.fifo(entries, reaction)) {
        fifo.requests.set_producer(this);
        fifo.to_bus.connect(bus);
        bus.set_consumer(this);
        fifo.add_busy("vgt", &vgt);
        fifo.add_busy("spi", &spi);
        fifo.add_busy("cp_dma", &dma);
        scheduler.add(fifo);
        scheduler.add(*this);
    }
    bool tick(Cycle now) override {
        if (next < todo.size() && fifo.requests.can_push(now)) {
            fifo.requests.push(now, todo[next++]);
            wake_at(now + 1);
        }
        if (bus.can_pop(now)) {
            seen.push_back(bus.pop(now).offset);
            cycles.push_back(now);
            return true;
        }
        return false;
    }
    void run(Cycle to) {
        wake_at(0);
        scheduler.run(to);
    }
    const Family family;
    CommandFifoCore fifo;
    Channel<RegRequest> bus{{4, 1}, "bus"};
    Wire<bool> vgt, spi, dma;
    std::vector<RegRequest> todo;
    size_t next = 0;
    std::vector<uint32_t> seen;
    std::vector<Cycle> cycles;
    Scheduler scheduler;
};

TEST(CommandFifo, PassesOneRequestACycleInOrder) {
    Bench b;
    RegRequest read;
    read.offset = 0x9008;
    b.todo = {Family::write(0x9000, 1), Family::write(0x9004, 2), read, Family::write(0x900C, 3)};
    b.run(100);
    EXPECT_THAT(b.seen, ElementsAre(0x9000, 0x9004, 0x9008, 0x900C));
    EXPECT_EQ(b.cycles[3] - b.cycles[0], 3u);
    EXPECT_EQ(b.fifo.state().requests, 4u);
    EXPECT_EQ(b.fifo.state().waits, 0u);
    EXPECT_TRUE(b.fifo.idle());
}

TEST(CommandFifo, AWaitHoldsItselfAndAllLaterRequestsUntilItsUnitsAreIdle) {
    Bench b;
    b.vgt.set(0, true);
    b.spi.set(0, true);
    b.todo = {Family::write(0x9000, 1), Family::write(Family::kWaitUntil, Family::k3dIdle),
              Family::write(0x9004, 2)};
    b.run(100);
    EXPECT_THAT(b.seen, ElementsAre(0x9000));
    EXPECT_FALSE(b.fifo.idle());
    EXPECT_EQ(b.fifo.waiting_for(),
              "command FIFO: WAIT_UNTIL waits for WAIT_3D_IDLE (vgt, spi), 1 request of CP after "
              "it");
    b.vgt.set(100, false);
    b.run(200);
    EXPECT_THAT(b.fifo.waiting_for(), HasSubstr("WAIT_3D_IDLE (spi)"));
    b.spi.set(200, false);
    b.run(300);
    EXPECT_THAT(b.seen, ElementsAre(0x9000, Family::kWaitUntil, 0x9004));
    EXPECT_EQ(b.cycles[1], 202u) << "the level is seen after a cycle, as is the write";
    EXPECT_EQ(b.fifo.state().waits, 1u);
    EXPECT_EQ(b.fifo.waiting_for(), "");
}

TEST(CommandFifo, AWaitIsForTheUnitsOfItsFieldsOnly) {
    Bench b;
    b.vgt.set(0, true);
    b.todo = {Family::write(Family::kWaitUntil, Family::kDmaIdle | Family::kEntries),
              Family::write(Family::kWaitUntil, 0)};
    b.run(100);
    EXPECT_EQ(b.seen.size(), 2u);
}

TEST(CommandFifo, CpContinuesUntilTheFifoIsFull) {
    Bench b(8);
    b.vgt.set(0, true);
    b.todo = {Family::write(Family::kWaitUntil, Family::k3dIdle)};
    for (uint32_t i = 0; i < 20; ++i)
        b.todo.push_back(Family::write(0x9000 + 4 * i, i));
    b.run(200);
    EXPECT_EQ(b.next, 8u) << "as many as it has entries";
    EXPECT_THAT(b.fifo.waiting_for(), HasSubstr("7 requests of CP after it"));
    b.vgt.set(200, false);
    b.run(400);
    EXPECT_EQ(b.seen.size(), 21u);
}

// A unit is not busy yet in the cycle in which the write that starts it has left.
TEST(CommandFifo, AWaitLastsUntilEarlierWritesHaveReachedTheirUnits) {
    for (const unsigned reaction : {1u, 12u}) {
        Bench b(16, reaction);
        b.todo = {Family::write(0x9000, 1), Family::write(Family::kWaitUntil, Family::k3dIdle)};
        b.run(5);
        if (reaction > 5) {
            EXPECT_THAT(b.fifo.waiting_for(),
                        HasSubstr("WAIT_UNTIL waits for units that an earlier write may start"));
        }
        b.run(100);
        EXPECT_EQ(b.cycles[1] - b.cycles[0], reaction);
    }
}

TEST(CommandFifo, AWaitThatNoUnitEndsStopsByName) {
    Bench b;
    b.todo = {Family::write(Family::kWaitUntil, Family::kExternal | Family::k3dIdle)};
    try {
        b.run(100);
        FAIL() << "no stop";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Unimplemented);
        EXPECT_THAT(stop.what(), HasSubstr("WAIT_UNTIL = 0x00088000"));
        EXPECT_THAT(stop.what(), HasSubstr("WAIT_EXTERN_SIG=1"));
        EXPECT_THAT(stop.what(), HasSubstr("the wait of bits 0x80000 is not implemented"));
    }
}

TEST(CommandFifo, AFamilyWithoutTheRegisterOrAFieldIsRefused) {
    const Family family;
    CommandFifoSpec spec = family.fifo();
    spec.waits.push_back({"WAIT_4D_IDLE", {}});
    EXPECT_THAT(spec.problems(), ElementsAre("WAIT_UNTIL has no field WAIT_4D_IDLE"));
    EXPECT_THROW(CommandFifoCore{spec}, std::invalid_argument);
    spec.database = nullptr;
    EXPECT_THAT(spec.problems(), ElementsAre("the family has no register WAIT_UNTIL"));
}

TEST(CommandFifo, FunctionalWritesPassAtOnceUnlessAnEarlierOneWaits) {
    Bench b;
    b.fifo.on_write = [&](const RegRequest& r) { b.seen.push_back(r.offset); };
    EXPECT_TRUE(b.fifo.passes(0x8000, 0x18));
    EXPECT_FALSE(b.fifo.passes(0x8000, 0x19)) << "WAIT_UNTIL is among them";
    b.fifo.write(Family::write(0x9000, 1));
    b.spi.set(0, true);
    b.fifo.write(Family::write(Family::kWaitUntil, Family::k3dIdle));
    b.fifo.write(Family::write(0x9004, 1));
    EXPECT_THAT(b.seen, ElementsAre(0x9000));
    EXPECT_TRUE(b.fifo.waits());
    EXPECT_FALSE(b.fifo.passes(0x8000, 1));
    EXPECT_THAT(b.fifo.waiting_for(), HasSubstr("WAIT_3D_IDLE (spi), 1 request of CP after it"));
    b.spi.set(0, false);
    b.fifo.pass_on();
    EXPECT_THAT(b.seen, ElementsAre(0x9000, Family::kWaitUntil, 0x9004));
    EXPECT_TRUE(b.fifo.idle());
}

TEST(CommandFifo, DepthAndDelaysComeFromTheDescription) {
    config::Diagnostics diagnostics;
    const auto tree = config::parse_text(
        "command_fifo:\n"
        "  requests: {capacity: 32, latency: {cycles: 3, source: guess}}\n"
        "  reaction: {cycles: 9, source: guess}\n",
        "chip.yaml", diagnostics);
    const Family family;
    CommandFifoSpec spec = family.fifo();
    config::Reader root(*tree, diagnostics);
    CommandFifoBlock::read(root, spec);
    EXPECT_EQ(diagnostics.error_count(), 0u) << diagnostics.format();
    EXPECT_EQ(spec.requests.capacity, 32u);
    EXPECT_EQ(spec.requests.latency, 3u);
    EXPECT_EQ(spec.reaction, 9u);
}

}  // namespace
}  // namespace archipelago::grbm
