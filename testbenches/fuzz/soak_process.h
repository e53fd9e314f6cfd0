// SPDX-License-Identifier: Apache-2.0
// Generated work that a chip runs in a process of its own: one that crashes or does not end fails
// alone.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/host/machine.h"

namespace archipelago::fuzz {

// Scenarios that one chip runs one after another.
inline constexpr unsigned kSoakBatch = 8;
// CPU time of one batch in one mode; more is a hang that the chip does not report.
inline constexpr unsigned kSoakSeconds = 200;

// What the soak programs take on the command line.
struct SoakOptions {
    uint64_t scenarios = 96, seed = 1, first = 0, show = ~uint64_t{0};
    unsigned corrupted = 2;
    std::string asic;
    bool stops = false;

    bool shows() const { return show != ~uint64_t{0}; }
    uint64_t seed_of(uint64_t scenario) const { return seed * 1'000'003 + scenario; }
    // The last scenario of one batch in `corrupted` has a wrong word.
    bool is_corrupted(uint64_t scenario) const {
        return scenario % kSoakBatch == kSoakBatch - 1 && corrupted != 0 &&
               scenario / kSoakBatch % corrupted == 0;
    }
};
CLI::Option* add_count(CLI::App& app, const char* name, uint64_t& value, const char* what);
CLI::Option* add_count(CLI::App& app, const char* name, unsigned& value, const char* what);
void add_options(CLI::App& app, SoakOptions& options);
// Nothing when all is well; else the exit status. The first scenario then begins a batch.
std::optional<int> parse(CLI::App& app, int argc, char** argv, SoakOptions& options);

// Of the batch that begins with scenario `first`: some stall their channels or shuffle their ticks.
host::MachineOptions batch_options(const SoakOptions& options, uint64_t first, asic::Mode mode);

enum class End : uint8_t { Done, BadInput, Unimplemented, Fault, Hang, OtherStop, Broken };
const char* to_string(End end);

// What a scenario left: hashes of memory, in an order that both modes share.
struct SoakResult {
    End end = End::Broken;
    std::vector<uint64_t> memory;
    std::string text;  // of a stop
};

uint64_t hash_of(const std::vector<uint64_t>& words);
uint64_t hash_of(host::Machine& machine, uint64_t address, uint64_t bytes);

using SendResult = std::function<void(const SoakResult&)>;
// Runs `program` in the machine's host thread and sends how it stopped, if it did.
void run_to_stop(host::Machine& machine, const std::function<void()>& program,
                 const SendResult& send);

// The results that a process sent, and how it ended.
struct SoakBatch {
    std::vector<SoakResult> results;
    std::string crash;
    double seconds = 0;
};
// `cpu_seconds`: more is a hang that the chip does not report.
SoakBatch run_apart(unsigned cpu_seconds, const std::function<void(const SendResult&)>& run);

// What is wrong with a scenario that ended so in the two modes; "" when nothing is.
// `corrupted`: it may have stopped, and its memory does not count. `name_of`: of a hash.
std::string verdict(const SoakResult& functional, const SoakResult& cycle, bool corrupted,
                    const std::function<std::string(size_t)>& name_of);

}  // namespace archipelago::fuzz
