// SPDX-License-Identifier: Apache-2.0
// The untimed scan converter: pixels and triangles a second.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "models/gcn/si/windows.h"
#include "models/sc/scan.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::sc {
namespace {

namespace si = regs::si;
using raster::kSubpixels;
using raster::Primitive;

constexpr int kWidth = 1920, kHeight = 1080;  // pixels

ScanState state_of(unsigned log2_samples) {
    raster::RegisterSets sets(gcn::si::context_window(), si::GFX_COPY_STATE);
    const auto set = [&](uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = offset;
        request.value = value;
        request.write = true;
        sets.write(request);
    };
    for (const uint32_t scissor :
         {si::PA_SC_SCREEN_SCISSOR_BR, si::PA_SC_WINDOW_SCISSOR_BR, si::PA_SC_GENERIC_SCISSOR_BR})
        set(scissor, kHeight << 16 | kWidth);
    set(si::PA_SC_CLIPRECT_RULE, 0xFFFF);
    set(si::PA_SC_EDGERULE, 0xAAAAAAAA);
    set(si::PA_SC_AA_MASK_X0Y0_X1Y0, ~0u);
    set(si::PA_SC_AA_MASK_X0Y1_X1Y1, ~0u);
    set(si::PA_SC_RASTER_CONFIG, 0x2A00126A);
    set(si::PA_SC_AA_CONFIG, log2_samples);
    set(si::PA_SC_MODE_CNTL_0, log2_samples != 0 ? 1 : 0);
    for (const uint32_t pixel :
         {si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_0,
          si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_0, si::PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0}) {
        set(pixel, 0x973F15BD);
        set(pixel + 4, 0xD15B73F9);
    }
    return decode_scan_state(RegisterMap{&si::database(), gcn::si::context_window()},
                             raster::RegisterView{sets, 0}, {});
}

uint64_t scan_all(Scan& scan, const ScanState& state, const std::vector<Primitive>& primitives) {
    uint64_t pixels = 0;
    for (const Primitive& p : primitives)
        scan(state, p, [&](const raster::QuadBatch& batch) {
            benchmark::DoNotOptimize(batch.coverage.data());
            pixels += 4u * batch.quads;
        });
    return pixels;
}

void full_screen(benchmark::State& run) {
    const ScanState state = state_of(static_cast<unsigned>(run.range(0)));
    Primitive p;
    p.shape = Primitive::Shape::Rectangle;
    p.corners = 4;
    p.corner = {raster::Point{0, 0}, raster::Point{kWidth * kSubpixels, 0},
                raster::Point{kWidth * kSubpixels, kHeight * kSubpixels},
                raster::Point{0, kHeight * kSubpixels}};
    Scan scan;
    uint64_t pixels = 0;
    for (auto _ : run)
        pixels += scan_all(scan, state, {p});
    run.SetItemsProcessed(static_cast<int64_t>(pixels));
}
BENCHMARK(full_screen)->Arg(0)->Arg(2)->Arg(3);

// Triangles of about so many pixels a side, anywhere.
void triangles(benchmark::State& run) {
    const ScanState state = state_of(static_cast<unsigned>(run.range(1)));
    const auto size = static_cast<int>(run.range(0)) * kSubpixels;
    std::mt19937 random(1);
    const auto below = [&](int end) { return static_cast<int>(random() % unsigned(end)); };
    std::vector<Primitive> primitives(1000);
    for (Primitive& p : primitives) {
        const raster::Point at = {below((kWidth - 200) * kSubpixels),
                                  below((kHeight - 200) * kSubpixels)};
        p.corner = {at, raster::Point{at.x + size + below(size / 8), at.y + below(size / 8)},
                    raster::Point{at.x + below(size / 8), at.y + size + below(size / 8)}};
    }
    Scan scan;
    uint64_t quads = 0;
    for (auto _ : run)
        quads += scan_all(scan, state, primitives) / 4;
    run.SetItemsProcessed(run.iterations() * 1000);
    run.counters["quads"] =
        static_cast<double>(quads) / static_cast<double>(run.iterations()) / 1000;
}
BENCHMARK(triangles)->ArgsProduct({{1, 4, 16, 100}, {0, 2}});

}  // namespace
}  // namespace archipelago::sc

BENCHMARK_MAIN();
