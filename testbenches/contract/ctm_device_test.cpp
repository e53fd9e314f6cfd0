// SPDX-License-Identifier: Apache-2.0
// The four functions of the CTM guide's chapter 5, as a program that links with them sees them.
#include <amDeviceManaged.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "models/ctm/command/command.h"
#include "testbenches/host/ctm/program_code.h"

namespace archipelago::host {
namespace {

using testing::HasSubstr;

constexpr uint32_t kCommands = 0, kPrograms = 0x4000, kInput = 0x10000, kOutput = 0x20000;
constexpr uint32_t kElements = 64;
constexpr uint32_t kWordRow = 2u << 24 | 1024, kRow = 2u << 24 | kElements;

constexpr char kCopy[] =
    "tex ld r1.rgba, i0.rgba, r0.rgrr unscaled acquire sem_wait\n"
    "out rgb(r1) max.bits r0._, s0.rgb, s0.rgb, s0.rrr | alpha(r1) max.bits r0._, s0.a, s0.a, s0.r "
    "rgb_out=o0.rgb alpha_out=o0.a sem_wait last\n";
// Twice the input; with PROGINFO of its own.
constexpr char kTwice[] =
    ".proginfo partial temporaries=2\n"
    "tex ld r1.rgba, i0.rgba, r0.rgrr unscaled acquire sem_wait\n"
    "out rgb(r1) mad r0._, s0.rgb, s0.111, s0.rgb rgb_out=o0.rgb alpha_out=o0.a sem_wait last\n";
constexpr char kEndless[] = "a: fc jump a func=0xff\nout last sem_wait\n";

class CtmDevice : public testing::TestWithParam<const char*> {
  protected:
    CtmDevice() { setenv("ARCHIPELAGO_CTM_MODE", GetParam(), 1); }
    bool cycle() const { return std::string(GetParam()) == "cycle"; }

    void open(const char* name = "/dev/pcie0") {
        device_ = amOpenManagedConnection(name, &info_);
        ASSERT_NE(device_, nullptr);
    }
    uint8_t* cpu() const { return static_cast<uint8_t*>(info_.baseAddressCPUc); }
    uint32_t address(uint32_t place) const { return info_.baseAddressSYSc + place; }
    float* floats(uint32_t place) const { return reinterpret_cast<float*>(cpu() + place); }
    void put(uint32_t place, const std::vector<uint8_t>& bytes) const {
        std::memcpy(cpu() + place, bytes.data(), bytes.size());
    }
    void put_executable(uint32_t place, const char* text) const {
        put(place, write_executable(executable_of(ctm::isa::assemble(text))));
    }
    void add(const char* name, const std::vector<uint32_t>& parameters = {0}) {
        commands_.push_back(ctm::commands().find_by_name(name)->header);
        commands_.insert(commands_.end(), parameters.begin(), parameters.end());
    }
    // Runs the program at `place` from the input into the output.
    void add_run(uint32_t place, uint32_t output) {
        add("wait_for_idle");
        add("set_inp_fmt", {0, address(kInput), kRow, 1});
        add("set_out_fmt", {0, output, kRow, 1});
        add("inv_inp_cache");
        add("set_inst_fmt", {address(place), kWordRow});
        add("inv_inst_cache");
        add("set_domain", {0, 0, kElements - 1, 0});
        add("start_program");
        add("wait_for_idle");
        add("flush_out_cache");
    }
    AMuint32 submit() {
        std::memcpy(cpu() + kCommands, commands_.data(), commands_.size() * 4);
        const auto bytes = static_cast<AMuint32>(commands_.size() * 4);
        commands_.clear();
        return amSubmitCommandBuffer(device_, address(kCommands), bytes);
    }
    int wait(AMuint32 number) const {
        int consumed = 0;
        for (int i = 0; i < 100 && consumed == 0; ++i)
            consumed = amCommandBufferConsumed(device_, number);
        return consumed;
    }

    AMmanagedDevice device_ = nullptr;
    AMmanagedDeviceInfo info_{};
    std::vector<uint32_t> commands_;
};

TEST_P(CtmDevice, RunsProgramsOfExecutablesAndOfInstructions) {
    open();
    EXPECT_GE(info_.arenaSizeGPU, 64u << 20);
    EXPECT_GE(info_.arenaSizeSYS, 16u << 20);
    EXPECT_GE(info_.arenaSizeSYSc, 64u << 20);
    EXPECT_NE(info_.baseAddressCPU, nullptr);
    for (uint32_t i = 0; i < kElements; ++i)
        floats(kInput)[i] = static_cast<float>(i) + 0.5f;
    const ctm::isa::Assembly copy = ctm::isa::assemble(kCopy);
    std::memcpy(cpu() + kPrograms, copy.program.data(), copy.program.size() * 24);
    put_executable(kPrograms + 0x1000, kTwice);
    put_executable(kPrograms + 0x2000, kCopy);
    // Two forms of PROGINFO in one buffer, and local memory in between.
    add_run(kPrograms + 0x1000, address(kOutput));
    add_run(kPrograms, address(kOutput + 0x800));
    add_run(kPrograms + 0x2000, info_.baseAddressGPU);
    const AMuint32 number = submit();
    ASSERT_NE(number, 0u);
    ASSERT_EQ(wait(number), 1);
    for (uint32_t i = 0; i < kElements; ++i) {
        ASSERT_EQ(floats(kOutput)[i], 2 * floats(kInput)[i]) << i;
        ASSERT_EQ(floats(kOutput + 0x800)[i], floats(kInput)[i]) << i;
    }
    // Back from local memory, by a later buffer.
    add("wait_for_idle");
    add("set_inp_fmt", {0, info_.baseAddressGPU, kRow, 1});
    add("set_out_fmt", {0, address(kOutput + 0x1000), kRow, 1});
    add("inv_inp_cache");
    add("start_program");
    add("wait_for_idle");
    add("flush_out_cache");
    const AMuint32 second = submit();
    EXPECT_GT(second, number);
    ASSERT_EQ(wait(second), 1);
    EXPECT_EQ(amCommandBufferConsumed(device_, number), 1);
    for (uint32_t i = 0; i < kElements; ++i)
        ASSERT_EQ(floats(kOutput + 0x1000)[i], floats(kInput)[i]) << i;
    amCloseManagedConnection(device_);
}

TEST_P(CtmDevice, RefusesWrongCallsAndGoesOn) {
    open();
    AMmanagedDeviceInfo other{};
    testing::internal::CaptureStderr();
    EXPECT_EQ(amOpenManagedConnection("/dev/pcie0", &other), nullptr);
    EXPECT_EQ(amSubmitCommandBuffer(device_, address(0), 0), 0u);
    EXPECT_EQ(amSubmitCommandBuffer(device_, address(0), 6), 0u);
    EXPECT_EQ(amSubmitCommandBuffer(device_, address(1), 8), 0u);
    EXPECT_EQ(amSubmitCommandBuffer(nullptr, address(0), 8), 0u);
    EXPECT_EQ(amCommandBufferConsumed(device_, 1), -1);
    EXPECT_EQ(amCommandBufferConsumed(nullptr, 1), -1);
    amCloseManagedConnection(nullptr);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("amOpenManagedConnection: a connection is open already\n"));
    EXPECT_THAT(said, HasSubstr("amSubmitCommandBuffer: 6 bytes at 0x24000000, expected whole"));
    EXPECT_THAT(said, HasSubstr("amCommandBufferConsumed: there is no command buffer 1\n"));
    EXPECT_THAT(said, HasSubstr("amCloseManagedConnection: this is no open connection\n"));
    add("wait_for_idle");
    EXPECT_EQ(wait(submit()), 1);
    amCloseManagedConnection(device_);
}

TEST_P(CtmDevice, IsOpenedAgainButNotAnotherChip) {
    open("r520");
    AMmanagedDevice first = device_;
    floats(kInput)[0] = 7;
    amCloseManagedConnection(device_);
    testing::internal::CaptureStderr();
    EXPECT_EQ(amSubmitCommandBuffer(first, address(0), 8), 0u);
    EXPECT_EQ(amOpenManagedConnection("r580", &info_), nullptr);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("this process has a r520 already, and no r580 beside\n"));
    open("r520");
    EXPECT_NE(device_, first);
    EXPECT_EQ(floats(kInput)[0], 7);  // a device keeps its memory
    add("wait_for_idle");
    EXPECT_EQ(wait(submit()), 1);
    amCloseManagedConnection(device_);
}

TEST_P(CtmDevice, SaysWhereAMachineStops) {
    open();
    add("wait_for_idle");
    commands_.push_back(0x12345678);
    testing::internal::CaptureStderr();
    const AMuint32 number = submit();
    if (cycle()) {
        EXPECT_EQ(number, 1u);
        EXPECT_EQ(wait(number), -1);
    } else {
        EXPECT_EQ(number, 0u);
    }
    EXPECT_EQ(amSubmitCommandBuffer(device_, address(0), 8), 0u);
    EXPECT_EQ(amCommandBufferConsumed(device_, 1), -1);
    amCloseManagedConnection(device_);
    AMmanagedDeviceInfo info{};
    EXPECT_EQ(amOpenManagedConnection("/dev/pcie0", &info), nullptr);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, HasSubstr("archipelago: the machine stopped (bad input): "));
    EXPECT_THAT(said, HasSubstr("command buffer 1 at 0x24000000, dword 2"));
    EXPECT_THAT(said, HasSubstr("amOpenManagedConnection: there is no machine, as was said\n"));
}

TEST_P(CtmDevice, RefusesChipsWithoutCommandBuffers) {
    AMmanagedDeviceInfo info{};
    testing::internal::CaptureStderr();
    EXPECT_EQ(amOpenManagedConnection("/dev/pcie0", nullptr), nullptr);
    EXPECT_EQ(amOpenManagedConnection("tahiti", &info), nullptr);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("tahiti runs no command buffers of CTM\n"));
}

TEST_P(CtmDevice, AnswersWhileAProgramRuns) {
    open();
    // Without time a program has ended when it has been submitted.
    put_executable(kPrograms, cycle() ? kEndless : kCopy);
    add_run(kPrograms, address(kOutput));
    const AMuint32 number = submit();
    ASSERT_NE(number, 0u);
    for (int i = 0; i < 3; ++i)
        ASSERT_EQ(amCommandBufferConsumed(device_, number), cycle() ? 0 : 1);
    amCloseManagedConnection(device_);
}

INSTANTIATE_TEST_SUITE_P(Modes, CtmDevice, testing::Values("cycle", "functional"),
                         [](const auto& i) { return std::string(i.param); });

}  // namespace
}  // namespace archipelago::host
