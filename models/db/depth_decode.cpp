// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/common/error.h"
#include "models/db/depth_state.h"
#include "models/db/depth_value.h"
#include "models/raster/lane_floats.h"

namespace archipelago::db {
namespace {

using raster::ExportFormat;
using raster::RegisterView;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
    throw MachineStop(StopKind::BadInput, "db: " + where, why);
}

float ordered(uint32_t bits, float otherwise) {
    const float value = raster::float_of(bits);
    return std::isnan(value) ? otherwise : value;
}

// ---- tests --------------------------------------------------------------------------------------

void set_up_tables(StencilFace& f) {
    for (unsigned outcome = 0; outcome < kOutcomes; ++outcome)
        for (unsigned s = 0; s < 256; ++s) {
            const auto stored = static_cast<uint8_t>(s);
            const uint8_t result = stencil_result(f.op[outcome], stored, f.test, f.operand);
            f.after[outcome][s] =
                static_cast<uint8_t>((result & f.write_mask) | (stored & ~f.write_mask));
        }
}

void decode_stencil(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    const auto& control = m.DB_STENCIL_CONTROL;
    const auto op = [&](const regs::NamedField& field) {
        return static_cast<StencilOp>(r.field(field));
    };
    const auto byte = [&](const regs::NamedField& field) {
        return static_cast<uint8_t>(r.field(field));
    };
    StencilFace& front = s.face[0];
    front.func = static_cast<Compare>(r.field(m.DB_DEPTH_CONTROL.STENCILFUNC));
    front.op = {op(control.STENCILFAIL), op(control.STENCILZFAIL), op(control.STENCILZPASS)};
    front.test = byte(m.DB_STENCILREFMASK.STENCILTESTVAL);
    front.mask = byte(m.DB_STENCILREFMASK.STENCILMASK);
    front.write_mask = byte(m.DB_STENCILREFMASK.STENCILWRITEMASK);
    front.operand = byte(m.DB_STENCILREFMASK.STENCILOPVAL);
    StencilFace& back = s.face[1];
    back.func = static_cast<Compare>(r.field(m.DB_DEPTH_CONTROL.STENCILFUNC_BF));
    back.op = {op(control.STENCILFAIL_BF), op(control.STENCILZFAIL_BF),
               op(control.STENCILZPASS_BF)};
    back.test = byte(m.DB_STENCILREFMASK_BF.STENCILTESTVAL_BF);
    back.mask = byte(m.DB_STENCILREFMASK_BF.STENCILMASK_BF);
    back.write_mask = byte(m.DB_STENCILREFMASK_BF.STENCILWRITEMASK_BF);
    back.operand = byte(m.DB_STENCILREFMASK_BF.STENCILOPVAL_BF);
    if (!s.two_sided)
        back = front;
    s.clears_stencil = r.field(m.DB_RENDER_CONTROL.STENCIL_CLEAR_ENABLE) != 0;
    for (StencilFace& face : s.face) {
        if (r.field(m.DB_DEPTH_VIEW.STENCIL_READ_ONLY) != 0)
            face.write_mask = 0;
        if (s.clears_stencil)
            for (StencilOp& o : face.op)
                o = o == StencilOp::Keep ? o : StencilOp::ReplaceTest;
        set_up_tables(face);
        if (s.clears_stencil)
            for (auto& table : face.after)
                for (unsigned v = 0; v < 256; ++v)
                    table[v] = static_cast<uint8_t>((s.stencil_clear & face.write_mask) |
                                                    (v & ~unsigned{face.write_mask}));
        for (const Outcome o : {Outcome::StencilFail, Outcome::DepthFail, Outcome::Pass})
            s.writes_stencil |= s.tests.stencil && face.writes(o);
    }
}

void decode_tests(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    const auto& control = m.DB_DEPTH_CONTROL;
    const bool has_z = s.format != DepthFormat::None;
    s.tests.depth = has_z && r.field(control.Z_ENABLE) != 0;
    s.tests.bounds = has_z && r.field(control.DEPTH_BOUNDS_ENABLE) != 0;
    s.tests.stencil =
        r.field(m.DB_STENCIL_INFO.FORMAT) != 0 && r.field(control.STENCIL_ENABLE) != 0;
    s.z_func = static_cast<Compare>(r.field(control.ZFUNC));
    s.writes_z = s.tests.depth && r.field(control.Z_WRITE_ENABLE) != 0 &&
                 r.field(m.DB_DEPTH_VIEW.Z_READ_ONLY) == 0 && s.z_func != Compare::Never;
    s.bounds_min = raster::float_of(r(m.DB_DEPTH_BOUNDS_MIN));
    s.bounds_max = raster::float_of(r(m.DB_DEPTH_BOUNDS_MAX));
    s.two_sided = r.field(control.BACKFACE_ENABLE) != 0;
    s.colour_on_pass = r.field(control.DISABLE_COLOR_WRITES_ON_DEPTH_PASS) == 0;
    s.colour_on_fail = r.field(control.ENABLE_COLOR_WRITES_ON_DEPTH_FAIL) != 0;
    s.clamps_z = r.field(m.DB_RENDER_OVERRIDE.DISABLE_VIEWPORT_CLAMP) == 0;
    for (unsigned i = 0; i < s.viewport.size(); ++i)
        s.viewport[i] = {ordered(r(m.PA_SC_VPORT_ZMIN[i]), 0),
                         ordered(r(m.PA_SC_VPORT_ZMAX[i]), 1)};
    decode_stencil(s, m, r);
}

// ---- buffers ------------------------------------------------------------------------------------

uint64_t base_of(const RegisterView& r, const regs::NamedRegister& read,
                 const regs::NamedRegister& write, const char* name) {
    if (r(read) != r(write))
        throw MachineStop(StopKind::Unimplemented, std::string("db: ") + name,
                          "reads and writes go to different buffers");
    return uint64_t{r(write)} << 8;
}

// The mode that Z has; stencil has its tile split from an entry of its own.
surface::TileMode tile_mode(const surface::TilingRegisters& tiling, uint32_t index) {
    const surface::TileMode& mode = tiling.modes[index];
    if (mode.micro != surface::MicroTileMode::Depth || surface::is_linear(mode.array) ||
        surface::thickness(mode.array) != 1)
        refuse("DB_Z_INFO.TILE_MODE_INDEX", "GB_TILE_MODE" + std::to_string(index) + " is " +
                                                surface::name_of(mode.array) +
                                                ", expected a thin tiled mode for depth");
    return mode;
}

void set_up_level(surface::SurfaceLevel& level, const surface::LevelLayout& layout,
                  const surface::TilingRegisters& tiling, const char* name) {
    std::string error;
    if (!level.set_up(layout, tiling.address, error))
        refuse(name, error);
}

void decode_planes(DepthState& s, const RegisterMap& m, const surface::TilingRegisters& tiling,
                   const RegisterView& r) {
    surface::LevelLayout l;
    l.mode = tile_mode(tiling, r.field(m.DB_Z_INFO.TILE_MODE_INDEX));
    l.samples = 1u << s.log2_samples;
    l.pitch = s.width;
    const uint64_t slice = (uint64_t{r.field(m.DB_DEPTH_SLICE.SLICE_TILE_MAX)} + 1) * 64;
    if (slice % s.width != 0 || slice / s.width < s.height)
        refuse("DB_DEPTH_SLICE", std::to_string(slice) + " pixels are no slice of " +
                                     std::to_string(s.width) + " x " + std::to_string(s.height) +
                                     " (DB_DEPTH_SIZE)");
    l.height = static_cast<uint32_t>(slice / s.width);
    l.slices = s.last_slice + 1u;
    if (s.uses_z) {
        l.bits = 8 * bytes_of(s.format);
        l.base = base_of(r, m.DB_Z_READ_BASE, m.DB_Z_WRITE_BASE, "DB_Z_READ_BASE");
        set_up_level(s.z, l, tiling, "DB_Z_INFO");
    }
    if (s.uses_stencil) {
        const uint32_t index = r.field(m.DB_STENCIL_INFO.TILE_MODE_INDEX);
        l.mode.tile_split = tiling.modes[index].tile_split;
        l.bits = 8;
        l.base =
            base_of(r, m.DB_STENCIL_READ_BASE, m.DB_STENCIL_WRITE_BASE, "DB_STENCIL_READ_BASE");
        set_up_level(s.stencil, l, tiling, "DB_STENCIL_INFO");
    }
}

void decode_htile(DepthState& s, const RegisterMap& m, const surface::TilingRegisters& tiling,
                  const RegisterView& r) {
    const bool has_stencil = r.field(m.DB_STENCIL_INFO.FORMAT) != 0;
    s.htile_has_stencil = has_stencil && r.field(m.DB_STENCIL_INFO.TILE_STENCIL_DISABLE) == 0;
    s.range_base_is_max = r.field(m.DB_Z_INFO.ZRANGE_PRECISION) != 0;
    s.htile = r.field(m.DB_Z_INFO.TILE_SURFACE_ENABLE) != 0 &&
              (s.uses_z || (s.uses_stencil && s.htile_has_stencil));
    if (!s.htile)
        return;
    surface::MetadataLayout l;
    l.kind = surface::MetadataKind::Htile;
    l.pipe = tiling.modes[r.field(m.DB_Z_INFO.TILE_MODE_INDEX)].pipe;
    l.linear = r.field(m.DB_HTILE_SURFACE.LINEAR) != 0;
    l.pitch = s.width;
    l.height = s.height;
    l.slices = s.last_slice + 1u;
    l.base = uint64_t{r(m.DB_HTILE_DATA_BASE)} << 8;
    l.pipe_interleave = tiling.address.pipe_interleave;
    std::string error;
    if (!s.htile_surface.set_up(l, error))
        refuse("DB_HTILE_SURFACE", error);
}

void decode_formats(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    s.format = static_cast<DepthFormat>(r.field(m.DB_Z_INFO.FORMAT));
    s.log2_samples = static_cast<uint8_t>(r.field(m.DB_Z_INFO.NUM_SAMPLES));
    s.depth_clear = ordered(r(m.DB_DEPTH_CLEAR), 0);
    s.stencil_clear = static_cast<uint8_t>(r.field(m.DB_STENCIL_CLEAR.CLEAR));
    s.z_clear = stored_depth(s.format, s.depth_clear);
}

// Of those that the state uses.
void set_up_buffers(DepthState& s, const RegisterMap& m, const surface::TilingRegisters& tiling,
                    const RegisterView& r) {
    if (!s.uses_z && !s.uses_stencil)
        return;
    s.width = 8 * (r.field(m.DB_DEPTH_SIZE.PITCH_TILE_MAX) + 1);
    s.height = 8 * (r.field(m.DB_DEPTH_SIZE.HEIGHT_TILE_MAX) + 1);
    s.first_slice = static_cast<uint16_t>(r.field(m.DB_DEPTH_VIEW.SLICE_START));
    s.last_slice = static_cast<uint16_t>(r.field(m.DB_DEPTH_VIEW.SLICE_MAX));
    if (s.last_slice < s.first_slice)
        refuse("DB_DEPTH_VIEW", "SLICE_MAX is before SLICE_START");
    decode_planes(s, m, tiling, r);
    decode_htile(s, m, tiling, r);
}

void decode_buffers(DepthState& s, const RegisterMap& m, const surface::TilingRegisters& tiling,
                    const RegisterView& r) {
    s.uses_z = s.format != DepthFormat::None &&
               (s.tests.depth || s.tests.bounds || s.expands_z || s.resummarizes || s.copies_z);
    const bool has_stencil = r.field(m.DB_STENCIL_INFO.FORMAT) != 0;
    s.uses_stencil = has_stencil && (s.tests.stencil || s.expands_stencil || s.copies_stencil);
    set_up_buffers(s, m, tiling, r);
}

// ---- passes of drivers --------------------------------------------------------------------------

void decode_passes(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    const auto& control = m.DB_RENDER_CONTROL;
    const auto& override2 = m.DB_RENDER_OVERRIDE2;
    s.clears_z = r.field(control.DEPTH_CLEAR_ENABLE) != 0;
    s.clears_stencil = r.field(control.STENCIL_CLEAR_ENABLE) != 0;
    s.keeps_clear_z = s.clears_z && r.field(override2.DISABLE_ZMASK_EXPCLEAR_OPTIMIZATION) == 0;
    s.keeps_clear_stencil =
        s.clears_stencil && r.field(override2.DISABLE_SMEM_EXPCLEAR_OPTIMIZATION) == 0;
    s.expands_z = r.field(control.DEPTH_COMPRESS_DISABLE) != 0;
    s.expands_stencil = r.field(control.STENCIL_COMPRESS_DISABLE) != 0;
    s.resummarizes = r.field(control.RESUMMARIZE_ENABLE) != 0;
    s.copies_z = r.field(control.DEPTH_COPY) != 0;
    s.copies_stencil = r.field(control.STENCIL_COPY) != 0;
    s.copy_sample = static_cast<uint8_t>(r.field(control.COPY_SAMPLE));
    if (!s.copies())
        return;
    if (s.copy_sample >> s.log2_samples != 0)
        refuse("DB_RENDER_CONTROL.COPY_SAMPLE", "sample " + std::to_string(s.copy_sample) +
                                                    " of a buffer with " +
                                                    std::to_string(1u << s.log2_samples));
    const ExportFormat format = raster::export_format_of(r(m.SPI_SHADER_COL_FORMAT), 0);
    if (format != ExportFormat::R32 && format != ExportFormat::Gr32 &&
        format != ExportFormat::Ar32 && format != ExportFormat::Abgr32)
        refuse("SPI_SHADER_COL_FORMAT.COL0_EXPORT_FORMAT",
               "depth and stencil are copied to MRT0 as 32-bit components");
}

// ---- what the shader exports --------------------------------------------------------------------

void decode_depth_exports(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    const auto& control = m.DB_SHADER_CONTROL;
    s.z_export = r.field(control.Z_EXPORT_ENABLE) != 0;
    s.test_export = r.field(control.STENCIL_TEST_VAL_EXPORT_ENABLE) != 0;
    s.operand_export = r.field(control.STENCIL_OP_VAL_EXPORT_ENABLE) != 0;
    s.mask_export = r.field(control.MASK_EXPORT_ENABLE) != 0;
    s.log2_mask_samples =
        static_cast<uint8_t>(std::min(r.field(m.DB_EQAA.MASK_EXPORT_NUM_SAMPLES), 4u));
    if (!s.z_export && !s.test_export && !s.operand_export && !s.mask_export)
        return;
    const uint32_t code = r.field(m.SPI_SHADER_Z_FORMAT.Z_EXPORT_FORMAT);
    s.export_format = static_cast<ExportFormat>(code);
    const auto refuse_export = [&](const char* what) {
        refuse("DB_SHADER_CONTROL", std::string(what) + " has no component in exports of format " +
                                        std::to_string(code) + " (SPI_SHADER_Z_FORMAT)");
    };
    switch (s.export_format) {
        case ExportFormat::Zero:
        case ExportFormat::R32:
        case ExportFormat::Gr32:
        case ExportFormat::Abgr32:
        case ExportFormat::Uint16:
            break;
        default:
            throw MachineStop(
                StopKind::Unimplemented, "db: SPI_SHADER_Z_FORMAT",
                "depth exports of format " + std::to_string(code) + " are not described");
    }
    const bool wide = s.export_format == ExportFormat::Abgr32;
    const bool packed = s.export_format == ExportFormat::Uint16;
    if (s.z_export && (packed || s.export_format == ExportFormat::Zero))
        refuse_export("Z_EXPORT_ENABLE");
    if ((s.test_export || s.operand_export) && !wide && !packed &&
        s.export_format != ExportFormat::Gr32)
        refuse_export("STENCIL_TEST_VAL_EXPORT_ENABLE, STENCIL_OP_VAL_EXPORT_ENABLE");
    if (s.mask_export && !wide && !packed)
        refuse_export("MASK_EXPORT_ENABLE");
}

void decode_alpha_to_mask(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    const auto& control = m.DB_SHADER_CONTROL;
    const auto& alpha = m.DB_ALPHA_TO_MASK;
    AlphaToMask& a = s.alpha_to_mask;
    a.enable = (r.field(alpha.ALPHA_TO_MASK_ENABLE) != 0 ||
                r.field(control.COVERAGE_TO_MASK_ENABLE) != 0) &&
               r.field(control.ALPHA_TO_MASK_DISABLE) == 0;
    if (!a.enable)
        return;
    a.log2_samples =
        static_cast<uint8_t>(std::min(r.field(m.DB_EQAA.ALPHA_TO_MASK_NUM_SAMPLES), 4u));
    a.format = raster::export_format_of(r(m.SPI_SHADER_COL_FORMAT), 0);
    const float round = r.field(alpha.OFFSET_ROUND) != 0 ? 0.125f : 0;
    const regs::NamedField* const offsets[4] = {
        &alpha.ALPHA_TO_MASK_OFFSET0, &alpha.ALPHA_TO_MASK_OFFSET1, &alpha.ALPHA_TO_MASK_OFFSET2,
        &alpha.ALPHA_TO_MASK_OFFSET3};
    for (unsigned i = 0; i < 4; ++i)
        a.threshold[i] = static_cast<float>(r.field(*offsets[i])) / 4 + round;
}

// ---- order --------------------------------------------------------------------------------------

bool is_monotonic(Compare func) {
    return func != Compare::NotEqual;
}

// Which tests before the shader stay true while writes of the same draw are still to come: those of
// z move stored z in one direction only.
TestSet stable_tests(const DepthState& s) {
    return {s.tests.bounds && !s.writes_z, s.tests.stencil && !s.writes_stencil,
            s.tests.depth && !s.z_export && (!s.writes_z || is_monotonic(s.z_func)) &&
                !(s.tests.stencil && s.writes_stencil)};
}

void decode_order(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    const auto& control = m.DB_SHADER_CONTROL;
    const bool exports = s.z_export || s.test_export || s.operand_export || s.mask_export;
    const bool takes_away = s.kills || s.alpha_to_mask.enable;
    const bool writes = s.writes_z || s.writes_stencil;
    const bool selects_colour = s.colour_on_fail || !s.colour_on_pass;
    const bool early = !exports && !(takes_away && (writes || selects_colour));
    s.early_tests = stable_tests(s);
    const bool re_z = !exports && !selects_colour && s.early_tests.any() &&
                      !(s.z_func == Compare::NotEqual && s.writes_z);
    const bool forced = r.field(control.DEPTH_BEFORE_SHADER) != 0;
    const uint32_t wanted = r.field(control.Z_ORDER);
    const bool wants_early = (wanted & 1) != 0, wants_re_z = (wanted & 2) != 0;
    if (forced || (wants_early && early))
        s.order = Order::Early;
    else
        s.order = wants_re_z && re_z ? Order::ReZ : Order::Late;
    if (forced)
        s.z_export = s.test_export = s.operand_export = false;
    s.counts_late = s.order != Order::Early || (!forced && takes_away);
}

void decode_hierarchical(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    constexpr uint32_t kForceEnable = 1, kForceDisable = 2;
    const auto& override1 = m.DB_RENDER_OVERRIDE;
    const auto& override2 = m.DB_RENDER_OVERRIDE2;
    const uint32_t exported = r.field(m.DB_SHADER_CONTROL.CONSERVATIVE_Z_EXPORT);
    HierarchicalTest& h = s.hierarchical;
    const bool possible = s.htile && s.uses_z && !s.clears_z && !s.expands_z &&
                          !s.expands_stencil && !s.resummarizes && !s.copies() && !s.colour_on_fail;
    // A tile that fails must leave stencil as it is.
    bool stencil_stays = true;
    for (const StencilFace& face : s.face)
        stencil_stays &= !s.tests.stencil ||
                         (!face.writes(Outcome::StencilFail) && !face.writes(Outcome::DepthFail));
    h.bounds =
        possible && s.tests.bounds && r.field(override2.DEPTH_BOUNDS_HIER_DEPTH_DISABLE) == 0;
    h.func = r.field(override2.SEPARATE_HIZS_FUNC_ENABLE) != 0
                 ? static_cast<Compare>(r.field(override2.HIZ_ZFUNC))
                 : s.z_func;
    h.depth = possible && s.tests.depth && stencil_stays && h.func != Compare::Always &&
              h.func != Compare::NotEqual && r.field(override1.FORCE_HIZ_ENABLE) != kForceDisable &&
              r.field(override1.FORCE_FULL_Z_RANGE) != kForceEnable &&
              r.field(override1.IGNORE_SC_ZRANGE) == 0;
    h.from_below = !s.z_export || exported == 2;
    h.from_above = !s.z_export || exported == 1;
}

void decode_culling(DepthState& s, const RegisterMap& m, const RegisterView& r) {
    const auto& control = m.DB_SHADER_CONTROL;
    const auto& count = m.DB_COUNT_CONTROL;
    s.shades_failed_tiles = r.field(control.EXEC_ON_HIER_FAIL) != 0;
    s.counts = r.field(count.ZPASS_INCREMENT_DISABLE) == 0;
    s.log2_counted = static_cast<uint8_t>(std::min(r.field(count.SAMPLE_RATE), 4u));
    s.colour_off = r.field(m.DB_RENDER_OVERRIDE.FORCE_COLOR_KILL) != 0;
    const bool colour = !s.colour_off && r.field(m.CB_COLOR_CONTROL.MODE) != 0 &&
                        (r(m.CB_TARGET_MASK) & r(m.CB_SHADER_MASK)) != 0;
    s.drops_all = s.order == Order::Early && !colour && !s.copies() &&
                  !(s.counts && s.counts_late) && r.field(control.EXEC_ON_NOOP) == 0 &&
                  r.field(m.DB_RENDER_OVERRIDE.NOOP_CULL_DISABLE) == 0;
}

}  // namespace

uint8_t stencil_result(StencilOp op, uint8_t stored, uint8_t test, uint8_t operand) {
    const unsigned s = stored, v = operand;
    switch (op) {
        case StencilOp::Keep:
            return stored;
        case StencilOp::Zero:
            return 0;
        case StencilOp::Ones:
            return 0xFF;
        case StencilOp::ReplaceTest:
            return test;
        case StencilOp::ReplaceOp:
            return operand;
        case StencilOp::AddClamp:
            return static_cast<uint8_t>(std::min(255u, s + v));
        case StencilOp::SubClamp:
            return static_cast<uint8_t>(s > v ? s - v : 0);
        case StencilOp::Invert:
            return static_cast<uint8_t>(~s);
        case StencilOp::AddWrap:
            return static_cast<uint8_t>(s + v);
        case StencilOp::SubWrap:
            return static_cast<uint8_t>(s - v);
        case StencilOp::And:
            return static_cast<uint8_t>(s & v);
        case StencilOp::Or:
            return static_cast<uint8_t>(s | v);
        case StencilOp::Xor:
            return static_cast<uint8_t>(s ^ v);
        case StencilOp::Nand:
            return static_cast<uint8_t>(~(s & v));
        case StencilOp::Nor:
            return static_cast<uint8_t>(~(s | v));
        case StencilOp::Xnor:
            return static_cast<uint8_t>(~(s ^ v));
    }
    return stored;
}

DepthState describe_buffers(const RegisterMap& map, const surface::TilingRegisters& tiling,
                            const RegisterView& registers) {
    DepthState s;
    decode_formats(s, map, registers);
    s.uses_z = s.format != DepthFormat::None;
    s.uses_stencil = registers.field(map.DB_STENCIL_INFO.FORMAT) != 0;
    set_up_buffers(s, map, tiling, registers);
    return s;
}

DepthState decode(const RegisterMap& map, const surface::TilingRegisters& tiling,
                  const RegisterView& registers) {
    DepthState s;
    decode_formats(s, map, registers);
    s.positions = raster::decode_sample_positions(map.samples, registers);
    decode_passes(s, map, registers);
    decode_tests(s, map, registers);
    decode_buffers(s, map, tiling, registers);
    decode_depth_exports(s, map, registers);
    decode_alpha_to_mask(s, map, registers);
    s.kills = registers.field(map.DB_SHADER_CONTROL.KILL_ENABLE) != 0 &&
              (registers(map.SPI_SHADER_Z_FORMAT) | registers(map.SPI_SHADER_COL_FORMAT)) != 0;
    decode_order(s, map, registers);
    decode_hierarchical(s, map, registers);
    decode_culling(s, map, registers);
    return s;
}

}  // namespace archipelago::db
