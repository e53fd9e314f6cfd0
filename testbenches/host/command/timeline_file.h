// SPDX-License-Identifier: Apache-2.0
// The file of `run --trace`: what of the run is in it, and the names of programs in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "models/report/perfetto_sink.h"
#include "models/report/trace_selection.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/loaded_kernels.h"

namespace archipelago::host {

// The kernels of a run while it loads them. What has been looked up once is kept.
class KernelsOfRun : public Programs {
  public:
    // `loaded`: those that are loaded when it is called.
    explicit KernelsOfRun(std::function<LoadedKernels()> loaded) : loaded_(std::move(loaded)) {}
    std::string name(uint64_t program) const override { return of(program).name(program); }
    std::optional<archipelago::SourceLine> source(uint64_t program, uint64_t pc) const override {
        return of(program).source(program, pc);
    }

  private:
    const LoadedKernels& of(uint64_t program) const;

    std::function<LoadedKernels()> loaded_;
    mutable LoadedKernels known_;
    mutable std::set<uint64_t> looked_up_;  // programs
};

// Outlives the machine.
class TimelineFile {
  public:
    // The file of `a.trace`, with --trace-window, --trace-units and --trace-limit; `period_fs`: of
    // the engine clock. Throws std::invalid_argument for options that make no sense.
    TimelineFile(const RunArguments& a, uint64_t period_fs);

    TraceSink& sink();
    // Once the chip is there: throws std::invalid_argument for units that it does not have.
    void check_units();
    void use_kernels(std::function<LoadedKernels()> loaded);
    // Completes the file of a run that has come to this cycle, and says on standard error when the
    // window has not begun.
    void finish(uint64_t cycle);
    // What of the run is not in the file, for the summary: "", or ", ends early at cycle 1000".
    const std::string& note() const { return note_; }

  private:
    report::PerfettoSink file_;
    std::optional<report::TraceSelection> selection_;
    std::optional<KernelsOfRun> kernels_;
    std::string path_;
    std::string window_;  // as given
    uint64_t first_ = 0;  // cycle of the window
    std::string note_;
};

}  // namespace archipelago::host
