// SPDX-License-Identifier: Apache-2.0
// What holds for any packets: both modes leave the same, regardless of what stalls; tiled surfaces
// come back as they went, and fill their memory; windows are the CPU's; a stop leaves what was
// before it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <optional>

#include "testbenches/fuzz/dma_streams.h"
#include "testbenches/unit/dma/bench.h"
#include "testbenches/unit/dma/tiled_reference.h"

const archipelago::fuzz::TargetInfo archipelago::fuzz::kTarget = {"dma_test", false, 0, 0, 0};

namespace archipelago::dma::test {
namespace {

class Properties : public testing::TestWithParam<const Generation*> {
  protected:
    // The same inputs in every run, unless the environment asks for others.
    static void SetUpTestSuite() { setenv("RC_PARAMS", "seed=21 max_success=100", 0); }
    const Generation& generation() const { return *GetParam(); }
    fuzz::DmaStream any_stream(unsigned packets, unsigned corrupted) const {
        fuzz::Random random(*rc::gen::arbitrary<uint64_t>());
        return fuzz::make_dma_stream(random, generation(), {packets, corrupted, false});
    }
};

// ---- streams -----------------------------------------------------------------------------------

TEST_P(Properties, BothModesLeaveTheSame) {
    EXPECT_TRUE(rc::check("both modes leave the same", [this] {
        std::string problem;
        const fuzz::DmaResult result = fuzz::run_dma_in_both(any_stream(25, 0), 0, problem);
        RC_TAG(std::string(to_string(result.end)));
        RC_ASSERT(problem == "");
    }));
}

TEST_P(Properties, StallsAndTheOrderOfUnitsMoveNoByte) {
    EXPECT_TRUE(rc::check("stalls and the order of units move no byte", [this] {
        std::string problem;
        const auto seed = *rc::gen::inRange<uint64_t>(1, 1'000'000);
        fuzz::run_dma_in_both(any_stream(15, 0), seed, problem);
        RC_ASSERT(problem == "");
    }));
}

// The dword of the ring at which a stop was, if it was in the ring.
std::optional<size_t> ring_dword(const std::string& stop) {
    const std::string before = "bad input: ring dma0 dword ";
    if (stop.compare(0, before.size(), before) != 0)
        return {};
    return std::stoul(stop.substr(before.size()));
}

TEST_P(Properties, AStopLeavesWhatPacketsBeforeItWrote) {
    using namespace fuzz;
    EXPECT_TRUE(rc::check("a stop leaves what packets before it wrote", [&] {
        const DmaStream whole = any_stream(15, 8);
        const DmaResult stopped = run_dma(whole, {});
        const auto dword = ring_dword(stopped.text);
        if (!dword)
            return;
        DmaStream first = whole;
        first.ring.resize(*dword);
        const DmaResult before = run_dma(first, {});
        const DmaResult timed = run_dma(whole, {true});
        if (before.end != DmaEnd::Done || timed.depends_on_time || stopped.depends_on_time)
            return;
        // What differs where targets held other bytes is what no packet wrote.
        DmaRun elsewhere;
        elsewhere.other_targets = true;
        const DmaResult other = run_dma(first, elsewhere);
        for (size_t i = kRing + 4 * kRingDwords; i < before.memory.size(); ++i) {
            RC_ASSERT(stopped.memory[i] == before.memory[i]);
            // Copies that were on their way may have been cut off.
            if (other.memory[i] != before.memory[i])
                RC_ASSERT(timed.memory[i] == before.memory[i]);
        }
        RC_TAG("stopped");
    }));
}

// ---- tiled surfaces ----------------------------------------------------------------------------

// A copy of dwords between a whole surface and a linear place, where the slice is all in use.
Words copy_whole(const Scene& s, const Surf& surf, bool detile, uint64_t linear, uint32_t dwords) {
    if (s.cik())
        return {f(31, 31, detile) | f(15, 8, 1) | f(7, 0, 1),
                low(surf.base()),
                high(surf.base()),
                f(29, 16, surf.height) | f(10, 0, surf.pitch_tiles - 1),
                f(21, 0, surf.slice_tiles - 1),
                surf.cik_mode(),
                0,
                0,
                low(linear),
                high(linear),
                surf.pitch() - 1,
                f(19, 0, dwords)};
    Words words = {f(31, 28, 3) | f(23, 23, 1) | (s.old() ? f(15, 0, dwords) : f(19, 0, dwords)),
                   f(31, 0, surf.base() >> 8)};
    const Words fields = s.old() ? surf.old(detile, 0, 0, 0, 0) : surf.islands(detile, 0, 0, 0, 0);
    words.insert(words.end(), fields.begin(), fields.end());
    words.push_back(low(linear));
    words.push_back(f(7, 0, high(linear)));
    return words;
}

// To the surface and back, all of it: no element is lost, so that each has a place of its own, and
// nothing outside of it changes, so that they fill it.
void there_and_back(const Generation& generation, const Tiling& t, BenchMode mode) {
    Scene s(generation);
    const unsigned thick = surface::thickness(static_cast<surface::ArrayMode>(t.array));
    // Rows of macro tiles in all channels; R6xx cannot count more.
    const unsigned tiles = !s.old() ? 16 : t.size < 2 ? 8 : 4;
    std::optional<Surf> surf;
    try {
        surf.emplace(generation, t, tiles, tiles, 8 * tiles, s.place(0x300000));
    } catch (const std::logic_error&) {
        // The library has no such surface; then the engine has none.
        Bench b(spec_of(generation), mode);
        Tiling other = t;
        other.array = 2;
        other.micro = 0;
        const Surf like(generation, other, tiles, tiles, 8 * tiles, s.place(0x300000));
        Surf wrong = like;
        const_cast<Tiling&>(wrong.t) = t;
        EXPECT_NE(b.run_to_stop(copy_whole(s, wrong, false, s.place(0), 4)), "")
            << generation.name << ", array mode " << t.array << ", size " << t.size;
        return;
    }
    const uint32_t dwords = surf->pitch() * surf->rows() * thick * surf->element() / 4;
    ASSERT_LE(4 * dwords, 0x280000u);
    s.packet(copy_whole(s, *surf, false, s.place(0), dwords));
    s.packet({s.cik() ? 0 : 0xF0000000});
    s.packet(copy_whole(s, *surf, true, s.place(0x280000), dwords));
    // The surface is left to the engine; the walk through it fills it.
    s.settle = [&](Contents& after, const Contents& got) {
        for (uint64_t i = 0; i < 4 * uint64_t{dwords}; ++i)
            after.at(surf->base() + i) = got.at(surf->base() + i);
    };
    s.expect_move(bytes_from(s.place(0x280000), 4 * dwords), bytes_from(s.place(0), 4 * dwords), 0);
    Bench b(spec_of(generation), mode);
    EXPECT_EQ(run_scene(s, b), "")
        << generation.name << ", array mode " << t.array << ", size " << t.size;
}

TEST_P(Properties, SurfacesComeBackAsTheyWentAndFillTheirMemory) {
    const bool r6xx = generation().surfaces == surface::Generation::R6xx;
    const bool evergreen = generation().surfaces == surface::Generation::Evergreen;
    const std::vector<unsigned> micros = r6xx        ? std::vector<unsigned>{0}
                                         : evergreen ? std::vector<unsigned>{0, 2}
                                                     : std::vector<unsigned>{0, 1, 2, 3, 4};
    for (unsigned array = 0; array < 16; ++array)
        for (unsigned size = 0; size < 5; ++size)
            for (const unsigned micro : micros) {
                if (micro == 4 && !generation().sdma)
                    continue;  // SI has two bits
                Tiling t;
                t.array = array;
                t.size = size;
                t.micro = micro;
                there_and_back(generation(), t, BenchMode::Functional);
                if (size == array % 3 && micro == 0)
                    there_and_back(generation(), t, BenchMode::Cycle);
            }
}

// ---- windows -----------------------------------------------------------------------------------

// A window of any size anywhere in a surface of any tiling, from or to a linear place.
class PropertiesOfWindows : public Properties {};

TEST_P(PropertiesOfWindows, AreTheCpus) {
    const std::vector<Tiling> all = tilings(generation());
    const bool checked = rc::check("windows are the CPU's", [&] {
        Scene s(generation());
        const Tiling t = *rc::gen::elementOf(all);
        const Surf surf(generation(), t, kPitchTiles, kTileRows, 100, s.place(0x200000));
        const auto below = [](uint32_t n) { return *rc::gen::inRange<uint32_t>(0, n); };
        const uint32_t x = below(100), y = below(100), z = below(4);
        const uint32_t dx = 1 + below(28), dy = 1 + below(28), dz = 1 + below(3);
        const bool detile = below(2) != 0;
        const uint64_t at = s.place(0x1000 + 4 * below(64));
        const uint32_t element = surf.element(), row = element * (dx + below(9));
        const uint32_t pitch = row / element, slice = pitch * (dy + below(3));
        Words words;
        if (s.cik()) {
            words = {f(31, 31, detile) | f(15, 8, 5) | f(7, 0, 1),
                     low(surf.base()),
                     high(surf.base()),
                     f(29, 16, y) | f(13, 0, x),
                     f(26, 16, surf.pitch_tiles - 1) | f(11, 0, z),
                     f(21, 0, surf.slice_tiles - 1),
                     surf.cik_mode(),
                     low(at),
                     high(at),
                     0,
                     f(29, 16, pitch - 1),
                     f(27, 0, slice - 1),
                     f(29, 16, dy) | f(13, 0, dx),
                     f(11, 0, dz)};
        } else {
            words = {f(31, 28, 3) | f(27, 20, 0x49), f(31, 0, surf.base() >> 8)};
            const Words fields = surf.islands(detile, x, y, z, 0);
            words.insert(words.end(), fields.begin(), fields.end());
            const Words rest = {low(at), f(31, 13, row), slice * element,
                                f(29, 16, dy) | f(13, 0, dx), f(10, 0, dz)};
            words.insert(words.end(), rest.begin(), rest.end());
        }
        s.packet(words);
        const Addresses in_surface =
            window([&](uint32_t i, uint32_t j, uint32_t k) { return surf.at(i, j, k); }, x, y, z,
                   dx, dy, dz, element);
        const Addresses in_window =
            window([&](uint32_t i, uint32_t j,
                       uint32_t k) { return at + (uint64_t{k} * slice + j * pitch + i) * element; },
                   0, 0, 0, dx, dy, dz, element);
        s.expect_move(detile ? in_window : in_surface, detile ? in_surface : in_window, 0);
        Bench b(spec_of(generation()), below(2) != 0 ? BenchMode::Cycle : BenchMode::Functional);
        RC_ASSERT(run_scene(s, b) == "");
    });
    EXPECT_TRUE(checked);
}

INSTANTIATE_TEST_SUITE_P(Dma, PropertiesOfWindows,
                         testing::Values(find_generation("ni"), find_generation("si"),
                                         find_generation("cik")),
                         [](const auto& info) { return std::string(info.param->name); });
INSTANTIATE_TEST_SUITE_P(Dma, Properties, testing::ValuesIn(generations()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace archipelago::dma::test
