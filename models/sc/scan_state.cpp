// SPDX-License-Identifier: Apache-2.0
#include "models/sc/scan_state.h"

#include "models/common/error.h"

namespace archipelago::sc {
namespace {

using raster::RegisterView;

// Pixels are numbered in 16 bits, and the largest scissor ends at 32767.
constexpr PixelRect kWindow = {0, 0, 1 << 15, 1 << 15};

int32_t signed16(uint32_t value) {
    return static_cast<int16_t>(value);
}

PixelRect read(const RegisterView& r, const RectangleRegisters& of) {
    return {static_cast<int32_t>(r.field(of.TL_X)), static_cast<int32_t>(r.field(of.TL_Y)),
            static_cast<int32_t>(r.field(of.BR_X)), static_cast<int32_t>(r.field(of.BR_Y))};
}

// The screen scissor alone has 16 bits a coordinate, and signed ones.
PixelRect read_screen(const RegisterView& r, const RectangleRegisters& of) {
    return {signed16(r.field(of.TL_X)), signed16(r.field(of.TL_Y)), signed16(r.field(of.BR_X)),
            signed16(r.field(of.BR_Y))};
}

PixelRect read_with_offset(const RegisterMap& map, const RegisterView& r,
                           const RectangleRegisters& of) {
    PixelRect rect = read(r, of);
    if (r.field(of.WINDOW_OFFSET_DISABLE) != 0)
        return rect;
    const int32_t x = signed16(r.field(map.PA_SC_WINDOW_OFFSET.WINDOW_X_OFFSET));
    const int32_t y = signed16(r.field(map.PA_SC_WINDOW_OFFSET.WINDOW_Y_OFFSET));
    return {rect.x0 + x, rect.y0 + y, rect.x1 + x, rect.y1 + y};
}

void decode_scissors(const RegisterMap& map, const RegisterView& r, ScanState& s) {
    const PixelRect common = kWindow.cut(read_screen(r, map.PA_SC_SCREEN_SCISSOR))
                                 .cut(read_with_offset(map, r, map.PA_SC_WINDOW_SCISSOR))
                                 .cut(read_with_offset(map, r, map.PA_SC_GENERIC_SCISSOR));
    const bool by_viewport = r.field(map.PA_SC_MODE_CNTL_0.VPORT_SCISSOR_ENABLE) != 0;
    for (size_t i = 0; i < s.scissor.size(); ++i)
        s.scissor[i] =
            by_viewport ? common.cut(read_with_offset(map, r, map.PA_SC_VPORT_SCISSOR[i])) : common;
    s.clip_rule = static_cast<uint16_t>(r.field(map.PA_SC_CLIPRECT_RULE.CLIP_RULE));
    for (size_t i = 0; i < s.clip_rect.size(); ++i)
        s.clip_rect[i] = read(r, map.PA_SC_CLIPRECT[i]);
}

EdgeRule rule(uint32_t bits) {
    return {(bits & 8) != 0, (bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0};
}

void decode_edge_rules(const RegisterMap& map, const RegisterView& r, ScanState& s) {
    const auto& reg = map.PA_SC_EDGERULE;
    s.triangle = rule(r.field(reg.ER_TRI));
    s.point = rule(r.field(reg.ER_POINT));
    s.rectangle = rule(r.field(reg.ER_RECT));
    s.line_right = rule(r.field(reg.ER_LINE_LR));
    s.line_left = rule(r.field(reg.ER_LINE_RL));
    s.line_down = rule(r.field(reg.ER_LINE_TB));
    s.line_up = rule(r.field(reg.ER_LINE_BT));
}

void decode_stipple(const RegisterMap& map, const RegisterView& r, LineStipple& stipple) {
    const auto& reg = map.PA_SC_LINE_STIPPLE;
    stipple.enabled = r.field(map.PA_SC_MODE_CNTL_0.LINE_STIPPLE_ENABLE) != 0;
    const uint32_t pattern = r.field(reg.LINE_PATTERN);
    const bool high_bit_first = r.field(reg.PATTERN_BIT_ORDER) != 0;
    stipple.pattern = 0;
    for (unsigned i = 0; i < 16; ++i)
        stipple.pattern |= (pattern >> (high_bit_first ? 15 - i : i) & 1) << i;
    stipple.repeat = static_cast<uint16_t>(r.field(reg.REPEAT_COUNT) + 1);
}

void decode_samples(const RegisterMap& map, const RegisterView& r, ScanState& s) {
    s.samples = raster::decode_sample_positions(map.samples, r);
    if (s.samples.apart) {
        s.min_x = s.min_y = 7;
        s.max_x = s.max_y = -8;
        for (const auto& pixel : s.samples.at)
            for (unsigned i = 0; i < s.samples.count; ++i) {
                s.min_x = std::min(s.min_x, pixel[i].x);
                s.max_x = std::max(s.max_x, pixel[i].x);
                s.min_y = std::min(s.min_y, pixel[i].y);
                s.max_y = std::max(s.max_y, pixel[i].y);
            }
    }
    const std::array<uint32_t, 4> masks = {r.field(map.PA_SC_AA_MASK_X0Y0_X1Y0.AA_MASK_X0Y0),
                                           r.field(map.PA_SC_AA_MASK_X0Y0_X1Y0.AA_MASK_X1Y0),
                                           r.field(map.PA_SC_AA_MASK_X0Y1_X1Y1.AA_MASK_X0Y1),
                                           r.field(map.PA_SC_AA_MASK_X0Y1_X1Y1.AA_MASK_X1Y1)};
    s.aa_mask = 0;
    for (unsigned pixel = 0; pixel < 4; ++pixel)
        s.aa_mask |= uint64_t{masks[pixel] & s.samples.all()} << 16 * pixel;
}

}  // namespace

const EdgeRule& ScanState::edge_rule(const raster::Primitive& primitive) const {
    switch (primitive.shape) {
        case raster::Primitive::Shape::Rectangle:
            return rectangle;
        case raster::Primitive::Shape::Point:
            return point;
        case raster::Primitive::Shape::Line:
            if (primitive.x_major)
                return primitive.descending ? line_left : line_right;
            return primitive.descending ? line_up : line_down;
        case raster::Primitive::Shape::Triangle:
            break;
    }
    return triangle;
}

ScanState decode_scan_state(const RegisterMap& map, const RegisterView& registers,
                            const std::array<uint32_t, kMaxEngines>& raster_config,
                            RenderBackEnds rbs) {
    const auto& mode = map.PA_SC_MODE_CNTL_1;
    if (registers.field(mode.MULTI_GPU_SUPERTILE_ENABLE) != 0)
        throw MachineStop(
            StopKind::Unimplemented, "sc",
            "PA_SC_MODE_CNTL_1.MULTI_GPU_SUPERTILE_ENABLE: supertiles of other chips");
    ScanState s;
    decode_samples(map, registers, s);
    decode_scissors(map, registers, s);
    decode_edge_rules(map, registers, s);
    decode_stipple(map, registers, s.stipple);
    s.kills_all = registers.field(mode.KILL_PIX_POST_HI_Z) != 0 ||
                  registers.field(mode.KILL_PIX_POST_DETAIL_MASK) != 0;
    for (size_t i = 0; i < s.owners.size(); ++i)
        s.owners[i] = raster::TileOwners(map.PA_SC_RASTER_CONFIG, raster_config[i]);
    s.rbs = rbs;
    return s;
}

ScanState decode_scan_state(const RegisterMap& map, const RegisterView& registers,
                            RenderBackEnds rbs) {
    std::array<uint32_t, kMaxEngines> raster_config{};
    raster_config.fill(registers(map.PA_SC_RASTER_CONFIG));
    return decode_scan_state(map, registers, raster_config, rbs);
}

}  // namespace archipelago::sc
