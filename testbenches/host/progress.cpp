// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace archipelago::host {
namespace {

double seconds(Progress::Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

// "850 ", "96.2 k ", "1.25 M ", in front of a unit.
std::string rate(double value) {
    return value >= 1e6   ? fmt::format("{:.2f} M ", value / 1e6)
           : value >= 1e3 ? fmt::format("{:.1f} k ", value / 1e3)
                          : fmt::format("{:.0f} ", value);
}

std::string duration(double left) {
    const auto whole = static_cast<uint64_t>(std::llround(left));
    return whole < 120    ? fmt::format("{} s", whole)
           : whole < 7200 ? fmt::format("{} min", (whole + 30) / 60)
                          : fmt::format("{:.1f} h", left / 3600);
}

// A reset of the chip clears its counters.
uint64_t grown(uint64_t now, uint64_t before) {
    return now >= before ? now - before : now;
}

}  // namespace

void Progress::begin(const std::string& workload, std::optional<uint64_t> waves, const Done& done,
                     Clock::time_point now) {
    workload_ = workload;
    waves_ = waves;
    first_ = last_ = done;
    began_ = shown_ = now;
}

std::string Progress::line(const Done& done, Clock::time_point now) const {
    const double passed = seconds(now - shown_);
    const uint64_t ended = grown(done.waves, first_.waves);
    const bool timed = done.cycles != 0;
    const double speed = passed <= 0 ? 0
                                     : static_cast<double>(timed ? grown(done.cycles, last_.cycles)
                                                                 : grown(done.waves, last_.waves)) /
                                           passed;
    std::string text = workload_ + ": ";
    if (timed)
        text += fmt::format("cycle {}, {}cycles/s, ", done.cycles, rate(speed));
    else
        text += fmt::format("{}waves/s, ", rate(speed));
    if (!waves_ || ended > *waves_)
        return text + fmt::format("waves {} done", ended);
    text += fmt::format("waves {} of {} done", ended, *waves_);
    if (ended != 0)
        text += fmt::format(", about {} left",
                            duration(seconds(now - began_) * static_cast<double>(*waves_ - ended) /
                                     static_cast<double>(ended)));
    return text;
}

void Progress::show(const Done& done, Clock::time_point now) {
    const std::string text = line(done, now);
    if (form_ == ProgressForm::Line)
        fmt::print(stderr, "\r{}\033[K", text);
    else
        fmt::print(stderr, "{}\n", text);
    std::fflush(stderr);
    stands_ = form_ == ProgressForm::Line;
    last_ = done;
    shown_ = now;
}

void Progress::clear() {
    if (stands_)
        std::fputs("\r\033[K", stderr);
    stands_ = false;
}

}  // namespace archipelago::host
