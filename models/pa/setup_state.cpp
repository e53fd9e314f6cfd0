// SPDX-License-Identifier: Apache-2.0
#include "models/pa/setup_state.h"

#include <string>

#include "models/common/error.h"
#include "models/raster/primitive.h"

namespace archipelago::pa {
namespace {

constexpr int32_t kPixel = raster::kSubpixels;
constexpr int32_t kSixteenth = kPixel / 16;  // of sizes in 12.4

[[noreturn]] void unimplemented(const std::string& field) {
    throw MachineStop(StopKind::Unimplemented, "pa", field + " is not implemented");
}
[[noreturn]] void bad(const std::string& what) {
    throw MachineStop(StopKind::BadInput, "pa", what);
}

// `count` consecutive one-bit fields, the first of which is `first`.
uint8_t bits_from(const raster::RegisterView& view, const regs::NamedField& first, unsigned count) {
    const uint32_t word = view(first.offset());
    unsigned shift = 0;  // of the first field
    while (shift < 32 && first(1u << shift) == 0)
        ++shift;
    return shift == 32 ? 0 : static_cast<uint8_t>(word >> shift & ((1u << count) - 1));
}

ExportLayout decode_exports(const RegisterMap& map, const raster::RegisterView& view) {
    const auto& format = map.SPI_SHADER_POS_FORMAT;
    const auto& out = map.PA_CL_VS_OUT_CNTL;
    ExportLayout layout;
    for (const auto* slot : {&format.POS0_EXPORT_FORMAT, &format.POS1_EXPORT_FORMAT,
                             &format.POS2_EXPORT_FORMAT, &format.POS3_EXPORT_FORMAT})
        layout.slots = static_cast<uint8_t>(layout.slots + (view.field(*slot) != 0 ? 1 : 0));
    if (view.field(format.POS0_EXPORT_FORMAT) == 0)
        bad("SPI_SHADER_POS_FORMAT has no format for POS0, the position");
    uint8_t next = 1;
    if (view.field(out.VS_OUT_MISC_VEC_ENA) != 0) {
        layout.misc = next++;
        layout.point_size = view.field(out.USE_VTX_POINT_SIZE) != 0;
        layout.edge_flag = view.field(out.USE_VTX_EDGE_FLAG) != 0;
        layout.layer = view.field(out.USE_VTX_RENDER_TARGET_INDX) != 0;
        layout.viewport = view.field(out.USE_VTX_VIEWPORT_INDX) != 0;
        if (view.field(out.USE_VTX_KILL_FLAG) != 0)
            unimplemented("PA_CL_VS_OUT_CNTL.USE_VTX_KILL_FLAG");
        if (view.field(out.USE_VTX_GS_CUT_FLAG) != 0)
            unimplemented("PA_CL_VS_OUT_CNTL.USE_VTX_GS_CUT_FLAG");
    }
    if (view.field(out.VS_OUT_CCDIST0_VEC_ENA) != 0)
        layout.distances[0] = next++;
    if (view.field(out.VS_OUT_CCDIST1_VEC_ENA) != 0)
        layout.distances[1] = next++;
    if (next > layout.slots)
        bad("PA_CL_VS_OUT_CNTL enables " + std::to_string(next - 1) +
            " vectors beside the position, SPI_SHADER_POS_FORMAT has formats for " +
            std::to_string(layout.slots - 1));
    return layout;
}

// Bit n of a mask of distances needs the vector that has it.
void check_distances(const ExportLayout& exports, uint8_t mask, const char* field) {
    for (unsigned n = 0; n < 8; ++n)
        if ((mask >> n & 1) != 0 && exports.distances[n / 4] == ExportLayout::kAbsent)
            bad("PA_CL_VS_OUT_CNTL." + std::string(field) + std::to_string(n) +
                " is set, VS_OUT_CCDIST" + std::to_string(n / 4) + "_VEC_ENA is not");
}

ClipState decode_clip(const RegisterMap& map, const raster::RegisterView& view,
                      const ExportLayout& exports) {
    const auto& cntl = map.PA_CL_CLIP_CNTL;
    ClipState clip;
    clip.enabled = view.field(cntl.CLIP_DISABLE) == 0;
    clip.zero_to_one = view.field(cntl.DX_CLIP_SPACE_DEF) != 0;
    clip.near_plane = view.field(cntl.ZCLIP_NEAR_DISABLE) == 0;
    clip.far_plane = view.field(cntl.ZCLIP_FAR_DISABLE) == 0;
    clip.linear_in_window = view.field(cntl.DX_LINEAR_ATTR_CLIP_ENA) != 0;
    clip.boundary_edges = view.field(cntl.BOUNDARY_EDGE_FLAG_ENA) != 0;
    if (view.field(cntl.VTE_VPORT_PROVOKE_DISABLE) != 0 && exports.viewport)
        unimplemented("PA_CL_CLIP_CNTL.VTE_VPORT_PROVOKE_DISABLE");
    const uint8_t planes = bits_from(view, cntl.UCP_ENA_0, 6);
    if (planes != 0 && view.field(cntl.PS_UCP_MODE) != 0)
        unimplemented("PA_CL_CLIP_CNTL.PS_UCP_MODE " +
                      std::to_string(view.field(cntl.PS_UCP_MODE)));
    (view.field(cntl.UCP_CULL_ONLY_ENA) != 0 ? clip.cull_planes : clip.planes) = planes;
    for (uint32_t n = 0; n < clip.plane.size(); ++n)
        for (uint32_t c = 0; c < 4; ++c)
            clip.plane[n][c] = as_float(view(map.PA_CL_UCP_0_X + 16 * n + 4 * c));
    clip.distances = bits_from(view, map.PA_CL_VS_OUT_CNTL.CLIP_DIST_ENA_0, 8);
    clip.cull_distances = bits_from(view, map.PA_CL_VS_OUT_CNTL.CULL_DIST_ENA_0, 8);
    if (clip.enabled) {
        check_distances(exports, clip.distances, "CLIP_DIST_ENA_");
        check_distances(exports, clip.cull_distances, "CULL_DIST_ENA_");
    }
    clip.clip_x = as_float(view(map.PA_CL_GB_HORZ_CLIP_ADJ));
    clip.clip_y = as_float(view(map.PA_CL_GB_VERT_CLIP_ADJ));
    clip.discard_x = as_float(view(map.PA_CL_GB_HORZ_DISC_ADJ));
    clip.discard_y = as_float(view(map.PA_CL_GB_VERT_DISC_ADJ));
    return clip;
}

NanInfState decode_naninf(const RegisterMap& map, const raster::RegisterView& view) {
    const auto& cntl = map.PA_CL_NANINF_CNTL;
    const auto set = [&](const regs::NamedField& field) { return view.field(field) != 0; };
    NanInfState state;
    state.xy = {set(cntl.VS_XY_NAN_TO_INF), set(cntl.VS_XY_INF_RETAIN),
                set(cntl.VTE_XY_INF_DISCARD)};
    state.z = {set(cntl.VS_Z_NAN_TO_INF), set(cntl.VS_Z_INF_RETAIN), set(cntl.VTE_Z_INF_DISCARD)};
    state.w = {set(cntl.VS_W_NAN_TO_INF), set(cntl.VS_W_INF_RETAIN), set(cntl.VTE_W_INF_DISCARD)};
    state.discard_infinite_distance = set(cntl.VS_CLIP_DIST_INF_DISCARD);
    return state;
}

void decode_viewports(const RegisterMap& map, const raster::RegisterView& view, SetupState& s) {
    const auto& vte = map.PA_CL_VTE_CNTL;
    const std::array<bool, 3> scaled{view.field(vte.VPORT_X_SCALE_ENA) != 0,
                                     view.field(vte.VPORT_Y_SCALE_ENA) != 0,
                                     view.field(vte.VPORT_Z_SCALE_ENA) != 0};
    const std::array<bool, 3> moved{view.field(vte.VPORT_X_OFFSET_ENA) != 0,
                                    view.field(vte.VPORT_Y_OFFSET_ENA) != 0,
                                    view.field(vte.VPORT_Z_OFFSET_ENA) != 0};
    for (uint32_t n = 0; n < s.viewport.size(); ++n)
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t scale = map.PA_CL_VPORT_XSCALE + 24 * n + 8 * c;
            if (scaled[c])
                s.viewport[n].scale[c] = as_float(view(scale));
            if (moved[c])
                s.viewport[n].offset[c] = as_float(view(scale + 4));
        }
    s.xy_divided = view.field(vte.VTX_XY_FMT) != 0;
    s.z_divided = view.field(vte.VTX_Z_FMT) != 0;
    s.w_inverted = view.field(vte.VTX_W0_FMT) == 0;
    if (view.field(map.PA_SU_SC_MODE_CNTL.VTX_WINDOW_OFFSET_ENABLE) != 0) {
        s.window_x = static_cast<int16_t>(view.field(map.PA_SC_WINDOW_OFFSET.WINDOW_X_OFFSET));
        s.window_y = static_cast<int16_t>(view.field(map.PA_SC_WINDOW_OFFSET.WINDOW_Y_OFFSET));
    }
}

// QUANT_MODE 0 to 4 are steps of 1/16 to 1 pixel in the range of 16.8; 5 to 7 are 16.8, 14.10 and
// 12.12.
SnapState decode_snap(const RegisterMap& map, const raster::RegisterView& view) {
    static constexpr int32_t kStep[8] = {256, 512, 1024, 2048, 4096, 16, 4, 1};
    static constexpr int32_t kRange[8] = {32768, 32768, 32768, 32768, 32768, 32768, 8192, 2048};
    const auto& cntl = map.PA_SU_VTX_CNTL;
    const auto& screen = map.PA_SU_HARDWARE_SCREEN_OFFSET;
    const uint32_t quant = view.field(cntl.QUANT_MODE);
    SnapState snap;
    snap.round = static_cast<SnapState::Round>(view.field(cntl.ROUND_MODE));
    snap.step = kStep[quant];
    snap.units = double(kPixel) / kStep[quant];
    snap.range = kRange[quant] * kPixel;
    snap.origin_x = static_cast<int32_t>(16 * view.field(screen.HW_SCREEN_OFFSET_X));
    snap.origin_y = static_cast<int32_t>(16 * view.field(screen.HW_SCREEN_OFFSET_Y));
    snap.centre = view.field(cntl.PIX_CENTER) != 0 ? 0 : kPixel / 2;
    return snap;
}

SetupState::PolygonMode polygon_mode(uint32_t value, const char* field) {
    if (value > 2)
        bad("PA_SU_SC_MODE_CNTL." + std::string(field) + " has the reserved value " +
            std::to_string(value));
    return static_cast<SetupState::PolygonMode>(value);
}

void decode_polygons(const RegisterMap& map, const raster::RegisterView& view, SetupState& s) {
    const auto& mode = map.PA_SU_SC_MODE_CNTL;
    s.cull_front = view.field(mode.CULL_FRONT) != 0;
    s.cull_back = view.field(mode.CULL_BACK) != 0;
    s.positive_front = view.field(mode.FACE) != 0;
    s.provoking_last = view.field(mode.PROVOKING_VTX_LAST) != 0;
    s.flat_perspective = view.field(mode.PERSP_CORR_DIS) != 0;
    const uint32_t poly_mode = view.field(mode.POLY_MODE);
    if (poly_mode > 1)
        bad("PA_SU_SC_MODE_CNTL.POLY_MODE has the reserved value " + std::to_string(poly_mode));
    if (poly_mode == 1) {
        s.front_mode = polygon_mode(view.field(mode.POLYMODE_FRONT_PTYPE), "POLYMODE_FRONT_PTYPE");
        s.back_mode = polygon_mode(view.field(mode.POLYMODE_BACK_PTYPE), "POLYMODE_BACK_PTYPE");
    }
    s.front_offset = {view.field(mode.POLY_OFFSET_FRONT_ENABLE) != 0,
                      as_float(view(map.PA_SU_POLY_OFFSET_FRONT_SCALE)),
                      as_float(view(map.PA_SU_POLY_OFFSET_FRONT_OFFSET))};
    s.back_offset = {view.field(mode.POLY_OFFSET_BACK_ENABLE) != 0,
                     as_float(view(map.PA_SU_POLY_OFFSET_BACK_SCALE)),
                     as_float(view(map.PA_SU_POLY_OFFSET_BACK_OFFSET))};
    s.line_offset = s.front_offset;
    s.line_offset.enabled = view.field(mode.POLY_OFFSET_PARA_ENABLE) != 0;
    const auto& format = map.PA_SU_POLY_OFFSET_DB_FMT_CNTL;
    s.offset_clamp = as_float(view(map.PA_SU_POLY_OFFSET_CLAMP));
    const auto exponent = static_cast<int>(view.field(format.POLY_OFFSET_NEG_NUM_DB_BITS));
    s.offset_exponent = exponent < 128 ? exponent : exponent - 256;
    s.float_depth = view.field(format.POLY_OFFSET_DB_IS_FLOAT_FMT) != 0;
}

void decode_points_and_lines(const RegisterMap& map, const raster::RegisterView& view,
                             SetupState& s) {
    const auto size = [&](const regs::NamedField& field) {
        return static_cast<int32_t>(view.field(field)) * kSixteenth;
    };
    s.point_half_x = size(map.PA_SU_POINT_SIZE.WIDTH);
    s.point_half_y = size(map.PA_SU_POINT_SIZE.HEIGHT);
    s.point_half_min = size(map.PA_SU_POINT_MINMAX.MIN_SIZE);
    s.point_half_max = size(map.PA_SU_POINT_MINMAX.MAX_SIZE);
    s.line_half_width = size(map.PA_SU_LINE_CNTL.WIDTH);
    const auto& line = map.PA_SC_LINE_CNTL;
    s.expand_lines = view.field(line.EXPAND_LINE_WIDTH) != 0;
    s.perpendicular_ends = view.field(line.PERPENDICULAR_ENDCAP_ENA) != 0;
    s.last_pixel = view.field(line.LAST_PIXEL) != 0;
    s.diamond_test = view.field(line.DX10_DIAMOND_TEST_ENA) != 0;
    s.stipple = view.field(map.PA_SC_MODE_CNTL_0.LINE_STIPPLE_ENABLE) != 0;
    const uint32_t reset = view.field(map.PA_SC_LINE_STIPPLE.AUTO_RESET_CNTL);
    if (s.stipple && reset > 2)
        bad("PA_SC_LINE_STIPPLE.AUTO_RESET_CNTL has the reserved value 3");
    s.stipple_reset = static_cast<SetupState::StippleReset>(reset);
}

}  // namespace

SetupState decode(const RegisterMap& map, const raster::RegisterView& view) {
    SetupState s;
    s.clip.kill = view.field(map.PA_CL_CLIP_CNTL.DX_RASTERIZATION_KILL) != 0;
    if (s.clip.kill)
        return s;  // nothing else is used
    s.exports = decode_exports(map, view);
    s.clip = decode_clip(map, view, s.exports);
    s.naninf = decode_naninf(map, view);
    decode_viewports(map, view, s);
    s.snap = decode_snap(map, view);
    decode_polygons(map, view, s);
    decode_points_and_lines(map, view, s);
    s.owners = raster::TileOwners(map.PA_SC_RASTER_CONFIG, view(map.PA_SC_RASTER_CONFIG));
    return s;
}

}  // namespace archipelago::pa
