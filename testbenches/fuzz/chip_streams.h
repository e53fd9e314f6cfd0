// SPDX-License-Identifier: Apache-2.0
// Legal work for a whole chip, made at random: dispatches of small kernels, draws, constants of the
// constant engine, data packets, semaphores and fences between the rings. What it leaves in memory
// does not depend on time: every operation writes an address of its own, and its readers wait.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

constexpr unsigned kChipRings = 3;
// Where operations write: one slot each.
constexpr uint64_t kSlots = 0x1000000;
constexpr uint32_t kSlotBytes = 0x2000;
constexpr unsigned kSlotCount = 160;

struct ChipBuffer {
    uint64_t address = 0;
    std::vector<uint32_t> words;
};

struct ChipScenario {
    std::array<std::vector<uint32_t>, kChipRings> rings;
    std::vector<ChipBuffer> buffers;  // indirect buffers and constant buffers
    std::vector<std::string> slots;   // what writes each slot
    unsigned packets = 0;             // about
    bool corrupted = false;           // one bit or word is wrong: only the kind of the end counts
};

// What is in memory before the first scenario and stays: kernels, indices, arguments, numbers.
std::vector<ChipBuffer> chip_fixtures();
// Ranges that scenarios use, to be mapped: address, bytes.
std::vector<std::pair<uint64_t, uint64_t>> chip_ranges();
// Ranges that must be zero before a scenario.
std::vector<std::pair<uint64_t, uint64_t>> chip_cleared();

ChipScenario make_chip_scenario(Random& random, unsigned operations, bool corrupted);

}  // namespace archipelago::fuzz
