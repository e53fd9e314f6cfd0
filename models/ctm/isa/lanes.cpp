// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/isa/lanes.h"

#include <cstdlib>
#include <cstring>

#include "models/ctm/isa/lanes_level.h"

namespace archipelago::ctm::isa {
namespace {

template <void (*Fill)(LaneKernels&)>
const LaneKernels& filled() {
    static const LaneKernels kernels = [] {
        LaneKernels k;
        Fill(k);
        return k;
    }();
    return kernels;
}

}  // namespace

const LaneKernels* lane_kernels(const char* level) {
    if (std::strcmp(level, "portable") == 0) {
        return &filled<portable::fill_lane_kernels>();
    }
#if defined(ARCHIPELAGO_CTM_HAVE_AVX2)
    __builtin_cpu_init();
    if (std::strcmp(level, "avx2") == 0 && __builtin_cpu_supports("avx2")) {
        return &filled<avx2::fill_lane_kernels>();
    }
#endif
    return nullptr;
}

const LaneKernels& choose_lane_kernels() {
    const char* wanted = std::getenv("ARCHIPELAGO_LANES");
    const bool portable = wanted != nullptr && std::strcmp(wanted, "portable") == 0;
    const LaneKernels* wide = portable ? nullptr : lane_kernels("avx2");
    return wide != nullptr ? *wide : *lane_kernels("portable");
}

}  // namespace archipelago::ctm::isa
