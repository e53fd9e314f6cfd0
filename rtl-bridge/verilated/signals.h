// SPDX-License-Identifier: Apache-2.0
// Values of a Pins struct to and from the signals of a Verilated module, which are integers of 8 to
// 64 bits or, when wider, arrays of 32-bit words. These run in every cycle of every twin, so the
// frequent shapes are moved without a loop over single elements or pieces of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/common/pins/pin_block.h"

namespace archipelago::rtl {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "elements of arrays are taken to lie in memory as in a vector of Verilog");

namespace detail {

constexpr uint64_t low_bits(unsigned bits) {
    return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}
// What Verilator declares for a vector of so many bits.
constexpr size_t signal_bytes(size_t bits) {
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : bits <= 64 ? 8 : (bits + 31) / 32 * 4;
}

// Eight fields of four bits, one in each byte.
inline uint32_t pack_nibbles(const uint8_t* from) {
    uint64_t x;
    std::memcpy(&x, from, sizeof x);
    x &= 0x0f0f0f0f0f0f0f0f;
    x = (x | x >> 4) & 0x00ff00ff00ff00ff;
    x = (x | x >> 8) & 0x0000ffff0000ffff;
    return static_cast<uint32_t>(x | x >> 16);
}
inline void unpack_nibbles(uint64_t x, uint8_t* to) {
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    std::memcpy(to, &x, sizeof x);
}

// Calls move(element, bit of the element, word of the vector, bit of the word, bits) for all of a
// vector.
template <unsigned Bits, size_t N, class F>
void each_piece(F&& move) {
    for (size_t i = 0; i < N; ++i) {
        for (unsigned done = 0; done < Bits;) {
            const size_t at = i * Bits + done;
            const auto shift = static_cast<unsigned>(at % 32);
            const unsigned bits = std::min(Bits - done, 32 - shift);
            move(i, done, at / 32, shift, bits);
            done += bits;
        }
    }
}

}  // namespace detail

// Bits of the value above its width are dropped.
template <unsigned Bits, class T, class Signal>
void to_signal(const T& value, Signal& signal) {
    using Element = typename Elements<T>::Type;
    constexpr size_t kCount = Elements<T>::kCount;
    static_assert(Bits <= 8 * sizeof(Element), "the member is narrower than its pin");
    static_assert(sizeof signal == detail::signal_bytes(Bits * kCount),
                  "the Verilog's pin has another width than that in the Pins struct");
    if constexpr (!Elements<T>::kArray) {
        signal = static_cast<Signal>(value & detail::low_bits(Bits));
    } else if constexpr (Bits == 8 * sizeof(Element)) {
        if constexpr (sizeof value != sizeof signal)
            std::memset(&signal, 0, sizeof signal);
        std::memcpy(&signal, value.data(), sizeof value);
    } else if constexpr (Bits == 4 && sizeof(Element) == 1 && kCount % 8 == 0) {
        std::array<uint32_t, kCount / 8> words;
        for (size_t i = 0; i < words.size(); ++i)
            words[i] = detail::pack_nibbles(value.data() + 8 * i);
        std::memcpy(&signal, words.data(), sizeof signal);
    } else if constexpr (Bits * kCount <= 64) {
        uint64_t word = 0;
        for (size_t i = 0; i < kCount; ++i)
            word |= (value[i] & detail::low_bits(Bits)) << Bits * i;
        signal = static_cast<Signal>(word);
    } else {
        std::array<uint32_t, (Bits * kCount + 31) / 32> words{};
        detail::each_piece<Bits, kCount>(
            [&](size_t i, unsigned from, size_t word, unsigned shift, unsigned bits) {
                const uint64_t piece = uint64_t{value[i]} >> from & detail::low_bits(bits);
                words[word] |= static_cast<uint32_t>(piece) << shift;
            });
        std::memcpy(&signal, words.data(), sizeof signal);
    }
}

template <unsigned Bits, class T, class Signal>
void from_signal(const Signal& signal, T& value) {
    using Element = typename Elements<T>::Type;
    constexpr size_t kCount = Elements<T>::kCount;
    static_assert(Bits <= 8 * sizeof(Element), "the member is narrower than its pin");
    static_assert(sizeof signal == detail::signal_bytes(Bits * kCount),
                  "the Verilog's pin has another width than that in the Pins struct");
    if constexpr (!Elements<T>::kArray) {
        value = static_cast<Element>(signal);
    } else if constexpr (Bits == 8 * sizeof(Element)) {
        std::memcpy(value.data(), &signal, sizeof value);
    } else if constexpr (Bits == 4 && sizeof(Element) == 1 && kCount % 8 == 0) {
        std::array<uint32_t, kCount / 8> words;
        std::memcpy(words.data(), &signal, sizeof signal);
        for (size_t i = 0; i < words.size(); ++i)
            detail::unpack_nibbles(words[i], value.data() + 8 * i);
    } else if constexpr (Bits * kCount <= 64) {
        for (size_t i = 0; i < kCount; ++i)
            value[i] = static_cast<Element>(uint64_t{signal} >> Bits * i & detail::low_bits(Bits));
    } else {
        std::array<uint32_t, (Bits * kCount + 31) / 32> words;
        std::memcpy(words.data(), &signal, sizeof signal);
        value.fill(0);
        detail::each_piece<Bits, kCount>(
            [&](size_t i, unsigned to, size_t word, unsigned shift, unsigned bits) {
                const uint64_t piece = words[word] >> shift & detail::low_bits(bits);
                value[i] = static_cast<Element>(value[i] | piece << to);
            });
    }
}

// All input pins of a Verilated module, and all its output pins.
template <class Pins, class Top>
void drive(Top& top, const typename Pins::In& in) {
    each_input<Pins>(
        [&](auto pin) { to_signal<decltype(pin)::kBits>(pin.member(in), pin.signal(top)); });
}
template <class Pins, class Top>
void sample(Top& top, typename Pins::Out& out) {
    Pins::outputs(
        [&](auto pin) { from_signal<decltype(pin)::kBits>(pin.signal(top), pin.member(out)); });
}

}  // namespace archipelago::rtl
