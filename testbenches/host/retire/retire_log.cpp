// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/retire/retire_log.h"

#include <fmt/core.h>

#include "testbenches/host/retire/retire_reader.h"

namespace archipelago::host {

RetireLog::RetireLog(Line line)
    : line_(std::move(line)),
      writer_(RetireWriter::Format::Text, {}, [this](std::string_view text) { text_ = text; }) {}

void RetireLog::retired(const cu::RetiredWave& wave, const cu::Retired& r) {
    writer_.retired(wave, r);
    writer_.flush();
    line_(r.cycle, wave.unit,
          fmt::format("simd{} slot{} ", unsigned{wave.launch.simd}, unsigned{wave.launch.slot}) +
              std::string(RetireTrace::without_place(text_)));
}

bool RetireTee::starts(const cu::RetiredWave& wave, isa::WaveState& registers) {
    unsigned wanted = 0;
    for (unsigned n = 0; n < 2; ++n)
        wanted |= (sinks_[n]->starts(wave, registers) ? 1u : 0u) << n;
    wanted_[&wave] = wanted;
    return wanted != 0;
}

void RetireTee::retired(const cu::RetiredWave& wave, const cu::Retired& r) {
    const unsigned wanted = wanted_[&wave];
    for (unsigned n = 0; n < 2; ++n)
        if ((wanted >> n & 1) != 0)
            sinks_[n]->retired(wave, r);
}

void RetireTee::ends(const cu::RetiredWave& wave, const isa::WaveState& registers) {
    for (cu::RetireSink* sink : sinks_)
        sink->ends(wave, registers);
}

}  // namespace archipelago::host
