// SPDX-License-Identifier: Apache-2.0
// Generated work that a chip runs in a process of its own: one that crashes or does not end fails
// alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "testbenches/host/machine.h"

namespace archipelago::fuzz {

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
