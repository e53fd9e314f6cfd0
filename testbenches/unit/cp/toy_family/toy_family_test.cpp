// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/packet_writer.h"
#include "testbenches/host/workload.h"
#include "testbenches/unit/cp/packets_fixture.h"
#include "testbenches/unit/cp/toy_family/toy_packets.h"

namespace archipelago::cp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

Words assembled(const std::string& text) {
    const front::PacketAssembly result = toy_pm4().assemble(text);
    EXPECT_TRUE(result.errors.empty())
        << text << ": " << (result.errors.empty() ? "" : result.errors[0].message);
    Words words(result.bytes.size() / 4);
    std::memcpy(words.data(), result.bytes.data(), 4 * words.size());
    return words;
}

class ToyFamily : public PacketsTest {
  protected:
    void SetUp() override { start(toy_spec()); }
};

TEST_P(ToyFamily, PacketsWithOtherOpcodesDoWhatTheirRowsSay) {
    ASSERT_TRUE(m().submit(assembled("SET_CONFIG_REG SCRATCH_REG0 = 0x1234")));
    EXPECT_EQ(m().host_read(si::SCRATCH_REG0), 0x1234u);
}

TEST_P(ToyFamily, PacketsWrittenByNameRun) {
    PacketWriter ring(toy_packet_table());
    ring.packet("FILL_MEMORY").set("COUNT", 2).address("ADDRESS", kData).set("VALUE", 6);
    ring.packet("WRITE_DATA").set("DST_SEL", 5).address("DST_ADDR", kData + 4).data({8, 9});
    ASSERT_TRUE(m().submit(ring));
    EXPECT_EQ(m().peek(kData), 6u);
    EXPECT_EQ(m().peek(kData + 4), 8u);
    EXPECT_EQ(m().peek(kData + 8), 9u);
}

TEST_P(ToyFamily, AnOverriddenLayoutIsReadThroughTheRow) {
    ASSERT_TRUE(m().submit(
        {make_header(0xC8, 5), 0, static_cast<uint32_t>(kData), 5u << 4 | 1u << 8, 0x11, 0x22}));
    EXPECT_EQ(m().peek(kData), 0x11u);
    EXPECT_EQ(m().peek(kData + 4), 0x22u);
}

TEST_P(ToyFamily, TheEngineOfAnOverriddenLayoutDecidesTheRoute) {
    EXPECT_THAT(stop({make_header(0xC8, 4), 0, static_cast<uint32_t>(kData), 5u << 4 | 2, 1}),
                HasSubstr("WRITE_DATA with ENGINE_SEL CE"));
}

TEST_P(ToyFamily, APacketOfItsOwnRunsItsProgram) {
    ASSERT_TRUE(
        m().submit(assembled("FILL_MEMORY COUNT = 3, ADDRESS = 0x200040, VALUE = 7\n"
                             "SET_CONFIG_REG SCRATCH_REG1 = 1")));
    EXPECT_EQ(m().peek(kData + 0x40), 7u);
    EXPECT_EQ(m().peek(kData + 0x48), 7u);
    EXPECT_EQ(m().peek(kData + 0x4C), 0u);
    EXPECT_EQ(m().host_read(si::SCRATCH_REG1), 1u);
}

TEST_P(ToyFamily, IndirectBuffersAndFencesUseTheRows) {
    m().poke(kIb, assembled("FILL_MEMORY COUNT = 1, ADDRESS = 0x200000, VALUE = 9"));
    ASSERT_TRUE(
        m().submit(assembled("INDIRECT_BUFFER IB_BASE = 0x300000, IB_SIZE = 5\n"
                             "EVENT_WRITE_EOP EVENT_TYPE = CACHE_FLUSH_TS, EVENT_INDEX = 5, "
                             "ADDRESS = 0x200100, DATA_SEL = DATA32, DATA = 0x77")));
    EXPECT_EQ(m().peek(kData), 9u);
    EXPECT_EQ(m().peek(kData + 0x100), 0x77u);
}

TEST_P(ToyFamily, OpcodesOfSouthernIslandsAreUnknown) {
    EXPECT_THAT(stop({make_header(0x37, 4), 0, 0, 0, 0}), HasSubstr("unknown packet opcode 0x37"));
}

INSTANTIATE_TEST_SUITE_P(Modes, ToyFamily, all_modes(), mode_name);

TEST(ToyFamilyText, EveryPacketGoesToTextAndBack) {
    for (const PacketInfo& info : toy_packet_table()) {
        Words words{make_header(info.opcodes[0], std::max<uint32_t>(info.min_dwords, 1))};
        for (uint32_t i = 1; words.size() <= info.min_dwords; ++i)
            words.push_back(0x01010101 * i);
        const std::string text = toy_pm4().disassemble(words.data(), words.size());
        EXPECT_THAT(text, HasSubstr(info.name));
        EXPECT_EQ(assembled(text), words) << text;
    }
}

TEST(ToyFamilyText, WorkloadsTakeItsPackets) {
    const Pm4Language packets = toy_pm4();
    const auto chip = [&](const std::optional<std::string>&) {
        return host::WorkloadChip{{{"gfx", &packets}}, &packets};
    };
    config::Diagnostics diagnostics;
    const auto workload = host::parse_workload_text(
        "memory: [{address: 0, packets: [FILL_MEMORY COUNT = 1]}]\n"
        "steps: [{ring: gfx, packets: [NOP]}]\n",
        "w.yaml", ".", chip, diagnostics);
    ASSERT_TRUE(workload.has_value()) << diagnostics.format();
    const auto words = [](const host::DataSource& data) {
        return std::get<host::WordData>(data.data).words;
    };
    EXPECT_THAT(words(workload->memory.at(0).data), ElementsAre(0xC0030500u, 0x100u, 0u, 0u, 0u));
    const auto& ring = std::get<host::RingStep>(workload->steps.at(0).what);
    EXPECT_THAT(words(std::get<host::DataSource>(ring.what)), ElementsAre(0xC000C000u, 0u));
}

TEST(ToyFamilyText, LogsNameFieldsByTheRow) {
    const Words words = assembled("WRITE_DATA DST_SEL = MEMORY, DST_ADDR_LO = 0x40, DATA = 5");
    EXPECT_THAT(words, ElementsAre(0xC003C800u, 0u, 0x40u, 0x50u, 5u));
    EXPECT_THAT(describe_packet(toy_packet_table(), words[0], &words[1], 3),
                HasSubstr("DST_SEL=5 (MEMORY)"));
}

}  // namespace
}  // namespace archipelago::cp::test
