// SPDX-License-Identifier: Apache-2.0
// Image instructions of a whole wave end as the same instructions lane by lane: registers, memory
// and the lanes that count as accesses; or they do nothing. What image.md says is done by whole
// waves is, and is counted here.
#include "models/cu/isa/image_wave.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "models/cu/isa/image_format.h"
#include "models/cu/isa/image_lanes.h"
#include "testbenches/unit/isa/image_bench.h"

namespace archipelago::isa::image_wave_test {
namespace {

using namespace test;

constexpr uint64_t kBase = 0x40000000;
constexpr uint64_t kBytes = 6 << 20;
constexpr uint64_t kAll = ~uint64_t{0};
constexpr unsigned kVgprs = 32, kVdata = 16;

uint32_t pick_of(ImageRandom& random, std::initializer_list<uint32_t> values) {
    return values.begin()[random.below(static_cast<uint32_t>(values.size()))];
}

// Two machines and their memories, which have to stay alike.
class Pair {
  public:
    explicit Pair(const char* level)
        : scalar_memory(kBytes),
          wave_memory(kBytes),
          wave(*lane_memory(level), *format_lanes(level), *image_lanes(level)) {
        ImageRandom random(7);
        for (uint64_t at = 0; at < kBytes; at += 4) {
            const uint32_t value = random.next();
            std::memcpy(&scalar_memory[at], &value, 4);
        }
        wave_memory = scalar_memory;
    }

    // Lane by lane. False: a fault, or refused; registers and memory are as they were.
    bool run_scalar(const Inst& inst, uint64_t first, uint64_t bytes) {
        image_mem(inst, scalar.w, tiling, unit, op, *image);
        if (op.unsupported != nullptr) {
            return false;
        }
        const auto inside = [&](uint64_t at, unsigned size) {
            return at >= first && at - first + size <= bytes;
        };
        if (!op.image) {
            for (uint64_t m = op.lanes; m != 0; m &= m - 1) {
                if (!inside(op.addr[0][__builtin_ctzll(m)], op.bytes)) {
                    return false;
                }
            }
            for (uint64_t m = op.lanes; m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
                uint8_t raw[16];
                for (unsigned k = 0; k < op.dwords; ++k) {
                    std::memcpy(raw + 4 * k, &op.data[k][lane], 4);
                }
                uint8_t* const to = &scalar_memory[op.addr[0][lane] - kBase];
                undo_.push_back({to, {}});
                std::memcpy(undo_.back().bytes, to, op.bytes);
                std::memcpy(to, raw, op.bytes);
            }
            return true;
        }
        for (uint64_t m = image->lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            for (unsigned t = 0; t < image->count[lane]; ++t) {
                if (!image->in_memory(lane, t)) {
                    continue;
                }
                const uint64_t at = image->addr[lane][t];
                const unsigned size = image->size(lane, t);
                if (!inside(at, size)) {
                    return false;
                }
                std::memcpy(image->data[lane][t], &scalar_memory[at - kBase], size);
            }
        }
        image_complete(op, *image, scalar.w);
        return true;
    }

    // Runs both, the wave with the piece of memory given. True: the wave did it.
    bool run(const Inst& inst, uint64_t first = kBase, uint64_t bytes = kBytes) {
        copy_state();
        undo_.clear();
        done = run_scalar(inst, first, bytes);
        const bool taken = wave.prepare(inst, lanes.w, tiling, wave_unit) &&
                           wave.execute({first, bytes, &wave_memory[first - kBase]});
        if (taken) {
            EXPECT_TRUE(done) << "what faults or is refused is not for whole waves";
            EXPECT_EQ(wave.lanes(), op.lanes);
            compare();
        } else {
            // Nothing was done.
            EXPECT_EQ(std::memcmp(before_, lanes.w.v, sizeof before_), 0);
            for (auto last = undo_.rbegin(); last != undo_.rend(); ++last) {
                std::memcpy(last->at, last->bytes, op.bytes);
            }
            EXPECT_TRUE(undo_.empty() || scalar_memory == wave_memory);
        }
        return taken;
    }

    Machine scalar, lanes;
    std::vector<uint8_t> scalar_memory, wave_memory;
    surface::TilingRegisters tiling = tahiti_tiling();
    ImageUnit unit, wave_unit;
    VectorMemOp op;
    std::unique_ptr<ImageOp> image{new ImageOp};
    ImageWave wave;
    bool done = false;  // lane by lane

  private:
    struct Written {
        uint8_t* at;
        uint8_t bytes[16];
    };
    void copy_state() {
        std::memcpy(lanes.w.s, scalar.w.s, sizeof scalar.w.s);
        std::memcpy(lanes.w.v, scalar.w.v, kVgprs * sizeof(VReg));
        std::memcpy(before_, scalar.w.v, sizeof before_);
    }
    void compare() {
        for (unsigned v = 0; v < kVgprs; ++v) {
            for (unsigned l = 0; l < kLanes; ++l) {
                ASSERT_EQ(scalar.w.v[v][l], lanes.w.v[v][l]) << "v" << v << " lane " << l;
            }
        }
        if (!op.image) {
            ASSERT_TRUE(scalar_memory == wave_memory);
        }
    }
    VReg before_[kVgprs];
    std::vector<Written> undo_;
};

struct TexelFormat {
    unsigned dfmt, nfmt;
};
// Every format of bit fields with every number that is read.
std::vector<TexelFormat> field_formats() {
    std::vector<TexelFormat> formats;
    for (unsigned dfmt = 0; dfmt < 64; ++dfmt) {
        for (unsigned nfmt = 0; nfmt < 16; ++nfmt) {
            if (image_format(dfmt).layout == ImageLayout::Fields &&
                unsupported_image_read(dfmt, nfmt) == nullptr) {
                formats.push_back({dfmt, nfmt});
            }
        }
    }
    return formats;
}

constexpr unsigned kTilings[] = {kLinear, k1dThin, k1dDisplay, k2dThin, k2dDisplay, 0, 16, 17};

Resource random_resource(ImageRandom& random, unsigned type, const TexelFormat& format) {
    Resource r;
    r.type = type;
    r.dfmt = format.dfmt;
    r.nfmt = format.nfmt;
    r.width = 1 + random.below(70);
    r.height = type == k1d || type == k1dArray ? 1 : 1 + random.below(50);
    r.depth = type == k3d || r.array() ? 1 + random.below(5) : 1;
    if (r.array()) {
        r.base_array = random.below(r.depth);
        r.last_array = r.base_array + random.below(r.depth - r.base_array + 2);
    }
    const bool odd = image_format(format.dfmt).bytes == 12;  // in rows and without levels
    r.last_level = odd ? 0 : random.below(2) * random.below(5);
    r.base_level = random.below(r.last_level + 1);
    r.tiling = odd ? unsigned{kLinear} : kTilings[random.below(8)];
    r.pow2_pad = r.last_level != 0;
    r.base = kBase + 0x10000 * random.below(4);
    if (random.below(2) != 0) {
        r.dst_sel = 0;
        for (unsigned c = 0; c < 4; ++c) {
            r.dst_sel |= pick_of(random, {0, 1, 4, 5, 6, 7}) << (3 * c);
        }
    }
    return r;
}

uint64_t random_exec(ImageRandom& random) {
    switch (random.below(5)) {
        case 0:
        case 1:
            return kAll;
        case 2:
            return uint64_t{1} << random.below(64);
        case 3:
            return random.below(8) == 0 ? 0 : 0xffffffff;
        default:
            return uint64_t{random.next()} << 32 | random.next();
    }
}

// Values that conversions of numbers find hard, and others.
uint32_t random_value(ImageRandom& random, const Resource& r) {
    static const float kHard[] = {0.0f,          -0.0f,
                                  0.5f,          1.0f,
                                  -1.0f,         2.0f,
                                  65504.0f,      65519.9f,
                                  65520.0f,      6.1e-5f,
                                  6.0975552e-5f, 5.9604645e-8f,
                                  2.9802322e-8f, 2.98023224e-8f * 1.0000001f,
                                  8.9406967e-8f, 1e-30f,
                                  -65536.0f};
    switch (random.below(5)) {
        case 0:
            return random.next();
        case 1:
            return bits(kHard[random.below(sizeof kHard / sizeof *kHard)]);
        case 2:
            return pick_of(random, {0x7f800000, 0xff800000, 0x7fc01234, 0xffa54321, 0x00000001,
                                    0x807fffff, 0x7f7fffff, 0x7fffffff, 0x80000000, 127, 128,
                                    0xffffff80, 0xffffff7f, 255, 256, 65535, 65536});
        case 3: {
            // Halves between two codes, where rounding decides.
            const double top =
                r.nfmt == 2 || r.nfmt == 3 ? 1.0 : pick_of(random, {255, 127, 31, 1023});
            return bits(static_cast<float>((random.below(300) + 0.5) / top));
        }
        default:
            return bits(static_cast<float>(random.real(-1.5, 1.5)));
    }
}

class ImageWaveLevels : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (image_lanes(GetParam()) == nullptr) {
            GTEST_SKIP() << "this host has no " << GetParam();
        }
    }
};

bool names(Op op, const char* part) {
    return std::string(op_info(op).name).find(part) != std::string::npos;
}
std::vector<Op> ops_of(std::initializer_list<MemKind> kinds) {
    std::vector<Op> ops;
    for (unsigned i = 0; i < kOpCount; ++i) {
        const auto op = static_cast<Op>(i);
        if (std::find(kinds.begin(), kinds.end(), op_info(op).mem) != kinds.end()) {
            ops.push_back(op);
        }
    }
    return ops;
}

// Counts of what waves did, by a number.
using Counts = std::map<unsigned, unsigned>;
void expect_more_than(unsigned least, std::initializer_list<const Counts*> all) {
    for (const Counts* counts : all) {
        for (const auto& [what, count] : *counts) {
            EXPECT_GT(count, least) << what;
        }
    }
}

Mimg random_load_or_store(ImageRandom& random, const Resource& r) {
    Mimg e;
    e.da = r.array() ? random.below(8) != 0 : random.below(4) == 0 && r.type != k3d;
    e.dmask = random.below(16);
    e.unorm = true;
    e.vdata = kVdata;
    e.vaddr = random.below(2) * (kVdata - 1);  // overlapping what is loaded, too
    return e;
}

// Coordinates in a level of the image, some of them outside.
void fill_coordinates(Machine& m, ImageRandom& random, const Resource& r, unsigned level,
                      unsigned first) {
    const unsigned sizes[3] = {r.at_level(r.width, level), r.at_level(r.height, level),
                               r.at_level(r.depth, level)};
    const bool row = random.below(3) == 0;  // lanes side by side
    const bool edge = random.below(2) == 0;
    const unsigned origin = random.below(sizes[0]);
    for (unsigned c = 0; c < r.dims(); ++c) {
        const unsigned same = random.below(sizes[c]);
        const unsigned limit = sizes[c] + (edge ? 2 : 0);
        m.fill(first + c, [&](unsigned l) {
            return row ? (c == 0 ? origin + l : same)
                   : edge && random.below(30) == 0
                       ? pick_of(random, {0xffffffff, 0x80000000, 0x7fffffff, 0x10000})
                       : random.below(limit);
        });
    }
}

void fill_slices(Machine& m, ImageRandom& random, const Resource& r, unsigned v) {
    const bool uniform = random.below(2) == 0;
    const unsigned same = random.below(r.depth);
    m.fill(v, [&](unsigned) { return uniform ? same : random.below(r.depth + 1); });
}

// True: all lanes of `exec` have one level, and the image has it.
bool fill_levels(Machine& m, ImageRandom& random, const Resource& r, unsigned level, uint64_t exec,
                 unsigned v) {
    const bool uniform = random.below(4) != 0;
    const uint32_t* const levels = m.w.v[v];
    m.fill(v, [&](unsigned l) {
        return uniform || (exec >> l & 1) == 0 ? level : random.below(r.levels());
    });
    const uint32_t first = exec != 0 ? levels[__builtin_ctzll(exec)] : 0;
    bool one_level = first < r.levels();
    for (uint64_t lanes = exec; lanes != 0; lanes &= lanes - 1) {
        one_level = one_level && levels[__builtin_ctzll(lanes)] == first;
    }
    return one_level;
}

// Values to store, then the address. Result as of fill_levels().
bool fill_load_or_store(Machine& m, ImageRandom& random, const Resource& r, Op op, const Mimg& e,
                        uint64_t exec) {
    for (unsigned v = 0; v < kVgprs; ++v) {
        m.fill(v, [&](unsigned) { return random_value(random, r); });
    }
    const unsigned level = random.below(4) != 0 || r.levels() == 1 ? random.below(r.levels())
                                                                   : random.below(r.levels() + 2);
    fill_coordinates(m, random, r, level, e.vaddr);
    unsigned next = e.vaddr + r.dims();
    if (e.da) {
        fill_slices(m, random, r, next++);
    }
    return !names(op, "_mip") || fill_levels(m, random, r, level, exec, next);
}

// Loads and stores that waves did.
struct LoadsAndStores {
    Counts by_op, by_tiling, by_type;
    std::map<std::pair<unsigned, unsigned>, std::array<unsigned, 2>> by_format;

    void count(Op op, const Resource& r) {
        ++by_op[static_cast<unsigned>(op)];
        ++by_tiling[r.tiling];
        ++by_type[r.type];
        ++by_format[{r.dfmt, r.nfmt}][op_info(op).mem == MemKind::ImageStore];
    }
    void expect_all(const std::vector<TexelFormat>& formats) {
        EXPECT_EQ(by_op.size(), 10u);
        EXPECT_EQ(by_tiling.size(), 8u);
        EXPECT_EQ(by_type.size(), 5u);
        expect_more_than(500, {&by_op, &by_tiling, &by_type});
        for (const TexelFormat& f : formats) {
            const auto& [loads, stores] = by_format[{f.dfmt, f.nfmt}];
            EXPECT_GT(loads, 20u) << f.dfmt << "/" << f.nfmt;
            EXPECT_GT(stores, 5u) << f.dfmt << "/" << f.nfmt;
        }
    }
};

TEST_P(ImageWaveLevels, LoadsAndStoresEndAsLaneByLane) {
    Pair pair(GetParam());
    ImageRandom random(31);
    const std::vector<TexelFormat> formats = field_formats();
    static const Op kOps[] = {Op::IMAGE_LOAD,         Op::IMAGE_LOAD_MIP,
                              Op::IMAGE_LOAD_PCK,     Op::IMAGE_LOAD_PCK_SGN,
                              Op::IMAGE_LOAD_MIP_PCK, Op::IMAGE_LOAD_MIP_PCK_SGN,
                              Op::IMAGE_STORE,        Op::IMAGE_STORE_MIP,
                              Op::IMAGE_STORE_PCK,    Op::IMAGE_STORE_MIP_PCK};
    LoadsAndStores by_wave;
    for (unsigned i = 0; i < 24000 && !HasFailure(); ++i) {
        const TexelFormat format = formats[i % formats.size()];
        const unsigned type = pick_of(random, {k1d, k2d, k2d, k2d, k3d, k1dArray, k2dArray});
        const Resource r = random_resource(random, type, format);
        const Op op = kOps[random.below(10)];
        const Mimg e = random_load_or_store(random, r);
        const uint64_t exec = random_exec(random);
        pair.scalar.w.set_exec(exec);
        r.words(&pair.scalar.w.s[e.srsrc]);
        const bool one_level = fill_load_or_store(pair.scalar, random, r, op, e, exec);
        SCOPED_TRACE(std::string(op_info(op).name) + " case " + std::to_string(i) + " type " +
                     std::to_string(type) + " format " + std::to_string(r.dfmt) + "/" +
                     std::to_string(r.nfmt) + " tiling " + std::to_string(r.tiling));
        const bool taken = pair.run(mimg(op, e));
        if (pair.op.unsupported != nullptr) {
            EXPECT_TRUE(op_info(op).mem == MemKind::ImageStore && !names(op, "pck"))
                << pair.op.unsupported;
            EXPECT_FALSE(taken);
            continue;
        }
        EXPECT_EQ(taken, pair.done && exec != 0 && one_level);
        if (taken) {
            by_wave.count(op, r);
        }
    }
    by_wave.expect_all(formats);
}

// Where a lane samples.
float random_coordinate(ImageRandom& random, unsigned size, bool normalized, unsigned kind) {
    const double scale = normalized ? 1.0 : size;
    switch (kind) {
        case 0:  // centres and edges of texels, and 1/256 steps around them
            return static_cast<float>((static_cast<int>(random.below(3 * size)) - int(size) +
                                       pick_of(random, {0, 1, 2, 3, 4, 5, 6}) / 4.0) /
                                      size * scale);
        case 1:
            return static_cast<float>(random.real(-3.0, 4.0) * scale);
        case 2:
            return as_float(pick_of(
                random, {0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 0x00000001, 0x80000001,
                         0x7f7fffff, 0xff7fffff, 0x4b000001, 0xcb000001, 0x5a000000, 0x33800000,
                         0xb3800000, 0x80000000, 0xa0000000, 0x3f7fffff}));
        default:
            return static_cast<float>(random.real(0.0, 1.0) * scale);
    }
}

Sampler random_sampler(ImageRandom& random) {
    Sampler s;
    for (unsigned& w : s.wrap) {
        w = random.below(8);
    }
    s.compare = random.below(8);
    s.unnormalized = random.below(6) == 0;
    s.trunc = random.below(2) != 0;
    s.degamma = random.below(4) == 0;
    s.filter_mode = random.below(8) == 0 ? 1 + random.below(2) : 0;
    s.min_lod = random.below(2) * random.below(400);
    s.max_lod = random.below(2) != 0 ? s.min_lod + random.below(900) : 0xfff;
    s.bias = random.below(2) != 0 ? static_cast<int>(random.below(1024)) - 512 : 0;
    s.mag = random.below(2);
    s.min = random.below(3) == 0 ? 1 - s.mag : s.mag;
    s.z = random.below(3);
    s.mip = random.below(3);
    s.preclamp = random.below(2) != 0;
    s.border = random.below(10) == 0 ? 3 : random.below(3);
    return s;
}

Mimg random_sample(ImageRandom& random, const Resource& r, Op op) {
    Mimg e;
    e.da = r.array() ? random.below(8) != 0 : random.below(4) == 0 && r.type != k3d;
    e.unorm = random.below(8) == 0;
    e.dmask = names(op, "gather") ? 1u << random.below(4) : random.below(16);
    e.vdata = kVdata;
    e.tfe = random.below(40) == 0;
    return e;
}

// Small numbers everywhere, then coordinates: regardless of what else there is (derivatives, LOD,
// slices) is near 0 or not a number. Result: the kind of coordinates.
unsigned fill_sample(Machine& m, ImageRandom& random, const Resource& r, bool normalized) {
    for (unsigned v = 0; v < kVgprs; ++v) {
        m.fill(v, [&](unsigned) { return random_value(random, r); });
    }
    const unsigned kind = random.below(4);
    const unsigned size = random.below(2) != 0 ? r.width : r.height;
    for (unsigned v = 0; v < 10; ++v) {
        const bool same = random.below(2) == 0;
        const float first = random_coordinate(random, size, normalized, kind);
        m.fill(v, [&](unsigned l) {
            const unsigned now = kind == 2 && random.below(4) != 0 ? 3 : kind;
            const float x = random_coordinate(random, size, normalized, now);
            return bits(same && v > 2 ? first + 0.01f * static_cast<float>(l & 3) : x);
        });
    }
    return kind;
}

// Samples that waves did, and how many they may do.
struct Samples {
    unsigned all = 0, possible = 0;
    Counts by_wrap[2], by_op, by_tiling, by_filter, by_border;
    std::map<std::pair<unsigned, unsigned>, unsigned> by_format;

    void count(Op op, const Resource& r, const Sampler& s) {
        ++all;
        ++by_op[static_cast<unsigned>(op)];
        ++by_tiling[r.tiling];
        ++by_wrap[0][s.wrap[0]];
        by_wrap[1][s.wrap[1]] += r.dims() > 1 ? 1 : 0;
        ++by_filter[s.mag | s.min << 1 | s.mip << 2];
        ++by_border[s.border];
        ++by_format[{r.dfmt, r.nfmt}];
    }
    void expect_all(size_t ops, const std::vector<TexelFormat>& formats) {
        EXPECT_GT(all, 5000u);
        EXPECT_GT(all * 10, possible * 7) << "most of what may be taken is";
        EXPECT_EQ(by_op.size(), ops);
        EXPECT_EQ(by_tiling.size(), 8u);
        EXPECT_EQ(by_filter.size(), 12u);
        EXPECT_EQ(by_border.size(), 4u);
        EXPECT_EQ(by_wrap[0].size(), 8u);
        EXPECT_EQ(by_wrap[1].size(), 8u);
        expect_more_than(200, {&by_wrap[0], &by_wrap[1]});
        expect_more_than(40, {&by_op, &by_tiling, &by_filter});
        for (const TexelFormat& f : formats) {
            EXPECT_GT((by_format[{f.dfmt, f.nfmt}]), 5u) << f.dfmt << "/" << f.nfmt;
        }
    }
};

TEST_P(ImageWaveLevels, SamplesEndAsLaneByLane) {
    Pair pair(GetParam());
    pair.tiling.cs_border_colors = kBase / 256;
    ImageRandom random(32);
    const std::vector<TexelFormat> formats = field_formats();
    const std::vector<Op> ops = ops_of({MemKind::ImageSample});
    Samples by_wave;
    for (unsigned i = 0; i < 36000 && !HasFailure(); ++i) {
        const TexelFormat format = formats[i % formats.size()];
        const unsigned type = pick_of(random, {k1d, k2d, k2d, k2d, k2d, k1dArray, k2dArray, k3d});
        const Resource r = random_resource(random, type, format);
        const Op op = ops[random.below(static_cast<uint32_t>(ops.size()))];
        const std::string name = op_info(op).name;
        const Sampler s = random_sampler(random);
        const Mimg e = random_sample(random, r, op);
        const bool normalized = !(s.unnormalized || e.unorm);
        const uint64_t exec = random_exec(random);
        pair.scalar.w.set_exec(exec);
        r.words(&pair.scalar.w.s[e.srsrc]);
        s.words(&pair.scalar.w.s[e.ssamp]);
        const unsigned kind = fill_sample(pair.scalar, random, r, normalized);
        SCOPED_TRACE(name + " case " + std::to_string(i) + " type " + std::to_string(type) +
                     " format " + std::to_string(r.dfmt) + "/" + std::to_string(r.nfmt) +
                     " tiling " + std::to_string(r.tiling) + " wrap " + std::to_string(s.wrap[0]) +
                     std::to_string(s.wrap[1]) + " kind " + std::to_string(kind));
        const bool taken = pair.run(mimg(op, e));
        const bool offsets = name.substr(name.size() - 2) == "_o";
        const bool periodic = s.wrap[0] < 2 || (r.dims() > 1 && s.wrap[1] < 2);
        const bool excluded = exec == 0 || e.tfe || s.filter_mode != 0 || type == k3d || !pair.done;
        // Float formats may hold NaN; tables of border colours and far texels are left to lanes.
        const bool may_refuse =
            format.nfmt == 7 || s.border == 3 || (periodic && (!normalized || offsets));
        EXPECT_TRUE(!excluded || !taken);
        EXPECT_TRUE(excluded || may_refuse || taken);
        by_wave.possible += excluded ? 0 : 1;
        if (taken) {
            by_wave.count(op, r, s);
        }
    }
    by_wave.expect_all(ops.size(), formats);
}

// Nothing of a descriptor is checked before it is used here.
TEST_P(ImageWaveLevels, AnyDescriptorsEndAsLaneByLane) {
    Pair pair(GetParam());
    ImageRandom random(36);
    const std::vector<Op> ops =
        ops_of({MemKind::ImageLoad, MemKind::ImageStore, MemKind::ImageSample});
    unsigned taken = 0;
    for (unsigned i = 0; i < 40000 && !HasFailure(); ++i) {
        Mimg e;
        e.vdata = random.below(32);
        e.vaddr = random.below(32);
        e.dmask = random.below(16);
        e.da = random.below(2) != 0;
        e.unorm = random.below(2) != 0;
        e.r128 = random.below(8) == 0;
        e.lwe = random.below(2) != 0;
        uint32_t* const t = &pair.scalar.w.s[e.srsrc];
        for (unsigned k = 0; k < 12; ++k) {  // T# and S#
            t[k] = random.next();
        }
        // Near, mostly in a format that exists and not too large; one word of most is wilder.
        const unsigned wild = random.below(8);
        const unsigned type = pick_of(random, {8, 9, 9, 9, 10, 12, 13, 13, 14});
        t[0] = static_cast<uint32_t>(kBase >> 8) + random.below(0x400);
        t[1] = wild == 1
                   ? t[1] & 0x3fffff00
                   : (t[1] & 0xff00) | pick_of(random, {1, 2, 3, 4, 5, 8, 10, 11, 12, 14}) << 20 |
                         pick_of(random, {0, 1, 4, 5, 7}) << 26;
        t[2] &= wild == 2 ? 0xffffffff : 0x001fc07f;
        t[3] = wild == 3 ? t[3] & 0x0fffffff
                         : (t[3] & 0x00010000) | kTilings[random.below(8)] << 20 | 0xfac;
        t[3] |= type << 28;
        t[4] = wild == 4 ? t[4] : (t[4] & 3) | 0x7f << 13;
        t[5] &= wild == 5 ? 0xffffffff : 0x00006001;
        t[8] = wild == 6 ? t[8] : t[8] & 0x1fffffff;
        t[10] &= wild == 7 ? 0xffffffff : 0xf0fff7ff;
        pair.scalar.w.set_exec(random_exec(random));
        const Resource values;
        const bool integers = random.below(2) != 0;
        for (unsigned v = 0; v < kVgprs; ++v) {
            const bool same = random.below(4) == 0;
            const uint32_t first = random.below(3);
            pair.scalar.fill(v, [&](unsigned) {
                return same ? first : integers ? random.below(40) : random_value(random, values);
            });
        }
        const Op op = ops[random.below(static_cast<uint32_t>(ops.size()))];
        SCOPED_TRACE(std::string(op_info(op).name) + " case " + std::to_string(i));
        const Inst inst = mimg(op, e);
        if (inst.format == Format::Illegal || inst.vgprs_used > kVgprs) {
            continue;
        }
        taken += pair.run(inst) ? 1 : 0;
    }
    EXPECT_GT(taken, 1000u);
}

TEST_P(ImageWaveLevels, TexelsOutsideThePieceOfMemoryAreLeftToLanes) {
    Pair pair(GetParam());
    ImageRandom random(33);
    unsigned taken = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < 3000 && !HasFailure(); ++i) {
        Resource r;
        r.width = 64;
        r.height = 32;
        r.tiling = kTilings[random.below(8)];
        r.base = kBase + 0x10000;
        const TexelFormat format = {pick_of(random, {1, 2, 4, 10, 12, 14}), 4};
        r.dfmt = format.dfmt;
        r.nfmt = format.nfmt;
        Sampler s;
        s.mag = s.min = random.below(2);
        Mimg e;
        e.vdata = kVdata;
        const bool sample = random.below(2) == 0;
        r.words(&pair.scalar.w.s[e.srsrc]);
        s.words(&pair.scalar.w.s[e.ssamp]);
        pair.scalar.w.set_exec(random_exec(random));
        const unsigned rows = 1 + random.below(32);
        for (unsigned v = 0; v < 2; ++v) {
            pair.scalar.fill(v, [&](unsigned) {
                const uint32_t at = random.below(v == 0 ? 64 : rows);
                return sample ? bits((static_cast<float>(at) + 0.5f) / (v == 0 ? 64 : 32)) : at;
            });
        }
        const Op op = sample                 ? Op::IMAGE_SAMPLE_LZ
                      : random.below(2) == 0 ? Op::IMAGE_LOAD
                                             : Op::IMAGE_STORE;
        // Pieces that end, or begin, somewhere in the image.
        const bool front = random.below(4) == 0;
        const uint64_t cut = 16 * random.below(0x2000);
        const uint64_t first = front ? r.base + cut : kBase;
        const uint64_t bytes = front ? kBase + kBytes - first : 0x10000 + cut + random.below(16);
        SCOPED_TRACE(std::string(op_info(op).name) + " case " + std::to_string(i));
        pair.run(mimg(op, e), first, bytes) ? ++taken : ++left;
    }
    EXPECT_GT(taken, 300u);
    EXPECT_GT(left, 300u);
}

TEST_P(ImageWaveLevels, TheHighestLaneWinsWhereLanesStoreToOneTexel) {
    Pair pair(GetParam());
    ImageRandom random(34);
    for (unsigned i = 0; i < 400 && !HasFailure(); ++i) {
        Resource r;
        r.width = r.height = 4;
        r.tiling = kTilings[random.below(8)];
        r.dfmt = pick_of(random, {1, 2, 4, 11, 12, 14});
        r.nfmt = 4;
        Mimg e;
        e.vdata = kVdata;
        r.words(&pair.scalar.w.s[e.srsrc]);
        pair.scalar.w.set_exec(random_exec(random) | 3);
        const unsigned places = 1 + random.below(4);
        pair.scalar.fill(0, [&](unsigned) { return random.below(places); });
        pair.scalar.fill(1, [&](unsigned l) { return random.below(2) == 0 ? 0 : l % places; });
        for (unsigned v = 0; v < 4; ++v) {
            pair.scalar.fill(kVdata + v, [&](unsigned) { return random.next(); });
        }
        SCOPED_TRACE(i);
        EXPECT_TRUE(pair.run(mimg(Op::IMAGE_STORE, e)));
    }
}

// Every code of the narrow formats and hard floats, by conversion alone.
TEST_P(ImageWaveLevels, ConversionsAreThoseOfSingleTexels) {
    const FormatLanes& lanes = *format_lanes(GetParam());
    ImageRandom random(35);
    unsigned converted = 0;
    for (const TexelFormat& format : field_formats()) {
        const LaneFormat f = image_lane_format(format.dfmt, format.nfmt);
        ASSERT_TRUE(f.usable);
        const unsigned bits = image_format(format.dfmt).bytes * 8u;
        const bool stores = unsupported_image_store(format.dfmt, format.nfmt) == nullptr;
        Resource r;
        r.nfmt = format.nfmt;
        for (unsigned turn = 0; turn < 1024; ++turn) {
            alignas(64) VReg raw[4] = {};
            alignas(64) VReg out[4] = {};
            alignas(64) VReg packed[4] = {};
            for (unsigned l = 0; l < kLanes; ++l) {
                for (unsigned k = 0; k < f.dwords; ++k) {
                    // All codes of up to 16 bits, in the low and in the high half.
                    const uint32_t code = turn * kLanes + l;
                    raw[k][l] = bits < 32      ? code & ((1u << bits) - 1)
                                : (k & 1) != 0 ? random.next()
                                               : code | code << 16;
                }
            }
            lanes.unpack(f, raw, 15, out);
            for (unsigned l = 0; l < kLanes; ++l) {
                const uint32_t element[4] = {raw[0][l], raw[1][l], raw[2][l], raw[3][l]};
                uint8_t bytes[16];
                std::memcpy(bytes, element, 16);
                uint32_t expected[4];
                unpack_texel(format.dfmt, format.nfmt, bytes, 0, 0, expected);
                for (unsigned c = 0; c < 4; ++c) {
                    ASSERT_EQ(out[c][l], expected[c]) << format.dfmt << "/" << format.nfmt
                                                      << " component " << c << " of " << element[0];
                }
                ++converted;
            }
            if (!stores) {
                continue;
            }
            for (VReg& v : out) {
                for (uint32_t& x : v) {
                    x = random_value(random, r);
                }
            }
            const uint32_t* const in[4] = {out[0], out[1], out[2], out[3]};
            lanes.pack(f, in, packed);
            for (unsigned l = 0; l < kLanes; ++l) {
                const uint32_t given[4] = {out[0][l], out[1][l], out[2][l], out[3][l]};
                uint32_t expected[4];
                pack_texel(format.dfmt, format.nfmt, given, expected);
                for (unsigned k = 0; k < f.dwords; ++k) {
                    ASSERT_EQ(packed[k][l], expected[k])
                        << format.dfmt << "/" << format.nfmt << " dword " << k << " of " << given[0]
                        << " " << given[1] << " " << given[2] << " " << given[3];
                }
            }
        }
    }
    EXPECT_GT(converted, 5000000u);
}

INSTANTIATE_TEST_SUITE_P(Levels, ImageWaveLevels, ::testing::Values("portable", "avx2"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace archipelago::isa::image_wave_test
