// SPDX-License-Identifier: Apache-2.0
// Lane arithmetic compiled for AVX2: eight lanes per host instruction.
#define ARCHIPELAGO_CTM_LEVEL avx2
#define ARCHIPELAGO_CTM_AVX2 1
#include "models/ctm/isa/lanes.inc"
