// SPDX-License-Identifier: Apache-2.0
// How fast an Adreno's command processor executes microcode, in both modes and with all of the chip
// around it. Each run has a process of its own (SystemC keeps one simulation); loading is left out,
// and the fastest of several counts.
//
//   archipelago_afuc_speed [--mode cycle | functional] [--asic NAME] [--rounds N] [--times N]
//                          [STREAM]...
//
// Printed are issue cycles of micro-instructions a second: (rep) counts each time. --once: in this
// process, for profilers. --times: each stream so many times as long, so that less of a profile is
// loading.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/families.h"
#include "models/front/text/packet_language.h"
#include "testbenches/perf/chip_speed.h"

namespace archipelago::host {
namespace {

// Packets of a buffer, which is called again and again.
struct Stream {
    const char* name;
    const char* packet;
    unsigned packets;  // in the buffer
    unsigned calls;    // in cycle mode; four times as many in functional mode
};
constexpr Stream kStreams[] = {
    {"registers", "PKT4 0x9000 = 1, 0x9001 = 2, 0x9002 = 3, 0x9003 = 4, 0x9004 = 5, 0x9005 = 6",
     300, 200},
    {"clusters", "PKT4 0xa000 = 1, 0xa001 = 2, 0xa002 = 3, 0xa003 = 4, 0xa004 = 5, 0xa005 = 6", 300,
     200},
    {"bits", "CP_REG_RMW DST_REG = 0x9000, SRC0 = 0xff00ff, SRC1 = 0x100", 300, 60},
    {"memory", "CP_MEM_WRITE ADDR = 0x100040, DATA = [1, 2, 3, 4, 5, 6, 7, 8]", 300, 100},
    {"small", "CP_NOP DATA = [1]", 1000, 150},
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

struct Measured : RunTime {
    uint64_t issues = 0, cycles = 0;
};

Measured measure(const Stream& s, asic::Mode mode, const std::string& asic, unsigned times) {
    const std::unique_ptr<asic::ChipDescription> chip = asic::load_chip(asic, {});
    const auto packet = chip->rings()[0].packets->assemble(s.packet);
    const auto dwords = static_cast<uint32_t>(packet.bytes.size() / 4 * s.packets);
    const unsigned calls = times * s.calls * (mode == asic::Mode::Functional ? 4 : 1);
    Measured m;
    const auto look = [&](asic::Asic& done) {
        m.issues = done.work().instructions;
        m.cycles = done.cycles();
    };
    static_cast<RunTime&>(m) =
        time_workload(*chip, s.name, workload_of(s, dwords, calls), mode, look);
    return m;
}

void print(const Stream& s, asic::Mode mode, const Measured& m) {
    const double rate = static_cast<double>(m.issues) / m.seconds;
    std::printf("%-10s %-10s %10llu %10llu %9.2f %9.1f %7.1f\n", s.name,
                mode == asic::Mode::Cycle ? "cycle" : "functional",
                static_cast<unsigned long long>(m.issues),
                static_cast<unsigned long long>(m.cycles), rate / 1e6, 1e9 / rate,
                1e9 / rate / m.fma_ns);
}

int run(int argc, char** argv) {
    ChipSpeed speed;
    speed.asic = "a630";
    CLI::App app{"how fast an Adreno's command processor executes microcode",
                 "archipelago_afuc_speed"};
    std::vector<std::string> names;
    for (const Stream& s : kStreams)
        names.emplace_back(s.name);
    speed.add_to(app, "streams", names);
    unsigned times = 1;
    app.add_option("--times", times, "length of a stream, in those of the default")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    std::printf("%-10s %-10s %10s %10s %9s %9s %7s\n", "stream", "mode", "issues", "cycles",
                "M issue/s", "ns/issue", "fma64s");
    const auto one = [&](const Stream& s, asic::Mode mode) {
        return measure(s, mode, speed.asic, times);
    };
    return speed.run_all<Measured>(kStreams, one, print) ? 0 : 1;
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
