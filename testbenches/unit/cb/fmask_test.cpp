// SPDX-License-Identifier: Apache-2.0
// Fragments of samples: what a primitive covers gets its colour, all else keeps the one it had.
#include "models/cb/fmask.h"

#include <random>

#include <gtest/gtest.h>

namespace archipelago::cb {
namespace {

SampleFragments identity(unsigned samples) {
    SampleFragments s{};
    for (uint8_t i = 0; i < samples; ++i)
        s[i] = i;
    return s;
}

// Element widths and identities as drivers and texture units know them.
TEST(Fmasks, ElementsInMemory) {
    const auto check = [](uint8_t samples, uint8_t fragments, unsigned bytes, uint64_t element) {
        const FmaskFormat f{samples, fragments};
        EXPECT_EQ(f.element_bytes(), bytes);
        EXPECT_EQ(f.encode(identity(fragments)), element);
    };
    check(2, 2, 1, 0x02);
    check(4, 4, 1, 0xE4);
    check(8, 8, 4, 0x76543210);
    check(4, 2, 1, 0x04);
    check(8, 2, 2, 0x0004);
    check(16, 2, 4, 0x00000004);
    check(8, 4, 4, 0x00003210);
    check(16, 4, 8, 0x3210);
    check(16, 8, 8, 0x76543210);
    EXPECT_EQ((FmaskFormat{2, 1}.element_bytes()), 1u);
    EXPECT_EQ((FmaskFormat{16, 1}.element_bytes()), 2u);
}

TEST(Fmasks, EveryElementIsReadAsWritten) {
    std::mt19937_64 random(1);
    for (uint8_t samples = 2; samples <= 16; samples = static_cast<uint8_t>(2 * samples))
        for (uint8_t fragments = 1; fragments <= samples && fragments <= 8;
             fragments = static_cast<uint8_t>(2 * fragments)) {
            const FmaskFormat f{samples, fragments};
            const unsigned codes = fragments + (fragments < samples ? 1u : 0u);
            for (unsigned run = 0; run < 100; ++run) {
                SampleFragments s{};
                for (unsigned i = 0; i < samples; ++i)
                    s[i] = static_cast<uint8_t>(random() % codes);
                EXPECT_EQ(f.decode(f.encode(s)), s);
            }
        }
}

// Random primitives over one pixel, compared with a pixel that has a colour for each sample. A
// sample of the fragments' number (an anchor) never loses its colour.
void check_updates(const FmaskFormat& format, std::mt19937& random) {
    constexpr int kUnknown = -1;
    SampleFragments shown{};
    std::array<int, 16> fragment{}, sample{};
    for (int draw = 1; draw < 400; ++draw) {
        const auto covered = static_cast<uint16_t>(random() & ((1u << format.samples) - 1));
        const bool keeps = random() % 2 == 0;
        const FragmentUpdate update = update_fragments(format, shown, covered, keeps);
        ASSERT_LE(update.count, keeps ? format.samples : 1);
        std::array<int, 16> result{};
        for (unsigned i = 0; i < update.count; ++i)  // all are read first
            result[i] = draw + (keeps ? 1000 * (fragment[update.access[i].from] % 1000) : 0);
        for (unsigned i = 0; i < update.count; ++i)
            fragment[update.access[i].to] = result[i];
        for (unsigned s = 0; s < format.samples; ++s) {
            if ((covered >> s & 1) != 0) {
                const int before = sample[s] == kUnknown ? kUnknown : sample[s] % 1000;
                sample[s] = draw + (keeps ? 1000 * before : 0);
                if (keeps && before == kUnknown)
                    sample[s] = kUnknown;
            }
            if (update.after[s] == format.unknown() && format.fragments < format.samples) {
                ASSERT_GE(s, format.fragments) << "an anchor lost its colour";
                sample[s] = kUnknown;
            } else if (sample[s] == kUnknown) {
                sample[s] = fragment[update.after[s]];  // blended with a colour not known
            } else {
                ASSERT_EQ(fragment[update.after[s]], sample[s]) << "sample " << s;
            }
        }
        shown = update.after;
    }
}

TEST(Fmasks, SamplesKeepTheirColours) {
    std::mt19937 random(2);
    for (unsigned run = 0; run < 20; ++run)
        for (uint8_t samples = 2; samples <= 16; samples = static_cast<uint8_t>(2 * samples))
            for (uint8_t fragments = 1; fragments <= samples && fragments <= 8;
                 fragments = static_cast<uint8_t>(2 * fragments))
                check_updates({samples, fragments}, random);
}

TEST(Fmasks, WholePixelsNeedOneFragment) {
    const FmaskFormat f{4, 4};
    const FragmentUpdate update = update_fragments(f, identity(4), 0xF, false);
    EXPECT_EQ(update.count, 1);
    EXPECT_EQ(update.access[0].to, 0);
    EXPECT_EQ(update.after, SampleFragments{});
    const FragmentUpdate half = update_fragments(f, SampleFragments{}, 0xC, false);
    EXPECT_EQ(half.count, 1);
    EXPECT_EQ(half.access[0].to, 1);
    EXPECT_EQ(f.encode(half.after), 0x50u);
}

}  // namespace
}  // namespace archipelago::cb
