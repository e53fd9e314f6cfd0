// SPDX-License-Identifier: Apache-2.0
// What a stream of packets, given as PM4 text, does to a command processor, as text: for tests that
// are tables. Memory at kData is filled with numbers: dword n of it holds n.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::cp::test {

// PM4 text in which % stands for a value and $ for the dwords of `buffer`, which is at kIb.
struct TextStream {
    std::string stream, buffer;
    unsigned ring = 0;
    bool tells_errors = false;  // RESERVED_BIT_ERROR of the graphics ring interrupts
};

struct Outcome {
    std::string stop;     // what the machine stopped with
    std::string effects;  // registers, events, cache actions, interrupts, memory, what it waits for
    std::string requests;  // timed: who asks memory in which address spaces
    uint64_t effort = 0;   // timed: accesses to memory within a bounded time, and the cycle
                           // register 0x9508 is written
};
Outcome outcome_functional(const TextStream& stream, const std::string& value);
Outcome outcome_timed(const TextStream& stream, const std::string& value);

// Fails the test when it is not PM4 text.
std::vector<uint32_t> words_of(const std::string& text);

}  // namespace archipelago::cp::test
