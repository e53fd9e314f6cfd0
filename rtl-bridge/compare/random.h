// SPDX-License-Identifier: Apache-2.0
// Random numbers of a seed, the same on every host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace archipelago::rtl {

class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    // splitmix64
    uint64_t bits() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    uint32_t word() { return static_cast<uint32_t>(bits() >> 32); }
    // 0 .. n - 1
    uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{word()} * n) >> 32); }
    bool percent(unsigned p) { return below(100) < p; }
    bool one_in(uint32_t n) { return below(n) == 0; }
    template <class T, size_t N>
    const T& pick(const T (&from)[N]) {
        return from[below(N)];
    }

  private:
    uint64_t state_;
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
