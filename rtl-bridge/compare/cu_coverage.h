// SPDX-License-Identifier: Apache-2.0
// What a stimulus of a compute unit makes it do: launches, its ports, the programs of its waves,
// images, stops. cu_retire_coverage.h has the port `retire`.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "pins/cu_pins.h"
#include "rtl-bridge/compare/coverage.h"
#include "rtl-bridge/compare/cu_program.h"

namespace archipelago::rtl {

class CuCoverage {
  public:
    explicit CuCoverage(Coverage& coverage);
    // A reset begins; `resident`: waves that it ends.
    void reset(unsigned resident);
    // The clock of the chip has passed over cycles.
    void passed_over();
    // A wave begins or has ended at this number.
    void clear_wave(unsigned wave) { waves_[wave] = {}; }
    // A cycle without reset.
    void count(const CuPins::In& in, const CuPins::Out& out, unsigned resident);
    // A wave has ended. `several`: its group has other waves; `lone`: its SIMD had none.
    void ended(unsigned wave, bool several, bool lone, const CuProgram& program,
               const CuPins::Config& config);
    // The unit has stopped.
    void stopped(const CuPins::In& in, const CuPins::Out& out);

  private:
    enum UnitBin : unsigned {
        kLaunch,
        kLaunchWaits,
        kEnd,
        kLoneEnd,
        kSlot15,
        kPause,
        kCycleJump,
        kResetAmidWaves,
        kVgprRow,
        kLdsRow,
        kRowWithLaunch,
        kHeldAmidWaves,
        kHeldRow,
    };
    enum PortBin : unsigned {
        kFetch,
        kNewFetch,
        kJumpAmidFetches,
        kFetchFault,
        kScalar,
        kScalarInvalidate,
        kScalarFull,
        kWaveScalarsFull,
        kTwoRequests,
        kFourRequests,
        kFourAnswers,
        kRead,
        kWrite,
        kAtomic,
        kAtomicReturns,
        kUnmappedStatus,
        kVectorFull,
        kInvalidate,
        kInstructionInvalidate,
        kGds,
        kGdsReturns,
        kGdsTwoElements,
        kGdsFull,
        kExport,
        kCompressedExport,
        kLastExport,
        kInterrupt,
        kGraphicsMessage,
        kExportsSent,
    };
    // After the uses of a program.
    enum ImageBin : unsigned { kManyRequests = CuProgram::kImageUses, kTilingAmidWaves };
    // What a wave has fetched and loaded.
    struct Wave {
        uint32_t tag = 0;
        unsigned fetches = 0, loads = 0;  // in flight
    };
    // Requests in flight, by vector memory operation.
    class VectorOperations {
      public:
        void clear() { open_ = {}; }
        unsigned& operator[](unsigned op) { return open_[op]; }
        unsigned open() const {
            return static_cast<unsigned>(
                std::count_if(open_.begin(), open_.end(), [](unsigned n) { return n != 0; }));
        }

      private:
        std::array<unsigned, 64> open_{};
    };

    void add_bins();
    void count_outside(const CuPins::In& in, const CuPins::Out& out);
    void count_fetch(const CuPins::In& in, const CuPins::Out& out);
    void count_scalar(const CuPins::In& in, const CuPins::Out& out);
    void count_vector(const CuPins::In& in, const CuPins::Out& out);

    Coverage& coverage_;
    size_t unit_ = 0, port_ = 0, executed_ = 0, images_ = 0, stops_ = 0;
    std::array<Wave, CuPins::kWaves> waves_;
    VectorOperations vector_;
    uint64_t gds_open_ = 0;  // operations in flight
};

}  // namespace archipelago::rtl
