// SPDX-License-Identifier: Apache-2.0
// The tests of a batch: all lanes of a sample at a time, in loops that the compiler vectorises.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models/db/depth_unit.h"
#include "models/db/depth_value.h"

namespace archipelago::db {
namespace {

using raster::kSubpixels;
using raster::PixelMemory;
using raster::Primitive;
using raster::QuadBatch;

template <class T, class Test>
uint64_t lanes_that(const Lanes<T>& a, const Lanes<T>& b, const Test& test) {
    LaneFlags flags;
    for (unsigned lane = 0; lane < kLanes; ++lane)
        flags[lane] = test(a[lane], b[lane]) ? 1 : 0;
    return mask_of(flags);
}

// Lanes whose new value passes against the stored one.
template <class T>
uint64_t compare(Compare func, const Lanes<T>& a, const Lanes<T>& b) {
    switch (func) {
        case Compare::Never:
            return 0;
        case Compare::Less:
            return lanes_that(a, b, [](T x, T y) { return x < y; });
        case Compare::Equal:
            return lanes_that(a, b, [](T x, T y) { return x == y; });
        case Compare::LessEqual:
            return lanes_that(a, b, [](T x, T y) { return x <= y; });
        case Compare::Greater:
            return lanes_that(a, b, [](T x, T y) { return x > y; });
        case Compare::NotEqual:
            return lanes_that(a, b, [](T x, T y) { return x != y; });
        case Compare::GreaterEqual:
            return lanes_that(a, b, [](T x, T y) { return x >= y; });
        case Compare::Always:
            return ~uint64_t{0};
    }
    return 0;
}

uint64_t compare_depth(DepthFormat format, Compare func, const Lanes<uint32_t>& a,
                       const Lanes<uint32_t>& b) {
    if (format != DepthFormat::Z32Float)
        return compare(func, a, b);
    Lanes<float> x, y;
    std::memcpy(x.data(), a.data(), sizeof x);
    std::memcpy(y.data(), b.data(), sizeof y);
    return compare(func, x, y);
}

// NaN becomes the least value.
double clamped(double z, const DepthRange& range) {
    const double from_below = z > double{range.min} ? z : double{range.min};
    return from_below < double{range.max} ? from_below : double{range.max};
}

// Window z of the lanes at a sample; `sample` -1: at the centres.
void interpolate(const DepthState& s, const QuadBatch& batch, int sample, Lanes<double>& z) {
    const raster::DepthPlane& plane = batch.primitive.depth;
    constexpr int kStep = kSubpixels / raster::SamplePositions::kUnits;
    int32_t dx[4], dy[4];  // of a quad's pixels, from the plane's point
    for (unsigned pixel = 0; pixel < 4; ++pixel) {
        dx[pixel] = static_cast<int32_t>(pixel & 1) * kSubpixels + kSubpixels / 2 - plane.at.x;
        dy[pixel] = static_cast<int32_t>(pixel >> 1) * kSubpixels + kSubpixels / 2 - plane.at.y;
        if (sample >= 0) {
            dx[pixel] += s.positions.at[pixel][static_cast<unsigned>(sample)].x * kStep;
            dy[pixel] += s.positions.at[pixel][static_cast<unsigned>(sample)].y * kStep;
        }
    }
    for (unsigned quad = 0; quad < batch.quads; ++quad)
        for (unsigned pixel = 0; pixel < 4; ++pixel) {
            const int32_t x = batch.x[quad] * kSubpixels + dx[pixel];
            const int32_t y = batch.y[quad] * kSubpixels + dy[pixel];
            z[4 * quad + pixel] = plane.z + plane.dz_dx * (double(x) / kSubpixels) +
                                  plane.dz_dy * (double(y) / kSubpixels);
        }
}

void to_stored(DepthFormat format, const Lanes<double>& z, unsigned lanes, Lanes<uint32_t>& to) {
    if (format == DepthFormat::Z32Float) {
        for (unsigned lane = 0; lane < lanes; ++lane)
            to[lane] = raster::bits_of(static_cast<float>(z[lane]));
        return;
    }
    const double largest = largest_of(format);
    for (unsigned lane = 0; lane < lanes; ++lane)
        to[lane] = depth_integer(z[lane], largest);
}

}  // namespace

// New z of the lanes, a row for each sample that has a z of its own.
void DepthUnit::make_z(const DepthState& s, const ShaderValues* exported) {
    const QuadBatch& batch = *work_.batch;
    const DepthRange range = s.viewport[batch.primitive.viewport % s.viewport.size()];
    const unsigned samples = 1u << s.log2_samples;
    const bool of_shader = exported != nullptr && s.z_export;
    // A buffer of one sample that is scanned with more has the z of the centre.
    const bool apart = s.positions.apart && samples > 1 && !of_shader && !s.clears_z;
    work_.z_rows = apart ? samples : 1;
    Lanes<double> z;
    for (unsigned row = 0; row < work_.z_rows; ++row) {
        if (s.clears_z)
            z.fill(double{s.depth_clear});
        else if (of_shader)
            for (unsigned lane = 0; lane < work_.lanes; ++lane)
                z[lane] = double{raster::float_of(exported->z[lane])};
        else
            interpolate(s, batch, apart ? static_cast<int>(row) : -1, z);
        if (s.clamps_z && !s.clears_z)
            for (unsigned lane = 0; lane < work_.lanes; ++lane)
                z[lane] = clamped(z[lane], range);
        to_stored(s.format, z, work_.lanes, work_.new_z[row]);
    }
}

// One row for every sample, for writes.
const SampleLanes<uint32_t>& DepthUnit::spread_z(const DepthState& s) {
    for (unsigned sample = 1; sample < 1u << s.log2_samples; ++sample)
        work_.new_z[sample] = work_.new_z[0];
    return work_.new_z;
}

// Whether no sample of the primitive in the tile can pass: stored z is between `low` and `high`.
bool DepthUnit::primitive_fails(const DepthState& s, const Primitive& primitive, uint32_t x,
                                uint32_t y, double low, double high) {
    const DepthRange viewport = s.viewport[primitive.viewport % s.viewport.size()];
    const double rise = 8 * (std::abs(primitive.depth.dz_dx) + std::abs(primitive.depth.dz_dy));
    const auto corner = [&](uint32_t dx, uint32_t dy) {
        return primitive.depth.at_point(static_cast<int32_t>(x + dx) * kSubpixels,
                                        static_cast<int32_t>(y + dy) * kSubpixels);
    };
    const double corners[] = {corner(0, 0), corner(8, 0), corner(0, 8), corner(8, 8)};
    const double least = *std::min_element(corners, corners + 4);
    const double most = *std::max_element(corners, corners + 4);
    // More than rounding differs between the corners and a sample between them.
    const double slack = 1e-12 * (1 + std::abs(least) + std::abs(most) + rise);
    if (!std::isfinite(least + most + slack))
        return false;
    const auto stored = [&](double z) {
        return depth_of(s.format, stored_depth(s.format, s.clamps_z ? clamped(z, viewport) : z));
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double new_low = s.hierarchical.from_below ? stored(least - slack) : -kInfinity;
    const double new_high = s.hierarchical.from_above ? stored(most + slack) : kInfinity;
    switch (s.hierarchical.func) {
        case Compare::Never:
            return true;
        case Compare::Less:
            return new_low >= high;
        case Compare::LessEqual:
            return new_low > high;
        case Compare::Greater:
            return new_high <= low;
        case Compare::GreaterEqual:
            return new_high < low;
        case Compare::Equal:
            return new_low > high || new_high < low;
        default:
            return false;
    }
}

void DepthUnit::test(const DepthState& s, QuadBatch& batch, PixelMemory& memory,
                     const TestSet& tests, bool writes, const ShaderValues* exported) {
    open(s, batch, memory);
    begin_coverage(s, batch);
    work_.writes_z = writes && s.writes_z;
    work_.writes_stencil = writes && s.writes_stencil;
    work_.z_loaded = false;
    const bool compares = s.z_func != Compare::Always && s.z_func != Compare::Never;
    if (tests.bounds || (tests.depth && compares))
        load_z(s, memory);
    if (tests.stencil)
        load_stencil(s, memory);
    if (tests.depth && (compares || work_.writes_z))
        make_z(s, exported);
    for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
        test_sample(s, sample, tests, exported);
    keep(s, work_.passed, batch);
    if (!writes)
        return;
    for (unsigned i = 0; i < work_.runs; ++i) {
        TileRun& run = work_.run[i];
        if (s.expands_z && s.uses_z)
            expand_z(s, run, memory);
        if (s.expands_stencil && s.uses_stencil)
            expand_stencil(s, run, memory);
        if (work_.writes_z)
            write_z(s, run, memory);
        if (work_.writes_stencil)
            write_stencil(s, run, memory);
        if (s.resummarizes)
            resummarize(s, run, memory);
        close(s, i, memory);
    }
}

void DepthUnit::test_sample(const DepthState& s, unsigned sample, const TestSet& tests,
                            const ShaderValues* exported) {
    uint64_t alive = work_.covered[sample];
    const auto population = [](uint64_t lanes) {
        return static_cast<uint64_t>(__builtin_popcountll(lanes));
    };
    if (tests.bounds) {
        LaneFlags inside{};
        for (unsigned lane = 0; lane < work_.lanes; ++lane) {
            const double z = depth_of(s.format, work_.stored_z[sample][lane]);
            inside[lane] = z >= s.bounds_min && z <= s.bounds_max ? 1 : 0;
        }
        const uint64_t kept = alive & mask_of(inside);
        counts_.bounds_failed += population(alive & ~kept);
        alive = kept;
    }
    uint64_t stencil_failed = 0, depth_failed = 0;
    if (tests.stencil) {
        stencil_failed = alive & ~test_stencil(s, sample, exported);
        alive &= ~stencil_failed;
    }
    if (tests.depth) {
        depth_failed =
            alive & ~compare_depth(s.format, s.z_func, work_.new_z[work_.z_rows == 1 ? 0 : sample],
                                   work_.stored_z[sample]);
        alive &= ~depth_failed;
    }
    counts_.stencil_failed += population(stencil_failed);
    counts_.depth_failed += population(depth_failed);
    counts_.passed += population(alive);
    work_.passed[sample] = alive;
    work_.failed[sample] = depth_failed;
    work_.z_written[sample] = work_.writes_z ? alive : 0;
    work_.stencil_written[sample] = 0;
    if (work_.writes_stencil) {
        change_stencil(s, sample, stencil_failed, Outcome::StencilFail, exported);
        change_stencil(s, sample, depth_failed, Outcome::DepthFail, exported);
        change_stencil(s, sample, alive, Outcome::Pass, exported);
    }
}

uint64_t DepthUnit::test_stencil(const DepthState& s, unsigned sample,
                                 const ShaderValues* exported) const {
    const StencilFace& face = s.face_of(work_.batch->primitive.back_facing);
    Lanes<uint8_t> test, stored;
    for (unsigned lane = 0; lane < kLanes; ++lane)
        stored[lane] = work_.stored_stencil[sample][lane] & face.mask;
    if (exported != nullptr && s.test_export)
        for (unsigned lane = 0; lane < kLanes; ++lane)
            test[lane] = exported->test[lane] & face.mask;
    else
        test.fill(face.test & face.mask);
    return compare(face.func, test, stored);
}

void DepthUnit::change_stencil(const DepthState& s, unsigned sample, uint64_t lanes,
                               Outcome outcome, const ShaderValues* exported) {
    const StencilFace& face = s.face_of(work_.batch->primitive.back_facing);
    if (lanes == 0 || !face.writes(outcome))
        return;
    Lanes<uint8_t>& stored = work_.stored_stencil[sample];
    const auto n = static_cast<unsigned>(outcome);
    const bool of_shader =
        exported != nullptr && (s.test_export || s.operand_export) && !s.clears_stencil;
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(rest));
        if (!of_shader) {
            stored[lane] = face.after[n][stored[lane]];
            continue;
        }
        const uint8_t result = stencil_result(
            face.op[n], stored[lane], s.test_export ? exported->test[lane] : face.test,
            s.operand_export ? exported->operand[lane] : face.operand);
        stored[lane] =
            static_cast<uint8_t>((result & face.write_mask) | (stored[lane] & ~face.write_mask));
    }
    work_.stencil_written[sample] |= lanes;
}

}  // namespace archipelago::db
