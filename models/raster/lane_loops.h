// SPDX-License-Identifier: Apache-2.0
// Functions of loops over lanes: compiled once more for hosts with AVX2, which the program chooses
// when it starts. Both give the same bits: there is no fused operation.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ARCHIPELAGO_LANE_LOOPS __attribute__((target_clones("avx2", "default"), flatten))
#else
#define ARCHIPELAGO_LANE_LOOPS
#endif
