// SPDX-License-Identifier: Apache-2.0
// The registers of a context as the depth block acts on them.
#pragma once

#include <array>
#include <cstdint>

#include "models/db/register_map.h"
#include "models/mc/surface/metadata.h"
#include "models/mc/surface/surface.h"
#include "models/raster/export_format.h"
#include "models/raster/register_sets.h"
#include "models/raster/sample_positions.h"

namespace archipelago::db {

constexpr unsigned kMaxSamples = 8;  // of a pixel in memory

// The enumerations have the codes of the registers.
enum class DepthFormat : uint8_t { None, Z16, Z24, Z32Float };
enum class Compare : uint8_t {
    Never,
    Less,  // passes if new < stored
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always
};
enum class StencilOp : uint8_t {
    Keep,
    Zero,
    Ones,
    ReplaceTest,
    ReplaceOp,
    AddClamp,
    SubClamp,
    Invert,
    AddWrap,
    SubWrap,
    And,
    Or,
    Xor,
    Nand,
    Nor,
    Xnor
};

// The result of an operation on stored stencil, without the write mask.
uint8_t stencil_result(StencilOp op, uint8_t stored, uint8_t test, uint8_t operand);

// When depth and stencil are tested and written.
enum class Order : uint8_t {
    Early,  // before the shader
    Late,   // after it
    ReZ,    // tested before the shader, tested again and written after it
};

// What the tests of a sample may end in, by which the stencil operation is chosen.
enum class Outcome : uint8_t { StencilFail, DepthFail, Pass };
constexpr unsigned kOutcomes = 3;

struct StencilFace {
    Compare func = Compare::Always;
    std::array<StencilOp, kOutcomes> op{};  // by Outcome
    uint8_t test = 0, mask = 0, write_mask = 0, operand = 0;
    // Stored stencil after each outcome, the write mask applied; for values that no shader exports.
    std::array<std::array<uint8_t, 256>, kOutcomes> after{};

    bool writes(Outcome outcome) const {
        return write_mask != 0 && op[static_cast<unsigned>(outcome)] != StencilOp::Keep;
    }
};

// Z range of a viewport. Finite or infinite, not NaN.
struct DepthRange {
    float min = 0, max = 1;
};

// Which of its tests a batch undergoes.
struct TestSet {
    bool bounds = false, stencil = false, depth = false;
    bool any() const { return bounds || stencil || depth; }
};

// A test of whole tiles by the range of their stored z.
struct HierarchicalTest {
    bool depth = false, bounds = false;
    Compare func = Compare::Always;
    // Whether the interpolated z bounds that of the primitive: exported z may be on one side.
    bool from_below = true, from_above = true;
};

// DB_ALPHA_TO_MASK. Sample k of n is kept when alpha * n > k + threshold.
struct AlphaToMask {
    bool enable = false;
    uint8_t log2_samples = 0;
    raster::ExportFormat format = raster::ExportFormat::Zero;  // of MRT0
    std::array<float, 4> threshold{};                          // by pixel of the quad
};

struct DepthState {
    // ---- buffers; set up only when the state uses them -----------------------------------------
    bool uses_z = false, uses_stencil = false;
    DepthFormat format = DepthFormat::None;
    uint8_t log2_samples = 0;        // in memory
    uint32_t width = 0, height = 0;  // pixels, padded to tiles
    uint16_t first_slice = 0, last_slice = 0;
    surface::SurfaceLevel z, stencil;
    uint32_t z_clear = 0;   // as stored: DB_DEPTH_CLEAR
    float depth_clear = 0;  // of the register
    uint8_t stencil_clear = 0;
    // HTILE; the layout with stencil has a state of the tile's stencil beside that of its z.
    bool htile = false, htile_has_stencil = false;
    bool range_base_is_max = false;  // DB_Z_INFO.ZRANGE_PRECISION
    surface::MetadataSurface htile_surface;

    // ---- tests ---------------------------------------------------------------------------------
    TestSet tests;
    bool writes_z = false, writes_stencil = false;
    Compare z_func = Compare::Always;
    double bounds_min = 0, bounds_max = 1;
    bool two_sided = false;
    std::array<StencilFace, 2> face;  // front, back
    bool clamps_z = true;
    std::array<DepthRange, 16> viewport{};
    raster::SamplePositions positions;
    bool colour_on_pass = true, colour_on_fail = false;

    // ---- order ---------------------------------------------------------------------------------
    Order order = Order::Early;
    TestSet early_tests;  // Order::ReZ: those that later writes cannot turn round
    HierarchicalTest hierarchical;
    bool shades_failed_tiles = false;  // EXEC_ON_HIER_FAIL
    bool drops_all = false;            // nothing is left to be done after the early tests
    bool counts = false;               // ZPASS
    bool counts_late = false;          // the shader may still take samples away
    uint8_t log2_counted = 0;          // samples of a pixel that count, at most

    // ---- what the shader exports ---------------------------------------------------------------
    bool kills = false;
    bool z_export = false, test_export = false, operand_export = false, mask_export = false;
    raster::ExportFormat export_format = raster::ExportFormat::Zero;  // of MRTZ
    uint8_t log2_mask_samples = 0;
    AlphaToMask alpha_to_mask;
    bool colour_off = false;  // FORCE_COLOR_KILL

    // ---- passes of drivers ---------------------------------------------------------------------
    bool clears_z = false, clears_stencil = false;            // DB_DEPTH_CLEAR replaces z
    bool keeps_clear_z = false, keeps_clear_stencil = false;  // whole tiles as "cleared" in HTILE
    bool expands_z = false, expands_stencil = false;          // decompress in place
    bool resummarizes = false;
    bool copies_z = false, copies_stencil = false;  // to MRT0
    uint8_t copy_sample = 0;

    bool copies() const { return copies_z || copies_stencil; }
    const StencilFace& face_of(bool back) const { return face[two_sided && back ? 1 : 0]; }
};

// Throws MachineStop: BadInput for what the registers may not hold, Unimplemented by name.
DepthState decode(const RegisterMap& map, const surface::TilingRegisters& tiling,
                  const raster::RegisterView& registers);

// The buffers as their registers describe them, whether or not the state uses them: `uses_z` and
// `uses_stencil` say which there are. Throws as decode().
DepthState describe_buffers(const RegisterMap& map, const surface::TilingRegisters& tiling,
                            const raster::RegisterView& registers);

// Decoded contexts, made anew when registers or the tile table have changed.
class DepthStates {
  public:
    DepthStates(const RegisterMap& map, const surface::TilingRegisters& tiling)
        : map_(map), tiling_(tiling) {}
    const DepthState& get(const raster::RegisterSets& sets, unsigned context) {
        if (tiling_changes_ != tiling_.changes) {
            decoded_.forget();
            tiling_changes_ = tiling_.changes;
        }
        return decoded_.get(sets, context, [this](const raster::RegisterView& registers) {
            return decode(map_, tiling_, registers);
        });
    }

    void forget() { decoded_.forget(); }

  private:
    const RegisterMap& map_;
    const surface::TilingRegisters& tiling_;
    uint32_t tiling_changes_ = 0;
    raster::DecodedSets<DepthState> decoded_;
};

}  // namespace archipelago::db
