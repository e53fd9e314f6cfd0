// SPDX-License-Identifier: Apache-2.0
// The program of a graphics stage as the registers describe it, and the initial state of each of
// its waves. Knows no time: the timed SPI and the functional mode share it. SI document 1.2.1.5;
// order of the initial registers: Mesa si_shader.c, LLVM, register headers of Linux.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/gcn/compute_message.h"
#include "models/gcn/draw_message.h"
#include "models/spi/spi_spec.h"

namespace archipelago::spi {

const char* stage_name(ShaderStage stage);  // "LS" .. "PS", "CS"

// Registers a draw is launched with: SPI_SHADER_*, persistent state, from RegisterMap::shader_start
// on, and context registers from context_start on.
struct GraphicsRegisters {
    using Shader = std::array<uint32_t, RegisterMap::kMaxShader>;
    using Context = std::array<uint32_t, RegisterMap::kMaxContext>;
};

// SPI_PS_INPUT_CNTL_n: where an attribute of a pixel wave comes from.
struct InputControl {
    uint8_t offset = 0;         // number of the parameter
    uint8_t default_value = 0;  // DEFAULT_VAL
    uint8_t cylindrical_wrap = 0;
    bool flat_shade = false;
    bool point_sprite = false;  // PT_SPRITE_TEX
};

// PNT_SPRITE_OVRD_X..W: what a component of a point sprite's attribute is.
enum class SpriteComponent : uint8_t { Zero, One, S, T, Keep };

// What a stage's waves start with.
struct StageProgram {
    ShaderStage stage = ShaderStage::Vs;
    uint8_t vmid = 0;  // of the draw packet
    uint64_t pc = 0;
    uint16_t vgprs = 0, sgprs = 0;  // allocated per wave
    uint8_t vgpr_inputs = 0;        // vertex stages: v0.. that are loaded
    uint8_t float_mode = 0;
    bool dx10_clamp = false, ieee = false, privileged = false, trap_present = false;
    uint8_t exceptions = 0;
    uint8_t priority = 0;
    uint64_t tba = 0, tma = 0;
    uint8_t user_sgprs = 0;
    std::array<uint32_t, 16> user_data{};
    bool scratch = false;
    uint32_t scratch_waves = 0, scratch_wave_bytes = 0;
    bool offchip_lds = false;              // OC_LDS_EN: VS, ES, HS
    bool streamout = false;                // SO_EN: VS
    std::array<bool, 4> streamout_base{};  // SO_BASEn_EN
    bool group_size = false;               // TG_SIZE_EN: HS
    bool wave_count = false;               // WAVE_CNT_EN: PS
    uint32_t lds_bytes = 0;                // LS: of the group; ES: of the wave; PS: EXTRA_LDS_SIZE
    // VS: what it exports.
    uint8_t position_mask = 0;  // bit n: POSn has a format
    uint8_t positions = 0;
    uint8_t parameters = 0;
    // PS
    uint16_t input_ena = 0, input_addr = 0;
    uint8_t attributes = 0;  // NUM_INTERP
    bool flat_enable = false;
    bool generated_parameter = false;  // PARAM_GEN: one more attribute, after the others
    bool point_sprites = false;
    bool sprite_top_is_one = false;  // PNT_SPRITE_TOP_1
    std::array<SpriteComponent, 4> sprite{};
    std::array<InputControl, 32> inputs{};
    uint8_t depth_format = 0;
    uint32_t color_formats = 0;
    // Limits, where the chip has registers for them.
    uint32_t cu_enable = 0xFFFF;  // of each shader array
    unsigned wave_limit = 0;      // waves of the stage on a shader array; 0 is none
    unsigned lock_threshold = 0;  // see SpiCore::place_graphics
    unsigned late_allocations = 0;

    unsigned initial_sgprs() const;
    // PS: targets with a format, each a vector in the colour buffer.
    unsigned color_vectors() const;
    // PS: with the generated one.
    unsigned all_attributes() const { return attributes + (generated_parameter ? 1 : 0); }
};

// Reads the registers of a stage. Throws MachineStop(BadInput) naming the register when no CU could
// ever run a wave of it or the document's authors forbid what it says.
StageProgram decode_stage(ShaderStage stage, const GraphicsRegisters::Shader& shader,
                          const GraphicsRegisters::Context& context, const SpiSpec& spec);

// Everything of a launch that does not depend on where the wave runs. `data` is filled and pointed
// to. Throws MachineStop(Protocol) for a wave without lanes or of another stage.
WaveLaunch make_vertex_wave(const StageProgram& program, const VertexWave& wave,
                            uint32_t scratch_slot, LaunchData& data);

// Where parameters of vertices are found.
class ParameterSource {
  public:
    virtual ~ParameterSource() = default;
    // Of a VS wave, by number. Null: the wave is not known, or they have been released.
    virtual const std::vector<VertexExports::Vector>* parameters(uint32_t draw,
                                                                 uint32_t wave) const = 0;
};

// Primitives of a pixel wave, from its `new_primitive`. Throws MachineStop(Protocol) when a
// primitive begins inside a quad.
unsigned primitives_of(const PixelWave& wave);
// LDS a pixel wave needs for its parameters and EXTRA_LDS_SIZE, bytes.
uint32_t pixel_lds_bytes(const StageProgram& program, const PixelWave& wave);

// `wave_id`: for WAVE_CNT_EN. The data's LDS holds, for each attribute and primitive, P0 and P10 of
// x, y, z, w in turn, then the four P20: what VINTRP reads. Throws MachineStop(BadInput) when a
// parameter that is read is not in `parameters`.
WaveLaunch make_pixel_wave(const StageProgram& program, const PixelWave& wave,
                           const ParameterSource& parameters, uint32_t wave_number,
                           uint32_t wave_id, uint32_t scratch_slot, LaunchData& data);

}  // namespace archipelago::spi
