// SPDX-License-Identifier: Apache-2.0
// VGT in cycle mode: order, back-pressure, rates, and the same waves as in functional mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "registers/si_names.h"
#include "testbenches/unit/vgt/vgt_bench.h"

namespace archipelago::vgt {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kFetched = 0, kImmediate = 1, kAutomatic = 2;
constexpr uint32_t kSamplePipeline = 30, kSampleStreamout = 32, kStatStart = 25, kStatStop = 26;

void draw_auto(VgtBench& b, uint32_t count, uint32_t type = 4) {
    b.write(si::VGT_PRIMITIVE_TYPE, type);
    b.write(si::VGT_NUM_INDICES, count);
    b.write(si::VGT_DRAW_INITIATOR, kAutomatic);
}
unsigned waves(const VgtBench& b) {
    unsigned n = 0;
    for (const Left& l : b.out)
        n += l.kind == static_cast<int>(VgtMessage::Kind::Wave) ? 1 : 0;
    return n;
}

struct Pipeline {
    bool tessellation = false, geometry = false;
};

// Random draws of every source, and events between them.
std::vector<RegRequest> random_program(std::mt19937& random, const Pipeline& p) {
    std::vector<RegRequest> list;
    const auto up_to = [&](uint32_t n) { return static_cast<uint32_t>(random() % (n + 1)); };
    const auto write = [&](uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        r.context = 1;
        list.push_back(r);
    };
    write(si::VGT_ESGS_RING_SIZE, 8);  // two waves of 4 dwords, 256 bytes each
    write(si::VGT_GSVS_RING_SIZE, 24);
    write(si::VGT_TF_RING_SIZE, 4000);
    write(si::VGT_HS_OFFCHIP_PARAM, 2);
    if (p.geometry) {
        write(si::VGT_GS_MODE, 3);
        write(si::VGT_ESGS_RING_ITEMSIZE, 4);
        write(si::VGT_GS_MAX_VERT_OUT, 4);
        write(si::VGT_GS_VERT_ITEMSIZE, 2);
        write(si::VGT_GSVS_RING_ITEMSIZE, 8);
        write(si::VGT_GS_OUT_PRIM_TYPE, up_to(2));
        write(si::VGT_GS_VERTEX_REUSE, up_to(16));
    }
    write(si::VGT_SHADER_STAGES_EN, (p.tessellation ? 5u : 0u) |
                                        (p.geometry ? 1u << 5 | 2u << 6 : 0u) |
                                        (p.geometry ? (p.tessellation ? 1u : 2u) << 3 : 0u) |
                                        (p.tessellation && !p.geometry ? 1u << 6 : 0u));
    for (unsigned d = 0; d < 12; ++d) {
        static constexpr uint32_t kTypes[] = {1, 2, 3, 4, 5, 6, 13, 18, 19};
        write(si::VGT_PRIMITIVE_TYPE, p.tessellation ? 9 : kTypes[up_to(8)]);
        write(si::VGT_LS_HS_CONFIG, (1 + up_to(15)) | (1 + up_to(3)) << 8 | (1 + up_to(5)) << 14);
        const uint32_t domain = up_to(2);
        write(si::VGT_TF_PARAM, domain | (domain == 0 ? up_to(1) : 2 + up_to(1)) << 5);
        const uint32_t count = up_to(300), source = up_to(2);
        write(si::VGT_NUM_INDICES, count);
        write(si::VGT_DMA_SIZE, count);
        write(si::VGT_DMA_MAX_SIZE, up_to(1) == 0 ? ~0u : up_to(300));
        write(si::VGT_DMA_BASE, 0x10000 + 4 * up_to(200));
        write(si::VGT_DMA_INDEX_TYPE, up_to(1));
        write(si::VGT_INDEX_TYPE, d % 2);
        write(si::VGT_NUM_INSTANCES, up_to(3));
        write(si::VGT_MULTI_PRIM_IB_RESET_EN, up_to(1));
        write(si::VGT_MULTI_PRIM_IB_RESET_INDX, 5);
        write(si::IA_MULTI_VGT_PARAM, up_to(40) | up_to(15) << 16);
        write(si::VGT_STRMOUT_CONFIG, up_to(2) == 0);
        write(si::VGT_STRMOUT_BUFFER_CONFIG, 1);
        write(si::VGT_STRMOUT_VTX_STRIDE_0, 4);
        write(si::VGT_STRMOUT_BUFFER_SIZE_0, 20000);
        if (up_to(3) == 0)
            write(si::VGT_STRMOUT_BUFFER_OFFSET_0, up_to(100));
        write(si::VGT_DRAW_INITIATOR, source);
        if (source == kImmediate)
            for (uint32_t i = 0; i < (d % 2 != 0 ? count : (count + 1) / 2); ++i)
                write(si::VGT_IMMED_DATA, up_to(20) << 16 | up_to(20));
        static constexpr uint32_t kEvents[] = {kStatStart, kStatStop, kSamplePipeline, 10, 31, 40};
        if (up_to(1) == 0)
            write(si::VGT_EVENT_INITIATOR, kEvents[up_to(5)]);
    }
    write(si::VGT_EVENT_INITIATOR, kSamplePipeline);
    write(si::VGT_EVENT_INITIATOR, kSampleStreamout);
    return list;
}

// Every thread emits as many vertices as its number says, with a cut now and then.
std::vector<ShaderMessage> emitting(const VertexWave& wave) {
    std::vector<ShaderMessage> list;
    const auto send = [&](ShaderMessage::Kind kind, uint8_t operation, uint64_t exec) {
        ShaderMessage m;
        m.kind = kind;
        m.operation = operation;
        m.exec = exec;
        m.m0 = wave.gs_wave;
        list.push_back(m);
    };
    const uint64_t live = wave.lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << wave.lanes) - 1;
    send(ShaderMessage::Kind::Gs, 2, live);
    send(ShaderMessage::Kind::Gs, 2, live & 0xAAAAAAAAAAAAAAAA);
    send(ShaderMessage::Kind::Gs, 3, live & 0xCCCCCCCCCCCCCCCC);
    send(ShaderMessage::Kind::Gs, 2, live);
    send(ShaderMessage::Kind::GsDone, 0, live);
    return list;
}

// VGT's counters by name, without those that depend on time or on the reader of memory.
std::map<std::string, uint64_t> counts(const VgtCore& vgt) {
    StatsRegistry registry;
    vgt.register_stats(registry, "vgt");
    std::map<std::string, uint64_t> all;
    for (const Counter& c : registry.counters())
        if (c.unit == "cycles" || (c.unit_path != "vgt" && c.name != "requests"))
            EXPECT_FALSE(c.meaning.empty());
        else
            all[c.unit_path + "." + c.name] = *c.value;
    return all;
}

TEST(VgtCore, CountersCountTheVerticesOfWavesAndThoseFoundInThem) {
    VgtBench b;
    b.write(si::IA_MULTI_VGT_PARAM, 0xFFFF);
    // 30 points, twice; a strip of 20, whose triangles share two vertices each with the one before.
    b.write(si::VGT_NUM_INSTANCES, 2);
    draw_auto(b, 30, 1);
    b.write(si::VGT_NUM_INSTANCES, 1);
    draw_auto(b, 20, 6);
    // Four patches of three control points each, of two groups: three corners, one triangle each.
    b.write(si::VGT_SHADER_STAGES_EN, 5u | 1u << 6);
    b.write(si::VGT_TF_RING_SIZE, 4000).write(si::VGT_HS_OFFCHIP_PARAM, 2);
    b.write(si::VGT_LS_HS_CONFIG, 2 | 3 << 8 | 3 << 14);
    b.write(si::VGT_TF_PARAM, 1 | 2 << 5);
    draw_auto(b, 12, 9);
    ASSERT_TRUE(b.run());
    const auto c = counts(b.vgt);
    EXPECT_EQ(c.at("vgt.vs_threads"), 60u + 20 + 12);
    EXPECT_EQ(c.at("vgt.reused_vs"), 2u * 17);
    EXPECT_EQ(c.at("vgt.ls_threads"), 12u);
    EXPECT_EQ(c.at("vgt.hs_threads"), 12u);
    EXPECT_EQ(c.at("vgt.ds_threads"), 12u);
    EXPECT_EQ(c.at("vgt.ds_primitives"), 4u);
    EXPECT_EQ(c.at("vgt.patch_groups"), 2u);
    EXPECT_EQ(c.at("vgt.reused_ds"), 0u);
}

TEST(VgtCore, TimeWithoutRoomAtSpiIsThatOfTheStageWhoseWaveWaits) {
    VgtBench b;
    b.hold = true;
    draw_auto(b, 300, 1);
    b.wake_at(5000);
    b.scheduler.run(5000);
    b.hold = false;
    b.wake_at(5001);
    ASSERT_TRUE(b.run());
    const VgtCounters& c = b.vgt.state().counters;
    EXPECT_GT(c.spi_wait_cycles, 4000u);
    EXPECT_EQ(c.stage_spi_wait[static_cast<size_t>(ShaderStage::Vs)], c.spi_wait_cycles);
}

TEST(VgtCore, TheSameWavesAndSamplesLeaveWithTimeAndWithout) {
    for (unsigned round = 0; round < 48; ++round) {
        std::mt19937 random(round);
        const Pipeline p{(round & 1) != 0, (round & 2) != 0};
        VgtSpec spec = gcn::si::vgt_spec();
        spec.shader_engines = 1 + round / 4 % 2;
        const unsigned stall = round % 3 == 0 ? 0 : 30;
        VgtBench timed(spec, stall, round % 3 == 2 ? round : 0);
        for (uint32_t i = 0; i < 4096; ++i) {
            const uint32_t value = random() % 30;
            timed.memory.write(0x10000 + 4 * i, &value, 4);
        }
        FunctionalBench functional(spec, timed.memory);
        timed.shader = functional.shader = emitting;
        for (const RegRequest& r : random_program(random, p)) {
            timed.writes.push_back(r);
            functional.write(r);
        }
        timed.wake_at(0);
        ASSERT_TRUE(timed.run()) << round << ": " << timed.vgt.waiting_for();
        ASSERT_EQ(timed.sampled.size(), functional.sampled.size());
        for (size_t i = 0; i < timed.sampled.size(); ++i)
            EXPECT_EQ(timed.sampled[i].counts, functional.sampled[i].counts) << round;
        EXPECT_EQ(counts(timed.vgt), counts(functional.vgt)) << round;
        if (!p.geometry && !p.tessellation) {
            ASSERT_EQ(timed.out.size(), functional.out.size());
            for (size_t i = 0; i < timed.out.size(); ++i)
                ASSERT_TRUE(timed.out[i] == functional.out[i]) << round << " message " << i;
            continue;
        }
        // Waves of different stages may pass one another; each is the same to the last lane.
        const auto stage = [](const std::vector<Left>& list, int s) {
            std::vector<Left> found;
            for (const Left& l : list)
                if (l.stage == s && l.kind == static_cast<int>(VgtMessage::Kind::Wave))
                    found.push_back(l);
            return found;
        };
        for (int s = 0; s < 5; ++s) {
            const std::vector<Left> a = stage(timed.out, s), b = stage(functional.out, s);
            ASSERT_EQ(a.size(), b.size()) << round << " stage " << s;
            for (size_t i = 0; i < a.size(); ++i)
                ASSERT_TRUE(a[i] == b[i]) << round << " stage " << s << " wave " << i;
        }
    }
}

TEST(VgtCore, PrimitivesFollowTheWaveTheyAreMadeOf) {
    VgtBench b;
    draw_auto(b, 3000);
    ASSERT_TRUE(b.run());
    ASSERT_EQ(b.assembled.size(), 1001u);
    EXPECT_EQ(b.assembled.back().kind, PrimitiveMessage::Kind::DrawEnd);
    uint32_t highest = 0;
    for (const PrimitiveMessage& p : b.assembled)
        if (p.kind == PrimitiveMessage::Kind::Primitive) {
            EXPECT_GE(p.wave[0], highest);
            highest = p.wave[0];
        }
    EXPECT_EQ(highest + 1, waves(b));
}

TEST(VgtCore, EventsPassBehindTheDrawsBeforeThem) {
    VgtBench b;
    b.write(si::VGT_EVENT_INITIATOR, 15);
    draw_auto(b, 300);
    b.write(si::VGT_EVENT_INITIATOR, 16);
    b.write(si::VGT_EVENT_INITIATOR, 40, 1, 1);  // of a compute ring: not VGT's
    draw_auto(b, 3);
    b.write(si::VGT_EVENT_INITIATOR, 5, 3);
    ASSERT_TRUE(b.run());
    std::vector<int> kinds;
    for (const Left& l : b.out)
        kinds.push_back(l.kind == 1 ? 100 + l.event : l.kind);
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    EXPECT_EQ(kinds, (std::vector<int>{115, 0, 2, 116, 0, 2, 105}));
    EXPECT_EQ(b.vgt.state().counters.events, 3u);
}

TEST(VgtCore, ADrawKeepsTheRegistersItWasWrittenWith) {
    VgtBench b;
    b.hold = true;
    b.write(si::VGT_INDX_OFFSET, 100, 1).write(si::VGT_INDX_OFFSET, 200, 2);
    draw_auto(b, 3);
    b.write(si::VGT_DRAW_INITIATOR, kAutomatic, 2);
    b.write(si::VGT_INDX_OFFSET, 300, 1).write(si::VGT_NUM_INDICES, 6);
    b.run(1000);
    b.hold = false;
    b.wake_at(0);
    ASSERT_TRUE(b.run());
    ASSERT_EQ(b.out.size(), 4u);
    EXPECT_EQ(b.out[0].lanes, 3u);
    EXPECT_EQ(b.out[0].vgpr[0], 100u);
    EXPECT_EQ(b.out[2].lanes, 3u);
    EXPECT_EQ(b.out[2].vgpr[0], 200u);
}

TEST(VgtCore, ContextsAreCopiedByTheirRegister) {
    VgtBench b;
    b.write(si::VGT_INDX_OFFSET, 100, 2);
    b.write(regs::si::GFX_COPY_STATE, 2, 5);
    draw_auto(b, 3);
    b.write(si::VGT_DRAW_INITIATOR, kAutomatic, 5);
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.out[0].vgpr[0], 0u);
    EXPECT_EQ(b.out[2].vgpr[0], 100u);
}

TEST(VgtCore, ReadingTellsWhatWasWrittenAndTheFillOfStreamoutBuffers) {
    VgtBench b;
    const auto read = [&](uint32_t offset) {
        RegRequest r;
        r.offset = offset;
        r.context = 1;
        b.writes.push_back(r);
        b.wake_at(0);
        EXPECT_TRUE(b.run());
        return b.answer;
    };
    b.write(si::VGT_STRMOUT_CONFIG, 1).write(si::VGT_STRMOUT_BUFFER_CONFIG, 4);
    b.write(si::VGT_STRMOUT_VTX_STRIDE_2, 5).write(si::VGT_STRMOUT_BUFFER_SIZE_2, 1000);
    b.write(si::VGT_STRMOUT_BUFFER_OFFSET_2, 50);
    draw_auto(b, 9);
    EXPECT_EQ(read(si::VGT_NUM_INDICES), 9u);
    EXPECT_EQ(read(si::VGT_STRMOUT_BUFFER_FILLED_SIZE_2), 50u + 45u);
    EXPECT_EQ(read(si::VGT_STRMOUT_BUFFER_FILLED_SIZE_0), 0u);
    b.write(si::VGT_EVENT_INITIATOR, 10);  // VGT_STREAMOUT_RESET
    EXPECT_EQ(read(si::VGT_NUM_INDICES), 9u);
    EXPECT_EQ(read(si::VGT_STRMOUT_BUFFER_FILLED_SIZE_2), 0u);
}

TEST(VgtCore, AFullQueueHoldsTheNextDrawAndEventBack) {
    VgtSpec spec = gcn::si::vgt_spec();
    spec.draw_queue = 2;
    VgtBench b(spec);
    b.hold = true;
    for (unsigned i = 0; i < 5; ++i)
        draw_auto(b, 3);
    b.run(5000);
    // The first has left; the channel is full of it.
    EXPECT_EQ(b.vgt.state().draws, 3u);
    RegRequest r;
    r.write = true;
    for (const uint32_t offset : {si::VGT_DRAW_INITIATOR, si::VGT_EVENT_INITIATOR}) {
        r.offset = offset;
        EXPECT_FALSE(b.vgt.register_ready(r));
    }
    r.offset = si::VGT_NUM_INDICES;
    EXPECT_TRUE(b.vgt.register_ready(r));
    EXPECT_THAT(b.vgt.waiting_for(), HasSubstr("draw 2: SPI to take"));
    b.hold = false;
    b.wake_at(0);
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.vgt.state().counters.draws, 5u);
}

TEST(VgtCore, ImmediateIndicesWaitForRoomAndForEachOther) {
    VgtSpec spec = gcn::si::vgt_spec();
    spec.immediate_queue = 4;
    VgtBench b(spec, 30);
    b.write(si::VGT_INDEX_TYPE, 0).write(si::VGT_PRIMITIVE_TYPE, 1);
    for (const uint32_t count : {101u, 60u}) {
        b.write(si::VGT_NUM_INDICES, count).write(si::VGT_DRAW_INITIATOR, kImmediate);
        for (uint32_t i = 0; i < count; i += 2)
            b.write(si::VGT_IMMED_DATA, (i + 1) << 16 | i);
    }
    ASSERT_TRUE(b.run());
    uint32_t next = 0;
    for (const Left& l : b.out)
        for (unsigned lane = 0; lane < l.lanes; ++lane, ++next)
            EXPECT_EQ(l.vgpr[lane], next < 101 ? next : next - 101);
    EXPECT_EQ(next, 161u);
}

// They come once, more of them than wait at a time.
TEST(VgtCore, EveryInstanceTakesTheImmediateIndices) {
    for (const uint32_t wide : {0u, 1u}) {
        VgtSpec spec = gcn::si::vgt_spec();
        spec.immediate_queue = 4;
        VgtBench b(spec, 30);
        b.write(si::VGT_INDEX_TYPE, wide).write(si::VGT_PRIMITIVE_TYPE, 1);
        std::vector<uint32_t> expected;
        const std::pair<uint32_t, uint32_t> draws[] = {{101, 3}, {1, 4}, {60, 1}};
        for (const auto& [count, instances] : draws) {
            b.write(si::VGT_NUM_INSTANCES, instances).write(si::VGT_NUM_INDICES, count);
            b.write(si::VGT_DRAW_INITIATOR, kImmediate);
            for (uint32_t i = 0; i < count; i += wide != 0 ? 1 : 2)
                b.write(si::VGT_IMMED_DATA, wide != 0 ? i : (i + 1) << 16 | i);
            for (uint32_t i = 0; i < count * instances; ++i)
                expected.push_back(i % count);
        }
        ASSERT_TRUE(b.run());
        std::vector<uint32_t> taken;
        for (const Left& l : b.out)
            taken.insert(taken.end(), l.vgpr.begin(), l.vgpr.begin() + l.lanes);
        EXPECT_EQ(taken, expected);
        EXPECT_EQ(b.vgt.state().immediate_kept, 0u);
    }
}

TEST(VgtCore, ImmediateIndicesThatAreTooManyOrMissingStop) {
    VgtBench b;
    const auto now = [&](uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        b.vgt.write_register(r);
    };
    const auto stop = [&](uint32_t offset, uint32_t value) -> std::string {
        try {
            now(offset, value);
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), StopKind::BadInput);
            return e.what();
        }
        return "no stop";
    };
    EXPECT_THAT(stop(si::VGT_IMMED_DATA, 0), HasSubstr("beyond the indices of the draw"));
    now(si::VGT_PRIMITIVE_TYPE, 1);
    now(si::VGT_NUM_INDICES, 3);
    now(si::VGT_DRAW_INITIATOR, kImmediate);
    now(si::VGT_IMMED_DATA, 0);
    for (const uint32_t offset : {si::VGT_DRAW_INITIATOR, si::VGT_EVENT_INITIATOR})
        EXPECT_THAT(stop(offset, kAutomatic),
                    HasSubstr("draw 1: 1 dwords of its VGT_IMMED_DATA are missing"));
    now(si::VGT_IMMED_DATA, 0);
    EXPECT_THAT(stop(si::VGT_IMMED_DATA, 0), HasSubstr("beyond"));
}

TEST(VgtCore, DrawsThatCannotBeStopNamingTheRegister) {
    struct Case {
        uint32_t offset, value;
        const char* text;
        uint32_t initiator = kAutomatic;
        StopKind kind = StopKind::BadInput;
    };
    const Case cases[] = {
        {si::VGT_PRIMITIVE_TYPE, 0, "VGT_PRIMITIVE_TYPE 0"},
        {si::VGT_PRIMITIVE_TYPE, 7, "VGT_PRIMITIVE_TYPE 7"},
        {si::VGT_PRIMITIVE_TYPE, 63, "VGT_PRIMITIVE_TYPE 63"},
        {si::VGT_PRIMITIVE_TYPE, 16, "TRI_WITH_WFLAGS", kAutomatic, StopKind::Unimplemented},
        {si::VGT_PRIMITIVE_TYPE, 9, "PATCH without the LS and HS stages"},
        {si::VGT_SHADER_STAGES_EN, 5 | 1 << 6, "LS and HS take patches, not TRILIST"},
        {si::VGT_SHADER_STAGES_EN, 1, "LS 1, HS 0"},
        {si::VGT_SHADER_STAGES_EN, 2 << 6, "VS 2"},
        {si::VGT_SHADER_STAGES_EN, 1 << 5 | 2 << 6, "ES 0, GS 1"},
        {si::VGT_SHADER_STAGES_EN, 1 << 8, "DYNAMIC_HS", kAutomatic, StopKind::Unimplemented},
        {si::VGT_GS_MODE, 3, "VGT_GS_MODE.MODE 3 without"},
        {si::VGT_OUTPUT_PATH_CNTL, 1, "VGT_OUTPUT_PATH_CNTL", kAutomatic, StopKind::Unimplemented},
        {si::VGT_STRMOUT_CONFIG, 0x80000001, "USE_RAST_STREAM_MASK", kAutomatic,
         StopKind::Unimplemented},
        {0, 0, "SOURCE_SELECT 3", 3},
        {0, 0, "MAJOR_MODE 1", kAutomatic | 1 << 2, StopKind::Unimplemented},
        {0, 0, "MAJOR_MODE 2", kAutomatic | 2 << 2},
        {0, 0, "SPRITE_EN", kAutomatic | 1 << 4, StopKind::Unimplemented},
        {0, 0, "VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE is 0", kAutomatic | 1 << 6},
        {0, 0, "USE_OPAQUE needs automatic", kFetched | 1 << 6},
        {si::VGT_DMA_SIZE, 4, "VGT_DMA_SIZE is 4, VGT_NUM_INDICES 3", kFetched},
        {si::VGT_DMA_INDEX_TYPE, 2, "INDEX_TYPE 2", kFetched},
        {si::VGT_DMA_INDEX_TYPE, 1 << 4, "BUF_TYPE 1", kFetched, StopKind::Unimplemented},
        {si::VGT_DMA_INDEX_TYPE, 1 << 8, "ATC", kFetched, StopKind::Unimplemented},
        {si::VGT_DMA_BASE, 1, "VGT_DMA_BASE is not a multiple of 2", kFetched},
        {si::VGT_INDEX_TYPE, 2, "VGT_INDEX_TYPE 2", kImmediate},
    };
    for (const Case& c : cases) {
        VgtBench b;
        b.write(si::VGT_PRIMITIVE_TYPE, 4).write(si::VGT_NUM_INDICES, 3);
        b.write(si::VGT_DMA_SIZE, 3);
        if (c.offset != 0)
            b.write(c.offset, c.value);
        b.write(si::VGT_DRAW_INITIATOR, c.initiator);
        std::string text = "no stop";
        try {
            b.run();
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), c.kind) << e.what();
            text = e.what();
        }
        EXPECT_THAT(text, HasSubstr(c.text));
        EXPECT_THAT(text, HasSubstr("vgt, draw 1: "));
    }
}

TEST(VgtCore, AnIndexBufferThatIsNotThereFaultsInBothModes) {
    VgtBench b;
    const auto program = [&](auto write) {
        write(si::VGT_PRIMITIVE_TYPE, 1);
        write(si::VGT_NUM_INDICES, 40);
        write(si::VGT_DMA_SIZE, 40);
        write(si::VGT_DMA_MAX_SIZE, 40);
        write(si::VGT_DMA_BASE, 0x50000 - 64);  // 32 indices are there
        write(si::VGT_DRAW_INITIATOR, kFetched);
    };
    program([&](uint32_t offset, uint32_t value) { b.write(offset, value); });
    EXPECT_THROW(b.run(), MachineStop);
    EXPECT_LE(b.vgt.state().counters.indices, 32u);
    FunctionalBench f(gcn::si::vgt_spec(), b.memory);
    const auto write = [&](uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        f.write(r);
    };
    EXPECT_THROW(program(write), MachineStop);
    EXPECT_EQ(f.vgt.state().counters.indices, 32u);
}

TEST(VgtCore, IndicesAreReadInTheAddressSpaceOfWhoDrew) {
    for (const bool overridden : {false, true}) {
        VgtBench b;
        FunctionalBench f(gcn::si::vgt_spec(), b.memory);
        const auto write = [&](uint32_t offset, uint32_t value, uint8_t vmid) {
            b.write(offset, value);
            b.writes.back().vmid = vmid;
            f.write(b.writes.back());
        };
        if (overridden)
            write(si::IA_VMID_OVERRIDE, 1 | 9 << 1, 0);
        write(si::VGT_PRIMITIVE_TYPE, 1, 2);
        write(si::VGT_NUM_INDICES, 100, 2);
        write(si::VGT_DMA_SIZE, 100, 2);
        write(si::VGT_DMA_MAX_SIZE, 100, 2);
        write(si::VGT_DMA_BASE, 0x10000, 2);
        write(si::VGT_DRAW_INITIATOR, kFetched, 6);
        ASSERT_TRUE(b.run());
        const std::set<uint8_t> expected = {static_cast<uint8_t>(overridden ? 9 : 6)};
        EXPECT_EQ(b.vmids, expected);
        EXPECT_EQ(f.vmids, expected);
    }
}

// ---- rates -------------------------------------------------------------------------------------

TEST(VgtCore, AnAutomaticDrawTakesTheCyclesItsSpecSays) {
    VgtSpec spec = gcn::si::vgt_spec();
    spec.draw_cycles = 9;
    VgtBench b(spec);
    b.vgt.to_primitives.connect(b.primitives);
    RegRequest r;
    r.write = true;
    for (const auto& [offset, value] :
         {std::pair<uint32_t, uint32_t>{si::VGT_PRIMITIVE_TYPE, 1}, {si::VGT_NUM_INDICES, 64}}) {
        r.offset = offset;
        r.value = value;
        b.vgt.write_register(r);
    }
    b.write(si::VGT_DRAW_INITIATOR, kAutomatic);
    ASSERT_TRUE(b.run());
    // Cycle 0 the write goes out, 1 it is taken and the draw looked at; draw_cycles; one point a
    // cycle, 64 of them; the wave goes in the cycle after the last, and is seen one later.
    EXPECT_EQ(b.cycles[0], 1 + 9 + 64 - 1 + 1 + 1u);
}

TEST(VgtCore, WavesLeaveNoFasterThanTheLinkTakesThem) {
    VgtSpec spec = gcn::si::vgt_spec();
    spec.primitives_per_cycle = 8;
    spec.indices_per_cycle = 8;
    spec.wave_cycles = 50;
    VgtBench b(spec);
    draw_auto(b, 64 * 10, 1);
    ASSERT_TRUE(b.run());
    for (unsigned i = 1; i < 10; ++i)
        EXPECT_GE(b.cycles[i] - b.cycles[i - 1], 50u);
}

TEST(VgtCore, AStreamOfTrianglesComesAtOnePerCycle) {
    VgtSpec spec = gcn::si::vgt_spec();
    spec.indices_per_cycle = 3;
    VgtBench b(spec);
    draw_auto(b, 3 * 5000);
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.assembled.size(), 5001u);
    EXPECT_LT(b.scheduler.now(), 5000u * 1.05 + 200);
    EXPECT_GE(b.scheduler.now(), 5000u);
}

TEST(VgtCore, AnIdleVgtIsNotTicked) {
    VgtBench b;
    draw_auto(b, 3);
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.scheduler.next_wake(), kNever);
}

// ---- control -----------------------------------------------------------------------------------

TEST(VgtCore, PausedItStandsStillAndDrainingItTakesNoNewDraw) {
    VgtBench b;
    b.vgt.pause();
    draw_auto(b, 300);
    b.run(1000);
    EXPECT_TRUE(b.out.empty());
    b.vgt.resume();
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.vgt.state().counters.draws, 1u);
    b.vgt.drain();
    draw_auto(b, 3);
    b.run(20000);
    EXPECT_EQ(b.vgt.state().counters.draws, 1u);
    b.vgt.resume();
    ASSERT_TRUE(b.run());
    EXPECT_EQ(b.vgt.state().counters.draws, 2u);
}

TEST(VgtCore, ResetForgetsEverything) {
    VgtBench b;
    b.hold = true;
    b.write(si::VGT_INDX_OFFSET, 9);
    draw_auto(b, 3000);
    b.run(500);
    b.vgt.reset();
    b.to_spi.clear();
    b.primitives.clear();
    b.assembled.clear();
    b.hold = false;
    EXPECT_TRUE(b.vgt.idle());
    EXPECT_EQ(b.vgt.waiting_for(), "");
    draw_auto(b, 3);
    ASSERT_TRUE(b.run());
    ASSERT_EQ(b.out.size(), 2u);
    EXPECT_EQ(b.out[0].draw, 1u);
    EXPECT_EQ(b.out[0].vgpr[0], 0u);
}

TEST(VgtCore, TheBusyWiresFollowDrawsAndIndices) {
    VgtBench b;
    b.hold_primitives = true;
    draw_auto(b, 30);
    b.run(2000);
    EXPECT_TRUE(b.vgt.busy.latest());
    EXPECT_FALSE(b.vgt.ia_busy_no_dma.latest());  // all indices are used
    b.hold_primitives = false;
    b.wake_at(0);
    ASSERT_TRUE(b.run());
    EXPECT_FALSE(b.vgt.busy.latest());
    EXPECT_FALSE(b.vgt.ia_busy.latest());
}

TEST(VgtCore, SamplesTellWhatWasCountedBeforeTheEvent) {
    VgtBench b;
    b.write(si::VGT_EVENT_INITIATOR, kStatStart);
    b.write(si::VGT_STRMOUT_CONFIG, 1).write(si::VGT_STRMOUT_BUFFER_CONFIG, 1);
    b.write(si::VGT_STRMOUT_VTX_STRIDE_0, 1).write(si::VGT_STRMOUT_BUFFER_SIZE_0, 7);
    draw_auto(b, 9);
    b.write(si::VGT_EVENT_INITIATOR, kSamplePipeline);
    b.write(si::VGT_EVENT_INITIATOR, kSampleStreamout);
    b.write(si::VGT_EVENT_INITIATOR, 1);
    draw_auto(b, 9);
    ASSERT_TRUE(b.run());
    ASSERT_EQ(b.sampled.size(), 3u);
    EXPECT_EQ(b.sampled[0].counts[SampleCounts::kIaVertices], 9u);
    EXPECT_EQ(b.sampled[0].counts[SampleCounts::kIaPrimitives], 3u);
    EXPECT_EQ(b.sampled[0].counts[SampleCounts::kVsInvocations], 9u);
    EXPECT_EQ(b.sampled[1].counts[SampleCounts::kPrimitivesNeeded], 3u);
    EXPECT_EQ(b.sampled[1].counts[SampleCounts::kPrimitivesWritten], 2u);
    EXPECT_EQ(b.sampled[2].counts[SampleCounts::kPrimitivesNeeded], 0u);
}

}  // namespace
}  // namespace archipelago::vgt
