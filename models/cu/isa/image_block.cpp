// SPDX-License-Identifier: Apache-2.0
// Block compressed texels, BC1 to BC7. Layouts, tables and arithmetic: Khronos Data Format
// Specification 1.3 (S3TC, RGTC, BPTC), which agrees with Direct3D's descriptions.
#include <array>
#include <utility>

#include "models/cu/isa/image_format.h"
#include "models/cu/isa/number_format.h"

namespace archipelago::isa {
namespace {

// Bits of a block, lowest first.
class BlockBits {
  public:
    explicit BlockBits(const uint8_t* block) : block_(block) {}

    uint32_t take(unsigned count) {
        const uint32_t v = at(next_, count);
        next_ += count;
        return v;
    }
    uint32_t at(unsigned first, unsigned count) const {
        uint32_t v = 0;
        for (unsigned i = 0; i < count && first + i < 128; ++i) {
            v |= (block_[(first + i) / 8] >> ((first + i) % 8) & 1u) << i;
        }
        return v;
    }
    void skip_to(unsigned bit) { next_ = bit; }

  private:
    const uint8_t* block_;
    unsigned next_ = 0;
};

uint32_t ratio(int32_t numerator, int32_t denominator) {
    return to_bits(static_cast<float>(static_cast<double>(numerator) / denominator));
}

// numerator / denominator in [0, 1]; sRGB codes are rounded to eight bits first.
uint32_t colour(int32_t numerator, int32_t denominator, bool srgb) {
    if (!srgb) {
        return ratio(numerator, denominator);
    }
    const int32_t code = (2 * 255 * numerator + denominator) / (2 * denominator);
    return to_bits(srgb_to_linear(static_cast<unsigned>(code)));
}

// ---- BC1, BC2, BC3 ------------------------------------------------------------------------------

// The colour part, eight bytes. `four`: always four colours.
void bc1_colour(const uint8_t* b, unsigned texel, bool srgb, bool four, uint32_t out[4]) {
    const uint32_t c0 = b[0] | static_cast<uint32_t>(b[1]) << 8;
    const uint32_t c1 = b[2] | static_cast<uint32_t>(b[3]) << 8;
    const uint32_t code = b[4 + texel / 4] >> (2 * (texel % 4)) & 3;
    static constexpr unsigned kShift[3] = {11, 5, 0};
    static constexpr int32_t kTop[3] = {31, 63, 31};
    const bool thirds = four || c0 > c1;
    out[3] = kOneFloat;
    if (!thirds && code == 3) {
        out[0] = out[1] = out[2] = out[3] = 0;
        return;
    }
    for (unsigned c = 0; c < 3; ++c) {
        const auto e0 = static_cast<int32_t>(c0 >> kShift[c]) & kTop[c];
        const auto e1 = static_cast<int32_t>(c1 >> kShift[c]) & kTop[c];
        switch (code) {
            case 0:
                out[c] = colour(e0, kTop[c], srgb);
                break;
            case 1:
                out[c] = colour(e1, kTop[c], srgb);
                break;
            case 2:
                out[c] = thirds ? colour(2 * e0 + e1, 3 * kTop[c], srgb)
                                : colour(e0 + e1, 2 * kTop[c], srgb);
                break;
            default:
                out[c] = colour(e0 + 2 * e1, 3 * kTop[c], srgb);
                break;
        }
    }
}

// ---- BC4, BC5, alpha of BC3 ---------------------------------------------------------------------

uint32_t bc4_value(const uint8_t* b, unsigned texel, bool is_signed) {
    int32_t e0 = b[0];
    int32_t e1 = b[1];
    const int32_t top = is_signed ? 127 : 255;
    const int32_t bottom = is_signed ? -127 : 0;
    if (is_signed) {
        e0 = static_cast<int8_t>(b[0]) < -127 ? -127 : static_cast<int8_t>(b[0]);
        e1 = static_cast<int8_t>(b[1]) < -127 ? -127 : static_cast<int8_t>(b[1]);
    }
    const auto code = static_cast<int32_t>(BlockBits(b).at(16 + 3 * texel, 3));
    if (code < 2) {
        return ratio(code == 0 ? e0 : e1, top);
    }
    if (e0 > e1) {
        return ratio((8 - code) * e0 + (code - 1) * e1, 7 * top);
    }
    if (code >= 6) {
        return ratio(code == 6 ? bottom : top, top);
    }
    return ratio((6 - code) * e0 + (code - 1) * e1, 5 * top);
}

// ---- partitions of BC6 and BC7 ------------------------------------------------------------------

// Subset of each texel: one bit, two bits each, texel 0 lowest.
constexpr uint16_t kTwoSubsets[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80,
    0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310,
    0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa,
    0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc,
    0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6,
    0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};
constexpr uint32_t kThreeSubsets[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};
// Texels whose index lacks its highest bit, besides texel 0.
constexpr uint8_t kAnchorOfTwo[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2,  8, 2,  2, 8,
    8,  15, 2,  8,  2,  2,  8,  8,  2,  2,  15, 15, 6,  8,  2,  8,  15, 15, 2, 8,  2, 2,
    2,  15, 15, 6,  6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2, 15,
};
constexpr uint8_t kSecondOfThree[64] = {
    3,  3,  15, 15, 8, 3,  15, 15, 8,  8,  6, 6,  6, 5,  3, 3,  3,  3,  8,  15, 3,  3,
    6,  10, 5,  8,  8, 6,  8,  5,  15, 15, 8, 15, 3, 5,  6, 10, 8,  15, 15, 3,  15, 5,
    15, 15, 15, 15, 3, 15, 5,  5,  5,  8,  5, 10, 5, 10, 8, 13, 15, 12, 3,  3,
};
constexpr uint8_t kThirdOfThree[64] = {
    15, 8, 8, 3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,  15, 8,  15, 3,  15, 8,
    15, 8, 3, 15, 6,  10, 15, 15, 10, 8,  15, 3,  15, 10, 10, 8,  9,  10, 6,  15, 8,  15,
    3,  6, 6, 8,  15, 3,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8,
};

constexpr int32_t kWeights2[4] = {0, 21, 43, 64};
constexpr int32_t kWeights3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
constexpr int32_t kWeights4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

int32_t weight_of(unsigned index_bits, uint32_t index) {
    return index_bits == 2   ? kWeights2[index]
           : index_bits == 3 ? kWeights3[index]
                             : kWeights4[index];
}
int32_t blend_of(int32_t e0, int32_t e1, int32_t weight) {
    return ((64 - weight) * e0 + weight * e1 + 32) >> 6;
}

unsigned subset_of(unsigned subsets, uint32_t partition, unsigned texel) {
    return subsets == 2   ? kTwoSubsets[partition] >> texel & 1
           : subsets == 3 ? kThreeSubsets[partition] >> (2 * texel) & 3
                          : 0;
}
bool is_anchor(unsigned subsets, uint32_t partition, unsigned texel) {
    if (texel == 0) {
        return true;
    }
    if (subsets == 2) {
        return texel == kAnchorOfTwo[partition];
    }
    return subsets == 3 &&
           (texel == kSecondOfThree[partition] || texel == kThirdOfThree[partition]);
}
// Index of `texel` from the indices that start at bit `first`.
uint32_t index_of(const BlockBits& bits, unsigned first, unsigned index_bits, unsigned subsets,
                  uint32_t partition, unsigned texel) {
    for (unsigned t = 0; t < texel; ++t) {
        first += index_bits - (is_anchor(subsets, partition, t) ? 1 : 0);
    }
    return bits.at(first, index_bits - (is_anchor(subsets, partition, texel) ? 1 : 0));
}

// ---- BC7 ----------------------------------------------------------------------------------------

struct Bc7Mode {
    uint8_t subsets, partition_bits, rotation_bits, selector_bits;
    uint8_t colour_bits, alpha_bits;
    uint8_t p_bits;  // 0 none, 1 for each end, 2 for each subset
    uint8_t index_bits, second_index_bits;
};
constexpr Bc7Mode kBc7Modes[8] = {
    {3, 4, 0, 0, 4, 0, 1, 3, 0}, {2, 6, 0, 0, 6, 0, 2, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 2, 0},
};

// The end points of a block's subsets: two of each, as red, green, blue, alpha.
using Bc7Ends = std::array<std::array<uint32_t, 4>, 6>;

// All ends of a component stand together, in the mode's width.
Bc7Ends take_ends(BlockBits& bits, const Bc7Mode& m) {
    Bc7Ends ends{};
    for (unsigned c = 0; c < 4; ++c)
        for (unsigned e = 0; e < 2u * m.subsets; ++e)
            ends[e][c] = bits.take(c < 3 ? m.colour_bits : m.alpha_bits);
    return ends;
}

// The bit below the lowest of each end: one for each end, or one for the two of a subset.
std::array<uint32_t, 6> take_p_bits(BlockBits& bits, const Bc7Mode& m) {
    std::array<uint32_t, 6> p{};
    for (unsigned e = 0; e < 2u * m.subsets; ++e)
        if (m.p_bits == 1)
            p[e] = bits.take(1);
        else if (m.p_bits == 2)
            p[e] = e % 2 == 0 ? bits.take(1) : p[e - 1];
    return p;
}

// Ends of eight bits: the highest bits stand again below the lowest.
void widen_ends(Bc7Ends& ends, const Bc7Mode& m, const std::array<uint32_t, 6>& p) {
    for (unsigned e = 0; e < 2u * m.subsets; ++e) {
        for (unsigned c = 0; c < 4; ++c) {
            unsigned width = c < 3 ? m.colour_bits : m.alpha_bits;
            if (width == 0) {
                ends[e][c] = 255;
                continue;
            }
            if (m.p_bits != 0) {
                ends[e][c] = ends[e][c] << 1 | p[e];
                ++width;
            }
            const uint32_t high = ends[e][c] << (8 - width);
            ends[e][c] = high | high >> width;
        }
    }
}

// How far a texel lies between the two ends of its subset, in 64ths.
struct Bc7Weights {
    int32_t colour, alpha;
};

Bc7Weights weights_of(const BlockBits& bits, const Bc7Mode& m, uint32_t partition,
                      bool colour_by_second, unsigned texel) {
    // The header ends where the indices, counted from the block's end, begin.
    const unsigned second = m.second_index_bits != 0 ? 16u * m.second_index_bits - 1 : 0;
    const unsigned first = 128 - second - (16u * m.index_bits - m.subsets);
    const int32_t by_first =
        weight_of(m.index_bits, index_of(bits, first, m.index_bits, m.subsets, partition, texel));
    if (second == 0)
        return {by_first, by_first};
    const int32_t by_second = weight_of(
        m.second_index_bits, index_of(bits, 128 - second, m.second_index_bits, 1, 0, texel));
    if (colour_by_second)
        return {by_second, by_first};
    return {by_first, by_second};
}

void bc7_texel(const uint8_t* block, unsigned texel, bool srgb, uint32_t out[4]) {
    BlockBits bits(block);
    unsigned mode = 0;
    while (mode < 8 && bits.at(mode, 1) == 0) {
        ++mode;
    }
    if (mode == 8) {
        out[0] = out[1] = out[2] = out[3] = 0;  // reserved
        return;
    }
    const Bc7Mode& m = kBc7Modes[mode];
    bits.skip_to(mode + 1);
    const uint32_t partition = bits.take(m.partition_bits);
    const uint32_t rotation = bits.take(m.rotation_bits);
    const bool colour_by_second = bits.take(m.selector_bits) != 0;
    Bc7Ends ends = take_ends(bits, m);
    widen_ends(ends, m, take_p_bits(bits, m));
    const Bc7Weights weights = weights_of(bits, m, partition, colour_by_second, texel);
    const unsigned s = 2 * subset_of(m.subsets, partition, texel);
    std::array<int32_t, 4> value;
    for (unsigned c = 0; c < 4; ++c)
        value[c] = blend_of(static_cast<int32_t>(ends[s][c]), static_cast<int32_t>(ends[s + 1][c]),
                            c < 3 ? weights.colour : weights.alpha);
    if (rotation != 0)
        std::swap(value[3], value[rotation - 1]);
    for (unsigned c = 0; c < 4; ++c) {
        out[c] = colour(value[c], 255, srgb && c < 3);
    }
}

// ---- BC6 ----------------------------------------------------------------------------------------

struct Bc6Mode {
    uint8_t code;  // of the lowest two or five bits
    uint8_t base_bits;
    uint8_t delta_bits[3];
    bool transformed;  // the other ends are differences from the first
    // Order of the header's bits: channel, end (w x of subset 0, y z of subset 1), first and last
    // bit in hexadecimal.
    const char* order;
};
// clang-format off
constexpr Bc6Mode kBc6Modes[14] = {
    {0x00, 10, {5, 5, 5}, true,
     "gy44by44bz44rw09gw09bw09rx04gz44gy03gx04bz00gz03bx04bz11by03ry04bz22rz04bz33"},
    {0x01, 7, {6, 6, 6}, true,
     "gy55gz45rw06bz01by44gw06by55bz22gy44bw06bz33bz55bz44rx05gy03gx05gz03bx05by03ry05rz05"},
    {0x02, 11, {5, 4, 4}, true,
     "rw09gw09bw09rx04rwaagy03gx03gwaabz00gz03bx03bwaabz11by03ry04bz22rz04bz33"},
    {0x06, 11, {4, 5, 4}, true,
     "rw09gw09bw09rx03rwaagz44gy03gx04gwaagz03bx03bwaabz11by03ry03bz00bz22rz03gy44bz33"},
    {0x0a, 11, {4, 4, 5}, true,
     "rw09gw09bw09rx03rwaaby44gy03gx03gwaabz00gz03bx04bwaaby03ry03bz11bz22rz03bz44bz33"},
    {0x0e, 9, {5, 5, 5}, true,
     "rw08by44gw08gy44bw08bz44rx04gz44gy03gx04bz00gz03bx04bz11by03ry04bz22rz04bz33"},
    {0x12, 8, {6, 5, 5}, true,
     "rw07gz44by44gw07bz22gy44bw07bz33bz44rx05gy03gx04bz00gz03bx04bz11by03ry05rz05"},
    {0x16, 8, {5, 6, 5}, true,
     "rw07bz00by44gw07gy55gy44bw07gz55bz44rx04gz44gy03gx05gz03bx04bz11by03ry04bz22rz04bz33"},
    {0x1a, 8, {5, 5, 6}, true,
     "rw07bz11by44gw07by55gy44bw07bz55bz44rx04gz44gy03gx04bz00gz03bx05by03ry04bz22rz04bz33"},
    {0x1e, 6, {6, 6, 6}, false,
     "rw05gz44bz01by44gw05gy55by55bz22gy44bw05gz55bz33bz55bz44rx05gy03gx05gz03bx05by03ry05rz05"},
    {0x03, 10, {10, 10, 10}, false, "rw09gw09bw09rx09gx09bx09"},
    {0x07, 11, {9, 9, 9}, true, "rw09gw09bw09rx08rwaagx08gwaabx08bwaa"},
    {0x0b, 12, {8, 8, 8}, true, "rw09gw09bw09rx07rwbagx07gwbabx07bwba"},
    {0x0f, 16, {4, 4, 4}, true, "rw09gw09bw09rx03rwfagx03gwfabx03bwfa"},
};
// clang-format on

unsigned digit(char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
}

int32_t unquantized(int32_t v, unsigned bits, bool is_signed) {
    if (!is_signed) {
        if (bits >= 15 || v == 0) {
            return v;
        }
        return v == (1 << bits) - 1 ? 0xffff : ((v << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || v == 0) {
        return v;
    }
    const int32_t magnitude = v < 0 ? -v : v;
    const int32_t u =
        magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
    return v < 0 ? -u : u;
}

void bc6_texel(const uint8_t* block, unsigned texel, bool is_signed, uint32_t out[4]) {
    BlockBits bits(block);
    const unsigned mode_bits = bits.at(1, 1) == 0 ? 2 : 5;
    const uint32_t code = bits.take(mode_bits);
    const Bc6Mode* mode = nullptr;
    for (const Bc6Mode& m : kBc6Modes) {
        mode = m.code == code ? &m : mode;
    }
    out[3] = kOneFloat;
    if (mode == nullptr) {
        out[0] = out[1] = out[2] = 0;  // reserved
        return;
    }
    uint32_t end[4][3] = {};
    for (const char* piece = mode->order; *piece != 0; piece += 4) {
        const unsigned c = piece[0] == 'r' ? 0 : piece[0] == 'g' ? 1 : 2;
        const auto e = static_cast<unsigned>(piece[1] - 'w');
        const unsigned first = digit(piece[2]);
        const unsigned last = digit(piece[3]);
        const unsigned count = last >= first ? last - first + 1 : first - last + 1;
        for (unsigned i = 0; i < count; ++i) {
            end[e][c] |= bits.take(1) << (last >= first ? first + i : first - i);
        }
    }
    // Modes whose lowest bits are 11 have one subset.
    const unsigned subsets = mode_bits == 5 && (code & 3) == 3 ? 1 : 2;
    const uint32_t partition = subsets == 2 ? bits.take(5) : 0;
    const unsigned index_bits = subsets == 2 ? 3 : 4;
    const uint32_t index =
        index_of(bits, subsets == 2 ? 82 : 65, index_bits, subsets, partition, texel);
    const unsigned s = 2 * subset_of(subsets, partition, texel);
    const uint32_t mask = (1u << mode->base_bits) - 1;
    for (unsigned c = 0; c < 3; ++c) {
        int32_t value[2];
        for (unsigned k = 0; k < 2; ++k) {
            uint32_t v = end[s + k][c];
            if (s + k != 0 && mode->transformed) {
                v = (end[0][c] + static_cast<uint32_t>(sign_extend(v, mode->delta_bits[c]))) & mask;
            }
            const int32_t number =
                is_signed ? sign_extend(v, mode->base_bits) : static_cast<int32_t>(v);
            value[k] = unquantized(number, mode->base_bits, is_signed);
        }
        const int32_t mixed = blend_of(value[0], value[1], weight_of(index_bits, index));
        uint32_t half;
        if (is_signed) {
            const auto magnitude = static_cast<uint32_t>((mixed < 0 ? -mixed : mixed) * 31 >> 5);
            half = magnitude | (mixed < 0 ? 0x8000u : 0u);
        } else {
            half = static_cast<uint32_t>(mixed * 31 >> 6);
        }
        out[c] = half_bits_to_float(half);
    }
}

}  // namespace

void unpack_block(ImageLayout layout, NumFormat num, const uint8_t* block, unsigned x, unsigned y,
                  uint32_t out[4]) {
    const unsigned texel = (y & 3) * 4 + (x & 3);
    const bool srgb = num == NumFormat::Srgb;
    const bool is_signed = num == NumFormat::Snorm;
    out[0] = out[1] = out[2] = 0;
    out[3] = kOneFloat;
    switch (layout) {
        case ImageLayout::Bc1:
            bc1_colour(block, texel, srgb, false, out);
            break;
        case ImageLayout::Bc2:
            bc1_colour(block + 8, texel, srgb, true, out);
            out[3] = ratio(block[texel / 2] >> (4 * (texel % 2)) & 15, 15);
            break;
        case ImageLayout::Bc3:
            bc1_colour(block + 8, texel, srgb, true, out);
            out[3] = bc4_value(block, texel, false);
            break;
        case ImageLayout::Bc4:
            out[0] = bc4_value(block, texel, is_signed);
            break;
        case ImageLayout::Bc5:
            out[0] = bc4_value(block, texel, is_signed);
            out[1] = bc4_value(block + 8, texel, is_signed);
            break;
        case ImageLayout::Bc6:
            bc6_texel(block, texel, is_signed, out);
            break;
        case ImageLayout::Bc7:
            bc7_texel(block, texel, srgb, out);
            break;
        default:
            break;
    }
}

}  // namespace archipelago::isa
