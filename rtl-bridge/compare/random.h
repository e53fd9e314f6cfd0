// SPDX-License-Identifier: Apache-2.0
// Random numbers of a seed, the same on every host: of the standard library, generators are and
// distributions are not. The sequences of all engines are kept, because tests depend on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace archipelago {

// ---- engines: below(n) is in 0 .. n - 1 --------------------------------------------------------

class SplitMix64 {
  public:
    explicit SplitMix64(uint64_t seed) : state_(seed) {}
    uint64_t bits() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    uint32_t word() { return static_cast<uint32_t>(bits() >> 32); }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{word()} * n) >> 32); }

  private:
    uint64_t state_;
};

template <class Generator = std::mt19937_64>
class Mersenne {
  public:
    explicit Mersenne(typename Generator::result_type seed) : engine_(seed) {}
    uint32_t word() { return static_cast<uint32_t>(engine_()); }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(engine_() % n); }

  private:
    Generator engine_;
};

// xorshift64, of which the 32 bits from `kLow` on are taken.
template <unsigned kLow>
class XorShift {
  public:
    explicit XorShift(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<uint32_t>(state_ >> kLow);
    }
    uint32_t below(uint32_t n) { return next() % n; }

  private:
    uint64_t state_;
};

// xorshift64*
class XorShiftStar {
  public:
    explicit XorShiftStar(uint64_t seed) : state_(seed * 2654435769u + 88172645463325252u) {}
    uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545F4914F6CDD1Du;
    }
    uint64_t below(uint64_t n) { return (next() >> 11) % n; }

  private:
    uint64_t state_;
};

// ---- what is drawn of each ----------------------------------------------------------------------

template <class Engine>
class Random : public Engine {
  public:
    using Engine::Engine;

    bool percent(unsigned p) { return Engine::below(100) < p; }
    bool one_in(uint32_t n) { return Engine::below(n) == 0; }
    bool coin() { return Engine::below(2) != 0; }
    // From `least` to `most`. Every number of bits is as likely as another: small numbers are
    // frequent, and those that need the highest bit occur.
    uint32_t of_any_width(uint32_t least, uint32_t most) {
        unsigned width = 0;
        for (uint32_t range = most - least; range != 0; range >>= 1)
            ++width;
        const unsigned bits = Engine::below(width + 1);
        const uint64_t drawn = bits == 0 ? 0
                                         : uint64_t{1} << (bits - 1) |
                                               (Engine::word() & ((uint64_t{1} << (bits - 1)) - 1));
        return least + (drawn > most - least ? most - least : static_cast<uint32_t>(drawn));
    }
    std::vector<uint32_t> words(uint32_t n) {
        std::vector<uint32_t> list(n);
        for (uint32_t& word : list)
            word = Engine::word();
        return list;
    }
    template <class T, size_t N>
    const T& pick(const T (&from)[N]) {
        return from[Engine::below(N)];
    }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[Engine::below(static_cast<uint32_t>(from.size()))];
    }
};

}  // namespace archipelago

namespace archipelago::rtl {

using Random = archipelago::Random<SplitMix64>;

// Rare events of one cycle. Each by itself two would never meet, so in one cycle of many all of
// them are frequent.
class RareEvents {
  public:
    explicit RareEvents(Random& random) : random_(random) {}
    void next_cycle() { together_ = random_.one_in(kTogether); }
    // Once in about `cycles`.
    bool one_in(uint32_t cycles) { return random_.one_in(together_ ? kFrequent : cycles); }

  private:
    static constexpr uint32_t kTogether = 2'000, kFrequent = 3;
    Random& random_;
    bool together_ = false;
};

// Activity of one side of a port: valid or ready in so many percent of the cycles, another share
// every so often.
class Activity {
  public:
    bool next(Random& random) {
        if (left_-- == 0) {
            static constexpr unsigned kShares[] = {100, 100, 90, 50, 50, 10, 0};
            percent_ = random.pick(kShares);
            left_ = percent_ == 0 ? random.below(40) : random.below(800);
        }
        return random.percent(percent_);
    }

  private:
    unsigned percent_ = 100;
    unsigned left_ = 0;
};

}  // namespace archipelago::rtl
