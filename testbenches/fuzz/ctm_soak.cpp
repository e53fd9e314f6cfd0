// SPDX-License-Identifier: Apache-2.0
// ctm_soak [--scenarios N] [--seed S] [--asic NAME] [--corrupted N] [--from SCENARIO] [--stops]
//          [--show SCENARIO]
//
// Generated command buffers and programs (ctm_streams.h) through the whole CTM chip, in functional
// and in cycle mode: every scenario ends done in both and leaves the same memory downstream of the
// caches. The last one of each batch, a batch being what one chip runs one after another, has a
// wrong word, one batch in N (default 2, 0: none): it may end in a stop too, which has a kind, a
// place and a reason. Some batches stall their channels or shuffle their ticks. Status 1 and the
// number of the scenario when something else happens.
#include <cinttypes>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <systemc>

#include "models/asic/families.h"
#include "models/ctm/command/command_text.h"
#include "models/ctm/isa/text.h"
#include "testbenches/fuzz/ctm_streams.h"
#include "testbenches/fuzz/soak_process.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/support/command_line.h"

const archipelago::fuzz::TargetInfo archipelago::fuzz::kTarget = {"ctm_soak", false, 0, 0, 0};

namespace archipelago::fuzz {
namespace {

constexpr uint64_t kHangCycles = 100'000, kMaxCycles = 4'000'000;
constexpr uint64_t kInstructionLimit = 1u << 14;  // of a thread

// Nothing when all is well; else the exit status.
std::optional<int> parse(int argc, char** argv, SoakOptions& o) {
    CLI::App app{"generated programs through the whole CTM chip, in both modes", "ctm_soak"};
    o.asic = "r580";
    add_options(app, o);
    return parse(app, argc, argv, o);
}

CtmScenario scenario(const SoakOptions& options, uint64_t number) {
    Random random(options.seed_of(number));
    return make_ctm_scenario(random, options.is_corrupted(number));
}

// ---- one batch in one mode: a hash of each surface ---------------------------------------------

void run_scenario(const CtmScenario& s, host::Machine& machine, host::GpuDriver& driver,
                  const SendResult& send) {
    for (const CtmMemory& m : s.memory)
        machine.memory().write(m.address, m.words.data(), 4 * m.words.size());
    for (const CtmBuffer& buffer : s.buffers) {
        driver.set_program_info(0, buffer.info);
        driver.submit(0, buffer.words);
    }
    driver.fence_and_wait(0);
    SoakResult result;
    result.end = End::Done;
    for (const auto& [address, bytes] : ctm_surfaces())
        result.memory.push_back(hash_of(machine, address, bytes));
    send(result);
}

void run_batch(const SoakOptions& options, uint64_t first, asic::Mode mode,
               const SendResult& send) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    const auto chip = asic::load_chip(options.asic, {});
    host::MachineOptions machine_options = batch_options(options, first, mode);
    machine_options.hang_cycles = kHangCycles;
    machine_options.max_cycles = kMaxCycles;
    machine_options.chip.instruction_limit = kInstructionLimit;
    host::Machine machine("bench", *chip, machine_options);
    std::vector<host::AddressRange> reserved;
    for (const auto& [address, bytes] : ctm_ranges()) {
        machine.memory().map(address, bytes);
        reserved.push_back({address, address + bytes - 1});
    }
    machine.reserve(reserved);
    run_to_stop(
        machine,
        [&] {
            host::GpuDriver driver(machine);
            driver.bring_up();
            for (uint64_t number = first; number < first + kSoakBatch; ++number)
                run_scenario(scenario(options, number), machine, driver, send);
        },
        send);
}

void show(const CtmScenario& s) {
    for (const CtmBuffer& buffer : s.buffers)
        std::printf(
            "# %s flow control, %s outputs, %u temporaries\n%s\n",
            buffer.info.full_flow_control ? "full" : "partial",
            buffer.info.uncached_outputs ? "uncached" : "cached", buffer.info.temporaries,
            ctm::CommandLanguage().disassemble(buffer.words.data(), buffer.words.size()).c_str());
    for (const CtmMemory& m : s.memory) {
        std::printf("# memory at 0x%x, %zu words\n", m.address, m.words.size());
        if (!is_code(m))
            continue;
        for (size_t pc = 0; pc < m.words.size() / ctm::isa::kInstructionWords; ++pc) {
            ctm::isa::Words words;
            std::copy_n(m.words.begin() + static_cast<std::ptrdiff_t>(pc * words.size()),
                        words.size(), words.begin());
            std::printf("%4zu %s\n", pc, ctm::isa::disassemble(words).c_str());
        }
    }
}

// ---- all batches -------------------------------------------------------------------------------

struct Totals {
    double seconds[2] = {};
    uint64_t done = 0, programs = 0, starts = 0, instructions = 0, commands = 0;
    std::map<std::string, uint64_t> stops;

    void add(const CtmScenario& s) {
        done += s.corrupted ? 0 : 1;
        programs += s.programs;
        starts += s.starts;
        instructions += s.instructions;
        commands += s.commands;
    }
    void add_end(const std::string& mode, const SoakResult& result, bool with_text) {
        std::string text = mode + to_string(result.end);
        if (with_text && result.end != End::Done)
            text += ": " + result.text.substr(0, result.text.find('\n'));
        ++stops[text];
    }
    void print() const {
        std::printf("%" PRIu64 " scenarios the same in both modes: %" PRIu64 " commands, %" PRIu64
                    " programs of %" PRIu64 " instructions, %" PRIu64
                    " starts; functional %.1f s, cycle %.1f s\n",
                    done, commands, programs, instructions, starts, seconds[0], seconds[1]);
        for (const auto& [text, count] : stops)
            std::printf("%8" PRIu64 " corrupted, %s\n", count, text.c_str());
    }
};

// "" when all is well.
std::string check(const SoakOptions& options, const CtmScenario& s, size_t place,
                  const SoakBatch (&batches)[2], Totals& totals) {
    for (const SoakBatch& b : batches)
        if (b.results.size() <= place)
            return (&b == &batches[1] ? "cycle: " : "functional: ") +
                   (b.crash.empty() ? "no result" : b.crash);
    const SoakResult& functional = batches[0].results[place];
    const SoakResult& cycle = batches[1].results[place];
    if (s.corrupted) {
        totals.add_end("functional: ", functional, options.stops);
        totals.add_end("cycle: ", cycle, options.stops);
    }
    return verdict(functional, cycle, s.corrupted,
                   [](size_t i) { return ctm_surface_name(i) + " differs"; });
}

int run(int argc, char** argv) {
    SoakOptions options;
    if (const auto status = parse(argc, argv, options))
        return *status;
    if (options.shows()) {
        show(scenario(options, options.show));
        return 0;
    }
    Totals totals;
    for (uint64_t first = options.first; first < options.first + options.scenarios;
         first += kSoakBatch) {
        SoakBatch batches[2];
        for (const bool cycle : {false, true}) {
            batches[cycle] = run_apart(kSoakSeconds, [&](const SendResult& send) {
                run_batch(options, first, cycle ? asic::Mode::Cycle : asic::Mode::Functional, send);
            });
            totals.seconds[cycle] += batches[cycle].seconds;
        }
        for (size_t place = 0; place < kSoakBatch; ++place) {
            const CtmScenario s = scenario(options, first + place);
            const std::string wrong = check(options, s, place, batches, totals);
            if (!wrong.empty()) {
                std::printf("scenario %" PRIu64 " of seed %" PRIu64 ": %s\n", first + place,
                            options.seed, wrong.c_str());
                return 1;
            }
            totals.add(s);
        }
    }
    totals.print();
    return 0;
}

}  // namespace
}  // namespace archipelago::fuzz

int sc_main(int argc, char** argv) {
    try {
        return archipelago::fuzz::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ctm_soak: %s\n", e.what());
        return 1;
    }
}
