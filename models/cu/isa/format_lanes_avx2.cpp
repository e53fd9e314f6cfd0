// SPDX-License-Identifier: Apache-2.0
// Conversion of elements of 64 lanes compiled for AVX2.
#define ARCHIPELAGO_VALU_LEVEL avx2
#define ARCHIPELAGO_VALU_AVX2 1
#include "models/cu/isa/format_lanes.inc"
