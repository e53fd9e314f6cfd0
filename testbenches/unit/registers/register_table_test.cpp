// SPDX-License-Identifier: Apache-2.0
// Look-ups and texts of the Southern Islands register table.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "registers/si_registers.h"

namespace archipelago::regs {
namespace {

struct Known {
    const char* name;
    uint32_t offset;
    uint32_t constant;
};

// Offsets as the documents and drivers have them, written down by hand.
constexpr Known kKnown[] = {
    {"SRBM_STATUS", 0x0E50, si::SRBM_STATUS},
    {"SRBM_SOFT_RESET", 0x0E60, si::SRBM_SOFT_RESET},
    {"VM_CONTEXT0_CNTL", 0x1410, si::VM_CONTEXT0_CNTL},
    {"VM_INVALIDATE_REQUEST", 0x1478, si::VM_INVALIDATE_REQUEST},
    {"IH_RB_CNTL", 0x3E00, si::IH_RB_CNTL},
    {"IH_RB_WPTR", 0x3E0C, si::IH_RB_WPTR},
    {"INTERRUPT_CNTL", 0x5468, si::INTERRUPT_CNTL},
    {"HDP_MEM_COHERENCY_FLUSH_CNTL", 0x5480, si::HDP_MEM_COHERENCY_FLUSH_CNTL},
    {"GRBM_STATUS2", 0x8008, si::GRBM_STATUS2},
    {"GRBM_STATUS", 0x8010, si::GRBM_STATUS},
    {"GRBM_SOFT_RESET", 0x8020, si::GRBM_SOFT_RESET},
    {"GRBM_GFX_INDEX", 0x802C, si::GRBM_GFX_INDEX},
    {"GRBM_INT_CNTL", 0x8060, si::GRBM_INT_CNTL},
    {"SCRATCH_REG0", 0x8500, si::SCRATCH_REG0},
    {"SCRATCH_REG7", 0x851C, si::SCRATCH_REG7},
    {"SCRATCH_UMSK", 0x8540, si::SCRATCH_UMSK},
    {"SCRATCH_ADDR", 0x8544, si::SCRATCH_ADDR},
    {"CP_COHER_CNTL2", 0x85E8, si::CP_COHER_CNTL2},
    {"CP_COHER_CNTL", 0x85F0, si::CP_COHER_CNTL},
    {"CP_COHER_SIZE", 0x85F4, si::CP_COHER_SIZE},
    {"CP_COHER_BASE", 0x85F8, si::CP_COHER_BASE},
    {"CP_ME_CNTL", 0x86D8, si::CP_ME_CNTL},
    {"CP_RB0_RPTR", 0x8700, si::CP_RB0_RPTR},
    {"VGT_NUM_INDICES", 0x8970, si::VGT_NUM_INDICES},
    {"GB_ADDR_CONFIG", 0x98F8, si::GB_ADDR_CONFIG},
    {"GB_TILE_MODE0", 0x9910, si::GB_TILE_MODE0},
    {"GB_TILE_MODE31", 0x998C, si::GB_TILE_MODE31},
    {"SPI_SHADER_USER_DATA_PS_0", 0xB030, si::SPI_SHADER_USER_DATA_PS_0},
    {"COMPUTE_DISPATCH_INITIATOR", 0xB800, si::COMPUTE_DISPATCH_INITIATOR},
    {"COMPUTE_NUM_THREAD_X", 0xB81C, si::COMPUTE_NUM_THREAD_X},
    {"COMPUTE_MAX_WAVE_ID", 0xB82C, si::COMPUTE_MAX_WAVE_ID},
    {"COMPUTE_PGM_LO", 0xB830, si::COMPUTE_PGM_LO},
    {"COMPUTE_PGM_RSRC1", 0xB848, si::COMPUTE_PGM_RSRC1},
    {"COMPUTE_PGM_RSRC2", 0xB84C, si::COMPUTE_PGM_RSRC2},
    {"COMPUTE_TMPRING_SIZE", 0xB860, si::COMPUTE_TMPRING_SIZE},
    {"COMPUTE_USER_DATA_0", 0xB900, si::COMPUTE_USER_DATA_0},
    {"COMPUTE_USER_DATA_15", 0xB93C, si::COMPUTE_USER_DATA_15},
    {"CP_RB0_BASE", 0xC100, si::CP_RB0_BASE},
    {"CP_RB0_CNTL", 0xC104, si::CP_RB0_CNTL},
    {"CP_RB0_WPTR", 0xC114, si::CP_RB0_WPTR},
    {"CP_RB1_BASE", 0xC180, si::CP_RB1_BASE},
    {"CP_RB2_BASE", 0xC194, si::CP_RB2_BASE},
    {"CP_INT_CNTL_RING0", 0xC1A8, si::CP_INT_CNTL_RING0},
    {"DMA0_RB_CNTL", 0xD000, si::DMA0_RB_CNTL},
    {"DMA1_RB_CNTL", 0xD800, si::DMA1_RB_CNTL},
    {"DB_RENDER_CONTROL", 0x28000, si::DB_RENDER_CONTROL},
    {"VGT_EVENT_INITIATOR", 0x28A90, si::VGT_EVENT_INITIATOR},
    {"CB_COLOR0_BASE", 0x28C60, si::CB_COLOR0_BASE},
};

TEST(SiRegisterTable, KnownRegistersStandAtTheirDocumentedOffsets) {
    for (const Known& known : kKnown) {
        EXPECT_EQ(known.constant, known.offset) << known.name;
        const RegisterInfo* by_name = si::find_by_name(known.name);
        ASSERT_NE(by_name, nullptr) << known.name;
        EXPECT_EQ(by_name->offset, known.offset) << known.name;
        EXPECT_EQ(si::find(known.offset), by_name) << known.name;
    }
}

TEST(SiRegisterTable, TablesAreSortedWithoutDuplicates) {
    const RegisterDatabase& db = si::database();
    ASSERT_GT(db.registers.size(), 2600u);
    for (size_t i = 1; i < db.registers.size(); ++i) {
        EXPECT_LT(db.registers[i - 1].offset, db.registers[i].offset) << db.registers[i].name;
    }
    for (size_t i = 1; i < db.names.size(); ++i) {
        EXPECT_LT(db.names[i - 1].name, db.names[i].name);
    }
    for (size_t i = 1; i < db.layouts.size(); ++i) {
        EXPECT_LT(db.layouts[i - 1].name, db.layouts[i].name);
    }
    for (size_t i = 1; i < db.ranges.size(); ++i) {
        EXPECT_LT(db.ranges[i - 1].end, db.ranges[i].start) << db.ranges[i].name;
    }
}

TEST(SiRegisterTable, EveryRegisterIsFoundByItsOffsetAndByItsNames) {
    const RegisterDatabase& db = si::database();
    for (const RegisterInfo& info : db.registers) {
        EXPECT_EQ(db.find(info.offset), &info) << info.name;
        EXPECT_EQ(db.find_by_name(info.name), &info) << info.name;
        ASSERT_NE(db.range_of(info.offset), nullptr) << info.name;
        EXPECT_LT(info.block, db.blocks.size()) << info.name;
        EXPECT_EQ(db.name_of(info.offset), info.name);
    }
    std::set<size_t> named;
    for (const NameInfo& entry : db.names) {
        named.insert(entry.index);
        EXPECT_EQ(db.find_by_name(entry.name), &db.registers[entry.index]) << entry.name;
    }
    EXPECT_EQ(named.size(), db.registers.size());
}

TEST(SiRegisterTable, AliasesNameTheSameRegister) {
    EXPECT_EQ(si::find_by_name("CP_RB_BASE"), si::find_by_name("CP_RB0_BASE"));
    EXPECT_EQ(si::find_by_name("DMA_RB_CNTL"), si::find_by_name("DMA0_RB_CNTL"));
    EXPECT_EQ(si::CP_RB_WPTR, si::CP_RB0_WPTR);
    EXPECT_EQ(si::find_by_name("CP_RB_BASE")->name, "CP_RB0_BASE");
}

TEST(SiRegisterTable, NothingIsFoundBesideRegisters) {
    const RegisterDatabase& db = si::database();
    EXPECT_EQ(db.find(si::COMPUTE_PGM_LO + 1), nullptr);
    EXPECT_EQ(db.find(si::COMPUTE_PGM_LO + 2), nullptr);
    EXPECT_EQ(db.find(0xBFFC), nullptr);
    EXPECT_EQ(db.find(0x29000), nullptr);
    EXPECT_EQ(db.find(0xFFFFFFFC), nullptr);
    EXPECT_EQ(db.find(kNoOffset), nullptr);
    EXPECT_EQ(db.find_by_name(""), nullptr);
    EXPECT_EQ(db.find_by_name("COMPUTE_PGM_L"), nullptr);
    EXPECT_EQ(db.find_by_name("zzz"), nullptr);
    EXPECT_EQ(db.find_layout("CP_RB0_BASE"), nullptr);
    EXPECT_EQ(db.find_by_name("SQ_BUF_RSRC_WORD0"), nullptr) << "a descriptor word is no register";
}

TEST(SiRegisterTable, RangesNameTheirWindowAndKind) {
    const struct {
        uint32_t offset;
        const char* name;
        RangeKind kind;
    } cases[] = {
        {0x0E50, "srbm", RangeKind::System},
        {0x1400, "vm", RangeKind::System},
        {0x3E00, "ih", RangeKind::System},
        {0x7FFC, "display", RangeKind::System},
        {0x8000, "config", RangeKind::Config},
        {0xAFFC, "config", RangeKind::Config},
        {0xB000, "sh", RangeKind::Sh},
        {0xBFFC, "sh", RangeKind::Sh},
        {0xC000, "cp_ring", RangeKind::CpRing},
        {0xCFFC, "cp_ring", RangeKind::CpRing},
        {0xD000, "dma", RangeKind::Dma},
        {0xDFFC, "dma", RangeKind::Dma},
        {0x28000, "context", RangeKind::Context},
        {0x28FFC, "context", RangeKind::Context},
        {0x29000, "context_window", RangeKind::Context},
    };
    for (const auto& c : cases) {
        const RangeInfo* range = si::range_of(c.offset);
        ASSERT_NE(range, nullptr) << std::hex << c.offset;
        EXPECT_EQ(range->name, c.name) << std::hex << c.offset;
        EXPECT_EQ(range->kind, c.kind) << std::hex << c.offset;
    }
    EXPECT_EQ(si::range_of(0x10000), nullptr);
    EXPECT_EQ(si::range_of(0x27FFC), nullptr);
    EXPECT_EQ(si::range_of(0x30000), nullptr);
    EXPECT_EQ(si::range_of(0xFFFFFFFF), nullptr);
}

TEST(SiRegisterTable, DecodeWritesNameValueFieldsAndEnumerators) {
    EXPECT_EQ(si::decode(0xB848, 0x00AF0041),
              "COMPUTE_PGM_RSRC1 = 0x00af0041 {VGPRS=1, SGPRS=1, PRIORITY=0, FLOAT_MODE=240, "
              "PRIV=0, DX10_CLAMP=1, DEBUG_MODE=0, IEEE_MODE=1, BULKY=0, CDBG_USER=0}");
    EXPECT_EQ(si::decode(0x28A90, 7),
              "VGT_EVENT_INITIATOR = 0x00000007 "
              "{EVENT_TYPE=7(CS_PARTIAL_FLUSH), ADDRESS_HI=0, "
              "EXTENDED_EVENT=0}");
    EXPECT_EQ(si::decode(0xB81C, 0x00030040),
              "COMPUTE_NUM_THREAD_X = 0x00030040 {NUM_THREAD_FULL=0x40, NUM_THREAD_PARTIAL=0x3}");
}

TEST(SiRegisterTable, DecodeShowsBitsOutsideEveryField) {
    EXPECT_EQ(si::decode(si::COMPUTE_VMID, 0x80000013),
              "COMPUTE_VMID = 0x80000013 {DATA=3, other bits=0x80000010}");
}

TEST(SiRegisterTable, DecodeOfAPlainWordIsItsNumber) {
    EXPECT_EQ(si::decode(0x8500, 0xDEADBEEF), "SCRATCH_REG0 = 0xdeadbeef");
    EXPECT_EQ(si::decode(si::CP_COHER_CNTL2, 5), "CP_COHER_CNTL2 = 0x00000005");
}

TEST(SiRegisterTable, DecodeOfAnUnknownOffsetNamesItsRange) {
    EXPECT_EQ(si::decode(0xBFFC, 1), "unknown register 0x0bffc in range sh = 0x00000001");
    EXPECT_EQ(si::decode(0x8501, 1), "unknown register 0x08501 in range config = 0x00000001");
    EXPECT_EQ(si::decode(0x10000, 2), "unknown register 0x10000 outside every range = 0x00000002");
    EXPECT_EQ(si::database().name_of(0xDFFC), "unknown register 0x0dffc in range dma");
}

TEST(SiRegisterTable, LayoutsDecodeDescriptorWords) {
    const RegisterInfo* word = si::database().find_layout("SQ_BUF_RSRC_WORD1");
    ASSERT_NE(word, nullptr);
    EXPECT_EQ(word->offset, kNoOffset);
    const FieldInfo* stride = word->field("STRIDE");
    ASSERT_NE(stride, nullptr);
    EXPECT_EQ(stride->lsb, 16);
    EXPECT_EQ(stride->msb, 29);
    EXPECT_EQ(decode(*word, 0x00100001),
              "SQ_BUF_RSRC_WORD1 = 0x00100001 {BASE_ADDRESS_HI=0x1, STRIDE=16, CACHE_SWIZZLE=0, "
              "SWIZZLE_ENABLE=0}");
}

TEST(SiRegisterTable, AccessAndResetSayWhenTheyAreUnknown) {
    const RegisterInfo* status = si::find_by_name("GRBM_STATUS");
    EXPECT_EQ(status->access, Access::ReadOnly);
    EXPECT_TRUE(status->readable());
    EXPECT_FALSE(status->writable());
    const RegisterInfo* event = si::find_by_name("VGT_EVENT_INITIATOR");
    EXPECT_EQ(event->access, Access::WriteOnly);
    EXPECT_FALSE(event->readable());
    const RegisterInfo* plain = si::find_by_name("COMPUTE_PGM_LO");
    EXPECT_EQ(plain->access, Access::Unknown);
    EXPECT_TRUE(plain->readable());
    EXPECT_TRUE(plain->writable());
    EXPECT_FALSE(plain->reset_known);
    EXPECT_EQ(plain->reset, 0u);
    const RegisterInfo* waves = si::find_by_name("COMPUTE_MAX_WAVE_ID");
    EXPECT_TRUE(waves->reset_known);
    EXPECT_EQ(waves->reset, 0x190u);
    EXPECT_STREQ(to_string(Access::ReadWrite), "rw");
    EXPECT_STREQ(to_string(RangeKind::CpRing), "cp_ring");
}

TEST(SiRegisterTable, BlocksGroupRegisters) {
    const RegisterDatabase& db = si::database();
    EXPECT_EQ(db.generation, "si");
    const auto block_of = [&](const char* name) {
        return static_cast<si::Block>(db.find_by_name(name)->block);
    };
    EXPECT_EQ(block_of("COMPUTE_PGM_LO"), si::Block::Compute);
    EXPECT_EQ(block_of("SCRATCH_REG0"), si::Block::Cp);
    EXPECT_EQ(block_of("PA_SC_MODE_CNTL_0"), si::Block::Sc);
    EXPECT_EQ(db.blocks[static_cast<size_t>(si::Block::Compute)].name, "compute");
}

TEST(SiRegisterTable, EventTypesOfTheSpecificationAreEnumerators) {
    EXPECT_EQ(si::enums::VGT_EVENT_TYPE::CACHE_FLUSH_TS, 4);
    EXPECT_EQ(si::enums::VGT_EVENT_TYPE::CS_PARTIAL_FLUSH, 7);
    EXPECT_EQ(si::enums::VGT_EVENT_TYPE::CACHE_FLUSH_AND_INV_TS_EVENT, 20);
    EXPECT_EQ(si::enums::VGT_EVENT_TYPE::BOTTOM_OF_PIPE_TS, 40);
    EXPECT_EQ(si::enums::VGT_EVENT_TYPE::CS_DONE, 47);
    const FieldInfo* type = si::find(si::VGT_EVENT_INITIATOR)->field("EVENT_TYPE");
    ASSERT_NE(type, nullptr);
    ASSERT_NE(type->values, nullptr);
    EXPECT_EQ(type->values->name_of(47), "CS_DONE");
    EXPECT_EQ(type->values->name_of(63), "");
}

// The GFX6 header mixes GFX7 fields into these; see the comments in the database.
TEST(SiRegisterTable, StatusAndResetBitsAreThoseOfSouthernIslands) {
    const RegisterInfo* reset = si::find_by_name("GRBM_SOFT_RESET");
    EXPECT_EQ(reset->field("SOFT_RESET_SPI")->lsb, 8);
    EXPECT_EQ(reset->field("SOFT_RESET_CPC"), nullptr);
    const RegisterInfo* status2 = si::find_by_name("GRBM_STATUS2");
    EXPECT_EQ(status2->field("RLC_BUSY")->lsb, 8);
    EXPECT_EQ(status2->field("ME1PIPE2_RQ_PENDING"), nullptr);
    EXPECT_EQ(si::find_by_name("GRBM_STATUS")->field("GUI_ACTIVE")->lsb, 31);
    EXPECT_EQ(si::find_by_name("SRBM_STATUS2")->offset, 0xE4Cu);
    EXPECT_EQ(si::find_by_name("SRBM_STATUS2")->field("DMA1_BUSY")->lsb, 6);
    ASSERT_NE(si::find(0xEC4), nullptr);
    EXPECT_EQ(si::find(0xEC4)->field("DMA_BUSY")->lsb, 5);
}

}  // namespace
}  // namespace archipelago::regs
