// SPDX-License-Identifier: Apache-2.0
// Blending: source and destination weighed by factors and combined, for the 64 lanes of a batch.
// CB_BLENDn_CONTROL. Every step is one operation in binary32, rounded to nearest even; denormal
// operands and results count as 0 (DECISIONS.md).
#pragma once

#include <array>
#include <cstdint>

#include "models/cb/colour_format.h"

namespace archipelago::cb {

// BlendOp, by its code.
enum class BlendFactor : uint8_t {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    DstColor,
    OneMinusDstColor,
    SrcAlphaSaturate,
    BothSrcAlpha,     // source alpha for the source, 1 - it for the destination
    BothInvSrcAlpha,  // the reverse
    ConstantColor,
    OneMinusConstantColor,
    Src1Color,
    InvSrc1Color,
    Src1Alpha,
    InvSrc1Alpha,
    ConstantAlpha,
    OneMinusConstantAlpha,
};
constexpr uint32_t kBlendFactors = 21;

// CombFunc, by its code.
enum class Combine : uint8_t { DstPlusSrc, SrcMinusDst, Min, Max, DstMinusSrc };
constexpr uint32_t kCombines = 5;

struct BlendEquation {
    BlendFactor source = BlendFactor::One, destination = BlendFactor::Zero;
    Combine combine = Combine::DstPlusSrc;
};

struct Blend {
    bool enabled = false;
    BlendEquation colour, alpha;
    bool clamp = false;  // BLEND_CLAMP: source, destination and constant are clamped to [0, 1]
    bool simple_float = false;  // a product with 0 is 0, of infinity and NaN, too
    std::array<float, 4> constant{};

    const BlendEquation& of(unsigned component) const {
        return component == kAlpha ? alpha : colour;
    }
    bool reads_source1() const;
};

// Components as floats' bits, of the first `lanes` lanes. `source1`: the export to target 1.
// Computes those in `components`.
void blend(const Blend& state, const Vector& source, const Vector& source1,
           const Vector& destination, uint8_t components, unsigned lanes, Vector& result);

}  // namespace archipelago::cb
