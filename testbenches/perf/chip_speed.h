// SPDX-License-Identifier: Apache-2.0
// What benchmarks of whole chips share: which chip, modes and items they run, a process for each
// run, of which the fastest counts, and the clock, which leaves loading out.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"
#include "testbenches/host/workload.h"
#include "testbenches/perf/host_unit.h"
#include "testbenches/perf/run_apart.h"
#include "testbenches/support/command_line.h"

namespace archipelago::host {

// Of the processor; the base of what is measured.
struct RunTime {
    double seconds = std::numeric_limits<double>::max();
    double fma_ns = std::numeric_limits<double>::max();  // a 64-lane multiply-add beside it
};

struct ChipSpeed {
    std::string asic;
    std::string mode;  // "": both
    unsigned rounds = 3;
    bool once = false;
    std::vector<std::string> items;  // none: all

    // `what`: what the items are, of which there are `names`.
    void add_to(CLI::App& app, const char* what, const std::vector<std::string>& names) {
        app.add_option("--asic", asic, "chip name, or a YAML file")->capture_default_str();
        app.add_option("--mode", mode, "default: both")
            ->check(CLI::IsMember({"cycle", "functional"}));
        app.add_option("--rounds", rounds, "of which the fastest counts")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        CLI::Option* only = app.add_flag("--once", once, "in this process, for profilers");
        app.add_option(what, items, "default: all")->check(CLI::IsMember(names));
        only->needs(app.get_option("--mode"), app.get_option(what));
    }

    // `measure`: an item in a mode, of which Measured, a RunTime, comes; `print`: both and that.
    // False: a run has failed.
    template <class Measured, class Items, class Measure, class Print>
    bool run_all(const Items& all, const Measure& measure, const Print& print) const {
        bool good = true;
        for (const asic::Mode m : {asic::Mode::Functional, asic::Mode::Cycle}) {
            if (!mode.empty() && (mode == "cycle") != (m == asic::Mode::Cycle))
                continue;
            for (const auto& item : all) {
                if (!items.empty() && std::count(items.begin(), items.end(), item.name) == 0)
                    continue;
                Measured best;
                if (once)
                    best = measure(item, m);
                else if (!fastest(best, [&] { return measure(item, m); })) {
                    good = false;
                    continue;
                }
                print(item, m, best);
                std::fflush(stdout);
                if (once)
                    _exit(0);  // SystemC ends with the process
            }
        }
        return good;
    }

  private:
    template <class Measured, class Measure>
    bool fastest(Measured& best, const Measure& measure) const {
        for (unsigned round = 0; round < rounds; ++round) {
            Measured m;
            if (!run_apart<Measured>(measure, m))
                return false;
            m.seconds = std::min(m.seconds, best.seconds);
            m.fma_ns = std::min(m.fma_ns, best.fma_ns);
            best = m;
        }
        return true;
    }
};

// A workload's text, run in this process; `look` sees the machine after it.
inline RunTime time_workload(const asic::ChipDescription& chip, const char* name,
                             const std::string& text, asic::Mode mode,
                             const std::function<void(asic::Asic&)>& look) {
    config::Diagnostics diagnostics;
    const std::optional<Workload> workload =
        parse_workload_text(text, name, ".", always(chip), diagnostics);
    diagnostics.throw_if_errors();
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    MachineOptions options;
    options.chip.mode = mode;
    Machine machine("bench", chip, options);
    Runner runner(*workload, machine);
    RunTime t;
    t.fma_ns = host_fma_ns();
    const Stopwatch elapsed(false), cpu(true);
    const RunOutcome outcome = runner.run();
    // Of the processor's time the part that loading did not have.
    t.seconds = cpu.seconds() * std::min(1.0, outcome.host_seconds / elapsed.seconds());
    look(machine.chip());
    t.fma_ns = std::min(t.fma_ns, host_fma_ns());
    return t;
}

}  // namespace archipelago::host
