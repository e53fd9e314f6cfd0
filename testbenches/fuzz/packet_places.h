// SPDX-License-Identifier: Apache-2.0
// Where the streams of packet_streams.h and what they work on lie in the memory of cp_bench.h.
#pragma once

#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::fuzz {

constexpr uint64_t kIb1 = cp::test::kIb, kIb2 = kIb1 + 0x8000, kConstants = kIb1 + 0xC000;
constexpr size_t kBufferDwords = 0x1000;
// In kData: zeroes to wait for, numbers to copy, where packets write, semaphores that are signalled
// and counters that have been written.
constexpr uint64_t kZeroes = cp::test::kData, kNumbers = kZeroes + 0x4000, kTo = kZeroes + 0x8000,
                   kHeaders = kZeroes + 0xD000, kSemaphores = kZeroes + 0xE000,
                   kCounters = kZeroes + 0xF000;

}  // namespace archipelago::fuzz
