// SPDX-License-Identifier: Apache-2.0
#include "models/mc/surface/surface.h"

#include <algorithm>

#include "models/mc/surface/powers_of_two.h"

namespace archipelago::surface {
namespace {

// ---- order of the elements in a micro tile ------------------------------------------------------

// Coordinate bits from the lowest bit of the index up: 0..2 of x, then of y, then of z.
enum CoordinateBit : uint8_t { X0, X1, X2, Y0, Y1, Y2, Z0, Z1, Z2, None };
struct Order {
    CoordinateBit bits[9];
};

constexpr Order kThin = {{X0, Y0, X1, Y1, X2, Y2, Z0, Z1, Z2}};
// By log2 of the element's bytes.
constexpr Order kDisplay[5] = {{{X0, X1, X2, Y1, Y0, Y2, Z0, Z1, Z2}},
                               {{X0, X1, X2, Y0, Y1, Y2, Z0, Z1, Z2}},
                               {{X0, X1, Y0, X2, Y1, Y2, Z0, Z1, Z2}},
                               {{X0, Y0, X1, X2, Y1, Y2, Z0, Z1, Z2}},
                               {{Y0, X0, X1, X2, Y1, Y2, Z0, Z1, Z2}}};
constexpr Order kRotated[4] = {{{Y0, Y1, Y2, X1, X0, X2, None, None, None}},
                               {{Y0, Y1, Y2, X0, X1, X2, None, None, None}},
                               {{Y0, Y1, X0, Y2, X1, X2, None, None, None}},
                               {{Y0, X0, Y1, X1, X2, Y2, None, None, None}}};
constexpr Order kThick[5] = {{{X0, Y0, X1, Y1, Z0, Z1, X2, Y2, Z2}},
                             {{X0, Y0, X1, Y1, Z0, Z1, X2, Y2, Z2}},
                             {{X0, Y0, X1, Z0, Y1, Z1, X2, Y2, Z2}},
                             {{X0, Y0, Z0, X1, Y1, Z1, X2, Y2, Z2}},
                             {{X0, Y0, Z0, X1, Y1, Z1, X2, Y2, Z2}}};

const Order* order_of(const TileMode& mode, unsigned bits) {
    const unsigned size = log2_of(bits / 8);
    switch (mode.micro) {
        case MicroTileMode::Display:
            return &kDisplay[size];
        case MicroTileMode::Thin:
        case MicroTileMode::Depth:
            return &kThin;
        case MicroTileMode::Rotated:
            return size < 4 && thickness(mode.array) == 1 ? &kRotated[size] : nullptr;
        case MicroTileMode::Thick:
            return thickness(mode.array) > 1 ? &kThick[size] : nullptr;
    }
    return nullptr;
}

// ---- pipe and bank equations --------------------------------------------------------------------

// One bit: the coordinate bits whose XOR it is, bit 0 of a mask being bit 3 of the coordinate.
struct HashBit {
    uint8_t x, y;
};
struct PipeEquation {
    HashBit bits[4];
};

// False: the equation is not published.
bool pipe_equation(PipeConfig config, PipeEquation& e) {
    switch (config) {
        case PipeConfig::P1:
            e = {};
            return true;
        case PipeConfig::P2:
            e = {{{1, 1}, {}, {}, {}}};
            return true;
        case PipeConfig::P4_8x16:
            e = {{{2, 1}, {1, 2}, {}, {}}};
            return true;
        case PipeConfig::P4_16x16:
            e = {{{3, 1}, {2, 2}, {}, {}}};
            return true;
        case PipeConfig::P4_16x32:
            e = {{{3, 1}, {2, 4}, {}, {}}};
            return true;
        case PipeConfig::P4_32x32:
            e = {{{5, 1}, {4, 4}, {}, {}}};
            return true;
        case PipeConfig::P8_16x32_8x16:
            e = {{{6, 1}, {1, 2}, {2, 4}, {}}};
            return true;
        case PipeConfig::P8_32x32_8x16:
            e = {{{6, 1}, {1, 2}, {4, 4}, {}}};
            return true;
        case PipeConfig::P8_16x32_16x16:
            e = {{{3, 1}, {4, 2}, {2, 4}, {}}};
            return true;
        case PipeConfig::P8_32x32_16x16:
            e = {{{3, 1}, {2, 2}, {4, 4}, {}}};
            return true;
        case PipeConfig::P8_32x32_16x32:
            e = {{{3, 1}, {2, 8}, {4, 4}, {}}};
            return true;
        case PipeConfig::P8_32x64_32x32:
            e = {{{5, 1}, {8, 4}, {4, 8}, {}}};
            return true;
        case PipeConfig::P16_32x32_8x16:
            e = {{{2, 1}, {1, 2}, {4, 8}, {8, 4}}};
            return true;
        case PipeConfig::P16_32x32_16x16:
            e = {{{3, 1}, {2, 2}, {4, 8}, {8, 4}}};
            return true;
        case PipeConfig::P8_OneSe:
            e = {{{6, 2}, {1, 4}, {2, 5}, {}}};
            return true;
        case PipeConfig::P8_TwoSe16:
            e = {{{6, 1}, {1, 4}, {2, 2}, {}}};
            return true;
        case PipeConfig::P8_R6xx:
            e = {{{4, 1}, {6, 2}, {1, 4}, {}}};
            return true;
        case PipeConfig::P8_16x16_8x16:
            return false;
    }
    return false;
}

// By bank column and row, log2 of the banks - 1.
constexpr HashBit kBanks[4][4] = {{{1, 1}, {}, {}, {}},
                                  {{1, 2}, {2, 1}, {}, {}},
                                  {{1, 4}, {2, 6}, {4, 1}, {}},
                                  {{1, 8}, {2, 12}, {4, 2}, {8, 1}}};
// R6xx, R7xx: column is a tile, row is that of y / pipes; 4 and 8 banks.
constexpr HashBit kR6Banks[2][4] = {{{1, 2}, {2, 1}, {}, {}}, {{1, 4}, {2, 6}, {4, 1}, {}}};

// Adds to a table over four coordinate bits what the equation's bits contribute, shifted.
void fill(uint16_t (&table)[16], const HashBit* bits, unsigned count, bool of_x, unsigned shift) {
    uint32_t column[4] = {};
    for (unsigned i = 0; i < count; ++i)
        for (unsigned k = 0; k < 4; ++k)
            column[k] |= ((of_x ? bits[i].x : bits[i].y) >> k & 1u) << (i + shift);
    for (unsigned k = 0; k < 4; ++k)
        for (unsigned i = 0; i < 1u << k; ++i)
            table[1u << k | i] = static_cast<uint16_t>(table[i] ^ column[k]);
}

// Whether the tiles of one macro tile have places of their own: the map from tile coordinates to
// pipe, bank and place in the bank is linear over XOR and must have full rank.
bool is_one_to_one(const SurfaceLevel& s) {
    uint32_t rows[32];
    unsigned count = 0;
    const auto column = [&](uint32_t x, uint32_t y) {
        const uint32_t in_bank =
            ((x >> s.tile_x_shift) & s.bank_width_mask) | ((y >> 3) & s.bank_height_mask) << 8;
        return tile_hash(s, x, y) | in_bank << 12;
    };
    for (unsigned bit = 3; bit < s.column_shift; ++bit)
        rows[count++] = column(1u << bit, 0);
    for (unsigned bit = 3; bit < s.row_shift; ++bit)
        rows[count++] = column(0, 1u << bit);
    for (unsigned i = 0; i < count; ++i) {
        if (rows[i] == 0)
            return false;
        const uint32_t lowest = rows[i] & (~rows[i] + 1);
        for (unsigned k = i + 1; k < count; ++k)
            if ((rows[k] & lowest) != 0)
                rows[k] ^= rows[i];
    }
    return true;
}

std::string list(const LevelLayout& l) {
    return std::string(name_of(l.mode.array)) + ", " + std::to_string(l.bits) + " bits, " +
           std::to_string(l.samples) + " samples, " + std::to_string(l.pitch) + " x " +
           std::to_string(l.height) + " x " + std::to_string(l.slices);
}

// What is wrong with the parameters every mode has; empty when nothing is.
std::string problem(const LevelLayout& l, const AddressConfig& config) {
    constexpr uint32_t kMaxSide = 1 << 18;
    const TileMode& mode = l.mode;
    if (mode.fault != nullptr)
        return mode.fault;
    if (config.fault != nullptr)
        return config.fault;
    const bool power = is_pow2(l.bits) && l.bits >= 8 && l.bits <= 128;
    if (!power && !(l.bits == 96 && is_linear(mode.array)))
        return "no such element size in this array mode";
    if (!is_pow2(l.samples) || l.samples > 16)
        return "samples must be 1, 2, 4, 8 or 16";
    if (l.pitch == 0 || l.height == 0 || l.slices == 0)
        return "empty";
    if (l.pitch > kMaxSide || l.height > kMaxSide || l.slices > kMaxSide)
        return "larger than any surface";
    if (is_linear(mode.array))
        return {};
    if (thickness(mode.array) > 1 && l.samples > 1)
        return "thick tiles have one sample";
    if (l.pitch % 8 != 0 || l.height % 8 != 0)
        return "pitch and height must be multiples of the 8 x 8 tile";
    if (l.slices % thickness(mode.array) != 0)
        return "slices must be a multiple of the tile's thickness";
    if (order_of(mode, l.bits) == nullptr)
        return "no such micro tile order for this element size and array mode";
    if (!is_pow2(mode.tile_split) || !is_pow2(mode.banks) || !is_pow2(mode.bank_width) ||
        !is_pow2(mode.bank_height) || !is_pow2(mode.macro_aspect) || mode.tile_split < 64)
        return "tile split and bank parameters must be powers of two";
    if (mode.tile_split > 4096)
        return "TILE_SPLIT 7 is not defined";
    return {};
}

void set_up_micro_tile(SurfaceLevel& s) {
    const LevelLayout& l = s.layout;
    const Order& order = *order_of(l.mode, l.bits);
    const unsigned thick = thickness(l.mode.array);
    const bool depth = l.mode.micro == MicroTileMode::Depth;
    const uint32_t scale = l.bits / 8 * (depth ? l.samples : 1);
    uint32_t weight[9] = {};  // of X0 .. Z2
    for (unsigned i = 0; i < 9; ++i)
        if (order.bits[i] != None)
            weight[order.bits[i]] = scale << i;
    const auto spread = [&](unsigned value, CoordinateBit first) {
        return (value & 1) * weight[first] + (value >> 1 & 1) * weight[first + 1] +
               (value >> 2 & 1) * weight[first + 2];
    };
    uint32_t of_x[8];
    for (unsigned x = 0; x < 8; ++x)
        of_x[x] = spread(x, X0);
    for (unsigned y = 0; y < 8; ++y) {
        const uint32_t of_y = spread(y, Y0);
        for (unsigned x = 0; x < 8; ++x)
            s.element[y * 8 + x] = static_cast<uint16_t>(of_x[x] + of_y);
    }
    for (unsigned z = 0; z < thick; ++z)
        s.thick[z] = static_cast<uint16_t>(spread(z, Z0));
    s.thick_shift = log2_of(thick);
    s.sample_offset = depth ? l.bits / 8 : 64 * thick * l.bits / 8;
}

// Pipe and bank tables, Evergreen to CIK.
void set_up_hash(SurfaceLevel& s, const PipeEquation& equation) {
    const TileMode& m = s.layout.mode;
    const unsigned banks = log2_of(m.banks);
    const unsigned bank_at = s.pipe_shift + s.bank_gap;
    // Configurations of 32 x 32 pixels leave bit 4 of x to the lowest bank bit.
    const bool adjust = m.generation >= Generation::Si && m.bank_width == 1 &&
                        (m.pipe == PipeConfig::P4_32x32 || m.pipe == PipeConfig::P8_32x64_32x32);
    fill(s.hash_x, equation.bits, s.pipe_shift, true, 0);
    fill(s.hash_y, equation.bits, s.pipe_shift, false, 0);
    fill(s.bank_x, kBanks[banks - 1], banks, true, bank_at);
    fill(s.bank_y, kBanks[banks - 1], banks, false, bank_at);
    if (adjust)
        for (unsigned i = 0; i < 16; ++i)
            s.hash_x[i] = static_cast<uint16_t>(s.hash_x[i] ^ ((i >> 1 ^ i >> 2) & 1) << bank_at);
    s.bank_x_shift = static_cast<uint8_t>(3 + s.pipe_shift + log2_of(m.bank_width));
    s.bank_y_shift = static_cast<uint8_t>(3 + log2_of(m.bank_height));
}

void set_up_hash_r6xx(SurfaceLevel& s, const PipeEquation& equation) {
    const unsigned banks = log2_of(s.layout.mode.banks);
    fill(s.hash_x, equation.bits, s.pipe_shift, true, 0);
    fill(s.hash_y, equation.bits, s.pipe_shift, false, 0);
    fill(s.bank_x, kR6Banks[banks - 2], banks, true, s.pipe_shift);
    fill(s.bank_y, kR6Banks[banks - 2], banks, false, s.pipe_shift);
    s.bank_x_shift = 3;
    s.bank_y_shift = static_cast<uint8_t>(3 + s.pipe_shift);
}

// Slices turn pipe and bank in the 2D and 3D modes; the parts of a split tile turn the bank.
void set_up_rotation(SurfaceLevel& s, uint32_t pipes) {
    const LevelLayout& l = s.layout;
    const uint32_t banks = l.mode.banks;
    const bool r6xx = l.mode.generation == Generation::R6xx;
    switch (l.mode.array) {
        case ArrayMode::Tiled2dThin:
        case ArrayMode::Tiled2dThick:
        case ArrayMode::Tiled2dXthick:
            s.rotation = pipes * (banks / 2 - 1);
            break;
        case ArrayMode::Tiled3dThin:
        case ArrayMode::Tiled3dThick:
        case ArrayMode::Tiled3dXthick:
            s.rotation = pipes >= 4 ? pipes / 2 - 1 : 1;
            break;
        default:
            break;  // the PRT modes do not turn
    }
    switch (l.mode.array) {
        case ArrayMode::Tiled2dThin:
        case ArrayMode::Tiled3dThin:
        case ArrayMode::Prt2dThin:
        case ArrayMode::Prt3dThin:
            s.split_rotation = (banks / 2 + 1) << (s.pipe_shift + s.bank_gap);
            break;
        default:
            break;
    }
    s.pipe_base = l.pipe_swizzle;
    s.bank_base = (l.bank_swizzle << s.pipe_shift) + (r6xx ? l.pipe_swizzle : 0);
    s.pipe_mask = pipes - 1;
    s.hash_mask = (pipes - 1) | (banks - 1) << (s.pipe_shift + s.bank_gap);
}

// What a macro tile is made of. Pixels and tiles.
struct MacroShape {
    PipeEquation equation{};
    uint32_t pipes = 0;
    uint32_t bank_width = 1, bank_height = 1;  // tiles of a bank; one on R6xx and R7xx
    MacroTile tile{};
    uint32_t bank_tiles() const { return bank_width * bank_height; }
};

// Why the level's mode has no macro tile of its pitch and height; empty: `shape` is that.
std::string read_macro_shape(const LevelLayout& l, MacroShape& shape) {
    const TileMode& m = l.mode;
    const bool r6xx = m.generation == Generation::R6xx;
    if (r6xx && (is_prt(m.array) || thickness(m.array) == 8))
        return "no such array mode on R6xx and R7xx";
    shape.pipes = pipes_of(m.pipe);
    if (shape.pipes == 0)
        return "no such pipe configuration";
    if (!pipe_equation(m.pipe, shape.equation))
        return "the third pipe bit of P8_16x16_8x16 is not published";
    if (m.banks < (r6xx ? 4 : 2) || m.banks > (r6xx ? 8 : 16))
        return "no equation for " + std::to_string(m.banks) + " banks";
    if (!r6xx) {
        shape.bank_width = m.bank_width;
        shape.bank_height = m.bank_height;
    }
    shape.tile = macro_tile_of(m);
    const auto [width, height] = shape.tile;
    if (width < 8 || height < 8 || m.macro_aspect > m.banks * shape.bank_height)
        return "the macro tile is smaller than a tile";
    if (l.pitch % width != 0 || l.height % height != 0)
        return "pitch and height must be multiples of the " + std::to_string(width) + " x " +
               std::to_string(height) + " macro tile";
    return {};
}

// A thin tile larger than the split is spread over planes, in sequence. Bytes of a tile in
// a plane, and how many planes there are.
struct SplitTile {
    uint32_t bytes = 0;
    uint32_t planes = 1;
};
SplitTile split_tile(SurfaceLevel& s) {
    const LevelLayout& l = s.layout;
    const bool r6xx = l.mode.generation == Generation::R6xx;
    uint32_t split = l.mode.tile_split;
    if (r6xx)
        split = std::max<uint32_t>(split, s.tile_bytes / l.samples);  // whole samples only
    if (thickness(l.mode.array) != 1 || s.tile_bytes <= split || (r6xx && l.samples == 1))
        return {s.tile_bytes, 1};
    s.split_shift = log2_of(split);
    s.split_mask = split - 1;
    return {split, s.tile_bytes / split};
}

// Bytes that a pipe's bank has of a tile, a macro tile, a row of them, a plane, a slice.
void set_up_macro_sizes(SurfaceLevel& s, const MacroShape& shape, const SplitTile& tile) {
    const LevelLayout& l = s.layout;
    const uint64_t macro = uint64_t{tile.bytes} * shape.bank_tiles();
    s.column_bytes = static_cast<uint32_t>(macro);
    s.row_bytes = l.pitch / shape.tile.width * macro;
    s.split_bytes = l.height / shape.tile.height * s.row_bytes;
    s.group_bytes = s.split_bytes * tile.planes;
    s.bank_column_bytes = tile.bytes;
    s.bank_row_bytes = shape.bank_width * tile.bytes;
}

// Places of pipe, bank and byte in coordinates and addresses.
void set_up_macro_bits(SurfaceLevel& s, const MacroShape& shape, const AddressConfig& config) {
    const TileMode& m = s.layout.mode;
    s.bank_width_mask = shape.bank_width - 1;
    s.bank_height_mask = shape.bank_height - 1;
    s.column_shift = log2_of(shape.tile.width);
    s.row_shift = log2_of(shape.tile.height);
    s.pipe_shift = log2_of(shape.pipes);
    s.tile_x_shift = static_cast<uint8_t>(3 + s.pipe_shift);
    s.channel_shift = static_cast<uint8_t>(s.pipe_shift + log2_of(m.banks));
    s.interleave_shift = log2_of(config.pipe_interleave);
    s.low_mask = config.pipe_interleave - 1;
    if (m.generation == Generation::Evergreen) {
        s.bank_gap = log2_of(config.bank_interleave);
        s.middle_mask = uint64_t{config.bank_interleave - 1} << s.interleave_shift;
    }
    if (m.array == ArrayMode::PrtThin || m.array == ArrayMode::PrtThick) {
        s.hash_x_mask = shape.tile.width - 1;
        s.hash_y_mask = shape.tile.height - 1;
    }
    const uint32_t in_bank = std::min<uint32_t>(m.tile_split, s.tile_bytes) * shape.bank_tiles();
    s.base_alignment =
        std::max(in_bank, config.pipe_interleave << s.bank_gap) * shape.pipes * m.banks;
}

std::string set_up_macro(SurfaceLevel& s, const AddressConfig& config) {
    MacroShape shape;
    std::string why = read_macro_shape(s.layout, shape);
    if (!why.empty())
        return why;
    set_up_macro_sizes(s, shape, split_tile(s));
    set_up_macro_bits(s, shape, config);
    if (s.layout.mode.generation == Generation::R6xx)
        set_up_hash_r6xx(s, shape.equation);
    else
        set_up_hash(s, shape.equation);
    set_up_rotation(s, shape.pipes);
    if (!is_one_to_one(s))
        return "these pipe and bank parameters put two tiles in one place";
    return {};
}

}  // namespace

bool pipe_table(PipeConfig config, PipeTable& table) {
    PipeEquation equation{};
    if (pipes_of(config) == 0 || !pipe_equation(config, equation))
        return false;
    table = {};
    fill(table.x, equation.bits, log2_of(pipes_of(config)), true, 0);
    fill(table.y, equation.bits, log2_of(pipes_of(config)), false, 0);
    return true;
}

bool SurfaceLevel::set_up(const LevelLayout& wanted, const AddressConfig& config,
                          std::string& error) {
    *this = SurfaceLevel();
    layout = wanted;
    std::string why = problem(layout, config);
    if (why.empty()) {
        const uint64_t pixels = uint64_t{layout.pitch} * layout.height;
        const unsigned thick = thickness(layout.mode.array);
        width = layout.pitch;
        height = layout.height;
        depth = layout.slices;
        slice_bytes = pixels * layout.bits / 8 * layout.samples;
        size_bytes = slice_bytes * layout.slices;
        if (is_linear(layout.mode.array)) {
            column_bytes = layout.bits / 8;
            row_bytes = uint64_t{layout.pitch} * column_bytes;
            group_bytes = pixels * column_bytes;
            sample_bytes = group_bytes * layout.slices;
            base_alignment = layout.mode.array == ArrayMode::LinearGeneral
                                 ? (layout.bits == 96 ? 4 : column_bytes)
                                 : config.pipe_interleave;
        } else {
            tile_bytes = 64 * thick * layout.bits / 8 * layout.samples;
            set_up_micro_tile(*this);
            if (is_macro(layout.mode.array)) {
                why = set_up_macro(*this, config);
            } else {
                column_shift = row_shift = 3;
                column_bytes = tile_bytes;
                row_bytes = uint64_t{layout.pitch / 8} * tile_bytes;
                group_bytes = slice_bytes * thick;
                base_alignment = config.pipe_interleave;
            }
        }
    }
    if (why.empty())
        return true;
    error = "surface (" + list(layout) + "): " + why;
    return false;
}

PipeConfig pipe_config_of(const AddressConfig& config) {
    switch (config.pipes) {
        case 1:
            return PipeConfig::P1;
        case 2:
            return PipeConfig::P2;
        case 4:
            return PipeConfig::P4_8x16;
        default:
            break;
    }
    if (config.generation == Generation::R6xx)
        return PipeConfig::P8_R6xx;
    if (config.shader_engines == 1)
        return PipeConfig::P8_OneSe;
    return config.engine_tile == 16 ? PipeConfig::P8_TwoSe16 : PipeConfig::P8_32x32_8x16;
}

}  // namespace archipelago::surface
