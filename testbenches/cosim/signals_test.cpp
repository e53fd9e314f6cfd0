// SPDX-License-Identifier: Apache-2.0
// Values of pins in the signals of a Verilated module, bit by bit.
#include "rtl-bridge/verilated/signals.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <type_traits>

#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {
namespace {

// As Verilator declares a vector.
template <size_t Bits>
struct Wide {
    uint32_t words[(Bits + 31) / 32];
};
template <size_t Bits>
using Signal = std::conditional_t<
    Bits <= 8, uint8_t,
    std::conditional_t<Bits <= 16, uint16_t,
                       std::conditional_t<Bits <= 32, uint32_t,
                                          std::conditional_t<Bits <= 64, uint64_t, Wide<Bits>>>>>;

// `Width` bits of a T, or of each of N.
template <class T, unsigned Width, size_t N = 0>
struct Shape {
    using Member = std::conditional_t<N == 0, T, std::array<T, N>>;
    static constexpr size_t kCount = N == 0 ? 1 : N;
    static constexpr unsigned kWidth = Width;
    static constexpr size_t kBits = kCount * Width;

    static T& element(Member& m, [[maybe_unused]] size_t i) {
        if constexpr (N == 0)
            return m;
        else
            return m[i];
    }
};

using Shapes = std::tuple<
    // plain
    Shape<uint8_t, 1>, Shape<uint8_t, 3>, Shape<uint16_t, 9>, Shape<uint32_t, 20>,
    Shape<uint64_t, 33>, Shape<uint64_t, 64>,
    // as wide as their type
    Shape<uint8_t, 8, 3>, Shape<uint8_t, 8, 16>, Shape<uint16_t, 16, 5>, Shape<uint16_t, 16, 16>,
    Shape<uint32_t, 32, 16>, Shape<uint64_t, 64, 32>,
    // nibbles
    Shape<uint8_t, 4, 4>, Shape<uint8_t, 4, 8>, Shape<uint8_t, 4, 16>, Shape<uint8_t, 4, 24>,
    // any
    Shape<uint8_t, 1, 16>, Shape<uint8_t, 1, 64>, Shape<uint8_t, 3, 5>, Shape<uint16_t, 9, 7>,
    Shape<uint16_t, 9, 8>, Shape<uint8_t, 3, 40>, Shape<uint8_t, 4, 20>, Shape<uint64_t, 40, 3>>;
template <class F>
void each_shape(F&& f) {
    std::apply([&](auto... shape) { (f(shape), ...); }, Shapes{});
}

TEST(Signals, HoldTheLowBitsOfEveryElementInOrder) {
    each_shape([](auto shape) {
        using S = decltype(shape);
        SCOPED_TRACE(std::to_string(S::kCount) + " x " + std::to_string(S::kWidth) + " bits");
        Random random(3);
        typename S::Member in{};
        Signal<S::kBits> signal;
        uint8_t bytes[sizeof signal];
        for (int round = 0; round < 20; ++round) {
            for (size_t i = 0; i < S::kCount; ++i)
                S::element(in, i) =
                    static_cast<std::decay_t<decltype(S::element(in, i))>>(random.bits());
            std::memset(&signal, 0xa5, sizeof signal);
            to_signal<S::kWidth>(in, signal);
            std::memcpy(bytes, &signal, sizeof signal);
            for (size_t at = 0; at < 8 * sizeof signal; ++at) {
                const bool expected =
                    at < S::kBits &&
                    (uint64_t{S::element(in, at / S::kWidth)} >> at % S::kWidth & 1) != 0;
                ASSERT_EQ((bytes[at / 8] >> at % 8 & 1) != 0, expected) << "bit " << at;
            }
        }
    });
}

TEST(Signals, GiveEveryElementBack) {
    each_shape([](auto shape) {
        using S = decltype(shape);
        SCOPED_TRACE(std::to_string(S::kCount) + " x " + std::to_string(S::kWidth) + " bits");
        Random random(4);
        typename S::Member in{}, out;
        Signal<S::kBits> signal;
        for (int round = 0; round < 20; ++round) {
            for (size_t i = 0; i < S::kCount; ++i)
                S::element(in, i) = static_cast<std::decay_t<decltype(S::element(in, i))>>(
                    random.bits() & detail::low_bits(S::kWidth));
            to_signal<S::kWidth>(in, signal);
            std::memset(&out, 0x5a, sizeof out);
            from_signal<S::kWidth>(signal, out);
            ASSERT_EQ(out, in);
        }
    });
}

}  // namespace
}  // namespace archipelago::rtl
