// SPDX-License-Identifier: Apache-2.0
// A primitive assembler with the registers of one context, set as a driver sets them for a target
// of 64 x 64 pixels.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "models/common/error.h"
#include "models/gcn/si/windows.h"
#include "models/pa/primitive_setup.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::pa {

namespace si = regs::si;
constexpr int32_t kPixel = raster::kSubpixels;

inline uint32_t bits_of(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// What a vertex shader exports: x y z w, then the vectors of POS1 to POS3.
struct Vertex {
    std::array<float, 4> position{0, 0, 0, 1};
    std::vector<std::array<uint32_t, 4>> more;
};

struct PaBench {
    static constexpr unsigned kContext = 2;
    RegisterMap map{&si::database(), gcn::si::context_window()};
    raster::RegisterSets sets{gcn::si::context_window(), si::GFX_COPY_STATE};
    Positions positions;
    PrimitiveSetup setup;
    SetupCounters counters;
    std::vector<raster::Primitive> out;
    uint32_t draw = 0;

    PaBench() {
        counters.pipeline.counting = true;
        viewport(0, {32, 32, 0.5f}, {32, 32, 0.5f});
        set(si::PA_CL_VTE_CNTL, 0x43F);
        set(si::PA_CL_CLIP_CNTL, 0x01000000);  // DX_LINEAR_ATTR_CLIP_ENA
        set(si::PA_SU_SC_MODE_CNTL, 0x244);    // FACE 1
        set(si::PA_SU_VTX_CNTL, 0x2D);         // 16.8, to even, centres at 1/2
        set(si::SPI_SHADER_POS_FORMAT, 4);
        set(si::PA_SU_POINT_SIZE, 0x80008);
        set(si::PA_SU_POINT_MINMAX, 0xffff0000);
        set(si::PA_SU_LINE_CNTL, 8);
        set(si::PA_SC_RASTER_CONFIG, 0x2A00126A);
        guard_band(100, 1);
    }
    template <class T>
    void set(uint32_t offset, T value) {
        RegRequest request;
        request.offset = offset;
        if constexpr (std::is_floating_point_v<T>)
            request.value = bits_of(value);
        else
            request.value = static_cast<uint32_t>(value);
        request.write = true;
        request.context = kContext;
        ASSERT_TRUE(sets.write(request)) << offset;
    }
    // A field of a register, the others as they are.
    void field(const regs::NamedField& f, uint32_t value) {
        set(f.offset(), f.set(sets.get(f.offset(), kContext), value));
    }
    void viewport(unsigned n, std::array<float, 3> scale, std::array<float, 3> offset) {
        for (uint32_t c = 0; c < 3; ++c) {
            set(si::PA_CL_VPORT_XSCALE + 24 * n + 8 * c, scale[c]);
            set(si::PA_CL_VPORT_XOFFSET + 24 * n + 8 * c, offset[c]);
        }
    }
    void guard_band(float clip, float discard) {
        set(si::PA_CL_GB_HORZ_CLIP_ADJ, clip);
        set(si::PA_CL_GB_VERT_CLIP_ADJ, clip);
        set(si::PA_CL_GB_HORZ_DISC_ADJ, discard);
        set(si::PA_CL_GB_VERT_DISC_ADJ, discard);
    }
    // Window coordinates as exported, as drivers draw rectangles.
    void window_coordinates() {
        set(si::PA_CL_VTE_CNTL, 0x300);
        field(map.PA_CL_CLIP_CNTL.CLIP_DISABLE, 1);
    }
    SetupState state() const { return decode(map, raster::RegisterView{sets, kContext}); }

    // A primitive of a draw of its own; vertex n is in lane 3 * n of wave 5. Its pieces.
    std::vector<raster::Primitive> run(const std::vector<Vertex>& vertices,
                                       PrimitiveMessage message = {}) {
        VertexExports exports;
        exports.draw = ++draw;
        exports.wave = 5;
        exports.lanes = 64;
        exports.position.resize(1 + vertices[0].more.size());
        message.context = kContext;
        message.draw = draw;
        message.vertices = static_cast<uint8_t>(vertices.size());
        for (unsigned v = 0; v < vertices.size(); ++v) {
            const unsigned lane = 3 * v;
            message.wave[v] = 5;
            message.lane[v] = static_cast<uint8_t>(lane);
            for (unsigned c = 0; c < 4; ++c) {
                exports.position[0][c][lane] = bits_of(vertices[v].position[c]);
                for (unsigned n = 0; n < vertices[v].more.size(); ++n)
                    exports.position[n + 1][c][lane] = vertices[v].more[n][c];
            }
        }
        positions.add(exports);
        out.clear();
        setup.setup(state(), message, positions, out, counters);
        positions.release_through(draw);
        return out;
    }
    // The same of window coordinates in pixels, with w = 1.
    static std::vector<Vertex> window(const std::vector<std::array<float, 3>>& xyz) {
        std::vector<Vertex> vertices;
        for (const std::array<float, 3>& p : xyz)
            vertices.push_back({{p[0], p[1], p[2], 1}, {}});
        return vertices;
    }
    static std::vector<Vertex> clip_space(const std::vector<std::array<float, 4>>& xyzw) {
        std::vector<Vertex> vertices;
        for (const std::array<float, 4>& p : xyzw)
            vertices.push_back({p, {}});
        return vertices;
    }
    std::string refusal() const {
        try {
            state();
        } catch (const MachineStop& stop) {
            return stop.what();
        }
        return {};
    }
};

}  // namespace archipelago::pa
