// SPDX-License-Identifier: Apache-2.0
// Registers of any content: a draw runs or stops the machine by name, with time and without.
#include <gtest/gtest.h>

#include <random>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "testbenches/unit/vgt/vgt_bench.h"

namespace archipelago::vgt {
namespace {

struct Target {
    uint32_t offset;
    uint32_t mask;  // bits that vary
};
constexpr Target kTargets[] = {
    {si::VGT_PRIMITIVE_TYPE, 0x1F},
    {si::VGT_INDEX_TYPE, 1},
    {si::VGT_DMA_INDEX_TYPE, 0xF},
    {si::VGT_DMA_BASE, 0x3FFFE},
    {si::VGT_DMA_MAX_SIZE, 0xFF},
    {si::VGT_NUM_INSTANCES, 3},
    {si::VGT_MAX_VTX_INDX, ~0u},
    {si::VGT_MIN_VTX_INDX, ~0u},
    {si::VGT_INDX_OFFSET, ~0u},
    {si::VGT_MULTI_PRIM_IB_RESET_EN, 1},
    {si::VGT_MULTI_PRIM_IB_RESET_INDX, 7},
    {si::VGT_SHADER_STAGES_EN, 0x1FF},
    {si::VGT_GS_MODE, 3},
    {si::VGT_GS_OUT_PRIM_TYPE, 0x83030303},
    {si::VGT_GS_MAX_VERT_OUT, 0x7FF},
    {si::VGT_GS_INSTANCE_CNT, 0x1FD},
    {si::VGT_GS_PER_ES, 0x7FF},
    {si::VGT_GS_VERT_ITEMSIZE, 0x7FFF},
    {si::VGT_GS_VERT_ITEMSIZE_3, 0x7FFF},
    {si::VGT_GSVS_RING_OFFSET_3, 0x7FFF},
    {si::VGT_ESGS_RING_ITEMSIZE, 0xF},
    {si::VGT_GSVS_RING_ITEMSIZE, 0xF},
    {si::VGT_ESGS_RING_SIZE, 0xFF},
    {si::VGT_GSVS_RING_SIZE, 0xFF},
    {si::VGT_GS_VERTEX_REUSE, 0x1F},
    {si::VGT_LS_HS_CONFIG, 0xFFFFF},
    {si::VGT_TF_PARAM, 0xFF},
    {si::VGT_TF_RING_SIZE, 0xFFFF},
    {si::VGT_HS_OFFCHIP_PARAM, 0x67F},
    {si::VGT_STRMOUT_CONFIG, 0x7F},
    {si::VGT_STRMOUT_BUFFER_CONFIG, 0xFFFF},
    {si::VGT_STRMOUT_BUFFER_SIZE_0, ~0u},
    {si::VGT_STRMOUT_BUFFER_OFFSET_0, ~0u},
    {si::VGT_STRMOUT_VTX_STRIDE_0, 0x3FF},
    {si::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE, 0xFFF},
    {si::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE, 0x1FF},
    {si::VGT_PRIMITIVEID_EN, 3},
    {si::VGT_VERTEX_REUSE_BLOCK_CNTL, 0xFF},
    {si::VGT_VTX_VECT_EJECT_REG, 0x3FF},
    {si::VGT_VTX_CNT_EN, 1},
    {si::IA_MULTI_VGT_PARAM, 0x1F00FF},
};

TEST(VgtFuzz, AnyRegistersDrawOrStopAlikeWithTimeAndWithout) {
    unsigned drawn = 0, stopped = 0;
    for (uint32_t round = 0; round < 3000; ++round) {
        std::mt19937 random(round);
        const auto any = [&] { return static_cast<uint32_t>(random()); };
        VgtSpec spec = gcn::si::vgt_spec();
        spec.shader_engines = 1 + round % 2;
        VgtBench timed(spec);
        FunctionalBench functional(spec, timed.memory);
        // Threads say what they like, and nearly always that they are done.
        const Shader shader = [](const VertexWave& w) {
            std::vector<ShaderMessage> list;
            std::mt19937 of_wave(w.wave + w.lanes);
            for (unsigned i = 0; i < 6; ++i) {
                ShaderMessage m;
                m.kind =
                    i == 5 && w.wave != 2 ? ShaderMessage::Kind::GsDone : ShaderMessage::Kind::Gs;
                m.operation = of_wave() % 4;
                m.stream = of_wave() % 4;
                m.exec = ~uint64_t{0};
                m.m0 = w.gs_wave;
                list.push_back(m);
            }
            return list;
        };
        timed.shader = functional.shader = shader;
        std::vector<RegRequest> program;
        const auto write = [&](uint32_t offset, uint32_t value) {
            RegRequest r;
            r.offset = offset;
            r.value = value;
            r.write = true;
            r.context = 1;
            program.push_back(r);
        };
        // Half of the rounds begin with stages that follow each other.
        static constexpr uint32_t kStages[] = {0, 2 << 3 | 1 << 5 | 2 << 6, 1 | 1 << 2 | 1 << 6,
                                               1 | 1 << 2 | 1 << 3 | 1 << 5 | 2 << 6};
        const uint32_t stages = kStages[round % 4];
        for (const Target& t : kTargets)
            if (any() % 2 == 0)
                write(t.offset, any() & t.mask & (any() % 3 == 0 ? any() : ~0u));
        if (round % 8 < 6) {
            write(si::VGT_SHADER_STAGES_EN, stages);
            write(si::VGT_GS_MODE, (stages & 1 << 5) != 0 ? 3 : 0);
            write(si::VGT_PRIMITIVE_TYPE, (stages & 1) != 0 ? 9 : 1 + any() % 6);
        }
        const uint32_t count = any() % 200, source = any() % 3;
        write(si::VGT_NUM_INDICES, count);
        write(si::VGT_DMA_SIZE, count);
        write(si::VGT_DRAW_INITIATOR, source | (any() % 8 == 0 ? any() & 0x7C : 0));
        for (uint32_t i = 0; source == 1 && i < (count + 1) / 2; ++i)
            write(si::VGT_IMMED_DATA, any());
        write(si::VGT_EVENT_INITIATOR, any() & 0x3F);
        std::string with, without;
        try {
            for (const RegRequest& r : program)
                functional.write(r);
        } catch (const MachineStop& stop) {
            without = stop.what();
        }
        timed.writes.assign(program.begin(), program.end());
        timed.wake_at(0);
        try {
            if (!timed.run(400'000))
                with = timed.vgt.waiting_for();
        } catch (const MachineStop& stop) {
            with = stop.what();
        }
        EXPECT_EQ(with.empty(), without.empty()) << round << ": " << with << " | " << without;
        (with.empty() ? drawn : stopped) += 1;
    }
    // Neither is rare.
    EXPECT_GT(drawn, 300u);
    EXPECT_GT(stopped, 300u);
}

}  // namespace
}  // namespace archipelago::vgt
