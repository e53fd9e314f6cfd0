// SPDX-License-Identifier: Apache-2.0
// How fast the functional async DMA engine moves data: linear copies against memcpy of as many
// bytes, tiled copies, and addresses of the walk through a surface, all in one run with a 64-lane
// multiply-add, as the unit of this host. The fastest round counts; the host writes the packets
// into the ring before it.
//
//   archipelago_dma_speed [--seconds S] [linear | tiled | walk]...
//
// --seconds S: of rounds for each row (0.5).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "models/dma/span_walk.h"
#include "testbenches/support/command_line.h"
#include "testbenches/unit/dma/bench.h"

namespace archipelago::dma {
namespace {

constexpr uint64_t kBytes = uint64_t{96} << 20;
constexpr uint64_t kFrom = 0x1000000, kTo = 0x3000000;  // 32 MiB each

double seconds_per_row = 0.5;

// Seconds of the fastest round; those of `prepare`, before each, do not count.
template <class Prepare, class Round>
double fastest(const Prepare& prepare, const Round& round) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9, total = 0;
    while (total < seconds_per_row) {
        prepare();
        const auto start = Clock::now();
        round();
        const double took = std::chrono::duration<double>(Clock::now() - start).count();
        best = std::min(best, took);
        total += took;
    }
    return best;
}
template <class Round>
double fastest(const Round& round) {
    return fastest([] {}, round);
}
// Of the engine, for packets in its ring.
double fastest_of_engine(test::Bench& b, const std::vector<uint32_t>& words) {
    return fastest([&] { b.put(words); }, [&] { b.run_ring(); });
}

double host_fma_seconds() {
    constexpr unsigned kTimes = 100'000;
    alignas(64) static float a[64], b[64], c[64];
    std::fill_n(a, 64, 1.5F);
    std::fill_n(b, 64, 0.5F);
    return fastest([] {
               for (unsigned i = 0; i < kTimes; ++i) {
                   for (unsigned lane = 0; lane < 64; ++lane)
                       c[lane] = a[lane] * b[lane] + c[lane];
                   asm volatile("" ::: "memory");
               }
           }) /
           kTimes;
}

Spec spec_of(const char* generation) {
    return test::spec_of(*find_generation(generation));
}

// Copies of CIK, whose COUNT is the largest, as often as makes up 32 MiB.
void linear_copies(test::Bench& b) {
    std::printf("%-34s %10s %10s %8s\n", "linear copy", "GB/s", "memcpy", "ratio");
    std::vector<uint8_t> from(32 << 20, 1), to(32 << 20);
    for (const uint32_t bytes : {256u, 4096u, 65536u, 1u << 20, 2u << 20}) {
        const uint32_t times = std::min(1000u, (32u << 20) / bytes);
        auto writer = b.write();
        for (uint32_t i = 0; i < times; ++i)
            writer.packet("COPY_LINEAR")
                .set("COUNT", bytes)
                .address("SRC", kFrom + uint64_t{i} * bytes)
                .address("DST", kTo + uint64_t{i} * bytes);
        const std::vector<uint32_t> words = writer;
        const double total = double{1} * bytes * times;
        const double engine = fastest_of_engine(b, words);
        const double host = fastest([&] {
            for (uint32_t i = 0; i < times; ++i) {
                std::memcpy(&to[size_t{i} * bytes], &from[size_t{i} * bytes], bytes);
                asm volatile("" ::: "memory");
            }
        });
        std::printf("%-34u %10.2f %10.2f %8.2f\n", bytes, total / engine / 1e9, total / host / 1e9,
                    host / engine);
    }
}

struct Layout {
    const char* name;
    unsigned array, micro;
};
constexpr Layout kLayouts[] = {{"1D thin, display", 2, 0},
                               {"2D thin, display", 4, 0},
                               {"2D thin, thin order", 4, 1},
                               {"2D thick, thin order", 7, 1}};

// Whole surfaces of 1024 x 1024 elements, or a slice of them.
void tiled_copies(test::Bench& b) {
    std::printf("%-34s %10s %10s\n", "tiled copy", "L2T GB/s", "T2L GB/s");
    for (const Layout& layout : kLayouts)
        for (unsigned size = 0; size < 5; ++size) {
            double rate[2];
            for (unsigned detile = 0; detile < 2; ++detile) {
                const uint32_t side = size == 4 ? 512 : 1024;
                const std::vector<uint32_t> words =
                    b.write()
                        .packet("COPY_TILED_SUB_WINDOW")
                        .set("DETILE", detile)
                        .set("ARRAY_MODE", layout.array)
                        .set("MICRO_TILE_MODE", layout.micro)
                        .set("SIZE", size)
                        .set("PIPE_CONFIG", 5)
                        .set("NUM_BANKS", 1)
                        .set("TILE_SPLIT", 4)
                        .set("PITCH_TILE_MAX", side / 8 - 1)
                        .set("SLICE_TILE_MAX", side / 8 * side / 8 - 1)
                        .address("BASE", detile != 0 ? kFrom : kTo)
                        .address("LINEAR", detile != 0 ? kTo : kFrom)
                        .set("LINEAR_PITCH", side - 1)
                        .set("LINEAR_SLICE_PITCH", side * side - 1)
                        .set("RECT_X", side)
                        .set("RECT_Y", side)
                        .set("RECT_Z", 1);
                const double bytes = double(side) * side * (1u << size);
                rate[detile] = bytes / fastest_of_engine(b, words) / 1e9;
            }
            std::printf("%-22s %3u bytes %12.2f %10.2f\n", layout.name, 1u << size, rate[0],
                        rate[1]);
        }
}

// Spans' first addresses, and addresses of every element, without the copy.
void walks(double fma) {
    std::printf("%-34s %10s %10s %12s\n", "walk through a surface", "M elem/s", "M spans/s",
                "fma64s/elem");
    for (const Layout& layout : kLayouts)
        for (const unsigned size : {0u, 2u, 4u}) {
            surface::LevelLayout level;
            level.mode.array = static_cast<surface::ArrayMode>(layout.array);
            level.mode.micro = static_cast<surface::MicroTileMode>(layout.micro);
            level.mode.pipe = surface::PipeConfig::P4_16x16;
            level.mode.banks = 4;
            level.mode.tile_split = 1024;
            level.bits = 8u << size;
            level.pitch = level.height = 1024;
            level.slices = 4;
            surface::AddressConfig config;
            config.pipes = 4;
            std::string error;
            Transfer t;
            t.element_bytes = static_cast<uint8_t>(1u << size);
            t.from.tiled = make_surface(level, config, error);
            t.region = {1024, 1024, 1, std::max(8u, 64u >> size), 8};
            uint64_t spans = 0, sum = 0;
            const double took = fastest([&] {
                spans = 0;
                for (SpanWalk walk; !walk.done(t); ++spans) {
                    const Span s = walk.front(t);
                    sum += s.address;
                    walk.take(t, s.bytes);
                }
            });
            const double elements = 1024.0 * 1024;
            asm volatile("" ::"r"(sum));
            std::printf("%-22s %3u bytes %12.1f %10.1f %12.3f\n", layout.name, 1u << size,
                        elements / took / 1e6, static_cast<double>(spans) / took / 1e6,
                        took / elements / fma);
        }
}

int run(int argc, char** argv) {
    CLI::App app{"speed of the functional async DMA engine", "archipelago_dma_speed"};
    app.add_option("--seconds", seconds_per_row, "of rounds for each row")->capture_default_str();
    std::vector<std::string> tables = {"linear", "tiled", "walk"};
    app.add_option("tables", tables, "which to print")->check(CLI::IsMember(tables));
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    const double fma = host_fma_seconds();
    std::printf("64-lane multiply-add: %.2f ns\n", fma * 1e9);
    test::Bench b(spec_of("cik"), test::BenchMode::Functional, {}, kBytes);
    std::vector<uint8_t> touched(kBytes - kFrom, 3);
    b.image.write(kFrom, touched.data(), touched.size());
    for (const std::string& table : tables)
        if (table == "linear")
            linear_copies(b);
        else if (table == "tiled")
            tiled_copies(b);
        else
            walks(fma);
    return 0;
}

}  // namespace
}  // namespace archipelago::dma

int main(int argc, char** argv) {
    try {
        return archipelago::dma::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "archipelago_dma_speed: %s\n", e.what());
        return 1;
    }
}
