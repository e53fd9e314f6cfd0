// SPDX-License-Identifier: Apache-2.0
#include "models/mc/surface/metadata.h"

#include "models/mc/surface/powers_of_two.h"
#include "models/mc/surface/surface.h"

namespace archipelago::surface {
namespace {

constexpr uint32_t kGroup = 32;  // pixels a side: 16 tiles, an equal number of each pipe
constexpr uint32_t kMaxSide = 1 << 18;

// A bit of an element's number: XOR of bits of the tile's column (tx) and row (ty).
struct ElementBit {
    uint8_t tx, ty;
};
// The low bits of an element's number, from bit 0 up.
struct ElementHash {
    uint8_t bits = 0;
    ElementBit bit[3] = {};
};

// AMD's address library, HwlComputeXmaskAddrFromCoord. False: not described.
bool element_hash(PipeConfig config, ElementHash& hash) {
    constexpr ElementBit kTx0 = {1, 0}, kTx1 = {2, 0};
    constexpr ElementBit kTx1Ty0 = {2, 1}, kTx1Ty1 = {2, 2};
    switch (config) {
        case PipeConfig::P2:
        case PipeConfig::P4_32x32:
        case PipeConfig::P8_32x64_32x32:
            hash = {3, {kTx1Ty0, kTx1Ty1, kTx1}};
            return true;
        case PipeConfig::P4_8x16:
        case PipeConfig::P8_32x32_8x16:
            hash = {2, {kTx1Ty1, kTx1}};
            return true;
        case PipeConfig::P4_16x16:
        case PipeConfig::P8_32x32_16x16:
            hash = {2, {kTx1Ty0, kTx1}};
            return true;
        case PipeConfig::P4_16x32:
        case PipeConfig::P8_32x32_16x32:
            hash = {2, {kTx1Ty0, kTx1Ty1}};
            return true;
        case PipeConfig::P8_16x16_8x16:
            hash = {1, {kTx1}};
            return true;
        case PipeConfig::P8_16x32_8x16:
        case PipeConfig::P8_16x32_16x16:
            hash = {1, {kTx0}};
            return true;
        default:
            return false;
    }
}

// Elements of a pipe in a macro block.
uint32_t block_elements(MetadataKind kind) {
    return kind == MetadataKind::Htile ? 512 : 256;
}

unsigned parity(unsigned bits) {
    return static_cast<unsigned>(__builtin_parity(bits));
}

void set_up_parts(MetadataSurface& s, const ElementHash& hash, const PipeTable& pipes) {
    for (unsigned i = 0; i < 16; ++i) {
        unsigned x = unsigned{pipes.x[i]} << 4, y = unsigned{pipes.y[i]} << 4;
        for (unsigned b = 0; b < hash.bits; ++b) {
            x |= parity(i & hash.bit[b].tx) << b;
            y |= parity(i & hash.bit[b].ty) << b;
        }
        s.part_x[i] = static_cast<uint8_t>(x);
        s.part_y[i] = static_cast<uint8_t>(y);
    }
}

uint32_t round_up(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

// The block is as near to a square as powers of two allow, wider than high.
void set_up_blocks(MetadataSurface& s, uint32_t pipes) {
    uint32_t width = block_elements(s.layout.kind), height = 1;
    while (width > 2 * height * pipes && width % 2 == 0) {
        width /= 2;
        height *= 2;
    }
    s.block_width = kTileSide * width;
    s.block_height = kTileSide * height * pipes;
    s.block_x_shift = log2_of(s.block_width);
    s.block_y_shift = log2_of(s.block_height);
    s.block_bits = block_elements(s.layout.kind) << s.element_shift;
    s.groups_per_row = s.block_width / kGroup;
}

// Pitch and height in whole blocks; a slice of CMASK fills whole interleave units, too. Where two
// groups of a linear surface share a hash, a slice begins with a whole pair: no document says so,
// but else the last tiles of a slice would have the elements of the next one's first.
void pad(MetadataSurface& s) {
    const auto slice_bits = [&] {
        const uint64_t tiles = uint64_t{s.pitch / kTileSide} * (s.height / kTileSide);
        return tiles >> s.pipe_shift << s.element_shift;
    };
    s.pitch = round_up(s.layout.pitch, s.block_width);
    s.height = round_up(s.layout.height, s.block_height);
    while (!s.layout.linear && slice_bits() % s.interleave_bits != 0)
        s.height += s.block_height;
    const uint64_t pair_bits = uint64_t{1} << s.hash_shift << s.element_shift;
    s.slice_bits = (slice_bits() + pair_bits - 1) / pair_bits * pair_bits;
    s.blocks_per_row = s.pitch / s.block_width;
}

}  // namespace

bool MetadataSurface::set_up(const MetadataLayout& wanted, std::string& error) {
    *this = MetadataSurface();
    layout = wanted;
    const char* const name = layout.kind == MetadataKind::Htile ? "HTILE: " : "CMASK: ";
    const auto refuse = [&](const char* why) {
        error = std::string(name) + why;
        return false;
    };
    ElementHash hash;
    PipeTable pipe_parts;
    if (!element_hash(layout.pipe, hash))
        return refuse("no layout is known for this pipe configuration");
    if (!pipe_table(layout.pipe, pipe_parts))
        return refuse("the third pipe bit of P8_16x16_8x16 is not published");
    if (layout.pitch == 0 || layout.height == 0 || layout.slices == 0)
        return refuse("empty");
    if (layout.pitch > kMaxSide || layout.height > kMaxSide || layout.slices > kMaxSide)
        return refuse("larger than any surface");
    const uint32_t pipes = pipes_of(layout.pipe);
    pipe_shift = log2_of(pipes);
    element_shift = layout.kind == MetadataKind::Htile ? 5 : 2;
    group_shift = static_cast<uint8_t>(4 - pipe_shift);
    hash_shift = hash.bits;
    interleave_bits = 8 * layout.pipe_interleave;
    set_up_parts(*this, hash, pipe_parts);
    if (layout.linear) {
        const bool wide =
            layout.pipe == PipeConfig::P8_32x64_32x32 || layout.pipe == PipeConfig::P8_32x32_16x16;
        block_width = block_height = wide ? 2 * kGroup : kGroup;
    } else {
        set_up_blocks(*this, pipes);
    }
    pad(*this);
    if (layout.linear)
        blocks_per_row = pitch / kGroup;
    const uint64_t bits = slice_bits * layout.slices;
    const auto whole = [&](uint64_t of_pipe) {
        return (of_pipe + interleave_bits - 1) / interleave_bits * layout.pipe_interleave * pipes;
    };
    slice_bytes = whole(slice_bits);
    size_bytes = whole(bits);
    base_alignment = layout.pipe_interleave * pipes;
    return true;
}

}  // namespace archipelago::surface
