// SPDX-License-Identifier: Apache-2.0
// Sampling one texture coordinate, step by step as models/cu/isa/image.md states the rules.
#pragma once

#include "testbenches/unit/isa/image_bench.h"

namespace archipelago::isa::test {

// What a sample instruction is given for one lane.
struct SampleInput {
    double coordinate[3] = {};
    double slice = 0;                      // array layer, or face + 8 * cube
    double rows[3] = {}, columns[3] = {};  // derivatives
    bool lod_given = false;
    double lod = 0;
    double bias = 0;
    bool has_clamp = false;
    double clamp = 0;
    int offset[3] = {};
    bool compares = false;
    double reference = 0;
};

class SamplingReference {
  public:
    SamplingReference(const Reference& image, const Sampler& s, bool unorm, const HashMemory& m,
                      uint64_t border_colors)
        : image_(image), r_(image.resource()), s_(s), memory_(m), borders_(border_colors) {
        unnormalized_ = s.unnormalized || unorm;
        srgb_ = r_.nfmt == 9 || (s.degamma && r_.nfmt == 0 && (r_.dfmt == 1 || r_.dfmt == 10));
        integer_ = r_.nfmt == 4 || r_.nfmt == 5;
    }

    // LOD before clamping, in 1/256; a very large number stands for infinity.
    long raw_lod(const SampleInput& in) const {
        long lod;
        if (in.lod_given) {
            lod = static_cast<long>(std::floor(in.lod * 256 + 0.5));
        } else {
            const double size[3] = {double(r_.at_level(r_.width, 0)),
                                    double(r_.at_level(r_.height, 0)),
                                    double(r_.at_level(r_.depth, 0))};
            double longest = 0;
            for (const double* d : {in.rows, in.columns}) {
                double sum = 0;
                for (unsigned c = 0; c < r_.dims(); ++c) {
                    const double t = d[c] * (unnormalized_ ? 1.0 : size[c]);
                    sum += t * t;
                }
                longest = std::max(longest, sum);
            }
            lod = longest == 0
                      ? -(1 << 20)
                      : static_cast<long>(std::floor(static_cast<double>(128 * log2l(longest))));
        }
        return lod + s_.bias + static_cast<long>(std::floor(in.bias * 256 + 0.5));
    }
    long clamped_lod(const SampleInput& in) const {
        long lod = raw_lod(in);
        if (s_.mip == 1 && s_.preclamp) {
            lod = static_cast<long>(std::floor(lod / 256.0 + 0.5)) * 256;
        }
        lod = std::min<long>(std::max<long>(lod, s_.min_lod), s_.max_lod);
        long lower = r_.min_lod;
        if (in.has_clamp) {
            lower = std::max(lower, static_cast<long>(std::floor(in.clamp * 256 + 0.5)));
        }
        return std::max(lod, lower);
    }
    // Level and fraction of the next one.
    std::pair<unsigned, double> level(const SampleInput& in, bool point_only) const {
        const long lod = clamped_lod(in);
        const long last = static_cast<long>(r_.levels()) - 1;
        const unsigned mip = s_.mip == 2 && point_only ? 1 : s_.mip;
        if (mip == 0) {
            return {0, 0.0};
        }
        if (mip == 1) {
            const double nearest = s_.preclamp && s_.mip == 1 ? std::floor(lod / 256.0)
                                                              : std::floor(lod / 256.0 + 0.5);
            return {static_cast<unsigned>(std::min(std::max(nearest, 0.0), double(last))), 0.0};
        }
        const double l = lod / 256.0;
        if (l <= 0) {
            return {0, 0.0};
        }
        if (l >= double(last)) {
            return {static_cast<unsigned>(last), 0.0};
        }
        return {static_cast<unsigned>(l), l - std::floor(l)};
    }

    Texel sample(const SampleInput& in) const {
        const auto [lod, fraction] = level(in, integer_);
        const bool magnified = clamped_lod(in) <= 0;
        const bool linear = ((magnified ? s_.mag : s_.min) & 1) != 0 && !integer_;
        Accumulator sum(s_.filter_mode);
        footprint(in, lod, 1 - fraction, linear, sum);
        if (fraction != 0) {
            footprint(in, lod + 1, fraction, linear, sum);
        }
        return sum.result();
    }

    // Texels in the order lower left, lower right, upper right, upper left.
    void gather(const SampleInput& in, Texel (&out)[4]) const {
        const unsigned lod = level(in, true).first;
        const Axis x = axis(in, 0, size_at(0, lod), true);
        const Axis y = axis(in, 1, size_at(1, lod), true);
        static const int kPlaces[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        for (unsigned k = 0; k < 4; ++k) {
            out[k] = fetch(in, lod, x.first + kPlaces[k][0], y.first + kPlaces[k][1], 0);
        }
    }

  private:
    struct Axis {
        long first = 0;
        double fraction = 0;
    };
    struct Accumulator {
        explicit Accumulator(unsigned m) : mode(m) {}
        void add(const Texel& t, double weight) {
            if (weight == 0) {
                return;
            }
            for (unsigned c = 0; c < 4; ++c) {
                const double v = t.c[c];
                sum[c] = mode == 0 ? sum[c] + weight * v
                         : any     ? (mode == 1 ? std::min(sum[c], v) : std::max(sum[c], v))
                                   : v;
            }
            any = true;
        }
        Texel result() const { return {{sum[0], sum[1], sum[2], sum[3]}}; }
        unsigned mode;
        bool any = false;
        double sum[4] = {};
    };

    unsigned size_at(unsigned c, unsigned lod) const {
        return r_.at_level(c == 0 ? r_.width : c == 1 ? r_.height : r_.depth, lod);
    }

    Axis axis(const SampleInput& in, unsigned c, unsigned size, bool linear) const {
        const bool cube = r_.type == kCube;
        double u = in.coordinate[c] - (cube && !unnormalized_ ? 1.0 : 0.0);
        const unsigned wrap = cube && !s_.no_cube_wrap ? 2 : s_.wrap[c];
        double t = unnormalized_ ? u : u * size;
        // 1/256 texel.
        double f = s_.trunc ? std::floor(t * 256) : std::floor(t * 256 + 0.5);
        f += in.offset[c] * 256.0;
        if (wrap == 4 || wrap == 5) {
            f = wrap == 5 ? std::fabs(f) : f;
            f = std::min(std::max(f, 0.0), size * 256.0);
            if (!linear && f == size * 256.0) {
                f -= 1;
            }
        }
        Axis a;
        if (linear) {
            f -= 128;
            a.first = static_cast<long>(std::floor(f / 256));
            a.fraction = f / 256 - double(a.first);
        } else {
            a.first = static_cast<long>(std::floor(f / 256));
        }
        return a;
    }

    // -1: border.
    static long wrapped(long i, long n, unsigned mode) {
        switch (mode) {
            case 0:
                while (i < 0) {
                    i += n;
                }
                while (i >= n) {
                    i -= n;
                }
                return i;
            case 1:
                while (i < 0 || i >= n) {
                    i = i < 0 ? -1 - i : 2 * n - 1 - i;
                }
                return i;
            case 2:
                return std::min(std::max(i, 0l), n - 1);
            case 3:
                i = i < 0 ? -1 - i : i;
                return std::min(i, n - 1);
            case 5:
            case 7:
                i = i < 0 ? -1 - i : i;
                return i < n ? i : -1;
            default:
                return i >= 0 && i < n ? i : -1;
        }
    }

    void footprint(const SampleInput& in, unsigned lod, double weight, bool linear,
                   Accumulator& sum) const {
        const unsigned dims = r_.dims();
        const bool linear_z = dims == 3 && !integer_ && (s_.z == 2 || (s_.z == 0 && linear));
        Axis a[3];
        for (unsigned c = 0; c < dims; ++c) {
            a[c] = axis(in, c, size_at(c, lod), c == 2 ? linear_z : linear);
        }
        for (int k = 0; k < (linear_z ? 2 : 1); ++k) {
            for (int j = 0; j < (linear && dims > 1 ? 2 : 1); ++j) {
                for (int i = 0; i < (linear ? 2 : 1); ++i) {
                    const double w = (i != 0 ? a[0].fraction : 1 - a[0].fraction) *
                                     (j != 0 ? a[1].fraction : 1 - a[1].fraction) *
                                     (k != 0 ? a[2].fraction : 1 - a[2].fraction);
                    if (w != 0) {
                        sum.add(fetch(in, lod, a[0].first + i, a[1].first + j, a[2].first + k),
                                weight * w);
                    }
                }
            }
        }
    }

    Texel fetch(const SampleInput& in, unsigned lod, long x, long y, long z) const {
        const unsigned dims = r_.dims();
        const long w = size_at(0, lod);
        const long h = dims > 1 ? size_at(1, lod) : 1;
        unsigned slice = r_.base_array;
        if (r_.type == kCube) {
            const long n = std::lrint(in.slice);
            const long cubes = (r_.last_array - r_.base_array + 1) / 6;
            long face = n % 8;
            slice += static_cast<unsigned>(std::min(n / 8, cubes - 1) * 6);
            if (s_.no_cube_wrap) {
                x = wrapped(x, w, s_.wrap[0]);
                y = wrapped(y, h, s_.wrap[1]);
            } else {
                x = std::min(std::max(x, -1l), w);
                y = std::min(std::max(y, -1l), w);
                across(face, x, y, w);
            }
            slice += static_cast<unsigned>(face);
        } else {
            x = wrapped(x, w, s_.wrap[0]);
            y = dims > 1 ? wrapped(y, h, s_.wrap[1]) : 0;
            if (dims == 3) {
                z = wrapped(z, size_at(2, lod), s_.wrap[2]);
                slice = static_cast<unsigned>(std::max(z, 0l));
            } else {
                z = 0;
            }
            if (r_.array()) {
                const double limit = r_.last_array - r_.base_array;
                slice +=
                    static_cast<unsigned>(std::min(std::max(std::nearbyint(in.slice), 0.0), limit));
            }
        }
        Texel t;
        if (x < 0 || y < 0 || z < 0) {
            t = border();
        } else {
            t = image_.texel(lod, static_cast<unsigned>(x), static_cast<unsigned>(y), slice, srgb_);
        }
        if (in.compares) {
            double ref = in.reference;
            if (r_.nfmt == 0 || r_.nfmt == 9) {
                ref = std::min(std::max(ref, 0.0), 1.0);
            }
            const double d = static_cast<float>(t.c[0]);
            const bool holds[8] = {false, ref<d, ref == d, ref <= d, ref> d, ref != d, ref >= d,
                                   true};
            t = {{holds[s_.compare] ? 1.0 : 0.0, 0, 0, 1}};
        }
        return t;
    }

    Texel border() const {
        if (s_.border == 3) {
            float f[4];
            memory_.read(borders_ + s_.border_ptr * 16, f, 16);
            return {{f[0], f[1], f[2], f[3]}};
        }
        const double c = s_.border == 2 ? 1 : 0;
        return {{c, c, c, s_.border == 0 ? 0.0 : 1.0}};
    }

    // A texel beyond an edge is the one the direction through its centre meets.
    static void across(long& face, long& x, long& y, long n) {
        if ((x < 0 || x >= n) && (y < 0 || y >= n)) {
            y = std::min(std::max(y, 0l), n - 1);
        }
        if (x >= 0 && x < n && y >= 0 && y < n) {
            return;
        }
        const double s = (2.0 * double(x) + 1) / double(n) - 1;
        const double t = (2.0 * double(y) + 1) / double(n) - 1;
        double d[3] = {};
        switch (face) {
            case 0:
                d[0] = 1, d[1] = -t, d[2] = -s;
                break;
            case 1:
                d[0] = -1, d[1] = -t, d[2] = s;
                break;
            case 2:
                d[0] = s, d[1] = 1, d[2] = t;
                break;
            case 3:
                d[0] = s, d[1] = -1, d[2] = -t;
                break;
            case 4:
                d[0] = s, d[1] = -t, d[2] = 1;
                break;
            default:
                d[0] = -s, d[1] = -t, d[2] = -1;
                break;
        }
        const double ax = std::fabs(d[0]), ay = std::fabs(d[1]), az = std::fabs(d[2]);
        double sc, tc, ma;
        if (az >= ax && az >= ay) {
            face = d[2] < 0 ? 5 : 4;
            sc = d[2] < 0 ? -d[0] : d[0], tc = -d[1], ma = az;
        } else if (ay >= ax) {
            face = d[1] < 0 ? 3 : 2;
            sc = d[0], tc = d[1] < 0 ? -d[2] : d[2], ma = ay;
        } else {
            face = d[0] < 0 ? 1 : 0;
            sc = d[0] < 0 ? d[2] : -d[2], tc = -d[1], ma = ax;
        }
        const auto place = [&](double v) {
            const double p = (v / ma + 1) / 2 * double(n);
            return std::min(std::max(static_cast<long>(std::floor(p + 1e-9)), 0l), n - 1);
        };
        x = place(sc);
        y = place(tc);
    }

    const Reference& image_;
    const Resource& r_;
    const Sampler& s_;
    const HashMemory& memory_;
    uint64_t borders_;
    bool unnormalized_ = false, srgb_ = false, integer_ = false;
};

}  // namespace archipelago::isa::test
