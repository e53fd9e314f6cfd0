// SPDX-License-Identifier: Apache-2.0
// Triangles whose exact coverage was computed elsewhere: coverage_vectors.txt.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scan_bench.h"

namespace archipelago::sc {
namespace {

constexpr int kWindow = 16;  // pixels a side that a vector describes

struct Vector {
    unsigned samples = 1;
    Primitive triangle;
    // By sample, 64 hexadecimal digits or fewer: bit 16 * y + x.
    std::vector<std::string> covered;
};

std::vector<Vector> read_vectors(const std::string& file) {
    std::ifstream in(file);
    std::vector<Vector> vectors;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        std::istringstream words(line);
        int units = 0;
        Vector v;
        words >> units >> v.samples;
        std::vector<Point> corners(3);
        for (Point& p : corners) {
            words >> p.x >> p.y;
            p = {p.x * (kSubpixels / units), p.y * (kSubpixels / units)};
        }
        v.triangle = polygon(corners);
        for (std::string hex; words >> hex;)
            v.covered.push_back(hex);
        vectors.push_back(v);
    }
    return vectors;
}

bool bit_of(const std::string& hex, unsigned bit) {
    const size_t from_right = bit / 4;
    if (from_right >= hex.size())
        return false;
    const char digit = hex[hex.size() - 1 - from_right];
    const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
    return (value >> bit % 4 & 1) != 0;
}

TEST(ScanVectors, CoverTheSamplesThatExactArithmeticDoes) {
    const char* other = std::getenv("ARCHIPELAGO_COVERAGE_VECTORS");
    const std::string file = other != nullptr ? other
                                              : ARCHIPELAGO_SOURCE_DIR
                                 "/testbenches/unit/sc/coverage_vectors.txt";
    const std::vector<Vector> vectors = read_vectors(file);
    ASSERT_GE(vectors.size(), 60u);
    for (size_t i = 0; i < vectors.size(); ++i) {
        const Vector& v = vectors[i];
        ASSERT_EQ(v.covered.size(), v.samples);
        ScanBench bench;
        bench.samples(v.samples);
        bench.set(si::PA_SC_WINDOW_SCISSOR_BR, kWindow << 16 | kWindow);
        const Pixels pixels = bench.scan(v.triangle);
        for (int y = 0; y < kWindow; ++y)
            for (int x = 0; x < kWindow; ++x)
                for (unsigned s = 0; s < v.samples; ++s) {
                    const auto found = pixels.find({x, y});
                    const bool covered = found != pixels.end() && (found->second >> s & 1) != 0;
                    ASSERT_EQ(covered, bit_of(v.covered[s], static_cast<unsigned>(16 * y + x)))
                        << "vector " << i << ", pixel " << x << ", " << y << ", sample " << s;
                }
    }
}

}  // namespace
}  // namespace archipelago::sc
