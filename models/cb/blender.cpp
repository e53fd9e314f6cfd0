// SPDX-License-Identifier: Apache-2.0
#include "models/cb/blender.h"

#include "models/raster/lane_floats.h"
#include "models/raster/lane_loops.h"

namespace archipelago::cb {
namespace {

using raster::bits_of;
using raster::float_of;

using Floats = std::array<float, kLanes>;
using Colour = std::array<Floats, 4>;

// Without denormals.
float flushed(float x) {
    return float_of((bits_of(x) & 0x7f800000u) == 0 ? 0 : bits_of(x));
}
// NaN is 0.
float clamped(float x) {
    x = x > 0.0f ? x : 0.0f;
    return x < 1.0f ? x : 1.0f;
}
float operand(const Blend& state, float x) {
    return state.clamp ? clamped(x) : flushed(x);
}

void prepare(const Blend& state, const Vector& from, unsigned lanes, Colour& to) {
    for (unsigned c = 0; c < 4; ++c)
        if (state.clamp)
            for (unsigned i = 0; i < lanes; ++i)
                to[c][i] = clamped(float_of(from[c][i]));
        else
            for (unsigned i = 0; i < lanes; ++i)
                to[c][i] = flushed(float_of(from[c][i]));
}

struct Operands {
    Colour source, source1, destination;
    std::array<float, 4> constant;
};

// The arithmetic of one product. `Clamped`: operands are numbers of at most 1, whose products make
// no difference when they are denormal.
template <bool Clamped, bool Simple>
float product(float x, float factor) {
    if (Clamped)
        return x * factor;
    const float p = flushed(x * factor);
    return Simple ? (x == 0.0f || factor == 0.0f ? 0.0f : p) : p;
}

template <bool Clamped, bool Simple, class Factor>
void weigh(const Floats& x, unsigned lanes, Floats& to, const Factor& factor) {
    for (unsigned i = 0; i < lanes; ++i)
        to[i] = product<Clamped, Simple>(x[i], factor(i));
}

// x times the factor for component `c`.
template <bool Clamped, bool Simple>
void weigh_by(BlendFactor factor, unsigned c, const Operands& o, const Floats& x, unsigned lanes,
              Floats& to) {
    const auto by = [&](const auto& f) { weigh<Clamped, Simple>(x, lanes, to, f); };
    const auto by_lane = [&](const Floats& f) { by([&](unsigned i) { return f[i]; }); };
    const auto by_rest = [&](const Floats& f) { by([&](unsigned i) { return 1.0f - f[i]; }); };
    const auto by_value = [&](float f) { by([=](unsigned) { return f; }); };
    switch (factor) {
        case BlendFactor::Zero:
            return by_value(0.0f);
        case BlendFactor::One:
            return by_value(1.0f);
        case BlendFactor::SrcColor:
            return by_lane(o.source[c]);
        case BlendFactor::OneMinusSrcColor:
            return by_rest(o.source[c]);
        case BlendFactor::SrcAlpha:
        case BlendFactor::BothSrcAlpha:
            return by_lane(o.source[kAlpha]);
        case BlendFactor::OneMinusSrcAlpha:
        case BlendFactor::BothInvSrcAlpha:
            return by_rest(o.source[kAlpha]);
        case BlendFactor::DstAlpha:
            return by_lane(o.destination[kAlpha]);
        case BlendFactor::OneMinusDstAlpha:
            return by_rest(o.destination[kAlpha]);
        case BlendFactor::DstColor:
            return by_lane(o.destination[c]);
        case BlendFactor::OneMinusDstColor:
            return by_rest(o.destination[c]);
        case BlendFactor::SrcAlphaSaturate:
            if (c == kAlpha)
                return by_value(1.0f);
            return by([&](unsigned i) {
                const float rest = 1.0f - o.destination[kAlpha][i];
                return o.source[kAlpha][i] < rest ? o.source[kAlpha][i] : rest;
            });
        case BlendFactor::ConstantColor:
            return by_value(o.constant[c]);
        case BlendFactor::OneMinusConstantColor:
            return by_value(1.0f - o.constant[c]);
        case BlendFactor::Src1Color:
            return by_lane(o.source1[c]);
        case BlendFactor::InvSrc1Color:
            return by_rest(o.source1[c]);
        case BlendFactor::Src1Alpha:
            return by_lane(o.source1[kAlpha]);
        case BlendFactor::InvSrc1Alpha:
            return by_rest(o.source1[kAlpha]);
        case BlendFactor::ConstantAlpha:
            return by_value(o.constant[kAlpha]);
        case BlendFactor::OneMinusConstantAlpha:
            return by_value(1.0f - o.constant[kAlpha]);
    }
}

// BOTH_* of the source is the factor of the destination, too.
BlendFactor destination_factor(const BlendEquation& e) {
    const BlendFactor pair =
        e.source == BlendFactor::BothSrcAlpha || e.source == BlendFactor::BothInvSrcAlpha
            ? e.source
            : e.destination;
    if (pair == BlendFactor::BothSrcAlpha)
        return BlendFactor::OneMinusSrcAlpha;
    return pair == BlendFactor::BothInvSrcAlpha ? BlendFactor::SrcAlpha : pair;
}

template <class Function>
void combine_by(const Floats& s, const Floats& d, unsigned lanes, Lane& to, const Function& f) {
    for (unsigned i = 0; i < lanes; ++i)
        to[i] = bits_of(flushed(f(s[i], d[i])));
}

template <bool Clamped, bool Simple>
void blend_component(const BlendEquation& e, unsigned c, const Operands& o, unsigned lanes,
                     Lane& to) {
    if (e.combine == Combine::Min)
        return combine_by(o.source[c], o.destination[c], lanes, to,
                          [](float s, float d) { return s < d ? s : d; });
    if (e.combine == Combine::Max)
        return combine_by(o.source[c], o.destination[c], lanes, to,
                          [](float s, float d) { return s > d ? s : d; });
    Floats source, destination;
    weigh_by<Clamped, Simple>(e.source, c, o, o.source[c], lanes, source);
    weigh_by<Clamped, Simple>(destination_factor(e), c, o, o.destination[c], lanes, destination);
    switch (e.combine) {
        case Combine::SrcMinusDst:
            return combine_by(source, destination, lanes, to,
                              [](float s, float d) { return s - d; });
        case Combine::DstMinusSrc:
            return combine_by(source, destination, lanes, to,
                              [](float s, float d) { return d - s; });
        default:
            return combine_by(source, destination, lanes, to,
                              [](float s, float d) { return s + d; });
    }
}

bool is_source1(BlendFactor factor) {
    return factor >= BlendFactor::Src1Color && factor <= BlendFactor::InvSrc1Alpha;
}
bool reads_source1_in(const BlendEquation& e) {
    return e.combine != Combine::Min && e.combine != Combine::Max &&
           (is_source1(e.source) || is_source1(e.destination));
}

}  // namespace

bool Blend::reads_source1() const {
    return enabled && (reads_source1_in(colour) || reads_source1_in(alpha));
}

ARCHIPELAGO_LANE_LOOPS
void blend(const Blend& state, const Vector& source, const Vector& source1,
           const Vector& destination, uint8_t components, unsigned lanes, Vector& result) {
    Operands o;
    prepare(state, source, lanes, o.source);
    prepare(state, destination, lanes, o.destination);
    if (state.reads_source1())
        prepare(state, source1, lanes, o.source1);
    for (unsigned c = 0; c < 4; ++c)
        o.constant[c] = operand(state, state.constant[c]);
    for (unsigned c = 0; c < 4; ++c) {
        if ((components >> c & 1) == 0)
            continue;
        const BlendEquation& e = state.of(c);
        if (state.clamp)
            blend_component<true, false>(e, c, o, lanes, result[c]);
        else if (state.simple_float)
            blend_component<false, true>(e, c, o, lanes, result[c]);
        else
            blend_component<false, false>(e, c, o, lanes, result[c]);
    }
}

}  // namespace archipelago::cb
