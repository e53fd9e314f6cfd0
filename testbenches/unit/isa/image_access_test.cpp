// SPDX-License-Identifier: Apache-2.0
// Image instructions without sampler: loads, stores, atomics, queries, refusals.
#include <gtest/gtest.h>

#include "testbenches/unit/isa/image_bench.h"

namespace archipelago::isa::image_access_test {
namespace {

using namespace test;

constexpr unsigned kTypes[] = {k1d, k2d, k3d, kCube, k1dArray, k2dArray, k2dMsaa, k2dMsaaArray};

bool names(Op op, const char* part) {
    return std::string(op_info(op).name).find(part) != std::string::npos;
}
std::vector<Op> ops_of(MemKind kind) {
    std::vector<Op> ops;
    for (unsigned i = 0; i < kOpCount; ++i) {
        if (op_info(static_cast<Op>(i)).mem == kind) {
            ops.push_back(static_cast<Op>(i));
        }
    }
    return ops;
}

Resource random_resource(ImageRandom& random, unsigned type) {
    Resource r;
    r.type = type;
    r.width = 1 + random.below(50);
    r.height = type == kCube ? r.width : 1 + random.below(50);
    const unsigned layers = 1 + random.below(6);
    r.depth = type == k3d ? 1 + random.below(20) : r.array() || type == kCube ? layers : 1;
    if (r.array()) {
        r.base_array = random.below(layers);
        r.last_array = r.base_array + random.below(layers - r.base_array);
    } else if (type == kCube) {
        r.last_array = 6 * layers - 1;
    }
    r.last_level = random.below(r.msaa() ? 4 : 6);
    r.base_level = r.msaa() ? 0 : random.below(r.last_level + 1);
    static const unsigned kTilings[] = {kLinear, k1dThin, k1dDisplay, k2dThin, k2dDisplay};
    r.tiling = r.msaa() ? (random.below(2) != 0 ? k2dThin : k1dThin) : kTilings[random.below(5)];
    r.pow2_pad = !r.msaa();
    return r;
}

// Coordinates of each lane, some outside; and where its texel is, when inside.
struct Place {
    bool inside = false;
    uint64_t at = 0;
    std::vector<uint32_t> registers;
};
Place random_place(ImageRandom& random, const Resource& r, const Reference& image, bool array,
                   bool with_level) {
    Place p;
    const unsigned level = with_level ? random.below(r.levels() + 1) : 0;
    const unsigned dims = r.dims();
    unsigned c[3] = {};
    p.inside = r.msaa() || level < r.levels();
    const unsigned shown = r.msaa() ? 0 : std::min(level, r.levels() - 1);
    for (unsigned k = 0; k < dims; ++k) {
        const unsigned full = k == 0 ? r.width : k == 1 ? r.height : r.depth;
        const unsigned size = r.msaa() ? full : r.at_level(full, shown);
        const unsigned kind = random.below(12);
        c[k] = kind == 0 ? size : kind == 1 ? 0u - 1 - random.below(3) : random.below(size);
        p.inside = p.inside && c[k] < size;
        p.registers.push_back(c[k]);
    }
    unsigned slice = r.type == k3d ? c[2] : r.base_array;
    if (r.type == kCube || (array && dims != 3)) {
        const unsigned count = r.last_array - r.base_array + 1;
        const unsigned named = random.below(count + 1);
        if (r.array() || r.type == kCube) {
            p.inside = p.inside && named < count;
            slice += named;
        }
        p.registers.push_back(named);
    }
    unsigned sample = 0;
    if (r.msaa()) {
        sample = random.below((1u << r.last_level) + 1);
        p.inside = p.inside && sample < 1u << r.last_level;
        p.registers.push_back(sample);
    }
    if (with_level) {
        p.registers.push_back(level);
    }
    if (p.inside) {
        p.at = image.address(shown, c[0], c[1], slice, sample);
    }
    return p;
}

struct Access : testing::Test {
    ImageMachine m;
    Mimg e;
    std::vector<Place> places;
    uint64_t exec = ~uint64_t{0};

    void place(ImageRandom& random, const Resource& r, const Reference& image, bool with_level) {
        places.clear();
        exec = uint64_t{random.next()} << 32 | random.next() | 1;
        m.w.set_exec(exec);
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            places.push_back(random_place(random, r, image, e.da, with_level));
            for (size_t v = 0; v < places[lane].registers.size(); ++v) {
                m.w.v[v][lane] = places[lane].registers[v];
            }
        }
        m.set(e.srsrc, r);
    }
    std::string refusal(Op op, const Resource& r) {
        m.set(e.srsrc, r);
        m.w.set_exec(~uint64_t{0});
        const char* why = m.execute(mimg(op, e));
        return why != nullptr ? why : "executed";
    }
};

const struct {
    unsigned dfmt, nfmt;
} kLoaded[] = {{1, 0},  {1, 4},  {1, 5},  {2, 7},  {2, 1},  {3, 0},  {3, 2},  {4, 4},
               {4, 5},  {4, 7},  {5, 3},  {5, 7},  {6, 0},  {7, 0},  {8, 0},  {9, 0},
               {9, 4},  {9, 1},  {10, 0}, {10, 1}, {10, 2}, {10, 3}, {10, 4}, {10, 5},
               {10, 6}, {10, 9}, {11, 7}, {11, 4}, {12, 7}, {12, 0}, {12, 5}, {14, 7},
               {14, 4}, {16, 0}, {17, 0}, {18, 0}, {19, 0}, {57, 0}, {58, 0}, {16, 4}};

TEST_F(Access, LoadsReadTheTexelAndConvertIt) {
    unsigned seed = 0;
    for (const Op op : ops_of(MemKind::ImageLoad)) {
        for (const unsigned type : kTypes) {
            for (const auto& format : kLoaded) {
                ImageRandom random(++seed);
                Resource r = random_resource(random, type);
                r.dfmt = format.dfmt;
                r.nfmt = format.nfmt;
                const Reference image(r, m.tiling, m.memory);
                ASSERT_TRUE(image.valid) << image.error;
                SCOPED_TRACE(std::string(op_info(op).name) + " seed " + std::to_string(seed));
                e.da = random.below(2) != 0;
                e.dmask = 1 + random.below(15);
                place(random, r, image, names(op, "mip"));
                for (unsigned v = 16; v < 22; ++v) {
                    m.fill(v, [](unsigned l) { return 0xbeef0000u + l; });
                }
                const char* refused = m.execute(mimg(op, e));
                ASSERT_EQ(refused, nullptr) << refused;
                const unsigned bytes = image.element_bytes();
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    const Place& p = places[lane];
                    unsigned next = 16;
                    if ((exec >> lane & 1) == 0) {
                        EXPECT_EQ(m.w.v[next][lane], 0xbeef0000u + lane);
                        continue;
                    }
                    uint8_t raw[16] = {};
                    if (p.inside) {
                        m.memory.read(p.at, raw, bytes);
                    }
                    const Texel t = image.decode(raw, r.nfmt == 9);
                    for (unsigned c = 0; c < 4; ++c) {
                        if ((e.dmask >> c & 1) == 0) {
                            continue;
                        }
                        const uint32_t got = m.w.v[next++][lane];
                        if (names(op, "pck")) {
                            uint32_t dword;
                            std::memcpy(&dword, raw + 4 * c, 4);
                            if (c == 0 && names(op, "sgn") && bytes < 4) {
                                dword = bytes == 1 ? static_cast<uint32_t>(int8_t(dword))
                                                   : static_cast<uint32_t>(int16_t(dword));
                            }
                            EXPECT_EQ(got, dword) << lane;
                        } else if (!p.inside) {
                            EXPECT_EQ(got, 0u) << lane;
                        } else if (r.nfmt == 4 || r.nfmt == 5) {
                            EXPECT_EQ(got, static_cast<uint32_t>(static_cast<int64_t>(t.c[c])));
                        } else if (r.nfmt == 9 && c < 3) {
                            EXPECT_FLOAT_EQ(as_float(got), static_cast<float>(t.c[c]));
                        } else {
                            EXPECT_EQ(got, bits(static_cast<float>(t.c[c])))
                                << "lane " << lane << " component " << c;
                        }
                    }
                    EXPECT_EQ(m.w.v[next][lane], 0xbeef0000u + lane);
                }
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

const struct {
    unsigned dfmt, nfmt;
} kStored[] = {{1, 0},  {1, 4},  {2, 7},  {3, 1},  {4, 4},  {4, 7},  {5, 0},  {9, 0},  {9, 4},
               {10, 0}, {10, 1}, {10, 4}, {10, 5}, {11, 7}, {12, 7}, {12, 1}, {14, 7}, {14, 5},
               {16, 0}, {17, 0}, {19, 0}, {6, 7},  {7, 7},  {10, 2}, {10, 3}, {13, 7}};

unsigned components_of(unsigned dfmt) {
    switch (dfmt) {
        case 1:
        case 2:
        case 4:
            return 1;
        case 3:
        case 5:
        case 11:
            return 2;
        case 6:
        case 7:
        case 13:
        case 16:
            return 3;
        default:
            return 4;
    }
}

// Half a step of component `c` of a UNORM format.
double half_unorm_step(unsigned dfmt, unsigned c) {
    switch (dfmt) {
        case 5:
            return 1 / 131070.0;
        case 9:
            return c == 3 ? 1 / 6.0 : 1 / 2046.0;
        case 16:
            return c == 1 ? 1 / 126.0 : 1 / 62.0;
        case 17:
            return c == 3 ? 0.5 : 1 / 62.0;
        case 19:
            return 1 / 30.0;
        default:
            return 1 / 510.0;
    }
}

// What component `c` of a texel holds after a store of `given`, and how far off rounding may be.
struct Stored {
    double value;
    double half_step = 0;
};
Stored stored_component(const Resource& r, uint32_t given, unsigned c) {
    const double real = as_float(given);
    switch (r.nfmt) {
        case 0:
            return {std::min(std::max(real, 0.0), 1.0), half_unorm_step(r.dfmt, c)};
        case 1:
            return {std::min(std::max(real, -1.0), 1.0), r.dfmt == 12 ? 1 / 65534.0 : 1 / 254.0};
        case 2:
            return {std::min(std::max(real, 0.0), 255.0), 0.5};
        case 3:
            return {real, 0.5};
        case 4: {
            const uint32_t top = r.dfmt == 4 || r.dfmt == 14 ? ~0u
                                 : r.dfmt != 9               ? 255
                                 : c == 3                    ? 3
                                                             : 1023;
            return {static_cast<double>(std::min(given, top))};
        }
        case 5: {
            const double value = static_cast<int32_t>(given);
            return {r.dfmt == 10 ? std::min(std::max(value, -128.0), 127.0) : value};
        }
        default:
            if (r.dfmt == 6 || r.dfmt == 7) {
                return {std::max(real, 0.0), 1 / 64.0};
            }
            return {real, r.dfmt == 2 || r.dfmt == 12 ? 1 / 2048.0 : 0};
    }
}

struct Stores : Access {
    void fill_values(ImageRandom& random, unsigned nfmt) {
        for (unsigned v = 16; v < 20; ++v) {
            m.fill(v, [&](unsigned) {
                return nfmt == 4   ? random.below(3) != 0 ? random.below(300) : random.next()
                         : nfmt == 5 ? random.below(400) - 200
                                   : bits(static_cast<float>(random.real(-1.5, 1.5)));
            });
        }
    }

    // The last lane that wrote each texel.
    std::unordered_map<uint64_t, unsigned> writers() const {
        std::unordered_map<uint64_t, unsigned> writer;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((exec >> lane & 1) != 0 && places[lane].inside) {
                writer[places[lane].at] = lane;
            }
        }
        return writer;
    }

    // The texel at `at` holds what `lane` gave.
    void check_texel(Op op, const Resource& r, const Reference& image, uint64_t at, unsigned lane) {
        uint32_t given[4] = {};
        unsigned next = 16;
        for (unsigned c = 0; c < 4; ++c) {
            if ((e.dmask >> c & 1) != 0) {
                given[c] = m.w.v[next++][lane];
            }
        }
        uint8_t raw[16] = {};
        m.memory.read(at, raw, image.element_bytes());
        if (names(op, "pck")) {
            EXPECT_EQ(std::memcmp(raw, given, image.element_bytes()), 0);
            return;
        }
        // DST_SEL says which component of the texel a load gives to which register.
        uint32_t texel[4] = {};
        for (unsigned c = 0; c < 4; ++c) {
            texel[(r.dst_sel >> (3 * c) & 7) - 4] = given[c];
        }
        const Texel t = image.decode(raw, false);
        for (unsigned c = 0; c < components_of(r.dfmt); ++c) {
            const Stored stored = stored_component(r, texel[c], c);
            EXPECT_NEAR(t.c[c], stored.value, stored.half_step * 1.0001) << "component " << c;
        }
    }

    // Stores of random lanes to random texels of `r`; everything else is untouched.
    void store(Op op, const Resource& r, ImageRandom& random) {
        m.memory.written.clear();
        const Reference image(r, m.tiling, m.memory);
        ASSERT_TRUE(image.valid) << image.error << " " << r.dfmt << " " << r.type;
        e.da = random.below(2) != 0;
        e.dmask = 1 + random.below(15);
        place(random, r, image, names(op, "mip"));
        fill_values(random, r.nfmt);
        const char* refused = m.execute(mimg(op, e));
        ASSERT_EQ(refused, nullptr) << refused;
        const std::unordered_map<uint64_t, unsigned> writer = writers();
        EXPECT_EQ(m.memory.written.size(), writer.size() * image.element_bytes());
        for (const auto& [at, lane] : writer) {
            check_texel(op, r, image, at, lane);
        }
    }
};

TEST_F(Stores, WriteWhatALoadReadsBack) {
    unsigned seed = 0;
    for (const Op op : ops_of(MemKind::ImageStore)) {
        for (const unsigned type : kTypes) {
            for (const auto& format : kStored) {
                ImageRandom random(++seed + 5000);
                Resource r = random_resource(random, type);
                r.dfmt = format.dfmt;
                r.nfmt = format.nfmt;
                if (r.dfmt == 13) {  // in rows and without levels
                    if (r.msaa() || type == k3d) {
                        continue;
                    }
                    r.tiling = kLinear;
                    r.last_level = r.base_level = 0;
                }
                if (random.below(2) != 0) {  // blue and red, as of B5G6R5, or the reverse order
                    r.dst_sel = random.below(2) != 0 ? 6 | 5 << 3 | 4 << 6 | 7 << 9
                                                     : 7 | 6 << 3 | 5 << 6 | 4 << 9;
                }
                SCOPED_TRACE(std::string(op_info(op).name) + " seed " + std::to_string(seed));
                store(op, r, random);
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_F(Access, AtomicsOfEveryKindOn32And64Bits) {
    unsigned seed = 0;
    for (const Op op : ops_of(MemKind::ImageAtomic)) {
        for (const unsigned type : kTypes) {
            for (unsigned wide = 0; wide < 2; ++wide) {
                ImageRandom random(++seed + 9000);
                Resource r = random_resource(random, type);
                r.dfmt = wide != 0 ? 11 : 4;
                r.nfmt = 4;
                m.memory.written.clear();
                const Reference image(r, m.tiling, m.memory);
                ASSERT_TRUE(image.valid) << image.error;
                SCOPED_TRACE(std::string(op_info(op).name) + " seed " + std::to_string(seed));
                const bool compares = names(op, "cmpswap");
                e.dmask = compares ? (wide != 0 ? 15 : 3) : (wide != 0 ? 3 : 1);
                e.da = random.below(2) != 0;
                e.glc = random.below(3) != 0;
                place(random, r, image, false);
                for (unsigned v = 16; v < 21; ++v) {
                    m.fill(v, [&](unsigned) { return random.next() & 0xbfffffffu; });
                }
                uint32_t before[5][kLanes];
                for (unsigned v = 0; v < 5; ++v) {
                    std::memcpy(before[v], m.w.v[16 + v], sizeof(VReg));
                }
                // Compare-and-swap that hits now and then.
                HashMemory expected = m.memory;
                for (unsigned lane = 0; compares && lane < kLanes; lane += 2) {
                    if (places[lane].inside) {
                        uint64_t now = 0;
                        expected.read(places[lane].at, &now, 8);
                        const unsigned first = 16 + (wide != 0 ? 2 : 1);
                        before[first - 16][lane] = m.w.v[first][lane] = static_cast<uint32_t>(now);
                        if (wide != 0) {
                            before[3][lane] = m.w.v[19][lane] = static_cast<uint32_t>(now >> 32);
                        }
                    }
                }
                m.op.tfe = true;  // left by a buffer load: must not write a status register
                m.op.failed = ~uint64_t{0};
                const char* refused = m.execute(mimg(op, e));
                ASSERT_EQ(refused, nullptr) << refused;
                const unsigned bytes = wide != 0 ? 8 : 4;
                for (unsigned lane = 0; lane < kLanes; ++lane) {
                    if ((exec >> lane & 1) == 0) {
                        EXPECT_EQ(m.w.v[16][lane], before[0][lane]);
                        continue;
                    }
                    uint64_t old = 0;
                    if (places[lane].inside) {
                        expected.read(places[lane].at, &old, bytes);
                        uint64_t value;
                        if (wide != 0) {
                            value = atomic64(op_info(op).atomic, old,
                                             before[0][lane] | uint64_t{before[1][lane]} << 32,
                                             before[2][lane] | uint64_t{before[3][lane]} << 32);
                        } else {
                            value = atomic32(op_info(op).atomic, static_cast<uint32_t>(old),
                                             before[0][lane], before[1][lane]);
                        }
                        expected.write(places[lane].at, &value, bytes);
                    }
                    EXPECT_EQ(m.w.v[16][lane], e.glc ? uint32_t(old) : before[0][lane]);
                    EXPECT_EQ(m.w.v[17][lane],
                              e.glc && wide != 0 ? uint32_t(old >> 32) : before[1][lane]);
                }
                EXPECT_EQ(m.memory.written, expected.written);
                if (HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_F(Access, ResourceInfoGivesSizeOfALevel) {
    const auto info = [&](const Resource& r, uint32_t level) {
        m.set(e.srsrc, r);
        m.w.set_exec(2);
        m.w.v[0][1] = level;
        e.dmask = 15;
        EXPECT_EQ(m.execute(mimg(Op::IMAGE_GET_RESINFO, e)), nullptr);
        return std::array<uint32_t, 4>{m.w.v[16][1], m.w.v[17][1], m.w.v[18][1], m.w.v[19][1]};
    };
    using A = std::array<uint32_t, 4>;
    Resource r;
    r.width = 40;
    r.height = 17;
    r.last_level = 5;
    r.pow2_pad = true;
    r.pitch = 128;
    EXPECT_EQ(info(r, 0), (A{40, 17, 0, 6}));
    EXPECT_EQ(info(r, 3), (A{5, 2, 0, 6}));
    EXPECT_EQ(info(r, 6), (A{0, 0, 0, 6})) << "no such level";
    r.base_level = 2;
    EXPECT_EQ(info(r, 1), (A{5, 2, 0, 4}));
    r.type = k3d;
    r.depth = 9;
    EXPECT_EQ(info(r, 0), (A{10, 4, 2, 4}));
    r.type = k2dArray;
    r.base_array = 2;
    r.last_array = 6;
    EXPECT_EQ(info(r, 0), (A{10, 4, 0, 4}));
    e.da = true;
    EXPECT_EQ(info(r, 0), (A{10, 4, 5, 4}));
    r.type = k1dArray;
    EXPECT_EQ(info(r, 0), (A{10, 5, 0, 4}));
    r.type = k1d;
    EXPECT_EQ(info(r, 0), (A{10, 0, 0, 4}));
    r.type = kCube;
    r.height = 40;
    r.depth = 2;
    r.base_array = 0;
    r.last_array = 11;
    EXPECT_EQ(info(r, 0), (A{10, 10, 12, 4}));
    r.type = k2dMsaa;
    r.depth = 1;
    r.last_array = 0;
    r.base_level = 0;
    r.last_level = 2;
    r.tiling = k1dThin;
    EXPECT_EQ(info(r, 0), (A{40, 40, 0, 1}));
    e.dmask = 0;
    m.w.v[17][1] = 5;
    EXPECT_EQ(m.execute(mimg(Op::IMAGE_GET_RESINFO, e)), nullptr);
    EXPECT_EQ(m.w.v[16][1], 40u) << "DMASK 0 is DMASK 1";
    EXPECT_EQ(m.w.v[17][1], 5u);
}

TEST_F(Access, ShortResourcesAreOneAndTwoDimensional) {
    Resource r;
    r.width = 33;
    r.height = 20;
    r.pitch = 40;  // what the width implies for 32-bit texels in rows
    for (const unsigned tiling : {unsigned{kLinear}, unsigned{k1dThin}, unsigned{k2dThin}}) {
        r.tiling = tiling;
        r.pitch = tiling == kLinear ? 48 : tiling == k1dThin ? 40 : 64;
        const Reference image(r, m.tiling, m.memory);
        ASSERT_TRUE(image.valid) << image.error;
        m.set(e.srsrc, r);
        // The words after the first four are something else.
        for (unsigned i = 4; i < 8; ++i) {
            m.w.s[e.srsrc + i] = 0xffffffffu;
        }
        e.r128 = true;
        m.fill(0, [](unsigned l) { return l % 33; });
        m.fill(1, [](unsigned l) { return l % 20; });
        m.w.set_exec(~uint64_t{0});
        const char* refused = m.execute(mimg(Op::IMAGE_LOAD_PCK, e));
        ASSERT_EQ(refused, nullptr) << refused;
        for (unsigned l = 0; l < kLanes; ++l) {
            EXPECT_EQ(m.image->addr[l][0], image.address(0, l % 33, l % 20, 0)) << l;
        }
    }
    r.type = k3d;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r),
              "128-bit image resource (R128) that is an array, a cube or 3D");
}

TEST_F(Access, BlocksShareTheirAddress) {
    Resource r;
    r.dfmt = 37;  // BC3
    r.width = 64;
    r.height = 64;
    r.pitch = 512;
    r.tiling = k1dThin;
    const Reference image(r, m.tiling, m.memory);
    ASSERT_TRUE(image.valid) << image.error;
    m.set(e.srsrc, r);
    m.fill(0, [](unsigned l) { return l; });
    m.fill(1, [](unsigned l) { return 63 - l; });
    m.w.set_exec(~uint64_t{0});
    ASSERT_EQ(m.execute(mimg(Op::IMAGE_LOAD, e)), nullptr);
    for (unsigned l = 0; l < kLanes; ++l) {
        EXPECT_EQ(m.image->addr[l][0], image.address(0, l, 63 - l, 0));
        EXPECT_EQ(m.image->size(l, 0), 16u);
        EXPECT_EQ(m.image->place[l][0], (l & 3) | ((63 - l) & 3) << 4);
    }
    EXPECT_EQ(m.image->addr[4][0] - m.image->addr[3][0] != 0, true);
}

TEST_F(Access, LayoutsAreKeptUntilTheTilingRegistersChange) {
    Resource r;
    r.tiling = k2dThin;
    r.width = r.height = 64;
    m.set(e.srsrc, r);
    m.fill(0, [](unsigned l) { return l; });
    m.fill(1, [](unsigned l) { return l; });
    m.w.set_exec(~uint64_t{0});
    ASSERT_EQ(m.execute(mimg(Op::IMAGE_LOAD, e)), nullptr);
    const uint64_t before = m.image->addr[9][0];
    m.tiling.tile_mode[k2dThin] = m.tiling.tile_mode[kLinear];
    m.tiling.decode();
    ASSERT_EQ(m.execute(mimg(Op::IMAGE_LOAD, e)), nullptr);
    EXPECT_EQ(m.image->addr[9][0], r.base + (9 * 128 + 9) * 4);
    EXPECT_NE(m.image->addr[9][0], before);
}

TEST_F(Access, WhatCannotBeExecutedSaysWhy) {
    Resource good;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, good), "executed");
    Resource r = good;
    r.type = 3;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r),
              "image access through a resource whose TYPE is not an image");
    r = good;
    r.dfmt = 0;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r), "image data format INVALID or reserved");
    r.dfmt = 59;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r), "image data format 1, 1_REVERSED or 32_AS_*");
    r = good;
    r.nfmt = 12;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r), "image number format UB* or reserved");
    r.nfmt = 7;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r), "FLOAT image format of components without an exponent");
    r = good;
    r.nfmt = 9;
    EXPECT_EQ(refusal(Op::IMAGE_STORE, r), "store to an image whose numbers are SNORM_OGL or SRGB");
    r.dfmt = 35;
    r.nfmt = 0;
    EXPECT_EQ(refusal(Op::IMAGE_STORE, r),
              "store to an image of a block, shared exponent or depth format");
    r = good;
    r.base_level = 2;
    r.last_level = 1;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r), "image resource whose BASE_LEVEL lies above LAST_LEVEL");
    r = good;
    r.dst_sel = 2;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r), "image resource with a reserved DST_SEL");
    r = good;
    r.tiling = 31;
    r.pitch = 16;
    m.tiling.tile_mode[31] = 0x3f << 2;  // PRT 3D thick, a pipe configuration that is none
    m.tiling.decode();
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r).substr(0, 16), "image resource: ");
    e.dmask = 3;
    EXPECT_EQ(refusal(Op::IMAGE_ATOMIC_ADD, good),
              "image atomic on texels that are not as wide as its DMASK says");
    e.dmask = 7;
    EXPECT_EQ(refusal(Op::IMAGE_ATOMIC_ADD, good),
              "image atomic whose DMASK fits neither 32 nor 64 bits");
    e.dmask = 1;
    e.tfe = true;
    EXPECT_EQ(refusal(Op::IMAGE_ATOMIC_ADD, good), "TFE (texture fail enable) on an image atomic");
}

TEST_F(Access, RegistersBeyondTheWaveAreBadInput) {
    Resource r;
    r.type = k2dArray;
    e.da = true;
    e.vaddr = 30;  // v30, v31 and a slice that the wave does not have
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r),
              "the address of this image resource needs more registers than the wave has");
    EXPECT_TRUE(m.image->bad_input);
    e.da = false;
    EXPECT_EQ(refusal(Op::IMAGE_LOAD, r), "executed");
    EXPECT_FALSE(m.image->bad_input);
}

TEST_F(Access, RandomDescriptorsAreExecutedOrRefused) {
    ImageRandom random(77);
    unsigned executed = 0;
    std::vector<Op> ops;
    for (unsigned i = 0; i < kOpCount; ++i) {
        if (op_info(static_cast<Op>(i)).format == Format::Mimg) {
            ops.push_back(static_cast<Op>(i));
        }
    }
    ASSERT_EQ(ops.size(), 93u);
    for (unsigned turn = 0; turn < 20000; ++turn) {
        for (unsigned i = 8; i < 20; ++i) {
            m.w.s[i] = random.next();
        }
        if (random.below(4) != 0) {
            // A good resource with a few bits changed.
            Resource r = random_resource(random, 8 + random.below(8));
            const auto& f = kLoaded[random.below(sizeof kLoaded / sizeof *kLoaded)];
            r.dfmt = f.dfmt;
            r.nfmt = f.nfmt;
            m.set(8, r);
            for (unsigned flips = random.below(3); flips != 0; --flips) {
                m.w.s[8 + random.below(7)] ^= 1u << random.below(32);
            }
        }
        for (unsigned v = 0; v < 12; ++v) {
            m.fill(v, [&](unsigned) { return random.next(); });
        }
        m.w.set_exec(random.next());
        Mimg x;
        x.dmask = random.below(16);
        x.da = random.below(2) != 0;
        x.unorm = random.below(2) != 0;
        x.tfe = random.below(2) != 0;
        x.lwe = random.below(2) != 0;
        x.r128 = random.below(2) != 0;
        x.glc = random.below(2) != 0;
        m.memory.written.clear();
        executed += m.execute(mimg(ops[random.below(93)], x)) == nullptr ? 1 : 0;
    }
    EXPECT_GT(executed, 2000u);
}

}  // namespace
}  // namespace archipelago::isa::image_access_test
