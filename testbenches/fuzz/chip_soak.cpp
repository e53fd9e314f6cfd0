// SPDX-License-Identifier: Apache-2.0
// chip_soak [--scenarios N] [--seed S] [--operations N] [--asic NAME] [--corrupted N]
//           [--from SCENARIO] [--stops] [--show SCENARIO]
//
// Generated work (chip_streams.h) through the whole chip, in functional and in cycle mode: every
// scenario ends done in both and leaves the same memory. The last one of each batch, a batch being
// what one chip runs one after another, has a wrong word, one batch in N (default 2, 0: none): it
// may end in a stop too, which has a kind, a place and a reason. Some batches stall their channels
// or shuffle their ticks. Status 1 and the number of the scenario when something else happens.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <systemc>

#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/text.h"
#include "testbenches/fuzz/chip_streams.h"
#include "testbenches/fuzz/soak_process.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/support/command_line.h"

const archipelago::fuzz::TargetInfo archipelago::fuzz::kTarget = {"chip_soak", false, 0, 0, 0};

namespace archipelago::fuzz {
namespace {

constexpr uint64_t kHangCycles = 100'000, kMaxCycles = 2'000'000;
constexpr uint64_t kInstructionLimit = 1u << 17;

struct Options : SoakOptions {
    Options() { asic = "tahiti"; }
    unsigned operations = 24;
};

// Nothing when all is well; else the exit status.
std::optional<int> parse(int argc, char** argv, Options& o) {
    CLI::App app{"generated work through the whole chip, in both modes", "chip_soak"};
    add_options(app, o);
    add_count(app, "--operations", o.operations, "of a scenario")->capture_default_str();
    return parse(app, argc, argv, o);
}

ChipScenario scenario(const Options& options, uint64_t number) {
    Random random(options.seed_of(number));
    return make_chip_scenario(random, options.operations, options.is_corrupted(number));
}

// ---- one batch in one mode: hashes of slots, and of semaphores, fences, tables -----------------

const uint64_t kUntouched = hash_of(std::vector<uint64_t>(kSlotBytes / 8));

void run_batch(const Options& options, uint64_t first, asic::Mode mode, const SendResult& send) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    const auto chip = asic::load_chip(options.asic, {});
    host::MachineOptions machine_options = batch_options(options, first, mode);
    machine_options.hang_cycles = kHangCycles;
    machine_options.max_cycles = kMaxCycles;
    machine_options.chip.instruction_limit = machine_options.chip.work_limit = kInstructionLimit;
    host::Machine machine("bench", *chip, machine_options);
    std::vector<host::AddressRange> reserved;
    for (const auto& [address, bytes] : chip_ranges()) {
        machine.memory().map(address, bytes);
        reserved.push_back({address, address + bytes - 1});
    }
    machine.reserve(reserved);
    for (const ChipBuffer& buffer : chip_fixtures())
        machine.memory().write(buffer.address, buffer.words.data(), 4 * buffer.words.size());
    const auto program = [&] {
        host::GpuDriver driver(machine);
        driver.bring_up();
        for (uint64_t number = first; number < first + kSoakBatch; ++number) {
            const ChipScenario s = scenario(options, number);
            for (const auto& [address, bytes] : chip_cleared()) {
                const std::vector<uint8_t> zeros(bytes);
                machine.memory().write(address, zeros.data(), bytes);
            }
            for (const ChipBuffer& buffer : s.buffers)
                machine.memory().write(buffer.address, buffer.words.data(),
                                       4 * buffer.words.size());
            for (unsigned ring = 0; ring < kChipRings; ++ring)
                if (!s.rings[ring].empty())
                    driver.submit(ring, s.rings[ring]);
            for (unsigned ring = 0; ring < kChipRings; ++ring)
                driver.fence_and_wait(ring);
            SoakResult result;
            result.end = End::Done;
            for (unsigned slot = 0; slot < kSlotCount; ++slot)
                result.memory.push_back(
                    hash_of(machine, kSlots + slot * uint64_t{kSlotBytes}, kSlotBytes));
            const auto [address, bytes] = chip_cleared().front();
            result.memory.push_back(hash_of(machine, address, bytes));
            send(result);
        }
    };
    run_to_stop(machine, program, send);
}

void show(const ChipScenario& s) {
    const auto list = [](const std::string& name, const std::vector<uint32_t>& words) {
        std::printf("# %s, %zu dwords\n%s", name.c_str(), words.size(),
                    cp::si_pm4().disassemble(words.data(), words.size()).c_str());
    };
    for (unsigned ring = 0; ring < kChipRings; ++ring)
        list("ring " + std::to_string(ring), s.rings[ring]);
    for (const ChipBuffer& buffer : s.buffers) {
        char address[24];
        std::snprintf(address, sizeof address, "0x%" PRIx64, buffer.address);
        list(std::string("buffer ") + address, buffer.words);
    }
    for (size_t i = 0; i < s.slots.size(); ++i)
        std::printf("# slot %zu at 0x%" PRIx64 ": %s\n", i, kSlots + i * kSlotBytes,
                    s.slots[i].c_str());
}

std::string differs(const ChipScenario& s, size_t i) {
    if (i == kSlotCount)
        return "semaphores, fences or tables differ";
    return "slot " + std::to_string(i) +
           (i < s.slots.size() ? " differs: " + s.slots[i] : " differs, which no operation writes");
}

int run(int argc, char** argv) {
    Options options;
    if (const auto status = parse(argc, argv, options))
        return *status;
    if (options.shows()) {
        show(scenario(options, options.show));
        return 0;
    }
    double seconds[2] = {};
    uint64_t packets = 0, done = 0, operations = 0, written = 0;
    std::map<std::string, uint64_t> stops;
    for (uint64_t first = options.first; first < options.first + options.scenarios;
         first += kSoakBatch) {
        SoakBatch batches[2];
        for (const bool cycle : {false, true}) {
            batches[cycle] = run_apart(kSoakSeconds, [&](const SendResult& send) {
                run_batch(options, first, cycle ? asic::Mode::Cycle : asic::Mode::Functional, send);
            });
            seconds[cycle] += batches[cycle].seconds;
        }
        for (uint64_t number = first; number < first + kSoakBatch; ++number) {
            const ChipScenario s = scenario(options, number);
            std::string wrong;
            for (const bool cycle : {false, true})
                if (batches[cycle].results.size() <= number - first && wrong.empty())
                    wrong = std::string(cycle ? "cycle: " : "functional: ") +
                            (batches[cycle].crash.empty() ? "no result" : batches[cycle].crash);
            if (wrong.empty()) {
                const SoakResult& functional = batches[0].results[number - first];
                const SoakResult& cycle = batches[1].results[number - first];
                wrong = verdict(functional, cycle, s.corrupted,
                                [&](size_t i) { return differs(s, i); });
                if (s.corrupted)
                    for (const SoakResult* r : {&functional, &cycle})
                        ++stops[std::string(r == &cycle ? "cycle: " : "functional: ") +
                                to_string(r->end) +
                                (options.stops && r->end != End::Done
                                     ? ": " + r->text.substr(0, r->text.find('\n'))
                                     : "")];
            }
            if (!wrong.empty()) {
                std::printf("scenario %" PRIu64 " of seed %" PRIu64 ": %s\n", number, options.seed,
                            wrong.c_str());
                return 1;
            }
            packets += s.packets;
            operations += s.slots.size();
            const auto& memory = batches[0].results[number - first].memory;  // none of a stop
            for (size_t i = 0; i < std::min(memory.size(), s.slots.size()); ++i)
                written += memory[i] != kUntouched ? 1 : 0;
            done += s.corrupted ? 0 : 1;
        }
    }
    std::printf("%" PRIu64 " scenarios the same in both modes: %" PRIu64 " packets, %" PRIu64
                " operations that wrote %" PRIu64 " places; functional %.1f s, cycle %.1f s\n",
                done, packets, operations, written, seconds[0], seconds[1]);
    for (const auto& [text, count] : stops)
        std::printf("%8" PRIu64 " corrupted, %s\n", count, text.c_str());
    return 0;
}

}  // namespace
}  // namespace archipelago::fuzz

int sc_main(int argc, char** argv) {
    try {
        return archipelago::fuzz::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "chip_soak: %s\n", e.what());
        return 1;
    }
}
