// SPDX-License-Identifier: Apache-2.0
// The packet table itself, the register file, and the texts made from them.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/names.h"
#include "models/cp/registers/si/coherency.h"
#include "models/cp/registers/si/si_register_file.h"
#include "models/cp/registers/si/si_registers.h"
#include "models/gcn/vgt_event.h"
#include "registers/si_bus_map.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test::table_test {
namespace {

TEST(PacketTable, EveryPacketIsFoundByItsOpcodesAndItsName) {
    const PacketTable& table = si_packet_table();
    EXPECT_GE(table.size(), 70u);
    for (const PacketInfo& info : table) {
        for (unsigned k = 0; k < info.opcode_count; ++k)
            EXPECT_EQ(table.find(info.opcodes[k]), &info) << info.name;
        EXPECT_EQ(table.find_by_name(info.name), &info);
    }
    EXPECT_EQ(table.find(0x32), table.find(0x3F));
    EXPECT_EQ(table.find(0x00), nullptr);
    EXPECT_EQ(table.find_by_name("NO_SUCH_PACKET"), nullptr);
}

TEST(PacketTable, FieldsLieInsideTheirPackets) {
    for (const PacketInfo& info : si_packet_table()) {
        EXPECT_LE(info.routing.dwords, info.min_dwords) << info.name;
        EXPECT_LE(info.fixed, info.min_dwords) << info.name;
        EXPECT_LE(info.min_dwords, info.max_dwords) << info.name;
        EXPECT_NE(info.rings, 0) << info.name;
        for (const PacketField& field : info.fields) {
            EXPECT_LE(field.lsb, field.msb) << info.name << "." << field.name;
            EXPECT_LT(field.msb, 32) << info.name << "." << field.name;
            EXPECT_GE(field.dword, 1) << info.name << "." << field.name;
            EXPECT_LE(field.dword, info.max_dwords) << info.name << "." << field.name;
        }
    }
}

std::string refusal(const PacketTable& table, uint32_t header) {
    try {
        check_header(table, header, {}, 1);
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "";
}

TEST(PacketTable, HasItsOwnRulesForHeaders) {
    const uint32_t nop = make_header(0x10, 1), compute = make_header(0x10, 1, true);
    const uint32_t type0 = make_type0_header(0x8000, 1);
    for (const uint32_t header : {nop, compute, type0})
        EXPECT_EQ(refusal(si_packet_table(), header), "");
    // Without type 0, and with SHADER_TYPE reserved.
    const PacketTable strict("strict", {*si_packet_table().find_by_name("NOP")},
                             si_packet_table().type0(), {1 << 2 | 1 << 3, 2});
    EXPECT_EQ(refusal(strict, nop), "");
    EXPECT_NE(refusal(strict, compute).find("NOP has reserved bits 0x2 in its header 0xc0001002"),
              std::string::npos);
    EXPECT_NE(refusal(strict, type0).find("type-0 packet header 0x00002000"), std::string::npos);
}

// No document gives its body: a table cannot claim it, and a header stops by name.
TEST(PacketTable, NoFamilyHasPacketsOfType1) {
    const PacketTable plain("plain", {*si_packet_table().find_by_name("NOP")},
                            si_packet_table().type0());
    for (const PacketTable* table : {&si_packet_table(), &plain})
        EXPECT_NE(
            refusal(*table, 0x40001000).find("type-1 packet header 0x40001000 where a packet"),
            std::string::npos);
    EXPECT_THROW(PacketTable("r300", {}, si_packet_table().type0(), {0xF, 0}), MachineStop);
}

// They pass the check of what a user's buffer may write.
TEST(PacketTable, RowsThatChooseTheirRegistersNameNone) {
    unsigned rows = 0;
    for (const PacketInfo& info : si_packet_table()) {
        if (!info.is(kOwnRegisters))
            continue;
        ++rows;
        EXPECT_EQ(info.window, nullptr) << info.name;
        for (const PacketField& field : info.fields)
            EXPECT_FALSE(
                field.meaning != nullptr &&
                (field.meaning->kind == FieldKind::WindowRegister ||
                 (field.meaning->kind == FieldKind::Register && field.meaning->window == 0)))
                << info.name << "." << field.name;
    }
    EXPECT_GT(rows, 20u);
}

TEST(PacketTable, HeadersRoundTrip) {
    const uint32_t header = make_header(si_opcode("SET_SH_REG"), 17, true);
    EXPECT_EQ(header_type(header), 3u);
    EXPECT_EQ(header_opcode(header), 0x76);
    EXPECT_EQ(header_body_dwords(header), 17u);
    EXPECT_TRUE(header_is_compute(header));
    EXPECT_EQ(header_body_dwords(make_type0_header(0x8500, 0x4000)), 0x4000u);
}

TEST(PacketText, RegistersAndFieldsAreNamed) {
    const PacketTable& table = si_packet_table();
    const auto describe = [&](const std::vector<uint32_t>& words, RegisterNamer namer = nullptr) {
        return describe_packet(table, words[0], words.data() + 1,
                               static_cast<uint32_t>(words.size() - 1), namer);
    };
    EXPECT_EQ(describe(set_sh(0xB830, {0x8001, 2})),
              "SET_SH_REG 0x0b830 = 0x00008001; 0x0b834 = 0x00000002");
    EXPECT_EQ(describe(set_sh(0xB830, {0x8001}),
                       [](uint32_t offset, uint32_t) { return "reg" + std::to_string(offset); }),
              "SET_SH_REG reg47152");
    EXPECT_EQ(describe(packet("DISPATCH_DIRECT", {4, 1, 1, 5}, true)),
              "DISPATCH_DIRECT [compute] DIM_X=0x4 DIM_Y=0x1 DIM_Z=0x1 DISPATCH_INITIATOR=0x5");
    EXPECT_EQ(describe(packet("EVENT_WRITE", {0x407})),
              "EVENT_WRITE INV_L2=0 EVENT_INDEX=4 EVENT_TYPE=7 (CS_PARTIAL_FLUSH)");
    EXPECT_EQ(describe({make_type0_header(0x9508, 1), 3}), "type-0 0x09508 = 0x00000003");
    EXPECT_EQ(describe({0x80000000}), "type-2");
    EXPECT_EQ(describe({0xC0009900, 0}), "opcode 0x99, 1 dwords");
}

TEST(PacketText, LocationsNameRingBufferAndDword) {
    EXPECT_EQ(to_string(Location{0, 0, 0, 18, 0}), "ring gfx dword 18");
    EXPECT_EQ(to_string(Location{1, 1, 0, 13, 0x208000}), "ring compute0, IB1 0x208000 dword 13");
    EXPECT_EQ(to_string(Location{2, 2, 0, 0, 0x100000000}),
              "ring compute1, IB2 0x100000000 dword 0");
}

TEST(Swap, CodesPermuteBytes) {
    EXPECT_EQ(swap_dword(0x11223344, 0), 0x11223344u);
    EXPECT_EQ(swap_dword(0x11223344, 1), 0x22114433u);
    EXPECT_EQ(swap_dword(0x11223344, 2), 0x44332211u);
    EXPECT_EQ(swap_mask(1), 1u);
    EXPECT_EQ(swap_mask(2), 3u);
    EXPECT_EQ(swap_mask(3), 7u);
}

TEST(CpSpec, FaultySpecsAreNamed) {
    EXPECT_TRUE(si_spec().problems().empty());
    Spec spec = si_spec();
    spec.roq_ib2_start = spec.roq_ib1_start;
    spec.eop_depth = 0;
    EXPECT_EQ(spec.problems().size(), 2u);
    EXPECT_THROW(CpCore{spec}, std::invalid_argument);
}

TEST(CpRegisters, UcodePortsCountAndAcceptTheImage) {
    FunctionalMachine m;
    m.host_write(si::CP_PFP_UCODE_ADDR, 0);
    m.host_write(si::CP_ME_RAM_WADDR, 5);
    for (uint32_t i = 0; i < 2112; ++i) {
        m.host_write(si::CP_PFP_UCODE_DATA, i);
        m.host_write(si::CP_ME_RAM_DATA, i);
    }
    EXPECT_EQ(m.host_read(si::CP_PFP_UCODE_ADDR), 2112u);
    EXPECT_EQ(m.host_read(si::CP_ME_RAM_WADDR), 2117u);
}

TEST(CpRegisters, OffsetsThatAreNotCpsAreRefused) {
    SiRegisterFile file{si_spec()};
    RegRequest r;
    r.write = true;
    uint32_t value = 0;
    for (const uint32_t offset : {0x0u, 0x83FCu, 0x8800u, 0xB900u, 0xC200u, 0x28000u}) {
        r.offset = offset;
        EXPECT_FALSE(file.write_register(r)) << offset;
        EXPECT_FALSE(file.read_register(r, value)) << offset;
    }
    r.offset = si::CP_QUEUE_THRESHOLDS;
    EXPECT_TRUE(file.read_register(r, value));
    EXPECT_EQ(value, 22u | 43u << 8);
}

TEST(CpRegisters, ReadPointerIsMirroredByBlockOrNotAtAll) {
    FunctionalMachine m;
    m.setup_rings(3);  // blocks of 8 qwords
    std::vector<uint32_t> twos(15, 0x80000000);
    m.submit(twos);
    EXPECT_EQ(m.peek(kMirror), 15u);  // empty
    m.host_write(si::CP_RB0_CNTL, 9 | 3 << 8 | 1u << 27);
    m.submit(twos);
    EXPECT_EQ(m.peek(kMirror), 15u);
    EXPECT_EQ(m.host_read(si::CP_RB0_RPTR), 30u);
}

TEST(VgtEvents, AreThoseOfTheRegisterDatabase) {
    const regs::RegisterInfo* initiator = regs::si::database().find(regs::si::VGT_EVENT_INITIATOR);
    ASSERT_NE(initiator, nullptr);
    std::set<std::pair<uint32_t, std::string>> named;
    for (const regs::EnumValueInfo& event : initiator->field("EVENT_TYPE")->values->values)
        if (event.name.rfind("Reserved", 0) != 0)
            named.emplace(event.value, event.name);
    std::set<std::pair<uint32_t, std::string>> ours;
    for (const ValueName& event : kEventNames)
        ours.emplace(event.value, event.name);
    EXPECT_EQ(ours, named);
}

TEST(RegisterMap, TellsWhatWritingARegisterDoes) {
    namespace reg = regs::si;
    const RegisterMap& map = si_register_map();
    EXPECT_FALSE(map.of_context(0x27FFC));
    EXPECT_TRUE(map.of_context(0x28000));
    EXPECT_TRUE(map.of_context(0x2FFFC));
    EXPECT_FALSE(map.of_context(0x30000));
    for (const uint32_t single : reg::kBusContextSingle)
        EXPECT_FALSE(map.of_context(single)) << std::hex << single;
    for (const uint32_t offset : {reg::GFX_COPY_STATE, reg::CS_COPY_STATE, reg::VGT_DRAW_INITIATOR,
                                  reg::VGT_EVENT_INITIATOR}) {
        EXPECT_TRUE(map.acts(offset)) << std::hex << offset;
        EXPECT_EQ(map.plain_run(offset), 0u) << std::hex << offset;
    }
    EXPECT_FALSE(map.acts(reg::VGT_IMMED_DATA));
    EXPECT_FALSE(map.acts(reg::GRBM_GFX_INDEX));
    EXPECT_EQ(map.destination(reg::CB_COLOR0_BASE + 4), -1);
    for (const RegisterFacts::Destination& d : map.destinations) {
        EXPECT_EQ(map.plain_run(d.offset), 0u) << std::hex << d.offset;
        EXPECT_EQ(kDestinationEnables >> d.enable & 1, 1u) << std::hex << d.offset;
        EXPECT_EQ(map.destinations[static_cast<size_t>(map.destination(d.offset))].offset,
                  d.offset);
    }
    const uint32_t before = reg::VGT_DRAW_INITIATOR - 12;
    EXPECT_EQ(map.plain_run(before), 3u);
    EXPECT_EQ(map.plain_run(0x2A000), 255u) << "runs are counted to 255";
    EXPECT_EQ(map.plain_run(0x2FFFC), 1u);
    EXPECT_EQ(map.plain_run(0x30000), 0u);
}

}  // namespace
}  // namespace archipelago::cp::test::table_test
