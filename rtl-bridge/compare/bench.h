// SPDX-License-Identifier: Apache-2.0
// A CosimBench from its parts, for the .cpp file of each block:
//   using Pins;
//   std::unique_ptr<PinBlock<Pins>> make_model();
//   std::unique_ptr<Twin<Pins>> make_rtl(const TwinOptions&);
//   std::unique_ptr<Stimulus<Pins>> make_stimulus(const CosimOptions&);
#pragma once

#include <algorithm>
#include <memory>

#include "rtl-bridge/compare/cosim.h"

namespace archipelago::rtl {

template <class Parts>
CosimResult run_lockstep(const Parts& parts, const CosimOptions& options) {
    using Pins = typename Parts::Pins;
    struct Setup {
        std::unique_ptr<PinBlock<Pins>> model;
        std::unique_ptr<Twin<Pins>> rtl;
        std::unique_ptr<Stimulus<Pins>> stimulus;
        std::unique_ptr<Lockstep<Pins>> lockstep;
    };
    const auto make = [&] {
        TwinOptions twin;
        twin.seed = options.seed;
        twin.fault = options.fault;
        twin.with_faults = options.with_faults;
        Setup s;
        s.model = parts.make_model();
        s.rtl = parts.make_rtl(twin);
        s.stimulus = parts.make_stimulus(options);
        s.lockstep = std::make_unique<Lockstep<Pins>>(*s.model, *s.rtl, *s.stimulus);
        return s;
    };

    CosimResult result;
    Setup setup = make();
    const bool wave = !options.waveform.empty();
    const uint64_t tail = wave ? std::min(kWaveformCycles, options.cycles) : 0;
    result.difference = setup.lockstep->run(options.cycles - tail, options.progress);
    if (!result.difference && wave) {
        setup.rtl->open_waveform(options.waveform);
        result.difference = setup.lockstep->run(tail);
        setup.rtl->close_waveform();
    } else if (result.difference && wave) {
        // The run is repeated up to the cycles to be shown.
        const uint64_t at = result.difference->cycle;
        Setup again = make();
        again.lockstep->run(at > kWaveformCycles ? at - kWaveformCycles : 0);
        again.rtl->open_waveform(options.waveform);
        again.lockstep->run(at + 1 - again.lockstep->cycles());
        again.rtl->close_waveform();
    }
    result.cycles = result.difference ? result.difference->cycle : setup.lockstep->cycles();
    result.coverage = setup.stimulus->coverage();
    return result;
}

}  // namespace archipelago::rtl
