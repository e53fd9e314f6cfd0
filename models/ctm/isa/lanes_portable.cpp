// SPDX-License-Identifier: Apache-2.0
// Lane arithmetic compiled for baseline x86-64 (SSE2).
#define ARCHIPELAGO_CTM_LEVEL portable
#define ARCHIPELAGO_CTM_AVX2 0
#include "models/ctm/isa/lanes.inc"
