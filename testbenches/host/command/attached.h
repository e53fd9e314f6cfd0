// SPDX-License-Identifier: Apache-2.0
// What `run` attaches to a machine's chip: Verilog in place of blocks, and observers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/asic.h"
#include "models/report/statistics.h"
#include "rtl-bridge/compare/cosim.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/timeline_file.h"
#include "testbenches/host/debug/debugger.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/retire/retire_log.h"
#include "testbenches/host/retire/retire_writer.h"
#include "testbenches/host/text_log.h"
#include "testbenches/host/wave_probe.h"

namespace archipelago::host {

// Outlives the machine.
struct Attached {
    std::vector<std::unique_ptr<rtl::BlockSwap>> swaps;  // as RunArguments::rtl
    std::vector<report::Place> places;
    std::unique_ptr<TimelineFile> trace;
    std::unique_ptr<TextLog> log;
    std::unique_ptr<RetireFile> retire;
    std::unique_ptr<RetireLog> values;  // of --log isa=values
    std::unique_ptr<RetireTee> tee;
    std::unique_ptr<WaveProbe> probe;  // of a workload that lists waves
    std::unique_ptr<Debugger> debugger;
    Machine* machine = nullptr;  // that the debugger inspects, once it is there

    // `waves`: a workload lists some.
    Attached(const RunArguments& a, const asic::ChipDescription& description, bool waves,
             asic::ChipOptions& chip);
    // Throws std::invalid_argument when the chip, which is there now, lacks what was exchanged or
    // is to be traced.
    void check_chip(const RunArguments& a, const asic::Asic& chip) const;
    // Completes every file; throws the fault of the first that cannot be written. After a stop the
    // retire trace stays open: records of unfinished instructions come when the machine is gone.
    void flush(bool stopped) const;

  private:
    void check_swaps(const RunArguments& a, const asic::Asic& chip) const;
    void debug(const RunArguments& a, const asic::ChipDescription& description,
               asic::ChipOptions& chip);
    void open_log(const RunArguments& a);
    void open_retire(const RunArguments& a, const asic::ChipDescription& description, bool waves,
                     asic::ChipOptions& chip);
};

// The Verilog of a --rtl, attached to `chip`.
std::unique_ptr<rtl::BlockSwap> make_swap(const RunArguments& a, const std::string& text,
                                          asic::ChipOptions& chip);

// Every file that Verilog of a user's own comes from: its description, library and sources.
std::vector<std::string> files_of_verilog(const std::string& file);

// The options that choose instructions, with their values.
std::vector<std::pair<const char*, const std::vector<std::string>*>> retire_choices(
    const RunArguments& a);

}  // namespace archipelago::host
