// SPDX-License-Identifier: Apache-2.0
// Mostly legal PM4 for both command processors on little memory: all packets, the three rings,
// indirect buffers two deep and buffers of the constant engine. Shared by packet_fuzzer (inputs of
// a few hundred dwords) and packet_soak (millions of packets).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_registers.h"
#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

struct PacketScenario {
    std::array<std::vector<uint32_t>, cp::kSiRings> rings;
    std::vector<uint32_t> ib1, ib2, constants;  // each ring may call them
    bool stall = false;                         // channels refuse at random
    uint32_t packets = 0;                       // made, in all streams; not part of the bytes
    // One ring, no constants, no clocks, nothing of GDS at the end of the pipe: memory ends the
    // same in both modes. Not part of the bytes.
    bool comparable = false;
};

struct ScenarioOptions {
    unsigned packets = 24;   // about, on each ring that is used
    unsigned corrupted = 2;  // one scenario in so many has a wrong word; 0: none
};
PacketScenario make_scenario(Random& random, const ScenarioOptions& options);
// Executed packets that no scenario has had so far.
std::string packets_never_made();

Bytes pack(const PacketScenario& scenario);
// False when it is too short to be one.
bool unpack(const uint8_t* data, size_t size, PacketScenario& scenario);

// How a scenario ended. `text` names what stopped it, or what it waits for.
enum class StreamEnd : uint8_t { Done, Waits, BadInput, Unimplemented, Fault, OtherStop, Endless };
const char* to_string(StreamEnd end);
struct StreamResult {
    StreamEnd end = StreamEnd::Done;
    std::string text;
    uint64_t memory = 0;  // a hash of what is in memory at the end, of what is comparable
};
// Requires that a stop names its place and reason, and a wait what it is for.
StreamResult run_functional(const PacketScenario& scenario);
// The same without shortcuts for registers; ends the same.
StreamResult run_one_by_one(const PacketScenario& scenario);
StreamResult run_timed(const PacketScenario& scenario);

}  // namespace archipelago::fuzz
