// SPDX-License-Identifier: Apache-2.0
// What a stream may do and hardly means: counted with the place of the first, and a stop under
// Spec::strict, in every mode.
#include "testbenches/unit/cp/packets_fixture.h"

namespace archipelago::cp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

constexpr uint32_t kStarted = 0x9508;  // a register, and one after what is warned of

// There are CP's registers, those of compute, and two more.
Spec spec_with_registers(bool is_strict) {
    Spec spec = si_spec();
    spec.strict = is_strict;
    spec.known_registers.allow(0, 0);
    spec.known_registers.allow(0x8400, 0x87FC);
    spec.known_registers.allow(si::COMPUTE_DISPATCH_INITIATOR, 0xB8FC);
    spec.known_registers.allow(0xC100, 0xC1FC);
    spec.known_registers.allow(kStarted, kStarted);
    return spec;
}

class WarningsTest : public PacketsTest {
  protected:
    void SetUp() override { start(spec_with_registers(false)); }
    uint64_t count(Warning warning) { return de().warnings.count(warning); }
    std::vector<std::string> lines() {
        return functional() ? static_cast<FunctionalMachine&>(m()).cp.warnings()
                            : timed()->core().warnings();
    }
    // `words` are done, counted `times`, and named; and a strict machine stops with the same.
    void expect_warning(const Words& words, Warning warning, uint64_t times,
                        const std::string& what) {
        ASSERT_TRUE(m().submit(words + set_config(kStarted, {1})));
        EXPECT_EQ(count(warning), times);
        EXPECT_EQ(seen().reg(kStarted), 1u);
        ASSERT_EQ(lines().size(), 1u);
        EXPECT_THAT(lines().front(), HasSubstr("first: " + what));
        start(spec_with_registers(true));
        EXPECT_EQ(stop(words + set_config(kStarted, {1})), what);
        EXPECT_EQ(seen().reg(kStarted), 0u);
    }
};

Words dispatch_direct(uint32_t initiator, bool compute) {
    return packet("DISPATCH_DIRECT", {1, 1, 1, initiator}, compute);
}

TEST_P(WarningsTest, AStreamInOrderLeavesNone) {
    ASSERT_TRUE(m().submit(dispatch_direct(1, true) +
                           packet("SET_BASE", {1, lo(kData), hi(kData)}) +
                           packet("DISPATCH_INDIRECT", {0, 1}, true) + set_config(kStarted, {1})));
    EXPECT_THAT(lines(), ElementsAre());
}
TEST_P(WarningsTest, AnIndirectBufferOfZeros) {
    m().poke(kIb, Words(6, 0));
    expect_warning(
        indirect(kIb, 6), Warning::ZeroHeader, 3,
        "ring gfx, IB1 0x300000 dword 0: packet type-0: a header of 0, as of memory that "
        "nothing was written to");
}
TEST_P(WarningsTest, RegistersThereAreNotAreNamed) {
    expect_warning(set_config(0x9504, {1, 2}), Warning::UnknownRegister, 1,
                   "ring gfx dword 0: packet SET_CONFIG_REG: writes unknown register 0x9504");
}
TEST_P(WarningsTest, ReadsOfRegistersThereAreNotCountToo) {
    expect_warning(packet("COPY_DATA", {5u << 8, 0x9504 / 4, 0, lo(kData), hi(kData)}),
                   Warning::UnknownRegister, 1,
                   "ring gfx dword 0: packet COPY_DATA: reads unknown register 0x9504");
}
TEST_P(WarningsTest, TheConstantEngineHasItsOwn) {
    const Words buffer = packet("WRITE_DATA", {2u << 30, 0x9504 / 4, 0, 1});
    m().poke(kIb, buffer);
    const auto size = static_cast<uint32_t>(buffer.size());
    ASSERT_TRUE(m().submit(indirect(kIb, size, 0, si_opcode("INDIRECT_BUFFER_CONST"))));
    ASSERT_EQ(lines().size(), 1u);
    EXPECT_THAT(lines().front(), HasSubstr("first: ring gfx, constant IB 0x300000 dword 0: packet "
                                           "WRITE_DATA: writes unknown register 0x9504"));
}
TEST_P(WarningsTest, ADispatchWithoutShaderType) {
    expect_warning(dispatch_direct(1, false), Warning::NoShaderType, 1,
                   "ring gfx dword 0: packet DISPATCH_DIRECT: SHADER_TYPE 0, but dispatches are of "
                   "compute shaders");
}
TEST_P(WarningsTest, ADispatchThatIsNotEnabled) {
    expect_warning(dispatch_direct(4, true), Warning::NoComputeShader, 1,
                   "ring gfx dword 0: packet DISPATCH_DIRECT: DISPATCH_INITIATOR 0x4 has "
                   "COMPUTE_SHADER_EN 0");
}
TEST_P(WarningsTest, AnIndirectDispatchWithoutABase) {
    m().memory.map(0, 0x1000);
    expect_warning(
        packet("DISPATCH_INDIRECT", {0x10, 1}, true), Warning::NoDispatchBase, 1,
        "ring gfx dword 0: packet DISPATCH_INDIRECT: no SET_BASE of the dispatch arguments "
        "(BASE_INDEX 1) before it");
}
TEST_P(WarningsTest, AnAddressSpaceThereIsNot) {
    m().poke(kIb, packet("NOP", {0}));
    expect_warning(indirect(kIb, 2, 16), Warning::LargeVmid, 1,
                   "ring gfx dword 0: packet INDIRECT_BUFFER: VMID 16, there are 0 to 15");
    start(spec_with_registers(false));
    m().poke(kIb, packet("NOP", {0}));
    expect_warning(indirect(kIb, 2, 255, si_opcode("INDIRECT_BUFFER_CONST")), Warning::LargeVmid, 1,
                   "ring gfx dword 0: packet INDIRECT_BUFFER_CONST: VMID 255, there are 0 to 15");
}
INSTANTIATE_TEST_SUITE_P(Modes, WarningsTest, all_modes(), mode_name);

}  // namespace
}  // namespace archipelago::cp::test
