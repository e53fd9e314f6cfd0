// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/random_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/element_type.h"

namespace archipelago::host {
namespace {

constexpr uint64_t kSeedFactor = 0x9E3779B97F4A7C15;
constexpr uint64_t kStarFactor = 0x2545F4914F6CDD1D;
constexpr uint64_t kMaxBytes = uint64_t{1} << 32;

uint64_t element_bits(const std::string& type, uint32_t bytes, uint64_t r) {
    if (type == "f16") {
        uint8_t half[2];
        store_real(ElementType::F16, static_cast<double>(r >> 53) * 0x1p-11, half);
        return load_le(half, 2);
    }
    if (type == "f32")
        return bit_cast<uint32_t>(static_cast<float>(r >> 40) * 0x1p-24f);
    if (type == "f64")
        return bit_cast<uint64_t>(static_cast<double>(r >> 11) * 0x1p-53);
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

std::vector<uint8_t> fill_random(const std::string& type, uint64_t count, uint64_t seed) {
    const std::vector<std::string>& names = element_type_names();
    const auto found = std::find(names.begin(), names.end(), type);
    if (found == names.end())
        throw std::invalid_argument(fmt::format(
            "random data of type '{}': expected u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64", type));
    const uint32_t bytes = bytes_of(static_cast<ElementType>(found - names.begin()));
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
