// SPDX-License-Identifier: Apache-2.0
// image_sample*, image_gather4* and image_get_lod against the scalar reference.
#include <gtest/gtest.h>

#include <set>

#include "testbenches/unit/isa/image_sampling_reference.h"

namespace archipelago::isa::image_sample_test {
namespace {

using namespace test;

// What the mnemonic says, read from its text.
struct Form {
    bool gather = false, query = false, compare = false, offset = false, bias = false;
    bool clamp = false, derivatives = false, coarse = false, given = false, zero = false;
};
Form form_of(const std::string& name) {
    Form f;
    std::set<std::string> words;
    for (size_t at = 0; at < name.size();) {
        const size_t end = std::min(name.find('_', at), name.size());
        words.insert(name.substr(at, end - at));
        at = end + 1;
    }
    f.gather = words.count("gather4") != 0;
    f.query = words.count("lod") != 0;
    f.compare = words.count("c") != 0;
    f.offset = words.count("o") != 0;
    f.bias = words.count("b") != 0;
    f.clamp = words.count("cl") != 0;
    f.coarse = words.count("cd") != 0;
    f.derivatives = words.count("d") != 0 || f.coarse;
    f.given = words.count("l") != 0;
    f.zero = words.count("lz") != 0;
    return f;
}

std::vector<Op> sampling_ops() {
    std::vector<Op> ops;
    for (unsigned i = 0; i < kOpCount; ++i) {
        const auto op = static_cast<Op>(i);
        if (op_info(op).mem == MemKind::ImageSample || op == Op::IMAGE_GET_LOD) {
            ops.push_back(op);
        }
    }
    return ops;
}

struct Format {
    unsigned dfmt, nfmt;
};
const Format kSampled[] = {{10, 0}, {10, 1}, {10, 9}, {10, 4}, {10, 5}, {12, 7}, {4, 7},
                           {14, 7}, {16, 0}, {17, 0}, {9, 0},  {5, 0},  {5, 1},  {1, 0},
                           {10, 6}, {19, 0}, {8, 0},  {2, 3},  {57, 0}};

Resource random_resource(ImageRandom& random, unsigned type) {
    Resource r;
    r.type = type;
    r.width = 1 + random.below(40);
    r.height = type == kCube ? r.width : 1 + random.below(40);
    const unsigned layers = 1 + random.below(5);
    r.depth = type == k3d ? 1 + random.below(12) : r.array() || type == kCube ? layers : 1;
    const unsigned slices = type == kCube ? 6 * layers : type == k3d ? 1 : layers;
    if (r.array()) {
        r.base_array = random.below(slices);
        r.last_array = r.base_array + random.below(slices - r.base_array);
    } else if (type == kCube) {
        r.last_array = slices - 1;
    }
    r.last_level = random.below(6);
    r.base_level = random.below(r.last_level + 1);
    const Format f = kSampled[random.below(sizeof kSampled / sizeof *kSampled)];
    r.dfmt = f.dfmt;
    r.nfmt = f.nfmt;
    static const unsigned kTilings[] = {kLinear, k1dThin, k1dDisplay, k2dThin, k2dDisplay};
    r.tiling = kTilings[random.below(5)];
    r.pow2_pad = true;
    if (random.below(2) != 0) {
        r.dst_sel = 0;
        for (unsigned c = 0; c < 4; ++c) {
            static const unsigned kSelectors[] = {0, 1, 4, 5, 6, 7};
            r.dst_sel |= kSelectors[random.below(6)] << (3 * c);
        }
    }
    r.min_lod = random.below(3) == 0 ? random.below(512) : 0;
    return r;
}

Sampler random_sampler(ImageRandom& random) {
    Sampler s;
    for (unsigned& w : s.wrap) {
        w = random.below(8);
    }
    s.compare = random.below(8);
    s.unnormalized = random.below(5) == 0;
    s.trunc = random.below(2) != 0;
    s.degamma = random.below(4) == 0;
    s.no_cube_wrap = random.below(2) != 0;
    s.filter_mode = random.below(4) == 0 ? 1 + random.below(2) : 0;
    s.min_lod = random.below(2) != 0 ? random.below(400) : 0;
    s.max_lod = random.below(2) != 0 ? s.min_lod + random.below(900) : 0xfff;
    s.bias = random.below(2) != 0 ? static_cast<int>(random.below(2048)) - 1024 : 0;
    s.mag = random.below(4);
    s.min = random.below(4);
    s.z = random.below(3);
    s.mip = random.below(3);
    s.preclamp = random.below(2) != 0;
    s.border_ptr = random.below(64);
    s.border = random.below(4);
    return s;
}

struct Lane {
    SampleInput in;
    std::vector<uint32_t> registers;
};

// The inputs of the four lanes of a quad, and their address registers.
void make_quad(ImageRandom& random, const Resource& r, const Sampler& s, const Form& f, bool array,
               bool unnormalized, Lane* lanes) {
    double origin[3];
    double step[3][2];
    const double spread = std::ldexp(1.0, static_cast<int>(random.below(8)) - 6);
    for (unsigned c = 0; c < 3; ++c) {
        const unsigned size = c == 0 ? r.width : c == 1 ? r.height : r.depth;
        const double scale = unnormalized ? size : 1.0;
        origin[c] = random.real(-1.7, 2.7) * scale;
        if (r.type == kCube && !unnormalized) {
            origin[c] = random.real(1.0, 2.0);
        }
        step[c][0] = random.real(-1, 1) * spread * scale / size;
        step[c][1] = random.real(-1, 1) * spread * scale / size;
    }
    (void)s;
    for (unsigned k = 0; k < 4; ++k) {
        Lane& lane = lanes[k];
        lane = Lane{};
        SampleInput& in = lane.in;
        std::vector<uint32_t>& v = lane.registers;
        if (f.offset) {
            uint32_t packed = random.next() & 0xc0c0c0c0u;  // bits the fields do not use
            for (unsigned c = 0; c < 3; ++c) {
                in.offset[c] = static_cast<int>(random.below(64)) - 32;
                in.offset[c] = r.type == kCube ? in.offset[c] % 2 : in.offset[c];
                packed |= (static_cast<uint32_t>(in.offset[c]) & 63) << (8 * c);
            }
            v.push_back(packed);
        }
        if (f.bias) {
            const auto bias = static_cast<float>(random.real(-3, 3));
            in.bias = bias;
            v.push_back(bits(bias));
        }
        if (f.compare) {
            in.compares = true;
            // Sometimes exactly 0 or 1, which texels are too.
            const auto ref = random.below(3) == 0 ? static_cast<float>(random.below(2))
                                                  : static_cast<float>(random.real(-0.5, 1.5));
            in.reference = ref;
            v.push_back(bits(ref));
        }
        const unsigned dims = r.dims();
        if (f.derivatives) {
            for (unsigned d = 0; d < 2; ++d) {
                for (unsigned c = 0; c < dims; ++c) {
                    const auto value = static_cast<float>(step[c][d] * random.real(0.5, 1.0));
                    (d == 0 ? in.rows : in.columns)[c] = value;
                    v.push_back(bits(value));
                }
            }
        }
        for (unsigned c = 0; c < dims; ++c) {
            const auto value =
                static_cast<float>(origin[c] + (k & 1) * step[c][0] + (k >> 1) * step[c][1]);
            in.coordinate[c] = value;
            v.push_back(bits(value));
        }
        if (r.type == kCube) {
            const unsigned cube = random.below(r.depth);
            const auto face = static_cast<float>(random.below(6) + 8 * cube);
            in.slice = face;
            v.push_back(bits(face));
        } else if (array && dims != 3) {
            const auto slice = static_cast<float>(random.real(-1.0, r.depth + 1.0));
            in.slice = slice;
            v.push_back(bits(slice));
        }
        if (f.clamp || f.given) {
            const auto lod = static_cast<float>(random.real(-2, 6));
            in.has_clamp = f.clamp;
            in.clamp = lod;
            in.lod = lod;
            v.push_back(bits(lod));
        }
        in.lod_given = f.given || f.zero;
    }
}

// Derivatives the reference is to use, as the rules of quads give them.
void spread_derivatives(const Form& f, unsigned dims, uint64_t exec, unsigned first, Lane* lanes) {
    if (f.coarse) {
        unsigned from = 0;
        while ((exec >> (first + from) & 1) == 0) {
            ++from;
        }
        for (unsigned k = 0; k < 4; ++k) {
            std::copy(lanes[from].in.rows, lanes[from].in.rows + 3, lanes[k].in.rows);
            std::copy(lanes[from].in.columns, lanes[from].in.columns + 3, lanes[k].in.columns);
        }
    } else if (!f.derivatives) {
        for (unsigned k = 0; k < 4; ++k) {
            for (unsigned c = 0; c < dims; ++c) {
                lanes[k].in.rows[c] = lanes[1].in.coordinate[c] - lanes[0].in.coordinate[c];
                lanes[k].in.columns[c] = lanes[2].in.coordinate[c] - lanes[0].in.coordinate[c];
            }
        }
    }
}

double selected(const Resource& r, const Texel& t, unsigned c) {
    const unsigned sel = r.dst_sel >> (3 * c) & 7;
    return sel >= 4 ? t.c[sel - 4] : sel;
}

void expect_value(uint32_t got, double expected, bool integer, const char* what, unsigned lane) {
    if (integer) {
        EXPECT_EQ(got, static_cast<uint32_t>(static_cast<int64_t>(expected)))
            << what << " lane " << lane;
        return;
    }
    const double tolerance = 1e-6 * std::max(1.0, std::fabs(expected));
    EXPECT_NEAR(as_float(got), expected, tolerance) << what << " lane " << lane;
}

constexpr uint64_t kBorders = 0x7000000;

// One instruction on one random resource and sampler.
void check(ImageRandom& random, Op op, unsigned type, ImageMachine& m) {
    const Form f = form_of(op_info(op).name);
    Resource r = random_resource(random, type);
    if (f.compare && (r.nfmt == 4 || r.nfmt == 5)) {
        r.nfmt = 0;
    }
    Sampler s = random_sampler(random);
    const Reference image(r, m.tiling, m.memory);
    if (!image.valid) {
        GTEST_FAIL() << image.error;
    }
    const bool array = r.array() ? random.below(8) != 0 : r.type == kCube || random.below(4) == 0;
    Mimg e;
    e.da = array;
    e.unorm = random.below(6) == 0;
    e.dmask = f.gather ? 1u << random.below(4) : 1 + random.below(15);
    e.vaddr = 0;
    const bool unnormalized = s.unnormalized || e.unorm;
    std::vector<Lane> lanes(kLanes);
    const uint64_t exec = (uint64_t{random.next()} << 32 | random.next()) | uint64_t{1}
                                                                                << random.below(64);
    for (unsigned q = 0; q < kLanes; q += 4) {
        make_quad(random, r, s, f, array, unnormalized, &lanes[q]);
        if ((exec >> q & 15) != 0) {
            spread_derivatives(f, r.dims(), exec, q, &lanes[q]);
        }
        for (unsigned k = 0; k < 4; ++k) {
            for (size_t v = 0; v < lanes[q + k].registers.size(); ++v) {
                m.w.v[v][q + k] = lanes[q + k].registers[v];
            }
            // A view of one slice ignores what is passed.
            if (r.array() && !array) {
                lanes[q + k].in.slice = 0;
            }
        }
    }
    for (unsigned v = 16; v < 24; ++v) {
        m.fill(v, [](unsigned l) { return 0xdead0000u + l; });
    }
    m.w.set_exec(exec);
    m.set(e.srsrc, r);
    m.set(e.ssamp, s);
    const Inst inst = mimg(op, e);
    ASSERT_TRUE(is_implemented(inst));
    const char* refused = m.execute(inst);
    if (f.gather && (type == k1d || type == k3d || type == k1dArray)) {
        EXPECT_STREQ(refused, "image_gather4 on an image that is not 2D or a cube");
        return;
    }
    ASSERT_EQ(refused, nullptr) << refused;
    const SamplingReference reference(image, s, e.unorm, m.memory, kBorders);
    const bool integer = r.nfmt == 4 || r.nfmt == 5;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((exec >> lane & 1) == 0) {
            EXPECT_EQ(m.w.v[16][lane], 0xdead0000u + lane) << "a lane that is off was written";
            continue;
        }
        const SampleInput& in = lanes[lane].in;
        if (f.gather) {
            Texel four[4];
            reference.gather(in, four);
            unsigned component = 0;
            while ((e.dmask >> component & 1) == 0) {
                ++component;
            }
            for (unsigned k = 0; k < 4; ++k) {
                const unsigned sel = r.dst_sel >> (3 * component) & 7;
                // Table colours are passed on as bits.
                if (integer && s.border == 3) {
                    continue;
                }
                expect_value(m.w.v[16 + k][lane], sel >= 4 ? four[k].c[sel - 4] : sel, integer,
                             op_info(op).name, lane);
            }
            EXPECT_EQ(m.w.v[20][lane], 0xdead0000u + lane);
            continue;
        }
        unsigned next = 16;
        Texel t;
        if (f.query) {
            const auto [level, fraction] = reference.level(in, integer);
            t = {{level + fraction, reference.raw_lod(in) / 256.0, 0, 0}};
        } else {
            t = reference.sample(in);
        }
        for (unsigned c = 0; c < 4; ++c) {
            if ((e.dmask >> c & 1) != 0) {
                if (f.query) {
                    expect_value(m.w.v[next][lane], t.c[c], false, "lod", lane);
                } else if (!(integer && s.border == 3)) {
                    expect_value(m.w.v[next][lane], selected(r, t, c), integer, op_info(op).name,
                                 lane);
                }
                ++next;
            }
        }
        EXPECT_EQ(m.w.v[next][lane], 0xdead0000u + lane) << "written beyond DMASK";
    }
}

void place_borders(ImageMachine& m) {
    m.tiling.cs_border_colors = kBorders / 256;
    ImageRandom random(5);
    for (unsigned i = 0; i < 64 * 4; ++i) {
        const auto f = static_cast<float>(random.real(-1, 1));
        m.memory.write(kBorders + 4 * i, &f, 4);
    }
}

class Sampling : public testing::TestWithParam<unsigned> {};

TEST_P(Sampling, EveryOpcodeMatchesTheReference) {
    ImageMachine m;
    place_borders(m);
    unsigned seed = 0;
    for (const Op op : sampling_ops()) {
        for (unsigned turn = 0; turn < 30; ++turn) {
            SCOPED_TRACE(std::string(op_info(op).name) + " seed " + std::to_string(seed));
            ImageRandom random(GetParam() * 100000 + seed++);
            check(random, op, GetParam(), m);
            if (HasFatalFailure() || HasNonfatalFailure()) {
                return;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Types, Sampling,
                         testing::Values(k1d, k2d, k3d, kCube, k1dArray, k2dArray));

TEST(SamplingOps, AllOfTheTableAreTested) {
    EXPECT_EQ(sampling_ops().size(), 65u);
}

// ---- cases worked out by hand -------------------------------------------------------------------

struct Hand : testing::Test {
    ImageMachine m;
    Resource r;
    Sampler s;
    Mimg e;

    Hand() {
        r.width = 4;
        r.height = 4;
        r.dfmt = 4;  // 32 FLOAT
        r.nfmt = 7;
        e.dmask = 1;
        m.w.set_exec(1);
    }
    // Texel (x, y) holds `value`.
    void put(unsigned x, unsigned y, float value) {
        const Reference image(r, m.tiling, m.memory);
        ASSERT_TRUE(image.valid) << image.error;
        m.memory.write(image.address(0, x, y, 0), &value, 4);
    }
    float at(float x, float y) {
        m.w.v[0][0] = bits(x);
        m.w.v[1][0] = bits(y);
        m.set(e.srsrc, r);
        m.set(e.ssamp, s);
        const char* refused = m.execute(mimg(Op::IMAGE_SAMPLE_LZ, e));
        EXPECT_EQ(refused, nullptr) << refused;
        return as_float(m.w.v[16][0]);
    }
    void ramp() {
        for (unsigned y = 0; y < 4; ++y) {
            for (unsigned x = 0; x < 4; ++x) {
                put(x, y, static_cast<float>(x + 10 * y));
            }
        }
    }
};

TEST_F(Hand, PointsAndLinesOfARamp) {
    ramp();
    EXPECT_EQ(at(0.125f, 0.125f), 0.0f);
    EXPECT_EQ(at(0.9f, 0.6f), 23.0f);
    s.mag = 1;
    s.wrap[0] = s.wrap[1] = 2;
    EXPECT_EQ(at(0.5f, 0.5f), 16.5f);       // between texels 1 and 2 both ways
    EXPECT_EQ(at(0.4375f, 0.125f), 1.25f);  // a quarter past the centre of texel 1
    EXPECT_EQ(at(-5.0f, 7.0f), 30.0f);
}

TEST_F(Hand, WrapModesAtTheEdges) {
    ramp();
    const float kBelow[8] = {3, 0, 0, 0, 0, 0, 0, 0};      // texel -1
    const float kAbove[8] = {0, 3, 3, 3, 3, 3, -1, -1};    // texel 4
    const float kFarBelow[8] = {1, 2, 0, 2, 0, 2, -1, 2};  // texel -3
    for (unsigned wrap = 0; wrap < 8; ++wrap) {
        SCOPED_TRACE(wrap);
        s.wrap[0] = wrap;
        s.wrap[1] = 2;
        s.border = 2;  // white, told from texels by adding 1 to nothing: 1 is texel (1, 0) too
        const float above = at(1.125f, 0.1f);
        EXPECT_EQ(above, kAbove[wrap] < 0 ? 1.0f : kAbove[wrap]);
        const float far = at(-0.625f, 0.1f);
        EXPECT_EQ(far, kFarBelow[wrap] < 0 ? 1.0f : kFarBelow[wrap]);
        if (wrap != 6) {
            EXPECT_EQ(at(-0.125f, 0.1f), kBelow[wrap]);
        } else {
            EXPECT_EQ(at(-0.125f, 0.1f), 1.0f);
        }
    }
    // Half border: linear filtering mixes the border in up to one half.
    s.mag = 1;
    s.wrap[0] = 4;
    EXPECT_EQ(at(1.5f, 0.125f), 0.5f * 3 + 0.5f * 1);
}

TEST_F(Hand, OddValuesOfCoordinatesAreDefined) {
    ramp();
    s.wrap[0] = s.wrap[1] = 2;
    const float nan = std::nanf("");
    EXPECT_EQ(at(nan, nan), 0.0f);
    EXPECT_EQ(at(INFINITY, INFINITY), 33.0f);
    EXPECT_EQ(at(-INFINITY, 1e30f), 30.0f);
    s.wrap[0] = s.wrap[1] = 0;
    EXPECT_EQ(at(INFINITY, nan), 0.0f);
    EXPECT_EQ(at(1e30f, -1e30f), 0.0f);
    EXPECT_EQ(at(1000000.25f, 0.0f), 1.0f);
}

TEST_F(Hand, TruncationAndRoundingDifferBelowHalfAStep) {
    ramp();
    // 255.75 / 256 of a texel below texel 1.
    const float x = (255.75f / 256.0f) / 4.0f;
    EXPECT_EQ(at(x, 0.0f), 1.0f);
    s.trunc = true;
    EXPECT_EQ(at(x, 0.0f), 0.0f);
}

TEST_F(Hand, AnisotropicFiltersAreIsotropic) {
    ramp();
    s.wrap[0] = s.wrap[1] = 2;
    s.mag = 1;
    const float bilinear = at(0.4f, 0.3f);
    s.mag = 3;
    EXPECT_EQ(at(0.4f, 0.3f), bilinear);
    s.mag = 2;
    EXPECT_EQ(at(0.4f, 0.3f), 11.0f);
}

TEST_F(Hand, LodIsLogarithmOfTheLongerDerivative) {
    r.width = r.height = 64;
    r.last_level = 6;
    m.set(e.srsrc, r);
    s.mip = 2;
    m.set(e.ssamp, s);
    e.dmask = 3;
    struct Case {
        double dx, dy, lod;
    };
    // Texels per pixel along one axis; 2^(1/256) is not reached by rounding.
    const Case cases[] = {{2, 0, 1},    {0, 4, 2},  {3, 4, 2.3203125},     {1, 0, 0},
                          {0.5, 0, -1}, {64, 1, 6}, {1.999, 0, 0.99609375}};
    for (const Case& c : cases) {
        for (unsigned k = 0; k < 4; ++k) {
            m.w.v[0][k] = bits(static_cast<float>((k & 1) * c.dx / 64));
            m.w.v[1][k] = bits(static_cast<float>((k & 1) * c.dy / 64));
        }
        ASSERT_EQ(m.execute(mimg(Op::IMAGE_GET_LOD, e)), nullptr);
        EXPECT_EQ(as_float(m.w.v[17][0]), c.lod) << c.dx << " " << c.dy;
        EXPECT_EQ(as_float(m.w.v[16][0]), std::max(0.0, c.lod));
    }
}

TEST_F(Hand, WhatIsNotSampledSaysSo) {
    const auto refusal = [&](Op op) {
        m.set(e.srsrc, r);
        m.set(e.ssamp, s);
        const char* why = m.execute(mimg(op, e));
        return std::string(why != nullptr ? why : "executed");
    };
    s.mip = 3;
    EXPECT_EQ(refusal(Op::IMAGE_SAMPLE), "sampler with a reserved MIP_FILTER");
    s.mip = 0;
    s.z = 3;
    EXPECT_EQ(refusal(Op::IMAGE_SAMPLE), "sampler with a reserved Z_FILTER");
    s.z = 0;
    s.filter_mode = 3;
    EXPECT_EQ(refusal(Op::IMAGE_SAMPLE), "sampler with a reserved FILTER_MODE");
    s.filter_mode = 0;
    e.dmask = 3;
    EXPECT_EQ(refusal(Op::IMAGE_GATHER4), "image_gather4 whose DMASK is not one component");
    e.dmask = 1;
    r.dfmt = 10;
    r.nfmt = 4;
    EXPECT_EQ(refusal(Op::IMAGE_SAMPLE_C), "depth compare on an image of integers");
    r.type = k2dMsaa;
    r.nfmt = 0;
    EXPECT_EQ(refusal(Op::IMAGE_SAMPLE), "sampling a multisample image");
}

TEST_F(Hand, StatusDwordFollowsTheData) {
    ramp();
    e.tfe = true;
    e.dmask = 1;
    m.w.v[17][0] = 77;
    at(0.1f, 0.1f);
    EXPECT_EQ(m.w.v[17][0], 0u);
    r.min_lod_warn = 256;
    at(0.1f, 0.1f);
    EXPECT_EQ(m.w.v[17][0], 0u) << "only with LWE";
    e.lwe = true;
    at(0.1f, 0.1f);
    EXPECT_EQ(m.w.v[17][0], 1u);
}

TEST_F(Hand, CubeEdgesContinueOnTheNextFace) {
    r.type = kCube;
    r.last_array = 5;
    e.da = true;
    const Reference image(r, m.tiling, m.memory);
    ASSERT_TRUE(image.valid) << image.error;
    // Texel of face +Z at its right edge, and of face +X at its left edge.
    for (unsigned face = 0; face < 6; ++face) {
        for (unsigned y = 0; y < 4; ++y) {
            for (unsigned x = 0; x < 4; ++x) {
                const auto v = static_cast<float>(100 * face + 10 * y + x);
                m.memory.write(image.address(0, x, y, face), &v, 4);
            }
        }
    }
    s.mag = 1;
    m.w.v[2][0] = bits(4.0f);
    // Half way over the right edge of +Z in row 1: texel (3, 1) of +Z and (0, 1) of +X.
    EXPECT_EQ(at(2.0f, 1.375f), (413.0f + 10.0f) / 2);
    // Upwards: +Y's bottom row.
    EXPECT_EQ(at(1.375f, 1.0f), (401.0f + 231.0f) / 2);
    s.no_cube_wrap = true;
    s.wrap[0] = s.wrap[1] = 2;
    EXPECT_EQ(at(2.0f, 1.375f), 413.0f);
}

}  // namespace
}  // namespace archipelago::isa::image_sample_test
