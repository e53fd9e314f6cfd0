// SPDX-License-Identifier: Apache-2.0
// Mip chains: sizes, tile modes and places of the levels of an image.
#include <algorithm>

#include "models/mc/surface/powers_of_two.h"
#include "models/mc/surface/surface.h"

namespace archipelago::surface {
namespace {

uint32_t next_pow2(uint32_t v) {
    uint32_t p = 1;
    while (p < v)
        p <<= 1;
    return p;
}
template <class T>
T align(T v, T to) {
    return (v + to - 1) / to * to;
}
uint32_t minify(uint32_t v, unsigned level) {
    return std::max(1u, v >> level);
}

struct Size {
    uint32_t pitch, height, slices;  // elements
};

// SI and CIK: raises bank height and macro aspect until a macro tile fills whole interleave units
// in every bank. A macro tile may hold more of a bank than a DRAM row has: AMD's library reduces
// the bank parameters to the row before SI only.
void adjust_banks(TileMode& m, unsigned bits, unsigned samples, const AddressConfig& c) {
    const uint32_t tile = std::min<uint32_t>(m.tile_split, 8 * thickness(m.array) * bits * samples);
    const uint32_t bank_row = tile * m.bank_width;  // bytes
    const uint32_t unit = c.pipe_interleave * c.bank_interleave;
    const auto at_least = [](uint8_t& parameter, uint32_t value) {
        parameter = static_cast<uint8_t>(std::max<uint32_t>(parameter, value));
    };
    // problem() and mode_of_image() have refused tiles without bytes and modes without pipes.
    at_least(m.bank_height, unit / bank_row);  // NOLINT(clang-analyzer-core.DivideZero)
    if (samples == 1)
        at_least(m.macro_aspect,
                 unit / (bank_row * pipes_of(m.pipe)));  // NOLINT(clang-analyzer-core.DivideZero)
}

// The mode of a level above 0 with fewer slices than the tile is thick. The PRT modes stay, and on
// CIK every mode does: there the level is padded to the tile.
ArrayMode thinner(ArrayMode mode, uint32_t slices, Generation generation) {
    if (generation == Generation::Cik || slices >= thickness(mode))
        return mode;
    const bool thin = slices < 4;
    switch (mode) {
        case ArrayMode::Tiled1dThick:
            return ArrayMode::Tiled1dThin;
        case ArrayMode::Tiled2dThick:
            return ArrayMode::Tiled2dThin;
        case ArrayMode::Tiled3dThick:
            return ArrayMode::Tiled3dThin;
        case ArrayMode::Tiled2dXthick:
            return thin ? ArrayMode::Tiled2dThin : ArrayMode::Tiled2dThick;
        case ArrayMode::Tiled3dXthick:
            return thin ? ArrayMode::Tiled3dThin : ArrayMode::Tiled3dThick;
        default:
            return mode;
    }
}

// R6xx to Northern Islands: what a pitch is a multiple of. A row of tiles fills whole interleave
// units; on R6xx that of a bank, too. Of macro tiles from SI on.
uint32_t pitch_step(const TileMode& m, unsigned bits, unsigned samples, const AddressConfig& c) {
    const uint32_t tile = 8 * thickness(m.array) * bits * samples;  // bytes
    // problem() has refused elements without bytes and images without samples.
    const uint32_t tiles =
        std::max(1u, c.pipe_interleave / tile);  // NOLINT(clang-analyzer-core.DivideZero)
    if (m.array == ArrayMode::LinearGeneral)
        return 1;
    if (is_linear(m.array))
        return std::max(64u, 8 * c.pipe_interleave / bits);
    if (!is_macro(m.array))
        return 8 * tiles;
    return macro_tile_of(m).width * (m.generation == Generation::R6xx ? tiles : 1);
}

// What a height is a multiple of.
uint32_t row_step(const TileMode& m) {
    return is_linear(m.array) ? 1 : is_macro(m.array) ? macro_tile_of(m).height : 8;
}

// The mode of a level above 0: macro tiles that would be mostly empty become micro tiles, thick
// tiles that would be mostly empty become thinner ones.
TileMode mode_of_level(TileMode m, const Size& size, unsigned bits, const AddressConfig& c) {
    while (is_macro(m.array)) {
        if (c.generation >= Generation::Si)
            adjust_banks(m, bits, 1, c);
        ArrayMode next = thinner(m.array, size.slices, c.generation);
        const uint32_t tile = std::min<uint32_t>(m.tile_split, 8 * thickness(next) * bits);
        const uint32_t unit = c.pipe_interleave * c.bank_interleave;
        const bool small =
            size.pitch < pitch_step(m, bits, 1, c) || size.height < macro_tile_of(m).height;
        // A pitch of R6xx makes up for narrow tiles.
        const bool narrow = c.generation != Generation::R6xx &&
                            (unit > tile * pipes_of(m.pipe) * m.bank_width * m.macro_aspect ||
                             unit > tile * m.bank_width * m.bank_height);
        if (thickness(next) > 1) {
            if (small)
                next = ArrayMode::Tiled1dThick;
        } else if (small || narrow) {
            next = ArrayMode::Tiled1dThin;
        }
        if (next == m.array)
            return m;
        m.array = next;
    }
    m.array = thinner(m.array, size.slices, c.generation);
    return m;
}

// Pads a level above 0 to what its mode needs.
void pad(Size& size, const TileMode& m, unsigned bits, const AddressConfig& c) {
    const uint32_t bytes = bits / 8;
    const uint32_t thick = thickness(m.array);
    size.slices = align(size.slices, thick);
    if (m.array == ArrayMode::LinearGeneral)
        return;
    if (is_macro(m.array) || c.generation < Generation::Si) {
        size.pitch = align(size.pitch, pitch_step(m, bits, 1, c));
        size.height = align(size.height, row_step(m));
        return;
    }
    // A slice must fill whole interleave units.
    uint32_t step = 8;
    uint64_t unit = c.pipe_interleave;
    if (is_linear(m.array)) {
        step = std::max(8u, 64 / bytes);
        unit = uint64_t{std::max(64u, c.pipe_interleave / bytes)} * bytes;
    }
    size.height = align(size.height, row_step(m));
    size.pitch = align(size.pitch, step);
    while (uint64_t{size.pitch} * size.height * thick * bytes % unit != 0)
        size.pitch += step;
}

// The least pitch of level 0 that its mode takes, in elements. POW2_PAD rounds up width and height
// first; the padded slice is what must fill whole interleave units.
uint32_t least_pitch(const ImageGeometry& g, const TileMode& m, const AddressConfig& c) {
    const uint32_t width = (g.width + g.block_width - 1) / g.block_width;
    const uint32_t height = (g.height + g.block_height - 1) / g.block_height;
    if (c.generation < Generation::Si)
        return align(width, pitch_step(m, g.element_bytes * 8, g.samples, c));
    Size size{width, height, 1};
    if (g.pow2_pad)
        size = {next_pow2(width), next_pow2(height), 1};
    pad(size, m, g.element_bytes * 8, c);
    return size.pitch;
}

// Slices that a level of an image has, in range.
uint32_t slices_in(const ImageGeometry& g, unsigned level) {
    if (g.type == ImageType::D3)
        return minify(g.depth, level);
    return g.type == ImageType::Cube ? 6 * g.depth : g.depth;
}

// And those it is laid out for, before tiles pad them. From SI on levels above 0 have a power of
// two of them; before, layers stay as many as they are, and Evergreen has room for eight faces.
uint32_t slices_of(const ImageGeometry& g, unsigned level, Generation generation) {
    const uint32_t slices = slices_in(g, level);
    if (g.type != ImageType::D3 && generation < Generation::Si)
        return g.type == ImageType::Cube && generation == Generation::Evergreen
                   ? std::max(8u, slices)
                   : slices;
    return level > 0 || g.pow2_pad ? next_pow2(slices) : slices;
}

std::string problem(const ImageGeometry& g, const AddressConfig& c) {
    constexpr uint32_t kMaxSide = 1 << 16;
    if (c.fault != nullptr)
        return std::string(c.generation == Generation::R6xx ? "GB_TILING_CONFIG: "
                                                            : "GB_ADDR_CONFIG: ") +
               c.fault;
    if (c.generation < Generation::Si && g.pow2_pad)
        return "POW2_PAD is of SI and CIK";
    if (g.tiling_index >= TilingRegisters::kModes)
        return "no such tiling index";
    if (g.width == 0 || g.height == 0 || g.depth == 0)
        return "empty";
    if (g.width > kMaxSide || g.height > kMaxSide || g.depth > kMaxSide / 8 || g.pitch > kMaxSide)
        return "larger than any image";
    if (g.last_level >= kMaxLevels)
        return "more than 16 levels";
    if (g.element_bytes > 16 || (g.element_bytes != 12 && !is_pow2(g.element_bytes)))
        return "elements have 1, 2, 4, 8, 12 or 16 bytes";
    if (!is_pow2(g.samples) || g.samples > 16)
        return "samples must be 1, 2, 4, 8 or 16";
    if (g.block_width == 0 || g.block_height == 0 || g.pitch % g.block_width != 0)
        return "the pitch is not a whole number of blocks";
    if (g.samples > 1 && g.last_level > 0)
        return "multisampled images have one level";
    if (g.element_bytes == 12 && g.last_level > 0)
        return "mip chains of 96-bit elements are not described";
    return {};
}

// A macro tile that fills no whole interleave unit of a bank leaves holes, in which the next level
// would lie. From SI on adjust_banks() sees to it, on R6xx the pitch does.
bool leaves_holes(const ImageGeometry& g, const TileMode& m, const AddressConfig& c) {
    const uint32_t tile =
        std::min<uint32_t>(m.tile_split, 64 * thickness(m.array) * g.element_bytes * g.samples);
    return c.generation == Generation::Evergreen && is_macro(m.array) && g.last_level > 0 &&
           tile * m.bank_width * m.bank_height < c.pipe_interleave * c.bank_interleave;
}

// The address of a macro tiled surface is aligned to more than its swizzle needs; the bits between
// hold it.
struct Swizzle {
    uint64_t base = 0;  // bytes, of the surface without them
    uint32_t pipe = 0, bank = 0;
};
Swizzle swizzle_of(uint64_t base, const TileMode& m, const AddressConfig& c) {
    Swizzle s;
    const uint32_t pipes = pipes_of(m.pipe);
    const uint32_t bank_step = pipes * c.bank_interleave;
    const uint64_t units = base / c.pipe_interleave;
    s.pipe = static_cast<uint32_t>(units % pipes);
    s.bank = static_cast<uint32_t>(units / bank_step % m.banks);
    s.base = base - (s.pipe + uint64_t{s.bank} * bank_step) * c.pipe_interleave;
    return s;
}

// Mode and padded size of a level. `pitch_0`: of level 0, in pixels.
LevelLayout lay_out(const ImageGeometry& g, unsigned level, const TileMode& base_mode,
                    uint32_t pitch_0, const AddressConfig& c) {
    const unsigned bits = g.element_bytes * 8;
    LevelLayout layout;
    layout.mode = base_mode;
    Size size{};
    size.height = (minify(g.height, level) + g.block_height - 1) / g.block_height;
    size.slices = slices_of(g, level, c.generation);
    if (level > 0 || g.pow2_pad)
        size.height = next_pow2(size.height);
    if (level == 0) {
        size.pitch = pitch_0 / g.block_width;
        size.height = align(size.height, row_step(base_mode));
        size.slices = align(size.slices, thickness(base_mode.array));
    } else {
        const uint32_t pitch = minify(c.generation < Generation::Si ? g.width : pitch_0, level);
        size.pitch = next_pow2((pitch + g.block_width - 1) / g.block_width);
        layout.mode = mode_of_level(base_mode, size, bits, c);
        pad(size, layout.mode, bits, c);
    }
    layout.bits = bits;
    layout.samples = g.samples;
    layout.pitch = size.pitch;
    layout.height = size.height;
    layout.slices = size.slices;
    return layout;
}

// The register that says the image's mode, with a colon.
std::string name_of_mode(const ImageGeometry& g, const AddressConfig& c) {
    return c.generation < Generation::Si ? std::string()
                                         : "GB_TILE_MODE" + std::to_string(g.tiling_index) + ": ";
}

// The mode of level 0 as the registers say it. `why`: what forbids it; empty: nothing.
TileMode mode_of_image(const ImageGeometry& g, const AddressConfig& c, const TileMode& selected,
                       const uint32_t (*macro_modes)[16], std::string& why) {
    TileMode m = selected;
    if (m.fault == nullptr && is_macro(m.array) &&
        (pipes_of(m.pipe) == 0 || m.tile_split < 64 || m.banks == 0 || m.bank_width == 0 ||
         m.bank_height == 0 || m.macro_aspect == 0))
        m.fault = "parameters that are not defined";
    if (m.fault != nullptr) {
        why = name_of_mode(g, c) + m.fault;
    } else if (m.generation == Generation::Cik && !m.resolved) {
        if (macro_modes == nullptr)
            why = "GB_MACROTILE_MODE is needed";
        else
            m = resolve_cik(m, *macro_modes, g.element_bytes * 8, g.samples, c);
    }
    if (why.empty() && leaves_holes(g, m, c))
        why = "macro tiles of a mip chain must fill whole interleave units of each bank";
    if (why.empty() && is_macro(m.array)) {
        if (c.generation >= Generation::Si)
            adjust_banks(m, g.element_bytes * 8, g.samples, c);
        if (macro_tile_of(m).height < 8)
            why = name_of_mode(g, c) + "the macro tile is smaller than a tile";
    }
    return m;
}

}  // namespace

bool make_levels(const ImageGeometry& g, const AddressConfig& c,
                 const TileMode (&modes)[TilingRegisters::kModes],
                 std::array<SurfaceLevel, kMaxLevels>& levels, std::string& error,
                 const uint32_t (*macro_modes)[16]) {
    std::string why = problem(g, c);
    TileMode base_mode;
    if (why.empty())
        base_mode = mode_of_image(g, c, modes[g.tiling_index], macro_modes, why);
    if (!why.empty()) {
        error = "image: " + why;
        return false;
    }

    Swizzle swizzle;
    swizzle.base = g.base;
    if (is_macro(base_mode.array))
        swizzle = swizzle_of(g.base, base_mode, c);
    const uint32_t pitch_0 = g.pitch != 0 ? g.pitch : least_pitch(g, base_mode, c) * g.block_width;
    uint64_t end = 0;
    for (unsigned i = 0; i <= g.last_level; ++i) {
        SurfaceLevel& level = levels[i];
        LevelLayout layout = lay_out(g, i, base_mode, pitch_0, c);
        layout.pipe_swizzle = swizzle.pipe;
        layout.bank_swizzle = swizzle.bank;
        if (!level.set_up(layout, c, why)) {
            error = "level " + std::to_string(i) + ": " + why;
            return false;
        }
        const uint64_t offset = align(end, uint64_t{std::max(1u, level.base_alignment)});
        level.layout.base = swizzle.base + offset;
        end = offset + level.size_bytes;
        level.width = (minify(g.width, i) + g.block_width - 1) / g.block_width;
        level.height = (minify(g.height, i) + g.block_height - 1) / g.block_height;
        level.depth = slices_in(g, i);
    }
    return true;
}

}  // namespace archipelago::surface
