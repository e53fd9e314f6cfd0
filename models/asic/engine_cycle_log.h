// SPDX-License-Identifier: Apache-2.0
// The log of units of another clock: a log has one clock, that of Asic::cycles().
#pragma once

#include <cstdint>
#include <string_view>

#include "models/common/trace_sink.h"

namespace archipelago::asic {

class EngineCycleLog final : public LogSink {
  public:
    // `log` must outlive this. `period_fs`: of the units' clock.
    EngineCycleLog(LogSink& log, uint64_t period_fs, uint64_t engine_period_fs)
        : log_(log), period_fs_(period_fs), engine_period_fs_(engine_period_fs) {
        for (unsigned c = 0; c < static_cast<unsigned>(LogCategory::kCount); ++c)
            if (log.enabled(static_cast<LogCategory>(c)))
                mask_ |= uint32_t{1} << c;
    }

    // `at`: a cycle of the units' clock. The line has the engine cycle in which it begins.
    void line(LogCategory category, Cycle at, std::string_view unit,
              std::string_view text) override {
        log_.line(category, at * period_fs_ / engine_period_fs_, unit, text);
    }

  private:
    LogSink& log_;
    const uint64_t period_fs_;
    const uint64_t engine_period_fs_;
};

}  // namespace archipelago::asic
