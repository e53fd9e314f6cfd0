// SPDX-License-Identifier: Apache-2.0
// Random registers and batches: the colour block writes or stops by name, and never breaks.
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "colour_bench.h"
#include "models/common/error.h"

namespace archipelago::cb {
namespace {

class ColourFuzz {
  public:
    explicit ColourFuzz(uint32_t seed) : random_(seed) {}

    // True: the batch has been written.
    bool draw() {
        bench_.memory.lines.clear();
        for (unsigned n = 0; n < kTargets; ++n)
            make_target(n);
        bench_.set(si::CB_COLOR_CONTROL, word() & (one_in(4) ? ~0u : 0x00FF0038u));
        bench_.set(si::CB_TARGET_MASK, one_in(2) ? word() : ~0u);
        bench_.set(si::CB_SHADER_MASK, one_in(2) ? word() : ~0u);
        bench_.set(si::SPI_SHADER_COL_FORMAT, export_formats());
        bench_.set(si::PA_SC_AA_CONFIG, word() % 6);
        for (uint32_t at = si::CB_BLEND_RED; at <= si::CB_BLEND_ALPHA; at += 4)
            bench_.set(at, word());
        try {
            bench_.write(make_batch());
        } catch (const MachineStop& stop) {
            EXPECT_NE(stop.kind(), StopKind::Internal) << stop.what();
            EXPECT_NE(std::string(stop.what()).find_first_of("CS"), std::string::npos);
            return false;
        }
        return true;
    }

  private:
    uint32_t word() { return static_cast<uint32_t>(random_()); }
    bool one_in(uint32_t n) { return word() % n == 0; }

    void make_target(unsigned n) {
        static constexpr uint32_t kTilings[] = {ColourBench::kLinear, ColourBench::kMicro,
                                                ColourBench::kMacro, ColourBench::kFmaskMode};
        Info info;
        info.format = one_in(3) ? 0 : word() % (one_in(8) ? 32 : 23);
        info.number = one_in(2) ? 0 : word() % 8;
        info.swap = word() % 4;
        info.endian = one_in(8) ? word() % 4 : 0;
        info.round = word() % 2;
        info.fast_clear = one_in(3);
        info.compression = one_in(2);
        info.clamp = one_in(2);
        info.bypass = one_in(4);
        info.simple = one_in(2);
        info.keeps_fmask = one_in(4);
        info.general = one_in(8);
        const uint32_t samples = one_in(2) ? 0 : word() % 5;
        const uint32_t fragments = one_in(8) ? word() % 4 : std::min(3u, samples);
        bench_.bind(n, info, kTilings[word() % 4], 1 + word() % 4, samples, fragments);
        bench_.set(si::CB_BLEND0_CONTROL + 4 * n,
                   one_in(3) ? 0 : word() & (one_in(8) ? ~0u : 0x6F0F0F0Fu));
        // Now and then any value in any register.
        if (one_in(16))
            bench_.set(si::CB_COLOR0_BASE + n * ColourBench::kStride + word() % 13 * 4, word());
    }
    uint32_t export_formats() {
        uint32_t formats = 0;
        for (unsigned n = 0; n < kTargets; ++n)
            formats |= (one_in(32) ? word() % 16 : 9) << 4 * n;
        return formats;
    }
    raster::ShadedBatch make_batch() {
        raster::ShadedBatch batch = whole_tile(word() % 8 * 8, word() % 8 * 8);
        batch.quads.quads = static_cast<uint8_t>(word() % 17);
        batch.quads.primitive.layer = static_cast<uint16_t>(word() % 5);
        batch.quads.killed = one_in(16);
        if (one_in(8))
            for (unsigned q = 0; q < 16; ++q) {
                batch.quads.x[q] = static_cast<uint16_t>(word() % 40 * 2);
                batch.quads.y[q] = static_cast<uint16_t>(word() % 40 * 2);
            }
        for (uint16_t& c : batch.quads.coverage)
            c = static_cast<uint16_t>(one_in(3) ? 0 : one_in(2) ? 0xFFFF : word());
        for (unsigned n = 0; n < kTargets; ++n) {
            if (one_in(32))
                continue;
            for (auto& component : export_to(batch, n, one_in(64)).data)
                for (uint32_t& v : component)
                    v = one_in(2) ? word() : bits(static_cast<float>(word() % 300) / 255.0f);
        }
        return batch;
    }

    ColourBench bench_;
    std::mt19937 random_;
};

TEST(ColourFuzzes, RandomStateWritesOrStopsByName) {
    unsigned written = 0;
    ColourFuzz fuzz(1);
    for (unsigned i = 0; i < 3000; ++i)
        written += fuzz.draw() ? 1 : 0;
    EXPECT_GT(written, 300u);
    EXPECT_LT(written, 3000u);
}

}  // namespace
}  // namespace archipelago::cb
