// SPDX-License-Identifier: Apache-2.0
// The registers of a context as PA uses them for a draw.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/pa/register_map.h"
#include "models/raster/register_sets.h"
#include "models/raster/tile_owner.h"

namespace archipelago::pa {

// Registers and exports hold floats by their bits.
inline float as_float(uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// What the components of the vectors hold that VS exports to POS slots, by slot; kAbsent: not
// exported. The slots with a format follow one another.
struct ExportLayout {
    static constexpr uint8_t kAbsent = 0xff;
    uint8_t slots = 0;
    uint8_t misc = kAbsent;                              // x point size, y edge flag, z layer,
                                                         // w viewport
    std::array<uint8_t, 2> distances{kAbsent, kAbsent};  // 0 to 3, 4 to 7
    bool point_size = false, edge_flag = false, layer = false, viewport = false;
};

struct ClipState {
    bool enabled = true;
    bool kill = false;         // DX_RASTERIZATION_KILL
    bool zero_to_one = false;  // 0 <= z <= w; otherwise -w <= z <= w
    bool near_plane = true, far_plane = true;
    bool linear_in_window = true;  // DX_LINEAR_ATTR_CLIP_ENA
    bool boundary_edges = false;   // edges on a clip plane are drawn in polygon mode
    uint8_t planes = 0;            // bit n: user plane n clips
    uint8_t cull_planes = 0;       // ... culls
    std::array<std::array<float, 4>, 6> plane{};
    uint8_t distances = 0;       // bit n: clip distance n
    uint8_t cull_distances = 0;  // bit n: cull distance n
    // Guard band, factors of w: beyond `clip` primitives are clipped, wholly beyond `discard`
    // discarded.
    float clip_x = 1, clip_y = 1, discard_x = 1, discard_y = 1;
};

// PA_CL_NANINF_CNTL, for x and y, for z and for w.
struct NanInfState {
    struct Component {
        bool nan_to_infinity = false, retain_infinity = false, discard_infinity = false;
    };
    Component xy, z, w;
    bool discard_infinite_distance = false;
};

struct Viewport {
    std::array<float, 3> scale{1, 1, 1}, offset{};  // x y z; 1 and 0 where not enabled
};

// Window coordinates to the fixed-point grid.
struct SnapState {
    enum class Round : uint8_t { Truncate, Up, Even, Odd };  // ties; Truncate: everything down
    Round round = Round::Even;
    double units = 256;  // grid points in a pixel; below 1 for pixels in a grid unit
    int32_t step = 16;   // 1/4096 pixel in a grid unit
    int32_t range = 0;   // 1/4096 pixel: coordinates lie in [-range, range), from the origin
    int32_t origin_x = 0, origin_y = 0;  // PA_SU_HARDWARE_SCREEN_OFFSET, pixels
    int32_t centre = 0;  // 1/4096 pixel that move pixel centres to the middle of pixels
};

struct PolygonOffset {
    bool enabled = false;
    float scale = 0, offset = 0;
};

struct SetupState {
    enum class PolygonMode : uint8_t { Points, Lines, Fill };

    ExportLayout exports;
    ClipState clip;
    NanInfState naninf;
    bool xy_divided = false, z_divided = false, w_inverted = false;  // as exported
    std::array<Viewport, 16> viewport{};
    int32_t window_x = 0, window_y = 0;  // added to window coordinates, pixels
    SnapState snap;

    bool cull_front = false, cull_back = false;
    bool positive_front = false;  // front faces have positive area; FACE
    PolygonMode front_mode = PolygonMode::Fill, back_mode = PolygonMode::Fill;
    bool provoking_last = false, flat_perspective = false;  // PERSP_CORR_DIS

    PolygonOffset front_offset, back_offset, line_offset;  // lines and points
    float offset_clamp = 0;
    int offset_exponent = 0;   // of the unit that OFFSET counts
    bool float_depth = false;  // that unit scales with z

    int32_t point_half_x = 0, point_half_y = 0;      // 1/4096 pixel
    int32_t point_half_min = 0, point_half_max = 0;  // of sizes that vertices bring
    int32_t line_half_width = 0;                     // 1/4096 pixel
    bool expand_lines = false, perpendicular_ends = false, last_pixel = false;
    bool diamond_test = false;
    enum class StippleReset : uint8_t { Never, EachLine, EachStrip };
    bool stipple = false;
    StippleReset stipple_reset = StippleReset::Never;

    raster::TileOwners owners;
};

// Throws MachineStop(BadInput or Unimplemented) with the register and the field.
SetupState decode(const RegisterMap& map, const raster::RegisterView& view);

}  // namespace archipelago::pa
