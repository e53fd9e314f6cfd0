// SPDX-License-Identifier: Apache-2.0
// Arithmetic of an instruction over the lanes of a thread, for one level of the host's
// instructions; private to models/ctm/isa. Everything runs under FloatMode.
#pragma once

#include <array>
#include <cstdint>

#include "models/ctm/isa/instruction.h"
#include "models/ctm/isa/thread.h"

namespace archipelago::ctm::isa {

constexpr uint32_t kCanonicalNan = 0x7fffffff;
constexpr unsigned kBlock = 8;  // lanes: kernels take multiples of it

// in: A, B, C by pointer; of dot products A.r B.r A.g B.g A.b B.b A.a B.a, of D2A C.b fifth.
using KernelFn = void (*)(const float* const* in, float* out, unsigned lanes, float scale);

struct LaneKernels {
    std::array<std::array<KernelFn, static_cast<unsigned>(Finish::Count)>,
               static_cast<unsigned>(Kernel::Count)>
        math{};
    void (*fill)(float value, float* out, unsigned lanes) = nullptr;
    void (*modify)(const float* in, float* out, unsigned lanes, InputModifier modifier) = nullptr;
    void (*presubtract)(const float* source0, const float* source1, float* out, unsigned lanes,
                        Presubtract operation) = nullptr;
    // The value of one lane of each quad in all four.
    void (*spread)(const float* in, float* out, unsigned lanes, unsigned lane) = nullptr;
    LaneMask (*compare)(const float* in, unsigned lanes, Compare compare) = nullptr;
    // Correctly rounded, for coordinates.
    void (*divide)(const float* a, const float* b, float* out, unsigned lanes) = nullptr;
    void (*scale)(const float* a, float factor, float* out, unsigned lanes) = nullptr;
    // Coordinates as to_index() has them, in the order of Point.
    void (*indices)(const float* s, const float* t, uint32_t* out, unsigned lanes) = nullptr;
    // Lanes of `mask` from `in`, others as they are.
    void (*merge)(const float* in, float* out, unsigned lanes, LaneMask mask) = nullptr;

    KernelFn of(Kernel kernel, Finish finish) const {
        return math[static_cast<unsigned>(kernel)][static_cast<unsigned>(finish)];
    }
};

// The host's best level; "avx2" or "portable", null when the build or the host lacks it. The
// environment's ARCHIPELAGO_LANES=portable chooses that one.
const LaneKernels* lane_kernels(const char* level);
const LaneKernels& choose_lane_kernels();
inline const LaneKernels& lane_kernels() {
    static const LaneKernels& chosen = choose_lane_kernels();
    return chosen;
}

}  // namespace archipelago::ctm::isa
