// SPDX-License-Identifier: Apache-2.0
// --log isa=values: instructions in the log, each with what it did, when its results are there.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>

#include "testbenches/host/retire/retire_writer.h"

namespace archipelago::host {

class RetireLog : public cu::RetireSink {
  public:
    // `line` takes cycle, unit and text of an instruction.
    using Line = std::function<void(Cycle at, std::string_view unit, std::string_view text)>;
    explicit RetireLog(Line line);

    bool starts(const cu::RetiredWave&, isa::WaveState&) override { return true; }
    void retired(const cu::RetiredWave& wave, const cu::Retired& r) override;

  private:
    Line line_;
    std::string text_;
    RetireWriter writer_;
};

// Tells two sinks, each of the waves it wants.
class RetireTee : public cu::RetireSink {
  public:
    RetireTee(cu::RetireSink& first, cu::RetireSink& second) : sinks_{&first, &second} {}

    bool starts(const cu::RetiredWave& wave, isa::WaveState& registers) override;
    void retired(const cu::RetiredWave& wave, const cu::Retired& r) override;
    void ends(const cu::RetiredWave& wave, const isa::WaveState& registers) override;

  private:
    cu::RetireSink* sinks_[2];
    std::unordered_map<const cu::RetiredWave*, unsigned> wanted_;  // bit n: by sinks_[n]
};

}  // namespace archipelago::host
