// SPDX-License-Identifier: Apache-2.0
// The rows of commands against the guide's table 3, and the reader of buffers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/ctm/command/command_reader.h"
#include "models/ctm/mc/address_message.h"

namespace archipelago::ctm {
namespace {

struct Expected {
    const char* name;
    uint32_t header;
    unsigned parameters;
    bool pipelined;
    unsigned units;
    // Fields with all bits of their parameter set, as logs show them.
    const char* fields;
};

constexpr const char* kSurfaceFields =
    " base_address=0xfffff800 pitch=8188 tiling=3 (TILED_INP_2X2) format=7";
constexpr Expected kTable3[] = {
    {"init_perf_counters", 0xC0010200, 2, true, kToProcessorExecution, " enable=1"},
    {"start_perf_counters", 0xC0000300, 1, true, kToProcessorExecution, ""},
    {"stop_perf_counters", 0xC0000400, 1, true, kToProcessorExecution, ""},
    {"read_perf_counters", 0xC0010500, 2, false, kToProcessorExecution, " base_address=0xfffff800"},
    {"set_cond_val", 0xC0000600, 1, true, kToProcessorExecution, " val=0xffffffff"},
    {"set_domain", 0xC0030700, 4, true, kToProcessorExecution, " i0=4095 j0=4095 i1=4095 j1=4095"},
    {"start_program", 0xC0000800, 1, true, kToProcessorExecution, ""},
    {"wait_for_idle", 0xC0000900, 1, true, kToProcessorExecution, ""},
    {"set_inst_fmt", 0xC0010A00, 2, false, kToMemoryController, kSurfaceFields},
    {"set_inp_fmt", 0xC0030B00, 4, false, kToMemoryController, "input"},
    {"set_out_fmt", 0xC0030C00, 4, false, kToMemoryController, "output"},
    {"set_cond_out_fmt", 0xC0020D00, 3, false, kToMemoryController | kToConditionalOperation,
     "height"},
    {"set_constf_fmt", 0xC0010E00, 2, false, kToMemoryController, kSurfaceFields},
    {"set_consti_fmt", 0xC0010F00, 2, false, kToMemoryController, kSurfaceFields},
    {"set_constb_fmt", 0xC0011000, 2, false, kToMemoryController, kSurfaceFields},
    {"inv_inst_cache", 0xC0001100, 1, true, kToMemoryController, ""},
    {"inv_constf_cache", 0xC0001200, 1, true, kToMemoryController, ""},
    {"inv_consti_cache", 0xC0001300, 1, true, kToMemoryController, ""},
    {"inv_constb_cache", 0xC0001400, 1, true, kToMemoryController, ""},
    {"inv_cond_out_cache", 0xC0001500, 1, true, kToMemoryController, ""},
    {"inv_inp_cache", 0xC0001600, 1, true, kToMemoryController, ""},
    {"flush_out_cache", 0xC0001700, 1, true, kToMemoryController, ""},
    {"flush_cond_out_cache", 0xC0001800, 1, true, kToMemoryController, ""},
    {"set_out_mask", 0xC0001900, 1, true, kToMemoryController, " c0=1 c1=1 c2=1 c3=1"},
    {"set_cond_out_mask", 0xC0001A00, 1, true, kToMemoryController | kToConditionalOperation,
     " write=1"},
    {"set_cond_test", 0xC0001B00, 1, true, kToConditionalOperation, " condition=7 (ALWAYS)"},
    {"set_cond_loc", 0xC0001C00, 1, true, kToConditionalOperation, " loc=1 (PE)"},
};

std::string fields_of(const Expected& e) {
    const std::string text = e.fields;
    if (text == "input" || text == "output")
        return " " + text + "=15" + kSurfaceFields + " height=8191";
    return text == "height" ? std::string(kSurfaceFields) + " height=8191" : text;
}

TEST(CtmCommands, RowsAreTheGuidesTable) {
    size_t rows = 0;
    for (const CommandInfo& info : commands()) {
        ASSERT_LT(rows, std::size(kTable3));
        const Expected& e = kTable3[rows++];
        EXPECT_EQ(info.name, std::string(e.name));
        EXPECT_EQ(info.header, e.header) << e.name;
        EXPECT_EQ(info.parameters, e.parameters) << e.name;
        EXPECT_EQ(info.pipelined, e.pipelined) << e.name;
        EXPECT_EQ(info.units, e.units) << e.name;
        EXPECT_EQ(commands().find(e.header), &info);
        EXPECT_EQ(commands().find_by_name(e.name), &info);
        EXPECT_EQ(&commands().row(info.opcode), &info);
    }
    EXPECT_EQ(rows, std::size(kTable3));
}

TEST(CtmCommands, FieldsHaveTheGuidesBits) {
    for (const Expected& e : kTable3) {
        ReadCommand command;
        command.info = commands().find(e.header);
        ASSERT_NE(command.info, nullptr);
        command.parameters.fill(~0u);
        EXPECT_EQ(describe(command), e.name + fields_of(e));
    }
}

TEST(CtmCommands, OpcodesOfSurfacesAreThoseOfTheAddressUnit) {
    EXPECT_EQ(static_cast<unsigned>(Opcode::SetInstFmt),
              static_cast<unsigned>(Command::SetInstFmt));
    EXPECT_EQ(static_cast<unsigned>(Opcode::SetConstbFmt),
              static_cast<unsigned>(Command::SetConstbFmt));
}

// ---- the reader --------------------------------------------------------------------------------

std::string refusal(const CommandBuffer& buffer, const std::vector<uint32_t>& words) {
    try {
        CommandReader reader;
        reader.open(buffer);
        for (const uint32_t word : words)
            reader.take(word);
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        return stop.what();
    }
    return "";
}

TEST(CtmCommandReader, ReadsEveryCommandWithItsParameters) {
    std::vector<uint32_t> words;
    for (const Expected& e : kTable3) {
        words.push_back(e.header);
        for (unsigned i = 0; i < e.parameters; ++i)
            words.push_back(0x1000 * static_cast<uint32_t>(words.size()) + i);
    }
    CommandReader reader;
    reader.open({3, 0x1000, static_cast<uint32_t>(4 * words.size())});
    size_t at = 0;
    for (const Expected& e : kTable3) {
        const size_t header = at;
        EXPECT_FALSE(reader.at_end());
        EXPECT_FALSE(reader.take(words[at++]));
        for (unsigned i = 0; i < e.parameters; ++i)
            EXPECT_EQ(reader.take(words[at++]), i + 1 == e.parameters) << e.name;
        EXPECT_EQ(reader.command.info->name, std::string(e.name));
        EXPECT_EQ(reader.command.place.dword, header);
        for (unsigned i = 0; i < kMaxParameters; ++i)
            EXPECT_EQ(reader.command.parameters[i], i < e.parameters ? words[header + 1 + i] : 0);
    }
    EXPECT_TRUE(reader.at_end());
}

TEST(CtmCommandReader, UnknownHeaderIsNamedWithItsPlace) {
    const CommandBuffer buffer{3, 0x1000, 16};
    EXPECT_EQ(refusal(buffer, {0xC0000900, 0, 0xC0001D00}),
              "command buffer 3 at 0x1000, dword 2: no command has header 0xc0001d00");
    EXPECT_EQ(refusal(buffer, {0xC0010800}),
              "command buffer 3 at 0x1000, dword 0: no command has header 0xc0010800; that of "
              "start_program is 0xc0000800");
    for (const uint32_t header : {0u, 0xC0000100u, 0xC0000801u, 0x80000000u, 0xC000FF00u, ~0u})
        EXPECT_NE(refusal(buffer, {header}), "") << header;
}

TEST(CtmCommandReader, BufferThatEndsWithinACommandIsRefused) {
    for (const Expected& e : kTable3)
        for (unsigned given = 0; given < e.parameters; ++given)
            EXPECT_EQ(refusal({1, 0x40, 4 + 4 * given}, {e.header}),
                      "command buffer 1 at 0x40, dword 0, " + std::string(e.name) +
                          ": the buffer ends within it: of " + std::to_string(e.parameters) +
                          " parameters " + std::to_string(given) + " are left");
}

TEST(CtmCommandReader, BufferOfNoLengthMisalignedOrOffTheEndIsRefused) {
    EXPECT_EQ(refusal({1, 0x40, 0}, {}), "command buffer 1 at 0x40: its size is 0");
    EXPECT_EQ(refusal({2, 0x40, 6}, {}),
              "command buffer 2 at 0x40: its size of 6 bytes is no multiple of 4");
    EXPECT_EQ(refusal({2, 0x42, 8}, {}),
              "command buffer 2 at 0x42: its address is no multiple of 4");
    EXPECT_EQ(refusal({2, 0xfffffff8, 12}, {}),
              "command buffer 2 at 0xfffffff8: it goes beyond the address space of 32 bits");
    EXPECT_EQ(refusal({2, 0xfffffff8, 8}, {}), "");
}

}  // namespace
}  // namespace archipelago::ctm
