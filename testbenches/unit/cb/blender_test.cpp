// SPDX-License-Identifier: Apache-2.0
// Blending against an oracle that works on one pixel after the other, by the text of the facts.
#include "models/cb/blender.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "colour_bench.h"

namespace archipelago::cb {
namespace {

struct Pixel {
    float s[4], s1[4], d[4];
};

// One operation in binary32; denormals are 0.
float step(float x) {
    return std::fpclassify(x) == FP_SUBNORMAL || x == 0 ? 0.0f : x;
}

float factor_of(uint32_t code, unsigned c, const Pixel& p, const float (&k)[4]) {
    const float as = p.s[3], ad = p.d[3];
    switch (code) {
        case 0:
            return 0;
        case 1:
            return 1;
        case 2:
            return p.s[c];
        case 3:
            return 1 - p.s[c];
        case 4:
        case 11:
            return as;
        case 5:
        case 12:
            return 1 - as;
        case 6:
            return ad;
        case 7:
            return 1 - ad;
        case 8:
            return p.d[c];
        case 9:
            return 1 - p.d[c];
        case 10:
            return c == 3 ? 1 : as < 1 - ad ? as : 1 - ad;
        case 13:
            return k[c];
        case 14:
            return 1 - k[c];
        case 15:
            return p.s1[c];
        case 16:
            return 1 - p.s1[c];
        case 17:
            return p.s1[3];
        case 18:
            return 1 - p.s1[3];
        case 19:
            return k[3];
        default:
            return 1 - k[3];
    }
}

float oracle(const Blend& state, unsigned c, const Pixel& exact) {
    Pixel p = exact;
    float k[4];
    const auto operand = [&](float x) {
        if (state.clamp)
            return std::isnan(x) ? 0.0f : std::min(std::max(x, 0.0f), 1.0f);
        return step(x);
    };
    for (unsigned i = 0; i < 4; ++i) {
        p.s[i] = operand(p.s[i]);
        p.s1[i] = operand(p.s1[i]);
        p.d[i] = operand(p.d[i]);
        k[i] = operand(state.constant[i]);
    }
    const BlendEquation& e = c == 3 ? state.alpha : state.colour;
    const auto source = static_cast<uint32_t>(e.source);
    auto destination = static_cast<uint32_t>(e.destination);
    if (source == 11 || source == 12)
        destination = source;
    if (destination == 11)
        destination = 5;  // BOTH_SRC_ALPHA: 1 - As
    else if (destination == 12)
        destination = 4;
    const auto product = [&](float x, float f) {
        if (state.simple_float && !state.clamp && (x == 0 || f == 0))
            return 0.0f;
        const float product_of = x * f;
        return step(product_of);
    };
    const float s = product(p.s[c], factor_of(source, c, p, k));
    const float d = product(p.d[c], factor_of(destination, c, p, k));
    switch (static_cast<uint32_t>(e.combine)) {
        case 0:
            return step(s + d);
        case 1:
            return step(s - d);
        case 2:
            return step(p.s[c] < p.d[c] ? p.s[c] : p.d[c]);
        case 3:
            return step(p.s[c] > p.d[c] ? p.s[c] : p.d[c]);
        default:
            return step(d - s);
    }
}

// Clamped operands and products are not flushed: codes of normalised formats do not show it.
bool same(float a, float b, bool clamp) {
    return (std::isnan(a) && std::isnan(b)) || a == b || (clamp && std::fabs(a - b) < 1e-37f);
}

float random_number(std::mt19937& random, bool wild) {
    if (wild)
        switch (random() % 8) {
            case 0:
                return 0;
            case 1:
                return std::numeric_limits<float>::infinity();
            case 2:
                return std::nanf("");
            case 3:
                return 1e-39f;
            case 4:
                return -3e38f;
            default:
                break;
        }
    return std::uniform_real_distribution<float>(-1.5f, 1.5f)(random);
}
void fill(Vector& v, std::mt19937& random, bool wild) {
    for (Lane& lane : v)
        for (uint32_t& x : lane)
            x = bits(random_number(random, wild));
}

class Blending : public ::testing::TestWithParam<bool> {};

TEST_P(Blending, EveryFactorAndFunction) {
    const bool wild = GetParam();
    std::mt19937 random(5);
    for (uint32_t sf = 0; sf < kBlendFactors; ++sf)
        for (uint32_t df = 0; df < kBlendFactors; ++df)
            for (uint32_t f = 0; f < kCombines; ++f) {
                Blend state;
                state.enabled = true;
                state.colour = {static_cast<BlendFactor>(sf), static_cast<BlendFactor>(df),
                                static_cast<Combine>(f)};
                state.alpha =
                    random() % 2 == 0
                        ? state.colour
                        : BlendEquation{static_cast<BlendFactor>(random() % kBlendFactors),
                                        static_cast<BlendFactor>(random() % kBlendFactors),
                                        static_cast<Combine>(random() % kCombines)};
                state.clamp = random() % 2 == 0;
                state.simple_float = random() % 2 == 0;
                for (float& k : state.constant)
                    k = random_number(random, wild);
                Vector s, s1, d, result{};
                fill(s, random, wild);
                fill(s1, random, wild);
                fill(d, random, wild);
                blend(state, s, s1, d, 0xF, kLanes, result);
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    Pixel p{};
                    for (unsigned c = 0; c < 4; ++c) {
                        p.s[c] = number(s[c][lane]);
                        p.s1[c] = number(s1[c][lane]);
                        p.d[c] = number(d[c][lane]);
                    }
                    for (unsigned c = 0; c < 4; ++c)
                        ASSERT_TRUE(same(number(result[c][lane]), oracle(state, c, p), state.clamp))
                            << "factors " << sf << " " << df << " function " << f << " component "
                            << c << ": " << number(result[c][lane]) << ", not "
                            << oracle(state, c, p);
                }
            }
}
INSTANTIATE_TEST_SUITE_P(Numbers, Blending, ::testing::Bool());

TEST(BlendStates, SecondSourceIsReadByItsFactorsAlone) {
    Blend state;
    state.enabled = true;
    EXPECT_FALSE(state.reads_source1());
    state.alpha.destination = BlendFactor::InvSrc1Alpha;
    EXPECT_TRUE(state.reads_source1());
    state.alpha.combine = Combine::Max;
    EXPECT_FALSE(state.reads_source1());
    state.colour.source = BlendFactor::Src1Color;
    EXPECT_TRUE(state.reads_source1());
    state.enabled = false;
    EXPECT_FALSE(state.reads_source1());
}

}  // namespace
}  // namespace archipelago::cb
