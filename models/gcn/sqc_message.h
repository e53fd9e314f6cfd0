// SPDX-License-Identifier: Apache-2.0
// Messages between a compute unit and the instruction and scalar data caches that it shares with
// its neighbours (SQC).
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "models/common/cycle_tap.h"

namespace archipelago {

// CU -> shared instruction cache: one aligned fetch block.
struct FetchRequest {
    uint64_t address = 0;  // multiple of the fetch width
    uint8_t vmid = 0;
    uint16_t wave = 0;        // simd * 16 + slot, returned
    uint16_t cu = 0;          // index of the CU among those sharing the cache
    uint32_t generation = 0;  // the CU's; lets it drop fetches made before a jump
};
struct FetchResponse {
    uint64_t address = 0;
    uint16_t wave = 0;
    uint32_t generation = 0;
    bool fault = false;
    std::array<uint32_t, 8> words{};  // 32 bytes
};

// CU -> shared scalar data cache: s_load / s_buffer_load of consecutive dwords.
struct ScalarRequest {
    uint64_t address = 0;  // bytes, dword aligned
    uint8_t dwords = 1;    // 1..16
    uint8_t vmid = 0;
    uint16_t wave = 0;
    uint16_t cu = 0;
    uint32_t tag = 0;
    bool invalidate = false;  // s_dcache_inv: no data
};
struct ScalarResponse {
    uint16_t wave = 0;
    uint32_t tag = 0;
    bool fault = false;
    uint64_t fault_address = 0;  // bytes
    std::array<uint32_t, 16> data{};
};

template <>
struct IsTransaction<FetchRequest> : std::true_type {};
template <>
struct IsTransaction<FetchResponse> : std::true_type {};
template <>
struct IsTransaction<ScalarRequest> : std::true_type {};
template <>
struct IsTransaction<ScalarResponse> : std::true_type {};

}  // namespace archipelago
