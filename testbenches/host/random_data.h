// SPDX-License-Identifier: Apache-2.0
// The generator after `random:` buffers of workload files. scripts/reference/workload_data.py has
// the same one; both are pinned by the test vectors in the unit test.
//
// xorshift64*: state = seed * 0x9E3779B97F4A7C15 + 1 mod 2^64, or 1 when that is 0. Each value:
//   x ^= x >> 12;  x ^= x << 25;  x ^= x >> 27;  r = x * 0x2545F4914F6CDD1D mod 2^64
// u8 i8 u16 i16 u32 i32 u64 i64: the top bits of r.  f16: (r >> 53) * 2^-11.  f32: (r >> 40) *
// 2^-24.  f64: (r >> 11) * 2^-53.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::host {

class RandomData {
  public:
    explicit RandomData(uint64_t seed);
    uint64_t next();

  private:
    uint64_t state_;
};

// `count` little-endian elements of `type` ("u8" ... "f64"). Throws std::invalid_argument for an
// unknown type or more than 2^32 bytes.
std::vector<uint8_t> fill_random(const std::string& type, uint64_t count, uint64_t seed);

}  // namespace archipelago::host
