// SPDX-License-Identifier: Apache-2.0
// The state each graphics stage's waves start with, register field by register field.
#include "models/spi/graphics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>

#include "models/common/error.h"
#include "models/gcn/si/front_end.h"
#include "registers/si_names.h"
#include "testbenches/unit/spi/stage_register.h"

namespace archipelago::spi::graphics_test {
namespace {

namespace r = regs::si;
using Stage = ShaderStage;

constexpr Stage kStages[] = {Stage::Ls, Stage::Hs, Stage::Es, Stage::Gs, Stage::Vs, Stage::Ps};

struct Program {
    GraphicsRegisters::Shader shader{};
    GraphicsRegisters::Context context{};
    SpiSpec spec = gcn::si::spi_spec();
    Stage stage;
    explicit Program(Stage s) : stage(s) {
        rsrc1() = 15 | 12u << 6;  // 64 VGPRs, 104 SGPRs
        ctx(r::SPI_PS_INPUT_ENA) = ctx(r::SPI_PS_INPUT_ADDR) = 2;
        ctx(r::SPI_TMPRING_SIZE) = 64 | 3u << 12;
    }
    uint32_t& sh(uint32_t offset) { return shader[(offset - spec.map.shader_start) / 4]; }
    uint32_t& ctx(uint32_t offset) { return context[(offset - spec.map.context_start) / 4]; }
    uint32_t& block(uint32_t in_block) { return sh(stage_register(stage, in_block)); }
    uint32_t& rsrc1() { return block(0x28); }
    uint32_t& rsrc2() { return block(0x2C); }
    StageProgram decode() const { return decode_stage(stage, shader, context, spec); }
};

// Any wave the stage can have.
struct Parameters : ParameterSource {
    std::map<uint32_t, std::vector<VertexExports::Vector>> vectors;  // by wave
    const std::vector<VertexExports::Vector>* parameters(uint32_t, uint32_t wave) const override {
        const auto it = vectors.find(wave);
        return it == vectors.end() ? nullptr : &it->second;
    }
    VertexExports::Vector& at(uint32_t wave, unsigned number) {
        std::vector<VertexExports::Vector>& of = vectors[wave];
        if (of.size() <= number)
            of.resize(number + 1);
        return of[number];
    }
};

struct Launched {
    WaveLaunch wave;
    LaunchData data;
};

VertexWave vertex_wave(Stage stage) {
    VertexWave v;
    v.stage = stage;
    v.lanes = 64;
    v.draw = 5;
    v.wave = 9;
    for (unsigned n = 0; n < VertexWave::kVgprs; ++n)
        for (unsigned lane = 0; lane < 64; ++lane)
            v.vgpr[n][lane] = 0x1000 * (n + 1) + lane;
    v.es2gs_offset = 0xe52;
    v.gs2vs_offset = 0x952;
    v.gs_wave = 0x6a;
    v.tess_offchip_offset = 0x0ff;
    v.tess_factor_offset = 0xfac;
    v.streamout_config = 0x5c0;
    v.streamout_index = 0x51d;
    v.streamout_offset = {0xb0, 0xb1, 0xb2, 0xb3};
    return v;
}

std::unique_ptr<Launched> launch(const Program& program, uint32_t scratch_slot = 0) {
    auto out = std::make_unique<Launched>();
    const StageProgram p = program.decode();
    if (program.stage == Stage::Ps) {
        PixelWave pixels;
        pixels.draw = 5;
        pixels.live = ~uint64_t{0};
        out->wave = make_pixel_wave(p, pixels, Parameters{}, 9, 0x77, scratch_slot, out->data);
    } else {
        out->wave = make_vertex_wave(p, vertex_wave(program.stage), scratch_slot, out->data);
    }
    return out;
}

std::vector<uint32_t> sgprs(const WaveLaunch& w) {
    return {w.sgpr_init.begin(), w.sgpr_init.begin() + w.sgpr_init_count};
}

// ---- what every stage has -----------------------------------------------------------------------

struct Field {
    const char* name;
    uint32_t in_block;
    uint32_t bits;
    std::function<uint64_t(const WaveLaunch&)> seen;
    uint64_t expected;
};

TEST(GraphicsStage, EveryFieldOfItsOwnBlockIsSeenAndOfNoOther) {
    const Field fields[] = {
        {"PGM_LO", 0x20, 0x00123456, [](const WaveLaunch& w) { return w.pc; }, 0x12345600},
        {"PGM_HI", 0x24, 0x1ab, [](const WaveLaunch& w) { return w.pc; }, 0xab0000000000},
        {"TBA_LO", 0x00, 0x00654321, [](const WaveLaunch& w) { return w.tba; }, 0x65432100},
        {"TBA_HI", 0x04, 0x12, [](const WaveLaunch& w) { return w.tba; }, 0x120000000000},
        {"TMA_LO", 0x08, 0x00abcdef, [](const WaveLaunch& w) { return w.tma; }, 0xabcdef00},
        {"TMA_HI", 0x0C, 0x34, [](const WaveLaunch& w) { return w.tma; }, 0x340000000000},
        {"VGPRS", 0x28, 63, [](const WaveLaunch& w) { return w.vgpr_count; }, 256},
        {"SGPRS", 0x28, 15u << 6, [](const WaveLaunch& w) { return w.sgpr_count; }, 128},
        {"PRIORITY", 0x28, 3u << 10, [](const WaveLaunch& w) { return w.priority; }, 3},
        {"FLOAT_MODE", 0x28, 0xa5u << 12, [](const WaveLaunch& w) { return w.float_mode; }, 0xa5},
        {"PRIV", 0x28, 1u << 20, [](const WaveLaunch& w) { return w.privileged; }, 1},
        {"DX10_CLAMP", 0x28, 1u << 21, [](const WaveLaunch& w) { return w.dx10_clamp; }, 1},
        {"IEEE_MODE", 0x28, 1u << 23, [](const WaveLaunch& w) { return w.ieee; }, 1},
        {"TRAP_PRESENT", 0x2C, 1u << 6, [](const WaveLaunch& w) { return w.trap_present; }, 1},
    };
    for (const Stage stage : kStages) {
        for (const Field& f : fields) {
            SCOPED_TRACE(std::string(stage_name(stage)) + " " + f.name);
            Program program(stage);
            program.rsrc1() = 15 | 12u << 6;
            EXPECT_NE(f.seen(launch(program)->wave), f.expected);
            for (const Stage other : kStages)
                if (other != stage)
                    program.sh(stage_register(other, f.in_block)) = f.bits | 1;
            EXPECT_NE(f.seen(launch(program)->wave), f.expected);
            uint32_t& reg = program.block(f.in_block);
            reg = f.in_block == 0x28 ? (f.bits < 64 ? 12u << 6 : 15) | f.bits : f.bits;
            EXPECT_EQ(f.seen(launch(program)->wave), f.expected);
        }
    }
}

TEST(GraphicsStage, ExceptionsAreEnabledWhereTheStageHasThem) {
    const std::pair<Stage, unsigned> shifts[] = {{Stage::Ls, 16}, {Stage::Hs, 9},  {Stage::Es, 8},
                                                 {Stage::Gs, 7},  {Stage::Vs, 13}, {Stage::Ps, 16}};
    for (const auto& [stage, shift] : shifts) {
        Program program(stage);
        program.rsrc2() = 0x55u << shift;
        EXPECT_EQ(launch(program)->wave.exceptions, 0x55) << stage_name(stage);
    }
}

TEST(GraphicsStage, UserDataComesFirstAsManyAsUserSgprSays) {
    for (const Stage stage : kStages) {
        for (const unsigned count : {0u, 1u, 7u, 16u}) {
            Program program(stage);
            program.rsrc2() = count << 1;
            for (uint32_t i = 0; i < 16; ++i)
                program.block(0x30 + 4 * i) = 0xda7a00 + i;
            const auto out = launch(program);
            std::vector<uint32_t> expected;
            for (uint32_t i = 0; i < count; ++i)
                expected.push_back(0xda7a00 + i);
            std::vector<uint32_t> got = sgprs(out->wave);
            ASSERT_GE(got.size(), count);
            got.resize(count);
            EXPECT_EQ(got, expected) << stage_name(stage);
        }
    }
}

// ---- system SGPRs -------------------------------------------------------------------------------

constexpr uint32_t kScratch = 1, kOneUser = 1 << 1, kOffchip = 1 << 7;
constexpr uint32_t kUser = 0xda7a, kSlot5 = 5 * 3 * 1024;

TEST(GraphicsStage, SystemSgprsComeInTheOrderOfTheDriverThatReadsThem) {
    struct Row {
        Stage stage;
        uint32_t rsrc2;
        std::vector<uint32_t> expected;
    };
    const uint32_t so = 1 << 12;
    const Row rows[] = {
        {Stage::Ls, kOneUser, {kUser}},
        {Stage::Ls, kOneUser | kScratch, {kUser, kSlot5}},
        {Stage::Hs, kOneUser, {kUser, 0xfac}},
        {Stage::Hs, kOneUser | kOffchip, {kUser, 0x0ff, 0xfac}},
        {Stage::Hs, kOneUser | kOffchip | 1 << 8, {kUser, 0x0ff, 0xfac, 0x80000001}},
        {Stage::Hs, kOneUser | kScratch | 1 << 8, {kUser, 0xfac, 0x80000001, kSlot5}},
        {Stage::Es, kOneUser, {kUser, 0xe52}},
        {Stage::Es, kOneUser | kOffchip | kScratch, {kUser, 0x0ff, 0, 0xe52, kSlot5}},
        {Stage::Gs, kOneUser, {kUser, 0x952, 0x6a}},
        {Stage::Gs, kScratch, {0x952, 0x6a, kSlot5}},
        {Stage::Vs, kOneUser, {kUser}},
        {Stage::Vs, kOneUser | kScratch, {kUser, kSlot5}},
        {Stage::Vs, kOneUser | so, {kUser, 0x5c0, 0x51d}},
        {Stage::Vs, so | 1 << 8 | 1 << 11, {0x5c0, 0x51d, 0xb0, 0xb3}},
        {Stage::Vs, so | 1 << 9 | 1 << 10 | kScratch, {0x5c0, 0x51d, 0xb1, 0xb2, kSlot5}},
        {Stage::Vs, kOffchip, {0, 0x0ff}},
        {Stage::Vs, so | kOffchip | 1 << 8, {0x5c0, 0x51d, 0xb0, 0x0ff}},
        {Stage::Ps, kOneUser, {kUser, 0}},
        {Stage::Ps, kOneUser | 1 << 7, {kUser, 0, 0x77}},
        {Stage::Ps, kOneUser | 1 << 7 | kScratch, {kUser, 0, 0x77, kSlot5}},
    };
    for (const Row& row : rows) {
        Program program(row.stage);
        program.block(0x30) = kUser;
        program.rsrc2() = row.rsrc2;
        EXPECT_EQ(sgprs(launch(program, 5)->wave), row.expected)
            << stage_name(row.stage) << std::hex << " RSRC2 0x" << row.rsrc2;
        EXPECT_EQ(program.decode().initial_sgprs(), row.expected.size());
    }
}

TEST(GraphicsStage, TheFirstWaveOfAGroupKnowsItAndAllKnowHowManyThereAre) {
    Program program(Stage::Hs);
    program.rsrc2() = 1 << 8;
    LaunchData data;
    VertexWave v = vertex_wave(Stage::Hs);
    v.waves_in_group = 4;
    v.wave_in_group = 2;
    const WaveLaunch w = make_vertex_wave(program.decode(), v, 0, data);
    EXPECT_EQ(w.sgpr_init[1], 4u | 2 << 6);  // and which of them it is
    EXPECT_EQ(w.waves_in_group, 4);
    EXPECT_EQ(w.wave_in_group, 2);
}

// ---- VGPRs and EXEC ----

TEST(GraphicsStage, AsManyVgprsAreLoadedAsTheStageHasInputs) {
    struct Row {
        Stage stage;
        unsigned comp_cnt, loaded;
    };
    std::vector<Row> rows = {{Stage::Hs, 0, 2}, {Stage::Gs, 0, 8}};
    for (const Stage stage : {Stage::Ls, Stage::Es, Stage::Vs})
        for (unsigned n = 0; n < 4; ++n)
            rows.push_back({stage, n, n + 1});
    for (const Row& row : rows) {
        Program program(row.stage);
        program.rsrc1() |= row.comp_cnt << 24;
        const auto out = launch(program);
        EXPECT_EQ(out->data.written, (1u << row.loaded) - 1) << stage_name(row.stage);
        EXPECT_EQ(out->wave.data, &out->data);
        for (unsigned n = 0; n < row.loaded; ++n)
            EXPECT_EQ(out->data.vgpr[n][63], 0x1000 * (n + 1) + 63);
    }
}

TEST(GraphicsStage, ExecHasABitForEachLane) {
    Program program(Stage::Vs);
    LaunchData data;
    VertexWave v = vertex_wave(Stage::Vs);
    EXPECT_EQ(make_vertex_wave(program.decode(), v, 0, data).exec, ~uint64_t{0});
    v.lanes = 5;
    EXPECT_EQ(make_vertex_wave(program.decode(), v, 0, data).exec, 0x1fu);
    EXPECT_EQ(make_vertex_wave(program.decode(), v, 0, data).dispatch, 5u);
    EXPECT_EQ(make_vertex_wave(program.decode(), v, 0, data).group, 9u);
    v.lanes = 0;
    EXPECT_THROW(make_vertex_wave(program.decode(), v, 0, data), MachineStop);
    v.lanes = 65;
    EXPECT_THROW(make_vertex_wave(program.decode(), v, 0, data), MachineStop);
    v.lanes = 64;
    v.stage = Stage::Es;
    EXPECT_THROW(make_vertex_wave(program.decode(), v, 0, data), MachineStop);
}

TEST(GraphicsStage, LdsIsAllocatedByTheStagesThatHaveTheField) {
    Program ls(Stage::Ls);
    ls.rsrc2() = 3u << 7;
    EXPECT_EQ(launch(ls)->wave.lds_bytes, 3u * 256);
    Program es(Stage::Es);
    es.rsrc2() = 5u << 20;
    EXPECT_EQ(launch(es)->wave.lds_bytes, 5u * 256);
    Program ps(Stage::Ps);
    ps.rsrc2() = 7u << 8;
    EXPECT_EQ(launch(ps)->wave.lds_bytes, 7u * 256);
}

TEST(GraphicsStage, AVertexShaderExportsWhatTheFormatsSay) {
    Program program(Stage::Vs);
    EXPECT_EQ(program.decode().positions, 0);
    EXPECT_EQ(program.decode().parameters, 1);
    program.ctx(r::SPI_SHADER_POS_FORMAT) = 0x4004;
    program.ctx(r::SPI_VS_OUT_CONFIG) = 6 << 1;
    EXPECT_EQ(program.decode().positions, 2);
    EXPECT_EQ(program.decode().position_mask, 0b1001);
    EXPECT_EQ(program.decode().parameters, 7);
}

// ---- pixels ----

constexpr unsigned kInputSizes[16] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

PixelWave pixel_wave() {
    PixelWave p;
    p.draw = 5;
    p.live = 0x00ff00000000000f;
    for (unsigned n = 0; n < PixelWave::kInputs; ++n)
        for (unsigned lane = 0; lane < 64; ++lane)
            p.input[n][lane] = 0x100 * (n + 1) + lane;
    return p;
}

TEST(PixelWaves, InputsAreLoadedWhereAddrGivesThemPlacesAndEnaEnablesThem) {
    for (unsigned bit = 0; bit < 16; ++bit) {
        Program program(Stage::Ps);
        // Barycentrics and the bit, with a place that is not loaded in front.
        const uint32_t ena = 1u << bit | (bit == 11 ? 2u : 0) | (bit > 6 ? 0x20u : 0);
        program.ctx(r::SPI_PS_INPUT_ENA) = ena;
        program.ctx(r::SPI_PS_INPUT_ADDR) = ena | 1;
        LaunchData data;
        make_pixel_wave(program.decode(), pixel_wave(), Parameters{}, 0, 0, 0, data);
        unsigned vgpr = 0, input = 0;
        uint32_t written = 0;
        for (unsigned b = 0; b < 16; ++b)
            for (unsigned k = 0; k < kInputSizes[b]; ++k, ++input) {
                if (((ena | 1) >> b & 1) == 0)
                    continue;
                if ((ena >> b & 1) != 0) {
                    written |= 1u << vgpr;
                    EXPECT_EQ(data.vgpr[vgpr][17], 0x100 * (input + 1) + 17) << "bit " << bit;
                }
                ++vgpr;
            }
        EXPECT_EQ(data.written, written) << "bit " << bit;
        EXPECT_EQ(program.decode().vgpr_inputs, vgpr);
    }
}

TEST(PixelWaves, AllInputsTogetherTakeTwentyFourVgprsInOrder) {
    Program program(Stage::Ps);
    program.ctx(r::SPI_PS_INPUT_ENA) = program.ctx(r::SPI_PS_INPUT_ADDR) = 0xffff;
    LaunchData data;
    make_pixel_wave(program.decode(), pixel_wave(), Parameters{}, 0, 0, 0, data);
    EXPECT_EQ(data.written, 0xffffffu);
    for (unsigned n = 0; n < 24; ++n)
        EXPECT_EQ(data.vgpr[n][3], 0x100 * (n + 1) + 3);
}

TEST(PixelWaves, ExecIsWhatIsCovered) {
    Program program(Stage::Ps);
    LaunchData data;
    EXPECT_EQ(make_pixel_wave(program.decode(), pixel_wave(), Parameters{}, 0, 0, 0, data).exec,
              0x00ff00000000000fu);
}

TEST(PixelWaves, ThePrimitiveMaskHasABitForEachQuadThatBeginsAPrimitive) {
    Program program(Stage::Ps);
    LaunchData data;
    PixelWave p = pixel_wave();
    p.new_primitive = uint64_t{1} << 4 | uint64_t{1} << 60 | uint64_t{1} << 20;
    EXPECT_EQ(primitives_of(p), 4u);
    EXPECT_EQ(make_pixel_wave(program.decode(), p, Parameters{}, 0, 0, 0, data).sgpr_init[0],
              (1u | 1u << 14 | 1u << 4) << 16);
    p.new_primitive |= 1;  // the first lane always begins one
    EXPECT_EQ(primitives_of(p), 4u);
    p.centroid_at_centre = true;
    EXPECT_EQ(make_pixel_wave(program.decode(), p, Parameters{}, 0, 0, 0, data).sgpr_init[0] >> 31,
              1u);
    p.new_primitive = 2;
    EXPECT_THROW(primitives_of(p), MachineStop);
}

float as_float(uint32_t bits) {
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
}
uint32_t as_bits(float f) {
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
}

// Two primitives, each vertex's parameters known from wave, lane, parameter and component.
struct Interpolated {
    Program program{Stage::Ps};
    PixelWave pixels = pixel_wave();
    Parameters parameters;
    LaunchData data;
    static float value(unsigned wave, unsigned lane, unsigned number, unsigned component) {
        return static_cast<float>(wave * 1000 + lane * 10 + number * 100 + component) * 0.25f;
    }
    Interpolated() {
        pixels.new_primitive = uint64_t{1} << 32;
        pixels.primitive[0] = {3, {1, 1, 2}, {0, 1, 2}};
        pixels.primitive[1] = {3, {2, 1, 2}, {7, 63, 5}};
        for (unsigned wave = 1; wave < 3; ++wave)
            for (unsigned n = 0; n < 3; ++n)
                for (unsigned k = 0; k < 4; ++k)
                    for (unsigned lane = 0; lane < 64; ++lane)
                        parameters.at(wave, n)[k][lane] = as_bits(value(wave, lane, n, k));
        program.ctx(r::SPI_PS_IN_CONTROL) = 2;
    }
    uint32_t& cntl(unsigned n) { return program.ctx(r::SPI_PS_INPUT_CNTL_0 + 4 * n); }
    // P0, P10 or P20 of a component.
    float at(unsigned attribute, unsigned primitive, unsigned which, unsigned k) {
        const unsigned place = which == 2 ? 8 + k : 2 * k + which;
        return as_float(data.lds.at(12 * (attribute * 2 + primitive) + place));
    }
    void make() { make_pixel_wave(program.decode(), pixels, parameters, 0, 0, 0, data); }
};

TEST(PixelWaves, LdsHoldsTheParametersOfEachPrimitiveAsVintrpReadsThem) {
    Interpolated i;
    i.cntl(0) = 2;
    i.cntl(1) = 0;
    i.make();
    EXPECT_EQ(i.data.lds.size(), 12u * 2 * 2);
    EXPECT_EQ(pixel_lds_bytes(i.program.decode(), i.pixels), 4 * 12u * 2 * 2);
    const unsigned number[2] = {2, 0};
    for (unsigned a = 0; a < 2; ++a)
        for (unsigned n = 0; n < 2; ++n)
            for (unsigned k = 0; k < 4; ++k) {
                const PixelPrimitive& p = i.pixels.primitive[n];
                const auto v = [&](unsigned c) {
                    return Interpolated::value(p.wave[c], p.lane[c], number[a], k);
                };
                EXPECT_EQ(i.at(a, n, 0, k), v(0));
                EXPECT_EQ(i.at(a, n, 1, k), v(1) - v(0));
                EXPECT_EQ(i.at(a, n, 2, k), v(2) - v(0));
            }
}

TEST(PixelWaves, FlatAttributesHaveTheFirstVertexOnlyWhileFlatShadingIsEnabled) {
    Interpolated i;
    i.cntl(0) = 1 << 10;
    i.make();
    EXPECT_NE(i.at(0, 0, 1, 0), 0);
    i.program.ctx(r::SPI_INTERP_CONTROL_0) = 1;
    i.make();
    EXPECT_EQ(i.at(0, 1, 0, 3), Interpolated::value(2, 7, 0, 3));
    EXPECT_EQ(i.at(0, 1, 1, 3), 0);
    EXPECT_EQ(i.at(0, 1, 2, 3), 0);
    EXPECT_NE(i.at(1, 1, 1, 3), 0);  // the other attribute is not flat
}

TEST(PixelWaves, DefaultValuesTakeTheParametersPlace) {
    const float expected[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 1}};
    for (unsigned value = 0; value < 4; ++value) {
        Interpolated i;
        i.cntl(0) = 0x20 | value << 8;
        i.make();
        for (unsigned k = 0; k < 4; ++k) {
            EXPECT_EQ(i.at(0, 1, 0, k), expected[value][k]);
            EXPECT_EQ(i.at(0, 1, 1, k), 0);
            EXPECT_EQ(i.at(0, 1, 2, k), 0);
        }
    }
}

TEST(PixelWaves, CylindricalWrapTakesTheShorterWayOfItsComponents) {
    Interpolated i;
    i.cntl(0) = 0b0101 << 13;
    for (unsigned k = 0; k < 4; ++k) {
        i.parameters.at(1, 0)[k][0] = as_bits(0.125f);
        i.parameters.at(1, 0)[k][1] = as_bits(0.875f);
        i.parameters.at(2, 0)[k][2] = as_bits(0.25f);
    }
    i.make();
    for (unsigned k = 0; k < 4; ++k) {
        EXPECT_EQ(i.at(0, 0, 1, k), k % 2 == 0 ? -0.25f : 0.75f);
        EXPECT_EQ(i.at(0, 0, 2, k), 0.125f);
    }
}

TEST(PixelWaves, LinesAndPointsHaveNoDifferencesToVerticesTheyHaveNot) {
    Interpolated i;
    i.pixels.primitive[0].vertices = 2;
    i.pixels.primitive[1].vertices = 1;
    i.make();
    EXPECT_NE(i.at(0, 0, 1, 0), 0);
    EXPECT_EQ(i.at(0, 0, 2, 0), 0);
    EXPECT_EQ(i.at(0, 1, 1, 0), 0);
    EXPECT_EQ(i.at(0, 1, 0, 0), Interpolated::value(2, 7, 0, 0));
}

TEST(PixelWaves, AMissingParameterStopsByName) {
    Interpolated i;
    i.cntl(1) = 3;
    try {
        i.make();
        ADD_FAILURE() << "parameter 3 was found";
    } catch (const MachineStop& stop) {
        EXPECT_EQ(stop.kind(), StopKind::BadInput);
        EXPECT_THAT(stop.what(), ::testing::HasSubstr("parameter 3 of VS wave 1"));
    }
}

// I and J of a point are 0 to 1 over its square.
TEST(PixelWaves, ComponentsOfAPointSpriteAreSAndTAsTheirOverridesSay) {
    constexpr uint32_t kEnable = 2, kTopIsOne = 1 << 14;
    const auto selects = [](uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
        return x << 2 | y << 5 | z << 8 | w << 11;
    };
    Interpolated i;
    i.cntl(0) = 1 << 17;
    i.program.ctx(r::SPI_INTERP_CONTROL_0) = kEnable | selects(2, 3, 0, 1);
    i.make();
    EXPECT_NE(i.at(0, 0, 1, 1), 1);  // a triangle
    i.pixels.primitive[0].vertices = i.pixels.primitive[1].vertices = 1;
    i.make();
    const auto value = [&](unsigned primitive, unsigned k, float s, float t) {
        return i.at(0, primitive, 0, k) + s * i.at(0, primitive, 1, k) +
               t * i.at(0, primitive, 2, k);
    };
    for (unsigned n = 0; n < 2; ++n) {
        EXPECT_EQ(value(n, 0, 0.25f, 0.75f), 0.25f);
        EXPECT_EQ(value(n, 1, 0.25f, 0.75f), 0.75f);
        EXPECT_EQ(value(n, 2, 0.25f, 0.75f), 0);
        EXPECT_EQ(value(n, 3, 0.25f, 0.75f), 1);
    }
    i.program.ctx(r::SPI_INTERP_CONTROL_0) = kEnable | kTopIsOne | selects(3, 2, 4, 4);
    i.make();
    EXPECT_EQ(value(0, 0, 0.25f, 0.75f), 0.25f);  // T from the bottom
    EXPECT_EQ(value(0, 1, 0.25f, 0.75f), 0.25f);  // S
    EXPECT_EQ(value(0, 2, 0.25f, 0.75f), Interpolated::value(1, 0, 0, 2));
    EXPECT_NE(i.at(1, 0, 0, 0), 0);  // an attribute without PT_SPRITE_TEX
    i.program.ctx(r::SPI_INTERP_CONTROL_0) = selects(2, 3, 0, 1);
    i.make();
    EXPECT_EQ(value(0, 0, 0.25f, 0.75f), Interpolated::value(1, 0, 0, 0));
}

TEST(PixelWaves, TheGeneratedParameterIsOneMoreAttributeOfSAndT) {
    Interpolated i;
    i.program.ctx(r::SPI_PS_IN_CONTROL) = 2 | 1 << 6;
    i.make();
    EXPECT_EQ(i.data.lds.size(), 12u * 3 * 2);
    EXPECT_EQ(pixel_lds_bytes(i.program.decode(), i.pixels), 4 * 12u * 3 * 2);
    const float p0[] = {0, 0, 0, 1}, p10[] = {1, 0, 0, 0}, p20[] = {0, 1, 0, 0};
    for (unsigned n = 0; n < 2; ++n)
        for (unsigned k = 0; k < 4; ++k) {
            EXPECT_EQ(i.at(2, n, 0, k), p0[k]);
            EXPECT_EQ(i.at(2, n, 1, k), p10[k]);
            EXPECT_EQ(i.at(2, n, 2, k), p20[k]);
        }
}

// ---- what cannot be ----

struct Bad {
    const char* name;
    Stage stage;
    std::function<void(Program&)> spoil;
    const char* message;
};
TEST(GraphicsStage, WhatNoComputeUnitCouldRunIsRefusedByName) {
    const Bad cases[] = {
        {"user SGPRs", Stage::Es, [](Program& p) { p.rsrc2() = 17 << 1; },
         "SPI_SHADER_PGM_RSRC2_ES.USER_SGPR is 17"},
        {"initial SGPRs", Stage::Vs,
         [](Program& p) {
             p.rsrc1() = 0;
             p.rsrc2() = 8 << 1 | 1 << 12;
         },
         "SPI_SHADER_PGM_RSRC2_VS asks for 10 initial SGPRs"},
        {"inputs", Stage::Gs, [](Program& p) { p.rsrc1() = 0x40; }, "inputs take 8 VGPRs"},
        {"LDS", Stage::Ls, [](Program& p) { p.rsrc2() = 0x1ffu << 7; }, "130816 bytes of LDS"},
        {"scratch", Stage::Hs,
         [](Program& p) {
             p.rsrc2() = 1;
             p.ctx(r::SPI_TMPRING_SIZE) = 0;
         },
         "SPI_TMPRING_SIZE.WAVES is 0"},
        {"scratch offset", Stage::Ps,
         [](Program& p) {
             p.rsrc2() = 1;
             p.ctx(r::SPI_TMPRING_SIZE) = 4095 | 2048 << 12;
         },
         "a 32-bit offset does not reach"},
        {"addr", Stage::Ps, [](Program& p) { p.ctx(r::SPI_PS_INPUT_ADDR) = 1; },
         "SPI_PS_INPUT_ADDR gives no VGPRs"},
        {"barycentrics", Stage::Ps, [](Program& p) { p.ctx(r::SPI_PS_INPUT_ENA) = 0; },
         "no pair of barycentrics"},
        {"pos w", Stage::Ps,
         [](Program& p) {
             p.ctx(r::SPI_PS_INPUT_ENA) = p.ctx(r::SPI_PS_INPUT_ADDR) = 1 << 11 | 1 << 5;
         },
         "without perspective barycentrics"},
        {"attributes", Stage::Ps, [](Program& p) { p.ctx(r::SPI_PS_IN_CONTROL) = 33; },
         "NUM_INTERP is 33"},
        {"positions", Stage::Vs,
         [](Program& p) {
             p.spec.position_vectors = 1;
             p.ctx(r::SPI_SHADER_POS_FORMAT) = 0x44;
         },
         "has 2 positions"},
        {"parameters", Stage::Vs,
         [](Program& p) {
             p.spec.parameter_vectors = 4;
             p.ctx(r::SPI_VS_OUT_CONFIG) = 4 << 1;
         },
         "gives 5 parameters"},
    };
    for (const Bad& c : cases) {
        Program program(c.stage);
        EXPECT_NO_THROW(program.decode()) << c.name;
        c.spoil(program);
        try {
            program.decode();
            ADD_FAILURE() << c.name << " was accepted";
        } catch (const MachineStop& stop) {
            EXPECT_EQ(stop.kind(), StopKind::BadInput);
            EXPECT_THAT(stop.what(), ::testing::HasSubstr(c.message)) << c.name;
        }
    }
}

TEST(GraphicsStage, LimitsAreReadOnlyWhereTheChipHasTheirRegisters) {
    for (const Stage stage : kStages) {
        Program program(stage);
        const bool hs = stage == Stage::Hs;
        const uint32_t offset = stage == Stage::Vs ? 0xB118 : stage_register(stage, 0x1C);
        program.sh(offset) = hs ? 3 | 2 << 6 : 0x00f5 | 3 << 16 | 2 << 22;
        program.sh(0xB11C) = 9;
        EXPECT_EQ(program.decode().cu_enable, 0xffffu);
        EXPECT_EQ(program.decode().wave_limit, 0u);
        program.spec.limit_registers = true;
        const StageProgram p = program.decode();
        EXPECT_EQ(p.cu_enable, hs ? 0xffffu : 0xf5u) << stage_name(stage);
        EXPECT_EQ(p.wave_limit, 48u);
        EXPECT_EQ(p.lock_threshold, 8u);
        EXPECT_EQ(p.late_allocations, stage == Stage::Vs ? 9u : 0u);
        program.sh(offset) |= hs ? 0x3f : 0x3f << 16;  // all ones is none
        EXPECT_EQ(program.decode().wave_limit, 0u);
    }
}

}  // namespace
}  // namespace archipelago::spi::graphics_test
