// SPDX-License-Identifier: Apache-2.0
#include "models/spi/graphics.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"
#include "models/gcn/attribute_parameters.h"
#include "models/gcn/wave_name.h"
#include "models/spi/dispatch.h"
#include "models/spi/pixel_inputs.h"

namespace archipelago::spi {
namespace {

constexpr uint32_t kBarycentrics = 0x7F;
constexpr uint32_t kPerspective = 0x0F;
constexpr uint32_t kPosW = 1u << 11;

// Reads registers and their fields.
struct Decoder {
    const RegisterMap& m;
    ShaderStage stage;
    const GraphicsRegisters::Shader& shader;
    const GraphicsRegisters::Context& context;

    const StageRegisters& own() const { return m.stages[index_of(stage)]; }
    // SPI_SHADER_*
    uint32_t sh(uint32_t offset) const {
        const uint32_t n = (offset - m.shader_start) / 4;
        return n < shader.size() ? shader[n] : 0;
    }
    uint32_t sh(const regs::NamedField& field) const { return field(sh(field.offset())); }
    // Context registers.
    uint32_t ctx(uint32_t offset) const {
        const uint32_t n = (offset - m.context_start) / 4;
        return n < context.size() ? context[n] : 0;
    }
    uint32_t ctx(const regs::NamedField& field) const { return field(ctx(field.offset())); }
    [[noreturn]] void refuse(const std::string& why) const {
        throw MachineStop(StopKind::BadInput, std::string(stage_name(stage)) + " wave", why);
    }
    std::string name(const char* suffix) const {
        return std::string("SPI_SHADER_PGM_") + suffix + "_" + stage_name(stage);
    }
    // A 40-bit address in units of 256 bytes.
    uint64_t address(uint32_t lo, uint32_t hi) const {
        return (uint64_t{sh(hi)} & 0xFF) << 40 | uint64_t{sh(lo)} << 8;
    }
};

// What every stage has at the same place.
void decode_common(const Decoder& d, const SpiSpec& spec, StageProgram& p) {
    const auto& rsrc1 = d.own().PGM_RSRC1;
    const auto& rsrc2 = d.own().PGM_RSRC2;
    p.stage = d.stage;
    p.pc = d.address(d.own().PGM_LO, d.own().PGM_HI);
    p.tba = d.address(d.own().TBA_LO, d.own().TBA_HI);
    p.tma = d.address(d.own().TMA_LO, d.own().TMA_HI);
    p.vgprs = static_cast<uint16_t>((d.sh(rsrc1.VGPRS) + 1) * spec.units.vgprs);
    p.sgprs = static_cast<uint16_t>((d.sh(rsrc1.SGPRS) + 1) * spec.units.sgprs);
    p.priority = static_cast<uint8_t>(d.sh(rsrc1.PRIORITY));
    p.float_mode = static_cast<uint8_t>(d.sh(rsrc1.FLOAT_MODE));
    p.privileged = d.sh(rsrc1.PRIV) != 0;
    p.dx10_clamp = d.sh(rsrc1.DX10_CLAMP) != 0;
    p.ieee = d.sh(rsrc1.IEEE_MODE) != 0;
    p.scratch = d.sh(rsrc2.SCRATCH_EN) != 0;
    p.user_sgprs = static_cast<uint8_t>(d.sh(rsrc2.USER_SGPR));
    p.trap_present = d.sh(rsrc2.TRAP_PRESENT) != 0;
    for (uint32_t i = 0; i < p.user_data.size(); ++i)
        p.user_data[i] = d.sh(d.own().USER_DATA_0 + 4 * i);
    p.scratch_waves = d.ctx(d.m.SPI_TMPRING_SIZE.WAVES);
    p.scratch_wave_bytes = d.ctx(d.m.SPI_TMPRING_SIZE.WAVESIZE) * 1024;  // counted in 256 dwords
}

void decode_vs(const Decoder& d, StageProgram& p) {
    const auto& rsrc2 = d.own().PGM_RSRC2;
    p.vgpr_inputs = static_cast<uint8_t>(d.sh(d.own().PGM_RSRC1.VGPR_COMP_CNT) + 1);
    p.offchip_lds = d.sh(rsrc2.OC_LDS_EN) != 0;
    p.streamout = d.sh(rsrc2.SO_EN) != 0;
    p.streamout_base = {d.sh(rsrc2.SO_BASE0_EN) != 0, d.sh(rsrc2.SO_BASE1_EN) != 0,
                        d.sh(rsrc2.SO_BASE2_EN) != 0, d.sh(rsrc2.SO_BASE3_EN) != 0};
    p.exceptions = static_cast<uint8_t>(d.sh(rsrc2.EXCP_EN));
    const uint32_t formats = d.ctx(d.m.SPI_SHADER_POS_FORMAT);
    for (unsigned n = 0; n < 4; ++n)
        if ((formats >> (4 * n) & 0xF) != 0)
            p.position_mask |= static_cast<uint8_t>(1u << n);
    p.positions = static_cast<uint8_t>(__builtin_popcount(p.position_mask));
    // Counts from one: radeonsi, si_shader_vs.
    p.parameters = static_cast<uint8_t>(d.ctx(d.m.SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT) + 1);
}

void decode_sprites(const Decoder& d, StageProgram& p) {
    const auto& control = d.m.SPI_INTERP_CONTROL_0;
    p.point_sprites = d.ctx(control.PNT_SPRITE_ENA) != 0;
    p.sprite_top_is_one = d.ctx(control.PNT_SPRITE_TOP_1) != 0;
    const regs::NamedField* const override_of[] = {
        &control.PNT_SPRITE_OVRD_X, &control.PNT_SPRITE_OVRD_Y, &control.PNT_SPRITE_OVRD_Z,
        &control.PNT_SPRITE_OVRD_W};
    for (unsigned k = 0; k < 4; ++k) {
        // The values after NONE are not defined: they keep the component, too.
        const uint32_t select = std::min(d.ctx(*override_of[k]), 4u);
        p.sprite[k] = static_cast<SpriteComponent>(select);
    }
}

void decode_ps(const Decoder& d, const SpiSpec& spec, StageProgram& p) {
    const auto& rsrc2 = d.own().PGM_RSRC2;
    p.exceptions = static_cast<uint8_t>(d.sh(rsrc2.EXCP_EN));
    p.wave_count = d.sh(rsrc2.WAVE_CNT_EN) != 0;
    p.lds_bytes = d.sh(rsrc2.EXTRA_LDS_SIZE) * spec.units.lds_bytes;
    p.input_ena = static_cast<uint16_t>(d.ctx(d.m.SPI_PS_INPUT_ENA));
    p.input_addr = static_cast<uint16_t>(d.ctx(d.m.SPI_PS_INPUT_ADDR));
    p.attributes = static_cast<uint8_t>(d.ctx(d.m.SPI_PS_IN_CONTROL.NUM_INTERP));
    p.flat_enable = d.ctx(d.m.SPI_INTERP_CONTROL_0.FLAT_SHADE_ENA) != 0;
    p.generated_parameter = d.ctx(d.m.SPI_PS_IN_CONTROL.PARAM_GEN) != 0;
    decode_sprites(d, p);
    const auto& input = d.m.SPI_PS_INPUT_CNTL_0;
    for (uint32_t i = 0; i < p.inputs.size(); ++i) {
        const uint32_t word = d.ctx(input + 4 * i);
        p.inputs[i] = {static_cast<uint8_t>(input.OFFSET(word)),
                       static_cast<uint8_t>(input.DEFAULT_VAL(word)),
                       static_cast<uint8_t>(input.CYL_WRAP(word)), input.FLAT_SHADE(word) != 0,
                       input.PT_SPRITE_TEX(word) != 0};
    }
    p.depth_format = static_cast<uint8_t>(d.ctx(d.m.SPI_SHADER_Z_FORMAT) & 0xF);
    p.color_formats = d.ctx(d.m.SPI_SHADER_COL_FORMAT);

    if (p.attributes > p.inputs.size())
        d.refuse("SPI_PS_IN_CONTROL.NUM_INTERP is " + std::to_string(p.attributes) +
                 ", there are 32 SPI_PS_INPUT_CNTL");
    if ((p.input_ena & ~p.input_addr) != 0)
        d.refuse("SPI_PS_INPUT_ENA has inputs that SPI_PS_INPUT_ADDR gives no VGPRs");
    // radeonsi, si_shader_ps: the hardware hangs otherwise.
    if ((p.input_ena & kBarycentrics) == 0)
        d.refuse("SPI_PS_INPUT_ENA enables no pair of barycentrics");
    if ((p.input_ena & kPosW) != 0 && (p.input_ena & kPerspective) == 0)
        d.refuse("SPI_PS_INPUT_ENA.POS_W_FLOAT_ENA without perspective barycentrics");
    unsigned vgprs = 0;
    for (unsigned bit = 0; bit < kInputVgprs.size(); ++bit)
        if ((p.input_addr >> bit & 1) != 0)
            vgprs += kInputVgprs[bit];
    p.vgpr_inputs = static_cast<uint8_t>(vgprs);
}

void decode_limits(const Decoder& d, const SpiSpec& spec, StageProgram& p) {
    if (!spec.limit_registers)
        return;
    const uint32_t value = d.sh(d.m.SPI_SHADER_PGM_RSRC3[index_of(d.stage)]);
    const bool hs = d.stage == ShaderStage::Hs;  // runs where its LS waves ran
    const uint32_t rest = hs ? value : value >> 16;
    p.cu_enable = hs ? 0xFFFF : value & 0xFFFF;
    const uint32_t limit = rest & 0x3F;
    p.wave_limit = limit == 0x3F ? 0 : 16 * limit;
    p.lock_threshold = 4 * (rest >> 6 & 0xF);
    if (d.stage == ShaderStage::Vs)
        p.late_allocations = d.sh(d.m.SPI_SHADER_LATE_ALLOC_VS) & 0x3F;
}

void check(const Decoder& d, const SpiSpec& spec, const StageProgram& p) {
    if (p.user_sgprs > 16)
        d.refuse(d.name("RSRC2") + ".USER_SGPR is " + std::to_string(p.user_sgprs) +
                 ", at most 16");
    if (p.initial_sgprs() > p.sgprs)
        d.refuse(d.name("RSRC2") + " asks for " + std::to_string(p.initial_sgprs()) +
                 " initial SGPRs, " + d.name("RSRC1") + ".SGPRS allocates " +
                 std::to_string(p.sgprs));
    if (p.vgpr_inputs > p.vgprs)
        d.refuse("the stage's inputs take " + std::to_string(p.vgpr_inputs) + " VGPRs, " +
                 d.name("RSRC1") + ".VGPRS allocates " + std::to_string(p.vgprs));
    if (p.vgprs > spec.cu.vgprs_per_simd || p.sgprs > spec.cu.sgprs_per_simd)
        d.refuse(d.name("RSRC1") + " asks for " + std::to_string(p.vgprs) + " VGPRs and " +
                 std::to_string(p.sgprs) + " SGPRs, a SIMD has " +
                 std::to_string(spec.cu.vgprs_per_simd) + " and " +
                 std::to_string(spec.cu.sgprs_per_simd));
    if (p.lds_bytes > spec.cu.lds_max_per_group)
        d.refuse(d.name("RSRC2") + " asks for " + std::to_string(p.lds_bytes) +
                 " bytes of LDS, at most " + std::to_string(spec.cu.lds_max_per_group));
    if (p.scratch && p.scratch_waves == 0)
        d.refuse("SPI_TMPRING_SIZE.WAVES is 0, " + d.name("RSRC2") + " enables scratch");
    if (p.scratch && uint64_t{p.scratch_waves - 1} * p.scratch_wave_bytes > 0xFFFFFFFF)
        d.refuse("SPI_TMPRING_SIZE gives " + std::to_string(p.scratch_waves) + " waves " +
                 std::to_string(p.scratch_wave_bytes) +
                 " bytes of scratch each, the last of which a 32-bit offset does not reach");
    if (p.positions > spec.position_vectors)
        d.refuse("SPI_SHADER_POS_FORMAT has " + std::to_string(p.positions) +
                 " positions, the position buffer room for " +
                 std::to_string(spec.position_vectors));
    if (p.parameters > spec.parameter_vectors)
        d.refuse("SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT gives " + std::to_string(p.parameters) +
                 " parameters, the parameter cache has room for " +
                 std::to_string(spec.parameter_vectors));
}

WaveLaunch make_wave(const StageProgram& p) {
    WaveLaunch w;
    w.stage = p.stage;
    w.vmid = p.vmid;
    w.waves_in_group = 1;
    w.priority = p.priority;
    w.pc = p.pc;
    w.vgpr_count = p.vgprs;
    w.sgpr_count = p.sgprs;
    w.lds_bytes = p.lds_bytes;
    w.float_mode = p.float_mode;
    w.dx10_clamp = p.dx10_clamp;
    w.ieee = p.ieee;
    w.privileged = p.privileged;
    w.trap_present = p.trap_present;
    w.exceptions = p.exceptions;
    w.tba = p.tba;
    w.tma = p.tma;
    for (unsigned n = 0; n < p.user_sgprs; ++n)
        w.sgpr_init[n] = p.user_data[n];
    w.sgpr_init_count = p.user_sgprs;
    return w;
}

void add(WaveLaunch& w, uint32_t value) {
    w.sgpr_init[w.sgpr_init_count++] = value;
}

uint64_t uid_of(ShaderStage stage, uint32_t draw, uint32_t wave) {
    return uint64_t{1} << 63 | uint64_t{draw & 0xFFFFFFF} << 35 | uint64_t{index_of(stage)} << 32 |
           wave;
}

float as_float(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}
uint32_t as_bits(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}

// Cylindrical wrap: the shorter way around a texture of width one.
float wrapped(float difference) {
    return difference > 0.5f ? difference - 1 : difference < -0.5f ? difference + 1 : difference;
}

// Parameters of the vertices of one primitive; null: there are none.
struct VertexParameters {
    std::array<const std::vector<VertexExports::Vector>*, 3> of{};
};

VertexParameters find_parameters(const PixelWave& wave, const PixelPrimitive& primitive,
                                 const ParameterSource& source) {
    VertexParameters found;
    for (unsigned v = 0; v < std::min<unsigned>(primitive.vertices, 3); ++v)
        found.of[v] = v > 0 && primitive.wave[v] == primitive.wave[v - 1]
                          ? found.of[v - 1]
                          : source.parameters(wave.draw, primitive.wave[v]);
    return found;
}

[[noreturn]] void refuse_parameter(const PixelWave& wave, unsigned number, uint32_t vs_wave) {
    throw MachineStop(StopKind::BadInput, "draw " + std::to_string(wave.draw) + " PS wave",
                      "SPI_PS_INPUT_CNTL asks for parameter " + std::to_string(number) +
                          " of VS wave " + std::to_string(vs_wave) + ", which has none");
}

void set_component(uint32_t* to, unsigned k, float p0, float p10, float p20) {
    to[attribute_parameters::p0(k)] = as_bits(p0);
    to[attribute_parameters::p10(k)] = as_bits(p10);
    to[attribute_parameters::p20(k)] = as_bits(p20);
}

// I and J of a point are 0 to 1 from the left and the top of its square (pixel_inputs.h): S is I,
// T is J or, from the bottom, 1 - J.
void make_sprite_component(const StageProgram& p, SpriteComponent component, uint32_t* to,
                           unsigned k) {
    switch (component) {
        case SpriteComponent::Zero:
            return set_component(to, k, 0, 0, 0);
        case SpriteComponent::One:
            return set_component(to, k, 1, 0, 0);
        case SpriteComponent::S:
            return set_component(to, k, 0, 1, 0);
        case SpriteComponent::T:
            return p.sprite_top_is_one ? set_component(to, k, 1, 0, -1)
                                       : set_component(to, k, 0, 0, 1);
        case SpriteComponent::Keep:
            return;
    }
}

// P0, P10 and P20 of what a parameter of the VS or a default value gives.
void make_parameter(const StageProgram& p, const PixelWave& wave, const PixelPrimitive& primitive,
                    const InputControl& c, const VertexParameters& parameters, uint32_t* to) {
    constexpr uint32_t kDefault = 0x20;  // of OFFSET: DEFAULT_VAL instead of a parameter
    if ((c.offset & kDefault) != 0) {
        for (unsigned k = 0; k < 4; ++k)
            set_component(to, k, (c.default_value & (k < 3 ? 2 : 1)) != 0 ? 1 : 0, 0, 0);
        return;
    }
    const unsigned vertices =
        c.flat_shade && p.flat_enable ? 1 : std::min<unsigned>(primitive.vertices, 3);
    uint32_t value[3][4] = {};
    for (unsigned v = 0; v < std::max(vertices, 1u); ++v) {
        const std::vector<VertexExports::Vector>* const of = parameters.of[v];
        if (of == nullptr || c.offset >= of->size())
            refuse_parameter(wave, c.offset, primitive.wave[v]);
        for (unsigned k = 0; k < 4; ++k)
            value[v][k] = (*of)[c.offset][k][primitive.lane[v] % PixelWave::kLanes];
    }
    for (unsigned k = 0; k < 4; ++k) {
        const bool wrap = (c.cylindrical_wrap >> k & 1) != 0;
        const auto difference = [&](unsigned v) -> uint32_t {
            if (v >= vertices)
                return 0;
            const float d = as_float(value[v][k]) - as_float(value[0][k]);
            return as_bits(wrap ? wrapped(d) : d);
        };
        to[attribute_parameters::p0(k)] = value[0][k];
        to[attribute_parameters::p10(k)] = difference(1);
        to[attribute_parameters::p20(k)] = difference(2);
    }
}

// All attributes of one primitive, of `of` primitives in the wave.
void make_attributes(const StageProgram& p, const PixelWave& wave, unsigned n, unsigned of,
                     const ParameterSource& source, std::vector<uint32_t>& lds) {
    const PixelPrimitive& primitive = wave.primitive[n];
    const bool point = primitive.vertices == 1;
    const VertexParameters parameters = find_parameters(wave, primitive, source);
    for (unsigned a = 0; a < p.attributes; ++a) {
        const InputControl& c = p.inputs[a];
        uint32_t* const to = &lds[attribute_parameters::place(a, n, of)];
        make_parameter(p, wave, primitive, c, parameters, to);
        if (point && c.point_sprite && p.point_sprites)
            for (unsigned k = 0; k < 4; ++k)
                make_sprite_component(p, p.sprite[k], to, k);
    }
    if (!p.generated_parameter)
        return;
    uint32_t* const to = &lds[attribute_parameters::place(p.attributes, n, of)];
    constexpr SpriteComponent kGenerated[] = {SpriteComponent::S, SpriteComponent::T,
                                              SpriteComponent::Zero, SpriteComponent::One};
    for (unsigned k = 0; k < 4; ++k)
        make_sprite_component(p, kGenerated[k], to, k);
}

}  // namespace

const char* stage_name(ShaderStage stage) {
    static const char* const kNames[] = {"LS", "HS", "ES", "GS", "VS", "PS", "CS"};
    return kNames[std::min<unsigned>(index_of(stage), index_of(ShaderStage::Cs))];
}

// The order of the system SGPRs is that of radeonsi's arguments. OC_LDS_EN takes two in VS and ES:
// the one radeonsi leaves unused is the streamout configuration's in VS.
unsigned StageProgram::initial_sgprs() const {
    unsigned n = user_sgprs + static_cast<unsigned>(scratch);
    switch (stage) {
        case ShaderStage::Vs:
            n += static_cast<unsigned>(streamout || offchip_lds) +
                 static_cast<unsigned>(streamout) + static_cast<unsigned>(offchip_lds);
            for (const bool base : streamout_base)
                n += static_cast<unsigned>(base);
            return n;
        case ShaderStage::Es:
            return n + (offchip_lds ? 2 : 0) + 1;
        case ShaderStage::Gs:
            return n + 2;
        case ShaderStage::Hs:
            return n + static_cast<unsigned>(offchip_lds) + 1 + static_cast<unsigned>(group_size);
        case ShaderStage::Ps:
            return n + 1 + static_cast<unsigned>(wave_count);
        default:
            return n;
    }
}

unsigned StageProgram::color_vectors() const {
    unsigned n = depth_format != 0 ? 1 : 0;
    for (unsigned target = 0; target < 8; ++target)
        n += (color_formats >> (4 * target) & 0xF) != 0 ? 1 : 0;
    return n;
}

StageProgram decode_stage(ShaderStage stage, const GraphicsRegisters::Shader& shader,
                          const GraphicsRegisters::Context& context, const SpiSpec& spec) {
    const Decoder d{spec.map, stage, shader, context};
    StageProgram p;
    decode_common(d, spec, p);
    switch (stage) {
        case ShaderStage::Ls: {
            const auto& rsrc2 = d.own().PGM_RSRC2;
            p.vgpr_inputs = static_cast<uint8_t>(d.sh(d.own().PGM_RSRC1.VGPR_COMP_CNT) + 1);
            p.lds_bytes = d.sh(rsrc2.LDS_SIZE) * spec.units.lds_bytes;
            p.exceptions = static_cast<uint8_t>(d.sh(rsrc2.EXCP_EN));
            break;
        }
        case ShaderStage::Hs: {
            const auto& rsrc2 = d.own().PGM_RSRC2;
            p.vgpr_inputs = 2;
            p.offchip_lds = d.sh(rsrc2.OC_LDS_EN) != 0;
            p.group_size = d.sh(rsrc2.TG_SIZE_EN) != 0;
            p.exceptions = static_cast<uint8_t>(d.sh(rsrc2.EXCP_EN));
            break;
        }
        case ShaderStage::Es: {
            const auto& rsrc2 = d.own().PGM_RSRC2;
            p.vgpr_inputs = static_cast<uint8_t>(d.sh(d.own().PGM_RSRC1.VGPR_COMP_CNT) + 1);
            p.offchip_lds = d.sh(rsrc2.OC_LDS_EN) != 0;
            p.lds_bytes = d.sh(rsrc2.LDS_SIZE) * spec.units.lds_bytes;
            p.exceptions = static_cast<uint8_t>(d.sh(rsrc2.EXCP_EN));
            break;
        }
        case ShaderStage::Gs:
            p.vgpr_inputs = 8;
            p.exceptions = static_cast<uint8_t>(d.sh(d.own().PGM_RSRC2.EXCP_EN));
            break;
        case ShaderStage::Vs:
            decode_vs(d, p);
            break;
        default:
            decode_ps(d, spec, p);
            break;
    }
    decode_limits(d, spec, p);
    check(d, spec, p);
    return p;
}

WaveLaunch make_vertex_wave(const StageProgram& p, const VertexWave& v, uint32_t scratch_slot,
                            LaunchData& data) {
    if (v.lanes == 0 || v.lanes > VertexWave::kLanes || v.stage != p.stage ||
        v.wave_in_group >= std::max<unsigned>(v.waves_in_group, 1))
        throw MachineStop(StopKind::Protocol, wave_name(v.stage, v.draw, v.wave),
                          "a wave of " + std::to_string(v.lanes) + " lanes, number " +
                              std::to_string(v.wave_in_group) + " of its group's " +
                              std::to_string(v.waves_in_group));
    WaveLaunch w = make_wave(p);
    w.dispatch = v.draw;
    w.group = v.wave;
    w.wave_in_group = v.wave_in_group;
    w.waves_in_group = v.waves_in_group;
    w.exec = v.lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << v.lanes) - 1;
    w.uid = uid_of(p.stage, v.draw, v.wave);
    switch (p.stage) {
        case ShaderStage::Vs:
            if (p.streamout || p.offchip_lds)
                add(w, p.streamout ? v.streamout_config : 0);
            if (p.streamout)
                add(w, v.streamout_index);
            for (unsigned n = 0; n < 4; ++n)
                if (p.streamout_base[n])
                    add(w, v.streamout_offset[n]);
            if (p.offchip_lds)
                add(w, v.tess_offchip_offset);
            break;
        case ShaderStage::Es:
            if (p.offchip_lds) {
                add(w, v.tess_offchip_offset);
                add(w, 0);
            }
            add(w, v.es2gs_offset);
            break;
        case ShaderStage::Gs:
            add(w, v.gs2vs_offset);
            add(w, v.gs_wave);
            break;
        case ShaderStage::Hs:
            if (p.offchip_lds)
                add(w, v.tess_offchip_offset);
            add(w, v.tess_factor_offset);
            if (p.group_size)
                add(w, tg_size_word(v.waves_in_group, v.wave_in_group, v.wave_in_group));
            break;
        default:
            break;
    }
    if (p.scratch)
        add(w, scratch_slot * p.scratch_wave_bytes);
    for (unsigned n = 0; n < p.vgpr_inputs; ++n)
        data.vgpr[n] = v.vgpr[n];
    data.written = (1u << p.vgpr_inputs) - 1;
    data.lds.clear();
    w.data = &data;
    return w;
}

unsigned primitives_of(const PixelWave& wave) {
    constexpr uint64_t kQuadStarts = 0x1111111111111111;
    if ((wave.new_primitive & ~kQuadStarts) != 0)
        throw MachineStop(StopKind::Protocol, "draw " + std::to_string(wave.draw) + " PS wave",
                          "a primitive begins inside a quad");
    return static_cast<unsigned>(__builtin_popcountll(wave.new_primitive | 1));
}

uint32_t pixel_lds_bytes(const StageProgram& p, const PixelWave& wave) {
    const unsigned primitives = primitives_of(wave);
    return 4 * attribute_parameters::place(p.all_attributes(), 0, primitives) + p.lds_bytes;
}

WaveLaunch make_pixel_wave(const StageProgram& p, const PixelWave& pixels,
                           const ParameterSource& parameters, uint32_t wave_number,
                           uint32_t wave_id, uint32_t scratch_slot, LaunchData& data) {
    WaveLaunch w = make_wave(p);
    w.dispatch = pixels.draw;
    w.group = wave_number;
    w.exec = pixels.live;
    w.lds_bytes = pixel_lds_bytes(p, pixels);
    w.uid = uid_of(p.stage, pixels.draw, wave_number);
    // M0 for VINTRP: parameters are at the start of the wave's LDS; a bit for each quad but the
    // first where a primitive begins. Its sign, for the shader: centroids are centres.
    uint32_t mask = 0;
    for (uint64_t m = pixels.new_primitive & ~uint64_t{1}; m != 0; m &= m - 1)
        mask |= 1u << (__builtin_ctzll(m) / 4 - 1);
    add(w, mask << 16 | uint32_t{pixels.centroid_at_centre} << 31);
    if (p.wave_count)
        add(w, wave_id);
    if (p.scratch)
        add(w, scratch_slot * p.scratch_wave_bytes);

    const unsigned primitives = primitives_of(pixels);
    data.lds.assign(attribute_parameters::place(p.all_attributes(), 0, primitives), 0);
    for (unsigned n = 0; n < primitives; ++n)
        make_attributes(p, pixels, n, primitives, parameters, data.lds);

    data.written = 0;
    unsigned vgpr = 0;
    for (uint32_t m = p.input_addr; m != 0; m &= m - 1) {
        const auto bit = static_cast<unsigned>(__builtin_ctz(m));
        for (unsigned k = 0; k < kInputVgprs[bit]; ++k, ++vgpr) {
            if ((p.input_ena >> bit & 1) == 0)
                continue;
            data.vgpr[vgpr] = pixels.input[kFirstElement[bit] + k];
            data.written |= 1u << vgpr;
        }
    }
    w.data = &data;
    return w;
}

}  // namespace archipelago::spi
