// SPDX-License-Identifier: Apache-2.0
// What the primitive assembler (PA) sends to the scan converter (SC): a primitive that is clipped,
// projected and snapped to the fixed-point grid of the window. R6xx/R7xx document 2.1.2 and 2.1.3.
//
//   PA -- Primitive --> SC -- QuadBatch --> DB -- QuadBatch --> SPI -- pixel waves --> CU
//   CU -- exports --> SPI -- ShadedBatch --> DB -- ShadedBatch --> CB --> memory
#pragma once

#include <array>
#include <cstdint>

namespace archipelago::raster {

// Units of window coordinates in a pixel: the finest QUANT_MODE of PA_SU_VTX_CNTL has 12 fraction
// bits, the coarser ones are multiples. x grows to the right, y with the row in memory. The centre
// of pixel (px, py) is at (px + 1/2, py + 1/2): PA has added what PIX_CENTER says.
constexpr int32_t kSubpixels = 4096;

struct Point {
    int32_t x = 0, y = 0;  // 1/4096 pixel, without PA_SU_HARDWARE_SCREEN_OFFSET
};

// A place of the window where the interpolated values are known. Three of them define the planes of
// a primitive; of a point all have the same values, of a line the third has those of the first.
struct PlaneVertex {
    Point at;
    float inverse_w = 1;  // 1/w; 1 where PERSP_CORR_DIS or the registers say so
    // Barycentric coordinates of vertices 1 and 2 of the primitive as it was assembled. A vertex
    // that is no new one of clipping has (0, 0), (1, 0) or (0, 1).
    float i = 0, j = 0;                // perspective
    float linear_i = 0, linear_j = 0;  // linear in the window
};

// Window z, polygon offset included, not clamped: z at `at` and its slopes per pixel.
struct DepthPlane {
    Point at;
    double z = 0, dz_dx = 0, dz_dy = 0;
    double at_point(int32_t x, int32_t y) const {
        return z + dz_dx * (double(x - at.x) / kSubpixels) +
               dz_dy * (double(y - at.y) / kSubpixels);
    }
};

// The vertices whose parameters a primitive is drawn with; the first gives flat attributes
// (PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST is resolved).
struct ParameterVertices {
    uint8_t count = 3;               // 1 point, 2 line, 3 triangle
    std::array<uint32_t, 3> wave{};  // number within the draw's VS waves
    std::array<uint8_t, 3> lane{};
};

struct Primitive {
    enum class Kind : uint8_t {
        Primitive,
        Event,    // an event that has passed every primitive before it
        DrawEnd,  // no further primitive of `draw` comes
        Release,  // nothing to draw: `free_through` alone, where the last primitives were culled
    };
    enum class Shape : uint8_t { Triangle, Rectangle, Line, Point };
    Kind kind = Kind::Primitive;
    Shape shape = Shape::Triangle;  // whose edge rule holds, PA_SC_EDGERULE
    uint8_t context = 0;
    uint8_t vmid = 0;                  // address space of its render targets
    uint8_t ring = 0, event_type = 0;  // Event
    uint8_t viewport = 0;              // 0..15: its scissor, its z range
    bool back_facing = false;          // points and lines are front facing
    uint16_t layer = 0;                // render target array index
    uint32_t draw = 0;                 // number of the draw, from 1
    uint32_t number = 0;  // within the draw; two primitives in a row that may cover the same pixel
                          // have different ones

    // What is covered: a convex polygon, its corners in order, either way round. 3 for triangles
    // and for pieces of a clipped rectangle, 4 for the others. Never without area.
    uint8_t corners = 3;
    std::array<Point, 4> corner{};

    std::array<PlaneVertex, 3> plane{};
    DepthPlane depth;
    float w = 1;  // points: of the vertex

    ParameterVertices parameters;
    // VS waves of the draw below this number have no later primitive: with its last pixel their
    // parameters are not needed any more.
    uint32_t free_through = 0;

    // Lines: their corners 0 and 3 lie on both sides of the first vertex, and this is their
    // direction. With LINE_STIPPLE_ENABLE: the pixels of the major axis before this line, for the
    // pattern.
    bool x_major = false, descending = false;
    uint32_t stipple_start = 0;
};

}  // namespace archipelago::raster
