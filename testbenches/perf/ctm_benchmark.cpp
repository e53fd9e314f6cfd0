// SPDX-License-Identifier: Apache-2.0
// How fast the CTM chip runs programs, in both modes and with all of the chip around them: its
// memory controller with caches, the PE and, in cycle mode, local memory. Each run has a process of
// its own (SystemC keeps one simulation); loading is left out, and the fastest of several counts.
//
//   archipelago_ctm_speed [--mode cycle | functional] [--asic NAME] [--rounds N] [--scale N]
//                         [PROGRAM]...
//
// Printed are lane groups of 16 lanes and thread instructions a second. A thread of R580 has 48
// lanes, three groups; one of R520 has one. --scale N: a program N times as long. --once: in this
// process, for profilers.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/ctm/chip_config.h"
#include "models/asic/families.h"
#include "models/ctm/isa/text.h"
#include "testbenches/perf/chip_speed.h"

namespace archipelago::host {
namespace {

struct Program {
    const char* name;
    unsigned width, height;  // of output 0, in cycle mode
    unsigned larger;         // ... times so many, both, in functional mode
    unsigned iterations;     // of the loop
    const char* format;      // of the output
    unsigned inputs;
    const char* text;
};

// Multiplications and additions of vec3 and scalar unit; nothing but the loop between them.
constexpr const char* kArithmetic = R"(
        alu rgb() max.bits r1.rgb, s0.hhh, s0.hhh | alpha() max.bits r1.a, s0.h, s0.h
        alu rgb(r0) max.bits r2.rgb, s0.rgr, s0.rgr | alpha(r0) max.bits r2.a, s0.r, s0.r
        fc rep 17
loop:   alu rgb(r1, r2, r1) mad r3.rgb, s0, s1, s2 | alpha(r1, r2, r1) mad r3.a, s0, s1, s2
        alu rgb(r3, r1, r2) mad r4.rgb, s0, s1, s2 | alpha(r3, r1, r2) mad r4.a, s0, s1, s2
        alu rgb(r4, r1, r3) mad r3.rgb, s0, s1, s2 | alpha(r4, r1, r3) mad r3.a, s0, s1, s2
        alu rgb(r3, r1, r2) mad r4.rgb, s0, s1, s2 | alpha(r3, r1, r2) mad r4.a, s0, s1, s2
        alu rgb(r4, r1, r3) mad r3.rgb, s0, s1, s2 | alpha(r4, r1, r3) mad r3.a, s0, s1, s2
        alu rgb(r3, r1, r2) mad r4.rgb, s0, s1, s2 | alpha(r3, r1, r2) mad r4.a, s0, s1, s2
        alu rgb(r4, r1, r3) mad r3.rgb, s0, s1, s2 | alpha(r4, r1, r3) mad r3.a, s0, s1, s2
        alu rgb(r3, r1, r2) mad r4.rgb, s0, s1, s2 | alpha(r3, r1, r2) mad r4.a, s0, s1, s2
        alu rgb(r4, r1, r3) mad r3.rgb, s0, s1, s2 | alpha(r4, r1, r3) mad r3.a, s0, s1, s2
        alu rgb(r3, r1, r2) mad r4.rgb, s0, s1, s2 | alpha(r3, r1, r2) mad r4.a, s0, s1, s2
        alu rgb(r4, r1, r3) mad r3.rgb, s0, s1, s2 | alpha(r4, r1, r3) mad r3.a, s0, s1, s2
        alu rgb(r3, r1, r2) mad r4.rgb, s0, s1, s2 | alpha(r3, r1, r2) mad r4.a, s0, s1, s2
        alu rgb(r4, r1, r3) mad r2.rgb, s0, s1, s2 | alpha(r4, r1, r3) mad r2.a, s0, s1, s2
        fc endrep loop func=0xff
        out rgb(r2) max.bits r0._, s0, s0 | alpha(r2) max.bits r0._, s0, s0 rgb_out=o0.rgb alpha_out=o0.a last
)";

// Workload ctm/mandelbrot: each processor leaves the loop by itself.
constexpr const char* kMandelbrot = R"(
        alu rgb(r0, c0) mad r1.rg, s0.rg0, s1.rr0, s1.gb0 | alpha(r0, c0) mad r0._, s0.0, s0.0, s0.0
        alu rgb() mad r2.rgb, s0.000, s0.000, s0.000 | alpha() mad r0._, s0.0, s0.0, s0.0
        alu rgb() mad r5.rgb, s0.000, s0.000, s0.000 | alpha() mad r0._, s0.0, s0.0, s0.0
        fc rep 15
loop:   alu rgb(r2) mad r3.rg, s0.rg0, s0.rg0, s0.000 | alpha(r2) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r3, 4) mad r4.r, s0.ggg, s0.111, -s1.rgb | alpha(r3, 4) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r3, r4) mad r4.r, s0.rrr, s0.111, s1.rrr | alpha(r3, r4) mad r0._, s0.0, s0.0, s0.0 alu_result=ge.r
        fc breakrep 15 func=0xf0
        alu rgb(r2, 2) mad r4.r, s0.rrr, s1.rgb, s0.000 | alpha(r2, 2) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r4, r2, r1) mad r4.g, s0.rrr, s1.ggg, s2.ggg | alpha(r4, r2, r1) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r3) mad r3.r, s0.rrr, s0.111, -s0.ggg | alpha(r3) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r3, r1) mad r2.r, s0.rrr, s0.111, s1.rrr | alpha(r3, r1) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r4) max r2.g, s0.ggg, s0.ggg, s0.rrr | alpha(r4) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r5) mad r5.r, s0.rrr, s0.111, s0.111 | alpha(r5) mad r0._, s0.0, s0.0, s0.0
        fc endrep loop func=0xff
        out rgb(r5) max.bits r0._, s0.rgb, s0.rgb, s0.rrr | alpha(r5) max.bits r0._, s0.a, s0.a, s0.r rgb_out=o0.rgb alpha_out=o0.a last
)";

// Four lookups side by side and their sum.
constexpr const char* kLookups = R"(
        alu rgb(r0) max.bits r1.rgb, s0, s0 | alpha() max.bits r1.a, s0.0, s0.0
        alu rgb() max.bits r6.rgb, s0.000, s0.000 | alpha() max.bits r6.a, s0.0, s0.0
        fc rep 16
loop:   tex ld r2.rgba, i0.rgba, r1.rgrr unscaled
        alu rgb(r1) mad r1.r, s0.rgb, s0.111, s0.111 | alpha(r1) mad r0._, s0.0, s0.0, s0.0
        tex ld r3.rgba, i0.rgba, r1.rgrr unscaled
        alu rgb(r1) mad r1.g, s0.rgb, s0.111, s0.111 | alpha(r1) mad r0._, s0.0, s0.0, s0.0
        tex ld r4.rgba, i0.rgba, r1.rgrr unscaled
        alu rgb(r1) mad r1.r, s0.rgb, s0.111, -s0.111 | alpha(r1) mad r0._, s0.0, s0.0, s0.0
        tex ld r5.rgba, i0.rgba, r1.rgrr unscaled acquire
        alu rgb(r2, r3, r6) mad r6.rgb, s0, s1, s2 | alpha(r2, r3, r6) mad r6.a, s0, s1, s2 sem_wait
        alu rgb(r4, r5, r6) mad r6.rgb, s0, s1, s2 | alpha(r4, r5, r6) mad r6.a, s0, s1, s2
        fc endrep loop func=0xff
        out rgb(r6) max.bits r0._, s0, s0 | alpha(r6) max.bits r0._, s0, s0 rgb_out=o0.rgb alpha_out=o0.a last
)";

// Workload ctm/matmul: rows of A times columns of B, four columns in an element.
constexpr const char* kMatmul = R"(
        alu rgb() max.bits r1.rgb, s0.000, s0.000, s0.rrr | alpha() max.bits r1.a, s0.0, s0.0, s0.r
        alu rgb() mad r2.rgb, s0.000, s0.000, s0.0g0 | alpha() mad r2.a, s0.0, s0.0, s0.0
        alu rgb() mad r3.rgb, s0.000, s0.000, s0.r00 | alpha() mad r0._, s0.0, s0.0, s0.0
        fc rep 19
loop:   tex ld r4.rgba, i0.rgba, r2.rgrr unscaled acquire sem_wait
        tex ld r5.rgba, i1.rgba, r3.rgrr unscaled acquire sem_wait
        alu rgb(r4, r5, r1) mad r1.rgb, s0.rrr, s1.rgb, s2.rgb | alpha(r4, r5, r1) mad r1.a, s0.r, s1.a, s2.a sem_wait
        alu rgb(r3) mad r3.g, s0.rgb, s0.111, s0.111 | alpha(r3) mad r0._, s0.0, s0.0, s0.0
        tex ld r5.rgba, i1.rgba, r3.rgrr unscaled acquire sem_wait
        alu rgb(r4, r5, r1) mad r1.rgb, s0.ggg, s1.rgb, s2.rgb | alpha(r4, r5, r1) mad r1.a, s0.g, s1.a, s2.a sem_wait
        alu rgb(r3) mad r3.g, s0.rgb, s0.111, s0.111 | alpha(r3) mad r0._, s0.0, s0.0, s0.0
        tex ld r5.rgba, i1.rgba, r3.rgrr unscaled acquire sem_wait
        alu rgb(r4, r5, r1) mad r1.rgb, s0.bbb, s1.rgb, s2.rgb | alpha(r4, r5, r1) mad r1.a, s0.b, s1.a, s2.a sem_wait
        alu rgb(r3) mad r3.g, s0.rgb, s0.111, s0.111 | alpha(r3) mad r0._, s0.0, s0.0, s0.0
        tex ld r5.rgba, i1.rgba, r3.rgrr unscaled acquire sem_wait
        alu rgb(r4, r5, r1) mad r1.rgb, s0.aaa, s1.rgb, s2.rgb | alpha(r4, r5, r1) mad r1.a, s0.a, s1.a, s2.a sem_wait
        alu rgb(r3) mad r3.g, s0.rgb, s0.111, s0.111 | alpha(r3) mad r0._, s0.0, s0.0, s0.0
        alu rgb(r2) mad r2.r, s0.rgb, s0.111, s0.111 | alpha(r2) mad r0._, s0.0, s0.0, s0.0
        fc endrep loop func=0xff
        out rgb(r1) max.bits r0._, s0.rgb, s0.rgb, s0.rrr | alpha(r1) max.bits r0._, s0.a, s0.a, s0.r rgb_out=o0.rgb alpha_out=o0.a last
)";

// Widths and heights of whole threads; 512 of them or more, as many as are resident on R580.
constexpr Program kPrograms[] = {
    {"arithmetic", 192, 128, 3, 40, "float32_4", 0, kArithmetic},
    {"mandelbrot", 192, 160, 3, 60, "float32_1", 0, kMandelbrot},
    {"lookups", 192, 128, 3, 16, "float32_4", 1, kLookups},
    {"matmul", 192, 128, 3, 16, "float32_4", 2, kMatmul},
};

std::string words_of(const char* text) {
    const ctm::isa::Assembly assembly = ctm::isa::assemble(text);
    if (!assembly.errors.empty())
        throw std::runtime_error("line " + std::to_string(assembly.errors[0].line) + ": " +
                                 assembly.errors[0].message);
    std::string words;
    for (const ctm::isa::Words& instruction : assembly.program)
        for (const uint32_t word : instruction)
            words += std::to_string(word) + ", ";
    return words;
}

// Inputs are larger than the domain, so that lookups beside it find elements.
std::string workload_of(const Program& p, unsigned scale, bool functional) {
    const unsigned width = p.width * (functional ? p.larger : 1);
    const unsigned height = p.height * (functional ? p.larger : 1);
    const std::string input = "\n    - {width: " + std::to_string(width + 320) +
                              ", height: " + std::to_string(height + 1024) +
                              ", format: float32_4, tiling: tiled}";
    std::string inputs = p.inputs == 0 ? "" : "\n  inputs:";
    for (unsigned i = 0; i < p.inputs; ++i)
        inputs += input;
    return "program:\n  code: {words: [" + words_of(p.text) + "]}\n  constants: {float: [[" +
           std::to_string(2.88 / width) + ", -2.25, -1.25, 0]], int: [[" +
           std::to_string(std::min(p.iterations * scale, 255u)) + ", 0, 0]]}" + inputs +
           "\n  outputs:\n    - {width: " + std::to_string(width) +
           ", height: " + std::to_string(height) + ", format: " + p.format + ", tiling: tiled}\n";
}

struct Measured : RunTime {
    uint64_t threads = 0, instructions = 0, cycles = 0;
    unsigned groups = 1;  // of 16 lanes, of a thread
};

Measured measure(const Program& p, asic::Mode mode, const std::string& asic, unsigned scale) {
    const std::unique_ptr<asic::ChipDescription> chip = asic::load_chip(asic, {});
    Measured m;
    const auto look = [&](asic::Asic& done) {
        m.threads = done.work().waves;
        m.instructions = done.work().instructions;
        m.cycles = done.cycles();
    };
    const std::string text = workload_of(p, scale, mode == asic::Mode::Functional);
    static_cast<RunTime&>(m) = time_workload(*chip, p.name, text, mode, look);
    m.groups = chip->spec<ctm::ChipConfig>()->dpp.lanes() / 16;
    return m;
}

void print(const Program& p, asic::Mode mode, const Measured& m) {
    const double rate = static_cast<double>(m.instructions) / m.seconds;
    const double groups = rate * m.groups;
    std::printf("%-11s %-10s %7llu %10llu %9llu %9.2f %9.2f %9.1f %7.1f\n", p.name,
                mode == asic::Mode::Cycle ? "cycle" : "functional",
                static_cast<unsigned long long>(m.threads),
                static_cast<unsigned long long>(m.instructions),
                static_cast<unsigned long long>(m.cycles), groups / 1e6, rate / 1e6, 1e9 / groups,
                1e9 / groups / m.fma_ns);
}

int run(int argc, char** argv) {
    ChipSpeed speed;
    speed.asic = "r580";
    unsigned scale = 1;
    CLI::App app{"how fast the CTM chip runs programs", "archipelago_ctm_speed"};
    app.add_option("--scale", scale, "times as many iterations")
        ->check(CLI::Range(1, 255))
        ->capture_default_str();
    std::vector<std::string> names;
    for (const Program& p : kPrograms)
        names.emplace_back(p.name);
    speed.add_to(app, "programs", names);
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    std::printf("%-11s %-10s %7s %10s %9s %9s %9s %9s %7s\n", "program", "mode", "threads",
                "thr instr", "cycles", "M group/s", "M thr/s", "ns/group", "fma64s");
    const auto one = [&](const Program& p, asic::Mode mode) {
        return measure(p, mode, speed.asic, scale);
    };
    return speed.run_all<Measured>(kPrograms, one, print) ? 0 : 1;
}

}  // namespace
}  // namespace archipelago::host

int main(int argc, char** argv) {
    try {
        return archipelago::host::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "archipelago_ctm_speed: %s\n", e.what());
        return 1;
    }
}

// SystemC requires it of a program that does not start through sc_main.
int sc_main(int, char**) {
    return 0;
}
