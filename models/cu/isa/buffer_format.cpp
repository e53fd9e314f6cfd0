// SPDX-License-Identifier: Apache-2.0
// Format conversion of typed buffer accesses.
#include <algorithm>

#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/buffer_resource.h"
#include "models/cu/isa/lane_mask.h"
#include "models/cu/isa/valu_env.h"

namespace archipelago::isa {
namespace {

constexpr DataFormat kFormats[16] = {
    {},                         // invalid
    {1, 1, {8}},                // 8
    {2, 1, {16}},               // 16
    {2, 2, {8, 8}},             // 8_8
    {4, 1, {32}},               // 32
    {4, 2, {16, 16}},           // 16_16
    {4, 3, {11, 11, 10}},       // 10_11_11
    {4, 3, {10, 11, 11}},       // 11_11_10
    {4, 4, {2, 10, 10, 10}},    // 10_10_10_2
    {4, 4, {10, 10, 10, 2}},    // 2_10_10_10
    {4, 4, {8, 8, 8, 8}},       // 8_8_8_8
    {8, 2, {32, 32}},           // 32_32
    {8, 4, {16, 16, 16, 16}},   // 16_16_16_16
    {12, 3, {32, 32, 32}},      // 32_32_32
    {16, 4, {32, 32, 32, 32}},  // 32_32_32_32
    {},                         // reserved
};

// Floats exist of 32, 16, and in 10_11_11 and 11_11_10 of 11 and 10 bits; every other number
// format of every width.
constexpr const char* unsupported(unsigned dfmt, unsigned nfmt) {
    const DataFormat& f = kFormats[dfmt & 15];
    if (f.bytes == 0) {
        return refusal_text((dfmt & 15) == 0 ? BufferRefusal::None : BufferRefusal::ReservedFormat);
    }
    if (static_cast<NumFormat>(nfmt) == NumFormat::Float && f.bits[0] != 16 && f.bits[0] != 32 &&
        f.components != 3) {
        return refusal_text(BufferRefusal::FloatFormat);
    }
    return nullptr;
}

struct LaneFormats {
    LaneFormat of[16][8];

    constexpr LaneFormats() : of{} {
        for (unsigned dfmt = 0; dfmt < 16; ++dfmt) {
            for (unsigned nfmt = 0; nfmt < 8; ++nfmt) {
                const DataFormat& f = kFormats[dfmt];
                LaneFormat& lanes = of[dfmt][nfmt];
                lanes.set_up(f.bytes, f.components, f.bits, static_cast<NumFormat>(nfmt));
                lanes.usable = f.bytes != 0 && unsupported(dfmt, nfmt) == nullptr;
            }
        }
    }
};
constexpr LaneFormats kLaneFormats;

}  // namespace

const DataFormat& data_format(unsigned dfmt) {
    return kFormats[dfmt & 15];
}

const char* unsupported_load(unsigned dfmt, unsigned nfmt) {
    return unsupported(dfmt, nfmt);
}

const char* unsupported_store(unsigned dfmt, unsigned nfmt) {
    switch (static_cast<NumFormat>(nfmt)) {
        case NumFormat::Uscaled:
        case NumFormat::Sscaled:
        case NumFormat::SnormOgl:
            return refusal_text(BufferRefusal::LoadOnlyFormat);
        default:
            return unsupported(dfmt, nfmt);
    }
}

const LaneFormat& buffer_lane_format(unsigned dfmt, unsigned nfmt) {
    return kLaneFormats.of[dfmt & 15][nfmt & 7];
}

void TypedElements::load(const FormatLanes& lanes, const VReg* raw, uint64_t inside,
                         uint64_t outside, VReg* to) const {
    unsigned needed = 0;
    for (unsigned c = 0; c < registers; ++c) {
        needed |= selector(c) >= 4 ? 1u << (selector(c) - 4) : 0;
    }
    alignas(64) VReg value[4];
    {
        const FpEnvPause host_floats;
        lanes.unpack(*format, raw, needed, value);
    }
    alignas(64) VReg constant;
    for (unsigned c = 0; c < registers; ++c) {
        const unsigned sel = selector(c);
        if (sel < 4) {
            std::fill_n(constant, kLanes, sel == 1 ? format->one : 0);
        } else if (outside != 0) {
            clear(value[sel - 4], outside);
        }
        blend(to[c], sel < 4 ? constant : value[sel - 4], inside | outside);
    }
}

void TypedElements::store(const FormatLanes& lanes, const VReg* from, VReg* raw) const {
    alignas(64) VReg ones;
    const uint32_t* in[4] = {};
    for (unsigned c = 0; c < 4; ++c) {
        const unsigned sel = selector(c);
        if (sel == 1) {
            std::fill_n(ones, kLanes, format->one);
            in[c] = ones;
        } else if (sel >= 4 && sel < 4u + registers) {
            in[c] = from[sel - 4];
        }  // components the instruction does not supply are stored as 0
    }
    const FpEnvPause host_floats;
    lanes.pack(*format, in, raw);
}

}  // namespace archipelago::isa
