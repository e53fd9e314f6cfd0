// SPDX-License-Identifier: Apache-2.0
// What a stimulus makes a compute unit say at its port `retire`: a group of bins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/cu/isa/isa.h"
#include "pins/cu_pins.h"
#include "rtl-bridge/compare/coverage.h"

namespace archipelago::rtl {

class CuRetireCoverage {
  public:
    explicit CuRetireCoverage(Coverage& coverage);
    // After a reset.
    void begin();
    // A cycle without reset. `resident`: waves that have been launched and have not ended, those
    // included whose launch is on its way.
    void count(const CuPins::In& in, const CuPins::Out& out, unsigned resident);

  private:
    enum Bin : unsigned {
        kInstruction,
        kTwoScalars,
        kSixteenScalars,
        kTwoVectors,
        kFiveVectors,
        kScalarAndVector,
        kSomeLanes,
        kEnd,
        kBacklog,
        kSwitchedOn,
        kSwitchedOff,
        kScalarLoad,
        kVccLoaded,
        kExecLoaded,
        kM0Loaded,
        kBehindStatus,
        kBehindLoads,
        kBufferLoad,
        kAtomicReturns,
        kImage,
        kLds,
        kGds,
        kInterpolation,
        kLaneMask,
        kComparison,
        kLaneWritten,
        kRelativeScalar,
        kRelativeVector,
        kFork,
        kTrap,
    };
    void count_port(const CuPins::Out& out);
    void begin_instruction(const CuPins::Retire& beat);
    void count_beat(const CuPins::Retire& beat);
    void count_registers(const CuPins::Retire& beat);
    void count_load(const CuPins::Retire& beat);
    void hit(Bin bin, bool when = true) { coverage_.hit(group_, bin, when); }

    Coverage& coverage_;
    size_t group_;
    bool wanted_ = false;
    std::array<bool, CuPins::kWaves> done_{};  // the wave's last transfer is still to come
    uint64_t cycle_ = 0;
    // the instruction whose transfers are given
    bool open_ = false;
    isa::Inst inst_;
    unsigned beat_ = 0, scalars_ = 0;
    // the one before it
    uint64_t ended_at_ = 0;  // cycle of its last transfer
    uint8_t ended_wave_ = 0;
    bool loads_status_ = false, loads_ = false;
};

}  // namespace archipelago::rtl
