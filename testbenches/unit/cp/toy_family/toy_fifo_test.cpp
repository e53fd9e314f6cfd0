// SPDX-License-Identifier: Apache-2.0
// The toy family has a FIFO between CP and the register bus, in which a write of WAIT_UNTIL waits
// until the units that it names are idle.
#include <memory>
#include <string>

#include "models/grbm/command_fifo_core.h"
#include "testbenches/support/wait_until_registers.h"
#include "testbenches/unit/cp/packets_fixture.h"
#include "testbenches/unit/cp/toy_family/toy_packets.h"

namespace archipelago::cp::test {
namespace {

using ::testing::HasSubstr;

class TimedWithFifo final : public TimedMachine {
  public:
    TimedWithFifo(const BenchOptions& options, grbm::CommandFifoCore& fifo)
        : TimedMachine(options) {
        core().to_register_bus().connect(fifo.requests);
        fifo.to_bus.connect(bus());
        scheduler.add(fifo);
    }
};

class FunctionalWithFifo final : public FunctionalMachine {
  public:
    explicit FunctionalWithFifo(grbm::CommandFifoCore& fifo)
        : FunctionalMachine(toy_spec()), fifo_(fifo) {
        fifo.on_write = [this](const RegRequest& r) { FunctionalMachine::reg_write(r); };
    }
    void reg_write(const RegRequest& r) override { fifo_.write(r); }
    bool reg_store(const RegRequest& first, const uint32_t* values, uint32_t count) override {
        return fifo_.passes(first.offset, count) &&
               FunctionalMachine::reg_store(first, values, count);
    }
    bool bus_waits() const override { return fifo_.waits(); }
    bool run() override {
        fifo_.pass_on();
        return FunctionalMachine::run();
    }

  private:
    grbm::CommandFifoCore& fifo_;
};

constexpr unsigned kEntries = 16;

class ToyFifo : public ::testing::TestWithParam<Mode> {
  protected:
    ToyFifo() : fifo(family.fifo(kEntries)) {
        fifo.add_busy("vgt", &busy);
        if (GetParam() == Mode::Functional) {
            machine_ = std::make_unique<FunctionalWithFifo>(fifo);
        } else {
            BenchOptions options;
            options.spec = toy_spec();
            options.stall_percent = GetParam() == Mode::Stalled ? 35 : 0;
            options.limit = 20000;
            machine_ = std::make_unique<TimedWithFifo>(options, fifo);
        }
        machine_->setup_rings();
    }
    Machine& m() { return *machine_; }
    TimedMachine* timed() { return dynamic_cast<TimedMachine*>(machine_.get()); }
    void set_busy(bool level) { busy.set(timed() != nullptr ? timed()->now() : 0, level); }
    // Until nothing moves; with time, the limit is that far away.
    bool run() {
        if (timed() != nullptr)
            timed()->limit(timed()->now() + 20000);
        return m().run();
    }
    uint32_t seen(uint32_t offset) { return m().seen.reg(offset); }
    static std::vector<uint32_t> set(uint32_t offset, uint32_t value) {
        return {make_header(0xC1, 2), (offset - 0x8000) / 4, value};
    }
    static std::vector<uint32_t> fill(uint64_t address, uint32_t value) {
        return {make_header(0x05, 4), 1u << 8, lo(address), hi(address), value};
    }
    static std::vector<uint32_t> wait_until(uint32_t value) {
        return set(WaitUntilRegisters::kWaitUntil, value);
    }

    const WaitUntilRegisters family;
    grbm::CommandFifoCore fifo;
    Wire<bool> busy;

  private:
    std::unique_ptr<Machine> machine_;
};

constexpr uint32_t kStored = si::PA_CL_ENHANCE;  // a register that only keeps its value

TEST_P(ToyFifo, AWaitHoldsLaterRegisterWritesUntilTheUnitIsIdle) {
    set_busy(true);
    m().submit(set(kStored, 1) + wait_until(WaitUntilRegisters::k3dIdle) + set(kStored, 2));
    EXPECT_EQ(seen(kStored), 1u);
    EXPECT_EQ(seen(WaitUntilRegisters::kWaitUntil), 0u);
    EXPECT_FALSE(fifo.idle());
    set_busy(false);
    EXPECT_TRUE(run());
    EXPECT_EQ(seen(kStored), 2u);
    EXPECT_EQ(seen(WaitUntilRegisters::kWaitUntil), WaitUntilRegisters::k3dIdle);
    EXPECT_TRUE(fifo.idle());
}

TEST_P(ToyFifo, AWaitForIdleUnitsHoldsNothing) {
    EXPECT_TRUE(m().submit(wait_until(WaitUntilRegisters::k3dIdle) + set(kStored, 3)));
    EXPECT_EQ(seen(kStored), 3u);
}

// Without time the ring takes no packet after the one that waits.
TEST_P(ToyFifo, CpContinuesWhileItsRegisterWritesWait) {
    set_busy(true);
    m().submit(wait_until(WaitUntilRegisters::k3dIdle) + set(kStored, 4) + fill(kData, 0x77));
    EXPECT_EQ(m().peek(kData), timed() != nullptr ? 0x77u : 0u);
    EXPECT_EQ(seen(kStored), 0u);
    set_busy(false);
    EXPECT_TRUE(run());
    EXPECT_EQ(m().peek(kData), 0x77u);
    EXPECT_EQ(seen(kStored), 4u);
}

TEST_P(ToyFifo, AFullFifoHoldsCpAndTheReportNamesWhatItWaitsFor) {
    set_busy(true);
    std::vector<uint32_t> words = wait_until(WaitUntilRegisters::k3dIdle);
    for (uint32_t i = 0; i < 3 * kEntries; ++i)
        words = words + set(kStored, i);
    EXPECT_FALSE(m().submit(words + fill(kData, 0x78)));
    EXPECT_EQ(m().peek(kData), 0u);
    EXPECT_THAT(m().waiting_for(), HasSubstr("ME waits for "));
    EXPECT_THAT(fifo.waiting_for(), HasSubstr("WAIT_UNTIL waits for WAIT_3D_IDLE (vgt)"));
    if (timed() != nullptr) {
        EXPECT_THAT(fifo.waiting_for(),
                    HasSubstr(std::to_string(kEntries - 1) + " requests of CP after it"));
    }
    set_busy(false);
    EXPECT_TRUE(run());
    EXPECT_EQ(m().peek(kData), 0x78u);
    EXPECT_EQ(seen(kStored), 3 * kEntries - 1);
}

// An event reaches VGT after the writes before it.
TEST_P(ToyFifo, EventsWaitInTheFifoToo) {
    set_busy(true);
    const std::vector<uint32_t> event{
        make_header(0xC4, 5), 0x14 | 5u << 8, lo(kData), 1u << 29, 0x79, 0};
    m().submit(wait_until(WaitUntilRegisters::k3dIdle) + event);
    EXPECT_TRUE(m().seen.events.empty());
    EXPECT_EQ(m().peek(kData), 0u);
    set_busy(false);
    EXPECT_TRUE(run());
    EXPECT_EQ(m().seen.events.size(), 1u);
    EXPECT_EQ(m().peek(kData), 0x79u);
}

INSTANTIATE_TEST_SUITE_P(Modes, ToyFifo, all_modes(), mode_name);

}  // namespace
}  // namespace archipelago::cp::test
