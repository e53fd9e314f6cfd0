// SPDX-License-Identifier: Apache-2.0
// Private to lanes*.cpp: what fills the table of each level.
#pragma once

#include "models/ctm/isa/lanes.h"

namespace archipelago::ctm::isa {
namespace portable {
void fill_lane_kernels(LaneKernels& kernels);
}
#if defined(ARCHIPELAGO_CTM_HAVE_AVX2)
namespace avx2 {
void fill_lane_kernels(LaneKernels& kernels);
}
#endif
}  // namespace archipelago::ctm::isa
