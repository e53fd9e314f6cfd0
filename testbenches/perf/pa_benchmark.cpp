// SPDX-License-Identifier: Apache-2.0
// Host cost of the untimed primitive set-up, in nanoseconds per primitive: drawn, culled, clipped.
#include <benchmark/benchmark.h>

#include <vector>

#include "models/pa/primitive_setup.h"
#include "testbenches/unit/pa/pa_bench.h"

namespace archipelago::pa {
namespace {

// 21 triangles of one wave, `size` pixels wide.
void set_up_triangles(benchmark::State& run, float size, bool culled) {
    PaBench bench;
    if (culled)
        bench.set(si::PA_SU_SC_MODE_CNTL, 0x247);
    bench.guard_band(1.5f, 1);
    VertexExports exports;
    exports.draw = 1;
    exports.lanes = 63;
    exports.position.resize(1);
    for (unsigned lane = 0; lane < 63; ++lane) {
        const float x = float(lane / 3) / 21 + (lane % 3 == 1 ? size / 32 : 0);
        const float y = float(lane / 3 % 5) / 5 + (lane % 3 == 2 ? size / 32 : 0);
        const float position[4] = {x, y, 0.5f, 1};
        for (unsigned c = 0; c < 4; ++c)
            exports.position[0][c][lane] = bits_of(position[c]);
    }
    bench.positions.add(exports);
    const SetupState state = bench.state();
    std::vector<raster::Primitive> out;
    PrimitiveMessage message;
    message.vertices = 3;
    message.draw = 1;
    unsigned triangle = 0;
    for (auto _ : run) {
        for (unsigned v = 0; v < 3; ++v)
            message.lane[v] = static_cast<uint8_t>(3 * triangle + v);
        triangle = (triangle + 1) % 21;
        out.clear();
        bench.setup.setup(state, message, bench.positions, out, bench.counters);
        benchmark::DoNotOptimize(out.data());
    }
}

BENCHMARK_CAPTURE(set_up_triangles, drawn, 2, false);
BENCHMARK_CAPTURE(set_up_triangles, culled, 2, true);
BENCHMARK_CAPTURE(set_up_triangles, clipped, 100, false);

}  // namespace
}  // namespace archipelago::pa

BENCHMARK_MAIN();
