// SPDX-License-Identifier: Apache-2.0
// The host's floating-point environment around vector instructions.
#include "testbenches/unit/isa/valu_harness.h"

#include <cfenv>

#include "models/cu/isa/valu_env.h"

namespace archipelago::isa::valu_test::valu_environment_test {
namespace {

// The host's rounding of a program around an instruction.
class HostRounding {
  public:
    explicit HostRounding(unsigned mode) : before_(std::fegetround()) {
        constexpr int kModes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
        std::fesetround(kModes[mode & 3]);
    }
    ~HostRounding() { std::fesetround(before_); }
    HostRounding(const HostRounding&) = delete;
    HostRounding& operator=(const HostRounding&) = delete;

  private:
    int before_;
};

uint32_t mxcsr() {
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value & 0xffc0;
}
TEST(ValuEnvironment, InstructionsLeaveTheHostAsTheyFoundIt) {
    Wave wave;
    wave.w.mode = mode_of(1, 0);
    const uint32_t before = mxcsr();
    execute(make(Op::V_MUL_F32), wave.w);
    EXPECT_EQ(mxcsr(), before);
    {
        const HostRounding rounding(3);
        const uint32_t toward_zero = mxcsr();
        execute(make(Op::V_MUL_F32), wave.w);
        EXPECT_EQ(mxcsr(), toward_zero);
    }
}
TEST(ValuEnvironment, GuardKeepsTheEnvironmentAndRestoresItAtTheEnd) {
    const uint32_t before = mxcsr();
    Wave wave;
    Lanes one, small;
    one.fill(bits(1.0f));
    small.fill(bits(0x1p-30f));
    wave.set(kSrc0, one);
    wave.set(kSrc1, small);
    {
        const FpEnvGuard outer;
        {
            const FpEnvGuard inner;
            wave.w.mode = mode_of(1, 0);
            execute(make(Op::V_ADD_F32), wave.w);
            EXPECT_EQ(wave.get(kDst)[0], 0x3f800001u);  // up
        }
        wave.w.mode = mode_of(2, 3);
        execute(make(Op::V_ADD_F32), wave.w);
        EXPECT_EQ(wave.get(kDst)[0], 0x3f800000u);  // down
        EXPECT_NE(mxcsr(), before);
    }
    EXPECT_EQ(mxcsr(), before);
}

}  // namespace
}  // namespace archipelago::isa::valu_test::valu_environment_test
