// SPDX-License-Identifier: Apache-2.0
// How fast functional mode executes each kernel of the workload suite and of the recorded
// submissions, what surrounds a dispatch left out: a workload is run as the command runs it up to
// the first instruction of a dispatch; then the dispatch, as the registers of the chip hold it, is
// walked again and again on a compute unit of functional mode. Every dispatch has a process of its
// own (SystemC keeps one simulation). Memory is put back between the walks, outside the time taken.
// The fastest walk counts; a 64-lane multiply-add on plain arrays is measured in between, for a
// ratio that another host can compare.
//
//   archipelago_suite_speed [--seconds S] [--portable] [--walks N [--dispatch D]]
//                           [NAME | FILE.yaml]...
//
// --seconds S: of walks, five times for each dispatch (0.02). --walks N: exactly N walks of
// dispatch D (1) of the one workload named, and no time taken, for profilers.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/asic/families.h"
#include "models/asic/gcn/chip_config.h"
#include "models/common/error.h"
#include "models/common/page.h"
#include "models/common/trace_sink.h"
#include "models/cu/functional/functional_cu.h"
#include "models/cu/isa/lane_exec.h"
#include "models/spi/dispatch.h"
#include "testbenches/host/runner.h"
#include "testbenches/perf/host_unit.h"
#include "testbenches/perf/run_apart.h"
#include "testbenches/support/command_line.h"

namespace archipelago::host {
namespace {

struct Options {
    double seconds = 0.02;  // of each round
    unsigned walks = 0;
    unsigned dispatch = 1;
    std::vector<std::string> files;
};

struct Measured {
    bool found = false;         // there is such a dispatch
    uint64_t instructions = 0;  // of it
    uint64_t waves = 0;
    double run_seconds = 0;  // the whole ordinary run: rings, packets, fence
    double cu_seconds = 0;   // one dispatch on the compute unit
    double fma_ns = 0;
};

constexpr int kRounds = 5;

// Remembers what was in each page at its first use, so that every walk starts from the same memory.
class ImagePages : public cu::FunctionalMemory {
  public:
    explicit ImagePages(MemoryImage& image) : image_(image) {}
    uint8_t* page(uint64_t address, uint8_t) override {
        uint8_t* host = image_.page_pointer(address);
        if (host != nullptr) {
            uint8_t* first = host - address % kPageBytes;
            const auto [it, fresh] = before_.try_emplace(first);
            if (fresh)
                it->second.assign(first, first + kPageBytes);
        }
        return host;
    }
    cu::HostWindow window(uint64_t address, uint8_t) override {
        for (const cu::HostWindow& w : windows_)
            if (address - w.first < w.bytes)
                return w;
        cu::HostWindow w;
        uint64_t last = 0;
        if (!image_.contiguous_range(address, w.first, last, w.host))
            return {};
        w.bytes = last - w.first + 1;
        for (uint64_t at = 0; at < w.bytes; at += kPageBytes)
            page(w.first + at, 0);
        windows_.push_back(w);
        return w;
    }
    // Every walk changes the same pages, so that the first one says which to look at.
    void restore() {
        if (!compared_)
            for (const auto& [host, bytes] : before_)
                if (std::memcmp(host, bytes.data(), bytes.size()) != 0)
                    changed_.push_back(host);
        compared_ = true;
        for (uint8_t* host : changed_)
            std::memcpy(host, before_[host].data(), kPageBytes);
    }

  private:
    MemoryImage& image_;
    std::map<uint8_t*, std::vector<uint8_t>> before_;
    std::vector<uint8_t*> changed_;
    bool compared_ = false;
    std::vector<cu::HostWindow> windows_;
};

spi::Dispatch last_dispatch(asic::Asic& chip) {
    const spi::SpiSpec& spec = chip.description().spec<gcn::ChipConfig>()->spi;
    spi::ComputeRegisters registers;
    for (uint32_t i = 0; i < registers.raw.size(); ++i) {
        tlm::tlm_generic_payload gp;
        uint32_t value = 0;
        gp.set_read();
        gp.set_address(spec.map.compute_start + 4 * i);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        if (chip.registers.get_base_export()->transport_dbg(gp) == 4)
            registers.raw[i] = value;
    }
    return spi::decode_dispatch(registers, spec);
}

// The walk of a dispatch over a compute unit, as the chip in functional mode does it.
class Walker {
  public:
    Walker(Machine& machine, const spi::Dispatch& dispatch)
        : pages_(machine.memory()),
          cu_(machine.chip().description().spec<gcn::ChipConfig>()->cu, pages_,
              {"functional", {}, 0, 0}),
          dispatch_(dispatch) {}
    // Seconds one walk took.
    double run() {
        const Stopwatch watch(last_ > kSlice);
        cu_.new_dispatch();
        for (spi::GroupWalk walk(dispatch_); !walk.done(); walk.next(dispatch_)) {
            const spi::Group group = walk.current(dispatch_);
            waves_.clear();
            for (unsigned w = 0; w < group.waves; ++w)
                waves_.push_back(spi::make_wave(dispatch_, group, w, w));
            cu_.run_group(waves_.data(), group.waves, stats_);
        }
        last_ = watch.seconds();
        pages_.restore();
        return last_;
    }
    uint64_t instructions() const {
        uint64_t n = 0;
        for (const uint64_t c : stats_.work.instructions)
            n += c;
        return n;
    }
    uint64_t waves() const { return stats_.work.waves; }

  private:
    static constexpr double kSlice = 5e-4;
    double last_ = 0;
    ImagePages pages_;
    cu::FunctionalCu cu_;
    cu::FunctionalStats stats_;
    spi::Dispatch dispatch_;
    std::vector<WaveLaunch> waves_;
};

// Stops a run at the first instruction of a dispatch, before it has done anything.
class FirstInstruction : public LogSink {
  public:
    explicit FirstInstruction(unsigned skipped) : left_(skipped) {
        mask_ = 1U << static_cast<unsigned>(LogCategory::Isa);
    }
    // Lines begin with "dispatch N group".
    void line(LogCategory, Cycle, std::string_view, std::string_view text) override {
        const std::string_view dispatch = text.substr(0, text.find(" group"));
        if (dispatch == current_)
            return;
        current_ = dispatch;
        if (left_ == 0) {
            reached = true;
            throw MachineStop(StopKind::Hang, "benchmark", "stopped at the first instruction");
        }
        --left_;
    }
    bool reached = false;

  private:
    unsigned left_;
    std::string current_;
};

constexpr unsigned kWhole = ~0U;

// Walks dispatch number `dispatch` of the workload; kWhole: runs the workload as it is.
Measured measure(const std::string& file, const Options& options, unsigned dispatch) {
    config::Diagnostics diagnostics;
    std::unique_ptr<asic::ChipDescription> chip;
    const std::optional<Workload> workload = load_workload(
        file,
        [&](const std::optional<std::string>& asic) {
            chip = asic::load_chip(asic.value_or("tahiti"), {});
            return workload_chip(*chip);
        },
        diagnostics);
    diagnostics.throw_if_errors();
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    FirstInstruction stop(dispatch);
    MachineOptions machine_options;
    machine_options.chip.mode = asic::Mode::Functional;
    if (dispatch != kWhole)
        machine_options.chip.log = &stop;
    Machine machine("bench", *chip, machine_options);
    Runner runner(*workload, machine);
    Measured m;
    if (dispatch == kWhole) {
        const RunOutcome outcome = runner.run();
        if (!outcome.failures.empty())
            throw std::runtime_error(outcome.failures.front());
        m.run_seconds = outcome.host_seconds;
        return m;
    }
    try {
        runner.run();
    } catch (const MachineStop&) {
        if (!stop.reached)
            throw;
    }
    if (!stop.reached)
        return m;
    m.found = true;
    Walker walker(machine, last_dispatch(machine.chip()));
    if (options.walks != 0) {
        for (unsigned i = 0; i < options.walks; ++i)
            walker.run();
        m.instructions = walker.instructions() / options.walks;
        return m;
    }
    walker.run();
    m.instructions = walker.instructions();
    m.waves = walker.waves();
    m.cu_seconds = std::numeric_limits<double>::max();
    m.fma_ns = m.cu_seconds;
    for (int round = 0; round < kRounds; ++round) {
        m.fma_ns = std::min(m.fma_ns, host_fma_ns());
        double sum = 0;
        while (sum < options.seconds) {
            const double one = walker.run();
            m.cu_seconds = std::min(m.cu_seconds, one);
            sum += one;
        }
    }
    return m;
}

// In a process of its own; false when it failed.
bool measure_apart(const std::string& file, const Options& options, unsigned dispatch,
                   Measured& m) {
    const auto named = [&] {
        try {
            return measure(file, options, dispatch);
        } catch (const std::exception& e) {
            throw std::runtime_error(file + ": " + e.what());
        }
    };
    return run_apart<Measured>(named, m);
}

// Workloads of a folder, or of its folders.
void add_workloads(const std::filesystem::path& folder, std::vector<std::string>& files) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".yaml")
            found.push_back(entry.path().string());
        else if (std::filesystem::exists(entry.path() / "workload.yaml"))
            found.push_back((entry.path() / "workload.yaml").string());
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
}

std::vector<std::string> suite() {
    const std::filesystem::path folder =
        std::filesystem::path(ARCHIPELAGO_SOURCE_DIR) / "testbenches/workloads";
    std::vector<std::string> files;
    add_workloads(folder, files);
    add_workloads(folder / "captures", files);
    add_workloads(ARCHIPELAGO_PIGLIT_DIR, files);
    return files;
}

int run(int argc, char** argv) {
    Options options;
    std::vector<std::string> workloads;
    CLI::App app{"how fast functional mode executes kernels", "archipelago_suite_speed"};
    app.add_option("--seconds", options.seconds, "of walks, five times for each dispatch")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    bool portable = false;
    app.add_flag("--portable", portable, "lanes without the host's vector instructions");
    CLI::Option* walks =
        app.add_option("--walks", options.walks, "of one dispatch, and no time taken")
            ->check(CLI::Range(1u, std::numeric_limits<unsigned>::max()));
    app.add_option("--dispatch", options.dispatch, "of the workload, from 1")
        ->check(CLI::Range(1u, std::numeric_limits<unsigned>::max()))
        ->needs(walks)
        ->capture_default_str();
    app.add_option("workloads", workloads, "name or file; the whole suite when none is named");
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    if (options.walks != 0 && workloads.size() != 1) {
        std::fputs("archipelago_suite_speed: --walks takes one workload\n", stderr);
        return command_line::kBadUsage;
    }
    if (portable)
        setenv("ARCHIPELAGO_LANES", "portable", 1);
    for (const std::string& name : workloads) {
        const bool is_file = name.find_first_of("/.") != std::string::npos;
        options.files.push_back(
            is_file ? name : ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/" + name + ".yaml");
    }
    if (options.walks != 0) {
        const Measured m = measure(options.files.front(), options, options.dispatch - 1);
        std::printf("%llu wave-instructions per dispatch\n",
                    static_cast<unsigned long long>(m.instructions));
        std::fflush(stdout);
        _exit(0);
    }
    const std::vector<std::string> files = options.files.empty() ? suite() : options.files;
    std::printf("lanes: %s\n", isa::lane_backend());
    std::printf("%9s %7s %9s %9s %9s %11s  %s\n", "instr", "waves", "M instr/s", "ns/instr",
                "fma64s", "outside us", "kernel");
    bool good = true;
    double slowest = std::numeric_limits<double>::max();
    std::string slowest_name;
    for (const std::string& file : files) {
        const std::filesystem::path path(file);
        const std::string name =
            (path.stem() == "workload" ? path.parent_path().filename() : path.stem()).string();
        Measured whole;
        bool complete = measure_apart(file, options, kWhole, whole);
        std::vector<Measured> dispatches;
        while (complete) {
            Measured m;
            complete = measure_apart(file, options, static_cast<unsigned>(dispatches.size()), m);
            if (!m.found)
                break;
            dispatches.push_back(m);
            whole.run_seconds -= m.cu_seconds;
        }
        if (!complete) {
            std::printf("%s failed\n", name.c_str());
            good = false;
            continue;
        }
        for (size_t d = 0; d < dispatches.size(); ++d) {
            const Measured& m = dispatches[d];
            const double rate = static_cast<double>(m.instructions) / m.cu_seconds / 1e6;
            const double ns = 1e3 / rate;
            const std::string full =
                dispatches.size() == 1 ? name : name + " #" + std::to_string(d + 1);
            // What an ordinary run takes beside the compute unit's work: rings, packets, fence.
            std::printf("%9llu %7llu %9.1f %9.2f %9.2f %11.1f  %s\n",
                        static_cast<unsigned long long>(m.instructions),
                        static_cast<unsigned long long>(m.waves), rate, ns, ns / m.fma_ns,
                        std::max(0.0, whole.run_seconds) * 1e6, full.c_str());
            std::fflush(stdout);
            if (rate < slowest) {
                slowest = rate;
                slowest_name = full;
            }
        }
    }
    if (!slowest_name.empty())
        std::printf("slowest: %s, %.1f M instr/s\n", slowest_name.c_str(), slowest);
    return good ? 0 : 1;
}

}  // namespace
}  // namespace archipelago::host

int main(int argc, char** argv) {
    try {
        return archipelago::host::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}

// SystemC requires it of a program that does not start through sc_main.
int sc_main(int, char**) {
    return 0;
}
