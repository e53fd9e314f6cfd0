// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/random_data.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "testbenches/host/code_object/byte_io.h"

namespace archipelago::host {
namespace {

constexpr uint64_t kSeedFactor = 0x9E3779B97F4A7C15;
constexpr uint64_t kStarFactor = 0x2545F4914F6CDD1D;
constexpr uint64_t kMaxBytes = uint64_t{1} << 32;

uint64_t element_bits(const std::string& type, uint32_t bytes, uint64_t r) {
    if (type == "f32") {
        const float value = static_cast<float>(r >> 40) * 0x1p-24f;
        uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (type == "f64") {
        const double value = static_cast<double>(r >> 11) * 0x1p-53;
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    return r >> (64 - 8 * bytes);
}

}  // namespace

RandomData::RandomData(uint64_t seed) : state_(seed * kSeedFactor + 1) {
    if (state_ == 0)
        state_ = 1;
}

uint64_t RandomData::next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * kStarFactor;
}

uint32_t random_type_bytes(const std::string& type) {
    if (type == "u8" || type == "i8")
        return 1;
    if (type == "u16" || type == "i16")
        return 2;
    if (type == "u32" || type == "i32" || type == "f32")
        return 4;
    if (type == "u64" || type == "i64" || type == "f64")
        return 8;
    return 0;
}

std::vector<uint8_t> fill_random(const std::string& type, uint64_t count, uint64_t seed) {
    const uint32_t bytes = random_type_bytes(type);
    if (bytes == 0)
        throw std::invalid_argument(fmt::format(
            "random data of type '{}': expected u8 i8 u16 i16 u32 i32 u64 i64 f32 f64", type));
    if (count > kMaxBytes / bytes)
        throw std::invalid_argument(
            fmt::format("random data of {} elements of {} bytes exceeds 4 GiB", count, bytes));
    std::vector<uint8_t> out(count * bytes);
    RandomData generator(seed);
    for (uint64_t i = 0; i < count; ++i)
        store_le(out.data() + i * bytes, element_bits(type, bytes, generator.next()), bytes);
    return out;
}

}  // namespace archipelago::host
