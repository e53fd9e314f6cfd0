// SPDX-License-Identifier: Apache-2.0
// The graphics front end takes its registers from the family: with all of them at other offsets and
// some fields at other bits it draws and dispatches the same.
#include "testbenches/unit/gcn/moved_registers.h"

#include <gtest/gtest.h>

#include <utility>

#include "models/gcn/si/front_end.h"
#include "models/spi/spi_core.h"
#include "models/vgt/vgt_core.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::gcn {
namespace {

namespace reg = regs::si;
using Writes = std::vector<std::pair<uint32_t, uint32_t>>;  // offset, value

const MovedRegisters& moved() {
    static const MovedRegisters family(
        reg::database(),
        {"VGT_DRAW_INITIATOR", "VGT_EVENT_INITIATOR", "VGT_PRIMITIVE_TYPE", "IA_MULTI_VGT_PARAM",
         "VGT_VERTEX_REUSE_BLOCK_CNTL", "VGT_SHADER_STAGES_EN", "VGT_INDEX_TYPE",
         "VGT_PRIMITIVEID_EN", "COMPUTE_DISPATCH_INITIATOR", "COMPUTE_PGM_RSRC1",
         "COMPUTE_PGM_RSRC2", "COMPUTE_RESOURCE_LIMITS", "SPI_SHADER_PGM_RSRC1_VS",
         "SPI_SHADER_PGM_RSRC2_VS", "SPI_VS_OUT_CONFIG"});
    return family;
}

vgt::VgtSpec moved_vgt() {
    vgt::VgtSpec spec = si::vgt_spec();
    const vgt::RegisterMap there = spec.map;
    ContextWindow context = there.context;
    context.start += MovedRegisters::kDistance;
    context.end += MovedRegisters::kDistance;
    for (uint32_t& single : context.single)
        single += MovedRegisters::kDistance;
    spec.map = vgt::RegisterMap{&moved().database(), there.config_start + MovedRegisters::kDistance,
                                there.config_end + MovedRegisters::kDistance, context};
    return spec;
}

spi::SpiSpec moved_spi() {
    spi::SpiSpec spec = si::spi_spec();
    const spi::RegisterMap there = spec.map;
    spec.map = spi::RegisterMap{&moved().database()};
    spec.map.compute_start = there.compute_start + MovedRegisters::kDistance;
    spec.map.compute_end = there.compute_end + MovedRegisters::kDistance;
    spec.map.shader_start = there.shader_start + MovedRegisters::kDistance;
    spec.map.shader_end = there.shader_end + MovedRegisters::kDistance;
    spec.map.context_start = there.context_start + MovedRegisters::kDistance;
    spec.map.context_end = there.context_end + MovedRegisters::kDistance;
    return spec;
}

// Writes of a program, as they are for Southern Islands or for the moved registers. False: a
// register was not known.
bool write_all(RegisterTarget& target, const Writes& writes, bool elsewhere) {
    bool known = true;
    for (const auto& [offset, value] : writes) {
        RegRequest r;
        r.offset = elsewhere ? offset + MovedRegisters::kDistance : offset;
        r.value = elsewhere ? moved().value(offset, value) : value;
        r.write = true;
        r.context = 1;
        known = target.write_register(r) && known;
    }
    return known;
}

// Twelve triangles of 16-bit immediate indices, and an event after them.
Writes draw_program() {
    Writes writes = {{reg::VGT_PRIMITIVE_TYPE, 4},
                     {reg::VGT_INDEX_TYPE, 0},
                     {reg::VGT_NUM_INDICES, 36},
                     {reg::VGT_NUM_INSTANCES, 2},
                     {reg::VGT_PRIMITIVEID_EN, 1},
                     {reg::VGT_INDX_OFFSET, 5},
                     {reg::IA_MULTI_VGT_PARAM, 3},
                     {reg::VGT_VERTEX_REUSE_BLOCK_CNTL, 6},
                     {reg::VGT_DRAW_INITIATOR, 1 | 1u << 5}};
    for (uint32_t i = 0; i < 18; ++i)
        writes.emplace_back(reg::VGT_IMMED_DATA, (i * 7 % 20) | (i * 3 % 20) << 16);
    writes.emplace_back(reg::VGT_EVENT_INITIATOR, 16);  // PS_PARTIAL_FLUSH
    return writes;
}

struct Drawn {
    std::vector<vgt::Draw> draws;
    std::vector<VgtMessage> messages;
    uint64_t primitives = 0;
};

Drawn draw(const vgt::VgtSpec& spec, bool elsewhere) {
    vgt::VgtCore core(spec);
    Drawn drawn;
    EXPECT_TRUE(write_all(core, draw_program(), elsewhere));
    for (const vgt::QueueItem& item : core.state().queue)
        if (item.is_draw)
            drawn.draws.push_back(item.draw);
    vgt::FunctionalPorts ports;
    ports.message = [&](const VgtMessage& m) { drawn.messages.push_back(m); };
    core.run(ports);
    drawn.primitives = core.carry().primitives;
    return drawn;
}

TEST(MovedRegisters, NamesAreFoundAtTheOtherOffsetsWithTheOtherFields) {
    const vgt::RegisterMap here = moved_vgt().map, there = si::vgt_spec().map;
    EXPECT_EQ(here.VGT_DRAW_INITIATOR, there.VGT_DRAW_INITIATOR + MovedRegisters::kDistance);
    EXPECT_EQ(there.VGT_DRAW_INITIATOR.SOURCE_SELECT(2), 2u);
    EXPECT_EQ(here.VGT_DRAW_INITIATOR.SOURCE_SELECT(2), 0u);
    EXPECT_EQ(here.VGT_DRAW_INITIATOR.SOURCE_SELECT(moved().value(reg::VGT_DRAW_INITIATOR, 2)), 2u);
    EXPECT_EQ(here.VGT_EVENT_INITIATOR.EVENT_TYPE.SAMPLE_PIPELINESTAT, 30u);
}

TEST(MovedRegisters, ARegisterOrFieldThatAFamilyLacksReadsZero) {
    const regs::NamedRegister none(&reg::database(), "NO_SUCH_REGISTER");
    EXPECT_FALSE(none.exists());
    EXPECT_EQ(regs::NamedField(none, "ANY")(~0u), 0u);
    const regs::NamedRegister one(&reg::database(), "VGT_PRIMITIVE_TYPE");
    EXPECT_EQ(regs::NamedField(one, "NO_SUCH_FIELD")(~0u), 0u);
    EXPECT_EQ(regs::NamedField(one, "NO_SUCH_FIELD").set(5, 1), 5u);
}

TEST(MovedRegisters, VgtDrawsTheSame) {
    const Drawn there = draw(si::vgt_spec(), false), here = draw(moved_vgt(), true);
    ASSERT_EQ(there.draws.size(), 1u);
    ASSERT_EQ(here.draws.size(), 1u);
    EXPECT_EQ(here.draws[0].count, 36u);
    EXPECT_EQ(here.draws[0].instances, 2u);
    EXPECT_EQ(here.draws[0].group, 4u);
    EXPECT_EQ(here.draws[0].reuse, 6u);
    EXPECT_TRUE(here.draws[0].not_eop);
    EXPECT_TRUE(here.draws[0].primitive_id);
    EXPECT_EQ(here.primitives, 24u);
    EXPECT_EQ(here.primitives, there.primitives);
    ASSERT_EQ(here.messages.size(), there.messages.size());
    for (size_t i = 0; i < here.messages.size(); ++i) {
        EXPECT_EQ(here.messages[i].kind, there.messages[i].kind) << i;
        EXPECT_EQ(here.messages[i].event_type, there.messages[i].event_type) << i;
        EXPECT_EQ(here.messages[i].wave.lanes, there.messages[i].wave.lanes) << i;
        EXPECT_EQ(here.messages[i].wave.vgpr, there.messages[i].wave.vgpr) << i;
    }
}

TEST(MovedRegisters, VgtDoesNotKnowTheOffsetsOfAnotherFamily) {
    vgt::VgtCore core(moved_vgt());
    RegRequest r;
    r.offset = reg::VGT_DRAW_INITIATOR;
    r.write = true;
    EXPECT_FALSE(core.write_register(r));
    EXPECT_TRUE(core.state().queue.empty());
}

TEST(MovedRegisters, SpiDispatchesTheSame) {
    const Writes program = {{reg::COMPUTE_DIM_X, 4},
                            {reg::COMPUTE_DIM_Y, 3},
                            {reg::COMPUTE_DIM_Z, 2},
                            {reg::COMPUTE_NUM_THREAD_X, 64},
                            {reg::COMPUTE_NUM_THREAD_Y, 2},
                            {reg::COMPUTE_NUM_THREAD_Z, 1},
                            {reg::COMPUTE_PGM_LO, 0x8001},
                            {reg::COMPUTE_PGM_RSRC1, 0x00af0040},
                            {reg::COMPUTE_PGM_RSRC2, 0x8090},
                            {reg::COMPUTE_RESOURCE_LIMITS, 3},
                            {reg::COMPUTE_USER_DATA_0 + 4, 0x1234},
                            {reg::COMPUTE_STATIC_THREAD_MGMT_SE0, ~0u},
                            {reg::COMPUTE_STATIC_THREAD_MGMT_SE1, ~0u},
                            {reg::COMPUTE_DISPATCH_INITIATOR, 5}};
    const auto dispatch = [&](const spi::SpiSpec& spec, bool elsewhere) {
        spi::SpiCore core(spec);
        EXPECT_TRUE(write_all(core, program, elsewhere));
        std::vector<spi::Dispatch> taken = core.take_dispatches();
        EXPECT_EQ(taken.size(), 1u);
        return taken.empty() ? spi::Dispatch{} : taken.front();
    };
    const spi::Dispatch there = dispatch(si::spi_spec(), false);
    const spi::Dispatch here = dispatch(moved_spi(), true);
    EXPECT_EQ(here.groups(), 24u);
    EXPECT_EQ(here.pc, 0x800100u);
    EXPECT_EQ(here.sgprs, there.sgprs);
    EXPECT_EQ(here.vgprs, there.vgprs);
    EXPECT_EQ(here.float_mode, there.float_mode);
    EXPECT_EQ(here.user_sgprs, 8u);
    EXPECT_EQ(here.user_sgprs, there.user_sgprs);
    EXPECT_EQ(here.lds_bytes, there.lds_bytes);
    EXPECT_EQ(here.waves_per_sh, there.waves_per_sh);
    EXPECT_EQ(here.user_data, there.user_data);
    EXPECT_EQ(here.threads(), there.threads());
}

TEST(MovedRegisters, SpiReadsTheProgramsOfADrawTheSame) {
    const Writes program = {{reg::SPI_SHADER_PGM_LO_VS, 0x4001},
                            {reg::SPI_SHADER_PGM_RSRC1_VS, 5 | 2 << 6 | 0xc0 << 12 | 2 << 24},
                            {reg::SPI_SHADER_PGM_RSRC2_VS, 4 << 1 | 1 << 12},
                            {reg::SPI_SHADER_USER_DATA_VS_0, 77},
                            {reg::SPI_SHADER_POS_FORMAT, 4},
                            {reg::SPI_VS_OUT_CONFIG, 3 << 1},
                            {reg::VGT_DRAW_INITIATOR, 2}};
    const auto stage = [&](const spi::SpiSpec& spec, bool elsewhere) {
        spi::SpiCore core(spec);
        core.from_vgt();
        EXPECT_TRUE(write_all(core, program, elsewhere));
        const spi::StageProgram* vs = core.program(1, ShaderStage::Vs);
        EXPECT_NE(vs, nullptr);
        return vs != nullptr ? *vs : spi::StageProgram{};
    };
    const spi::StageProgram there = stage(si::spi_spec(), false), here = stage(moved_spi(), true);
    EXPECT_EQ(here.pc, 0x400100u);
    EXPECT_EQ(here.vgprs, 24u);
    EXPECT_EQ(here.vgpr_inputs, 3u);
    EXPECT_EQ(here.user_sgprs, 4u);
    EXPECT_EQ(here.parameters, 4u);
    EXPECT_TRUE(here.streamout);
    EXPECT_EQ(here.user_data[0], 77u);
    EXPECT_EQ(here.sgprs, there.sgprs);
    EXPECT_EQ(here.float_mode, there.float_mode);
    EXPECT_EQ(here.position_mask, there.position_mask);
}

}  // namespace
}  // namespace archipelago::gcn
