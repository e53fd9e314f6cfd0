// SPDX-License-Identifier: Apache-2.0
// What benchmarks take times with, and the unit that makes them comparable between hosts.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>

namespace archipelago {

// CPU time is what a busy host leaves comparable, but reading its clock takes as long as a short
// walk. What is shorter than a time slice is taken by the wall clock: the fastest of many is one
// that nothing interrupted.
class Stopwatch {
  public:
    explicit Stopwatch(bool cpu) : cpu_(cpu), start_(now()) {}
    double seconds() const { return now() - start_; }

  private:
    double now() const {
        timespec t{};
        clock_gettime(cpu_ ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    bool cpu_;
    double start_;
};

// Nanoseconds of c[i] = a[i] * b[i] + c[i] * 0.5 on 64 floats.
inline double host_fma_ns() {
    alignas(64) std::array<float, 64> a{};
    alignas(64) std::array<float, 64> b{};
    alignas(64) std::array<float, 64> c{};
    for (size_t i = 0; i < 64; ++i) {
        a[i] = 0.5F + static_cast<float>(i) * 0.001F;
        b[i] = 0.25F;
    }
    constexpr int kTimes = 20000;
    const Stopwatch watch(false);
    for (int n = 0; n < kTimes; ++n) {
        for (size_t i = 0; i < 64; ++i)
            c[i] = a[i] * b[i] + c[i] * 0.5F;
        __asm__ volatile("" : : "r"(c.data()) : "memory");
    }
    return watch.seconds() * 1e9 / kTimes;
}

}  // namespace archipelago
