// SPDX-License-Identifier: Apache-2.0
// How fast an Adreno's command processor executes microcode, in both modes and with all of the chip
// around it. Each run has a process of its own (SystemC keeps one simulation); loading is left out,
// and the fastest of several counts.
//
//   archipelago_afuc_speed [--mode cycle | functional] [--asic NAME] [--rounds N] [STREAM]...
//
// Printed are beats of micro-instructions a second: (rep) counts each time. --once: in this
// process, for profilers.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/families.h"
#include "models/front/text/packet_language.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/runner.h"
#include "testbenches/host/workload.h"
#include "testbenches/perf/host_unit.h"
#include "testbenches/perf/run_apart.h"
#include "testbenches/support/command_line.h"

namespace archipelago::host {
namespace {

// Packets of a buffer, which is called again and again.
struct Stream {
    const char* name;
    const char* packet;
    unsigned packets;  // in the buffer
    unsigned calls;    // in cycle mode; four times as many without time
};
constexpr Stream kStreams[] = {
    {"registers", "PKT4 0x9000 = 1, 0x9001 = 2, 0x9002 = 3, 0x9003 = 4, 0x9004 = 5, 0x9005 = 6",
     300, 200},
    {"bits", "CP_REG_RMW DST_REG = 0x9000, SRC0 = 0xff00ff, SRC1 = 0x100", 300, 60},
    {"memory", "CP_MEM_WRITE ADDR = 0x100040, DATA = [1, 2, 3, 4, 5, 6, 7, 8]", 300, 100},
    {"small", "CP_NOP DATA = [1]", 1000, 150},
};

struct Options {
    std::string asic = "a630";
    std::string mode;  // both
    unsigned rounds = 3;
    bool once = false;
    std::vector<std::string> streams;
};

std::string workload_of(const Stream& s, uint32_t dwords, unsigned calls) {
    std::string text = "memory:\n  - {address: 0x100000, fill: 0, size: 4096}\n";
    text += "  - address: 0x200000\n    ring: cp\n    packets:\n";
    for (unsigned i = 0; i < s.packets; ++i)
        text += "      - " + std::string(s.packet) + "\n";
    text += "steps:\n";
    for (unsigned i = 0; i < calls; ++i)
        text += "  - {ring: cp, ib: {address: 0x200000, dwords: " + std::to_string(dwords) + "}}\n";
    return text + "  - {wait: cp}\n";
}

struct Measured {
    uint64_t beats = 0, cycles = 0;
    double seconds = std::numeric_limits<double>::max();
    double fma_ns = std::numeric_limits<double>::max();
};

Measured run_once(const Stream& s, asic::Mode mode, const Options& options) {
    const std::unique_ptr<asic::ChipDescription> chip = asic::load_chip(options.asic, {});
    const auto packet = chip->rings()[0].packets->assemble(s.packet);
    const auto dwords = static_cast<uint32_t>(packet.bytes.size() / 4 * s.packets);
    const unsigned calls = s.calls * (mode == asic::Mode::Functional ? 4 : 1);
    config::Diagnostics diagnostics;
    const std::optional<Workload> workload =
        parse_workload_text(workload_of(s, dwords, calls), s.name, ".", always(*chip), diagnostics);
    diagnostics.throw_if_errors();
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    MachineOptions machine_options;
    machine_options.chip.mode = mode;
    Machine machine("bench", *chip, machine_options);
    Runner runner(*workload, machine);
    Measured m;
    m.fma_ns = host_fma_ns();
    const Stopwatch elapsed(false), cpu(true);
    const RunOutcome outcome = runner.run();
    // Of the processor's time the part that loading did not have.
    m.seconds = cpu.seconds() * std::min(1.0, outcome.host_seconds / elapsed.seconds());
    m.beats = machine.chip().work().instructions;
    m.cycles = machine.chip().cycles();
    m.fma_ns = std::min(m.fma_ns, host_fma_ns());
    return m;
}

void print(const Stream& s, asic::Mode mode, const Measured& m) {
    const double rate = static_cast<double>(m.beats) / m.seconds;
    std::printf("%-10s %-10s %10llu %10llu %9.2f %9.1f %7.1f\n", s.name,
                mode == asic::Mode::Cycle ? "cycle" : "functional",
                static_cast<unsigned long long>(m.beats), static_cast<unsigned long long>(m.cycles),
                rate / 1e6, 1e9 / rate, 1e9 / rate / m.fma_ns);
    std::fflush(stdout);
}

bool measure(const Stream& s, asic::Mode mode, const Options& options) {
    Measured best;
    for (unsigned round = 0; round < options.rounds; ++round) {
        Measured m;
        if (!run_apart<Measured>([&] { return run_once(s, mode, options); }, m))
            return false;
        m.seconds = std::min(m.seconds, best.seconds);
        m.fma_ns = std::min(m.fma_ns, best.fma_ns);
        best = m;
    }
    print(s, mode, best);
    return true;
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app{"how fast an Adreno's command processor executes microcode",
                 "archipelago_afuc_speed"};
    app.add_option("--asic", options.asic, "chip name, or a YAML file")->capture_default_str();
    app.add_option("--mode", options.mode, "default: both")
        ->check(CLI::IsMember({"cycle", "functional"}));
    app.add_option("--rounds", options.rounds, "of which the fastest counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    CLI::Option* once = app.add_flag("--once", options.once, "in this process, for profilers");
    std::vector<std::string> names;
    for (const Stream& s : kStreams)
        names.emplace_back(s.name);
    app.add_option("streams", options.streams, "default: all")->check(CLI::IsMember(names));
    once->needs(app.get_option("--mode"), app.get_option("streams"));
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    std::printf("%-10s %-10s %10s %10s %9s %9s %7s\n", "stream", "mode", "beats", "cycles",
                "M beat/s", "ns/beat", "fma64s");
    bool good = true;
    for (const asic::Mode mode : {asic::Mode::Functional, asic::Mode::Cycle}) {
        if (!options.mode.empty() && (options.mode == "cycle") != (mode == asic::Mode::Cycle))
            continue;
        for (const Stream& s : kStreams) {
            if (!options.streams.empty() &&
                std::count(options.streams.begin(), options.streams.end(), s.name) == 0)
                continue;
            if (options.once) {
                print(s, mode, run_once(s, mode, options));
                std::fflush(stdout);
                _exit(0);
            }
            good &= measure(s, mode, options);
        }
    }
    return good ? 0 : 1;
}

}  // namespace
}  // namespace archipelago::host

int main(int argc, char** argv) {
    try {
        return archipelago::host::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "archipelago_afuc_speed: %s\n", e.what());
        return 1;
    }
}

// SystemC requires it of a program that does not start through sc_main.
int sc_main(int, char**) {
    return 0;
}
