// SPDX-License-Identifier: Apache-2.0
// What a long run shows of its progress on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace archipelago::host {

enum class ProgressForm : uint8_t {
    None,
    Line,   // one line of a terminal, written again and again
    Lines,  // one after the other, for a file or a pipe
};

class Progress {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kInterval{2};

    explicit Progress(ProgressForm form) : form_(form) {}

    // A workload begins, which has so many waves if that is known; `done`: how far the chip is.
    struct Done {
        uint64_t cycles = 0;  // 0 in functional mode
        uint64_t waves = 0;   // that have ended
    };
    void begin(const std::string& workload, std::optional<uint64_t> waves, const Done& done,
               Clock::time_point now = Clock::now());
    // Whether it is time for another line.
    bool due(Clock::time_point now = Clock::now()) const {
        return form_ != ProgressForm::None && now - shown_ >= kInterval;
    }
    void show(const Done& done, Clock::time_point now = Clock::now());
    // Before anything else is printed.
    void clear();

    // "saxpy.yaml: cycle 120000, 96.2 k cycles/s, waves 12 of 256 done, about 20 s left".
    std::string line(const Done& done, Clock::time_point now) const;

  private:
    const ProgressForm form_;
    std::string workload_;
    std::optional<uint64_t> waves_;
    Done first_;
    Done last_;  // when it was shown last
    Clock::time_point began_, shown_;
    bool stands_ = false;  // a line stands on the terminal
};

}  // namespace archipelago::host
