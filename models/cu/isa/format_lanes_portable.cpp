// SPDX-License-Identifier: Apache-2.0
// Conversion of elements of 64 lanes compiled for baseline x86-64.
#define ARCHIPELAGO_VALU_LEVEL portable
#define ARCHIPELAGO_VALU_AVX2 0
#include "models/cu/isa/format_lanes.inc"
