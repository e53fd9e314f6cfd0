// SPDX-License-Identifier: Apache-2.0
// Private to lane_exec.cpp and the valu_*.cpp files: the tables of the two host levels.
#pragma once

#include "models/cu/isa/lane_exec.h"
#include "models/cu/isa/lane_memory.h"

namespace archipelago::isa {

struct FormatLanes;
struct ImageLanes;

// Large enough for every Op; entries of opcodes that are not VALU stay null.
constexpr unsigned kValuTableSize = 1024;

struct ValuTable {
    ExecFn fn[kValuTableSize] = {};
};

namespace portable {
void fill_valu_table(ValuTable& table);
void fill_lane_memory(LaneMemory& table);
void fill_format_lanes(FormatLanes& table);
void fill_image_lanes(ImageLanes& table);
}  // namespace portable

#if defined(ARCHIPELAGO_VALU_HAVE_AVX2)
namespace avx2 {
void fill_valu_table(ValuTable& table);
void fill_lane_memory(LaneMemory& table);
void fill_format_lanes(FormatLanes& table);
void fill_image_lanes(ImageLanes& table);
}  // namespace avx2
#endif

// The table of one level, for tests and benchmarks: "portable" or "avx2". Null when the build or
// the host does not have that level.
const ValuTable* valu_table(const char* level);

}  // namespace archipelago::isa
