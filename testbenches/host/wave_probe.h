// SPDX-License-Identifier: Apache-2.0
// Sets the registers of the waves a workload lists before they run, and keeps what they end with.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "models/cu/retire/retire_sink.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

class WaveProbe : public cu::RetireSink {
  public:
    // Registers of a wave that has ended.
    struct End {
        std::array<uint32_t, 128> scalars{};  // by operand code
        bool scc = false;
        std::vector<std::array<uint32_t, isa::kLanes>> vectors;
    };

    // `next` gets every report as well; null: none.
    explicit WaveProbe(cu::RetireSink* next) : next_(next) {}

    // Makes the next wave whose program begins at `pc` start as `spec` says, which must outlive it.
    void expect(uint64_t pc, const WaveSpec& spec) { expected_[pc] = &spec; }
    // What the wave of `pc` ended with; null: it has not ended.
    const End* end_of(uint64_t pc) const {
        const auto found = ends_.find(pc);
        return found == ends_.end() ? nullptr : &found->second;
    }

    bool starts(const cu::RetiredWave& wave, isa::WaveState& registers) override;
    void retired(const cu::RetiredWave& wave, const cu::Retired& instruction) override {
        next_->retired(wave, instruction);  // starts() has said that it is reported
    }
    void ends(const cu::RetiredWave& wave, const isa::WaveState& registers) override;

  private:
    cu::RetireSink* next_;
    std::map<uint64_t, const WaveSpec*> expected_;
    std::map<uint64_t, End> ends_;
};

// What of the registers is not as the workload expects, a text for each register; empty: all is.
struct WaveMiss {
    Source source;
    std::string text;
};
std::vector<WaveMiss> compare_wave(const WaveSpec& spec, const WaveProbe::End& end);

// Every register as text, one a line: its name and value; a vector register has all lanes, from 0
// on.
std::string dump_wave(const WaveProbe::End& end);

}  // namespace archipelago::host
