// SPDX-License-Identifier: Apache-2.0
// What a processor's log and timeline show: packets with their fields, instructions with the values
// they write, registers and memory. In both modes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/cp/processor.h"
#include "models/afuc/pm4/text.h"
#include "models/common/trace_sink.h"

namespace archipelago::afuc {

class ProcessorLog : public ProcessorListener {
  public:
    explicit ProcessorLog(Processor& processor);

    void observe(const Observers& observers);
    // Reports the packet at work as if it ended now.
    void finish_trace(Cycle now) const;
    // Whether step() must be between before_step() and after_step().
    bool enabled() const { return observers_.trace != nullptr || observers_.log != nullptr; }
    void before_step();
    // `packet`: after this issue cycle a packet's handler begins.
    void after_step(Cycle now, bool packet);

    // ProcessorListener
    void took(uint32_t word) override { words_.push_back(word); }
    void does(const Action& action) override;
    void wrote_control(uint32_t index, uint32_t value) override;
    void set_secure(bool on, bool done) override;

  private:
    bool logs(LogCategory category) const {
        return observers_.log != nullptr && observers_.log->enabled(category);
    }
    void line(LogCategory category, Cycle at, const std::string& text) const;
    void begin_packet(Cycle now);
    void end_packet(Cycle now);
    void trace_packet(Cycle end) const;
    void log_instruction(const Engine& engine, Cycle now);
    std::string words_text() const;
    std::string values_text(const Engine& engine) const;
    std::string register_name(uint32_t index) const;

    Processor& processor_;
    const Generation& generation_;
    const Pm4Language language_;
    Observers observers_;
    TrackId track_ = 0;
    // Of the packet at work: its words, its header, and since when.
    std::vector<uint32_t> words_;
    uint32_t header_ = 0;
    std::string packet_place_;
    bool in_packet_ = false;
    Cycle began_ = 0;
    // Of the issue cycle at hand.
    uint32_t pc_ = 0;
    std::array<uint32_t, kRegisters> before_{};
    std::array<uint32_t, kSqeRegisters> sqe_before_{};
    size_t words_before_ = 0;
    std::string effects_;
    std::vector<Action> actions_;
};

}  // namespace archipelago::afuc
