// SPDX-License-Identifier: Apache-2.0
// A cache of a user's own that takes no request is named early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/tc/tc_l2_bank_core.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"

namespace archipelago::host::stuck_cache_test {
namespace {

using ::testing::HasSubstr;

// A block whose ready pins stay low.
class StuckBank : public rtl::PinBlock<rtl::TcL2BankPins> {
  public:
    StuckBank(bool idle, bool waits) : idle_(idle), waits_(waits) {}
    void step(const In&, Out& out) override {
        out = {};
        out.idle = idle_ ? 1 : 0;
        out.waits = waits_ ? 1 : 0;
    }

  private:
    const bool idle_, waits_;
};

struct StuckFactory : tc::L2Factory {
    explicit StuckFactory(StuckBank& bank) : bank(bank) {}
    StuckBank& bank;
    std::unique_ptr<tc::L2Channel> make(const tc::TccSpec& spec, const mc::ChannelMapSpec& map,
                                        const tc::PageCheck* pages, unsigned channel,
                                        const std::string& name) override {
        return std::make_unique<tc::L2OnPins>(bank, spec, map, pages, channel, name);
    }
};

// Whether the block says that it is idle, and that it waits for inputs.
class StuckL2 : public ::testing::TestWithParam<std::pair<bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(Pins, StuckL2,
                         ::testing::Values(std::pair{true, true}, std::pair{false, true},
                                           std::pair{true, false}));

TEST_P(StuckL2, ThatTakesNothingIsNamedWithinAMillionCycles) {
    StuckBank bank(GetParam().first, GetParam().second);
    StuckFactory factory(bank);
    const auto chip = asic::load_chip("hainan", {});
    MachineOptions options;
    options.chip.substitutes.use<tc::L2Factory>(factory);
    Machine machine("bench", *chip, options);
    try {
        machine.run([&] {
            GpuDriver driver(machine);
            driver.bring_up();
            driver.submit(0, {cp::make_header(cp::si_opcode("NOP"), 1), 0});
            driver.fence_and_wait(0);
        });
        FAIL() << "nothing can pass such an L2";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::Hang);
        EXPECT_THAT(stop.what(), HasSubstr("tcc"));
        EXPECT_THAT(stop.what(), HasSubstr("takes nothing of what is offered to it"));
    }
    EXPECT_LT(machine.chip().cycles(), 1'000'000u);
}

}  // namespace
}  // namespace archipelago::host::stuck_cache_test
