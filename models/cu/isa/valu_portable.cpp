// SPDX-License-Identifier: Apache-2.0
// Vector ALU compiled for baseline x86-64 (SSE2): four lanes per host instruction.
#define ARCHIPELAGO_VALU_LEVEL portable
#define ARCHIPELAGO_VALU_AVX2 0
#include "models/cu/isa/valu_level.inc"
