// SPDX-License-Identifier: Apache-2.0
// The tables of the CTM Guide against a bit-by-bit reading of them, and what must hold of any
// address map.
#include "models/ctm/mc/address.h"

#include "models/ctm/mc/surface_addresses.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "testbenches/unit/ctm/address_reference.h"

namespace archipelago::ctm {
namespace {

using reference::kTable1;
using reference::kTable2;

constexpr unsigned kRows = 5;

class Table : public testing::TestWithParam<bool> {
  protected:
    bool tiled() const { return GetParam(); }
    const reference::Row& row(unsigned log2) const { return (tiled() ? kTable2 : kTable1)[log2]; }
    uint32_t address(unsigned log2, uint32_t pitch, uint32_t offset, uint32_t x, uint32_t y) const {
        return tiled() ? tiled_address(log2, pitch, offset, x, y)
                       : linear_address(log2, pitch, offset, x, y);
    }
};

TEST_P(Table, EveryRowIsTheOneOfTheGuide) {
    std::mt19937 random(1);
    for (unsigned log2 = 0; log2 < kRows; ++log2) {
        ASSERT_EQ(row(log2).bytes, 1u << log2);
        for (int n = 0; n < 20'000; ++n) {
            const uint32_t x = random() & kMaxIndex;
            const uint32_t y = random() & kMaxIndex;
            const uint32_t pitch = random() & 0x3ffe;  // the tables know bit 13
            const uint32_t offset = random() & (tiled() ? ~0u : ~31u);
            ASSERT_EQ(address(log2, pitch, offset, x, y),
                      reference::address(row(log2), pitch, offset, x, y))
                << "bytes " << (1u << log2) << " pitch " << pitch << " offset " << offset << " at "
                << x << "," << y;
        }
    }
}

TEST_P(Table, EverySingleBitOfAnIndexAndThePitchGoesWhereTheGuideSays) {
    for (unsigned log2 = 0; log2 < kRows; ++log2)
        for (unsigned i = 0; i < 12; ++i)
            for (unsigned k = 0; k < 12; ++k)
                for (const uint32_t pitch : {0u, 4u, 16u, 32u, 64u, 4096u, kMaxPitch, 0x2000u})
                    for (const uint32_t x : {0u, 1u << i})
                        for (const uint32_t y : {0u, 1u << k})
                            ASSERT_EQ(address(log2, pitch, 0, x, y),
                                      reference::address(row(log2), pitch, 0, x, y))
                                << "bytes " << (1u << log2) << " pitch " << pitch << " at " << x
                                << "," << y;
}

TEST_P(Table, PointsOfASurfaceFillItWithoutMeeting) {
    for (unsigned log2 = 0; log2 < kRows; ++log2) {
        const uint32_t granule = pitch_granule(log2, tiled());
        for (const uint32_t pitch : {granule * 2 + (granule < 4 ? 4 : 0), 192u, 512u}) {
            const uint32_t height = 96;  // whole tiles of every row
            const uint32_t offset = 0x80000;
            std::vector<bool> used(size_t{pitch} * height);
            for (uint32_t y = 0; y < height; ++y)
                for (uint32_t x = 0; x < pitch; ++x) {
                    const uint32_t a = address(log2, pitch, offset, x, y);
                    ASSERT_EQ(a % (1u << log2), 0u);
                    const uint32_t element = (a - offset) >> log2;
                    ASSERT_GE(a, offset);
                    ASSERT_LT(element, used.size()) << "bytes " << (1u << log2) << " pitch "
                                                    << pitch << " at " << x << "," << y;
                    ASSERT_FALSE(used[element]) << "bytes " << (1u << log2) << " pitch " << pitch
                                                << " at " << x << "," << y;
                    used[element] = true;
                }
        }
    }
}

TEST_P(Table, LargestSurfaceIsAMapToo) {
    // The 12-bit range in both directions with a pitch of all of it, each element once.
    const unsigned log2 = 1;
    std::vector<bool> used(size_t{4096} * 4096);
    for (uint32_t y = 0; y < 4096; ++y)
        for (uint32_t x = 0; x < 4096; ++x) {
            const uint32_t element = address(log2, 4096, 0, x, y) >> log2;
            ASSERT_LT(element, used.size());
            ASSERT_FALSE(used[element]) << x << "," << y;
            used[element] = true;
        }
}

TEST_P(Table, PitchBelowTheGranuleIsDropped) {
    for (unsigned log2 = 0; log2 < kRows; ++log2) {
        const uint32_t granule = pitch_granule(log2, tiled());
        for (uint32_t pitch = 0; pitch <= kMaxPitch; pitch += 4)
            ASSERT_EQ(address(log2, pitch, 0x800, 77, 999),
                      address(log2, pitch / granule * granule, 0x800, 77, 999));
        EXPECT_NE(address(log2, granule, 0, 0, 32), address(log2, 2 * granule, 0, 0, 32));
    }
}

TEST_P(Table, AddressesWrapAtThirtyTwoBits) {
    for (unsigned log2 = 0; log2 < kRows; ++log2) {
        const uint32_t last = 0xfffff800;
        const uint32_t plain = address(log2, kMaxPitch, 0, kMaxIndex, kMaxIndex);
        EXPECT_EQ(address(log2, kMaxPitch, last, kMaxIndex, kMaxIndex),
                  static_cast<uint32_t>(plain + last));
        EXPECT_LT(address(log2, kMaxPitch, last, kMaxIndex, kMaxIndex), last);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Table, testing::Bool(),
                         [](const auto& info) { return info.param ? "tiles" : "lines"; });

TEST(Superfine, AddressesComeInTheOrderOfTheChannels) {
    for (const Tiling tiling : {Tiling::LinearInp2x2, Tiling::TiledInp2x2}) {
        Surface s;
        s.base = 0x80000;
        s.pitch = 512;
        s.tiling = tiling;
        for (unsigned log2 = 0; log2 < kRows; ++log2) {
            const reference::Row& row = (is_tiled(tiling) ? kTable2 : kTable1)[log2];
            const auto at = [&](uint32_t x, uint32_t y) {
                return reference::address(row, s.pitch, s.base, x, y);
            };
            const auto a = superfine_addresses(s, log2, 31, 63);
            EXPECT_EQ(a[0], at(32, 63));
            EXPECT_EQ(a[1], at(31, 64));
            EXPECT_EQ(a[2], at(32, 64));
            EXPECT_EQ(a[3], at(31, 63));
        }
    }
}

TEST(SurfaceAddresses, AreThoseOfTheRows) {
    std::mt19937 random(7);
    for (const Tiling tiling : {Tiling::Linear, Tiling::Tiled})
        for (unsigned log2 = 0; log2 < kRows; ++log2)
            for (const unsigned pitch : {0u, 4u, 20u, 60u, 512u, 4096u, kMaxPitch}) {
                Surface s;
                s.base = static_cast<uint32_t>(random()) & kBaseMask;
                s.pitch = static_cast<uint16_t>(pitch);
                s.tiling = tiling;
                const SurfaceAddresses at(s, log2);
                for (uint32_t i = 0; i < 1u << 14; ++i) {
                    const uint32_t x = i < 1u << 13 ? i % 128 : random() & kMaxIndex;
                    const uint32_t y = i < 1u << 13 ? i / 128 : random() & kMaxIndex;
                    ASSERT_EQ(at.of(x, y), element_address(s, log2, x, y))
                        << "bytes " << (1u << log2) << " pitch " << pitch << " at " << x << ","
                        << y;
                }
            }
}

template <unsigned Log2Bytes>
void expect_quads_as_elements(std::mt19937& random) {
    for (const Tiling tiling : {Tiling::Linear, Tiling::Tiled})
        for (const unsigned pitch : {0u, 20u, 512u, 4096u, kMaxPitch}) {
            Surface s;
            s.base = static_cast<uint32_t>(random()) & kBaseMask;
            s.pitch = static_cast<uint16_t>(pitch);
            s.tiling = tiling;
            const SurfaceAddresses at(s, Log2Bytes);
            for (unsigned n = 0; n < 2000; ++n) {
                QuadWords x, y;
                for (unsigned l = 0; l < 4; ++l) {
                    x[l] = static_cast<uint32_t>(random()) & kMaxIndex;
                    y[l] = static_cast<uint32_t>(random()) & kMaxIndex;
                }
                const QuadWords found = at.of_quad<Log2Bytes>(x, y);
                for (unsigned l = 0; l < 4; ++l)
                    ASSERT_EQ(found[l], element_address(s, Log2Bytes, x[l], y[l]))
                        << "bytes " << (1u << Log2Bytes) << " pitch " << pitch << " at " << x[l]
                        << "," << y[l];
            }
        }
}

TEST(SurfaceAddresses, OfAQuadAreThoseOfItsElements) {
    std::mt19937 random(11);
    expect_quads_as_elements<0>(random);
    expect_quads_as_elements<1>(random);
    expect_quads_as_elements<2>(random);
    expect_quads_as_elements<3>(random);
    expect_quads_as_elements<4>(random);
}

TEST(Superfine, IndexBehindTheLastIsTheFirst) {
    Surface s;
    s.pitch = 4096;
    s.tiling = Tiling::TiledInp2x2;
    const auto a = superfine_addresses(s, 2, kMaxIndex, kMaxIndex);
    EXPECT_EQ(a[0], element_address(s, 2, 0, kMaxIndex));
    EXPECT_EQ(a[1], element_address(s, 2, kMaxIndex, 0));
    EXPECT_EQ(a[2], element_address(s, 2, 0, 0));
    EXPECT_EQ(a[3], element_address(s, 2, kMaxIndex, kMaxIndex));
}

TEST(Words, FieldsStandWhereTheCommandsHaveThem) {
    const Surface s = surface_from_words(0xdeadb800, 0x04031ffc);
    EXPECT_EQ(s.base, 0xdeadb800u);
    EXPECT_EQ(s.pitch, kMaxPitch);
    EXPECT_EQ(s.tiling, Tiling::TiledInp2x2);
    EXPECT_EQ(s.format, Format::Float32x4);
    for (unsigned n = 0; n < 32; ++n) {
        const Surface base = surface_from_words(1u << n, 0);
        EXPECT_EQ(base.base, n >= 11 ? 1u << n : 0u);
        const Surface f = surface_from_words(0, 1u << n);
        EXPECT_EQ(f.pitch, n >= 2 && n <= 12 ? 1u << n : 0u) << n;
        EXPECT_EQ(static_cast<unsigned>(f.tiling), n == 16 || n == 17 ? 1u << (n - 16) : 0u) << n;
        EXPECT_EQ(static_cast<unsigned>(f.format), n >= 24 && n <= 26 ? 1u << (n - 24) : 0u) << n;
    }
}

TEST(Words, WordOfASurfaceReadsBackAsTheSurface) {
    for (unsigned tiling = 0; tiling < 4; ++tiling)
        for (unsigned format = 0; format < 8; ++format)
            for (const uint32_t pitch : {0u, 4u, 512u, kMaxPitch}) {
                Surface s;
                s.pitch = static_cast<uint16_t>(pitch);
                s.tiling = static_cast<Tiling>(tiling);
                s.format = static_cast<Format>(format);
                const Surface back = surface_from_words(0, format_word(s));
                EXPECT_EQ(back.pitch, s.pitch);
                EXPECT_EQ(back.tiling, s.tiling);
                EXPECT_EQ(back.format, s.format);
            }
}

TEST(Words, FormatsHaveTheBytesOfTheGuide) {
    const unsigned bytes[] = {2, 4, 4, 8, 16, 1};
    const bool one_channel[] = {true, false, true, false, false, true};
    for (unsigned f = 0; f < 8; ++f) {
        const FormatInfo info = format_info(static_cast<Format>(f));
        EXPECT_EQ(info.reserved, f >= 6);
        if (f < 6) {
            EXPECT_EQ(1u << info.log2_bytes, bytes[f]);
            EXPECT_EQ(info.one_channel, one_channel[f]);
        }
    }
}

}  // namespace
}  // namespace archipelago::ctm
