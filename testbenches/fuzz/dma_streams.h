// SPDX-License-Identifier: Apache-2.0
// Streams of async DMA packets, mostly legal, and an engine of either mode that runs them on little
// memory.
//
// Sources, targets, what packets poll, and buffers have parts of memory of their own, so that
// streams rarely read what they write: what a packet finds where another writes depends on time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/dma/packet_table.h"
#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

struct DmaStream {
    const dma::Generation* generation = nullptr;
    std::vector<uint32_t> ring;
    std::vector<uint32_t> buffers;  // what the part for indirect buffers holds
    unsigned packets = 0;
};

struct DmaStreamSpec {
    unsigned packets = 20;    // at most, in the ring
    unsigned corrupted = 40;  // one packet in so many has a wrong word; 0: none
    bool clocks = false;      // packets that store them
};

DmaStream make_dma_stream(Random& random, const dma::Generation& generation,
                          const DmaStreamSpec& spec);
// As a fuzz target's input; false: no such stream.
Bytes pack(const DmaStream& stream);
bool unpack(const uint8_t* data, size_t size, DmaStream& stream);

enum class DmaEnd : uint8_t { Done, Waiting, Stopped };
const char* to_string(DmaEnd end);

struct DmaResult {
    DmaEnd end = DmaEnd::Done;
    std::string text;  // what it waits for, why it stopped
    std::vector<uint8_t> memory;
    std::map<uint32_t, uint32_t> registers;
    unsigned interrupts = 0;
    bool depends_on_time = false;
};
struct DmaRun {
    bool timed = false;
    uint64_t disturbed = 0;      // seed of channels that stall and units out of order; 0: none
    bool other_targets = false;  // what targets hold at first is not what it is in other runs
    bool waits = false;          // nothing is expected to end it: not to be run for long
};
DmaResult run_dma(const DmaStream& stream, const DmaRun& run);
// Both modes; what the functional one left. `problem` says where they do not keep to each other.
DmaResult run_dma_in_both(const DmaStream& stream, uint64_t disturbed, std::string& problem);

}  // namespace archipelago::fuzz
