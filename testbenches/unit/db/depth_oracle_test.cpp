// SPDX-License-Identifier: Apache-2.0
// Random states and quads against plain arithmetic, sample by sample.
#include <algorithm>
#include <cmath>
#include <random>

#include "testbenches/unit/db/depth_bench.h"

namespace archipelago::db {
namespace {

constexpr unsigned kArea = 32;  // pixels a side that primitives are in

struct Buffers {
    unsigned format, log2_samples, tile_mode;
    bool stencil;
    unsigned htile;  // 0 none, 1 of z, 2 of z and stencil
    bool max_is_base;
    unsigned samples() const { return 1u << log2_samples; }
};

struct Face {
    unsigned func, fail, zfail, pass;
    unsigned ref, read, write, operand;
};

struct Setting {
    bool z, z_write, bounds, stencil, two_sided, clamp;
    unsigned func;
    Face face[2];
    float bounds_min, bounds_max, clamp_min, clamp_max;
    // Shader.
    unsigned z_order, conservative;
    bool before, kill, z_export, test_export, operand_export, mask_export, alpha, hier_shades;
    bool expand_z, expand_stencil, resummarize;
    unsigned scanned_log2;  // samples of the coverage
};

struct Pixel {
    unsigned stencil_word, mask;
    float z, alpha;
    bool alive;
};

// What the test knows of the buffers, and what it expects of each step.
class Oracle {
  public:
    Oracle(const Buffers& b, unsigned clear_z, unsigned clear_stencil) : b_(b) {
        z_.assign(size_t{kArea} * kArea * 8 * kSlices, clear_z);
        s_.assign(z_.size(), clear_stencil);
    }
    unsigned& z(unsigned x, unsigned y, unsigned slice, unsigned sample) {
        return z_[((size_t{slice} * kArea + y) * kArea + x) * 8 + sample];
    }
    unsigned& s(unsigned x, unsigned y, unsigned slice, unsigned sample) {
        return s_[((size_t{slice} * kArea + y) * kArea + x) * 8 + sample];
    }

    static bool passes(unsigned func, double a, double b) {
        switch (func) {
            case 0:
                return false;
            case 1:
                return a < b;
            case 2:
                return a == b;
            case 3:
                return a <= b;
            case 4:
                return a > b;
            case 5:
                return a != b;
            case 6:
                return a >= b;
            default:
                return true;
        }
    }
    static unsigned operation(unsigned op, unsigned s, unsigned ref, unsigned v) {
        const int i = static_cast<int>(s), k = static_cast<int>(v);
        const int results[] = {i,
                               0,
                               255,
                               int(ref),
                               k,
                               std::min(255, i + k),
                               std::max(0, i - k),
                               255 - i,
                               i + k,
                               i - k,
                               i & k,
                               i | k,
                               i ^ k,
                               255 - (i & k),
                               255 - (i | k),
                               255 - (i ^ k)};
        return static_cast<unsigned>(results[op]) & 255;
    }
    unsigned stored(double z) const {
        if (b_.format == 3)
            return raster::bits_of(static_cast<float>(z));
        const double ones = b_.format == 1 ? 65535 : 16777215;
        return static_cast<unsigned>(std::floor(std::min(1.0, std::max(0.0, z)) * ones + 0.5));
    }
    double value(unsigned word) const {
        if (b_.format == 3)
            return double{raster::float_of(word)};
        return word / (b_.format == 1 ? 65535.0 : 16777215.0);
    }

    // One sample; true: it passes.
    bool sample(const Setting& t, unsigned x, unsigned y, unsigned slice, unsigned n, double new_z,
                bool back, const Pixel& p) {
        unsigned& z = this->z(x, y, slice, n);
        unsigned& s = this->s(x, y, slice, n);
        if (t.bounds && !(value(z) >= double{t.bounds_min} && value(z) <= double{t.bounds_max}))
            return false;
        const Face& f = t.face[t.two_sided && back ? 1 : 0];
        const bool exports = !t.before;
        const unsigned ref = exports && t.test_export ? p.stencil_word & 255 : f.ref;
        const unsigned operand =
            exports && t.operand_export ? p.stencil_word >> 8 & 255 : f.operand;
        const auto change = [&](unsigned op) {
            s = (operation(op, s, ref, operand) & f.write) | (s & ~f.write & 255);
        };
        if (t.stencil && !passes(f.func, ref & f.read, s & f.read)) {
            change(f.fail);
            return false;
        }
        if (exports && t.z_export)
            new_z = double{p.z};
        if (t.clamp)
            new_z = std::min(std::max(new_z, double{t.clamp_min}), double{t.clamp_max});
        const unsigned word = stored(new_z);
        if (t.z && !passes(t.func, value(word), value(z))) {
            if (t.stencil)
                change(f.zfail);
            return false;
        }
        if (t.stencil)
            change(f.pass);
        if (t.z && t.z_write)
            z = word;
        return true;
    }

  private:
    Buffers b_;
    std::vector<unsigned> z_, s_;
};

class RandomDraws {
  public:
    explicit RandomDraws(unsigned seed) : random_(seed) {}
    void go();

  private:
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    float fraction() { return static_cast<float>(below(257)) / 256; }

    Buffers random_buffers();
    Setting random_setting();
    void set_registers(const Setting& t);
    void draw(const Setting& t);
    raster::ShadedBatch shade(const raster::QuadBatch& quads, const Setting& t);
    uint16_t shader_mask(const Setting& t, const Pixel& p, unsigned lane) const;
    void expect(const Setting& t, const raster::Primitive& p,
                const std::vector<raster::QuadBatch>& batches);
    void compare();

    std::mt19937 random_;
    DepthBench bench_;
    Buffers b_{};
    std::unique_ptr<Oracle> oracle_;
    Pixel pixel_[kArea][kArea];
    // What is written to colour, by pixel.
    uint16_t expected_[kArea][kArea], colour_[kArea][kArea];
    uint64_t count_ = 0;
};

Buffers RandomDraws::random_buffers() {
    Buffers b;
    b.format = below(4);
    b.log2_samples = below(4);
    const unsigned modes[] = {0, 1, 2, 4};
    b.tile_mode = modes[below(4)];
    b.stencil = b.format == 0 || chance(60);
    b.htile = b.format == 0 ? 0 : below(3);
    if (!b.stencil)
        b.htile = std::min(b.htile, 1u);
    b.max_is_base = chance(50);
    return b;
}

Setting RandomDraws::random_setting() {
    Setting t;
    const bool has_z = b_.format != 0;
    t.z = has_z && chance(80);
    t.z_write = chance(70);
    t.bounds = has_z && chance(20);
    t.stencil = b_.stencil && chance(70);
    t.two_sided = chance(50);
    t.clamp = chance(85);
    t.func = below(8);
    for (Face& f : t.face) {
        f = {below(8), below(16), below(16), below(16), below(256), 255, 255, below(256)};
        if (chance(50))
            f.read = below(256), f.write = below(256);
        if (chance(40))
            f.fail = f.zfail = 0;
    }
    t.bounds_min = fraction() * 0.6f;
    t.bounds_max = 0.4f + fraction() * 0.6f;
    t.clamp_min = chance(70) ? 0 : 0.25f;
    t.clamp_max = chance(70) ? 1 : 0.75f;
    t.z_order = below(4);
    t.before = chance(15);
    t.kill = chance(30);
    t.z_export = has_z && chance(25);
    t.test_export = b_.stencil && chance(15);
    t.operand_export = b_.stencil && chance(15);
    t.mask_export = chance(20);
    t.alpha = chance(15);
    t.hier_shades = chance(30);
    t.conservative = 0;
    t.expand_z = chance(10);
    t.expand_stencil = chance(10);
    t.resummarize = chance(10);
    t.scanned_log2 = chance(85) ? b_.log2_samples : 4;
    return t;
}

void RandomDraws::set_registers(const Setting& t) {
    const RegisterMap& m = bench_.map;
    bench_.set(m.DB_DEPTH_CONTROL, {{m.DB_DEPTH_CONTROL.Z_ENABLE, t.z},
                                    {m.DB_DEPTH_CONTROL.Z_WRITE_ENABLE, t.z_write},
                                    {m.DB_DEPTH_CONTROL.ZFUNC, t.func},
                                    {m.DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE, t.bounds},
                                    {m.DB_DEPTH_CONTROL.STENCIL_ENABLE, t.stencil},
                                    {m.DB_DEPTH_CONTROL.BACKFACE_ENABLE, t.two_sided},
                                    {m.DB_DEPTH_CONTROL.STENCILFUNC, t.face[0].func},
                                    {m.DB_DEPTH_CONTROL.STENCILFUNC_BF, t.face[1].func}});
    bench_.set(si::DB_STENCIL_CONTROL, t.face[0].fail | t.face[0].pass << 4 | t.face[0].zfail << 8 |
                                           t.face[1].fail << 12 | t.face[1].pass << 16 |
                                           t.face[1].zfail << 20);
    for (unsigned i = 0; i < 2; ++i)
        bench_.set(si::DB_STENCILREFMASK + 4 * i, t.face[i].ref | t.face[i].read << 8 |
                                                      t.face[i].write << 16 |
                                                      t.face[i].operand << 24);
    bench_.set_float(si::DB_DEPTH_BOUNDS_MIN, t.bounds_min);
    bench_.set_float(si::DB_DEPTH_BOUNDS_MAX, t.bounds_max);
    bench_.set_float(m.PA_SC_VPORT_ZMIN[3], t.clamp_min);
    bench_.set_float(m.PA_SC_VPORT_ZMAX[3], t.clamp_max);
    const auto& c = m.DB_SHADER_CONTROL;
    bench_.set(c, {{c.Z_ORDER, t.z_order},
                   {c.DEPTH_BEFORE_SHADER, t.before},
                   {c.KILL_ENABLE, t.kill},
                   {c.Z_EXPORT_ENABLE, t.z_export},
                   {c.STENCIL_TEST_VAL_EXPORT_ENABLE, t.test_export},
                   {c.STENCIL_OP_VAL_EXPORT_ENABLE, t.operand_export},
                   {c.MASK_EXPORT_ENABLE, t.mask_export},
                   {c.EXEC_ON_HIER_FAIL, t.hier_shades}});
    const bool packed = !t.z_export && chance(30);
    bench_.set(m.SPI_SHADER_Z_FORMAT, {{m.SPI_SHADER_Z_FORMAT.Z_EXPORT_FORMAT, packed ? 7u : 9u}});
    bench_.set(m.DB_EQAA, {{m.DB_EQAA.MASK_EXPORT_NUM_SAMPLES, t.scanned_log2},
                           {m.DB_EQAA.ALPHA_TO_MASK_NUM_SAMPLES, t.scanned_log2}});
    bench_.set(m.DB_ALPHA_TO_MASK, {{m.DB_ALPHA_TO_MASK.ALPHA_TO_MASK_ENABLE, t.alpha},
                                    {m.DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET0, 3},
                                    {m.DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET1, 1},
                                    {m.DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET2, 0},
                                    {m.DB_ALPHA_TO_MASK.ALPHA_TO_MASK_OFFSET3, 2}});
    bench_.set(m.DB_RENDER_CONTROL,
               {{m.DB_RENDER_CONTROL.DEPTH_COMPRESS_DISABLE, t.expand_z},
                {m.DB_RENDER_CONTROL.STENCIL_COMPRESS_DISABLE, t.expand_stencil},
                {m.DB_RENDER_CONTROL.RESUMMARIZE_ENABLE, t.resummarize}});
    bench_.set(m.DB_RENDER_OVERRIDE, {{m.DB_RENDER_OVERRIDE.DISABLE_VIEWPORT_CLAMP, !t.clamp}});
    bench_.set(m.samples.PA_SC_AA_CONFIG, t.scanned_log2);
    bench_.set(m.samples.PA_SC_MODE_CNTL_0, 1);
    bench_.set(m.DB_COUNT_CONTROL, {{m.DB_COUNT_CONTROL.SAMPLE_RATE, b_.log2_samples}});
    for (unsigned p = 0; p < 4; ++p)
        for (unsigned n = 0; n < 4; ++n)
            bench_.set(m.samples.PA_SC_AA_SAMPLE_LOCS_PIXEL[p][n], 0x37D512E9u * (p + 3 * n + 1));
}

raster::ShadedBatch RandomDraws::shade(const raster::QuadBatch& quads, const Setting& t) {
    raster::ShadedBatch shaded;
    shaded.quads = quads;
    raster::PixelExports& e = shaded.exports;
    const bool packed = bench_.state().export_format == raster::ExportFormat::Uint16;
    e.has_depth = t.z_export || t.test_export || t.operand_export || t.mask_export;
    e.depth.compressed = packed;
    e.colours = 1;
    e.colour.resize(1);
    e.colour[0].enabled = 0xF;
    e.valid = 0;
    for (unsigned lane = 0; lane < 4u * quads.quads; ++lane) {
        const Pixel& p = pixel_[quads.y_of(lane)][quads.x_of(lane)];
        e.valid |= uint64_t{p.alive} << lane;
        e.colour[0].data[3][lane] = raster::bits_of(p.alpha);
        e.depth.data[0][lane] = packed ? p.stencil_word << 16 : raster::bits_of(p.z);
        e.depth.data[1][lane] = packed ? p.mask : p.stencil_word;
        e.depth.data[2][lane] = p.mask;
    }
    return shaded;
}

uint16_t RandomDraws::shader_mask(const Setting& t, const Pixel& p, unsigned lane) const {
    const unsigned n = 1u << t.scanned_log2;
    const double offset[] = {0.75, 0.25, 0, 0.5};
    unsigned mask = 0;
    for (unsigned k = 0; k < n; ++k) {
        bool kept = !t.kill || p.alive;
        kept = kept && (!t.mask_export || (p.mask >> k & 1) != 0);
        kept = kept && (!t.alpha || double{p.alpha} * n > k + offset[lane % 4]);
        mask |= unsigned{kept} << k;
    }
    return static_cast<uint16_t>(mask);
}

void RandomDraws::expect(const Setting& t, const raster::Primitive& p,
                         const std::vector<raster::QuadBatch>& batches) {
    const unsigned scanned = 1u << t.scanned_log2, samples = b_.samples();
    const bool tests = t.z || t.stencil || t.bounds;
    // A buffer without tests has no samples to fold coverage to.
    for (const raster::QuadBatch& batch : batches)
        for (unsigned lane = 0; lane < 4u * batch.quads; ++lane) {
            const unsigned x = batch.x_of(lane), y = batch.y_of(lane);
            const Pixel& pixel = pixel_[y][x];
            const uint16_t after = shader_mask(t, pixel, lane);
            const auto coverage = static_cast<uint16_t>(batch.coverage[lane]);
            const uint16_t tested = t.before ? coverage : coverage & after;
            unsigned colour = 0;
            for (unsigned n = 0; n < samples; ++n) {
                unsigned mine = 0;  // scanned samples that this one stands for
                for (unsigned k = n; k < scanned; k += samples)
                    mine |= 1u << k;
                if ((tested & mine) == 0)
                    continue;
                const auto& at = bench_.state().positions.at[lane % 4][n];
                const bool apart = samples > 1;
                const double px = x + 0.5 + (apart ? at.x / 16.0 : 0);
                const double py = y + 0.5 + (apart ? at.y / 16.0 : 0);
                const double z = p.depth.z + p.depth.dz_dx * px + p.depth.dz_dy * py;
                if (!tests || oracle_->sample(t, x, y, p.layer, n, z, p.back_facing, pixel)) {
                    colour |= tested & mine;
                    ++count_;
                }
            }
            expected_[y][x] = static_cast<uint16_t>(colour & after);
        }
}

void RandomDraws::draw(const Setting& t) {
    raster::Primitive p = flat_primitive(0);
    p.viewport = 3;
    p.layer = static_cast<uint16_t>(below(kSlices));
    p.back_facing = chance(40);
    p.depth.z = static_cast<double>(below(1 << 12)) / (1 << 12);
    if (chance(70)) {
        p.depth.dz_dx = (static_cast<double>(below(1 << 10)) - 512) / (1 << 14);
        p.depth.dz_dy = (static_cast<double>(below(1 << 10)) - 512) / (1 << 14);
    }
    for (auto& row : pixel_)
        for (Pixel& pixel : row)
            pixel = {below(65536), below(65536), fraction(), fraction(), chance(60)};
    std::fill(&expected_[0][0], &expected_[0][0] + kArea * kArea, uint16_t{0});
    std::copy(&expected_[0][0], &expected_[0][0] + kArea * kArea, &colour_[0][0]);
    std::vector<raster::QuadBatch> batches;
    for (unsigned tile = 0; tile < (kArea / 8) * (kArea / 8); ++tile) {
        if (chance(75))
            continue;
        raster::QuadBatch all = whole_tile(tile % 4 * 8, tile / 4 * 8, p), batch;
        batch.primitive = p;
        const unsigned share = chance(40) ? 100 : 50;
        for (unsigned q = 0; q < 16; ++q) {
            if (!chance(share))
                continue;
            batch.x[batch.quads] = all.x[q];
            batch.y[batch.quads] = all.y[q];
            const bool whole = chance(70);
            for (unsigned i = 0; i < 4; ++i)
                batch.coverage[4 * batch.quads + i] = static_cast<uint16_t>(
                    (whole ? 0xFFFF : below(65536)) & ((1u << (1u << t.scanned_log2)) - 1));
            ++batch.quads;
        }
        batches.push_back(batch);
    }
    expect(t, p, batches);
    std::vector<raster::ShadedBatch> waves;
    for (raster::QuadBatch& batch : batches) {
        bench_.unit.early(bench_.state(), batch, bench_.memory);
        if (batch.quads == 0)
            continue;
        // Tiles that fit share a batch.
        if (!waves.empty() && waves.back().quads.quads + batch.quads <= 16 &&
            waves.back().quads.killed == batch.killed) {
            raster::QuadBatch& to = waves.back().quads;
            for (unsigned q = 0; q < batch.quads; ++q, ++to.quads) {
                to.x[to.quads] = batch.x[q];
                to.y[to.quads] = batch.y[q];
                std::copy_n(&batch.coverage[4 * q], 4, &to.coverage[4 * size_t{to.quads}]);
            }
        } else {
            waves.emplace_back().quads = batch;
        }
    }
    for (const raster::ShadedBatch& wave : waves) {
        raster::ShadedBatch shaded = shade(wave.quads, t);
        bench_.unit.late(bench_.state(), shaded, bench_.memory);
        for (unsigned lane = 0; lane < 4u * shaded.quads.quads; ++lane)
            colour_[shaded.quads.y_of(lane)][shaded.quads.x_of(lane)] = shaded.quads.coverage[lane];
    }
}

// Decompresses everything and reads all samples.
void RandomDraws::compare() {
    const RegisterMap& m = bench_.map;
    bench_.set(m.DB_DEPTH_CONTROL, 0u);
    bench_.set(m.DB_SHADER_CONTROL, 0x10);
    bench_.set(m.DB_RENDER_CONTROL, {{m.DB_RENDER_CONTROL.DEPTH_COMPRESS_DISABLE, 1},
                                     {m.DB_RENDER_CONTROL.STENCIL_COMPRESS_DISABLE, 1}});
    raster::Primitive p = flat_primitive(0);
    for (unsigned slice = 0; slice < kSlices; ++slice)
        for (unsigned y = 0; y < kArea; y += 8)
            for (unsigned x = 0; x < kArea; x += 8) {
                p.layer = static_cast<uint16_t>(slice);
                raster::QuadBatch batch = whole_tile(x, y, p);
                bench_.unit.early(bench_.state(), batch, bench_.memory);
            }
    const unsigned bits = b_.format == 1 ? 16 : 32;
    const auto z = layout_of(bench_, bits, b_.samples(), kWidth, kHeight, kSlices, b_.tile_mode,
                             DepthBench::kZ);
    const auto s = layout_of(bench_, 8, b_.samples(), kWidth, kHeight, kSlices, b_.tile_mode,
                             DepthBench::kStencil);
    for (unsigned slice = 0; slice < kSlices; ++slice)
        for (unsigned y = 0; y < kArea; ++y)
            for (unsigned x = 0; x < kArea; ++x)
                for (unsigned n = 0; n < b_.samples(); ++n) {
                    const uint64_t at = surface::byte_address(z, x, y, slice, n);
                    if (b_.format == 1) {
                        ASSERT_EQ(bench_.memory.load<uint16_t>(at), oracle_->z(x, y, slice, n));
                    } else if (b_.format != 0) {
                        ASSERT_EQ(bench_.memory.load<uint32_t>(at), oracle_->z(x, y, slice, n));
                    }
                    const uint64_t of_stencil = surface::byte_address(s, x, y, slice, n);
                    if (b_.stencil) {
                        ASSERT_EQ(bench_.memory.load<uint8_t>(of_stencil),
                                  oracle_->s(x, y, slice, n));
                    }
                }
}

void RandomDraws::go() {
    b_ = random_buffers();
    const auto format = static_cast<DepthFormat>(b_.format);
    bench_.set_buffers(format, b_.stencil, b_.log2_samples, kWidth, kHeight, kSlices, b_.tile_mode,
                       b_.htile != 0, b_.htile == 2, b_.max_is_base);
    // Memory is zeros; where there is HTILE its zeros say "cleared".
    const float clear = fraction();
    const unsigned clear_stencil = below(256);
    bench_.set_float(bench_.map.DB_DEPTH_CLEAR, clear);
    bench_.set(bench_.map.DB_STENCIL_CLEAR, clear_stencil);
    oracle_ = std::make_unique<Oracle>(b_, 0, b_.htile == 2 ? clear_stencil : 0);
    if (b_.htile != 0)
        for (unsigned i = 0; i < kSlices * kArea * kArea * 8; ++i)
            (&oracle_->z(0, 0, 0, 0))[i] = oracle_->stored(double{clear});
    for (unsigned n = 0; n < 12; ++n) {
        const Setting t = random_setting();
        set_registers(t);
        for (unsigned k = 0; k < 4; ++k) {
            draw(t);
            for (unsigned y = 0; y < kArea; ++y)
                for (unsigned x = 0; x < kArea; ++x)
                    ASSERT_EQ(colour_[y][x], expected_[y][x]) << "pixel " << x << ", " << y;
            ASSERT_EQ(bench_.unit.zpass(0), count_);
        }
    }
    compare();
}

TEST(DepthUnit, DoesWhatPlainArithmeticDoesInRandomStates) {
    for (unsigned seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomDraws run(seed);
        run.go();
        if (::testing::Test::HasFailure())
            return;
    }
}

}  // namespace
}  // namespace archipelago::db
