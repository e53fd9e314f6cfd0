// SPDX-License-Identifier: Apache-2.0
// Every packet of every generation, in both modes.
#include <gtest/gtest.h>

#include "testbenches/unit/dma/bench.h"

namespace archipelago::dma::test {
namespace {

class EveryGeneration : public testing::TestWithParam<std::tuple<const Generation*, BenchMode>> {
  protected:
    const Generation& generation() const { return *std::get<0>(GetParam()); }
    Bench bench() const { return Bench(spec_of(generation()), std::get<1>(GetParam())); }
    bool has(const char* packet) const {
        return generation().packets.find_by_name(packet) != nullptr;
    }
};

std::vector<uint8_t> pattern(size_t bytes) {
    std::vector<uint8_t> made(bytes);
    for (size_t i = 0; i < bytes; ++i)
        made[i] = static_cast<uint8_t>(i * 7 + i / 256);
    return made;
}

TEST_P(EveryGeneration, CopiesLinearDwords) {
    Bench b(spec_of(generation()), std::get<1>(GetParam()));
    const std::vector<uint8_t> data = pattern(4096);
    b.image.write(kData + 8, data.data(), data.size());
    const uint32_t unit = generation().sdma ? 1 : 4;
    b.run(b.write()
              .packet("COPY_LINEAR")
              .set("COUNT", 4096 / unit)
              .address("SRC", kData + 8)
              .address("DST", kData + 0x10004));
    std::vector<uint8_t> got(4096 + 8);
    b.image.read(kData + 0x10000, got.data(), got.size());
    EXPECT_TRUE(std::equal(data.begin(), data.end(), got.begin() + 4));
    EXPECT_EQ(got[3] | got[4096 + 4], 0) << "outside";
    EXPECT_TRUE(b.idle()) << b.waiting_for();
}

TEST_P(EveryGeneration, WritesAFence) {
    Bench b(spec_of(generation()), std::get<1>(GetParam()));
    b.run(b.write().packet("FENCE").address("ADDRESS", kData).set("DATA", 0xCAFE).packet("TRAP"));
    uint32_t got = 0;
    b.image.read(kData, &got, 4);
    EXPECT_EQ(got, 0xCAFEu);
    EXPECT_EQ(b.interrupts, 1u);
}

INSTANTIATE_TEST_SUITE_P(Dma, EveryGeneration,
                         testing::Combine(testing::ValuesIn(generations()),
                                          testing::Values(BenchMode::Cycle, BenchMode::Functional)),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)->name) +
                                    (std::get<1>(info.param) == BenchMode::Cycle ? "_cycle"
                                                                                 : "_functional");
                         });

}  // namespace
}  // namespace archipelago::dma::test
