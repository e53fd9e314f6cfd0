// SPDX-License-Identifier: Apache-2.0
// What the vertex grouper (VGT), the shader processor input (SPI), the primitive assembler and the
// rasteriser say to each other about draws. SI document 1.2.1.5 and 2.5.
//
//   VGT -- VgtMessage --> SPI -- WaveLaunch --> CU -- ExportMessage --> SPI
//   VGT -- PrimitiveMessage --> primitive assembler    render back ends -- QuadBatch --> SPI
//   SPI -- VertexExports --> primitive assembler -- ExportFree --> SPI
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace archipelago {

// Hardware shader stages, in the order of the SPI_SHADER_*_LS..PS register blocks; Cs is COMPUTE_*.
enum class ShaderStage : uint8_t { Ls, Hs, Es, Gs, Vs, Ps, Cs, kCount };

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
    // What the stage's inputs hold; SPI writes as many as VGPR_COMP_CNT says.
    //   LS       vertex id, patch-relative id, instance id
    //   ES, VS   vertex id, instance id, primitive id
    //   HS       patch id, patch [7:0] and output control point [12:8]
    //   GS       offsets of vertices 0 and 1, primitive id, offsets of vertices 2..5, instance id
    std::array<std::array<uint32_t, kLanes>, kVgprs> vgpr{};
    // Groups: waves that share LDS (LS and HS of one set of patches). 1 wave each otherwise.
    // waves_in_group counts those of both stages; LS waves come first, from 0 on, then HS waves,
    // which start when all LS waves of the group have ended. `group` is unique within the draw.
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
// releases what it read. Its messages (s_sendmsg) were sent before.
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
    uint8_t vmid = 0;         // of the packet that began the draw
    uint8_t vertices = 0;     // 1 point, 2 line, 3 triangle
    bool rectangle = false;   // its three vertices are corners 0, 1 and 2 of a rectangle
    bool first = false;       // of a strip or list: a line stipple may begin anew
    uint8_t inner_edges = 0;  // bit n: edge from vertex n to n + 1 lies within a quad or polygon
    uint8_t ring = 0, event_type = 0;
    uint32_t draw = 0;
    uint32_t primitive_id = 0;
    uint32_t instance = 0;
    // Wave (number within the draw's VS waves) and lane of each vertex.
    std::array<uint32_t, 3> wave{};
    std::array<uint8_t, 3> lane{};
    // No later primitive refers to the waves this one refers to, nor to earlier ones: once it is
    // consumed their positions are not needed any more.
    bool end_of_packet = false;
};

// SPI -> primitive assembler: a VS wave has exported all its positions.
struct VertexExports {
    using Vector = std::array<std::array<uint32_t, VertexWave::kLanes>, 4>;  // x y z w by lane
    uint8_t context = 0;
    uint8_t shader_engine = 0;
    uint8_t lanes = 0;
    uint32_t draw = 0;
    uint32_t wave = 0;
    std::vector<Vector> position;  // POS0 and those of POS1..3 that have a format, in order
};

// Primitive assembler -> SPI: space in the export buffers is released.
struct ExportFree {
    uint32_t draw = 0;
    uint32_t wave = 0;  // of the draw's VS waves
    bool position = false;
    bool parameters = false;  // only when no quads come: Primitive::free_through
};

// The vertices whose parameters a primitive is drawn with; the first gives flat attributes.
struct PixelPrimitive {
    uint8_t vertices = 3;  // 1 point, 2 line, 3 triangle
    std::array<uint32_t, 3> wave{};
    std::array<uint8_t, 3> lane{};
};

// A wave of pixels, as 16 quads, as SPI packs them. In order; one without pixels launches nothing.
struct PixelWave {
    static constexpr unsigned kLanes = 64;
    static constexpr unsigned kPrimitives = 16;
    uint8_t context = 0;
    uint8_t shader_engine = 0;
    uint32_t draw = 0;
    uint64_t live = 0;  // pixels that are covered: EXEC. Inputs hold values for whole quads.
    // Lanes, the first of a quad, where the next primitive begins; lane 0 begins the first. SPI
    // makes the SGPR for M0 of it.
    uint64_t new_primitive = 0;
    std::array<PixelPrimitive, kPrimitives> primitive{};
    // All centroids are centres of pixels: bit 31 of the SGPR, which a shader may test.
    bool centroid_at_centre = false;
    // VGPR inputs, a place for every bit of SPI_PS_INPUT_ENA in order: two for each pair of
    // barycentrics, three for the pull model, one for the others.
    static constexpr unsigned kInputs = 24;
    std::array<std::array<uint32_t, kLanes>, kInputs> input{};
    // With this wave, the draw's VS waves below this number have had their last pixels: their
    // parameters are not needed any more.
    uint32_t free_through = 0;
    bool end_of_draw = false;  // no further wave of the draw comes
};

}  // namespace archipelago
