// SPDX-License-Identifier: Apache-2.0
// What the vertex grouper (VGT), the shader processor input (SPI), the primitive assembler and the
// rasteriser say to each other about draws. SI document 1.2.1.5 and 2.5; facts: launch_state.
//
//   VGT -- VgtMessage --> SPI -- WaveLaunch --> CU -- ExportMessage --> SPI
//   VGT -- PrimitiveMessage --> primitive assembler       rasteriser -- PixelWave --> SPI
#pragma once

#include <array>
#include <cstdint>

namespace archipelago {

// Hardware shader stages, in the order of the SPI_SHADER_*_LS..PS register blocks; Cs is COMPUTE_*.
enum class ShaderStage : uint8_t { Ls, Hs, Es, Gs, Vs, Ps, Cs, kCount };

constexpr unsigned kContexts = 8;  // sets of context registers

// A wave of vertices (LS, ES, VS), patches (HS) or primitives (GS), ready for room on a CU.
struct VertexWave {
    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kVgprs = 8;
    ShaderStage stage = ShaderStage::Vs;
    uint8_t context = 0;
    uint8_t shader_engine = 0;  // that takes the wave
    uint8_t lanes = 0;          // 1..64, from lane 0 on
    uint32_t draw = 0;          // number of the draw, from 1
    uint32_t wave = 0;          // number of the wave within its stage and draw
    // What the stage's inputs hold; SPI writes as many as VGPR_COMP_CNT asks for.
    //   LS       vertex id, patch-relative id, instance id
    //   ES, VS   vertex id, instance id, primitive id
    //   HS       patch id, patch [7:0] and output control point [12:8]
    //   GS       offsets of vertices 0 and 1, primitive id, offsets of vertices 2..5, instance id
    std::array<std::array<uint32_t, kLanes>, kVgprs> vgpr{};
    // Groups: waves that share LDS (LS and HS of one set of patches). 1 wave each otherwise.
    uint8_t wave_in_group = 0, waves_in_group = 1;
    uint32_t group = 0;
    // System SGPRs of the stages that have them.
    uint32_t es2gs_offset = 0;  // ES: bytes
    uint32_t gs2vs_offset = 0;  // GS: bytes
    uint32_t gs_wave = 0;       // GS: number of the wave, for s_sendmsg
    uint32_t tess_offchip_offset = 0, tess_factor_offset = 0;  // HS, bytes
    uint32_t streamout_config = 0;                             // vertices in bits 22:16
    uint32_t streamout_index = 0;                              // of the first vertex of the wave
    std::array<uint32_t, 4> streamout_offset{};                // dwords
};

// VGT -> SPI, in the order of the draws and events.
struct VgtMessage {
    enum class Kind : uint8_t {
        Wave,
        Event,    // an event that has passed everything VGT had before it
        DrawEnd,  // no further wave of `draw` will come
    };
    Kind kind = Kind::Wave;
    uint8_t ring = 0;        // Event
    uint8_t event_type = 0;  // Event: VGT_EVENT_TYPE
    uint8_t context = 0;
    uint32_t draw = 0;
    VertexWave wave;
};

// SPI -> VGT: a wave has ended whose results another stage reads: ES, GS, LS, HS; and VS, which
// gives back what it read. Its messages (s_sendmsg) were sent before.
struct StageDone {
    ShaderStage stage = ShaderStage::Vs;
    uint32_t draw = 0;
    uint32_t wave = 0;  // VertexWave::wave
};

// VGT -> primitive assembler: one primitive of the last vertex stage (VS).
struct PrimitiveMessage {
    enum class Kind : uint8_t { Primitive, Event, DrawEnd };
    Kind kind = Kind::Primitive;
    uint8_t context = 0;
    uint8_t shader_engine = 0;
    uint8_t vertices = 0;  // 1 point, 2 line, 3 triangle
    uint8_t ring = 0, event_type = 0;
    uint32_t draw = 0;
    uint32_t primitive_id = 0;
    uint32_t instance = 0;
    // Wave (number within the draw's VS waves) and lane of each vertex.
    std::array<uint32_t, 3> wave{};
    std::array<uint8_t, 3> lane{};
    bool end_of_packet = false;  // last primitive of its group of vertices
};

// Rasteriser -> SPI: a wave of pixels, as 16 quads.
struct PixelWave {
    static constexpr unsigned kLanes = 64;
    uint8_t context = 0;
    uint8_t shader_engine = 0;
    uint32_t draw = 0;
    uint64_t live = 0;       // pixels that are covered; EXEC also holds the helpers of live quads
    uint32_t prim_mask = 0;  // SGPR for M0: parameter cache bases, see SPI_PS_IN_CONTROL
    uint64_t new_primitive = 0;  // lanes where the next primitive begins
    // VGPR inputs in the order of the bits of SPI_PS_INPUT_ENA, two for each barycentric pair.
    static constexpr unsigned kInputs = 24;
    std::array<std::array<uint32_t, kLanes>, kInputs> input{};
};

}  // namespace archipelago
