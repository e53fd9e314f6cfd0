// SPDX-License-Identifier: Apache-2.0
// A draw as the registers describe it at the write of VGT_DRAW_INITIATOR. Knows no time.
// SI document 2.5; fields: public register headers.
#pragma once

#include <array>
#include <cstdint>

#include "models/gcn/draw_message.h"
#include "models/vgt/index_dma_message.h"
#include "models/vgt/primitives.h"
#include "models/vgt/vgt_registers.h"
#include "models/vgt/vgt_spec.h"

namespace archipelago::vgt {

enum class IndexSource : uint8_t { Dma = 0, Immediate = 1, Auto = 2 };

constexpr unsigned kStreams = 4;  // of streamout, and buffers

// VGT_STRMOUT_*, dwords.
struct StreamoutSetup {
    uint8_t enabled = 0;  // streams
    std::array<uint8_t, kStreams> buffers{};
    std::array<uint32_t, kStreams> size{}, stride{};  // of buffers
    // Buffers whose VGT_STRMOUT_BUFFER_OFFSET_n was written since the draw before: they go on
    // there.
    uint8_t moved = 0;
    std::array<uint32_t, kStreams> offset{};
};

// VGT_GS_*, VGT_ESGS_*, VGT_GSVS_*.
struct GsSetup {
    bool enabled = false;
    bool partial_es = false;                   // ES waves end with a group of primitives
    uint32_t es_item = 0, gs_item = 0;         // dwords of a vertex in the ESGS, a thread's in GSVS
    uint64_t es_ring = 0, gs_ring = 0;         // bytes
    uint32_t max_vertices = 0;                 // a thread emits
    uint32_t instances = 1;                    // threads per primitive
    std::array<uint32_t, kStreams> offset{};   // of a stream in gs_item, dwords
    std::array<uint32_t, kStreams> vertex{};   // dwords of a vertex of a stream
    std::array<uint8_t, kStreams> out_type{};  // 0 points, 1 line strips, 2 triangle strips
    unsigned raster_stream = 0;
    unsigned reuse = 0;   // vertices reused between primitives
    uint32_t per_es = 0;  // threads on the vertices of one ES wave
};

// VGT_LS_HS_CONFIG, VGT_TF_PARAM.
struct TessSetup {
    bool enabled = false;
    unsigned patches = 1;  // per group
    unsigned outputs = 1;  // control points
    uint8_t type = 0;      // 0 isolines, 1 triangles, 2 quads
    uint8_t topology = 0;  // 0 points, 1 lines, 2 and 3 triangles
    unsigned buffers = 1;  // off chip, each for a group
    uint32_t buffer_bytes = 0;
    uint32_t factor_ring = 0;  // bytes
};

struct Draw {
    uint32_t number = 0;  // from 1
    uint8_t context = 0;
    uint8_t vmid = 0;    // of its initiator's packet
    uint16_t place = 0;  // RegRequest::place of its initiator
    IndexSource source = IndexSource::Auto;
    PrimType type = PrimType::None;
    Provoking provoking = Provoking::First;
    unsigned patch = 0;    // control points of a patch
    bool index32 = false;  // immediate indices
    uint32_t count = 0;    // indices of an instance
    uint32_t instances = 1;
    IndexCommand dma;            // of each instance
    bool vmid_override = false;  // IA_VMID_OVERRIDE says whose address space its VMID is
    uint32_t index_offset = 0, index_min = 0, index_max = ~0u;
    bool reset = false;
    uint32_t reset_index = 0;
    std::array<uint32_t, 2> step_rate{1, 1};
    bool primitive_id = false;  // vertices get it
    bool keep_id = false;       // it goes on from instance to instance
    uint32_t id_reset = 0;
    bool not_eop = false;        // the next draw continues this one
    bool counted = false;        // automatic indices go on from the vertex counter
    unsigned reuse = 0;          // vertices
    uint32_t group = 1;          // primitives before the next shader engine takes over
    bool switch_on_eop = false;  // shader engines take over with draws only
    bool switch_on_eoi = false;  // ... also at the end of an instance
    bool partial_vs = false;     // waves end with the group of primitives
    uint32_t eject = 0;          // primitives after which a wave ends; 0 is no limit
    StreamoutSetup streamout;
    GsSetup gs;
    TessSetup tess;

    uint64_t indices() const { return uint64_t{count} * instances; }
    // Dwords of VGT_IMMED_DATA.
    uint32_t immediate_dwords() const {
        return source != IndexSource::Immediate ? 0 : index32 ? count : count / 2 + count % 2;
    }
};

// Reads the registers. Throws MachineStop: BadInput for reserved encodings and settings that
// contradict each other, Unimplemented for what the model does not do; both name the register.
Draw decode_draw(const VgtRegisters& registers, uint8_t context, uint32_t number,
                 uint32_t initiator, const VgtSpec& spec);

}  // namespace archipelago::vgt
