// SPDX-License-Identifier: Apache-2.0
// Vector ALU compiled for AVX2 and FMA: eight lanes per host instruction.
#define ARCHIPELAGO_VALU_LEVEL avx2
#define ARCHIPELAGO_VALU_AVX2 1
#include "models/cu/isa/valu_level.inc"
